"""Elliptic integrals of Legendre and Carlson, and Jacobi's elliptic functions.

Derivatives in the parameter m have terms that cancel as m goes to 0, where they are integrals that are smooth there.
Those of Carlson's integrals are integrals of the same kind with a parameter raised by one (DLMF 19.18.1).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special as sp

from scisim.core.axes import ELEMENTWISE
from scisim.core.primitive import Primitive
from scisim.ops._special.declare import declare, describe, family, in_double, several
from scisim.ops._special.quadrature import half_line, legendre
from scisim.ops.arithmetic import power, sqrt
from scisim.ops.elementary import cos, sin
from scisim.ops.select import gt, logical_and, lt, where

_NEAR = 0.5  # up to here in abs(m) complete integrals have their power series
_LEAST, _MOST = -20.0, 0.95  # and between these derivatives of incomplete ones are computed by quadrature


# --- complete ------------------------------------------------------------------------------------------------------
def _complete_series(m: Any, n: int, first: float) -> Any:
    """The n-th derivative of pi/2 2F1(first, 1/2; 1; m), term by term."""
    total, c = np.zeros(np.shape(m)), 0.5 * math.pi
    for k in range(80 + n):
        if k >= n:
            total = total + c * math.perm(k, n) * m ** (k - n)
        c *= (first + k) * (0.5 + k) / (k + 1.0) ** 2
    return total


def _complete_upward(k: Any, e: Any, m: Any, rest: Any, n: int) -> tuple:
    """The n-th derivatives of K and E by their equation, with rest = 1 - m."""
    ks, es = [k, (e - rest * k) / (2 * m * rest)], [e, (e - k) / (2 * m)]
    for j in range(n - 1):
        ks.append(((j + 0.5) ** 2 * ks[j] - (j + 1) * (rest - m) * ks[j + 1]) / (m * rest))
    for j in range(1, n):  # 2 m E' = E - K, j times
        es.append(((1.0 - 2 * j) * es[j] - ks[j]) / (2 * m))
    end = np.equal(rest, 0)
    return np.where(end, np.inf, ks[n]), np.where(end, -np.inf, es[n])


def _complete(m: Any, rest: Any, n: int, which: int) -> Any:
    near = np.abs(m) < _NEAR
    series = _complete_series(np.where(near, m, 0.0), n, (0.5, -0.5)[which])
    u, v = np.where(near, 0.7, m), np.where(near, 0.3, rest)
    return np.where(near, series, _complete_upward(sp.ellipkm1(v), sp.ellipe(u), u, v, n)[which])


ellipk_derivative = family("ellipk", in_double(lambda m, n: _complete(m, 1.0 - m, n, 0)))
ellipe_derivative = family("ellipe", in_double(lambda m, n: _complete(m, 1.0 - m, n, 1)))
ellipkm1_derivative = family("ellipkm1", in_double(lambda p, n: (-1.0) ** n * _complete(1.0 - p, p, n, 0)))
ellipk = declare(
    "ellipk",
    sp.ellipk,
    [lambda y, m: ellipk_derivative(m, n=1)],
    "Complete elliptic integral of the first kind K(m)",
    "m",
    ("0.5", "1.85407468"),
    singular="infinite at 1",
)
ellipkm1 = declare(
    "ellipkm1",
    sp.ellipkm1,
    [lambda y, p: ellipkm1_derivative(p, n=1)],
    "Complete elliptic integral of the first kind K(1 - p), exact near p = 0",
    {"p": "Complement of the parameter, 1 - m."},
    ("1e-10", "12.89921983"),
    singular="infinite at 0",
)
ellipe = declare(
    "ellipe",
    sp.ellipe,
    [lambda y, m: ellipe_derivative(m, n=1)],
    "Complete elliptic integral of the second kind E(m)",
    "m",
    ("0.5", "1.35064388"),
    singular="infinite at 1",
)


# --- incomplete ----------------------------------------------------------------------------------------------------
@in_double
def _moment(phi: Any, m: Any, i: int, p: float) -> Any:
    """The integral of sin(t)^(2i) (1 - m sin(t)^2)^p from 0 to phi, for m not near 1."""
    t, w = legendre(48)
    turns = np.round(phi / np.pi)
    end = phi - np.pi * turns
    at = np.sin(end[..., None] * t) ** 2 if np.ndim(end) else np.sin(end * t) ** 2
    part = end * np.sum(w * at**i * (1.0 - np.asarray(m)[..., None] * at) ** p, axis=-1)
    full = np.sin(0.5 * np.pi * t) ** 2
    whole = 0.5 * np.pi * np.sum(w * full**i * (1.0 - np.asarray(m)[..., None] * full) ** p, axis=-1)
    return part + 2.0 * turns * whole


def _moment_in_phi(y: Any, phi: Any, m: Any, i: int, p: float) -> Any:
    s = power(sin(phi), 2)
    return power(s, i) * power(1.0 - m * s, p)


moment = Primitive(
    "special.elliptic_moment",
    _moment,
    axes=ELEMENTWISE,
    partials=[_moment_in_phi, lambda y, phi, m, i, p: -p * moment(phi, m, i=i + 1, p=p - 1.0)],
)


def _first_in_m(y: Any, phi: Any, m: Any) -> Any:
    near = logical_and(gt(m, _LEAST), lt(m, _MOST))
    u = where(near, 0.97, m)
    s = sin(phi)
    last = s * cos(phi) / (2.0 * (1.0 - u) * sqrt(1.0 - u * s * s))
    far = ellipeinc(phi, u) / (2.0 * u * (1.0 - u)) - ellipkinc(phi, u) / (2.0 * u) - last
    return where(near, 0.5 * moment(phi, where(near, m, 0.0), i=1, p=-1.5), far)


def _second_in_m(y: Any, phi: Any, m: Any) -> Any:
    near = logical_and(gt(m, _LEAST), lt(m, _MOST))
    u = where(near, 0.97, m)
    far = (ellipeinc(phi, u) - ellipkinc(phi, u)) / (2.0 * u)
    return where(near, -0.5 * moment(phi, where(near, m, 0.0), i=1, p=-0.5), far)


def _sine_squared(phi: Any) -> Any:
    return power(sin(phi), 2)


_PHI = {"phi": "Amplitude, radians.", "m": "Parameter, m = k^2 of the modulus k."}
ellipkinc = declare(
    "ellipkinc",
    sp.ellipkinc,
    [lambda y, phi, m: 1.0 / sqrt(1.0 - m * _sine_squared(phi)), _first_in_m],
    "Incomplete elliptic integral of the first kind F(phi, m)",
    _PHI,
    ("1.0, 0.5", "1.08321677"),
    singular="infinite where m sin(phi)^2 = 1",
)
ellipeinc = declare(
    "ellipeinc",
    sp.ellipeinc,
    [lambda y, phi, m: sqrt(1.0 - m * _sine_squared(phi)), _second_in_m],
    "Incomplete elliptic integral of the second kind E(phi, m)",
    _PHI,
    ("1.0, 0.5", "0.92732988"),
    singular="infinite where m sin(phi)^2 = 1",
)


def _ellipj_jvp(y: Any, args: Any, tangents: Any) -> tuple:
    """By the amplitude, F(ph, m) = u."""
    (sn, cn, dn, ph), (_, m), (du, dm) = y, args, tangents
    moved: Any = 0.0 if du is None else du
    if dm is not None:
        moved = moved - _first_in_m(None, ph, m) * dm
    turn = dn * moved
    fall = -m * sn * cn * moved
    if dm is not None:
        fall = fall - 0.5 * sn * sn / dn * dm
    return cn * turn, -sn * turn, fall, turn


ellipj_p = several("ellipj", sp.ellipj, 4, _ellipj_jvp)


def ellipj(u: Any, m: Any) -> Any:
    """Jacobi's elliptic functions and the amplitude."""
    return ellipj_p(u, m)


