"""Indexing: reading and writing parts, in three steps that each are one primitive.

An index splits into a basic part (slices, integers, new axes), which is static, and integer arrays.  The axes with
arrays are moved to the front, where `gather` and `scatter` work; their result goes to NumPy's place.  Boolean masks
become integer arrays.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.errors import (
    ArgumentError,
    ArgumentTypeError,
    DTypeError,
    IndexRangeError,
    IndexShapeError,
    IndexTypeError,
    NumberRangeError,
    ShapeError,
    TraceError,
)
from scisim.core.primitive import Primitive
from scisim.core.values import Traced, as_value, dtype, new_array, shape, zeros
from scisim.ops.shape import as_integer, astype, broadcast, concat_p, moveaxis, reshape

# A static basic index is a tuple of these: hashable, unlike slices before Python 3.12.
Basic = tuple[Any, ...]


def _encode(items: Any) -> Basic:
    return tuple(("slice", i.start, i.stop, i.step) if isinstance(i, slice) else i for i in items)


def _decode(at: Basic) -> tuple:
    return tuple(slice(*i[1:]) if isinstance(i, tuple) else i for i in at)


# --- basic parts: read and put -----------------------------------------------------------------------------------
def _read_infer(avals: tuple, p: dict) -> ShapeDtype:
    (a,) = avals
    return ShapeDtype(_part_shape(a.shape, p["at"]), a.dtype)


@lru_cache(maxsize=4096)
def _part_shape(s: tuple[int, ...], at: Basic) -> tuple[int, ...]:
    return zeros(s, bool)[_decode(at)].shape


def _read_labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    """An axis read whole keeps its label."""
    ins: list[Any] = []
    out: list[Any] = []
    k = 0
    for i in p["at"]:
        if i is None:
            out.append(None)
            continue
        whole = i == ("slice", None, None, None)
        ins.append(k if whole else None)
        if isinstance(i, tuple):
            out.append(k if whole else None)
        k += 1
    return [tuple(ins)], tuple(out)


def _read_transpose(i: int, ct: Any, args: tuple, p: dict) -> Any:
    return put_p(zeros(shape(args[0]), dtype(ct)), ct, at=p["at"])


def _lift_at(n: int, p: dict) -> dict:
    return {**p, "at": (("slice", None, None, None), *p["at"])}


read_p = Primitive(
    "read",
    lambda x, at: x[_decode(at)],
    axes=Axes(_read_labels, _lift_at),
    infer=_read_infer,
    linear=(0,),
    transpose=_read_transpose,
    singular="parts that are left out do not get through",
)


def _put(x: Any, u: Any, at: Basic) -> np.ndarray:
    y = np.array(x, dtype=np.result_type(x, u))
    y[_decode(at)] = u
    return y


def _put_transpose(i: int, ct: Any, args: tuple, p: dict) -> Any:
    return read_p(ct, at=p["at"]) if i else put_p(ct, zeros((), dtype(ct)), at=p["at"])


def _put_labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    (reads,), out = _read_labels(shapes[:1], p)
    u = out[len(out) - len(shapes[1]) :] if len(shapes[1]) else ()
    return [reads, tuple(u)], reads


def _put_batch(trace: Any, prim: Primitive, vals: list, mapped: list, p: dict) -> Any:
    x, u = vals
    x = x if mapped[0] else trace.spread(x)
    if mapped[1]:
        rank = zeros(shape(x)[1:], bool)[_decode(p["at"])].ndim
        u = reshape(u, (trace.n,) + (1,) * (rank + 1 - len(shape(u))) + shape(u)[1:])
    return prim(x, u, **_lift_at(trace.n, p))


put_p = Primitive(
    "put",
    _put,
    axes=Axes(_put_labels, _lift_at),
    infer=lambda avals, p: ShapeDtype(avals[0].shape, np.result_type(avals[0].dtype, avals[1].dtype)),
    linear=(0, 1),
    transpose=_put_transpose,
    batch=_put_batch,
    singular="parts that are overwritten do not get through",
)


# --- integer arrays over the leading axes: gather and scatter ----------------------------------------------------
def _gather_infer(avals: tuple, p: dict) -> ShapeDtype:
    x, *idx = avals
    lead = np.broadcast_shapes(*(i.shape for i in idx))
    return ShapeDtype((*lead, *x.shape[len(idx) :]), x.dtype)


def _gather_labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    x, *idx = shapes
    lead = np.broadcast_shapes(*idx)
    k = len(idx)
    rest = tuple(f"x{j}" for j in range(len(x) - k))
    labels = [tuple(f"i{j - len(s)}" if n == lead[j - len(s)] else None for j, n in enumerate(s)) for s in idx]
    return [(None,) * k + rest, *labels], tuple(f"i{j - len(lead)}" for j in range(len(lead))) + rest


def _index_of_batch(trace: Any, idx: list, mapped: list) -> list:
    """Index arrays with the mapped axis in front of each, aligned from the right."""
    rank = max(len(shape(i)) - m for i, m in zip(idx, mapped, strict=True))
    out = []
    for i, m in zip(idx, mapped, strict=True):
        s = shape(i)
        out.append(reshape(i, (trace.n,) + (1,) * (rank + 1 - len(s)) + s[1:]) if m else i)
    return [np.arange(trace.n).reshape(-1, *(1,) * rank), *out]


def _gather_batch(trace: Any, prim: Primitive, vals: list, mapped: list, p: dict) -> Any:
    x, *idx = vals
    k = len(idx)
    if not any(mapped[1:]):
        y = prim(moveaxis(x, 0, k), *idx)
        return moveaxis(y, len(np.broadcast_shapes(*map(shape, idx))), 0)
    if not mapped[0]:
        return prim(x, *_index_of_batch(trace, idx, mapped[1:])[1:])
    return prim(x, *_index_of_batch(trace, idx, mapped[1:]))


def _gather_transpose(i: int, ct: Any, args: tuple, p: dict) -> Any:
    return scatter_p(zeros(shape(args[0]), dtype(ct)), ct, *args[1:], how="add")


def _gather(x: Any, *idx: Any) -> Any:
    try:
        return x[idx]
    except IndexError:
        raise _out_of_range(shape(x), idx) from None


def _out_of_range(extents: Sequence[int], idx: Sequence[Any]) -> IndexRangeError:
    """For an index that was not known when it was looked at: in a loop, or in a captured program."""
    for axis, (n, i) in enumerate(zip(extents, map(np.asarray, idx), strict=False)):
        if i.size and (i.min() < -n or i.max() >= n):
            return IndexRangeError(f"index: values from {i.min()} to {i.max()} for axis {axis} of length {n}")
    return IndexRangeError(f"index: out of range of shape {tuple(extents)}")


gather_p = Primitive(
    "gather",
    _gather,
    axes=Axes(_gather_labels),
    infer=_gather_infer,
    linear=(0,),
    transpose=_gather_transpose,
    batch=_gather_batch,
    singular="parts that are left out do not get through",
)


def _scatter(x: Any, u: Any, *idx: Any, how: str) -> np.ndarray:
    y = np.array(x, dtype=np.result_type(x, u))
    try:
        if how == "set":
            y[idx] = u
        else:
            np.add.at(y, idx, u)
    except IndexError:
        raise _out_of_range(shape(x), idx) from None
    return y


def _winners(x: Any, u: Any, *idx: Any) -> np.ndarray:
    """Which updates remain where indices repeat: the last one written."""
    lead = np.broadcast_shapes(*map(np.shape, idx))
    order = np.arange(int(np.prod(lead))).reshape(lead)
    owner = np.full(np.shape(x)[: len(idx)], -1)
    owner[idx] = order
    won = owner[idx] == order
    return np.reshape(won, (*lead, *(1,) * (np.ndim(x) - len(idx))))


def _scatter_lead(avals: tuple) -> tuple[int, ...]:
    return np.broadcast_shapes(*(a.shape for a in avals[2:]))


winners_p = Primitive(
    "winners",
    _winners,
    axes=Axes(lambda shapes, p: ([(None,) * len(s) for s in shapes], None)),
    infer=lambda avals, p: ShapeDtype(
        (*_scatter_lead(avals), *(1,) * (avals[0].ndim - len(avals) + 2)), np.dtype(bool)
    ),
    batch=lambda trace, prim, vals, mapped, p: _scatter_batch(trace, prim, vals, mapped, p),
)


def _scatter_transpose(i: int, ct: Any, args: tuple, p: dict) -> Any:
    from scisim.ops.select import where

    idx = args[2:]
    if i == 0:
        return ct if p["how"] == "add" else scatter_p(ct, zeros((), dtype(ct)), *idx, how="set")
    g = gather_p(ct, *idx)
    return g if p["how"] == "add" else where(winners_p(ct, g, *idx), g, 0.0)


def _scatter_batch(trace: Any, prim: Primitive, vals: list, mapped: list, p: dict) -> Any:
    x, u, *idx = vals
    k = len(idx)
    x = x if mapped[0] else trace.spread(x)
    u = u if mapped[1] else trace.spread(u)
    lead = len(np.broadcast_shapes(*(shape(i)[m:] for i, m in zip(idx, mapped[2:], strict=True))))
    u = reshape(u, (trace.n,) + (1,) * (lead + len(shape(x)) - 1 - k - len(shape(u)) + 1) + shape(u)[1:])
    return prim(x, u, *_index_of_batch(trace, idx, mapped[2:]), **p)


scatter_p = Primitive(
    "scatter",
    _scatter,
    axes=Axes(lambda shapes, p: ([(None,) * len(s) for s in shapes], None)),
    infer=lambda avals, p: ShapeDtype(avals[0].shape, np.result_type(avals[0].dtype, avals[1].dtype)),
    linear=(0, 1),
    transpose=_scatter_transpose,
    batch=_scatter_batch,
    singular="parts that are overwritten do not get through",
)


# --- any index ---------------------------------------------------------------------------------------------------
class _Plan:
    """An index in parts: the basic read, which of its result's axes take arrays, and where their result goes."""

    def __init__(self, at: Basic, axes: list[int], arrays: list[Any], place: int) -> None:
        self.at, self.axes, self.arrays, self.place = at, axes, arrays, place


