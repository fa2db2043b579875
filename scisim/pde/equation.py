"""Equations as Python functions: which arguments mean what, which partials they ask for, and their values."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scisim.autodiff.partial import Plan
from scisim.autodiff.slots import Index
from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.core.tensor import Tensor, unwrap, wrap
from scisim.core.values import name_of, shape
from scisim.pde.domain import Domain
from scisim.pde.fields import Fields, NoSuchPartialError, plain

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class Arguments:
    """A user's function, and which of its arguments are coordinates.

    Arguments named like a coordinate get its array; the others, in order, what the caller has to give.

    Attributes
    ----------
    others : tuple of str
        Names of the arguments that are no coordinates.
    """

    def __init__(self, who: str, f: Callable, names: tuple[str, ...]) -> None:
        self.who, self.f = who, f
        try:
            parameters = list(inspect.signature(f).parameters.values())
        except (TypeError, ValueError):
            raise ArgumentTypeError(
                f"{who}: the argument names of {name_of(f)} cannot be read; wrap it in a lambda"
            ) from None
        for p in parameters:
            if p.kind not in _POSITIONAL and p.default is p.empty:
                raise ArgumentTypeError(f"{who}: {name_of(f)} takes {p}; name its arguments, as in lambda u, t, x: ...")
        self.order = [p.name for p in parameters if p.kind in _POSITIONAL and p.default is p.empty]
        self.names = names
        self.others = tuple(n for n in self.order if n not in names)

    def __call__(self, others: Sequence[Any], coords: Sequence[Any]) -> Any:
        by_name, rest = dict(zip(self.names, coords, strict=True)), iter(others)
        return self.f(*(by_name[n] if n in by_name else next(rest) for n in self.order))


class Equation:
    """Residuals of a model at points, by one Taylor evaluation for all partials that they mention.

    Parameters
    ----------
    who : str
        For messages.
    domain : Domain
    count : int
        Number of fields.
    residual : callable
        ``residual(fields, coords)``, one residual or a list of them.

    Attributes
    ----------
    partials : list of str
        The partials that it mentions, for people.
    sample : list of complex
        The residuals at the middle of the domain if every partial were 1: part of the fingerprint of a problem.
    """

    def __init__(self, who: str, domain: Domain, count: int, residual: Callable) -> None:
        self.who, self.domain, self.count, self.residual = who, domain, count, residual
        asked, out = self._record()
        zero = (0,) * domain.dim
        self.plan = Plan(sorted({zero, *asked}), domain.names)
        self.partials = ["".join(n * k for n, k in zip(domain.names, a, strict=True)) or "value" for a in sorted(asked)]
        self.single = not isinstance(out, (list, tuple))
        parts = [out] if self.single else out
        for k, r in enumerate(parts):
            self._check(k, r, ())
        self.sample = [complex(r) for r in parts]

    def _record(self) -> tuple[set[Index], Any]:
        """Run the residual once where every partial is 1, to learn which ones it asks for."""
        asked: set[Index] = set()

        def lookup(k: int, index: Index) -> Any:
            asked.add(index)
            return np.ones(())

        middle = [wrap(np.asarray(c)) for c in (self.domain.lower + self.domain.upper) / 2]
        with Fields(self.who, self.domain.names, lookup) as trace, np.errstate(all="ignore"):
            out = self._run([trace.field(k, "u") for k in range(self.count)], middle)
            parts = [plain(r) for r in out] if isinstance(out, (list, tuple)) else plain(out)
        return asked, parts

    def __call__(self, u: Callable, coords: Sequence[Any]) -> list[Tensor]:
        """Residuals of ``u``, a function of the coordinates to a tuple of fields, each of the coordinates' shape."""
        coords = [c if isinstance(c, Tensor) else wrap(unwrap(c)) for c in coords]
        series = dict(zip(self.plan.indices, self.plan(u, coords, self.who), strict=True))

        def lookup(k: int, index: Index) -> Any:
            if index not in series:
                raise ArgumentError(
                    f"{self.who}: asks for a partial that it did not ask for when it was first run; it must mention "
                    f"the same partials in every call (use where instead of a Python branch)"
                )
            return series[index][k]._v

        with Fields(self.who, self.domain.names, lookup) as trace:
            out = self._run([trace.field(k, "u") for k in range(self.count)], coords)
            parts = [plain(r) for r in ([out] if self.single else out)]
        wanted = np.broadcast_shapes(*(c.shape for c in coords))
        for k, r in enumerate(parts):
            self._check(k, r, wanted)
        return parts

    def _run(self, fields: list, coords: Sequence[Any]) -> Any:
        try:
            out = self.residual(fields, coords)
        except AttributeError as error:
            name = error.name or ""
            if isinstance(error.obj, Tensor) and (name in self.domain.names or set(name) <= set(self.domain.names)):
                raise NoSuchPartialError(
                    f"{self.who}: .{name} is asked of the result of an operation, but only the fields know their "
                    f"partials; apply the product or chain rule, as in 2 * u * u.x for the x-derivative of u * u, or "
                    f"make it a field of its own with an equation"
                ) from None
            raise
        if isinstance(out, (list, tuple)) and not out:
            raise ArgumentError(f"{self.who}: it returns an empty {type(out).__name__}; return what has to vanish")
        return out

    def _check(self, k: int, r: Any, wanted: tuple[int, ...]) -> None:
        what = f"{self.who}: residual {k}" if not self.single else f"{self.who}: the residual"
        if not hasattr(r, "dtype") or r.dtype.kind not in "fc":
            kind = f"dtype {r.dtype}" if hasattr(r, "dtype") else type(r).__name__
            raise ArgumentTypeError(
                f"{what} is of {kind}; return what has to vanish, as in lambda u: u.t - u.xx (or a list of such)"
            )
        if shape(r) != wanted:
            raise ShapeError(
                f"{what} has shape {shape(r)} at points of shape {wanted}; expected one number a point. Sums over "
                f"points do not belong into an equation"
            )
