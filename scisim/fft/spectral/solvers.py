"""Inverses of elliptic operators on boxes, by Fourier series along periodic axes and sine or cosine series elsewhere.

Formulas: C. Canuto, M. Y. Hussaini, A. Quarteroni, T. A. Zang, *Spectral Methods: Fundamentals in Single Domains*,
Springer 2006, chapters 2 and 3.
"""

from __future__ import annotations

import math
import operator
from functools import lru_cache, reduce
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, DTypeError, ShapeError
from scisim.core.public import number_or_value
from scisim.core.values import Traced, dtype, is_complex, shape
from scisim.fft.spectral._arguments import PERIOD, axes_of, each_axis, field, one_of, periods_of, real_of
from scisim.fft.spectral._constants import Grid, constant, of_squares, symbol
from scisim.fft.spectral._periodic import component_axis, forward, grid_of, inverse, periodic_grid, remembered, stacked
from scisim.fft.spectral.operators import components, vector_axes
from scisim.fft.trigonometric import dctn, dstn, idctn, idstn
from scisim.ops.arithmetic import div
from scisim.ops.index import read_p
from scisim.ops.shape import several

_KINDS = ("periodic", "dirichlet", "neumann")
_WALLS = {"dirichlet": (dstn, idstn), "neumann": (dctn, idctn)}


# --- transforms of boxes with walls --------------------------------------------------------------------------
def _box(name: str, f: Any, axes: Any, periods: Any, bc: Any) -> tuple[Any, Grid]:
    """The field, and its axes with their boundary conditions in order."""
    f = field(name, f, "f")
    return f, _grid(name, shape(f), not is_complex(f), axes, periods, bc)


@remembered
def _grid(name: str, s: tuple[int, ...], half: bool, axes: Any, periods: Any, bc: Any) -> Grid:
    found = axes_of(name, s, axes)
    lengths = periods_of(name, periods, len(found))
    given = several(bc)
    kinds = (bc,) * len(found) if given is None else each_axis(name, "bc", given, len(found))
    kinds = tuple(one_of(name, "bc", kind, _KINDS) for kind in kinds)
    wrapped = [(a, p) for a, p, kind in zip(found, lengths, kinds) if kind == "periodic"]
    grid = grid_of(s, *zip(*wrapped), half) if wrapped else ()
    walls = sorted((a, kind, p) for a, p, kind in zip(found, lengths, kinds) if kind != "periodic")
    return (*((kind, a, s[a], p) for a, kind, p in walls), *grid)


@lru_cache(maxsize=512)
def _split(grid: Grid) -> tuple[Grid, dict[str, tuple[int, ...]]]:
    """The periodic axes, and those of each kind of walls."""
    walls = {kind: tuple(a for k, a, _, _ in grid if k == kind) for kind in _WALLS}
    return tuple(g for g in grid if g[0] not in _WALLS), {kind: axes for kind, axes in walls.items() if axes}


def _to_spectrum(f: Any, grid: Grid, staggered: bool) -> Any:
    periodic, walls = _split(grid)
    for kind, axes in walls.items():
        f = _WALLS[kind][0](f, 2 if staggered else 1, None, axes)
    return forward(f, periodic) if periodic else f


def _from_spectrum(y: Any, grid: Grid, staggered: bool) -> Any:
    periodic, walls = _split(grid)
    y = inverse(y, periodic) if periodic else y
    for kind, axes in walls.items():
        y = _WALLS[kind][1](y, 2 if staggered else 1, None, axes)
    return y


def _check_mean(name: str, y: Any, f: Any, grid: Grid) -> None:
    """Whether the element without variation is 0, to rounding of the sum of all."""
    if isinstance(f, Traced) or any(kind == "dirichlet" for kind, _, _, _ in grid):
        return
    first = read_p(y, at=_first(len(shape(y)), grid))
    size = np.finfo(real_of(f)).eps * np.sum(np.abs(f)) * 8
    if np.any(np.abs(first) > size * 2 ** sum(kind == "neumann" for kind, _, _, _ in grid)):
        mean = np.max(np.abs(first)) / math.prod(2 * n if kind == "neumann" else n for kind, _, n, _ in grid)
        raise ArgumentError(
            f"{name}: f has a mean of about {mean:.3g} over the box, for which there is no solution; subtract it, or "
            f'leave solvability at "project", which does'
        )


