"""Nested containers of tensors, through optree: lists, tuples, dicts, named tuples, and registered classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import optree

from scisim.core.errors import ArgumentTypeError, MutationError, ScisimError
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import Traced, as_value, inexact, name_of, named, own

NAMESPACE = "scisim"
_SINGLE: Any = optree.tree_structure(0, namespace=NAMESPACE)  # type: ignore[arg-type]
_ARRAYS = (Tensor, np.ndarray, np.generic, Traced, bool, int, float, complex)


def flatten(tree: Any) -> tuple[list, Any]:
    """Leaves and structure."""
    if type(tree) is Tensor:
        return [tree], _SINGLE
    return optree.tree_flatten(tree, namespace=NAMESPACE)


def unflatten(spec: Any, leaves: Sequence[Any]) -> Any:
    return leaves[0] if spec is _SINGLE else optree.tree_unflatten(spec, leaves)


def paths(tree: Any) -> list[str]:
    """A name for each leaf, such as ``['layers'][0].weight``."""
    accessors = optree.tree_accessors(tree, namespace=NAMESPACE)
    return [a.codify("") for a in accessors]


def leaf_value(leaf: Any, who: str = "a transformation", where: str = "") -> Any:
    """The value of a leaf that must be an array or a number."""
    if type(leaf) is Tensor:
        return leaf._v
    if isinstance(leaf, _ARRAYS):
        try:
            return own(as_value(leaf))
        except ScisimError as error:
            raise named(f"{who}: {where or 'an argument'}", error) from None
    raise ArgumentTypeError(
        f"{who}: {where or 'an argument'} is a {type(leaf).__name__} ({leaf!r:.60}); expected a Tensor, an array, a "
        f"number, or a container of them. Close over other objects, or mark them in static_argnums where jit allows."
    )


def values(tree: Any, who: str = "a transformation") -> tuple[list, Any]:
    """Values of the leaves, and structure."""
    leaves, spec = flatten(tree)
    vals = [leaf_value(x, who) for x in leaves]
    return (weakly(leaves, vals, vals) if any(type(x) in _WEAK for x in leaves) else vals), spec


_WEAK = (float, complex)


def weakly(leaves: Sequence[Any], vals: list, arrays: Sequence[Any]) -> list:
    """Python floats among the leaves take the precision of the arrays that they come with, as they would in NumPy."""
    kinds = {v.dtype for x, v in zip(leaves, vals, strict=True) if type(x) not in _WEAK and inexact(v.dtype)}
    kinds |= {v.dtype for v in arrays if v.shape and inexact(v.dtype)}
    if not kinds:
        return vals
    return [
        v.astype(np.result_type(*kinds, type(x)(0))) if type(x) in _WEAK else v
        for x, v in zip(leaves, vals, strict=True)
    ]


def tree_of(spec: Any, vals: Sequence[Any]) -> Any:
    """Tensors in the given structure."""
    if spec is _SINGLE:
        return wrap(vals[0])
    return optree.tree_unflatten(spec, list(map(wrap, vals)))


def call(f: Callable, spec: Any, vals: Sequence[Any], who: str) -> tuple[list, Any]:
    """Call a user's function with fresh handles on ``vals`` (a tuple of arguments by ``spec``).

    Returns the values and the structure of its result.  A function that assigned to one of its arguments is an error,
    since the caller would not see it.
    """
    handles = list(map(wrap, vals))
    out = f(*optree.tree_unflatten(spec, handles))
    for k, (h, v) in enumerate(zip(handles, vals, strict=True)):
        if h._v is not v:
            refuse_assignment(who, f, k)
    leaves, out_spec = flatten(out)
    return [leaf_value(x, who, f"the result of {name_of(f)}") for x in leaves], out_spec


def plainly(f: Callable, args: tuple, who: str) -> Any:
    """The plain call, on tensors and to tensors as a transformation would make it."""
    vals, spec = values(args, who)
    outs, out_spec = call(f, spec, vals, who)
    return tree_of(out_spec, outs)


def refuse_assignment(who: str, f: Callable, k: int) -> None:
    """A function under a transformation assigned to an argument."""
    raise MutationError(
        f"{who}: {name_of(f)} assigns in place to its argument {k}; inside a transformation the caller would not see "
        f"it. Work on a copy: y = ss.Tensor(x)."
    )


def register(cls: type, flatten_fn: Callable, unflatten_fn: Callable) -> None:
    """Make a class a container: ``flatten_fn(x) -> (children, static, names)``."""
    optree.register_pytree_node(cls, flatten_fn, unflatten_fn, namespace=NAMESPACE)


def tree_map(f: Callable, tree: Any, *rest: Any) -> Any:
    """Apply ``f`` to the leaves of trees of one structure."""
    return optree.tree_map(f, tree, *rest, namespace=NAMESPACE)


def tree_leaves(tree: Any) -> list:
    return flatten(tree)[0]
