"""Problems: a domain, an equation, conditions, and how a model's output becomes the fields."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import scisim as ss
from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.core.tensor import Tensor
from scisim.pde.conditions import Condition
from scisim.pde.domain import Domain
from scisim.pde.equation import Arguments, Equation
from scisim.pde.term import Term


class Problem:
    """A differential equation on a domain, with what is known about its solution.

    Parameters
    ----------
    domain : Domain
    equation : callable
        What has to vanish, as Python: ``lambda u: u.t + u * u.x - nu * u.xx``.  Arguments named like coordinates get
        their arrays (``lambda u, x: u.xx + ss.sin(x)``), the others are the unknown fields in the order of the model's
        outputs (``lambda u, v, p: [...]``).  It returns one residual or a list of them.
    conditions : sequence of Condition
        `Initial`, `Dirichlet`, `Neumann`, `Periodic`, `Data`, `Condition`: each adds its squared residual, weighted, to
        the loss.
    ansatz : callable, optional
        Conditions exact by construction: from the model's outputs and coordinates to the fields, as in
        ``lambda N, t, x: -ss.sin(ss.pi * x) + t * (1 - x * x) * N``; with several fields, a tuple of them.
    features : callable, optional
        What the model gets, a list of arrays made from the coordinates: ``lambda t, x: [t, ss.cos(x), ss.sin(x)]``.  By
        default the coordinates, scaled from their bounds to [-1, 1].
    weight : float
        Of the equation in the loss.

    Attributes
    ----------
    fields : tuple of str
        Names of the unknowns, which are those of the equation's arguments.
    partials : list of str
        The partials that the equation mentions; one Taylor evaluation gives them all.
    terms : tuple of Term
        The equation and each condition as terms of the loss.

    Raises
    ------
    ArgumentError, ArgumentTypeError, ShapeError
        For an equation that names unknown coordinates, returns something else than residuals, and the like.

    Examples
    --------
    >>> from scisim import pde
    >>> problem = pde.Problem(pde.Domain(t=(0, 1), x=(-1, 1)), lambda u: u.t + u * u.x - 0.01 * u.xx)
    >>> problem.partials
    ['value', 'x', 'xx', 't']
    """

    def __init__(
        self,
        domain: Domain,
        equation: Callable,
        conditions: Sequence[Condition] = (),
        *,
        ansatz: Callable | None = None,
        features: Callable | None = None,
        weight: float = 1.0,
    ) -> None:
        if not isinstance(domain, Domain):
            raise ArgumentTypeError(f"Problem: domain is a {type(domain).__name__}; expected a Domain")
        if not callable(equation):
            raise ArgumentTypeError(
                f"Problem: equation is {equation!r}; expected a function such as lambda u: u.t - u.xx"
            )
        self.domain = domain
        arguments = Arguments("Problem: equation", equation, domain.names)
        if not arguments.others:
            raise ArgumentError("Problem: the equation has no unknown; its first argument is the field: lambda u: ...")
        self.fields = arguments.others
        self._ansatz = None if ansatz is None else self._function("ansatz", ansatz, len(self.fields))
        self._features = None if features is None else self._function("features", features, 0)
        self._equation = Equation("Problem: equation", domain, len(self.fields), arguments)
        self.partials = self._equation.partials
        self.terms = (Term("equation", weight, domain.names, {}, self._equation), *self._bind(conditions))

    def _function(self, what: str, f: Callable, count: int) -> Arguments:
        if not callable(f):
            raise ArgumentTypeError(f"Problem: {what} is {f!r}; expected a function")
        arguments = Arguments(f"Problem: {what}", f, self.domain.names)
        if len(arguments.others) != count:
            raise ArgumentError(
                f"Problem: {what} takes {', '.join(arguments.others) or 'nothing'} beside coordinates; expected "
                f"{count} arguments, one for each output of the model (fields: {', '.join(self.fields)}), and "
                f"coordinates ({', '.join(self.domain.names)})"
            )
        return arguments

    def _bind(self, conditions: Any) -> list[Term]:
        if isinstance(conditions, Condition) or not isinstance(conditions, Sequence):
            raise ArgumentTypeError(f"Problem: conditions is {conditions!r}; expected a list of conditions")
        terms: list[Term] = []
        for k, c in enumerate(conditions):
            if not isinstance(c, Condition):
                raise ArgumentTypeError(f"Problem: conditions[{k}] is {c!r}; expected Initial, Dirichlet, Neumann, ...")
            term = c.bind(self.domain, self.fields)
            same = sum(n == term.name or n.startswith(f"{term.name} ") for n in ["equation", *(t.name for t in terms)])
            terms.append(term if not same else term.renamed(f"{term.name} {same + 1}"))
        return terms

    def field(self, model: Callable) -> Callable:
        """The fields of a model as a function of coordinates: a tuple of arrays of their shape.

        Examples
        --------
        >>> import scisim as ss
        >>> from scisim import pde
        >>> problem = pde.Problem(pde.Domain(x=(0, 1)), lambda u: u.x, ansatz=lambda N, x: 1 + x * N)
        >>> problem.field(lambda p: 2 * p)(0.5)
        (Tensor(1.),)
        """

        def fields(*coords: Any) -> tuple[Tensor, ...]:
            coords = tuple(ss.broadcast_arrays(*coords)) if len(coords) > 1 else tuple(map(ss.asarray, coords))
            outputs = self._split(_called(model, ss.stack(self._inputs(coords), axis=-1)), coords[0].shape)
            if self._ansatz is None:
                return outputs
            made = self._ansatz(outputs, coords)
            return self._checked(made if isinstance(made, (list, tuple)) else (made,), coords[0].shape)

        return fields

    def _inputs(self, coords: tuple[Tensor, ...]) -> list:
        """What the model gets, a list of arrays."""
        if self._features is None:
            return self.domain.normalise(coords)
        made = self._features((), coords)
        if not isinstance(made, (list, tuple)):
            raise ArgumentTypeError(f"Problem: features returns a {type(made).__name__}; expected a list of arrays")
        return list(made)

    def _split(self, out: Any, points: tuple[int, ...]) -> tuple[Tensor, ...]:
        count = len(self.fields)
        if tuple(out.shape) != (*points, count):
            raise ShapeError(
                f"Problem: the model's output has shape {tuple(out.shape)} at points of shape {points}; expected "
                f"{(*points, count)}, one for each field ({', '.join(self.fields)}). The arguments of the equation "
                f"that are not coordinates ({', '.join(self.domain.names)}) are its fields"
            )
        if count == 1:  # a reshape drops nothing, so derivatives need no care for parts that are left out
            return (ss.reshape(out, points),)
        return tuple(out[..., k] for k in range(count))

    def _checked(self, made: Sequence[Any], points: tuple[int, ...]) -> tuple[Tensor, ...]:
        got = [getattr(m, "shape", type(m).__name__) for m in made]
        if len(made) != len(self.fields) or any(g != points for g in got):
            raise ShapeError(
                f"Problem: ansatz returns {len(made)} arrays of shape {', '.join(map(str, got))} at points of shape "
                f"{points}; expected one of that shape for each field ({', '.join(self.fields)})"
            )
        return tuple(made)

    def residual(self, model: Callable) -> Callable:
        """The residual of the equation as a function of coordinates: at one point, or at arrays of points of any shape.

        Parameters
        ----------
        model : callable
            From points (..., d) to outputs (..., number of fields).

        Returns
        -------
        callable
            ``residual(*coords)``, as the equation returns: a Tensor or a list of them.

        Examples
        --------
        >>> import scisim as ss
        >>> from scisim import pde
        >>> problem = pde.Problem(pde.Domain(x=(-1, 1)), lambda u, x: u.xx - 6 * x)
        >>> problem.residual(lambda p: p**3)(ss.asarray([0.1, 0.7]))
        Tensor([0., 0.])
        """

        def residual(*coords: Any) -> Any:
            if len(coords) != self.domain.dim:
                raise ArgumentError(
                    f"Problem.residual: {len(coords)} arrays; expected one for each of {', '.join(self.domain.names)}"
                )
            parts = self._equation(self.field(model), coords)
            return parts[0] if self._equation.single else parts

        return residual

    def fingerprint(self) -> dict[str, Any]:
        """What makes this problem another than others, as plain data; code is not looked at, its values are."""
        return {
            "coordinates": self.domain.describe(),
            "fields": list(self.fields),
            "terms": {t.name: t.describe() for t in self.terms},
        }

    def __repr__(self) -> str:
        parts = ", ".join(self.partials)
        names = "; ".join(t.name for t in self.terms)
        return f"Problem({self.domain!r}; fields {', '.join(self.fields)}; partials {parts}; terms {names})"


def _called(model: Callable, x: Tensor) -> Tensor:
    out = model(x) if callable(model) else None
    if isinstance(out, Tensor):
        return out
    got = f"gives a {type(out).__name__}" if callable(model) else f"is a {type(model).__name__}"
    raise ArgumentTypeError(f"Problem: the model {got}; expected a function from points (..., d) to a Tensor")
