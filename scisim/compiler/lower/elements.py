"""Reading and replacing a part of an array whose indices are single numbers, known only when the program runs.

The part is where a slot points to: it is not copied.  An array that a loop carries only to replace parts of it is
replaced in place (`in_place`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from scisim.compiler.cpu.access import PARTS, STORED
from scisim.compiler.cpu.locate import Locate
from scisim.compiler.lower.calls import Address, Call, Extent
from scisim.compiler.lower.flat import Flat
from scisim.compiler.lower.layout import View
from scisim.compiler.lower.memory import behind
from scisim.compiler.lower.steps import Cond, Host, Load, Region, Step
from scisim.core.graph import Equation, Var
from scisim.core.values import dtype, shape
from scisim.ops.arithmetic import add


def single(eq: Equation) -> bool:
    """Whether an equation reads or replaces one part at indices that are numbers."""
    if eq.prim.name not in ("gather", "scatter"):
        return False
    x, *rest = eq.args
    indices = rest if eq.prim.name == "gather" else rest[1:]
    kinds = {dtype(a).name for a in (*eq.outs, *eq.args[: len(eq.args) - len(indices)])}
    plain = isinstance(x, Var) and kinds <= {*STORED, *PARTS} and len(kinds) == 1 and 0 not in x.shape
    return plain and all(shape(i) == () and dtype(i).kind in "iu" for i in indices)


def gather(low: Any, eq: Equation) -> list[Step] | None:
    """x[i]: what a slot points to; copied where that has a place of its own, or may change."""
    if not single(eq):
        return None
    values, (x, *indices), v = low.values, eq.args, eq.outs[0]
    steps, row = _located(low, eq, values.views[x], indices, v.shape)
    if v not in values.views and x not in values.changing:
        values.views[v] = values.views[row]
        return steps
    return [*steps, *_copied(low, row, v)]


def scatter(low: Any, eq: Equation) -> list[Step] | None:
    """A copy of x, unless x itself may be written to, and the part of it that is replaced or added to."""
    if not single(eq):
        return None
    values, (x, u, *indices), v = low.values, eq.args, eq.outs[0]
    same = x in values.changing and v in values.changing
    before = [] if same else _copied(low, x, v)
    steps, row = _located(low, eq, values.whole(v), indices, v.shape[len(indices) :])
    flat = Flat(values)
    if eq.params["how"] == "add":
        new = Var(None, row.shape, row.dtype)
        flat.equations.append(Equation(add, (row, u), {}, (new,)))
    else:
        new = flat.copy(u, row)
    values.views[new] = values.views[row]
    return [*before, *steps, *low.body(flat, [new])]


def _copied(low: Any, x: Var, v: Var) -> list[Step]:
    flat = Flat(low.values)
    made = flat.copy(x, x)
    low.values.views[made] = low.values.whole(v)
    return low.body(flat, [made])


def _located(low: Any, eq: Equation, x: View, indices: Sequence[Any], part: tuple[int, ...]) -> tuple[list[Step], Var]:
    """Steps that point at a part of an array, and its variable; Python says what is wrong with an index."""
    values = low.values
    row = values.pointer(part, x.buffer.dtype)
    values.views[row].buffer.behind |= behind(x.buffer)
    place = values.array(Var(None, (), np.dtype("int64"))).view()
    outside = values.array(Var(None, (), np.dtype(bool))).view()
    args: list[Any] = [Address(v, v.offset, 0) for v in (place, outside, x)]
    for i, n, step in zip(indices, x.buffer.shape, x.strides, strict=False):
        view = values.stored(i, dtype(i))
        args += [Address(view, view.offset, 0), Extent(n), Extent(step * x.buffer.dtype.itemsize)]
    kernel = Locate(tuple(dtype(i).name for i in indices))
    given = [values.views[a] if isinstance(a, Var) else None for a in eq.args]
    wrong = Host(eq, given, [None], [None])
    find = Region([Call(kernel, args, eq.prim.name)])
    return [find, Cond(outside, [wrong], []), Load(values.slot_of(row), place)], row


def in_place(flat: Flat, now: Var, outs: Sequence[Any]) -> list[Var]:
    """The values that an array takes in an iteration, if it is only changed part by part: it may stay where it is.

    Parts of it that are read on the way are read before the next change.

    Parameters
    ----------
    flat : Flat
        The body.
    now : Var
        The carried array.
    outs : sequence
        Results of the body.
    """
    readers: dict[Var, list[Equation]] = defaultdict(list)
    for eq in flat.equations:
        for a in {a for a in eq.args if isinstance(a, Var)}:
            readers[a].append(eq)
    count = {v: sum(o is v for o in outs) for v in outs if isinstance(v, Var)}
    chain, waits = [now], []
    while chain[-1] not in count:
        following = _change(readers[chain[-1]], chain[-1])
        if following is None:
            return []
        waits.append((following, readers[chain[-1]]))
        chain.append(following.outs[0])
    if len(chain) == 1 or count[chain[-1]] != 1 or any(v in flat.values.views for v in chain[1:]):
        return []
    for following, others in waits:
        before = tuple(v for eq in others if eq is not following for v in eq.outs)
        flat.after[id(following)] = (*flat.after.get(id(following), ()), *before)
    return chain[1:]


def _change(readers: list[Equation], x: Var) -> Equation | None:
    """The one equation that changes an array, if all others read single parts of it."""
    alone = all(single(eq) and eq.args[0] is x and not any(a is x for a in eq.args[1:]) for eq in readers)
    changes = [eq for eq in readers if eq.prim.name == "scatter"]
    return changes[0] if alone and len(changes) == 1 else None
