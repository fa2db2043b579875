"""Methods: how each steps by trial on arrays, and how a step that was accepted is repeated on values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError
from scisim.integrate import _collocation as collocation
from scisim.integrate._bdf import ROWS, BDFSolver, repeated, stacked
from scisim.integrate._control import Control
from scisim.integrate._explicit import ExplicitSolver, explicit_error, explicit_polynomial, explicit_stages, norm
from scisim.integrate._jacobian import Jacobian, given_or_differentiated
from scisim.integrate._radau import RadauSolver, newton_tolerance
from scisim.integrate._rosenbrock import RodasSolver, prepared_slope, rodas_step, slope_in_time
from scisim.integrate._tableaux import TABLEAUX
from scisim.ops.arithmetic import absolute
from scisim.ops.select import maximum
from scisim.ops.shape import concat, reshape


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
    def attempt(self, f: Callable, carry: tuple, t: Any, end: Any, control: Control, dense: bool) -> Attempt:
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

    def attempt(self, f: Callable, carry: tuple, t: Any, end: Any, control: Control, dense: bool) -> Attempt:
        y, h = carry[0], end - t
        new, ks = explicit_stages(f, self.tableau, t, h, end, y, carry[1])
        error = explicit_error(self.tableau, ks, control.scale(maximum(absolute(y), absolute(new))), h)
        cs = explicit_polynomial(f, self.tableau, t, h, y, ks) if dense else None
        return Attempt((new, ks[self.tableau.stages]), error, (), cs)

    @property
    def order(self) -> int:
        return self.tableau.order

    @property
    def cost(self) -> int:
        return self.tableau.stages


class Radau(Method):
    """Collocation at the three Radau points."""

    terms, order, cost = 3, 3, 3 * 6  # evaluations inside programs, of which the number is not counted there

    def __init__(self, who: str, system: Any, jac: Any) -> None:
        self.who, self.system, self.jac = who, system, jac

    def solver(self, f: Callable, control: Control, y: np.ndarray) -> RadauSolver:
        return RadauSolver(f, Jacobian(self.who, f, self.jac, self.system), control, y)

    def begin(self, f: Callable, t: Any, y: Any) -> tuple:
        return (y,)

    def records(self, run: Any) -> tuple:
        return (np.stack(run.records),)

    def repeat(self, f: Callable, carry: tuple, t: Any, end: Any, record: tuple, dense: bool) -> tuple[tuple, Any]:
        (y,) = carry
        z = collocation.increments_again(f, y, t, end - t, record[0])
        return (y + z[2],), collocation.polynomial_of(z) if dense else None

    def attempt(self, f: Callable, carry: tuple, t: Any, end: Any, control: Control, dense: bool) -> Attempt:
        (y,) = carry
        jacobian = given_or_differentiated(self.system, self.jac, f)
        tol = newton_tolerance(control)
        z, error = collocation.attempt(f, jacobian, y, f(t, y), t, end, tol, control.scale)
        return Attempt((y + z[2],), error, (z,), collocation.polynomial_of(z) if dense else None)

    def blank(self, n: int, dtype: Any) -> tuple:
        return (((3, n), dtype),)


class BDF(Method):
    """Backward differentiation of variable order."""

    terms, order, cost = 5, 1, 0

    def __init__(self, who: str, system: Any, jac: Any) -> None:
        self.who, self.system, self.jac = who, system, jac

    def solver(self, f: Callable, control: Control, y: np.ndarray) -> BDFSolver:
        return BDFSolver(f, Jacobian(self.who, f, self.jac, self.system), control, y)

    def begin(self, f: Callable, t: Any, y: Any) -> tuple:
        rest = np.zeros((ROWS - 2, *y.shape), y.dtype)
        return y, concat([reshape(y, (1, *y.shape)), reshape(f(t, y), (1, *y.shape)), rest], 0)

    def records(self, run: Any) -> tuple:
        return stacked(run.records, run.states[0].real.dtype if run.states else None)

    def repeat(self, f: Callable, carry: tuple, t: Any, end: Any, record: tuple, dense: bool) -> tuple[tuple, Any]:
        D, cs = repeated(f, carry[1], t, end, record, dense)
        return (D[0], D), cs

    def attempt(self, f: Callable, carry: tuple, t: Any, end: Any, control: Control, dense: bool) -> Attempt:
        raise ArgumentError(
            f"{self.who}: method='BDF' chooses orders from values, which are not known inside jit and vmap; use "
            f"method='Radau' there"
        )


class Rodas(Method):
    """The Rosenbrock method RODAS."""

    terms, order, cost = 3, 3, 6

    def __init__(self, who: str, system: Any, jac: Any) -> None:
        self.who, self.system, self.jac = who, system, jac

    def solver(self, f: Callable, control: Control, y: np.ndarray) -> RodasSolver:
        jacobian = Jacobian(self.who, f, self.jac, self.system)
        return RodasSolver(f, jacobian, prepared_slope(self.system), control, y)

    def begin(self, f: Callable, t: Any, y: Any) -> tuple:
        return (y,)

    def _stepped(self, f: Callable, y: Any, t: Any, end: Any, dense: bool) -> tuple:
        J = given_or_differentiated(self.system, self.jac, f)(t, y)
        return rodas_step(f, J, slope_in_time(f, t, y), t, end, y, dense)

    def repeat(self, f: Callable, carry: tuple, t: Any, end: Any, record: tuple, dense: bool) -> tuple[tuple, Any]:
        new, _, cs = self._stepped(f, carry[0], t, end, dense)
        return (new,), cs

    def attempt(self, f: Callable, carry: tuple, t: Any, end: Any, control: Control, dense: bool) -> Attempt:
        new, error, cs = self._stepped(f, carry[0], t, end, dense)
        scale = control.scale(maximum(absolute(carry[0]), absolute(new)))
        return Attempt((new,), norm(error / scale), (), cs)


IMPLICIT: dict[str, Any] = {"Radau": Radau, "BDF": BDF, "Rodas": Rodas}


def method_of(who: str, name: Any, system: Any, jac: Any) -> Method:
    """The method of a name."""
    if name in TABLEAUX:
        return Explicit(name)
    if name in IMPLICIT:
        return IMPLICIT[name](who, system, jac)
    raise ArgumentError(f"{who}: method is {name!r}; expected one of {', '.join((*TABLEAUX, *IMPLICIT))}")
