"""What the functions of linear algebra ask of their operands."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.axes import Axes
from scisim.core.errors import ArgumentError, DTypeError, ScisimError, ShapeError
from scisim.core.public import as_argument
from scisim.core.values import dtype as dtype_of
from scisim.core.values import is_inexact, shape
from scisim.ops.shape import astype


class SingularMatrixError(ScisimError, np.linalg.LinAlgError):
    """A matrix that must be inverted is singular."""


def square_matrix(name: str, argument: str, a: Any) -> Any:
    """A stack of square matrices of a dtype that LAPACK knows."""
    if type(a) is np.ndarray and a.ndim > 1 and a.shape[-1] == a.shape[-2] and a.dtype.char in KNOWN:
        return a
    a = as_argument(a)
    s = shape(a)
    if len(s) < 2 or s[-1] != s[-2]:
        raise ShapeError(f"{name}: {argument} must be a square matrix or a stack of them, got shape {s}")
    return lapack(name, argument, a)


KNOWN = "fdFD"  # single and double precision, real and complex


def lapack(name: str, argument: str, a: Any) -> Any:
    if dtype_of(a).char in KNOWN:
        return a
    if is_inexact(a):
        raise DTypeError(f"{name}: {argument} has dtype {dtype_of(a)}; convert it to float32 or float64")
    return astype(a, np.float64)


def inexact_argument(x: Any) -> Any:
    if type(x) is np.ndarray and x.dtype.char in KNOWN:
        return x
    x = as_argument(x)
    return x if is_inexact(x) else astype(x, np.float64)


def stacks(operands: tuple[int, ...], results: int | list[int]) -> Axes:
    """The axis rule of functions of stacks: how many trailing axes of each operand and result must be whole."""

    def labels(shapes: tuple, p: dict) -> tuple[list, Any]:
        ins = [tuple(range(len(s) - n)) + (None,) * n for s, n in zip(shapes, operands, strict=True)]
        lead = tuple(range(len(shapes[0]) - operands[0]))
        if isinstance(results, int):
            return ins, lead + (None,) * results
        return ins, [lead + (None,) * n for n in results]

    return Axes(labels)


def real_dtype(dt: np.dtype) -> np.dtype:
    return np.dtype(dt.char.lower()) if dt.kind == "c" else dt


def check_finite(name: str, a: Any) -> None:
    """LAPACK's iterations do not end on nan."""
    if not np.all(np.isfinite(a)):
        raise ArgumentError(f"{name}: a holds nan or infinity; find where with isfinite(a)")


def matrix(name: str, argument: str, a: Any) -> Any:
    """A stack of matrices of a dtype that LAPACK knows."""
    a = as_argument(a)
    if len(shape(a)) < 2:
        raise ShapeError(f"{name}: {argument} must be a matrix or a stack of them, got shape {shape(a)}")
    return lapack(name, argument, a)
