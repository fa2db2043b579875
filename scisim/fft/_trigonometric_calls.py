"""Arguments of cosine and sine transforms, checked, and the call of the primitive."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from scisim.core.errors import ArgumentError, DTypeError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument
from scisim.core.values import dtype, shape, zeros
from scisim.fft._trigonometric import NORMS, TRANSPOSED, orthogonal_ends, promoted
from scisim.fft.common import check_size, flag_or_none, integer, integers, word
from scisim.ops.index import put_p, read_p
from scisim.ops.shape import astype, normalize_axis

_OPPOSITE = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


# --- checking ------------------------------------------------------------------------------------------------
class _Settled(NamedTuple):
    """What the arguments come to: the length along each axis, and the primitive's parameters."""

    axes: tuple[int, ...]
    lengths: tuple[int, ...] | None  # None where the operand has them
    params: dict[str, Any]


@lru_cache(maxsize=1024)
def _settled(
    name: str, kind: str, s: tuple, dt: np.dtype, how: tuple, lengths: tuple | None, axes: tuple | None, inverse: bool
) -> _Settled:
    """The arguments checked, and what they come to."""
    if dt.kind not in "biufc" or dt.name == "bfloat16":
        raise DTypeError(f"{name}: x has dtype {dt}; convert it with astype to float32 or float64")
    if not s:
        raise ShapeError(f"{name}: x is a scalar; a transform needs at least one axis")
    type, norm, orthogonal = _settings(name, *how)
    found, full = _axes_and_lengths(name, s, lengths, axes)
    if inverse:
        type, norm = TRANSPOSED[type], _OPPOSITE[norm]
    least = 2 if (kind, type) == ("dct", 1) else 1
    for k, n in zip(found, full, strict=True):
        if n < least:
            what = f"type {type} needs at least {least} points" if least > 1 else "there must be a point or more"
            raise ArgumentError(f"{name}: {what} along axis {k}, got {n}; give another type or length")
    params = {
        "type": type,
        "axes": tuple(sorted(k - len(s) for k in found)),
        "norm": norm,
        "ends": orthogonal_ends(kind, type, orthogonal),
    }
    if all(s[k] == n for k, n in zip(found, full, strict=True)):
        return _Settled(found, None, params)
    check_size(name, tuple(dict(zip(found, full, strict=True)).get(k, m) for k, m in enumerate(s)))
    return _Settled(found, full, params)


def _settings(name: str, type: int, norm: Any, orthogonalize: bool | None) -> tuple[int, str, bool]:
    if type not in TRANSPOSED:
        raise ArgumentError(f"{name}: type must be 1, 2, 3 or 4, got {type}")
    norm = "backward" if norm is None else norm
    if norm not in NORMS:
        raise ArgumentError(f"{name}: norm must be 'backward', 'ortho' or 'forward', got {norm!r}")
    return type, norm, norm == "ortho" if orthogonalize is None else bool(orthogonalize)


def _axes_and_lengths(name: str, own: tuple, lengths: tuple | None, axes: tuple | None) -> tuple[tuple, tuple]:
    """The axes, counted from the first, and the length along each."""
    rank = len(own)
    if axes is None:
        count = rank if lengths is None else len(lengths)
        if count > rank:
            raise ArgumentError(f"{name}: s={lengths} has {count} lengths, but x has {rank} axes")
        axes = tuple(range(rank - count, rank))
    found = tuple(normalize_axis(name, a, rank) for a in axes)
    if len(set(found)) < len(found):
        raise ArgumentError(f"{name}: axes {axes} names an axis twice")
    if lengths is not None and len(lengths) != len(found):
        raise ArgumentError(f"{name}: s={lengths} has {len(lengths)} lengths for {len(found)} axes; give one an axis")
    wanted = lengths or (None,) * len(found)
    return found, tuple(own[k] if n in (None, -1) else n for k, n in zip(found, wanted, strict=True))


def _how(name: str, type: Any, norm: Any, orthogonalize: Any) -> tuple:
    """Settings that can be remembered; others are refused."""
    return integer(name, "type", type), word(name, norm), flag_or_none(name, "orthogonalize", orthogonalize)


# --- the transforms ------------------------------------------------------------------------------------------
def _resized(x: Any, axes: tuple[int, ...], lengths: tuple[int, ...]) -> Any:
    """Axes cropped, or filled up with zeros, all in one go."""
    s, to = shape(x), list(shape(x))
    for k, n in zip(axes, lengths, strict=True):
        to[k] = n
    if any(n < have for n, have in zip(to, s, strict=True)):
        x = read_p(x, at=_first(min(n, have) for n, have in zip(to, s, strict=True)))
    if any(n > have for n, have in zip(to, s, strict=True)):
        x = put_p(zeros(tuple(to), dtype(x)), x, at=_first(shape(x)))
    return x


def _first(lengths: Any) -> tuple:
    return tuple(("slice", 0, n, None) for n in lengths)


def along_axes(
    name: str, prim: Primitive, x: Any, type: Any, s: Any, axes: Any, norm: Any, orthogonalize: Any, inverse: bool
) -> Any:
    """The transform, or its inverse, which is a transform of the transposed type."""
    x = as_argument(x)
    how = _how(name, type, norm, orthogonalize)
    along, lengths = integers(name, "axes", axes), integers(name, "s", s)
    at = _settled(name, prim.name, shape(x), dtype(x), how, lengths, along, inverse)
    if not at.axes:
        return astype(x, promoted(dtype(x)))
    return prim(x if at.lengths is None else _resized(x, at.axes, at.lengths), **at.params)


def along_axis(
    name: str, prim: Primitive, x: Any, type: Any, n: Any, axis: Any, norm: Any, orthogonalize: Any, inverse: bool
) -> Any:
    """The transform of one axis."""
    lengths = None
    if n is not None:
        lengths = (integer(name, "the length n", n),)
        if lengths[0] < 1:
            raise ArgumentError(f"{name}: the length must be at least 1, got n={lengths[0]}")
    x = as_argument(x)
    along = (integer(name, "axis", axis),)
    at = _settled(name, prim.name, x.shape, x.dtype, _how(name, type, norm, orthogonalize), lengths, along, inverse)
    return prim(x if at.lengths is None else _resized(x, at.axes, at.lengths), **at.params)
