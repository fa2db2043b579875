"""Values, traces and levels: the whole mechanism by which transformations nest.

A value is an array (or scalar), or a `Traced` that belongs to one running transformation, its `Trace`.  Traces take
their level from one increasing counter, so the inner transformation always has the greater level.  A primitive applied
to values goes to the trace of the greatest level among them, to which all other values are constants.  There is no
stack, so there is nothing that an exception, a thread or a pullback called late could corrupt.
"""

from __future__ import annotations

import contextvars
import itertools
import sys
from typing import Any, ClassVar

import numpy as np

from scisim.core.errors import (
    ArgumentTypeError,
    DTypeError,
    LeakError,
    NumberRangeError,
    ScisimError,
    ShapeError,
    TraceError,
)

_levels = itertools.count(1)

# Asked only by primitives without operands (arange, ...): they have no operand that could name a trace.
ambient: contextvars.ContextVar[Any] = contextvars.ContextVar("scisim_capture", default=None)


class Traced:
    """A value inside a transformation; `ops` installs the operators."""

    __slots__ = ("__weakref__", "root", "trace")
    __array_ufunc__ = None  # so that ndarray + Traced comes to Traced.__radd__
    trace: Any
    root: Any  # the q of which this value is the square root or modulus, a function that gives it, or None
    lower: Any = None  # the value of lower level inside, None where only its shape is known

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def shape(self) -> tuple[int, ...]:
        return self.lower.shape

    @property
    def dtype(self) -> np.dtype:
        return self.lower.dtype

    def __repr__(self) -> str:
        return f"<{self.trace.describe(self)}>"

    def __bool__(self) -> bool:
        return bool(self.trace.concrete(self))

    def _refuse(self, what: str) -> Any:
        return self.trace.refuse(self, what)

    def __float__(self) -> float:
        return self._refuse("a Python float")

    def __int__(self) -> int:
        return self._refuse("a Python int")

    def __complex__(self) -> complex:
        return self._refuse("a Python complex")

    def __index__(self) -> int:
        return self._refuse("a Python index")

    def __deepcopy__(self, memo: Any) -> Traced:
        return self  # a copy would be another value, on which no derivative depends

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self._refuse("a pickle")

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self._refuse("a NumPy array")


class Trace:
    """One run of a transformation; `apply` says what it makes of a primitive."""

    kind: ClassVar[str] = "trace"
    holds_values: ClassVar[bool] = False  # whether values without a lower one are arrays, if in parts
    level: int

    def __init__(self, function: Any) -> None:
        self.level = next(_levels)
        self.function = function

    @property
    def name(self) -> str:
        return f"{self.kind} of {name_of(self.function)}"

    def apply(self, prim: Any, args: tuple, params: dict) -> Any:
        """Interpret ``prim(*args, **params)``, of which at least one operand is a value of this trace."""
        raise TraceError(f"{self.name} does not interpret {prim.name}")

    def concrete(self, x: Traced) -> Any:
        """The value a Python branch may read: that of lower level, where it is known."""
        raise TraceError(
            f"{self.name}: a Python branch or number needs the value of {x!r}, which this transformation does not "
            f"know. Use where, cond or while_loop."
        )

    def refuse(self, x: Traced, what: str) -> Any:
        """Values do not leave for Python or NumPy: their derivative would be lost."""
        raise TraceError(
            f"{what} was asked of {x!r}: that would cut its derivative silently. Keep computing with scisim "
            f"functions, or write autodiff.stop_gradient(x) where the bare number is meant."
        )

    def describe(self, x: Traced) -> str:
        return f"{x.dtype}{list(x.shape)} in {self.name}"

    def same(self, a: Traced, b: Traced) -> bool:
        """Whether two of this trace's values are known to be equal with all their derivatives."""
        return a is b

    def settle(self, cotangent: Any, primal: Any) -> Any:
        """Deliver a cotangent of ``primal`` (a value of this trace); sharded values reduce here, once."""
        return cotangent

    def any(self, x: Traced) -> bool | None:
        """Whether any element holds, where this trace can tell (ranks that share a value can); else None."""
        return None

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *exc: object) -> None:
        # A leak is caught here at no cost to a live trace: instance attributes shadow the methods.
        self.__dict__.update(_ENDED)

    def mine(self, x: Any) -> bool:
        return isinstance(x, Traced) and x.trace is self


