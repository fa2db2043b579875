"""Gauss-Kronrod panels and the adaptive division of an interval, on arrays and on values of any kind."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ScisimError, ShapeError
from scisim.core.tensor import Tensor, unwrap, wrap
from scisim.core.values import Traced, as_value, inexact, name_of, shape
from scisim.ops.arithmetic import stop
from scisim.ops.index import index
from scisim.ops.reduce import sum as total
from scisim.ops.shape import astype, reshape, stack
from scisim.ops.vmap import vmap

# Piessens, de Doncker-Kapenga, Ueberhuber and Kahaner, "QUADPACK" (1983): the pair of 10 and 21 points.
_POINTS = (
    0.995657163025808080735527280689003,
    0.973906528517171720077964012084452,
    0.930157491355708226001207180059508,
    0.865063366688984510732096688423493,
    0.780817726586416897063717578345042,
    0.679409568299024406234327365114874,
    0.562757134668604683339000099272694,
    0.433395394129247190799265943165784,
    0.294392862701460198131126603103866,
    0.148874338981631210884826001129720,
    0.0,
)
_KRONROD = (
    0.011694638867371874278064396062192,
    0.032558162307964727478818972459390,
    0.054755896574351996031381300244580,
    0.075039674810919952767043140916190,
    0.093125454583697605535065465083366,
    0.109387158802297641899210590325805,
    0.123491976262065851077958109585166,
    0.134709217311473325928054001771707,
    0.142775938577060080797094273138717,
    0.147739104901338491374841515972068,
    0.149445554002916905664936468389821,
)
_GAUSS = (
    0.066671344308688137593568809893332,
    0.149451349150580593145863396957658,
    0.219086362515982043995534934228163,
    0.269266719309996355091226921569469,
    0.295524224714752870173815619188769,
)
COUNT = 21
NODES = np.array([*(-x for x in _POINTS), *_POINTS[-2::-1]])
WEIGHTS = np.array([*_KRONROD, *_KRONROD[-2::-1]])
GAUSS = np.zeros(COUNT)
GAUSS[1:10:2] = _GAUSS
GAUSS[11:20:2] = _GAUSS[::-1]
EPS, TINY = float(np.finfo(float).eps), float(np.finfo(float).tiny)


@cache
def legendre(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre nodes and weights on (-1, 1)."""
    return np.polynomial.legendre.leggauss(n)


@dataclass(frozen=True)
class Line:
    """How a panel's coordinate becomes that of the integrand: a finite interval, or one with infinite ends.

    ``kind`` "finite": the coordinate itself ("plain": of a function of known numbers in double precision); "above" and
    "below": finite + (1 - s) / s towards infinity on (0, 1];
    "all": both signs of (1 - s) / s at once.  QUADPACK's transformations.
    """

    kind: str
    origin: Any = 0.0

    def __call__(self, f: Callable, s: Any) -> Any:
        """The transformed integrand at coordinates, along the first axis."""
        if self.kind in ("finite", "plain"):
            return f(s)
        x = (1.0 - s) / s
        if self.kind == "all":
            y = f(x) + f(0.0 - x)
        else:
            y = f(self.origin + x) if self.kind == "above" else f(self.origin - x)
        return y / reshape(s * s, (*shape(s), *(1,) * (len(shape(y)) - 1)))


