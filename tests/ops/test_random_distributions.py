"""Every distribution against SciPy: by Kolmogorov and Smirnov, or chi-square; tails; derivatives; what does not depend
on what.  Seeds are fixed; a correct sampler would fail a test at a hundredth of a per cent of the seeds."""

import math

import numpy as np
import pytest
from scipy import special, stats

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError, DTypeError, ShapeError
from scisim.ops import _philox
from scisim.ops._random import count_kernels, engine
from scisim.ops._random.bits_kernels import draw, normals, uniform_single

r = ss.random
KEY = r.key(2025)
N = 20_000
LEVEL = 1e-4

CONTINUOUS = {
    "exponential": (lambda k, s: r.exponential(k, 2.0, s), stats.expon(scale=2.0)),
    "laplace": (lambda k, s: r.laplace(k, 1.0, 2.0, s), stats.laplace(1.0, 2.0)),
    "logistic": (lambda k, s: r.logistic(k, 1.0, 2.0, s), stats.logistic(1.0, 2.0)),
    "gumbel": (lambda k, s: r.gumbel(k, 1.0, 2.0, s), stats.gumbel_r(1.0, 2.0)),
    "cauchy": (lambda k, s: r.cauchy(k, 1.0, 2.0, s), stats.cauchy(1.0, 2.0)),
    "lognormal": (lambda k, s: r.lognormal(k, 0.5, 0.8, s), stats.lognorm(0.8, scale=math.exp(0.5))),
    "rayleigh": (lambda k, s: r.rayleigh(k, 2.0, s), stats.rayleigh(scale=2.0)),
    "weibull": (lambda k, s: r.weibull(k, 1.7, s), stats.weibull_min(1.7)),
    "pareto": (lambda k, s: r.pareto(k, 3.0, s), stats.lomax(3.0)),
    "triangular": (lambda k, s: r.triangular(k, -1.0, 0.3, 2.0, s), stats.triang(1.3 / 3.0, -1.0, 3.0)),
    "truncated normal": (lambda k, s: r.truncated_normal(k, -0.5, 2.0, s), stats.truncnorm(-0.5, 2.0)),
    "upper tail": (lambda k, s: r.truncated_normal(k, 8.0, 9.0, s), stats.truncnorm(8.0, 9.0)),
    "lower tail": (lambda k, s: r.truncated_normal(k, -math.inf, -20.0, s), stats.truncnorm(-np.inf, -20.0)),
    "gamma": (lambda k, s: r.gamma(k, 2.5, 2.0, s), stats.gamma(2.5, scale=2.0)),
    "small gamma": (lambda k, s: r.gamma(k, 0.1, 1.0, s), stats.gamma(0.1)),
    "large gamma": (lambda k, s: r.gamma(k, 1e6, 1.0, s), stats.gamma(1e6)),
    "loggamma": (lambda k, s: r.loggamma(k, 0.5, s), stats.loggamma(0.5)),
    "chisquare": (lambda k, s: r.chisquare(k, 3.0, s), stats.chi2(3.0)),
    "beta": (lambda k, s: r.beta(k, 2.0, 0.4, s), stats.beta(2.0, 0.4)),
    "f": (lambda k, s: r.f(k, 3.0, 8.0, s), stats.f(3.0, 8.0)),
    "t": (lambda k, s: r.t(k, 2.5, s), stats.t(2.5)),
    "dirichlet": (lambda k, s: r.dirichlet(k, [0.5, 2.0, 3.0], s)[:, 0], stats.beta(0.5, 5.0)),
    "vonmises": (lambda k, s: r.vonmises(k, 0.0, 2.0, s), stats.vonmises(2.0)),
    "even angles": (lambda k, s: r.vonmises(k, 0.0, 1e-12, s), stats.uniform(-math.pi, 2 * math.pi)),
    "sharp angles": (lambda k, s: r.vonmises(k, 0.0, 1e5, s), stats.norm(scale=1e5**-0.5)),
    "wald": (lambda k, s: r.wald(k, 1.5, 2.0, s), stats.invgauss(0.75, scale=2.0)),
    "sphere": (lambda k, s: r.sphere(k, 3, s)[:, 0], stats.uniform(-1.0, 2.0)),
    "ball": (lambda k, s: ss.sum(r.ball(k, 4, s) ** 2, axis=-1) ** 2, stats.uniform()),
    "orthogonal": (lambda k, s: r.orthogonal(k, 3, s)[:, 1, 2], stats.uniform(-1.0, 2.0)),
    "correlated": (
        lambda k, s: r.multivariate_normal(k, [1.0, 2.0], [[2.0, 0.6], [0.6, 1.0]], s) @ ss.asarray([1.0, -1.0]),
        stats.norm(-1.0, math.sqrt(1.8)),
    ),
}
COUNTS = {
    "poisson": (lambda k, s: r.poisson(k, 3.0, s), stats.poisson(3.0)),
    "rare events": (lambda k, s: r.poisson(k, 0.05, s), stats.poisson(0.05)),
    "many events": (lambda k, s: r.poisson(k, 80.0, s), stats.poisson(80.0)),
    "just many": (lambda k, s: r.poisson(k, 10.0, s), stats.poisson(10.0)),
    "binomial": (lambda k, s: r.binomial(k, 12, 0.3, s), stats.binom(12, 0.3)),
    "likely": (lambda k, s: r.binomial(k, 300, 0.85, s), stats.binom(300, 0.85)),
    "just enough": (lambda k, s: r.binomial(k, 40, 0.25, s), stats.binom(40, 0.25)),
    "geometric": (lambda k, s: r.geometric(k, 0.2, s), stats.geom(0.2)),
    "negative binomial": (lambda k, s: r.negative_binomial(k, 4.5, 0.3, s), stats.nbinom(4.5, 0.3)),
    "zipf": (lambda k, s: r.zipf(k, 2.5, s), stats.zipf(2.5)),
    "hypergeometric": (lambda k, s: r.hypergeometric(k, 20, 30, 10, s), stats.hypergeom(50, 20, 10)),
    "nearly all": (lambda k, s: r.hypergeometric(k, 7, 5, 11, s), stats.hypergeom(12, 7, 11)),
    "multinomial": (lambda k, s: r.multinomial(k, 20, [0.2, 0.3, 0.5], s)[:, 1], stats.binom(20, 0.3)),
    "categorical": (lambda k, s: r.categorical(k, np.log([0.2, 0.8]), shape=s), stats.bernoulli(0.8)),
    "integers": (lambda k, s: r.integers(k, s, -3, 8), stats.randint(-3, 8)),
    "biased words": (lambda k, s: r.integers(k, s, 0, 3 << 61) >> 59, stats.randint(0, 12)),
    "rademacher": (lambda k, s: (r.rademacher(k, s, "int8") + 1) // 2, stats.bernoulli(0.5)),
}


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous_distributions(name):
    draw_from, law = CONTINUOUS[name]
    x = draw_from(KEY, (N,)).numpy()
    assert x.shape == (N,)
    assert stats.kstest(x, law.cdf).pvalue > LEVEL
    for probability in (1e-2, 1e-3):  # tails: counts within five standard deviations
        below, above = (x < law.ppf(probability)).sum(), (x > law.isf(probability)).sum()
        for count in (below, above):
            assert abs(count - N * probability) <= 5 * math.sqrt(N * probability)


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name):
    draw_from, law = COUNTS[name]
    x = np.asarray(draw_from(KEY, (N,)))
    k = np.arange(int(law.ppf(1e-7)), int(law.ppf(1 - 1e-5)) + 1)
    expected = N * law.pmf(k)
    common = expected >= 10
    seen = np.array([(x == v).sum() for v in k[common]])
    rest = N - expected[common].sum()
    parts, counts = expected[common], seen
    if rest >= 5:
        parts, counts = np.append(parts, rest), np.append(counts, N - seen.sum())
    else:
        assert N - seen.sum() <= rest + 6 * math.sqrt(rest + 1)
    statistic = ((counts - parts) ** 2 / parts).sum()
    assert stats.chi2.sf(statistic, len(parts) - 1) > LEVEL
    assert law.pmf(x.min()) > 0 < law.pmf(x.max())