def _leaked(prim: Any, args: tuple, params: dict) -> Any:
    x = max((a for a in args if isinstance(a, Traced)), key=lambda a: a.trace.level)
    raise LeakError(
        f"{prim.array_api or prim.name}: got a value {x.dtype}{list(x.shape)} of '{x.trace.name}', which has returned. "
        f"The value was kept outside of the function: by a global, an attribute, a list, or an in-place assignment to "
        f"a tensor made outside. Return it from the function instead."
    )


def _leaked_value(x: Traced, what: str = "") -> Any:
    raise LeakError(
        f"the value of {x!r} was asked for, but '{x.trace.name}' has returned. Return the value from the function "
        f"instead of keeping it."
    )


_ENDED = {"apply": _leaked, "concrete": _leaked_value, "refuse": _leaked_value}


def name_of(f: Any) -> str:
    """The name of a function for messages."""
    return f if isinstance(f, str) else getattr(f, "__name__", None) or type(f).__name__


def shape(x: Any) -> tuple[int, ...]:
    """Shape of any value, Python scalars included."""
    own = getattr(x, "shape", None)
    return np.shape(x) if own is None else own


def dtype(x: Any) -> np.dtype:
    """Dtype of any value; a Python scalar has its default one."""
    own = getattr(x, "dtype", None)
    return np.asarray(x).dtype if own is None else own


def is_complex(x: Any) -> bool:
    return x.dtype.kind == "c" if hasattr(x, "dtype") else isinstance(x, complex)


def is_inexact(x: Any) -> bool:
    """Whether a value can carry a derivative."""
    return inexact(dtype(x))


def inexact(dt: np.dtype) -> bool:
    # ml_dtypes' bfloat16 has kind "V" or "f" by version; its name tells.
    return dt.kind in "fc" or dt.name == "bfloat16"


def numeric(dt: np.dtype) -> bool:
    """Whether a dtype holds numbers; those of ml_dtypes are of kind "V", as records are, but registered."""
    return dt.kind in "biufc" or (dt.kind == "V" and dt.isbuiltin == 2)


def bfloat16() -> np.dtype:
    """The dtype of ml_dtypes, which NumPy knows by name only once that is imported."""
    import ml_dtypes

    return np.dtype(ml_dtypes.bfloat16)


def as_dtype(who: str, x: Any) -> np.dtype:
    """The dtype that a user named."""
    try:
        dt = bfloat16() if type(x) is str and x == "bfloat16" else np.dtype(x if x is not None else "None")
    except TypeError:
        raise ArgumentTypeError(
            f"{who}: dtype is {x!r}, which is not known; give a dtype such as ss.float64, or its name"
        ) from None
    if not numeric(dt):
        raise DTypeError(f"{who}: dtype {dt} does not hold numbers; use bool, an integer, real or complex dtype")
    return dt


_PLAIN = frozenset(np.dtype(c) for c in "?bBhHiIlLqQefdFD")


def as_value(x: Any) -> Any:
    """A value from anything array-like; arrays and traced values pass as they are."""
    if type(x) is np.ndarray and x.dtype in _PLAIN:
        return x
    if isinstance(x, Traced):
        return x
    a = x if type(x) is np.ndarray or isinstance(x, np.generic) else _array(x)
    if numeric(a.dtype):
        return a if a.dtype.isnative else a.astype(a.dtype.newbyteorder("="))
    way = "; integers beyond 64 bits fit only as floats" if isinstance(x, int) else ""
    if isinstance(x, np.ndarray):
        way = "; convert it with astype(float)"
    kind = f"data of type {type(x).__name__} gives dtype {a.dtype}"
    raise _unnamed(ArgumentTypeError, f"got {x!r:.60}: {kind}; expected numbers, an array or a Tensor{way}")


