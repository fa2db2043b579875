"""Calls whose arguments or results are containers: their arrays go in and out one by one."""

from __future__ import annotations

import numpy as np
import pytest

import scisim as ss

SIZES = (5, 1 << 16)  # beside and in the pool of large results


@pytest.mark.parametrize("n", SIZES)
def test_dicts_again_and_again(rng, n):
    f = ss.jit(lambda p: {"sum": p["a"] + p["b"], "scaled": 3.0 * p["a"], "same": p["b"], "constant": ss.ones(2)})
    kept = []
    for _ in range(4):
        a, b = ss.asarray(rng.normal(size=n)), ss.asarray(rng.normal(size=n))
        out = f({"a": a, "b": b})
        assert all(isinstance(v, ss.Tensor) for v in out.values())
        kept.append((a.numpy(), b.numpy(), out))
    for a, b, out in kept:
        np.testing.assert_array_equal(out["sum"].numpy(), a + b)
        np.testing.assert_array_equal(out["scaled"].numpy(), 3.0 * a)
        np.testing.assert_array_equal(out["same"].numpy(), b)
        np.testing.assert_array_equal(out["constant"].numpy(), np.ones(2))


def test_arrays_that_are_not_in_one_piece(rng):
    x, f = rng.normal(size=(6, 4)), ss.jit(lambda p: {"y": p["x"] * 2.0 + p["c"]})
    for x_ in (x.T.copy(), x.T, x.T[::1], np.asfortranarray(x).T):
        for c in (1.5, np.float64(1.5), np.array(1.5)):
            np.testing.assert_array_equal(f({"x": x_, "c": c})["y"].numpy(), 2.0 * x.T + 1.5)


def test_keywords(rng):
    x, f = rng.normal(size=7), ss.jit(lambda x, k=1.0: x * k)
    for k in (2.0, 3.0, 2.0):
        np.testing.assert_array_equal(f(x, k=k).numpy(), x * k)


def test_programs_with_python_steps(rng):
    a, b = rng.normal(size=(3, 3)) + 4.0 * np.eye(3), rng.normal(size=3)
    f = ss.jit(lambda p: {"x": ss.linalg.solve(p["a"], p["b"]) * 1.0, "b": p["b"] + 1.0})
    for k in range(1, 5):
        out = f({"a": a * k, "b": b})
        np.testing.assert_allclose(out["x"].numpy(), np.linalg.solve(a * k, b), rtol=1e-12)
        np.testing.assert_array_equal(out["b"].numpy(), b + 1.0)
