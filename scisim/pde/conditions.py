"""Conditions at fixed values of some coordinates: initial values, boundary values, and equations of any kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scisim.core.checks import is_integer, is_real
from scisim.core.errors import ArgumentError, ArgumentTypeError
from scisim.pde.domain import Domain
from scisim.pde.equation import Arguments, Equation
from scisim.pde.term import Term, checked_weight, field_number, unknown_coordinate
from scisim.pde.values import text_of, value_of


class Condition:
    """A condition at fixed values of some coordinates: an equation that holds there.

    Parameters
    ----------
    equation : callable
        As that of a `Problem`: ``lambda u, t: u.x + u - ss.sin(t)``.
    at : mapping of str to float
        The coordinates that are fixed, such as ``{"x": 1.0}``.
    weight : float
        Of its term in the loss.
    points : int, optional
        How many points; by default a tenth of the equation's, and one where all coordinates are fixed.
    name : str, optional
        Of its term, in the history.

    Examples
    --------
    >>> from scisim import pde
    >>> robin = pde.Condition(lambda u: u.x + u, at={"x": 1.0}, weight=10.0)
    >>> pde.Problem(pde.Domain(x=(0, 1)), lambda u: u.xx, [robin]).terms[1].name
    'condition x=1'
    """

    kind = "condition"

    def __init__(
        self,
        equation: Callable,
        at: Mapping[str, float],
        weight: float = 1.0,
        points: int | None = None,
        name: str | None = None,
    ) -> None:
        if not callable(equation):
            raise ArgumentTypeError(
                f"{type(self).__name__}: equation is {equation!r}; expected a function of the fields"
            )
        if not isinstance(at, Mapping):
            raise ArgumentTypeError(
                f'{type(self).__name__}: at is {at!r}; expected coordinates with their values, as in at={{"x": 1.0}}'
            )
        if name is not None and not isinstance(name, str):
            raise ArgumentTypeError(f"{type(self).__name__}: name is {name!r}; expected a string")
        self.equation, self.at, self.name = equation, dict(at), name
        self._settle(weight, points)

    def _settle(self, weight: float, points: int | None) -> None:
        self.weight = checked_weight(type(self).__name__, weight)
        if points is not None and not is_integer(points, 1):
            raise ArgumentError(f"{type(self).__name__}: points is {points!r}; expected a positive integer")
        self.points = None if points is None else int(points)

    def __repr__(self) -> str:
        plain = {"weight": 1.0, "points": None, "name": None, "field": 0, "order": 0, "time": "t"}
        held = {("field" if k == "chosen" else k): v for k, v in vars(self).items()}
        at = held.pop("at", {}) if type(self) is not Condition else {}
        shown = {k: v for k, v in {**held, **at}.items() if k not in plain or v != plain[k]}
        return f"{self.who}({', '.join(f'{k}={text_of(v)}' for k, v in shown.items())})"

    @property
    def who(self) -> str:
        return type(self).__name__

    def residual(self, domain: Domain, fields: tuple[str, ...], at: Mapping[str, float]) -> Callable:
        """``residual(fields, coords)`` of this condition on a domain."""
        arguments = Arguments(f"{self.who}: equation", self.equation, domain.names)
        if len(arguments.others) != len(fields):
            raise ArgumentError(
                f"{self.who}: the equation takes {', '.join(arguments.others) or 'no field'}; expected one argument "
                f"for each field ({', '.join(fields)}), and coordinates ({', '.join(domain.names)})"
            )
        return arguments

    def place(self, domain: Domain) -> dict[str, float]:
        """The fixed coordinates on a domain, checked."""
        if not self.at:
            raise ArgumentError(f"{self.who}: no coordinate is fixed; say where it holds, as in x=-1")
        for name, value in self.at.items():
            low, high = domain.bounds(name) if name in domain.names else unknown_coordinate(self.who, name, domain)
            if not is_real(value):
                raise ArgumentTypeError(f"{self.who}: {name} is {value!r}; expected a number in ({low:g}, {high:g})")
            if not low <= value <= high:
                raise ArgumentError(
                    f"{self.who}: {name}={value!r} lies outside of the domain, {name} in ({low:g}, {high:g})"
                )
        return {name: float(value) for name, value in self.at.items()}

    def bind(self, domain: Domain, fields: tuple[str, ...]) -> Term:
        """The term of the loss on a domain."""
        at = self.place(domain)
        equation = Equation(self.who, domain, len(fields), self.residual(domain, fields, at))
        free = [n for n in domain.names if n not in at]
        name = self.name or f"{self.kind} {', '.join(f'{n}={v:g}' for n, v in at.items())}"
        return Term(name, self.weight, free, at, equation, self.points)


class Dirichlet(Condition):
    """A field has given values on a boundary.

    Parameters
    ----------
    value : number or callable
        A function of coordinates by name, such as ``lambda t: ss.sin(t)``.
    field : int or str
        Which field, by number or by the name it has in the equation.
    weight, points
        As for `Condition`.
    **at : float
        The boundary, such as ``x=-1``.

    Examples
    --------
    >>> from scisim import pde
    >>> domain = pde.Domain(t=(0, 1), x=(-1, 1))
    >>> pde.Problem(domain, lambda u: u.t - u.xx, [pde.Dirichlet(0.0, x=-1), pde.Dirichlet(lambda t: t, x=1)])
    Problem(Domain(t=(0, 1), x=(-1, 1)); fields u; partials xx, t; terms equation; dirichlet x=-1; dirichlet x=1)
    """

    kind = "dirichlet"

    def __init__(
        self, value: Any, field: int | str = 0, weight: float = 1.0, points: int | None = None, **at: float
    ) -> None:
        self.value, self.chosen, self.at, self.name = value, field, at, None
        self._settle(weight, points)

    def residual(self, domain: Domain, fields: tuple[str, ...], at: Mapping[str, float]) -> Callable:
        value, k = value_of(self.who, self.value, domain), field_number(self.who, self.chosen, fields)
        return lambda us, coords: self.quantity(us[k], domain, at) - value(coords)

    def quantity(self, u: Any, domain: Domain, at: Mapping[str, float]) -> Any:
        """What has the given value."""
        return u


class Neumann(Dirichlet):
    """The derivative of a field along the outward normal has given values on a boundary; see `Dirichlet`.

    Examples
    --------
    >>> from scisim import pde
    >>> pde.Problem(pde.Domain(x=(0, 1)), lambda u: u.xx, [pde.Neumann(2.0, x=0)]).terms[1].name
    'neumann x=0'
    """

    kind = "neumann"

    def place(self, domain: Domain) -> dict[str, float]:
        at = super().place(domain)
        (name, value), *more = at.items()
        if more or value not in domain.bounds(name):
            raise ArgumentError(
                f"Neumann: {self.at} is no side of the domain; fix one coordinate at one of its bounds, such as "
                f"{name}={domain.bounds(name)[0]:g}"
            )
        return at

    def quantity(self, u: Any, domain: Domain, at: Mapping[str, float]) -> Any:
        ((name, value),) = at.items()
        return u.d(name) if value == domain.bounds(name)[1] else -u.d(name)


class Initial(Dirichlet):
    """A field, or one of its derivatives in time, has given values at the start.

    Parameters
    ----------
    value : number or callable
    order : int
        Order of the derivative in time: 0 the field, 1 its velocity.
    time : str
        Name of the coordinate that is time.
    field, weight, points
        As for `Dirichlet`.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import pde
    >>> wave = [pde.Initial(lambda x: ss.sin(x)), pde.Initial(0.0, order=1)]
    >>> [term.name for term in pde.Problem(pde.Domain(t=(0, 1), x=(0, 1)), lambda u: u.tt - u.xx, wave).terms]
    ['equation', 'initial t=0', 'initial t=0 2']
    """

    kind = "initial"

    def __init__(
        self,
        value: Any,
        order: int = 0,
        time: str = "t",
        field: int | str = 0,
        weight: float = 1.0,
        points: int | None = None,
    ) -> None:
        if isinstance(order, bool) or not isinstance(order, int) or order < 0:
            raise ArgumentError(f"Initial: order is {order!r}; expected an integer of at least 0")
        super().__init__(value, field, weight, points)
        self.order, self.time = order, time

    def place(self, domain: Domain) -> dict[str, float]:
        if self.time not in domain.names:
            raise ArgumentError(
                f"Initial: there is no coordinate {self.time!r}; the coordinates are {', '.join(domain.names)}; name "
                f"the one that is time, as in time={domain.names[0]!r}"
            )
        return {self.time: domain.bounds(self.time)[0]}

    def quantity(self, u: Any, domain: Domain, at: Mapping[str, float]) -> Any:
        return u.d(*[self.time] * self.order) if self.order else u
