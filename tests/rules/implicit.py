"""Rows for values that are defined by equations."""

from __future__ import annotations

from typing import Any

import scisim as ss
from scisim import autodiff as ad
from scisim.ops.flow import iterate
from tests.rules.cases import Case, array


def repeat(step: Any, x: Any, count: int) -> Any:
    return iterate(lambda c: c[1] < count, lambda c: (step(c[0]), c[1] + 1), (x, ss.asarray(0)))[0]


def halving(f: Any, x: Any, *args: Any) -> Any:
    return repeat(lambda x: x - 0.5 * f(x, *args), x, 80)


def row(tag: str, call: Any, *operands: Any) -> Case:
    covers = ("prim:implicit_root",)
    return Case(f"implicit {tag}", covers, call, operands, order=5)


def cubic(how: Any, conjugate: bool = False) -> Any:
    """x + x^3 / 5 = a, elementwise."""
    f = lambda x, a: x + 0.2 * x * x * (ss.conj(x) if conjugate else x) - a
    return lambda a: ad.implicit_root(f, halving, how)(ss.zeros_like(a), a)


def richardson(matvec: Any, b: Any) -> Any:
    return repeat(lambda x: x + 0.5 * (b - matvec(x)), ss.zeros_like(b), 36)


def product(a: Any, x: Any) -> Any:
    return 2.0 * x + ss.matmul(a, x) / 8.0


ROWS = [
    row("root by a matrix", cubic("dense"), array(3)),
    row("root of a complex equation that is not holomorphic", cubic("dense", True), array(3, kind="c")),
    row("root by a diagonal", cubic("elementwise"), array(2, 2)),
    row("root without a matrix", cubic(lambda matvec, r: richardson(matvec, r)), array(3, low=0.3, high=0.7)),
    row(
        "linear solve",
        lambda a, b: ad.linear_solve(lambda x: product(a, x), b, richardson),
        array(3, 3, high=0.6),
        array(3, seed=1),
    ),
    row(
        "linear solve with a hermitian operator",
        lambda a, b: ad.linear_solve(lambda x: product(a + ss.conj(a.mT), x), b, richardson, symmetric=True),
        array(3, 3, kind="c", high=0.5),
        array(3, seed=1, kind="c"),
    ),
]
