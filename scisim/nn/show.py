"""Modules as text."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import optree

from scisim.core import pytree
from scisim.nn.module import Module, children, fields


def describe(module: Module) -> str:
    """A line for each submodule and array, indented, with numbers of parameters."""
    return "\n".join(_lines(module, "", ""))


def _lines(module: Module, name: str, indent: str) -> Iterator[str]:
    held = fields(module)
    optional = {f.name for f in dataclasses.fields(module) if f.default is None}  # type: ignore[arg-type]
    rest = {k: v for k, v in held.items() if k not in children(module) and not (v is None and k in optional)}
    static = [f"{k}={getattr(v, '__name__', None) or repr(v)}" for k, v in rest.items()]
    label = f"{name}: " if name else ""
    yield f"{indent}{label}{type(module).__name__}({', '.join([*static, _size(module)])})"
    for field_name in children(module):
        for at, value in _parts(held[field_name], field_name):
            if isinstance(value, Module):
                yield from _lines(value, at, indent + "  ")
            else:
                yield f"{indent}  {at}: {_array(value)}"


def _size(module: Module) -> str:
    from scisim.nn.trees import walk

    n = sum(getattr(x, "size", 1) for _, x, trained in walk(module) if trained)
    return f"{n:,} parameter{'s' * (n != 1)}"


def _parts(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    leaves, spec = optree.tree_flatten(value, is_leaf=lambda x: isinstance(x, Module), namespace=pytree.NAMESPACE)
    for accessor, leaf in zip(spec.accessors(), leaves, strict=True):
        yield accessor.codify(name), leaf


def _array(x: Any) -> str:
    return f"{x.dtype}{list(x.shape)}" if hasattr(x, "dtype") else repr(x)
