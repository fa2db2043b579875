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
    "polar": ("polar", "lyapunov_positive"),
    "slogdet": ("slogdet",),
    "pinv": ("pinv", "rank_kept", "rank_kept_back"),
    "lstsq": ("lstsq",),
    "lu_factor": ("lu_factor", "permutation"),
    "lu_solve": ("lu_solve",),
    "lu": ("lu",),
    "inv": ("inv",),
    "cho_solve": ("cho_solve",),
    "cond": ("inv_or_infinite",),
    "eig": ("eig",),
    "eigvals": ("eigvals",),
    "schur": ("schur", "schur_below"),
}


def row(name: str, call: Callable, *operands: Any, tag: str = "", **more: Any) -> Case:
    """A row whose call makes the function one that its argument and nothing else decides: of Hermitian matrices, of
    products in which the phases of vectors cancel."""
    arrays = tuple(map(np.asarray, operands))
    kind = " complex" if any(x.dtype.kind == "c" for x in arrays) else ""
    if not all(x.size for x in arrays):
        more["order"] = 1  # all of them are alike
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
        row("svd", full, tall[0], tag="full", order=4),
        row("svd", la.svd, none, tag="of nothing"),
        *(row("svdvals", la.svdvals, x, tag=t, order=4) for x, t in ((square, ""), (tall, "tall"), (wide, "wide"))),
        row("svdvals", la.svdvals, none, tag="of nothing"),
    ]


def general_rows(kind: str) -> list[Case]:
    one, stack = matrices(3, 3, kind=kind), matrices(2, 2, 2, kind=kind, seed=1)
    none = np.zeros((2, 0, 0), one.dtype)
    eig = lambda a: (lambda r: (r.eigenvalues, phaseless(r.eigenvectors)))(la.eig(a))
    schur = lambda a: (lambda r: (la.diagonal(r.T), phaseless(r.Z)))(la.schur(a, output="complex"))
    real = lambda a: la.schur(a) if kind == "f" else schur(a)
    return [
        row("eig", eig, one, order=4),
        row("eig", eig, stack, tag="of a stack", order=4),
        row("eig", la.eig, none, tag="of nothing"),
        row("eigvals", la.eigvals, one, order=4),
        row("eigvals", la.eigvals, none, tag="of nothing"),
        row("schur", schur, one, order=4),
        row("schur", real, stack, tag="of a stack", order=4),
        row("schur", la.schur, none, tag="of nothing"),
    ]


def polar_rows(kind: str) -> list[Case]:
    square, tall, wide = (matrices(*s, kind=kind, shift=1.0) for s in ((3, 3), (2, 4, 2), (2, 3)))
    left = lambda a: la.polar(a, side="left")
    return [
        row("polar", la.polar, square, order=4),
        row("polar", la.polar, tall, tag="of a stack", order=4),
        row("polar", left, wide, tag="left", order=4),
        row("polar", la.polar, square[:0, :0], tag="of nothing"),
    ]


def inverse_rows(kind: str) -> list[Case]:
    square, tall, wide = (matrices(*s, kind=kind, shift=1.0) for s in ((3, 3), (2, 4, 2), (2, 3)))
    none, b = square[:0, :0], array(3, 2, kind=kind)
    pair = lambda a, b: la.lstsq(a, b)[::3]  # the residuals are 0 but for tall matrices
    three = lambda a, b: (lambda r: (r.x, r.residuals, r.s))(la.lstsq(a, b))
    return [
        row("inv", la.inv, square),
        row("inv", la.inv, none, tag="of nothing"),
        row("pinv", la.pinv, square),
        row("pinv", la.pinv, tall, tag="of a stack"),
        row("pinv", lambda a: la.pinv(a, rtol=1e-3), wide, tag="wide"),
        row("pinv", la.pinv, none, tag="of nothing"),
        row("lstsq", pair, square, b[:, 0], tag="of a vector", order=4),
        row("lstsq", three, tall, array(1, 4, 2, kind=kind), tag="of stacks", order=4),
        row("lstsq", pair, wide, b[:2], tag="wide", order=4),
        row("lstsq", la.lstsq, none, b[:0], tag="of nothing"),
        row("matrix_rank", la.matrix_rank, tall),
        row("matrix_rank", la.matrix_rank, none, tag="of nothing"),
        row("slogdet", la.slogdet, square),
        row("slogdet", la.slogdet, matrices(2, 2, 2, kind=kind), tag="of a stack"),
        row("slogdet", la.slogdet, none, tag="of nothing"),
        *(row("cond", lambda a, p=p: la.cond(a, p), square, tag=f"{p}", order=4) for p in (None, "fro")),
        row("cond", la.cond, tall, tag="tall", order=4),
    ]


