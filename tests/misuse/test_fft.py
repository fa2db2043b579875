"""Fourier transforms: lengths, axes, norms, settings, windows, engines that make no sense."""

import numpy as np
import pytest

import scisim as ss
from scisim.core import errors as e
from tests.misuse import assert_refused, table

fft = ss.fft
X = ss.asarray([1.0, 2.0, 3.0])
A = ss.ones((2, 3))
Z = fft.stft(ss.arange(20.0), "hann", 2, 8)
ALONG_ONE = [fft.fft, fft.ifft, fft.rfft, fft.irfft, fft.hfft, fft.ihfft, fft.dct, fft.idct, fft.dst, fft.idst]
ALONG_SOME = [fft.fftn, fft.ifftn, fft.rfftn, fft.irfftn, fft.hfftn, fft.ihfftn]
ALONG_SOME += [fft.dctn, fft.idctn, fft.dstn, fft.idstn]
NORMS = ["norm must be 'backward', 'ortho' or 'forward'"]


class Nameless:
    c2c = r2c = c2r = clear = print


def use(engine):
    with fft.engine(engine):
        pass


@table(
    ("a norm in a list", lambda: fft.fft(X, norm=["ortho"]), e.ArgumentError, ValueError, ["fft", *NORMS, "['ortho']"]),
    ("a norm in a dict", lambda: fft.dct(X, norm={}), e.ArgumentError, ValueError, ["dct", *NORMS, "{}"]),
    ("a tensor for a norm", lambda: fft.rfftn(A, norm=X), e.ArgumentError, ValueError, ["rfftn", *NORMS]),
    (
        "a length beyond all memory",
        lambda: fft.fft(X, 10**30),
        e.ArgumentError,
        ValueError,
        ["fft", f"({10**30},)", "more elements than memory has addresses"],
    ),
    (
        "a length that a float cannot hold",
        lambda: fft.fft(X, 10**400, norm="ortho"),
        e.ArgumentError,
        ValueError,
        ["fft", "more elements"],
    ),
    ("a batch beyond all memory", lambda: fft.dctn(A, s=(2**40, 2**40)), e.ArgumentError, ValueError, ["dctn"]),
    ("a truth value for a length", lambda: fft.dct(X, n=True), e.ArgumentTypeError, TypeError, ["dct", "n", "True"]),
    ("a truth value for an axis", lambda: fft.dctn(A, axes=True), e.ArgumentTypeError, TypeError, ["dctn", "axes"]),
    ("a truth value for a type", lambda: fft.dct(X, True), e.ArgumentTypeError, TypeError, ["dct", "type", "True"]),
    (
        "more lengths than axes",
        lambda: fft.fftn(A, s=(2, 3, 4)),
        e.ArgumentError,
        ValueError,
        ["fftn", "s=(2, 3, 4) has 3 lengths, but x has 2 axes"],
    ),
    (
        "a fraction among lengths",
        lambda: fft.fftn(A, s=(2.0, 3)),
        e.ArgumentTypeError,
        TypeError,
        ["fftn", "each of s must be an integer", "2.0"],
    ),
    (
        "a word among axes",
        lambda: fft.fftn(A, axes=("a",)),
        e.ArgumentTypeError,
        TypeError,
        ["fftn", "each of axes must be an integer", "'a'"],
    ),
    (
        "a traced length",
        lambda: ss.jit(lambda x, n: fft.fft(x, n))(X, 3),
        e.ArgumentTypeError,
        TypeError,
        ["fft", "the length n", "value of a transformation", "static_argnums"],
    ),
    # --- like
    (
        "nothing to be like",
        lambda: fft.irfftn_like(X, None),
        e.ArgumentTypeError,
        TypeError,
        ["irfftn_like", "None"],
    ),
    (
        "like a shape of fractions",
        lambda: fft.irfftn_like(X, (3.0,)),
        e.ArgumentTypeError,
        TypeError,
        ["irfftn_like", "each length of like", "3.0"],
    ),
    ("like nested tuples", lambda: fft.irfftn_like(X, ((1, 2),)), e.ShapeError, ValueError, ["irfftn_like", "(1, 2)"]),
    (
        "axes of a fraction",
        lambda: fft.irfftn_like(X, (5,), 0.0),
        e.ArgumentTypeError,
        TypeError,
        ["irfftn_like", "axes must be an integer", "0.0"],
    ),
    # --- frequencies
    (
        "several distances",
        lambda: fft.fftfreq(4, [1.0, 2.0]),
        e.ShapeError,
        ValueError,
        ["fftfreq", "d, the distance", "(2,)", "vmap"],
    ),
    ("no distance", lambda: fft.rfftfreq(4, None), e.ArgumentTypeError, TypeError, ["rfftfreq", "d, the", "None"]),
    ("a truth value of points", lambda: fft.fftfreq(True), e.ArgumentTypeError, TypeError, ["fftfreq", "n", "True"]),
    ("frequencies beyond memory", lambda: fft.fftfreq(10**30), e.ArgumentError, ValueError, ["fftfreq", "elements"]),
    ("a fast length beyond memory", lambda: fft.next_fast_len(10**30), e.ArgumentError, ValueError, ["next_fast_len"]),
    (
        "a fast length, real in words",
        lambda: fft.next_fast_len(97, "no"),
        e.ArgumentTypeError,
        TypeError,
        ["next_fast_len", "real must be True or False", "'no'"],
    ),
    # --- short-time transforms
    (
        "no window",
        lambda: fft.stft(X, None),
        e.ArgumentTypeError,
        TypeError,
        ["stft", "window", "None", "a name such as 'hann'"],
    ),
    (
        "sides in words",
        lambda: fft.stft(X, onesided="no"),
        e.ArgumentTypeError,
        TypeError,
        ["stft", "onesided must be True, False or None", "'no'"],
    ),
    ("center in numbers", lambda: fft.istft(Z, center=2), e.ArgumentTypeError, TypeError, ["istft", "center", "2"]),
    ("padded by an array", lambda: fft.stft(X, padded=X), e.ArgumentTypeError, TypeError, ["stft", "padded"]),
    (
        "an unknown way to pad",
        lambda: fft.stft(X, pad_mode="mirror", center=False),
        e.ArgumentError,
        ValueError,
        ["stft", "pad_mode must be one of", "reflect", "'mirror'"],
    ),
    (
        "an array for a scaling",
        lambda: fft.stft(X, scaling=np.ones(2)),
        e.ArgumentError,
        ValueError,
        ["stft", "scaling must be None, 'spectrum' or 'psd'"],
    ),
    ("a hop beyond memory", lambda: fft.stft(X, hop=10**20), e.ArgumentError, ValueError, ["stft", "elements"]),
    (
        "frames that do not touch",
        lambda: fft.istft(Z, "hann", 100, 8),
        e.ArgumentError,
        ValueError,
        ["istft", "nothing is known of sample 4", "a smaller hop"],
    ),
    # --- engines
    ("engines in a list", lambda: use(["scipy"]), e.ArgumentError, ValueError, ["fft.engine", "['scipy']", "'scipy'"]),
    (
        "an engine that is none",
        lambda: fft.register_engine(np),
        e.ArgumentError,
        ValueError,
        ["fft.register_engine", "has no name, c2c, r2c, c2r, clear", "Engine"],
    ),
    ("an engine without name", lambda: fft.register_engine(Nameless()), e.ArgumentError, ValueError, ["has no name"]),
)
def test_refused(call, error, builtin, parts):
    assert_refused(call, error, builtin, parts)


@pytest.mark.parametrize("f", ALONG_ONE)
def test_integers_of_every_kind_are_lengths_and_axes(f):
    want = f(X, n=4, axis=0).numpy()
    for kind in (np.int8, np.uint64, np.array, ss.asarray):
        np.testing.assert_array_equal(f(X, n=kind(4), axis=kind(0)).numpy(), want)


@pytest.mark.parametrize("f", ALONG_SOME)
def test_sequences_of_every_kind_are_lengths_and_axes(f):
    want = f(A, s=(2, 3), axes=(0, 1)).numpy()
    for kind in (list, np.array, ss.asarray, iter):
        np.testing.assert_array_equal(f(A, s=kind([2, 3]), axes=kind([0, 1])).numpy(), want)
    np.testing.assert_array_equal(f(A, s=range(2, 4), axes=range(2)).numpy(), want)
    np.testing.assert_array_equal(f(A, s=(None, 3), axes=(0, 1)).numpy(), want)
    np.testing.assert_array_equal(f(A, s=(-1,), axes=(0,)).numpy(), f(A, axes=0).numpy())
