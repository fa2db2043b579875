"""Batching (vmap): a value carries one mapped axis, always axis 0 of the value inside."""

from __future__ import annotations

from typing import Any, ClassVar

from scisim.core import hooks
from scisim.core.axes import ELEMENTWISE
from scisim.core.primitive import Primitive
from scisim.core.values import Trace, Traced, shape


class Batched(Traced):
    """A value with a mapped axis, which its shape does not show."""

    __slots__ = ("value",)
    value: Any

    @property
    def lower(self) -> Any:  # type: ignore[override]
        return self.value

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape[1:]


class Batch(Trace):
    """One run of vmap over an axis of length ``n``."""

    kind: ClassVar[str] = "vmap"

    def __init__(self, function: Any, n: int) -> None:
        super().__init__(function)
        self.n = n
        self.token = self.level  # what `collect` names; kept when the trace is made again for a body

    def wrap(self, value: Any) -> Batched:
        x = Batched()
        x.trace, x.root, x.value = self, None, value
        return x

    def apply(self, prim: Primitive, args: tuple, params: dict) -> Any:
        if prim.through is not None:
            return prim.through(self, args, params)
        mapped = [self.mine(a) for a in args]
        vals = [a.value if m else a for a, m in zip(args, mapped, strict=True)]
        if prim.batch is not None:
            out = prim.batch(self, prim, vals, mapped, params)
        elif prim.axes.broadcasts:
            out = prim(*align(vals, mapped, prim.axes.core), **prim.axes.lift(self.n, params))
        else:
            vals = [v if m else self.spread(v) for v, m in zip(vals, mapped, strict=True)]
            out = prim(*vals, **prim.axes.lift(self.n, params))
        return tuple(map(self.wrap, out)) if prim.multiple else self.wrap(out)

    def spread(self, value: Any) -> Any:
        """A constant, repeated along the mapped axis (without memory)."""
        return hooks.broadcast(value, (self.n, *shape(value)))

    def materialize(self, x: Any) -> Any:
        """The value of lower level with the mapped axis in front."""
        return x.value if self.mine(x) else self.spread(x)

    def same(self, a: Traced, b: Traced) -> bool:
        return hooks.same(a.lower, b.lower)

    # What operations with bodies need: a traced value as values of lower level, and back.
    def unpack(self, x: Any, lead: int = 0) -> tuple[list, Any]:
        """Values of lower level and the pattern to `pack` them; the mapped axis goes to position ``lead``."""
        if not self.mine(x):
            return [x], False
        return [hooks.moveaxis(x.value, 0, lead) if lead else x.value], True

    def pack(self, values: list, pattern: Any, lead: int = 0) -> Any:
        (v,) = values
        if not pattern:
            return v
        return self.wrap(hooks.moveaxis(v, lead, 0) if lead else v)

    def join(self, p: Any, q: Any) -> Any:
        """The least pattern that holds both."""
        return p or q

    def widen(self, x: Any, pattern: Any) -> Any:
        """The value with (at least) the given pattern."""
        return x if self.mine(x) or not pattern else self.wrap(self.spread(x))

    def parts(self, pattern: Any) -> int:
        """How many values of lower level a pattern has."""
        return 1

    def again(self, function: Any) -> Batch:
        """A trace of the same kind for running a body."""
        b = Batch(function, self.n)
        b.token = self.token
        return b

    def key(self) -> Any:
        """What a derived graph depends on besides patterns."""
        return ("vmap", self.n, self.token)


def align(vals: list, mapped: list[bool], core: int) -> list:
    """Mapped operands get axes of length one after the mapped axis, so that all broadcast from the right."""
    rank = max(len(shape(v)) - m for v, m in zip(vals, mapped, strict=True))
    out = []
    for v, m in zip(vals, mapped, strict=True):
        s = shape(v)
        if m and len(s) - 1 < rank and rank > core:
            v = hooks.reshape(v, (s[0],) + (1,) * (rank + 1 - len(s)) + s[1:])
        out.append(v)
    return out


def _collect_through(trace: Any, args: tuple, p: dict) -> Any:
    (x,) = args
    parts, pattern = trace.unpack(x)
    if isinstance(trace, Batch) and trace.token == p["axis"]:
        return hooks.sum_leading(parts[0])
    return trace.pack([collect(v, **p) for v in parts], pattern)


def _is_mapped(x: Any, token: int) -> bool:
    while isinstance(x, Traced):
        if isinstance(x.trace, Batch) and x.trace.token == token:
            return True
        x = x.lower
    return False


# The sum over a mapped axis, named by the token of its trace; a value that is not mapped counts n times.
collect = Primitive(
    "collect",
    lambda x, axis, n: x * n,
    axes=ELEMENTWISE,
    linear=(0,),
    transpose=lambda i, ct, args, p: ct if _is_mapped(args[0], p["axis"]) else ct * p["n"],
    through=_collect_through,
)
