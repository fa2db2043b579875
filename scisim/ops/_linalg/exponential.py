"""The matrix exponential."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.ops._linalg.checks import square_matrix
from scisim.ops._linalg.frechet import Parts, combined, inner_products, matrix_function, product

# Coefficients of the numerator of the [13/13] approximant of exp, Higham (2005), "The scaling and squaring method".
_PADE = (
    64764752532480000.0,
    32382376266240000.0,
    7771770303897600.0,
    1187353796428800.0,
    129060195264000.0,
    10559470521600.0,
    670442572800.0,
    33522128640.0,
    1323241920.0,
    40840800.0,
    960960.0,
    16380.0,
    182.0,
    1.0,
)
# Norms up to which the approximant is exact to rounding: for first derivatives (Al-Mohy and Higham, 2009), and with
# room for eight orders, since each multiplies the error term of degree 27 by 27 over the norm at most.
_FIRST, _HIGHER = 4.74, 3.0


_NINE = 2.09  # norm up to which the [9/9] approximant is exact to rounding (Higham, 2005)


def _evaluate(a: Any) -> np.ndarray:
    """SciPy's, of matrices scaled to norms for which it takes approximants up to [9/9], and squared.

    Its [13/13] approximant (SciPy 1.17) loses up to three digits.
    """
    from scipy.linalg import expm as scipy_expm

    if not a.size:
        return a
    size = np.maximum.reduce(np.add.reduce(abs(a), -2), -1)
    if a.ndim == 2:
        times = _halvings(float(size))
        y = scipy_expm(a * 0.5**times if times else a).astype(a.dtype, copy=False)
        for _ in range(times):
            y = y @ y
        return y
    counts = np.array([_halvings(float(x)) for x in size.ravel()]).reshape(size.shape)
    y = scipy_expm(a * (0.5 ** counts[..., None, None]).astype(size.dtype)).astype(a.dtype, copy=False)
    for k in range(int(counts.max())):
        more = counts > k
        if more.all():
            y = y @ y
            continue
        y[more] = y[more] @ y[more]
    return y


def _halvings(size: float) -> int:
    """How often a matrix is to be halved; those that are infinite or nan are not."""
    return max(math.frexp(size / _NINE)[1], 0) if math.isfinite(size) else 0


def _parts(x: Parts) -> Parts:
    """By scaling and squaring, each matrix of a stack as often as its norm asks."""
    a = x[0]
    with np.errstate(all="ignore"):
        size = np.max(np.sum(np.abs(a), axis=-2), axis=-1)
        bound = _FIRST if len(x) == 2 else _HIGHER
        times = np.where(np.isfinite(size), np.ceil(np.log2(np.maximum(size / bound, 1.0))), 0).astype(int)
        if times.size and np.all(times == times.flat[0]):
            return _squared(x, int(times.flat[0]))
        out = np.empty((len(x), *a.shape), a.dtype)
        for s in np.unique(times):
            for part, y in zip(out, _squared([p if p is None else p[times == s] for p in x], int(s)), strict=True):
                part[times == s] = 0 if y is None else y
    return list(out)


def _squared(x: Parts, times: int) -> Parts:
    y = _approximant([p if p is None else p * 0.5**times for p in x])
    for _ in range(times):
        y = product(y, y)
    return y


def _approximant(x: Parts) -> Parts:
    c, like = _PADE, x[0]
    x2 = product(x, x)
    x4 = product(x2, x2)
    x6 = product(x4, x2)
    odd = product(x6, combined([(c[13], x6), (c[11], x4), (c[9], x2)], 0.0, like))
    odd = product(x, combined([(1.0, odd), (c[7], x6), (c[5], x4), (c[3], x2)], c[1], like))
    even = product(x6, combined([(c[12], x6), (c[10], x4), (c[8], x2)], 0.0, like))
    even = combined([(1.0, even), (c[6], x6), (c[4], x4), (c[2], x2)], c[0], like)
    return _quotient(combined([(1.0, even), (-1.0, odd)], 0.0, like), combined([(1.0, even), (1.0, odd)], 0.0, like))


def _quotient(q: Parts, p: Parts) -> Parts:
    """r with q r = p, part by part."""
    r: Parts = [np.linalg.solve(q[0], p[0])] + [None] * (len(p) - 1)
    for s in range(1, len(p)):
        right, inner = p[s], inner_products(q, r, s)
        if q[s] is not None:
            inner = q[s] @ r[0] if inner is None else inner + q[s] @ r[0]
        if inner is not None:
            right = -inner if right is None else right - inner
        r[s] = None if right is None else np.linalg.solve(q[0], right)
    return r


expm_p = matrix_function("expm", _evaluate, _parts)


def expm(a: Any) -> Any:
    """Exponential of matrices, the sum of a^k / k!.

    Parameters
    ----------
    a : array_like
        Of shape (..., n, n), real or complex.

    Returns
    -------
    Tensor
        Of the same shape and dtype.

    Raises
    ------
    ShapeError
        When a is not square.

    Notes
    -----
    Entire, so every derivative exists everywhere. They come from the same approximant as the value (Al-Mohy and
    Higham, 2009): the k-th along k directions costs about 3^k exponentials, a Taylor series to order k one
    exponential of a matrix k + 1 times as large.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.expm([[0.0, 1.0], [0.0, 0.0]])
    Tensor([[1., 1.],
            [0., 1.]])
    """
    return expm_p(square_matrix("expm", "a", a))
