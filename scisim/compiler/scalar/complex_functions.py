"""Elementary functions of complex numbers, by real functions of their parts.

Branch cuts are C's and NumPy's: the sign of a zero part says on which side of a cut a number lies.  Inverse functions
follow W. Kahan, "Branch cuts for complex elementary functions" (1987), and beyond `FAR` the first terms of their series
at infinity.
"""

from __future__ import annotations

from scisim.compiler.scalar import arithmetic as a
from scisim.compiler.scalar import exponential, hyperbolic, inverse, logarithm, power, trigonometric
from scisim.compiler.scalar.arithmetic import copysign, equal, fma, magnitude, select, times_sign, two_product
from scisim.compiler.scalar.complexes import Complex, as_complex, choose, conj, modulus
from scisim.compiler.scalar.ir import Node, rare

INFINITY = float("inf")
LN2, LN10, HALF_PI = 0.6931471805599453, 2.302585092994046, 1.5707963267948966
FAR = {"float32": 2.0**14, "float64": 2.0**28}  # squared, 1 is nothing beside it
# From here on exp overflows though its product with a sine may not; exp(limit) is finite.
EXP_LIMIT = {"float32": (88.0, 1.6516362549940018e38), "float64": (709.0, 8.218407461554972e307)}
PI = 3.141592653589793
# Sizes whose moduli lose no digits and do not overflow, and the power of two that lifts smaller ones among them.
CUBE_RANGE = {"float32": (2.0**-100, 2.0**126), "float64": (2.0**-960, 2.0**1022)}
CUBE_LIFT = {"float32": 60, "float64": 300}
TANH_ONE = {"float32": 10.0, "float64": 20.0}
# Numbers beyond are scaled by powers of four, which keep their squares and sums in range.
LARGE = {"float32": 2.0**124, "float64": 2.0**1020}
SMALL = {"float32": 2.0**-90, "float64": 2.0**-900}
LIFT = {"float32": 30, "float64": 60}


def exp(z: Complex) -> Complex:
    limit, value = EXP_LIMIT[z.dtype]
    over = z.re > limit
    size = exponential.exp(select(over, z.re - limit, z.re))
    return _polar(size, z.im, select(over, value, 1.0, z.dtype))


def exp2(z: Complex) -> Complex:
    size = exponential.exp2(z.re)
    return _polar(size, z.im * LN2, size.builder.const(1.0, z.dtype))


def _polar(size: Node, angle: Node, factor: Node) -> Complex:
    """size * factor * exp(i angle); of angle 0 and of nothing and infinity without nan where C has none."""
    re, im = (size * trigonometric.cos(angle)) * factor, (size * trigonometric.sin(angle)) * factor
    whole = size * factor
    open_end = (equal(size, 0.0) | equal(size, INFINITY)) & ~(magnitude(angle) < INFINITY)
    re = select(open_end | equal(angle, 0.0), whole, re)
    im = select(equal(angle, 0.0), angle, select(open_end & equal(size, 0.0), copysign(size, angle), im))
    return Complex(re, im)


def expm1(z: Complex) -> Complex:
    """exp(x) cos(y) - 1 = (exp(x) - 1) cos(y) - 2 sin(y/2)**2."""
    half = trigonometric.sin(z.im * 0.5)
    re = fma(exponential.expm1(z.re), trigonometric.cos(z.im), half * half * -2.0)
    e = exp(z)
    # Of a zero the Array API standard has 0, not -0.
    return Complex(select(magnitude(z.im) < INFINITY, re, e.re - 1.0) + 0.0, e.im)


def log(z: Complex) -> Complex:
    return Complex(_log_modulus(z), inverse.atan2(z.im, z.re))


def log2(z: Complex) -> Complex:
    return log(z).times(1 / LN2)


def log10(z: Complex) -> Complex:
    return log(z).times(1 / LN10)


def log1p(z: Complex) -> Complex:
    """Near 0 abs(1 + z)**2 - 1 = x (x + 2) + y*y."""
    whole = Complex(z.re + 1.0, z.im)
    near = (magnitude(z.re) < 0.5) & (magnitude(z.im) < 0.5)
    # Beside a zero imaginary part -0 leaves a zero its sign.
    excess = select(near, fma(z.re, z.re + 2.0, select(equal(z.im, 0.0), -0.0, z.im * z.im)), 0.0)
    re = select(near, logarithm.log1p(excess) * 0.5, _log_modulus(whole))
    return Complex(re, inverse.atan2(z.im, whole.re))


