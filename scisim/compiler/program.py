"""An interpreter for captured graphs: operands are slots of a list, let go after their last use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from scisim.core.errors import ScisimError
from scisim.core.graph import Equation, Graph, Var, make_program
from scisim.core.source import note

# Primitives that compute no numbers, so that NumPy has nothing to warn of; to silence it takes as long as one of them.
SILENT = frozenset(
    ("argmax", "argmin", "argsort", "broadcast", "concat", "gather", "read", "reshape", "sort", "transpose")
)


class Program:
    """A graph made ready to run on arrays.

    Parameters
    ----------
    graph : Graph
    told : bool
        Whether errors tell of the equation and its line.
    """

    def __init__(self, graph: Graph, told: bool = False) -> None:
        slots: dict[Any, int] = {}
        self.frame: list[Any] = []

        def slot(v: Any) -> int:
            if isinstance(v, Var):
                if v not in slots:
                    slots[v] = len(self.frame)
                    self.frame.append(None)
                return slots[v]
            self.frame.append(v)
            return len(self.frame) - 1

        self.inputs = [slot(v) for v in graph.inputs]
        steps = [
            (run, eq.prim.multiple, [slot(a) for a in eq.args], eq.params, [slot(v) for v in eq.outs])
            for run, eq in zip(map(_told, graph.equations) if told else _runners(graph), graph.equations, strict=True)
        ]
        self.outputs = [slot(v) for v in graph.outputs]
        self.steps = _with_ends(steps, set(slots.values()) - set(self.outputs))
        self.alone = self._alone()
        self.silent = all(eq.prim.name in SILENT for eq in graph.equations)

    def _alone(self) -> Any:
        """The one step, where it takes the inputs and gives the outputs."""
        if len(self.steps) != 1:
            return None
        run, ins, params, outs, multiple, _ = self.steps[0]
        return (run, params, multiple) if ins == self.inputs and outs == self.outputs else None

    def __call__(self, *args: Any) -> list:
        """Run on arrays."""
        if self.silent:
            return self._results(args)
        with np.errstate(all="ignore"):
            return self._results(args)

    def _results(self, args: Sequence[Any]) -> list:
        if self.alone is not None:
            run, params, multiple = self.alone
            result = run(*args, **params)
            return list(result) if multiple else [result]
        frame = self.frame.copy()
        for k, a in zip(self.inputs, args, strict=True):
            frame[k] = a
        for evaluate, ins, params, outs, multiple, ends in self.steps:
            result = evaluate(*[frame[k] for k in ins], **params)
            if multiple:
                for k, r in zip(outs, result, strict=True):
                    frame[k] = r
            else:
                frame[outs[0]] = result
            for k in ends:
                frame[k] = None
        return [frame[k] for k in self.outputs]


def _runners(graph: Graph) -> Iterator[Callable]:
    """What runs each equation: evaluation on arrays, or dispatch once a value may be in parts."""
    spread = False
    for eq in graph.equations:
        yield eq.prim if spread else eq.prim.evaluate
        spread = spread or eq.prim.spreads


def _told(eq: Equation) -> Callable:
    """Evaluation of an equation; an error is told of its line."""

    def run(*args: Any, **params: Any) -> Any:
        try:
            return eq.prim.evaluate(*args, **params)
        except ScisimError as error:
            note(error, f"in {eq.prim.name}", eq.source, recorded=True)
            raise

    return run


def _with_ends(steps: list, temporary: set[int]) -> list:
    """Each step with the slots that are not needed after it."""
    seen: set[int] = set()
    out = []
    for run, multiple, ins, params, outs in reversed(steps):
        ends = tuple({k for k in [*ins, *outs] if k in temporary and k not in seen})
        seen.update(ends)
        out.append((run, ins, params, outs, multiple, ends))
    return out[::-1]


make_program.append(Program)
