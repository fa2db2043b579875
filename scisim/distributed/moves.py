"""Moving a block from one placement to another: each step is one collective along one axis of the mesh.

A change of placement is the identity on the global value; what each step costs is in its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scisim.core.values import ones_like, zeros_like
from scisim.distributed.placements import (
    REPLICATE,
    SUM,
    Partial,
    Placement,
    Placements,
    Shape,
    Shard,
    overlap,
    part,
    resized,
)

if TYPE_CHECKING:
    from scisim.distributed.mesh import Mesh

Interval = tuple[int, int]
_OF_TRUTHS = {"sum": "max", "prod": "min"}  # terms of a truth value are one truth and nothing else, which stays boolean


def move(mesh: Mesh, local: Any, shape: Shape, src: Placements, dst: Placements) -> Any:
    """The block of a value of global ``shape`` at ``dst``, from the block at ``src``."""
    if src == dst:
        return local
    path = mesh._paths.get((src, dst))
    if path is None:
        path = mesh._paths[src, dst] = steps(src, dst)
    now = list(src)
    for m, after in path:
        local = _step(mesh, local, shape, now, m, after)
        now[m] = after
    return local


def steps(src: Placements, dst: Placements) -> list[tuple[int, Placement]]:
    """Changes of one mesh axis each: cuts first, while values are whole, and gathers last.

    A dimension that several mesh axes cut is cut within what the earlier axes left, so that such a dimension
    is made whole before any of its axes changes.
    """
    path, now = [], list(src)

    def step(m: int, to: Placement) -> None:
        path.append((m, to))
        now[m] = to

    if len({p.op for p in (*src, *dst) if isinstance(p, Partial)}) > 1:  # sums and products do not commute
        for m, p in enumerate(src):
            if isinstance(p, Partial):
                step(m, REPLICATE)
    for d in sorted({p.dim for p in (*src, *dst) if isinstance(p, Shard)}):
        users = [m for m in range(len(src)) if _cuts(src[m], d) or _cuts(dst[m], d)]
        if len(users) > 1 and any(src[m] is not dst[m] for m in users):
            for m in reversed(users):
                if now[m] is not REPLICATE:
                    step(m, REPLICATE)
    for urgent in (lambda m: now[m] is REPLICATE, lambda m: type(dst[m]) is Shard, lambda m: True):
        for m in range(len(src)):
            if now[m] is not dst[m] and urgent(m):
                step(m, dst[m])
    return path


def _cuts(p: Placement, dim: int) -> bool:
    return isinstance(p, Shard) and p.dim == dim


def _step(mesh: Mesh, x: Any, shape: Shape, now: list, m: int, after: Placement) -> Any:
    before = now[m]
    if isinstance(before, Partial):
        return _from_partial(mesh, x, shape, now, m, before, after)
    if isinstance(before, Shard):
        return _from_shard(mesh, x, shape, now, m, before, after)
    return _from_replica(mesh, x, shape, now, m, after)


def _blocks(mesh: Mesh, n: int, dim: int, places: Sequence, m: int) -> list[Interval]:
    """The parts of a dimension that the ranks along mesh axis m hold."""
    return [mesh.bounds(n, dim, tuple(places), m, k) for k in range(mesh.shape[m])]


def _replaced(now: list, m: int, after: Placement) -> list:
    return [*now[:m], after, *now[m + 1 :]]


def _from_replica(mesh: Mesh, x: Any, shape: Shape, now: list, m: int, after: Placement) -> Any:
    if isinstance(after, Shard):  # cut: no communication
        start = mesh.bounds(shape[after.dim], after.dim, tuple(now))[0]
        lo, hi = mesh.bounds(shape[after.dim], after.dim, tuple(_replaced(now, m, after)))
        return part(x, after.dim, lo - start, hi - start)
    if mesh.coordinates[m] == 0 or not isinstance(after, Partial) or after.op in ("max", "min"):
        return x
    if after.op == "prod":
        return ones_like(x)
    return zeros_like(x) if isinstance(x, (np.ndarray, np.generic)) else type(x)(0)


def _from_partial(mesh: Mesh, x: Any, shape: Shape, now: list, m: int, before: Partial, after: Placement) -> Any:
    comm = mesh.axes[m]
    op = _OF_TRUTHS.get(before.op, before.op) if x.dtype.kind == "b" else before.op
    if isinstance(after, Shard) and op == "sum":
        mesh.count("reduce_scatter")
        start = mesh.bounds(shape[after.dim], after.dim, tuple(now))[0]
        wanted = _blocks(mesh, shape[after.dim], after.dim, _replaced(now, m, after), m)
        return comm.reduce_scatter([part(x, after.dim, lo - start, hi - start) for lo, hi in wanted])
    mesh.count("all_reduce")
    whole = comm.all_reduce(x, op)
    if after is REPLICATE:
        return whole
    return _from_replica(mesh, whole, shape, _replaced(now, m, REPLICATE), m, after)


def _from_shard(mesh: Mesh, x: Any, shape: Shape, now: list, m: int, before: Shard, after: Placement) -> Any:
    d = before.dim
    have = _blocks(mesh, shape[d], d, now, m)
    if isinstance(after, Shard):
        e = after.dim
        wanted = _blocks(mesh, shape[e], e, _replaced(now, m, after), m)
        if d == e:
            return exchange(mesh, x, d, m, have, wanted)
        return _all_to_all(mesh, x, d, e, m, have, wanted)
    if after is SUM:  # no communication: zeros where others have their blocks
        start, stop = have[0][0], have[-1][1]
        lo, hi = have[mesh.coordinates[m]]
        y = np.zeros(resized(x.shape, d, stop - start), x.dtype)
        part(y, d, lo - start, hi - start)[...] = x
        return y
    mesh.count("all_gather")
    blocks = mesh.axes[m].all_gather_blocks(x, [resized(x.shape, d, hi - lo) for lo, hi in have])
    whole = np.concatenate(blocks, d)
    if after is REPLICATE:
        return whole
    return _from_replica(mesh, whole, shape, _replaced(now, m, REPLICATE), m, after)


def _all_to_all(mesh: Mesh, x: Any, d: int, e: int, m: int, have: list, wanted: list) -> Any:
    mesh.count("all_to_all")
    lo, hi = wanted[mesh.coordinates[m]]
    shapes = [resized(resized(x.shape, e, hi - lo), d, b - a) for a, b in have]
    return np.concatenate(mesh.axes[m].all_to_all([part(x, e, a, b) for a, b in wanted], shapes), d)


def exchange(mesh: Mesh, x: Any, dim: int, m: int, have: Sequence[Interval], wanted: Sequence[Interval]) -> Any:
    """Intervals of one dimension change hands along a mesh axis; only ranks whose intervals overlap send.

    ``have[k]`` is what rank k along the axis holds, ``wanted[k]`` what it is to hold, within what all hold
    together.
    """
    mesh.count("exchange")
    me = mesh.coordinates[m]
    start, (lo, hi) = have[me][0], wanted[me]
    sends, gets = {}, {}
    for k in range(mesh.shape[m]):
        a, b = overlap(have[me], wanted[k])
        if a < b:
            sends[k] = part(x, dim, a - start, b - start)
        a, b = overlap(have[k], (lo, hi))
        if a < b:
            gets[k] = (a, b)
    kept = {me: sends.pop(me)} if me in sends else {}
    shapes = {k: resized(x.shape, dim, b - a) for k, (a, b) in gets.items() if k != me}
    got = {**mesh.axes[m].exchange(sends, shapes, x.dtype), **kept}
    pieces = [got[k] for k in sorted(gets, key=lambda k: gets[k])]
    if len(pieces) == 1:
        return pieces[0]
    return np.concatenate(pieces, dim) if pieces else part(x, dim, 0, 0)
