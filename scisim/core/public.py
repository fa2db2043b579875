"""Public functions: raw functions of values, dressed for tensors, and the table from which everything is generated."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scisim.core.axes import ELEMENTWISE
from scisim.core.errors import ScisimError
from scisim.core.primitive import Primitive
from scisim.core.tensor import Tensor, functions, holds_tensor, wrap
from scisim.core.values import Traced, as_dtype, as_value, named, numeric, own

_new = object.__new__
_ndarray = np.ndarray


@dataclass(frozen=True)
class Operation:
    """One public function: its raw form on values, its dressed form on tensors, its primitive if it is one."""

    name: str
    raw: Callable
    function: Callable
    primitive: Primitive | None
    module: str


OPERATIONS: dict[str, Operation] = {}
# What computes a function of plain arrays at once, with the bits of the raw function; `ops.plain` fills it.  It takes
# arrays where that takes values, and gives NotImplemented, or raises, for what only the raw function knows.
PLAIN: dict[str, Callable] = {}


def public(name: str, raw: Callable, primitive: Primitive | None = None, module: str = "", doc: str = "") -> Callable:
    """Dress a raw function of values for tensors and enter it in the table."""
    if primitive is not None and _is_elementwise(primitive, raw):
        f = _dress_elementwise(primitive, raw, name)
    elif raw is primitive:
        f = _dress(_of_operands(primitive), name, module)
    else:
        f = _dress(raw, name, module)
    f.__name__ = f.__qualname__ = name
    f.__module__ = f"scisim.{module}" if module else "scisim"
    f.__doc__ = doc or raw.__doc__
    key = f"{module}.{name}" if module else name
    OPERATIONS[key] = Operation(key, raw, f, primitive, module)
    functions[key] = f
    return f


def _of_operands(prim: Primitive) -> Callable:
    """The primitive as a function of arrays and numbers, in the order and with the names of its scalar expression."""

    def call(*args: Any) -> Any:
        return prim(*map(number_or_value, args))

    code = prim.scalar.__code__ if prim.scalar is not None else None
    names = code.co_varnames[1 : code.co_argcount] if code and not code.co_flags & 4 else ()
    if names:
        only = inspect.Parameter.POSITIONAL_ONLY
        call.__signature__ = inspect.Signature([inspect.Parameter(n, only) for n in names])  # type: ignore[attr-defined]
    return call


def _is_elementwise(prim: Primitive, raw: Callable) -> bool:
    """Whether the public function takes just the operands of an elementwise primitive."""
    if prim.axes is not ELEMENTWISE or arity(prim) not in (1, 2):
        return False
    return raw is prim or raw.__code__.co_argcount == arity(prim)


def _dress_elementwise(prim: Primitive, raw: Callable, name: str) -> Callable:
    """Plain arrays go straight to NumPy; a raw function that is more than its primitive is asked about complex ones."""
    evaluate, plain = prim.evaluate, raw is prim  # `debug_nans` closes this short way by changing `_ndarray`

    def unary(x: Any, /) -> Tensor:
        v = x._v if type(x) is Tensor else named_argument(name, x)
        t = _new(Tensor)
        try:
            t._v = evaluate(v) if type(v) is _ndarray and (plain or v.dtype.kind != "c") else raw(v)
        except TypeError:
            t._v = raw(v)  # says what is wrong
        if type(v) is _ndarray and type(x) is not Tensor:
            t._v = apart(t._v, v)
        return t

    def binary(x1: Any, x2: Any, /) -> Tensor:
        u = x1._v if type(x1) is Tensor else named_argument(name, x1, number_or_value)
        v = x2._v if type(x2) is Tensor else named_argument(name, x2, number_or_value)
        if isinstance(u, Traced) or isinstance(v, Traced):
            u, v = own_operand(x1, u), own_operand(x2, v)
        t = _new(Tensor)
        try:
            if type(u) is _ndarray is type(v) and (plain or u.dtype.kind == "f" == v.dtype.kind):
                t._v = evaluate(u, v)
            else:
                t._v = raw(u, v)
        except (ValueError, TypeError):
            t._v = raw(u, v)  # says what is wrong
        return t

    return unary if arity(prim) == 1 else binary


def named_argument(name: str, x: Any, convert: Any = None) -> Any:
    """A value from an argument of the function of that name."""
    try:
        return (convert or as_argument)(x)
    except ScisimError as error:
        raise named(name, error) from None


def own_operand(x: Any, v: Any) -> Any:
    """The value ``v`` of an operand that a transformation is to keep: an array that a user passed is copied."""
    return v if type(x) is Tensor else own(v)


def like_tuple(out: tuple, values: Any) -> tuple:
    """The values in the place of those of a tuple; one with named fields keeps them."""
    make = getattr(out, "_make", tuple)
    return make(values)


def apart(out: Any, v: np.ndarray) -> Any:
    """A result that shares no memory with an array that a user passed."""
    if type(out) is _ndarray and (out is v or (out.base is not None and np.may_share_memory(out, v))):
        return out.copy()
    return out


def number_or_value(x: Any) -> Any:
    """Python numbers stay as they are, weak in promotion."""
    return x if type(x) in (bool, int, float, complex) else as_argument(x)


def arity(prim: Primitive) -> int:
    """Number of operands of an elementwise primitive."""
    if prim.scalar is None:
        return getattr(prim.evaluate, "nin", 0)
    code = prim.scalar.__code__
    return 0 if code.co_flags & 4 else code.co_argcount - 1


def _dress(raw: Callable, name: str, module: str) -> Callable:
    key = f"{module}.{name}" if module else name
    names = _parameters(raw)
    place = names.index("dtype") if "dtype" in names else None

    @functools.wraps(raw)
    def f(*args: Any, **kwargs: Any) -> Any:
        plain = PLAIN.get(key)
        if plain is not None:
            if len(args) == 1 and not kwargs and type(args[0]) is Tensor and type(args[0]._v) is _ndarray:
                try:
                    out = plain(args[0]._v)
                except (ValueError, TypeError, IndexError, AttributeError):
                    out = NotImplemented
            else:
                out = _at_once(plain, args, kwargs)
            if type(out) is tuple:
                return tuple(map(wrap, out))
            if out is not NotImplemented:
                t = _new(Tensor)
                t._v = out
                return t
        try:
            if len(args) == 1 and not kwargs and type(args[0]) is Tensor:
                out = raw(args[0]._v)
            elif args and type(args[0]) is Tensor and all(map(_is_setting, (*args[1:], *kwargs.values()))):
                out = raw(args[0]._v, *args[1:], **kwargs)
            else:
                if place is not None:
                    args, kwargs = _with_dtype(name, place, args, kwargs)
                out = _run(raw, args, kwargs)
        except ScisimError as error:
            raise named(name, error) from error.__cause__
        if isinstance(out, tuple):
            return like_tuple(out, map(wrap, out))
        t = _new(Tensor)
        t._v = out
        return t

    return f


def _parameters(raw: Callable) -> Sequence[str]:
    """Names of a function's parameters; its code tells them sooner than its signature, and there are hundreds."""
    code = getattr(raw, "__code__", None)
    if code is None or hasattr(raw, "__signature__") or hasattr(raw, "__wrapped__"):
        return list(inspect.signature(raw).parameters)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _at_once(plain: Callable, args: tuple, kwargs: dict) -> Any:
    """The function of plain arrays; NotImplemented where an argument is anything else, or an error has to be told."""
    vals: list[Any] = []
    foreign: list[np.ndarray] = []
    for a in args:
        kind = type(a)
        if kind is Tensor:
            a = a._v
            if type(a) is not _ndarray:
                return NotImplemented
        elif kind not in _SIMPLE:
            a = _plain_argument(a, foreign)
            if a is NotImplemented:
                return NotImplemented
        vals.append(a)
    if kwargs:
        for a in kwargs.values():
            if type(a) not in _SIMPLE and not _is_setting(a) and not isinstance(a, np.dtype):
                return NotImplemented
    try:
        out = plain(*vals, **kwargs)
    except (ValueError, TypeError, IndexError, AttributeError):  # the last of a list in the place of an array
        return NotImplemented
    for v in foreign:  # a result shares no memory with arrays of users
        out = tuple(apart(o, v) for o in out) if type(out) is tuple else apart(out, v)
    return out


