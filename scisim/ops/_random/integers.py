"""Integers, truths and signs; none has a derivative."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype, broadcast_shapes
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument
from scisim.core.values import as_dtype
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape as shape_of
from scisim.ops._random.arguments import (
    DOUBLE,
    PROBABILITY,
    Form,
    check_key,
    integer_dtype,
)
from scisim.ops._random.engine import (
    KEYED,
    compiled_bits,
    plain,
    rows_of,
    shaped,
    uniform_p,
)
from scisim.ops.arithmetic import stop
from scisim.ops.select import lt, where
from scisim.ops.shape import astype, broadcast, lengths

_INT64 = np.dtype(np.int64)
_BERNOULLI = Form("bernoulli", p=PROBABILITY)


def _integers(key: Any, low: Any, span: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    lead = key.shape[:-1]
    rows = math.prod(lead)
    out = np.empty((rows, math.prod(shape)), np.uint64)
    if out.size:
        tables = [plain(v.reshape(rows, v.size // rows)) for v in (low, span)]
        compiled_bits().integers(rows_of(key), *tables, out)
    return shaped(out.view(np.int64) if dtype == _INT64 else out, key, shape, dtype)


integers_p = Primitive(
    "random_integers",
    _integers,
    axes=KEYED,
    infer=lambda avals, p: ShapeDtype((*avals[0].shape[:-1], *p["shape"]), p["dtype"]),
)


def _bound(argument: str, v: Any) -> Any:
    """An integer bound: a Python integer, or a value."""
    if type(v) is int:
        return v
    if isinstance(v, (int, np.integer)) and not isinstance(v, (bool, np.bool)):
        return int(v)
    given, v = v, as_argument(v)
    if dtype_of(v).kind not in "iu":
        raise ArgumentTypeError(f"random.integers: {argument} must be an integer, got {given!r:.60}")
    return int(v) if isinstance(v, np.ndarray) and v.ndim == 0 else v


def _span(low: Any, high: Any, dt: np.dtype) -> tuple[Any, Any]:
    """Bounds as words of 64 bits: the lowest number, and how many there are."""
    if isinstance(low, int) and isinstance(high, int):
        return _plain_span(low, high, dt)
    info = np.iinfo(dt)
    for v in (low, high):
        if isinstance(v, int) and not -(2**63) <= v < 2**64:
            raise ArgumentError(f"random.integers: bounds beside arrays must be within {dt}, got {v}")
    whole = isinstance(low, (int, np.ndarray)) and isinstance(high, (int, np.ndarray))
    if whole and not (np.all(np.less(low, high)) and np.all(np.greater_equal(low, info.min))):
        raise ArgumentError(f"random.integers: needs low < high within {dt}, got low={low!r:.40}, high={high!r:.40}")
    low, high = (np.array(v % 2**64, np.uint64) if isinstance(v, int) else astype(v, np.uint64) for v in (low, high))
    return low, high - low


@lru_cache(maxsize=256)
def _plain_span(low: int, high: int, dt: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    info = np.iinfo(dt)
    if not info.min <= low < high <= info.max + 1:
        raise ArgumentError(f"random.integers: needs low < high within {dt}, got low={low}, high={high}")
    return np.array(low % 2**64, np.uint64), np.array((high - low) % 2**64, np.uint64)


def integers(key: Any, shape: Any, low: Any, high: Any, dtype: Any = None) -> Any:
    """Integers that are uniform from ``low`` up to but without ``high``, without bias.

    Parameters
    ----------
    key : Tensor
        From `key`.
    shape : int or tuple of int
    low, high : int or array_like of integers
        Bounds, which broadcast against the shape.
    dtype : dtype, optional
        An integer one that holds every number; int64 by default.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key, or a bound no integer.
    ArgumentError
        When the range is empty or exceeds the dtype.
    DTypeError
        When the dtype is none of integers.

    Notes
    -----
    A word that would favour some integers is replaced by one of up to 63 others that belong to the element
    (Lemire, ACM Trans. Model. Comput. Simul. 29 (2019) 3).

    Examples
    --------
    >>> import scisim as ss
    >>> x = ss.random.integers(ss.random.key(0), (100,), 1, 7)
    >>> int(ss.min(x)), int(ss.max(x))
    (1, 6)
    """
    k, s, dt = check_key("integers", key), lengths("random.integers", shape), integer_dtype("integers", dtype)
    bounds = _span(_bound("low", low), _bound("high", high), dt)
    return integers_p(k, *(fitted("integers", v, s) for v in bounds), shape=s, dtype=dt)


def fitted(name: str, v: Any, s: tuple[int, ...]) -> Any:
    """A parameter as one number, or of the drawn shape."""
    if shape_of(v) and broadcast_shapes(f"random.{name}", shape_of(v), s) != s:
        raise ShapeError(f"random.{name}: parameters of shape {shape_of(v)} do not broadcast to the drawn shape {s}")
    return broadcast(v, s) if shape_of(v) else v


def bernoulli(key: Any, p: Any = 0.5, shape: Any = None) -> Any:
    """Booleans that are true with a given probability.

    Parameters
    ----------
    key : Tensor
        From `key`.
    p : array_like
        Probability of true.
    shape : int or tuple of int, optional
        By default that of ``p``.

    Returns
    -------
    Tensor
        Of booleans, without a derivative.

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.random.bernoulli(ss.random.key(0), 1.0, (2,))
    Tensor([ True,  True])
    """
    k, q = _BERNOULLI(key, shape, None, p)
    return lt(uniform_p(k, shape=q.shape, dtype=DOUBLE), stop(q.params[0]))


def rademacher(key: Any, shape: Any = (), dtype: Any = None) -> Any:
    """Numbers that are -1 or 1 with equal probability.

    Parameters
    ----------
    key : Tensor
        From `key`.
    shape : int or tuple of int
    dtype : dtype, optional
        float64 by default; integers that have a sign are possible too.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key.
    DTypeError
        For a dtype without negative numbers.

    Examples
    --------
    >>> import scisim as ss
    >>> float(ss.max(abs(ss.random.rademacher(ss.random.key(0), (5,)))))
    1.0
    """
    dt = DOUBLE if dtype is None else as_dtype("random.rademacher", dtype)
    if dt.kind not in "if":
        raise DTypeError(f"random.rademacher: dtype must hold -1 and 1, got {dt}; use a real or signed integer one")
    u = uniform_p(check_key("rademacher", key), shape=lengths("random.rademacher", shape), dtype=DOUBLE)
    return astype(where(lt(u, 0.5), -1.0, 1.0), dt)
