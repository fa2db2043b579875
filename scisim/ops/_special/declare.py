"""How a special function is declared: its value, its derivative as an expression in primitives, and what is said of it.

A function whose derivatives of every order have one stable formula is declared with a *family*: a primitive with the
order ``n`` as a parameter, whose derivative is the member of order ``n + 1``.  Then a series of order K costs K + 1
evaluations, nothing is divided by what may be zero, and nothing grows with the number of terms of a product rule.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from scisim.core.axes import ELEMENTWISE, Axes, broadcast_labels
from scisim.core.errors import ArgumentError, DerivativeError
from scisim.core.primitive import Primitive
from scisim.core.values import inexact


@dataclass(frozen=True)
class Function:
    """What is said of one public function.

    Attributes
    ----------
    name : str
    raw : callable
        The function of values.
    primitive : Primitive, optional
        Its primitive, where it is one.
    summary, notes : str
        For the docstring.
    operands : dict
        Text by name, in order.
    returns : str
    example : tuple of str
        Arguments and what is printed.
    gaps : dict
        Operand to the reason why there is no derivative in it.
    complex : bool
        Whether the argument may be complex.
    """

    name: str
    raw: Callable
    primitive: Primitive | None
    summary: str
    operands: dict[str, str]
    example: tuple[str, str]
    notes: str
    returns: str
    gaps: dict[str, str]
    complex: bool


FUNCTIONS: dict[str, Function] = {}
DERIVATIVES: dict[str, Primitive] = {}  # the families

# What operands of these names are, unless a declaration says otherwise.
_TEXTS = {
    "x": "Argument, real.",
    "y": "Second argument, real.",
    "z": "Argument, real or complex.",
    "v": "Order, real.",
    "n": "Order or degree, a nonnegative integer.",
    "m": "Parameter, m = k^2 of the modulus k.",
    "a": "Parameter, real.",
    "b": "Parameter, real.",
    "c": "Parameter, real.",
    "alpha": "Parameter, real.",
    "beta": "Parameter, real.",
}


def describe(
    name: str,
    raw: Callable,
    summary: str,
    operands: str | dict[str, str],
    example: tuple[str, str],
    *,
    primitive: Primitive | None = None,
    notes: str = "",
    returns: str = "Tensor",
    gaps: dict[str, str] | None = None,
    complex: bool | None = None,
) -> Callable:
    """Enter a function in the table."""
    if isinstance(operands, str):
        operands = {k: _TEXTS[k] for k in operands.split()}
    if complex is None:
        complex = any("complex" in text for text in operands.values())
    FUNCTIONS[name] = Function(name, raw, primitive, summary, operands, example, notes, returns, gaps or {}, complex)
    return raw


def declare(
    name: str,
    evaluate: Callable,
    partials: Sequence[Callable | str | None],
    summary: str,
    operands: str | dict[str, str],
    example: tuple[str, str],
    *,
    notes: str = "",
    complex: bool | None = None,
    **rules: Any,
) -> Primitive:
    """Declare an elementwise function: a partial that is a text is the reason why there is none."""
    names = operands.split() if isinstance(operands, str) else list(operands)
    evaluate = single(evaluate)
    gaps = {k: p for k, p in zip(names, partials, strict=True) if isinstance(p, str)}
    prim = Primitive(
        f"special.{name}",
        evaluate,
        axes=ELEMENTWISE,
        partials=[_partial(name, k, p) for k, p in zip(names, partials, strict=True)],
        **rules,
    )
    describe(name, prim, summary, operands, example, primitive=prim, notes=notes, gaps=gaps, complex=complex)
    return prim


def several(name: str, evaluate: Callable, count: int, jvp: Callable, kinds: Callable | None = None) -> Primitive:
    """An elementwise primitive of several results, of one jvp that is linear in its tangents."""

    def low(*args: Any) -> tuple:
        ys = evaluate(*args)
        if any(getattr(a, "dtype", None) in _LOW for a in args):
            return tuple(y.astype(_kind_of(args, y)) for y in ys)
        return ys

    def labels(shapes: tuple, params: dict) -> tuple:
        ins, out = broadcast_labels(shapes)
        return ins, [out] * count

    def infer(avals: tuple, params: dict) -> tuple:
        with np.errstate(all="ignore"):
            ones = [np.ones(1, a.dtype) for a in avals]
            shape = np.broadcast_shapes(*(a.shape for a in avals))
            return tuple(type(avals[0])(shape, y.dtype) for y in low(*ones, **params))

    return Primitive(f"special.{name}", low, axes=Axes(labels, broadcasts=True), infer=infer, jvp=jvp, multiple=True)


def _partial(function: str, operand: str, partial: Callable | str | None) -> Callable | None:
    return refusal(function, operand, partial) if isinstance(partial, str) else partial


def refusal(function: str, operand: str, why: str) -> Callable:
    """The partial derivative that does not exist in closed form: asking for it is an error, never a silent zero."""

    def partial(*args: Any, **params: Any) -> Any:
        raise DerivativeError(
            f"special.{function}: no derivative with respect to {operand}: {why}. Keep {operand} out of what is "
            f"differentiated, for instance by autodiff.stop_gradient({operand}), or use finite differences"
        )

    return partial


def family(name: str, evaluate: Callable, partials: Sequence[Callable | str] = (), by: str = "n") -> Any:
    """The derivatives of a function in its last operand, by their order: a primitive ``f(*operands, n=n)``.

    Parameters
    ----------
    name : str
    evaluate : callable
        ``evaluate(*operands, n)`` on arrays.
    partials : sequence
        Those in the operands before the last, or the reasons why there are none.
    by : str
        Name of the order.
    """

    def next_order(y: Any, *args: Any, **params: Any) -> Any:
        return prim(*args, **{**params, by: params[by] + 1})

    others = [_partial(name, f"parameter {i + 1}", p) for i, p in enumerate(partials)]
    prim = Primitive(f"special.{name}_derivative", evaluate, axes=ELEMENTWISE, partials=[*others, next_order])
    DERIVATIVES[name] = prim
    return prim


_LOW = {np.dtype(t) for t in (np.float16, ml_dtypes.bfloat16, np.float32, np.complex64)}


def single(f: Callable) -> Callable:
    """A function of SciPy, its result in the low precision of its operands, for which it may have no loop."""

    @functools.wraps(f)
    def evaluate(*args: Any) -> Any:
        y = f(*args)
        if any(getattr(a, "dtype", None) in _LOW for a in args):
            kind = _kind_of(args, y)
            return y if y.dtype == kind else y.astype(kind)
        return y

    return evaluate


def _kind_of(args: tuple, y: Any) -> Any:
    """The dtype of a result beside these operands."""
    kind = np.result_type(*args)
    if not inexact(kind):
        return np.dtype(np.complex128 if y.dtype.kind == "c" else np.float64)
    if y.dtype.kind == "c" and kind.kind != "c":
        return np.dtype(np.complex64 if kind in _LOW else np.complex128)
    return kind


def in_double(f: Callable) -> Callable:
    """Evaluate in double precision, whatever the dtype of the operands, which the result has."""

    @functools.wraps(f)
    def evaluate(*args: Any, **params: Any) -> Any:
        given = args
        args = tuple(_doubled(a) for a in args)
        with np.errstate(all="ignore"):
            y = np.asarray(_in_blocks(f, args, params))
        return y.astype(_kind_of(given, y), copy=False)[()]

    return evaluate


_BLOCK = 1 << 14  # elements at once: quadrature takes many numbers for each


def _in_blocks(f: Callable, args: tuple, params: dict) -> Any:
    if max((np.size(a) for a in args), default=0) <= _BLOCK:
        return f(*args, **params)
    shape = np.broadcast_shapes(*(np.shape(a) for a in args))
    flat = [np.broadcast_to(a, shape).ravel() if np.ndim(a) else a for a in args]
    count = math.prod(shape)
    cut = lambda a, i: a[i : i + _BLOCK] if np.ndim(a) else a
    parts = [f(*(cut(a, i) for a in flat), **params) for i in range(0, count, _BLOCK)]
    return np.concatenate(parts).reshape(shape)


def _doubled(a: Any) -> Any:
    if type(a) is int:
        return a
    a = np.asarray(a)
    if a.dtype.kind == "c":
        return a.astype(np.complex128, copy=False)
    return a if a.dtype.kind in "iu" else a.astype(np.float64, copy=False)


def whole(function: str, name: str, n: Any, least: int = 0) -> int:
    """A parameter that must be a nonnegative Python integer."""
    if isinstance(n, (int, np.integer)) and not isinstance(n, bool) and n >= least:
        return int(n)
    raise ArgumentError(f"special.{function}: {name} is an integer of at least {least}; got {n!r}")
