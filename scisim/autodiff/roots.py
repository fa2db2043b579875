"""Roots and moduli of series whose value is zero.

Where q starts at an even order 2m, sqrt(q) starts at m and is exact as far as q is known; what the carried coefficients
do not determine is nan, never a silent 0 (also where all of them are 0: q may start later).  From order 2 the answer is
the one-sided series along the curve; at first order the convention holds (sqrt of a square, abs and norm have
derivative 0 at 0).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.control import choose
from scisim.core.values import Traced, maybe_zero, zeros_like
from scisim.ops.arithmetic import general_power, power_p, sign_p, sqrt_p, zmul
from scisim.ops.directions import length as length_p
from scisim.ops.select import (
    eq,
    isfinite,
    logical_and,
    logical_not,
    logical_or,
    maximum_p,
    minimum_p,
    ne,
    where,
)


def root_rule(trace: Any, q: Any, y: Any) -> Any:
    """Coefficients of y with y y = q."""
    if trace.slots.order > 1 and not trace.lazy and maybe_zero(q.cs[0]):
        cs = _careful(trace, q, y)
        return lambda k: cs[k]
    return _regular_rule(trace, q, y)


def _regular_rule(trace: Any, q: Any, y: Any) -> Any:
    half = 0.5 / y.cs[0]

    def term(i: int, j: int, w: float) -> Any:
        u, v = y.coef(i), y.coef(j)
        return None if u is None or v is None else zmul(u, v) * -w

    def rule(k: int) -> Any:
        t = trace.total(k, [q.coef(k)], [term(*p) for p in trace.slots.rest[k]])
        return None if t is None else zmul(t, half)

    return rule


def _careful(trace: Any, q: Any, y: Any) -> list:
    """Both branches where nobody knows whether the value is zero; only the one needed runs."""
    present = [k for k in range(trace.slots.count) if q.coef(k) is not None]
    if len(present) == 1:
        return [y.cs[0]] + [None] * trace.last
    given = [q.coef(k) for k in present]

    def regular(*cs: Any) -> tuple:
        return tuple(_regular(trace, _fill(trace, present, cs)))

    def singular(*cs: Any) -> tuple:
        return tuple(_singular(trace, _fill(trace, present, cs)))

    ys = choose(eq(q.cs[0], 0), singular, regular, *given)
    return [y.cs[0], *ys[1:]]


def _regular(trace: Any, q: list) -> list:
    y = [sqrt_p(q[0])]
    half = 0.5 / y[0]
    for k in range(1, trace.slots.count):
        rest = [y[i] * y[j] * -w for i, j, w in trace.slots.rest[k]]
        t = trace.total(k, [q[k]], rest)
        y.append(zeros_like(q[0]) if t is None else zmul(t, half))
    return y


def _singular(trace: Any, q: list) -> list:
    """Elementwise: the regular root where the value is not zero, else by the first coefficient of each variable."""
    zero = eq(q[0], 0)
    safe = _regular(trace, [where(zero, 1.0, q[0]), *q[1:]])
    moving = _moving(trace, q)
    y = [where(zero, 0.0, safe[0])]
    for index, c in zip(trace.slots.indices[1:], safe[1:], strict=True):
        still = index is not None and any(n and v not in moving for v, n in enumerate(index))
        y.append(where(zero, 0.0 if still else math.nan, c))
    if trace.collapse is None:
        for v in moving:
            ray = trace.slots.ray(v)
            root = _ray([zeros_like(q[0]) if q[k] is None else q[k] for k in ray])
            for k, c in zip(ray[1:], root[1:], strict=True):
                y[k] = where(zero, c, safe[k])
    return y


def _moving(trace: Any, cs: list) -> list[int]:
    """The variables on which a series depends."""
    present = [index for index, c in zip(trace.slots.indices, cs, strict=True) if c is not None]
    if any(index is None for index in present):
        return list(range(trace.slots.variables))
    return [v for v in range(trace.slots.variables) if any(index[v] for index in present)]


def _ray(q: list) -> list:
    """The root of a univariate series that starts at an even order, at an odd one, or beyond what is carried."""
    count = len(q)
    before = eq(q[0], 0)
    y = [zeros_like(q[0])] * count
    for n in range(1, count):
        here = logical_and(before, ne(q[n], 0))
        first = where(here, q[n], 1.0)
        if n % 2 == 0:
            root, m = _plain([first, *q[n + 1 :]]), n // 2
            late = [root[k - m] if 0 <= k - m < len(root) else math.nan for k in range(count)]
            y = [c if k < m else where(here, late[k], c) for k, c in enumerate(y)]
        else:
            y = [c if 2 * k < n else where(here, _pole(n, k) * sqrt_p(first), c) for k, c in enumerate(y)]
        before = logical_and(before, eq(q[n], 0))
    return [c if 2 * k < count else where(before, math.nan, c) for k, c in enumerate(y)]


def _pole(n: int, k: int) -> float:
    """The k-th coefficient of t^(n/2) at 0, n odd and less than 2k: infinite, of the sign of a falling factorial."""
    return math.inf * math.prod(n / 2 - j for j in range(k))


def _plain(q: list) -> list:
    y = [sqrt_p(q[0])]
    half = 0.5 / y[0]
    for k in range(1, len(q)):
        t = q[k]
        for j in range(1, k):
            t = t - y[j] * y[k - j]
        y.append(t * half)
    return y


def determined(trace: Any, x: Any, slope: Callable[[], Any], rule: Callable[[int], Any]) -> Callable[[int], Any]:
    """The rule of a function, nan where its slope is infinite and the series of its operand stands still at first.

    There 0 times infinity has a value that the carried coefficients do not give: acos(1 - t^2) starts at sqrt(2) t.
    """
    doubt: list[Any] = []

    def doubtful() -> Any:
        infinite = logical_not(isfinite(slope()))
        if not isinstance(infinite, Traced) and not np.any(infinite):
            return None
        first, later = False, False
        for k, index in enumerate(trace.slots.indices[1:], 1):
            c = x.coef(k)
            if c is None:
                continue
            if index is not None and sum(index) == 1 and not (trace.collapse and k == trace.last):
                first = logical_or(first, ne(c, 0))
            else:
                later = logical_or(later, ne(c, 0))
        return logical_and(infinite, logical_and(logical_not(first), later))

    def checked(k: int) -> Any:
        if not doubt:
            doubt.append(doubtful())
        t = rule(k)
        if doubt[0] is None or t is None:
            return t
        return where(doubt[0], math.nan, t)

    return checked


def length_rule(trace: Any, a: Any, b: Any, y: Any) -> Any:
    """Coefficients of sqrt(a a + b b); None where its value is not 0, and its derivatives serve."""
    if trace.slots.order == 1 or trace.lazy or not maybe_zero(y.cs[0]):
        return None
    cs = _Sides(trace, (a, b), y, length_p, lambda a, b: sqrt_p(a * a + b * b))
    return cs.rule(eq(y.cs[0], 0), cs.apart, cs.by_slopes)


def norm_rule(trace: Any, x: Any, y: Any, p: float, axes: tuple) -> Any:
    """Coefficients of a norm of order p: by its powers where they are in range, else by its slopes."""
    from scisim.ops._linalg.scaling import norm_p, outside, powers  # which loads with the linear algebra

    if trace.slots.order == 1 or trace.lazy:
        return None
    cs = _Sides(trace, (x,), y, lambda x, v: norm_p(x, v, p=p, axes=axes), lambda x: powers(x, p, axes))
    return cs.rule(outside(y.cs[0], p), cs.apart, cs.by_powers)


class _Sides:
    """Series of a norm whose value is known, in two ways.

    Parameters
    ----------
    trace : Taylor
    args : tuple
        The operands of the norm.
    y : Series
        Its value.
    known : callable
        ``known(*args, value)`` has the derivative of the norm; it knows no one-sided series where that is 0.
    powers : callable
        ``powers(*args)`` is the norm by powers, which may leave the range.
    """

    def __init__(self, trace: Any, args: tuple, y: Any, known: Callable, powers: Callable) -> None:
        self.trace, self.args, self.value, self.known, self.powers = trace, args, y.cs[0], known, powers
        moving = [x for x in args if trace.mine(x)]
        self.patterns = [[k for k in range(trace.slots.count) if x.coef(k) is not None] for x in moving]
        self.given = [x.coef(k) for x, p in zip(moving, self.patterns, strict=True) for k in p]

    def rule(self, condition: Any, rare: Callable, usual: Callable) -> Callable[[int], Any]:
        ys = choose(condition, rare, usual, *self.given)
        return lambda k: ys[k]

    def _coefficients(self, compute: Callable, given: tuple, lazy: int) -> tuple:
        left, trace = iter(given), self.trace
        with trace.again("norm") as t:
            new = iter([t.series(_fill(trace, p, tuple(next(left) for _ in p))) for p in self.patterns])
            t.lazy = lazy
            s = compute(*(next(new) if trace.mine(x) else x for x in self.args))
            cs = [t.coefficient(s, k) for k in range(t.slots.count)]
        return tuple(zeros_like(self.value) if c is None else c for c in cs)

    def by_slopes(self, *given: Any) -> tuple:
        return self._coefficients(lambda *a: self.known(*a, self.value), given, 1)  # where the value is 0 too

    def by_powers(self, *given: Any) -> tuple:
        return self._coefficients(self.powers, given, 0)

    def apart(self, *given: Any) -> tuple:
        """By powers where the value is 0 and the series one-sided, elsewhere by slopes."""
        zero = eq(self.value, 0)
        pairs = zip(self.by_powers(*given), self.by_slopes(*given), strict=True)
        return tuple(where(zero, r, c) for r, c in pairs)


def power_rule(trace: Any, x: Any, p: Any, y: Any) -> Any:
    """Coefficients of x^p for a constant p, from x y' = p y x': O(K^2), but 0/0 where x is 0.

    There the derivative p x^(p-1) is used as it stands, which nests powers and costs O(K^3).
    """
    if trace.slots.order == 1 or trace.lazy:
        return None
    present = [k for k in range(trace.slots.count) if x.coef(k) is not None]
    given = [x.coef(k) for k in present]

    def usual(*cs: Any) -> tuple:
        return tuple(_quick_power(trace, _fill(trace, present, cs), p))

    def rare(*cs: Any) -> tuple:
        with trace.again("power") as t:
            s = general_power(t.series(_fill(trace, present, cs)), p)
            general = [t.coefficient(s, k) for k in range(t.slots.count)]
        general = [zeros_like(cs[0]) if c is None else c for c in general]
        return tuple(_analytic_powers(trace, _fill(trace, present, cs), p, general))

    if len(present) == 1:
        return lambda k: None
    ys = choose(eq(x.cs[0], 0), rare, usual, *given)
    return lambda k: ys[k]


def _fill(trace: Any, present: list[int], cs: tuple) -> list:
    """All coefficients, None where they are zero."""
    full: list[Any] = [None] * trace.slots.count
    for k, c in zip(present, cs, strict=True):
        full[k] = c
    return full


def _analytic_powers(trace: Any, x: list, p: Any, y: list) -> list:
    """Where x starts at order n and n p is an integer, x^p is a series from n p on, exact as far as x is known."""
    if not isinstance(p, float):
        return y
    y, none = list(y), zeros_like(x[0])
    for v in range(trace.slots.variables):
        ray = trace.slots.ray(v)
        q = [none if x[k] is None else x[k] for k in ray]
        before = eq(q[0], 0)
        for n in range(1, len(q)):
            here = logical_and(before, ne(q[n], 0))
            before = logical_and(before, eq(q[n], 0))
            if (n * p).is_integer() and n * p > 0:
                root, m = _plain_power([where(here, q[n], 1.0), *q[n + 1 :]], p), int(n * p)
                for j, k in enumerate(ray[1:], 1):
                    known = 0.0 if j < m else root[j - m] if j - m < len(root) else math.nan
                    y[k] = where(here, known, y[k])
    return y


def _plain_power(q: list, p: float) -> list:
    """A power of a univariate series that does not start at zero (Euler's recurrence)."""
    y = [power_p(q[0], p)]
    for k in range(1, len(q)):
        t = 0.0
        for j in range(1, k + 1):
            t = t + (p * j - (k - j)) * (q[j] * y[k - j])
        y.append(t / (k * q[0]))
    return y


def _quick_power(trace: Any, x: list, p: Any) -> list:
    """From coefficients of x_0 (x / x_0)^p, which are in range where those of x^p are not and their slopes are."""
    v, slope = [x[0]], power_p(x[0], p - 1)
    y = [power_p(x[0], p)]
    for k in range(1, trace.slots.count):
        rest = [p * (x[i] * v[j]) * w for i, j, w in trace.slots.flow[k] if x[i] is not None]
        rest += [v[i] * x[j] * -w for i, j, w in trace.slots.flow[k] if x[j] is not None]
        past = None if not rest else sum(rest[1:], rest[0]) / x[0]
        t = trace.total(k, [None if x[k] is None else p * x[k]], [past])
        v.append(zeros_like(y[0]) if t is None else t)
        y.append(slope * v[k])
    return y


def modulus_rule(trace: Any, x: Any) -> Any:
    """Coefficients of abs of a real series: those of the series times its sign."""
    s = sign_p(x.cs[0])
    if trace.slots.order == 1 or trace.lazy or not maybe_zero(x.cs[0]):

        def rule(k: int) -> Any:
            c = x.coef(k)
            return None if c is None else zmul(s, c)

        return rule
    return _one_sided_modulus(trace, x, s)


def _one_sided_modulus(trace: Any, x: Any, s: Any) -> Any:
    """Where the value is 0 the sign is that of the first coefficient that is not, in each variable."""
    zero = eq(s, 0)
    signs = {}
    for v in _moving(trace, [x.coef(k) for k in range(trace.slots.count)]):
        signs[v] = s
        for k in trace.slots.ray(v)[1:]:
            c = x.coef(k)
            if c is not None:
                signs[v] = where(eq(signs[v], 0), sign_p(c), signs[v])

    def rule(k: int) -> Any:
        c, index = x.coef(k), trace.slots.indices[k]
        if c is None:
            return None
        if index is None or (trace.collapse is not None and k == trace.last):
            return where(zero, math.nan, zmul(s, c))  # a sum over directions, each of which may have its own sign
        mine = [signs[v] for v, n in enumerate(index) if n]
        if len(mine) == 1:
            return zmul(mine[0], c)
        # A mixed coefficient has the sign that its variables share; where they differ, or have none, it is unknown.
        high, low = mine[0], mine[0]
        for t in mine[1:]:
            high, low = maximum_p(high, t), minimum_p(low, t)
        shared = sign_p(high + low)
        return zmul(where(eq(shared, 0), math.nan, shared), c)

    return rule
