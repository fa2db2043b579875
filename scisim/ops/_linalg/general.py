"""Eigenvalues and eigenvectors of any square matrices, and their Schur form."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.errors import ArgumentError
from scisim.core.primitive import Primitive
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape
from scisim.ops._linalg.checks import check_finite, square_matrix, stacks
from scisim.ops._linalg.eigenbasis import eigen_infer
from scisim.ops._linalg.guards import adjoint, lower, undetermined_p, upper
from scisim.ops._linalg.hermitian import checked, eigh_rules, values_rules
from scisim.ops._linalg.perturbation import complex_eig, roundoff
from scisim.ops.logic import any as any_of
from scisim.ops.products import matmul
from scisim.ops.select import ne, where
from scisim.ops.shape import matrix_transpose


class EigResult(NamedTuple):
    """Eigenvalues, and eigenvectors as columns."""

    eigenvalues: Any
    eigenvectors: Any


class SchurResult(NamedTuple):
    """A triangular matrix, and a unitary one."""

    T: Any
    Z: Any


def _eigvals(a: np.ndarray, kind: str) -> np.ndarray:
    return np.linalg.eigvals(a).astype(np.result_type(a, np.complex64), copy=False)


# --- eigenvalues -------------------------------------------------------------------------------------------------
_jvp, _series = eigh_rules(lambda a: a)
eig_p = Primitive(
    "eig",
    checked("eig", lambda a, kind: complex_eig(a)),
    axes=stacks((2,), [1, 2]),
    infer=eigen_infer,
    jvp=_jvp,
    series=_series,
    multiple=True,
    array_api="linalg.eig",
)
_values_jvp, _values_series = values_rules(lambda: eigvals_p, lambda: eig_p)
eigvals_p = Primitive(
    "eigvals",
    checked("eigvals", _eigvals),
    axes=stacks((2,), 1),
    infer=lambda avals, p: eigen_infer(avals, p)[0],
    jvp=_values_jvp,
    series=_values_series,
    array_api="linalg.eigvals",
)


def eig(a: Any) -> EigResult:
    """Eigenvalues and eigenvectors of square matrices.

    Parameters
    ----------
    a : array_like
        Of shape (..., n, n), real or complex.

    Returns
    -------
    eigenvalues : Tensor
        Of shape (..., n), always complex, in LAPACK's order.
    eigenvectors : Tensor
        Of shape (..., n, n), always complex: columns v of length one with a v = w v.

    Raises
    ------
    ShapeError
        When ``a`` is not square.
    ArgumentError
        When ``a`` holds nan or infinity.

    Notes
    -----
    The phase of each eigenvector is arbitrary; derivatives hold it, and the length, so that v^H dv = 0.

    Where eigenvalues are equal (to rounding) but eigenvectors span the space, derivatives are those that exist, as
    told at `eigh`. For a defective matrix, whose eigenvectors do not span the space, they are nan.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.eig([[0.0, 1.0], [-1.0, 0.0]]).eigenvalues
    Tensor([0.+1.j, 0.-1.j])
    """
    return EigResult(*eig_p(square_matrix("eig", "a", a), kind="general"))


def eigvals(a: Any) -> Any:
    """Eigenvalues of square matrices.

    Parameters
    ----------
    a : array_like
        Of shape (..., n, n), real or complex.

    Returns
    -------
    Tensor
        Of shape (..., n), always complex, in LAPACK's order.

    Raises
    ------
    ShapeError
        When ``a`` is not square.
    ArgumentError
        When ``a`` holds nan or infinity.

    Notes
    -----
    Derivatives where eigenvalues are equal are as told at `eig`.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.eigvals([[2.0, 1.0], [0.0, 3.0]])
    Tensor([2.+0.j, 3.+0.j])
    """
    return eigvals_p(square_matrix("eigvals", "a", a), kind="general")


# --- Schur form --------------------------------------------------------------------------------------------------
def _schur(a: np.ndarray, output: str) -> tuple[np.ndarray, np.ndarray]:
    from scipy.linalg import schur

    check_finite("schur", a)
    kind = np.result_type(a, np.complex64) if output == "complex" else a.dtype
    t, z = np.empty(a.shape, kind), np.empty(a.shape, kind)
    for at in np.ndindex(*a.shape[:-2]) if a.size else ():
        t[at], z[at] = schur(a[at], output, check_finite=False)
    return t, z


def _below(t: np.ndarray, m: np.ndarray, back: bool) -> np.ndarray:
    """The strictly lower triangular x for which x t - t x has the strictly lower part of m; ``back``: of the transpose
    of that map.  Column by column; nan where t has equal eigenvalues, or is not triangular."""
    from scipy.linalg import get_lapack_funcs

    x = np.zeros(m.shape, np.result_type(t, m))
    n = t.shape[-1]
    (solve,) = get_lapack_funcs(("trtrs",), (x,))
    for at in np.ndindex(*m.shape[:-2]) if n > 1 else ():
        s, y = t[at].astype(x.dtype), x[at]
        d = np.diag(s)
        least = np.min(np.abs(d[:, None] - d) + np.where(np.eye(n), np.inf, 0.0))
        if np.any(np.diag(s, -1)) or not least > roundoff(t.dtype, n) * np.max(np.abs(s)):
            y[np.tri(n, k=-1, dtype=bool)] = np.where(np.any(np.tril(m[at], -1)), np.nan, 0.0)
            continue
        for j in reversed(range(n - 1)) if back else range(n - 1):
            known = y[j + 1 :, j + 1 :] @ s[j, j + 1 :] if back else y[j + 1 :, :j] @ s[:j, j]
            shifted = d[j] * np.eye(n - j - 1) - s[j + 1 :, j + 1 :]
            y[j + 1 :, j] = solve(shifted, m[at][j + 1 :, j] - known, trans=int(back))[0]
    return x


def _below_jvp(x: Any, args: list, tangents: list, back: bool) -> Any:
    (t, _), (dt, dm) = args, tangents
    if dt is None:
        return None if dm is None else below_p(t, dm, back=back)
    s = matrix_transpose(dt) if back else dt
    moved = matmul(s, x) - matmul(x, s)
    return below_p(t, moved if dm is None else moved + dm, back=back)


below_p = Primitive(
    "schur_below",
    _below,
    axes=stacks((2, 2), 2),
    infer=lambda avals, p: ShapeDtype(avals[1].shape, np.result_type(*(a.dtype for a in avals))),
    linear=(1,),
    transpose=lambda i, ct, args, p: below_p(args[0], ct, back=not p["back"]),
    jvp=_below_jvp,
)


def _schur_jvp(y: tuple, args: list, tangents: list, output: str) -> tuple:
    """dz = z w with w antihermitian, dt = z^H da z + t w - w t triangular."""
    (t, z), (da,) = y, tangents
    if da is None:
        return None, None
    m = matmul(matmul(adjoint(z), da), z)
    x = below_p(t, m, back=False)
    w = x - adjoint(x)
    dt, dz = upper(m + matmul(t, w) - matmul(w, t)), matmul(z, w)
    if output == "complex" or dtype_of(t).kind == "c":
        return dt, dz
    n = shape(t)[-1]
    blocks = any_of(ne(lower(t, -1), 0), (-2, -1), True)
    nobody = where(blocks, undetermined_p(m, rows=n, columns=n), 0.0)
    return dt + nobody, dz + nobody


def _schur_infer(avals: tuple, p: dict) -> tuple:
    (a,) = avals
    y = ShapeDtype(a.shape, np.result_type(a.dtype, np.complex64) if p["output"] == "complex" else a.dtype)
    return y, y


schur_p = Primitive(
    "schur",
    _schur,
    axes=stacks((2,), [2, 2]),
    infer=_schur_infer,
    jvp=_schur_jvp,
    multiple=True,
)


def schur(a: Any, output: str = "real") -> SchurResult:
    """Schur form a = Z T Z^H, with T upper triangular and Z unitary.

    Parameters
    ----------
    a : array_like
        Of shape (..., n, n).
    output : {"real", "complex"}
        For real matrices: real factors, T with 2 x 2 blocks on its diagonal for pairs of complex eigenvalues; or
        complex ones, T triangular.

    Returns
    -------
    T, Z : Tensor
        Of the shape of ``a``.

    Raises
    ------
    ShapeError
        When ``a`` is not square.
    ArgumentError
        For another ``output``, and when ``a`` holds nan or infinity.

    Notes
    -----
    The phase of each column of Z is arbitrary; derivatives hold it so that z^H dz = 0. They are nan where eigenvalues
    are equal, and for T with 2 x 2 blocks: ask for complex output there.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.schur([[1.0, 2.0], [0.0, 3.0]]).T
    Tensor([[1., 2.],
            [0., 3.]])
    """
    if output not in ("real", "complex"):
        raise ArgumentError(f"schur: output must be 'real' or 'complex', got {output!r}")
    return SchurResult(*schur_p(square_matrix("schur", "a", a), output=output))
