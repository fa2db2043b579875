"""Rows for spectral operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.fft import spectral
from tests.rules.cases import Case, array, operation

ORDER = 3


def _row(name: str, tag: str, *operands: Any, **settings: Any) -> Case:
    f = getattr(spectral, name)
    return operation(f"fft.spectral.{name}", *operands, call=lambda *xs: f(*xs, **settings), tag=tag, order=ORDER)


def _pair(name: str, tag: str, *shape: int, **settings: Any) -> list[Case]:
    """The row for real and for complex numbers."""
    return [_row(name, tag, array(*shape, kind=kind), **settings) for kind in ("f", "c")]


def derivatives() -> list[Case]:
    rows = [*_pair("derivative", "", 2, 6), _row("derivative", "of order 2", array(4, 2), order=2, axis=0, period=3.0)]
    rows += [
        _row("derivative", "of order -1", array(5), order=-1),
        _row("derivative", "of order 1.5", array(6), order=1.5),
        _row("derivative", "of order 0", array(3), order=0),
        _row("derivative", "of nothing", array(0, 4)),
    ]
    for name in ("gradient", "laplacian", "biharmonic"):
        rows += _pair(name, "", 4, 3, periods=(2.0, 5.0))
        rows.append(_row(name, "of nothing", array(3, 0, 4), axes=(0, 2)))
    rows.append(_row("gradient", "with components last", array(4, 2, 3), axes=(2, 0), component=-1))
    for name in ("divergence", "curl", "project_divergence_free"):
        rows += _pair(name, "", 2, 4, 3)
        rows += [
            _row(name, "of nothing", array(2, 4, 0, 3), axes=(0, 2)),
            _row(name, "in three dimensions", array(2, 3, 4, 3), component=-1, periods=(1.0, 2.0, 3.0)),
        ]
    return rows


def solvers() -> list[Case]:
    rows: list[Case] = []
    for name in ("poisson", "biharmonic_inverse"):
        rows += _pair(name, "", 4, 3)
        rows += [
            _row(name, "between walls", array(4, 3), bc=("dirichlet", "neumann"), periods=(1.0, 2.0)),
            _row(name, "between walls of cells", array(3, 4), bc=("neumann", "periodic"), staggered=True),
            _row(name, "of nothing", array(0, 4), axes=-1),
        ]
    rows += [_row("helmholtz", "", array(4, 3, kind=kind), np.array(-0.7)) for kind in ("f", "c")]
    rows += [
        _row("helmholtz", "with many alphas", array(2, 4), np.array([[0.5], [-1.5]]), axes=-1),
        _row("helmholtz", "damped", array(3, 4), np.array(1.5 + 0.5j), bc=("dirichlet", "periodic")),
        _row("helmholtz", "of nothing", array(0, 4), np.array(-1.0), axes=-1),
    ]
    rows.append(
        Case(
            "fft.spectral.helmholtz of a number",
            ("op:fft.spectral.helmholtz",),
            lambda f: spectral.helmholtz(f, -1.5, bc="neumann"),
            (array(4),),
            order=ORDER,
        )
    )
    return rows


def spectra() -> list[Case]:
    half = array(3, 4, kind="c")  # of 3 x 6 points
    return [
        _spectrum("pad", "", array(4, 2, kind="c"), (5, 4), norm="ortho"),
        _spectrum("pad", "of real numbers", array(3), 6, norm="forward"),
        _spectrum("pad", "of half a spectrum", half, (4, 9), n=(3, 6)),
        _spectrum("pad", "of nothing", array(0, 4), 6),
        _spectrum("truncate", "", array(5, 4, kind="c"), (4, 2)),
        _spectrum("truncate", "of real numbers", array(6), 3, norm="ortho"),
        _spectrum("truncate", "of half a spectrum", half, (2, 4), n=(3, 6)),
        _spectrum("truncate", "of nothing", array(0, 4), 2),
        *_pair("dealias", "", 4, 9),
        _row("dealias", "of half a spectrum", half, n=(3, 6), rule="1/2"),
        _row("dealias", "of nothing", array(0, 4), axes=-1),
    ]


def _spectrum(name: str, tag: str, x: Any, s: Any, **settings: Any) -> Case:
    f = getattr(spectral, name)
    return operation(f"fft.spectral.{name}", x, call=lambda y: f(y, s, **settings), tag=tag, order=ORDER)


def products() -> list[Case]:
    a, b = array(2, 4), array(3, 1, 4, seed=1)
    rows = [
        _row("dealiased_product", "", array(4, 3), array(4, 3, seed=1)),
        _row("dealiased_product", "", array(4, kind="c"), array(4, seed=1, kind="c")),
        _row("dealiased_product", "of rows", a, b, axes=-1),
        _row("dealiased_product", "of nothing", array(0, 4), array(4), axes=-1),
    ]
    for name in ("convolve", "correlate"):
        rows += [
            _row(name, "", array(2, 4), array(2, 3, seed=1)),
            _row(name, "", array(5, kind="c"), array(2, seed=1, kind="c"), mode="same"),
            _row(name, "without ends", array(1, 5), array(3, 2), mode="valid", axes=-1),
            _row(name, "of periods", array(2, 4, kind="c"), array(1, 4), mode="circular", axes=1),
            _row(name, "of nothing", array(0, 4), array(1, 3), axes=-1),
        ]
    for kind in ("exponential", "lanczos", "raised_cosine", "gaussian", "vandeven"):
        rows.append(_row("filter", f"by {kind}", array(4, 3), kind=kind))
    rows += [_row("filter", "", array(5, kind="c"), order=4.0), _row("filter", "of nothing", array(0, 4), axes=-1)]
    return rows


def points() -> list[Case]:
    at = array(3, low=0.2, high=2.9)
    rows = [
        _spectrum("resample", "", array(2, 4), 7),
        _spectrum("resample", "to less", array(6, 4, kind="c"), (4, 3), axes=(1, 0)),
        _spectrum("resample", "of nothing", array(0, 4), 5),
        _row("interpolate", "", array(2, 4), at, method="direct"),
        _row("interpolate", "", array(5, 2, kind="c"), at, axes=0, periods=2.0),
        _row("interpolate", "of a plane", array(4, 3), array(2, 2), axes=(0, 1)),
        _row("interpolate", "at one point", array(4), np.array(0.6)),
        _row("interpolate", "of nothing", array(0, 4), at),
    ]
    return rows


def series() -> list[Case]:
    rows: list[Case] = []
    for name in ("chebyshev", "inverse_chebyshev"):
        for kind in (1, 2):
            rows += _pair(name, f"of kind {kind}", 2, 5, kind=kind)
        rows += [_row(name, "of one", array(1, 2), axis=0), _row(name, "of nothing", array(0, 3))]
    for name in ("chebyshev_derivative", "chebyshev_integral", "chebyshev_differentiate", "chebyshev_integrate"):
        rows += _pair(name, "", 2, 5)
        rows += [
            _row(name, "along the first axis", array(4, 2), axis=0, interval=(1.0, 3.0)),
            _row(name, "of one", array(2, 1)),
            _row(name, "of nothing", array(0, 3)),
        ]
    rows += [
        _row("chebyshev_differentiate", "twice", array(4), order=2, kind=1),
        _row("chebyshev_integrate", "of kind 1", array(4), kind=1),
        _row("chebyshev_evaluate", "", array(2, 4), array(3)),
        _row("chebyshev_evaluate", "", array(4, 2, kind="c"), array(3, kind="c"), axis=0, interval=(0.0, 2.0)),
        _row("chebyshev_evaluate", "of one", array(1), np.array(0.5)),
        _row("chebyshev_evaluate", "of nothing", array(0, 4), array(2)),
    ]
    return rows


def constants() -> list[Case]:
    rows = []
    for name in ("chebyshev_points", "chebyshev_weights", "chebyshev_matrix"):
        f = getattr(spectral, name)
        rows.append(Case(f"fft.spectral.{name}", (f"op:fft.spectral.{name}",), lambda f=f: f(4), ()))
    return rows


NO_AXES = "works along axes"
ROWS = [*derivatives(), *solvers(), *spectra(), *products(), *points(), *series(), *constants()]
EXEMPT: dict[str, dict[str, str]] = {
    f"op:fft.spectral.{name}": {"0-d": NO_AXES}
    for name in spectral.__all__
    if name not in ("helmholtz", "interpolate", "chebyshev_evaluate", *(c.name.rpartition(".")[2] for c in constants()))
}
