"""Terms of a loss, and what is checked of those who make them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from scisim.core.checks import is_finite
from scisim.core.errors import ArgumentError
from scisim.pde.domain import Domain


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

    def __repr__(self) -> str:
        where = "".join(f", {n}={v:g}" for n, v in self.fixed.items())
        return f"Term({self.name!r}, weight={self.weight:g}{where})"


def checked_weight(who: str, weight: Any) -> float:
    """A weight in a loss: a finite number of at least 0."""
    if not (is_finite(weight) and weight >= 0):
        raise ArgumentError(f"{who}: weight is {weight!r}; expected a finite number of at least 0")
    return float(weight)


def unknown_coordinate(who: str, name: str, domain: Domain) -> Any:
    """Refuse a coordinate that a domain does not have."""
    raise ArgumentError(f"{who}: there is no coordinate {name!r}; the coordinates are {', '.join(domain.names)}")


def field_number(who: str, field: int | str, fields: tuple[str, ...]) -> int:
    """The number of a field given by number or name."""
    if field in fields:
        return fields.index(field)  # type: ignore[arg-type]
    if isinstance(field, int) and not isinstance(field, bool) and 0 <= field < len(fields):
        return field
    raise ArgumentError(f"{who}: there is no field {field!r}; the fields are {', '.join(fields)}")
