"""Training on several ranks is training on one: same points, same losses, and each rank works on its own points."""

import json
import pathlib

import numpy as np
import pytest

from scisim import distributed as dist

PROGRAM = pathlib.Path(__file__).parent / "programs" / "ranks.py"
STEPS, POINTS = 50, 50  # 50 points: 25 + 25, and 17 + 17 + 16


def blocks(n, total):
    return [len(part) for part in np.array_split(np.arange(total), n)]


def compare(everyone, alone, rtol):
    losses, _, weights = alone
    for rank, (own, sizes, theirs) in enumerate(everyone):
        np.testing.assert_allclose(own, losses, rtol=rtol)
        assert (own, theirs) == (everyone[0][0], everyone[0][2]), "ranks differ"
        np.testing.assert_allclose(theirs, weights, rtol=1e-9, atol=1e-11)
        n = len(everyone)
        mine = {blocks(n, total)[rank] for total in (POINTS, 7, 1)}
        assert set(sizes) <= mine | {0, 1}
        assert blocks(n, POINTS)[rank] in sizes


@pytest.mark.parametrize("n", [2, 3])
def test_fifty_adam_steps_agree_to_twelve_digits_and_each_rank_evaluates_its_own_points(ranks, n):
    alone = ranks.run("adam", STEPS, POINTS)
    assert set(alone[1]) <= {POINTS, 7, 1}
    compare(dist.run_ranks(n, lambda comm: ranks.run("adam", STEPS, POINTS)), alone, 1e-12)


@pytest.mark.mpi
@pytest.mark.parametrize("n", [2, 3])
def test_the_same_under_mpirun(ranks, mpirun, n):
    alone = ranks.run("adam", STEPS, POINTS)
    everyone = json.loads(mpirun(n, str(PROGRAM), "adam", STEPS, POINTS).stdout)
    assert len(everyone) == n
    compare(everyone, alone, 1e-12)


@pytest.mark.parametrize("optimizer", ["lbfgs", "ssbfgs", "lm"])
def test_optimizers_with_searches_agree_while_rounding_is_small(ranks, optimizer):
    """A search magnifies rounding from step to step; ten steps keep eight digits."""
    alone = ranks.run(optimizer, 10, POINTS)
    everyone = dist.run_ranks(3, lambda comm: ranks.run(optimizer, 10, POINTS))
    for losses, _, weights in everyone:
        np.testing.assert_allclose(losses, alone[0], rtol=1e-8)
        assert losses == everyone[0][0]
        assert weights == everyone[0][2]


def test_adaptive_points_are_the_same_set(ranks):
    alone = ranks.run("adam", 12, POINTS, adaptive=True)
    everyone = dist.run_ranks(3, lambda comm: ranks.run("adam", 12, POINTS, adaptive=True))
    for losses, _, _ in everyone:
        np.testing.assert_allclose(losses, alone[0], rtol=1e-11)


def test_checkpoints_are_written_once_and_serve_any_number_of_ranks(ranks, tmp_path):
    whole = ranks.run("adam", 12, POINTS, adaptive=True)
    dist.run_ranks(2, lambda comm: ranks.run("adam", 8, POINTS, adaptive=True, checkpoint=tmp_path))
    resumed = dist.run_ranks(
        3, lambda comm: ranks.run("adam", 12, POINTS, adaptive=True, checkpoint=tmp_path, resume=True)
    )
    for losses, _, _ in resumed:
        np.testing.assert_allclose(losses, whole[0], rtol=1e-11)


def test_all_ranks_are_told_why_a_checkpoint_is_refused(ranks, tmp_path):
    def attempt(comm):
        with pytest.raises(OSError, match="no checkpoint to resume from"):
            ranks.run("adam", 2, POINTS, checkpoint=tmp_path / "none", resume=True)
        return comm.rank

    assert dist.run_ranks(2, attempt) == [0, 1]
