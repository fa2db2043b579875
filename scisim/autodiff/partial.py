"""Partial derivatives with respect to named coordinates, planned as one Taylor evaluation.

Coordinates are arrays on which the function acts elementwise, so the tangent of each is an array of ones, and one point
costs as many operations as a million.  The plan for a set of wanted partials is the least downward closed set of
monomials that holds them (`slots`); sums of top derivatives (laplacian, biharmonic) are carried as one coefficient.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scisim.autodiff.calls import differentiable
from scisim.autodiff.forward import coefficients, taylor
from scisim.autodiff.slots import Index, Slots, closure
from scisim.autodiff.taylor import Taylor
from scisim.core import pytree
from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.core.values import check_function, name_of, ones_like, shape
from scisim.ops.shape import as_integer

Name = str | tuple[str, ...]


def argument_names(f: Callable) -> tuple[tuple[str, ...], int]:
    """Names of the positional arguments of a function, and how many of them have no default."""
    check_function("partial", f)
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        raise ArgumentTypeError(
            f"partial: the argument names of {name_of(f)} cannot be read; wrap it: lambda t, x: f(t, x)"
        ) from None
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    own = [p for p in parameters if p.kind in kinds]
    return tuple(p.name for p in own), sum(p.default is inspect.Parameter.empty for p in own)


def parse(who: str, wanted: Name, names: tuple[str, ...]) -> Index:
    """The multi-index of a partial: how often each argument is differentiated."""
    if not isinstance(wanted, (str, tuple, list)) or not all(isinstance(n, str) for n in wanted):
        raise ArgumentTypeError(
            f"{who}: a partial is a string of one-letter argument names like 'txx', or a tuple of names, got {wanted!r}"
        )
    letters = (wanted,) if isinstance(wanted, str) and len(wanted) > 1 and wanted in names else tuple(wanted)
    for n in letters:
        if n not in names:
            long = [a for a in names if len(a) > 1]
            hint = f"; longer names go into a tuple, as in ({long[0]!r}, {long[0]!r})" if long else ""
            have = (
                f"the arguments are {', '.join(names)}"
                if names
                else "it has no arguments of a name; use lambda t, x: ..."
            )
            raise ArgumentError(f"{who}: {wanted!r} names {n!r}, but {have}{hint}")
    return tuple(letters.count(n) for n in names)


class Plan:
    """Which monomials one Taylor evaluation carries for a set of wanted partials.

    Parameters
    ----------
    indices : sequence of Index
        The wanted partials as multi-indices.

    Attributes
    ----------
    slots : Slots
    """

    def __init__(self, indices: Sequence[Index], names: tuple[str, ...] = ()) -> None:
        self.indices, self.names = tuple(indices), names
        self.slots = Slots(closure([(0,) * len(indices[0]), *indices]))

    def __repr__(self) -> str:
        names = self.names or tuple(f"x{k}" for k in range(self.slots.variables))
        text = [
            "".join(n * k for n, k in zip(names, a, strict=True)) or "1" for a in self.slots.indices if a is not None
        ]
        return f"Plan({self.slots.count} coefficients: {' '.join(text)})"

    def __call__(self, f: Callable, coords: Sequence[Any], who: str = "partial") -> list:
        """The wanted partials of ``f``, in order, each as ``f`` returns."""
        columns, spec = evaluate(who, f, coords, self.slots)
        out = []
        for a in self.indices:
            k, scale = self.slots.where[a], float(math.prod(map(math.factorial, a)))
            out.append(pytree.tree_of(spec, [c[k] if scale == 1.0 else c[k] * scale for c in columns]))
        return out


def _planner(indices: Sequence[Index], names: tuple[str, ...], required: int) -> Callable[[int], Plan]:
    """The plan by the number of coordinates given: arguments at the end may keep their defaults."""
    whole = Plan(indices, names)
    shorter: dict[int, Plan] = {}

    def plan(count: int) -> Plan:
        if not required <= count < len(names) or any(any(a[count:]) for a in indices):
            return whole
        if count not in shorter:
            shorter[count] = Plan([a[:count] for a in indices], names[:count])
        return shorter[count]

    return plan


def evaluate(who: str, f: Callable, coords: Sequence[Any], slots: Slots) -> tuple[list[list], Any]:
    """All coefficients of every output of ``f``, with each coordinate one variable."""
    vals, spec = pytree.values(tuple(coords), who)
    if len(vals) != slots.variables:
        raise ArgumentError(
            f"{who}: {name_of(f)} takes {slots.variables} coordinates, got {len(vals)} arrays; give one each"
        )
    firsts = _firsts(slots)
    for k, (v, first) in enumerate(zip(vals, firsts, strict=True)):
        if first is not None:
            differentiable(who, v, f"coordinate {k}")
    if slots.count == 1:
        outs, out_spec = pytree.call(f, spec, vals, who)
        return [[o] for o in outs], out_spec
    with Taylor(f, slots) as trace, np.errstate(all="ignore"):
        ins = []
        for v, first in zip(vals, firsts, strict=True):
            ins.append(v if first is None else trace.variable(v, {first: ones_like(v)}))
        outs, out_spec = pytree.call(f, spec, ins, who)
        check_elementwise(who, f, vals, [o for o in outs if trace.mine(o)])
        return [coefficients(trace, o) for o in outs], out_spec


def check_elementwise(who: str, f: Callable, coords: Sequence[Any], outs: Sequence[Any]) -> None:
    """A function that sums over its points is not elementwise: its tangents of ones would mix them."""
    wanted = np.broadcast_shapes(*map(shape, coords))
    for o in outs:
        if len(shape(o)) < len(wanted):
            raise ShapeError(
                f"{who}: {name_of(f)} gives shape {shape(o)} for coordinates of shape {wanted}; it must act "
                f"elementwise on arrays of points. For a function of one vector use grad, hessian or taylor, or "
                f"laplacian with axis=-1"
            )


def _firsts(slots: Slots) -> list[int | None]:
    unit = [tuple(int(u == v) for u in range(slots.variables)) for v in range(slots.variables)]
    return [slots.where.get(e) for e in unit]


def partials(f: Callable, wanted: Sequence[Name]) -> Callable:
    """Several partial derivatives of a function in one evaluation.

    Parameters
    ----------
    f : callable
        Of named coordinates, acting elementwise on arrays of them.
    wanted : sequence of str or tuple of str
        Such as ``["t", "xx", ""]``; ``""`` is the value itself.

    Returns
    -------
    callable
        ``partials(f, wanted)(*coords)``: a list in the order of ``wanted``, each as ``f`` returns.

    Raises
    ------
    ArgumentError
        For a name that is not an argument of ``f``.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.partials(lambda t, x: t * x**3, ["t", "xx"])(2.0, 3.0)
    [Tensor(27.), Tensor(36.)]
    """
    names, required = argument_names(f)
    if isinstance(wanted, str) or not isinstance(wanted, Sequence):
        raise ArgumentTypeError(
            f"partials: expected a list of partials like ['t', 'xx'], got {wanted!r}; for one use partial"
        )
    indices = [parse("partials", w, names) for w in wanted]
    if not indices:
        return lambda *coords: []
    plan = _planner(indices, names, required)

    def partials_of(*coords: Any) -> list:
        return plan(len(coords))(f, coords, "partials")

    partials_of.plan = plan(len(names))  # type: ignore[attr-defined]
    partials_of.__wrapped__ = f  # type: ignore[attr-defined]
    return partials_of


def partial(f: Callable, wanted: Name) -> Callable:
    """A partial derivative of a function of named coordinates, of any order, mixed ones too.

    Parameters
    ----------
    f : callable
        Acting elementwise on arrays of its coordinates.
    wanted : str or tuple of str
        ``"txx"`` for one-letter argument names, ``("time", "theta", "theta")`` for longer ones.

    Returns
    -------
    callable
        ``partial(f, wanted)(*coords)``, as ``f`` returns.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> u = lambda t, x: ss.exp(-t) * ss.sin(x)
    >>> ad.partial(u, "txx")(0.0, 0.5)
    Tensor(0.47942554)
    """
    names, required = argument_names(f)
    plan = _planner([parse("partial", wanted, names)], names, required)

    def partial_of(*coords: Any) -> Any:
        return plan(len(coords))(f, coords)[0]

    partial_of.plan = plan(len(names))  # type: ignore[attr-defined]
    partial_of.__wrapped__ = f  # type: ignore[attr-defined]
    return partial_of


def derivative(f: Callable, n: int = 1) -> Callable:
    """The n-th derivative of a function that acts elementwise on one array, by one Taylor series.

    Parameters
    ----------
    f : callable
    n : int
        Order, at least 0.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.derivative(ss.sin, 3)(0.0)
    Tensor(-1.)
    """
    check_function("derivative", f)
    n = as_integer("derivative", "n", n)
    if n < 0:
        raise ArgumentError(f"derivative: the order is {n!r}; expected an integer of at least 0")
    if n > 170:
        raise ArgumentError(
            f"derivative: {n}! is beyond float64, in which the order goes to 170; taylor gives the coefficient itself"
        )
    factorial = float(math.factorial(n))

    def derivative_of(x: Any) -> Any:
        if n == 0:
            return pytree.plainly(f, (x,), "derivative")
        vals, spec = pytree.values(x, "derivative")
        ones = pytree.tree_of(spec, [ones_like(differentiable("derivative", v, "the argument")) for v in vals])
        c = taylor(f, x, ones, n)[n]
        check_elementwise("derivative", f, vals, pytree.values(c)[0])
        return c if n == 1 else pytree.tree_map(lambda t: t * factorial, c)

    derivative_of.__name__ = f"derivative_{n}_of_{name_of(f)}"
    derivative_of.__wrapped__ = f  # type: ignore[attr-defined]
    return derivative_of
