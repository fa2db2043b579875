"""The functions that the scalar expressions of primitives are written in, on nodes of the scalar representation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.compiler.scalar import arithmetic as a
from scisim.compiler.scalar import (
    complex_functions,
    complexes,
    error_functions,
    exponential,
    hyperbolic,
    integers,
    inverse,
    logarithm,
    power,
    rounding,
    trigonometric,
)
from scisim.compiler.scalar.complexes import Complex as Complex
from scisim.compiler.scalar.ir import FLOATS, Builder, Node

PARTS = {"complex64": "float32", "complex128": "float64"}
Value = Any  # Node, Complex or a Python number

_REAL: dict[str, Callable] = {
    "sqrt": a.sqrt,
    "exp": exponential.exp,
    "exp2": exponential.exp2,
    "expm1": exponential.expm1,
    "log": logarithm.log,
    "log2": logarithm.log2,
    "log10": logarithm.log10,
    "log1p": logarithm.log1p,
    "sin": trigonometric.sin,
    "cos": trigonometric.cos,
    "tan": trigonometric.tan,
    "asin": inverse.asin,
    "acos": inverse.acos,
    "atan": inverse.atan,
    "sinh": hyperbolic.sinh,
    "cosh": hyperbolic.cosh,
    "tanh": hyperbolic.tanh,
    "asinh": hyperbolic.asinh,
    "acosh": hyperbolic.acosh,
    "atanh": hyperbolic.atanh,
    "cbrt": power.cbrt,
    "sinc": trigonometric.sinc,
    "erf": error_functions.erf,
    "erfc": error_functions.erfc,
    "sigmoid": error_functions.sigmoid,
}


class Scalars:
    """The scalar namespace ``s`` of a primitive's ``scalar(s, *args)``.

    Operands are nodes that have the dtype of the computation already, pairs of them for complex numbers, and Python
    numbers, which take the dtype of those beside them.

    Parameters
    ----------
    builder : Builder
    dtype : str
        NumPy's name of the dtype of the result; numbers without a node beside them get it.
    """

    def __init__(self, builder: Builder, dtype: str) -> None:
        self.builder, self.dtype = builder, dtype
        self.part = PARTS.get(dtype, dtype)

    def _alike(self, *xs: Value) -> list[Any]:
        """The operands as nodes of one dtype, or all as complex numbers."""
        kinds = [x.dtype for x in xs if isinstance(x, (Node, Complex))] or [self.part]
        if any(isinstance(x, (Complex, complex, np.complexfloating)) for x in xs):
            like = Complex(*(self.builder.const(0.0, kinds[0]),) * 2)
            return [complexes.as_complex(x, like) for x in xs]
        return [self.builder.lift(x, kinds[0]) for x in xs]

    # ---- arithmetic

    def add(self, x: Value, y: Value) -> Value:
        x, y = self._alike(x, y)
        return self.builder.op("or", x, y) if x.dtype == "bool" else x + y

    def sub(self, x: Value, y: Value) -> Value:
        x, y = self._alike(x, y)
        return x - y

    def mul(self, x: Value, y: Value) -> Value:
        x, y = self._alike(x, y)
        return self.builder.op("and", x, y) if x.dtype == "bool" else x * y

    def div(self, x: Value, y: Value) -> Value:
        x, y = self._alike(x, y)
        return x / y

    def neg(self, x: Value) -> Value:
        (x,) = self._alike(x)
        return -x

    def square(self, x: Value) -> Value:
        (x,) = self._alike(x)
        return complexes.square(x) if isinstance(x, Complex) else self.mul(x, x)

    def abs(self, x: Value) -> Value:
        (x,) = self._alike(x)
        return complexes.modulus(x) if isinstance(x, Complex) else x if x.dtype == "bool" else a.magnitude(x)

    def sign(self, x: Value) -> Value:
        (x,) = self._alike(x)
        return complexes.sign(x) if isinstance(x, Complex) else rounding.sign(x)

    # ---- comparisons and truth

    def _compare(self, op: str, x: Value, y: Value) -> Any:
        x, y = self._alike(x, y)
        if isinstance(x, Complex):
            return complexes.compare(op, x, y)
        return integers.compare_bools(op, x, y) if x.dtype == "bool" else self.builder.op(op, x, y)

    def lt(self, x: Value, y: Value) -> Value:
        return self._compare("lt", x, y)

    def le(self, x: Value, y: Value) -> Value:
        return self._compare("le", x, y)

    def gt(self, x: Value, y: Value) -> Value:
        return self._compare("gt", x, y)

    def ge(self, x: Value, y: Value) -> Value:
        return self._compare("ge", x, y)

    def eq(self, x: Value, y: Value) -> Value:
        return self._compare("eq", x, y)

    def ne(self, x: Value, y: Value) -> Value:
        return self._compare("ne", x, y)

    def truth(self, x: Value) -> Node:
        """Whether a value is not zero."""
        if isinstance(x, (Node, Complex)):
            return x if isinstance(x, Node) and x.dtype == "bool" else self.ne(x, 0)
        return self.builder.const(bool(x), "bool")

    def logical_and(self, x: Value, y: Value) -> Node:
        return self.truth(x) & self.truth(y)

    def logical_or(self, x: Value, y: Value) -> Node:
        return self.truth(x) | self.truth(y)

    def logical_xor(self, x: Value, y: Value) -> Node:
        return self.truth(x) ^ self.truth(y)

    def logical_not(self, x: Value) -> Node:
        return ~self.truth(x)

    both, either = logical_and, logical_or

    def select(self, condition: Value, x: Value, y: Value) -> Value:
        """x where the condition holds, else y."""
        x, y = self._alike(x, y)
        condition = self.truth(condition)
        if isinstance(x, Complex):
            return Complex(a.select(condition, x.re, y.re), a.select(condition, x.im, y.im))
        return a.select(condition, x, y)

    def max(self, x: Value, y: Value) -> Value:
        return self._extreme("maximum", x, y)

    def min(self, x: Value, y: Value) -> Value:
        return self._extreme("minimum", x, y)

    def _extreme(self, op: str, x: Value, y: Value) -> Value:
        x, y = self._alike(x, y)
        return complexes.extreme(op, x, y) if isinstance(x, Complex) else self.builder.op(op, x, y)

    def isnan(self, x: Value) -> Node:
        return self._any_part(lambda p: a.is_nan(p), x)

    def isinf(self, x: Value) -> Node:
        return self._any_part(lambda p: a.equal(a.magnitude(p), float("inf")), x)

    def isfinite(self, x: Value) -> Node:
        return ~self._any_part(lambda p: ~(a.magnitude(p) < float("inf")), x)

    def _any_part(self, test: Callable, x: Value) -> Node:
        (x,) = self._alike(x)
        if isinstance(x, Complex):
            return test(x.re) | test(x.im)
        return test(x) if x.dtype in FLOATS else self.builder.const(False, "bool")

    def signbit(self, x: Value) -> Node:
        (x,) = self._alike(x)
        return a.bits(x) < 0 if x.dtype in FLOATS else integers.negative(x)

    # ---- rounding, remainders, bits

    def floor(self, x: Value) -> Value:
        return self._rounded("floor", x)

    def ceil(self, x: Value) -> Value:
        return self._rounded("ceil", x)

    def trunc(self, x: Value) -> Value:
        return self._rounded("trunc", x)

    def round(self, x: Value) -> Value:
        """To the nearest integer, ties to even."""
        return self._rounded("rint", x)

    def _rounded(self, op: str, x: Value) -> Value:
        (x,) = self._alike(x)
        if isinstance(x, Complex):
            return Complex(self.builder.op(op, x.re), self.builder.op(op, x.im))
        return self.builder.op(op, x) if x.dtype in FLOATS else x

    def rem(self, x: Value, y: Value) -> Value:
        """Remainder with the sign of the divisor."""
        x, y = self._alike(x, y)
        return rounding.remainder(x, y) if x.dtype in FLOATS else integers.remainder(x, y)

    def floor_divide(self, x: Value, y: Value) -> Value:
        x, y = self._alike(x, y)
        return rounding.floor_divide(x, y) if x.dtype in FLOATS else integers.floor_divide(x, y)

    def bitwise_and(self, x: Value, y: Value) -> Node:
        x, y = self._alike(x, y)
        return x & y

    def bitwise_or(self, x: Value, y: Value) -> Node:
        x, y = self._alike(x, y)
        return x | y

    def bitwise_xor(self, x: Value, y: Value) -> Node:
        x, y = self._alike(x, y)
        return x ^ y

    def bitwise_invert(self, x: Value) -> Node:
        (x,) = self._alike(x)
        return ~x

    def left_shift(self, x: Value, y: Value) -> Node:
        return integers.left_shift(*self._alike(x, y))

    def right_shift(self, x: Value, y: Value) -> Node:
        return integers.right_shift(*self._alike(x, y))

    # ---- parts and dtypes

    def real(self, x: Value) -> Value:
        (x,) = self._alike(x)
        return x.re if isinstance(x, Complex) else x

    def imag(self, x: Value) -> Value:
        (x,) = self._alike(x)
        return x.im if isinstance(x, Complex) else self.builder.const(0, x.dtype)

    def conj(self, x: Value) -> Value:
        (x,) = self._alike(x)
        return complexes.conj(x) if isinstance(x, Complex) else x

    def times_i(self, x: Value) -> Complex:
        """i x by exchange of the parts, with the signs of zeros."""
        z = self._alike(x, 1j)[0]
        return Complex(-z.im, z.re)

    def cast(self, x: Value) -> Value:
        """The value as one of the result's dtype."""
        (x,) = self._alike(x)
        if self.dtype in PARTS:
            x = complexes.as_complex(x, x)
            return Complex(a.cast(x.re, self.part), a.cast(x.im, self.part))
        if self.dtype == "bool":
            return self.truth(x)
        return a.cast(x.re if isinstance(x, Complex) else x, self.part)

    # ---- powers

    def pow(self, x: Value, y: Value) -> Value:
        x, y = self._alike(x, y)
        n = power.constant_integer(y.re if isinstance(y, Complex) and a.is_zero(y.im) else y)
        if n is not None and x.dtype in FLOATS:
            return self.ipow(x, n)
        if isinstance(x, Complex):
            return complex_functions.pow(x, y)
        return power.pow(x, y) if x.dtype in FLOATS else integers.pow(x, y)

    def ipow(self, x: Value, n: int) -> Value:
        """x to the power of a Python integer."""
        if n == 0:
            return self._alike(1, x)[0]
        (x,) = self._alike(x)
        return (complex_functions if isinstance(x, Complex) else power).integer_power(x, n)

    def hypot(self, x: Value, y: Value) -> Node:
        return power.hypot(*self._alike(x, y))

    def atan2(self, y: Value, x: Value) -> Node:
        return inverse.atan2(*self._alike(y, x))


def _function(name: str) -> Callable:
    def method(self: Scalars, x: Value) -> Value:
        (x,) = self._alike(x)
        return (getattr(complex_functions, name) if isinstance(x, Complex) else _REAL[name])(x)

    method.__name__, method.__doc__ = name, f"{name} of a real or complex number."
    return method


for _name in _REAL:
    setattr(Scalars, _name, _function(_name))
