"""Banded systems in LAPACK's storage: row u + i - j of ``ab`` holds, at column j, the element (i, j)."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.public import as_argument
from scisim.core.values import dtype, shape
from scisim.ops._linalg.checks import SingularMatrixError, lapack
from scisim.ops._linalg.structured import lapack_function, run, singular, structured
from scisim.ops.complexes import conj, real
from scisim.ops.index import index
from scisim.ops.reduce import sum as sum_of
from scisim.ops.shape import astype, concat, reshape


def _solve(theta: Any, b: Any, lower: int, upper: int) -> np.ndarray:
    (ab,) = theta
    kind = np.result_type(ab, b)
    if lower == upper == 1 and ab.shape[1] > 1:
        _, _, _, x, info = lapack_function("gtsv", kind)(ab[2, :-1], ab[1], ab[0, 1:], b)
    else:
        work = np.zeros((2 * lower + upper + 1, ab.shape[1]), kind)  # room for what pivoting fills
        work[lower:] = ab
        _, _, x, info = lapack_function("gbsv", kind)(lower, upper, work, b, overwrite_ab=True)
    if info > 0:
        raise singular("solve_banded", ab.shape[1])
    return x


def _shifted(count: int, n: int, shift: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns j + r - shift of each row r, held within the matrix, and which lie within."""
    at = np.arange(n) + np.arange(count)[:, None] - shift
    return np.clip(at, 0, max(n - 1, 0)), (at >= 0) & (at < n)


def _product(ab: Any, x: Any, lower: int, upper: int) -> Any:
    """The product of a banded matrix with columns."""
    count, n = shape(ab)[-2:]
    flipped = np.arange(count)[::-1]
    at, inside = _shifted(count, n, lower)  # row i meets column i + r - lower of row count - 1 - r
    band = index(ab, (..., flipped[:, None], at)) * inside.astype(dtype(ab))
    return sum_of(reshape(band, (*shape(band), 1)) * index(x, (..., at, slice(None))), -3)


def _transposed(ab: Any, lower: int, upper: int) -> Any:
    count, n = shape(ab)[-2:]
    at, inside = _shifted(count, n, lower)
    return index(ab, (..., np.arange(count)[::-1, None], at)) * inside.astype(dtype(ab))


solve_banded_p = structured(
    "solve_banded",
    _solve,
    lambda theta, x, lower, upper: _product(theta[0], x, lower, upper),
    lambda theta, p: ([_transposed(theta[0], **p)], {"lower": p["upper"], "upper": p["lower"]}),
    (2,),
)


def solve_banded(l_and_u: tuple[int, int], ab: Any, b: Any) -> Any:
    """Solution x of a x = b for a banded matrix.

    Parameters
    ----------
    l_and_u : tuple of int
        How many diagonals lie below and above the main one.
    ab : array_like
        The diagonals, of shape (..., l + u + 1, n): ``ab[u + i - j, j]`` is the element (i, j); what lies outside of
        the matrix is not read.
    b : array_like
        A vector (n,), or matrices (..., n, k); leading axes broadcast.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When the operands do not fit each other.
    ArgumentError
        For counts that are no numbers of diagonals.
    SingularMatrixError
        When a matrix has no inverse.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.solve_banded((1, 1), [[0.0, -1.0, -1.0], [2.0, 2.0, 2.0], [-1.0, -1.0, 0.0]], [1.0, 0.0, 1.0])
    Tensor([1., 1., 1.])
    """
    counts = tuple(l_and_u) if isinstance(l_and_u, (tuple, list)) else ()
    if len(counts) != 2 or not all(isinstance(k, (int, np.integer)) and k >= 0 for k in counts):
        raise ArgumentError(f"solve_banded: l_and_u={l_and_u!r}; give two numbers of diagonals, as in (1, 1)")
    lower, upper = map(int, counts)
    ab = _band("solve_banded", ab, lower + upper + 1)
    return run("solve_banded", solve_banded_p, (ab,), b, shape(ab)[-1], (2,), lower=lower, upper=upper)


def _band(name: str, ab: Any, count: int | None = None) -> Any:
    ab = lapack(name, "ab", as_argument(ab))
    s = shape(ab)
    if len(s) < 2 or (count is not None and s[-2] != count) or s[-2] < 1:
        raise ShapeError(f"{name}: ab of shape {s}; expected (..., {'count' if count is None else count}, n)")
    if s[-1] and s[-2] > (1 if count is None else 2) * s[-1]:
        raise ShapeError(f"{name}: ab of shape {s} has more diagonals than a matrix of {s[-1]} rows")
    return ab


# --- hermitian ---------------------------------------------------------------------------------------------
def _solve_hermitian(theta: Any, b: Any, lower: bool) -> np.ndarray:
    (ab,) = theta
    kind = np.result_type(ab, b)
    if len(ab) == 2 and ab.shape[1] > 1:
        diagonal, beside = (ab[0], ab[1, :-1]) if lower else (ab[1], ab[0, 1:].conj())
        _, _, x, info = lapack_function("ptsv", kind)(diagonal.real, beside, b)
    else:
        _, x, info = lapack_function("pbsv", kind)(ab, b, lower=lower)
    if info > 0:
        raise SingularMatrixError(
            f"solveh_banded: a matrix of shape {(ab.shape[1],) * 2} is not positive definite, since its leading block "
            f"of size {info} is not; use solve_banded"
        )
    return x


def _whole(ab: Any, lower: bool) -> tuple[Any, int]:
    """Both halves of a hermitian band; only the real part of the diagonal is read."""
    k = shape(ab)[-2] - 1
    if lower:
        ab = _transposed(ab, k, 0)
        ab = conj(ab)
    diagonal = astype(real(ab[..., k:, :]), dtype(ab))
    below = conj(_transposed(ab, 0, k)[..., 1:, :])
    return concat([ab[..., :k, :], diagonal, below], -2), k


def _apply_hermitian(theta: list, x: Any, lower: bool) -> Any:
    whole, k = _whole(theta[0], lower)
    return _product(whole, x, k, k)


solveh_banded_p = structured(
    "solveh_banded", _solve_hermitian, _apply_hermitian, lambda theta, p: ([conj(theta[0])], p), (2,)
)


def solveh_banded(ab: Any, b: Any, lower: bool = False) -> Any:
    """Solution x of a x = b for a hermitian positive definite banded matrix.

    Parameters
    ----------
    ab : array_like
        The main diagonal and those above it, of shape (..., u + 1, n): ``ab[u + i - j, j]`` is the element (i, j); or
        with ``lower`` those below it: ``ab[i - j, j]``.
    b : array_like
        A vector (n,), or matrices (..., n, k); leading axes broadcast.
    lower : bool
        Which half is given.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When the operands do not fit each other.
    SingularMatrixError
        When a matrix is not positive definite.

    Notes
    -----
    An element stands for itself and its mirror image, in derivatives too.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.solveh_banded([[0.0, -1.0, -1.0], [2.0, 2.0, 2.0]], [1.0, 0.0, 1.0])
    Tensor([1., 1., 1.])
    """
    ab = _band("solveh_banded", ab)
    return run("solveh_banded", solveh_banded_p, (ab,), b, shape(ab)[-1], (2,), lower=bool(lower))
