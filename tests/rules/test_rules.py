"""Every operation at ordinary points: all interpretations give what they must equal."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.avals import aval, infer
from scisim.core.axes import ELEMENTWISE
from scisim.core.capture import capture
from scisim.core.primitive import PRIMITIVES
from scisim.core.public import OPERATIONS
from scisim.core.tensor import Tensor, unwrap, wrap
from tests.compiler.running_bounds import Known, bounded, check
from tests.rules.cases import Case
from tests.rules.scalar_interpreter import MpmathScalars, NumPyScalars
from tests.rules.table import TABLE

EPS = np.finfo(float).eps


def rows(condition: Any = lambda case: True) -> Any:
    chosen = [case for case in TABLE if condition(case)]
    return pytest.mark.parametrize("case", chosen, ids=[c.name for c in chosen])


SMOOTH: dict[str, bool] = {}


def smooth(case: Case) -> bool:
    """Whether it has a derivative at all."""
    if case.name not in SMOOTH:
        varies = case.inexact and not (case.prim is not None and case.prim.constant)
        SMOOTH[case.name] = bool(varies) and any(map(is_inexact, case.outputs(*case.tensors)))
    return SMOOTH[case.name]


def is_inexact(y: Any) -> bool:
    return y.dtype.kind in "fc"


def close(got: Any, want: Any, rtol: float, scale: float = 0.0) -> None:
    """Equal within a tolerance relative to the greatest element."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape
    size = max(scale, float(np.max(np.abs(want), initial=0.0)))
    np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol * size)