def _items(index: Any) -> list:
    items = list(index) if isinstance(index, tuple) else [index]
    return [as_value(i) if isinstance(i, (list, np.ndarray, Traced)) else i for i in items]


def _is_mask(i: Any) -> bool:
    return isinstance(i, (bool, Traced, np.ndarray, np.generic)) and (isinstance(i, bool) or i.dtype.kind == "b")


def _width(i: Any) -> int:
    """How many axes of the array an item of an index takes."""
    return 0 if i is None or i is Ellipsis else np.ndim(i) if _is_mask(i) else 1


def _check_masks(items: list, s: tuple[int, ...]) -> None:
    """A mask has the lengths of the axes it takes, or none, with which it chooses nothing."""
    axis = 0
    for k, i in enumerate(items):
        if i is Ellipsis:
            axis = len(s) - sum(map(_width, items[k + 1 :]))
        if _is_mask(i) and not _matches(shape(i), s[axis : axis + len(shape(i))]):
            raise IndexRangeError(
                f"index: a mask of shape {shape(i)} for axes of shape {s[axis : axis + len(shape(i))]}; "
                f"they must be equal"
            )
        axis += _width(i)


def _matches(mask: tuple[int, ...], s: tuple[int, ...]) -> bool:
    return mask == s or (len(mask) == len(s) and all(m in (0, n) for m, n in zip(mask, s, strict=True)))


