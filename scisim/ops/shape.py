"""Shape: sum, broadcast, reshape, transpose, concatenate; the linear primitives that move axes."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from scisim.core import hooks
from scisim.core.avals import ShapeDtype, broadcast_shapes
from scisim.core.axes import ELEMENTWISE, Axes
from scisim.core.errors import ArgumentError, ArgumentTypeError, IndexRangeError, ShapeError, TraceError
from scisim.core.primitive import Primitive
from scisim.core.values import Traced, as_dtype, dtype, shape


def as_integer(name: str, argument: str, x: Any) -> int:
    """A Python integer, or an error that says what was given; a fraction is never cut off."""
    if type(x) is int:
        return x
    try:
        return operator.index(x)
    except TraceError:
        raise
    except TypeError:
        raise ArgumentTypeError(f"{name}: {argument} must be an integer, got {x!r}") from None


def several(x: Any) -> tuple | None:
    """The items of a list, tuple or array; None for a single thing."""
    if type(x) is tuple:
        return x
    if isinstance(x, (int, str, bytes, dict, set)) or (isinstance(x, Traced) and not x.shape):
        return None
    try:
        return tuple(x)
    except TypeError:
        return None


def lengths(name: str, shape: Any, least: int = 0) -> tuple[int, ...]:
    """A shape as a tuple of Python integers."""
    items = several(shape)
    s = (shape,) if items is None else items
    if all(type(n) is int and n >= least for n in s):
        return s
    if any(isinstance(n, Traced) for n in s):
        raise ArgumentTypeError(f"{name}: a shape is made of Python integers, got values of a transformation")
    try:
        to = tuple(map(operator.index, s))
    except TypeError:
        raise ArgumentTypeError(f"{name}: a shape is made of integers, got {shape!r}") from None
    if any(n < least for n in to):
        free = ", but for one -1" if least else ""
        raise ArgumentError(f"{name}: lengths must not be negative{free}, got shape {shape!r}")
    return to


def sequence(name: str, argument: str, x: Any) -> tuple:
    """The items of an argument that must be a list or tuple."""
    items = several(x)
    if items is None:
        raise ArgumentTypeError(f"{name}: {argument} must be a list or tuple, got {type(x).__name__} {x!r:.60}")
    return items


def normalize_axis(name: str, axis: int, ndim: int) -> int:
    """A non-negative axis, or an error that says which axes there are."""
    k = as_integer(name, "axis", axis)
    if not -ndim <= k < ndim:
        raise IndexRangeError(
            f"{name}: axis {axis} is out of range for an array with {ndim} axes; use {-ndim} to {ndim - 1}"
            if ndim
            else f"{name}: axis {axis} was given, but the array has no axes; leave axis out"
        )
    return k % ndim


def _each_axis(name: str, axes: Any, ndim: int) -> list[int]:
    if type(axes) is int:
        return [normalize_axis(name, axes, ndim)]
    items = several(axes)
    return [normalize_axis(name, k, ndim) for k in ((axes,) if items is None else items)]


def normalize_axes(name: str, axis: Any, ndim: int) -> tuple[int, ...]:
    """Sorted non-negative axes; None is all of them."""
    if axis is None:
        return tuple(range(ndim))
    axes = _each_axis(name, axis, ndim)
    if len(set(axes)) < len(axes):
        raise ArgumentError(f"{name}: axis {axis} names an axis twice")
    return tuple(sorted(axes))


# --- sum and broadcast: transposes of each other -----------------------------------------------------------------
def _sum_transpose(i: int, ct: Any, args: tuple, p: dict) -> Any:
    s = shape(args[0])
    if len(p["axes"]) < len(s):
        ct = reshape(ct, tuple(1 if k in p["axes"] else n for k, n in enumerate(s)))
    return broadcast_p(ct, shape=s) if s else ct


def reduce_labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    """Reduced axes keep a label that the output lacks: a partial result where they are cut."""
    rank = len(shapes[0])
    return [tuple(range(rank))], tuple(k for k in range(rank) if k not in p["axes"])


def reduce_infer(kind: Any = None) -> Any:
    def infer(avals: tuple, p: dict) -> ShapeDtype:
        a = avals[0]
        out = tuple(n for k, n in enumerate(a.shape) if k not in p["axes"])
        return ShapeDtype(out, a.dtype if kind is None else kind(a.dtype))

    return infer


def shift_axes(n: int, p: dict) -> dict:
    return {**p, "axes": tuple(a + 1 for a in p["axes"])}


def _sum_dtype(dt: np.dtype) -> np.dtype:
    return np.add.reduce(np.zeros(1, dt)).dtype


def _sum(x: Any, axes: tuple[int, ...]) -> Any:
    if type(x) is np.ndarray and x.dtype.num >= _ADDED:  # NumPy would round after every addition
        return np.asarray(np.add.reduce(x, axis=axes, dtype=np.float32)).astype(x.dtype)[()]
    return np.add.reduce(x, axis=axes)


_ADDED = 256  # numbers of dtypes that are not NumPy's own, such as bfloat16

sum_p = Primitive(
    "sum",
    _sum,
    axes=Axes(reduce_labels, shift_axes),
    infer=reduce_infer(_sum_dtype),
    linear=(0,),
    transpose=_sum_transpose,
    array_api="sum",
)


def _broadcast(x: Any, shape: tuple[int, ...]) -> Any:
    if math.prod(shape) > 4096:
        return np.broadcast_to(x, shape)  # no memory, but 2.5 us
    out = np.empty(shape, x.dtype if hasattr(x, "dtype") else np.asarray(x).dtype)
    out[...] = x
    return out


def _broadcast_transpose(i: int, ct: Any, args: tuple, p: dict) -> Any:
    return unbroadcast(ct, shape(args[0]))


def _broadcast_labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    (s,), out = shapes, p["shape"]
    lead = len(out) - len(s)
    ins = tuple(k + lead if n == out[k + lead] else None for k, n in enumerate(s))
    return [ins], tuple(k if k - lead >= 0 and s[k - lead] == n else None for k, n in enumerate(out))


def _broadcast_batch(trace: Any, prim: Primitive, vals: list, mapped: list, p: dict) -> Any:
    (v,), out = vals, p["shape"]
    v = reshape(v, (shape(v)[0],) + (1,) * (len(out) - len(shape(v)) + 1) + shape(v)[1:])
    return prim(v, shape=(trace.n, *out))


broadcast_p = Primitive(
    "broadcast",
    _broadcast,
    axes=Axes(_broadcast_labels, lambda n, p: {"shape": (n, *p["shape"])}),
    infer=lambda avals, p: ShapeDtype(p["shape"], avals[0].dtype),
    linear=(0,),
    transpose=_broadcast_transpose,
    batch=_broadcast_batch,
    array_api="broadcast_to",
)


def broadcast(x: Any, to: tuple[int, ...]) -> Any:
    return x if shape(x) == to else broadcast_p(x, shape=to)


def stretch(name: str, x: Any, to: tuple[int, ...]) -> Any:
    """`broadcast` of an array that must fit."""
    if broadcast_shapes(name, shape(x), to) != to:
        raise ShapeError(f"{name}: an array of shape {shape(x)} does not broadcast to {to}")
    return broadcast(x, to)


def unbroadcast(ct: Any, to: tuple[int, ...]) -> Any:
    """The transpose of broadcasting: sums over the axes that were stretched."""
    s = shape(ct)
    if s == to:
        return ct
    lead = len(s) - len(to)
    axes = tuple(range(lead)) + tuple(k + lead for k, n in enumerate(to) if n == 1 != s[k + lead])
    return reshape(sum_p(ct, axes=axes) if axes else ct, to)


# --- reshape and transpose ---------------------------------------------------------------------------------------
def reshape_groups(s: Sequence[int], t: Sequence[int]) -> list[tuple[range, range]]:
    """Axes of two shapes of equal size in groups of equal product; an axis of length one that only one of them has is
    a group by itself."""
    groups, i, j = [], 0, 0
    while i < len(s) or j < len(t):
        a, b, p, q = i, j, 1, 1
        if i < len(s) and j < len(t) and s[i] != t[j] and 1 in (s[i], t[j]):
            i, j = i + (s[i] == 1), j + (t[j] == 1)
            groups.append((range(a, i), range(b, j)))
            continue
        if i < len(s):
            p, i = s[i], i + 1
        if j < len(t):
            q, j = t[j], j + 1
        while p != q:
            if p < q and i < len(s):
                p, i = p * s[i], i + 1
            elif p > q and j < len(t):
                q, j = q * t[j], j + 1
            else:  # sizes with zeros do not split further
                return [(range(len(s)), range(len(t)))]
        groups.append((range(a, i), range(b, j)))
    return groups


def _reshape_labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    (s,), t = shapes, p["shape"]
    ins: list[Any] = [None] * len(s)
    out: list[Any] = [None] * len(t)
    for a, b in reshape_groups(s, t):
        if len(a) == len(b) == 1:
            ins[a[0]] = out[b[0]] = a[0]
    return [tuple(ins)], tuple(out)


reshape_p = Primitive(
    "reshape",
    lambda x, shape: np.reshape(x, shape),
    axes=Axes(_reshape_labels, lambda n, p: {"shape": (n, *p["shape"])}),
    infer=lambda avals, p: ShapeDtype(p["shape"], avals[0].dtype),
    linear=(0,),
    transpose=lambda i, ct, args, p: reshape(ct, shape(args[0])),
    array_api="reshape",
)
hooks.reshape = lambda x, shape: reshape(x, shape)
hooks.broadcast = lambda x, shape: broadcast(x, shape)


def reshape(x: Any, to: tuple[int, ...]) -> Any:
    s = shape(x)
    if s == to:
        return x
    if -1 in to or math.prod(s) != math.prod(to):
        to = _complete(s, to)
    return reshape_p(x, shape=to)


def _complete(s: tuple[int, ...], to: tuple[int, ...]) -> tuple[int, ...]:
    size, known = math.prod(s), math.prod(n for n in to if n != -1)
    free = to.count(-1)
    if free == 1 and known and size % known == 0:
        return tuple(size // known if n == -1 else n for n in to)
    if free == 0 and size == known:
        return to
    raise ShapeError(
        f"reshape: an array of shape {s} ({size} elements) does not fit shape {to} ({known} elements); "
        f"the sizes must be equal, with at most one -1"
    )


def _transpose_labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    return [tuple(range(len(shapes[0])))], tuple(p["perm"])


transpose_p = Primitive(
    "transpose",
    lambda x, perm: np.transpose(x, perm),
    axes=Axes(_transpose_labels, lambda n, p: {"perm": (0, *(k + 1 for k in p["perm"]))}),
    infer=lambda avals, p: ShapeDtype(tuple(avals[0].shape[k] for k in p["perm"]), avals[0].dtype),
    linear=(0,),
    transpose=lambda i, ct, args, p: transpose_p(ct, perm=tuple(np.argsort(p["perm"]).tolist())),
    array_api="permute_dims",
)


def permute(x: Any, perm: Sequence[int]) -> Any:
    perm = tuple(normalize_axis("permute_dims", k, len(shape(x))) for k in sequence("permute_dims", "axes", perm))
    if sorted(perm) != list(range(len(shape(x)))):
        raise ArgumentError(f"permute_dims: axes {perm} is not a permutation of {len(shape(x))} axes")
    return x if perm == tuple(range(len(perm))) else transpose_p(x, perm=perm)


def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    n = len(shape(x))
    src, dst = _each_axis("moveaxis", source, n), _each_axis("moveaxis", destination, n)
    if len(src) != len(dst) or len(set(src)) < len(src) or len(set(dst)) < len(dst):
        raise ArgumentError(
            f"moveaxis: source {source} and destination {destination} must name as many axes, each of them once"
        )
    perm = [k for k in range(n) if k not in src]
    for d, s in sorted(zip(dst, src, strict=True)):
        perm.insert(d, s)
    return permute(x, perm)


hooks.moveaxis = moveaxis
hooks.sum_leading = lambda x: sum_p(x, axes=(0,))


def matrix_transpose(x: Any) -> Any:
    k = len(shape(x))
    if k < 2:
        raise ShapeError(f"matrix_transpose: needs at least two axes, got shape {shape(x)}")
    return transpose_p(x, perm=(*range(k - 2), k - 1, k - 2))


# --- concatenation -----------------------------------------------------------------------------------------------
class _Every:
    """All operands, however many."""

    def __contains__(self, i: int) -> bool:
        return True

    def __len__(self) -> int:
        return 2


def _concat_infer(avals: tuple, p: dict) -> ShapeDtype:
    k, first = p["axis"], avals[0].shape
    n = sum(a.shape[k] for a in avals)
    return ShapeDtype((*first[:k], n, *first[k + 1 :]), np.result_type(*(a.dtype for a in avals)))


def _concat_transpose(i: int, ct: Any, args: tuple, p: dict) -> Any:
    from scisim.ops.index import slice_axis

    start = sum(shape(a)[p["axis"]] for a in args[:i])
    return slice_axis(ct, p["axis"], start, start + shape(args[i])[p["axis"]])


def _concat_labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    labels = tuple(None if k == p["axis"] else k for k in range(len(shapes[0])))
    return [labels] * len(shapes), labels


concat_p = Primitive(
    "concat",
    lambda *xs, axis: np.concatenate(xs, axis),
    axes=Axes(_concat_labels, lambda n, p: {"axis": p["axis"] + 1}),
    infer=_concat_infer,
    linear=(0,),
    transpose=_concat_transpose,
    array_api="concat",
)
concat_p.linear = _Every()  # type: ignore[assignment]


def concat(arrays: Sequence[Any], axis: int | None = 0) -> Any:
    """Joins arrays along an existing axis; None flattens them first."""
    from scisim.core.values import as_value

    xs = [as_value(a) for a in sequence("concat", "arrays", arrays)]
    if not xs:
        raise ArgumentError("concat: got no arrays; give at least one")
    if axis is None:
        xs, axis = [reshape(x, (-1,)) for x in xs], 0
    if not shape(xs[0]):
        raise ShapeError("concat: arrays without axes cannot be joined; use stack, or axis=None")
    k = normalize_axis("concat", axis, len(shape(xs[0])))
    rest = [(*shape(x)[:k], *shape(x)[k + 1 :]) for x in xs]
    if any(len(shape(x)) != len(shape(xs[0])) for x in xs) or any(r != rest[0] for r in rest):
        raise ShapeError(
            f"concat: shapes {', '.join(str(shape(x)) for x in xs)} must agree but for axis {axis}; "
            f"use stack to join along a new axis"
        )
    return concat_p(*xs, axis=k)


def stack(arrays: Sequence[Any], axis: int = 0) -> Any:
    """Joins arrays of one shape along a new axis."""
    from scisim.core.values import as_value

    xs = [as_value(a) for a in sequence("stack", "arrays", arrays)]
    if not xs:
        raise ArgumentError("stack: got no arrays; give at least one")
    if any(shape(x) != shape(xs[0]) for x in xs):
        raise ShapeError(f"stack: shapes {', '.join(str(shape(x)) for x in xs)} must be equal")
    k = normalize_axis("stack", axis, len(shape(xs[0])) + 1)
    s = (*shape(xs[0])[:k], 1, *shape(xs[0])[k:])
    return concat_p(*(reshape(x, s) for x in xs), axis=k)


def astype(x: Any, to: Any) -> Any:
    """A cast; to a real dtype it is linear, to an integer or boolean one it has no derivative."""
    to = as_dtype("astype", to)
    if dtype(x) == to:
        return x
    from scisim.core.values import inexact
    from scisim.ops.complexes import real

    if to.kind != "c" and dtype(x).kind == "c":
        x = real(x)
    return (cast_p if inexact(to) else truncate_p)(x, to=to)


def _cast_transpose(i: int, ct: Any, args: tuple, p: dict) -> Any:
    return ct  # delivered in the operand's dtype by the tape


cast_p = Primitive(
    "cast",
    lambda x, to: np.asarray(x).astype(to)[()],
    axes=ELEMENTWISE,
    linear=(0,),
    transpose=_cast_transpose,
    scalar=lambda s, x: s.cast(x),
    array_api="astype",
)
truncate_p = Primitive(
    "truncate", lambda x, to: np.asarray(x).astype(to)[()], axes=ELEMENTWISE, scalar=lambda s, x: s.cast(x)
)
