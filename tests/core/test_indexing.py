"""Reading and assignment by any index equal NumPy's, and differentiate and map."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad

SHAPES = [(4,), (3, 4), (2, 3, 4), (2, 1, 3, 4)]


def random_slice(rng: Any, n: int) -> slice:
    start, stop = sorted(rng.integers(-n - 1, n + 2, 2).tolist())
    step = int(rng.choice([1, 1, 2, -1, -2]))
    ends = [None if rng.random() < 0.3 else v for v in (start, stop)]
    return slice(*(ends if step > 0 else ends[::-1]), step)


def random_index(rng: Any, shape: tuple[int, ...]) -> tuple:
    """Integers, slices, new axes, an ellipsis, integer arrays that broadcast, and masks."""
    items: list[Any] = []
    arrays = [(2,), (3, 1), (1, 2), ()]
    length = (2,) if rng.random() < 0.5 else None
    axis = 0
    while axis < len(shape):
        n, kind = shape[axis], rng.choice(["int", "slice", "array", "list", "mask", "stop"])
        if kind == "int":
            items.append(int(rng.integers(-n, n)))
        elif kind == "slice":
            items.append(random_slice(rng, n))
        elif kind in ("array", "list"):
            s = length or arrays[rng.integers(len(arrays))]
            a = rng.integers(-n, n, s)
            items.append(a.tolist() if kind == "list" and a.ndim else a)
        elif kind == "mask" and n >= 2:
            mask = np.zeros(n, bool)
            mask[rng.choice(n, 2, replace=False)] = True
            items.append(mask)
        elif kind == "stop":
            break
        else:
            continue
        axis += 1
    if rng.random() < 0.3:
        items.insert(int(rng.integers(len(items) + 1)), None)
    if axis < len(shape) and rng.random() < 0.5:
        at = int(rng.integers(len(items) + 1))
        items[at:at] = [Ellipsis]
    return tuple(items)


def cases(count: int) -> list[tuple[np.ndarray, tuple, np.ndarray]]:
    """Arrays, indices that NumPy accepts, and what it reads."""
    rng, out = np.random.default_rng(7), []
    while len(out) < count:
        x = rng.standard_normal(SHAPES[rng.integers(len(SHAPES))])
        index = random_index(rng, x.shape)
        try:
            out.append((x, index, x[index]))
        except IndexError:  # arrays that do not broadcast, or an ellipsis that shifts the axes
            continue
    return out


CASES = cases(150)


def label(case: tuple) -> str:
    return f"{case[0].shape}{case[1]}".replace("\n", "")[:60]


@pytest.mark.parametrize("start", range(0, len(CASES), 10))
def test_reading(start):
    for x, index, want in CASES[start : start + 10]:
        t = ss.asarray(x)
        at = index if len(index) != 1 else index[0]
        np.testing.assert_array_equal(t[at], want, err_msg=label((x, index)))
        np.testing.assert_array_equal(ss.jit(lambda t, at=at: t[at])(t), want, err_msg=label((x, index)))
        many = np.stack([x, 2 * x, -x])
        got = ss.vmap(lambda t, at=at: t[at])(ss.asarray(many))
        np.testing.assert_array_equal(got, np.stack([a[index] for a in many]), err_msg=label((x, index)))


@pytest.mark.parametrize("start", range(0, len(CASES), 10))
def test_gradients_of_reading(start):
    rng = np.random.default_rng(start)
    for x, index, part in CASES[start : start + 10]:
        w = rng.standard_normal(part.shape)
        want = np.zeros(x.shape)
        np.add.at(want, index, w)
        loss = lambda t, index=index, w=w: ss.sum(t[index] * w)
        for run in (ad.grad(loss), ss.jit(ad.grad(loss)), lambda t, f=loss: ss.vmap(ad.grad(f))(ss.stack([t, t]))[1]):
            np.testing.assert_allclose(run(ss.asarray(x)), want, rtol=1e-14, err_msg=label((x, index)))
        v = rng.standard_normal(x.shape)
        np.testing.assert_allclose(ad.jvp(loss, x, v)[1], np.sum(v[index] * w), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("start", range(0, len(CASES), 10))
def test_assignment(start):
    rng = np.random.default_rng(start)
    for x, index, part in CASES[start : start + 10]:
        for v in (rng.standard_normal(part.shape), np.asarray(0.5), rng.standard_normal(part.shape[-1:])):
            want = x.copy()
            want[index] = v

            def write(t, u, index=index):
                y = ss.Tensor(t)
                y[index] = u
                return y

            got = write(ss.asarray(x), ss.asarray(v))
            np.testing.assert_array_equal(got, want, err_msg=label((x, index)))
            np.testing.assert_array_equal(ss.jit(write)(ss.asarray(x), ss.asarray(v)), want)
            both = ss.vmap(write)(ss.asarray(np.stack([x, -x])), ss.asarray(np.stack([v, 2 * v])))
            np.testing.assert_array_equal(both[0], want, err_msg=label((x, index)))
            alone = ss.vmap(write, (None, 0))(ss.asarray(x), ss.asarray(np.stack([2 * v, v])))
            np.testing.assert_array_equal(alone[1], want, err_msg=label((x, index)))


@pytest.mark.parametrize("start", range(0, len(CASES), 10))
def test_gradients_of_assignment(start):
    """Of every element that was written, only the last writer moves the result."""
    rng = np.random.default_rng(start)
    for x, index, part in CASES[start : start + 10]:
        w = rng.standard_normal(x.shape)
        owner = np.full(x.shape, -1)
        owner[index] = np.arange(part.size).reshape(part.shape)
        to_u = np.zeros(part.size)
        to_u[owner[owner >= 0]] = w[owner >= 0]

        def loss(t, u, index=index, w=w):
            y = ss.Tensor(t)
            y[index] = u
            return ss.sum(y * w)

        g = ad.grad(loss, (0, 1))(ss.asarray(x), ss.asarray(part))
        np.testing.assert_allclose(g[0], np.where(owner < 0, w, 0.0), err_msg=label((x, index)))
        np.testing.assert_allclose(g[1], to_u.reshape(part.shape), err_msg=label((x, index)))
        mapped = ss.vmap(ad.grad(loss, (0, 1)))(ss.asarray(np.stack([x, x])), ss.asarray(np.stack([part, part])))
        np.testing.assert_allclose(mapped[0][1], g[0], err_msg=label((x, index)))
        np.testing.assert_allclose(mapped[1][1], g[1], err_msg=label((x, index)))


def test_indices_that_are_traced():
    x = np.arange(12.0).reshape(4, 3)
    i = np.array([3, 0, 2])
    np.testing.assert_array_equal(ss.vmap(lambda k: ss.asarray(x)[k])(ss.asarray(i)), x[i])
    np.testing.assert_array_equal(ss.jit(lambda t, k: t[k, 1])(x, i), x[i, 1])
    np.testing.assert_array_equal(ss.jit(lambda t, k: t[1:, k[0]])(x, np.array([2])), x[1:, 2])
    np.testing.assert_array_equal(ss.vmap(lambda t, k: t[k])(ss.asarray(x[:3]), ss.asarray([2, 1, 0])), [2.0, 4.0, 6.0])
    g = ss.vmap(lambda k: ad.grad(lambda t: ss.sum(t[k] ** 2))(ss.asarray(x)))(ss.asarray(i))
    for row, k in zip(np.asarray(g), i, strict=True):
        np.testing.assert_array_equal(row[k], 2 * x[k])


@pytest.mark.parametrize(
    "index",
    [True, False, np.True_, (None, True), np.array(True), (0, np.array(False)), (..., True), np.eye(4, 3) > 0, ()],
    ids=str,
)
def test_masks_without_axes_and_of_several(index):
    x = np.arange(12.0).reshape(4, 3)
    np.testing.assert_array_equal(ss.asarray(x)[index], x[index])
    np.testing.assert_array_equal(ss.jit(lambda t: t[index])(x), x[index])
    want, t = x.copy(), ss.asarray(x)
    want[index] = 5.0
    t[index] = 5.0
    np.testing.assert_array_equal(t, want)
    g = ad.grad(lambda t: ss.sum(t[index]))(x)
    y = np.zeros((4, 3))
    y[index] = 1.0
    np.testing.assert_array_equal(g, y)


@pytest.mark.parametrize(
    ("index", "error", "message"),
    [
        (5, IndexError, "out of range for"),
        ((0, 0, 0), ValueError, "3 indices for an array with 2 axes"),
        (1.5, TypeError, "an index is an integer, a slice"),
        ("x", TypeError, "an index is an integer, a slice"),
        (np.array([0.5]), TypeError, "use integers or booleans"),
        (np.array([0, 9]), IndexError, "values from 0 to 9"),
        ((Ellipsis, Ellipsis), ValueError, "may appear once"),
        (np.array([True, False, True]), IndexError, "mask"),
    ],
)
def test_wrong_indices(index, error, message):
    x = ss.ones((4, 3))
    with pytest.raises(error, match=message):
        x[index]
    with pytest.raises(error, match=message):
        x[index] = 0.0


# --- parts that leave nothing out mask no derivative -------------------------------------------------------------
WHOLE = [np.s_[:, 0], np.s_[..., 0], np.s_[0:3, 0:1], np.s_[:, -1:], np.s_[:, ::-1], np.s_[None, 0:3, 0], np.s_[:9]]


@pytest.mark.parametrize("at", WHOLE, ids=str)
def test_a_part_that_leaves_nothing_out_is_another_shape(at, rng):
    x, v = ss.asarray(rng.normal(size=(3, 1))), ss.asarray(rng.normal(size=(3, 1)))

    def f(x, v):
        y = x * 1.5
        y[at] = v[at] * 2.0
        return ss.sum(x[at] * ss.flip(x, axis=1)[at]) + ss.sum(y * y)

    graph = ss.jit(ad.value_and_grad(f, (0, 1))).lower(x, v).graph
    assert not {"read", "put", "zmul"} & set(graph.counts())
    assert np.allclose(ad.grad(f)(x, v), 2.0 * x, rtol=1e-15)
    assert np.allclose(ad.grad(f, 1)(x, v), 8.0 * v, rtol=1e-15)


@pytest.mark.parametrize("at", [np.s_[::-1], np.s_[0], np.s_[0:2], np.s_[-1:]], ids=str)
def test_other_parts_are_read(at):
    assert ss.jit(lambda x: x[at]).lower(np.ones((3, 1))).graph.count("read") == 1


def test_parts_of_a_sharded_array_of_one_row_stay_sharded():
    mesh = ss.distributed.Mesh((1,), ("data",))
    x = ss.distributed.shard(np.arange(4.0)[None], mesh, [ss.distributed.Shard(1)])
    assert x[0].placements == (ss.distributed.Shard(0),)
