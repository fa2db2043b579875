"""Complex numbers as pairs of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scisim.compiler.scalar.arithmetic import equal, fma, is_nan, magnitude, select
from scisim.compiler.scalar.ir import Node
from scisim.compiler.scalar.power import hypot

INFINITY = float("inf")


@dataclass(frozen=True)
class Complex:
    """A complex number: its real and its imaginary part."""

    re: Node
    im: Node

    @property
    def dtype(self) -> str:
        """That of the parts."""
        return self.re.dtype

    def __add__(self, other: Any) -> Complex:
        other = as_complex(other, self)
        return Complex(self.re + other.re, self.im + other.im)

    def __sub__(self, other: Any) -> Complex:
        other = as_complex(other, self)
        return Complex(self.re - other.re, self.im - other.im)

    def __neg__(self) -> Complex:
        return Complex(-self.re, -self.im)

    def __mul__(self, other: Any) -> Complex:
        other = as_complex(other, self)
        re = self.re * other.re - self.im * other.im
        return Complex(re, self.re * other.im + self.im * other.re)

    def times(self, x: Any) -> Complex:
        """The product with a real number or node."""
        return Complex(self.re * x, self.im * x)

    def turned(self) -> Complex:
        """The product with the imaginary unit."""
        return Complex(-self.im, self.re)

    def turned_back(self) -> Complex:
        """The product with minus the imaginary unit."""
        return Complex(self.im, -self.re)

    def __truediv__(self, other: Any) -> Complex:
        return divide(self, as_complex(other, self))

    def __rtruediv__(self, other: Any) -> Complex:
        return divide(as_complex(other, self), self)


def as_complex(x: Any, like: Complex) -> Complex:
    """A node or a number as a complex number of a dtype."""
    if isinstance(x, Complex):
        return x
    if isinstance(x, Node):
        return Complex(x, x.builder.const(0.0, x.dtype))
    const = like.re.builder.const
    return Complex(const(complex(x).real, like.dtype), const(complex(x).imag, like.dtype))


def divide(a: Complex, b: Complex) -> Complex:
    """By the larger part of the denominator, which neither overflows nor underflows early (Smith)."""
    turned = magnitude(b.re) < magnitude(b.im)
    large, small = select(turned, b.im, b.re), select(turned, b.re, b.im)
    # Of a zero denominator both parts are to come out as divisions by zero.
    ratio = select(equal(large, 0.0), large, small / large)
    inverse = fma(small, ratio, large)
    first, second = select(turned, a.im, a.re), select(turned, a.re, a.im)
    re, im = fma(second, ratio, first) / inverse, fma(first, -ratio, second) / inverse
    return Complex(re, select(turned, -im, im))


def conj(z: Complex) -> Complex:
    return Complex(z.re, -z.im)


def modulus(z: Complex) -> Node:
    return hypot(z.re, z.im)


def sign(z: Complex) -> Complex:
    """z / abs(z); 0 of 0."""
    size = modulus(z)
    return choose(equal(size, 0.0), as_complex(0.0, z), Complex(z.re / size, z.im / size))


def choose(condition: Node, a: Complex, b: Complex) -> Complex:
    """a where the condition holds, else b."""
    return Complex(select(condition, a.re, b.re), select(condition, a.im, b.im))


def compare(op: str, a: Complex, b: Complex) -> Node:
    """Equality, or NumPy's order by real parts, then by imaginary ones."""
    order = a.re.builder.op
    if op in ("eq", "ne"):
        re, im = order(op, a.re, b.re), order(op, a.im, b.im)
        return re & im if op == "eq" else re | im
    return order("lt" if op[0] == "l" else "gt", a.re, b.re) | (equal(a.re, b.re) & order(op, a.im, b.im))


def extreme(op: str, a: Complex, b: Complex) -> Complex:
    """The larger or smaller in NumPy's order; one with a nan wins."""
    chosen = choose(compare("ge" if op == "maximum" else "le", a, b), a, b)
    return choose(is_nan(a.re) | is_nan(a.im), a, choose(is_nan(b.re) | is_nan(b.im), b, chosen))
