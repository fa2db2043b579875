"""Eigenvalues and eigenvectors of Hermitian matrices."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.errors import ArgumentError
from scisim.core.primitive import Primitive
from scisim.core.values import Traced
from scisim.ops._linalg import perturbation
from scisim.ops._linalg.checks import check_finite, real_dtype, square_matrix, stacks
from scisim.ops._linalg.eigenbasis import (
    along_a_line,
    coefficients,
    curve,
    diagonal_in,
    gaps,
    inverse_gaps_p,
    inverses,
    parts,
    project_p,
)
from scisim.ops._linalg.guards import adjoint
from scisim.ops._linalg.perturbation import product
from scisim.ops.arithmetic import pin, stop
from scisim.ops.complexes import conj
from scisim.ops.products import matmul
from scisim.ops.reduce import sum as sum_of


class EighResult(NamedTuple):
    """Eigenvalues, and eigenvectors as columns."""

    eigenvalues: Any
    eigenvectors: Any


def _checked(name: str, compute: Any) -> Any:
    """LAPACK's failure as an error that tells the reason."""

    def evaluate(a: Any, uplo: str) -> Any:
        try:
            return compute(a, uplo)
        except np.linalg.LinAlgError:
            check_finite(name, a)
            raise

    return evaluate


def _eigh_infer(avals: tuple, p: dict) -> tuple:
    a = avals[0]
    kind = np.dtype(np.result_type(a.dtype, np.complex64)) if p.get("kind") == "general" else a.dtype
    values = kind if p.get("kind") == "general" else real_dtype(kind)
    return ShapeDtype(a.shape[:-1], values), ShapeDtype(a.shape, kind)


def _curve_jvp(y: tuple, args: list, tangents: list, kind: str, **rest: Any) -> tuple:
    """The same with series in the place of numbers."""
    (a,), (da,), (w, v) = args, tangents, y
    if da is None:
        return None, None
    hermitian = kind != "general"
    ws, vs = parts(w, -2), parts(v, -3)
    moved = product(product(inverses(vs, hermitian), parts(da, -3), matmul), vs, matmul)
    f = inverse_gaps_p(ws[0], fill=math.nan)
    turn: list[Any] = []
    for k, m in enumerate(moved):
        turn.append((m - sum(gaps(ws[j]) * turn[k - j] for j in range(1, k + 1)) if k else m) * f)
    dv = product(vs, turn, matmul)
    if not hermitian:
        dv = held_scale(vs, dv)
    return project_p(a, w, v, da, hermitian=hermitian), curve(dv, -3)


def held_scale(v: list, dv: list) -> list:
    """Tangents of columns of length one, less their parts along these: v^H dv = 0."""
    dot = lambda p, q: sum_of(conj(p) * q, -2, True)
    return [x - y for x, y in zip(dv, product(v, product(v, dv, dot), lambda p, q: p * q), strict=True)]


def _on_a_line(trace: Any, a: Any, uplo: str, kind: str = "hermitian") -> tuple[list, list]:
    """Coefficients of eigenvalues and eigenvectors, in the basis that the line chooses where eigenvalues are equal."""
    w, v = eigen_curve_p(curve(coefficients(trace, a), -3), uplo=uplo, kind=kind)
    return parts(w, -2), parts(v, -3)


def eigh_rules(prepared: Any, kind: str) -> tuple[Any, Any]:
    """Derivative and series of the eigenvalues and eigenvectors of ``prepared(a)``, a linear function of a."""

    def jvp(y: tuple, args: list, tangents: list, uplo: str = "L") -> tuple:
        """dw = diag(v^H da v), dv = v p with p = (v^H da v) / (w_j - w_i) beside the diagonal and 0 on it."""
        if tangents[0] is None:
            return None, None
        (w, v), a, da = y, prepared(args[0]), prepared(tangents[0])
        turn = matmul(matmul(adjoint(v), da), v) * inverse_gaps_p(w, fill=math.nan)
        return diagonal_in(a, w, v, da), matmul(v, turn)

    def series(trace: Any, args: tuple, p: dict) -> Any:
        if not along_a_line(trace):
            return None
        w, v = _on_a_line(trace, prepared(args[0]), p.get("uplo", "L"), kind)
        return trace.series(w), trace.series(v)

    return jvp, series


def _eigvalsh_series(trace: Any, args: tuple, p: dict) -> Any:
    if not along_a_line(trace):
        return None
    w, _ = _on_a_line(trace, args[0], p["uplo"])
    return trace.series([pin(w[0], eigvalsh_p(stop(args[0].coef(0)), **p)), *w[1:]])


