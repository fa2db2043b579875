"""Slices of point sequences against the whole; Sobol points against SciPy; designs and adaptive choice."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import chisquare, kstest, qmc

from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.ops._philox import seed_key, split_key
from scisim.pde._sequences import latin_hypercube, residual_adaptive, sobol, uniform_points
from scisim.pde._sobol import MAX_SOBOL_DIM

KEY = seed_key(11)
TOTAL = 3000

SEQUENCES = {
    "uniform": lambda start, count: uniform_points(KEY, start, count, 3),
    "sobol": lambda start, count: sobol(start, count, 3),
    "scrambled sobol": lambda start, count: sobol(start, count, 3, seed=5),
    "latin hypercube": lambda start, count: latin_hypercube(start, count, TOTAL, 3, KEY),
}


@pytest.mark.parametrize("name", SEQUENCES)
def test_any_slice_equals_the_slice_of_the_whole(name):
    points = SEQUENCES[name]
    whole = points(0, TOTAL)
    assert whole.shape == (TOTAL, 3)
    assert whole.dtype == np.float64
    assert whole.min() >= 0
    assert whole.max() < 1
    for start, count in [(0, 0), (0, 1), (1, 1), (5, 700), (1023, 2), (1500, 1500), (TOTAL, 0)]:
        np.testing.assert_array_equal(points(start, count), whole[start : start + count])


@pytest.mark.parametrize("ranks", [1, 2, 3, 7])
@pytest.mark.parametrize("name", SEQUENCES)
def test_ranks_share_one_global_set(name, ranks):
    bounds = [rank * TOTAL // ranks for rank in range(ranks + 1)]
    blocks = [SEQUENCES[name](a, b - a) for a, b in pairwise(bounds)]
    np.testing.assert_array_equal(np.concatenate(blocks), SEQUENCES[name](0, TOTAL))


@pytest.mark.parametrize("dim", [1, 2, 12, MAX_SOBOL_DIM])
def test_sobol_equals_scipy(dim):
    generator = qmc.Sobol(dim, scramble=False, bits=53)
    np.testing.assert_array_equal(sobol(0, 2**12, dim), generator.random(2**12))
    generator = qmc.Sobol(dim, scramble=False).fast_forward(2**20 + 3)
    np.testing.assert_array_equal(sobol(2**20 + 3, 50, dim), generator.random(50))


@pytest.mark.parametrize("seed", [None, 0, 1])
def test_sobol_blocks_are_nets(seed):
    for start in (0, 256, 5 * 256):
        cells = np.floor(sobol(start, 256, 6, seed) * 256)
        for coordinate in cells.T:  # each coordinate alone: one point in each of 256 intervals
            np.testing.assert_array_equal(np.sort(coordinate), np.arange(256))
    pair = np.floor(sobol(0, 256, 2, seed) * 16)  # the first two together: a (0, 8, 2)-net
    assert len(np.unique(pair, axis=0)) == 256


def test_scrambling_depends_on_the_seed_and_is_uniform():
    first = np.array([sobol(0, 2, 2, seed=seed) for seed in range(1000)])
    assert len(np.unique(first[:, 0, 0])) == 1000
    for point in range(2):
        for axis in range(2):
            assert kstest(first[:, point, axis], "uniform").pvalue > 1e-3
    np.testing.assert_array_equal(sobol(0, 9, 2, seed=4), sobol(0, 9, 2, seed=seed_key(4)))


@pytest.mark.parametrize("dim", [2, 3, 6])
def test_discrepancy_is_below_that_of_random_points(dim):
    count = 512
    random = [qmc.discrepancy(uniform_points(key, 0, count, dim)) for key in split_key(KEY, 5)]
    for seed in range(5):
        assert qmc.discrepancy(sobol(0, count, dim, seed)) < 0.5 * min(random)
    designs = [qmc.discrepancy(latin_hypercube(0, count, count, dim, key)) for key in split_key(KEY, 5)]
    assert max(designs) < min(random)


@pytest.mark.parametrize("total", [1, 2, 3, 10, 1000, 10_007])
def test_latin_hypercube_has_one_point_in_each_cell(total):
    cells = np.floor(latin_hypercube(0, total, total, 4, KEY) * total)
    for coordinate in cells.T:
        np.testing.assert_array_equal(np.sort(coordinate), np.arange(total))


def test_latin_hypercube_coordinates_are_independent():
    x = latin_hypercube(0, 4000, 4000, 4, KEY)
    assert np.abs(np.corrcoef(x.T) - np.eye(4)).max() < 5 / np.sqrt(4000)


def test_uniform_points_are_uniform():
    for coordinate in uniform_points(KEY, 10, 20_000, 3).T:
        assert kstest(coordinate, "uniform").pvalue > 1e-3


def test_points_of_another_key_differ():
    other = seed_key(12)
    assert not np.isin(uniform_points(KEY, 0, 100, 2), uniform_points(other, 0, 100, 2)).any()
    assert (latin_hypercube(0, 100, 100, 2, KEY) != latin_hypercube(0, 100, 100, 2, other)).all()


# Residual-adaptive choice


def candidates(m=400):
    return np.arange(2.0 * m).reshape(m, 2)


def test_adaptive_chooses_distinct_candidates_and_repeats_itself():
    points, residual = candidates(), np.linspace(-1, 1, 400)
    chosen = residual_adaptive(KEY, points, residual, 150)
    assert chosen.shape == (150, 2)
    assert len(np.unique(chosen, axis=0)) == 150
    assert np.isin(chosen[:, 0], points[:, 0]).all()
    np.testing.assert_array_equal(chosen, residual_adaptive(KEY, points, residual, 150))
    np.testing.assert_array_equal(chosen[:20], residual_adaptive(KEY, points, residual, 20))
    assert (chosen != residual_adaptive(seed_key(12), points, residual, 150)).any()


def test_adaptive_takes_everything_when_asked():
    points = candidates(50)
    chosen = residual_adaptive(KEY, points, np.ones(50), 50)
    np.testing.assert_array_equal(np.sort(chosen, axis=0), points)
    assert residual_adaptive(KEY, points[:0], np.ones(0), 0).shape == (0, 2)


@pytest.mark.parametrize(("k", "c"), [(1, 0), (1, 1), (2, 0.5), (0, 1)])
def test_adaptive_first_choice_has_the_stated_probability(k, c):
    residual = np.array([0.5, -1.0, 2.0, 4.0j])
    weights = np.abs(residual) ** k / np.mean(np.abs(residual) ** k) + c
    first = [residual_adaptive(key, candidates(4), residual, 1, k, c)[0, 0] / 2 for key in split_key(KEY, 4000)]
    counts = np.bincount(np.array(first, dtype=int), minlength=4)
    assert chisquare(counts, 4000 * weights / weights.sum()).pvalue > 1e-3


def test_adaptive_prefers_large_residuals():
    points = uniform_points(KEY, 0, 5000, 2)
    residual = np.exp(-100 * (points[:, 0] - 0.5) ** 2)
    share = [np.mean(np.abs(residual_adaptive(KEY, points, residual, 500, k, c)[:, 0] - 0.5) < 0.1)
             for k, c in [(0, 1), (1, 1), (1, 0), (4, 0)]]  # fmt: skip
    assert share[0] < 0.25
    assert share == sorted(share)
    assert share[-1] > 0.95


def test_adaptive_handles_no_residual_and_extreme_ones():
    points = candidates(100)
    for residual in (np.zeros(100), np.full(100, 1e-320), np.full(100, 1e300)):
        for c in (0, 1):
            assert len(np.unique(residual_adaptive(KEY, points, residual, 30, 8, c), axis=0)) == 30
    lonely = np.zeros(100)
    lonely[[3, 77]] = [1e-200, 1.0]
    chosen = residual_adaptive(KEY, points, lonely, 2, 1, 0)
    assert set(chosen[:, 0]) == {6.0, 154.0}


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: sobol(0, 5, 0), ArgumentError, "sobol: dim is 0; there are direction numbers for 1 to 21"),
        (lambda: sobol(0, 5, 22), ArgumentError, "dim is 22.*latin_hypercube for more"),
        (lambda: sobol(2**53 - 1, 2, 1), ArgumentError, "sobol: count is 2; it has to be from 0 to 1"),
        (lambda: sobol(0.5, 2, 1), ArgumentTypeError, "sobol: start is 0.5, and has to be an integer"),
        (lambda: uniform_points(KEY, -1, 2, 1), ArgumentError, "uniform_points: start is -1"),
        (lambda: uniform_points(KEY, 0, 2, 0), ArgumentError, "a point has at least one coordinate"),
        (lambda: latin_hypercube(5, 6, 10, 1, KEY), ArgumentError, "count is 6.* from 0 to 5"),
        (lambda: residual_adaptive(KEY, candidates(4), np.ones(3), 1), ShapeError, r"\(4, 2\) and .* \(3,\)"),
        (lambda: residual_adaptive(KEY, candidates(4), np.ones(4), 5), ArgumentError, "count is 5"),
        (lambda: residual_adaptive(KEY, candidates(2), [1, np.nan], 1), ArgumentError, "at index 1"),
        (lambda: residual_adaptive(KEY, candidates(2), [1, 2], 1, k=-1), ArgumentError, "k is -1"),
    ],
)  # fmt: skip
def test_misuse_is_explained(call, error, message):
    with pytest.raises(error, match=message):
        call()
