"""Rows for integration: solvers of differential equations, quadrature, and what they are made of."""

from __future__ import annotations

from typing import Any

from scisim.autodiff._pinned import pinned_call
from scisim.core.tensor import Tensor, wrap
from tests.rules.cases import Case, array, primitive


def _pinned(x: Tensor) -> Tensor:
    """The values and the derivatives of a square by two ways."""
    return wrap(pinned_call(lambda v: (v * v,), lambda v: (v * v,), x._v)[0])


WEIGHTS = {"params": {"weights": (0.5, 2.0, 0.25)}}


def pinned_row(tag: str, *operands: Any) -> Case:
    return Case(f"pinned call{tag}", ("prim:pinned_call",), _pinned, operands)


ROWS = [
    primitive("weighted_sum", *(array(3, seed=k) for k in range(3)), **WEIGHTS),
    primitive("weighted_sum", *(array(3, seed=k, kind="c") for k in range(3)), **WEIGHTS),
    primitive("weighted_sum", array(2, 3), array(3, seed=1), array(1, seed=2), tag="broadcast", **WEIGHTS),
    pinned_row("", array(3)),
    pinned_row(" complex", array(3, kind="c")),
]
EXEMPT: dict[str, dict[str, str]] = {}
