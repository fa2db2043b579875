"""Functions of matrices that are power series, with derivatives of every order.

The k-th derivative of f at A is linear in each of k directions and does not depend on their order. It is the
coefficient of s_1 ... s_k in f(A + s_1 E_1 + ... + s_k E_k) where every s_i squares to 0, so whatever computes f by
products and solves computes it too, in matrices with 2^k parts. A whole Taylor series is the first row of f of the
block matrix that multiplies by A(t).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes, broadcast_labels, leading
from scisim.core.primitive import Primitive
from scisim.core.values import dtype, shape, zeros_like
from scisim.ops.arithmetic import absolute, stop
from scisim.ops.elementary import exp2, log2
from scisim.ops.extrema import max as max_of
from scisim.ops.select import ceil, maximum
from scisim.ops.shape import astype, concat, matrix_transpose, reshape

Parts = list  # the parts of a matrix by the set of infinitesimals, as bits; None is zero


def product(x: Parts, y: Parts) -> Parts:
    """Product of two matrices with infinitesimal parts."""
    out: Parts = [None] * len(x)
    for i, p in enumerate(x):
        for j, q in enumerate(y):
            if p is not None and q is not None and not i & j:
                r = p @ q
                out[i | j] = r if out[i | j] is None else out[i | j] + r
    return out


def inner_products(x: Parts, y: Parts, s: int) -> Any:
    """The products of infinitesimal parts that make part s, without those with a finite factor; None if none."""
    total = None
    for i in range(1, s):
        if i & s == i and x[i] is not None and y[s ^ i] is not None:
            r = x[i] @ y[s ^ i]
            total = r if total is None else total + r
    return total


def combined(terms: Sequence[tuple[float, Parts]], one: float, like: np.ndarray) -> Parts:
    """A sum of multiples, and a multiple of the identity."""
    out: Parts = [None] * len(terms[0][1])
    for w, x in terms:
        for s, p in enumerate(x):
            if p is not None:
                out[s] = w * p if out[s] is None else out[s] + w * p
    out[0] = out[0] + one * np.eye(like.shape[-1], dtype=like.dtype)
    return out


def matrix_function(name: str, evaluate: Callable, parts: Callable, scale: Callable = lambda p: p) -> Primitive:
    """The primitive of a function, and that of its derivatives.

    Parameters
    ----------
    name : str
    evaluate : callable
        ``evaluate(a)`` on stacks of matrices.
    parts : callable
        ``parts(x)``: the function of a stack of matrices with infinitesimal parts.
    """

    def derivative(a: Any, *directions: Any) -> np.ndarray:
        arrays = np.broadcast_arrays(a, *directions)
        kind = np.result_type(*arrays)
        if not arrays[0].size:
            return np.zeros(arrays[0].shape, kind)
        x: Parts = [None] * (1 << len(directions))
        for k, v in enumerate(arrays):
            x[1 << (k - 1) if k else 0] = v.astype(kind)
        y = parts(x)[-1]
        return np.zeros(arrays[0].shape, kind) if y is None else y

    def labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
        ins, lead = broadcast_labels(shapes, core=2)
        return [(*i, None, None) for i in ins], (*lead, None, None)

    def infer(avals: tuple, p: dict) -> ShapeDtype:
        return ShapeDtype(np.broadcast_shapes(*(v.shape for v in avals)), np.result_type(*(v.dtype for v in avals)))

    def derivative_jvp(y: Any, args: list, tangents: list) -> Any:
        a, *directions = args
        total = None if tangents[0] is None else frechet(a, tangents[0], *directions)
        for k, t in enumerate(tangents[1:]):
            if t is not None:
                term = frechet(a, t, *directions[:k], *directions[k + 1 :])
                total = term if total is None else total + term
        return total

    frechet = Primitive(
        f"{name}_derivative",
        derivative,
        axes=Axes(labels, broadcasts=True, core=2),
        infer=infer,
        linear=(1,),
        transpose=lambda i, ct, args, p: frechet(
            matrix_transpose(args[0]), ct, *(matrix_transpose(e) for e in args[2:])
        ),
        jvp=derivative_jvp,
    )
    f = Primitive(
        name,
        evaluate,
        axes=leading(2),
        infer=lambda avals, p: avals[0],
        jvp=lambda y, args, tangents: None if tangents[0] is None else frechet(args[0], tangents[0]),
        series=lambda trace, args, p: _series(f, trace, args[0]),
    )
    return f


def _series(f: Primitive, trace: Any, a: Any) -> Any:
    """All coefficients from one block matrix; other kinds of series go by the derivatives."""
    if trace.last < 2 or not trace.slots.univariate or trace.collapse is not None:
        return None
    cs = [a.coef(k) for k in range(trace.last + 1)]
    if 0 in shape(a) or all(c is None for c in cs[1:]):
        return f(cs[0])
    step = _step(cs)
    scaled = [None if c is None else c if k == 0 else c * _power(step, k) for k, c in enumerate(cs)]
    first = _first_row(f(_blocks(scaled)), len(cs), shape(a)[-1])
    return trace.series([f(cs[0]), *(first[k] / _power(step, k) for k in range(1, len(cs)))])


def _power(x: Any, k: int) -> Any:
    y = x
    for _ in range(k - 1):
        y = y * x
    return y


def _step(cs: list) -> Any:
    """A power of two for the variable of the series, for which coefficients are no greater than the matrix."""
    one = np.ones((), _real(cs[0]))
    size = maximum(_largest(cs[0]), one)
    rate: Any = one
    for k, c in enumerate(cs[1:], 1):
        if c is not None:
            rate = maximum(rate, exp2(log2(maximum(_largest(c) / size, one)) / k))
    return stop(astype(exp2(-ceil(log2(rate))), _real(cs[0])))


def _real(x: Any) -> np.dtype:
    return np.zeros((), dtype(x)).real.dtype


def _largest(x: Any) -> Any:
    return max_of(absolute(stop(x)), (-2, -1), True)


def _blocks(cs: list) -> Any:
    """The block upper triangular Toeplitz matrix of coefficients."""
    zero = zeros_like(cs[0])
    rows = []
    for i in range(len(cs)):
        row = [zero if j < i or cs[j - i] is None else cs[j - i] for j in range(len(cs))]
        rows.append(concat(row, -1))
    return concat(rows, -2)


def _first_row(x: Any, count: int, n: int) -> list:
    row = reshape(x[..., :n, :], (*shape(x)[:-2], n, count, n))
    return [row[..., :, k, :] for k in range(count)]
