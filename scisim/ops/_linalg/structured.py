"""Solving with matrices that a few numbers describe: one way to derivatives for all of them.

M(θ) is linear in θ and M(θ) x = b. So M dx = db - M(dθ) x, the coefficients of a series follow one by one, and
the transposed equation is of the same kind.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype, broadcast_shapes
from scisim.core.axes import Axes
from scisim.core.errors import ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument
from scisim.core.values import shape
from scisim.ops._linalg.checks import SingularMatrixError, lapack
from scisim.ops.shape import broadcast, moveaxis, reshape

Rule = Callable[..., Any]


@cache
def lapack_function(name: str, kind: np.dtype) -> Callable:
    """LAPACK's routine for a dtype."""
    from scipy.linalg import lapack as routines

    return getattr(routines, {"f": "s", "d": "d", "F": "c", "D": "z"}[kind.char] + name)


def structured(
    name: str, solve: Rule, apply: Rule, transposed: Rule, cores: tuple[int, ...], stacked: Rule | None = None
) -> Primitive:
    """The primitive ``x = prim(*theta, b, **params)`` for b of shape (..., n, k), all with one leading shape.

    Parameters
    ----------
    name : str
    solve : callable
        ``solve(theta, b, **params)`` of arrays, for a single matrix.
    apply : callable
        ``apply(dtheta, x, **params)``: M(dtheta) x, in values; a zero of dtheta is None, but not all are.
    transposed : callable
        ``transposed(theta, params)``: the description of the transposed matrix, in values.
    cores : tuple of int
        How many axes each part of theta has.
    stacked : callable, optional
        ``solve`` for one leading axis.
    """
    count = len(cores)

    def evaluate(*args: Any, **p: Any) -> np.ndarray:
        *theta, b = args
        lead = b.shape[:-2]
        if not b.size:
            return np.zeros(b.shape, np.result_type(*args))
        if not lead:
            return solve(theta, b, **p)
        flat = [t.reshape(-1, *t.shape[len(lead) :]) for t in args]
        if stacked is not None:
            return stacked(flat[:-1], flat[-1], **p).reshape(b.shape)
        return np.stack([solve(one[:-1], one[-1], **p) for one in zip(*flat, strict=True)]).reshape(b.shape)

    def labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
        lead = tuple(range(len(shapes[-1]) - 2))
        return [*((*lead, *(None,) * c) for c in cores), (*lead, None, "k")], (*lead, None, "k")

    def infer(avals: tuple, p: dict) -> ShapeDtype:
        return ShapeDtype(avals[-1].shape, np.result_type(*(a.dtype for a in avals)))

    def jvp(x: Any, args: list, tangents: list, **p: Any) -> Any:
        right = tangents[-1]
        if any(t is not None for t in tangents[:-1]):
            product = apply(tangents[:-1], x, **p)
            right = -product if right is None else right - product
        return None if right is None else prim(*args[:-1], right, **p)

    def taylor(trace: Any, args: tuple, y: Any, **p: Any) -> Any:
        *theta, b = args
        moving = any(trace.mine(t) for t in theta)

        def term(j: int, i: int, w: float = 1.0) -> Any:
            parts, x = [trace.coefficient(t, j) for t in theta], y.coef(i)
            if x is None or all(t is None for t in parts):
                return None
            return apply(parts, x, **p) * -w

        def rule(k: int) -> Any:
            rest = [term(*q) for q in trace.slots.rest[k]] if moving else []
            t = trace.total(k, [trace.coefficient(b, k), term(k, 0) if moving else None], rest)
            return None if t is None else prim(*(trace.coefficient(a, 0) for a in theta), t, **p)

        return rule

    def transpose(i: int, ct: Any, args: list, p: dict) -> Any:
        theta, other = transposed(args[:-1], p)
        return prim(*theta, ct, **other)

    def batch(trace: Any, _: Primitive, vals: list, mapped: list, p: dict) -> Any:
        if not any(mapped[:-1]):  # right-hand sides of one matrix stand side by side
            b = moveaxis(vals[-1], 0, -2)
            x = prim(*vals[:-1], reshape(b, (*shape(b)[:-2], shape(b)[-2] * shape(b)[-1])), **p)
            return moveaxis(reshape(x, shape(b)), -2, 0)
        return prim(*(v if m else trace.spread(v) for v, m in zip(vals, mapped, strict=True)), **p)

    prim = Primitive(
        name,
        evaluate,
        axes=Axes(labels),
        infer=infer,
        linear=(count,),
        transpose=transpose,
        jvp=jvp,
        taylor=taylor,
        batch=batch,
    )
    return prim


def run(name: str, prim: Primitive, theta: tuple, b: Any, n: int, cores: tuple[int, ...], **p: Any) -> Any:
    """Call a structured solve for b a vector (n,) or matrices (..., n, k)."""
    b = lapack(name, "b", as_argument(b))
    s, vector = shape(b), len(shape(b)) == 1
    if not s or s[-1 if vector else -2] != n:
        raise ShapeError(
            f"{name}: b of shape {s} does not fit a matrix of {n} rows: it must be a vector of length {n} or have {n} "
            f"rows; write stacked vectors as b[..., None]"
        )
    if vector:
        b = reshape(b, (n, 1))
    leads = [shape(t)[: len(shape(t)) - c] for t, c in zip(theta, cores, strict=True)]
    lead = broadcast_shapes(name, *leads, shape(b)[:-2])
    theta = tuple(broadcast(t, (*lead, *shape(t)[len(at) :])) for t, at in zip(theta, leads, strict=True))
    x = prim(*theta, broadcast(b, (*lead, *shape(b)[-2:])), **p)
    return reshape(x, shape(x)[:-1]) if vector else x


def singular(name: str, n: int) -> SingularMatrixError:
    """The error of a matrix that has no inverse."""
    return SingularMatrixError(
        f"{name}: a matrix of shape {(n, n)} is singular: its equations have no solution or many. Remove dependent "
        f"rows, or regularise its diagonal with + eps"
    )
