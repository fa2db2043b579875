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
        for type in (2,) if name.startswith("i") else (1, 2, 3, 4):
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


# --- short-time transforms -----------------------------------------------------------------------------------
WINDOW = np.array([0.4, 0.9, 1.1, 0.7, 0.3])
SETTINGS: dict[str, dict] = {
    "": {"hop": 2},
    "reflected": {"hop": 3, "pad_mode": "reflect", "scaling": "psd"},
    "without ends": {"hop": 1, "center": False, "padded": False, "n_fft": 8, "scaling": "spectrum"},
    "of both sides": {"hop": 2, "onesided": False},
}


def _forward(tag: str, x: Any, f: Any) -> Case:
    return Case(f"fft.stft {tag}", ("op:fft.stft",), f, (x, WINDOW), order=3)


def signals() -> list[Case]:
    rows = [_forward(tag, array(9), lambda x, w, s=s: ss.fft.stft(x, w, **s)) for tag, s in SETTINGS.items()]
    return [
        *rows,
        _forward("complex", array(2, 7, kind="c"), lambda x, w: ss.fft.stft(x, w, 2)),
        _forward("along the first axis", array(6, 2), lambda x, w: ss.fft.stft(x, w, 2, axis=0, pad_mode="wrap")),
        _forward("of nothing", array(0, 6), lambda x, w: ss.fft.stft(x, w, 2)),
        _forward("by one sample of window", array(4), lambda x, w: ss.fft.stft(x, w[0:1])),
        Case("fft.stft by name", ("op:fft.stft",), lambda x: ss.fft.stft(x, "hamming", 3, 6), (array(9),), order=3),
    ]


def _back(tag: str, z: Any, f: Any) -> Case:
    return Case(f"fft.istft {tag}", ("op:fft.istft",), f, (z, WINDOW), order=3)


def spectra_of_frames() -> list[Case]:
    half, full = array(3, 4, kind="c"), array(5, 4, kind="c", seed=1)
    return [
        _back("", half, lambda z, w: ss.fft.istft(z, w, 2, length=6)),
        _back("of both sides", full, lambda z, w: ss.fft.istft(z, w, 2, onesided=False, scaling="psd")),
        _back("of real spectra", array(3, 4), lambda z, w: ss.fft.istft(z, w, 1, center=False, scaling="spectrum")),
        _back("filled up", array(2, 5, 9, kind="c"), lambda z, w: ss.fft.istft(z, w, 1, 8)),
        _back("along the first axis", array(3, 4, 2, kind="c"), lambda z, w: ss.fft.istft(z, w, 2, axis=0)),
        _back("of nothing", array(0, 3, 4, kind="c"), lambda z, w: ss.fft.istft(z, w, 2)),
    ]


def frames() -> list[Case]:
    rows: list[Case] = []
    for length, hop, pad in ((4, 2, (0, 0)), (3, 2, (2, 1)), (2, 3, (0, 1))):
        tag = f"of {length} every {hop}"
        params = {"length": length, "hop": hop, "pad": pad}
        rows += both(primitive, "frames", (2, 9), tag=tag, params=params, order=3)
        for count in (2, 5):
            reach = (count - 1) * hop + length
            some = {"hop": hop, "start": pad[0], "n": reach - sum(pad) + (hop - 1 if not sum(pad) else 0)}
            rows += both(primitive, "overlap_add", (2, count, length), tag=f"{tag}, {count}", params=some, order=3)
    return rows


NO_AXES = "works along axes"
ROWS = [*lines(), *planes(), *spectra(), *signals(), *spectra_of_frames(), *frames()]
EXEMPT: dict[str, dict[str, str]] = {f"op:fft.{name}{n}": {"0-d": NO_AXES} for name in NAMES for n in ("", "n")}
EXEMPT["op:fft.stft"] = {"0-d": NO_AXES, "broadcast": "signals and a window of one axis"}
EXEMPT["op:fft.istft"] = {"0-d": NO_AXES, "broadcast": "spectra and a window of one axis"}
