"""Averages with weights, covariances, correlations, ranges, running extrema."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.errors import ShapeError
from scisim.core.public import as_argument, public
from scisim.core.values import dtype as dtype_of
from scisim.core.values import is_complex, is_inexact, shape
from scisim.ops.arithmetic import sqrt
from scisim.ops.complexes import conj, imag, real
from scisim.ops.extrema import check_choice, max_p, min_p
from scisim.ops.products import matmul
from scisim.ops.reduce import Axis, mean, reduce_over, reduced_argument
from scisim.ops.select import clip
from scisim.ops.shape import (
    astype,
    broadcast,
    concat_p,
    matrix_transpose,
    moveaxis,
    reshape,
    sum_p,
)


def ptp(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Range of the elements along axes: the greatest less the least.

    Parameters
    ----------
    x : array_like
        Real.
    axis : int or tuple of int, optional
        Axes to reduce; all of them by default.
    keepdims : bool
        Whether reduced axes stay, with length one.

    Returns
    -------
    Tensor

    Raises
    ------
    DTypeError
        For complex numbers, which have no order.
    ShapeError
        Where there is nothing to choose from.

    Notes
    -----
    Convention: equal elements share the derivative equally.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.ptp([3.0, 1.0, 7.0])
    Tensor(6.)
    """
    x, axes = reduced_argument("ptp", x, axis)
    check_choice("ptp", x, axes)
    return reduce_over(max_p, x, axes, keepdims) - reduce_over(min_p, x, axes, keepdims)


def average(x: Any, axis: Axis = None, weights: Any = None, returned: bool = False, keepdims: bool = False) -> Any:
    """Weighted average along axes.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        Axes to average over; all of them by default.
    weights : array_like, optional
        Of the shape of ``x``, or of the reduced axes; all equal by default.
    returned : bool
        Whether the sums of weights are given too.
    keepdims : bool
        Whether averaged axes stay, with length one.

    Returns
    -------
    average : Tensor
    total : Tensor
        The sum of weights, only if ``returned``.

    Raises
    ------
    ShapeError
        When the weights fit neither ``x`` nor its reduced axes.

    Notes
    -----
    Where the weights add up to 0 the average is nan or infinite.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.average([1.0, 5.0], weights=[3.0, 1.0])
    Tensor(2.)
    """
    x, axes = reduced_argument("average", x, axis)
    if weights is None:
        y = mean(x, axes, keepdims)
        n = float(np.prod([shape(x)[k] for k in axes], dtype=np.int64))
        return (y, broadcast(np.asarray(n, dtype_of(y)), shape(y))) if returned else y
    w = _weights(as_argument(weights), x, axis, axes)
    w = w if is_inexact(w) or is_inexact(x) else astype(w, np.float64)
    total = reduce_over(sum_p, broadcast(w, shape(x)), axes, keepdims)
    y = reduce_over(sum_p, x * w, axes, keepdims) / total
    return (y, total) if returned else y


def _weights(w: Any, x: Any, axis: Axis, axes: tuple[int, ...]) -> Any:
    """Weights with an axis for each of those of x."""
    if shape(w) == shape(x):
        return w
    named = axes if axis is None or isinstance(axis, int) else tuple(k % len(shape(x)) for k in axis)
    if axis is None or shape(w) != tuple(shape(x)[k] for k in named):
        wanted = "" if axis is None else f" or {tuple(shape(x)[k] for k in named)} for axis {axis}"
        raise ShapeError(f"average: weights have shape {shape(w)}; expected {shape(x)}, that of x{wanted}")
    order = sorted(range(len(named)), key=lambda j: named[j])
    w = moveaxis(w, order, list(range(len(order))))
    return reshape(w, tuple(n if k in axes else 1 for k, n in enumerate(shape(x))))


