"""Training on points shared among ranks equals training on one: global points, gradients reduced once."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import nn, optim
from scisim.distributed import Mesh, Shard, gather, run_ranks, shard

NET = nn.Field(nn.MLP([2, 5, 4, 1], key=ss.random.key(8), first_bias=1.0), bounds=[(0, 1), (-1, 1)])
POINTS = np.random.default_rng(4).uniform(size=(23, 2)) * [1, 2] - [0, 1]


def heat(net, t, x):
    ut, uxx = ad.partials(lambda t, x: net(t, x), ["t", "xx"])(t, x)
    return ut - 0.1 * uxx - ss.sin(x)


def by_levenberg_marquardt(points):
    params, rest = nn.partition(NET)
    data = optim.LeastSquares(lambda p, t, x: heat(nn.combine(p, rest), t, x), points)
    lm = optim.LevenbergMarquardt()
    return steps(lambda p, s: lm.update(data, s, p), lm.init(params), params, 6)


def mean_square(points):
    rest = nn.partition(NET)[1]
    return lambda p: ss.mean(heat(nn.combine(p, rest), points[:, 0], points[:, 1]) ** 2)


def by_quasi_newton(points):
    params, loss, opt = nn.partition(NET)[0], mean_square(points), optim.SSBFGS(iterations=2)
    return steps(lambda p, s: opt.update(loss, s, p), opt.init(params), params, 4)


def by_adam(points):
    params, loss, opt = nn.partition(NET)[0], mean_square(points), optim.Adam(1e-2, clip=1.0)

    def step(p, s):
        value, g = ad.value_and_grad(loss)(p)
        return *opt.update(g, s, p), value

    return steps(step, opt.init(params), params, 6)


def steps(step, state, params, n):
    values = []
    for _ in range(n):
        params, state, value = step(params, state)
        values.append(float(gather(value)) if value.placements else float(value))
    return np.array(values)


@pytest.mark.parametrize("train", [by_levenberg_marquardt, by_quasi_newton, by_adam])
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_losses_do_not_depend_on_the_number_of_ranks(train, ranks):
    alone = train(ss.asarray(POINTS))

    def rank(comm):
        return train(shard(ss.asarray(POINTS), Mesh((ranks,), ("data",)), (Shard(0),)))

    for values in run_ranks(ranks, rank):
        # rounding of the first sums, grown over a few steps
        assert np.allclose(values, alone, rtol=1e-9)
    assert alone[-1] < alone[0]