class Integrand:
    """A user's function of one number, for vectors of numbers.

    It is given the vector itself where that gives what single numbers give; else it is mapped, or called for each
    number where it branches in Python.
    """

    def __init__(self, who: str, f: Callable, args: tuple, single: bool = False) -> None:
        self.who, self.f, self.args, self.name = who, f, args, name_of(f)
        self.how = "each" if single else ""
        self.calls = 0

    def __call__(self, x: Any) -> Any:
        """Values along the first axis."""
        self.calls += x.shape[0]
        if not self.how:
            return self._decided(x)
        return {"whole": self._whole, "mapped": self._mapped, "each": self._each}[self.how](x)

    def plain(self) -> Callable:
        """The function of vectors of known numbers, by the shortest way."""
        if self.how != "whole":
            return self
        f, args = self.f, self.args

        def values(x: np.ndarray) -> Any:
            out = f(wrap(x), *args)
            v = out._v if type(out) is Tensor else self._value(out)
            return v if v.shape == x.shape and v.dtype.kind != "i" else self._whole(x)

        return values

    def _decided(self, x: Any) -> Any:
        """The way that serves, tried on the first panel."""
        if isinstance(x, Traced):
            self.how = "mapped"
            return self._mapped(x)
        one = self._value(self.f(wrap(x[3]), *self.args))
        if shape(one) == ():
            try:
                y = self._whole(x)
                if shape(y) == shape(x) and _alike(index(y, 3), one):
                    self.how = "whole"
                    return y
            except (ScisimError, ValueError, TypeError, IndexError):
                pass  # it takes numbers only
        try:
            y = self._mapped(x)
            self.how = "mapped"
        except (ScisimError, ValueError, TypeError):
            y = self._each(x)
            self.how = "each"
        return y

    def _whole(self, x: Any) -> Any:
        y = self._value(self.f(wrap(x), *self.args))
        return y if shape(y) or not shape(x) else y + x * 0.0

    def _mapped(self, x: Any) -> Any:
        return unwrap(vmap(lambda t: wrap(self._value(self.f(t, *self.args))))(wrap(x)))

    def _each(self, x: Any) -> Any:
        return stack([self._value(self.f(wrap(index(x, k)), *self.args)) for k in range(x.shape[0])])

    def _value(self, out: Any) -> Any:
        v = out._v if type(out) is Tensor else Tensor(out)._v if type(out) in (list, tuple) else as_value(out)
        return v if inexact(v.dtype) else astype(v, np.float64)


def _alike(a: Any, b: Any) -> bool:
    while isinstance(a, Traced):
        a = a.lower
    while isinstance(b, Traced):
        b = b.lower
    return bool(abs(a - b) <= 1e-9 * abs(b) or (a != a and b != b) or a == b)


def panel(f: Callable, line: Line, a: Any, b: Any) -> tuple[Any, Any, Any]:
    """The integral over one panel by 21 points, all 21 values, and the half-length."""
    centre, half = 0.5 * (a + b), 0.5 * (b - a)
    nodes = NODES if half.dtype == np.float64 else NODES.astype(half.dtype)
    y = f(centre + half * nodes) if line.kind == "finite" else line(f, centre + half * nodes)
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype == np.float64:
        return np.add.reduce(y * WEIGHTS) * half, y, half
    return total(y * column(WEIGHTS, y), 0) * half, y, half


def column(weights: np.ndarray, y: Any) -> np.ndarray:
    """Weights as a column beside values, in their precision."""
    return weights.reshape(-1, *(1,) * (len(shape(y)) - 1)).astype(np.zeros((), y.dtype).real.dtype)


_SPREAD = np.stack([WEIGHTS, WEIGHTS - GAUSS])


def error_of(y: np.ndarray, half: float, norm: Callable) -> float:
    """QUADPACK's estimate of the error of a panel."""
    if y.ndim > 1:
        y = y.reshape(COUNT, -1)
    length = abs(half)
    whole, off = _SPREAD @ y
    size = norm(WEIGHTS @ np.abs(y)) * length
    spread = norm(WEIGHTS @ np.abs(y - 0.5 * whole)) * length
    error = norm(off) * length
    if spread and error:
        error = spread * min(1.0, (200 * error / spread) ** 1.5)
    return float(max(50 * EPS * size, error)) if size > TINY / (50 * EPS) else float(error)


@dataclass
class Division:
    """What the adaptive division found.

    Attributes
    ----------
    panels : list of pairs
        In order; none where ``rule`` holds nodes and weights of a rule for the whole interval.
    integral, error : the value and the estimate of its error
    good : bool
        Whether that is what was asked.
    """

    panels: list
    integral: Any
    error: float
    good: bool
    rule: tuple[np.ndarray, np.ndarray] | None = None


