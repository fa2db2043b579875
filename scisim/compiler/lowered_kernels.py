"""What a call of a kernel computes, and an estimate of its work."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from scisim.compiler.lower import roots
from scisim.compiler.lower.calls import Address, Call, Extent
from scisim.compiler.lowered_text import amount, short
from scisim.core.graph import Equation, Var
from scisim.core.source import Source, Told

# What is no arithmetic among the operations of a loop.
_FREE = {"const", "load", "index", "cast", "bitcast", "select"}
_OPERATIONS_A_BYTE = 4  # where arithmetic takes as long as memory, about


class Kernel:
    """One call of a kernel in a program.

    Attributes
    ----------
    name : str
    computes : str
        The operations of the graph that it computes.
    lines : list of Source
        The lines of the user that these come from.
    weights : list of float
        The share of each line in the work of the kernel.
    loads, stores : int
        Arrays that it reads and writes.
    flops, bytes : float
        Arithmetic operations and bytes of memory touched, in all tiles; estimates.
    share : float
        Of the estimated work of the program.
    """

    def __init__(self, call: Call, extent: int, tile: int, times: int) -> None:
        self.name, self.share = call.kernel.name, 0.0
        equations = list(computed(call))
        self.computes = _names(equations) or call.note
        self.lines, self.weights = _lines(equations)
        length = min(tile, extent) or 1
        tiles = times * max(extent / length, 1)
        addresses = [a for a in call.args if isinstance(a, Address)]
        self.stores = len(getattr(call.kernel, "stores", (None,)))
        self.loads = len(getattr(call.kernel, "loads", addresses[1:]))
        self.flops = tiles * operations(call, length)
        self.bytes = tiles * sum(_touched(a, call, length) for a in addresses)

    @property
    def weight(self) -> float:
        """An estimate of the time it takes, in operations."""
        return max(self.flops, _OPERATIONS_A_BYTE * self.bytes)

    def cells(self) -> list[str]:
        """What a table shows of it."""
        line = f"{self.lines[0]}" + (f" +{len(self.lines) - 1}" if len(self.lines) > 1 else "") if self.lines else ""
        moved = f"{self.loads} in, {self.stores} out"
        work = f"{short(self.flops)} flops, {amount(self.bytes)}"
        return [f"{self.share:4.0%}", self.computes[:48], moved, work, line]

    def __repr__(self) -> str:
        return f"<{self.name}: {'  '.join(self.cells()).strip()}>"


def computed(call: Call) -> Iterator[Equation]:
    """The equations that a call computes: those whose results it stores, and what is computed on the way."""
    if call.origin is None:
        return
    roots, within = call.origin
    seen: set[int] = set()
    stack = list(roots)
    found = []
    while stack:
        eq = stack.pop()
        if id(eq) in seen:
            continue
        seen.add(id(eq))
        found.append(eq)
        stack += [within.made[a] for a in eq.args if isinstance(a, Var) and a in within.made and a not in within.stored]
    order = {id(eq): k for k, eq in enumerate(within.equations)}
    yield from sorted(found, key=lambda eq: order.get(id(eq), 0))


def _names(equations: list[Equation]) -> str:
    """The operations with how often each occurs."""
    counts = Counter(eq.prim.name for eq in equations)
    return " ".join(name if n == 1 else f"{name}*{n}" for name, n in counts.items())


def _lines(equations: list[Equation]) -> tuple[list[Source | Told], list[float]]:
    """Lines, and the share of each in the work as far as the operations tell; greatest first."""
    found: dict[str, list] = {}
    for eq in equations:
        if eq.source is not None:
            found.setdefault(str(eq.source), [eq.source, 0.0])[1] += _cost(eq)
    total = sum(cost for _, cost in found.values())
    ordered = sorted(found.values(), key=lambda item: -item[1])
    return [source for source, _ in ordered], [cost / total for _, cost in ordered]


def _cost(eq: Equation) -> float:
    """The work of an operation for an element, in additions."""
    name = eq.prim.name
    if name in roots.MOVES:
        return 0.01
    return roots.WEIGHTS.get(name, 1 if name in roots.CHEAP or name in roots.REDUCTIONS else roots.DEAR)


def _size(e: Any, length: int) -> int:
    return e.const + e.per_length * length if isinstance(e, Extent) else 1


def elements(call: Call, length: int) -> int:
    """Over how many elements a loop kernel runs, in a tile of so many indices."""
    rank = getattr(call.kernel, "rank", None)
    if rank is None:
        leading = 0
        for a in call.args:
            if not isinstance(a, Extent):
                break
            leading += 1
        rank = leading
    return math.prod(_size(e, length) for e in call.args[:rank])


def operations(call: Call, length: int) -> int:
    """Arithmetic operations of a call; a fused multiplication and addition is two."""
    nodes = getattr(call.kernel, "nodes", None)
    if call.work is not None:
        return _size(call.work, length)
    if nodes is None:  # a product: all leading numbers are extents
        return 2 * elements(call, length)
    each = sum(2 if op == "fma" else 1 for op, *_ in nodes if op not in _FREE)
    sums = sum(s.combine is not None for s in call.kernel.stores)
    return (each + sums) * elements(call, length)


def _touched(a: Address, call: Call, length: int) -> int:
    """Bytes of an operand that a call touches, if it touches each once."""
    buffer = a.view.buffer
    whole = buffer.nbytes
    if getattr(call.kernel, "nodes", None) is not None:
        whole = min(whole, elements(call, length) * buffer.dtype.itemsize)
    elif a.per_start and a.view.tiled is not None:  # an operand of a product, of which a tile is used
        whole = a.per_start * length * buffer.dtype.itemsize
    return min(whole, buffer.nbytes)
