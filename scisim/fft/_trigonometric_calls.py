"""Arguments of cosine and sine transforms, checked, and the call of the primitive."""

from __future__ import annotations

from typing import Any

from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument
from scisim.core.values import dtype, shape, zeros
from scisim.fft._trigonometric import NORMS, TRANSPOSED, dct_p, orthogonal_ends, promoted
from scisim.ops.index import put_p, read_p
from scisim.ops.shape import as_integer, astype, normalize_axis, several

_OPPOSITE = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


# --- checking ------------------------------------------------------------------------------------------------
def _argument(name: str, x: Any) -> Any:
    x = as_argument(x)
    if dtype(x).kind not in "biufc" or dtype(x).name == "bfloat16":
        raise DTypeError(f"{name}: x has dtype {dtype(x)}; convert it with astype to float32 or float64")
    if not shape(x):
        raise ShapeError(f"{name}: x is a scalar; a transform needs at least one axis")
    return x


def _settings(name: str, type: Any, norm: Any, orthogonalize: Any) -> tuple[int, str, bool]:
    type = as_integer(name, "type", type)
    if type not in TRANSPOSED:
        raise ArgumentError(f"{name}: type must be 1, 2, 3 or 4, got {type}")
    norm = "backward" if norm is None else norm
    if norm not in NORMS:
        raise ArgumentError(f"{name}: norm must be 'backward', 'ortho' or 'forward', got {norm!r}")
    if orthogonalize is not None and not isinstance(orthogonalize, (bool, int)):
        raise ArgumentTypeError(f"{name}: orthogonalize must be True, False or None, got {orthogonalize!r}")
    return type, norm, norm == "ortho" if orthogonalize is None else bool(orthogonalize)


def _axes_and_lengths(name: str, x: Any, s: Any, axes: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes, and the length along each."""
    own = shape(x)
    rank = len(own)
    given = None if s is None else several(s) or (s,)
    if axes is None:
        count = rank if given is None else len(given)
        if count > rank:
            raise ArgumentError(f"{name}: s={s} has {count} lengths, but x has {rank} axes")
        axes = tuple(range(rank - count, rank))
    items = several(axes)
    found = tuple(normalize_axis(name, a, rank) for a in ((axes,) if items is None else items))
    if len(set(found)) < len(found):
        raise ArgumentError(f"{name}: axes {axes} names an axis twice")
    if given is not None and len(given) != len(found):
        raise ArgumentError(f"{name}: s={s} has {len(given)} lengths for {len(found)} axes; give one an axis")
    wanted = given or (None,) * len(found)
    return found, tuple(own[k] if n is None or n == -1 else n for k, n in zip(found, wanted, strict=True))


def _check_lengths(name: str, prim: Primitive, type: int, axes: tuple[int, ...], lengths: tuple) -> tuple[int, ...]:
    least = 2 if prim is dct_p and type == 1 else 1
    for k, n in zip(axes, lengths, strict=True):
        if as_integer(name, "a length", n) < least:
            what = f"type {type} needs at least {least} points" if least > 1 else "there must be a point or more"
            raise ArgumentError(f"{name}: {what} along axis {k}, got {n}; give another type or length")
    return tuple(map(int, lengths))


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
    x = _argument(name, x)
    type, norm, orthogonal = _settings(name, type, norm, orthogonalize)
    found, lengths = _axes_and_lengths(name, x, s, axes)
    if inverse:
        type, norm = TRANSPOSED[type], _OPPOSITE[norm]
    lengths = _check_lengths(name, prim, type, found, lengths)
    if not found:
        return astype(x, promoted(dtype(x)))
    ends = orthogonal_ends(prim.name, type, orthogonal)
    back = tuple(k - len(shape(x)) for k in found)
    return prim(_resized(x, found, lengths), type=type, axes=back, norm=norm, ends=ends)


def along_axis(
    name: str, prim: Primitive, x: Any, type: Any, n: Any, axis: Any, norm: Any, orthogonalize: Any, inverse: bool
) -> Any:
    if n is not None:
        n = (as_integer(name, "n", n),)
        if n[0] < 1:
            raise ArgumentError(f"{name}: the length must be at least 1, got n={n[0]}")
    return along_axes(name, prim, x, type, n, (as_integer(name, "axis", axis),), norm, orthogonalize, inverse)