def test_vectors_have_their_covariance():
    cov = np.array([[2.0, 0.6, -0.3], [0.6, 1.0, 0.2], [-0.3, 0.2, 0.7]])
    for method in ("cholesky", "eigh", "svd"):
        x = r.multivariate_normal(KEY, [1.0, 2.0, 3.0], cov, (N,), method=method).numpy()
        deviation = 5 * np.sqrt((cov**2 + np.outer(np.diag(cov), np.diag(cov))) / N)
        assert (np.abs(np.cov(x.T) - cov) < deviation).all()
    q = r.orthogonal(KEY, 4, (3,)).numpy()
    np.testing.assert_allclose(q @ q.mT, np.broadcast_to(np.eye(4), (3, 4, 4)), atol=16 * np.finfo(float).eps)
    counts = r.multinomial(KEY, [5, 0, 90], [1.0, 0.0, 3.0]).numpy()
    assert counts.sum(axis=1).tolist() == [5, 0, 90]
    assert counts[:, 1].tolist() == [0, 0, 0]


# --- element by element ----------------------------------------------------------------------------------------------
SINGLE = {name: CONTINUOUS[name][0] for name in ("exponential", "gamma", "small gamma", "beta", "vonmises", "wald")}
SINGLE |= {name: COUNTS[name][0] for name in ("poisson", "many events", "likely", "zipf", "hypergeometric", "integers")}


