"""A user's right-hand side as a function of flat values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core import pytree
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ScisimError, ShapeError, TraceError
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import Traced, as_value, inexact, name_of, named, own, shape
from scisim.ops.shape import astype, concat, moveaxis, reshape, stack

_new = object.__new__
_ndarray = np.ndarray


class MeetsTraced(Exception):
    """A function that was taken for plain gave a value of a transformation."""


class State:
    """How a user's state, an array or a container of arrays, is laid out in a vector.

    Attributes
    ----------
    value : value
        The initial state as a vector.
    n : int
    dtype, real : dtype
        Of the state, and of times beside it.
    single : bool
        The state is one array.
    """

    def __init__(self, who: str, y0: Any) -> None:
        if type(y0) in (list, tuple) and all(map(_is_number, y0)):
            y0 = Tensor(list(y0))
        leaves, self.spec = pytree.flatten(y0)
        try:
            vals = [pytree.leaf_value(x, who, "y0") for x in leaves]
        except ScisimError as error:
            raise named(f"{who}: y0", error) from None
        if not vals:
            raise ArgumentError(f"{who}: y0 holds no numbers; give an array, or a container of arrays")
        self.dtype = np.result_type(np.float32 if all(map(_narrow, vals)) else np.float64, *(v.dtype for v in vals))
        wrong = [v.dtype for v in vals if v.dtype.name in ("float16", "bfloat16")]
        if wrong or self.dtype.kind not in "fc" or self.dtype.itemsize > 16:
            kind = wrong[0] if wrong else self.dtype
            raise DTypeError(f"{who}: y0 has dtype {kind}; use float32, float64 or their complex ones")
        self.real = np.zeros((), self.dtype).real.dtype
        self.shapes = [tuple(shape(v)) for v in vals]
        self.sizes = [int(np.prod(s)) for s in self.shapes]
        self.n = sum(self.sizes)
        self.single = type(y0) is Tensor or isinstance(y0, np.ndarray)
        self.vector = self.single and len(self.shapes[0]) == 1
        self.value = self._joined(vals)

    def _joined(self, vals: list) -> Any:
        flat = [reshape(astype(v, self.dtype), (s,)) for v, s in zip(vals, self.sizes, strict=True)]
        v = flat[0] if len(flat) == 1 else concat(flat, 0)
        return v if isinstance(v, Traced) else np.ascontiguousarray(v)

    def tree(self, y: Any) -> Any:
        """A vector as the user's state, of tensors."""
        if self.vector:
            return wrap(y)
        return pytree.unflatten(self.spec, [wrap(p) for p in self.parts(y)])

    def parts(self, y: Any) -> list:
        out, start = [], 0
        for s, size in zip(self.shapes, self.sizes, strict=True):
            out.append(reshape(y[start : start + size], s))
            start += size
        return out

    def table(self, ys: Any) -> Any:
        """States by row as the user's state with times along a further last axis."""
        count = shape(ys)[0]
        if self.vector:
            return wrap(moveaxis(ys, 0, 1))
        out, start = [], 0
        for s, size in zip(self.shapes, self.sizes, strict=True):
            part = reshape(ys[:, start : start + size], (count, *s))
            out.append(wrap(moveaxis(part, 0, len(s))))
            start += size
        return pytree.unflatten(self.spec, out)


def _is_number(x: Any) -> bool:
    if isinstance(x, (Tensor, np.ndarray, np.generic, Traced)):
        return shape(x._v if isinstance(x, Tensor) else x) == ()
    return isinstance(x, (bool, int, float, complex))


def _narrow(v: Any) -> bool:
    return v.dtype in (np.float32, np.complex64)


