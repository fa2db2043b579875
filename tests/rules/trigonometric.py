"""Rows for cosine and sine transforms, and for short-time transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

import scisim as ss
from tests.rules.cases import Case, array, both, operation, primitive

NAMES = ("dct", "idct", "dst", "idst")


def _row(name: str, tag: str, *operands: Any, **settings: Any) -> Case:
    f = getattr(ss.fft, name)
    return operation(f"fft.{name}", *operands, call=lambda x: f(x, **settings), tag=tag, order=3)


def _pair(name: str, tag: str, *shape: int, **settings: Any) -> list[Case]:
    """The row for real and for complex numbers."""
    return [_row(name, tag, array(*shape, kind=kind), **settings) for kind in ("f", "c")]


def lines() -> list[Case]:
    rows: list[Case] = []
    for name in NAMES:
        for type in (1, 2, 3, 4):
            rows += _pair(name, f"of type {type}", 2, 5, type=type)
            rows.append(_row(name, f"of type {type}, orthogonal", array(4), type=type, norm="ortho"))
        rows += [
            _row(name, "cropped", array(4, 2), type=1, n=3, axis=0, norm="forward"),
            _row(name, "filled up", array(3), type=3, n=8, norm="ortho", orthogonalize=False),
            _row(name, "of nothing", array(0, 3)),
        ]
    return rows


def planes() -> list[Case]:
    rows: list[Case] = []
    for name in NAMES:
        rows += _pair(f"{name}n", "", 2, 3, 2)
        rows.append(_row(f"{name}n", "of two axes", array(3, 2, 3), type=1, s=(4, 2), axes=(2, 0), norm="ortho"))
        rows.append(_row(f"{name}n", "of nothing", array(0, 3), axes=-1, type=4))
    return rows


def spectra() -> list[Case]:
    """The primitives with weights that neither transform has by itself."""
    rows: list[Case] = []
    for kind in ("dct", "dst"):
        for type, ends in ((1, (0.5, 2.0)), (2, (0.25, 1.0)), (3, (1.0, 2.0)), (4, (1.0, 1.0))):
            ends = (1.0, 1.0) if (kind, type) == ("dst", 1) else ends
            params = {"type": type, "axes": (-1,), "norm": "backward", "ends": ends}
            rows += both(primitive, kind, (2, 5), tag=f"of type {type}", params=params, order=3)
    return rows


NO_AXES = "works along axes"
ROWS = [*lines(), *planes(), *spectra()]
EXEMPT: dict[str, dict[str, str]] = {f"op:fft.{name}{n}": {"0-d": NO_AXES} for name in NAMES for n in ("", "n")}
