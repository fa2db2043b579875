"""An integral over an interval: its limits as values, and the ways to compute it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scisim.core import pytree
from scisim.core.batch import Batch
from scisim.core.errors import ArgumentError
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import Traced, as_value, check_function, inexact, is_complex, shape
from scisim.integrate._bounded_panels import bounded_quad
from scisim.integrate._panels import COUNT, Integrand, Line, again, check_scalar, check_settings, divide, moved
from scisim.ops.shape import astype

NORMS: dict[str, Callable] = {
    "2": lambda x: abs(x) if x.ndim == 0 else math.sqrt(np.vdot(x, x).real),
    "max": lambda x: float(np.max(np.abs(x), initial=0.0)),
}
MOST_BOUNDED = 256


class IntegrationWarning(UserWarning):
    """An integral did not reach the tolerance that was asked."""


class Integral:
    """An integral over an interval: its limits as values, and the ways to compute it."""

    def __init__(self, who: str, f: Callable, a: Any, b: Any, args: Any, points: Any, single: bool = False) -> None:
        check_function(who, f)
        args = args if isinstance(args, (tuple, list)) else (args,)
        self.who, self.args = who, tuple(args)
        self.norm, self.scalar, self.real = NORMS["2"], False, False
        self.f = Integrand(who, f, self.args, single)
        ends = [limit_of(who, name, v) for name, v in (("a", a), ("b", b))]
        kinds = [v.dtype for v, x in zip(ends, (a, b), strict=True) if type(x) not in (int, float)]
        self.dtype = np.result_type(*(d if inexact(d) else np.float64 for d in kinds)) if kinds else np.dtype(float)
        self.a, self.b = (astype(v, self.dtype) for v in ends)
        self.kind, self.origin, self.sign, self.cuts = self._line(points)

    def _line(self, points: Any) -> tuple[str, Any, float, list]:
        """The kind of interval, its finite end, a sign, and where panels end."""
        a, b, zero, one = self.a, self.b, self.dtype.type(0), self.dtype.type(1)
        low, high = (infinite(v) for v in (a, b))
        if not low and not high:
            return "finite", zero, 1.0, [a, *self._between(points), b]
        if points is not None:
            raise ArgumentError(f"{self.who}: points is for finite limits; split the integral at them instead")
        if low and high:
            return ("all", zero, low * -1.0, [zero, one]) if low != high else ("finite", zero, 1.0, [zero, zero])
        if high:
            return ("above", a, 1.0, [zero, one]) if high > 0 else ("below", a, -1.0, [zero, one])
        return ("below", b, 1.0, [zero, one]) if low < 0 else ("above", b, -1.0, [zero, one])

    def _between(self, points: Any) -> list:
        if points is None:
            return []
        ends = [float(v) if not isinstance(v, Traced) else None for v in (self.a, self.b)]
        inside = sorted({float(p) for p in points})
        if None not in ends:
            low, high = min(ends), max(ends)  # type: ignore[type-var]
            outside = [p for p in inside if not low <= p <= high]  # type: ignore[operator]
            if outside:
                raise ArgumentError(
                    f"{self.who}: points holds {outside[0]:g}, outside of the limits {low:g} and {high:g}"
                )
            inside = [p for p in inside if low < p < high]  # type: ignore[operator]
            inside = inside[::-1] if ends[0] > ends[1] else inside  # type: ignore[operator]
        return [self.dtype.type(p) for p in inside]

    def _ends(self, f: Callable, cuts: Sequence[Any], origin: Any) -> Any:
        """What moving ends add: 0, with derivatives."""
        if self.kind == "all":
            return 0.0
        if self.kind == "finite":
            upper, lower = ([moved(f, v)] if isinstance(v, Traced) else [] for v in (cuts[-1], cuts[0]))
            return (upper[0] if upper else 0.0) - (lower[0] if lower else 0.0)
        if not isinstance(origin, Traced):
            return 0.0
        return moved(f, origin) * (1.0 if self.kind == "below" else -1.0)

    def solve(self, epsabs: Any, epsrel: Any, limit: int) -> tuple[Tensor, Any]:
        """The integral and the estimate of its error."""
        check_settings(self.who, epsabs, epsrel, limit)
        epsrel = max(float(epsrel), 50 * float(np.finfo(np.zeros((), self.dtype).dtype).eps))
        leaves = [x._v if type(x) is Tensor else x for x in pytree.tree_leaves(self.args)]
        given = [self.a, self.b, *leaves]
        if any(map(unknown, given)):
            return self._bounded(float(epsabs), epsrel, limit)
        centre = self.dtype.type(0.5) * (_base(self.cuts[0]) + _base(self.cuts[-1]))
        probe = Line(self.kind, self.origin)(self.f, np.full(1 if self.f.how else COUNT, centre))
        if unknown(probe):
            return self._bounded(float(epsabs), epsrel, limit)
        self.real = probe.dtype == self.dtype == np.float64
        if self.scalar:
            check_scalar(self.who, self.f.name, probe)
        traced = any(isinstance(v, Traced) for v in (*given, probe))
        return self._known(float(epsabs), epsrel, limit, traced)

    def _known(self, epsabs: float, epsrel: float, limit: int, traced: bool) -> tuple[Tensor, Any]:
        bare: Callable = (lambda x: np.asarray(_base(self.f(x)))) if traced else self.f.plain()
        simple = not traced and self.kind == "finite" and self.f.how == "whole" and self.real
        line = Line("plain" if simple else self.kind, _base(self.origin))
        cuts = [_base(c) for c in self.cuts]
        with np.errstate(all="ignore"):
            found = divide(bare, line, cuts, self.norm, epsabs, epsrel, limit, len(cuts) == 2 and self.f.how != "each")
        if not found.good:
            warnings.warn(
                f"{self.who}: {len(found.panels)} panels leave an error of about {found.error:.3g}, more than asked; "
                f"give points where the integrand is not smooth, raise limit, or ask for less",
                IntegrationWarning,
                stacklevel=4,
            )
        whole = found.integral
        if traced:
            whole = again(self.f, line, found) + self._ends(self.f, self.cuts, self.origin)
        return wrap(whole if self.sign > 0 else -whole), found.error

    def _bounded(self, epsabs: float, epsrel: float, limit: int) -> tuple[Tensor, Any]:
        whole, error, _ = bounded_quad(
            self.f,
            self.kind,
            self.cuts,
            self.origin,
            self._ends,
            (epsabs, epsrel),
            min(limit, MOST_BOUNDED),
            self.dtype,
        )
        return wrap(whole if self.sign > 0 else -whole), wrap(error)


def _base(x: Any) -> Any:
    while isinstance(x, Traced):
        x = x.lower
    return x


def unknown(x: Any) -> bool:
    """Whether a value is a variable of a program, or a batch of values."""
    while isinstance(x, Traced):
        if isinstance(x.trace, Batch) or x.lower is None:
            return True
        x = x.lower
    return False


def limit_of(who: str, name: str, x: Any) -> Any:
    v = x._v if type(x) is Tensor else as_value(x)
    if shape(v) != () or is_complex(v):
        raise ArgumentError(f"{who}: {name} is {x!r:.60}; expected one real number")
    if not isinstance(v, Traced) and v != v:
        raise ArgumentError(f"{who}: {name} is nan; expected a number or infinity")
    return v


def infinite(v: Any) -> int:
    """The sign of a limit that is known to be infinite, else 0."""
    v = None if unknown(v) else _base(v)
    return 0 if v is None or not math.isinf(v) else int(math.copysign(1, v))