def _plain_argument(a: Any, foreign: list) -> Any:
    """An array that a user passed, a list of numbers or plain arrays, a shape or a dtype."""
    if type(a) is _ndarray:
        if not numeric(a.dtype) or not a.dtype.isnative:
            return NotImplemented
        foreign.append(a)
        return a
    if type(a) is list or (type(a) is tuple and a and type(a[0]) is Tensor):
        return _plain_list(a, foreign)
    return a if _is_setting(a) or isinstance(a, np.dtype) else NotImplemented


def _plain_list(xs: Any, foreign: list) -> Any:
    """A list of numbers, or of plain arrays, nested as it is."""
    if all(type(x) in (int, float) for x in xs):
        return xs
    out = []
    for x in xs:
        x = x._v if type(x) is Tensor else _plain_argument(x, foreign) if type(x) in (list, _ndarray) else None
        if type(x) is not _ndarray and type(x) is not list:
            return NotImplemented
        out.append(x)
    return out


def _is_setting(x: Any) -> bool:
    """A number, a name, an axis or a shape: nothing that could be an array or a dtype."""
    kind = type(x)
    return kind in _SETTINGS or (kind is tuple and all(type(i) is int for i in x))


_SETTINGS = (bool, int, type(None))
_SIMPLE = frozenset({bool, int, float, str, type(None)})


