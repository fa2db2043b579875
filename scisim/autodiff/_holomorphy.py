"""An interpretation that lets only holomorphic operations act on what depends on a complex variable.

Whether an operation is holomorphic is read off its declaration.  One that takes complex numbers to real ones is not (a
holomorphic function with real values is constant), nor is the conjugate.  All other linear, bilinear and elementwise
ones are: they are complex linear, or have derivatives that multiply.  A rule that is a whole program, such as that of a
Cholesky factor or one that a user gave, is run on a marked direction: it must be complex linear in it.
"""

from __future__ import annotations

from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from scisim.autodiff._marks import HOLOMORPHIC, Mark, combined, place
from scisim.autodiff._problems import root_p
from scisim.autodiff.calls import Call, lowered
from scisim.core import hooks
from scisim.core.avals import aval
from scisim.core.capture import capture
from scisim.core.errors import DerivativeError, TraceError
from scisim.core.primitive import Primitive
from scisim.core.source import note
from scisim.core.values import Trace, Traced, dtype, inexact, is_complex, name_of, zeros_like
from scisim.ops.arithmetic import stop
from scisim.ops.complexes import conj_p
from scisim.ops.control import cond_p, transformed, unpack, while_p

_WITHIN = {
    "real": "real parts (also within abs, angle, sign, norms)",
    "imag": "imaginary parts (also within abs, angle, norms)",
    "conj": "complex conjugates",
}


class Checked(Traced):
    """A value that depends on the variable, with its mark."""

    __slots__ = ("mark", "value")
    value: Any
    mark: Mark

    @property
    def lower(self) -> Any:  # type: ignore[override]
        return self.value


