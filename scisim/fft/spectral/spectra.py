"""Spectra made longer and shorter, aliases removed, and products of fields without aliases.

Formulas: J. P. Boyd, *Chebyshev and Fourier Spectral Methods*, Dover 2001, chapter 11; S. A. Orszag, "On the
elimination of aliasing in finite-difference schemes by filtering high-wavenumber components", J. Atmos. Sci. 28
(1971) 1074.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.core.values import dtype, is_complex, shape, zeros
from scisim.fft.lengths import next_fast_len
from scisim.fft.spectral._arguments import axes_of, count_of, each_axis, field, one_of, real_of
from scisim.fft.spectral._constants import along, constant, numbers
from scisim.fft.spectral._periodic import cut, forward, inverse, joined, unit_grid
from scisim.ops.complexes import conj
from scisim.ops.index import flip, roll
from scisim.ops.shape import several

_NORMS = {"backward": 1.0, "ortho": 0.5, "forward": 0.0}


# --- one axis ------------------------------------------------------------------------------------------------
def resized_axis(y: Any, axis: int, n: int, m: int, half: bool, others: tuple[int, ...] | None = None) -> Any:
    """The spectrum of n points along a negative axis as one of m.

    The element at the Nyquist frequency of the shorter grid stands for the frequencies n/2 and -n/2 at once; it is
    split between them, or made of their sum.  In half a spectrum the element at -n/2 is the conjugate of that at n/2,
    with all ``others`` of the axes reversed; where these are None the element is only doubled, of which inverse real
    transforms read what is needed.
    """
    if m == n:
        return y
    axis += len(shape(y))
    short = min(n, m)
    up, down, even = (short + 1) // 2, (short - 1) // 2, short % 2 == 0  # elements from 0 on, and those below 0
    parts = [cut(y, axis, 0, up)]
    if even:
        middle = cut(y, axis, up, up + 1)
        parts.append(middle * 0.5 if m > n else _merged(y, middle, axis, n, short, half, others))
    if m > n:
        gap = m // 2 - n // 2 if half else m - n - even
        parts.append(zeros((*shape(y)[:axis], gap, *shape(y)[axis + 1 :]), dtype(y)))
        if even and not half:
            parts.append(parts[1])
    if not half and down:
        parts.append(cut(y, axis, shape(y)[axis] - down, shape(y)[axis]))
    return joined(parts, axis)


def _merged(y: Any, at: Any, axis: int, n: int, short: int, half: bool, others: Any) -> Any:
    """The sum of the elements at short/2 and -short/2 of a longer spectrum."""
    if not half:
        return at + cut(y, axis, n - short // 2, n - short // 2 + 1)
    if others is None:
        return at * 2.0
    return at + conj(roll(flip(at, others), (1,) * len(others), others) if others else at)


# --- lengths -------------------------------------------------------------------------------------------------
def _integers(name: str, argument: str, given: Any) -> tuple[int, ...]:
    items = several(given)
    return tuple(count_of(name, argument, n) for n in ((given,) if items is None else items))


def _lengths(name: str, y: Any, axes: tuple[int, ...], n: Any) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    """Numbers of points of the signal along each axis, and whether the spectrum is half of one there."""
    own = tuple(shape(y)[a] for a in axes)
    if n is None:
        return own, (False,) * len(axes)
    full = each_axis(name, "n", _integers(name, "n", n), len(axes))
    half = tuple(a == axes[-1] and m == k // 2 + 1 for a, m, k in zip(axes, own, full))
    wrong = [(a, m, k) for a, m, k, h in zip(axes, own, full, half) if m != k and not h]
    if wrong:
        a, m, k = wrong[0]
        raise ShapeError(
            f"{name}: axis {a} of the spectrum has {m} elements, but n={k} points have {k}, or {k // 2 + 1} in the "
            f"half spectrum along the last of axes"
        )
    return full, half


def _resized(name: str, y: Any, s: Any, axes: Any, n: Any, norm: str, longer: bool) -> Any:
    y = field(name, y, "spectrum")
    to = _integers(name, "s", s)
    default = tuple(range(-len(to), 0)) if axes is None else axes
    found = axes_of(name, shape(y), default)
    each_axis(name, "s", to, len(found))
    power = _NORMS[one_of(name, "norm", norm, tuple(_NORMS))]
    have, half = _lengths(name, y, found, n)
    if any(m < k if longer else m > k for m, k in zip(to, have)):
        other = "truncate" if longer else "pad"
        raise ArgumentError(f"{name}: cannot make {have} points {to}; use {other}")
    rank, scale = len(shape(y)), (math.prod(to) / math.prod(have)) ** power
    for a, k, m, h in zip(found, have, to, half):
        others = tuple(b + rank for b in found if b != a)
        y = resized_axis(y, a, k, m, h, others)
    return y if scale == 1.0 else y * scale


def pad(
    spectrum: Any,
    s: int | tuple[int, ...],
    /,
    axes: Any = None,
    n: int | tuple[int, ...] | None = None,
    norm: str = "backward",
) -> Any:
    """The spectrum of the same signal on a finer grid.

    Parameters
    ----------
    spectrum : array_like
        As `fftn` gives it, or `rfftn` if ``n`` says so.
    s : int or tuple of int
        Numbers of points along ``axes``, none less than there are.
    axes : int or tuple of int, optional
        The last ``len(s)`` by default; of a half spectrum the last of them is halved.
    n : int or tuple of int, optional
        Numbers of points of the signal along ``axes``. **Give it for half spectra**, whose length does not tell, and
        leave it out for others.
    norm : {"backward", "ortho", "forward"}
        That of the transforms: with "backward" elements are multiplied by the ratio of the numbers of points.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentError
        For less points than there are, or axes out of range.
    ShapeError
        If the spectrum does not have the length that ``n`` says.

    Notes
    -----
    For an even number of points the element at the Nyquist frequency is that of a cosine: half of it goes to n/2 and
    half to -n/2.

    Examples
    --------
    >>> import scisim as ss
    >>> y = ss.fft.spectral.pad(ss.fft.rfft([1.0, 0.0, 1.0, 0.0]), 8, n=4)
    >>> ss.fft.irfft(y)
    Tensor([1. , 0.5, 0. , 0.5, 1. , 0.5, 0. , 0.5])
    """
    return _resized("pad", spectrum, s, axes, n, norm, True)


def truncate(
    spectrum: Any,
    s: int | tuple[int, ...],
    /,
    axes: Any = None,
    n: int | tuple[int, ...] | None = None,
    norm: str = "backward",
) -> Any:
    """The spectrum less its highest frequencies, of a signal on a coarser grid; `pad` undoes it.

    Parameters
    ----------
    spectrum : array_like
        As `fftn` gives it, or `rfftn` if ``n`` says so.
    s : int or tuple of int
        Numbers of points along ``axes``, none more than there are.
    axes : int or tuple of int, optional
        The last ``len(s)`` by default; of a half spectrum the last of them is halved.
    n : int or tuple of int, optional
        Numbers of points of the signal along ``axes``. **Give it for half spectra**, whose length does not tell, and
        leave it out for others.
    norm : {"backward", "ortho", "forward"}
        That of the transforms: with "backward" elements are multiplied by the ratio of the numbers of points.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentError
        For more points than there are, or axes out of range.
    ShapeError
        If the spectrum does not have the length that ``n`` says.

    Notes
    -----
    For an even number of points the elements at s/2 and -s/2 cannot be told apart any more: their sum is kept.

    Examples
    --------
    >>> import scisim as ss
    >>> y = ss.fft.fft([1.0, 0.5, 0.0, 0.5, 1.0, 0.5, 0.0, 0.5])
    >>> ss.real(ss.fft.ifft(ss.fft.spectral.truncate(y, 4)))
    Tensor([1., 0., 1., 0.])
    """
    return _resized("truncate", spectrum, s, axes, n, norm, False)


# --- aliases -------------------------------------------------------------------------------------------------
def dealias(
    spectrum: Any,
    /,
    rule: str | float = "2/3",
    axes: Any = None,
    n: int | tuple[int, ...] | None = None,
) -> Any:
    """A spectrum without the frequencies that products would alias.

    Parameters
    ----------
    spectrum : array_like
        As `fftn` gives it, or `rfftn` if ``n`` says so.
    rule : str or float
        The part r of frequencies that stays: those of \\|k\\| < r n / 2 along each axis. "2/3" is Orszag's rule for
        products of two, "1/2" that for products of three.
    axes : int or tuple of int, optional
        All by default; of a half spectrum the last of them is halved.
    n : int or tuple of int, optional
        Numbers of points of the signal along ``axes``. **Give it for half spectra**, whose length does not tell, and
        leave it out for others.

    Returns
    -------
    Tensor
        Of the shape of ``spectrum``.

    Raises
    ------
    ArgumentError
        For a part that is not above 0 and at most 1, or axes out of range.
    ShapeError
        If the spectrum does not have the length that ``n`` says.

    Notes
    -----
    The cut is exact: by "2/3" \\|k\\| < n / 3, also where 3 divides n, so that in the product of two such signals,
    which reaches 2 k_max, no frequency is aliased to one that the rule keeps.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.real(ss.fft.spectral.dealias(ss.ones(9)))
    Tensor([1., 1., 1., 0., 0., 0., 0., 1., 1.])
    """
    y = field("dealias", spectrum, "spectrum")
    part = _part(rule)
    found = axes_of("dealias", shape(y), axes)
    full, half = _lengths("dealias", y, found, n)
    grid = tuple(zip(found, full, half))
    return y * constant(("dealias", grid, part, real_of(y).char), lambda: _mask(grid, part).astype(real_of(y)))


def _part(rule: Any) -> Fraction:
    if isinstance(rule, bool) or not isinstance(rule, (str, float, int, Fraction)):
        raise ArgumentTypeError(f"dealias: rule must be a fraction such as '2/3', or a number, got {rule!r}")
    try:
        part = Fraction(rule)
    except (ValueError, OverflowError, ZeroDivisionError):
        raise ArgumentError(f"dealias: rule must be a fraction such as '2/3', got {rule!r}") from None
    if not 0 < part <= 1:
        raise ArgumentError(f"dealias: rule must be a part above 0 and at most 1, got {rule!r}")
    return part


def _mask(grid: tuple, part: Fraction) -> np.ndarray:
    mask: Any = True
    for axis, n, half in grid:
        k = np.abs(numbers(n, half)).astype(int)
        mask = mask & along(2 * part.denominator * k < part.numerator * n, axis)
    return mask


def dealiased_product(a: Any, b: Any, /, axes: Any = None) -> Any:
    """Product of two periodic fields, less the frequencies that their grid does not hold, by the 3/2 rule.

    Parameters
    ----------
    a, b : array_like
        Real or complex values at equidistant points, with equal lengths along ``axes``; other axes broadcast.
    axes : int or tuple of int, optional
        Axes of the result, all of them by default.

    Returns
    -------
    Tensor
        Real if both are.

    Raises
    ------
    ArgumentError
        For axes out of range or given twice.
    ShapeError
        If the lengths along ``axes`` differ, or other axes do not broadcast.

    Notes
    -----
    The product of the two trigonometric polynomials has frequencies to twice the highest of the grid. It is computed
    on a grid of more than 3/2 as many points, where none of them is aliased to one that is kept, and truncated. For
    even n that keeps the Nyquist frequency: the factors have it as a cosine, and of the product the elements at n/2
    and -n/2 are merged as in `truncate`.

    Examples
    --------
    >>> import scisim as ss
    >>> x = ss.arange(6) * (ss.pi / 3)
    >>> y = ss.fft.spectral.dealiased_product(ss.cos(2 * x), ss.cos(2 * x))
    >>> float(ss.max(abs(y - 0.5))) < 1e-15
    True
    """
    same = a is b
    a, b = field("dealiased_product", a, "a"), field("dealiased_product", b, "b")
    axes, lengths = common_axes("dealiased_product", a, b, axes)
    real = not (is_complex(a) or is_complex(b))
    finer = tuple(next_fast_len(3 * n // 2 + 1, real) for n in lengths)
    fine = resampled(a, axes, finer, real)
    return resampled(fine * (fine if same else resampled(b, axes, finer, real)), axes, lengths, real)


def common_axes(name: str, a: Any, b: Any, axes: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Axes that both have with the same length, in order, and these lengths."""
    s, t = shape(a), shape(b)
    wide = s if len(s) >= len(t) else t
    found = tuple(sorted(axes_of(name, wide, axes)))
    if any(-k > min(len(s), len(t)) or s[k] != t[k] for k in found):
        raise ShapeError(f"{name}: shapes {s} and {t} differ along the axes {found}; give fields on one grid")
    return found, tuple(wide[k] for k in found)


def resampled(x: Any, axes: tuple[int, ...], to: tuple[int, ...], real: bool) -> Any:
    """The values at other numbers of points along negative axes, the last of which a real transform halves."""
    have = tuple(shape(x)[a] for a in axes)
    y = forward(x, unit_grid(axes, have, real))
    for a, n, m in zip(axes, have, to):
        y = resized_axis(y, a, n, m, real and a == axes[-1])
    return inverse(y, unit_grid(axes, to, real), 1.0 / math.prod(have))
