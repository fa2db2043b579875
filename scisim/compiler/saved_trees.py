"""The structure of arguments and results as JSON, and containers of that structure again.

Built-in containers are written as what they are.  Named tuples and registered classes are written by name with their
field names and what of them is static; a name is looked up among what is imported, never imported from a file, but for
what is scisim's own.
"""

from __future__ import annotations

import importlib
import sys
from collections import OrderedDict, deque, namedtuple
from collections.abc import Iterator, Sequence
from typing import Any

import optree

from scisim.compiler.saved_values import Reader, Writer
from scisim.core.errors import ArgumentTypeError, FileError
from scisim.core.pytree import NAMESPACE

LEAF = "*"
_PLAIN: dict[str, Any] = {"tuple": tuple, "list": list, "deque": deque}
_KEYED: dict[str, Any] = {"dict": dict, "OrderedDict": OrderedDict}


def spec_of(tree: Any) -> Any:
    """The structure of a tree, as optree has it."""
    return optree.tree_structure(tree, namespace=NAMESPACE)


def describe(spec: Any, writer: Writer, what: str) -> Any:
    """A structure as JSON."""
    return _described(optree.tree_unflatten(spec, [0] * spec.num_leaves), writer, what)


def _described(tree: Any, writer: Writer, what: str) -> Any:
    if type(tree) is int:
        return LEAF
    if tree is None:
        return {"none": []}
    children, static, names, _ = optree.tree_flatten_one_level(tree, namespace=NAMESPACE)
    inner = [_described(c, writer, what) for c in children]
    kind = type(tree)
    for name, builtin in (_PLAIN | _KEYED).items():
        if kind is builtin:
            keys = {"keys": writer.value(list(names), what)} if name in _KEYED else {}
            return {name: inner, **keys}
    if optree.is_namedtuple_class(kind):
        return {"namedtuple": inner, **_named(kind), "fields": list(kind._fields)}
    if kind.__module__ in ("builtins", "collections") or optree.is_structseq_class(kind):
        raise ArgumentTypeError(
            f"export: {what} holds a {kind.__name__}, whose structure cannot be written; use tuples, lists, dicts, "
            f"named tuples, or registered classes such as nn.Module"
        )
    return {"class": inner, **_named(kind), "static": writer.value(static, f"{what}: {kind.__name__}")}


def _named(kind: type) -> dict[str, str]:
    if "<locals>" in kind.__qualname__ and not optree.is_namedtuple_class(kind):
        raise ArgumentTypeError(
            f"export: {kind.__qualname__} is defined inside a function, so the loading process cannot find it by name; "
            f"define the class at the top of a module"
        )
    return {"module": kind.__module__, "name": kind.__qualname__}


def comparable(described: Any) -> Any:
    """What must agree for two structures to be the same: a class may be defined in another module."""
    if not isinstance(described, dict):
        return described
    return {k: [comparable(c) for c in v] if k in _CHILDREN else v for k, v in described.items() if k != "module"}


_CHILDREN = {*_PLAIN, *_KEYED, "namedtuple", "class", "none"}


def build(described: Any, leaves: Iterator[Any], reader: Reader) -> Any:
    """A tree of the structure with the given leaves."""
    if described == LEAF:
        return next(leaves)
    kinds = set(described) & _CHILDREN if isinstance(described, dict) else set()
    if len(kinds) != 1:
        raise FileError(f"holds {described!r:.60}, which is no structure")
    kind = kinds.pop()
    children = [build(c, leaves, reader) for c in described[kind]]
    if kind == "none":
        return None
    if kind in _PLAIN:
        return _PLAIN[kind](children)
    if kind in _KEYED:
        return _KEYED[kind](zip(reader.value(described["keys"]), children, strict=True))
    if kind == "namedtuple":
        return _tuple_class(described)(*children)
    return _instance(described, children, reader)


def _tuple_class(described: dict) -> Any:
    fields = described["fields"]
    found = _found(described["module"], described["name"])
    if found is None or not optree.is_namedtuple_class(found) or list(found._fields) != fields:
        return namedtuple(described["name"].rpartition(".")[2], fields)
    return found


def _instance(described: dict, children: Sequence[Any], reader: Reader) -> Any:
    module, name = described["module"], described["name"]
    found = _found(module, name)
    entry: Any = None if found is None else optree.register_pytree_node.get(found, namespace=NAMESPACE)
    if entry is None:
        raise FileError(
            f"gives a result of class {module}.{name}, which is not here; import the module that defines it before "
            f"loading"
        )
    return entry.unflatten_func(reader.value(described["static"]), children)


def _found(module: str, name: str) -> Any:
    """A class among what is imported; of modules only our own are imported for it."""
    if module.split(".")[0] == "scisim":
        try:
            importlib.import_module(module)
        except ImportError:
            return None
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found if isinstance(found, type) else None
