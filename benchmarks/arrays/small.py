"""What scripts call most, on few numbers, where a call costs more than the arithmetic."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.fft

import scisim as ss

_RNG = np.random.default_rng(3)
X, M = _RNG.normal(size=50), _RNG.normal(size=(8, 8))
A, B = _RNG.normal(size=(2, 6, 6))
AT, MASK = _RNG.integers(0, 8, 5), X > 0

Case = tuple[str, Callable, Callable | None, tuple]


def _case(name: str, call: Callable, *arrays: np.ndarray) -> Case:
    return f"small.{name}", lambda *xs: call(ss, *xs), lambda *xs: call(np, *xs), arrays


CASES: list[Case] = [
    _case("zeros", lambda f: f.zeros((10, 10))),
    _case("ones", lambda f: f.ones(20)),
    _case("full", lambda f: f.full((3, 3), 2.5)),
    _case("eye", lambda f: f.eye(5)),
    _case("arange", lambda f: f.arange(20)),
    _case("linspace", lambda f: f.linspace(0.0, 1.0, 33)),
    _case("zeros_like", lambda f, x: f.zeros_like(x), X),
    _case("full_like", lambda f, x: f.full_like(x, 2.0), X),
    _case("take", lambda f, m, i: f.take(m, i, axis=1), M, AT),
    _case("x[i]", lambda f, m, i: m[i], M, AT),
    _case("x[i, j:]", lambda f, m: m[2, 1:], M),
    _case("x[mask]", lambda f, x, k: x[k], X, MASK),
    _case("x.T", lambda f, m: m.T, M),
    _case("permute_dims", lambda f, m: f.permute_dims(m, (1, 0)), M),
    _case("reshape", lambda f, m: f.reshape(m, (4, 16)), M),
    _case("flip", lambda f, x: f.flip(x), X),
    _case("concat", lambda f, x, y: f.concat([x, y]), X, X),
    _case("stack", lambda f, x, y: f.stack([x, y]), X, X),
    _case("where", lambda f, k, x: f.where(k, x, x), MASK, X),
    _case("clip", lambda f, x: f.clip(x, 0.2, 0.7), X),
    _case("sum", lambda f, x: f.sum(x), X),
    _case("mean", lambda f, m: f.mean(m, axis=0), M),
    _case("std", lambda f, m: f.std(m, axis=0), M),
    _case("max", lambda f, x: f.max(x), X),
    _case("argmax", lambda f, x: f.argmax(x), X),
    _case("sort", lambda f, x: f.sort(x), X),
    _case("cumulative_sum", lambda f, x: f.cumulative_sum(x), X),
    _case("diff", lambda f, x: f.diff(x), X),
    _case("matmul", lambda f, a, b: f.matmul(a, b), A, B),
    _case("outer", lambda f, x: f.outer(x, x), X),
    _case("tensordot", lambda f, a, b: f.tensordot(a, b, axes=1), A, B),
    _case("einsum", lambda f, a, b: f.einsum("ij,jk->ik", a, b), A, B),
    _case("exp", lambda f, x: f.exp(x), X),
    _case("x + y", lambda f, x, y: x + y, X, X),
    _case("x * 2", lambda f, x: x * 2.0, X),
    _case("less", lambda f, x, y: f.less(x, y), X, X),
    ("small.fft", ss.fft.fft, scipy.fft.fft, (X[:8],)),
]