def _array(x: Any) -> np.ndarray:
    """A new array of what is not a plain one."""
    masked = sys.modules.get("numpy.ma")  # importing it would cost more than most derivatives
    if masked and isinstance(x, masked.MaskedArray):
        raise _unnamed(ArgumentTypeError, "expected an array without a mask; fill it first, as in x.filled(np.nan)")
    if isinstance(x, (list, tuple)) and any(isinstance(v, Traced) for v in _flat(x)):
        raise TraceError(
            "a list that holds values of a transformation cannot become an array by itself: use stack or concat"
        )
    try:
        return np.array(x)
    except ValueError as error:
        if "inhomogeneous" not in str(error):
            raise
        text = f"nested lists of different lengths are no array: {x!r:.60}; make them equally long"
        raise _unnamed(ShapeError, text) from None


def _unnamed(kind: type[ScisimError], text: str) -> ScisimError:
    """An error of data that does not know yet which function they were given to; `named` puts its name in front."""
    error = kind(text)
    error.unnamed = True  # type: ignore[attr-defined]
    return error


def named(who: str, error: ScisimError) -> ScisimError:
    return type(error)(f"{who}: {error}") if getattr(error, "unnamed", False) else error


def check_function(who: str, f: Any) -> Any:
    """A function, or an error that says what was given in its place."""
    if not callable(f):
        raise ArgumentTypeError(f"{who}: expected a function, got {type(f).__name__} {f!r:.60}")
    return f


def own(x: Any) -> Any:
    """A value that nobody else can write into: values never change, and whoever passed an array may go on using it."""
    return x.copy() if type(x) is np.ndarray and _writable(x) else x


def _writable(x: Any) -> bool:
    while isinstance(x, np.ndarray):
        if x.flags.writeable:
            return True
        x = x.base
    return False


def new_array(data: Any, dtype: np.dtype) -> np.ndarray:
    """An array of Python numbers in the dtype asked for, which must hold them."""
    try:
        return np.array(data, dtype=dtype)
    except OverflowError:
        raise NumberRangeError(
            f"expected numbers that fit dtype {dtype}, got {data!r:.60}; choose a wider dtype, or convert an array "
            f"with astype, which wraps round"
        ) from None


def _flat(x: Any) -> Any:
    for v in x:
        if isinstance(v, (list, tuple)):
            yield from _flat(v)
        else:
            yield v


def same(a: Any, b: Any) -> bool:
    """Whether two values are known to be equal in every derivative: one object, or computed alike from the same."""
    if a is b:
        return True
    if isinstance(a, Traced) or isinstance(b, Traced):
        return isinstance(a, Traced) and isinstance(b, Traced) and a.trace is b.trace and a.trace.same(a, b)
    if a is None or b is None or shape(a) != shape(b) or dtype(a) != dtype(b):
        return False
    return bool(np.array_equal(a, b, equal_nan=inexact(dtype(a))))


def root_of(x: Traced) -> Any:
    """What a value is the square root or modulus of, or None."""
    if callable(x.root):
        x.root = x.root()
    return x.root


def maybe_zero(x: Any) -> bool:
    """Whether any element is 0; True where nobody knows, as in a captured graph."""
    while isinstance(x, Traced):
        if x.lower is None:
            return True
        x = x.lower
    return not np.all(x)


def zeros(shape: tuple[int, ...], dtype: Any = np.float64) -> np.ndarray:
    """Zeros that take no memory."""
    return np.broadcast_to(np.zeros((), dtype), shape)


def zeros_like(x: Any) -> np.ndarray:
    return zeros(shape(x), dtype(x))


def ones_like(x: Any) -> Any:
    dt = dtype(x)
    return dt.type(1) if shape(x) == () else np.broadcast_to(np.ones((), dt), shape(x))
