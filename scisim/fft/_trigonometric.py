"""Discrete cosine and sine transforms as two primitives, whose transposes are again these two.

With M the matrix of a type without normalisation, a primitive computes ``D(a) M D(b)`` times a scale along each of
its axes, where D weighs the elements at the ends by which a type and its transpose differ: with c = (1, 2, ..., 2, 1)
the first cosine transform is a symmetric matrix times diag(c), and the third is the transpose of the second but for
the weight 2 of one element.  ``ends = (a, b)`` are those weights, of the result and of the operand; the orthogonal
transforms have (1 / sqrt(2), sqrt(2)).  A transpose has other weights and nothing else to do.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.machine import threads
from scisim.core.primitive import Primitive
from scisim.fft.engines.interface import whole_strides
from scisim.fft.engines.registry import asked

# The elements of result and operand that `ends` weighs, by kind and type.
WEIGHED: dict[tuple[str, int], tuple[tuple[int, ...], tuple[int, ...]]] = {
    ("dct", 1): ((0, -1), (0, -1)),
    ("dct", 2): ((0,), ()),
    ("dct", 3): ((), (0,)),
    ("dct", 4): ((), ()),
    ("dst", 1): ((), ()),
    ("dst", 2): ((-1,), ()),
    ("dst", 3): ((), (-1,)),
    ("dst", 4): ((), ()),
}
TRANSPOSED = {1: 1, 2: 3, 3: 2, 4: 4}
NORMS = ("backward", "ortho", "forward")  # divided by 1, sqrt(N), N
_NUMBERS = {norm: k for k, norm in enumerate(NORMS)}
PARALLEL = 1 << 15  # elements from which on several threads pay


def orthogonal_ends(kind: str, type: int, orthogonal: bool) -> tuple[float, float]:
    """The weights of a transform without and with orthogonal rows."""
    out, operand = WEIGHED[kind, type]
    return (math.sqrt(0.5) if orthogonal and out else 1.0, math.sqrt(2.0) if orthogonal and operand else 1.0)


# --- engines -------------------------------------------------------------------------------------------------
def scipy_transform(
    kind: str, x: np.ndarray, type: int, axes: tuple[int, ...], norm: str, orthogonal: bool, out: np.ndarray | None
) -> np.ndarray:
    """The transform of real numbers by SciPy; ``out`` is None or ``x``."""
    from scipy import fft

    run = fft.dctn if kind == "dct" else fft.dstn
    return run(
        x, type, None, axes, norm, overwrite_x=out is x, workers=_workers(x, axes), orthogonalize=bool(orthogonal)
    )


def ducc_transform(
    kind: str, x: np.ndarray, type: int, axes: tuple[int, ...], norm: str, orthogonal: bool, out: np.ndarray | None
) -> np.ndarray:
    """The transform of real numbers by ducc0, which makes it orthogonal with norm "ortho" and with no other."""
    workers = _workers(x, axes) if x.size >= PARALLEL else 1
    return _ducc()[kind](whole_strides(x), type, axes, _NUMBERS[norm], out, workers)


def _workers(x: np.ndarray, axes: tuple[int, ...]) -> int:
    """Threads share the lines along an axis, of which there must be several."""
    return threads() if x.size >= PARALLEL and x.size > max(x.shape[a] for a in axes) else 1


@cache
def _ducc() -> dict[str, Callable]:
    """The two functions of ducc0; none where it is not installed."""
    if importlib.util.find_spec("ducc0") is None:
        return {}
    from ducc0 import fft

    return {"dct": fft.dct, "dst": fft.dst}


def engine(x: np.ndarray) -> Callable[..., np.ndarray]:
    """The engine for an array: ducc0 where it is installed and knows the dtype, unless SciPy is asked for."""
    known = x.dtype.char in "fd" and x.size and _ducc() and asked() != "scipy"
    return ducc_transform if known else scipy_transform


# --- the transform on arrays ---------------------------------------------------------------------------------
def promoted(dt: np.dtype) -> np.dtype:
    """The dtype in which a transform works: that of its operand, or the next that has one."""
    if dt.kind in "fc" and dt.itemsize >= 4:
        return dt
    return np.dtype(np.float32 if dt.kind == "f" else np.float64)


def transform(
    kind: str,
    x: np.ndarray,
    type: int,
    axes: tuple[int, ...],
    norm: str,
    ends: tuple[float, float],
    out: np.ndarray | None = None,
) -> np.ndarray:
    """A cosine or sine transform along axes, counted from the last one.

    Parameters
    ----------
    kind : {"dct", "dst"}
    x : array
        Real or complex; never written into.
    type : int
        1 to 4.
    axes : tuple of negative int
    norm : {"backward", "ortho", "forward"}
        Division by 1, by sqrt(N) or by N.
    ends : pair of float
        Weights of elements at the ends of the result and of the operand.
    out : array, optional
        A C-contiguous array for the result, apart from ``x``.

    Returns
    -------
    array
        ``out``, or a new one.
    """
    char = x.dtype.char
    if char in "fd" and 0 < x.size < PARALLEL and asked() != "scipy":
        run, number = _at_once(kind, type, norm, ends)
        if run is not None:
            return run(whole_strides(x), type, axes, number, out)
    if char not in "fdFD":
        x = x.astype(promoted(x.dtype))
    if x.dtype.kind == "c":
        real = x.real.dtype
        parts = np.ascontiguousarray(x).view(real).reshape(*x.shape, 2)
        place = None if out is None else out.view(real).reshape(*x.shape, 2)
        y = _real(kind, parts, type, tuple(a - 1 for a in axes), norm, ends, place)
        y = np.ascontiguousarray(y).view(x.dtype)[..., 0]
    else:
        y = _real(kind, x, type, axes, norm, ends, out)
    if out is None:
        return y
    if not np.may_share_memory(y, out):  # the engine took another place
        np.copyto(out, y)
    return out


def _real(
    kind: str, x: np.ndarray, type: int, axes: tuple, norm: str, ends: tuple[float, float], out: np.ndarray | None
) -> np.ndarray:
    run = engine(x)
    orthogonal, a, b = _left_over(kind, type, norm, ends, run is ducc_transform)
    if b != 1.0:
        x = _weighed(x.copy(), axes, WEIGHED[kind, type][1], b)
        out = x if out is None else out
    y = run(kind, x, type, axes, norm, orthogonal, out)
    return y if a == 1.0 else _weighed(y, axes, WEIGHED[kind, type][0], a)


@lru_cache(maxsize=256)
def _at_once(kind: str, type: int, norm: str, ends: tuple[float, float]) -> tuple[Callable | None, int]:
    """The function of ducc0, if it leaves nothing to do, and its number for the norm."""
    alone = _left_over(kind, type, norm, ends, True)[1:] == (1.0, 1.0)
    return _ducc().get(kind) if alone else None, _NUMBERS[norm]


@lru_cache(maxsize=256)
def _left_over(kind: str, type: int, norm: str, ends: tuple[float, float], by_norm: bool) -> tuple[bool, float, float]:
    """Whether the engine makes the transform orthogonal, and the weights that it leaves to do."""
    orthogonal = norm == "ortho" if by_norm else ends == orthogonal_ends(kind, type, True)
    done = orthogonal_ends(kind, type, orthogonal)
    return orthogonal, ends[0] / done[0], ends[1] / done[1]


def _weighed(x: np.ndarray, axes: tuple[int, ...], places: tuple[int, ...], factor: float) -> np.ndarray:
    """Elements at some places along each axis times a factor, in the array itself."""
    for a in axes:
        for k in places:
            at: tuple[Any, ...] = (..., k, *(slice(None),) * (-a - 1))
            x[at] *= factor
    return x


# --- the primitives ------------------------------------------------------------------------------------------
@lru_cache(maxsize=1024)
def _whole_along(rank: int, axes: tuple[int, ...]) -> tuple:
    return tuple(None if k - rank in axes else k for k in range(rank))


def labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    """Axes along which a transform goes are whole; the others are independent of each other."""
    own = _whole_along(len(shapes[0]), p["axes"])
    return [own], own


def _declare(kind: str) -> Primitive:
    def transpose(i: int, ct: Any, args: tuple, p: dict) -> Any:
        a, b = p["ends"]
        type = TRANSPOSED[p["type"]]
        places = WEIGHED[kind, type]
        return prim(ct, **{**p, "type": type, "ends": (b / 2.0 if places[0] else 1.0, a * 2.0 if places[1] else 1.0)})

    prim = Primitive(
        kind,
        partial(transform, kind),
        into=lambda out, x, **p: transform(kind, x, **p, out=out),
        axes=Axes(labels),
        infer=lambda avals, p: ShapeDtype(avals[0].shape, promoted(avals[0].dtype)),
        linear=(0,),
        transpose=transpose,
    )
    return prim


dct_p = _declare("dct")
dst_p = _declare("dst")
