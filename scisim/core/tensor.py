"""The user's array class: a handle on an immutable value.

``x[i] = v`` and ``x += y`` put a new value into the handle; they never write into an array that something else holds.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from scisim.core.dispatch import call_function, call_ufunc
from scisim.core.dispatch import functions as functions
from scisim.core.errors import (
    ArgumentError,
    ArgumentTypeError,
    DTypeError,
    ExchangeError,
    MutationError,
    ScisimError,
    ShapeError,
    TraceError,
)
from scisim.core.values import Traced, as_dtype, as_value, named, new_array, own

# Arrays that captured programs carry as constants, by id; assignment to a handle of one makes the program stale.
captured_constants: dict[int, Any] = {}

_API_VERSIONS = (None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


class Tensor:
    """A multi-dimensional array that can be differentiated, mapped, compiled and sharded.

    Parameters
    ----------
    data : array_like
        Anything `numpy.asarray` takes, or a Tensor.
    dtype : dtype, optional
    copy : bool
        An ndarray is copied unless ``copy=False``, since values never change; then the caller promises not to write
        into it.

    Examples
    --------
    >>> import scisim as ss
    >>> x = ss.Tensor([1.0, 2.0])
    >>> x[0] = 5.0
    >>> x
    Tensor([5., 2.])
    """

    __slots__ = ("__weakref__", "_v")
    _v: Any

    def __init__(self, data: Any, dtype: Any = None, copy: bool = True) -> None:
        if isinstance(data, Tensor):
            self._v = data._v if dtype is None else functions["astype"](data, dtype)._v
        elif isinstance(data, Traced):
            self._v = data
        elif isinstance(data, (list, tuple)) and holds_tensor(data):
            self._v = functions["stack"](list(map(Tensor, data)))._v
        else:
            try:
                self._v = _data(data, dtype, copy)
            except ScisimError as error:
                raise named("Tensor", error) from None

    # --- what it is ------------------------------------------------------------------------------------------
    @property
    def shape(self) -> tuple[int, ...]:
        return self._v.shape

    @property
    def dtype(self) -> np.dtype:
        return self._v.dtype

    @property
    def ndim(self) -> int:
        return len(self._v.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self._v.shape, dtype=np.int64))

    @property
    def device(self) -> Any:
        from scisim.core.devices import CPU

        return CPU

    @property
    def T(self) -> Tensor:
        v = self._v
        if type(v) is np.ndarray:
            return wrap(v.T)
        return functions["permute_dims"](self, tuple(range(self.ndim))[::-1])

    @property
    def mT(self) -> Tensor:
        return functions["matrix_transpose"](self)

    @property
    def real(self) -> Tensor:
        return functions["real"](self)

    @property
    def imag(self) -> Tensor:
        return functions["imag"](self)

    @property
    def placements(self) -> Any:
        """One placement for each mesh axis, or None for a value that is not sharded."""
        return getattr(self._v, "placements", None)

    def to_local(self) -> Tensor:
        """This rank's block of a sharded tensor."""
        local = getattr(self._v, "local", None)
        return self if local is None else wrap(local)

    def __len__(self) -> int:
        if not self.shape:
            raise ArgumentTypeError("len() of a Tensor without axes; use x.size")
        return self.shape[0]

    def __repr__(self) -> str:
        v = self._v
        if isinstance(v, Traced):
            return f"Tensor({v!r})"
        body = np.array2string(np.asarray(v), separator=", ", prefix="Tensor(")
        plain = v.dtype in (np.float64, np.int64, np.complex128, np.bool_)
        return f"Tensor({body})" if plain else f"Tensor({body}, dtype={v.dtype})"

    def __hash__(self) -> int:
        raise ArgumentTypeError("a Tensor has no hash, since its value may change; use id(x) or a tuple of numbers")

    # --- leaving for Python and NumPy --------------------------------------------------------------------------
    def _concrete(self, what: str) -> np.ndarray:
        v = self._v
        if isinstance(v, Traced):
            return v._refuse(what)
        return v

    def _one(self, what: str) -> Any:
        """The value, which must have one element."""
        v = self._concrete(what)
        if v.size != 1:
            raise ShapeError(
                f"{what} was asked of a Tensor of shape {v.shape}, which has {v.size} elements; index it, reduce "
                f"it, or use x.tolist()"
            )
        return v

    def __bool__(self) -> bool:
        v = self._v
        if not isinstance(v, Traced) and v.size != 1:
            raise ShapeError(
                f"a truth value was asked of a Tensor of shape {v.shape}; use ss.any(x) or ss.all(x), or where for "
                f"elementwise choices"
            )
        return bool(v)

    def _real(self, what: str) -> Any:
        v = self._one(what)
        if v.dtype.kind == "c":
            raise DTypeError(f"{what} was asked of a complex Tensor; use x.real, x.imag, ss.abs(x) or complex(x)")
        return v.item()

    def __float__(self) -> float:
        return float(self._real("a Python float"))

    def __int__(self) -> int:
        return int(self._real("a Python int"))

    def __complex__(self) -> complex:
        return complex(self._one("a Python complex").item())

    def __index__(self) -> int:
        v = self._one("a Python index")
        if v.dtype.kind not in "iu" or v.ndim:
            raise DTypeError(f"a Python index was asked of a Tensor of dtype {v.dtype}; use int(x) where it is whole")
        return int(v)

    def item(self) -> Any:
        """The one element as a Python number."""
        return self._one("a Python number").item()

    def tolist(self) -> Any:
        """Nested lists of Python numbers."""
        return self._concrete("a list").tolist()

    def numpy(self) -> np.ndarray:
        """A read-only NumPy view."""
        return self.__array__()

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        a = np.asarray(self._concrete("a NumPy array"))
        if dtype is not None and a.dtype != dtype:
            if copy is False:
                raise ValueError(f"cannot give an array of dtype {dtype} from {a.dtype} without a copy")
            return a.astype(dtype)
        if copy:
            return a.copy()
        view = a.view()
        view.flags.writeable = False
        return view

    def __copy__(self) -> Tensor:
        return wrap(self._v)

    def __deepcopy__(self, memo: Any) -> Tensor:
        return wrap(self._v)  # values never change

    def __format__(self, spec: str) -> str:
        if spec and self.shape:
            raise ArgumentTypeError(
                f"format {spec!r} is for one number, not for a Tensor of shape {self.shape}; use ss.round"
            )
        return format(self.item(), spec) if spec else str(self)

    def _repr_html_(self) -> str:
        from scisim.core.html import show

        return show(self._v)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return call_ufunc(Tensor, ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: tuple, kwargs: dict) -> Any:
        return call_function(Tensor, func, types, args, kwargs)

    def __array_namespace__(self, /, *, api_version: str | None = None) -> Any:
        if api_version not in _API_VERSIONS:
            raise ArgumentError(f"__array_namespace__: version {api_version!r} is not one of {_API_VERSIONS[1:]}")
        return sys.modules["scisim"]

    def __dlpack__(
        self,
        /,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A capsule that says it is read-only; a copy for consumers that are too old to read that."""
        if stream is not None:
            raise ExchangeError(f"__dlpack__: stream is {stream!r}; the memory of a CPU has none, give None")
        if dl_device not in (None, (1, 0)):
            raise ExchangeError(f"__dlpack__: device {dl_device} is not that of the tensor, (1, 0)")
        a = np.asarray(self._concrete("a DLPack capsule"))
        if max_version is None or max_version[0] < 1:
            if copy is False:
                raise ExchangeError(
                    "__dlpack__: this consumer of DLPack cannot be told that a Tensor is read-only; allow a copy, or "
                    "ask with max_version=(1, 0)"
                )
            return a.copy().__dlpack__()
        return (a.copy() if copy else self.__array__()).__dlpack__(max_version=max_version)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    # --- parts -------------------------------------------------------------------------------------------------
    def __getitem__(self, at: Any) -> Tensor:
        v = self._v
        if type(v) is np.ndarray and (type(at) in _BASIC or (type(at) is tuple and _plain_index(at))):
            try:
                return wrap(v[at])
            except (IndexError, TypeError, ValueError):
                pass  # the general way says what is wrong
        if type(v) is np.ndarray and type(at) is Tensor and _fits(v, at._v):
            try:
                return wrap(v[at._v])
            except IndexError:
                pass  # the same
        return wrap(functions["_index"](v, _bare(at, isinstance(v, Traced))))

    def __setitem__(self, at: Any, v: Any) -> None:
        if sys.getrefcount(self) <= _LOST:
            raise MutationError(
                "x[i][j] = v assigns to a part, which is a new value that is then lost; write x[i, j] = v"
            )
        rebind(self, functions["_index_set"](self._v, _bare(at, True), _assigned(v)))

    def __iter__(self) -> Any:
        if not self.shape:
            raise ArgumentTypeError("iteration over a Tensor without axes")
        return (self[k] for k in range(self.shape[0]))

    # --- methods that NumPy users expect -------------------------------------------------------------------------
    def reshape(self, *shape: Any) -> Tensor:
        """The same elements in another shape; one length may be -1."""
        if type(self._v) is np.ndarray:
            try:
                return wrap(self._v.reshape(*shape))
            except (ValueError, TypeError):
                pass  # the general way says what is wrong
        return functions["reshape"](self, shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape)

    def transpose(self, *axes: Any) -> Tensor:
        """Axes in another order; reversed without arguments."""
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        return functions["permute_dims"](self, order or tuple(range(self.ndim))[::-1])

    def astype(self, dtype: Any, /, copy: bool = True) -> Tensor:
        """A cast to another dtype; whether memory is shared cannot be told, since values never change."""
        return functions["astype"](self, dtype)

    def copy(self) -> Tensor:
        """A new handle on the same value."""
        return wrap(self._v)

    def flatten(self) -> Tensor:
        """All elements along one axis."""
        return self.reshape(-1)

    def conj(self) -> Tensor:
        """Complex conjugate."""
        return functions["conj"](self)

    def dot(self, other: Any) -> Tensor:
        """Matrix product."""
        return functions["matmul"](self, other)

    def to_device(self, device: Any, /, *, stream: Any = None) -> Tensor:
        """The tensor on a device."""
        from scisim.core.devices import check_device

        check_device("to_device", device)
        return self

    if TYPE_CHECKING:

        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __floordiv__(self, other: Any) -> Tensor: ...
        def __mod__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __rpow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __rmatmul__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]
        def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]
        def sum(self, axis: Any = None, keepdims: bool = False) -> Tensor: ...
        def mean(self, axis: Any = None, keepdims: bool = False) -> Tensor: ...
        def max(self, axis: Any = None, keepdims: bool = False) -> Tensor: ...
        def min(self, axis: Any = None, keepdims: bool = False) -> Tensor: ...


def _data(data: Any, dtype: Any, copy: bool) -> np.ndarray:
    """An array that the handle owns, of data that hold no tensors."""
    v = as_value(data if copy or not hasattr(data, "__array__") else np.asarray(data))
    if dtype is not None:
        to = as_dtype("Tensor", dtype)
        if isinstance(data, (np.ndarray, np.generic)) or (v.dtype.kind == "c" and to.kind != "c"):
            v = functions["astype"](v, to)._v
        elif v.dtype != to:
            v = new_array(data, to)
    return np.asarray(own(v) if copy else v)


def _measure() -> int:
    """References that a temporary shows inside a method called by an operator, which depends on the interpreter."""

    class Probe:
        seen = 0

        def __setitem__(self, at: Any, v: Any) -> None:
            Probe.seen = sys.getrefcount(self)

    def make() -> Probe:
        return Probe()

    make()[0] = 1
    return Probe.seen


_LOST = _measure()
_new = object.__new__


def wrap(v: Any) -> Tensor:
    """A fresh handle on a value."""
    t = _new(Tensor)
    t._v = v
    return t


def unwrap(x: Any) -> Any:
    """The value of a handle; anything else as a value."""
    return x._v if type(x) is Tensor else as_value(x)


_BASIC = frozenset({int, slice, type(None), type(Ellipsis)})


def _plain_index(at: tuple) -> bool:
    """Whether an index holds no arrays and no booleans: one axis after the other, as NumPy reads it."""
    return _BASIC.issuperset(map(type, at))


def _fits(v: np.ndarray, at: Any) -> bool:
    """Whether an index is an array of integers, or a mask of the array's shape."""
    return (
        type(at) is np.ndarray
        and (at.dtype.kind in "iu" or (at.dtype.kind == "b" and at.shape == v.shape))
        and at.ndim > 0
    )


def _bare(x: Any, keep: bool) -> Any:
    """Handles inside an index, or an assigned value, as values; arrays that are kept become our own."""
    if type(x) is Tensor:
        return x._v
    if isinstance(x, tuple):
        keep = keep or any(isinstance(i, Tensor) and isinstance(i._v, Traced) for i in x)
        return tuple(_bare(i, keep) for i in x)
    if isinstance(x, list) and holds_tensor(x):
        return Tensor(x)._v
    return own(x) if keep else x


def _assigned(x: Any) -> Any:
    if isinstance(x, (list, tuple)) and holds_tensor(x):
        return Tensor(x)._v
    return _bare(x, True)


def holds_tensor(x: Any) -> bool:
    return any(isinstance(i, (Tensor, Traced)) or (isinstance(i, (list, tuple)) and holds_tensor(i)) for i in x)


def rebind(t: Tensor, v: Any) -> Tensor:
    """Put a new value into a handle; programs that carry the old one as a constant are told."""
    if captured_constants and id(t._v) in captured_constants:
        for program in tuple(captured_constants[id(t._v)]):
            program.stale = True
    t._v = v
    return t


def concrete_array(x: Any, who: str) -> np.ndarray:
    """A NumPy array for work outside of every transformation (files, plots, index computations)."""
    v = unwrap(x)
    if isinstance(v, Traced):
        raise TraceError(f"{who}: needs the numbers of {v!r}, which belong to a transformation; call it outside")
    return np.asarray(v)