def _with_dtype(name: str, place: int, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """The arguments, with the dtype among them as such."""
    if len(args) > place and args[place] is not None:
        args = (*args[:place], as_dtype(name, args[place]), *args[place + 1 :])
    elif kwargs.get("dtype") is not None:
        kwargs = {**kwargs, "dtype": as_dtype(name, kwargs["dtype"])}
    return args, kwargs


def _run(raw: Callable, args: tuple, kwargs: dict) -> Any:
    """The raw function, so that neither its result nor a transformation holds an array that a user passed."""
    foreign: list[np.ndarray] = []
    traced = _look(args, foreign)
    if kwargs:
        traced = _look(kwargs.values(), foreign) or traced
    take = _own_operand if traced and foreign else operand
    out = raw(*map(take, args), **{k: take(v) for k, v in kwargs.items()} if kwargs else kwargs)
    if not traced:
        for v in foreign:
            out = like_tuple(out, (apart(o, v) for o in out)) if isinstance(out, tuple) else apart(out, v)
    return out


def each(f: Callable, results: tuple) -> tuple:
    """A function of each of several results, which may have names."""
    return tuple(map(f, results)) if type(results) is tuple else type(results)(*map(f, results))


def _look(xs: Any, foreign: list) -> bool:
    """Whether values of a transformation are among the arguments; collects the arrays that are not ours."""
    traced = False
    for x in xs:
        if type(x) is Tensor:
            traced = traced or isinstance(x._v, Traced)
        elif isinstance(x, np.ndarray):
            foreign.append(x)
            as_value(x)  # refuses what holds no numbers
        elif isinstance(x, (list, tuple)):
            traced = _look(x, foreign) or traced
    return traced


def _own_operand(x: Any) -> Any:
    return x._v if type(x) is Tensor else _map_own(operand(x))


def _map_own(x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        return type(x)(map(_map_own, x)) if isinstance(x, list) else tuple(map(_map_own, x))
    return own(x)


def as_argument(x: Any) -> Any:
    """A value from an argument that must be an array."""
    if isinstance(x, (list, tuple)) and holds_tensor(x):
        return Tensor(x)._v
    return as_value(x)


def operand(x: Any) -> Any:
    """An argument as raw functions take it: handles become values, nested lists arrays, the rest stays."""
    if type(x) is Tensor:
        return x._v
    if isinstance(x, (list, tuple)):
        if holds_tensor(x):
            return type(x)(map(operand, x)) if isinstance(x, list) else tuple(map(operand, x))
        return x
    return x
