"""A program of ordinary products that stands for one in which exact zeros win, for as long as no result is nan."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from scisim.compiler.native import NativeProgram
from scisim.compiler.passes import Guarded
from scisim.core.graph import Graph

ENOUGH = 3  # times that the exact program was needed, after which it runs at once


class GuardedProgram(NativeProgram):
    """Runs a guarded graph, and the exact one where the results cannot answer for it.

    Parameters
    ----------
    guard : Guarded
        From `passes.guarded`.
    exact : Graph
        What it was made of.
    """

    _needed = 0

    def __init__(self, guard: Guarded, exact: Graph) -> None:
        super().__init__(guard.graph, answering=guard.outputs)
        self._exact_graph = exact

    def gives(self) -> None:
        """Nothing: the results are looked at before they are given."""
        return None

    @cached_property
    def exact(self) -> NativeProgram:
        """The program that is always right."""
        built = self.built()
        assert isinstance(built, GuardedProgram)
        return NativeProgram(self._exact_graph) if built is self else built.exact

    def __call__(self, *args: Any) -> list[Any]:
        """Run on arrays."""
        if self._needed < ENOUGH:
            outs = super().__call__(*args)
            if not any(_has_nan(outs[k]) for k in self.plan.answering or ()):
                return outs
            self._needed += 1
        return self.exact(*args)


def _has_nan(x: Any) -> bool:
    with np.errstate(all="ignore"):
        return bool(np.isnan(np.sum(x))) and bool(np.isnan(x).any())