def factor_rows(kind: str) -> list[Case]:
    square, tall, wide = (matrices(*s, kind=kind, shift=1.0) for s in ((3, 3), (2, 4, 2), (2, 3)))
    none, b = square[:0, :0], array(3, 2, kind=kind)
    factor = np.tril(matrices(2, 3, 3, kind=kind, shift=2.0))
    solved = lambda a, b, trans=0: la.lu_solve(la.lu_factor(a), b, trans)
    upper = lambda a, b: la.cho_solve(ss.matrix_transpose(a), b, lower=False)
    rows = [row("lu_factor", la.lu_factor, x, tag=t) for x, t in ((square, ""), (tall, "tall"), (wide, "wide"))]
    rows += [row("lu", la.lu, x, tag=t) for x, t in ((square, ""), (tall, "tall"), (wide, "wide"), (none, "none"))]
    return [
        *rows,
        row("lu_factor", la.lu_factor, none, tag="of nothing"),
        row("lu_solve", solved, square, b),
        row("lu_solve", lambda a, b: solved(a, b, 1), square, b[:, 0], tag="transposed"),
        row("lu_solve", lambda a, b: solved(a, b, 2), square, b[:, 0], tag="adjoint"),
        row("lu_solve", solved, none, b[:0], tag="of nothing"),
        row("cho_solve", la.cho_solve, factor, b),
        row("cho_solve", upper, factor[0], b[:, 0], tag="upper"),
        row("cho_solve", la.cho_solve, none, b[:0], tag="of nothing"),
    ]


def product_rows(kind: str) -> list[Case]:
    a, b = matrices(2, 3, 3, kind=kind, shift=1.0), array(2, 3, kind=kind)
    x, y, v = array(2, 3, kind=kind), array(3, 4, kind=kind), array(4, kind=kind)
    norms = [
        row(name, lambda a, p=p, f=f: f(a, ord=p), b, tag=f"{p}", order=4)
        for name, f, p in (("norm", la.norm, 2), ("matrix_norm", la.matrix_norm, "nuc"), ("norm", la.norm, -2))
    ]
    return [
        *norms,
        row("norm", lambda a: la.norm(a, "nuc", axis=(2, 0), keepdims=True), a[:, :2], tag="nuc of axes", order=4),
        *(row("matrix_power", lambda a, n=n: la.matrix_power(a, n), a, tag=f"{n}", order=4) for n in (0, 5, -2)),
        row("matrix_power", lambda a: la.matrix_power(a, 3), a[:0, :0, :0], tag="of nothing"),
        row("norm", la.norm, x[:0], tag="of nothing"),
        row("matrix_norm", la.matrix_norm, a[:0], tag="of nothing"),
        row("vector_norm", la.vector_norm, x[:0], tag="of nothing"),
        row("vector_norm", la.vector_norm, x[0, 0], tag="of a number", order=4),
        row("det", la.det, x[:0, :0], tag="of nothing"),
        row("solve", la.solve, x[:0, :0], y[:0], tag="of nothing"),
        row("multi_dot", lambda *xs: la.multi_dot(xs), x, y, v),
        row("multi_dot", lambda *xs: la.multi_dot(xs), b[0], a[0], a[1], tag="of a row"),
        row("multi_dot", lambda *xs: la.multi_dot(xs), x[:0], y, tag="of nothing"),
    ]


def rows() -> list[Case]:
    kinds = (hermitian_rows, orthogonal_rows, general_rows, polar_rows, inverse_rows, factor_rows, product_rows)
    out = [r for make in kinds for r in make("f")]
    shown: set[str] = set()
    for r in (r for make in kinds for r in make("c")):
        if not shown.issuperset(r.covers):  # one complex row of each function is enough
            out.append(r)
            shown.update(r.covers)
    return out


ROWS = rows()
_NAMES = sorted({name for r in ROWS for name in r.covers if name.startswith("op:")})
EXEMPT: dict[str, dict[str, str]] = {name: {"0-d": "takes matrices"} for name in _NAMES}
EXEMPT["op:linalg.cond"]["empty"] = "an empty matrix has no condition number"