@pytest.mark.parametrize("name", SINGLE)
def test_an_element_depends_on_the_key_and_its_place_alone(name):
    whole = SINGLE[name](KEY, (1500,)).numpy()
    np.testing.assert_array_equal(SINGLE[name](KEY, (700,)).numpy(), whole[:700])
    np.testing.assert_array_equal(SINGLE[name](KEY, (3, 500)).numpy().reshape(-1), whole)
    keys = r.split(KEY, 3)
    stacked = ss.vmap(lambda k: SINGLE[name](k, (5,)))(keys).numpy()
    np.testing.assert_array_equal(stacked, [SINGLE[name](k, (5,)).numpy() for k in keys])


PARAMETERS = [
    (r.gamma, (2.5,)),
    (r.gamma, (0.3,)),
    (r.beta, (2.0, 0.4)),
    (r.poisson, (3.0,)),
    (r.poisson, (30.0,)),
    (r.binomial, (9.0, 0.4)),
    (r.binomial, (90.0, 0.6)),
    (r.zipf, (2.5,)),
    (r.hypergeometric, (9.0, 8.0, 7.0)),
    (r.vonmises, (0.5, 2.0)),
    (r.wald, (1.5, 2.0)),
    (lambda k, a, shape: r.integers(k, shape, ss.astype(a, int) if ss.asarray(a).ndim else int(a), 11), (2.0,)),
]


@pytest.mark.parametrize(("f", "params"), PARAMETERS)
def test_one_parameter_for_all_is_as_good_as_one_for_each(f, params):
    one = f(KEY, *params, shape=(600,)).numpy()
    each = f(KEY, *(np.full(600, p) for p in params), shape=(600,)).numpy()
    np.testing.assert_array_equal(each, one)


def test_numpy_and_compiled_loops_draw_the_same_bits():
    keys = np.stack([_philox.seed_key(5), _philox.seed_key(9)])
    for n in (1, 2, 511, 512, 513, 2049):
        for kind, numbers in ((0, _philox.uniform_from_bits), (1, _philox.normal_from_bits)):
            out = np.empty((2, n))
            draw(keys, kind, out)
            np.testing.assert_array_equal(out, [numbers(_philox.random_bits(k, 0, n, 64)) for k in keys])
        single = np.empty((2, n), np.float32)
        uniform_single(keys, single)
        want = [_philox.uniform_from_bits(_philox.random_bits(k, 0, n), np.float32) for k in keys]
        np.testing.assert_array_equal(single, want)
        for width in (32, 64):
            want = [_philox.random_bits(k, 0, n, width) for k in keys]
            got = [r.bits(ss.asarray(k), (n,), width).numpy() for k in keys]
            np.testing.assert_array_equal(got, want)
    engine.compiled_bits()
    assert not engine.numpy_is_enough(1)


def test_the_tails_of_compiled_normals():
    words = np.array([0, 1, 2**40, 2**63, 2**63 + 1, 2**62, 2**63 - 1], np.uint64)
    out = np.empty(words.size)
    normals(words, out)
    np.testing.assert_array_equal(out, _philox.normal_from_bits(words))


@pytest.mark.parametrize(("low", "high"), [(0, 10), (-5, 2**40), (-(2**63), 2**63), (2**63 - 2, 2**63), (3, 2**33 + 1)])
def test_integers_are_high_halves_of_products(low, high):
    words = _philox.random_bits(KEY.numpy(), 0, 300, 64)
    expected = [low + (int(word) * (high - low) >> 64) for word in words]  # at 2**-30 and less, none is refused
    np.testing.assert_array_equal(r.integers(KEY, (300,), low, high).numpy(), expected)


