"""The steps of a program, in the order in which they run; those with bodies hold steps themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from scisim.compiler.lower.calls import Call
from scisim.compiler.lower.layout import View
from scisim.compiler.lower.values import Values
from scisim.core.graph import Equation, Graph


@dataclass
class Region:
    """Kernel calls that run tile by tile over an axis; an extent of 0 is no axis: they run once."""

    calls: list[Call]
    extent: int = 0
    tile: int = 0
    parallel: bool = False


@dataclass
class Host:
    """An equation that runs in Python on arrays.

    Attributes
    ----------
    args : list of View or None
        None for constants.
    slots : list of int or None
        Where the addresses of its results go; None for results that are written or copied to a place.
    into : list of View or None
        That place.
    drops : list of int
        Slots of results of others that are not needed any more.
    """

    equation: Equation
    args: list[View | None]
    slots: list[int | None]
    into: list[View | None]
    drops: list[int] = field(default_factory=list)


@dataclass
class Point:
    """A slot comes to hold the address of a view, so many bytes on."""

    slot: int
    view: View
    offset: int = 0


@dataclass
class Load:
    """A slot comes to hold the address that is stored in a view."""

    slot: int
    view: View


@dataclass
class Swap:
    """Two slots exchange what they hold."""

    first: int
    second: int


@dataclass
class Advance:
    """A slot's address moves by so many bytes."""

    slot: int
    by: int


@dataclass
class For:
    """A body that runs a number of times."""

    count: int
    body: list[Step]


@dataclass
class While:
    """A test and, as long as it leaves a byte that is not 0, a body."""

    predicate: View
    test: list[Step]
    body: list[Step]


@dataclass
class Cond:
    """The first body where a byte is not 0, else the second."""

    predicate: View
    first: list[Step]
    second: list[Step]


Step = Region | Host | Point | Load | Swap | Advance | For | While | Cond


@dataclass
class Lowered:
    """A program before it has addresses."""

    graph: Graph
    values: Values
    steps: list[Step] = field(default_factory=list)
    arena_bytes: int = 0
    tile_bytes: int = 0

    def every(self) -> Iterator[Step]:
        """All steps, those of bodies included."""
        yield from every(self.steps)


def bodies(step: Step) -> list[list[Step]]:
    """What a step runs, in order."""
    if isinstance(step, For):
        return [step.body]
    if isinstance(step, While):
        return [step.test, step.body]
    return [step.first, step.second] if isinstance(step, Cond) else []


def every(steps: list[Step]) -> Iterator[Step]:
    """Steps and all those inside of them."""
    for s in steps:
        yield s
        for body in bodies(s):
            yield from every(body)
