"""Conditions: what is known of a solution at a time, on a boundary, or at points, each a weighted term of the loss."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.core.tensor import concrete_array
from scisim.pde.domain import Domain
from scisim.pde.equation import Arguments, Equation


class Term:
    """One term of a loss: the mean over points of the sum of squared residuals, times a weight.

    Attributes
    ----------
    name : str
    weight : float
    free : tuple of str
        Coordinates that are sampled.
    fixed : dict of str to float
        The others, and their values.
    points : int or None
        How many points were asked for.
    data : tuple of arrays, or None
        Points that are given, one array a coordinate, and values at them.
    """

    def __init__(
        self,
        name: str,
        weight: float,
        free: Sequence[str],
        fixed: Mapping[str, float],
        residuals: Callable,
        points: int | None = None,
        data: tuple[np.ndarray, ...] | None = None,
    ) -> None:
        self.name, self.weight = name, checked_weight(name, weight)
        self.free, self.fixed, self.points, self.data = tuple(free), dict(fixed), points, data
        self.residuals = residuals  # residuals(field, arrays), a list

    def renamed(self, name: str) -> Term:
        """The same term with another name."""
        return Term(name, self.weight, self.free, self.fixed, self.residuals, self.points, self.data)

    def coordinates(self, domain: Domain, unit_points: np.ndarray) -> list[np.ndarray]:
        """One array for each coordinate of the domain, from points of the unit cube of the free ones."""
        face = domain.face(self.free)
        columns = dict(zip(self.free, face.scale(unit_points).T, strict=True)) if face else {}
        n = len(unit_points)
        return [np.ascontiguousarray(columns.get(a, np.full(n, self.fixed.get(a, 0.0)))) for a in domain.names]

    def describe(self) -> dict[str, Any]:
        """Plain data that tell terms apart."""
        equation: Any = getattr(self.residuals, "equation", self.residuals)
        out: dict[str, Any] = {"at": self.fixed, "partials": equation.partials}
        out["sample"] = [f"{z:.10g}" for z in equation.sample]
        if self.data is not None:
            out["data"] = [len(self.data[0]), *(f"{np.sum(np.abs(a)):.10g}" for a in self.data)]
        return out


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
        self.equation, self.at, self.name = equation, dict(at), name
        self._settle(weight, points)

    def _settle(self, weight: float, points: int | None) -> None:
        self.weight = checked_weight(type(self).__name__, weight)
        if points is not None and (isinstance(points, bool) or not isinstance(points, int) or points < 1):
            raise ArgumentError(f"{type(self).__name__}: points is {points!r}; expected a positive integer")
        self.points = points

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
            low, high = domain.bounds(name) if name in domain.names else _unknown(self.who, name, domain)
            if not (isinstance(value, (int, float)) and low <= value <= high):
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
        value, k = _value(self.who, self.value, domain), _number(self.who, self.chosen, fields)
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


class Periodic(Condition):
    """All fields, and their derivatives up to an order, are equal at both ends of a coordinate.

    Parameters
    ----------
    coordinate : str
    order : int
        The highest derivative that is compared.
    weight, points
        As for `Condition`.

    Examples
    --------
    >>> from scisim import pde
    >>> problem = pde.Problem(pde.Domain(t=(0, 1), x=(-1, 1)), lambda u: u.t + u.x, [pde.Periodic("x")])
    >>> problem.terms[1].name
    'periodic x'
    """

    def __init__(self, coordinate: str, order: int = 1, weight: float = 1.0, points: int | None = None) -> None:
        if isinstance(order, bool) or not isinstance(order, int) or order < 0:
            raise ArgumentError(f"Periodic: order is {order!r}; expected an integer of at least 0")
        self.coordinate, self.order = coordinate, order
        self._settle(weight, points)

    def bind(self, domain: Domain, fields: tuple[str, ...]) -> Term:
        a = self.coordinate
        low, high = domain.bounds(a) if a in domain.names else _unknown("Periodic", a, domain)
        where, orders = domain.names.index(a), range(1, self.order + 1)
        equation = Equation(
            "Periodic",
            domain,
            len(fields),
            lambda us, coords: [+v for u in us for v in (u, *(u.d(*[a] * k) for k in orders))],
        )

        def residuals(field: Callable, coords: Sequence[Any]) -> list:
            ends = [[*coords[:where], coords[where] * 0.0 + end, *coords[where + 1 :]] for end in (low, high)]
            return [p - q for p, q in zip(*(equation(field, end) for end in ends), strict=True)]

        residuals.equation = equation  # type: ignore[attr-defined]
        free = [n for n in domain.names if n != a]
        return Term(f"periodic {a}", self.weight, free, {a: low}, residuals, self.points)


class Data(Condition):
    """Measured or computed values of a field at given points.

    Parameters
    ----------
    points : array_like of shape (n, d), or mapping of coordinate names to arrays of shape (n,)
    values : array_like of shape (n,)
    field : int or str
    weight : float

    Raises
    ------
    ShapeError
        If there are not as many values as points.

    Examples
    --------
    >>> from scisim import pde
    >>> data = pde.Data({"x": [0.0, 0.5]}, [1.0, 2.0])
    >>> pde.Problem(pde.Domain(x=(0, 1)), lambda u: u.xx, [data]).terms[1].name
    'data'
    """

    def __init__(self, points: Any, values: Any, field: int | str = 0, weight: float = 1.0) -> None:
        self.given, self.values, self.chosen = points, concrete_array(values, "Data"), field
        self._settle(weight, None)

    def bind(self, domain: Domain, fields: tuple[str, ...]) -> Term:
        k = _number("Data", self.chosen, fields)
        arrays = (*self._columns(domain), self.values)
        equation = Equation("Data", domain, len(fields), lambda us, coords: +us[k])

        def residuals(field: Callable, given: Sequence[Any]) -> list:
            return [equation(field, given[:-1])[0] - given[-1]]

        residuals.equation = equation  # type: ignore[attr-defined]
        return Term("data", self.weight, domain.names, {}, residuals, len(self.values), arrays)

    def _columns(self, domain: Domain) -> list[np.ndarray]:
        if isinstance(self.given, Mapping):
            if set(self.given) != set(domain.names):
                raise ArgumentError(
                    f"Data: points name {', '.join(map(str, self.given))}; expected {', '.join(domain.names)}"
                )
            columns = [concrete_array(self.given[n], "Data") for n in domain.names]
        else:
            table = concrete_array(self.given, "Data")
            if table.ndim != 2 or table.shape[1] != domain.dim:
                raise ShapeError(
                    f"Data: points of shape {table.shape}; expected (n, {domain.dim}) for {', '.join(domain.names)}"
                )
            columns = [np.ascontiguousarray(c) for c in table.T]
        if self.values.ndim != 1 or not self.values.size or any(c.shape != self.values.shape for c in columns):
            raise ShapeError(
                f"Data: {', '.join(str(c.shape) for c in columns)} points and values of shape {self.values.shape}; "
                f"expected one value a point"
            )
        return columns


def checked_weight(who: str, weight: Any) -> float:
    """A weight in a loss: a finite number of at least 0."""
    if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not (math.isfinite(weight) and weight >= 0):
        raise ArgumentError(f"{who}: weight is {weight!r}; expected a finite number of at least 0")
    return float(weight)


def _unknown(who: str, name: str, domain: Domain) -> Any:
    raise ArgumentError(f"{who}: there is no coordinate {name!r}; the coordinates are {', '.join(domain.names)}")


def _number(who: str, field: int | str, fields: tuple[str, ...]) -> int:
    if field in fields:
        return fields.index(field)  # type: ignore[arg-type]
    if isinstance(field, int) and not isinstance(field, bool) and 0 <= field < len(fields):
        return field
    raise ArgumentError(f"{who}: there is no field {field!r}; the fields are {', '.join(fields)}")


def _value(who: str, value: Any, domain: Domain) -> Callable:
    """A condition's value as a function of all coordinates."""
    if not callable(value):
        if not isinstance(value, (int, float, complex, np.generic)):
            raise ArgumentTypeError(
                f"{who}: value is {value!r}; expected a number, or a function such as lambda x: ..."
            )
        return lambda coords: value
    arguments = Arguments(f"{who}: value", value, domain.names)
    if arguments.others:
        raise ArgumentError(
            f"{who}: the value depends on {', '.join(arguments.others)}; the coordinates are {', '.join(domain.names)}"
        )
    return lambda coords: arguments((), coords)
