"""Random indices, basic and advanced mixed, against NumPy: reading, assigning, augmented, differentiated, mapped."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad


def random_shape(rng):
    return tuple(int(n) for n in rng.integers(0 if rng.random() < 0.1 else 1, 5, rng.integers(0, 4)))


def random_item(rng, n):
    bounds = [None if rng.random() < 0.4 else int(rng.integers(-n - 2, n + 3)) for _ in range(2)]
    kinds = [lambda: slice(*bounds, rng.choice([1, -1, 2, -2])), lambda: None, lambda: rng.random(n) < 0.5]
    if n:
        shape = [(2,), (1,), (2, 1), (3,), ()][rng.integers(5)]
        kinds += [lambda: int(rng.integers(-n, n)), lambda: rng.integers(-n, n, shape)]
        kinds += [lambda: rng.integers(-n, n, 2).tolist()]
    return kinds[rng.integers(len(kinds))]()


def random_index(rng, shape):
    items, axis = [], 0
    while axis < len(shape):
        if rng.random() < 0.12 and not any(i is Ellipsis for i in items):
            items.append(Ellipsis)
            axis += int(rng.integers(0, 3))
            continue
        items.append(random_item(rng, shape[axis]))
        axis += items[-1] is not None
    return items[0] if len(items) == 1 and rng.random() < 0.5 else tuple(items)


def valid(rng):
    """An array, an index that NumPy takes, what it gives, and a value that broadcasts to that."""
    while True:
        a = rng.standard_normal(random_shape(rng))
        at = random_index(rng, a.shape)
        try:
            part = np.asarray(a[at])
        except (IndexError, ValueError):
            with pytest.raises(ss.ScisimError):
                ss.Tensor(a)[at]
            continue
        shape = tuple(1 if rng.random() < 0.3 else n for n in part.shape)
        return a, at, part, rng.standard_normal(shape if rng.random() < 0.7 else ())


def assigned(at):
    def f(x, v):
        x = ss.Tensor(x)
        x[at] = v
        return x

    return f


def augmented(at):
    def f(x, v):
        x = ss.Tensor(x)
        x[at] += v
        return x

    return f


def test_reading_and_assigning_are_numpys(rng):
    for k in range(200):
        a, at, part, v = valid(rng)
        t, u = ss.Tensor(a), ss.Tensor(v)
        got = t[at]
        assert got.shape == part.shape
        assert np.array_equal(got, part)
        b, c = a.copy(), a.copy()
        b[at] = v
        c[at] += v
        for f, want in ((assigned(at), b), (augmented(at), c)):
            assert np.array_equal(f(t, u), want), at
            assert k % 4 or np.array_equal(ss.jit(f)(t, u), want), at
        assert np.array_equal(t, a)


def test_derivatives_of_reading_and_assigning(rng):
    for _ in range(60):
        a, at, part, _ = valid(rng)
        w, v, outer = (rng.standard_normal(s) for s in (part.shape, part.shape, a.shape))
        read = np.zeros_like(a)
        np.add.at(read, at, w)
        np.testing.assert_allclose(ad.grad(lambda x, at=at, w=w: ss.sum(x[at] * w))(ss.Tensor(a)), read, atol=1e-14)
        last = np.full(a.shape, -1)  # which element of v each place holds at the end
        last[at] = np.arange(v.size).reshape(v.shape)
        dv = np.zeros(v.size)
        dv[last[last >= 0]] = outer[last >= 0]
        loss = lambda x, v, at=at, outer=outer: ss.sum(assigned(at)(x, v) * outer)
        gx, gv = ad.grad(loss, argnums=(0, 1))(ss.Tensor(a), ss.Tensor(v))
        np.testing.assert_array_equal(gx, np.where(last < 0, outer, 0.0))
        np.testing.assert_array_equal(gv, dv.reshape(v.shape))


def test_reading_and_assigning_under_vmap(rng):
    for _ in range(40):
        a, at, part, _ = valid(rng)
        v = rng.standard_normal(part.shape)
        two, values = np.stack([a, 2.0 * a]), np.stack([v, -v])
        assert np.array_equal(ss.vmap(lambda x, at=at: x[at])(two), np.stack([a[at], 2.0 * a[at]]))
        want = two.copy()
        want[:1].reshape(a.shape)[at], want[1:].reshape(a.shape)[at] = v, -v
        assert np.array_equal(ss.vmap(assigned(at))(two, values), want)
