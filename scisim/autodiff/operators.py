"""Differential operators: Laplacian, biharmonic, divergence, curl.

Sums of top derivatives are carried as one Taylor coefficient (collapsed Taylor mode), so a Laplacian in D coordinates
costs D + 2 coefficients.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from scisim.autodiff.calls import differentiable
from scisim.autodiff.forward import coefficients, jvp
from scisim.autodiff.partial import evaluate
from scisim.autodiff.slots import Index, Slots, closure, univariate
from scisim.autodiff.taylor import Taylor
from scisim.core import pytree
from scisim.core.batch import Batch
from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.values import check_function, dtype, name_of, shape
from scisim.ops.shape import normalize_axis


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
    check_function("laplacian", f)
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
    v, k, d = _along("laplacian", f, x, axis)
    spec = pytree.flatten((x,))[1]
    directions = Batch(f"laplacian of {name_of(f)}", d)
    with directions, Taylor(f, univariate(2), directions) as trace, np.errstate(all="ignore"):
        ins = [trace.variable(v, {1: directions.wrap(_directions(v, k, d))})]
        outs, out_spec = pytree.call(f, spec, ins, "laplacian")
        for o in outs:
            if trace.mine(o) and len(shape(o)) < len(shape(v)) - 1:
                raise ShapeError(
                    f"laplacian: {name_of(f)} gives shape {shape(o)} for points of shape {shape(v)}; a function of "
                    f"vectors along axis {axis} gives one number a vector, and does not sum over them"
                )
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
    check_function("biharmonic", f)
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

    check_function("divergence", f)

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

    check_function("curl", f)

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
    from scisim.core.tensor import Tensor, wrap

    out = []
    for e in _directions(v, k, d):
        y, dy = jvp(f, (x,), (wrap(e),))
        if not isinstance(y, Tensor) or y.shape != shape(v):
            got = y.shape if isinstance(y, Tensor) else type(y).__name__
            raise ShapeError(f"{who}: {name_of(f)} must return a vector field of shape {shape(v)}, got {got}")
        out.append(dy)
    return out
