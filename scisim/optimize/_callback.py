"""Callbacks of solvers."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from scisim.core.errors import ArgumentTypeError
from scisim.optimize._layout import Layout
from scisim.optimize._result import OptimizeResult, plain, tensor


class Teller:
    """Tells a user's function of every iteration."""

    def __init__(self, who: str, callback: Callable, layout: Layout) -> None:
        self.who, self.callback, self.layout = who, callback, layout
        try:
            names = list(inspect.signature(callback).parameters)
        except (TypeError, ValueError):
            names = []
        self.whole = names == ["intermediate_result"]

    def of(self, method: str) -> Callable:
        """The function that solvers call with their state; true ends them."""

        def each(state: Any) -> bool:
            x = state.xs[0] if hasattr(state, "xs") else state.x
            f = state.fs[0] if hasattr(state, "fs") else getattr(state, "f", None)
            tree = self.layout.tree(x)
            try:
                if self.whole:
                    entries = {"x": tree, "nit": plain(state.nit), "status": 0}
                    entries |= {} if f is None else {"fun": tensor(f)}
                    self.callback(OptimizeResult(entries, self.who))
                else:
                    return self.callback(tree) is True
            except StopIteration:
                return True
            return False

        return each


def teller(who: str, callback: Any, layout: Layout) -> Teller | None:
    if callback is None:
        return None
    if not callable(callback):
        raise ArgumentTypeError(
            f"{who}: callback is {type(callback).__name__} {callback!r:.40}; expected a function of x"
        )
    return Teller(who, callback, layout)