# --- covariance ---------------------------------------------------------------------------------------------
def _variables(name: str, m: Any, y: Any, rowvar: bool) -> Any:
    """Observations as the columns of a matrix."""
    parts = []
    for v in (m,) if y is None else (m, y):
        v = as_argument(v)
        if len(shape(v)) > 2:
            raise ShapeError(f"{name}: takes vectors and matrices, got shape {shape(v)}; use vmap for a stack")
        v = v if is_inexact(v) else astype(v, np.float64)
        row = reshape(v, (1, -1)) if len(shape(v)) < 2 else v
        parts.append(row if rowvar or (len(shape(v)) < 2 and shape(row)[0] == 1) else matrix_transpose(row))
    return parts[0] if len(parts) == 1 else concat_p(*parts, axis=0)


def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: Any = None,
    fweights: Any = None,
    aweights: Any = None,
) -> Any:
    """Covariance matrix of variables.

    Parameters
    ----------
    m : array_like
        A vector of observations, or a matrix with a variable in each row.
    y : array_like, optional
        More variables, of the same form.
    rowvar : bool
        Whether rows are variables; else columns are.
    bias : bool
        Whether the sum is divided by n; else by n - 1.
    ddof : float, optional
        The sum is divided by n - ddof, whatever ``bias`` says.
    fweights, aweights : array_like, optional
        How often each observation was made, and how much it counts; both differentiate.

    Returns
    -------
    Tensor
        Of shape (variables, variables), or () for one variable.

    Raises
    ------
    ShapeError
        For more than two axes, or weights of another length than the observations.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.cov([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])
    Tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    x = _variables("cov", m, y, rowvar)
    ddof = (0 if bias else 1) if ddof is None else ddof
    n = shape(x)[1]
    w = _observation_weights(n, fweights, aweights)
    if w is None:
        d = x - sum_p(x, axes=(1,))[:, None] / n if n else x
        c = matmul(d, conj(matrix_transpose(d))) / (n - ddof if n > ddof else np.nan)
        return _square(c)
    total = sum_p(w, axes=(0,))
    d = x - (matmul(x, w) / total)[:, None]
    lost = ddof if aweights is None else ddof * sum_p(w * as_argument(aweights), axes=(0,)) / total
    return _square(matmul(d * w, conj(matrix_transpose(d))) / (total - lost))


def _observation_weights(n: int, fweights: Any, aweights: Any) -> Any:
    w: Any = None
    for name, v in (("fweights", fweights), ("aweights", aweights)):
        if v is not None:
            v = as_argument(v)
            if shape(v) != (n,):
                raise ShapeError(f"cov: {name} has shape {shape(v)} for {n} observations; expected {(n,)}")
            v = v if is_inexact(v) else astype(v, np.float64)
            w = v if w is None else w * v
    return w


def _square(c: Any) -> Any:
    return reshape(c, ()) if shape(c) == (1, 1) else c


def corrcoef(x: Any, y: Any = None, rowvar: bool = True) -> Any:
    """Correlation coefficients of variables.

    Parameters
    ----------
    x : array_like
        A vector of observations, or a matrix with a variable in each row.
    y : array_like, optional
        More variables, of the same form.
    rowvar : bool
        Whether rows are variables; else columns are.

    Returns
    -------
    Tensor
        Of shape (variables, variables), or () for one variable, between -1 and 1.

    Raises
    ------
    ShapeError
        For more than two axes.

    Notes
    -----
    nan for a variable that does not vary.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.corrcoef([0.0, 1.0, 2.0], [5.0, 3.0, 1.0])
    Tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    c = cov(x, y, rowvar)
    if not shape(c):
        return c / c
    n = shape(c)[0]
    deviation = sqrt(real(c[np.arange(n), np.arange(n)]))
    r = c / deviation[:, None] / deviation[None, :]
    if is_complex(r):
        return clip(real(r), -1.0, 1.0) + clip(imag(r), -1.0, 1.0) * 1j
    return clip(r, -1.0, 1.0)


for _f in (ptp, average, cov, corrcoef):
    public(_f.__name__, _f)
