"""Elements found by arrays of indices: they are loaded within loops, and indices out of range are found beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scisim.compiler.cpu.access import PARTS, STORED
from scisim.compiler.lower.elements import single
from scisim.compiler.lower.steps import Cond, Host, Step
from scisim.compiler.lower.values import Values
from scisim.core.axes import whole
from scisim.core.errors import IndexRangeError
from scisim.core.graph import Equation, Var
from scisim.core.primitive import PRIMITIVES, Primitive
from scisim.core.values import dtype, shape


def _refuse(outside: Any, *ends: Any, lengths: tuple[int, ...]) -> tuple:
    """Say what is wrong with the first index that is out of range."""
    for k, n in enumerate(lengths):
        low, high = ends[2 * k], ends[2 * k + 1]
        if low < -n or high >= n:
            raise IndexRangeError(f"index: values from {low} to {high} for axis {k} of length {n}")
    return ()


outside_p = Primitive(
    "outside", _refuse, axes=whole(), infer=lambda avals, p: (), multiple=True, effect=True, register=False
)


def looked_up(eq: Equation) -> bool:
    """Whether an equation loads elements at indices within a loop."""
    if eq.prim.name != "gather" or single(eq):
        return False
    x, *indices = eq.args
    known = isinstance(x, Var) and x.dtype.name in {*STORED, *PARTS}
    return known and all(dtype(i).kind in "iu" for i in indices)


def with_checks(equations: Sequence[Equation], values: Values) -> list[Equation]:
    """The equations, and before those that look up elements such as find indices out of range."""
    out: list[Equation] = []
    for eq in equations:
        if looked_up(eq) and all((*shape(eq.outs[0]), *shape(eq.args[0]))):
            out += _checks(eq, values)
        out.append(eq)
    return out


def _checks(eq: Equation, values: Values) -> list[Equation]:
    x, *indices = eq.args
    made: list[Equation] = []
    ends: list[Any] = []
    tests: list[Var] = []
    for i, n in zip(indices, shape(x), strict=False):
        low, high = (_reduced(made, name, i) for name in ("min", "max"))
        ends += [low, high]
        if not in_range(i, n, values):
            tests.append(_made(made, "ge", (high, _number(n, i)), (), np.dtype(bool)))
            if dtype(i).kind == "i":
                tests.append(_made(made, "lt", (low, _number(-n, i)), (), np.dtype(bool)))
    if not tests:
        return []
    any_: Any = tests[0]
    for t in tests[1:]:
        any_ = _made(made, "logical_or", (any_, t), (), np.dtype(bool))
    params = {"lengths": shape(x)[: len(indices)]}
    return [*made, Equation(outside_p, (any_, *ends), params, (), eq.source)]


def _number(n: int, like: Any) -> Any:
    """A bound as wide as it needs to be."""
    return np.int64(n) if dtype(like).kind == "i" else np.uint64(n)


def _reduced(made: list[Equation], name: str, i: Any) -> Any:
    wide = np.dtype(np.int64 if dtype(i).kind == "i" else np.uint64)
    if not isinstance(i, Var):
        return np.asarray(i).astype(wide).reshape(())[()]
    if i.shape:
        i = _made(made, name, (i,), (), i.dtype, axes=tuple(range(len(i.shape))))
    return i if i.dtype == wide else _made(made, "cast", (i,), (), wide, to=wide)


def _made(made: list[Equation], name: str, args: tuple, shape_: tuple, dtype_: Any, **params: Any) -> Var:
    v = Var(None, shape_, dtype_)
    made.append(Equation(PRIMITIVES[name], args, params, (v,)))
    return v


def in_range(i: Any, n: int, values: Values) -> bool:
    """Whether indices are known and in range."""
    array = values.known(i) if isinstance(i, Var) else np.asarray(i)
    return array is not None and bool(array.size) and -n <= array.min() and array.max() < n


def refused(low: Any, eq: Equation) -> list[Step]:
    """Python raises the error where an index is out of range."""
    values = low.values
    given = [values.views[a] if isinstance(a, Var) else None for a in eq.args]
    outside = values.views[eq.args[0]]
    return [Cond(outside, [Host(eq, given, [], [])], [])]