class _NewAxis:
    """A single boolean as an index: a new axis, kept or empty."""

    def __init__(self, keep: Any) -> None:
        self.rows = np.zeros(int(keep), int)


def _masks(items: list) -> list:
    """Boolean arrays become integer arrays, one for each of their axes."""
    out: list[Any] = []
    for i in items:
        if _is_mask(i):
            if isinstance(i, Traced):
                raise TraceError(
                    f"an index by the mask {i!r} has a shape that depends on its values, which are not known here; "
                    f"use where(mask, x, 0) instead"
                )
            out.extend(np.nonzero(i) if np.ndim(i) else [_NewAxis(i)])
        else:
            out.append(i)
    return out


def _plan(s: tuple[int, ...], index: Any) -> _Plan:
    items = index if isinstance(index, tuple) else (index,)
    if all(type(i) in _PLAIN for i in items):
        at = _encode(items)
        if all(type(v) in _NUMBERS for i in at if type(i) is tuple for v in i[1:]):
            return _plain_plan(s, at)
    return _any_plan(s, index)


@lru_cache(maxsize=4096)
def _plain_plan(s: tuple[int, ...], at: Basic) -> _Plan:
    """Of an index of numbers and slices, which stencils use again and again."""
    return _any_plan(s, _decode(at))


def _any_plan(s: tuple[int, ...], index: Any) -> _Plan:
    items = _items(index)
    _check_masks(items, s)
    items = _masks(items)
    used = sum(i is not None and i is not Ellipsis and not isinstance(i, _NewAxis) for i in items)
    if used > len(s):
        raise IndexShapeError(f"index: {used} indices for an array with {len(s)} axes of shape {s}")
    dots = [k for k, i in enumerate(items) if i is Ellipsis]
    if len(dots) > 1:
        raise ArgumentError("index: '...' may appear once")
    k = dots[0] if dots else len(items)
    items[k : k + 1] = [slice(None)] * (len(s) - used)
    arrays = any(isinstance(i, (Traced, np.ndarray, _NewAxis)) for i in items)
    at: list[Any] = []
    axes: list[int] = []
    idx: list[Any] = []
    spots: list[int] = []
    axis = out = 0
    for spot, i in enumerate(items):
        if isinstance(i, _NewAxis):
            at.append(None)
            axes.append(out)
            idx.append(i.rows)
            spots.append(spot)
            out += 1
        elif isinstance(i, (Traced, np.ndarray)) or (arrays and _is_int(i)):
            _check_integer(i, s, axis)
            at.append(slice(None))
            axes.append(out)
            idx.append(_wrapped(i, s[axis]))
            spots.append(spot)
            axis, out = axis + 1, out + 1
        else:
            at.append(_basic(i, s, axis))
            axis += i is not None
            out += not _is_int(i)
    joined = not spots or spots[-1] - spots[0] == len(spots) - 1
    _check_arrays(idx)
    place = sum(1 for i in items[: spots[0]] if not _is_int(i)) if spots and joined else 0
    return _Plan(_encode(at), axes, idx, place)


