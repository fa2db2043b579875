"""Quotients of complex numbers."""

from __future__ import annotations

from collections.abc import Callable

from scisim.compiler.scalar.arithmetic import copysign, equal, fma, is_nan, is_zero, magnitude, select
from scisim.compiler.scalar.complexes import Complex, boxed, choose
from scisim.compiler.scalar.ir import Node, rare

INFINITY = float("inf")
# Numbers of which the quotient by the larger part needs no care, and the factor that brings smaller ones among them.
USUAL = {"float32": (2.0**-100, 2.0**125, 2.0**50), "float64": (2.0**-960, 2.0**1021, 2.0**200)}


def divide(a: Complex, b: Complex) -> Complex:
    """By the larger part of the denominator (Smith), and with care at the ends of the range; real numbers by parts."""
    if b.is_real:
        return Complex(a.re / b.re, a.im / b.re, is_real=a.is_real)
    if a.is_real and is_zero(a.im):  # with -0 the zeros of the result's imaginary part have the sign of -b.im
        a = Complex(a.re, a.im.builder.const(-0.0, a.dtype))
    usual = _by_larger(a, b)
    low, high, _ = USUAL[a.dtype]
    below, above = _larger(b), _larger(a)
    far = ~((below > low) & (below < high) & (above < high)) | ((above < low) & (above > 0.0))
    far = far | is_nan(usual.re) | is_nan(usual.im)
    parts = (a.re, a.im, b.re, b.im)
    re = a.re.builder.rarely(far, usual.re, real_part_of_far_quotient, *parts)
    return Complex(re, a.re.builder.rarely(far, usual.im, imaginary_part_of_far_quotient, *parts))


def _larger(z: Complex) -> Node:
    x, y = magnitude(z.re), magnitude(z.im)
    return select(x < y, y, x)


def _by_larger(a: Complex, b: Complex) -> Complex:
    turned = magnitude(b.re) < magnitude(b.im)
    large, small = select(turned, b.im, b.re), select(turned, b.re, b.im)
    ratio = small / large
    inverse = fma(small, ratio, large)
    first, second = select(turned, a.im, a.re), select(turned, a.re, a.im)
    re, im = fma(second, ratio, first) / inverse, fma(first, -ratio, second) / inverse
    return Complex(re, select(turned, -im, im))


@rare
def real_part_of_far_quotient(x: Node, y: Node, c: Node, d: Node) -> Node:
    return _far(Complex(x, y), Complex(c, d)).re


@rare
def imaginary_part_of_far_quotient(x: Node, y: Node, c: Node, d: Node) -> Node:
    return _far(Complex(x, y), Complex(c, d)).im


def _far(a: Complex, b: Complex) -> Complex:
    """The quotient of numbers scaled by powers of two; of infinities and by zero that of C's Annex G."""
    up, down = _factor(a), _factor(b)
    usual = _by_larger(a.times(up), b.times(down))
    usual = Complex(*((part * down) / up for part in (usual.re, usual.im)))
    large, infinite = _infinite(a) & _finite(b), _infinite(b) & _finite(a)
    usual = choose(large, _textbook(_boxes(a), b, INFINITY), usual)
    usual = choose(infinite, _textbook(a.times(up), _boxes(b), 0.0), usual)
    pole = copysign(a.re.builder.const(INFINITY, a.dtype), b.re)
    return choose(equal(b.re, 0.0) & equal(b.im, 0.0), Complex(pole * a.re, pole * a.im), usual)


def _factor(z: Complex) -> Node:
    low, high, factor = USUAL[z.dtype]
    size = _larger(z)
    return select(size < low, factor, select(size < high, 1.0, 0.25, z.dtype))


def _textbook(a: Complex, b: Complex, factor: float) -> Complex:
    """The sign of the numerator of the textbook's formula, times 0 or infinity."""
    return Complex((a.re * b.re + a.im * b.im) * factor, (a.im * b.re - a.re * b.im) * factor)


def _boxes(z: Complex) -> Complex:
    return Complex(boxed(z.re), boxed(z.im))


def _either(test: Callable[[Node], Node], z: Complex) -> Node:
    return test(z.re) | test(z.im)


def _infinite(z: Complex) -> Node:
    return _either(lambda x: equal(magnitude(x), INFINITY), z)


def _finite(z: Complex) -> Node:
    return ~_either(lambda x: ~(magnitude(x) < INFINITY), z)
