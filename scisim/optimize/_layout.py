"""Containers of arrays as one real vector, and users' functions as functions of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core import pytree
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import Traced, check_function, dtype, inexact, is_complex, name_of, shape
from scisim.ops.complexes import imag, real
from scisim.ops.shape import astype, concat, reshape

_NUMBERS = (bool, int, float, complex, np.number, np.bool_)
_DTYPES = ("float32", "float64", "complex64", "complex128")


def is_plain(tree: Any) -> bool:
    """Whether nested lists hold nothing but Python and NumPy numbers, and so are an array."""
    if isinstance(tree, (list, tuple)):
        return bool(tree) and all(map(is_plain, tree))
    return isinstance(tree, _NUMBERS)


class Layout:
    """The map between a tree of arrays and a real vector; a complex number counts as its two parts.

    Parameters
    ----------
    who, name : str
        For messages: the function, and its argument.
    tree : array_like or container of them
        Nested lists of numbers are one array.
    """

    def __init__(self, who: str, name: str, tree: Any) -> None:
        tree = np.asarray(tree) if is_plain(tree) else tree
        leaves, self.spec = pytree.flatten(tree)
        values = [pytree.leaf_value(x, who, name) for x in leaves]
        if not values:
            raise ArgumentError(f"{who}: {name} holds no arrays; give at least one number to vary")
        self.values = [_inexact(who, name, v) for v in values]
        self.shapes, self.dtypes = [shape(v) for v in self.values], [dtype(v) for v in self.values]
        self.sizes = [math.prod(s) * (1 + (d.kind == "c")) for s, d in zip(self.shapes, self.dtypes, strict=True)]
        self.size = sum(self.sizes)
        self.dtype = np.result_type(*(_real(d) for d in self.dtypes))
        one = type(tree) in (Tensor, np.ndarray) and len(self.shapes[0]) == 1
        self.simple = one and self.dtypes[0] == self.dtype  # the vector is the array itself

    def vector(self, values: Any = None) -> Any:
        """The vector of values in this layout; by default those that it was made from."""
        return as_vector(self.values if values is None else values, self.dtype)

    def tree(self, v: Any) -> Any:
        """Tensors in the structure."""
        if self.simple:
            return wrap(v)
        out, start = [], 0
        for s, d, n in zip(self.shapes, self.dtypes, self.sizes, strict=True):
            part = v if n == self.size else v[start : start + n]
            start += n
            if d.kind == "c":
                part = part[: n // 2] + 1j * part[n // 2 :]
            x = reshape(part, s)
            out.append(x if dtype(x) == d else astype(x, d))
        return pytree.tree_of(self.spec, out)


def as_vector(values: Any, to: Any = None) -> Any:
    """Values as one real vector."""
    parts: list[Any] = []
    for v in values:
        parts += [real(v), imag(v)] if is_complex(v) else [v]
    flat = [v if len(shape(v)) == 1 else reshape(v, (math.prod(shape(v)),)) for v in parts]
    v = flat[0] if len(flat) == 1 else concat(flat)
    return v if to is None or dtype(v) == to else astype(v, to)


def _real(d: np.dtype) -> np.dtype:
    return np.zeros((), d).real.dtype


def _inexact(who: str, name: str, v: Any) -> Any:
    if not inexact(dtype(v)):
        return astype(v, np.float64)
    if dtype(v).name not in _DTYPES:
        raise DTypeError(f"{who}: {name} has dtype {dtype(v)}; convert it to float32 or float64")
    return v


# --- users' functions ------------------------------------------------------------------------------------------------
def with_args(who: str, name: str, f: Any, args: Any) -> Callable:
    """The function with further arguments held."""
    if not callable(f):
        raise ArgumentTypeError(f"{who}: {name} must be a function, got {type(f).__name__} {f!r:.60}")
    if isinstance(args, tuple):
        rest = args
    else:
        rest = (args,)
    if not rest:
        return f

    def held(x: Any) -> Any:
        return f(x, *rest)

    held.__name__ = name_of(f)
    return held


def number_function(who: str, f: Callable, layout: Layout, name: str = "fun") -> Callable:
    """``f`` as a function from a vector to one real number, values both."""
    check_function(who, f)

    def value(v: Any) -> Any:
        out = f(layout.tree(v))
        return one_number(who, name, f, out)

    value.__name__ = name_of(f)
    return value


def one_number(who: str, name: str, f: Callable, out: Any) -> Any:
    y = out._v if type(out) is Tensor else _number_like(who, name, f, out)
    if y.shape != ():
        if math.prod(y.shape) != 1:
            raise ShapeError(
                f"{who}: {name} must return one real number, but {name_of(f)} returns an array of shape {y.shape}; sum "
                f"it, or use optimize.least_squares for residuals"
            )
        y = reshape(y, ())
    if is_complex(y):
        raise DTypeError(
            f"{who}: {name} must return one real number, but {name_of(f)} returns dtype {dtype(y)}; take its real "
            f"part, or its modulus with abs"
        )
    return y if inexact(y.dtype) else astype(y, np.float64)


def _number_like(who: str, name: str, f: Callable, out: Any) -> Any:
    if isinstance(out, (*_NUMBERS, np.ndarray, Traced)):
        return pytree.leaf_value(out, who, name)
    raise ArgumentTypeError(
        f"{who}: {name} must return one real number, but {name_of(f)} returns {type(out).__name__} {out!r:.60}"
    )


def vector_function(who: str, f: Callable, layout: Layout, name: str = "fun", size: int | None = None) -> Callable:
    """``f`` as a function from a vector to a vector, values both; of ``size`` elements where that is given."""
    check_function(who, f)

    def value(v: Any) -> Any:
        out = f(layout.tree(v))
        if type(out) is Tensor and len(out._v.shape) == 1 and out._v.dtype == v.dtype:
            y = out._v
        else:
            tree = np.asarray(out) if is_plain(out) else out
            y = as_vector(pytree.values(tree, f"{who}: the result of {name_of(f)}")[0])
            y = y if inexact(dtype(y)) else astype(y, np.float64)
        if size is not None and y.shape[0] != size:
            raise ShapeError(
                f"{who}: {name} must return as many numbers as x has, {size}, but {name_of(f)} returns {y.shape[0]}; "
                f"for more equations than unknowns use optimize.least_squares"
            )
        return y

    value.__name__ = name_of(f)
    return value