def _first(rank: int, grid: Grid) -> tuple:
    axes = {a + rank for _, a, _, _ in grid}
    return tuple(("slice", 0, 1, None) if k in axes else ("slice", None, None, None) for k in range(rank))


def _inverse_of(power: int) -> Any:
    """1 / (-k2)^power, and 0 where k2 is 0."""

    def f(k2: np.ndarray) -> np.ndarray:
        out = np.zeros(k2.shape)
        return np.divide(1.0, (-k2) ** power, out=out, where=k2 != 0)

    return f


# --- the solvers ---------------------------------------------------------------------------------------------
def poisson(
    f: Any,
    /,
    axes: Any = None,
    periods: Any = PERIOD,
    bc: Any = "periodic",
    staggered: bool = False,
    solvability: str = "project",
) -> Any:
    """Solution u of Poisson's equation, laplacian(u) = f, on a box.

    Parameters
    ----------
    f : array_like
        Real or complex values on the grid that the boundary conditions ask for, see the notes.
    axes : int or tuple of int, optional
        All by default.
    periods : float or tuple of float
        Periods, or lengths between walls: one for all axes, or one for each.
    bc : {"periodic", "dirichlet", "neumann"} or tuple of them
        u is periodic, or 0 at both walls, or has normal derivative 0 there; one for all axes, or one for each.
    staggered : bool
        Between walls: whether the points are the midpoints of cells.
    solvability : {"project", "raise"}
        What to do with the mean of ``f``, where no axis has Dirichlet conditions.

    Returns
    -------
    Tensor
        Of the shape of ``f``.

    Raises
    ------
    ArgumentError
        For axes out of range or given twice, a period that is not positive, or an unknown condition; with
        ``solvability="raise"`` if the mean of ``f`` is not 0 to rounding.
    ShapeError
        For a scalar.

    Notes
    -----
    Along an axis of n points and length L the points are, for j from 0 to n - 1,

    ========== =================== ======================
    bc         points              staggered
    ========== =================== ======================
    periodic   j L / n             j L / n
    dirichlet  (j + 1) L / (n + 1) (j + 1/2) L / n
    neumann    j L / (n - 1)       (j + 1/2) L / n
    ========== =================== ======================

    With periodic and Neumann conditions alone u is determined up to a constant, and exists only if the mean of ``f``
    over the box is 0. The solution returned has mean 0 (with unstaggered Neumann conditions by the trapezoidal rule),
    and a mean of ``f`` is dropped: u solves laplacian(u) = f - mean(f). With ``solvability="raise"`` one beyond
    rounding is an error; inside of transformations, which do not know values, it is dropped.

    Examples
    --------
    >>> import scisim as ss
    >>> x, y = ss.meshgrid(*2 * [ss.arange(8) * (ss.pi / 4)], indexing="ij")
    >>> u = ss.sin(x) * ss.cos(2 * y)
    >>> float(ss.max(abs(ss.fft.spectral.poisson(-5 * u) - u))) < 1e-14
    True
    >>> x = ss.arange(1, 8) / 8
    >>> u = ss.fft.spectral.poisson(-(ss.pi**2) * ss.sin(ss.pi * x), periods=1.0, bc="dirichlet")
    >>> float(ss.max(abs(u - ss.sin(ss.pi * x)))) < 1e-14
    True
    """
    return _potential("poisson", f, axes, periods, bc, staggered, solvability, 1)


