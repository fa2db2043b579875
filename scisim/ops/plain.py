"""What NumPy computes of plain arrays at once: the short way past functions that are composed of primitives.

Each gives the bits of the raw function, whose checks and messages serve wherever these refuse: only what moves, chooses
or orders numbers, or makes one product of each, is among them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.avals import aval
from scisim.core.capture import capture
from scisim.core.errors import ScisimError
from scisim.core.graph import make_program
from scisim.core.public import OPERATIONS, PLAIN
from scisim.ops._linalg.scaling import is_outside, of_values
from scisim.ops.products import plain_product
from scisim.ops.sorting import sorted_values

_MANY = 4096  # plans that are kept


def planned(name: str) -> Any:
    """A function of one result, of which what to do is found out once for each kind of arguments."""
    plans: dict[Any, Any] = {}

    def run(*args: Any, **kwargs: Any) -> Any:
        key = (*[(a.shape, a.dtype) if type(a) is np.ndarray else (type(a), a) for a in args], *kwargs.items())
        plan = plans.get(key)
        if plan is None:
            if len(plans) >= _MANY:
                plans.clear()
            plan = plans[key] = _plan(OPERATIONS[name].raw, args, kwargs)
        return plan(*[a for a in args if type(a) is np.ndarray])

    return run


def _plan(raw: Any, args: tuple, kwargs: dict) -> Any:
    """The primitives that a function applies, to be run on arrays."""

    def call(*vals: Any) -> list:
        left = iter(vals)
        return [raw(*(next(left) if type(a) is np.ndarray else a for a in args), **kwargs)]

    try:
        program = make_program[0](capture(call, [aval(a) for a in args if type(a) is np.ndarray]))
    except ScisimError:  # told of in full by the raw function
        return lambda *arrays: NotImplemented
    return lambda *arrays: program(*arrays)[0]


def concat(arrays: list, axis: Any = 0) -> Any:
    return np.concatenate(arrays, axis)


def permute(x: Any, axes: Any) -> Any:
    return x.transpose(axes)


def matrix_transpose(x: Any) -> Any:
    return x.swapaxes(-1, -2)


def reshape(x: Any, shape: Any) -> Any:
    return NotImplemented if shape is None else x.reshape(shape)


def repeat(x: Any, repeats: int, axis: Any = None) -> Any:
    return np.repeat(x, repeats, axis) if type(repeats) is int else NotImplemented


def tile(x: Any, repetitions: Any) -> Any:
    return np.tile(x, repetitions)


def take(x: Any, indices: Any, axis: Any = None) -> Any:
    if axis is None or type(indices) is not np.ndarray or indices.dtype.kind not in "iu" or not x.ndim:
        return NotImplemented
    return x.take(indices, axis)


def where(condition: Any, a: Any, b: Any) -> Any:
    return np.where(condition, a, b) if getattr(condition, "dtype", None) == np.bool_ else NotImplemented


def sort(x: Any, axis: Any = -1) -> Any:
    return sorted_values(x, axis) if x.dtype.kind in "fiub" and axis is not None else NotImplemented


def argsort(x: Any, axis: Any = -1) -> Any:
    return np.argsort(x, axis, kind="stable") if x.dtype.kind in "fiub" else NotImplemented


def _choice(f: Any) -> Any:
    def chosen(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        if x.dtype.kind not in "fiub":
            return NotImplemented
        return f(x, axis, keepdims=keepdims)

    return chosen


def outer(a: Any, b: Any) -> Any:
    if type(a) is not np.ndarray or type(b) is not np.ndarray or a.ndim != 1 or b.ndim != 1:
        return NotImplemented
    return np.multiply(a[:, None], b)


def matmul(a: Any, b: Any) -> Any:
    return plain_product(a, b) if type(a) is np.ndarray is type(b) else NotImplemented


def broadcast_to(x: Any, shape: Any) -> Any:
    return np.broadcast_to(x, shape)


def expand_dims(x: Any, axis: Any = 0) -> Any:
    return np.expand_dims(x, axis)


def tril(x: Any, k: int = 0) -> Any:
    return np.tril(x, k) if x.ndim > 1 else NotImplemented


def triu(x: Any, k: int = 0) -> Any:
    return np.triu(x, k) if x.ndim > 1 else NotImplemented


def stack(arrays: list, axis: int = 0) -> Any:
    return np.stack(arrays, axis)


def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    return np.roll(x, shift, axis) if type(shift) is int else NotImplemented


def flip(x: Any, axis: Any = None) -> Any:
    return np.flip(x, axis)


def squeeze(x: Any, axis: Any = None) -> Any:
    return x.squeeze(axis)


def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    return np.moveaxis(x, source, destination)


_sum: Any = np.add.reduce


def clip(x: Any, min: Any = None, max: Any = None) -> Any:
    bounds = [b for b in (min, max) if b is not None]
    if x.dtype.kind != "f" or not bounds or not all(type(b) is float and b for b in bounds):
        return NotImplemented  # of 0 and -0 the ufuncs of the raw function choose by their order
    return x.clip(min, max)


def var(x: Any, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    n = x.size if axis is None else x.shape[axis] if type(axis) is int else 0
    if x.dtype.char not in "fd" or n <= correction or not n:
        return NotImplemented
    d = x - _sum(x, axis, keepdims=True) / n
    np.multiply(d, d, out=d)  # in its place: memory costs more than products
    return _sum(d, axis, keepdims=keepdims) / (n - correction)


def std(x: Any, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    y = var(x, axis, correction, keepdims)
    if y is NotImplemented:
        return y
    y = np.sqrt(y)
    return NotImplemented if is_outside(y, *of_values(y.dtype, 2.0)) else y  # there the variance is out of range


PLAIN.update(
    {
        "argmax": _choice(np.argmax),
        "argmin": _choice(np.argmin),
        "argsort": argsort,
        "broadcast_to": broadcast_to,
        "clip": clip,
        "concat": concat,
        "expand_dims": expand_dims,
        "flip": flip,
        "matmul": matmul,
        "matrix_transpose": matrix_transpose,
        "moveaxis": moveaxis,
        "outer": outer,
        "permute_dims": permute,
        "repeat": repeat,
        "reshape": reshape,
        "roll": roll,
        "sort": sort,
        "squeeze": squeeze,
        "stack": stack,
        "std": std,
        "take": take,
        "tile": tile,
        "tril": tril,
        "triu": triu,
        "var": var,
        "where": where,
        **{name: planned(name) for name in ("einsum", "tensordot", "vecdot")},
    }
)
