"""Taylor series along curves: forward differentiation of any order; order 1 is jvp.

A series is a list of coefficients, each a value of lower level, None where it is identically zero.  Nothing is said
here about single functions: linear primitives act on every coefficient, bilinear ones convolve, and an elementwise
y = f(x) solves y' = f'(x) x' with f' the one expression of its declaration.  That expression is evaluated on *lazy*
series and may mention y: coefficient k of y asks for lower ones of f', which ask for lower ones of y.  So exp (f' = y),
tanh (f' = 1 - y y) and sin (f' = cos x, and cos is remembered on x) become their O(K^2) recurrences (after McIlroy,
"Squinting at power series", 1990).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from scisim.autodiff.flow import ASK, Flow
from scisim.autodiff.roots import determined, length_rule, modulus_rule, norm_rule, power_rule, root_rule
from scisim.autodiff.slots import Slots
from scisim.core import hooks
from scisim.core.batch import Batch, collect
from scisim.core.graph import is_singular, source_of
from scisim.core.primitive import Primitive
from scisim.core.values import Trace, Traced, ambient, dtype, inexact, same, shape, zeros_like
from scisim.ops.arithmetic import add, mul_p, neg, reciprocal, sub, zmul
from scisim.ops.directions import radius
from scisim.ops.elementary import near_angle
from scisim.ops.select import eq, where
from scisim.ops.shape import astype

Rule = Callable[[int], Any]


class Series(Traced):
    """A truncated power series with coefficients of lower level."""

    __slots__ = ("cs", "memo", "rule")
    cs: list
    rule: Any
    memo: dict

    @property
    def lower(self) -> Any:  # type: ignore[override]
        return self.cs[0]

    def coef(self, k: int) -> Any:
        c = self.cs[k]
        if c is ASK:
            capture = ambient.get()
            if capture is None:
                c = self._computed(k)
            else:  # what is recorded is told of the line of the value itself, whoever asks
                before, capture.source = capture.source, source_of(self.cs[0]) or capture.source
                try:
                    c = self._computed(k)
                finally:
                    capture.source = before
            self.cs[k] = c
        return c

    def _computed(self, k: int) -> Any:
        c = self.rule(k)
        return None if c is None else fitted(c, self.cs[0])


def fitted(c: Any, value: Any) -> Any:
    """A coefficient in the shape and the precision of the value, of which a Python number in a slope may differ."""
    if shape(c) != shape(value):
        c = hooks.broadcast(c, shape(value))
    have, want = dtype(c), dtype(value)
    if have != want and inexact(want) and (have.kind == "c") == (want.kind == "c"):
        return astype(c, want)
    return c


class Taylor(Trace):
    """One run of Taylor mode.

    Parameters
    ----------
    function : callable or str
    slots : Slots
        The coefficients carried.
    collapse : Batch, optional
        Directions mapped outside: those terms of the last coefficient that lack the last coefficient of an operand are
        summed over them at once, so that only the sum is carried.
    """

    kind: ClassVar[str] = "taylor"

    def __init__(self, function: Any, slots: Slots, collapse: Any = None) -> None:
        super().__init__(function)
        self.slots = slots
        self.collapse = (collapse.token, collapse.n) if isinstance(collapse, Batch) else collapse
        self.last = slots.count - 1
        self.exact = False  # until a singular primitive is met
        self.lazy = 0  # > 0 while a derivative expression is being evaluated
        self.unfinished: list[tuple[Series, Series]] = []

    def concrete(self, x: Any) -> Any:
        return x.cs[0]

    def __exit__(self, *exc: object) -> None:
        for s, x in self.unfinished:  # those of a function that raised
            s.rule, s.memo, x.memo = None, {}, {}
        self.unfinished.clear()
        super().__exit__(*exc)

    def same(self, a: Any, b: Any) -> bool:
        return a is b or all(same(a.coef(k), b.coef(k)) for k in range(self.slots.count))

    def series(self, cs: list, rule: Rule | None = None) -> Series:
        s = Series()
        s.trace, s.root, s.cs, s.rule, s.memo = self, None, cs, rule, {}
        return s

    def variable(self, value: Any, tangents: dict[int, Any]) -> Series:
        """A series with the given coefficients by slot; all others are zero."""
        return self.series([value, *(tangents.get(k) for k in range(1, self.slots.count))])

    # --- one primitive -------------------------------------------------------------------------------------------
    def apply(self, prim: Primitive, args: tuple, params: dict) -> Any:
        if prim.through is not None:
            self.exact = self.exact or is_singular(prim, params, args)
            return prim.through(self, args, params)
        if prim.series is not None and not self.lazy:
            known = prim.series(self, args, params)
            if known is not None:
                return known
        home: Any = next(filter(self.mine, args)) if self.last > 1 and not params else None
        if home is not None:
            key = (prim, *map(id, args))  # which live as long as the rule of what is remembered
            if key in home.memo:
                return home.memo[key]
        vals = [a.cs[0] if isinstance(a, Series) and a.trace is self else a for a in args]
        out = prim(*vals, **params)
        if prim.constant:
            return out
        if prim.singular and not self.exact:
            self.exact = prim.singular_at(vals)
        if self.last == 1 and not self.lazy and prim.partials and not prim.linear:
            return self._push(prim, args, vals, params, out)
        if prim.multiple:
            return self._several(prim, args, vals, params, out)
        y = self.series([out] + [ASK] * self.last)
        y.rule = self._rule(prim, args, vals, params, y)
        if home is not None:
            home.memo[key] = y
        if self.lazy:
            self.unfinished.append((y, y if home is None else home))
            return y
        return self._finish([y], args)[0]

    def _finish(self, ys: list[Series], args: tuple) -> list[Any]:
        """Compute every coefficient, then break the reference cycles of lazy series."""
        for y in ys:
            for k in range(1, self.last + 1):
                y.coef(k)
        for s, x in [*self.unfinished, *((y, y) for y in ys)]:
            s.rule, s.memo, x.memo = None, {}, {}
        self.unfinished.clear()
        for a in args:
            if isinstance(a, Series) and a.trace is self:
                a.memo = {}
        return [y if any(c is not None for c in y.cs[1:]) else y.cs[0] for y in ys]

    def _push(self, prim: Primitive, args: tuple, vals: list, params: dict, out: Any) -> Any:
        """First order of an elementwise function, without lazy series: half the time of the general path."""
        times = zmul if self.exact else mul_p
        t = None
        for a, slope in zip(args, prim.partials or (), strict=True):
            if slope is not None and self.mine(a) and a.cs[1] is not None:
                c = times(a.cs[1], slope(out, *vals, **params))
                t = c if t is None else t + c
        if t is None:
            return out
        return self.series([out, fitted(t, out)])

    def _rule(self, prim: Primitive, args: tuple, vals: list, params: dict, y: Series) -> Rule:
        rule = prim.taylor(self, args, y, **params) if prim.taylor else None
        if rule is not None:
            return rule
        if prim.jvp and not all(i in prim.linear for i, a in enumerate(args) if self.mine(a)):
            return Flow(self, prim, args, vals, params, [y]).rule(0)
        if prim.bilinear:
            return self.convolve(prim, *args, **params)
        if prim.linear and not prim.partials:
            return self._linear(prim, args, vals, params)
        return self._elementwise(prim, args, params, y)

    def _several(self, prim: Primitive, args: tuple, vals: list, params: dict, outs: tuple) -> tuple:
        ys = [self.series([o] + [ASK] * self.last) for o in outs]
        flow = Flow(self, prim, args, vals, params, ys)
        for n, y in enumerate(ys):
            y.rule = flow.rule(n)
        if self.lazy:
            self.unfinished.extend((y, y) for y in ys)
            return tuple(ys)
        return tuple(self._finish(ys, args))

    # --- the kinds of rule ---------------------------------------------------------------------------------------
    def _linear(self, prim: Primitive, args: tuple, vals: list, params: dict) -> Rule:
        def rule(k: int) -> Any:
            ts = [self.coefficient(a, k) if i in prim.linear else None for i, a in enumerate(args)]
            live = [i for i, t in enumerate(ts) if t is not None]
            if not live:
                return None
            if len(live) == 1 and prim in (add, sub):
                t = ts[live[0]]
                return neg(t) if prim is sub and live == [1] else t
            filled = [
                (zeros_like(v) if hasattr(v, "dtype") else 0.0) if t is None and i in prim.linear else t
                for i, (t, v) in enumerate(zip(ts, vals, strict=True))
            ]
            return prim(*(t if i in prim.linear else v for i, (t, v) in enumerate(zip(filled, vals))), **params)

        return rule

    def convolve(self, prim: Primitive, a: Any, b: Any, *fixed: Any, **params: Any) -> Rule:
        """Coefficients of a product of two operands; further ones, such as indices, have no derivative."""

        def term(i: int, j: int, w: float = 1.0) -> Any:
            x, y = self.coefficient(a, i), self.coefficient(b, j)
            if x is None or y is None:
                return None
            t = (prim.exact if self.exact and prim.exact else prim)(x, y, *fixed, **params)
            return t if w == 1.0 else t * w

        def square(k: int) -> Any:
            pairs = [(i, j, w if i == j else 2 * w) for i, j, w in self.slots.rest[k] if i <= j]
            return self.total(k, [term(0, k, 2.0)], [term(*p) for p in pairs])

        def rule(k: int) -> Any:
            return self.total(k, [term(0, k), term(k, 0)], [term(*p) for p in self.slots.rest[k]])

        return square if a is b and prim.axes.core == 0 else rule

    def _elementwise(self, prim: Primitive, args: tuple, params: dict, y: Series) -> Rule:
        """y_k from y' = f'(x) x', a sum over the operands."""
        partials: Any = prim.partials or ()
        own = [i for i, a in enumerate(args) if self.mine(a) and partials[i]]
        slopes: dict[int, Any] = {}

        def slope(i: int, k: int) -> Any:
            if i not in slopes:
                slopes[i] = self.lazily(lambda: partials[i](y, *args, **params))
            return self.coefficient(slopes[i], k)

        def term(i: int, j: int, k: int, w: float) -> Any:
            x = args[i].coef(j)
            s = None if x is None else slope(i, k)
            if s is None:
                return None
            return (zmul if self.exact else mul_p)(x if w == 1.0 else x * w, s)

        def rule(k: int) -> Any:
            rest = [term(i, *f) for i in own for f in self.slots.flow[k]]
            return self.total(k, [term(i, k, 0, 1.0) for i in own], rest)

        if prim.pole and self.slots.order > 1 and not self.lazy:
            return determined(self, args[0], lambda: slope(0, 0), rule)
        return rule

    def quotient(self, a: Any, b: Any, y: Series) -> Rule:
        """a = y b, solved for the last coefficient of y."""
        inverse = reciprocal(self.coefficient(b, 0))

        def term(j: int, i: int, w: float = 1.0) -> Any:
            x, q = self.coefficient(b, j), y.coef(i)
            return None if x is None or q is None else zmul(x, q) * -w

        def rule(k: int) -> Any:
            rest = [term(*p) for p in self.slots.rest[k]] if self.mine(b) else []
            t = self.total(k, [self.coefficient(a, k), term(k, 0) if self.mine(b) else None], rest)
            return None if t is None else zmul(t, inverse)

        return rule

    def root(self, q: Any, y: Series) -> Rule:
        """y y = q; see `roots` for what happens at a zero of q."""
        return root_rule(self, q, y)

    def power(self, x: Any, p: Any, y: Series) -> Rule | None:
        """x^p for a constant p; None where the general rule serves."""
        return None if self.mine(p) or not self.mine(x) else power_rule(self, x, p, y)

    def angle(self, b: Any, a: Any, z: Series) -> Rule | None:
        """atan2(b, a): that of the point over its distance from the origin, which is as good as constant."""
        if self.last == 1:
            return None
        h = radius(self.coefficient(b, 0), self.coefficient(a, 0))
        far = where(eq(h, 0), 1.0, h)
        point = self.lazily(lambda: (b / far, a / far))
        return self._elementwise(near_angle, point, {}, z)

    def length(self, a: Any, b: Any, y: Series) -> Rule | None:
        """sqrt(a a + b b); None where the general rule serves."""
        return length_rule(self, a, b, y)

    def norm(self, x: Any, y: Series, p: float, axes: tuple) -> Rule | None:
        """The norm of order p; None where the general rule serves."""
        return norm_rule(self, x, y, p, axes)

    def modulus(self, x: Any) -> Rule:
        """abs of a real series: its sign is that of the first coefficient that is not zero."""
        return modulus_rule(self, x)

    # --- helpers -------------------------------------------------------------------------------------------------
    def lazily(self, build: Callable[[], Any]) -> Any:
        """Evaluate an expression whose coefficients are computed when asked for."""
        self.lazy += 1
        try:
            return build()
        finally:
            self.lazy -= 1

    def coefficient(self, a: Any, k: int) -> Any:
        if isinstance(a, Series) and a.trace is self:
            return a.coef(k)
        return a if k == 0 else None

    def total(self, k: int, direct: list, rest: list) -> Any:
        """Sum of the terms of coefficient k; ``rest`` lacks the last coefficient of every operand."""
        r = sum_terms(rest)
        if r is not None and self.collapse is not None and k == self.last:
            r = self.gathered(r)
        return sum_terms([*direct, r])

    def gathered(self, x: Any) -> Any:
        """The sum over the mapped directions."""
        token, n = self.collapse
        return collect(x, axis=token, n=n)

    # What operations with bodies need.
    def unpack(self, x: Any, lead: int = 0) -> tuple[list, Any]:
        if not self.mine(x):
            return [x], (True,)
        cs = [x.coef(k) for k in range(self.slots.count)]
        pattern = tuple(c is not None for c in cs)
        return [c for c in cs if c is not None], pattern

    def pack(self, values: list, pattern: Any, lead: int = 0) -> Any:
        if len(pattern) == 1:
            return values[0]
        left = iter(values)
        return self.series([next(left) if p else None for p in pattern])

    def join(self, p: Any, q: Any) -> Any:
        if len(p) == 1 or len(q) == 1:
            return q if len(p) == 1 else p
        return tuple(a or b for a, b in zip(p, q, strict=True))

    def widen(self, x: Any, pattern: Any) -> Any:
        if len(pattern) == 1:
            return x
        cs = [self.coefficient(x, k) for k in range(self.slots.count)]
        return self.series([zeros_like(x) if c is None and p else c for c, p in zip(cs, pattern, strict=True)])

    def parts(self, pattern: Any) -> int:
        return sum(pattern)

    def again(self, function: Any) -> Taylor:
        t = Taylor(function, self.slots, self.collapse)
        t.exact = self.exact
        return t

    def key(self) -> Any:
        return ("taylor", self.slots.key, self.exact, self.collapse)


def sum_terms(terms: list) -> Any:
    s = None
    for t in terms:
        if t is not None:
            s = t if s is None else s + t
    return s
