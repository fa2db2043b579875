"""Random programs equal their simplified and prepared forms.

Values are small integers (Gaussian ones for complex dtypes), of which sums and products are exact in any order, and in
half of the runs infinity and nan as well; those spread alike, but sums in another order may give nan for infinity.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scisim.compiler.passes import prepare, simplify
from scisim.core.avals import aval, infer
from scisim.core.capture import capture
from scisim.ops.arithmetic import abs_p, add, div, ipow_p, mul_p, neg, pin, square_p, stop, sub, zmul
from scisim.ops.control import call_p, scan_p
from scisim.ops.index import put_p, read_p
from scisim.ops.products import matmul_p, zmatmul
from scisim.ops.select import maximum_p, minimum_p, where
from scisim.ops.shape import broadcast_p, concat_p, reshape_p, sum_p, transpose_p

LARGEST = 2**9  # of a value that is used further: a product of two and a sum of some stay exact in float32
UNARY = [neg, square_p, stop, abs_p]
BINARY = [add, sub, mul_p, zmul, maximum_p, minimum_p]
FACTORS = [0, 1, -1, 2, 2.0, 0.5, -4.0, 3, -0.0]


class Program:
    """A program made step by step beside its values."""

    def __init__(self, draw: Any, inputs: list, values: list) -> None:
        self.draw, self.known = draw, list(zip(inputs, values, strict=True))

    def pick(self, fits: Any = lambda v: True) -> Any:
        found = [k for k, (_, v) in enumerate(self.known) if fits(v)]
        return self.known[self.draw(st.sampled_from(found))] if found else None

    def apply(self, prim: Any, *pairs: Any, **params: Any) -> None:
        """Record an operation, unless its values get too large or too many."""
        with np.errstate(all="ignore"):
            value = np.asarray(prim.evaluate(*(v for _, v in pairs), **params))
            finite = np.abs(np.where(np.isfinite(value), value, 0))
        whole = np.all(finite * 8 == np.round(finite * 8)) if value.dtype.kind != "c" else True
        if value.size <= 256 and whole and (finite.size == 0 or np.max(finite) <= LARGEST):
            self.known.append((prim(*(x for x, _ in pairs), **params), value))

    def constant(self, shape: tuple[int, ...], dtype: Any) -> tuple[Any, Any]:
        small = tuple(self.draw(st.sampled_from([1, n])) for n in shape)
        count = int(np.prod(small))
        numbers = self.draw(st.lists(st.integers(-3, 3), min_size=count, max_size=count))
        a = np.broadcast_to(np.array(numbers, dtype).reshape(small), shape)
        return a, a


def step(p: Program) -> None:
    x = p.pick()
    s, dtype = x[1].shape, x[1].dtype
    kind = p.draw(st.sampled_from(sorted(STEPS)))
    STEPS[kind](p, x, s, dtype)


def unary(p: Program, x: Any, s: tuple, dtype: Any) -> None:
    prim = p.draw(st.sampled_from(UNARY))
    if not (prim is abs_p and dtype.kind == "c"):
        p.apply(prim, x)


def binary(p: Program, x: Any, s: tuple, dtype: Any) -> None:
    prim = p.draw(st.sampled_from(BINARY))
    other = p.pick(lambda v: _fits(v.shape, s)) if p.draw(st.booleans()) else p.constant(s, dtype)
    pair = (x, other) if p.draw(st.booleans()) else (other, x)
    if dtype.kind != "c" or prim not in (maximum_p, minimum_p):
        p.apply(prim, *pair)


def number(p: Program, x: Any, s: tuple, dtype: Any) -> None:
    c = p.draw(st.sampled_from(FACTORS))
    if dtype.kind != "i" or type(c) is int:
        prim = p.draw(st.sampled_from([mul_p, zmul, add, sub]))
        p.apply(prim, *((x, (c, c)) if p.draw(st.booleans()) else ((c, c), x)))


def divided(p: Program, x: Any, s: tuple, dtype: Any) -> None:
    c = p.draw(st.sampled_from([1, 2.0, -0.5, 4]))
    if dtype.kind == "f":
        p.apply(div, x, (c, c))


def power(p: Program, x: Any, s: tuple, dtype: Any) -> None:
    p.apply(ipow_p, x, n=p.draw(st.sampled_from([2, 3, 4])))


def pinned(p: Program, x: Any, s: tuple, dtype: Any) -> None:
    p.apply(pin, x, p.pick(lambda v: v.shape == s and v.dtype == dtype))


def chosen(p: Program, x: Any, s: tuple, dtype: Any) -> None:
    mask = np.array(p.draw(st.lists(st.booleans(), min_size=x[1].size, max_size=x[1].size)), bool).reshape(s)
    p.apply(where, (mask, mask), x, p.pick(lambda v: _fits(v.shape, s) and v.dtype == dtype))


def reshaped(p: Program, x: Any, s: tuple, dtype: Any) -> None:
    n = x[1].size
    split = [k for k in range(1, n + 1) if n % k == 0] or [1]
    k = p.draw(st.sampled_from(split))
    p.apply(reshape_p, x, shape=p.draw(st.sampled_from([(n,), (k, n // k), (1, n), (k, 1, n // k)])))


def turned(p: Program, x: Any, s: tuple, dtype: Any) -> None:
    p.apply(transpose_p, x, perm=tuple(p.draw(st.permutations(range(len(s))))))


def stretched(p: Program, x: Any, s: tuple, dtype: Any) -> None:
    to = tuple(p.draw(st.sampled_from([n, 3])) if n == 1 else n for n in s)
    lead = p.draw(st.sampled_from([(), (2,), (1,)]))
    p.apply(broadcast_p, x, shape=lead + to)


def summed(p: Program, x: Any, s: tuple, dtype: Any) -> None:
    p.apply(sum_p, x, axes=tuple(k for k in range(len(s)) if p.draw(st.booleans())))


def product(p: Program, x: Any, s: tuple, dtype: Any) -> None:
    prim = p.draw(st.sampled_from([matmul_p, zmatmul]))
    if len(s) < 2:
        return
    other = p.pick(lambda v: len(v.shape) >= 2 and v.shape[-2] == s[-1] and _stack(v.shape, s))
    n = p.draw(st.sampled_from([1, 2, 5]))
    other = other if other and p.draw(st.booleans()) else p.constant((s[-1], n), dtype)
    p.apply(prim, x, other)


def joined(p: Program, x: Any, s: tuple, dtype: Any) -> None:
    if s:
        axis = p.draw(st.integers(0, len(s) - 1))
        others = [p.pick(lambda v: len(v.shape) == len(s) and _but(v.shape, axis) == _but(s, axis)) for _ in range(2)]
        p.apply(concat_p, x, *others[: p.draw(st.integers(0, 2))], axis=axis)


def index(p: Program, s: tuple) -> tuple:
    at: list[Any] = []
    for n in s:
        bounds = [p.draw(st.none() | st.integers(-n, n)) for _ in range(2)]
        item: Any = ("slice", *bounds, p.draw(st.sampled_from([None, 1, 2, -1])))
        at.append(p.draw(st.integers(-n, n - 1)) if n and p.draw(st.integers(0, 3)) == 0 else item)
        if p.draw(st.integers(0, 5)) == 0:
            at.append(None)
    return tuple(at)


def read(p: Program, x: Any, s: tuple, dtype: Any) -> None:
    p.apply(read_p, x, at=index(p, s))


def put(p: Program, x: Any, s: tuple, dtype: Any) -> None:
    at = index(p, s)
    part = read_p.evaluate(x[1], at=at).shape
    base = p.constant(s, dtype) if p.draw(st.booleans()) else x
    base = (np.zeros(s, dtype),) * 2 if p.draw(st.booleans()) else base
    u = p.pick(lambda v: v.shape == part and v.dtype == dtype) or p.constant(part, dtype)
    p.apply(put_p, base, u, at=at)


def called(p: Program, x: Any, s: tuple, dtype: Any) -> None:
    body = capture(lambda a: [add(mul_p(a, a), a)], [aval(x[1])])
    known = len(p.known)
    p.apply(Single(call_p), x, graph=body, remat=p.draw(st.booleans()))
    assert len(p.known) <= known + 1


def looped(p: Program, x: Any, s: tuple, dtype: Any) -> None:
    body = capture(lambda w, c: [sub(c, mul_p(neg(w), 2))], [aval(x[1])] * 2)
    p.apply(Single(scan_p), x, x, body=body, consts=1, carries=1, length=p.draw(st.integers(0, 2)))


class Single:
    """An operation of which the first output is used."""

    def __init__(self, prim: Any) -> None:
        self.prim = prim

    def evaluate(self, *args: Any, **params: Any) -> Any:
        return self.prim.evaluate(*args, **params)[0]

    def __call__(self, *args: Any, **params: Any) -> Any:
        return self.prim(*args, **params)[0]


def _fits(s: tuple, t: tuple) -> bool:
    return all(a == b or 1 in (a, b) for a, b in zip(s[::-1], t[::-1], strict=False))


def _stack(s: tuple, t: tuple) -> bool:
    return _fits(s[:-2], t[:-2])


def _but(s: tuple, axis: int) -> tuple:
    return s[:axis] + s[axis + 1 :]


STEPS = {
    f.__name__: f
    for f in (
        *(unary, binary, number, divided, power, pinned, chosen, reshaped, turned, stretched, summed),
        *(product, joined, read, put, called, looped),
    )
}


@st.composite
def inputs(draw: Any) -> list[np.ndarray]:
    dtype = np.dtype(draw(st.sampled_from(["float32", "float64", "complex128", "int64"])))
    numbers: Any = st.integers(-3, 3)
    if dtype.kind == "f" and draw(st.booleans()):
        numbers = numbers | st.sampled_from([np.inf, -np.inf, np.nan])
    shapes = [draw(st.sampled_from([(2, 3), (3,), (3, 1), (2, 2, 3), (), (1, 1), (4, 1)])) for _ in range(2)]
    made = []
    for s in shapes:
        n = int(np.prod(s))
        a = np.array(draw(st.lists(numbers, min_size=n, max_size=n)), dtype).reshape(s)
        made.append(a * (1 + 1j) if dtype.kind == "c" else a)
    return made


def check_types(graph: Any) -> None:
    """Variables have the shapes and dtypes that their equations give."""
    for eq in graph.equations:
        made = infer(eq.prim, eq.args, eq.params)
        made = made if eq.prim.multiple else (made,)
        assert list(made) == [(v.shape, v.dtype) for v in eq.outs], f"{eq.prim}\n{graph}"
    for body in graph.bodies():
        check_types(body)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data(), inputs(), st.integers(1, 12))
def test_simplified_programs_equal_random_ones(data: Any, xs: list, count: int) -> None:
    want: list[Any] = []

    def run(*variables: Any) -> list:
        p = Program(data.draw, list(variables), xs)
        for _ in range(count):
            step(p)
        kept = [p.known[-1], *(pair for pair in p.known[2:-1] if data.draw(st.booleans()))]
        want[:] = [v for _, v in kept]
        return [x for x, _ in kept]

    graph = capture(run, [aval(x) for x in xs], "random")
    simple = simplify(graph)
    for g in (graph, simple, prepare(simple)):
        check_types(g)
        with np.errstate(all="ignore"):
            got = g(*xs)
        for a, b in zip(map(np.asarray, got), want, strict=True):
            assert (a.shape, a.dtype) == (b.shape, b.dtype)
            same = (a == b) | (~np.isfinite(a) & ~np.isfinite(b))
            assert np.all(same), f"{graph}\nbecame\n{g}\n{a}\ninstead of\n{b}"
