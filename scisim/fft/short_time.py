"""Short-time Fourier transforms: the spectra of the overlapping frames of a signal, and the signal of such spectra."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.core.public import as_argument
from scisim.core.values import Traced, dtype, is_complex, shape
from scisim.fft._short_time import count_of, frames_p, overlap_add_p, overlapping, reach_of, window_of
from scisim.fft.common import check_size, flag, flag_or_none, integer
from scisim.fft.transforms import fft, ifft, irfft, rfft
from scisim.ops.index import slice_axis
from scisim.ops.padding import MODES, pad
from scisim.ops.shape import astype, concat_p, moveaxis, normalize_axis, sum_p

LEAST = 1e-10  # of the largest square of a window: the least sum of squares by which a sample is divided


class _Layout(NamedTuple):
    """The window, its length, the step between frames, and the length of their transforms."""

    window: Any
    length: int
    hop: int
    n_fft: int


# --- arguments -----------------------------------------------------------------------------------------------
def _signal(name: str, argument: str, x: Any, axes: int) -> Any:
    x = as_argument(x)
    if dtype(x).kind not in "biufc" or dtype(x).name == "bfloat16":
        raise DTypeError(f"{name}: {argument} has dtype {dtype(x)}; convert it with astype to float32 or float64")
    if len(shape(x)) < axes:
        raise ShapeError(f"{name}: {argument} has shape {shape(x)}, and needs {axes} axes at least")
    if dtype(x).kind in "fc" and dtype(x).itemsize >= 4:
        return x
    return astype(x, np.float32 if dtype(x).kind == "f" else np.float64)


def _positive(name: str, argument: str, n: Any) -> int:
    n = integer(name, argument, n)
    if n < 1:
        raise ArgumentError(f"{name}: {argument} must be at least 1, got {n}")
    check_size(name, (n,))
    return n


def _layout(name: str, window: Any, hop: Any, n_fft: int | None, scaling: Any, real: np.dtype) -> _Layout:
    """Windows by name have the length of the transform."""
    named = isinstance(window, str) or (isinstance(window, tuple) and bool(window) and isinstance(window[0], str))
    if named:
        w = window_of(name, window, n_fft or 256).astype(real)
    else:
        w = _samples_of(name, window)
        if len(shape(w)) != 1 or not shape(w)[0]:
            raise ShapeError(f"{name}: a window has one axis with a sample or more, got shape {shape(w)}")
        if dtype(w).kind not in "biuf":
            raise DTypeError(f"{name}: the window must be real, got dtype {dtype(w)}")
        w = w if dtype(w).kind == "f" else astype(w, real)
    m = shape(w)[0]
    n_fft = m if n_fft is None else n_fft
    if n_fft < m:
        raise ArgumentError(f"{name}: n_fft={n_fft} is less than the {m} samples of the window; give {m} or more")
    if not (scaling is None or (isinstance(scaling, str) and scaling in ("spectrum", "psd"))):
        raise ArgumentError(f"{name}: scaling must be None, 'spectrum' or 'psd', got {scaling!r}")
    return _Layout(w, m, max(m // 4, 1) if hop is None else _positive(name, "hop", hop), n_fft)


def _samples_of(name: str, window: Any) -> Any:
    try:
        return as_argument(window)
    except (ArgumentTypeError, ShapeError) as error:
        raise ArgumentTypeError(f"{name}: window: {error}, or a name such as 'hann' or ('kaiser', 8.0)") from None


def _scaled(w: Any, scaling: str | None, sign: int) -> Any:
    """The window times the scale of the spectrum, or divided by it."""
    if scaling is None:
        return w
    size = sum_p(w, axes=(0,)) if scaling == "spectrum" else sum_p(w * w, axes=(0,)) ** 0.5
    return w / size if sign > 0 else w * size


# --- the ends of the signal ----------------------------------------------------------------------------------
def _continued(x: Any, side: int, mode: str) -> Any:
    """The last axis continued on both sides in one of the ways of `pad`."""
    n, rank = shape(x)[-1], len(shape(x))
    near = n > side and mode in ("reflect", "symmetric", "edge")  # the ends depend on what is next to them
    first, last = (slice_axis(x, -1, 0, side + 1), slice_axis(x, -1, n - side - 1, n)) if near else (x, x)
    none = ((0, 0),) * (rank - 1)
    before = slice_axis(pad(first, (*none, (side, 0)), mode), -1, 0, side)
    after = slice_axis(pad(last, (*none, (0, side)), mode), -1, -side, None)
    return concat_p(before, x, after, axis=rank - 1)


def _framed(x: Any, at: _Layout, side: int, mode: str, padded: bool) -> Any:
    """The frames of a signal along its last axis."""
    before = 0
    if side and mode == "constant":
        before = side
    elif side:
        x = _continued(x, side, mode)
    n = shape(x)[-1] + 2 * before
    if not padded and n < at.length:
        raise ArgumentError(
            f"stft: the signal has {n} samples, less than a frame of {at.length}; use padded=True or a shorter window"
        )
    count = count_of(n, at.length, at.hop) if not padded else max(-(-(n - at.length) // at.hop), 0) + 1
    check_size("stft", (*shape(x)[:-1], max(reach_of(count, at.length, at.hop), count * at.n_fft)))
    after = reach_of(count, at.length, at.hop) - shape(x)[-1] - before
    if after < 0:  # the last samples are in no frame
        x = slice_axis(x, -1, 0, after)
    return frames_p(x, length=at.length, hop=at.hop, pad=(before, max(after, 0)))


# --- the transforms ------------------------------------------------------------------------------------------
def stft(
    x: Any,
    /,
    window: Any = "hann",
    hop: int | None = None,
    n_fft: int | None = None,
    *,
    center: bool = True,
    pad_mode: str = "constant",
    padded: bool = True,
    onesided: bool | None = None,
    scaling: str | None = None,
    axis: int = -1,
) -> Any:
    """Short-time Fourier transform: the spectra of overlapping frames of a signal, each times a window.

    Parameters
    ----------
    x : array_like
        The signal along ``axis``, real or complex.
    window : str, tuple or array_like
        Its samples, shape (m,), real; or a name of `scipy.signal.get_window`, such as "hann", or ("kaiser", 8.0),
        for a periodic window of ``n_fft`` samples.  It may be differentiated.
    hop : int, optional
        Samples from one frame to the next; by default a quarter of the window's length.
    n_fft : int, optional
        Length of the transforms: frames are filled up with zeros at their end.  By default that of the window,
        and 256 for a window by name.
    center : bool
        Whether frame k is about sample k hop: the signal is continued by m // 2 samples on both sides.  Otherwise
        the first frame begins with the first sample.
    pad_mode : str
        How `pad` continues the signal there: "constant" (zeros), "reflect", "edge", "wrap" or another of its modes.
    padded : bool
        Whether zeros are added to the end, so that every sample is in a frame; else the rest is left out.
    onesided : bool, optional
        Whether only frequencies that are not negative are computed; by default for real signals.
    scaling : {None, "spectrum", "psd"}
        Divides by the sum of the window ("spectrum": a sine of amplitude A has a peak of A / 2), or by the root of
        its sum of squares ("psd": squares are a power spectral density for samples at distance 1).
    axis : int
        Axis of the signal.

    Returns
    -------
    Tensor
        Complex: two axes in the place of ``axis``, frequencies (n_fft // 2 + 1, or n_fft if not onesided) and frames.

    Raises
    ------
    ArgumentError
        For a hop or n_fft below 1, an n_fft below the window's length, an unknown window, mode or scaling, a
        signal without samples, or one that is shorter than a frame with ``padded=False``.
    DTypeError
        For a complex signal with ``onesided=True``, or a complex window.
    ShapeError
        For a scalar signal, or a window without axis or with several.

    See Also
    --------
    istft : the inverse.

    Notes
    -----
    Row j belongs to frequency ``rfftfreq(n_fft, d)[j]`` (`fftfreq` if not onesided), column k to time k hop d: the
    middle of its frame if ``center``, else its begin.  Phases count from the begin of the frame, as in
    `scipy.signal.stft` and `torch.stft`, which are this transform with ``scaling="spectrum"`` and a hop of m // 2, and
    with ``pad_mode="reflect", padded=False``.  Allen and Rabiner, *Proceedings of the IEEE* 65 (1977).

    Examples
    --------
    >>> import scisim as ss
    >>> t = ss.arange(1000) / 1000.0
    >>> z = ss.fft.stft(ss.sin(2 * ss.pi * 125.0 * t), n_fft=64, scaling="spectrum")
    >>> z.shape
    (33, 64)
    >>> ss.around(2 * ss.abs(z[8, 30]), 6)  # 8 / 64 of 1000 samples a second
    Tensor(1.)
    """
    x = _signal("stft", "x", x, 1)
    k = normalize_axis("stft", integer("stft", "axis", axis), len(shape(x)))
    n_fft = None if n_fft is None else _positive("stft", "n_fft", n_fft)
    center, padded = flag("stft", "center", center), flag("stft", "padded", padded)
    onesided = flag_or_none("stft", "onesided", onesided)
    onesided = not is_complex(x) if onesided is None else onesided
    if not (isinstance(pad_mode, str) and pad_mode in MODES):
        raise ArgumentError(f"stft: pad_mode must be one of {', '.join(MODES)}; got {pad_mode!r}")
    if onesided and is_complex(x):
        raise DTypeError("stft: onesided=True is for real signals, got a complex one; leave onesided out")
    if not shape(x)[k]:
        raise ArgumentError(f"stft: axis {k} of shape {shape(x)} is empty; give it a sample or more")
    at = _layout("stft", window, hop, n_fft, scaling, np.zeros((), dtype(x)).real.dtype)
    frames = _framed(moveaxis(x, k, -1), at, at.length // 2 if center else 0, pad_mode, padded)
    frames = frames * _scaled(at.window, scaling, 1)
    z = rfft(frames, n=at.n_fft) if onesided else fft(frames, n=at.n_fft)
    return moveaxis(z, (-1, -2), (k, k + 1))


def istft(
    z: Any,
    /,
    window: Any = "hann",
    hop: int | None = None,
    n_fft: int | None = None,
    *,
    length: int | None = None,
    center: bool = True,
    onesided: bool = True,
    scaling: str | None = None,
    axis: int = -1,
) -> Any:
    """Inverse of `stft`: the signal whose frames come closest, in least squares, to those with the given spectra.

    Parameters
    ----------
    z : array_like
        Spectra: frequencies and frames along two neighbouring axes.
    window, hop, center, scaling
        As they were given to `stft`.
    n_fft : int, optional
        Length of the transforms; by default the window's, where that fits the number of frequencies, else
        2 (f - 1) for f of them.  **Give it for a window by name and an odd length.**
    length : int, optional
        Samples of the signal; by default all that the frames reach, which are more where `stft` added zeros.
    onesided : bool
        False for the spectra of a complex signal.
    axis : int
        Axis of the signal in the result.

    Returns
    -------
    Tensor
        Real if ``onesided``, with the signal along ``axis`` in the place of frequencies and frames.

    Raises
    ------
    ArgumentError
        Where the squares of the windows over a sample sum up to less than 1e-10 of their largest: nothing is known
        of that sample.  The message names it.  Also for another number of frequencies than ``n_fft`` has, a length
        beyond the frames, and as for `stft`.
    ShapeError
        For less than two axes.

    See Also
    --------
    stft : the transform, with its conventions.

    Notes
    -----
    ``istft(stft(x, ...), ..., length=n)`` is ``x`` for every length n and every window without zeros inside, if
    ``center`` is True and the hop is at most the length of the window less the zeros at its ends.  Of a window that a
    transformation holds whose values nobody knows yet (in `jit`), a sample of which nothing is known gives nan or inf.
    Griffin and Lim, *IEEE Transactions on Acoustics, Speech, and Signal Processing* 32 (1984).

    Examples
    --------
    >>> import scisim as ss
    >>> x = ss.arange(7.0)
    >>> z = ss.fft.stft(x, "hann", 2, 5)
    >>> ss.around(ss.fft.istft(z, "hann", 2, 5, length=7), 6) + 0.0
    Tensor([0., 1., 2., 3., 4., 5., 6.])
    """
    z = _signal("istft", "z", z, 2)
    k = normalize_axis("istft", integer("istft", "axis", axis), len(shape(z)) - 1)
    center, onesided = flag("istft", "center", center), flag("istft", "onesided", onesided)
    if not shape(z)[k] or not shape(z)[k + 1]:
        raise ArgumentError(f"istft: z of shape {shape(z)} has no frequencies or no frames along axes {k} and {k + 1}")
    n_fft = _transform_length(window, n_fft, shape(z)[k], onesided)
    at = _layout("istft", window, hop, n_fft, scaling, np.zeros((), dtype(z)).real.dtype)
    z = moveaxis(z, (k, k + 1), (-1, -2))
    side = at.length // 2 if center else 0
    n = _samples(shape(z)[-2], at, length, side)
    z = slice_axis(z, -2, 0, min(-(-(side + n) // at.hop), shape(z)[-2]))  # frames that begin within the signal
    frames = irfft(z, n=at.n_fft) if onesided else ifft(z, n=at.n_fft)
    return moveaxis(_joined(slice_axis(frames, -1, 0, at.length), at, n, side, scaling), -1, k)


def _transform_length(window: Any, n_fft: Any, count: int, onesided: bool) -> int:
    """The length of which there are so many frequencies."""
    if n_fft is None:
        m = shape(window)[0] if len(shape(window)) == 1 and not isinstance(window, (str, tuple)) else 0
        fits = m and (m // 2 + 1 if onesided else m) == count
        guess = 2 * (count - 1) if onesided else count
        n_fft = m if fits else guess
        if n_fft < 1:
            raise ArgumentError("istft: one frequency gives no length of the transforms by itself; say n_fft=1")
    n_fft = _positive("istft", "n_fft", n_fft)
    wanted = n_fft // 2 + 1 if onesided else n_fft
    if count != wanted:
        way = "" if onesided else "; onesided=True is for the spectra of real signals"
        raise ArgumentError(f"istft: n_fft={n_fft} has {wanted} frequencies, but z has {count}{way}")
    return n_fft


def _samples(count: int, at: _Layout, length: Any, side: int) -> int:
    """How many samples the signal has."""
    reach = reach_of(count, at.length, at.hop)
    most = max(reach - 2 * side, 0)
    n = most if length is None else _positive("istft", "length", length)
    if n > reach - side:
        raise ArgumentError(f"istft: length={n}, but {count} frames reach over {most} samples; give less")
    return n


def _joined(frames: Any, at: _Layout, n: int, side: int, scaling: str | None) -> Any:
    """The frames times the window, added, and divided by the sum of the squares of the windows."""
    w = at.window
    squares = slice_axis(overlapping(w * w, shape(frames)[-2], at.hop), -1, side, side + n)
    _check_known(squares)
    y = overlap_add_p(frames * _scaled(w, scaling, -1), hop=at.hop, start=side, n=n)
    return y * (1.0 / squares)  # a product, unlike a quotient, has no singular points


def _check_known(squares: Any) -> None:
    """The first sample without weight is named, where the window is known."""
    while isinstance(squares, Traced):
        if squares.lower is None:
            return
        squares = squares.lower
    s = np.asarray(squares)
    if not s.size or s.min() > LEAST * s.max():
        return
    at = int(np.argwhere(~(s > LEAST * s.max()))[0][-1])
    raise ArgumentError(
        f"istft: nothing is known of sample {at}: the squares of the windows over it sum up to "
        f"{s.reshape(-1, s.shape[-1])[:, at].min():.3g}. Use center=True, a smaller hop, or a window without zeros"
    )