def _check_arrays(idx: list) -> None:
    try:
        np.broadcast_shapes(*map(shape, idx))
    except ValueError:
        raise IndexShapeError(
            f"index: arrays of shape {', '.join(str(shape(i)) for i in idx)} do not broadcast against each other"
        ) from None


def _is_int(i: Any) -> bool:
    return isinstance(i, (int, np.integer)) and not isinstance(i, bool)


def _basic(i: Any, s: tuple[int, ...], axis: int) -> Any:
    if i is None:
        return i
    if isinstance(i, slice):
        return _slice(i)
    try:
        k = operator.index(i)
    except TypeError:
        raise ArgumentTypeError(
            f"index: got {type(i).__name__} {i!r}; an index is an integer, a slice, '...', None, or an array of "
            f"integers or booleans"
        ) from None
    if not -s[axis] <= k < s[axis]:
        raise IndexRangeError(f"index: {k} is out of range for axis {axis} of length {s[axis]}")
    return k


def _slice(i: slice) -> slice:
    start, stop, step = (
        None if v is None else as_integer("index", "a bound of a slice", v) for v in (i.start, i.stop, i.step)
    )
    if step == 0:
        raise ArgumentError(f"index: the step of {i} is 0; use a positive or negative one")
    return slice(start, stop, step)


def _check_integer(i: Any, s: tuple[int, ...], axis: int) -> None:
    if dtype(i).kind not in "iu":
        raise IndexTypeError(f"index: an array of {dtype(i)} was given for axis {axis}; use integers or booleans")
    if not isinstance(i, Traced) and np.size(i) and not (np.min(i) >= -s[axis] and np.max(i) < s[axis]):
        raise IndexRangeError(f"index: values from {np.min(i)} to {np.max(i)} for axis {axis} of length {s[axis]}")


def _wrapped(i: Any, n: int) -> Any:
    return i if isinstance(i, Traced) else np.asarray(i)


def index(x: Any, at: Any) -> Any:
    """``x[at]`` for any index NumPy knows."""
    if type(x) is np.ndarray:
        kind = type(at)
        if kind is int or kind is slice or (kind is tuple and all(type(i) in _PLAIN for i in at)):
            try:
                return x[at]
            except (IndexError, ValueError, TypeError):
                pass  # the plan below says what is wrong
    plan = _plan(shape(x), at)
    y = read(x, plan.at)
    if not plan.axes:
        return y
    k = len(plan.axes)
    y = gather_p(moveaxis(y, plan.axes, list(range(k))), *plan.arrays)
    lead = len(np.broadcast_shapes(*map(shape, plan.arrays)))
    return moveaxis(y, list(range(lead)), list(range(plan.place, plan.place + lead)))


_PLAIN = (int, slice, type(None), type(Ellipsis))
_NUMBERS = (int, type(None))


@lru_cache(maxsize=4096)
def whole_part(s: tuple[int, ...], at: Basic) -> tuple[int, ...] | None:
    """The shape of a part that leaves nothing out and keeps the order, None for another part."""
    out, k = [], 0
    for i in at:
        if i is None:
            out.append(1)
            continue
        n, k = s[k], k + 1
        if not isinstance(i, tuple):
            if n != 1:
                return None
            continue
        if i != ("slice", None, None, None):
            start, stop, step = slice(*i[1:]).indices(n)
            if len(range(start, stop, step)) != n or (n > 1 and step < 0):
                return None
        out.append(n)
    return tuple(out)


def read(x: Any, at: Basic) -> Any:
    """A basic part.  One that leaves nothing out is the array in another shape, which masks no derivative."""
    to = whole_part(shape(x), at)
    return read_p(x, at=at) if to is None else reshape(x, to)