def divide(
    f: Callable, line: Line, cuts: list[float], norm: Callable, epsabs: float, epsrel: float, limit: int, ends: bool
) -> Division:
    """Bisect the worst panel until the error is small enough.

    ``ends``: once that goes slowly, try a rule for functions that are singular at the ends.
    """
    heap: list = []
    settled: list = []
    order = itertools.count()
    error, whole = 0.0, 0.0

    def add(a: float, b: float) -> None:
        nonlocal error, whole
        if line.kind == "plain":
            half = 0.5 * (b - a)
            y = f(0.5 * (a + b) + half * NODES)
            integral = np.add.reduce(y * WEIGHTS) * half
        else:
            integral, y, half = panel(f, line, a, b)
        own = error_of(y, half, norm)
        heapq.heappush(heap, (-own, next(order), a, b, integral))
        error, whole = error + own, whole + integral

    for a, b in itertools.pairwise(cuts):
        add(a, b)
    while heap and error > max(epsabs, epsrel * norm(whole)) and len(heap) + len(settled) < limit:
        if ends and len(heap) == _SLOW:
            found = _by_ends(f, line, cuts[0], cuts[-1], norm)
            if found.error <= max(epsabs, epsrel * norm(found.integral)):
                found.good = True
                return found
        worst = heapq.heappop(heap)
        own, _, a, b, integral = worst
        middle = 0.5 * (a + b)
        if not min(a, b) < middle < max(a, b):
            settled.append(worst)
            continue
        error, whole = error + own, whole - integral
        add(a, middle)
        add(middle, b)
    found_ones = sorted([*heap, *settled], key=lambda p: p[2])
    error, whole = -sum(p[0] for p in found_ones), _summed([p[4] for p in found_ones])
    return Division([(p[2], p[3]) for p in found_ones], whole, error, error <= max(epsabs, epsrel * norm(whole)))


_SLOW = 6  # panels


@cache
def _double_exponential() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distances from the nearer end of (0, 1), which end that is, and weights, by steps of 1/32.

    Takahasi and Mori, "Double exponential formulas for numerical integration", Publ. RIMS 9 (1974).
    """
    t = np.arange(-192, 193) / 32
    s = np.pi / 2 * np.sinh(t)
    distance = np.exp(-np.abs(s)) / (2 * np.cosh(s))
    return distance, t > 0, np.pi / 4 * np.cosh(t) / np.cosh(s) ** 2 / 32


def _by_ends(f: Callable, line: Line, a: float, b: float, norm: Callable) -> Division:
    """By the double exponential rule for the whole interval."""
    distance, upper, weights = _double_exponential()
    x = np.where(upper, b - (b - a) * distance, a + (b - a) * distance)
    inside = (x != a) & (x != b)
    weights = np.where(inside, weights, 0.0) * (b - a)
    x = np.where(inside, x, 0.5 * (a + b))
    y = line(f, x)
    integral = total(y * column(weights, y), 0)
    coarse = np.sum(y[::2] * column(2 * weights[::2], y), 0)
    error = max(norm(integral - coarse), 50 * EPS * norm(integral))
    return Division([], integral, error if error == error else math.inf, False, (x, weights))


def _summed(parts: list) -> Any:
    out = parts[0]
    for p in parts[1:]:
        out = out + p
    return out


def again(f: Callable, line: Line, division: Division) -> Any:
    """The integral by the panels or the rule that were found, once more on values that carry derivatives."""
    if division.rule is not None:
        x, weights = division.rule
        y = line(f, x)
        return total(y * column(weights, y), 0)
    return _summed([panel(f, line, a, b)[0] for a, b in division.panels])


def moved(f: Callable, end: Any) -> Any:
    """The integral from where an end is to where its derivatives take it: 0, with the derivatives of the integral.

    By the rule of 21 points, which is exact for derivatives up to order 32.
    """
    still = stop(end)
    shift = end - still
    y = f(still + shift * (0.5 + 0.5 * NODES).astype(shift.dtype))
    return total(y * column(0.5 * WEIGHTS, y), 0) * astype(shift, y.dtype)


def check_scalar(who: str, name: str, y: Any) -> None:
    """A function of `quad` must give numbers."""
    if len(shape(y)) != 1:
        raise ShapeError(f"{who}: {name} returns shape {shape(y)[1:]} for one number; use quad_vec for vectors")


def check_settings(who: str, epsabs: float, epsrel: float, limit: Any) -> None:
    """Tolerances and the greatest number of panels."""
    if not (epsabs >= 0 and epsrel >= 0):
        raise ArgumentError(f"{who}: epsabs={epsabs} and epsrel={epsrel}; expected numbers of at least 0")
    if int(limit) != limit or limit < 1:
        raise ArgumentError(f"{who}: limit is {limit!r}; expected a positive number of panels")
