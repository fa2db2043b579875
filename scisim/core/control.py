"""A choice between two computations that core and autodiff may make; `ops.control` provides it inside a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.values import Traced

captured_choice: list[Callable] = []


def holds(condition: Any) -> bool | None:
    """Whether any element of a condition holds; None where nobody knows, as in a captured graph."""
    while isinstance(condition, Traced) and condition.lower is not None:
        condition = condition.lower
    return condition.trace.any(condition) if isinstance(condition, Traced) else bool(np.any(condition))


def choose(condition: Any, rare: Callable, usual: Callable, *operands: Any) -> tuple:
    """``rare(*operands)`` where any element of ``condition`` holds, else ``usual(*operands)``; both give tuples.

    Python decides where the values are known; in a captured graph it is a conditional, of which one branch runs.
    """
    known = holds(condition)
    if known is not None:
        return (rare if known else usual)(*operands)
    return captured_choice[0](condition, rare, usual, *operands)
