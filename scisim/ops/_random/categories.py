"""Categories, and how many trials fall into each; none has a derivative."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype, broadcast_shapes
from scisim.core.errors import ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument
from scisim.core.values import is_complex
from scisim.core.values import shape as shape_of
from scisim.ops._random.arguments import (
    DOUBLE,
    NOT_NEGATIVE,
    check_key,
    parameter,
)
from scisim.ops._random.counts import count, floored
from scisim.ops._random.engine import (
    KEYED,
    compiled_samplers,
    plain,
    rows_of,
    uniform_p,
)
from scisim.ops._random.integers import fitted
from scisim.ops.arithmetic import stop
from scisim.ops.extrema import softmax
from scisim.ops.index import index, slice_axis
from scisim.ops.reduce import cumulative_sum
from scisim.ops.reduce import sum as sum_of
from scisim.ops.select import ge
from scisim.ops.shape import astype, broadcast, lengths, moveaxis, normalize_axis, reshape

_INT64 = np.dtype(np.int64)


def _multinomial(key: Any, n: Any, p: Any, shape: tuple[int, ...]) -> Any:
    lead, count = key.shape[:-1], shape[-1]
    rows = math.prod(lead)
    out = np.empty((rows, math.prod(shape[:-1]), count), _INT64)
    if out.size:
        trials = plain(np.asarray(n, np.float64).reshape(rows, -1))
        compiled_samplers().multinomial(
            rows_of(key), trials, plain(np.asarray(p, np.float64).reshape(rows, -1, count)), out
        )
    return out.reshape(lead + shape)


multinomial_p = Primitive(
    "random_multinomial",
    _multinomial,
    axes=KEYED,
    infer=lambda avals, p: ShapeDtype((*avals[0].shape[:-1], *p["shape"]), _INT64),
)


def multinomial(key: Any, n: Any, pvals: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Numbers of trials, of ``n``, that fall into each category.

    Parameters
    ----------
    key : Tensor
        From `key`.
    n : array_like
        Number of trials, not negative.
    pvals : array_like
        Of shape (..., k): probabilities of the categories, or weights proportional to them.
    shape : int or tuple of int, optional
        Of the drawn vectors; by default that to which ``n`` and the leading axes of ``pvals`` broadcast.
    dtype : dtype, optional
        int64 by default.

    Returns
    -------
    Tensor
        Of shape (*shape, k); each vector has sum n. Without a derivative.

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key.
    ShapeError
        When ``pvals`` is a single number, or shapes do not fit.
    ArgumentError
        When a weight or ``n`` is negative.

    Examples
    --------
    >>> import scisim as ss
    >>> int(ss.sum(ss.random.multinomial(ss.random.key(0), 10, [0.2, 0.3, 0.5])))
    10
    """
    w = as_argument(pvals)
    if not shape_of(w):
        raise ShapeError("random.multinomial: pvals must be a vector or a stack of them, got a single number")
    w = parameter("multinomial", "pvals", w, NOT_NEGATIVE)
    trials = parameter("multinomial", "n", n, NOT_NEGATIVE)
    lead, given = shape_of(w)[:-1], shape_of(trials)
    s = broadcast_shapes("random.multinomial", lead, given) if shape is None else lengths("random.multinomial", shape)
    k = shape_of(w)[-1]
    w = broadcast(w, (*s, k)) if lead else w
    counts = multinomial_p(check_key("multinomial", key), fitted("multinomial", floored(trials), s), w, shape=(*s, k))
    return count("multinomial", dtype, counts)


def categorical(key: Any, logits: Any, axis: int = -1, shape: Any = None) -> Any:
    """Numbers of categories, from the logarithms of their probabilities.

    Parameters
    ----------
    key : Tensor
        From `key`.
    logits : array_like
        Logarithms of weights, along ``axis``.
    axis : int
    shape : int or tuple of int, optional
        To which the other axes of ``logits`` broadcast; theirs by default.

    Returns
    -------
    Tensor
        Of int64, without a derivative.

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key.
    ShapeError
        When the shapes do not fit.

    Notes
    -----
    By inversion: one uniform number an element is compared with the sums of the probabilities.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.random.categorical(ss.random.key(0), [0.0, -800.0], shape=(3,))
    Tensor([0, 0, 0])
    """
    x = as_argument(logits)
    if not shape_of(x) or is_complex(x):
        raise ShapeError(f"random.categorical: logits must be a real array with an axis of categories, got {x!r:.60}")
    x = moveaxis(x, normalize_axis("random.categorical", axis, len(shape_of(x))), -1)
    lead, k = shape_of(x)[:-1], check_key("categorical", key)
    s = lead if shape is None else lengths("random.categorical", shape)
    fitted("categorical", index(x, (..., 0)), s)
    total = cumulative_sum(softmax(stop(astype(x, DOUBLE)), axis=-1), axis=-1)
    inner = slice_axis(total, len(lead), 0, shape_of(x)[-1] - 1)  # the last sum is 1 but for rounding
    u = reshape(uniform_p(k, shape=s, dtype=DOUBLE), (*s, 1))
    return sum_of(astype(ge(u, inner), _INT64), axis=-1)
