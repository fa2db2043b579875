"""Functions applied along axes and over arrays: what NumPy does in Python loops, as maps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.core.public import OPERATIONS, as_argument, operand
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import check_function, shape
from scisim.ops.choices import on_tensors
from scisim.ops.shape import lengths, moveaxis, normalize_axis, reshape, several
from scisim.ops.vmap import vmap


def apply_along_axis(func1d: Callable, axis: int, arr: Any, *args: Any, **kwargs: Any) -> Tensor:
    """A function of vectors applied to all vectors along an axis.

    Parameters
    ----------
    func1d : callable
        Of one vector to an array, and made of functions of this library; it is mapped, not called in a loop.
    axis : int
    arr : array_like
    *args, **kwargs
        Passed on to the function.

    Returns
    -------
    Tensor
        The axes of the function's results take the place of the axis.

    Raises
    ------
    ArgumentError
        For an axis out of range.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.apply_along_axis(lambda v: v / ss.max(v), 1, [[1.0, 2.0], [4.0, 2.0]])
    Tensor([[0.5, 1. ],
            [1. , 0.5]])
    """
    x = as_argument(operand(arr))
    k = normalize_axis("apply_along_axis", axis, len(shape(x)))
    back = moveaxis(x, k, -1)
    lead = shape(back)[:-1]
    rows = reshape(back, (-1, shape(x)[k])) if lead else reshape(back, (1, -1))
    f = check_function("apply_along_axis", func1d)
    y = vmap(lambda row: f(row, *args, **kwargs))(wrap(rows))._v
    core = shape(y)[1:]
    y = reshape(y, (*lead, *core))
    return wrap(moveaxis(y, list(range(len(lead), len(lead) + len(core))), list(range(k, k + len(core)))))


def apply_over_axes(func: Callable, a: Any, axes: Any) -> Tensor:
    """A reduction applied over several axes, one after the other; reduced axes stay.

    Parameters
    ----------
    func : callable
        ``func(a, axis)``.
    a : array_like
    axes : int or sequence of int

    Returns
    -------
    Tensor
        With as many axes as ``a``.

    Raises
    ------
    ShapeError
        When the function gives another number of axes.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.apply_over_axes(ss.sum, ss.ones((2, 3, 4)), (0, 2)).tolist()
    [[[8.0], [8.0], [8.0]]]
    """
    y = wrap(as_argument(operand(a)))
    rank = len(y.shape)
    items = several(axes)
    for axis in (axes,) if items is None else items:
        k = normalize_axis("apply_over_axes", axis, rank)
        z = check_function("apply_over_axes", func)(y, k)
        if len(z.shape) == rank - 1:
            z = OPERATIONS["expand_dims"].function(z, axis=k)
        if len(z.shape) != rank:
            raise ShapeError(f"apply_over_axes: the function gave {len(z.shape)} axes from {rank}; expected one fewer")
        y = z
    return y


def vectorize(pyfunc: Callable, excluded: Any = None, signature: str | None = None) -> Callable:
    """A function of numbers (or of small arrays) as one of arrays, which broadcast.

    Parameters
    ----------
    pyfunc : callable
        Made of functions of this library; it is mapped, not called in a loop.
    excluded : set of int, optional
        Positions of arguments that are passed on as they are.
    signature : str, optional
        Core axes of the arguments and the result, such as ``"(n),(n)->()"``; all numbers by default.

    Returns
    -------
    callable

    Raises
    ------
    ArgumentError
        For a signature that does not fit the arguments.

    Examples
    --------
    >>> import scisim as ss
    >>> f = ss.vectorize(lambda a, b: ss.where(a > b, a - b, a + b))
    >>> f([1.0, 2.0, 3.0], 2.0)
    Tensor([3., 4., 1.])
    """
    f, fixed = check_function("vectorize", pyfunc), set(excluded or ())
    cores = None if signature is None else _core_ranks(signature)

    def mapped(*args: Any) -> Any:
        at = [i for i in range(len(args)) if i not in fixed]
        if cores is not None and len(cores) != len(at):
            raise ArgumentError(f"vectorize: signature {signature!r} is of {len(cores)} arguments, got {len(at)}")
        xs = [wrap(as_argument(operand(args[i]))) for i in at]
        ranks = cores or [0] * len(at)
        if any(len(x.shape) < r for x, r in zip(xs, ranks, strict=True)):
            raise ShapeError(f"vectorize: arguments of shape {[x.shape for x in xs]} lack axes of {signature!r}")

        def inner(*some: Any) -> Any:
            whole = list(args)
            for i, x in zip(at, some, strict=True):
                whole[i] = x
            return f(*whole)

        return _over_leading(inner, xs, ranks)

    mapped.__name__ = getattr(f, "__name__", "vectorized")
    mapped.__doc__ = f.__doc__
    return mapped


def _over_leading(f: Callable, xs: list, ranks: list[int]) -> Any:
    """Maps over the broadcast leading axes, the outermost first."""
    depths = [len(x.shape) - r for x, r in zip(xs, ranks, strict=True)]
    depth = max(depths, default=0)
    if not depth:
        return f(*xs)
    length = max(x.shape[0] for x, d in zip(xs, depths, strict=True) if d == depth)
    axes, operands = [], []
    for x, d in zip(xs, depths, strict=True):
        stretched = d == depth and x.shape[0] == 1 != length
        operands.append(wrap(reshape(x._v, x.shape[1:])) if stretched else x)
        axes.append(0 if d == depth and not stretched else None)
    for x, a in zip(operands, axes, strict=True):
        if a == 0 and x.shape[0] != length:
            raise ShapeError(f"vectorize: leading axes of lengths {x.shape[0]} and {length} do not broadcast")
    return vmap(lambda *some: _over_leading(f, list(some), ranks), in_axes=tuple(axes))(*operands)


def _core_ranks(signature: str) -> list[int]:
    """Numbers of core axes of the arguments."""
    left = signature.replace(" ", "").partition("->")[0]
    if not left.startswith("(") or not left.endswith(")"):
        raise ArgumentError(f"vectorize: a signature looks like '(n),(n)->()', got {signature!r}")
    return [len([n for n in part.split(",") if n]) for part in left[1:-1].split("),(")]


def fromfunction(function: Callable, shape: Any, dtype: Any = float, **kwargs: Any) -> Any:
    """What a function gives of the indices along each axis.

    Parameters
    ----------
    function : callable
        Of as many arrays of indices as there are axes.
    shape : tuple of int
    dtype : dtype
        Of the indices.
    **kwargs
        Passed on to the function.

    Returns
    -------
    Tensor
        Whatever the function returns.

    Raises
    ------
    ArgumentTypeError
        When ``function`` cannot be called.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fromfunction(lambda i, j: i + 10.0 * j, (2, 2))
    Tensor([[ 0., 10.],
            [ 1., 11.]])
    """
    to = lengths("fromfunction", shape)
    if not callable(function):
        raise ArgumentTypeError(f"fromfunction: expected a function, got {type(function).__name__}")
    return function(*(wrap(i) for i in np.indices(to, dtype)), **kwargs)


for _f in (apply_along_axis, apply_over_axes, vectorize, fromfunction):
    on_tensors(_f)
