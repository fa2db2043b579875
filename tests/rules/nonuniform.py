"""Rows for non-uniform transforms: points, strengths and modes vary together, in one to three dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim import fft
from tests.rules.cases import Case, array, operation, primitive

# At the least eps, differences and other nestings are those of the sums themselves.
EPS = 1e-14
SINGLE = 1e-6  # the least of single precision
X = array(4)
Y = 1.7 * array(4, seed=1)
FOUR = {"modes": (4,), "sign": 1, "eps": EPS, "centred": True}
PLANE = {"modes": (3, 2), "sign": -1, "eps": EPS, "centred": False}


def nufft1(n_modes: Any, **how: Any) -> Any:
    """Type 1, of coordinates and then strengths."""
    return lambda *args: fft.nufft1(args[:-1], args[-1], n_modes, eps=least(args[0]), **how)


def nufft2(**how: Any) -> Any:
    """Type 2, of coordinates and then modes."""
    return lambda *args: fft.nufft2(args[:-1], args[-1], eps=least(args[0]), **how)


def nufft3(dims: int, **how: Any) -> Any:
    """Type 3, of coordinates of points, strengths, and coordinates of frequencies."""

    def call(*args: Any) -> Any:
        eps = 1e-12 if args[0].dtype == np.float64 else 1e-5
        return fft.nufft3(args[:dims], args[dims], args[dims + 1 :], eps=eps, **how)

    return call


def least(x: Any) -> float:
    return EPS if x.dtype == np.float64 else SINGLE


ROWS: list[Case] = [
    operation("fft.nufft1", X, array(4, seed=2, kind="c"), call=nufft1(5)),
    operation("fft.nufft1", X, array(4, seed=2), call=nufft1(4, isign=-1, modeord=1), tag="of real strengths"),
    operation("fft.nufft1", X, Y, array(4, seed=2, kind="c"), call=nufft1((3, 2)), tag="in the plane", order=4),
    operation("fft.nufft1", X, Y, X + Y, array(4, kind="c"), call=nufft1((2, 3, 1)), tag="in space", order=3),
    operation("fft.nufft1", array(2, 1, 3), array(2, 2, 3, kind="c"), call=nufft1(3), tag="stacks", order=3),
    operation("fft.nufft1", np.zeros(0), np.zeros((2, 0), complex), call=nufft1(3), tag="empty"),
    operation("fft.nufft2", X, array(5, seed=2, kind="c"), call=nufft2()),
    operation("fft.nufft2", X, array(6, seed=2), call=nufft2(isign=1, modeord=1), tag="of real modes"),
    operation("fft.nufft2", X, Y, array(3, 2, seed=2, kind="c"), call=nufft2(), tag="in the plane", order=4),
    operation("fft.nufft2", X, Y, X + Y, array(2, 3, 1, kind="c"), call=nufft2(), tag="in space", order=3),
    operation("fft.nufft2", array(2, 1, 3), array(2, 2, 4, kind="c"), call=nufft2(), tag="stacks", order=3),
    operation("fft.nufft2", np.zeros((2, 0)), array(2, 3, kind="c"), call=nufft2(), tag="empty"),
]
ROWS += [
    operation("fft.nufft3", X, array(4, seed=2, kind="c"), array(3, seed=3), call=nufft3(1), order=4),
    operation("fft.nufft3", X, array(4, seed=2), array(5, seed=3), call=nufft3(1, isign=-1), tag="of reals", order=2),
    operation("fft.nufft3", X, Y, array(4, kind="c"), array(3), array(3, seed=3), call=nufft3(2), tag="plane", order=2),
    operation("fft.nufft3", X, np.zeros((0, 4), complex), array(3), call=nufft3(1), tag="empty"),
]
for _turned in (False, True):
    ROWS.append(
        primitive(
            "nufft3_linear",
            X[None],
            array(2, 5 if _turned else 4, kind="c"),
            array(1, 5, seed=3),
            params={"sign": -1, "eps": 1e-12, "turned": _turned},
            tag="turned" if _turned else "",
            order=3,
        )
    )
for _name, _last in (("nufft1", array(2, 4, kind="c")), ("nufft2", array(2, 4, kind="c"))):
    for _end in ("", "_linear"):
        ROWS.append(primitive(_name + _end, X[None], _last, params=FOUR))
_plane = np.stack([X, Y])
ROWS += [
    primitive("nufft1", _plane, array(1, 4, kind="c"), params=PLANE, tag="in the plane", order=3),
    primitive("nufft2", _plane, array(1, 3, 2, kind="c"), params=PLANE, tag="in the plane", order=3),
]
_POINTS = "a transform has points along an axis, and modes along others"
EXEMPT = {f"op:fft.nufft{kind}": {"0-d": _POINTS} for kind in (1, 2, 3)}
