"""Partial derivatives with respect to named coordinates, planned as one Taylor evaluation.

Coordinates are arrays on which the function acts elementwise, so the tangent of each is an array of ones, and one point
costs as many operations as a million.  The plan for a set of wanted partials is the least downward closed set of
monomials that holds them (`slots`); sums of top derivatives (laplacian, biharmonic) are carried as one coefficient.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from scisim.autodiff.slots import Index, Slots, closure
from scisim.autodiff.taylor import Taylor
from scisim.autodiff.transforms import coefficients, differentiable, taylor
from scisim.core import pytree
from scisim.core.batch import Batch
from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.core.values import dtype, name_of, ones_like, shape
from scisim.ops.shape import as_integer, normalize_axis

Name = str | tuple[str, ...]


def argument_names(f: Callable) -> tuple[tuple[str, ...], int]:
    """Names of the positional arguments of a function, and how many of them have no default."""
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
            raise ArgumentError(f"{who}: {wanted!r} names {n!r}, but the arguments are {', '.join(names)}{hint}")
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
    for k, v in enumerate(vals):
        differentiable(who, v, f"coordinate {k}")
    if slots.count == 1:
        outs, out_spec = pytree.call(f, spec, vals, who)
        return [[o] for o in outs], out_spec
    with Taylor(f, slots) as trace, np.errstate(all="ignore"):
        ins = []
        for v, first in zip(vals, _firsts(slots), strict=True):
            ins.append(v if first is None else trace.variable(v, {first: ones_like(v)}))
        outs, out_spec = pytree.call(f, spec, ins, who)
        return [coefficients(trace, o) for o in outs], out_spec


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
    n = as_integer("derivative", "n", n)
    if n < 0:
        raise ArgumentError(f"derivative: the order is {n!r}; expected an integer of at least 0")
    factorial = float(math.factorial(n))

    def derivative_of(x: Any) -> Any:
        if n == 0:
            return pytree.plainly(f, (x,), "derivative")
        vals, spec = pytree.values(x, "derivative")
        ones = pytree.tree_of(spec, [ones_like(differentiable("derivative", v, "the argument")) for v in vals])
        c = taylor(f, x, ones, n)[n]
        return c if n == 1 else pytree.tree_map(lambda t: t * factorial, c)

    derivative_of.__name__ = f"derivative_{n}_of_{name_of(f)}"
    return derivative_of


def _collapsed(who: str, f: Callable, coords: Sequence[Any], tops: Mapping[Index, float]) -> Any:
    """A weighted sum of top partials, carried as one coefficient."""
    below = {b for b in closure(tops) if b not in tops}
    slots = Slots(below, {a: w * math.prod(map(math.factorial, a)) for a, w in tops.items()})
    columns, spec = evaluate(who, f, coords, slots)
    return pytree.tree_of(spec, [c[-1] for c in columns])


def _unit(n: int, *axes: int) -> Index:
    return tuple(axes.count(k) for k in range(n))


def laplacian(f: Callable, axis: int | None = None) -> Callable:
    """Sum of the second derivatives, in one pass of D + 2 coefficients for D coordinates (collapsed Taylor mode).

    Parameters
    ----------
    f : callable
        With ``axis=None`` a function of several coordinates that acts elementwise on arrays of them; with an axis, a
        function from arrays (..., d), d along that axis, to (...).
    axis : int, optional

    Returns
    -------
    callable
        ``laplacian(f)(*coords)`` or ``laplacian(f, axis=-1)(x)``.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.laplacian(lambda x, y: x**2 * y)(1.0, 3.0)
    Tensor(6.)
    >>> ad.laplacian(lambda x: ss.sum(x**2, axis=-1), axis=-1)(ss.ones((2, 3)))
    Tensor([6., 6.])
    """
    if axis is not None:
        return lambda x: _laplacian_along(f, x, axis)

    def laplacian_of(*coords: Any) -> Any:
        n = _count("laplacian", coords)
        return _collapsed("laplacian", f, coords, {_unit(n, k, k): 1.0 for k in range(n)})

    return laplacian_of


def _count(who: str, coords: Sequence[Any]) -> int:
    if not coords:
        raise ArgumentError(f"{who}: got no coordinates")
    return len(coords)


def _along(who: str, f: Callable, x: Any, axis: int) -> tuple[Any, int, int]:
    """The value, its axis of coordinates, and their number."""
    v = differentiable(who, pytree.leaf_value(x, who), "the argument")
    if not shape(v):
        raise ShapeError(
            f"{who}: {name_of(f)} needs an axis of coordinates, got a number; use axis=None for coordinates"
        )
    k = normalize_axis(who, axis, len(shape(v)))
    return v, k, shape(v)[k]


def _directions(v: Any, k: int, d: int) -> Any:
    """Unit directions along axis k: shape (d, *shape)."""
    s = shape(v)
    e = np.eye(d, dtype=dtype(v)).reshape(d, *(d if j == k else 1 for j in range(len(s))))
    return np.broadcast_to(e, (d, *s))


def _laplacian_along(f: Callable, x: Any, axis: int) -> Any:
    from scisim.autodiff.slots import univariate

    v, k, d = _along("laplacian", f, x, axis)
    spec = pytree.flatten((x,))[1]
    directions = Batch(f"laplacian of {name_of(f)}", d)
    with directions, Taylor(f, univariate(2), directions) as trace, np.errstate(all="ignore"):
        ins = [trace.variable(v, {1: directions.wrap(_directions(v, k, d))})]
        outs, out_spec = pytree.call(f, spec, ins, "laplacian")
        tops = [2.0 * coefficients(trace, o)[2] for o in outs]
    return pytree.tree_of(out_spec, tops)


def biharmonic(f: Callable, axis: int | None = None) -> Callable:
    """The Laplacian of the Laplacian, in one pass: sum over i, j of the derivative twice in i and twice in j.

    Parameters
    ----------
    f : callable
        As for `laplacian`.
    axis : int, optional

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.biharmonic(lambda x, y: x**4 + 2 * x**2 * y**2 + y**4)(0.3, 0.7)
    Tensor(64.)
    """
    if axis is not None:
        return lambda x: _biharmonic_along(f, x, axis)

    def biharmonic_of(*coords: Any) -> Any:
        n = _count("biharmonic", coords)
        tops = {_unit(n, i, i, j, j): 1.0 if i == j else 2.0 for i in range(n) for j in range(i, n)}
        return _collapsed("biharmonic", f, coords, tops)

    return biharmonic_of


def _biharmonic_along(f: Callable, x: Any, axis: int) -> Any:
    from scisim.core.tensor import functions, wrap

    v, k, d = _along("biharmonic", f, x, axis)
    at = (slice(None),) * k
    coords = [wrap(v)[(*at, j)] for j in range(d)]
    return biharmonic(lambda *c: f(functions["stack"](list(c), k)))(*coords)


def divergence(f: Callable, axis: int = -1) -> Callable:
    """Sum of df_i/dx_i of a vector field from (..., d) to (..., d).

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.divergence(lambda x: x**2)(ss.asarray([1.0, 2.0]))
    Tensor(6.)
    """

    def divergence_of(x: Any) -> Any:
        v, k, d = _along("divergence", f, x, axis)
        rows = _columns("divergence", f, x, v, k, d)
        at = (slice(None),) * k
        total = rows[0][(*at, 0)]
        for j in range(1, d):
            total = total + rows[j][(*at, j)]
        return total

    return divergence_of


def curl(f: Callable, axis: int = -1) -> Callable:
    """Rotation of a vector field from (..., 3) to (..., 3); in two dimensions the scalar df_1/dx_0 - df_0/dx_1.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.curl(lambda x: ss.stack([-x[..., 1], x[..., 0]], axis=-1))(ss.asarray([1.0, 2.0]))
    Tensor(2.)
    """

    def curl_of(x: Any) -> Any:
        from scisim.core.tensor import functions

        v, k, d = _along("curl", f, x, axis)
        if d not in (2, 3):
            raise ShapeError(f"curl: the axis of coordinates has length {d}; expected 2 or 3")
        column = _columns("curl", f, x, v, k, d)
        at = (slice(None),) * k

        def of(i: int, j: int) -> Any:
            return column[j][(*at, i)]

        if d == 2:
            return of(1, 0) - of(0, 1)
        parts = [of(2, 1) - of(1, 2), of(0, 2) - of(2, 0), of(1, 0) - of(0, 1)]
        return functions["stack"](parts, k)

    return curl_of


def _columns(who: str, f: Callable, x: Any, v: Any, k: int, d: int) -> list:
    """Derivatives of a vector field along each coordinate."""
    from scisim.autodiff.transforms import jvp
    from scisim.core.tensor import Tensor, wrap

    out = []
    for e in _directions(v, k, d):
        y, dy = jvp(f, (x,), (wrap(e),))
        if not isinstance(y, Tensor) or y.shape != shape(v):
            got = y.shape if isinstance(y, Tensor) else type(y).__name__
            raise ShapeError(f"{who}: {name_of(f)} must return a vector field of shape {shape(v)}, got {got}")
        out.append(dy)
    return out
