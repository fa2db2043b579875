"""Complex numbers as pairs of nodes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scisim.compiler.scalar.arithmetic import LARGEST, copysign, equal, is_nan, magnitude, select
from scisim.compiler.scalar.ir import Node
from scisim.compiler.scalar.power import hypot

INFINITY = float("inf")


@dataclass(frozen=True)
class Complex:
    """A complex number: its real and its imaginary part; and whether it stands for a real number."""

    re: Node
    im: Node
    is_real: bool = field(default=False, kw_only=True)

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
        if other is self:
            return square(self)
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
        from scisim.compiler.scalar.quotients import divide

        return divide(self, as_complex(other, self))

    def __rtruediv__(self, other: Any) -> Complex:
        return as_complex(other, self) / self


def as_complex(x: Any, like: Complex) -> Complex:
    """A node or a number as a complex number of a dtype."""
    if isinstance(x, Complex):
        return x
    if isinstance(x, Node):
        return Complex(x, x.builder.const(0.0, x.dtype), is_real=True)
    const, real = like.re.builder.const, not isinstance(x, (complex, np.complexfloating))
    return Complex(const(complex(x).real, like.dtype), const(complex(x).imag, like.dtype), is_real=real)


def conj(z: Complex) -> Complex:
    return Complex(z.re, -z.im)


def modulus(z: Complex) -> Node:
    return hypot(z.re, z.im)


def square(z: Complex) -> Complex:
    """(x - y) (x + y) and 2 x y; where both parts are as large, the first is 0 even if their sum overflows."""
    alike = equal(magnitude(z.re), magnitude(z.im)) & (magnitude(z.re) < INFINITY)
    product = z.re * z.im
    return Complex(select(alike, 0.0, (z.re - z.im) * (z.re + z.im)), product + product)


def sign(z: Complex) -> Complex:
    """z / abs(z); 0 of 0, and the direction of an infinite number."""
    x, y, largest = z.re, z.im, LARGEST[z.dtype]
    infinite = equal(magnitude(x), INFINITY) | equal(magnitude(y), INFINITY)
    larger = select(magnitude(x) < magnitude(y), magnitude(y), magnitude(x))
    factor = select(larger > largest / 8, 1 / 8, select(larger < 1 / largest, largest / 2**20, 1.0, z.dtype))
    x, y = (select(infinite, boxed(v), v * factor) for v in (x, y))
    size = hypot(x, y)
    zero = equal(size, 0.0)
    return Complex(*(select(zero, 0.0, v / size) for v in (x, y)))


def boxed(x: Node) -> Node:
    """1 of an infinite part and 0 of a finite one, with its sign."""
    return copysign(select(equal(magnitude(x), INFINITY), 1.0, 0.0, x.dtype), x)


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