def biharmonic_inverse(
    f: Any,
    /,
    axes: Any = None,
    periods: Any = PERIOD,
    bc: Any = "periodic",
    staggered: bool = False,
    solvability: str = "project",
) -> Any:
    """Solution u of the biharmonic equation, laplacian(laplacian(u)) = f, on a box.

    Parameters
    ----------
    f : array_like
        Real or complex values on the grid of `poisson`.
    axes : int or tuple of int, optional
        All by default.
    periods : float or tuple of float
        Periods, or lengths between walls: one for all axes, or one for each.
    bc : {"periodic", "dirichlet", "neumann"} or tuple of them
        As for `poisson`, of both u and laplacian(u): a plate with "dirichlet" is simply supported.
    staggered : bool
        As for `poisson`.
    solvability : {"project", "raise"}
        As for `poisson`.

    Returns
    -------
    Tensor
        Of the shape of ``f``.

    Raises
    ------
    ArgumentError
        As for `poisson`.
    ShapeError
        For a scalar.

    Examples
    --------
    >>> import scisim as ss
    >>> x = ss.arange(1, 8) / 8
    >>> u = ss.fft.spectral.biharmonic_inverse(ss.pi**4 * ss.sin(ss.pi * x), periods=1.0, bc="dirichlet")
    >>> float(ss.max(abs(u - ss.sin(ss.pi * x)))) < 1e-14
    True
    """
    return _potential("biharmonic_inverse", f, axes, periods, bc, staggered, solvability, 2)


def _potential(
    name: str, f: Any, axes: Any, periods: Any, bc: Any, staggered: bool, solvability: str, power: int
) -> Any:
    f, grid = _box(name, f, axes, periods, bc)
    y = _to_spectrum(f, grid, staggered)
    if one_of(name, "solvability", solvability, ("project", "raise")) == "raise":
        _check_mean(name, y, f, grid)
    return _from_spectrum(y * of_squares(name, grid, real_of(f), _inverse_of(power)), grid, staggered)


def helmholtz(
    f: Any, alpha: Any, /, axes: Any = None, periods: Any = PERIOD, bc: Any = "periodic", staggered: bool = False
) -> Any:
    """Solution u of Helmholtz' equation, laplacian(u) + alpha u = f, on a box.

    Parameters
    ----------
    f : array_like
        Real or complex values on the grid of `poisson`.
    alpha : array_like
        A number: positive for waves (the square of their wavenumber), negative for screening, complex for waves that
        are damped; or an array that broadcasts against ``f`` and has length 1 along ``axes``.
    axes : int or tuple of int, optional
        All by default.
    periods : float or tuple of float
        Periods, or lengths between walls: one for all axes, or one for each.
    bc : {"periodic", "dirichlet", "neumann"} or tuple of them
        As for `poisson`.
    staggered : bool
        As for `poisson`.

    Returns
    -------
    Tensor
        Complex if ``f`` or ``alpha`` is.

    Raises
    ------
    ArgumentError
        If a number ``alpha`` is an eigenvalue of minus the Laplacian to rounding (resonance), 0 for periodic and
        Neumann conditions among them; and as for `poisson`.
    ShapeError
        For an ``alpha`` that varies along ``axes``, or does not broadcast against ``f``.

    Notes
    -----
    Where ``alpha`` is an array or a value of a transformation, elements in resonance are infinite, or nan if ``f``
    lacks them. Derivatives with respect to ``alpha`` exist everywhere else.

    Examples
    --------
    >>> import scisim as ss
    >>> x = ss.arange(8) * (ss.pi / 4)
    >>> u = ss.fft.spectral.helmholtz(ss.sin(2 * x), -1.0)
    >>> float(ss.max(abs(u + ss.sin(2 * x) / 5))) < 1e-15
    True
    """
    alpha = number_or_value(alpha)
    if dtype(alpha).kind not in "biufc":
        raise DTypeError(f"helmholtz: alpha has dtype {dtype(alpha)}; convert it with astype to float64")
    f, grid = _box("helmholtz", _promoted(f, alpha), axes, periods, bc)
    dt = real_of(f)
    _check_alpha(shape(f), alpha, grid)
    if type(alpha) in (int, float, complex):
        dt = np.dtype(np.result_type(dt, np.complex64)) if type(alpha) is complex else dt
        factor = of_squares(f"helmholtz {alpha!r}", grid, dt, lambda k2: _reciprocal(alpha, k2, grid, real_of(f)))
    else:
        factor = div(1.0, alpha - of_squares("squares", grid, dt, lambda k2: k2))
    return _from_spectrum(_to_spectrum(f, grid, staggered) * factor, grid, staggered)