def _eigvalsh_jvp(w: Any, args: list, tangents: list, uplo: str) -> Any:
    (a,), (da,) = args, tangents
    return None if da is None else diagonal_in(a, *eigh_p(a, uplo=uplo), da)


eigen_curve_p = Primitive(
    "eigen_curve",
    perturbation.eigen_curve,
    axes=stacks((3,), [2, 3]),
    infer=_eigh_infer,
    jvp=_curve_jvp,
    multiple=True,
)
_eigh_jvp, _eigh_series = eigh_rules(lambda a: a, "hermitian")
eigh_p = Primitive(
    "eigh",
    _checked("eigh", lambda a, uplo: tuple(np.linalg.eigh(a, uplo))),
    axes=stacks((2,), [1, 2]),
    infer=_eigh_infer,
    jvp=_eigh_jvp,
    series=_eigh_series,
    multiple=True,
    array_api="linalg.eigh",
)
eigvalsh_p = Primitive(
    "eigvalsh",
    _checked("eigvalsh", np.linalg.eigvalsh),
    axes=stacks((2,), 1),
    infer=lambda avals, p: _eigh_infer(avals, p)[0],
    jvp=_eigvalsh_jvp,
    series=_eigvalsh_series,
    array_api="linalg.eigvalsh",
)


def hermitian_part(a: Any) -> Any:
    """The value of a, with the derivative of (a + a^H) / 2: a function of Hermitian matrices."""
    return pin(0.5 * (a + adjoint(a)), stop(a)) if isinstance(a, Traced) else a


def _triangle(name: str, uplo: Any) -> str:
    if uplo not in ("L", "U", "l", "u"):
        raise ArgumentError(f"{name}: UPLO says which triangle is read, 'L' or 'U'; got {uplo!r}")
    return uplo.upper()


def eigh(a: Any, UPLO: str = "L") -> EighResult:  # NumPy's name
    """Eigenvalues and eigenvectors of real symmetric or complex Hermitian matrices.

    Parameters
    ----------
    a : array_like
        Of shape (..., n, n); only one triangle is read.
    UPLO : {"L", "U"}
        Which triangle.

    Returns
    -------
    eigenvalues : Tensor
        Of shape (..., n), real, ascending.
    eigenvectors : Tensor
        Of shape (..., n, n): orthonormal columns v with a v = w v.

    Raises
    ------
    ShapeError
        When ``a`` is not square.
    ArgumentError
        For another ``UPLO``, and when ``a`` holds nan or infinity.

    Notes
    -----
    Derivatives are those of a function of Hermitian matrices: tangents count by their Hermitian part, and gradients
    are Hermitian.  The phase of each eigenvector is arbitrary; derivatives hold it so that v^H dv = 0.

    Where eigenvalues are equal (to rounding), derivatives are those that exist.  Along a line, in `autodiff.jvp`,
    `taylor` and `derivative`, each eigenvalue follows its analytic branch, and eigenvectors start in the basis that
    the line chooses; coefficients of eigenvectors that later terms of the line would decide are nan.  The gradient of
    a function that treats equal eigenvalues alike, such as the sum of their squares, is exact, and so are its
    derivatives along a line (`autodiff.hessian`, `hvp`).  It is nan where the function has no gradient: for a single
    one of several equal eigenvalues, and for eigenvectors of equal eigenvalues.  A gradient of a gradient in reverse
    mode (`jacrev` of `grad`) is nan at equal eigenvalues unless it moves none of them apart.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.eigh([[2.0, 0.0], [0.0, 1.0]]).eigenvalues
    Tensor([1., 2.])
    """
    uplo = _triangle("eigh", UPLO)
    return EighResult(*eigh_p(hermitian_part(square_matrix("eigh", "a", a)), uplo=uplo))


def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    """Eigenvalues of real symmetric or complex Hermitian matrices.

    Parameters
    ----------
    a : array_like
        Of shape (..., n, n); only one triangle is read.
    UPLO : {"L", "U"}
        Which triangle.

    Returns
    -------
    Tensor
        Of shape (..., n), real, ascending.

    Raises
    ------
    ShapeError
        When ``a`` is not square.
    ArgumentError
        For another ``UPLO``, and when ``a`` holds nan or infinity.

    Notes
    -----
    As for `eigh`, derivatives are those of a function of Hermitian matrices, and hold where eigenvalues are equal.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.grad(lambda a: ss.sum(ss.linalg.eigvalsh(a) ** 2))(ss.eye(2))
    Tensor([[2., 0.],
            [0., 2.]])
    """
    uplo = _triangle("eigvalsh", UPLO)
    return eigvalsh_p(hermitian_part(square_matrix("eigvalsh", "a", a)), uplo=uplo)
