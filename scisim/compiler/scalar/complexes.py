"""Complex numbers as pairs of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scisim.compiler.scalar.arithmetic import equal, fma, magnitude, select
from scisim.compiler.scalar.ir import Node


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

    def __truediv__(self, other: Any) -> Complex:
        return divide(self, as_complex(other, self))


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
