"""What notebooks show of a tensor: its shape and dtype, where it lies, and a small table of its numbers."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from scisim.core.values import Traced

_ROWS, _EDGE = 8, 3  # lengths that are shown whole, and elements kept at either end of longer ones
_TABLE = '<table style="font-family: monospace; text-align: right; border-collapse: collapse">'


def show(v: Any) -> str:
    """The value of a tensor as HTML."""
    shape = " &times; ".join(map(str, v.shape)) or "scalar"
    head = f"<strong>Tensor</strong> {shape}, {html.escape(str(v.dtype))}{_place(v)}"
    return f"<div>{head}{_numbers(v)}</div>"


def _place(v: Any) -> str:
    """How a sharded value lies on the ranks, one placement for each axis of the mesh."""
    placements = getattr(v, "placements", None)
    if placements is None:
        return ", cpu"
    return f", placed {html.escape(', '.join(map(str, placements)))}"


def _numbers(v: Any) -> str:
    local = getattr(v, "local", None)
    if local is not None:
        return f"<div>block of this rank:</div>{_numbers(local)}"
    if isinstance(v, Traced):
        return f"<div>{html.escape(repr(v))}</div>"
    a = np.asarray(v)
    if not a.size:
        return "<div>no elements</div>"
    return _table(_plane(a)) + ("<div>first of its planes</div>" if a.ndim > 2 else "")


def _plane(a: np.ndarray) -> np.ndarray:
    """A matrix: vectors are one row, and of more axes the first plane is shown."""
    if a.ndim < 2:
        return a.reshape(1, -1)
    return a[(0,) * (a.ndim - 2)]


def _kept(n: int) -> list[int | None]:
    """Indices that are shown of an axis, None for those left out."""
    return list(range(n)) if n <= _ROWS else [*range(_EDGE), None, *range(n - _EDGE, n)]


def _table(a: np.ndarray) -> str:
    columns = _kept(a.shape[1])
    rows = ["".join(_cell(a, i, j) for j in columns) for i in _kept(a.shape[0])]
    return _TABLE + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"


def _cell(a: np.ndarray, i: int | None, j: int | None) -> str:
    text = "&hellip;" if i is None or j is None else html.escape(_number(a[i, j]))
    return f"<td>{text}</td>"


def _number(x: Any) -> str:
    return str(x) if x.dtype.kind in "biu" else f"{x:.6g}"