def test_integers_of_every_dtype():
    for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
        info = np.iinfo(dtype)
        x = r.integers(KEY, (4000,), info.min, info.max + 1, dtype)
        assert x.dtype == dtype
        scaled = (x.numpy().astype(float) - info.min) / (float(info.max) + 1.0 - info.min)
        assert stats.kstest(scaled + 0.5 / 2.0**info.bits, "uniform").pvalue > LEVEL
    with pytest.raises(ArgumentError, match="needs low < high within int8, got low=0, high=129"):
        r.integers(KEY, (2,), 0, 129, "int8")
    with pytest.raises(DTypeError, match="dtype must be an integer one"):
        r.integers(KEY, (2,), 0, 5, float)


def test_refused_words_are_replaced():
    span = (3 << 61) + 1  # a quarter of all words is refused
    x = r.integers(KEY, (2000,), 0, span).numpy()
    words = _philox.random_bits(KEY.numpy(), 0, 2000, 64)
    refused = np.array([int(w) * span % 2**64 < 2**64 % span for w in words])
    assert 400 < refused.sum() < 600
    plain = np.array([int(w) * span >> 64 for w in words])
    np.testing.assert_array_equal(x[~refused], plain[~refused])
    assert (x[refused] != plain[refused]).any()


def test_counts_of_huge_means_keep_their_variance():
    for mean in (1e6, 1e12, 1e15):
        x = r.poisson(KEY, mean, (N,)).numpy().astype(float)
        assert abs(x.mean() - mean) <= 5 * math.sqrt(mean / N)
        assert abs(x.var() / mean - 1.0) <= 5 * math.sqrt(2.0 / N)


def test_impossible_parameters_inside_programs():
    run = ss.jit(lambda a: (r.gamma(KEY, a), r.poisson(KEY, a), r.binomial(KEY, 5, a), r.wald(KEY, a, 1.0)))
    gamma, poisson, binomial, wald = run(-1.0)
    assert math.isnan(gamma)
    assert math.isnan(wald)
    assert int(poisson) == int(binomial) == -1
    assert float(r.gamma(KEY, 0.0)) == 0.0
    assert float(r.loggamma(KEY, 0.0)) == -math.inf


def test_stirling_remainders():
    for n in (1, 2, 7, 15, 16, 40):
        exact = math.lgamma(n + 1.0) - 0.5 * math.log(2 * math.pi * n) - n * math.log(n) + n
        assert abs(count_kernels._remainder(float(n)) - exact) <= 8 * np.finfo(float).eps * (1 + math.lgamma(n + 1.0))


# --- derivatives: a sample keeps its quantile ------------------------------------------------------------------------
QUANTILES = {
    "gamma": (r.gamma, (np.array([0.05, 0.7, 1.0, 4.0, 300.0]),), special.gammainc),
    "chisquare": (r.chisquare, (np.array([0.7, 3.0, 40.0]),), special.chdtr),
    "vonmises": (lambda k, c: r.vonmises(k, 0.0, c), (np.array([0.2, 2.0, 30.0]),), lambda c, x: _angle(c, x)),
    "wald": (r.wald, (np.array([0.5, 2.0, 3.0]), np.array([1.0, 0.7, 9.0])), lambda m, s, x: _wald(m, s, x)),
}


def _angle(c, x):
    return stats.vonmises(c).cdf(x)


def _wald(m, s, x):
    return stats.invgauss(m / s, scale=s).cdf(x)


@pytest.mark.parametrize("name", QUANTILES)
def test_derivatives_are_those_of_quantiles(name):
    f, params, cdf = QUANTILES[name]
    for key in r.split(KEY, 6):
        for i, p in enumerate(params):
            at = lambda v, i=i, key=key: f(key, *params[:i], v, *params[i + 1 :])
            x, slope = (v.numpy() for v in ad.jvp(at, (ss.asarray(p),), (ss.ones_like(p),)))
            h = 1e-4 * p
            with_shift = lambda d, i=i, p=p, x=x: cdf(*params[:i], p + d, *params[i + 1 :], x)
            moved = (8 * (with_shift(h) - with_shift(-h)) - with_shift(2 * h) + with_shift(-2 * h)) / (12 * h)
            step = 1e-4 * np.abs(x)
            density = (cdf(*params, x + step) - cdf(*params, x - step)) / (2 * step)
            np.testing.assert_allclose(slope, -moved / density, rtol=2e-5)


