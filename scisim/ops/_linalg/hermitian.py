"""Eigenvalues and eigenvectors of Hermitian matrices."""

from __future__ import annotations

import cmath
import math
from typing import Any, NamedTuple

import numpy as np

from scisim.core.errors import ArgumentError
from scisim.core.primitive import Primitive
from scisim.core.values import Traced
from scisim.ops._linalg.checks import check_finite, square_matrix, stacks
from scisim.ops._linalg.eigenbasis import (
    along_a_line,
    coefficients,
    curve,
    diagonal_in,
    eigen_curve_p,
    eigen_infer,
    held_scale,
    inverse_gaps_p,
    inverses,
    parts,
)
from scisim.ops._linalg.guards import adjoint
from scisim.ops.arithmetic import pin, stop
from scisim.ops.products import matmul


class EighResult(NamedTuple):
    """Eigenvalues, and eigenvectors as columns."""

    eigenvalues: Any
    eigenvectors: Any


SHORT = 16  # eigenvalues of which a nan in the matrix makes the first or the last one nan


def checked(name: str, compute: Any) -> Any:
    """LAPACK's failure as an error that tells the reason; so are values that are nan."""

    def evaluate(a: Any, kind: str) -> Any:
        try:
            y = compute(a, kind)
        except np.linalg.LinAlgError:
            check_finite(name, a)
            raise
        w = y[0] if type(y) is tuple else y
        if not cmath.isfinite(w[0] + w[-1] if 0 < w.size < SHORT and w.ndim == 1 else w.sum()):
            check_finite(name, a)
        return y

    return evaluate


def eigh_rules(prepared: Any, kind: str = "") -> tuple[Any, Any]:
    """Derivative and series of the eigenvalues and eigenvectors of ``prepared(a)``, a linear function of a."""

    def jvp(y: tuple, args: list, tangents: list, **params: Any) -> tuple:
        """dw = diag(v^-1 da v), dv = v p with p = (v^-1 da v) / (w_j - w_i) beside the diagonal and 0 on it."""
        if tangents[0] is None:
            return None, None
        (w, v), a, da, which = y, prepared(args[0]), prepared(tangents[0]), kind or params["kind"]
        (left,) = inverses([v], which)
        dv = matmul(v, matmul(matmul(left, da), v) * inverse_gaps_p(w, fill=math.nan))
        if which == "general":
            (dv,) = held_scale([v], [dv])
        return diagonal_in(a, y, da, which), dv

    def series(trace: Any, args: tuple, params: dict) -> Any:
        if not along_a_line(trace):
            return None
        w, v = on_a_line(trace, prepared(args[0]), kind or params["kind"])
        return trace.series(w), trace.series(v)

    return jvp, series


def on_a_line(trace: Any, a: Any, kind: str, known: bool = False) -> tuple[list, list]:
    """Coefficients of eigenvalues and eigenvectors, in the basis that the line chooses where eigenvalues are equal."""
    w, v = eigen_curve_p(curve(coefficients(trace, a), -3), kind=kind, known=known)
    return parts(w, -2), parts(v, -3)


def values_rules(values: Any, both: Any) -> tuple[Any, Any]:
    """Derivative and series of eigenvalues alone, from the primitive for them and the one for vectors too."""

    def jvp(w: Any, args: list, tangents: list, kind: str) -> Any:
        (a,), (da,) = args, tangents
        return None if da is None else diagonal_in(a, both()(a, kind=kind), da, kind)

    def series(trace: Any, args: tuple, params: dict) -> Any:
        if not along_a_line(trace):
            return None
        w, _ = on_a_line(trace, args[0], params["kind"], known=True)
        return trace.series([pin(w[0], values()(stop(args[0].coef(0)), **params)), *w[1:]])

    return jvp, series


_jvp, _series = eigh_rules(lambda a: a)
eigh_p = Primitive(
    "eigh",
    checked("eigh", lambda a, kind: tuple(np.linalg.eigh(a, kind))),
    axes=stacks((2,), [1, 2]),
    infer=eigen_infer,
    jvp=_jvp,
    series=_series,
    multiple=True,
    array_api="linalg.eigh",
)
_values_jvp, _values_series = values_rules(lambda: eigvalsh_p, lambda: eigh_p)
eigvalsh_p = Primitive(
    "eigvalsh",
    checked("eigvalsh", np.linalg.eigvalsh),
    axes=stacks((2,), 1),
    infer=lambda avals, p: eigen_infer(avals, p)[0],
    jvp=_values_jvp,
    series=_values_series,
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
    derivatives along a line (`autodiff.hessian`, `hvp`, `taylor` of `grad`).  It is nan where the function has no
    gradient: for a single one of several equal eigenvalues, and for eigenvectors of equal eigenvalues.  Also nan at
    equal eigenvalues, though they may exist: a gradient of a gradient in reverse mode (`jacrev` of `grad`), third
    derivatives by nested `jvp`, and second ones along two directions that choose different bases.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.eigh([[2.0, 0.0], [0.0, 1.0]]).eigenvalues
    Tensor([1., 2.])
    """
    uplo = _triangle("eigh", UPLO)
    return EighResult(*eigh_p(hermitian_part(square_matrix("eigh", "a", a)), kind=uplo))


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
    return eigvalsh_p(hermitian_part(square_matrix("eigvalsh", "a", a)), kind=uplo)