describe(
    "ellipj",
    ellipj,
    "Jacobi's elliptic functions and the amplitude (sn, cn, dn, ph)",
    {"u": "Argument, real.", "m": "Parameter in [0, 1]."},
    ("0.0, 0.5", "(Tensor(0.), Tensor(1.), Tensor(1.), Tensor(0.))"),
    primitive=ellipj_p,
    returns="tuple of Tensor",
)


# --- Carlson's -----------------------------------------------------------------------------------------------------
@in_double
def _carlson(*zs: Any, a: float, b: tuple) -> Any:
    """R_(-a)(b; z), the integral of t^(a' - 1) prod (t + z_i)^(-b_i) over t > 0 by beta(a, a'), a' = sum(b) - a."""
    t, w = half_line(1 / 32, 4.8)
    rest = sum(b) - a
    scale = sum(np.abs(z) for z in zs) / len(zs)
    terms = (rest - 1.0) * np.log(t) + np.log(w)
    for z, e in zip(zs, b, strict=True):
        terms = terms - e * np.log(t + np.asarray(z / scale)[..., None])
    return np.sum(np.exp(terms), axis=-1) * scale ** (-a) / sp.beta(a, rest)


def _raise(i: int) -> Callable:
    def partial(y: Any, *zs: Any, a: float, b: tuple) -> Any:
        more = tuple(e + (k == i) for k, e in enumerate(b))
        return (-a * b[i] / sum(b)) * CARLSON[len(zs)](*zs, a=a + 1.0, b=more)

    return partial


CARLSON = {
    k: Primitive(f"special.carlson{k}", _carlson, axes=ELEMENTWISE, partials=[_raise(i) for i in range(k)])
    for k in (2, 3, 4)
}


def _carlson_slopes(a: float, b: tuple) -> list:
    def at(i: int) -> Callable:
        return lambda y, *zs: _raise(i)(y, *zs, a=a, b=b)

    return [at(i) for i in range(len(b))]


def _symmetric(name: str, f: Callable, a: float, b: tuple, names: str, text: str, example: tuple) -> Any:
    operands = dict.fromkeys(names, "Argument, positive or complex off the negative real axis.")
    return declare(name, f, _carlson_slopes(a, b), text, operands, example)


elliprc = _symmetric(
    "elliprc", sp.elliprc, 0.5, (0.5, 1.0), "xy", "Carlson's degenerate integral R_C", ("1.0, 2.0", "0.78539816")
)
elliprf = _symmetric(
    "elliprf",
    sp.elliprf,
    0.5,
    (0.5,) * 3,
    "xyz",
    "Carlson's integral of the first kind R_F",
    ("1.0, 2.0, 3.0", "0.72694594"),
)
elliprd = _symmetric(
    "elliprd",
    sp.elliprd,
    1.5,
    (0.5, 0.5, 1.5),
    "xyz",
    "Carlson's integral of the second kind R_D",
    ("1.0, 2.0, 3.0", "0.29046028"),
)
elliprj = _symmetric(
    "elliprj",
    sp.elliprj,
    1.5,
    (0.5, 0.5, 0.5, 1.0),
    "xyzp",
    "Carlson's integral of the third kind R_J",
    ("1.0, 2.0, 3.0, 4.0", "0.2398481"),
)
# R_G = R_(1/2)(1/2, 1/2, 1/2), whose first derivative leads to exponents of which the integral converges.
elliprg = _symmetric(
    "elliprg", sp.elliprg, -0.5, (0.5,) * 3, "xyz", "Carlson's complete integral R_G", ("1.0, 2.0, 3.0", "1.4018471")
)
