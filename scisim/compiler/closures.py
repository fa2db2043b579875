"""The tensors that a function closes over: a captured program holds their values, so it must see when these change.

Found are tensors in closures, defaults and globals that the function names, also through containers, attributes of
objects and other functions.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

from scisim.core.tensor import Tensor
from scisim.core.values import Traced

Guard = tuple[Callable[[], Any], Any]  # where a tensor is found, and the value it had

_SKIPPED = (types.ModuleType, type, str, bytes, int, float, complex, types.BuiltinFunctionType)
# Objects of these packages hold no tensors of a user; functions of scisim none in their globals.
_FOREIGN = ("numpy", "scisim.core", "scisim.ops")


def guards(f: Any) -> list[Guard]:
    """What must still hold when a program captured from ``f`` is run again."""
    out = []
    for find, found in _reached(f, set()):
        if not isinstance(found._v, Traced):
            out.append((find, found._v))
    return out


def hold(given: list[Guard]) -> bool:
    """Whether every tensor is still there with the value it had."""
    for find, value in given:
        found = find()
        if type(found) is not Tensor or found._v is not value:
            return False
    return True


def _reached(x: Any, seen: set[int]) -> Iterator[tuple[Callable[[], Any], Tensor]]:
    if x is None or isinstance(x, _SKIPPED) or id(x) in seen:
        return
    seen.add(id(x))
    for find, item in _parts(x):
        if type(item) is Tensor:
            yield find, item
        else:
            yield from _reached(item, seen)


def _parts(x: Any) -> Iterator[tuple[Callable[[], Any], Any]]:
    """What an object holds, and how to find it there again."""
    if isinstance(x, types.FunctionType):
        yield from _function_parts(x)
    elif isinstance(x, types.MethodType):
        yield from _fixed((x.__self__, x.__func__))
    elif isinstance(x, functools.partial):
        yield from _fixed((x.func, *x.args, *x.keywords.values()))
    elif isinstance(x, (list, tuple, dict)):
        yield from _fixed(x.values() if isinstance(x, dict) else x)
    elif not type(x).__module__.startswith(_FOREIGN):
        own = getattr(x, "__wrapped__", None)  # of a jitted function what it wraps, not its programs
        yield from _fixed([own] if own is not None else list(getattr(x, "__dict__", {}).values()))


def _same(item: Any) -> Any:
    return item


def _fixed(items: Any) -> Iterator[tuple[Callable[[], Any], Any]]:
    for item in items:
        yield functools.partial(_same, item), item


def _function_parts(f: types.FunctionType) -> Iterator[tuple[Callable[[], Any], Any]]:
    for cell in f.__closure__ or ():
        try:
            yield functools.partial(getattr, cell, "cell_contents", None), cell.cell_contents
        except ValueError:  # a variable that has no value yet
            continue
    yield from _fixed([*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()])
    for name in () if (f.__module__ or "").partition(".")[0] == "scisim" else _names(f.__code__):
        if name in f.__globals__:
            yield functools.partial(f.__globals__.get, name), f.__globals__[name]


def _names(code: types.CodeType) -> set[str]:
    """Globals that a function, or one defined inside it, may read."""
    names = set(code.co_names)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            names |= _names(inner)
    return names
