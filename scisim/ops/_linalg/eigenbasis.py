"""Sums over eigenvectors, with derivatives of every order.

Operands a, w, v of `compose_p` and `project_p` are a matrix and its eigenvalues and eigenvectors, which come along
so as not to be computed again: derivatives are taken by a alone.  All operands are curves (`perturbation`).  The two
are each other's transposes: the gradient of a function of eigenvalues is v diag(c) v^-1, transposed.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.primitive import Primitive
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape, zeros_like
from scisim.ops._linalg import eigensums, perturbation
from scisim.ops._linalg.checks import real_dtype, stacks
from scisim.ops._linalg.guards import adjoint, deficient_p
from scisim.ops._linalg.perturbation import product
from scisim.ops._linalg.solving import solve_p
from scisim.ops.complexes import conj, real
from scisim.ops.index import flip, read
from scisim.ops.products import matmul
from scisim.ops.reduce import sum as sum_of
from scisim.ops.select import where
from scisim.ops.shape import astype, broadcast, concat, matrix_transpose, reshape


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
    """Whether a series has one variable, of those that its coefficients could have."""
    slots = trace.slots
    if slots.collapsed or trace.collapse is not None:
        return False
    return any(len(slots.ray(v)) == slots.count for v in range(slots.variables))


# --- eigenvalues that are equal ----------------------------------------------------------------------------------
equal_pairs_p = Primitive(
    "equal_eigenvalues",
    eigensums.equal_pairs,
    axes=stacks((1,), 2),
    infer=lambda avals, p: ShapeDtype((*avals[0].shape, avals[0].shape[-1]), np.dtype(bool)),
)
inverse_gaps_p = Primitive(
    "inverse_gaps",
    eigensums.inverse_gaps,
    axes=stacks((1,), 2),
    infer=lambda avals, p: ShapeDtype((*avals[0].shape, avals[0].shape[-1]), avals[0].dtype),
    jvp=lambda f, args, tangents, fill: None if tangents[0] is None else -(f * f) * gaps(tangents[0]),
)
across_p = Primitive(
    "across_eigenvalues",
    eigensums.across,
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
def inverses(vs: list, kind: str) -> list:
    """The inverse of the matrices of vectors, along a curve."""
    if kind != "general":
        return [adjoint(x) for x in vs]
    one = np.eye(shape(vs[0])[-1], dtype=dtype_of(vs[0]))
    y = [eigen_solve(vs[0], one)]
    for k in range(1, len(vs)):
        y.append(-matmul(y[0], sum(matmul(vs[j], y[k - j]) for j in range(1, k + 1))))
    return y


def eigen_solve(v: Any, b: Any) -> Any:
    """v^-1 b, nan where the columns of v do not span the space."""
    defective = deficient_p(v)
    return solve_p(where(reshape(defective, (*shape(defective), 1, 1)), math.nan, v), broadcast(b, shape(v)))


def _moved(args: list, da: Any, kind: str) -> tuple:
    """What the rules share: eigenvalues, vectors, their inverse, v^-1 da v, the pairs that are equal, 1 / gaps."""
    _, w, v, _ = args
    ws, vs = parts(w, -2), parts(v, -3)
    ys = inverses(vs, kind)
    same = equal_pairs_p(ws[0])
    m = product(product(ys, parts(da, -3), matmul), vs, matmul)
    return ws, vs, ys, [across_p(same, x) for x in m], same, inverse_gaps_p(ws[0], fill=0.0)


def _divided(n: list, ws: list, same: Any, f: Any) -> list:
    """n / (w_j - w_i) as curves; 1 between equal eigenvalues, where `across` has seen to it that nothing is there."""
    out: list[Any] = []
    for k, c in enumerate(n):
        for j in range(1, k + 1):
            c = c - gaps(ws[j]) * out[k - j]
        out.append(c * f + astype(same, dtype_of(f)) if k == 0 else c * f)
    return out


def _times(p: Any, q: Any) -> Any:
    return p * q


def _compose_jvp(y: Any, args: list, tangents: list, kind: str) -> Any:
    """dv = v p with p = (v^-1 da v) / (w_j - w_i), so that v c v^-1 changes by v (p c - c p + dc) v^-1."""
    a, w, v, c = args
    da, _, _, dc = tangents
    out = None if dc is None else compose_p(a, w, v, dc, kind=kind)
    if da is None:
        return out
    ws, vs, ys, m, same, f = _moved(args, da, kind)
    ratio = _divided([gaps(x) for x in parts(c, -2)], ws, same, f)
    t = curve(product(product(vs, product(m, ratio, _times), matmul), ys, matmul), -3)
    return t if out is None else out + t


def _project_jvp(y: Any, args: list, tangents: list, kind: str) -> Any:
    """With n = v^-1 h v, diag(n) changes by the diagonal of n p - p n."""
    a, w, v, h = args
    da, _, _, dh = tangents
    out = None if dh is None else project_p(a, w, v, dh, kind=kind)
    if da is None:
        return out
    ws, vs, ys, m, same, f = _moved(args, da, kind)
    n = product(product(ys, parts(h, -3), matmul), vs, matmul)
    if kind != "general":
        n = [0.5 * (x + adjoint(x)) for x in n]
    mt, nt = ([matrix_transpose(x) for x in z] for z in (m, n))
    first = product(_divided([-x for x in n], ws, same, f), mt, _times)
    second = product(_divided([-x for x in nt], ws, same, f), m, _times)
    both = [sum_of(p + q, -1) for p, q in zip(first, second, strict=True)]
    t = curve(both if kind == "general" else [real(x) for x in both], -2)
    return t if out is None else out + t


def _along(prim: Any, last: int) -> Any:
    """The series of a curve of one coefficient: the same primitive on more of them."""

    def series(trace: Any, args: tuple, params: dict) -> Any:
        a, _, _, x = args
        if not along_a_line(trace) or not trace.mine(a) or shape(a)[-3] > 1:
            return None
        a, x = joined(trace, a, -3), joined(trace, x, last)
        w, v = eigen_curve_p(a, kind=params["kind"], known=True)  # with what is known of vectors that are not
        y, axis = prim()(a, w, v, x, **params), -2 if last == -3 else -3
        s = list(shape(y))
        s[axis] = 1
        return trace.series([reshape(c, tuple(s)) for c in parts(y, axis)])

    return series


def joined(trace: Any, x: Any, axis: int) -> Any:
    """The coefficients of a curve of one coefficient, as one curve."""
    return concat(coefficients(trace, x), len(shape(x)) + axis)


def _flipped(x: Any, axis: int) -> Any:
    """The transpose of a product of series takes the coefficients from the other end."""
    return x if shape(x)[axis] == 1 else flip(x, axis)


def _compose_transpose(i: int, ct: Any, args: tuple, p: dict) -> Any:
    return _flipped(project_p(*args[:3], _flipped(matrix_transpose(ct), -3), **p), -2)


def _project_transpose(i: int, ct: Any, args: tuple, p: dict) -> Any:
    return matrix_transpose(_flipped(compose_p(*args[:3], _flipped(ct, -2), **p), -3))


compose_p = Primitive(
    "eigen_compose",
    eigensums.compose,
    axes=stacks((3, 2, 3, 2), 3),
    infer=lambda avals, p: ShapeDtype(avals[2].shape, avals[2].dtype),
    linear=(3,),
    transpose=_compose_transpose,
    jvp=_compose_jvp,
    series=_along(lambda: compose_p, -2),
)
project_p = Primitive(
    "eigen_project",
    eigensums.project,
    axes=stacks((3, 2, 3, 3), 2),
    infer=lambda avals, p: ShapeDtype(avals[1].shape, avals[1].dtype),
    linear=(3,),
    transpose=_project_transpose,
    jvp=_project_jvp,
    series=_along(lambda: project_p, -3),
)


def eigen_infer(avals: tuple, p: dict) -> tuple:
    """Eigenvalues and eigenvectors of matrices or curves."""
    a = avals[0]
    kind = np.dtype(np.result_type(a.dtype, np.complex64)) if p["kind"] == "general" else a.dtype
    values = kind if p["kind"] == "general" else real_dtype(kind)
    return ShapeDtype(a.shape[:-1], values), ShapeDtype(a.shape, kind)


def _curve_jvp(y: tuple, args: list, tangents: list, kind: str, known: bool) -> tuple:
    """dw = diag(v^-1 da v), dv = v p with p = (v^-1 da v) / (w_j - w_i) beside the diagonal; as series."""
    (a,), (da,), (w, v) = args, tangents, y
    if da is None:
        return None, None
    ws, vs = parts(w, -2), parts(v, -3)
    moved = product(product(inverses(vs, kind), parts(da, -3), matmul), vs, matmul)
    f = inverse_gaps_p(ws[0], fill=math.nan)
    turn: list[Any] = []
    for k, m in enumerate(moved):
        turn.append((m - sum(gaps(ws[j]) * turn[k - j] for j in range(1, k + 1)) if k else m) * f)
    dv = product(vs, turn, matmul)
    if kind == "general":
        dv = held_scale(vs, dv)
    whole = v if known else eigen_curve_p(a, kind=kind, known=True)[1]
    return project_p(a, w, whole, da, kind=kind), curve(dv, -3)


def held_scale(v: list, dv: list) -> list:
    """Tangents of columns of length one, less their parts along these: v^H dv = 0."""
    dot = lambda p, q: sum_of(conj(p) * q, -2, True)
    return [x - y for x, y in zip(dv, product(v, product(v, dv, dot), _times), strict=True)]


eigen_curve_p = Primitive(
    "eigen_curve",
    perturbation.eigen_curve,
    axes=stacks((3,), [2, 3]),
    infer=eigen_infer,
    jvp=_curve_jvp,
    multiple=True,
)


def diagonal_in(a: Any, basis: tuple, h: Any, kind: str) -> Any:
    """diag(v^-1 h v) for matrices a with eigenvalues w and eigenvectors v, the basis."""
    w, v = basis
    args = (curve([x], axis) for x, axis in ((a, -3), (w, -2), (v, -3), (h, -3)))
    return part(project_p(*args, kind=kind), -2, 0)
