"""Putting values on a mesh, moving and gathering them: functions of tensors, or of containers of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core import pytree
from scisim.core.avals import ShapeDtype
from scisim.core.axes import ELEMENTWISE
from scisim.core.errors import ArgumentTypeError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.tensor import Tensor, unwrap, wrap
from scisim.core.values import Traced
from scisim.core.values import shape as shape_of
from scisim.distributed import rules, rules_arrays, rules_shape, rules_slices
from scisim.distributed.mesh import Mesh, Sharded
from scisim.distributed.placements import REPLICATE, SUM, Partial, Placement, Shard, checked, checked_shape, dual
from scisim.distributed.plan import Plan


def _shifted(placements: tuple) -> tuple:
    """Placements of a value with one more leading dimension; None, which changes nothing, stays."""
    return tuple(Shard(p.dim + 1, p.unit) if isinstance(p, Shard) else p for p in placements)


# A change of placement is the identity on the global value, so its transpose is the identity too; where a
# cotangent lies is settled when it is delivered.
reshard_p = Primitive(
    "reshard",
    lambda x, mesh, placements: mesh.place(x, placements),
    axes=ELEMENTWISE,
    infer=lambda avals, p: ShapeDtype(avals[0].shape, avals[0].dtype),
    linear=(0,),
    transpose=lambda i, ct, args, p: ct,
    batch=lambda trace, prim, vals, mapped, p: prim(vals[0], mesh=p["mesh"], placements=_shifted(p["placements"])),
    spreads=True,
    register=False,
)


def _reshard_rule(mesh: Mesh, prim: Primitive, args: tuple, specs: list, params: dict) -> Plan:
    s, src = specs[0]
    dst = tuple(q if p is None else p for p, q in zip(params["placements"], src, strict=True))
    return Plan(direct=lambda x: mesh.make(mesh.local_at(x, dst), dst, s))


rules.own_rules.update({reshard_p: _reshard_rule, **rules_shape.RULES, **rules_slices.RULES, **rules_arrays.RULES})


def innermost(x: Any) -> Any:
    """The value of lowest level inside a value: sharded, an array, or a variable of a graph."""
    while isinstance(x, Traced) and x.lower is not None:
        x = x.lower
    return x


def mesh_of(x: Any) -> Mesh | None:
    """The mesh of a tensor or value, inside any transformation; None where it is not sharded."""
    base = innermost(unwrap(x))
    return base.trace if isinstance(base, Sharded) else None


def settle(mesh: Mesh, cotangent: Any, primal: Any) -> Any:
    """Deliver a cotangent: partial sums meet here, and only here, and it lies where its primal does."""
    base, held = innermost(primal), innermost(cotangent)
    if isinstance(base, Sharded) and shape_of(base) == shape_of(cotangent):
        places: tuple = dual(base.placements)
    elif not isinstance(held, Sharded):
        return cotangent
    else:  # of an array that is not sharded, or with a mapped axis between: only reduce
        places = tuple(REPLICATE if isinstance(p, Partial) else None for p in held.placements)
        if all(p is None for p in places):
            return cotangent
    if isinstance(held, Sharded) and held.placements == places:
        return cotangent
    return reshard_p(cotangent, mesh=mesh, placements=places)


# --- the surface ---
def shard(x: Any, mesh: Mesh, placements: Placement | tuple | list) -> Any:
    """Spread a value over a mesh.

    Parameters
    ----------
    x : array_like, or a container of them
        The same on every rank.
    mesh : Mesh
    placements : Placement or sequence of Placement
        One for each axis of the mesh: ``Shard(dim)``, ``Replicate()`` or ``Partial()``.

    Returns
    -------
    Tensor
        Of the same global shape, of which each rank holds a block; it is computed with, differentiated and
        mapped as any tensor. Arrays that are not sharded count as the same on every rank.

    Raises
    ------
    ArgumentError
        If there are not as many placements as mesh axes, or a dimension does not exist.

    Examples
    --------
    >>> import numpy as np
    >>> from scisim.distributed import Mesh, Shard, shard
    >>> shard(np.arange(6.0), Mesh(), Shard(0)).to_local()
    Tensor([0., 1., 2., 3., 4., 5.])
    """
    if not isinstance(mesh, Mesh):
        raise ArgumentTypeError(f"shard: mesh is {mesh!r}; it must be a Mesh.")
    return pytree.tree_map(lambda leaf: _placed("shard", leaf, mesh, placements), x)


def reshard(x: Any, placements: Placement | tuple | list) -> Any:
    """The same sharded value at other placements; its derivative is the identity.

    Examples
    --------
    >>> import numpy as np
    >>> from scisim.distributed import Mesh, Replicate, Shard, reshard, shard
    >>> reshard(shard(np.arange(6.0), Mesh(), Shard(0)), Replicate()).placements
    (Replicate(),)
    """
    return pytree.tree_map(lambda leaf: _placed("reshard", leaf, _mesh("reshard", leaf), placements), x)


def gather(x: Any) -> Any:
    """The whole value on every rank; all ranks call it. Values that are not sharded stay as they are.

    Inside a transformation the result stays a replicated value of it.

    Examples
    --------
    >>> import numpy as np
    >>> from scisim.distributed import Mesh, Shard, gather, shard
    >>> gather(shard(np.arange(3.0), Mesh(), Shard(0)))
    Tensor([0., 1., 2.])
    """
    leaves, spec = pytree.flatten(x)
    _reduce_together([unwrap(leaf) for leaf in leaves if isinstance(leaf, (Tensor, Traced))])
    return pytree.unflatten(spec, [_gathered(leaf) for leaf in leaves])


def from_local(local: Any, mesh: Mesh, placements: Placement | tuple | list, shape: tuple[int, ...]) -> Tensor:
    """A sharded tensor from the block that each rank has computed or read.

    Parameters
    ----------
    local : array_like
        This rank's block, ``whole[mesh.slices(shape, placements)]``; its term for `Partial`.
    mesh : Mesh
    placements : Placement or sequence of Placement
    shape : tuple of int
        The global shape.

    Raises
    ------
    ShapeError
        If the block does not have the shape that the placements give it.

    Examples
    --------
    >>> import numpy as np
    >>> from scisim.distributed import Mesh, Shard, from_local
    >>> mesh = Mesh()
    >>> mine = mesh.slices((8,), Shard(0))[0]
    >>> from_local(np.arange(mine.start, mine.stop), mesh, Shard(0), (8,)).shape
    (8,)
    """
    if not isinstance(mesh, Mesh):
        raise ArgumentTypeError(f"from_local: mesh is {mesh!r}; it must be a Mesh.")
    block, shape = np.asarray(unwrap(local)), checked_shape("from_local", shape)
    places = checked("from_local", placements, len(mesh.shape), len(shape))
    wanted = mesh.block_shape(shape, places)
    if block.shape != wanted:
        raise ShapeError(
            f"from_local: rank {mesh.rank} gives a block of shape {block.shape}, but its block of a value of "
            f"shape {shape} at {', '.join(map(repr, places))} has shape {wanted}; see Mesh.slices."
        )
    return wrap(mesh.make(block, places, shape))


def _placed(who: str, leaf: Any, mesh: Mesh, placements: Any) -> Tensor:
    v = pytree.leaf_value(leaf, who)
    return wrap(reshard_p(v, mesh=mesh, placements=checked(who, placements, len(mesh.shape), len(shape_of(v)))))


def _mesh(who: str, leaf: Any) -> Mesh:
    mesh = mesh_of(leaf)
    if mesh is None:
        raise ArgumentTypeError(f"{who}: the value is not sharded; use shard(x, mesh, placements).")
    return mesh


def _gathered(leaf: Any) -> Any:
    mesh = mesh_of(leaf)
    if mesh is None:
        return leaf
    v = reshard_p(unwrap(leaf), mesh=mesh, placements=mesh.whole)
    return wrap(v.local if type(v) is Sharded else v)


_SMALL = 1 << 15  # elements: larger sums gain nothing from being sent together


def _reduce_together(values: list) -> None:
    """Partial sums of one dtype in one message: gradients are many and small, and each message has a price."""
    groups: dict[Any, list[Sharded]] = {}
    for v in values:
        if type(v) is Sharded and SUM in v.placements and set(v.placements) <= {SUM, REPLICATE} and v.size <= _SMALL:
            groups.setdefault((v.trace, v.placements, v.dtype), []).append(v)
    for (mesh, placements, _), group in groups.items():
        if len(group) == 1:
            continue
        flat = np.concatenate([np.ravel(v.local) for v in group])
        flat = mesh.local_at(mesh.make(flat, placements, flat.shape), mesh.whole)
        for v, part in zip(group, np.split(flat, np.cumsum([v.size for v in group])[:-1]), strict=True):
            v.local, v.placements = part.reshape(v.shape), mesh.whole
