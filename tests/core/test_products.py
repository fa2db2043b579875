"""Products of arrays equal NumPy's on many shapes, and differentiate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad

EPS = np.finfo(float).eps


def operand(shape: tuple[int, ...], kind: str, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    return x + 1j * rng.standard_normal(shape) if kind == "c" else x


def close(got: Any, want: Any, terms: int) -> None:
    """Sums of n products agree within n eps times the sum of their sizes."""
    want = np.asarray(want)
    assert np.asarray(got).shape == want.shape
    assert np.asarray(got).dtype == want.dtype
    np.testing.assert_allclose(np.asarray(got), want, rtol=8 * EPS, atol=8 * (terms + 1) * EPS * 8)


MATMUL = [
    *(((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((1, 3), (3, 1)), ((2, 1), (1, 4))),
    *(((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)), ((5, 2, 3), (5, 3, 4)), ((5, 1, 2, 3), (4, 3, 2)), ((5, 2, 3), (3,))),
    *(((3,), (5, 3, 2)), ((1, 2, 3), (5, 3, 1)), ((0, 3), (3, 2)), ((2, 0), (0, 3)), ((0,), (0,)), ((4, 0, 3), (3, 2))),
    *(((2, 3), (3, 0)), ((0, 2, 3), (0, 3, 2))),
]
EINSUM = [
    *(
        "ij,jk->ik",
        "ij,jk",
        "ij,kj->ik",
        "ji,jk->ki",
        "ij,ij->",
        "ij,ij->ij",
        "ij,ij->i",
        "i,j->ij",
        "i,j->ji",
        "ij->ji",
    ),
    *(
        "ii->i",
        "ii->",
        "ii",
        "iij->j",
        "ijk->",
        "ijk->j",
        "bij,bjk->bik",
        "bij,bjk->ik",
        "bij,jk->bik",
        "ij,j->i",
        "i,i",
    ),
    *("ij,jk,kl->il", "i,ij,j->", "abc,cd,bd->a", "ij,k->ijk", "ij,i->ij", "i,->i", ",->", "ij,ik,il->jkl", "aab,b->a"),
    *(
        "...ij,...jk->...ik",
        "...i,...i->...",
        "i...->...",
        "...,...",
        "b...i,ij->b...j",
        "...ii->...i",
        "ij...,j...->i...",
        "...ii",
        "...i",
        "i...j",
    ),
]
SIZES = {"a": 2, "b": 3, "c": 2, "d": 4, "i": 3, "j": 2, "k": 4, "l": 2}
TENSORDOT = [
    *(((2, 3), (3, 4), 1), ((2, 3, 4), (3, 4, 5), 2), ((2, 3), (4, 5), 0), ((2, 3), (3, 2), ([0, 1], [1, 0]))),
    *(((2, 3, 4), (4, 2, 5), ([0, 2], [1, 0])), ((3,), (3,), 1), ((2, 3), (2, 3), ([1], [1])), ((0, 3), (3, 2), 1)),
    *(((2, 0), (0, 3), 1), ((1, 1), (1, 1), 2), ((2, 3, 4), (2, 5), ([-3], [0]))),
]
KINDS = [("f", "f"), ("c", "c"), ("f", "c"), ("c", "f")]
kinds = pytest.mark.parametrize("kinds", KINDS, ids=["".join(k) for k in KINDS])


def check(f: Any, numpy: Any, operands: list[np.ndarray], terms: int) -> None:
    want = numpy(*operands)
    close(f(*map(ss.asarray, operands)), want, terms)
    close(ss.jit(f)(*operands), want, terms)
    stacked = [ss.asarray(np.stack([x, 2 * x])) for x in operands]
    close(ss.vmap(f)(*stacked)[1], numpy(*(2 * x for x in operands)), terms * 2 ** len(operands))
    for k in range(len(operands)):
        axes = tuple(0 if j == k else None for j in range(len(operands)))
        mixed = [stacked[j] if j == k else ss.asarray(x) for j, x in enumerate(operands)]
        close(ss.vmap(f, axes)(*mixed)[0], want, terms)
    check_derivatives(f, operands)


def check_derivatives(f: Any, operands: list[np.ndarray]) -> None:
    """Forward is the sum of the products with one operand replaced; reverse is its transpose; the second too."""
    xs = tuple(map(ss.asarray, operands))
    vs = tuple(ss.asarray(operand(x.shape, "c" if np.iscomplexobj(x) else "f", 50 + k)) for k, x in enumerate(operands))
    y, dy = ad.jvp(f, xs, vs)
    want = sum(np.asarray(f(*(v if j == k else x for j, (x, v) in enumerate(zip(xs, vs))))) for k in range(len(xs)))
    np.testing.assert_allclose(np.asarray(dy), want, rtol=1e-12, atol=1e-12)
    ct = ss.asarray(operand(y.shape, "c" if y.dtype.kind == "c" else "f", 99))
    got = ad.vjp(f, *xs)[1](ct)
    left = np.sum((np.conj(np.asarray(ct)) * np.asarray(dy)).real)
    right = sum(np.sum((np.conj(np.asarray(g)) * np.asarray(v)).real) for g, v in zip(got, vs))
    np.testing.assert_allclose(left, right, rtol=1e-11, atol=1e-11)
    if len(xs) == 2:
        second = ad.taylor(f, xs, vs, 2)[2]
        np.testing.assert_allclose(np.asarray(second), np.asarray(f(*vs)), rtol=1e-12, atol=1e-12)


@kinds
@pytest.mark.parametrize("shapes", MATMUL, ids=str)
def test_matmul(shapes, kinds):
    operands = [operand(s, k, n) for n, (s, k) in enumerate(zip(shapes, kinds, strict=True))]
    check(ss.matmul, np.matmul, operands, shapes[0][-1])
    check(lambda a, b: a @ b, np.matmul, operands, shapes[0][-1])


def shape_of(term: str) -> tuple[int, ...]:
    return tuple(n for c in term.replace("...", ".") for n in ((2, 3) if c == "." else (SIZES[c],)))


@pytest.mark.parametrize("kind", ["f", "c"])
@pytest.mark.parametrize("text", EINSUM)
def test_einsum(text, kind):
    terms = text.partition("->")[0].split(",")
    operands = [operand(shape_of(t), kind, n) for n, t in enumerate(terms)]
    check(lambda *xs: ss.einsum(text, *xs), lambda *xs: np.einsum(text, *xs), operands, 64)


@pytest.mark.parametrize("text", ["ij,jk->ik", "ij,ij->i", "ij->i", "i,j->ij", "bij,bjk->bik"])
@pytest.mark.parametrize("size", [0, 1])
def test_einsum_of_empty_and_single_axes(text, size):
    for letter in "ijk":
        terms = text.partition("->")[0].split(",")
        shapes = [tuple(size if c == letter else SIZES[c] for c in t) for t in terms]
        operands = [operand(s, "f", n) for n, s in enumerate(shapes)]
        check(lambda *xs: ss.einsum(text, *xs), lambda *xs: np.einsum(text, *xs), operands, 8)


def test_einsum_broadcasts_axes_of_length_one():
    a, b = operand((1, 3), "f", 0), operand((3, 4), "f", 1)
    check(lambda *xs: ss.einsum("...j,j...->...", *xs), lambda *xs: np.einsum("...j,j...->...", *xs), [a, b], 4)


@pytest.mark.parametrize("kind", ["f", "c"])
@pytest.mark.parametrize("case", TENSORDOT, ids=str)
def test_tensordot(case, kind):
    a, b, axes = case
    operands = [operand(a, kind, 0), operand(b, kind, 1)]
    check(lambda x, y: ss.tensordot(x, y, axes=axes), lambda x, y: np.tensordot(x, y, axes=axes), operands, 16)


@pytest.mark.parametrize("kind", ["f", "c"])
def test_other_products(kind):
    x, y = operand((2, 3), kind, 0), operand((2, 3), kind, 1)
    check(ss.outer, np.outer, [x[0], y[1]], 1)
    check(ss.vecdot, lambda a, b: np.sum(np.conj(a) * b, -1), [x, y], 3) if kind == "f" else None
    close(ss.vecdot(x, y), np.sum(np.conj(x) * y, -1), 3)
    check(ss.kron, np.kron, [x, y], 1)
    check(ss.cross, np.cross, [x, y], 2)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ss.matmul(ss.ones((2, 3)), ss.ones((2, 3))), ValueError, r"shapes \(2, 3\) and \(2, 3\) do not fit"),
        (lambda: ss.matmul(ss.ones((2, 3)), 2.0), ValueError, "use a \\* b for scalars"),
        (lambda: ss.matmul(ss.ones((2, 2, 3)), ss.ones((5, 3, 2))), ValueError, "broadcast"),
        (lambda: ss.einsum("ij,jk->ik", ss.ones((2, 3)), ss.ones((2, 3))), ValueError, "einsum"),
        (lambda: ss.einsum("ij->i", ss.ones(3)), ValueError, "einsum"),
        (lambda: ss.einsum(ss.ones(3)), ValueError, "the subscripts are a string"),
        (lambda: ss.einsum("ij,jk->ik", ss.ones((2, 3))), ValueError, "einsum"),
        (lambda: ss.einsum("ii", ss.ones((2, 3))), ValueError, "axes of lengths 2 and 3"),
        (lambda: ss.einsum("ij->ik", ss.ones((2, 3))), ValueError, "one that no operand has"),
        (lambda: ss.einsum("ij->ii", ss.ones((2, 3))), ValueError, "names an axis twice"),
        (lambda: ss.tensordot(ss.ones((2, 3)), ss.ones((2, 3)), axes=1), ValueError, "do not fit over axes"),
    ],
)
def test_misuse_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("kind", ["f", "c"])
@pytest.mark.parametrize("shapes", [((4, 1), (1, 3)), ((1,), (1, 3)), ((5, 4, 3), (3, 2)), ((4, 3), (5, 3, 1))])
def test_products_beside_derivatives_are_the_plain_ones_to_the_bit(shapes, kind):
    a, b = (ss.asarray(operand(s, kind, i)) for i, s in enumerate(shapes))
    for f in (ss.matmul, np.matmul, lambda a, b: a @ b):
        want = f(a, b)
        for got in (ad.jvp(f, (a, b), (a, b))[0], ad.vjp(f, a, b)[0], ad.taylor(f, (a, b), (a, b), 2)[0]):
            np.testing.assert_array_equal(got, want)
