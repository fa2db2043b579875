"""Matrices with a structure, built from few numbers, and the solution of Toeplitz and circulant systems."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.public import as_argument
from scisim.core.values import dtype, shape
from scisim.ops._linalg.checks import SingularMatrixError, lapack
from scisim.ops._linalg.structured import run, singular, structured
from scisim.ops.complexes import conj
from scisim.ops.index import index
from scisim.ops.products import matmul
from scisim.ops.shape import astype, broadcast, concat


def block_diag(*blocks: Any) -> Any:
    """A matrix with the given ones along its diagonal, and zeros elsewhere.

    Parameters
    ----------
    *blocks : array_like
        Matrices of shape (..., n, m); vectors count as rows, numbers as (1, 1). Leading axes broadcast.

    Returns
    -------
    Tensor
        Of shape (..., sum of n, sum of m).

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.block_diag([[1.0, 2.0]], 3.0)
    Tensor([[1., 2., 0.],
            [0., 0., 3.]])
    """
    if not blocks:
        raise ArgumentError("block_diag: no matrix is given; expected at least one")
    xs = [as_argument(b) for b in blocks]
    xs = [x if len(shape(x)) > 1 else broadcast(x, (1, *(shape(x) or (1,)))) for x in xs]
    kind = np.result_type(*map(dtype, xs))
    lead = np.broadcast_shapes(*(shape(x)[:-2] for x in xs))
    width, left, rows = sum(shape(x)[-1] for x in xs), 0, []
    for x in xs:
        n, m = shape(x)[-2:]
        x = broadcast(astype(x, kind), (*lead, n, m))
        zeros = [np.zeros((*lead, n, k), kind) for k in (left, width - left - m)]
        rows.append(concat([zeros[0], x, zeros[1]], -1))
        left += m
    return concat(rows, -2)


def _vector(name: str, argument: str, x: Any) -> Any:
    x = as_argument(x)
    if not shape(x):
        raise ShapeError(f"{name}: {argument} is a number; expected a vector (..., n)")
    return x


def _together(c: Any, r: Any) -> tuple[Any, Any]:
    lead = np.broadcast_shapes(shape(c)[:-1], shape(r)[:-1])
    kind = np.result_type(dtype(c), dtype(r))
    return tuple(broadcast(astype(v, kind), (*lead, shape(v)[-1])) for v in (c, r))  # type: ignore[return-value]


def _toeplitz(c: Any, r: Any) -> Any:
    """Element (i, j) is c[i - j], or r[j - i] above the diagonal."""
    c, r = _together(c, r)
    n, m = shape(c)[-1], shape(r)[-1]
    if not n or not m:
        return np.zeros((*shape(c)[:-1], n, m), dtype(c))
    both = concat([c[..., ::-1], r[..., 1:]], -1)  # from c[n - 1] to c[0], r[1], ..., r[m - 1]
    if type(both) is np.ndarray:
        return windows(both, n, m, n - 1, -1)
    return index(both, (..., n - 1 - np.arange(n)[:, None] + np.arange(m)))


def windows(x: np.ndarray, n: int, m: int, start: int, step: int) -> np.ndarray:
    """n stretches of m neighbours, each from a step after the one before: by strides, not by indices."""
    if not x.size:
        return np.zeros((*x.shape[:-1], n, m), x.dtype)
    if x.ndim > 1:
        return np.stack([windows(one, n, m, start, step) for one in x])
    size, x = x.itemsize, np.ascontiguousarray(x)
    return np.ndarray((n, m), x.dtype, x, start * size, (step * size, size)).copy()  # type: ignore[call-overload]


def toeplitz(c: Any, r: Any = None) -> Any:
    """Matrices with equal elements along each diagonal.

    Parameters
    ----------
    c : array_like
        The first column, of shape (..., n).
    r : array_like, optional
        The first row, of shape (..., m), of which the first element is not read; the conjugate of c by default.

    Returns
    -------
    Tensor
        Of shape (..., n, m).

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.toeplitz([1.0, 2.0], [1.0, 5.0, 6.0])
    Tensor([[1., 5., 6.],
            [2., 1., 5.]])
    """
    c = _vector("toeplitz", "c", c)
    return _toeplitz(c, conj(c) if r is None else _vector("toeplitz", "r", r))


def hankel(c: Any, r: Any = None) -> Any:
    """Matrices with equal elements along each anti-diagonal.

    Parameters
    ----------
    c : array_like
        The first column, of shape (..., n).
    r : array_like, optional
        The last row, of shape (..., m), of which the first element is not read; zeros like c by default.

    Returns
    -------
    Tensor
        Of shape (..., n, m).

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.hankel([1.0, 2.0], [2.0, 5.0, 6.0])
    Tensor([[1., 2., 5.],
            [2., 5., 6.]])
    """
    c = _vector("hankel", "c", c)
    c, r = _together(c, np.zeros(shape(c), dtype(c)) if r is None else _vector("hankel", "r", r))
    n, m = shape(c)[-1], shape(r)[-1]
    if not n or not m:
        return np.zeros((*shape(c)[:-1], n, m), dtype(c))
    both = concat([c, r[..., 1:]], -1)
    if type(both) is np.ndarray:
        return windows(both, n, m, 0, 1)
    return index(both, (..., np.arange(n)[:, None] + np.arange(m)))


def circulant(c: Any) -> Any:
    """Matrices of which each column is the one before, shifted by one place round the end.

    Parameters
    ----------
    c : array_like
        The first column, of shape (..., n).

    Returns
    -------
    Tensor
        Of shape (..., n, n).

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.circulant([1.0, 2.0, 3.0])
    Tensor([[1., 3., 2.],
            [2., 1., 3.],
            [3., 2., 1.]])
    """
    return _circulant(_vector("circulant", "c", c))


def _circulant(c: Any) -> Any:
    n = shape(c)[-1]
    if type(c) is np.ndarray and n:
        return windows(np.concatenate([c[..., ::-1], c[..., :0:-1]], -1), n, n, n - 1, -1)
    return index(c, (..., (np.arange(n)[:, None] - np.arange(n)) % max(n, 1)))


# --- Toeplitz systems --------------------------------------------------------------------------------------
def _solve_toeplitz(theta: Any, b: Any) -> np.ndarray:
    from scipy.linalg import solve_toeplitz as levinson

    c, r = theta
    kind = np.result_type(c, r, b)
    try:
        return levinson((c, r), b, check_finite=False).astype(kind, copy=False)
    except np.linalg.LinAlgError:
        raise SingularMatrixError(
            f"solve_toeplitz: a leading part of the matrix of shape {(len(c),) * 2} is singular, which Levinson's "
            f"recursion cannot pass: use solve(toeplitz(c, r), b)"
        ) from None


def _apply_toeplitz(theta: list, x: Any) -> Any:
    c, r = theta
    if c is None:
        c = np.zeros(shape(r), dtype(r))
    if r is None:
        r = np.zeros(shape(c), dtype(c))
    return matmul(_toeplitz(c, r), x)


def _transposed_toeplitz(theta: list, p: dict) -> tuple[list, dict]:
    c, r = theta
    return [concat([c[..., :1], r[..., 1:]], -1), c], p


solve_toeplitz_p = structured("solve_toeplitz", _solve_toeplitz, _apply_toeplitz, _transposed_toeplitz, (1, 1))


def solve_toeplitz(c_or_cr: Any, b: Any) -> Any:
    """Solution x of toeplitz(c, r) x = b by Levinson's recursion.

    Parameters
    ----------
    c_or_cr : array_like or tuple (c, r)
        First column and row, of shape (..., n); r is conj(c) by default.
    b : array_like
        A vector (n,), or matrices (..., n, k); leading axes broadcast.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When the operands do not fit each other.
    SingularMatrixError
        When a leading part of the matrix is singular.

    Notes
    -----
    O(n^2) operations; the errors of the recursion grow with the condition of the leading parts.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.solve_toeplitz([2.0, -1.0, 0.0], [1.0, 0.0, 1.0])
    Tensor([1., 1., 1.])
    """
    name = "solve_toeplitz"
    pair = c_or_cr if isinstance(c_or_cr, tuple) and len(c_or_cr) == 2 else (c_or_cr, None)
    c = lapack(name, "c", _vector(name, "c", pair[0]))
    r = conj(c) if pair[1] is None else lapack(name, "r", _vector(name, "r", pair[1]))
    if shape(c)[-1] != shape(r)[-1]:
        raise ShapeError(f"{name}: c of shape {shape(c)} and r of shape {shape(r)}; the matrix must be square")
    return run(name, solve_toeplitz_p, (c, r), b, shape(c)[-1], (1, 1))


# --- circulant systems -------------------------------------------------------------------------------------
def _solve_circulant(theta: Any, b: Any) -> np.ndarray:
    (c,) = theta
    kind = np.result_type(c, b)
    values = np.fft.fft(c)
    size = np.abs(values)
    if np.min(size) <= len(c) * np.finfo(kind).eps * np.max(size):
        raise singular("solve_circulant", len(c))
    x = np.fft.ifft(np.fft.fft(b, axis=0) / values[:, None], axis=0)
    return (x if kind.kind == "c" else x.real).astype(kind, copy=False)


def _transposed_circulant(theta: list, p: dict) -> tuple[list, dict]:
    n = shape(theta[0])[-1]
    return [index(theta[0], (..., -np.arange(n) % max(n, 1)))], p


solve_circulant_p = structured(
    "solve_circulant", _solve_circulant, lambda theta, x: matmul(_circulant(theta[0]), x), _transposed_circulant, (1,)
)


def solve_circulant(c: Any, b: Any) -> Any:
    """Solution x of circulant(c) x = b by Fourier transforms.

    Parameters
    ----------
    c : array_like
        The first column, of shape (..., n).
    b : array_like
        A vector (n,), or matrices (..., n, k); leading axes broadcast.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When the operands do not fit each other.
    SingularMatrixError
        When an eigenvalue, an element of the transform of c, is 0 to rounding.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.solve_circulant([2.0, 1.0, 0.0], [3.0, 3.0, 3.0])
    Tensor([1., 1., 1.])
    """
    c = lapack("solve_circulant", "c", _vector("solve_circulant", "c", c))
    return run("solve_circulant", solve_circulant_p, (c,), b, shape(c)[-1], (1,))