def direction(x: np.ndarray, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    v = rng.uniform(0.3, 1.0, x.shape) * rng.choice([-1.0, 1.0], x.shape)
    return v * np.exp(1j * rng.uniform(-3, 3, x.shape)) if x.dtype.kind == "c" else v


def along(case: Case) -> tuple[Any, list, list]:
    """The function of its floating-point operands, these, and a direction."""
    xs = [case.operands[i] for i in case.inexact]

    def f(*vals: Any) -> Any:
        args = case.tensors
        for i, v in zip(case.inexact, vals, strict=True):
            args[i] = v
        return tuple(y for y in case.outputs(*args) if is_inexact(y))

    return f, xs, [direction(x, i) for i, x in enumerate(xs)]


def test_every_operation_has_a_row():
    held = {name for case in TABLE for name in case.covers}
    wanted = {f"op:{name}" for name in OPERATIONS} | {f"prim:{name}" for name in PRIMITIVES}
    assert not wanted - held, f"add rows to tests/rules for {sorted(wanted - held)}"


def test_rows_have_names_of_their_own():
    names = [case.name for case in TABLE]
    assert len(set(names)) == len(names), sorted({n for n in names if names.count(n) > 1})


# --- captured and mapped -----------------------------------------------------------------------------------------
def with_bounds(case: Case, operands: Any = None) -> list[Known]:
    """The row's values, and how far another program for them may be off; no choice hangs on a rounding here."""
    operands = case.operands if operands is None else operands
    run = lambda *vals: [unwrap(y) for y in case.outputs(*map(wrap, vals))]
    outs = bounded(capture(run, [aval(x) for x in operands]), operands)
    return [Known(y.value, np.where(np.isfinite(y.error), y.error, 0.0)) for y in outs]


@rows(lambda case: not case.concrete)
def test_captured_equals_eager(case):
    jitted = ss.jit(lambda *args: tuple(case.outputs(*args)))
    got, want = jitted(*case.tensors), case.outputs(*case.tensors)
    graph = jitted.lower(*case.tensors).graph
    for y, w, v, known in zip(got, want, graph.outputs, with_bounds(case), strict=True):
        np.testing.assert_array_equal(np.asarray(known.value), np.asarray(w))
        check(y, known)
        assert (tuple(v.shape), v.dtype) == (w.shape, w.dtype)


def another(x: np.ndarray) -> np.ndarray:
    """Other ordinary points of the same shape: the elements in reverse order."""
    x = np.asarray(x)
    return x.ravel()[::-1].reshape(x.shape)


def mapped_ways(case: Case) -> list[tuple[int | None, ...]]:
    """Each operand alone, all together, and all together along the last axis."""
    count = len(case.operands)
    alone = [tuple(0 if k == i else None for k in range(count)) for i in range(count)] if count > 1 else []
    return [*alone, (0,) * count, (-1,) * count]


@rows(lambda case: not case.concrete and case.operands)
def test_mapped_equals_stacked(case):
    for axes in mapped_ways(case):
        single, stacked = [], []
        for x, a in zip(case.operands, axes, strict=True):
            x = np.asarray(x)
            single.append((x, another(x)) if a is not None else (x, x))
            stacked.append(x if a is None else np.stack(single[-1], a))
        want = [with_bounds(case, [s[k] for s in single]) for k in (0, 1)]

        def f(*args: Any) -> tuple:
            return tuple(case.outputs(*args))

        args = [Tensor(s) for s in stacked]
        for run in (ss.vmap(f, axes), ss.jit(ss.vmap(f, axes)), ss.vmap(ss.jit(f), axes)):
            for y, *ws in zip(run(*args), *want, strict=True):
                check(y, Known(np.stack([w.value for w in ws]), np.stack([w.error for w in ws])))


# --- derivatives -------------------------------------------------------------------------------------------------
@rows(lambda case: smooth(case) and case.differences and case.covers != ("prim:pin",))
def test_forward_equals_differences(case):
    f, xs, vs = along(case)
    _, dy = ad.jvp(f, tuple(map(Tensor, xs)), tuple(map(Tensor, vs)))

    def at(t: float) -> list:
        return [np.asarray(y) for y in f(*(Tensor(x + t * v) for x, v in zip(xs, vs, strict=True)))]

    h = 1e-3
    values = zip(at(h), at(-h), at(2 * h), at(-2 * h), strict=True)
    for d, (a, b, c, e) in zip(dy, values, strict=True):
        close(d, (8 * (a - b) - (c - e)) / (12 * h), 1e-8, scale=float(np.max(np.abs(a), initial=0)) * 1e-2)


@rows(smooth)
def test_reverse_equals_forward(case):
    f, xs, vs = along(case)
    y, dy = ad.jvp(f, tuple(map(Tensor, xs)), tuple(map(Tensor, vs)))
    value, pullback = ad.vjp(f, *map(Tensor, xs))
    for a, b, w in zip(value, y, f(*map(Tensor, xs)), strict=True):  # beside a derivative, the plain call's value
        np.testing.assert_array_equal(np.asarray(a), np.asarray(w))
        np.testing.assert_array_equal(np.asarray(b), np.asarray(w))
    cts = [direction(np.asarray(w), 7 + k) for k, w in enumerate(value)]
    got = pullback(tuple(map(Tensor, cts)))
    left = sum(np.sum((np.conj(c) * np.asarray(d)).real) for c, d in zip(cts, dy, strict=True))
    right = sum(np.sum((np.conj(np.asarray(g)) * v).real) for g, v in zip(got, vs, strict=True))
    size = sum(np.sum(np.abs(c * np.asarray(d))) for c, d in zip(cts, dy, strict=True)) + 1e-3
    assert abs(left - right) <= 64 * EPS * size
    for g, x in zip(got, xs, strict=True):
        assert g.dtype == x.dtype
        assert g.shape == x.shape


@rows(smooth)
def test_series_equal_nested_derivatives(case):
    f, xs, vs = along(case)
    cs = ad.taylor(f, tuple(map(Tensor, xs)), tuple(map(Tensor, vs)), case.order)
    g = lambda t: f(*(Tensor(x) + t * Tensor(v) for x, v in zip(xs, vs, strict=True)))
    for k in range(1, case.order + 1):
        g = derivative(g)
        for c, d in zip(cs[k], g(Tensor(0.0)), strict=True):
            close(np.asarray(c) * math.factorial(k), d, 1e-9, scale=1e-3)


def derivative(f: Any) -> Any:
    return lambda t: ad.jvp(f, (t,), (ss.ones_like(t),))[1]


def loss_of(case: Case) -> tuple[Any, list]:
    f, xs, _ = along(case)

    def loss(*args: Any) -> Any:
        total = 0.0
        for k, y in enumerate(f(*args)):
            w = Tensor(direction(np.asarray(np.zeros(y.shape, y.dtype)), 3 + k))
            total = total + ss.sum(ss.real(w * y))
        return total

    return loss, [Tensor(x) for x in xs]


@rows(lambda case: smooth(case) and not case.concrete and case.reverse_captured)
def test_gradients_of_captured_and_captured_gradients(case):
    loss, xs = loss_of(case)
    nums = tuple(range(len(xs)))
    want = ad.grad(loss, nums)(*xs)
    for run in (ad.grad(ss.jit(loss), nums), ss.jit(ad.grad(loss, nums))):
        for g, w in zip(run(*xs), want, strict=True):
            close(g, w, 64 * EPS)


@rows(lambda case: smooth(case) and not case.concrete)
def test_gradients_of_mapped_and_mapped_gradients(case):
    loss, xs = loss_of(case)
    nums = tuple(range(len(xs)))
    pairs = [(x, Tensor(another(np.asarray(x)))) for x in xs]
    want = [ad.grad(loss, nums)(*(p[k] for p in pairs)) for k in (0, 1)]
    stacked = [ss.stack(p) for p in pairs]
    mapped = ss.vmap(ad.grad(loss, nums))(*stacked)
    summed = ad.grad(lambda *a: ss.sum(ss.vmap(loss)(*a)), nums)(*stacked)
    for k, w in enumerate(zip(*want, strict=True)):
        both = np.stack([np.asarray(g) for g in w])
        close(mapped[k], both, 64 * EPS)
        close(summed[k], both, 64 * EPS)


@rows(lambda case: smooth(case) and not case.concrete and case.order > 1)
def test_second_derivatives_agree(case):
    loss, xs = loss_of(case)
    nums = tuple(range(len(xs)))
    vs = tuple(Tensor(direction(np.asarray(x), i)) for i, x in enumerate(xs))
    forward = ad.jvp(lambda *a: ad.grad(loss, nums)(*a), tuple(xs), vs)[1]
    reverse = ad.vjp(lambda *a: ad.grad(loss, nums)(*a), *xs)[1](vs)
    over = ad.grad(lambda *a: ad.jvp(loss, a, vs)[1], nums)(*xs)
    jit = ss.jit if case.reverse_captured else lambda f: f
    captured = jit(lambda *a: ad.jvp(lambda *b: ad.grad(loss, nums)(*b), a, vs)[1])(*xs)
    for a, b, c, d in zip(forward, reverse, over, captured, strict=True):
        scale = float(np.max(np.abs(np.asarray(a)), initial=1e-3))
        for other in (b, c, d):
            close(other, a, 1e-11, scale=scale)


@rows(lambda case: case.inexact)
def test_single_precision_stays(case):
    low = {"f": np.float32, "c": np.complex64}
    args = [x.astype(low[x.dtype.kind]) if x.dtype.kind in low else x for x in map(np.asarray, case.operands)]
    out = case.outputs(*map(Tensor, args))
    for y, w in zip(out, case.outputs(*case.tensors), strict=True):
        casts = {"op:astype", "prim:cast"} & set(case.covers)
        assert casts or not is_inexact(w) or y.dtype.itemsize == w.dtype.itemsize // 2
    if not case.concrete:
        graph = ss.jit(lambda *a: tuple(case.outputs(*a))).lower(*map(Tensor, args)).graph
        assert [v.dtype for v in graph.outputs] == [y.dtype for y in out]
    if not smooth(case):
        return
    f = lambda *a: tuple(y for y in case.outputs(*a) if is_inexact(y))
    vs = tuple(Tensor(direction(x, 1).astype(x.dtype)) if x.dtype.kind in "fc" else None for x in args)
    for cs in ad.taylor(f, tuple(map(Tensor, args)), vs, min(3, case.order))[1:]:
        for c, y in zip(cs, [y for y in out if is_inexact(y)], strict=True):
            assert c.dtype == y.dtype


def test_pin_has_the_value_of_one_operand_and_the_derivative_of_the_other():
    pin = PRIMITIVES["pin"]
    q, v = Tensor([0.3, 0.4]), Tensor([5.0, 6.0])
    f = lambda q, v: Tensor(pin(q._v, v._v))
    y, dy = ad.jvp(f, (q, v), (q * 10.0, v))
    assert y.tolist() == [5.0, 6.0]
    assert dy.tolist() == [3.0, 4.0]
    _, pullback = ad.vjp(f, q, v)
    assert [g.tolist() for g in pullback(v)] == [[5.0, 6.0], [0.0, 0.0]]


# --- against mpmath ----------------------------------------------------------------------------------------------
def exact_series(f: Any, points: list, directions: list) -> list:
    """Taylor coefficients along a line, to order 4."""
    numbers = [mpmath.mpmathify(v.item()) for v in (*points, *directions)]
    count = len(points)
    line = lambda t: f(*(p + t * d for p, d in zip(numbers[:count], numbers[count:], strict=True)))
    return mpmath.taylor(line, 0, 4)


@rows(lambda case: case.exact is not None)
def test_orders_to_four_equal_mpmath(case):
    vs = [direction(x, i) for i, x in enumerate(case.operands)]
    cs = ad.taylor(case.call, tuple(case.tensors), tuple(map(Tensor, vs)), 4)
    for at in np.ndindex(cs[0].shape):
        with mpmath.workdps(50):
            want = exact_series(case.exact, [x[at] for x in case.operands], [v[at] for v in vs])
        for k, w in enumerate(want):
            got = mpmath.mpmathify(np.asarray(cs[k])[at].item())
            scale = max(abs(w), *(abs(v) for v in want)) if k else abs(w)
            assert abs(got - w) <= (4 if k == 0 else 256) * EPS * scale, (at, k)


# --- axis rules --------------------------------------------------------------------------------------------------
def local(params: dict, rank: int, axis: int, length: int) -> dict:
    """Parameters for a part of the operands: those that name the shape of the output's last axes change with it."""
    at = axis - (rank - len(params.get("shape", ())))
    if "shape" not in params or at < 0:
        return params
    new = list(params["shape"])
    new[at] = length
    return {**params, "shape": tuple(new)}


@rows(lambda case: case.prim is not None and case.prim.axes is not None and not case.prim.multiple)
def test_axes_follow_their_labels(case):
    prim, args = case.prim, [np.asarray(x) for x in case.operands]
    ins, out = prim.axes.labels(tuple(x.shape for x in args), case.params)
    assert [len(i) for i in ins] == [x.ndim for x in args]
    whole = np.asarray(prim(*args, **case.params))
    if out is None:
        return
    assert len(out) == whole.ndim
    for axis, label in enumerate(out):
        if label is None or not any(label in i for i in ins):
            continue
        n = whole.shape[axis]
        for start, stop in ((0, 1), (n // 2, n)):
            cut = [part(x, i, label, start, stop) for x, i in zip(args, ins, strict=True)]
            got = np.asarray(prim(*cut, **local(case.params, whole.ndim, axis, stop - start)))
            close(got, np.take(whole, range(start, stop), axis), 8 * EPS)


def part(x: np.ndarray, labels: tuple, label: Any, start: int, stop: int) -> np.ndarray:
    for axis, own in enumerate(labels):
        if own == label:
            x = np.take(x, range(start, stop), axis)
    return x


@rows(lambda case: case.prim is not None and bool(case.prim.linear or case.prim.bilinear) and not case.prim.multiple)
def test_parts_of_a_contracted_axis_add_up(case):
    prim, args = case.prim, [np.asarray(x) for x in case.operands]
    ins, out = prim.axes.labels(tuple(x.shape for x in args), case.params)
    contracted = {k for i in ins for k in i} - set(out or ()) - {None}
    whole = np.asarray(prim(*args, **case.params))
    for label in contracted if out is not None else ():
        (n,) = {x.shape[i.index(label)] for x, i in zip(args, ins, strict=True) if label in i}
        halves = ((0, n // 2), (n // 2, n))
        parts = [prim(*(part(x, i, label, *h) for x, i in zip(args, ins, strict=True)), **case.params) for h in halves]
        close(parts[0] + parts[1], whole, 8 * EPS)


@rows(lambda case: case.prim is not None)
def test_inferred_shapes_are_those_of_values(case):
    got = infer(case.prim, case.operands, case.params)
    want = case.outputs(*case.tensors)
    for a, y in zip(got if case.prim.multiple else (got,), want, strict=True):
        assert (tuple(a.shape), a.dtype) == (y.shape, y.dtype)


# --- scalar expressions ------------------------------------------------------------------------------------------
def has_expression(case: Case) -> bool:
    return case.prim is not None and case.prim.scalar is not None


@rows(has_expression)
def test_the_scalar_expression_is_the_function(case):
    want = np.asarray(case.prim(*case.operands, **case.params))
    shared = np.broadcast_arrays(*case.operands)
    extra = [case.params["n"]] if case.prim.name == "ipow" else []
    for at in np.ndindex(want.shape):
        with np.errstate(all="ignore"):
            got = case.prim.scalar(NumPyScalars, *(x[at] for x in shared), *extra)
        got = want.dtype.type(got) if case.prim.name == "truncate" else got  # the namespace knows the dtype
        eps = np.finfo(want.dtype).eps if want.dtype.kind in "fc" else 0
        assert abs(got - want[at]) <= 4 * eps * abs(want[at]) if eps else got == want[at]


@rows(lambda case: has_expression(case) and smooth(case))
def test_the_scalar_expression_in_high_precision(case):
    want = np.asarray(case.prim(*case.operands, **case.params))
    shared = np.broadcast_arrays(*case.operands)
    extra = [case.params["n"]] if case.prim.name == "ipow" else []
    eps = np.finfo(want.dtype).eps
    for at in np.ndindex(want.shape):
        with mpmath.workdps(40):
            xs = [mpmath.mpmathify(x[at].item()) if x.dtype.kind in "fc" else bool(x[at]) for x in shared]
            got = case.prim.scalar(MpmathScalars, *xs, *extra)
            assert abs(got - mpmath.mpmathify(want[at].item())) <= 4 * eps * abs(got)


def test_every_elementwise_primitive_has_a_scalar_expression():
    # the sum over a mapped axis, derivatives by quadrature, and neighbours in the bits of numbers
    bare = {"collect", "sinc_derivative", "nextafter"}
    plain = {p.name for p in PRIMITIVES.values() if p.axes is ELEMENTWISE and p.scalar is None}
    special = {p.name for p in PRIMITIVES.values() if p.module.startswith("scisim.ops._special")}  # host steps
    assert plain - special <= bare