def test_gradients_of_means():
    """d/da of the mean of x (1 - x), x of Beta(a, b), and of the mean of log x of a Dirichlet vector."""
    a, b, n = 2.0, 3.0, 4000
    mean = lambda a: ss.mean(r.beta(KEY, a, b, (n,)) * (1.0 - r.beta(KEY, a, b, (n,))))
    exact = ad.derivative(lambda a: a * b / ((a + b) * (a + b + 1.0)))(a)
    assert abs(float(ad.grad(mean)(a)) - float(exact)) <= 5 * 0.1 / math.sqrt(n)
    alpha = ss.asarray([0.6, 2.0, 3.0])
    logs = lambda v: ss.mean(ss.log(r.dirichlet(KEY, v, (n,))[:, 0]))
    want = -special.polygamma(1, float(ss.sum(alpha)))
    assert abs(float(ad.grad(logs)(alpha)[1]) - want) <= 5 * 0.5 / math.sqrt(n)


def test_tiny_shapes_give_finite_logarithms_and_slopes():
    w = r.loggamma(KEY, 1e-6, (5,)).numpy()
    assert np.isfinite(w).all()
    assert (w < -1000).any()
    x = r.beta(KEY, 1e-4, 1e-4, (200,)).numpy()
    assert np.isfinite(x).all()
    assert abs((x < 0.5).mean() - 0.5) < 0.2
    a = ss.asarray(1e-6)
    slope = float(ad.derivative(lambda a: r.loggamma(KEY, a))(a))
    np.testing.assert_allclose(slope, -float(r.loggamma(KEY, a)) / 1e-6, rtol=1e-4)  # w = log(u) / a but for O(1)
    assert float(ad.derivative(lambda a: r.gamma(KEY, a))(a)) == 0.0  # underflowed, as its derivative has


def test_truncated_normals_move_with_their_bounds():
    f = lambda a, b: r.truncated_normal(KEY, a, b, (6,))
    a, b, h = 0.3, 1.9, 1e-5
    da, db = (v.numpy() for v in ad.jacobian(f, (0, 1))(a, b))
    np.testing.assert_allclose(da, (f(a + h, b).numpy() - f(a - h, b).numpy()) / (2 * h), rtol=1e-8)
    np.testing.assert_allclose(db, (f(a, b + h).numpy() - f(a, b - h).numpy()) / (2 * h), rtol=1e-8)


# --- misuse ----------------------------------------------------------------------------------------------------------
ERRORS = [
    (lambda: r.gamma(KEY, -1.0), ArgumentError, "random.gamma: a must be not negative, got -1.0"),
    (lambda: r.beta(KEY, [1.0, 0.0], 2.0), ArgumentError, "random.beta: a must be positive"),
    (lambda: r.poisson(KEY, math.nan), ArgumentError, "random.poisson: lam must be from 0 to 9.2e18, got nan"),
    (lambda: r.zipf(KEY, 1.0), ArgumentError, "random.zipf: a must be above 1"),
    (lambda: r.hypergeometric(KEY, 2, 3, 6), ArgumentError, "nsample must be at most ngood"),
    (lambda: r.exponential(KEY, [1.0, 2.0], (3,)), ShapeError, "random.exponential"),
    (lambda: r.exponential(KEY, 1j), DTypeError, "random.exponential: scale must be real"),
    (lambda: r.gamma(KEY, 1.0, dtype=int), DTypeError, "random.gamma: dtype must be a floating-point one"),
    (lambda: r.poisson(KEY, 1.0, dtype=float), DTypeError, "random.poisson: dtype must be an integer one"),
    (lambda: r.dirichlet(KEY, 1.0), ShapeError, "random.dirichlet: alpha must be a vector"),
    (lambda: r.multinomial(KEY, 3, 1.0), ShapeError, "random.multinomial: pvals must be a vector"),
    (lambda: r.categorical(KEY, 0.0), ShapeError, "random.categorical: logits must be a real array"),
    (lambda: r.sphere(KEY, 0), ArgumentError, "random.sphere: d must be at least 1"),
    (lambda: r.rademacher(KEY, 3, "uint8"), DTypeError, "random.rademacher: dtype must hold -1 and 1"),
    (lambda: r.multivariate_normal(KEY, [0.0], np.eye(2)), ShapeError, "mean must have shape"),
    (lambda: r.multivariate_normal(KEY, [0.0], [[1.0]], method="lu"), ArgumentError, "method must be"),
    (lambda: r.bernoulli(KEY, 1.5), ArgumentError, "random.bernoulli: p must be a probability"),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS)
def test_misuse_is_explained(call, error, message):
    with pytest.raises(error, match=message):
        call()
