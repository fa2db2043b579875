"""Philox against published vectors; draws against SciPy, mpmath and statistics; slices against the whole."""

import mpmath
import numpy as np
import pytest
from scipy import special, stats

from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.ops import _normal
from scisim.ops._philox import (
    fold_in,
    normal_from_bits,
    permutation,
    philox,
    random_bits,
    seed_key,
    split_key,
    uniform_from_bits,
)

KEY = seed_key(2024)

# Counter, key and output words of Philox4x32-10, from the file kat_vectors of Random123 1.14.
KNOWN_ANSWERS = [
    ("00000000 " * 4, "00000000 " * 2, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff " * 4, "ffffffff " * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]


def words(text):
    return np.array([int(word, 16) for word in text.split()], dtype=np.uint32)


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN_ANSWERS)
def test_known_answers(counter, key, expected):
    from_rows = philox(np.tile(words(counter), (3, 1)), words(key))
    for word, right in zip(from_rows, words(expected), strict=True):
        assert word.dtype == np.uint32
        np.testing.assert_array_equal(word, [right] * 3)
    from_arrays = philox(tuple(np.full((2, 2), word) for word in words(counter)), words(key))
    np.testing.assert_array_equal([word[1, 1] for word in from_arrays], words(expected))


def test_agrees_with_an_implementation_in_unbounded_integers():
    def reference(counter, key):
        c, k = list(counter), list(key)
        for _ in range(10):
            first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [second >> 32 ^ c[1] ^ k[0], second % 2**32, first >> 32 ^ c[3] ^ k[1], first % 2**32]
            k = [(k[0] + 0x9E3779B9) % 2**32, (k[1] + 0xBB67AE85) % 2**32]
        return c

    counters = np.random.default_rng(1).integers(0, 2**32, size=(50, 4), dtype=np.uint32)
    got = np.stack(philox(counters, KEY), axis=1)
    np.testing.assert_array_equal(got, [reference(map(int, row), map(int, KEY)) for row in counters])


def test_stream_is_laid_out_as_documented():
    blocks = philox(np.array([[b, 0, 0, 0] for b in range(20)], np.uint32), KEY)
    np.testing.assert_array_equal(random_bits(KEY, 0, 80), np.stack(blocks, axis=1).reshape(-1))
    high = philox(np.array([[5, 3, 0, 0]], np.uint32), KEY)
    np.testing.assert_array_equal(random_bits(KEY, 4 * (3 * 2**32 + 5), 4), np.concatenate(high))


def test_wide_words_are_pairs_of_narrow_ones():
    narrow = random_bits(KEY, 0, 200).astype(np.uint64).reshape(100, 2)
    np.testing.assert_array_equal(random_bits(KEY, 0, 100, 64), narrow[:, 0] | narrow[:, 1] << np.uint64(32))


@pytest.mark.parametrize("width", [32, 64])
def test_any_slice_equals_the_slice_of_the_whole(width):
    whole = random_bits(KEY, 0, 70_000, width)
    assert whole.dtype == np.dtype(f"uint{width}")
    cuts = np.sort(np.random.default_rng(width).integers(0, whole.size, 40))
    edges = [0, 1, 2, 3, 5, 8, *cuts.tolist(), whole.size]
    pieces = [random_bits(KEY, a, max(b - a, 0), width) for a, b in zip(sorted(edges), sorted(edges)[1:])]
    np.testing.assert_array_equal(np.concatenate(pieces), whole)
    for start, count in [(0, 0), (7, 0), (1, 30), (3, 31), (2, 33), (4095, 8195), (32_767, 32_770)]:
        np.testing.assert_array_equal(random_bits(KEY, start, count, width), whole[start : start + count])


def test_slices_far_out():
    start = 2**64 - 100
    whole = random_bits(KEY, start, 100)
    np.testing.assert_array_equal(random_bits(KEY, start + 37, 20), whole[37:57])
    across = random_bits(KEY, 4 * 2**32 - 50, 100)  # the block's index passes 32 bits
    np.testing.assert_array_equal(random_bits(KEY, 4 * 2**32 - 3, 9), across[47:56])


def test_seeds_give_distinct_keys():
    seeds = [0, 1, 2, 2**32 - 1, 2**32, 2**32 + 1, 2**64 - 1]
    assert len({seed_key(seed).tobytes() for seed in seeds}) == len(seeds)
    np.testing.assert_array_equal(seed_key(2**32 + 7), [7, 1])
    np.testing.assert_array_equal(seed_key(np.int64(7)), [7, 0])


def test_split_is_a_prefix_of_a_longer_split():
    np.testing.assert_array_equal(split_key(KEY, 100)[:7], split_key(KEY, 7))
    assert split_key(KEY).shape == (2, 2)
    assert split_key(KEY, 0).shape == (0, 2)


def test_children_differ_from_drawn_bits_and_from_each_other():
    drawn = set(random_bits(KEY, 0, 20_000, 64).tolist()) | set(random_bits(KEY, 1, 20_000).tolist())
    split = split_key(KEY, 2000).astype(np.uint64)
    folded = np.array([fold_in(KEY, step) for step in range(2000)]).astype(np.uint64)
    children = np.concatenate([split, folded])
    packed = set((children[:, 0] | children[:, 1] << np.uint64(32)).tolist())
    assert len(packed) == 4000
    assert not packed & drawn


def test_streams_of_children_are_uncorrelated():
    n = 20_000
    rows = [uniform_from_bits(random_bits(key, 0, n, 64)) for key in [KEY, *split_key(KEY, 5), fold_in(KEY, 0)]]
    correlation = np.corrcoef(rows) - np.eye(len(rows))
    assert np.abs(correlation).max() < 5 / np.sqrt(n)


def test_bits_are_balanced():
    n = 100_000
    bits = random_bits(KEY, 0, n)
    for position in range(32):
        ones = int((bits >> np.uint32(position) & np.uint32(1)).sum())
        assert abs(ones - n / 2) < 5 * np.sqrt(n) / 2


@pytest.mark.parametrize(("dtype", "width"), [(np.float64, 64), (np.float32, 32), (np.float32, 64)])
def test_uniform(dtype, width):
    n = 100_000
    x = uniform_from_bits(random_bits(KEY, 0, n, width), dtype)
    assert x.dtype == dtype
    assert x.min() >= 0
    assert x.max() < 1
    assert stats.kstest(x.astype(np.float64), "uniform").pvalue > 1e-3
    assert abs(x.mean(dtype=np.float64) - 0.5) < 5 / np.sqrt(12 * n)
    extremes = uniform_from_bits(np.array([0, 2**width - 1], f"uint{width}"), dtype)
    assert extremes[0] == 0
    assert extremes[1] == 1 - np.finfo(dtype).epsneg


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_normal(dtype):
    n = 200_000
    x = normal_from_bits(random_bits(KEY, 0, n, 64), dtype)
    assert x.dtype == dtype
    z = x.astype(np.float64)
    assert stats.kstest(z, "norm").pvalue > 1e-3
    moments = [
        (1, 0.0, 1.0),
        (2, 1.0, 2.0),
        (3, 0.0, 15.0),
        (4, 3.0, 96.0),
    ]  # order, mean, variance of z**order
    for order, mean, variance in moments:
        assert abs((z**order).mean() - mean) < 5 * np.sqrt(variance / n)


def test_normal_extremes_are_finite_and_symmetric():
    magnitudes = np.array([0, 1, 2**10, 2**52 + 1, 2**62, 2**63 - 1], np.uint64)
    positive, negative = normal_from_bits(magnitudes), normal_from_bits(magnitudes | np.uint64(2**63))
    np.testing.assert_array_equal(positive, -negative)
    assert np.isfinite(positive).all()
    assert 9.1 < positive[0] < 9.2
    assert positive[-1] == 0
    assert np.all(np.diff(positive) < 0)


def test_normal_slices_and_shapes():
    bits = random_bits(KEY, 0, 20_000, 64)
    whole = normal_from_bits(bits)
    np.testing.assert_array_equal(normal_from_bits(bits[8190:8195]), whole[8190:8195])
    np.testing.assert_array_equal(normal_from_bits(bits.reshape(4, 5, 1000)).reshape(-1), whole)
    assert normal_from_bits(bits[:0]).shape == (0,)
    assert normal_from_bits(bits[0]).shape == ()


def tail_probabilities():
    rng = np.random.default_rng(0)
    near_splits = 0.075 + np.linspace(-1e-9, 1e-9, 21), np.exp(-25 + np.linspace(-1e-9, 1e-9, 21))
    return np.concatenate([10.0 ** rng.uniform(-19.5, -0.302, 400), rng.uniform(0.01, 0.5, 400), *near_splits])


def exact_tail_point(probability):
    with mpmath.workprec(120):
        z = mpmath.mpf(-float(special.ndtri(probability)))
        for _ in range(3):  # Newton's method from 15 digits
            density = mpmath.exp(-z * z / 2) / mpmath.sqrt(2 * mpmath.pi)
            z += (mpmath.erfc(z / mpmath.sqrt(2)) / 2 - mpmath.mpf(float(probability))) / density
        return z


def test_inverse_normal_against_mpmath():
    # The two polynomials of degree 7 (cancellation-free), the quotient, the logarithm and the root stay
    # within a few roundings each; 1e-15 is 4.5 of them, and AS 241 claims 1e-16 for the formula.
    probabilities = tail_probabilities()
    got = _normal.lower_tail_point(probabilities)
    errors = [abs(float((mpmath.mpf(float(z)) - x) / x)) for z, x in zip(got, map(exact_tail_point, probabilities))]
    assert max(errors) < 1e-15


def test_inverse_normal_against_scipy():
    probabilities = tail_probabilities()
    np.testing.assert_allclose(_normal.lower_tail_point(probabilities), -special.ndtri(probabilities), rtol=2e-15)


def test_logarithm_against_mpmath():
    x = tail_probabilities()[:400]
    exact = [mpmath.log(mpmath.mpf(float(p))) for p in x]
    errors = [abs(float((mpmath.mpf(float(y)) - e) / e)) for y, e in zip(_normal.log(x), exact)]
    assert max(errors) < 4e-16  # three roundings and the tail of a series


@pytest.mark.parametrize("n", [0, 1, 2, 3, 100, 1024, 1025])
def test_permutation_holds_each_number_once(n):
    np.testing.assert_array_equal(np.sort(permutation(KEY, n)), np.arange(n))


def test_permutations_are_equally_likely():
    orders = [tuple(permutation(key, 3)) for key in split_key(KEY, 6000)]
    counts = [orders.count(order) for order in sorted(set(orders))]
    assert len(counts) == 6
    assert stats.chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: seed_key(-1), ArgumentError, "seed_key: seed is -1"),
        (lambda: seed_key(2**64), ArgumentError, "seed_key: seed is 18446744073709551616"),
        (lambda: seed_key(0.5), ArgumentTypeError, r"seed_key: seed is 0\.5, and has to be an integer"),
        (lambda: split_key(7), ShapeError, r"split_key: key has shape \(\).*random\.key\(seed\)"),
        (lambda: fold_in(KEY.astype(np.int64), 1), ShapeError, "fold_in: key has .* dtype int64"),
        (lambda: fold_in(KEY, -2), ArgumentError, "fold_in: data is -2"),
        (lambda: split_key(KEY, -1), ArgumentError, "split_key: n is -1"),
        (lambda: random_bits(KEY, 0, 5, 16), ArgumentError, "width is 16; it has to be 32 or 64"),
        (lambda: random_bits(KEY, -1, 5), ArgumentError, "start is -1"),
        (lambda: random_bits(KEY, 2**64, 1), ArgumentError, "count is 1; it has to be from 0 to 0"),
        (lambda: philox(np.zeros((2, 3), np.uint32), KEY), ShapeError, "philox: counter has 3 words"),
        (lambda: uniform_from_bits(random_bits(KEY, 0, 2)), DTypeError, "float64 needs uint64"),
        (lambda: uniform_from_bits(np.zeros(2)), DTypeError, "bits has dtype float64"),
        (lambda: uniform_from_bits(random_bits(KEY, 0, 2), np.float16), DTypeError, "dtype is float16"),
        (lambda: normal_from_bits(random_bits(KEY, 0, 2)), DTypeError, "dtype uint32, not uint64"),
    ],
)  # fmt: skip
def test_misuse_is_explained(call, error, message):
    with pytest.raises(error, match=message):
        call()
