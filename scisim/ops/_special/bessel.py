"""Bessel functions of the first and second kind, modified and scaled ones, Hankel functions, spherical ones.

A derivative of order n is a sum of n + 1 neighbours in the order of the function (DLMF 10.6.7, 10.29.5): stable at
the origin and wherever the function is.  For scaled functions of large argument, where that sum cancels, Hankel's
expansion is differentiated term by term.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special as sp

from scisim.core.axes import ELEMENTWISE
from scisim.core.primitive import Primitive
from scisim.core.values import is_complex
from scisim.ops._special.cuts import both_sides
from scisim.ops._special.declare import declare, describe, family, in_double, refusal, single, whole
from scisim.ops._special.quadrature import legendre
from scisim.ops.arithmetic import sign_p
from scisim.ops.complexes import imag, real

_ORDER = "there is no closed form in the order of a Bessel function"


def neighbours(f: Callable, v: Any, z: Any, n: int, sign: float, scale: float = 0.5) -> Any:
    """The n-th derivative where f_v' = scale (f_(v-1) + sign f_(v+1))."""
    return scale**n * sum(math.comb(n, k) * sign**k * f(v - n + 2 * k, z) for k in range(n + 1))


def _bessel(name: str, f: Callable, sign: float, scale: float, text: str, example: tuple, argument: str = "z") -> Any:
    @in_double
    def evaluate(v: Any, z: Any, n: int) -> Any:
        return neighbours(f, v, z, n, sign, scale)

    derivative = family(name, evaluate, [_ORDER])
    function = declare(
        name,
        f,
        [_ORDER, lambda y, v, z: derivative(v, z, n=1)],
        text,
        {"v": "Order, real.", argument: "Argument, real or complex."},
        example,
        singular="at the branch point 0, unless the order is an integer",
    )
    return function, derivative


jv, jv_derivative = _bessel(
    "jv", both_sides(sp.jv), -1, 0.5, "Bessel function of the first kind", ("1.5, 2.0", "0.49129378")
)
yv, yv_derivative = _bessel(
    "yv", both_sides(sp.yv), -1, 0.5, "Bessel function of the second kind", ("1.5, 2.0", "-0.39562328")
)
iv, iv_derivative = _bessel(
    "iv", both_sides(sp.iv), 1, 0.5, "Modified Bessel function of the first kind", ("1.5, 2.0", "1.09947319")
)
kv, kv_derivative = _bessel(
    "kv", both_sides(sp.kv), 1, -0.5, "Modified Bessel function of the second kind", ("1.5, 2.0", "0.17990666")
)
hankel1, hankel1_derivative = _bessel(
    "hankel1",
    both_sides(sp.hankel1, sp.hankel2),
    -1,
    0.5,
    "Hankel function of the first kind; its result is complex",
    ("0.0, 1.0", "0.76519769+0.08825696j"),
)
hankel2, hankel2_derivative = _bessel(
    "hankel2",
    both_sides(sp.hankel2, sp.hankel1),
    -1,
    0.5,
    "Hankel function of the second kind; its result is complex",
    ("0.0, 1.0", "0.76519769-0.08825696j"),
)


# --- of fixed order ------------------------------------------------------------------------------------------------
def _fixed(name: str, f: Callable, order: int, derivative: Any, text: str, example: tuple) -> Any:
    return declare(name, f, [lambda y, x: derivative(order, x, n=1)], text, "x", example)


_FIRST, _SECOND = "Bessel function of the first kind", "Bessel function of the second kind"
_MODIFIED = "Modified Bessel function of the"


def _fast(order_zero: Callable, order_one: Callable, general: Any, sign: float, scale: float, name: str) -> Any:
    """The family of a function of order 0 or 1, by the two functions made for these orders."""

    def at(k: int, x: Any) -> Any:
        flip = -1.0 if k < 0 and sign < 0 and k % 2 else 1.0
        return flip * (order_zero, order_one)[abs(k)](x) if abs(k) < 2 else general(k, x)

    @in_double
    def evaluate(order: int, x: Any, n: int) -> Any:
        return neighbours(at, order, x, n, sign, scale)

    return family(name, evaluate, [_ORDER])


_j01 = _fast(sp.j0, sp.j1, sp.jv, -1, 0.5, "j01")
_y01 = _fast(sp.y0, sp.y1, sp.yv, -1, 0.5, "y01")
_i01 = _fast(sp.i0, sp.i1, sp.iv, 1, 0.5, "i01")
_k01 = _fast(sp.k0, sp.k1, sp.kv, 1, -0.5, "k01")

