"""Bounds and constraints, as users give them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from scisim.core import pytree
from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.core.tensor import Tensor
from scisim.core.values import Traced, dtype, shape
from scisim.ops.shape import astype, broadcast, concat, reshape
from scisim.optimize._layout import Layout, as_vector, is_plain, vector_function, with_args


class Bounds(NamedTuple):
    """Limits of the variables.

    Parameters
    ----------
    lb, ub : float, array_like, or containers of them
        Lower and upper limits: a number for all variables, an array that broadcasts to x, or a container shaped as
        it. They may be infinite, and derivatives in them exist.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import optimize
    >>> r = optimize.minimize(lambda x: ss.sum((x - 2.0) ** 2), [0.0, 0.0], bounds=optimize.Bounds(-1.0, [1.0, 3.0]))
    >>> r.x
    Tensor([1., 2.])
    """

    lb: Any = -np.inf
    ub: Any = np.inf


class LinearConstraint(NamedTuple):
    """lb <= A x <= ub; equal limits make an equation.

    Parameters
    ----------
    A : array_like
        Of shape (m, n).
    lb, ub : float or array_like
        Of shape (m,), or one for all; plain numbers.
    """

    A: Any
    lb: Any = -np.inf
    ub: Any = np.inf


class NonlinearConstraint(NamedTuple):
    """lb <= fun(x) <= ub; equal limits make an equation.

    Parameters
    ----------
    fun : callable
        From x to numbers.
    lb, ub : float or array_like
        One for each number, or one for all; plain numbers.
    """

    fun: Callable
    lb: Any = -np.inf
    ub: Any = np.inf


def read_bounds(who: str, bounds: Any, layout: Layout) -> tuple[Any, Any]:
    """Lower and upper limits as vectors; None twice where there are none."""
    if bounds is None:
        return None, None
    if any(d.kind == "c" for d in layout.dtypes):
        raise ArgumentError(f"{who}: bounds on complex variables; complex numbers have no order, bound their parts")
    if hasattr(bounds, "lb"):
        low, high = (_limit(who, name, b, layout) for name, b in (("lb", bounds.lb), ("ub", bounds.ub)))
    else:
        low, high = _pairs(who, bounds, layout)
    if not (isinstance(low, Traced) or isinstance(high, Traced)):
        _check_order(who, low, high)
    return low, high


def _check_order(who: str, low: np.ndarray, high: np.ndarray) -> None:
    wrong = np.flatnonzero(~(low <= high))
    if len(wrong):
        k = wrong[0]
        raise ArgumentError(
            f"{who}: bounds of variable {k} are ({low[k]}, {high[k]}); the lower one must not be above the upper one, "
            f"nor nan; give (low, high)"
        )


def _limit(who: str, name: str, b: Any, layout: Layout) -> Any:
    leaves, _ = pytree.flatten(np.asarray(b, float) if is_plain(b) else b)
    values = [pytree.leaf_value(v, who, f"bounds.{name}") for v in leaves]
    if len(values) == 1:
        values = values * len(layout.shapes)
    if len(values) != len(layout.shapes):
        raise ShapeError(
            f"{who}: bounds.{name} holds {len(values)} arrays, x holds {len(layout.shapes)}; give one for each, or one "
            f"number for all"
        )
    out = []
    for v, s in zip(values, layout.shapes, strict=True):
        if not _fits(shape(v), s):
            raise ShapeError(f"{who}: bounds.{name} of shape {shape(v)} does not broadcast to x of shape {s}")
        out.append(v if shape(v) == s else broadcast(v, s))
    return as_vector(out, layout.dtype)


def _fits(own: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(own, wanted) == wanted
    except ValueError:
        return False


def _pairs(who: str, bounds: Any, layout: Layout) -> tuple[Any, Any]:
    rows = list(bounds) if isinstance(bounds, (list, tuple, np.ndarray, Tensor)) else None
    if rows is None or any(len(r) != 2 for r in rows):
        raise ArgumentTypeError(
            f"{who}: bounds is {bounds!r:.60}; expected a pair (low, high) for each variable, None for no bound, or "
            f"optimize.Bounds(lb, ub)"
        )
    if len(rows) != layout.size:
        raise ShapeError(f"{who}: {len(rows)} pairs of bounds for {layout.size} variables; give one for each")
    ends = []
    for k, none in ((0, -np.inf), (1, np.inf)):
        side = [none if r[k] is None else r[k] for r in rows]
        ends.append(_stack(who, side, layout.dtype))
    return ends[0], ends[1]


def _stack(who: str, xs: list, to: Any) -> Any:
    if is_plain(xs):
        return np.asarray(xs, dtype=to)
    values = [reshape(pytree.leaf_value(x, who, "bounds"), (1,)) for x in xs]
    v = concat(values)
    return v if dtype(v) == to else astype(v, to)


# --- constraints -----------------------------------------------------------------------------------------------------
def read_constraints(who: str, constraints: Any, layout: Layout, x: Any) -> tuple[Callable, int] | None:
    """One function from x to all constraints, equations (= 0) first, then the others (>= 0); how many equations."""
    one = isinstance(constraints, dict) or hasattr(constraints, "lb")
    items: Sequence[Any] = [constraints] if one else list(constraints)
    if not items:
        return None
    equal, other = [], []
    for c in items:
        e, o = _read_one(who, c, layout)
        equal += e
        other += o

    def value(v: Any) -> Any:
        parts = [part(v) for part in (*equal, *other)]
        return parts[0] if len(parts) == 1 else concat(parts)

    count = sum(shape(part(x))[0] for part in equal)
    value.__name__ = "constraints"
    return value, count


def _read_one(who: str, c: Any, layout: Layout) -> tuple[list, list]:
    """Functions that are to be 0, and those that are not to be negative."""
    if isinstance(c, dict):
        return _read_dict(who, c, layout)
    if hasattr(c, "A"):
        a = c.A._v if type(c.A) is Tensor else np.atleast_2d(np.asarray(c.A, layout.dtype))
        if len(shape(a)) != 2 or shape(a)[1] != layout.size:
            raise ShapeError(f"{who}: constraints: A has shape {shape(a)}; x has {layout.size} numbers, one a column")
        return _between(who, lambda v: a @ v, c.lb, c.ub, shape(a)[0])
    if hasattr(c, "fun") and hasattr(c, "lb"):
        f = vector_function(who, c.fun, layout, "a constraint")
        return _between(who, f, c.lb, c.ub, None)
    raise ArgumentTypeError(
        f"{who}: a constraint is {type(c).__name__} {c!r:.60}; expected a dictionary with 'type' and 'fun', "
        f"optimize.NonlinearConstraint or optimize.LinearConstraint"
    )


def _read_dict(who: str, c: dict, layout: Layout) -> tuple[list, list]:
    kind = c.get("type")
    if kind not in ("eq", "ineq") or "fun" not in c:
        raise ArgumentError(
            f"{who}: a constraint has type {kind!r} and entries {sorted(map(str, c))}; expected type 'eq' (fun = 0) or "
            f"'ineq' (fun >= 0), and 'fun'"
        )
    f = vector_function(who, with_args(who, "a constraint's fun", c["fun"], c.get("args", ())), layout, "a constraint")
    return ([f], []) if kind == "eq" else ([], [f])


def _between(who: str, f: Callable, lb: Any, ub: Any, m: int | None) -> tuple[list, list]:
    for name, b in (("lb", lb), ("ub", ub)):
        if isinstance(getattr(b, "_v", b), Traced):
            raise ArgumentTypeError(
                f"{who}: a constraint's {name} belongs to a transformation, but says which constraints are equations; "
                f"subtract it in the constraint's function, and give numbers"
            )
    low, high = np.atleast_1d(np.asarray(lb, float)), np.atleast_1d(np.asarray(ub, float))
    low, high = np.broadcast_arrays(low, high) if m is None else (np.broadcast_to(b, (m,)) for b in (low, high))
    if np.any(~(low <= high)):
        raise ArgumentError(f"{who}: a constraint has lb {lb!r:.40} above ub {ub!r:.40}; give lb <= ub")
    return _parts(f, low, high)


def _parts(f: Callable, low: np.ndarray, high: np.ndarray) -> tuple[list, list]:
    same = low == high

    def chosen(rows: np.ndarray, shift: np.ndarray, sign: float) -> Callable:
        def part(v: Any) -> Any:
            y = f(v)
            if len(rows) == 1 and shape(y)[0] != 1:  # one limit for all
                return sign * (y - shift[0].astype(dtype(y)))
            from scisim.ops.index import index

            at = np.flatnonzero(rows)
            picked = y if len(at) == shape(y)[0] else index(y, (at,))
            return sign * (picked - shift[at].astype(dtype(y)))

        return part

    equal = [chosen(same, low, 1.0)] if same.any() else []
    other = [
        chosen(rows, shift, sign)
        for rows, shift, sign in ((~same & np.isfinite(low), low, 1.0), (~same & np.isfinite(high), high, -1.0))
        if rows.any()
    ]
    return equal, other
