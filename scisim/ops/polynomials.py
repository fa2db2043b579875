"""Polynomials as vectors of coefficients, the highest power first: values, calculus, products, fits, roots."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import leading
from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import OPERATIONS, as_argument, public
from scisim.core.values import Traced, is_inexact, shape
from scisim.core.values import dtype as dtype_of
from scisim.core.values import zeros as _zeros
from scisim.ops.arithmetic import div, mul, sqrt, square
from scisim.ops.complexes import conj, imag, real
from scisim.ops.convolution import convolution_p
from scisim.ops.index import slice_axis
from scisim.ops.one_step import as_step
from scisim.ops.products import matmul
from scisim.ops.select import eq, where
from scisim.ops.shape import as_integer, astype, broadcast, concat_p, matrix_transpose, reshape, stack, sum_p


def _vector(name: str, argument: str, p: Any) -> Any:
    p = as_argument(p)
    if not shape(p):
        p = reshape(p, (1,))
    if len(shape(p)) != 1:
        raise ShapeError(f"{name}: {argument} must be a vector of coefficients, got shape {shape(p)}")
    return p


def _inexact(x: Any) -> Any:
    return x if is_inexact(x) else astype(x, np.float64)


# --- values -------------------------------------------------------------------------------------------------
def polyval(p: Any, x: Any) -> Any:
    """Value of a polynomial by Horner's rule.

    Parameters
    ----------
    p : array_like
        A vector of coefficients, the highest power first.
    x : array_like
        Of any shape.

    Returns
    -------
    Tensor
        Of the shape of ``x``.

    Raises
    ------
    ShapeError
        When ``p`` is not a vector.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.polyval([1.0, 0.0, 2.0], 3.0)
    Tensor(11.)
    """
    p, x = _vector("polyval", "p", p), as_argument(x)
    to = np.result_type(dtype_of(p), dtype_of(x))
    if not shape(p)[0]:
        return _zeros(shape(x), to)
    y: Any = _zeros(shape(x), to)
    for k in range(shape(p)[0]):
        y = p[k] if k == 0 else y * x + p[k]
    return broadcast(astype(y, to), shape(x))


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """Matrix of the powers of numbers.

    Parameters
    ----------
    x : array_like
        A vector.
    N : int, optional
        Number of columns; the length of ``x`` by default.
    increasing : bool
        Whether powers increase from left to right; else they decrease.

    Returns
    -------
    Tensor
        Of shape (len(x), N).

    Raises
    ------
    ShapeError
        When ``x`` is not a vector.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.vander([2.0, 3.0], 3)
    Tensor([[4., 2., 1.],
            [9., 3., 1.]])
    """
    x = as_argument(x)
    if len(shape(x)) != 1:
        raise ShapeError(f"vander: takes a vector, got shape {shape(x)}")
    n = shape(x)[0] if N is None else as_integer("vander", "N", N)
    x = astype(x, np.int64) if dtype_of(x).kind in "bi" else x
    columns: list[Any] = [np.ones(shape(x), dtype_of(x))]
    while len(columns) < n:
        columns.append(x if len(columns) == 1 else mul(columns[-1], x))
    if not n:
        return _zeros((shape(x)[0], 0), dtype_of(x))
    return stack(columns if increasing else columns[::-1], 1)


# --- calculus -----------------------------------------------------------------------------------------------
def polyder(p: Any, m: int = 1) -> Any:
    """Coefficients of a derivative.

    Parameters
    ----------
    p : array_like
        A vector of coefficients, the highest power first.
    m : int
        How often the polynomial is differentiated.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentError
        For a negative ``m``.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.polyder([1.0, 2.0, 3.0])
    Tensor([2., 2.])
    """
    p = _vector("polyder", "p", p)
    if as_integer("polyder", "m", m) < 0:
        raise ArgumentError(f"polyder: m must not be negative, got {m}; polyint integrates")
    for _ in range(m):
        n = shape(p)[0] - 1
        p = slice_axis(p, 0, 0, max(n, 0)) * np.arange(max(n, 0), 0, -1).astype(_weights(p))
    return p


def _weights(p: Any) -> Any:
    return real_dtype(dtype_of(p)) if is_inexact(p) else np.int64


def real_dtype(dt: np.dtype) -> np.dtype:
    """The dtype of the parts of numbers."""
    return np.zeros((), dt).real.dtype


def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    """Coefficients of an antiderivative.

    Parameters
    ----------
    p : array_like
        A vector of coefficients, the highest power first.
    m : int
        How often the polynomial is integrated.
    k : array_like, optional
        Constants of integration, the first one first; 0 by default.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentError
        For a negative ``m``.
    ShapeError
        For another number of constants than ``m``.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.polyint([2.0, 2.0], k=3.0)
    Tensor([1., 2., 3.])
    """
    p = _inexact(_vector("polyint", "p", p))
    if as_integer("polyint", "m", m) < 0:
        raise ArgumentError(f"polyint: m must not be negative, got {m}; polyder differentiates")
    k = _zeros((m,), dtype_of(p)) if k is None else _vector("polyint", "k", k)
    if shape(k)[0] not in (1, m):
        raise ShapeError(f"polyint: {shape(k)[0]} constants for {m} integrations; give one for each")
    k = broadcast(k, (m,))
    for j in range(m):
        powers = np.arange(shape(p)[0], 0, -1).astype(_weights(p))
        constant = slice_axis(k, 0, j, j + 1)
        p = concat_p(p / powers, astype(constant, np.result_type(dtype_of(p), dtype_of(constant))), axis=0)
    return p


# --- arithmetic ---------------------------------------------------------------------------------------------
def _aligned(name: str, a: Any, b: Any) -> tuple[Any, Any]:
    """Two polynomials with as many coefficients: zeros in front of the shorter one."""
    a, b = _vector(name, "a1", a), _vector(name, "a2", b)
    n = max(shape(a)[0], shape(b)[0])
    longer = (concat_p(_zeros((n - shape(v)[0],), dtype_of(v)), v, axis=0) if shape(v)[0] < n else v for v in (a, b))
    return next(longer), next(longer)


def polyadd(a1: Any, a2: Any) -> Any:
    """Coefficients of a sum.

    Parameters
    ----------
    a1, a2 : array_like
        Vectors of coefficients, the highest power first.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.polyadd([1.0, 2.0], [3.0])
    Tensor([1., 5.])
    """
    a, b = _aligned("polyadd", a1, a2)
    return a + b


def polysub(a1: Any, a2: Any) -> Any:
    """Coefficients of a difference.

    Parameters
    ----------
    a1, a2 : array_like
        Vectors of coefficients, the highest power first.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.polysub([1.0, 2.0], [3.0])
    Tensor([ 1., -1.])
    """
    a, b = _aligned("polysub", a1, a2)
    return a - b


def _trimmed(p: Any) -> Any:
    """Without leading zeros, where the values are known."""
    if isinstance(p, Traced) or not p.size:
        return p
    at = np.flatnonzero(p)
    return p[at[0] :] if at.size else p[-1:]


def polymul(a1: Any, a2: Any) -> Any:
    """Coefficients of a product.

    Parameters
    ----------
    a1, a2 : array_like
        Vectors of coefficients, the highest power first.

    Returns
    -------
    Tensor
        Leading zeros of known arrays are left out, as NumPy does; those of values of a transformation stay.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.polymul([1.0, 2.0], [1.0, -2.0])
    Tensor([ 1.,  0., -4.])
    """
    a, b = _trimmed(_vector("polymul", "a1", a1)), _trimmed(_vector("polymul", "a2", a2))
    if not (shape(a)[0] and shape(b)[0]):
        raise ShapeError(f"polymul: polynomials without coefficients, of shape {shape(a)} and {shape(b)}")
    return convolution_p(a, b, rank=1, mode="full", method="direct")


def polydiv(u: Any, v: Any) -> Any:
    """Quotient and remainder of polynomials.

    Parameters
    ----------
    u, v : array_like
        Dividend and divisor: vectors of coefficients, the highest power first; that of ``v`` is not 0.

    Returns
    -------
    quotient, remainder : Tensor
        The remainder has one coefficient fewer than ``v`` (leading zeros of known arrays are left out).

    Raises
    ------
    ArgumentError
        For a divisor without coefficients, or with a leading zero.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.polydiv([1.0, 0.0, -3.0], [1.0, 1.0])
    (Tensor([ 1., -1.]), Tensor([-2.]))
    """
    u, v = _inexact(_vector("polydiv", "u", u)), _inexact(_vector("polydiv", "v", v))
    n, m = shape(u)[0], shape(v)[0]
    if not m:
        raise ArgumentError("polydiv: the divisor has no coefficients")
    if isinstance(v, np.ndarray) and v[0] == 0:
        raise ArgumentError("polydiv: the leading coefficient of the divisor is 0; leave leading zeros out")
    to = np.result_type(dtype_of(u), dtype_of(v))
    if n < m:
        return _zeros((1,), to), u
    rest, found = astype(u, to), []
    for _ in range(n - m + 1):
        q = rest[0] / v[0]
        found.append(q)
        head = slice_axis(rest, 0, 1, m) - q * slice_axis(v, 0, 1, None)
        rest = concat_p(head, slice_axis(rest, 0, m, None), axis=0)
    # NumPy leaves one zero where nothing is left.
    rest = rest if m > 1 else _zeros((1,), to)
    return stack(found), _trimmed(rest)


# --- fits ---------------------------------------------------------------------------------------------------
def polyfit(x: Any, y: Any, deg: int, w: Any = None) -> Any:
    """Coefficients of the polynomial of least squares through points.

    Parameters
    ----------
    x : array_like
        A vector of n points.
    y : array_like
        Values of shape (n,), or (n, k) for k fits.
    deg : int
        Degree of the polynomial, less than n.
    w : array_like, optional
        Weights of the residuals (not of their squares), of shape (n,).

    Returns
    -------
    Tensor
        Of shape (deg + 1,) or (deg + 1, k), the highest power first.

    Raises
    ------
    ShapeError
        When the shapes do not fit.
    ArgumentError
        For a negative degree, or fewer points than coefficients.

    Notes
    -----
    Differentiates in points, values and weights. The columns of powers are scaled to equal length and orthogonalised.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.around(ss.polyfit([0.0, 1.0, 2.0], [1.0, 3.0, 5.0], 1), 8)
    Tensor([2., 1.])
    """
    x, y = _inexact(_vector("polyfit", "x", x)), _inexact(as_argument(y))
    n, deg = shape(x)[0], as_integer("polyfit", "deg", deg)
    if len(shape(y)) not in (1, 2) or shape(y)[0] != n:
        raise ShapeError(f"polyfit: y has shape {shape(y)} for {n} points; expected ({n},) or ({n}, k)")
    if deg < 0 or n <= deg:
        raise ArgumentError(f"polyfit: degree {deg} from {n} points; needs a degree of at least 0 and less than {n}")
    a = vander(x, deg + 1)
    b = y if len(shape(y)) == 2 else reshape(y, (n, 1))
    if w is not None:
        w = _vector("polyfit", "w", w)
        if shape(w) != (n,):
            raise ShapeError(f"polyfit: w has shape {shape(w)} for {n} points; expected ({n},)")
        a, b = a * reshape(w, (n, 1)), b * reshape(w, (n, 1))
    scale = sqrt(sum_p(_squares(a), axes=(0,)))
    c = _fitted(a / scale, b) / reshape(scale, (-1, 1))
    return c if len(shape(y)) == 2 else reshape(c, (deg + 1,))


def _squares(a: Any) -> Any:
    return square(real(a)) + square(imag(a)) if dtype_of(a).kind == "c" else square(a)


def _fitted(a: Any, b: Any) -> Any:
    """Solution of least squares by an orthogonal factorisation."""
    from scisim.ops._linalg.orthogonal import qr
    from scisim.ops._linalg.solving import solve_p

    q, r = qr(a)
    return solve_p(r, matmul(conj(matrix_transpose(q)), b))


# --- roots --------------------------------------------------------------------------------------------------
def _complex_dtype(dt: np.dtype) -> np.dtype:
    return np.dtype(np.complex64 if real_dtype(dt) == np.float32 else np.complex128)


def _roots(p: Any) -> np.ndarray:
    """Eigenvalues of companion matrices."""
    lead = p.shape[:-1]
    n = p.shape[-1] - 1
    to = _complex_dtype(p.dtype)
    out = np.zeros((*lead, n), to)
    for i in np.ndindex(lead):
        r = np.roots(p[i])
        if len(r) != n:
            raise ArgumentError(
                f"roots: the leading coefficient is 0, so a polynomial of degree {n} has only {len(r)} roots; "
                f"leave leading zeros out"
            )
        out[i] = r
    return out


def _roots_jvp(y: Any, args: list, tangents: list) -> Any:
    """p(r) = 0 differentiated: dr = -dp(r) / p'(r)."""
    (p,), (t,) = args, tangents
    if t is None:
        return None
    n = shape(p)[-1] - 1
    slope = _horner(slice_axis(p, len(shape(p)) - 1, 0, n) * np.arange(n, 0, -1).astype(_weights(p)), y)
    repeated = eq(slope, 0)
    inverse = where(repeated, math.nan, div(-1.0, where(repeated, 1.0, slope)))
    return mul(_horner(t, where(repeated, math.nan, y)), inverse)


