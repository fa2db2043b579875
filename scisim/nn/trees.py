"""What training asks of a module: its parameters, modes, and parts that are trained or not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import optree

from scisim.core import pytree
from scisim.core.errors import ArgumentError
from scisim.core.tensor import Tensor
from scisim.core.values import dtype, inexact
from scisim.nn.module import Module, children, fields, roles


def walk(tree: Any, path: str = "", trained: bool = True) -> Iterator[tuple[str, Any, bool]]:
    """Path, value and whether it is trained, of each leaf in the order of a pytree's leaves."""
    if isinstance(tree, Module):
        buffers, held = roles(tree, "buffer"), fields(tree)
        for name in children(tree):
            yield from walk(held[name], f"{path}.{name}" if path else name, trained and name not in buffers)
        return
    leaves, spec = optree.tree_flatten(tree, is_leaf=lambda x: isinstance(x, Module), namespace=pytree.NAMESPACE)
    for accessor, leaf in zip(spec.accessors(), leaves, strict=True):
        at = accessor.codify(path)
        if isinstance(leaf, Module):
            yield from walk(leaf, at, trained)
        else:
            yield at, leaf, trained and inexact(dtype(leaf))


def modules(tree: Any) -> Iterator[Module]:
    """A module and all within it; or those of a container."""
    if isinstance(tree, Module):
        yield tree
        held = fields(tree)
        for name in children(tree):
            yield from modules(held[name])
        return
    leaves = optree.tree_leaves(tree, is_leaf=lambda x: isinstance(x, Module), namespace=pytree.NAMESPACE)
    for leaf in leaves:
        if isinstance(leaf, Module):
            yield from modules(leaf)


def parameters(module: Any) -> list[tuple[str, Tensor]]:
    """Paths and values of all trained parameters.

    Parameters
    ----------
    module : Module, or a container of modules

    Returns
    -------
    list of (str, Tensor)

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import nn
    >>> [(path, w.shape) for path, w in nn.parameters(nn.Linear(2, 3, key=ss.random.key(0)))]
    [('weight', (2, 3)), ('bias', (3,))]
    """
    return [(path, leaf) for path, leaf, trained in walk(module) if trained]


def count(module: Any) -> int:
    """Number of trained parameters (of scalars; a complex one counts once).

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import nn
    >>> nn.count(nn.MLP([2, 20, 20, 20, 1], key=ss.random.key(0)))
    921
    """
    return sum(w.size for _, w in parameters(module))


def partition(module: Any) -> tuple[Any, Any]:
    """What is trained, and the rest: buffers and arrays of integers.

    Returns
    -------
    params, rest
        Both of the module's class, with None in the place of what the other holds; `combine` puts them together.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad, nn
    >>> net = nn.Sequential([nn.BatchNorm(2), nn.Linear(2, 1, key=ss.random.key(0))])
    >>> params, rest = nn.partition(net)
    >>> loss = lambda params: ss.sum(nn.combine(params, rest)(ss.ones((4, 2))))
    >>> len(nn.parameters(ad.grad(loss)(params)))
    4
    """
    leaves, spec = pytree.flatten(module)
    mask = [trained for _, _, trained in walk(module)]
    params = [x if m else None for x, m in zip(leaves, mask, strict=True)]
    rest = [None if m else x for x, m in zip(leaves, mask, strict=True)]
    return pytree.unflatten(spec, params), pytree.unflatten(spec, rest)


def combine(params: Any, rest: Any) -> Any:
    """The module of which `partition` made two parts.

    Raises
    ------
    ArgumentError
        If the parts are of different modules.
    """
    try:
        return optree.tree_map(
            lambda a, b: b if a is None else a, params, rest, none_is_leaf=True, namespace=pytree.NAMESPACE
        )
    except ValueError as error:
        raise ArgumentError(f"combine: the two parts are not of one module: {error}") from None


def map_modules(f: Callable[[Module], Module], tree: Any) -> Any:
    """Rebuild a tree with ``f`` applied to each module, inner ones first."""

    def visit(x: Any) -> Any:
        if not isinstance(x, Module):
            return x
        held = fields(x)
        return f(x.replace(**{name: map_modules(f, held[name]) for name in children(x)}))

    return optree.tree_map(visit, tree, is_leaf=lambda x: isinstance(x, Module), namespace=pytree.NAMESPACE)


def train(module: Any) -> Any:
    """The module in training mode: dropout drops, batch norms use the statistics of the batch."""
    return _in_mode(module, True)


def eval(module: Any) -> Any:
    """The module in evaluation mode: dropout is the identity, batch norms use their running statistics.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import nn
    >>> nn.eval(nn.Dropout(0.5))(ss.ones(3))
    Tensor([1., 1., 1.])
    """
    return _in_mode(module, False)


def _in_mode(module: Any, training: bool) -> Any:
    return map_modules(lambda m: m.replace(training=training) if "training" in fields(m) else m, module)
