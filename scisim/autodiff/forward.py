"""Forward mode for users: products with Jacobians, Taylor coefficients, linearisation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scisim.autodiff.calls import differentiable
from scisim.autodiff.slots import univariate
from scisim.autodiff.taylor import Taylor
from scisim.core import pytree
from scisim.core.capture import capture, close
from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.core.graph import Var
from scisim.core.values import check_function, dtype, is_complex, name_of, shape, zeros_like
from scisim.ops.shape import as_integer, astype


def jvp(f: Callable, primals: Any, tangents: Any) -> tuple[Any, Any]:
    """Value of a function, and its derivative along a direction.

    Parameters
    ----------
    f : callable
    primals : tuple
        Arguments of ``f``; one argument may be given without the tuple.
    tangents : tuple
        One for each argument, of its structure and shapes; None is zero.

    Returns
    -------
    y, dy
        As ``f`` returns.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.jvp(ss.sin, (0.0,), (2.0,))
    (Tensor(0.), Tensor(2.))
    """
    c = _series("jvp", f, primals, tangents, 1)
    return c[0], c[1]


def taylor(f: Callable, x: Any, v: Any, order: int) -> list:
    """Taylor coefficients of ``t -> f(x + t v)`` at t = 0.

    Parameters
    ----------
    f : callable
    x, v : array_like, or tuples of them
        Point and direction; tuples for several arguments; a direction of None is zero.
    order : int
        The highest order, at least 0.

    Returns
    -------
    list
        ``[c_0, ..., c_order]``: true coefficients (the k-th derivative is k! c_k), each as ``f`` returns.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.taylor(ss.exp, 0.0, 1.0, 3)
    [Tensor(1.), Tensor(1.), Tensor(0.5), Tensor(0.16666667)]
    """
    order = as_integer("taylor", "order", order)
    if order < 0:
        raise ArgumentError(f"taylor: order is {order!r}; expected an integer of at least 0")
    if order == 0:
        return [pytree.plainly(f, x if isinstance(x, tuple) else (x,), "taylor")]
    return _series("taylor", f, x, v, order)


def _series(who: str, f: Callable, primals: Any, tangents: Any, order: int) -> list:
    check_function(who, f)
    if not isinstance(primals, tuple):
        primals, tangents = (primals,), (tangents,)
    if not isinstance(tangents, tuple) or len(tangents) != len(primals):
        got = f"{len(tangents)} directions" if isinstance(tangents, tuple) else type(tangents).__name__
        raise ArgumentError(f"{who}: {len(primals)} arguments need a tuple of as many directions, got {got}")
    vals, spec = pytree.values(primals, who)
    directions = _directions(who, primals, tangents, vals)
    slots = univariate(order)
    with Taylor(f, slots) as trace, np.errstate(all="ignore"):
        ins = [v if d is None else trace.variable(v, {1: d}) for v, d in zip(vals, directions, strict=True)]
        outs, out_spec = pytree.call(f, spec, ins, who)
        columns = [coefficients(trace, o) for o in outs]
    return [pytree.tree_of(out_spec, [c[k] for c in columns]) for k in range(order + 1)]


def coefficients(trace: Taylor, out: Any) -> list:
    """All coefficients of an output, zeros made explicit."""
    if not trace.mine(out):
        out = trace.series([out] + [None] * trace.last)
    return [zeros_like(out) if c is None else c for c in (out.coef(k) for k in range(trace.slots.count))]


def _directions(who: str, primals: tuple, tangents: tuple, vals: list) -> list:
    """A direction for each leaf, of its shape; None where it is zero."""
    out: list = []
    for p, t in zip(primals, tangents, strict=True):
        leaves, spec = pytree.flatten(p)
        if t is None:
            out += [None] * len(leaves)
            continue
        ts, tspec = pytree.values(t, who)
        if tspec != spec:
            raise ArgumentTypeError(
                f"{who}: a direction has structure {tspec}, its argument {spec}; they must be equal"
            )
        out += ts
    for v, d in zip(vals, out, strict=True):
        if d is not None:
            if shape(d) != shape(v):
                raise ShapeError(
                    f"{who}: a direction has shape {shape(d)}, its argument {shape(v)}; they must be equal"
                )
            differentiable(who, v, "an argument with a direction")
    return [None if d is None else _like(d, v) for v, d in zip(vals, out, strict=True)]


def _like(d: Any, v: Any) -> Any:
    if dtype(d) == dtype(v) or is_complex(d):
        return d
    return astype(d, dtype(v))


def linearize(f: Callable, *primals: Any) -> tuple[Any, Callable]:
    """Value of a function, and its derivative there as a linear function of directions.

    Returns
    -------
    y
    lin : callable
        ``lin(*directions)`` is the derivative along them; the function itself is not run again.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> y, lin = ad.linearize(ss.square, 3.0)
    >>> lin(1.0)
    Tensor(6.)
    """
    check_function("linearize", f)
    vals, spec = pytree.values(primals, "linearize")
    made: dict[str, Any] = {}

    def tangent(*ds: Any) -> list:
        with Taylor(f, univariate(1)) as trace, np.errstate(all="ignore"):
            ins = [trace.variable(v, {1: d}) for v, d in zip(vals, ds, strict=True)]
            outs, made["spec"] = pytree.call(f, spec, ins, "linearize")
            columns = [coefficients(trace, o) for o in outs]
        made["y"] = [c[0] for c in columns]
        return [c[1] for c in columns] + made["y"]

    for v in vals:
        differentiable("linearize", v, "an argument")
    # A loop of which only parts depend on the directions is recorded as one, values and all: they come from running it.
    graph, held = close(capture(tangent, vals, name_of(f)))
    count = len(made["y"])

    def run(ds: Sequence[Any]) -> tuple:
        with np.errstate(all="ignore"):
            return graph(*ds, *held)

    def lin(*directions: Any) -> Any:
        ds = _directions("lin", primals, directions, vals)
        ds = [zeros_like(v) if d is None else d for d, v in zip(ds, vals, strict=True)]
        return pytree.tree_of(made["spec"], run(ds)[:count])

    y = made["y"]
    if any(isinstance(v, Var) and any(v is o for o in graph.outputs[count:]) for v in y):
        y = run([zeros_like(v) for v in vals])[count:]
    return pytree.tree_of(made["spec"], y), lin
