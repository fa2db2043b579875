"""vmap: a function of one example, for a batch of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import optree

from scisim.core import pytree
from scisim.core.batch import Batch
from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.core.values import check_function, name_of, shape
from scisim.ops.shape import as_integer, moveaxis, normalize_axis


def vmap(f: Callable, in_axes: Any = 0, out_axes: Any = 0) -> Callable:
    """Map a function over an axis of its arguments, as one batched computation.

    Parameters
    ----------
    f : callable
        A function of tensors and containers of them.
    in_axes : int, None, or a tuple with one entry an argument
        The axis to map over; None for an argument that all share.  An entry may be a container shaped as the argument,
        or as its outer part.
    out_axes : int, None, or a container
        Where the mapped axis goes in the result; None for results that do not depend on it.

    Returns
    -------
    callable

    Raises
    ------
    ShapeError
        When the mapped axes have different lengths.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.vmap(lambda x, y: ss.sum(x * y), in_axes=(0, None))(ss.ones((3, 2)), ss.asarray([1.0, 2.0]))
    Tensor([3., 3., 3.])
    """

    check_function("vmap", f)

    def mapped(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            raise ArgumentTypeError(
                f"vmap of {name_of(f)}: got {', '.join(kwargs)} by keyword, where in_axes has no entry for them; pass "
                f"them by position, or close over them: vmap(lambda x: f(x, {next(iter(kwargs))}=...))"
            )
        vals, spec = pytree.values(args, "vmap")
        axes = _axes(f, in_axes, args)
        n = _length(f, vals, axes)
        with Batch(f, n) as trace:
            ins = [v if a is None else trace.wrap(moveaxis(v, a, 0)) for v, a in zip(vals, axes, strict=True)]
            outs, out_spec = pytree.call(f, spec, ins, "vmap")
            places = _spread(f"vmap of {name_of(f)}: out_axes", out_axes, pytree.unflatten(out_spec, outs))
            return pytree.tree_of(out_spec, [_place(trace, f, o, a) for o, a in zip(outs, places, strict=True)])

    mapped.__name__ = f"vmap_{name_of(f)}"
    mapped.__wrapped__ = f  # type: ignore[attr-defined]
    return mapped


def _axes(f: Callable, in_axes: Any, args: tuple) -> list:
    """One axis or None for each leaf, non-negative."""
    if isinstance(in_axes, (tuple, list)):
        if len(in_axes) != len(args):
            raise ArgumentError(
                f"vmap of {name_of(f)}: in_axes has {len(in_axes)} entries for {len(args)} arguments; give one each"
            )
        each = list(in_axes)
    else:
        each = [in_axes] * len(args)
    out: list[Any] = []
    for k, (a, arg) in enumerate(zip(each, args, strict=True)):
        leaves = pytree.flatten(arg)[0]
        for axis, leaf in zip(_spread(f"vmap of {name_of(f)}: in_axes", a, arg), leaves, strict=True):
            s = shape(pytree.leaf_value(leaf, "vmap"))
            if axis is not None and not s:
                raise ShapeError(
                    f"vmap of {name_of(f)}: argument {k} has no axes to map over; use None for it in in_axes"
                )
            out.append(None if axis is None else normalize_axis(f"vmap of {name_of(f)}", axis, len(s)))
    return out


def _spread(who: str, axes: Any, tree: Any) -> list:
    """An axis or None for each leaf of a tree; an entry of the axes may stand for a whole container."""
    leaves, spec = pytree.flatten(tree)
    if axes is None or not isinstance(axes, (tuple, list, dict)):
        return [None if axes is None else as_integer(who, "an axis", axes)] * len(leaves)
    if isinstance(tree, dict) and isinstance(axes, dict) and set(axes) == set(tree):
        keys = optree.tree_flatten_one_level(tree, namespace=pytree.NAMESPACE).entries  # type: ignore[arg-type]
        pairs = [(axes[k], tree[k]) for k in keys]
    elif isinstance(tree, (tuple, list)) and isinstance(axes, (tuple, list)) and len(axes) == len(tree):
        pairs = list(zip(axes, tree, strict=True))
    else:
        raise ArgumentError(f"{who}: {axes!r} does not fit the structure {spec}; give one axis, or one for each part")
    return [a for own, part in pairs for a in _spread(who, own, part)]


def _length(f: Callable, vals: list, axes: list) -> int:
    sizes = {shape(v)[a] for v, a in zip(vals, axes, strict=True) if a is not None}
    if len(sizes) != 1:
        text = f"mapped axes of different lengths {sorted(sizes)}" if sizes else "no argument to map over"
        raise ShapeError(f"vmap of {name_of(f)}: {text}; in_axes must name axes of one length")
    return sizes.pop()


def _place(trace: Batch, f: Callable, out: Any, axis: Any) -> Any:
    if axis is None:
        if trace.mine(out):
            raise ArgumentError(f"vmap of {name_of(f)}: out_axes is None, but the result depends on the mapped axis")
        return out
    v = trace.materialize(out)
    return moveaxis(v, 0, normalize_axis("vmap: out_axes", axis, len(shape(v))))