class System:
    """``fun(t, y, *args)`` from values to a vector.

    Parameters
    ----------
    fun : callable
    state : State
    args : tuple
    """

    def __init__(self, who: str, fun: Callable, state: State, args: tuple) -> None:
        self.who, self.fun, self.state, self.args = who, fun, state, args
        self.name, self.dtype, self.shape = name_of(fun), state.dtype, (state.n,)
        self._time = state.real.type
        self._kinds = "bifuc" if state.dtype.kind == "c" else "bifu"

    def __call__(self, t: Any, y: Any) -> Any:
        s, h = _new(Tensor), _new(Tensor)
        s._v = self._time(t) if type(t) is float else astype(t, self.state.real)
        if self.state.vector:
            h._v = y
        else:
            h = self.state.tree(y)
        return self.vector_of(self.fun(s, h, *self.args))

    def vector_of(self, out: Any) -> Any:
        """What the user's function returned as a vector."""
        if type(out) is Tensor:
            v = out._v
            if type(v) is _ndarray and v.dtype is self.dtype and v.shape == self.shape:
                return v
        elif type(out) in (list, tuple) and self.state.vector:
            v = self._listed(out)
            if v is not None:
                return v
        return self._converted(out)

    def _listed(self, out: Any) -> Any:
        """The vector of a list of numbers; None where it takes more care."""
        try:
            v = np.array([x._v if type(x) is Tensor else x for x in out])
        except (TraceError, ValueError):
            return None
        return v.astype(self.dtype, copy=False) if v.shape == self.shape and v.dtype.kind in self._kinds else None

    def _converted(self, out: Any) -> Any:
        state = self.state
        if state.single:
            vals, shapes = [self._array(out)], state.shapes
            if shape(vals[0]) == () and state.n == 1:
                vals = [reshape(vals[0], shapes[0])]
        else:
            leaves, spec = pytree.flatten(out)
            if spec != state.spec:
                raise ArgumentTypeError(
                    f"{self.who}: {self.name} returns the structure {spec} for a state of {state.spec}; they must be "
                    f"equal, since each number of the state has its derivative"
                )
            vals = [self._array(x) for x in leaves]
        for v, s in zip(vals, state.shapes, strict=True):
            self._check(v, s)
        flat = [reshape(astype(v, self.dtype), (n,)) for v, n in zip(vals, state.sizes, strict=True)]
        return flat[0] if len(flat) == 1 else concat(flat, 0)

    def _array(self, out: Any) -> Any:
        if type(out) in (list, tuple) and any(map(_is_traced, out)):
            vals = [reshape(_value(x), ()) for x in out]
            dt = np.result_type(*(v.dtype for v in vals))
            return stack([astype(v, dt) for v in vals])
        try:
            return own(_value(out))
        except ScisimError as error:
            raise type(error)(f"{self.who}: the result of {self.name}: {error}") from None

    def _check(self, v: Any, s: tuple) -> None:
        if tuple(shape(v)) != s:
            raise ShapeError(
                f"{self.who}: {self.name} returns shape {tuple(shape(v))} for a state of shape {s}; it must return "
                f"dy/dt, one number for each of the state"
            )
        if v.dtype.kind == "c" and self.dtype.kind != "c":
            raise DTypeError(
                f"{self.who}: {self.name} returns complex numbers for a real state; give a complex y0, such as "
                f"y0 + 0j, or return the real part"
            )
        if not (inexact(v.dtype) or v.dtype.kind in "biu"):
            raise DTypeError(f"{self.who}: {self.name} returns dtype {v.dtype}; expected real or complex numbers")


def _value(x: Any) -> Any:
    if type(x) is Tensor:
        return x._v
    return Tensor(x)._v if type(x) in (list, tuple) else as_value(x)


def _is_traced(x: Any) -> bool:
    return isinstance(x._v if type(x) is Tensor else x, Traced)


def plain(system: System) -> Callable:
    """The system for a solver that takes arrays; a value of a transformation ends it.

    States of a few numbers are where the time goes into calls, so these take the shortest way.
    """
    fun, args, shape_of, dt, time = system.fun, system.args, system.shape, system.dtype, system.state.real.type
    few = system.state.n if system.state.vector and system.state.n <= _FEW and dt == np.float64 else -1
    if not system.state.vector:
        return lambda t, y: _known(system(t, y))

    def f(t: float, y: np.ndarray) -> np.ndarray:
        s, h = _new(Tensor), _new(Tensor)
        s._v, h._v = time(t), y
        out = fun(s, h, *args)
        kind = type(out)
        if kind is Tensor:
            v = out._v
            if type(v) is _ndarray and v.dtype is dt and v.shape == shape_of:
                return v
        elif (kind is list or kind is tuple) and len(out) == few:
            row = np.empty(few)
            for k, x in enumerate(out):
                v = x._v if type(x) is Tensor else x
                if type(v) is not np.float64 and type(v) is not float:
                    break
                row[k] = v
            else:
                return row
        return _known(system.vector_of(out))

    return f


_FEW = 12


def _known(v: Any) -> np.ndarray:
    if isinstance(v, Traced):
        raise MeetsTraced
    return np.asarray(v)
