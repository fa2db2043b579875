"""Printing of values that a program, a mapped function or a derivative computes."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import whole
from scisim.core.batch import Batch
from scisim.core.errors import ArgumentError, ArgumentTypeError
from scisim.core.primitive import Primitive
from scisim.core.public import named_argument
from scisim.core.tensor import Tensor, holds_tensor
from scisim.core.values import Traced, ambient, as_value

_ORDER = ShapeDtype((), np.dtype(np.uint8))


def _batch_print(trace: Batch, prim: Primitive, vals: list, mapped: list, params: dict) -> Any:
    """All elements are printed at once, the mapped axis first."""
    return trace.spread(prim(*vals, **params))


def _evaluate(order: Any, *args: Any, text: str, words: tuple, names: tuple) -> np.ndarray:
    """Print; what it returns goes to the next operation with an effect, which so comes after this one."""
    builtins.print(_formatted(args, text, words, names), flush=True)
    return np.zeros((), np.uint8)


def _formatted(args: Sequence[Any], text: str, words: tuple, names: tuple) -> str:
    """The text; ``words`` are the values that are strings, None where an operand belongs; named ones are the last."""
    left = iter(args)
    shown = [_Shown(next(left)) if w is None else w for w in words]
    count = len(shown) - len(names)
    return text.format(*shown[:count], **dict(zip(names, shown[count:], strict=True)))


order_p = Primitive("order", lambda: np.zeros((), np.uint8), axes=whole(), infer=lambda avals, p: _ORDER)
print_p = Primitive(
    "print", _evaluate, axes=whole(), infer=lambda avals, p: _ORDER, batch=_batch_print, effect=True
)  # fmt: skip


class _Shown:
    """An array in a format: what is said of a number holds for each element."""

    def __init__(self, v: Any) -> None:
        self.v = np.asarray(v)

    def __format__(self, spec: str) -> str:
        if not self.v.ndim:
            return format(self.v[()], spec)
        if not spec:
            return np.array2string(self.v, separator=", ")
        return np.array2string(self.v, separator=", ", formatter={"all": lambda x: format(x, spec)})

    def __str__(self) -> str:
        return format(self, "")

    __repr__ = __str__


def print(text: Any = "", *args: Any, **kwargs: Any) -> None:
    """Print values; inside `jit`, whenever the program runs.

    Parameters
    ----------
    text : str
        With fields for the values, as for `str.format`: ``"x = {}"``, ``"{loss:.3e}"``.  Where there are none, the
        values follow the text.
    *args, **kwargs
        Tensors, arrays, numbers, strings.

    Notes
    -----
    Lines of one program come in the order of the calls.  Under `vmap` all elements are printed at once, the mapped axis
    first; under derivatives what is printed is the plain value; of a sharded tensor, each rank prints its own part.

    Examples
    --------
    >>> import scisim as ss
    >>> @ss.jit
    ... def f(x):
    ...     y = ss.sum(x)
    ...     ss.print("sum = {:.2f}", y)
    ...     return y + 1
    >>> f(ss.asarray([1.0, 2.0]))
    sum = 3.00
    Tensor(4.)
    """
    if not isinstance(text, str):
        text, args = "", (text, *args)
    if "{" not in text:
        text = " ".join([text, *["{}"] * len(args)] if text else ["{}"] * len(args))
    given = [*args, *kwargs.values()]
    vals = [None if isinstance(a, str) else named_argument("print", a, _plain) for a in given]
    params = {
        "text": text,
        "words": tuple(a if isinstance(a, str) else None for a in given),
        "names": tuple(kwargs),
    }
    _check(params, vals)
    operands = [v for v in vals if v is not None]
    trace = ambient.get()
    if trace is None:
        print_p(np.zeros((), np.uint8), *operands, **params)
        return
    before = trace.order if trace.order is not None else trace.apply(order_p, (), {})
    trace.order = trace.apply(print_p, (before, *operands), params)


def _plain(x: Any) -> Any:
    """What is inside of values of transformations, which only read it."""
    if isinstance(x, (list, tuple)) and holds_tensor(x):
        x = Tensor(x)
    v = x._v if type(x) is Tensor else as_value(x)
    while isinstance(v, Traced) and v.lower is not None:
        v = v.lower
    return getattr(v, "local", v) if isinstance(v, Traced) else v


def _check(params: dict[str, Any], vals: Sequence[Any]) -> None:
    """Refuse a format that does not fit the values where the call stands, not when the program runs."""
    dummies = [np.zeros((1,) * len(v.shape), v.dtype) if isinstance(v, Traced) else v for v in vals if v is not None]
    try:
        _formatted(dummies, **params)
    except (IndexError, KeyError) as error:
        raise ArgumentError(
            f"print: the text {params['text']!r:.60} has a field {error} for which no value is given"
        ) from None
    except (ValueError, TypeError, AttributeError) as error:
        raise ArgumentTypeError(f"print: the text {params['text']!r:.60} does not fit the values: {error}") from None
