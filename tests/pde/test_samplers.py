"""Samplers: the points of a step are one set, of which any rank makes any slice."""

import numpy as np
import pytest

from scisim import pde
from scisim.core.errors import ArgumentError
from scisim.ops._philox import seed_key
from scisim.pde.samplers import sampler

KEY = seed_key(4)
RANDOM = [pde.Uniform(), pde.Sobol(), pde.LatinHypercube(), pde.ResidualAdaptive(candidates=500)]


@pytest.mark.parametrize("s", [*RANDOM, pde.Grid(8, 8)], ids=lambda s: type(s).__name__)
def test_slices_make_the_whole(s):
    whole = s.points(KEY, 3, 64, 2, 0, 64)
    assert whole.shape == (64, 2)
    assert (whole >= 0).all()
    assert (whole <= 1).all()
    parts = [s.points(KEY, 3, 64, 2, a, b) for a, b in [(0, 22), (22, 22), (22, 43), (43, 64)]]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


@pytest.mark.parametrize("s", RANDOM, ids=lambda s: type(s).__name__)
def test_blocks_and_keys_differ(s):
    a, b, c = s.points(KEY, 0, 64, 2, 0, 64), s.points(KEY, 1, 64, 2, 0, 64), s.points(seed_key(5), 0, 64, 2, 0, 64)
    assert not np.any(a == b)
    assert not np.any(a == c)


def test_blocks_of_steps():
    s = pde.Uniform(every=10, final=20)
    assert [s.block_of(k, 50) for k in (0, 9, 10, 29, 30, 39, 49)] == [0, 0, 1, 2, 3, 3, 3]
    assert {pde.Sobol(every=None).block_of(k, 50) for k in range(50)} == {0}
    assert s.block_of(5, 10) == 0


def test_adaptive_points_are_candidates_where_the_residual_is_large():
    s = pde.ResidualAdaptive(candidates=2000, k=2.0, c=0.0)
    candidates = s.points(KEY, 5, 2000, 2, 0, 2000)
    chosen = s.chosen(KEY, 5, 100, 2, lambda: np.exp(-20 * candidates[:, 0]))
    assert chosen.shape == (100, 2)
    assert {tuple(p) for p in chosen} <= {tuple(p) for p in candidates}
    assert chosen[:, 0].mean() < 0.1
    with pytest.raises(ArgumentError, match="3000 points cannot be chosen among 2000 candidates"):
        s.chosen(KEY, 5, 3000, 2, lambda: candidates[:, 0])


def test_grids():
    square = pde.Grid().points(None, 0, 9, 2, 0, 9)
    np.testing.assert_array_equal(np.unique(square), [0, 0.5, 1])
    np.testing.assert_array_equal(pde.Grid(40, 40).points(None, 0, 3, 1, 0, 3), [[0], [0.5], [1]])
    with pytest.raises(ArgumentError, match=r"a grid of 3 x 3 has 9 points, but 10 are asked for"):
        pde.Grid().points(None, 0, 10, 2, 0, 10)
    with pytest.raises(ArgumentError, match=r"a grid of 4 x 3 has 12 points"):
        pde.Grid(4, 3).points(None, 0, 10, 2, 0, 10)


def test_samplers_by_name_and_bad_ones():
    assert isinstance(sampler("sobol", "fit"), pde.Sobol)
    assert isinstance(sampler(None, "fit"), pde.Uniform)
    with pytest.raises(ArgumentError, match=r"sampler is 'sobel'; expected one of 'uniform', 'sobol'"):
        sampler("sobel", "fit")
    with pytest.raises(ArgumentError, match="sampler is <class"):
        sampler(pde.Sobol, "fit")
    for make in (lambda: pde.Uniform(every=0), lambda: pde.Sobol(final=-1), lambda: pde.Grid(0)):
        with pytest.raises(ArgumentError, match="expected"):
            make()