def index_set(x: Any, at: Any, v: Any, how: str = "set") -> Any:
    """A copy of ``x`` in which ``x[at]`` is ``v`` (or has ``v`` added)."""
    v = _assignable(as_value(_weak(v, x)), x)
    if isinstance(at, Traced) and at.dtype.kind == "b" and shape(v) == ():
        return _masked_set(x, at, v, how)
    plan = _plan(shape(x), at)
    whole = whole_part(shape(x), plan.at)
    part = read(x, plan.at)
    if plan.axes:
        new = _scatter_part(part, plan, v, how)
    else:
        v = _fits(v, shape(part))
        new = part + v if how == "add" else v
    if whole is None:
        return put_p(x, new, at=plan.at)
    return reshape(broadcast(new, whole), shape(x))


def _masked_set(x: Any, mask: Any, v: Any, how: str) -> Any:
    """One number where a mask holds whose values are not known."""
    from scisim.ops.select import where

    rank = len(shape(mask))
    if shape(mask) != shape(x)[:rank]:
        raise ShapeError(f"index: a mask of shape {shape(mask)} does not fit the first axes of an array of {shape(x)}")
    wide = reshape(mask, shape(mask) + (1,) * (len(shape(x)) - rank))
    return where(wide, x + v if how == "add" else v, x)


def _weak(v: Any, x: Any) -> Any:
    """A Python number in the array's dtype, where its kind has room in it."""
    if dtype(x).kind not in _ROOM.get(type(v), ""):
        return v
    try:
        return new_array(v, dtype(x))
    except NumberRangeError as error:
        raise NumberRangeError(f"assignment: {error}") from None


_ROOM = {bool: "biufc", int: "iufc", float: "fc", complex: "c"}


def _assignable(v: Any, x: Any) -> Any:
    """The value in the array's dtype, unless that would lose its fraction or its imaginary part."""
    have, want = dtype(v), dtype(x)
    if have == want:
        return v
    if not np.can_cast(have, want, "same_kind"):
        raise DTypeError(
            f"assignment: a value of dtype {have} does not fit into an array of dtype {want} without loss; "
            f"convert one of them with astype"
        )
    return astype(v, want)


def _scatter_part(part: Any, plan: _Plan, v: Any, how: str) -> Any:
    k = len(plan.axes)
    moved = moveaxis(part, plan.axes, list(range(k)))
    lead = np.broadcast_shapes(*map(shape, plan.arrays))
    rest = shape(moved)[k:]
    target = (*rest[: plan.place], *lead, *rest[plan.place :])
    v = broadcast(_fits(v, target), target)
    v = moveaxis(v, list(range(plan.place, plan.place + len(lead))), list(range(len(lead))))
    return moveaxis(scatter_p(moved, v, *plan.arrays, how=how), list(range(k)), plan.axes)


def _fits(v: Any, target: tuple[int, ...]) -> Any:
    """The value of an assignment, less leading axes of length one, as NumPy allows."""
    s = shape(v)
    while len(s) > len(target) and s[0] == 1:
        s = s[1:]
    ok = len(s) <= len(target) and all(a in (1, b) for a, b in zip(s[::-1], target[::-1], strict=False))
    if not ok:
        raise ShapeError(f"assignment: a value of shape {shape(v)} does not fit the part of shape {target}")
    return reshape(v, s)


def slice_axis(x: Any, axis: int, start: int | None, stop: int | None, step: int | None = None) -> Any:
    """Part of one axis."""
    at = [slice(None)] * len(shape(x))
    at[axis] = slice(start, stop, step)
    return read(x, _encode(at))


def flip(x: Any, axis: Any = None) -> Any:
    from scisim.ops.shape import normalize_axes

    axes = normalize_axes("flip", axis, len(shape(x)))
    at = [slice(None, None, -1) if k in axes else slice(None) for k in range(len(shape(x)))]
    return read(x, _encode(at)) if axes else x


def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    """Elements moved along axes, round the end."""
    from scisim.ops.shape import normalize_axis

    if axis is None:
        return reshape(roll(reshape(x, (-1,)), shift, 0), shape(x))
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    shifts = shift if isinstance(shift, (tuple, list)) else (shift,) * len(axes)
    if len(axes) != len(shifts):
        raise ArgumentError(f"roll: {len(shifts)} shifts for {len(axes)} axes; give one shift an axis")
    for a, s in zip(axes, shifts, strict=True):
        k = normalize_axis("roll", a, len(shape(x)))
        n, s = shape(x)[k], as_integer("roll", "shift", s)
        if n and s % n:
            m = n - s % n
            x = concat_p(slice_axis(x, k, m, None), slice_axis(x, k, None, m), axis=k)
    return x
