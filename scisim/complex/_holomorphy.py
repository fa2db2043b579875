"""An interpretation that lets only holomorphic operations act on what depends on a complex variable."""

from __future__ import annotations

from typing import Any, ClassVar

from scisim.core import hooks
from scisim.core.errors import DerivativeError
from scisim.core.primitive import Primitive
from scisim.core.values import Trace, Traced, dtype, inexact, is_complex, name_of
from scisim.ops.complexes import conj_p

_WITHIN = {
    "real": "real parts (also within abs, angle, norms)",
    "imag": "imaginary parts (also within abs, angle, norms)",
    "conj": "complex conjugates",
}


class Checked(Traced):
    """A value that depends on the variable; `blame` names the first operation on its way that is not holomorphic."""

    __slots__ = ("blame", "value")
    value: Any
    blame: str  # empty while all is well

    @property
    def lower(self) -> Any:  # type: ignore[override]
        return self.value


class Holomorphy(Trace):
    """One run of a function that must be holomorphic.

    An operation with a derivative is not holomorphic if it takes complex numbers to real ones (a holomorphic
    function with real values is constant), or conjugates.  All others are complex linear, or have derivatives
    that multiply.  Values that are not may still decide branches: comparisons have no derivative, and clear
    the blame.
    """

    kind: ClassVar[str] = "holomorphic derivative"

    def wrap(self, value: Any, blame: str = "") -> Checked:
        x = Checked()
        x.trace, x.root, x.value, x.blame = self, None, value, blame
        return x

    def apply(self, prim: Primitive, args: tuple, params: dict) -> Any:
        if prim.through is not None:
            return prim.through(self, args, params)
        out = prim(*(a.value if self.mine(a) else a for a in args), **params)
        if prim.constant:
            return out
        outs = out if prim.multiple else (out,)
        blame = next((a.blame for a in args if self.mine(a) and a.blame), "")
        if prim is conj_p or any(inexact(dtype(y)) and not is_complex(y) for y in outs):
            blame = blame or prim.name
        made = tuple(self.wrap(y, blame) for y in outs)
        return made if prim.multiple else made[0]

    def result(self, x: Any) -> Any:
        """A result of the function, as a value of lower level."""
        if not self.mine(x):
            return x
        if x.blame:
            what = _WITHIN.get(x.blame, f"the operation '{x.blame}'")
            raise DerivativeError(
                f"holomorphic: {name_of(self.function)} is not holomorphic: it takes {what} of values that depend on "
                f"its argument ('{x.blame}'). Use complex.wirtinger for df/dz and df/dz*, or autodiff.grad for "
                f"functions with real values."
            )
        return x.value

    def concrete(self, x: Any) -> Any:
        return x.value

    def same(self, a: Any, b: Any) -> bool:
        return hooks.same(a.value, b.value)

    # What operations with bodies need; the pattern is the blame, or None for a value that does not depend.
    def unpack(self, x: Any, lead: int = 0) -> tuple[list, Any]:
        return ([x.value], x.blame) if self.mine(x) else ([x], None)

    def pack(self, values: list, pattern: Any, lead: int = 0) -> Any:
        return values[0] if pattern is None else self.wrap(values[0], pattern)

    def join(self, p: Any, q: Any) -> Any:
        return q if p is None else p or q or ""

    def widen(self, x: Any, pattern: Any) -> Any:
        if pattern is None:
            return x
        return self.wrap(x.value, x.blame or pattern) if self.mine(x) else self.wrap(x, pattern)

    def parts(self, pattern: Any) -> int:
        return 1

    def again(self, function: Any) -> Holomorphy:
        return Holomorphy(self.function)

    def key(self) -> Any:
        return ("holomorphic",)
