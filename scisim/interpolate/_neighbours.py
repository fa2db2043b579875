"""What scattered points have around them, which is constant; and how they are given."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.errors import ShapeError
from scisim.core.primitive import Primitive
from scisim.core.values import shape as shape_of
from scisim.interpolate._arguments import floating, points, real
from scisim.ops.shape import broadcast, reshape, stack


@lru_cache(maxsize=8)
def _triangulation(data: bytes, shape: tuple[int, int]) -> Any:
    from scipy.spatial import Delaunay

    return Delaunay(np.frombuffer(data).reshape(shape))


@lru_cache(maxsize=8)
def _tree(data: bytes, shape: tuple[int, int]) -> Any:
    from scipy.spatial import cKDTree

    return cKDTree(np.frombuffer(data).reshape(shape))


def _double(x: Any) -> np.ndarray:
    return np.ascontiguousarray(x, np.float64)


def _corners(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The corners of the simplex around each query; -1 where there is none."""
    p = _double(p)
    mesh = _triangulation(p.tobytes(), p.shape)
    found = mesh.find_simplex(_double(q))
    return np.where(found[:, None] >= 0, mesh.simplices[found], -1).astype(np.int64)


def _neighbours(p: np.ndarray, q: np.ndarray, count: int) -> np.ndarray:
    p = _double(p)
    _, at = _tree(p.tobytes(), p.shape).query(_double(q), count)
    return np.asarray(at, np.int64).reshape(len(q), count)


def _finding(name: str, find: Any, width: Any) -> Primitive:
    """A primitive of points (..., n, d) and queries (..., q, d) that gives positions (..., q, width)."""

    def evaluate(p: Any, q: Any, **settings: Any) -> Any:
        lead = p.shape[:-2]
        out = np.empty((*lead, q.shape[-2], width(p.shape, settings)), np.int64)
        for at in np.ndindex(lead):
            out[at] = find(p[at], q[at], **settings) if q.shape[-2] else 0
        return out

    def labels(shapes: tuple, settings: dict) -> tuple[list, tuple]:
        lead = tuple(range(len(shapes[0]) - 2))
        return [(*lead, None, None), (*lead, "q", None)], (*lead, "q", None)

    def infer(avals: tuple, settings: dict) -> ShapeDtype:
        p, q = avals
        return ShapeDtype((*q.shape[:-1], width(p.shape, settings)), np.dtype(np.int64))

    return Primitive(name, evaluate, axes=Axes(labels), infer=infer)


corners_p = _finding("simplex_corners", _corners, lambda s, p: s[-1] + 1)
neighbours_p = _finding("nearest_points", _neighbours, lambda s, p: p["count"])


def pair(name: str, y: Any, d: Any) -> tuple[Any, Any]:
    """Points (n, d) and their values (n, ...)."""
    p, v = points(name, "points", y), floating(d)
    if not shape_of(v) or shape_of(v)[0] != shape_of(p)[0]:
        raise ShapeError(f"{name}: {shape_of(p)[0]} points do not fit values of shape {shape_of(v)}")
    return p, v


def queries(name: str, x: Any, d: int) -> tuple[Any, tuple[int, ...]]:
    """Queries as (q, d), and the shape that they had before the last axis; a tuple of coordinates is put together."""
    if isinstance(x, tuple):
        parts = [real(name, "xi", v) for v in x]
        s = np.broadcast_shapes(*(shape_of(v) for v in parts))
        q = stack([broadcast(v, s) for v in parts], -1)
    else:
        q = real(name, "xi", x)
        if d == 1 and (not shape_of(q) or shape_of(q)[-1] != 1):
            q = reshape(q, (*shape_of(q), 1))
    if not shape_of(q) or shape_of(q)[-1] != d:
        raise ShapeError(f"{name}: queries must have shape (..., {d}), got {shape_of(q)}")
    lead = shape_of(q)[:-1]
    return reshape(q, (math.prod(lead), d)), lead


def restored(cls: type, attributes: dict) -> Any:
    new: Any = object.__new__(cls)
    new.__dict__.update(attributes)
    return new