j0 = _fixed("j0", sp.j0, 0, _j01, f"{_FIRST} of order 0", ("1.0", "0.76519769"))
j1 = _fixed("j1", sp.j1, 1, _j01, f"{_FIRST} of order 1", ("1.0", "0.44005059"))
y0 = _fixed("y0", sp.y0, 0, _y01, f"{_SECOND} of order 0", ("1.0", "0.08825696"))
y1 = _fixed("y1", sp.y1, 1, _y01, f"{_SECOND} of order 1", ("1.0", "-0.78121282"))
i0 = _fixed("i0", sp.i0, 0, _i01, f"{_MODIFIED} first kind of order 0", ("1.0", "1.26606588"))
i1 = _fixed("i1", sp.i1, 1, _i01, f"{_MODIFIED} first kind of order 1", ("1.0", "0.5651591"))
k0 = _fixed("k0", sp.k0, 0, _k01, f"{_MODIFIED} second kind of order 0", ("1.0", "0.42102444"))
k1 = _fixed("k1", sp.k1, 1, _k01, f"{_MODIFIED} second kind of order 1", ("1.0", "0.60190723"))


def _integer(name: str, f: Callable, derivative: Any, text: str, example: tuple) -> Any:
    return declare(
        name,
        f,
        [_ORDER, lambda y, n, x: derivative(n, x, n=1)],
        text,
        {"n": "Order, an integer.", "x": "Argument, real."},
        example,
    )


yn = _integer("yn", sp.yn, yv_derivative, f"{_SECOND} of integer order", ("2, 1.0", "-1.65068261"))
kn = _integer("kn", sp.kn, kv_derivative, f"{_MODIFIED} second kind of integer order", ("2, 1.0", "1.6248389"))


# --- scaled --------------------------------------------------------------------------------------------------------
def hankel_expansion(v: Any, z: Any, n: int, sign: complex) -> Any:
    """The n-th derivative of z^(-1/2) sum_k sign^k a_k(v) / z^k (DLMF 10.17.1), term by term up to the least."""
    term = np.ones(np.broadcast(v, z).shape, np.result_type(z, sign, float))
    for j in range(n):
        term = term * (-0.5 - j)
    total, going = term, np.ones(term.shape, bool)
    for k in range(1, 40):
        factor = sign * (4.0 * np.multiply(v, v) - (2 * k - 1) ** 2) / (8.0 * k * z) * ((k + n - 0.5) / (k - 0.5))
        going = going & (np.abs(factor) < 1.0)
        term = np.where(going, term * factor, 0.0)
        total = total + term
    return total * z ** (-0.5 - n)


def _unscaled(f: Callable, v: Any, z: Any, n: int, rate: complex, sign: float, scale: float) -> Any:
    """The n-th derivative of exp(rate z) g(z), f being the function so scaled, by the sum over neighbours."""
    terms = (math.comb(n, j) * rate ** (n - j) * neighbours(f, v, z, j, sign, scale) for j in range(n + 1))
    return sum(terms)


def _expanded(f: Callable, rate: complex, sign: float, scale: float, front: Callable) -> Callable:
    """Derivatives of f = exp(rate z) g: by neighbours, far out by Hankel's expansion with ``front(v)`` before it."""
    step = 1.0 if rate == 1.0 else -rate  # of the expansion: 1 for K, i and -i for the Hankel functions

    def evaluate(v: Any, z: Any, n: int) -> Any:
        far = np.abs(z) > 30.0 + 0.5 * np.multiply(v, v)
        u = np.where(far, z, 100.0 + np.multiply(v, v))
        expanded = front(v) * hankel_expansion(v, u, n, step)
        return np.where(far, expanded, _unscaled(f, v, z, n, rate, sign, scale))

    return evaluate


def _quick(order_zero: Callable, order_one: Callable, general: Callable) -> Callable:
    def f(k: Any, x: Any) -> Any:
        quick = type(k) is int and abs(k) < 2 and not np.iscomplexobj(x)
        return (order_zero, order_one)[abs(k)](x) if quick else general(k, x)

    return f


def _phase(turn: complex) -> Callable:
    return lambda v: math.sqrt(2 / math.pi) * np.exp(-turn * (0.5 * np.pi * np.asarray(v) + 0.25 * np.pi))


_kve_elsewhere = _expanded(_quick(sp.k0e, sp.k1e, sp.kve), 1.0, 1, -0.5, lambda v: math.sqrt(0.5 * math.pi))
hankel1e_derivative = family("hankel1e", in_double(_expanded(sp.hankel1e, -1j, -1, 0.5, _phase(1j))), [_ORDER])
hankel2e_derivative = family("hankel2e", in_double(_expanded(sp.hankel2e, 1j, -1, 0.5, _phase(-1j))), [_ORDER])


