"""The little that solvers need to be written once, for numbers and arrays and for values of transformations.

Scalars are NumPy scalars where nothing is traced, so that ordinary operators and Python's own branches are quick there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.values import Traced, dtype, shape
from scisim.ops.arithmetic import absolute
from scisim.ops.extrema import max as max_of
from scisim.ops.flow import cond, while_loop
from scisim.ops.logic import any_p
from scisim.ops.products import outer
from scisim.ops.select import eq, logical_not, where
from scisim.ops.shape import matrix_transpose

_BOOLS = (bool, np.bool_)


def pick(condition: Any, a: Any, b: Any) -> Any:
    """``a`` where the condition holds, else ``b``."""
    if type(condition) in _BOOLS:
        return a if condition else b
    return where(condition, a, b)


def is_true(condition: Any) -> bool:
    """Whether it is one condition that is known to hold, so that nothing else need be computed."""
    return type(condition) in _BOOLS and bool(condition)


def is_false(condition: Any) -> bool:
    """Whether it is one condition that is known not to hold."""
    return type(condition) in _BOOLS and not condition


def dyad(a: Any, b: Any) -> Any:
    """The matrix of all products of two vectors."""
    return a[:, None] * b if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) else outer(a, b)


def transposed(a: Any) -> Any:
    return a.T if isinstance(a, np.ndarray) else matrix_transpose(a)


def no(condition: Any) -> Any:
    return not condition if type(condition) in _BOOLS else logical_not(condition)


def equal(a: Any, b: Any) -> Any:
    return eq(a, b) if isinstance(a, Traced) else a == b


def finite(x: Any) -> Any:
    return absolute(x) < np.inf


def all_finite(v: Any) -> Any:
    """Whether every element is finite."""
    return biggest(v) < np.inf


def biggest(v: Any) -> Any:
    """The greatest modulus of a vector; nan where it holds one; 0 of an empty one."""
    if isinstance(v, Traced):
        return max_of(absolute(v)) if v.size else np.zeros((), dtype(v))[()]
    return np.abs(v).max(initial=0.0)


def anywhere(condition: Any) -> Any:
    """Whether any element holds."""
    if isinstance(condition, Traced):
        return any_p(condition, axes=tuple(range(condition.ndim)))
    return np.any(condition)


def length(v: Any) -> Any:
    """Euclidean norm."""
    return (v @ v) ** 0.5


def scalar(x: Any, like: Any) -> Any:
    """A number in the precision of a vector."""
    return dtype(like).type(x)


def count(n: int) -> Any:
    return np.int64(n)


def is_traced(x: Any) -> bool:
    return isinstance(x, Traced)


def loop(test: Callable, body: Callable, carry: Any, each: Callable | None = None) -> Any:
    """``carry = body(carry)`` while ``test(carry)``, on named tuples of values; Python's own loop where all are known.

    ``each(carry)`` is told of every step there, and ends the loop by a true answer.
    """
    if not any(map(is_traced, carry)):
        while test(carry):
            carry = body(carry)  # functions that depend on values of a transformation raise `Captive`
            if each is not None and each(carry):
                return carry
        return carry
    kind = type(carry)
    new = while_loop(lambda c: _tensor(test(_bare(kind, c))), lambda c: _handles(body(_bare(kind, c))), _handles(carry))
    return _bare(kind, new)


def branch(condition: Any, yes: Callable, otherwise: Callable, *operands: Any) -> Any:
    """``yes(*operands)`` or ``otherwise(*operands)``, tuples of values, of which only one is computed where it can."""
    if type(condition) in _BOOLS:
        return yes(*operands) if condition else otherwise(*operands)
    out = cond(
        _tensor(condition),
        lambda *xs: tuple(map(_tensor, yes(*(x._v for x in xs)))),
        lambda *xs: tuple(map(_tensor, otherwise(*(x._v for x in xs)))),
        *map(_tensor, operands),
    )
    return tuple(t._v for t in out)


class Captive(Exception):
    """A function that was taken for a plain one closes over values of a transformation."""


def _tensor(v: Any) -> Any:
    from scisim.core.tensor import wrap

    return wrap(v if isinstance(v, Traced) else np.asarray(v))


def _handles(carry: Any) -> tuple:
    return tuple(map(_tensor, carry))


def _bare(kind: Any, handles: Any) -> Any:
    return kind(*(t._v for t in handles))


def raveled(v: Any) -> Any:
    from scisim.ops.shape import reshape

    return v if len(shape(v)) == 1 else reshape(v, (-1,)) if isinstance(v, Traced) else np.asarray(v).reshape(-1)
