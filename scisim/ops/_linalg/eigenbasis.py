"""Sums over eigenvectors of Hermitian matrices, with derivatives of every order.

Operands a, w, v of `compose_p` and `project_p` are a matrix and its eigenvalues and eigenvectors, which come along
so as not to be computed again: derivatives are taken by a alone.  All operands are curves (`perturbation`).  The two
are each other's transposes: the gradient of a function of eigenvalues is v diag(c) v^H.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.primitive import Primitive
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape, zeros_like
from scisim.ops._linalg import perturbation
from scisim.ops._linalg.checks import real_dtype, stacks
from scisim.ops._linalg.perturbation import product
from scisim.ops.complexes import conj, real
from scisim.ops.index import flip, read
from scisim.ops.products import matmul
from scisim.ops.reduce import sum as sum_of
from scisim.ops.shape import astype, concat, matrix_transpose, reshape


# --- curves as values --------------------------------------------------------------------------------------------
def part(x: Any, axis: int, k: int) -> Any:
    """Coefficient k of a curve whose coefficients run along an axis, counted from the end."""
    every = ("slice", None, None, None)
    rank = len(shape(x))
    return read(x, tuple(k if i == rank + axis else every for i in range(rank)))


def parts(x: Any, axis: int) -> list:
    return [part(x, axis, k) for k in range(shape(x)[axis])]


def curve(coefficients: list, axis: int) -> Any:
    """The coefficients joined along a new axis, counted from the end of the result."""
    s = shape(coefficients[0])
    at = len(s) + 1 + axis
    made = [reshape(c, (*s[:at], 1, *s[at:])) for c in coefficients]
    return made[0] if len(made) == 1 else concat(made, at)


def coefficients(trace: Any, x: Any) -> list:
    """Those of a value in a univariate series, zeros made explicit."""
    if not trace.mine(x):
        return [x] + [zeros_like(x)] * trace.last
    return [zeros_like(x) if c is None else c for c in (x.coef(k) for k in range(trace.slots.count))]


def along_a_line(trace: Any) -> bool:
    return trace.slots.univariate and trace.collapse is None


def adjoint(x: Any) -> Any:
    return conj(matrix_transpose(x))


# --- eigenvalues that are equal ----------------------------------------------------------------------------------
equal_pairs_p = Primitive(
    "equal_eigenvalues",
    perturbation.equal_pairs,
    axes=stacks((1,), 2),
    infer=lambda avals, p: ShapeDtype((*avals[0].shape, avals[0].shape[-1]), np.dtype(bool)),
)
inverse_gaps_p = Primitive(
    "inverse_gaps",
    perturbation.inverse_gaps,
    axes=stacks((1,), 2),
    infer=lambda avals, p: ShapeDtype((*avals[0].shape, avals[0].shape[-1]), avals[0].dtype),
    jvp=lambda f, args, tangents, fill: None if tangents[0] is None else -(f * f) * gaps(tangents[0]),
)
across_p = Primitive(
    "across_eigenvalues",
    perturbation.across,
    axes=stacks((2, 2), 2),
    infer=lambda avals, p: ShapeDtype(avals[1].shape, avals[1].dtype),
    linear=(1,),
    transpose=lambda i, ct, args, p: across_p(args[0], ct),
)


def gaps(w: Any) -> Any:
    """w_j - w_i."""
    s = shape(w)
    return reshape(w, (*s[:-1], 1, s[-1])) - reshape(w, (*s, 1))


# --- the pair ----------------------------------------------------------------------------------------------------
def _moved(args: list, da: Any) -> tuple[list, list, list, Any, Any]:
    """What the rules share: vectors, eigenvalues and v^H da v as curves, and the pairs that are equal."""
    _, w, v, _ = args
    ws, vs = parts(w, -2), parts(v, -3)
    adjoints = [adjoint(x) for x in vs]
    same = equal_pairs_p(ws[0])
    m = product(product(adjoints, parts(da, -3), matmul), vs, matmul)
    return ws, vs, [across_p(same, x) for x in m], same, inverse_gaps_p(ws[0], fill=0.0)


def _divided(n: list, ws: list, same: Any, f: Any) -> list:
    """n / (w_j - w_i) as curves; 1 between equal eigenvalues, where `across` has seen to it that nothing is there."""
    out: list[Any] = []
    for k, c in enumerate(n):
        for j in range(1, k + 1):
            c = c - gaps(ws[j]) * out[k - j]
        out.append(c * f + astype(same, dtype_of(f)) if k == 0 else c * f)
    return out


def _compose_jvp(y: Any, args: list, tangents: list) -> Any:
    """dv = v p with p = (v^H da v) / (w_j - w_i), so that v c v^H changes by v (p c - c p + dc) v^H."""
    a, w, v, c = args
    da, _, _, dc = tangents
    out = None if dc is None else compose_p(a, w, v, dc)
    if da is None:
        return out
    ws, vs, m, same, f = _moved(args, da)
    ratio = _divided([gaps(x) for x in parts(c, -2)], ws, same, f)
    turned = product(m, ratio, lambda p, q: p * q)
    t = curve(product(product(vs, turned, matmul), [adjoint(x) for x in vs], matmul), -3)
    return t if out is None else out + t


def _project_jvp(y: Any, args: list, tangents: list) -> Any:
    """diag(v^H h v) changes by the real part of 2 (v^H h v) p."""
    a, w, v, h = args
    da, _, _, dh = tangents
    out = None if dh is None else project_p(a, w, v, dh)
    if da is None:
        return out
    ws, vs, m, same, f = _moved(args, da)
    adjoints = [adjoint(x) for x in vs]
    inner = product(product(adjoints, [0.5 * (x + adjoint(x)) for x in parts(h, -3)], matmul), vs, matmul)
    ratio = _divided([-x for x in inner], ws, same, f)
    both = product(ratio, [matrix_transpose(x) for x in m], lambda p, q: p * q)
    t = curve([2.0 * sum_of(real(x), -1) for x in both], -2)
    return t if out is None else out + t


def _along(prim: Any, last: int) -> Any:
    """The series of a curve of one coefficient: the same primitive on more of them."""

    def series(trace: Any, args: tuple, params: dict) -> Any:
        if not along_a_line(trace) or not trace.mine(args[0]) or shape(args[0])[-3] > 1:
            return None
        axes = (-3, -2, -3, last)
        operands = [concat(coefficients(trace, x), len(shape(x)) + axis) for x, axis in zip(args, axes, strict=True)]
        y, axis = prim()(*operands), -2 if last == -3 else -3
        s = list(shape(y))
        s[axis] = 1
        return trace.series([reshape(c, tuple(s)) for c in parts(y, axis)])

    return series


def _flipped(x: Any, axis: int) -> Any:
    """The transpose of a product of series takes the coefficients from the other end."""
    return x if shape(x)[axis] == 1 else flip(x, axis)


compose_p = Primitive(
    "eigen_compose",
    perturbation.compose,
    axes=stacks((3, 2, 3, 2), 3),
    infer=lambda avals, p: ShapeDtype(avals[2].shape, avals[2].dtype),
    linear=(3,),
    transpose=lambda i, ct, args, p: _flipped(project_p(*args[:3], _flipped(conj(ct), -3)), -2),
    jvp=_compose_jvp,
    series=_along(lambda: compose_p, -2),
)
project_p = Primitive(
    "eigen_project",
    perturbation.project,
    axes=stacks((3, 2, 3, 3), 2),
    infer=lambda avals, p: ShapeDtype(avals[1].shape, real_dtype(avals[1].dtype)),
    linear=(3,),
    transpose=lambda i, ct, args, p: conj(_flipped(compose_p(*args[:3], _flipped(ct, -2)), -3)),
    jvp=_project_jvp,
    series=_along(lambda: project_p, -3),
)


def diagonal_in(a: Any, w: Any, v: Any, h: Any) -> Any:
    """diag(v^H h v) for matrices."""
    args = (curve([x], axis) for x, axis in ((a, -3), (w, -2), (v, -3), (h, -3)))
    return part(project_p(*args), -2, 0)