def _kve_integral(v: Any, x: Any, n: int) -> Any:
    """The n-th derivative of exp(x) K_v(x), x > 0: of cosh(v t) exp(-x (cosh t - 1)), all terms of one sign."""
    t = np.linspace(0.0, 6.0, 241)
    rise = 2.0 * np.sinh(0.5 * t) ** 2
    weight = np.where((t == 0) | (t == 6.0), 0.5, 1.0) * (t[1] - t[0]) * (-rise) ** n
    v, x = np.asarray(v)[..., None], np.asarray(x)[..., None]
    return np.sum(weight * np.cosh(v * t) * np.exp(-x * rise), axis=-1)


def _ive_integral(v: Any, x: Any, n: int) -> Any:
    """The n-th derivative of exp(-x) I_v(x), x > 0, by Schlaefli's integrals (DLMF 10.32.4)."""
    t, w = legendre(80, 0.0, math.pi)
    fall = 2.0 * np.sin(0.5 * t) ** 2
    turn = np.where(np.equal(np.floor(v), v), 0.0, np.sin(np.pi * np.asarray(v)))
    v, x = np.asarray(v)[..., None], np.asarray(x)[..., None]
    y = np.sum(w * (-fall) ** n * np.cos(v * t) * np.exp(-x * fall), axis=-1)
    t, w = legendre(80, 0.0, 6.0)
    rise = 1.0 + np.cosh(t)
    return (y - turn * np.sum(w * (-rise) ** n * np.exp(-x * rise - v * t), axis=-1)) / math.pi


@in_double
def _kve_derivative(v: Any, z: Any, n: int) -> Any:
    """By an integral where both other ways cancel: for real arguments of moderate size."""
    y = _kve_elsewhere(v, z, n)
    if np.iscomplexobj(z):
        return y
    middle = (z > 1.0) & (z < 100.0) & (np.abs(v) < 8.0)
    return np.where(middle, _kve_integral(np.where(middle, v, 0.0), np.where(middle, z, 1.0), n), y)


@in_double
def _ive_derivative(v: Any, x: Any, n: int) -> Any:
    """The n-th derivative of exp(-abs(x)) I_v(x): that of exp(-x) I_v(x), odd or even in x for integer orders."""
    size = np.abs(x)
    far = size > 30.0 + 0.5 * np.multiply(v, v)
    u = np.where(far, size, 100.0 + np.multiply(v, v))
    near = _unscaled(_quick(sp.i0e, sp.i1e, sp.ive), v, size, n, -1.0, 1, 0.5)
    y = np.where(far, hankel_expansion(v, u, n, -1.0) / math.sqrt(2 * math.pi), near)
    middle = (size > 1.0) & (size < 40.0) & (np.abs(v) < 8.0)
    y = np.where(middle, _ive_integral(np.where(middle, v, 0.0), np.where(middle, size, 1.0), n), y)
    kink = neighbours(sp.iv, v, 0.0, n, 1, 0.5) if n < 2 else np.nan
    y = np.where(np.equal(x, 0), kink, y)
    parity = np.where(np.equal(np.floor(v), v), 1.0 - 2.0 * np.mod(np.add(v, n), 2), np.nan)
    return np.where(np.less(x, 0), parity * y, y)


ive_derivative = family("ive", _ive_derivative, [_ORDER])
kve_derivative = family("kve", _kve_derivative, [_ORDER])
_KINK = "at 0, where its scale has a kink, the derivative is that without the scale; higher orders are nan there"


def _with_scale(name: str, f: Callable, sign: float, part: Callable, text: str, example: tuple, flat: Any) -> Any:
    """A function scaled by exp(-abs(part(z))), which has no complex derivative: one jvp, by its part.

    ``flat(v, x, n=n)`` is the family for real arguments.
    """

    @in_double
    def evaluate(v: Any, z: Any, n: int) -> Any:
        return neighbours(f, v, z, n, sign)

    def jvp(y: Any, args: Any, tangents: Any, n: int = 0) -> Any:
        (v, z), (dv, dz) = args, tangents
        if dv is not None:
            refusal(name, "v", _ORDER)()
        if not is_complex(z):
            return dz * flat(v, z, n=n + 1)
        return dz * scaled(v, z, n=n + 1) - (sign_p(part(z)) * part(dz)) * y

    scaled = Primitive(f"special.{name}_scaled", evaluate, axes=ELEMENTWISE, jvp=jvp)
    prim = Primitive(f"special.{name}", single(f), axes=ELEMENTWISE, jvp=jvp, singular=_KINK)
    operands = {"v": "Order, real.", "z": "Argument, real or complex."}
    describe(name, prim, text, operands, example, primitive=prim, gaps={"v": _ORDER})
    return prim, scaled


