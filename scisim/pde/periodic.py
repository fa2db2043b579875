"""Periodicity as a condition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scisim.core.errors import ArgumentError
from scisim.pde.conditions import Condition
from scisim.pde.domain import Domain
from scisim.pde.equation import Equation
from scisim.pde.term import Term, unknown_coordinate


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
        low, high = domain.bounds(a) if a in domain.names else unknown_coordinate("Periodic", a, domain)
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