def _log_modulus(z: Complex) -> Node:
    """log abs(z); near abs(z) = 1 from abs(z)**2 - 1, summed without rounding the squares."""
    x, y = magnitude(z.re), magnitude(z.im)
    larger, smaller = select(x < y, y, x), select(x < y, x, y)
    square, square_error = two_product(larger, larger)
    other, other_error = two_product(smaller, smaller)
    near = (square > 0.5) & (square + other < 3.0)
    excess = ((square - 1.0) + other) + (square_error + other_error)
    up, lift = _in_range(larger)
    far = logarithm.log(power.hypot(z.re * up, z.im * up)) - lift * LN2
    return select(near, logarithm.log1p(select(near, excess, 0.0)) * 0.5, far)


def _in_range(larger: Node) -> tuple[Node, Node]:
    """A power of four that brings the larger part into a range where its square is normal, and its logarithm."""
    dtype = larger.dtype
    lift = select(larger > LARGE[dtype], -4.0, select(larger < SMALL[dtype], float(LIFT[dtype]), 0.0, dtype))
    up = select(larger > LARGE[dtype], 2.0**-4, select(larger < SMALL[dtype], 2.0 ** LIFT[dtype], 1.0, dtype))
    return up, lift


def sqrt(z: Complex) -> Complex:
    """t = sqrt((abs(z) + abs(x)) / 2) and abs(y) / 2t, in the order that the sign of x asks for."""
    dtype, x, y = z.dtype, magnitude(z.re), magnitude(z.im)
    larger = select(x < y, y, x)
    up, _ = _in_range(larger)
    down = select(larger > LARGE[dtype], 4.0, select(larger < SMALL[dtype], 2.0 ** (-LIFT[dtype] // 2), 1.0, dtype))
    x, y = x * up, y * up
    t = a.sqrt((power.hypot(x, y) + x) * 0.5)
    other = select(equal(t, 0.0), y, y / (t + t))
    other = select(equal(y, INFINITY), INFINITY, other)
    left = a.bits(z.re) < 0
    t, other = select(equal(y, INFINITY), INFINITY, t) * down, other * down
    return Complex(select(left, other, t), copysign(select(left, t, other), z.im))


def sinh(z: Complex) -> Complex:
    re = hyperbolic.sinh(z.re) * trigonometric.cos(z.im)
    im = hyperbolic.cosh(z.re) * trigonometric.sin(z.im)
    real, imaginary = equal(z.im, 0.0), equal(z.re, 0.0)
    re = select(real | _undirected(z), hyperbolic.sinh(z.re), select(imaginary, copysign(z.re, re), re))
    return Complex(re, select(real, z.im, im))


def cosh(z: Complex) -> Complex:
    re = hyperbolic.cosh(z.re) * trigonometric.cos(z.im)
    im = hyperbolic.sinh(z.re) * trigonometric.sin(z.im)
    real, imaginary = equal(z.im, 0.0), equal(z.re, 0.0)
    zero = times_sign(select(real, z.im, z.re), select(real, z.re, z.im))
    re = select(real | _undirected(z), hyperbolic.cosh(z.re), re)
    return Complex(re, select(real | imaginary, zero, im))


def _undirected(z: Complex) -> Node:
    """Infinite real parts beside imaginary ones that are not finite."""
    return equal(magnitude(z.re), INFINITY) & ~(magnitude(z.im) < INFINITY)


def tanh(z: Complex) -> Complex:
    """With t = tan y and s = sinh x; where tanh x is 1 to the last bit, 4 sin(y) cos(y) exp(-2 abs(x)) beside it."""
    one = magnitude(z.re) > TANH_ONE[z.dtype]
    s, t = hyperbolic.sinh(select(one, 1.0, z.re)), trigonometric.tan(z.im)
    b = fma(t, t, 1.0)
    below = fma(b * s, s, 1.0)
    re, im = b * a.sqrt(fma(s, s, 1.0)) * s / below, t / below
    near = Complex(select(equal(z.re, 0.0), z.re, re), select(equal(z.im, 0.0), z.im, im))
    left = exponential.exp(magnitude(z.re) * -2.0) * 4.0
    far_im = left * trigonometric.sin(z.im) * trigonometric.cos(z.im)
    finite = (magnitude(z.im) < INFINITY) & (magnitude(z.re) < INFINITY)
    far_im = select(finite, far_im, copysign(left * 0.0, z.im))  # the Array API standard's sign at infinity
    return choose(one, Complex(copysign(z.re.builder.const(1.0, z.dtype), z.re), far_im), near)


def sin(z: Complex) -> Complex:
    return sinh(z.turned()).turned_back()


def cos(z: Complex) -> Complex:
    return cosh(z.turned())


def tan(z: Complex) -> Complex:
    return tanh(z.turned()).turned_back()


def asin(z: Complex) -> Complex:
    left, right = sqrt(Complex(1.0 - z.re, -z.im)), sqrt(Complex(z.re + 1.0, z.im))
    angle = select(equal(z.re, 0.0), z.re, inverse.atan2(z.re, (left * right).re))
    near = Complex(angle, hyperbolic.asinh((conj(left) * right).im))
    size = copysign(_log_modulus(z) + LN2, z.im)
    return choose(_far(z), Complex(inverse.atan2(z.re, magnitude(z.im)), size), near)


def acos(z: Complex) -> Complex:
    left, right = sqrt(Complex(1.0 - z.re, -z.im)), sqrt(Complex(z.re + 1.0, z.im))
    angle = inverse.atan2(left.re, right.re)
    near = Complex(angle + angle, hyperbolic.asinh((conj(right) * left).im))
    size = copysign(_log_modulus(z) + LN2, -z.im)
    return choose(_far(z), Complex(inverse.atan2(magnitude(z.im), z.re), size), near)


def acosh(z: Complex) -> Complex:
    left, right = sqrt(Complex(z.re - 1.0, z.im)), sqrt(Complex(z.re + 1.0, z.im))
    angle = inverse.atan2(left.im, right.re)
    near = Complex(hyperbolic.asinh((conj(left) * right).re), angle + angle)
    return choose(_far(z), Complex(_log_modulus(z) + LN2, inverse.atan2(z.im, z.re)), near)


def asinh(z: Complex) -> Complex:
    return asin(z.turned()).turned_back()


def atanh(z: Complex) -> Complex:
    """For x >= 0 log1p(4x / ((1 - x)**2 + y*y)) / 4 and half the angle of ((1 - x) (1 + x) - y*y, 2y)."""
    x, y = magnitude(z.re), z.im
    away = 1.0 - x
    re = logarithm.log1p((x * 4.0) / fma(away, away, y * y)) * 0.25
    im = inverse.atan2(y + y, fma(away, x + 1.0, -(y * y))) * 0.5
    size = modulus(z)
    inverse_re, inverse_im = (select(size < INFINITY, (v / size) / size, 0.0) for v in (x, magnitude(y)))
    turn = select(a.is_nan(y), y, copysign(HALF_PI - inverse_im, y))
    far = Complex(inverse_re, turn)  # 1 / z + i pi/2
    best = choose(_far(z), far, Complex(select(equal(x, 0.0), x, re), im))
    return Complex(copysign(best.re, z.re), best.im)


def atan(z: Complex) -> Complex:
    return atanh(z.turned()).turned_back()


def sigmoid(z: Complex) -> Complex:
    """1 / (1 + exp(-z)), by e = exp(-abs(x)) and sums of positive numbers.

    abs(1 + e cis(y))**2 = (1 - e)**2 + 4 e cos(y/2)**2.
    """
    size = -magnitude(z.re)
    e, less, half = exponential.exp(size), exponential.expm1(size), trigonometric.cos(z.im * 0.5)
    close = half * half * 2.0
    below = fma(less, less, (e + e) * close)
    left = z.re < 0.0
    re = select(left, (less + close) * e, fma(e, close, -less)) / below
    im = e * trigonometric.sin(z.im) / below
    lost = equal(e, 0.0) & ~(magnitude(z.im) < INFINITY)
    return Complex(select(lost, select(left, 0.0, 1.0, z.dtype), re), select(lost, copysign(e, z.im), im))


def sinc(z: Complex) -> Complex:
    """sin(pi z) / (pi z), with multiples of pi taken off before the product, and the exponential at the end."""
    n = z.re.builder.op("rint", z.re)
    r, half_n, w = z.re - n, n * 0.5, z.im * PI
    size = magnitude(w)
    big = size > 20.0
    half = exponential.exp(select(big, size * 0.5, 0.0))
    s = select(big, copysign(w.builder.const(0.5, w.dtype), w), hyperbolic.sinh(select(big, 0.0, w)))
    c = select(big, 0.5, hyperbolic.cosh(select(big, 0.0, w)))
    odd = z.re.builder.op("ne", z.re.builder.op("trunc", half_n), half_n)
    re, im = trigonometric.sin(r * PI) * c, trigonometric.sin((0.5 - magnitude(r)) * PI) * s
    zero = (magnitude(z.re) < 1e-30) & (size < 1e-30)  # where the function is 1
    angle = choose(zero, as_complex(1.0, z), z.times(PI))
    q = Complex(select(odd, -re, re), select(odd, -im, im)) / angle
    return choose(zero, as_complex(1.0, z), q.times(half).times(half))


def cbrt(z: Complex) -> Complex:
    """The principal root, abs(z)**(1/3) with a third of the angle."""
    dtype, x, y = z.dtype, magnitude(z.re), magnitude(z.im)
    larger = select(x < y, y, x)
    tiny, large = larger < CUBE_RANGE[dtype][0], larger > CUBE_RANGE[dtype][1]
    up = select(tiny, 2.0 ** CUBE_LIFT[dtype], select(large, 2.0**-3, 1.0, dtype))
    down = select(tiny, 2.0 ** (-CUBE_LIFT[dtype] // 3), select(large, 2.0, 1.0, dtype))
    size = power.cbrt(power.hypot(x * up, y * up)) * down
    return _polar(size, inverse.atan2(z.im, z.re) * (1 / 3), size.builder.const(1.0, dtype))


def pow(z: Complex, w: Complex) -> Complex:
    """exp(w log z) with zeros that win over infinity; 1 where w is 0, and 0 or infinite where z is."""
    size, angle = _log_modulus(z), inverse.atan2(z.im, z.re)
    re = _winning(w.re, size) - _winning(w.im, angle)
    general = exp(Complex(re, _winning(w.im, size) + _winning(w.re, angle)))
    zero = equal(z.re, 0.0) & equal(z.im, 0.0)
    nan = z.re.builder.const(float("nan"), z.dtype)
    pole = Complex(select((w.re < 0.0) & equal(w.im, 0.0), INFINITY, nan), nan)
    general = choose(zero, choose(w.re > 0.0, as_complex(0.0, z), pole), general)
    return choose(equal(w.re, 0.0) & equal(w.im, 0.0), as_complex(1.0, z), general)


def integer_power(z: Complex, n: int) -> Complex:
    """By squaring; where that gives nan, as beyond the range, from the logarithm."""
    usual = power.integer_power(z, n)
    if abs(n) < 2:
        return usual
    lost = a.is_nan(usual.re) | a.is_nan(usual.im)
    parts = (z.re, z.im, z.re.builder.const(float(n), z.dtype))
    re = z.re.builder.rarely(lost, usual.re, real_part_of_far_power, *parts)
    return Complex(re, z.re.builder.rarely(lost, usual.im, imaginary_part_of_far_power, *parts))


@rare
def real_part_of_far_power(x: Node, y: Node, n: Node) -> Node:
    return pow(Complex(x, y), Complex(n, n.builder.const(0.0, n.dtype))).re


@rare
def imaginary_part_of_far_power(x: Node, y: Node, n: Node) -> Node:
    return pow(Complex(x, y), Complex(n, n.builder.const(0.0, n.dtype))).im


def _winning(x: Node, y: Node) -> Node:
    """The product, in which a zero wins."""
    return select(equal(x, 0.0) | equal(y, 0.0), 0.0, x * y)


def _far(z: Complex) -> Node:
    return (magnitude(z.re) > FAR[z.dtype]) | (magnitude(z.im) > FAR[z.dtype])
