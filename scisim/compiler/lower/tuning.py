"""How long loops run: several vectors a turn, and large results past the caches."""

from __future__ import annotations

import math
from dataclasses import replace

from scisim.compiler.cpu.access import Operand
from scisim.compiler.cpu.lines import LinesCall
from scisim.compiler.cpu.loops import Loop, rounds
from scisim.compiler.lower.calls import Call
from scisim.compiler.lower.layout import Buffer, Place
from scisim.compiler.lower.operands import Address, Extent
from scisim.compiler.lower.steps import Lowered, Region

CACHED = 1 << 22  # bytes a thread passes over whose end may still find the beginning in the cache
SMALLEST = 1 << 20  # bytes of a result that goes past the caches
LONG, MANY = 2048, 8192  # elements of a row, and of a region, from which on several vectors a turn pay
TURN = 4  # vectors; a power of two
MOST = 150  # operations of a body that is compiled so many times


def tune(program: Lowered) -> None:
    """Choose how the loops of a program run."""
    for step in program.every():
        if isinstance(step, Region):
            threads = program.values.threads if step.parallel else 1
            past = _passing(step, threads)
            for call in step.calls:
                kernel = call.kernel
                if isinstance(kernel, Loop) and not kernel.aligned and not kernel.edged:
                    call.kernel = _tuned(call, step, past)


def _tuned(call: Call, region: Region, past: set[Buffer]) -> Loop:
    kernel, turn = call.kernel, _turn(call, region)
    streamed = tuple(k for k, a in _stores(call).items() if a.view.buffer in past)
    sums = any(s.across for s in kernel.stores)
    aligned = bool(streamed) and kernel.stores[0].to.inner == 1 and not kernel.stores[0].to.complex
    if not aligned or rounds(kernel.stores, kernel.nodes):  # bits of sums must not depend on addresses
        return replace(kernel, unrolled=turn) if turn > 1 else kernel
    return replace(kernel, unrolled=1 if sums else turn, streamed=streamed, aligned=True, tail=True)


def _turn(call: Call, region: Region) -> int:
    """How many vectors a turn does: one where that is enough, as more take longer to compile."""
    kernel, tiled = call.kernel, min(region.tile, region.extent)
    lengths = [e.const + e.per_length * tiled for e in call.args[: kernel.rank] if isinstance(e, Extent)]
    tiles = -(-region.extent // region.tile) if region.tile else 1
    if lengths[-1] < LONG or math.prod(lengths) * tiles < MANY:
        return 1
    body = sum(op not in ("load", "const") for op, *_ in kernel.nodes)
    return TURN if body <= MOST and all(isinstance(c.kernel, Loop) for c in region.calls) else 1


def _passing(region: Region, threads: int) -> set[Buffer]:
    """The large results that a region only writes, once, where it passes over more than a cache holds.

    What lines are made of is read again soon, from a cache that threads share.
    """
    if any(isinstance(c.kernel, LinesCall) for c in region.calls):
        return set()
    whole = {b for c in region.calls for b in c.buffers() if b.place is not Place.TILE}
    if sum(b.nbytes for b in whole) <= CACHED * threads:
        return set()
    written = [a.view.buffer for c in region.calls if isinstance(c.kernel, Loop) for a in _stores(c).values()]
    used = [b for c in region.calls for b in c.buffers()]
    return {b for b in written if used.count(b) == 1 and b.nbytes >= SMALLEST and b.place is not Place.TILE}


def _stores(call: Call) -> dict[int, Address]:
    """The results of a loop that replace what is there, whole vectors at a time, by position."""
    kernel = call.kernel
    found: dict[int, Address] = {}
    if not all(isinstance(o, Operand) for o in kernel.loads):
        return found
    addresses = iter([a for a in call.args if isinstance(a, Address)])
    own = [next(addresses) if o.near is None else None for o in (*kernel.loads, *(s.to for s in kernel.stores))]
    for k, (s, address) in enumerate(zip(kernel.stores, own[len(kernel.loads) :], strict=True)):
        if address is not None and s.combine is None and s.to.inner == 1 and s.to.dtype != "bool":
            found[k] = address
    return found
