"""How long loops run: several vectors a turn, and large results past the caches."""

from __future__ import annotations

from dataclasses import replace

from scisim.compiler.cpu.access import Operand
from scisim.compiler.cpu.loops import Loop
from scisim.compiler.lower.calls import Call
from scisim.compiler.lower.layout import Buffer, Place
from scisim.compiler.lower.operands import Address, Extent
from scisim.compiler.lower.steps import Lowered, Region

CACHED = 1 << 22  # bytes a thread passes over whose end may still find the beginning in the cache
SMALLEST = 1 << 20  # bytes of a result that goes past the caches
LONG = 2048  # elements of a row from which on several vectors a turn pay
TURNS = ((24, 4), (120, 2))  # vectors a turn, for bodies of at most so many operations


def tune(program: Lowered) -> None:
    """Choose how the loops of a program run."""
    for step in program.every():
        if isinstance(step, Region):
            threads = program.values.threads if step.parallel else 1
            past = _passing(step, threads)
            for call in step.calls:
                if isinstance(call.kernel, Loop):
                    call.kernel = _tuned(call, step, past)


def _tuned(call: Call, region: Region, past: set[Buffer]) -> Loop:
    kernel = call.kernel
    if kernel.aligned or kernel.edged or _row(call, region) < LONG:
        return kernel
    streamed = tuple(k for k, a in _stores(call).items() if a.view.buffer in past)
    sums = any(s.across for s in kernel.stores)
    aligned = bool(streamed) and kernel.stores[0].to.inner == 1 and not kernel.stores[0].to.complex
    work = sum(op not in ("load", "const") for op, *_ in kernel.nodes)
    turn = 1 if aligned and sums else next((turn for most, turn in TURNS if work <= most), 1)
    if not aligned:
        return replace(kernel, unrolled=turn)
    return replace(kernel, unrolled=turn, streamed=streamed, aligned=True, tail=True)


def _row(call: Call, region: Region) -> int:
    """The length of the last axis."""
    extent = call.args[call.kernel.rank - 1]
    assert isinstance(extent, Extent)
    return extent.const + extent.per_length * min(region.tile, region.extent)


def _passing(region: Region, threads: int) -> set[Buffer]:
    """The large results that a region only writes, once, where it passes over more than a cache holds."""
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
