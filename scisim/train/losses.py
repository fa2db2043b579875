"""The loss of a problem as functions of trained parameters and of tables of points, one table a term."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import scisim as ss
from scisim import nn
from scisim.core.errors import ArgumentError, ArgumentTypeError
from scisim.core.tensor import Tensor
from scisim.pde.problem import Problem
from scisim.pde.term import checked_weight

COLUMNS = ("step", "loss", "lr", "lam", "time")  # of a history, beside the terms


class Losses:
    """Residuals and their squares, term by term.

    Parameters
    ----------
    problem : Problem
    rest : Module
        What of the model is not trained (`nn.partition`).
    weights : mapping of str to float, optional
        Weights of terms by name, in the place of their own.
    """

    def __init__(self, problem: Problem, rest: Any, weights: Mapping[str, float] | None = None) -> None:
        self.problem, self.rest = problem, rest
        self.names = [t.name for t in problem.terms]
        for name in self.names:
            if name in COLUMNS:
                raise ArgumentError(f"fit: a condition cannot be called {name!r}, which is a column of the history")
        if not isinstance(weights, Mapping | None):
            raise ArgumentTypeError(
                f'fit: weights is {weights!r}; expected weights of terms by name, as in {{"equation": 10.0}}'
            )
        given = dict(weights or {})
        if unknown := set(given) - set(self.names):
            raise ArgumentError(
                f"fit: weights name {', '.join(sorted(unknown))}; the terms of the loss are {', '.join(self.names)}"
            )
        self.weights = [checked_weight(f"fit: {t.name}", given.get(t.name, t.weight)) for t in problem.terms]
        if not any(self.weights):
            raise ArgumentError(
                "fit: all weights are zero, so there is nothing to minimise; give a term a positive one"
            )

    def residuals(self, k: int, params: Any, *arrays: Any) -> list[Tensor]:
        """Residuals of term k, at one point or at arrays of points."""
        field = self.problem.field(nn.combine(params, self.rest))
        return self.problem.terms[k].residuals(field, arrays)

    def squares(self, k: int, params: Any, table: Any) -> Tensor:
        """The sum of squared residuals of term k at each row of a table."""
        parts = self.residuals(k, params, *(table[:, j] for j in range(table.shape[1])))
        total = _square(parts[0])
        for r in parts[1:]:
            total = total + _square(r)
        return total

    def means(self, params: Any, tables: Sequence[Any]) -> list[Tensor]:
        """The mean of squared residuals of each term."""
        return [ss.mean(self.squares(k, params, t)) for k, t in enumerate(tables)]

    def total(self, params: Any, tables: Sequence[Any]) -> tuple[Tensor, list[Tensor]]:
        """The weighted sum of the means, and the means."""
        means = self.means(params, tables)
        loss = means[0] * self.weights[0]
        for k in range(1, len(self.weights)):
            loss = loss + means[k] * self.weights[k]
        return loss, means


def _square(r: Any) -> Any:
    return ss.real(r * ss.conj(r)) if r.dtype.kind == "c" else r * r