class Holomorphy(Trace):
    """One run of a function that must be holomorphic.

    Two conjugates cancel: cotangents of users' rules are conjugated on their way in and out, also in derivatives that
    the function itself takes.

    Parameters
    ----------
    function : callable or str
    who : str
        The transformation, for messages.
    strict : bool
        Refuse also what has no derivative (comparisons, rounding, sorted positions) and so may decide branches.
    """

    kind: ClassVar[str] = "holomorphic derivative"

    def __init__(self, function: Any, who: str = "holomorphic", strict: bool = False) -> None:
        super().__init__(function)
        self.who, self.strict = who, strict

    def wrap(self, value: Any, mark: Mark = HOLOMORPHIC) -> Checked:
        x = Checked()
        x.trace, x.root, x.value, x.mark = self, None, value, mark
        return x

    def mark_of(self, x: Any) -> Mark | None:
        return x.mark if self.mine(x) else None

    def bare(self, x: Any) -> Any:
        return x.value if self.mine(x) else x

    # --- one primitive -------------------------------------------------------------------------------------------
    def apply(self, prim: Primitive, args: tuple, params: dict) -> Any:
        if prim.through is not None:
            return self._through(prim, args, params)
        vals = [self.bare(a) for a in args]
        out = prim(*vals, **params)
        outs = out if prim.multiple else (out,)
        marks = self._marks(prim, args, vals, params, outs)
        made = tuple(y if m is None else self.wrap(y, m) for y, m in zip(outs, marks, strict=True))
        return made if prim.multiple else made[0]

    def _marks(self, prim: Primitive, args: tuple, vals: list, params: dict, outs: tuple) -> list:
        if prim.constant:
            decides = self.strict and prim is not stop
            return [Mark(prim.name, *place()) if decides else None] * len(outs)
        live = [i for i, a in enumerate(args) if self.mine(a) and (_differentiates(prim, i) or _chooses(a))]
        if not live:
            return [None] * len(outs)
        mark = combined([args[i].mark for i in live])
        if mark.name and not mark.turned:
            return [mark] * len(outs)
        if prim is conj_p:
            return [self._conjugated(mark)]
        made: list[Mark | None] = [HOLOMORPHIC] * len(outs)
        if prim.jvp is not None and not all(i in prim.linear for i in live):
            made = _rule_marks(prim, live, vals, params, outs)
        return [self._refined(prim, mark, m, y) for m, y in zip(made, outs, strict=True)]

    def _conjugated(self, mark: Mark) -> Mark:
        return HOLOMORPHIC if mark.turned else Mark("conj", *place(), turned=True)

    def _refined(self, prim: Primitive, mark: Mark, own: Mark | None, y: Any) -> Mark | None:
        """The mark of a result: that of the operands, changed by what the operation itself does."""
        if own is None or not inexact(dtype(y)):
            return Mark(prim.name, *place()) if self.strict else None
        if own.name or not is_complex(y):
            return Mark(prim.name, *place())
        return mark

    # --- operations with bodies ----------------------------------------------------------------------------------
    def _through(self, prim: Primitive, args: tuple, params: dict) -> Any:
        if prim is root_p:
            return self._root(args, params)
        assert prim.through is not None
        outs = prim.through(self, args, params)
        decided = self._decision(prim, args, params) if self.strict else None
        return outs if decided is None else tuple(self.widen(y, decided) for y in outs)

    def _decision(self, prim: Primitive, args: tuple, params: dict) -> Mark | None:
        """The mark of what decides which branch runs, or how long a loop does."""
        if prim is cond_p:
            return self.mark_of(args[0])
        if prim is not while_p:
            return None
        flat, patterns = unpack(self, args)
        return transformed(params["test"], self, patterns, tuple(map(aval, flat)))[1][0]

    def _root(self, args: tuple, params: dict) -> tuple:
        """A root is holomorphic in the parameters if its equation is in both."""
        problem = params["problem"]
        n = problem.count
        flat, patterns = unpack(self, args)
        outs = root_p(*flat, problem=problem)
        if all(p is None for p in patterns[n:]):
            return outs
        patterns = (*(HOLOMORPHIC,) * n, *patterns[n:])
        found = transformed(problem.graph, self, patterns, tuple(map(aval, flat)))[1]
        mark = combined([m for m in found if m is not None])
        if not all(map(is_complex, outs[:n])):
            mark = Mark("implicit_root", *place())
        return (*(self.wrap(y, mark) for y in outs[:n]), *outs[n:])

    # --- results -------------------------------------------------------------------------------------------------
    def result(self, x: Any) -> Any:
        """A result of the function, as a value of lower level."""
        if self.mine(x) and x.mark.name:
            raise self.refusal(x.mark)
        return self.bare(x)

    def refusal(self, mark: Mark) -> DerivativeError:
        what = _WITHIN.get(mark.name, f"the operation '{mark.name}'")
        name = f"'{mark.name}' in {mark.within}" if mark.within not in ("", mark.name) else f"'{mark.name}'"
        error = DerivativeError(
            f"{self.who}: {name_of(self.function)} is not holomorphic: it takes {what} of values that depend on its "
            f"argument ({name}). Use complex.wirtinger for df/dz and df/dz* (complex.wirtinger_jacobian for "
            f"functions of whole arrays), or autodiff.grad for functions with real values."
        )
        note(error, name, mark.source)
        return error

    def concrete(self, x: Any) -> Any:
        if x.mark.name and self.strict:
            raise self.refusal(x.mark)
        return x.value

    def same(self, a: Any, b: Any) -> bool:
        return hooks.same(a.value, b.value)

    # What operations with bodies need; the pattern is the mark, or None for a value that does not depend.
    def unpack(self, x: Any, lead: int = 0) -> tuple[list, Any]:
        return ([x.value], x.mark) if self.mine(x) else ([x], None)

    def pack(self, values: list, pattern: Any, lead: int = 0) -> Any:
        return values[0] if pattern is None else self.wrap(values[0], pattern)

    def join(self, p: Any, q: Any) -> Any:
        return p or q if p is None or q is None else combined([p, q])

    def widen(self, x: Any, pattern: Any) -> Any:
        if pattern is None:
            return x
        return self.wrap(self.bare(x), self.join(self.mark_of(x), pattern))

    def parts(self, pattern: Any) -> int:
        return 1

    def again(self, function: Any) -> Holomorphy:
        return Holomorphy(self.function, self.who, self.strict)

    def key(self) -> Any:
        return ("holomorphic", self.strict)


