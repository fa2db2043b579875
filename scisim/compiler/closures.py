"""The tensors that a function closes over: a captured program holds their values, so it must see when these change.

Found are tensors in closures, defaults and globals that the function names, also through containers, attributes of
objects and other functions.  What lies on the way may be replaced too: variables, items of lists and dictionaries, and
attributes that the code found names; others, such as a history that its caller keeps, do not concern a program.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from scisim.core.tensor import Tensor
from scisim.core.values import Traced

Guard = tuple[Callable[[], Any], Any]  # where a tensor, or what holds one, is found, and the value it had

_SKIPPED = (types.ModuleType, type, str, bytes, int, float, complex, types.BuiltinFunctionType)
# Objects of these packages hold no tensors of a user (though much else); functions of scisim none in their globals.
_FOREIGN = ("numpy", "scisim.core", "scisim.ops", "scipy", "mpmath", "mpi4py", "matplotlib", "numba", "optree", "zarr")


class _Part(NamedTuple):
    """What an object holds, and how to find it there again: None where it stays; the name of an attribute."""

    item: Any
    find: Callable[[], Any] | None = None
    attribute: str | None = None


def guards(f: Any) -> list[Guard]:
    """What must still hold when a program captured from ``f`` is run again."""
    names: set[str] = set()
    out: list[Guard] = []
    for item, find, attribute in list(_reached(f, set(), names)):
        replaceable = find is not None and (attribute is None or attribute in names)
        if type(item) is Tensor and not isinstance(item._v, Traced):
            out.append((find if replaceable and find else functools.partial(_same, item), item._v))
        elif type(item) is not Tensor and replaceable and find:
            out.append((find, item))
    return out


def hold(given: list[Guard]) -> bool:
    """Whether everything is still there with the value it had."""
    for find, value in given:
        found = find()
        if (found._v if type(found) is Tensor else found) is not value:
            return False
    return True


def _reached(x: Any, seen: set[int], names: set[str]) -> Iterator[_Part]:
    """Tensors, and what holds some; the names that code on the way uses are added to ``names``."""
    if x is None or isinstance(x, _SKIPPED) or id(x) in seen:
        return
    seen.add(id(x))
    if isinstance(x, types.FunctionType):
        names |= _names(x.__code__)
    for part in _parts(x):
        if type(part.item) is Tensor:
            yield part
            continue
        below = list(_reached(part.item, seen, names))
        if below:
            yield part
            yield from below


def _parts(x: Any) -> Iterator[_Part]:
    if isinstance(x, types.FunctionType):
        yield from _function_parts(x)
    elif isinstance(x, types.MethodType):
        yield from map(_Part, (x.__self__, x.__func__))
    elif isinstance(x, functools.partial):
        yield from map(_Part, (x.func, *x.args, *x.keywords.values()))
    elif isinstance(x, tuple):
        yield from map(_Part, x)
    elif isinstance(x, list):
        for k, item in enumerate(x):
            yield _Part(item, functools.partial(_item, x, k))
    elif isinstance(x, dict):
        for key, item in x.items():
            yield _Part(item, functools.partial(dict.get, x, key))
    elif not type(x).__module__.startswith(_FOREIGN):
        yield from _attributes(x)


def _attributes(x: Any) -> Iterator[_Part]:
    own = getattr(x, "__wrapped__", None)  # of a jitted function what it wraps, not its programs
    if own is not None:
        yield _Part(own)
        return
    held = getattr(x, "__dict__", {})
    for name, item in list(held.items()):
        yield _Part(item, functools.partial(held.get, name), name)


def _same(item: Any) -> Any:
    return item


def _item(x: list, k: int) -> Any:
    return x[k] if k < len(x) else None


def _function_parts(f: types.FunctionType) -> Iterator[_Part]:
    for cell in f.__closure__ or ():
        try:
            yield _Part(cell.cell_contents, functools.partial(getattr, cell, "cell_contents", None))
        except ValueError:  # a variable that has no value yet
            continue
    yield from map(_Part, (*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()))
    for name in () if (f.__module__ or "").partition(".")[0] == "scisim" else _names(f.__code__):
        if name in f.__globals__:
            yield _Part(f.__globals__[name], functools.partial(f.__globals__.get, name))


def _names(code: types.CodeType) -> set[str]:
    """Globals and attributes that a function, or one defined inside it, may read."""
    names = set(code.co_names)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            names |= _names(inner)
    return names
