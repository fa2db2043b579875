"""Elements at arrays of indices.

They are loaded within loops, and indices out of range are found beforehand; a kernel of its own replaces them or adds
to them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from scisim.compiler.cpu.access import PARTS, STORED
from scisim.compiler.cpu.scatter import Scatter, adds
from scisim.compiler.lower.calls import Address, Call, Extent
from scisim.compiler.lower.elements import single
from scisim.compiler.lower.flat import Flat
from scisim.compiler.lower.steps import Cond, Host, Region, Step
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


def scatter(low: Any, eq: Equation) -> list[Step] | None:
    """A copy of an array, rows of which are replaced or added to, in the order of their indices."""
    if not _rows(eq):
        return None
    values, (x, u, *indices), v = low.values, eq.args, eq.outs[0]
    flat = Flat(values)
    copy = flat.copy(x, v)
    to = values.views[copy] = values.whole(v)
    outside = values.array(Var(None, (), np.dtype(bool))).view()
    unit, lead = 2 if v.dtype.kind == "c" else 1, len(shape(indices[0]))
    source = values.stored(u, v.dtype)
    args: list[Any] = [Extent(math.prod(shape(indices[0]))), Extent(math.prod(shape(u)[lead:]) * unit)]
    args += [Address(view, view.offset, 0) for view in (to, source, outside)]
    for i, n, step in zip(indices, v.shape, to.strides, strict=False):
        view = values.stored(i, dtype(i))
        args += [Address(view, view.offset, 0), Extent(n), Extent(step * unit)]
    kernel = Scatter(v.dtype.name, eq.params["how"] == "add", tuple(dtype(i).name for i in indices))
    given = [values.views[a] if isinstance(a, Var) else None for a in eq.args]
    wrong = Cond(outside, [Host(eq, given, [None], [None])], [])
    return [*low.body(flat, [copy]), Region([Call(kernel, args, "scatter")]), wrong]


def _rows(eq: Equation) -> bool:
    """Whether the updates are rows, one for each place that arrays of one shape name."""
    x, u, *indices = eq.args
    v, lead = eq.outs[0], shape(indices[0])
    alike = all(shape(i) == lead and dtype(i).kind in "iu" and isinstance(i, Var) for i in indices)
    rows = shape(u) == (*lead, *v.shape[len(indices) :]) and isinstance(u, Var) and isinstance(x, Var)
    known = dtype(x) == dtype(u) == v.dtype and v.dtype.name in {*STORED, *PARTS}
    return alike and rows and known and 0 not in (*v.shape, *lead) and (eq.params["how"] == "set" or adds(v.dtype.name))
