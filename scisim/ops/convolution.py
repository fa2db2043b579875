"""Convolutions: of vectors, of arrays, and of stacks of channels as networks use them.

One primitive serves arrays of any rank: a correlation of ``x`` (G, N, C, *S) with ``w`` (G, O, C, *K) to (G, N, O, *T),
with strides, dilations of both operands and widths of padding that may be negative.  It is bilinear, and both of its
transposes, and its maps over either operand, are the same primitive with other parameters.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument, public
from scisim.core.values import shape
from scisim.ops.complexes import conj
from scisim.ops.index import flip, slice_axis
from scisim.ops.one_step import as_step
from scisim.ops.shape import as_integer, moveaxis, reshape, several, transpose_p

Sizes = tuple[int, ...]
LARGEST_MATRIX = 1 << 22  # elements of a matrix of windows
CACHED = 1 << 14  # elements of a part that stays within a cache


# --- the correlation of stacks ------------------------------------------------------------------------------
def _span(n: int, dilation: int) -> int:
    return (n - 1) * dilation + 1 if n else 0


def _out_length(n: int, k: int, stride: int, pad: tuple[int, int], spread: int, dilation: int) -> int:
    return max((_span(n, spread) + pad[0] + pad[1] - _span(k, dilation)) // stride + 1, 0)


def _lengths(s: Sizes, k: Sizes, p: dict) -> Sizes:
    each = zip(s, k, p["stride"], p["pad"], p["spread"], p["dilation"], strict=True)
    return tuple(_out_length(*a) for a in each)


def _placed(x: np.ndarray, pad: tuple, spread: Sizes) -> np.ndarray:
    """Zeros between and around the elements along the last axes; negative widths cut off."""
    d = len(pad)
    if all(f == 1 for f in spread) and all(w == (0, 0) for w in pad):
        return x
    lead, s = x.shape[: x.ndim - d], x.shape[x.ndim - d :]
    full = [_span(n, f) for n, f in zip(s, spread, strict=True)]
    out = np.zeros((*lead, *(max(n + a + b, 0) for n, (a, b) in zip(full, pad, strict=True))), x.dtype)
    to, of = [slice(None)] * len(lead), [slice(None)] * len(lead)
    for n, f, (a, b), m in zip(s, spread, pad, full, strict=True):
        first = -(a // f) if a < 0 else 0  # elements that are cut off in front
        stop = min(n, (m + b - 1) // f + 1) if b < 0 else n
        start = a + first * f
        to.append(slice(start, start + _span(max(stop - first, 0), f), f))
        of.append(slice(first, max(stop, first)))
    out[tuple(to)] = x[tuple(of)]
    return out


def _evaluate(x: Any, w: Any, stride: Sizes, pad: tuple, spread: Sizes, dilation: Sizes) -> np.ndarray:
    d = len(stride)
    out = _lengths(x.shape[3:], w.shape[3:], {"stride": stride, "pad": pad, "spread": spread, "dilation": dilation})
    to = np.result_type(x, w)
    x = _placed(np.asarray(x, to), pad, spread)
    w = np.asarray(w, to)
    g, n, c = x.shape[:3]
    o, k = w.shape[1], w.shape[3:]
    if 0 in (*out, *k, g, n, c, o):
        return np.zeros((g, n, o, *out), to)
    columns = c * math.prod(k)
    size = n * g * columns * math.prod(out)
    if size > (CACHED if c == o == 1 else LARGEST_MATRIX) or math.prod(k) == 1:
        return _by_taps(x, w, out, stride, dilation)
    # Windows as rows of a matrix, one product for all of them.
    order = (0, 1, *range(3, 3 + d), 2, *range(3 + d, 3 + 2 * d))
    rows = _windows(x, k, out, stride, dilation).transpose(order).reshape(g, -1, columns)
    y = np.matmul(rows, w.reshape(g, o, columns).swapaxes(1, 2))
    return np.moveaxis(y.reshape(g, n, *out, o), -1, 2)


def _windows(x: np.ndarray, k: Sizes, out: Sizes, stride: Sizes, dilation: Sizes) -> np.ndarray:
    steps = x.strides[3:]
    moved = tuple(a * b for a, b in zip(steps, stride, strict=True))
    inner = tuple(a * b for a, b in zip(steps, dilation, strict=True))
    strides = (*x.strides[:3], *moved, *inner)
    return np.lib.stride_tricks.as_strided(x, (*x.shape[:3], *out, *k), strides, writeable=False)


def _by_taps(x: np.ndarray, w: np.ndarray, out: Sizes, stride: Sizes, dilation: Sizes) -> np.ndarray:
    """A sum over the elements of the kernel: no matrix of windows, which pays for few channels and for many.

    It goes by parts of the first axis of space that stay within a cache.
    """
    y = np.empty((*x.shape[:2], w.shape[1], *out), x.dtype)
    rows = max(1, CACHED // max(y.size // out[0], 1))
    for first in range(0, out[0], rows):
        part = y[:, :, :, first : first + rows]
        shorter = (part.shape[3], *out[1:])
        _add_taps(part, x[:, :, :, first * stride[0] :], w, shorter, stride, dilation)
    return y


def _add_taps(y: np.ndarray, x: np.ndarray, w: np.ndarray, out: Sizes, stride: Sizes, dilation: Sizes) -> None:
    whole = (slice(None),) * 3
    term = np.empty_like(y)
    single = w.shape[1] == w.shape[2] == 1
    into = y
    for tap in np.ndindex(w.shape[3:]):
        steps = zip(tap, dilation, out, stride, strict=True)
        at = tuple(slice(t * d, t * d + (n - 1) * s + 1, s) for t, d, n, s in steps)
        piece, factor = x[(*whole, *at)], w[(*whole, *tap)]
        if single:
            np.multiply(piece, factor.reshape(-1, 1, 1, *(1,) * len(out)), out=into)
        else:
            into[...] = np.matmul(factor[:, None], piece.reshape(*piece.shape[:3], -1)).reshape(into.shape)
        if into is term:
            np.add(y, term, out=y)
        into = term


def _infer(avals: tuple, p: dict) -> ShapeDtype:
    x, w = avals
    out = _lengths(x.shape[3:], w.shape[3:], p)
    return ShapeDtype((*x.shape[:2], w.shape[1], *out), np.result_type(x.dtype, w.dtype))


def _labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    whole = (None,) * len(p["stride"])
    return [("g", "n", "c", *whole), ("g", "o", "c", *whole)], ("g", "n", "o", *whole)


def _swapped(x: Any, d: int) -> Any:
    return transpose_p(x, perm=(0, 2, 1, *range(3, 3 + d)))


def _transpose(i: int, ct: Any, args: tuple, p: dict) -> Any:
    """The cotangent of x is a correlation with the reversed kernel; that of the kernel one of x with the cotangent."""
    d = len(p["stride"])
    s, k, out = shape(args[0])[3:], shape(args[1])[3:], shape(ct)[3:]
    spans = tuple(map(_span, k, p["dilation"]))
    if i == 0:
        pads = []
        for m, (a, _), full, st, f, t in zip(s, p["pad"], spans, p["stride"], p["spread"], out, strict=True):
            before = full - 1 - a
            pads.append((before, _span(m, f) - _span(t, st) - before + full - 1))
        w = flip(args[1], tuple(range(3, 3 + d))) if d else args[1]
        return conv_p(
            ct, _swapped(w, d), stride=p["spread"], pad=tuple(pads), spread=p["stride"], dilation=p["dilation"]
        )
    pads = []
    for m, (a, _), n, st, f, t, dil in zip(s, p["pad"], k, p["stride"], p["spread"], out, p["dilation"], strict=True):
        used = _span(t, st) + (n - 1) * dil  # of the padded operand, what kernels reach
        pads.append((a, used - a - _span(m, f)))
    y = conv_p(
        _swapped(args[0], d),
        _swapped(ct, d),
        stride=p["dilation"],
        pad=tuple(pads),
        spread=p["spread"],
        dilation=p["stride"],
    )
    return _swapped(y, d)


def _batch(trace: Any, prim: Primitive, vals: list, mapped: list, p: dict) -> Any:
    x, w = vals
    n = trace.n
    if not mapped[1]:  # samples
        s = shape(x)
        y = prim(reshape(moveaxis(x, 0, 1), (s[1], n * s[2], *s[3:])), w, **p)
        return moveaxis(reshape(y, (s[1], n, s[2], *shape(y)[2:])), 1, 0)
    if not mapped[0]:  # channels of the output
        t = shape(w)
        y = prim(x, reshape(moveaxis(w, 0, 1), (t[1], n * t[2], *t[3:])), **p)
        return moveaxis(reshape(y, (*shape(y)[:2], n, t[2], *shape(y)[3:])), 2, 0)
    y = prim(*(reshape(v, (n * shape(v)[1], *shape(v)[2:])) for v in vals), **p)
    return reshape(y, (n, shape(y)[0] // n, *shape(y)[1:]))


conv_p = Primitive(
    "conv",
    _evaluate,
    axes=Axes(_labels),
    infer=_infer,
    bilinear=(0, 1),
    transpose=_transpose,
    batch=_batch,
)


def _each(name: str, argument: str, v: Any, d: int, least: int) -> Sizes:
    items = several(v)
    sizes = tuple(as_integer(name, argument, n) for n in ((v,) * d if items is None else items))
    if len(sizes) != d or any(n < least for n in sizes):
        raise ArgumentError(
            f"{name}: {argument} must be an integer of at least {least}, or one for each of {d} axes; got {v!r}"
        )
    return sizes


def _paddings(padding: Any, s: Sizes, k: Sizes, stride: Sizes, dilation: Sizes) -> tuple:
    d = len(s)
    if padding == "valid":
        return ((0, 0),) * d
    if padding == "same":
        missing = [max((-(-n // st) - 1) * st + _span(m, f) - n, 0) for n, m, st, f in zip(s, k, stride, dilation)]
        return tuple((m // 2, m - m // 2) for m in missing)
    if isinstance(padding, str):
        raise ArgumentError(f"conv: padding must be 'valid', 'same' or widths, got {padding!r}")
    items = several(padding)
    if items is None:
        return tuple((n, n) for n in _each("conv", "padding", padding, d, 0))
    pairs = [(n, n) if several(n) is None else tuple(several(n) or ()) for n in items]
    if len(pairs) != d or any(len(q) != 2 for q in pairs):
        raise ArgumentError(f"conv: padding must be a width, or a width or pair for each of {d} axes; got {padding!r}")
    return tuple(tuple(as_integer("conv", "padding", n) for n in q) for q in pairs)


def conv(x: Any, w: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Any:
    """Correlation of stacks of channels with kernels, as layers of networks compute it, in any number of dimensions.

    Parameters
    ----------
    x : array_like
        Of shape (N, C, *lengths): samples, channels, and one or more axes of space.
    w : array_like
        Kernels of shape (O, C / groups, *sizes), which are not reversed.
    stride : int or tuple of int
        Step between the places of the kernel.
    padding : int, tuple, or {"valid", "same"}
        Zeros put around ``x``: a width, one for each axis, or pairs; "same" keeps the lengths (for stride 1).
    dilation : int or tuple of int
        Distance between the elements of the kernel.
    groups : int
        Channels are split into so many groups, each of which has kernels of its own.

    Returns
    -------
    Tensor
        Of shape (N, O, *places of the kernel).

    Raises
    ------
    ShapeError
        When the shapes, or the channels and groups, do not fit.
    ArgumentError
        For strides, widths or dilations that are no counts.

    Notes
    -----
    As ``torch.nn.functional.conv2d`` and its kin. To convolve two arrays without channels use `convolve`.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.conv(ss.ones((1, 1, 4)), ss.ones((1, 1, 2)), padding=1)
    Tensor([[[1., 2., 2., 2., 1.]]])
    """
    x, w = as_argument(x), as_argument(w)
    s, t = shape(x), shape(w)
    d = len(s) - 2
    if d < 1 or len(t) != len(s):
        raise ShapeError(f"conv: x of shape {s} and w of shape {t}; expected (N, C, ...) and (O, C / groups, ...)")
    if groups < 1 or s[1] % groups or t[0] % groups or t[1] * groups != s[1]:
        raise ShapeError(
            f"conv: x has {s[1]} channels and w shape {t} with groups={groups}; expected w of shape "
            f"(a multiple of groups, {s[1]} / groups, ...)"
        )
    stride, dilation = _each("conv", "stride", stride, d, 1), _each("conv", "dilation", dilation, d, 1)
    pad = _paddings(padding, s[2:], t[2:], stride, dilation)
    grouped = moveaxis(reshape(x, (s[0], groups, t[1], *s[2:])), 1, 0)
    kernels = reshape(w, (groups, t[0] // groups, *t[1:]))
    y = conv_p(grouped, kernels, stride=stride, pad=pad, spread=(1,) * d, dilation=dilation)
    return reshape(moveaxis(y, 0, 1), (s[0], t[0], *shape(y)[3:]))


# --- the convolution of arrays ------------------------------------------------------------------------------
def _transforms_pay(s: Sizes, k: Sizes) -> bool:
    """Whether Fourier transforms are faster than sums: products against points times their logarithm."""
    total = math.prod(n + m - 1 for n, m in zip(s, k, strict=True))
    direct = math.prod(s) * math.prod(k)
    return min(math.prod(s), math.prod(k)) > 64 and direct > FFT_FROM[len(s) > 1] * total * math.log2(total + 1.0)


FFT_FROM = (30.0, 10.0)  # time of transforms for each point and its logarithm, in products: of vectors, and others


def _by_transforms(a: Any, v: Any, rank: int, mode: str) -> np.ndarray:
    import scipy.fft as sf

    to = np.result_type(a, v)
    axes = tuple(range(-rank, 0))
    full = [n + m - 1 for n, m in zip(a.shape[-rank:], v.shape[-rank:], strict=True)]
    sizes = [sf.next_fast_len(n, to.kind != "c") for n in full]
    forward, back = (sf.fftn, sf.ifftn) if to.kind == "c" else (sf.rfftn, sf.irfftn)
    y = back(forward(a, sizes, axes) * forward(v, sizes, axes), sizes, axes)
    ends = zip(a.shape[-rank:], v.shape[-rank:], full, strict=True)
    at = tuple(slice(m - 1, n) if mode == "valid" else slice(0, f) for n, m, f in ends)
    return np.ascontiguousarray(y[(..., *at)]).astype(to, copy=False)


def _convolution(a: Any, v: Any, rank: int, mode: Any, method: str) -> np.ndarray:
    s, k = a.shape[-rank:], v.shape[-rank:]
    fits = np.result_type(a, v) in (np.float32, np.float64, np.complex64, np.complex128)
    if fits and (method == "fft" or (method == "auto" and _transforms_pay(s, k))):
        return _by_transforms(a, v, rank, mode)
    if rank == a.ndim == 1:
        return np.convolve(a, v, mode)
    lead, ones = a.shape[:-rank], (1,) * rank
    pad = tuple((m - 1, m - 1) for m in k) if mode == "full" else ((0, 0),) * rank
    x, w = a.reshape(-1, 1, 1, *s), np.flip(v, tuple(range(-rank, 0))).reshape(-1, 1, 1, *k)
    y = _evaluate(x, w, ones, pad, ones, ones)
    return y.reshape(*lead, *y.shape[3:])


def _convolution_infer(avals: tuple, p: dict) -> ShapeDtype:
    a, v = avals
    lead = a.ndim - p["rank"]
    sign = 1 if p["mode"] == "full" else -1
    out = [n + sign * (m - 1) for n, m in zip(a.shape[lead:], v.shape[lead:], strict=True)]
    return ShapeDtype((*a.shape[:lead], *out), np.result_type(a.dtype, v.dtype))


def _convolution_labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    labels = (*range(len(shapes[0]) - p["rank"]), *(None,) * p["rank"])
    return [labels, labels], labels


def _convolution_transpose(i: int, ct: Any, args: tuple, p: dict) -> Any:
    a, v = args
    rank = p["rank"]
    back = tuple(range(len(shape(ct)) - rank, len(shape(ct))))
    if p["mode"] == "full":
        return convolution_p(ct, flip(a if i else v, back), **{**p, "mode": "valid"})
    if i == 0:
        return convolution_p(ct, flip(v, back), **{**p, "mode": "full"})
    return flip(convolution_p(a, flip(ct, back), **p), back)


# With mode "valid" the first operand is at least as long as the second along every axis.
convolution_p = Primitive(
    "convolution",
    _convolution,
    axes=Axes(_convolution_labels),
    infer=_convolution_infer,
    bilinear=(0, 1),
    transpose=_convolution_transpose,
)


def _convolved(name: str, a: Any, v: Any, mode: str, method: str) -> Any:
    s, k = shape(a), shape(v)
    if len(s) != len(k) or not s or 0 in (*s, *k):
        raise ShapeError(f"{name}: operands of shape {s} and {k}; expected as many axes, at least one, none empty")
    if mode not in ("full", "same", "valid"):
        raise ArgumentError(f"{name}: mode must be 'full', 'same' or 'valid', got {mode!r}")
    if method not in ("auto", "direct", "fft"):
        raise ArgumentError(f"{name}: method must be 'auto', 'direct' or 'fft', got {method!r}")
    less = [n < m for n, m in zip(s, k, strict=True)]
    if mode == "valid":
        if any(less) and any(n > m for n, m in zip(s, k, strict=True)):
            raise ShapeError(f"{name}: with mode='valid' one of shapes {s} and {k} must hold the other along all axes")
        a, v = (v, a) if any(less) else (a, v)
        return convolution_p(a, v, rank=len(s), mode="valid", method=method)
    y = convolution_p(a, v, rank=len(s), mode="full", method=method)
    if mode == "full":
        return y
    # NumPy keeps the length of the longer operand.
    for axis, (n, m) in enumerate(zip(s, k, strict=True)):
        shorter = min(n, m)
        start = shorter // 2 if name == "correlate" and n < m else (shorter - 1) // 2
        y = slice_axis(y, axis, start, start + max(n, m))
    return y


def convolve(a: Any, v: Any, mode: str = "full", method: str = "auto") -> Any:
    """Convolution of two arrays with as many axes.

    Parameters
    ----------
    a, v : array_like
        Vectors, or arrays with as many axes as each other.
    mode : {"full", "same", "valid"}
        All places where the arrays meet; so many as the longer one has, from the middle; those where one holds
        the other. For other edges than zeros, `pad` with a mode and convolve with "valid".
    method : {"auto", "direct", "fft"}
        Sums of products, or Fourier transforms, which are faster for two long arrays. The error of sums is
        relative to each element, that of transforms to the greatest: choose "direct" where small elements count.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When an array is empty, or their axes do not fit.
    ArgumentError
        For another mode or method.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.convolve([1.0, 2.0, 3.0], [0.0, 1.0, 0.5])
    Tensor([0. , 1. , 2.5, 4. , 1.5])
    """
    return _convolved("convolve", as_argument(a), as_argument(v), mode, method)


def correlate(a: Any, v: Any, mode: str = "valid", method: str = "auto") -> Any:
    """Cross-correlation of two arrays with as many axes: the sums of a[n + k] conj(v[n]).

    Parameters
    ----------
    a, v : array_like
        Vectors, or arrays with as many axes as each other.
    mode : {"valid", "same", "full"}
        As of `convolve`.
    method : {"auto", "direct", "fft"}
        As of `convolve`.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When an array is empty, or their axes do not fit.
    ArgumentError
        For another mode or method.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.correlate([1.0, 2.0, 3.0], [0.0, 1.0, 0.5], "same")
    Tensor([2. , 3.5, 3. ])
    """
    v = as_argument(v)
    return _convolved("correlate", as_argument(a), conj(flip(v, None)), mode, method)


for _f in (conv, convolve, correlate):
    public(_f.__name__, as_step(_f))
