"""Rows for keys, words, distributions and choices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import scisim as ss
from scisim.core.primitive import PRIMITIVES
from scisim.core.tensor import wrap
from tests.rules.arrays import of
from tests.rules.cases import Case, array, primitive

KEY = np.array([7, 1], np.uint32)
KEYS = np.array([[7, 1], [3, 9], [0, 2]], np.uint32)
DOUBLE, SINGLE, COUNT = np.dtype(np.float64), np.dtype(np.float32), np.dtype(np.int64)
NOTHING = np.zeros((0,))
r = ss.random


def keys() -> list[Case]:
    return [
        of("random.key", lambda: r.key(7)),
        of("random.split", lambda k: r.split(k, 3), KEY),
        of("random.split", lambda k: r.split(k, 0), KEY, tag="of none"),
        of("random.fold_in", r.fold_in, KEY, np.array(7)),
        of("random.bits", lambda k: r.bits(k, (2, 3)), KEY),
        of("random.bits", lambda k: r.bits(k, 5, 64), KEY, tag="of 64"),
        primitive("random_bits", KEY, params={"shape": (2, 3), "width": 64}),
        primitive("random_bits", KEYS, tag="of stacks", params={"shape": (5,), "width": 32}),
        primitive("random_split", KEYS, params={"shape": (4, 2)}),
        primitive("random_fold_in", KEYS, np.array([5, 0, 5])),
        primitive("random_permutation", KEYS, params={"shape": (6,)}),
        primitive("random_orthogonal", KEYS, params={"shape": (3, 3), "dtype": DOUBLE}),
    ]


# --- primitives ------------------------------------------------------------------------------------------------------
def drawing() -> list[Case]:
    rows = []
    for name in ("uniform", "normal", "exponential", "laplace", "logistic"):
        rows += [
            primitive(f"random_{name}", KEYS, params={"shape": (2, 3), "dtype": DOUBLE}),
            primitive(f"random_{name}", KEY, tag="single", params={"shape": (5,), "dtype": SINGLE}),
        ]
    low, span = np.array([[3], [0], [2**64 - 5]], np.uint64), np.array([7, 2**63 + 9, 0], np.uint64)
    low = np.broadcast_to(low, (3, 4))
    return [*rows, primitive("random_integers", KEYS, low, span, params={"shape": (4,), "dtype": COUNT})]


def rejected(name: str, *operands: Any, tag: str = "", **params: Any) -> Case:
    """Samples by rejection jump where a proposal is refused, so that differences do not show their derivatives."""
    prim = PRIMITIVES[f"random_{name}"]

    def call(key: Any, *p: Any) -> Any:
        return wrap(prim(key._v, *(v._v for v in p), shape=(3,), dtype=p[0].dtype, **params))

    return Case(f"random_{name} primitive{tag}", (f"prim:{prim.name}",), call, operands, order=4, differences=False)


def sampling() -> list[Case]:
    a, stacked = np.array([0.3, 2.0, 15.0]), np.array([[0.3, 2.0, 15.0], [0.7, 3.0, 9.0], [1.0, 1.5, 4.0]])
    count = {"shape": (3,), "dtype": COUNT}
    gamma, log = {"logarithm": False, "stream": 0}, {"logarithm": True, "stream": 1 << 20}
    w = np.array([0.2, 0.0, 0.5])
    return [
        rejected("gamma", KEY, a, **gamma),
        rejected("gamma", KEYS, stacked, tag=" of stacks", **gamma),
        rejected("loggamma", KEY, a, **log),
        rejected("vonmises", KEY, a),
        rejected("wald", KEY, a, a[::-1]),
        rejected("triangular", KEY, -a, 0.5 * a, 2.0 * a),
        primitive("random_poisson", KEY, a, params={**count, "stream": 0}),
        primitive("random_binomial", KEY, np.array([4.0, 60.0, 9.0]), w, params=count),
        primitive("random_geometric", KEY, a, params=count),
        primitive("random_zipf", KEY, a + 1.0, params=count),
        primitive("random_hypergeometric", KEY, np.floor(a) + 3.0, a * 0 + 5.0, a * 0 + 4.0, params=count),
        primitive("random_multinomial", KEY, np.float64(7.0), w, params={"shape": (2, 3)}),
    ]


def truncated(a: Any, b: Any) -> Any:
    u = np.array([0.2, 0.6, 0.9], a.dtype)  # what is drawn is constant
    return wrap(PRIMITIVES["truncated_normal_quantile"](u, a._v, b._v))


def derivatives() -> list[Case]:
    a, w, x = np.array([0.4, 2.0, 9.0]), np.array([-0.7, 0.9, 2.0]), np.array([-2.0, 0.3, 1.1])
    rows = []
    for m in (0, 1, 2):
        for name, second in (("gamma", w), ("vonmises", x)):
            if m:
                rows.append(primitive(f"random_{name}_slope", a, second, tag=f"{m}", order=4, params={"m": m}))
            rows.append(primitive(f"random_{name}_ratio", a, second, tag=f"{m}", order=4, params={"m": m}))
    bounds = np.array([-0.5, 0.3, -3.0]), np.array([0.9, 4.0, -2.0])
    return [
        *rows,
        primitive("mills_ratio", np.array([-1.0, 0.5, 3.0])),
        primitive("random_simplex", array(2, 3)),
        Case("truncated quantile", ("prim:truncated_normal_quantile",), truncated, bounds),
    ]


# --- distributions ---------------------------------------------------------------------------------------------------
P, Q = np.array([0.4, 1.7, 6.0]), np.array([[2.5], [0.8]])
LOC, SHARE = array(3), np.array([0.2, 0.5, 0.9])
SMOOTH: dict[str, tuple[Callable, tuple]] = {  # those whose samples are smooth functions of the parameters
    "exponential": (r.exponential, (P,)),
    "laplace": (r.laplace, (LOC, Q)),
    "logistic": (r.logistic, (LOC, Q)),
    "gumbel": (r.gumbel, (LOC, Q)),
    "cauchy": (r.cauchy, (LOC, Q)),
    "lognormal": (r.lognormal, (LOC, 0.3 * Q)),
    "rayleigh": (r.rayleigh, (P,)),
    "weibull": (r.weibull, (P,)),
    "pareto": (r.pareto, (P,)),
    "triangular": (r.triangular, (-Q, 0.5 * LOC, Q + 1.0)),
    "truncated_normal": (r.truncated_normal, (LOC - 1.0, LOC + 0.2 * Q)),
}
REJECTED: dict[str, tuple[Callable, tuple]] = {
    "gamma": (r.gamma, (P, Q)),
    "loggamma": (r.loggamma, (P,)),
    "chisquare": (r.chisquare, (P,)),
    "beta": (r.beta, (P, Q)),
    "f": (r.f, (P + 1.0, Q)),
    "t": (r.t, (P,)),
    "vonmises": (r.vonmises, (LOC, Q)),
    "wald": (r.wald, (P, Q)),
}
COUNTS: dict[str, tuple[Callable, tuple]] = {
    "poisson": (r.poisson, (np.array([0.4, 3.0, 30.0]),)),
    "binomial": (r.binomial, (np.array([[4.0], [90.0]]), SHARE)),
    "geometric": (r.geometric, (SHARE,)),
    "negative_binomial": (r.negative_binomial, (P, SHARE)),
    "zipf": (r.zipf, (P + 1.0,)),
    "hypergeometric": (r.hypergeometric, (np.array([5.0, 9.0]), np.array(6.0), np.array([[4.0], [3.0]]))),
    "bernoulli": (r.bernoulli, (SHARE,)),
}


def distributions() -> list[Case]:
    rows = []
    for table, smooth in ((SMOOTH, True), (REJECTED, False), (COUNTS, True)):
        for name, (f, params) in table.items():
            first = [p.reshape(-1)[0] for p in params]
            call = lambda k, *p, f=f: f(k, *p)
            some = lambda k, *p, f=f: f(k, *p, shape=(2,))
            many = {"order": 6 if smooth else 4, "differences": smooth}
            rows += [
                row(name, call, *params, **many),
                row(name, some, *(np.asarray(p) for p in first), tag="of numbers", **many),
                row(name, call, *(NOTHING for _ in params), tag="of nothing", **many),
            ]
    return rows


def row(name: str, call: Callable, *params: Any, tag: str = "", **more: Any) -> Case:
    key = f"random.{name}"
    return Case(f"{key}{tag and ' ' + tag}", (f"op:{key}",), call, (KEY, *params), **more)


def draws() -> list[Case]:
    """Those whose shape comes first, or that draw vectors."""
    low, high, std = array(3), array(2, 1, seed=1, kind="p") + 2.0, array(2, 1, seed=2, kind="p")
    scaled, shifted, w = (2, 3), np.float32, np.array([0.2, 0.0, 0.5])
    cov = np.array([[2.0, 0.3], [0.3, 1.0]])
    stack = np.stack([cov, cov + np.eye(2)])
    even = lambda c: 0.5 * (c + ss.matrix_transpose(c))
    root = lambda method: lambda k, m, c: r.multivariate_normal(k, m, even(c), 3, None, method)
    each = lambda k, m, c: r.multivariate_normal(k, m, even(c))
    fixed = lambda k, m: r.multivariate_normal(k, m, cov.astype(m.dtype))
    none = lambda f: lambda k, p: f(k, (0,), p.dtype, p)
    return [
        of("random.uniform", lambda k: r.uniform(k, (2, 3)), KEY),
        of("random.uniform", lambda k: r.uniform(k, 4, shifted), KEY, tag="single"),
        of("random.uniform", lambda k, a, b: r.uniform(k, scaled, a.dtype, a, b), KEY, low, high, tag="between"),
        of("random.uniform", none(r.uniform), KEY, NOTHING, tag="of nothing"),
        of("random.uniform", lambda k, a: r.uniform(k, 3, a.dtype, a), KEY, np.float64(0.3), tag="from"),
        of("random.normal", lambda k: r.normal(k, (2, 3)), KEY),
        of("random.normal", lambda k: r.normal(k, 4, np.complex128), KEY, tag="complex"),
        of("random.normal", lambda k, m, s: r.normal(k, scaled, m.dtype, m, s), KEY, low, std, tag="scaled"),
        of("random.normal", none(r.normal), KEY, NOTHING, tag="of nothing"),
        of("random.normal", lambda k, a: r.normal(k, 3, a.dtype, a), KEY, np.float64(0.3), tag="about"),
        of("random.integers", lambda k: r.integers(k, (2, 3), -2, 9), KEY),
        of("random.integers", lambda k: r.integers(k, 5, 0, 2**64, np.uint64), KEY, tag="of all words"),
        of("random.integers", lambda k, a, b: r.integers(k, (2, 3), a, b), KEY, np.arange(3), np.array([[5], [9]]),
           tag="between arrays"),
        of("random.integers", lambda k, a: r.integers(k, (0,), a, 9), KEY, np.zeros((0,), int), tag="of nothing"),
        of("random.integers", lambda k, a: r.integers(k, 2, a, 9), KEY, np.array(3), tag="from"),
        of("random.bernoulli", lambda k, p: ss.where(r.bernoulli(k, p), p, -p), KEY, SHARE, tag="that chooses"),
        of("random.rademacher", lambda k: r.rademacher(k, (2, 3)), KEY),
        row("dirichlet", r.dirichlet, P, order=4, differences=False),
        row("dirichlet", lambda k, a: r.dirichlet(k, a, (2,)), P[None], tag="several", order=4, differences=False),
        row("dirichlet", r.dirichlet, np.ones((0, 2)), tag="of nothing", order=4, differences=False),
        row("multinomial", lambda k, n, w: r.multinomial(k, n, w), np.array([7, 90]), w),
        row("multinomial", lambda k, n, w: r.multinomial(k, n, w, (2,)), np.array(7), w[None], tag="several"),
        row("multinomial", r.multinomial, np.zeros((0,), int), np.ones((0, 2)), tag="of nothing"),
        row("categorical", r.categorical, np.log(SHARE)),
        row("categorical", lambda k, x: r.categorical(k, x, 0, (4, 3)), array(2, 3), tag="of columns"),
        row("categorical", r.categorical, np.ones((0, 2)), tag="of nothing"),
        row("sphere", lambda k: r.sphere(k, 3, (2,))),
        row("ball", lambda k: r.ball(k, 3, (2,))),
        row("orthogonal", lambda k: r.orthogonal(k, 3, (2,))),
        *(row("multivariate_normal", root(m), LOC[:2], cov, tag=m, order=4) for m in ("cholesky", "eigh", "svd")),
        row("multivariate_normal", each, LOC[:2], stack, tag="of stacks", order=4),
        row("multivariate_normal", fixed, np.zeros((0, 2)), tag="of nothing"),
    ]  # fmt: skip


def choices() -> list[Case]:
    w = np.array([0.2, 0.0, 0.5, 0.9])
    rows = [
        of("random.permutation", lambda k: r.permutation(k, 5), KEY),
        of("random.choice", lambda k: r.choice(k, 5, (2, 3)), KEY),
        of("random.choice", lambda k: r.choice(k, 5, (4,), replace=False), KEY, tag="of each once"),
        of("random.choice", lambda k, w: r.choice(k, 4, (6,), p=w), KEY, w, tag="weighted"),
        of("random.choice", lambda k, w: r.choice(k, 4, (3,), False, w), KEY, w, tag="weighted, of each once"),
        of("random.choice", lambda k, x: r.choice(k, x, (0,)), KEY, NOTHING, tag="of nothing"),
        of("random.permutation", r.permutation, KEY, NOTHING, tag="of nothing"),
        of("random.shuffle", r.shuffle, KEY, NOTHING, tag="of nothing"),
    ]
    for factor in (1.0, 0.6 + 0.8j):
        x = array(2, 4) * factor
        rows += [
            of("random.permutation", lambda k, x: r.permutation(k, x, 1), KEY, x, tag="of columns"),
            of("random.shuffle", lambda k, x: r.shuffle(k, x, 1), KEY, x, tag="of columns"),
            of("random.choice", lambda k, x, w: r.choice(k, x, (3,), p=w, axis=1), KEY, x, w, tag="of columns"),
        ]
    return rows


ROWS = [*keys(), *drawing(), *sampling(), *derivatives(), *distributions(), *draws(), *choices()]
_REAL = {"complex": "parameters of distributions are real"}
_KEY = {"empty": "its one operand is a key", "0-d": "its one operand is a key", "broadcast": "its one operand is a key"}
_AXES = {"0-d": "the last axis holds the categories or components"}
EXEMPT = {
    **{f"op:random.{name}": _REAL for name in (*SMOOTH, *REJECTED, *COUNTS, "uniform")},
    **{f"op:random.{name}": _KEY for name in ("split", "bits", "sphere", "ball", "orthogonal", "rademacher")},
    "op:random.normal": {"complex": "mean and deviation of complex numbers are real"},
    "op:random.fold_in": {"empty": "takes one number"},
    **{f"op:random.{name}": {**_REAL, **_AXES} for name in ("dirichlet", "categorical", "multivariate_normal")},
    "op:random.multinomial": {**_REAL},
    **{
        f"op:random.{name}": {"0-d": "orders and chooses along an axis"}
        for name in ("permutation", "shuffle", "choice")
    },
}