ive, ive_scaled = _with_scale(
    "ive",
    both_sides(sp.ive),
    1,
    real,
    f"{_MODIFIED} first kind, scaled: exp(-abs(re z)) iv(v, z)",
    ("0.0, 100.0", "0.03994438"),
    ive_derivative,
)
jve, jve_scaled = _with_scale(
    "jve",
    both_sides(sp.jve),
    -1,
    imag,
    f"{_FIRST}, scaled: exp(-abs(im z)) jv(v, z)",
    ("1.5, 2.0", "0.49129378"),
    jv_derivative,
)
yve, yve_scaled = _with_scale(
    "yve",
    both_sides(sp.yve),
    -1,
    imag,
    f"{_SECOND}, scaled: exp(-abs(im z)) yv(v, z)",
    ("1.5, 2.0", "-0.39562328"),
    yv_derivative,
)


def _scaled(name: str, f: Callable, derivative: Any, text: str, example: tuple) -> Any:
    return declare(
        name,
        f,
        [_ORDER, lambda y, v, z: derivative(v, z, n=1)],
        text,
        {"v": "Order, real.", "z": "Argument, real or complex."},
        example,
    )


kve = _scaled(
    "kve",
    both_sides(sp.kve),
    kve_derivative,
    f"{_MODIFIED} second kind, scaled: exp(z) kv(v, z)",
    ("0.0, 100.0", "0.12517562"),
)
hankel1e = _scaled(
    "hankel1e",
    both_sides(sp.hankel1e, sp.hankel2e),
    hankel1e_derivative,
    "Hankel function of the first kind, scaled: exp(-i z) hankel1(v, z)",
    ("0.0, 1.0", "0.48770375-0.59620621j"),
)
hankel2e = _scaled(
    "hankel2e",
    both_sides(sp.hankel2e, sp.hankel1e),
    hankel2e_derivative,
    "Hankel function of the second kind, scaled: exp(i z) hankel2(v, z)",
    ("0.0, 1.0", "0.48770375+0.59620621j"),
)
i0e = _fixed(
    "i0e",
    sp.i0e,
    0,
    ive_derivative,
    f"{_MODIFIED} first kind of order 0, scaled by exp(-abs(x))",
    ("1.0", "0.46575961"),
)
i1e = _fixed(
    "i1e",
    sp.i1e,
    1,
    ive_derivative,
    f"{_MODIFIED} first kind of order 1, scaled by exp(-abs(x))",
    ("1.0", "0.20791042"),
)
k0e = _fixed(
    "k0e", sp.k0e, 0, kve_derivative, f"{_MODIFIED} second kind of order 0, scaled by exp(x)", ("1.0", "1.14446308")
)
k1e = _fixed(
    "k1e", sp.k1e, 1, kve_derivative, f"{_MODIFIED} second kind of order 1, scaled by exp(x)", ("1.0", "1.63615349")
)


# --- derivatives by order ------------------------------------------------------------------------------------------
def _by_order(name: str, function: Any, derivative: Any, of: str, example: tuple) -> Any:
    def f(v: Any, z: Any, n: Any = 1) -> Any:
        """The derivative of order n."""
        count = whole(name, "n", n)
        return derivative(v, z, n=count) if count else function(v, z)

    operands = {"v": "Order, real.", "z": "Argument, real or complex.", "n": "Order of the derivative, 1 by default."}
    return describe(name, f, f"Derivative of {of} with respect to z", operands, example, gaps={"v": _ORDER})


jvp = _by_order("jvp", jv, jv_derivative, "jv", ("0.0, 1.0", "-0.44005059"))
yvp = _by_order("yvp", yv, yv_derivative, "yv", ("0.0, 1.0", "0.78121282"))
ivp = _by_order("ivp", iv, iv_derivative, "iv", ("0.0, 1.0", "0.5651591"))
kvp = _by_order("kvp", kv, kv_derivative, "kv", ("0.0, 1.0", "-0.60190723"))
h1vp = _by_order("h1vp", hankel1, hankel1_derivative, "hankel1", ("0.0, 1.0", "-0.44005059+0.78121282j"))
h2vp = _by_order("h2vp", hankel2, hankel2_derivative, "hankel2", ("0.0, 1.0", "-0.44005059-0.78121282j"))
describe(
    "jn",
    jv,
    f"{_FIRST}, another name of jv",
    {"v": "Order, real.", "z": "Argument, real or complex."},
    ("2, 1.0", "0.11490348"),
    primitive=jv,
    gaps={"v": _ORDER},
)