def _horner(p: Any, x: Any) -> Any:
    """Polynomials (..., m) at the numbers (..., n) of each."""
    axis = len(shape(p)) - 1
    y = None
    for k in range(shape(p)[-1]):
        c = slice_axis(p, axis, k, k + 1)
        y = c if y is None else y * x + c
    return y


roots_p = Primitive(
    "roots",
    _roots,
    axes=leading(1),
    infer=lambda avals, p: ShapeDtype(
        (*avals[0].shape[:-1], avals[0].shape[-1] - 1),
        _complex_dtype(avals[0].dtype),
    ),
    jvp=_roots_jvp,
    singular="nan at repeated roots, which have no derivative",
)


def roots(p: Any) -> Any:
    """Roots of a polynomial, as eigenvalues of its companion matrix.

    Parameters
    ----------
    p : array_like
        A vector of coefficients, the highest power first.

    Returns
    -------
    Tensor
        Always complex. Leading zeros of known arrays lower the degree.

    Raises
    ------
    ShapeError
        When ``p`` is not a vector.
    ArgumentError
        When the leading coefficient turns out to be 0 in a transformation, where the degree is fixed.

    Notes
    -----
    At a repeated root the derivative is nan: roots move as fractional powers there.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.roots([1.0, -3.0, 2.0])
    Tensor([2.+0.j, 1.+0.j])
    """
    p = _inexact(_vector("roots", "p", p))
    p = _trimmed(p)
    if shape(p)[0] < 2:
        return np.zeros(0, _complex_dtype(dtype_of(p)))
    return roots_p(p)


