"""Methods: how each steps by trial on arrays, and how a step that was accepted is repeated on values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError
from scisim.integrate._control import Control
from scisim.integrate._explicit import ExplicitSolver, explicit_error, explicit_polynomial, explicit_stages
from scisim.integrate._tableaux import TABLEAUX
from scisim.ops.arithmetic import absolute
from scisim.ops.select import maximum


@dataclass(frozen=True)
class Attempt:
    """A step that was tried: what would be carried on, its error in units of what is allowed, what is to be recorded,
    and the coefficients of its polynomial."""

    carry: tuple
    error: Any
    record: tuple
    coefficients: Any


class Method(ABC):
    """One method.

    Attributes
    ----------
    terms : int
        Degree of the polynomial on a step.
    """

    terms: int

    @abstractmethod
    def solver(self, f: Callable, control: Control, y: np.ndarray) -> Any:
        """A solver that finds its steps by trial."""

    @abstractmethod
    def begin(self, f: Callable, t: Any, y: Any) -> tuple:
        """What steps carry, the state first."""

    @abstractmethod
    def repeat(self, f: Callable, carry: tuple, t: Any, end: Any, record: tuple, dense: bool) -> tuple[tuple, Any]:
        """The step from ``t`` to ``end`` once more, with what was recorded: the new carry, and the polynomial."""

    @abstractmethod
    def attempt(self, f: Callable, carry: tuple, t: Any, end: Any, scale: Callable, dense: bool) -> Attempt:
        """A step of a given size, and how good it is."""

    @property
    @abstractmethod
    def order(self) -> int:
        """The order of the error estimate."""

    @property
    @abstractmethod
    def cost(self) -> int:
        """Evaluations of the function in an attempt."""

    def blank(self, n: int, dtype: Any) -> tuple:
        """Shapes and dtypes of what `attempt` records."""
        return ()

    def records(self, run: Any) -> tuple:
        """What was recorded, stacked over the steps."""
        return ()


class Explicit(Method):
    """An explicit Runge-Kutta pair."""

    def __init__(self, name: str) -> None:
        self.tableau = TABLEAUX[name]()
        self.terms = len(self.tableau.dense)

    def solver(self, f: Callable, control: Control, y: np.ndarray) -> ExplicitSolver:
        return ExplicitSolver(f, self.tableau, control, y)

    def begin(self, f: Callable, t: Any, y: Any) -> tuple:
        return y, f(t, y)

    def repeat(self, f: Callable, carry: tuple, t: Any, end: Any, record: tuple, dense: bool) -> tuple[tuple, Any]:
        y, h = carry[0], end - t
        new, ks = explicit_stages(f, self.tableau, t, h, end, y, carry[1])
        cs = explicit_polynomial(f, self.tableau, t, h, y, ks) if dense else None
        return (new, ks[self.tableau.stages]), cs

    def attempt(self, f: Callable, carry: tuple, t: Any, end: Any, scale: Callable, dense: bool) -> Attempt:
        y, h = carry[0], end - t
        new, ks = explicit_stages(f, self.tableau, t, h, end, y, carry[1])
        error = explicit_error(self.tableau, ks, scale(maximum(absolute(y), absolute(new))), h)
        cs = explicit_polynomial(f, self.tableau, t, h, y, ks) if dense else None
        return Attempt((new, ks[self.tableau.stages]), error, (), cs)

    @property
    def order(self) -> int:
        return self.tableau.order

    @property
    def cost(self) -> int:
        return self.tableau.stages


def method_of(who: str, name: Any, jac: Any) -> Method:
    """The method of a name."""
    if name in TABLEAUX:
        return Explicit(name)
    raise ArgumentError(f"{who}: method is {name!r}; expected one of {', '.join(sorted(TABLEAUX))}")
