"""Given values at points as a condition."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.tensor import concrete_array
from scisim.pde.conditions import Condition
from scisim.pde.domain import Domain
from scisim.pde.equation import Equation
from scisim.pde.term import Term, field_number


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
        k = field_number("Data", self.chosen, fields)
        columns, complex_values = self._columns(domain), self.values.dtype.kind == "c"
        parts = (self.values.real, self.values.imag) if complex_values else (self.values,)  # tables are real
        equation = Equation("Data", domain, len(fields), lambda us, coords: +us[k])

        def residuals(field: Callable, given: Sequence[Any]) -> list:
            coords, values = given[: len(columns)], given[len(columns) :]
            u = equation(field, coords)[0]
            return [u - (values[0] + 1j * values[1] if complex_values else values[0])]

        residuals.equation = equation  # type: ignore[attr-defined]
        return Term("data", self.weight, domain.names, {}, residuals, len(self.values), (*columns, *parts))

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
