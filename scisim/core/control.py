"""A choice between two computations that core and autodiff may make; `ops.control` provides it inside a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.values import Traced

captured_choice: list[Callable] = []


def choose(condition: Any, rare: Callable, usual: Callable, *operands: Any) -> tuple:
    """``rare(*operands)`` where any element of ``condition`` holds, else ``usual(*operands)``; both give tuples.

    Python decides where the values are known; in a captured graph it is a conditional, of which one branch runs.
    """
    inner = condition
    while isinstance(inner, Traced) and inner.lower is not None:
        inner = inner.lower
    known = inner.trace.any(inner) if isinstance(inner, Traced) else bool(np.any(inner))
    if known is not None:
        return (rare if known else usual)(*operands)
    return captured_choice[0](condition, rare, usual, *operands)
