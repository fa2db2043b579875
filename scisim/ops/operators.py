"""The operators of traced values and of tensors."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from scisim.core.errors import DTypeError, ShapeError
from scisim.core.public import as_argument
from scisim.core.tensor import Tensor, functions, rebind, wrap
from scisim.core.values import Traced, as_value, own, shape
from scisim.ops import arithmetic as a
from scisim.ops import select as s
from scisim.ops.index import index, index_set
from scisim.ops.products import matmul, plain_product
from scisim.ops.shape import astype

BINARY = {
    "add": a.add,
    "sub": a.sub,
    "mul": a.mul,
    "truediv": a.div,
    "pow": a.power,
    "matmul": matmul,
    "floordiv": s.floor_divide,
    "mod": s.remainder,
    "and": s.bitwise_and,
    "or": s.bitwise_or,
    "xor": s.bitwise_xor,
    "lshift": s.left_shift,
    "rshift": s.right_shift,
}
SYMBOLS = dict(zip(BINARY, ["+", "-", "*", "/", "**", "@", "//", "%", "&", "|", "^", "<<", ">>"], strict=True))
COMPARE = {"lt": s.lt, "le": s.le, "gt": s.gt, "ge": s.ge}
UNARY = {"neg": a.neg, "abs": a.absolute, "invert": s.bitwise_invert}


def _install() -> None:
    def method(f: Any) -> Any:
        return lambda self, other: f(self, other)

    def swapped(f: Any) -> Any:
        return lambda self, other: f(other, self)

    for name, f in BINARY.items():
        setattr(Traced, f"__{name}__", method(f))
        setattr(Traced, f"__r{name}__", swapped(f))
    for name, f in COMPARE.items():
        setattr(Traced, f"__{name}__", method(f))
    for name, g in UNARY.items():
        setattr(Traced, f"__{name}__", _unary(g))
    setattr(Traced, "__getitem__", lambda self, at: index(self, at))  # noqa: B010


def _unary(f: Any) -> Any:
    return lambda self: f(self)


_ndarray, _number, _new = np.ndarray, np.float64, object.__new__
_WEAK = (float, int)
# Python's own operators, for single numbers: NumPy's functions take ten times as long for them.
_OF_NUMBERS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}
# NumPy's own functions, for operands that are plain arrays or numbers: no dispatch on the way.
_FAST = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": a.div.evaluate,
    **{name: f.evaluate for name, f in COMPARE.items()},
    "eq": np.equal,
    "ne": np.not_equal,
    "matmul": lambda a, b: matmul(a, b) if (c := plain_product(a, b)) is NotImplemented else c,
}


def _forward(f: Any, fast: Any, plain: Any = None) -> Any:
    def method(self: Tensor, other: Any) -> Any:
        a = self._v
        kind = type(other)
        if plain is not None and type(a) is _number:
            b = other._v if kind is Tensor else other
            if kind is float or type(b) is _number:
                t = _new(Tensor)
                t._v = plain(a, b)
                return t
        b = other._v if kind is Tensor else as_value(other) if kind is _ndarray else other
        known = type(b)
        if fast is not None and type(a) is _ndarray and (known is _ndarray or known is _number or kind in _WEAK):
            try:
                v = fast(a, b)
            except (ValueError, TypeError, OverflowError, AttributeError):
                v = f(a, b)  # says what is wrong
        elif kind is Tensor or _acceptable(b):
            v = f(a, b if kind is Tensor else _operand(a, b))
        else:
            return NotImplemented
        t = _new(Tensor)
        t._v = v
        return t

    return method


def _backward(f: Any, fast: Any, plain: Any = None) -> Any:
    def method(self: Tensor, other: Any) -> Any:
        a = self._v
        if type(a) is _number and type(other) is float and plain is not None:
            return wrap(plain(other, a))
        if fast is not None and type(a) is _ndarray and (type(other) is float or type(other) is int):
            try:
                v = fast(other, a)
            except (TypeError, OverflowError):
                v = f(other, a)  # says what is wrong
        elif type(other) is Tensor:  # only by name: Python asks the left one first
            v = f(other._v, a)
        elif _acceptable(other):
            v = f(_operand(a, other), a)
        else:
            return NotImplemented
        t = _new(Tensor)
        t._v = v
        return t

    return method


def _in_its_place(name: str, old: Any, new: Any) -> Any:
    """A result in the shape and dtype of the tensor that is to hold it, as NumPy and the Array API ask."""
    if shape(new) != shape(old):
        raise ShapeError(
            f"x {name}= y: the result has shape {shape(new)}, x {shape(old)}; in place the shape stays; write "
            f"x = x {name} y"
        )
    if new.dtype == old.dtype:
        return new
    if not np.can_cast(new.dtype, old.dtype, "same_kind"):
        raise DTypeError(
            f"x {name}= y: the result has dtype {new.dtype}, x {old.dtype}; in place the dtype stays; write "
            f"x = x {name} y"
        )
    return astype(new, old.dtype)


def _in_place(forward: Any, name: str) -> Any:
    def method(self: Tensor, other: Any) -> Tensor:
        new = forward(self, other)
        return new if new is NotImplemented else rebind(self, _in_its_place(name, self._v, new._v))

    return method


def _acceptable(x: Any) -> bool:
    return isinstance(x, (np.ndarray, np.generic, Traced, bool, int, float, complex, list, tuple))


def _operand(a: Any, b: Any) -> Any:
    """The other operand of a tensor's value ``a`` as a value; Python numbers stay weak in promotion."""
    if type(b) in (bool, int, float, complex):
        return b
    b = as_argument(b)
    return own(b) if isinstance(a, Traced) else b


def _install_on_tensor() -> None:
    for name, f in BINARY.items():
        fast, plain = _FAST.get(name), _OF_NUMBERS.get(name)
        forward = _forward(f, fast, plain)
        setattr(Tensor, f"__{name}__", forward)
        setattr(Tensor, f"__r{name}__", _backward(f, fast, plain))
        setattr(Tensor, f"__i{name}__", _in_place(forward, SYMBOLS[name]))
    for name, f in {**COMPARE, "eq": s.eq, "ne": s.ne}.items():
        setattr(Tensor, f"__{name}__", _forward(f, _FAST[name]))
    for name, g in UNARY.items():
        setattr(Tensor, f"__{name}__", _unary_of_tensor(g))
    setattr(Tensor, "__pos__", lambda self: wrap(self._v))  # noqa: B010
    setattr(Tensor, "__divmod__", lambda self, other: (self // other, self % other))  # noqa: B010
    setattr(Tensor, "__rdivmod__", lambda self, other: (other // self, other % self))  # noqa: B010
    functions["divmod"] = lambda a, b: (functions["floor_divide"](a, b), functions["remainder"](a, b))
    functions["_index"] = index
    functions["_index_set"] = index_set


def _unary_of_tensor(f: Any) -> Any:
    plain: Any = {a.neg: operator.neg, a.absolute: abs}.get(f)

    def method(self: Tensor) -> Tensor:
        v = self._v
        return wrap(plain(v) if plain is not None and type(v) is _number else f(v))

    return method


def add_methods(names: tuple[str, ...]) -> None:
    """Functions of one tensor that are also methods."""
    for name in names:
        setattr(Tensor, name, functions[name])


_install()
_install_on_tensor()
