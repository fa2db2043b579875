"""Vectors and matrices: normal with a covariance, directions, points of balls, rotations."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype, broadcast_shapes
from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import OPERATIONS, as_argument
from scisim.core.values import is_inexact
from scisim.core.values import shape as shape_of
from scisim.ops import _philox
from scisim.ops._random.arguments import DOUBLE, SINGLE, check_key, float_dtype
from scisim.ops._random.engine import KEYED, exponential_p, normal_p
from scisim.ops.arithmetic import add, mul, sqrt
from scisim.ops.products import matmul
from scisim.ops.reduce import sum as sum_of
from scisim.ops.shape import astype, lengths, matrix_transpose, reshape


def _linear(name: str) -> Any:
    import scisim.ops.linalg  # noqa: F401  # declares it

    return OPERATIONS[f"linalg.{name}"].raw


def _root(cov: Any, method: str) -> Any:
    """A matrix whose product with its transpose is the covariance."""
    if method == "cholesky":
        return _linear("cholesky")(cov)
    if method == "eigh":
        values, vectors = _linear("eigh")(cov)
        return mul(vectors, reshape(sqrt(values), (*shape_of(values)[:-1], 1, shape_of(values)[-1])))
    u, values, _ = _linear("svd")(cov)
    return mul(u, reshape(sqrt(values), (*shape_of(values)[:-1], 1, shape_of(values)[-1])))


def multivariate_normal(
    key: Any, mean: Any, cov: Any, shape: Any = None, dtype: Any = None, method: str = "cholesky"
) -> Any:
    """Normal vectors with a given mean and covariance.

    Parameters
    ----------
    key : Tensor
        From `key`.
    mean : array_like
        Of shape (..., n).
    cov : array_like
        Covariances, of shape (..., n, n), symmetric and positive (semi-)definite.
    shape : int or tuple of int, optional
        Of the drawn vectors, to which the leading axes broadcast; theirs by default.
    dtype : dtype, optional
        float64 by default.
    method : {"cholesky", "eigh", "svd"}
        How a root of ``cov`` is found. Cholesky's needs a definite one; its derivative always exists, the others'
        where no two eigenvalues are equal.

    Returns
    -------
    Tensor
        Of shape (*shape, n); differentiable in ``mean`` and ``cov``.

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key.
    ShapeError
        When the shapes do not fit.
    ArgumentError
        For another method.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.random.multivariate_normal(ss.random.key(0), [0.0, 1.0], [[2.0, 0.5], [0.5, 1.0]], (4,)).shape
    (4, 2)
    """
    name = "random.multivariate_normal"
    if method not in ("cholesky", "eigh", "svd"):
        raise ArgumentError(f'{name}: method must be "cholesky", "eigh" or "svd", got {method!r}')
    mean, cov = (v if is_inexact(v) else astype(v, DOUBLE) for v in map(as_argument, (mean, cov)))
    m, c = shape_of(mean), shape_of(cov)
    if not m or len(c) < 2 or c[-1] != c[-2] or c[-1] != m[-1]:
        raise ShapeError(f"{name}: mean must have shape (..., n) and cov (..., n, n), got {m} and {c}")
    lead = broadcast_shapes(name, m[:-1], c[:-2])
    s = lead if shape is None else lengths(name, shape)
    if broadcast_shapes(name, lead, s) != s:
        raise ShapeError(f"{name}: distributions of shape {lead} do not broadcast to the drawn shape {s}")
    dt = np.result_type(mean.dtype, cov.dtype) if dtype is None else float_dtype("multivariate_normal", dtype)
    drawn = DOUBLE if dt == DOUBLE else SINGLE
    z = normal_p(check_key("multivariate_normal", key), shape=(*s, m[-1]), dtype=drawn)
    root = _root(cov, method)
    if len(c) == 2:
        x = matmul(z, matrix_transpose(root))
    else:
        x = reshape(matmul(root, reshape(z, (*s, m[-1], 1))), (*s, m[-1]))
    x = add(x, mean)
    return x if x.dtype == dt else astype(x, dt)


def _directions(name: str, key: Any, d: Any, shape: Any, dtype: Any) -> tuple[Any, Any, tuple, np.dtype]:
    n = _philox.index_argument(f"random.{name}", "d", d, 2**31)
    if n < 1:
        raise ArgumentError(f"random.{name}: d must be at least 1, got {n}")
    dt, s = float_dtype(name, dtype), lengths(f"random.{name}", shape)
    k = check_key(name, key)
    return normal_p(k, shape=(*s, n), dtype=DOUBLE if dt == DOUBLE else SINGLE), k, (*s, 1), dt


def sphere(key: Any, d: int, shape: Any = (), dtype: Any = None) -> Any:
    """Points that are uniform on the unit sphere of d-dimensional space.

    Parameters
    ----------
    key : Tensor
        From `key`.
    d : int
        Dimension of the space, at least 1.
    shape : int or tuple of int
        Of the points.
    dtype : dtype, optional
        float64 by default.

    Returns
    -------
    Tensor
        Of shape (*shape, d).

    Raises
    ------
    ArgumentTypeError, ArgumentError
        When ``key`` is no key, or ``d`` no positive integer.

    Examples
    --------
    >>> import scisim as ss
    >>> round(float(ss.linalg.norm(ss.random.sphere(ss.random.key(0), 3))), 12)
    1.0
    """
    z, _, _, dt = _directions("sphere", key, d, shape, dtype)
    x = z / sqrt(sum_of(z * z, axis=-1, keepdims=True))
    return x if x.dtype == dt else astype(x, dt)


def ball(key: Any, d: int, shape: Any = (), dtype: Any = None) -> Any:
    """Points that are uniform in the unit ball of d-dimensional space.

    Parameters
    ----------
    key : Tensor
        From `key`.
    d : int
        Dimension of the space, at least 1.
    shape : int or tuple of int
        Of the points.
    dtype : dtype, optional
        float64 by default.

    Returns
    -------
    Tensor
        Of shape (*shape, d).

    Raises
    ------
    ArgumentTypeError, ArgumentError
        When ``key`` is no key, or ``d`` no positive integer.

    Notes
    -----
    A normal vector z over sqrt(z^2 + 2 e) with an exponential number e (Barthe, Guedon, Mendelson and Naor,
    Annals of Probability 33 (2005) 480).

    Examples
    --------
    >>> import scisim as ss
    >>> bool(ss.linalg.norm(ss.random.ball(ss.random.key(0), 3)) < 1.0)
    True
    """
    z, k, tail, dt = _directions("ball", key, d, shape, dtype)
    e = exponential_p(_philox.fold_in(k, 1) if isinstance(k, np.ndarray) else _folded(k), shape=tail, dtype=z.dtype)
    x = z / sqrt(sum_of(z * z, axis=-1, keepdims=True) + 2.0 * e)
    return x if x.dtype == dt else astype(x, dt)


def _folded(key: Any) -> Any:
    from scisim.ops._random.keys import fold_p

    return fold_p(key, np.array(1))


def _orthogonal(key: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    z = normal_p(key, shape=shape, dtype=DOUBLE)
    q, r = np.linalg.qr(z)
    signs = np.where(np.diagonal(r, axis1=-2, axis2=-1) < 0, -1.0, 1.0)
    return (q * signs[..., None, :]).astype(dtype)


orthogonal_p = Primitive(
    "random_orthogonal",
    _orthogonal,
    axes=KEYED,
    infer=lambda avals, p: ShapeDtype((*avals[0].shape[:-1], *p["shape"]), p["dtype"]),
)


def orthogonal(key: Any, n: int, shape: Any = (), dtype: Any = None) -> Any:
    """Orthogonal matrices, distributed as no rotation or reflection changes it (Haar's measure).

    Parameters
    ----------
    key : Tensor
        From `key`.
    n : int
        Number of rows and columns, not negative.
    shape : int or tuple of int
        Of the matrices.
    dtype : dtype, optional
        float64 by default.

    Returns
    -------
    Tensor
        Of shape (*shape, n, n).

    Raises
    ------
    ArgumentTypeError, ArgumentError
        When ``key`` is no key, or ``n`` no such integer.

    Notes
    -----
    The QR factorisation of a normal matrix, with a positive diagonal of R (Mezzadri, Notices of the AMS 54 (2007) 592).

    Examples
    --------
    >>> import scisim as ss
    >>> q = ss.random.orthogonal(ss.random.key(0), 3)
    >>> bool(ss.allclose(q @ ss.matrix_transpose(q), ss.eye(3)))
    True
    """
    dt, s = float_dtype("orthogonal", dtype), lengths("random.orthogonal", shape)
    size = _philox.index_argument("random.orthogonal", "n", n, 2**31)
    return orthogonal_p(check_key("orthogonal", key), shape=(*s, size, size), dtype=dt)
