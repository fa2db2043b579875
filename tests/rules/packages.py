"""Rows for order and positions, and for the packages fft and linalg."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import scisim as ss
from tests.rules.arrays import of, with_options
from tests.rules.cases import Case, array, both, operation, primitive


def optioned(name: str, *shapes: Any, tag: str = "", order: int = 6, **options: Any) -> list[Case]:
    """The rows for real and for complex numbers of a function with keyword arguments."""
    return both(
        lambda name, *xs, **more: with_options(name, *xs, **more, **options), name, *shapes, tag=tag, order=order
    )


# --- order and positions -----------------------------------------------------------------------------------------
def order() -> list[Case]:
    x, ties = array(3, 4), np.array([2.0, -1.0, math.nan, 2.0, -1.0, 0.0])
    rows: list[Case] = []
    for name in ("argsort", "sort"):
        rows += [
            operation(name, x),
            with_options(name, x, tag="of all", axis=None),
            with_options(name, x, tag="descending", axis=0, descending=True),
        ]
    f = ss.searchsorted
    return [
        *rows,
        with_options("argsort", ties, tag="of ties and nan", descending=True),
        with_options("argsort", ties, tag="of ties and nan upwards"),
        of("searchsorted", lambda a, v: f(ss.sort(a), v), x[0], x),
        of("searchsorted", lambda a, v: f(a, v, "right", ss.argsort(a)), x[0], x, tag="with a sorter"),
        primitive("argsort", x, params={"axis": 0, "descending": False}),
        primitive("argsort", x, tag="descending", params={"axis": 1, "descending": True}),
        primitive("searchsorted", np.sort(x[0]), x[1], params={"side": "left"}),
        primitive("searchsorted", np.sort(x), x, tag="of stacks", params={"side": "right"}),
    ]


def positions() -> list[Case]:
    at, along = np.array([[2, 0, -1], [1, 1, 0]]), np.array([[1, 0, 3], [2, 2, -1]])
    rows: list[Case] = []
    for factor in (1.0, 0.6 + 0.8j):
        x, y = factor * array(2, 4), array(2, 1, seed=1)
        z = factor * array(2, 2, seed=2)
        rows += [
            of("take", ss.take, x, at, tag="of all"),
            of("take", lambda x, i: ss.take(x, i, axis=1), x, at, tag="of columns"),
            of("take_along_axis", ss.take_along_axis, x, along),
            of("take_along_axis", lambda x, i: ss.take_along_axis(x, i, 0), x, along[:1, :1], tag="by one row"),
            with_options("diff", x, tag="of rows", axis=0),
            with_options("diff", x, tag="three times", n=3),
            of("diff", lambda x, y, z: ss.diff(x, 2, prepend=y, append=z), x, y, z, tag="between edges"),
            of("diff", lambda x, y: ss.diff(x, axis=0, append=y), x, y[0, 0], tag="with a number as edge"),
        ]
    return rows


# --- fft ---------------------------------------------------------------------------------------------------------
def transforms() -> list[Case]:
    rows: list[Case] = []
    for name in ("fft.fft", "fft.ifft", "fft.irfft", "fft.hfft"):
        rows += optioned(name, (2, 5))
        rows += optioned(name, (4, 2), tag="cropped", n=3, axis=0, norm="ortho")
        rows += optioned(name, (3,), tag="filled up", n=8, norm="forward")
    for name in ("fft.rfft", "fft.ihfft"):
        rows += [
            with_options(name, array(2, 5), tag=""),
            with_options(name, array(4, 2), tag="cropped", n=3, axis=0, norm="ortho"),
            with_options(name, array(3), tag="filled up", n=8, norm="forward"),
        ]
    for name in ("fft.fftn", "fft.ifftn", "fft.irfftn", "fft.hfftn"):
        rows += optioned(name, (2, 3, 2))
        rows += optioned(name, (3, 2, 3), tag="of two axes", s=(4, 3), axes=(2, 0), norm="ortho")
    for name in ("fft.fft2", "fft.ifft2", "fft.hfft2"):
        rows += optioned(name, (2, 3, 2), norm="forward")
    for name in ("fft.rfftn", "fft.ihfftn", "fft.ihfft2"):
        rows.append(with_options(name, array(2, 3, 2), tag=""))
    rows += optioned("fft.irfftn_like", (2, 3), like=(2, 5))
    return [
        *rows,
        with_options("fft.rfftn", array(3, 2, 3), tag="of two axes", s=(4, 3), axes=(2, 0), norm="ortho"),
        *optioned("fft.fftshift", (2, 5)),
        *optioned("fft.ifftshift", (2, 5), tag="of one axis", axes=1),
        *(of(f"fft.{f.__name__}", lambda f=f: f(5, 0.3)) for f in FREQUENCIES),
        *(of(f"fft.{f.__name__}", lambda d, f=f: f(4, d), array(), tag="of a distance") for f in FREQUENCIES),
        *spectra(),
    ]


FREQUENCIES = (ss.fft.fftfreq, ss.fft.rfftfreq)


def spectra() -> list[Case]:
    """The primitives, with lengths of both parities and of one."""
    rows: list[Case] = []
    line = {"axes": (-1,), "scale": 0.7}
    for n in (1, 4, 5):
        for inverse in (False, True):
            p, tag = line | {"inverse": inverse}, f"of {n}{', inverse' if inverse else ''}"
            rows += both(primitive, "fft", (2, n), tag=tag, params=p)
            for twice in (False, True):
                weighted = p | {"twice": twice}
                rows.append(primitive("rfft", array(2, n), tag=f"{tag}, {twice}", params=weighted))
                rows += both(primitive, "irfft", (2, n // 2 + 1), tag=f"{tag}, {twice}", params=weighted | {"n": n})
    for twice in (False, True):
        plane = {"axes": (-1, -3), "scale": 0.7, "inverse": False, "twice": twice}
        rows.append(primitive("rfft", array(3, 2, 4), tag=f"of a plane, {twice}", params=plane))
        rows += both(primitive, "irfft", (3, 2, 4), tag=f"of a plane, {twice}", params=plane | {"n": 4})
    return rows


# --- linalg ------------------------------------------------------------------------------------------------------
def matrices(*shape: int, kind: str = "f") -> np.ndarray:
    """Matrices that are far from singular: the diagonal outweighs the rest."""
    return array(*shape, kind=kind) + 4.0 * np.eye(shape[-1])


def equations() -> list[Case]:
    rows: list[Case] = []
    for kind in ("f", "c"):
        a, stack = matrices(3, 3, kind=kind), matrices(2, 1, 2, 2, kind=kind)
        b = array(3, 2, seed=1, kind=kind)
        rows += [
            operation("linalg.solve", a, b),
            operation("linalg.solve", a, b[:, 0], tag="of a vector"),
            operation("linalg.solve", stack, array(3, 2, 1, seed=1, kind=kind), tag="of stacks"),
            operation("linalg.inv", stack, tag="of a stack"),
            primitive("solve", stack, array(3, 2, 2, seed=1, kind=kind)),
            primitive("solve", a, b, tag="of one"),
        ]
    rows.append(operation("linalg.solve", matrices(2, 2), array(2, kind="c"), tag="of a real matrix"))
    rows.append(operation("linalg.solve", matrices(2, 2, kind="c"), array(2, 1), tag="of a real column"))
    return rows


def determinants() -> list[Case]:
    """Regular matrices and those of every lower rank; larger ones than 4 x 4 are inverted where they can be."""
    rows: list[Case] = []
    for kind, factor in (("f", 1.0), ("c", 1.0 + 2.0j)):
        deficient = np.diag([1.0, 0.0, 2.0]) * factor
        deficient[2, 0] = 3.0
        stack = np.stack([matrices(3, 3, kind=kind), deficient])
        large = np.stack([matrices(5, 5, kind=kind), np.diag([1.0, 0.0, 2.0, 0.0, 3.0]) * factor])
        nearly = array(4, 2, kind=kind) @ array(2, 4, seed=1, kind=kind)  # singular but for rounding
        rows += [
            operation("linalg.det", matrices(2, 3, 3, kind=kind)),
            operation("linalg.det", matrices(4, 4, kind=kind), tag="of one"),
            operation("linalg.det", stack, tag="of a regular and a singular matrix"),
            of("linalg.det", lambda a: ss.linalg.det(a) + a[0, 0], nearly, tag="of nearly rank 2"),
            of("linalg.det", lambda a: ss.linalg.det(a) + a[0, 0], np.zeros((3, 3)) * factor, tag="of zero"),
            operation("linalg.det", np.zeros((1, 1)) * factor, tag="of one zero"),
            operation("linalg.det", large, tag="of larger ones", order=5),  # the next one is zero but for rounding
            primitive("det", stack),
        ]
    return rows


def norms() -> list[Case]:
    rows: list[Case] = []
    for p in (2, 1, 3, 4, 0.5, -2, math.inf, -math.inf, 0):
        rows += optioned("linalg.vector_norm", (2, 3), tag=f"{p}", order=NORM_ORDER, axis=1, ord=p)
    for p in ("fro", 1, -1, math.inf, -math.inf):
        rows += optioned("linalg.matrix_norm", (2, 2, 3), tag=f"{p}", order=NORM_ORDER, ord=p)
    rows += optioned("linalg.norm", (2, 3), order=NORM_ORDER)
    rows += optioned("linalg.norm", (2, 3), tag="of vectors", order=NORM_ORDER, ord=1, axis=0, keepdims=True)
    rows += optioned("linalg.norm", (2, 2, 3), tag="of matrices", order=NORM_ORDER, ord=1, axis=(2, 0))
    return [*rows, *norms_at_zeros()]


NORM_ORDER = 6


def norms_at_zeros() -> list[Case]:
    """Norms with some elements zero, and squares of norms of zero, are smooth."""
    rows: list[Case] = []
    for factor in (1.0, 1.0 + 2.0j):
        some = np.array([[0.0, 1.5], [-0.7, 0.0]]) * factor
        none = np.zeros((2, 2)) * factor
        rows += [
            with_options("linalg.vector_norm", some, tag="with zeros", axis=1),
            with_options("linalg.vector_norm", some, tag="4 with zeros", axis=1, ord=4),
            of("linalg.norm", lambda x: ss.linalg.norm(x) ** 2, none, tag="of zero, squared"),
            of("linalg.matrix_norm", lambda x: ss.linalg.matrix_norm(x) ** 2, none, tag="of zero, squared"),
        ]
    return rows


# --- what is done beside giving values ---------------------------------------------------------------------------
def effects() -> list[Case]:
    params = {"text": "x = {}", "words": (None,), "names": ()}
    return [primitive("order"), primitive("print", np.zeros((), np.uint8), array(3), params=params)]


ROWS = [
    *effects(),
    *order(),
    *positions(),
    *transforms(),
    *equations(),
    *determinants(),
    *norms(),
]