def _differentiates(prim: Primitive, i: int) -> bool:
    """Whether the derivative in operand ``i`` may be other than zero."""
    if prim.jvp is not None or i in prim.linear or i in prim.bilinear:
        return True
    return bool(prim.partials and i < len(prim.partials) and prim.partials[i] is not None)


def _chooses(x: Any) -> bool:
    """Whether a value is a truth value or an index, which is marked only where the trace is strict."""
    return not inexact(dtype(x))


# --- rules that are programs -------------------------------------------------------------------------------------
MOST_KNOWN = 256  # kinds of operands remembered for each primitive
_known: WeakKeyDictionary[Primitive, dict] = WeakKeyDictionary()


def _rule_marks(prim: Primitive, live: list[int], vals: list, params: dict, outs: tuple) -> list:
    """For each result whether the rule takes a direction in these operands to it complex linearly: its mark."""
    memo = _known.setdefault(prim, {})
    key = (tuple(live), *(aval(v) if hasattr(v, "dtype") else v for v in vals), *params.items())
    try:
        known = memo.get(key)
    except TypeError:  # parameters that cannot be told apart by value
        return _run_rule(prim, live, vals, params, outs)
    if known is None:
        if len(memo) >= MOST_KNOWN:
            memo.clear()
        known = memo[key] = _run_rule(prim, live, vals, params, outs)
    return known


def _run_rule(prim: Primitive, live: list[int], vals: list, params: dict, outs: tuple) -> list:
    marks: list[Mark | None] = []

    def run(*flat: Any) -> list:
        xs, ys, left = flat[: len(vals)], flat[len(vals) : len(vals) + len(outs)], list(flat[len(vals) + len(outs) :])
        with Holomorphy(prim.name) as trace:
            directions = [trace.wrap(left.pop(0)) if i in live else None for i in range(len(xs))]
            made = prim.jvp(ys if prim.multiple else ys[0], xs, directions, **params)  # type: ignore[misc]
            parts = made if prim.multiple else (made,)
            marks[:] = list(map(trace.mark_of, parts))
            return [trace.bare(t) for t in parts if t is not None]

    flat = [*vals, *outs, *(zeros_like(vals[i]) for i in live)]
    kept = [i for i, v in enumerate(flat) if not hasattr(v, "dtype")]  # numbers of Python stay as they are

    def captured(*variables: Any) -> list:
        left = iter(variables)
        return run(*(v if i in kept else next(left) for i, v in enumerate(flat)))

    try:
        capture(captured, [v for i, v in enumerate(flat) if i not in kept], prim.name)
    except TraceError:  # a rule that reads values
        run(*flat)
    return marks


# --- calls -------------------------------------------------------------------------------------------------------
class HolomorphicCall(Call):
    """A call of a function that must be holomorphic in its complex variables.

    Attributes
    ----------
    check : bool or "strict"
    real_too : bool
        Results that are all real are let through, and ``real`` says that they are.
    """

    __slots__ = ("check", "real", "real_too")

    def __init__(self, *call: Any, check: Any = True, real_too: bool = False) -> None:
        super().__init__(*call)
        self.check, self.real_too, self.real = check, real_too, False

    def __call__(self, *vals: Any) -> list:
        if not self.check:
            return super().__call__(*vals)
        with Holomorphy(self.f, self.who, self.check == "strict") as trace:
            outs = super().__call__(*(trace.wrap(v) if is_complex(v) else v for v in vals))
            self.aux = lowered(trace, self.aux)
            self.real = self.real_too and not any(map(is_complex, outs))
            return [trace.bare(y) if self.real else trace.result(y) for y in outs]
