"""Rows for decompositions and what is made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import scisim as ss
from tests.rules.cases import Case, array

la = ss.linalg
CALLED: dict[str, tuple[str, ...]] = {  # the primitives behind each function
    "eigh": ("eigh", "eigen_curve", "eigen_project", "inverse_gaps"),
    "eigvalsh": ("eigvalsh", "eigen_compose", "equal_eigenvalues", "across_eigenvalues"),
    "svd": ("svd", "settled_vectors", "undetermined", "singular_factor"),
    "svdvals": ("svdvals", "embedded_eigh", "deficient"),
    "cholesky": ("cholesky",),
    "qr": ("qr",),
}


def row(name: str, call: Callable, *operands: Any, tag: str = "", **more: Any) -> Case:
    """A row whose call makes the function one that its argument and nothing else decides: of Hermitian matrices, of
    products in which the phases of vectors cancel."""
    arrays = tuple(map(np.asarray, operands))
    kind = " complex" if any(x.dtype.kind == "c" for x in arrays) else ""
    covers = (f"op:linalg.{name}", *(f"prim:{p}" for p in CALLED.get(name, ())))
    return Case(f"linalg.{name}{tag and ' ' + tag}{kind}", covers, call, arrays, **more)


def hermitian(a: Any) -> Any:
    return 0.5 * (a + ss.conj(ss.matrix_transpose(a)))


def phaseless(v: Any) -> Any:
    """Columns times the conjugate of their first element."""
    return v * ss.conj(v[..., :1, :])


def pairs(u: Any, vh: Any) -> Any:
    """Products of elements of the left and the right vector."""
    return u[..., :, None, :] * ss.matrix_transpose(vh)[..., None, :, :]


def matrices(*shape: int, kind: str = "f", seed: int = 0, shift: float = 0.0) -> np.ndarray:
    """Matrices whose eigenvalues and singular values lie apart."""
    a = array(*shape, kind=kind, seed=seed)
    d = np.zeros(shape)
    k = min(shape[-2:])
    d[..., np.arange(k), np.arange(k)] = 2.0 * np.arange(k) + shift
    return a * 0.4 + d


def hermitian_rows(kind: str) -> list[Case]:
    one, stack = matrices(3, 3, kind=kind), matrices(2, 2, 2, kind=kind, seed=1)
    none = np.zeros((2, 0, 0), one.dtype)
    eigh = lambda a: (lambda r: (r.eigenvalues, phaseless(r.eigenvectors)))(la.eigh(hermitian(a)))
    eigvalsh = lambda a: la.eigvalsh(hermitian(a))
    upper = lambda a: la.eigvalsh(hermitian(a), UPLO="U")
    positive = matrices(2, 3, 3, kind=kind, shift=2.0)
    cholesky = lambda a: la.cholesky(hermitian(a))
    return [
        row("eigh", eigh, one),
        row("eigh", eigh, stack, tag="of a stack", order=4),
        row("eigh", la.eigh, none, tag="of nothing"),
        row("eigvalsh", eigvalsh, one),
        row("eigvalsh", upper, stack, tag="of upper triangles", order=4),
        row("eigvalsh", la.eigvalsh, none, tag="of nothing"),
        row("cholesky", cholesky, positive),
        row("cholesky", lambda a: la.cholesky(hermitian(a), upper=True), positive[0], tag="upper"),
        row("cholesky", la.cholesky, none, tag="of nothing"),
    ]


def orthogonal_rows(kind: str) -> list[Case]:
    square, tall, wide = (matrices(*s, kind=kind, shift=1.0) for s in ((3, 3), (2, 4, 2), (2, 3)))
    none = np.zeros((0, 3, 2), square.dtype)
    svd = lambda a: (lambda r: (pairs(r.U, r.Vh), r.S))(la.svd(a, full_matrices=False))
    full = lambda a: (lambda r: (pairs(r.U[..., :2], r.Vh), r.S))(la.svd(a))
    return [
        *(row("qr", la.qr, x, tag=t, order=4) for x, t in ((square, ""), (tall, "of a stack"), (wide, "wide"))),
        row("qr", lambda a: la.qr(a, mode="r"), tall, tag="r", order=4),
        row("qr", lambda a: (lambda r: (r.Q[..., :2], r.R))(la.qr(a, mode="complete")), tall, tag="complete", order=4),
        row("qr", la.qr, none, tag="of nothing"),
        *(row("svd", svd, x, tag=t, order=4) for x, t in ((square, ""), (tall, "of a stack"), (wide, "wide"))),
        row("svd", full, tall, tag="full", order=4),
        row("svd", la.svd, none, tag="of nothing"),
        *(row("svdvals", la.svdvals, x, tag=t, order=4) for x, t in ((square, ""), (tall, "tall"), (wide, "wide"))),
        row("svdvals", la.svdvals, none, tag="of nothing"),
    ]


def rows() -> list[Case]:
    out = []
    for kind in ("f", "c"):
        out += hermitian_rows(kind)
        out += orthogonal_rows(kind)
    return out


ROWS = rows()
EXEMPT: dict[str, dict[str, str]] = {}
