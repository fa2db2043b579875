"""Products by NumPy's names: dot, inner, vdot, matrices with vectors, and the order of a contraction."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.public import as_argument, operand, public
from scisim.core.values import shape
from scisim.ops.arithmetic import mul
from scisim.ops.choices import on_tensors
from scisim.ops.complexes import conj
from scisim.ops.products import matmul, matmul_p, tensordot
from scisim.ops.shape import matrix_transpose, reshape


def dot(a: Any, b: Any) -> Any:
    """Sum of products over the last axis of one array and the second last (or only) axis of another.

    Parameters
    ----------
    a, b : array_like
        Numbers multiply; vectors give their inner product, matrices their product.

    Returns
    -------
    Tensor
        Of shape (*axes left of a, *axes left of b).

    Raises
    ------
    ShapeError
        When the lengths differ.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.dot([1.0, 2.0], [3.0, 4.0])
    Tensor(11.)
    """
    a, b = as_argument(a), as_argument(b)
    if not shape(a) or not shape(b):
        return mul(a, b)
    if len(shape(b)) <= 2 and len(shape(a)) <= 2:
        return matmul(a, b)
    return tensordot(a, b, ([-1], [-2 if len(shape(b)) > 1 else 0]))


def inner(a: Any, b: Any) -> Any:
    """Sum of products over the last axes of two arrays.

    Parameters
    ----------
    a, b : array_like
        With last axes of one length; numbers multiply.

    Returns
    -------
    Tensor
        Of shape (*other axes of a, *other axes of b).

    Raises
    ------
    ShapeError
        When the lengths differ.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.inner([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0])
    Tensor([3., 7.])
    """
    a, b = as_argument(a), as_argument(b)
    if not shape(a) or not shape(b):
        return mul(a, b)
    if len(shape(a)) == len(shape(b)) == 1:
        return matmul(a, b)
    return tensordot(a, b, ([-1], [-1]))


def vdot(a: Any, b: Any) -> Any:
    """Sum of conj(a) * b over all elements.

    Parameters
    ----------
    a, b : array_like
        Of as many elements.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When the numbers of elements differ.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.vdot([1j, 1.0], [1j, 2.0])
    Tensor(3.+0.j)
    """
    a, b = reshape(as_argument(a), (-1,)), reshape(as_argument(b), (-1,))
    if shape(a) != shape(b):
        raise ShapeError(f"vdot: operands have {shape(a)[0]} and {shape(b)[0]} elements; they must have as many")
    return matmul(conj(a), b)


def matvec(a: Any, x: Any) -> Any:
    """Products of matrices and vectors, over leading axes that broadcast.

    Parameters
    ----------
    a : array_like
        Of shape (..., n, m).
    x : array_like
        Of shape (..., m).

    Returns
    -------
    Tensor
        Of shape (..., n).

    Raises
    ------
    ShapeError
        When the lengths differ.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.matvec([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0])
    Tensor([3., 7.])
    """
    a, x = _matrix_and_vector("matvec", a, x, -1)
    y = matmul_p(a, reshape(x, (*shape(x), 1)))
    return reshape(y, shape(y)[:-1])


def vecmat(x: Any, a: Any) -> Any:
    """Products of vectors, conjugated, and matrices, over leading axes that broadcast.

    Parameters
    ----------
    x : array_like
        Of shape (..., n).
    a : array_like
        Of shape (..., n, m).

    Returns
    -------
    Tensor
        Of shape (..., m).

    Raises
    ------
    ShapeError
        When the lengths differ.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.vecmat([1.0, 1.0], [[1.0, 2.0], [3.0, 4.0]])
    Tensor([4., 6.])
    """
    a, x = _matrix_and_vector("vecmat", a, x, -2)
    y = matmul_p(matrix_transpose(a), reshape(conj(x), (*shape(x), 1)))
    return reshape(y, shape(y)[:-1])


def _matrix_and_vector(name: str, a: Any, x: Any, axis: int) -> tuple[Any, Any]:
    a, x = as_argument(a), as_argument(x)
    if len(shape(a)) < 2 or not shape(x) or shape(a)[axis] != shape(x)[-1]:
        raise ShapeError(f"{name}: a matrix of shape {shape(a)} does not fit a vector of shape {shape(x)}")
    return a, x


def einsum_path(subscripts: str, *operands: Any, optimize: Any = "auto") -> tuple[list, str]:
    """The order in which `einsum` contracts its operands, and what it costs.

    Parameters
    ----------
    subscripts : str
        As of `einsum`.
    *operands : array_like
        Only their shapes are read.
    optimize : str or bool
        Method of opt_einsum; True is "auto".

    Returns
    -------
    path : list
        "einsum_path", then the positions of the operands contracted at each step.
    text : str
        A table of the steps.

    Raises
    ------
    ArgumentError
        When the subscripts do not fit the operands.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.einsum_path("ij,jk,k->i", ss.ones((9, 9)), ss.ones((9, 9)), ss.ones(9))[0]
    ['einsum_path', (1, 2), (0, 1)]
    """
    import opt_einsum

    shapes = [np.broadcast_to(np.zeros((), np.int8), shape(as_argument(operand(x)))) for x in operands]
    method = "auto" if optimize is True else "optimal" if optimize is False else optimize
    try:
        path, text = opt_einsum.contract_path(subscripts, *shapes, optimize=method)
    except ValueError as error:
        got = ", ".join(str(s.shape) for s in shapes)
        raise ArgumentError(f"einsum_path: {subscripts!r} does not fit operands of shape {got}: {error}") from None
    return ["einsum_path", *path], str(text)


for _f in (dot, inner, vdot, matvec, vecmat):
    public(_f.__name__, _f)
on_tensors(einsum_path)
