"""Arrays that shapes and ranges give: triangles of ones, indices, ranges of powers, windows."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError
from scisim.core.public import OPERATIONS, as_argument, number_or_value, public
from scisim.core.values import dtype as dtype_of
from scisim.core.values import is_inexact, shape
from scisim.ops.arithmetic import div, power
from scisim.ops.creation import eye, linspace
from scisim.ops.elementary import exp, log
from scisim.ops.index import slice_axis
from scisim.ops.shape import as_integer, astype, broadcast, concat_p, lengths, moveaxis, normalize_axis


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    """A matrix of ones on and below a diagonal.

    Parameters
    ----------
    N, M : int
        Rows and columns; as many columns as rows by default.
    k : int
        The last diagonal of ones: 0 is the main one, positive ones lie above it.
    dtype : dtype, optional
        float64 by default.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.tri(2, 3)
    Tensor([[1., 0., 0.],
            [1., 1., 0.]])
    """
    rows, columns = as_integer("tri", "N", N), N if M is None else as_integer("tri", "M", M)
    return np.tri(rows, columns, as_integer("tri", "k", k), dtype or np.float64)


def identity(n: int, dtype: Any = None) -> Any:
    """The identity matrix.

    Parameters
    ----------
    n : int
    dtype : dtype, optional
        float64 by default.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.identity(2)
    Tensor([[1., 0.],
            [0., 1.]])
    """
    return eye(n, dtype=dtype)


def indices(dimensions: Any, dtype: Any = None, sparse: bool = False) -> Any:
    """The indices of every place of an array, along each axis.

    Parameters
    ----------
    dimensions : tuple of int
        Its shape.
    dtype : dtype, optional
        int64 by default.
    sparse : bool
        Whether to give one array for each axis, with all others of length one.

    Returns
    -------
    Tensor or tuple of Tensor
        Of shape (axes, *dimensions), or a tuple if ``sparse``.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.indices((2, 2))[0]
    Tensor([[0, 0],
            [1, 1]])
    """
    grid: Any = np.indices
    return grid(lengths("indices", dimensions), dtype or np.int64, sparse)


def tril_indices(n: int, k: int = 0, m: int | None = None) -> Any:
    """Indices of the lower triangle of a matrix.

    Parameters
    ----------
    n, m : int
        Rows and columns; as many columns as rows by default.
    k : int
        The last diagonal: 0 is the main one, positive ones lie above it.

    Returns
    -------
    rows, columns : Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.tril_indices(2)
    (Tensor([0, 1, 1]), Tensor([0, 0, 1]))
    """
    return np.tril_indices(as_integer("tril_indices", "n", n), k, m)


def triu_indices(n: int, k: int = 0, m: int | None = None) -> Any:
    """Indices of the upper triangle of a matrix.

    Parameters
    ----------
    n, m : int
        Rows and columns; as many columns as rows by default.
    k : int
        The first diagonal: 0 is the main one, positive ones lie above it.

    Returns
    -------
    rows, columns : Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.triu_indices(2)
    (Tensor([0, 0, 1]), Tensor([0, 1, 1]))
    """
    return np.triu_indices(as_integer("triu_indices", "n", n), k, m)


def diag_indices(n: int, ndim: int = 2) -> Any:
    """Indices of the main diagonal of an array with equal axes.

    Parameters
    ----------
    n : int
        Length of the axes.
    ndim : int
        Their number.

    Returns
    -------
    tuple of Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.diag_indices(2)
    (Tensor([0, 1]), Tensor([0, 1]))
    """
    return (np.arange(as_integer("diag_indices", "n", n)),) * as_integer("diag_indices", "ndim", ndim)


# --- ranges of powers ---------------------------------------------------------------------------------------
def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None, axis: int = 0
) -> Any:
    """Powers of a base with evenly spaced exponents.

    Parameters
    ----------
    start, stop : array_like
        The first and last exponent; they differentiate, as the base does.
    num : int
        How many.
    endpoint : bool
        Whether ``stop`` is among the exponents.
    base : array_like
    dtype : dtype, optional
        Of the result.
    axis : int
        Along which they run, where the exponents are arrays.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.logspace(0.0, 2.0, 3)
    Tensor([  1.,  10., 100.])
    """
    e = _line(as_argument(start), as_argument(stop), num, endpoint)
    y = moveaxis(power(number_or_value(base), e), 0, axis)
    return y if dtype is None else astype(y, dtype)


def _line(a: Any, b: Any, num: int, endpoint: bool) -> Any:
    """Evenly spaced numbers along a new first axis."""
    kind = np.result_type(dtype_of(a), dtype_of(b), np.float16)
    if not shape(a) and not shape(b):
        return astype(linspace(a, b, num, endpoint=endpoint), kind)
    to = np.broadcast_shapes(shape(a), shape(b))
    n = as_integer("logspace", "num", num)
    t = np.arange(n) / max(n - 1 if endpoint else n, 1)
    a, b = broadcast(a, to), broadcast(b, to)
    return a + (b - a) * t.astype(kind).reshape(-1, *(1,) * len(to))


def geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0) -> Any:
    """Numbers in geometric progression.

    Parameters
    ----------
    start, stop : array_like
        The first and last number, not 0: both positive, both negative, or complex; they differentiate.
    num : int
        How many.
    endpoint : bool
        Whether ``stop`` is among them.
    dtype : dtype, optional
        Of the result.
    axis : int
        Along which they run, where the ends are arrays.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentError
        When an end is known to be 0.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.geomspace(1.0, 100.0, 3)
    Tensor([  1.,  10., 100.])
    """
    a, b = (v if is_inexact(v) else astype(v, np.float64) for v in (as_argument(start), as_argument(stop)))
    if any(isinstance(v, (np.ndarray, np.generic)) and np.any(v == 0) for v in (a, b)):
        raise ArgumentError("geomspace: the ends must not be 0, which no progression of finite ratio reaches")
    n = as_integer("geomspace", "num", num)
    to = np.broadcast_shapes(shape(a), shape(b))
    kind = np.result_type(dtype_of(a), dtype_of(b))
    a, b = astype(broadcast(a, to), kind), astype(broadcast(b, to), kind)
    t = (np.arange(n) / max(n - 1 if endpoint else n, 1)).astype(np.zeros((), kind).real.dtype)
    ratio = log(div(b, a))
    y = a * exp(ratio * t.reshape(-1, *(1,) * len(to)))
    if n and endpoint:  # the ends exactly
        first, last = (OPERATIONS["expand_dims"].raw(v, 0) for v in (a, b))
        y = concat_p(first, slice_axis(y, 0, 1, n - 1), *([last] if n > 1 else []), axis=0)
    y = moveaxis(y, 0, normalize_axis("geomspace", axis, len(to) + 1))
    return y if dtype is None else astype(y, dtype)


# --- windows ------------------------------------------------------------------------------------------------
def _cosines(name: str, M: int, *weights: float) -> np.ndarray:
    """A sum of cosines with whole periods over the window."""
    n = as_integer(name, "M", M)
    if n < 2:
        return np.ones(max(n, 0))
    t = np.arange(n) * (2.0 * np.pi / (n - 1))
    y = weights[0] + weights[1] * np.cos(t)
    return y + weights[2] * np.cos(2.0 * t) if len(weights) > 2 else y


def hanning(M: int) -> Any:
    """The Hann window, 0.5 - 0.5 cos(2 pi n / (M - 1)).

    Parameters
    ----------
    M : int
        Number of points.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.hanning(3)
    Tensor([0., 1., 0.])
    """
    return _cosines("hanning", M, 0.5, -0.5)


def hamming(M: int) -> Any:
    """The Hamming window, 0.54 - 0.46 cos(2 pi n / (M - 1)).

    Parameters
    ----------
    M : int
        Number of points.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.hamming(3)
    Tensor([0.08, 1.  , 0.08])
    """
    return _cosines("hamming", M, 0.54, -0.46)


def blackman(M: int) -> Any:
    """The Blackman window, 0.42 - 0.5 cos(2 pi n / (M - 1)) + 0.08 cos(4 pi n / (M - 1)).

    Parameters
    ----------
    M : int
        Number of points.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.around(ss.blackman(3), 8) + 0.0
    Tensor([0., 1., 0.])
    """
    return _cosines("blackman", M, 0.42, -0.5, 0.08)


def bartlett(M: int) -> Any:
    """The triangular window, 0 at both ends.

    Parameters
    ----------
    M : int
        Number of points.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.bartlett(5)
    Tensor([0. , 0.5, 1. , 0.5, 0. ])
    """
    n = as_integer("bartlett", "M", M)
    if n < 2:
        return np.ones(max(n, 0))
    return 1.0 - np.abs(2.0 * np.arange(n) / (n - 1) - 1.0)


for _f in (
    *(tri, identity, indices, tril_indices, triu_indices, diag_indices, logspace, geomspace),
    *(hanning, hamming, blackman, bartlett),
):
    public(_f.__name__, _f)
