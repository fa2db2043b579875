"""Collectives as primitives, which are differentiated, mapped and captured like any operation.

On *sharded* values a collective is a change of placement, the identity on the global value, and its
derivative follows by itself.  Arrays that are not sharded are seen from one rank, and are of two kinds:
*local* ones, of which each rank has its own, and *replicated* ones, which are one value that all ranks have.
`all_reduce`, `all_gather` and `broadcast` make replicated values of local ones; `vary` begins local
computation with a replicated value, such as weights that meet each rank's own data.  Written so, a function
means one program of all ranks, in which a replicated value counts once, and derivatives do not depend on the
number of ranks:

=============  =======================  =========================================
collective     from -> to               adjoint
=============  =======================  =========================================
all_reduce     local -> replicated      vary: every term gets the cotangent
vary           replicated -> local      all_reduce
all_gather     local -> replicated      each rank's part, without communication
broadcast      local -> replicated      the root keeps it, the others get 0
=============  =======================  =========================================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core import pytree
from scisim.core.avals import ShapeDtype
from scisim.core.axes import ELEMENTWISE, Axes, whole
from scisim.core.errors import ArgumentError, ArgumentTypeError
from scisim.core.primitive import Primitive
from scisim.core.public import OPERATIONS
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import Traced, dtype, shape, zeros_like
from scisim.distributed.communicator import REDUCTIONS, world
from scisim.distributed.mesh import Mesh
from scisim.distributed.placements import REPLICATE, Partial, Placements, Shard, part, resized
from scisim.distributed.sharding import innermost, mesh_of, reshard_p
from scisim.ops.shape import reshape


# --- the primitives on local values ---
def _same(avals: tuple, p: dict) -> ShapeDtype:
    return ShapeDtype(avals[0].shape, avals[0].dtype)


def _sum_of(avals: tuple, p: dict) -> ShapeDtype:
    dt = avals[0].dtype
    return ShapeDtype(avals[0].shape, np.dtype(np.int64) if dt.kind == "b" else dt)


all_reduce_p = Primitive(
    "all_reduce",
    lambda x: world().all_reduce(x),
    axes=ELEMENTWISE,
    infer=_sum_of,
    linear=(0,),
    transpose=lambda i, ct, args, p: vary_p(ct),
    register=False,
)
vary_p = Primitive(
    "vary",
    lambda x: x,
    axes=ELEMENTWISE,
    infer=_same,
    linear=(0,),
    transpose=lambda i, ct, args, p: all_reduce_p(ct),
    register=False,
)
broadcast_p = Primitive(
    "broadcast_from",
    lambda x, root: world().broadcast(x, root),
    axes=ELEMENTWISE,
    infer=_same,
    linear=(0,),
    transpose=lambda i, ct, args, p: keep_p(ct, **p),
    register=False,
)
keep_p = Primitive(
    "keep_on",
    lambda x, root: x if world().rank == root else zeros_like(x),
    axes=ELEMENTWISE,
    infer=_same,
    linear=(0,),
    transpose=lambda i, ct, args, p: broadcast_p(ct, **p),
    register=False,
)
barrier_p = Primitive(
    "barrier",
    lambda x: (world().barrier(), x)[1],
    axes=ELEMENTWISE,
    infer=_same,
    linear=(0,),
    transpose=lambda i, ct, args, p: ct,
    register=False,
)


def _join(x: Any, axis: int, lengths: tuple[int, ...]) -> np.ndarray:
    blocks = world().all_gather_blocks(np.asarray(x), [resized(np.shape(x), axis, n) for n in lengths])
    return np.concatenate(blocks, axis)


def _own(x: Any, axis: int, lengths: tuple[int, ...]) -> Any:
    start = sum(lengths[: world().rank])
    return part(x, axis, start, start + lengths[world().rank])


def _resize(length: Any) -> Any:
    return lambda avals, p: ShapeDtype(resized(avals[0].shape, p["axis"], length(p["lengths"])), avals[0].dtype)


def _along(name: str, evaluate: Any, length: Any, transpose: Any) -> Primitive:
    labels = whole().labels
    return Primitive(
        name,
        evaluate,
        axes=Axes(labels, lambda n, p: {**p, "axis": p["axis"] + 1}),
        infer=_resize(length),
        linear=(0,),
        transpose=transpose,
        register=False,
    )


all_gather_p = _along("all_gather", _join, sum, lambda i, ct, args, p: own_p(ct, **p))
own_p = _along("own_part", _own, lambda ns: ns[world().rank], lambda i, ct, args, p: all_gather_p(ct, **p))


# --- the surface ---
def all_reduce(x: Any, op: str = "sum", axis: int | str | None = None) -> Any:
    """Combine what the ranks hold into one value that all of them have.

    Parameters
    ----------
    x : array_like, or a container of them
        A local array of the same shape and dtype on every rank; or a sharded tensor, whose partial terms are
        combined (its value stays the same).
    op : {"sum", "prod", "max", "min"}
        How local arrays combine. For a sharded tensor, that of its `Partial`.
    axis : int or str, optional
        Of a sharded tensor: combine along this axis of the mesh only.

    Returns
    -------
    Tensor
        Its derivatives of any order are those of the combined value, which counts once: each rank's term gets
        the cotangent as it is.

    Raises
    ------
    ArgumentError
        For an unknown ``op``, an axis that the mesh does not have, or a sharded tensor that is cut along it.
    DTypeError
        For max and min of complex numbers.

    Examples
    --------
    >>> from scisim.distributed import all_reduce, run_ranks
    >>> run_ranks(3, lambda comm: float(all_reduce(comm.rank + 1.0)))
    [6.0, 6.0, 6.0]
    """
    if op not in REDUCTIONS:
        raise ArgumentError(f"all_reduce: op is {op!r}; it must be one of {', '.join(map(repr, REDUCTIONS))}.")
    return pytree.tree_map(lambda leaf: wrap(_all_reduce(pytree.leaf_value(leaf, "all_reduce"), op, axis)), x)


def _all_reduce(v: Any, op: str, axis: int | str | None) -> Any:
    mesh = mesh_of(v)
    if mesh is not None:
        return reshard_p(v, mesh=mesh, placements=_reduced(mesh, innermost(v).placements, op, axis))
    if axis is not None:
        raise ArgumentError(f"all_reduce: axis={axis!r} names an axis of a mesh, but the value is not sharded.")
    if op == "sum":
        return all_reduce_p(v)
    if not isinstance(v, Traced):
        return world().all_reduce(v, op)
    rows = all_gather_p(reshape(v, (1, *shape(v))), axis=0, lengths=(1,) * world().size)
    return OPERATIONS[op].raw(rows, axis=0)  # with that reduction's derivative


def _reduced(mesh: Mesh, placements: Placements, op: str, axis: int | str | None) -> tuple:
    """Replicated along the chosen mesh axes, None where nothing changes."""
    chosen = range(len(mesh.shape)) if axis is None else [mesh.axis(axis, "all_reduce")]
    for m in chosen:
        p = placements[m]
        if isinstance(p, Shard):
            raise ArgumentError(
                f"all_reduce: dimension {p.dim} of the value is cut along mesh axis {mesh.names[m]!r}, so "
                f"there are no terms to combine: reduce that dimension first (sum, max, ...), or use gather."
            )
        if isinstance(p, Partial) and p.op != op:
            raise ArgumentError(f"all_reduce: op is {op!r}, but the value is {p!r} along {mesh.names[m]!r}.")
    return tuple(REPLICATE if m in chosen else None for m in range(len(mesh.shape)))


def vary(x: Any) -> Any:
    """Begin local computation with a replicated value: the same array, whose adjoint is `all_reduce`.

    Parameters
    ----------
    x : array_like, or a container of them
        The same on every rank, and not sharded.

    Examples
    --------
    >>> import numpy as np
    >>> from scisim import autodiff as ad
    >>> from scisim.distributed import all_reduce, run_ranks, vary
    >>> def loss(w, data):
    ...     return all_reduce((vary(w) * data) ** 2)
    >>> run_ranks(3, lambda comm: float(ad.grad(loss)(1.0, float(comm.rank))))
    [10.0, 10.0, 10.0]

    This is 2 w (0 + 1 + 4), on every rank.
    """
    return _on_local("vary", x, vary_p)


def broadcast(x: Any, root: int = 0) -> Any:
    """The root's array on every rank; its adjoint gives the root the cotangent, and the others 0.

    Parameters
    ----------
    x : array_like, or a container of them
        Of the same shape and dtype on every rank, and not sharded; only the root's numbers count.
    root : int

    Examples
    --------
    >>> from scisim.distributed import broadcast, run_ranks
    >>> run_ranks(3, lambda comm: float(broadcast(comm.rank + 0.5, root=2)))
    [2.5, 2.5, 2.5]
    """
    if isinstance(root, bool) or not isinstance(root, int) or not 0 <= root < world().size:
        raise ArgumentError(f"broadcast: root is {root!r}, but the ranks are 0 to {world().size - 1}.")
    return _on_local("broadcast", x, broadcast_p, root=root)


def all_gather(x: Any) -> Any:
    """The arrays of all ranks, joined along axis 0, on every rank; its adjoint gives each rank its part.

    Parameters
    ----------
    x : array_like, or a container of them
        Local arrays, whose lengths along axis 0 may differ between ranks; numbers count as one element. Or
        sharded tensors, which become whole.

    Examples
    --------
    >>> import numpy as np
    >>> from scisim.distributed import all_gather, run_ranks
    >>> run_ranks(3, lambda comm: all_gather(np.full(comm.rank, comm.rank)))[0]
    Tensor([1, 2, 2])
    """
    return pytree.tree_map(lambda leaf: wrap(_all_gather(pytree.leaf_value(leaf, "all_gather"))), x)


def _all_gather(v: Any) -> Any:
    mesh = mesh_of(v)
    if mesh is not None:
        return reshard_p(v, mesh=mesh, placements=mesh.whole)
    v = reshape(v, (1,)) if shape(v) == () else v
    told = world().gather_objects([shape(v), dtype(v).str])
    if any(s[1:] != told[0][0][1:] or dt != told[0][1] for s, dt in told):
        listed = "; ".join(f"rank {r} has {np.dtype(dt)}{s}" for r, (s, dt) in enumerate(told))
        raise ArgumentError(f"all_gather: ranks disagree on the dtype or on an axis after the first: {listed}.")
    return all_gather_p(v, axis=0, lengths=tuple(s[0] for s, _ in told))


def barrier(x: Any = None) -> Any:
    """Wait until every rank is here; a value that is given passes through, also in derivatives.

    Examples
    --------
    >>> from scisim.distributed import barrier
    >>> barrier(2.0)
    Tensor(2.)
    """
    if x is None:
        return world().barrier()
    return _on_local("barrier", x, barrier_p)


def _on_local(who: str, x: Any, prim: Primitive, **params: Any) -> Any:
    def act(leaf: Any) -> Tensor:
        v = pytree.leaf_value(leaf, who)
        if mesh_of(v) is not None:
            raise ArgumentTypeError(
                f"{who}: the value is sharded, so that it is one value of all ranks already; use all_reduce, "
                f"reshard or gather, which move it."
            )
        return wrap(prim(v, **params))

    return pytree.tree_map(act, x)
