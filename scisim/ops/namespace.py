"""The public array functions whose primitives are declared in this package: names, and docstrings from declarations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.devices import check_device
from scisim.core.errors import ArgumentError, DTypeError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import number_or_value, public
from scisim.core.values import as_value, shape
from scisim.core.values import dtype as dtype_of
from scisim.ops import arithmetic, complexes, elementary, floats, index, products, select
from scisim.ops import shape as shapes

# name: (raw function, primitive whose declaration documents it, summary, example input, its result)
ELEMENTWISE: dict[str, tuple[Callable, Primitive, str, str, str]] = {
    "exp": (elementary.exp, elementary.exp, "Exponential function", "0.0", "1."),
    "exp2": (elementary.exp2, elementary.exp2, "Power of two", "3.0", "8."),
    "expm1": (elementary.expm1, elementary.expm1, "exp(x) - 1, exact near 0", "0.0", "0."),
    "log": (elementary.log, elementary.log, "Natural logarithm", "1.0", "0."),
    "log2": (elementary.log2, elementary.log2, "Logarithm to base 2", "8.0", "3."),
    "log10": (elementary.log10, elementary.log10, "Logarithm to base 10", "100.0", "2."),
    "log1p": (elementary.log1p, elementary.log1p, "log(1 + x), exact near 0", "0.0", "0."),
    "sin": (elementary.sin, elementary.sin, "Sine of an angle in radians", "0.0", "0."),
    "cos": (elementary.cos, elementary.cos, "Cosine of an angle in radians", "0.0", "1."),
    "tan": (elementary.tan, elementary.tan, "Tangent of an angle in radians", "0.0", "0."),
    "asin": (elementary.asin, elementary.asin, "Inverse sine, radians", "0.0", "0."),
    "acos": (elementary.acos, elementary.acos, "Inverse cosine, radians", "1.0", "0."),
    "atan": (elementary.atan, elementary.atan, "Inverse tangent, radians", "0.0", "0."),
    "sinh": (elementary.sinh, elementary.sinh, "Hyperbolic sine", "0.0", "0."),
    "cosh": (elementary.cosh, elementary.cosh, "Hyperbolic cosine", "0.0", "1."),
    "tanh": (elementary.tanh, elementary.tanh, "Hyperbolic tangent", "0.0", "0."),
    "asinh": (elementary.asinh, elementary.asinh, "Inverse hyperbolic sine", "0.0", "0."),
    "acosh": (elementary.acosh, elementary.acosh, "Inverse hyperbolic cosine", "1.0", "0."),
    "atanh": (elementary.atanh, elementary.atanh, "Inverse hyperbolic tangent", "0.0", "0."),
    "cbrt": (
        elementary.cbrt,
        elementary.cbrt,
        "Cube root: the real one of a real number, the principal one of a complex number",
        "8.0",
        "2.",
    ),
    "sigmoid": (elementary.sigmoid, elementary.sigmoid, "Logistic function 1 / (1 + exp(-x))", "0.0", "0.5"),
    "sinc": (elementary.sinc, elementary.sinc, "sin(pi x) / (pi x), 1 at 0", "0.0", "1."),
    "sqrt": (arithmetic.sqrt, arithmetic.sqrt_p, "Square root", "4.0", "2."),
    "square": (arithmetic.square, arithmetic.square_p, "Square", "3.0", "9."),
    "abs": (arithmetic.absolute, arithmetic.abs_p, "Absolute value, or modulus of a complex number", "-2.0", "2."),
    "sign": (arithmetic.sign, arithmetic.sign_p, "Sign; of a complex number z / abs(z)", "-2.0", "-1."),
    "negative": (arithmetic.neg, arithmetic.neg, "Negative", "2.0", "-2."),
    "floor": (select.floor, select.floor, "Greatest integer below", "1.5", "1."),
    "ceil": (select.ceil, select.ceil, "Least integer above", "1.5", "2."),
    "trunc": (select.trunc, select.trunc, "Nearest integer towards 0", "-1.5", "-1."),
    "round": (select.round_p, select.round_p, "Nearest integer, ties to even", "2.5", "2."),
    "isnan": (select.isnan, select.isnan, "Whether it is nan", "0.0", "False"),
    "isinf": (select.isinf, select.isinf, "Whether it is infinite", "0.0", "False"),
    "isfinite": (select.isfinite, select.isfinite, "Whether it is a finite number", "0.0", "True"),
    "signbit": (select.signbit, select.signbit, "Whether the sign bit is set", "-1.0", "True"),
    "logical_not": (select.logical_not, select.logical_not, "Logical not", "True", "False"),
    "bitwise_invert": (select.bitwise_invert, select.bitwise_invert, "Bits inverted", "0", "-1"),
    "conj": (complexes.conj, complexes.conj_p, "Complex conjugate", "2.0", "2."),
    "real": (complexes.real, complexes.real_p, "Real part", "1.0", "1."),
    "imag": (complexes.imag, complexes.imag_p, "Imaginary part", "1.0", "0."),
    "add": (arithmetic.add, arithmetic.add, "Sum", "1.0, 2.0", "3."),
    "subtract": (arithmetic.sub, arithmetic.sub, "Difference", "3.0, 2.0", "1."),
    "multiply": (arithmetic.mul, arithmetic.mul_p, "Product", "3.0, 2.0", "6."),
    "divide": (arithmetic.div, arithmetic.div, "Quotient", "3.0, 2.0", "1.5"),
    "pow": (arithmetic.power, arithmetic.power_p, "Power", "2.0, 3.0", "8."),
    "floor_divide": (select.floor_divide, select.floor_divide, "Quotient rounded down", "3.0, 2.0", "1."),
    "remainder": (select.remainder, select.remainder, "Remainder with the sign of the divisor", "3.0, 2.0", "1."),
    "maximum": (select.maximum, select.maximum_p, "Greater of two", "1.0, 2.0", "2."),
    "minimum": (select.minimum, select.minimum_p, "Lesser of two", "1.0, 2.0", "1."),
    "hypot": (arithmetic.hypot, arithmetic.hypot_p, "sqrt(x1^2 + x2^2) without overflow", "3.0, 4.0", "5."),
    "atan2": (elementary.atan2, elementary.atan2, "Angle of the point (x2, x1), radians", "0.0, 1.0", "0."),
    "copysign": (floats.copysign, floats.copysign, "The modulus of x1 with the sign of x2", "3.0, -2.0", "-3."),
    "nextafter": (floats.nextafter, floats.nextafter, "The number next to x1 towards x2", "1.0, 1.0", "1."),
    "logaddexp": (elementary.logaddexp, elementary.logaddexp, "log(exp(x1) + exp(x2))", "0.0, -800.0", "0."),
    "xlogy": (elementary.xlogy, elementary.xlogy, "x1 log(x2), 0 where x1 is 0", "0.0, 0.0", "0."),
    "less": (select.lt, select.lt, "Whether x1 < x2", "1.0, 2.0", "True"),
    "less_equal": (select.le, select.le, "Whether x1 <= x2", "1.0, 2.0", "True"),
    "greater": (select.gt, select.gt, "Whether x1 > x2", "1.0, 2.0", "False"),
    "greater_equal": (select.ge, select.ge, "Whether x1 >= x2", "1.0, 2.0", "False"),
    "equal": (select.eq, select.eq, "Whether x1 == x2", "1.0, 2.0", "False"),
    "not_equal": (select.ne, select.ne, "Whether x1 != x2", "1.0, 2.0", "True"),
    "logical_and": (select.logical_and, select.logical_and, "Logical and", "True, False", "False"),
    "logical_or": (select.logical_or, select.logical_or, "Logical or", "True, False", "True"),
    "logical_xor": (select.logical_xor, select.logical_xor, "Exclusive or", "True, True", "False"),
    "bitwise_and": (select.bitwise_and, select.bitwise_and, "Bits in both", "6, 3", "2"),
    "bitwise_or": (select.bitwise_or, select.bitwise_or, "Bits in either", "6, 3", "7"),
    "bitwise_xor": (select.bitwise_xor, select.bitwise_xor, "Bits in just one", "6, 3", "5"),
    "bitwise_left_shift": (select.left_shift, select.left_shift, "Bits moved left", "1, 3", "8"),
    "bitwise_right_shift": (select.right_shift, select.right_shift, "Bits moved right", "8, 3", "1"),
    "where": (select.where, select.where, "Choice by a condition", "True, 1.0, 2.0", "1."),
}


def _doc(name: str, prim: Primitive, summary: str, inputs: str, result: str) -> str:
    count = inputs.count(",") + 1
    names = ["x"] if count == 1 else ["x1", "x2"] if count == 2 else ["condition", "x1", "x2"]
    lines = [f"{summary}, elementwise.", "", "Parameters", "----------"]
    lines += [f"{', '.join(names)} : array_like", "    Shapes broadcast against each other." * (count > 1)]
    lines += ["", "Returns", "-------", "Tensor", "    Of the broadcast shape; dtype by NumPy's promotion."]
    notes = []
    if prim.constant:
        notes.append("Its derivative is zero.")
    if prim.singular:
        notes.append(f"Derivative at singular points: {prim.singular}.")
    if prim.convention:
        notes.append(f"Convention: {prim.convention}.")
    if notes:
        lines += ["", "Notes", "-----", *notes]
    lines += ["", "Examples", "--------", ">>> import scisim as ss", f">>> ss.{name}({inputs})", f"Tensor({result})"]
    return "\n".join(lines)


for _name, (_raw, _prim, *_text) in ELEMENTWISE.items():
    public(_name, _raw, _prim, doc=_doc(_name, _prim, *_text))


def reshape(x: Any, /, shape: Any, copy: bool | None = None) -> Any:
    """The same elements in another shape.

    Parameters
    ----------
    x : array_like
    shape : int or tuple of int
        One length may be -1.
    copy : bool, optional
        Since values never change, nobody can tell whether memory is shared; with False it must be.

    Raises
    ------
    ShapeError
        When the sizes differ.
    ArgumentError
        With ``copy=False`` where the elements lie so in memory that they must be copied.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.reshape([1.0, 2.0, 3.0, 4.0], (2, -1))
    Tensor([[1., 2.],
            [3., 4.]])
    """
    x = as_value(x)
    y = shapes.reshape(x, shapes.lengths("reshape", shape, least=-1))
    if copy is False:
        _check_shared("reshape", x, y)
    return y


def _check_shared(name: str, x: Any, y: Any) -> None:
    """Arrays in memory; where a traced value lies is for its transformation to say."""
    if isinstance(x, np.ndarray) and isinstance(y, np.ndarray) and x.size and not np.may_share_memory(x, y):
        raise ArgumentError(f"{name}: copy=False, but the elements of x lie apart in memory; leave copy out")


def broadcast_to(x: Any, /, shape: Any) -> Any:
    """The array stretched to a shape, by NumPy's rules.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.broadcast_to(1.0, (3,))
    Tensor([1., 1., 1.])
    """
    return shapes.stretch("broadcast_to", as_value(x), shapes.lengths("broadcast_to", shape))


def expand_dims(x: Any, /, axis: Any = 0) -> Any:
    """New axes of length one, at the given places of the result.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.expand_dims([1.0, 2.0], axis=1).shape
    (2, 1)
    """
    x = as_value(x)
    items = shapes.several(axis)
    new = (axis,) if items is None else items
    rank = len(shape(x)) + len(new)
    old = iter(shape(x))
    axes = shapes.normalize_axes("expand_dims", new, rank)
    return shapes.reshape(x, tuple(1 if k in axes else next(old) for k in range(rank)))


def squeeze(x: Any, /, axis: Any = None) -> Any:
    """Axes of length one removed.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.squeeze([[1.0], [2.0]], axis=1)
    Tensor([1., 2.])
    """
    x = as_value(x)
    s = shape(x)
    axes = [k for k, n in enumerate(s) if n == 1] if axis is None else shapes.normalize_axes("squeeze", axis, len(s))
    if any(s[k] != 1 for k in axes):
        raise ShapeError(f"squeeze: axis {axis} of shape {s} is not of length one")
    return shapes.reshape(x, tuple(n for k, n in enumerate(s) if k not in axes))


def permute_dims(x: Any, /, axes: Any) -> Any:
    """Axes in another order.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.permute_dims(ss.zeros((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    return shapes.permute(as_value(x), axes)


def matrix_transpose(x: Any, /) -> Any:
    """The last two axes exchanged.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.matrix_transpose(ss.zeros((5, 2, 3))).shape
    (5, 3, 2)
    """
    return shapes.matrix_transpose(as_value(x))


def moveaxis(x: Any, source: Any, destination: Any, /) -> Any:
    """Axes moved to new positions, the others in their order.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.moveaxis(ss.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    return shapes.moveaxis(as_value(x), source, destination)


def concat(arrays: Any, /, axis: Any = 0) -> Any:
    """Arrays joined along an axis they have; None flattens them first.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.concat([ss.ones(2), ss.zeros(1)])
    Tensor([1., 1., 0.])
    """
    return shapes.concat(arrays, axis)


def stack(arrays: Any, /, axis: int = 0) -> Any:
    """Arrays of one shape joined along a new axis.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.stack([ss.ones(2), ss.zeros(2)])
    Tensor([[1., 1.],
            [0., 0.]])
    """
    return shapes.stack(arrays, axis)


def astype(x: Any, dtype: Any, /, copy: bool = True, device: Any = None) -> Any:
    """A cast; to integers and booleans it has no derivative, to reals it takes the real part.

    Parameters
    ----------
    x : array_like
    dtype : dtype
    copy : bool
        Since values never change, nobody can tell whether memory is shared.
    device : str, optional

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.astype([1.7, 2.0], ss.int64)
    Tensor([1, 2])
    """
    if device is not None:
        check_device("astype", device)
    return shapes.astype(as_value(x), dtype)


def flip(x: Any, /, axis: Any = None) -> Any:
    """Elements in reverse order along axes (all by default).

    Examples
    --------
    >>> import scisim as ss
    >>> ss.flip([1.0, 2.0, 3.0])
    Tensor([3., 2., 1.])
    """
    return index.flip(as_value(x), axis)


def roll(x: Any, /, shift: Any, axis: Any = None) -> Any:
    """Elements moved along axes, round the end.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.roll([1.0, 2.0, 3.0], 1)
    Tensor([3., 1., 2.])
    """
    return index.roll(as_value(x), shift, axis)


def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:
    """Values held within bounds; at a bound the derivative is a half.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.clip([-1.0, 0.5, 2.0], 0.0, 1.0)
    Tensor([0. , 0.5, 1. ])
    """
    return select.clip(as_value(x), *(b if b is None else number_or_value(b) for b in (min, max)))


def relu(x: Any, /) -> Any:
    """maximum(x, 0); the derivative at 0 is a half, as of every spelling of it.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.relu([-1.0, 2.0])
    Tensor([0., 2.])
    """
    return select.relu(as_value(x))


def positive(x: Any, /) -> Any:
    """The numbers as they are, elementwise.

    Raises
    ------
    DTypeError
        For booleans, which are no numbers.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.positive([1.0, -2.0])
    Tensor([ 1., -2.])
    """
    x = as_value(x)
    if dtype_of(x).kind == "b":
        raise DTypeError("positive: not defined for booleans; convert them with astype")
    return x


def reciprocal(x: Any, /) -> Any:
    """1 / x, elementwise; that of an integer is a real number.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.reciprocal([2.0, -4.0])
    Tensor([ 0.5 , -0.25])
    """
    return arithmetic.div(1.0, as_value(x))


def matmul(x1: Any, x2: Any, /) -> Any:
    """Matrix product over the last two axes; vectors count as a row on the left and a column on the right.

    Raises
    ------
    ShapeError
        When the inner lengths differ.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.matmul([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0])
    Tensor([3., 7.])
    """
    return products.matmul(as_value(x1), as_value(x2))


def einsum(subscripts: str, *operands: Any) -> Any:
    """Sum of products in Einstein's notation, in an order that opt_einsum finds.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.einsum("ii->", ss.asarray([[1.0, 2.0], [3.0, 4.0]]))
    Tensor(5.)
    """
    return products.einsum(subscripts, *operands)


def tensordot(x1: Any, x2: Any, /, axes: Any = 2) -> Any:
    """Sum of products over pairs of axes.

    Parameters
    ----------
    x1, x2 : array_like
    axes : int or pair of sequences of int
        The last ``axes`` of x1 with the first of x2, or the axes of each.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.tensordot(ss.ones((2, 3)), ss.ones((3, 4)), axes=1).shape
    (2, 4)
    """
    return products.tensordot(as_value(x1), as_value(x2), axes)


def vecdot(x1: Any, x2: Any, /, axis: int = -1) -> Any:
    """Sum of conj(x1) * x2 over one axis, in which both have the same length.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.vecdot([1j, 1.0], [1j, 2.0])
    Tensor(3.+0.j)
    """
    return products.vecdot(as_value(x1), as_value(x2), axis)


def outer(x1: Any, x2: Any, /) -> Any:
    """Products of all elements of one array with all of another.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.outer([1.0, 2.0], [3.0, 4.0])
    Tensor([[3., 4.],
            [6., 8.]])
    """
    return products.outer(as_value(x1), as_value(x2))


_STRUCTURAL: dict[Any, Primitive | None] = {
    reshape: shapes.reshape_p,
    broadcast_to: shapes.broadcast_p,
    expand_dims: None,
    squeeze: None,
    permute_dims: shapes.transpose_p,
    matrix_transpose: None,
    moveaxis: None,
    concat: shapes.concat_p,
    stack: None,
    astype: shapes.cast_p,
    flip: None,
    roll: None,
    clip: None,
    relu: None,
    positive: None,
    reciprocal: None,
    matmul: products.matmul_p,
    einsum: None,
    tensordot: None,
    vecdot: None,
    outer: None,
}
for _f, _p in _STRUCTURAL.items():
    public(_f.__name__, _f, _p)
