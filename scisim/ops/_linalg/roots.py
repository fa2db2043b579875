"""Square roots and other powers of matrices, the sign, and trigonometric functions of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.axes import leading
from scisim.core.errors import DTypeError
from scisim.core.primitive import Primitive
from scisim.core.values import dtype, is_complex
from scisim.ops._linalg.checks import SingularMatrixError, check_finite, square_matrix
from scisim.ops._linalg.exponential import expm_p
from scisim.ops._linalg.logarithm import logm_p
from scisim.ops._linalg.solving import solve_p
from scisim.ops._linalg.sylvester import sylvester_p
from scisim.ops.complexes import imag, real
from scisim.ops.products import matmul
from scisim.ops.shape import matrix_transpose, stack


def _sqrtm(a: Any) -> np.ndarray:
    from scipy.linalg import sqrtm as scipy_sqrtm

    if not a.size:
        return a
    x = scipy_sqrtm(a)
    if not np.isfinite(np.add.reduce(x, None)) and not np.all(np.isfinite(x)):
        check_finite("sqrtm", a)
        raise SingularMatrixError(
            f"sqrtm: a matrix of shape {a.shape[-2:]} is singular and has no square root, since its eigenvalue 0 is "
            f"defective"
        )
    if x.dtype.kind == "c" and a.dtype.kind != "c":
        raise DTypeError(
            f"sqrtm: a real matrix of shape {a.shape[-2:]} has a negative eigenvalue, so its square root is complex: "
            f"convert it with astype(complex)"
        )
    return x.astype(a.dtype, copy=False)


def _sqrtm_jvp(y: Any, args: list, tangents: list) -> Any:
    """y dy + dy y = da."""
    return None if tangents[0] is None else sylvester_p(y, y, tangents[0], strict=False)


def _sqrtm_taylor(trace: Any, args: tuple, y: Any) -> Any:
    def rule(k: int) -> Any:
        rest = []
        for i, j, w in trace.slots.rest[k]:
            p, q = y.coef(i), y.coef(j)
            rest.append(None if p is None or q is None else matmul(p, q) * -w)
        t = trace.total(k, [trace.coefficient(args[0], k)], rest)
        return None if t is None else sylvester_p(y.cs[0], y.cs[0], t, strict=False)

    return rule


sqrtm_p = Primitive(
    "sqrtm",
    _sqrtm,
    axes=leading(2),
    infer=lambda avals, p: avals[0],
    jvp=_sqrtm_jvp,
    taylor=_sqrtm_taylor,
)


def sqrtm(a: Any) -> Any:
    """Principal square root of matrices: the x with x x = a whose eigenvalues have real parts of at least 0.

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
    DTypeError
        When a real matrix has a negative eigenvalue, so that its root is complex.
    SingularMatrixError
        When a singular matrix has no root.
    ArgumentError
        When a holds nan or infinity.

    Notes
    -----
    Derivatives solve Sylvester's equation x dx + dx x = da; repeated eigenvalues are ordinary points. A singular matrix
    may have a root, of which SciPy warns, but no derivative: it is nan.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.sqrtm([[4.0, 1.0], [0.0, 4.0]])
    Tensor([[2.  , 0.25],
            [0.  , 2.  ]])
    """
    return sqrtm_p(square_matrix("sqrtm", "a", a))


def fractional_matrix_power(a: Any, t: Any) -> Any:
    """Power a^t = exp(t log a) of matrices, for any real or complex t.

    Parameters
    ----------
    a : array_like
        Of shape (..., n, n), without the eigenvalue 0.
    t : array_like
        Of shape (...) or a number.

    Returns
    -------
    Tensor
        Of shape (..., n, n).

    Raises
    ------
    ShapeError, SingularMatrixError, DTypeError
        As of `logm`; integer powers of any matrix are those of `matrix_power`.

    Notes
    -----
    It differentiates in a and in t.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.fractional_matrix_power([[4.0, 1.0], [0.0, 4.0]], 0.5)
    Tensor([[2.  , 0.25],
            [0.  , 2.  ]])
    """
    from scisim.core.public import number_or_value

    t = number_or_value(t)
    if hasattr(t, "shape"):
        t = t[..., None, None] if t.shape else t
    return expm_p(logm_p(square_matrix("fractional_matrix_power", "a", a)) * t)


def signm(a: Any) -> Any:
    """Sign of matrices, a (a a)^(-1/2): eigenvalues with positive real part become 1, with negative ones -1.

    Parameters
    ----------
    a : array_like
        Of shape (..., n, n), without eigenvalues on the imaginary axis.

    Returns
    -------
    Tensor
        Of the same shape and dtype.

    Raises
    ------
    ShapeError
        When a is not square.
    SingularMatrixError, DTypeError
        When an eigenvalue is 0, or imaginary.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.signm([[2.0, 0.0], [0.0, -3.0]])
    Tensor([[ 1.,  0.],
            [ 0., -1.]])
    """
    a = square_matrix("signm", "a", a)
    root = sqrtm_p(matmul(a, a))
    return matrix_transpose(solve_p(matrix_transpose(root), matrix_transpose(a)))


def cosm(a: Any) -> Any:
    """Cosine of matrices of shape (..., n, n).

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.cosm([[0.0, 1.0], [0.0, 0.0]])
    Tensor([[1., 0.],
            [0., 1.]])
    """
    return _circular("cosm", a)[0]


def sinm(a: Any) -> Any:
    """Sine of matrices of shape (..., n, n).

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.sinm([[0.0, 1.0], [0.0, 0.0]])
    Tensor([[0., 1.],
            [0., 0.]])
    """
    return _circular("sinm", a)[1]


def tanm(a: Any) -> Any:
    """Tangent of matrices of shape (..., n, n): cos(a)^-1 sin(a).

    Raises
    ------
    SingularMatrixError
        When the cosine of a is singular.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.tanm([[0.0, 1.0], [0.0, 0.0]])
    Tensor([[0., 1.],
            [0., 0.]])
    """
    return solve_p(*_circular("tanm", a))


def coshm(a: Any) -> Any:
    """Hyperbolic cosine of matrices of shape (..., n, n).

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.coshm([[0.0, 1.0], [0.0, 0.0]])
    Tensor([[1., 0.],
            [0., 1.]])
    """
    return _hyperbolic("coshm", a)[0]


def sinhm(a: Any) -> Any:
    """Hyperbolic sine of matrices of shape (..., n, n).

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.sinhm([[0.0, 1.0], [0.0, 0.0]])
    Tensor([[0., 1.],
            [0., 0.]])
    """
    return _hyperbolic("sinhm", a)[1]


def tanhm(a: Any) -> Any:
    """Hyperbolic tangent of matrices of shape (..., n, n): cosh(a)^-1 sinh(a).

    Raises
    ------
    SingularMatrixError
        When the hyperbolic cosine of a is singular.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.tanhm([[0.0, 1.0], [0.0, 0.0]])
    Tensor([[0., 1.],
            [0., 0.]])
    """
    return solve_p(*_hyperbolic("tanhm", a))


def _circular(name: str, a: Any) -> tuple[Any, Any]:
    a = square_matrix(name, "a", a)
    unit = np.asarray(1j, np.result_type(dtype(a), np.complex64))
    if not is_complex(a):
        forward = expm_p(a * unit)
        return real(forward), imag(forward)
    forward, backward = _both(a * unit)
    return (forward + backward) * 0.5, (forward - backward) * (-0.5 * unit)


def _hyperbolic(name: str, a: Any) -> tuple[Any, Any]:
    a = square_matrix(name, "a", a)
    forward, backward = _both(a)
    return (forward + backward) * 0.5, (forward - backward) * 0.5


def _both(a: Any) -> tuple[Any, Any]:
    """exp(a) and exp(-a) by one call."""
    y = expm_p(stack([a, -a]))
    return y[0], y[1]
