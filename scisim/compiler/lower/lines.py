"""Operations that a C library computes line by line, as calls within regions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from scisim.compiler.cpu.lines import LinesCall
from scisim.compiler.cpu.products_transpose import Transpose
from scisim.compiler.lower.calls import Call, Extent, Held, address
from scisim.compiler.lower.layout import View
from scisim.core.avals import aval
from scisim.core.graph import Equation, Var
from scisim.core.lines import Lines, Steps


def by_lines(eq: Equation) -> bool:
    """Whether a library's function computes an equation."""
    return eq.prim.lines is not None and _found(eq) is not None


def _found(eq: Equation) -> Lines | None:
    assert eq.prim.lines is not None
    return eq.prim.lines(tuple(map(aval, eq.args)), eq.params)


def lines(block: Any, eq: Equation) -> None:
    """The call of one equation, for the lines of a tile.

    One axis is left to the function: the one across which lines are nearest.  Loops go over the others.
    """
    (x,), (v,) = eq.args, eq.outs
    found, view, to, cut = _found(eq), block.view(x), block.local[v], block.position(v)
    assert found is not None
    axis = found.axis % len(v.shape)
    others = [k for k, n in enumerate(v.shape) if k != axis and n > 1]
    across = min(others, key=lambda k: (to.strides[k], -v.shape[k]), default=None)
    count = 1 if across is None else v.shape[across]
    rest, tiled = count, across is not None and across == cut
    if tiled:
        count, rest = block.tile, count % block.tile or block.tile
    steps = [Steps(a.strides[axis], 0 if across is None else a.strides[across]) for a in (view, to)]
    handles = [found.handle(n, *steps) for n in dict.fromkeys((count, rest))]
    length = Extent(0, 1) if tiled else Extent(count)
    known = (count, found.function, handles[0].address, handles[-1].address, block.values.status.ctypes.data)
    numbers = [Extent(n) for n in known]
    loops = [k for k in others if k != across]
    args: list[Any] = [length, *numbers, address(view), address(to), *_moves(v, loops, cut, (view, to))]
    held, work = Held(found, tuple(handles)), _work(v, axis, cut)
    block.calls.append(Call(LinesCall(len(loops)), args, eq.prim.name, held=held, work=work))


def _work(v: Var, axis: int, cut: int | None) -> Extent:
    """An estimate, as of a Fourier transform."""
    per_line = int(5 * v.shape[axis] * math.log2(max(v.shape[axis], 2)))
    lines = math.prod(n for k, n in enumerate(v.shape) if k not in (axis, cut))
    return Extent(0, lines * per_line) if cut is not None else Extent(lines * per_line)


def turn(block: Any, eq: Equation) -> None:
    """An axis exchanged with the last: matrices transposed."""
    (x,), (v,) = eq.args, eq.outs
    view, to, cut, last = block.view(x), block.local[v], block.position(v), len(v.shape) - 1
    axis = len(v.shape) + eq.params["axis"]
    loops = [k for k in range(last) if k != axis and v.shape[k] > 1]
    rows, columns = (Extent(0, 1) if k == cut else Extent(v.shape[k]) for k in (last, axis))
    args: list[Any] = [rows, columns, address(view), Extent(view.strides[axis]), address(to), Extent(to.strides[axis])]
    kernel = Transpose(v.dtype.name, cut == last, len(loops))
    block.calls.append(Call(kernel, [*args, *_moves(v, loops, cut, (view, to))], eq.prim.name))


def _moves(v: Var, loops: list[int], cut: int | None, views: Iterable[View]) -> list[Extent]:
    """Loops over further axes: the extent of each, and how many bytes arrays move."""
    out = []
    for k in loops:
        out.append(Extent(0, 1) if k == cut else Extent(v.shape[k]))
        out += [Extent(a.strides[k] * a.buffer.dtype.itemsize) for a in views]
    return out


def beside(equations: list[Equation], classes: Any, native: Any) -> Mapping[int, int]:
    """The classes along which to cut what is beside lines, by the ids of equations: those along which lines are cut.

    What is turned goes with the lines that read it: reads that are far apart cost less than such writes.
    """
    found: dict[Var, int] = {}
    made = {v: eq for eq in equations for v in eq.outs}
    for eq in equations:
        if eq.prim.lines is not None and native(eq):
            cls = classes.candidate(eq)
            x = made.get(eq.args[0])
            if x is not None and x.prim.name == "turn" and cls is not None:
                found[eq.args[0]] = cls
            found.update({} if cls is None else dict.fromkeys(eq.outs, cls))
        else:
            _follow(eq, eq.args, eq.outs, found, classes)
    for eq in reversed(equations):
        _follow(eq, eq.outs, [a for a in eq.args if isinstance(a, Var)], found, classes)
    chosen = {id(eq): (eq, found[eq.outs[0]]) for eq in equations if _follows(eq) and eq.outs[0] in found}
    return {key: cls for key, (eq, cls) in chosen.items() if classes.legal(eq, cls)}


def _follows(eq: Equation) -> bool:
    return eq.prim.scalar is not None or eq.prim.name == "turn"


def _follow(eq: Equation, given: Iterable, to: Iterable[Var], found: dict[Var, int], classes: Any) -> None:
    """What an equation makes element by element, or what it takes, is cut like what is known of it."""
    if not (_follows(eq) or eq.prim.lines is not None) or all(v in found for v in to):
        return
    cls = next((found[v] for v in given if isinstance(v, Var) and v in found), None)
    if cls is not None and classes.legal(eq, cls):
        for v in to:
            if classes.position(v, cls) is not None:
                found.setdefault(v, cls)


def balanced(tile: int, extent: int, threads: int) -> int:
    """Tiles not longer, as many for each thread, all of one length but the last."""
    each = -(-extent // (threads * tile))
    return -(-extent // (threads * each))
