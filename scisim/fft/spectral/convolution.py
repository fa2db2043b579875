"""Convolution and correlation by transforms."""

from __future__ import annotations

from typing import Any, NamedTuple

from scisim.core.errors import ShapeError
from scisim.core.values import is_complex, shape
from scisim.fft.common import resized
from scisim.fft.lengths import next_fast_len
from scisim.fft.spectral._arguments import axes_of, field, one_of
from scisim.fft.spectral._constants import Grid
from scisim.fft.spectral._periodic import cut, forward, inverse, joined, remembered, unit_grid
from scisim.ops.complexes import conj

_MODES = ("full", "same", "valid", "circular")


def convolve(a: Any, b: Any, /, mode: str = "full", axes: Any = None) -> Any:
    """Convolution along axes by fast Fourier transforms.

    Parameters
    ----------
    a, b : array_like
        Real or complex, with as many axes as each other; those not in ``axes`` broadcast.
    mode : {"full", "same", "valid", "circular"}
        All sums (n + m - 1 along each axis); the n of them around the middle, as many as ``a`` has; those without a
        missing term, for which one operand is at least as long as the other along every axis; or the sums over
        periodic sequences, which have equal lengths.
    axes : int or tuple of int, optional
        All by default.

    Returns
    -------
    Tensor
        Real if both are. Integers give float64.

    Raises
    ------
    ArgumentError
        For an unknown mode or axes out of range.
    ShapeError
        If the numbers of axes differ, if other axes do not broadcast, or if the lengths do not suit the mode.

    Notes
    -----
    The error of each sum is about eps log2(n) times the norms of ``a`` and ``b``, also where the sum itself is small.
    Transforms have the next length that is fast; `scisim.convolve` computes short sums directly.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.around(ss.fft.spectral.convolve([1.0, 2.0, 3.0], [1.0, 1.0]), 12)
    Tensor([1., 3., 5., 3.])
    >>> ss.around(ss.fft.spectral.convolve([1.0, 2.0, 3.0], [1.0, 1.0, 0.0], mode="circular"), 12)
    Tensor([4., 3., 5.])
    """
    return _sums("convolve", a, b, mode, axes, False)


def correlate(a: Any, b: Any, /, mode: str = "full", axes: Any = None) -> Any:
    """Correlation along axes by fast Fourier transforms: sums of a[j + k] conj(b[j]) over j.

    Parameters
    ----------
    a, b : array_like
        Real or complex, with as many axes as each other; those not in ``axes`` broadcast.
    mode : {"full", "same", "valid", "circular"}
        As for `convolve`. "full" begins with the lag k = 1 - m for m elements of ``b``, "circular" with k = 0.
    axes : int or tuple of int, optional
        All by default.

    Returns
    -------
    Tensor
        Real if both are. Integers give float64.

    Raises
    ------
    ArgumentError
        For an unknown mode or axes out of range.
    ShapeError
        If the numbers of axes differ, if other axes do not broadcast, or if the lengths do not suit the mode.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.around(ss.fft.spectral.correlate([1.0, 2.0, 3.0], [0.0, 1.0], mode="same"), 12)
    Tensor([1., 2., 3.])
    """
    return _sums("correlate", a, b, mode, axes, True)


class _Plan(NamedTuple):
    """Axes, lengths of transforms along them, their grid, and which elements of the result to keep."""

    axes: tuple[int, ...]
    lengths: tuple[int, ...]
    grid: Grid
    parts: tuple[tuple[int, int, int], ...]  # of each axis, counted from the first: where to begin, and how many


def _sums(name: str, a: Any, b: Any, mode: str, axes: Any, conjugate: bool) -> Any:
    a, b = field(name, a, "a"), field(name, b, "b")
    plan = _plan(name, shape(a), shape(b), not (is_complex(a) or is_complex(b)), mode, axes, conjugate)
    y, z = (forward(resized(x, plan.axes, plan.lengths), plan.grid) for x in (a, b))
    y = inverse(y * (conj(z) if conjugate else z), plan.grid)
    for axis, start, count in plan.parts:
        y = _part(y, axis, start, count)
    return y


@remembered
def _plan(
    name: str, s: tuple[int, ...], t: tuple[int, ...], real: bool, mode: str, axes: Any, conjugate: bool
) -> _Plan:
    one_of(name, "mode", mode, _MODES)
    if len(s) != len(t):
        raise ShapeError(
            f"{name}: a has {len(s)} axes and b has {len(t)}; give them equally many, of length 1 where they are to "
            f"broadcast"
        )
    found = tuple(sorted(axes_of(name, s, axes)))
    axes_of(name, t, axes)
    _check_shapes(name, s, t, found, mode == "circular")
    ns, ms = [s[k] for k in found], [t[k] for k in found]
    if mode == "circular":
        return _Plan(found, tuple(ns), unit_grid(found, tuple(ns), real), ())
    lengths = tuple(next_fast_len(n + m - 1, real) for n, m in zip(ns, ms))
    starts, counts = _window(name, mode, ns, ms)
    begins = [start - (m - 1) * conjugate for start, m in zip(starts, ms)]
    parts = [(k + len(s), begin, count) for k, begin, count in zip(found, begins, counts)]
    return _Plan(found, lengths, unit_grid(found, lengths, real), tuple(parts))


def _check_shapes(name: str, s: tuple[int, ...], t: tuple[int, ...], axes: tuple[int, ...], equal: bool) -> None:
    if equal and any(s[k] != t[k] for k in axes):
        raise ShapeError(
            f"{name}: shapes {s} and {t} differ along the axes {axes}; periodic sequences are equally long"
        )
    for k in range(-len(s), 0):
        if k not in axes and s[k] != t[k] and 1 not in (s[k], t[k]):
            raise ShapeError(f"{name}: shapes {s} and {t} do not broadcast along axis {k}")


def _part(y: Any, axis: int, start: int, count: int) -> Any:
    """Elements of a periodic sequence from ``start`` on, which may be negative."""
    n = shape(y)[axis]
    if start >= 0 or start + count <= 0:
        start %= n
        return y if count == n else cut(y, axis, start, start + count)
    return joined([cut(y, axis, n + start, n), cut(y, axis, 0, start + count)], axis)


def _window(name: str, mode: str, ns: list[int], ms: list[int]) -> tuple[list[int], list[int]]:
    """Where the result begins in all sums, and how many there are."""
    if mode == "full":
        return [0] * len(ns), [n + m - 1 for n, m in zip(ns, ms)]
    if mode == "same":
        return [(m - 1) // 2 for m in ms], ns
    if all(n <= m for n, m in zip(ns, ms)):
        ns, ms = ms, ns
    if any(n < m for n, m in zip(ns, ms)):
        raise ShapeError(
            f"{name}: in mode 'valid' one operand must be at least as long as the other along every axis, got lengths "
            f"{ns} and {ms}"
        )
    return [m - 1 for m in ms], [n - m + 1 for n, m in zip(ns, ms)]
