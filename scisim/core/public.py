"""Public functions: raw functions of values, dressed for tensors, and the table from which everything is generated."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from scisim.core.primitive import Primitive
from scisim.core.tensor import Tensor, functions, holds_tensor, wrap
from scisim.core.values import Traced, as_value

_new = object.__new__
_ndarray = np.ndarray


@dataclass(frozen=True)
class Operation:
    """One public function: its raw form on values, its dressed form on tensors, its primitive if it is one."""

    name: str
    raw: Callable
    function: Callable
    primitive: Primitive | None
    module: str


OPERATIONS: dict[str, Operation] = {}


def public(name: str, raw: Callable, primitive: Primitive | None = None, module: str = "", doc: str = "") -> Callable:
    """Dress a raw function of values for tensors and enter it in the table."""
    if primitive is not None and raw is primitive:
        f = _dress_primitive(primitive)
    else:
        f = _dress(raw)
    f.__name__ = f.__qualname__ = name
    f.__module__ = f"scisim.{module}" if module else "scisim"
    f.__doc__ = doc or raw.__doc__
    key = f"{module}.{name}" if module else name
    OPERATIONS[key] = Operation(key, raw, f, primitive, module)
    functions[key] = f
    return f


def _dress_primitive(prim: Primitive) -> Callable:
    evaluate = prim.evaluate

    def unary(x: Any, /) -> Tensor:
        v = x._v if type(x) is Tensor else as_argument(x)
        t = _new(Tensor)
        t._v = evaluate(v) if type(v) is _ndarray else prim(v)
        return t

    def binary(a: Any, b: Any, /) -> Tensor:
        t = _new(Tensor)
        t._v = prim(a._v if type(a) is Tensor else operand(a), b._v if type(b) is Tensor else operand(b))
        return t

    def several(*args: Any) -> Tensor:
        return wrap(prim(*map(operand, args)))

    return {1: unary, 2: binary}.get(arity(prim), several)


def arity(prim: Primitive) -> int:
    """Number of operands of an elementwise primitive."""
    if prim.scalar is None:
        return 0
    code = prim.scalar.__code__
    return 0 if code.co_flags & 4 else code.co_argcount - 1


def _dress(raw: Callable) -> Callable:
    @functools.wraps(raw)
    def f(*args: Any, **kwargs: Any) -> Any:
        out = raw(*map(operand, args), **{k: operand(v) for k, v in kwargs.items()} if kwargs else kwargs)
        return tuple(map(wrap, out)) if isinstance(out, tuple) else wrap(out)

    return f


def as_argument(x: Any) -> Any:
    """A value from an argument that must be an array."""
    if isinstance(x, (list, tuple)) and holds_tensor(x):
        return Tensor(x)._v
    return as_value(x)


def operand(x: Any) -> Any:
    """An argument as raw functions take it: handles become values, nested lists arrays, the rest stays."""
    if type(x) is Tensor:
        return x._v
    if isinstance(x, (list, tuple)):
        if holds_tensor(x):
            return type(x)(map(operand, x)) if isinstance(x, list) else tuple(map(operand, x))
        return x
    return x


def is_value(x: Any) -> bool:
    return isinstance(x, (Traced, np.ndarray, np.generic, bool, int, float, complex))
