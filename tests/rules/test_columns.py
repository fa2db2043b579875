"""Every function with all kinds of operands: complex, empty, 0-d, broadcast, strided in any way."""

from __future__ import annotations

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.tensor import Tensor
from tests.rules import columns
from tests.rules.cases import Case
from tests.rules.table import TABLE
from tests.rules.test_rules import EPS, close, rows, smooth


def strided(x: np.ndarray) -> list[np.ndarray]:
    """The same numbers with strides of all kinds."""
    x = np.asarray(x)
    if not x.ndim:
        return [x]
    wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
    wide[..., ::2] = x
    return [wide[..., ::2], np.asfortranarray(x), np.ascontiguousarray(x[::-1])[::-1]]


@rows(lambda case: case.operands)
def test_strides_do_not_matter(case):
    want = case.outputs(*case.tensors)
    for k in range(3):
        args = [strided(x)[k if np.ndim(x) else 0] for x in case.operands]
        for x in args:
            x.flags.writeable = False
        for y, w in zip(case.outputs(*(Tensor(x, copy=False) for x in args)), want, strict=True):
            close(y, w, 64 * EPS if w.dtype.itemsize > 4 else 1e-6)


def test_every_function_shows_every_column_or_says_why_not():
    gaps = {
        f"{name}: {kind}" for name, cells in columns.of_function().items() for kind, cell in cells.items() if not cell
    }
    assert not gaps, f"add rows with such operands, or a reason to EXEMPT, for {sorted(gaps)}"


def test_reasons_are_for_functions_that_exist():
    known = set(columns.of_function()) | {"*"}
    assert set(columns.EXEMPT) <= known, sorted(set(columns.EXEMPT) - known)


# --- elementwise functions, whose shapes are all alike ---------------------------------------------------------------
def elementwise_rows() -> list[Case]:
    """The first row of each elementwise function."""
    first: dict[str, Case] = {}
    for case in TABLE:
        for name in case.covers:
            if name.startswith("op:") and columns.elementwise(name):
                first.setdefault(name, case)
    return list({id(c): c for c in first.values()}.values())


ELEMENTWISE_ROWS = elementwise_rows()
elementwise = pytest.mark.parametrize("case", ELEMENTWISE_ROWS, ids=[c.name for c in ELEMENTWISE_ROWS])


def flat(case: Case, count: int) -> list[np.ndarray]:
    return [
        np.broadcast_to(x, np.broadcast_shapes(*map(np.shape, case.operands))).ravel()[:count] for x in case.operands
    ]


def derivative_of(case: Case, args: list) -> list:
    """Value and the derivative along ones."""
    f = lambda *xs: case.outputs(*xs)[0]
    if not smooth(case):
        return [f(*args)]
    vs = tuple(ss.ones_like(x) if x.dtype.kind in "fc" else None for x in args)
    return list(ad.jvp(f, tuple(args), vs))


@elementwise
def test_elementwise_functions_of_all_shapes(case):
    xs = flat(case, 2)
    want = derivative_of(case, list(map(Tensor, xs)))
    scalars = derivative_of(case, [Tensor(x[0]) for x in xs])
    for y, w in zip(scalars, want, strict=True):
        assert y.shape == ()
        close(y, np.asarray(w)[0], 8 * EPS)
    for shape in ((0,), (2, 0, 3)):
        nothing = [Tensor(np.zeros(shape, x.dtype)) for x in xs]
        for run in (lambda f: f, ss.jit):
            outs = run(lambda *args: tuple(derivative_of(case, list(args))))(*nothing)
            assert [(y.shape, y.dtype) for y in outs] == [(shape, w.dtype) for w in want]
        if smooth(case):
            grads = ad.grad(lambda *a: ss.sum(ss.real(case.outputs(*a)[0])), tuple(case.inexact))(*nothing)
            assert [g.shape for g in grads] == [shape] * len(grads)


@pytest.mark.parametrize("case", [c for c in ELEMENTWISE_ROWS if len(c.operands) > 1], ids=lambda c: c.name)
def test_elementwise_functions_broadcast(case):
    xs = flat(case, 3)
    ys = [np.repeat(x[:, None], 3, 1) if k == 0 else np.repeat(x[None], len(x), 0)[:, :3] for k, x in enumerate(xs)]
    ys = [y[:, : len(xs[0])] for y in ys]
    short = [Tensor(x[:, None] if k == 0 else x) for k, x in enumerate(xs)]
    got, want = case.outputs(*short)[0], case.outputs(*map(Tensor, ys))[0]
    np.testing.assert_array_equal(np.asarray(got), np.asarray(want))
    if smooth(case):
        loss = lambda *a: ss.sum(ss.real(case.outputs(*a)[0]))
        wide = ad.grad(loss, tuple(case.inexact))(*map(Tensor, ys))
        for k, g, w in zip(case.inexact, ad.grad(loss, tuple(case.inexact))(*short), wide, strict=True):
            close(g, np.asarray(w).sum(1, keepdims=True) if k == 0 else np.asarray(w).sum(0), 64 * EPS)


def test_the_page_of_the_documentation_shows_this_table():
    from docs.make_rule_table import PAGE, page

    assert PAGE.read_text(encoding="utf-8") == page(), "run python docs/make_rule_table.py"