def _promoted(f: Any, alpha: Any) -> Any:
    """The field, as complex numbers if alpha is complex."""
    f = field("helmholtz", f, "f")
    return f + 0j if is_complex(alpha) and not is_complex(f) else f


def _check_alpha(s: tuple[int, ...], alpha: Any, grid: Grid) -> None:
    own = shape(alpha)
    along = [a for _, a, _, _ in grid if -a <= len(own) and own[a] != 1]
    if along or len(own) > len(s) or any(m not in (1, n) for m, n in zip(own[::-1], s[::-1])):
        raise ShapeError(
            f"helmholtz: alpha has shape {own} for f of shape {s}; it must broadcast against f, with length 1 along "
            f"the axes of the equation"
        )


def _reciprocal(alpha: Any, k2: np.ndarray, grid: Grid, dt: np.dtype) -> np.ndarray:
    """1 / (alpha - k2), which must not be infinite."""
    gap = alpha - k2
    least = np.argmin(np.abs(gap))
    value = float(k2.flat[least])
    if abs(gap.flat[least]) <= 8 * np.finfo(dt).eps * value or gap.flat[least] == 0:
        mode = tuple(map(int, np.unravel_index(least, k2.shape)))
        way = "use poisson, which drops the mean" if not value else "change alpha, or give it an imaginary part"
        raise ArgumentError(
            f"helmholtz: alpha={alpha!r} is in resonance with the eigenvalue {value:.17g} of the element {mode} of the "
            f"spectrum; {way}"
        )
    return 1.0 / gap


# --- fields without divergence -------------------------------------------------------------------------------
def project_divergence_free(v: Any, /, axes: Any = None, periods: Any = PERIOD, component: int = 0) -> Any:
    """The part of a periodic vector field that has no divergence: Leray's projection, v - grad(poisson(div(v))).

    Parameters
    ----------
    v : array_like
        The components along the axis ``component``, each at equidistant points.
    axes : int or tuple of int, optional
        Axes of a component, that is of ``v[0]`` for ``component=0``; all by default.
    periods : float or tuple of float
        One for all axes, or one for each.
    component : int
        Axis of ``v`` along which the components lie, as many as there are axes.

    Returns
    -------
    Tensor
        Of the shape of ``v``.

    Raises
    ------
    ArgumentError
        For axes out of range or given twice, or a period that is not positive.
    ShapeError
        For another number of components than of axes.

    Notes
    -----
    Wavenumbers are those of `divergence` and `gradient`, which are 0 at the Nyquist frequencies: the divergence of
    the result, as `divergence` computes it, is 0 to rounding, and projecting twice is projecting once. The mean of
    ``v`` stays.

    Examples
    --------
    >>> import scisim as ss
    >>> x, y = ss.meshgrid(*2 * [ss.arange(8) * (ss.pi / 4)], indexing="ij")
    >>> v = ss.stack([ss.sin(x) * ss.cos(y), ss.cos(x + y)])
    >>> u = ss.fft.spectral.project_divergence_free(v)
    >>> float(ss.max(abs(ss.fft.spectral.divergence(u)))) < 1e-14
    True
    """
    v = field("project_divergence_free", v, "v")
    parts = components("project_divergence_free", v, component)
    found, lengths = vector_axes("project_divergence_free", parts, axes, periods)
    grid = periodic_grid(parts[0], found, lengths)
    ks = {a: symbol(n, a, 1, p, kind == "half", real_of(v)) for kind, a, n, p in grid}
    factor = constant(("divergence free", grid, real_of(v).char), lambda: _inverse_squares(ks.values(), real_of(v)))
    spectra = [forward(u, grid) for u in parts]
    potential = reduce(operator.add, (ks[a] * y for a, y in zip(found, spectra))) * factor
    k = component_axis("project_divergence_free", len(shape(v)), component)
    return stacked([inverse(y - ks[a] * potential, grid) for a, y in zip(found, spectra)], k)


def _inverse_squares(multipliers: Any, dt: np.dtype) -> np.ndarray:
    """-1 over the sum of squares of the wavenumbers of first derivatives, 0 where all of them are 0."""
    return _inverse_of(1)(sum(ik.imag.astype(np.float64) ** 2 for ik in multipliers)).astype(dt)