def poly(seq: Any) -> Any:
    """Coefficients of the polynomial with given roots, or the characteristic polynomial of a matrix.

    Parameters
    ----------
    seq : array_like
        A vector of roots, or a square matrix.

    Returns
    -------
    Tensor
        The highest power first, with coefficient 1.

    Raises
    ------
    ShapeError
        For anything but a vector or a square matrix.

    Notes
    -----
    That of a matrix comes from traces of its powers (Faddeev and LeVerrier), and so differentiates where
    eigenvalues coincide. The result is real only if the operand is.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.poly([1.0, 2.0])
    Tensor([ 1., -3.,  2.])
    """
    seq = _inexact(as_argument(seq))
    s = shape(seq)
    if len(s) == 2 and s[0] == s[1]:
        return _characteristic(seq)
    if len(s) != 1:
        raise ShapeError(f"poly: takes a vector of roots or a square matrix, got shape {s}")
    p = np.ones(1, dtype_of(seq))
    for k in range(s[0]):
        p = concat_p(p, _zeros((1,), dtype_of(seq)), axis=0) - concat_p(_zeros((1,), dtype_of(seq)), p * seq[k], axis=0)
    return p


def _characteristic(a: Any) -> Any:
    n = shape(a)[0]
    trace = OPERATIONS["trace"].raw
    one = np.eye(n, dtype=dtype_of(a))
    found: list[Any] = [np.ones((), dtype_of(a))]
    m = _zeros((n, n), dtype_of(a))
    for k in range(1, n + 1):
        m = matmul(a, m) + found[-1] * one
        found.append(-trace(matmul(a, m)) / float(k))
    return stack(found)


for _f in (
    *(polyval, vander, polyder, polyint, polyadd, polysub, polymul, polydiv, polyfit, poly),
    roots,
):
    public(_f.__name__, as_step(_f))
