"""Convolution and correlation by transforms."""

from __future__ import annotations

from typing import Any

from scisim.core.errors import ShapeError
from scisim.core.values import is_complex, shape
from scisim.fft.lengths import next_fast_len
from scisim.fft.spectral._arguments import axes_of, field, one_of
from scisim.fft.spectral._periodic import cut, joined
from scisim.fft.spectral.spectra import common_axes
from scisim.fft.transforms import fftn, ifftn, irfftn, rfftn
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
    a, b = _operands("convolve", a, b)
    if one_of("convolve", "mode", mode, _MODES) == "circular":
        return _circular("convolve", a, b, axes, False)
    return _linear("convolve", a, b, mode, axes, False)


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
    a, b = _operands("correlate", a, b)
    if one_of("correlate", "mode", mode, _MODES) == "circular":
        return _circular("correlate", a, b, axes, True)
    return _linear("correlate", a, b, mode, axes, True)


def _operands(name: str, a: Any, b: Any) -> tuple[Any, Any]:
    a, b = field(name, a, "a"), field(name, b, "b")
    if len(shape(a)) != len(shape(b)):
        raise ShapeError(
            f"{name}: a has {len(shape(a))} axes and b has {len(shape(b))}; give them equally many, of length 1 "
            f"where they are to broadcast"
        )
    return a, b


def _product(a: Any, b: Any, axes: tuple[int, ...], lengths: tuple[int, ...], conjugate: bool = False) -> Any:
    """The inverse transform of the product of transforms of the given lengths."""
    real = not (is_complex(a) or is_complex(b))
    transform = rfftn if real else fftn
    y, z = transform(a, lengths, axes), transform(b, lengths, axes)
    y = y * (conj(z) if conjugate else z)
    return irfftn(y, lengths, axes) if real else ifftn(y, None, axes)


def _circular(name: str, a: Any, b: Any, axes: Any, conjugate: bool) -> Any:
    found, lengths = common_axes(name, a, b, axes)
    _check_rest(name, a, b, found)
    return _product(a, b, found, lengths, conjugate)


def _check_rest(name: str, a: Any, b: Any, axes: tuple[int, ...]) -> None:
    for k in range(-len(shape(a)), 0):
        n, m = shape(a)[k], shape(b)[k]
        if k not in axes and n != m and 1 not in (n, m):
            raise ShapeError(f"{name}: shapes {shape(a)} and {shape(b)} do not broadcast along axis {k}")


def _linear(name: str, a: Any, b: Any, mode: str, axes: Any, conjugate: bool) -> Any:
    """The sums that the mode asks for; those of correlation begin m - 1 places earlier, round the end."""
    found = tuple(sorted(axes_of(name, shape(a), axes)))
    axes_of(name, shape(b), axes)
    _check_rest(name, a, b, found)
    ns, ms = [shape(a)[k] for k in found], [shape(b)[k] for k in found]
    real = not (is_complex(a) or is_complex(b))
    y = _product(a, b, found, tuple(next_fast_len(n + m - 1, real) for n, m in zip(ns, ms)), conjugate)
    for k, m, start, count in zip(found, ms, *_window(name, mode, ns, ms)):
        y = _part(y, k + len(shape(y)), start - (m - 1) * conjugate, count)
    return y


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
