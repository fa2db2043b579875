"""What the iterative solvers share: operators, preconditioners, inner products, the record of an iteration."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scisim.autodiff import vjp
from scisim.autodiff.implicit import linear_solve
from scisim.core import pytree
from scisim.core.avals import aval
from scisim.core.capture import capture, close
from scisim.core.errors import ArgumentError, ArgumentTypeError, ConvergenceError, ShapeError
from scisim.core.tensor import Tensor, unwrap, wrap
from scisim.core.values import Traced, dtype, inexact, is_complex, shape
from scisim.ops.arithmetic import sqrt
from scisim.ops.complexes import conj, real
from scisim.ops.flow import while_loop
from scisim.ops.products import matmul
from scisim.ops.select import eq, maximum, where
from scisim.ops.shape import as_integer, reshape
from scisim.sparse.build import from_scipy
from scisim.sparse.csr import CSR

Function = Callable[[Any], Any]
RECORDED = 1000  # iterations whose residuals are kept: every step of a loop carries them all


class SolveInfo(NamedTuple):
    """How an iterative solver ended.

    Attributes
    ----------
    converged : Tensor
        Whether the residual reached the tolerance.
    iterations : Tensor
        How many products of a new direction were made.
    residual : Tensor
        Norm of b - A x, as the iteration updates it.
    history : Tensor
        The residual at the start and after each of the first 1000 iterations; nan after the last.
    """

    converged: Any
    iterations: Any
    residual: Any
    history: Any


class Setting(NamedTuple):
    """The numbers that end an iteration."""

    rtol: float
    atol: float
    maxiter: int


class Record(NamedTuple):
    """The part of a loop's state that tells how far it is; values, as all of the state."""

    iterations: Any
    residual: Any
    bound: Any
    history: Any

    def going(self, maxiter: int) -> Any:
        return (self.residual > self.bound) & (self.iterations < maxiter)

    def noted(self, residual: Any) -> Record:
        """One more iteration."""
        return self._replace(iterations=self.iterations + 1).measured(residual)

    def measured(self, residual: Any) -> Record:
        """The residual of this iteration."""
        k = self.iterations
        if isinstance(k, Traced) or isinstance(residual, Traced):
            history = where(eq(np.arange(shape(self.history)[0]), k), residual, self.history)
        else:
            history = self.history.copy()
            history[k : k + 1] = residual
        return Record(k, residual, self.bound, history)

    def info(self) -> SolveInfo:
        return SolveInfo(*map(wrap, (self.residual <= self.bound, *self[:2], self.history)))


def start(b: Any, r: Any, setting: Setting) -> Record:
    """The record before the first iteration."""
    residual = norm(r)
    bound = maximum(norm(b) * setting.rtol, np.asarray(setting.atol, dtype(residual)))
    history = np.full(min(setting.maxiter, RECORDED) + 1, np.nan, dtype(residual))
    return Record(np.asarray(-1), residual, bound, history).noted(residual)


def repeat(test: Function, body: Function, state: Any) -> Any:
    """``state = body(state)`` while ``test(state)``: Python's own loop as long as the condition is known."""
    while True:
        going = test(state)
        if isinstance(going, Traced):
            looped = while_loop(_on_values(test), _on_values(body), pytree.tree_map(wrap, state))
            return pytree.tree_map(unwrap, looped)
        if not going:
            return state
        state = body(state)


def _on_values(f: Function) -> Function:
    return lambda state: pytree.tree_map(wrap, f(pytree.tree_map(unwrap, state)))


def dot(a: Any, b: Any) -> Any:
    """Sum of conj(a) b over all elements: the product of a row and a column, to the same bits in every program."""
    a = conj(a) if is_complex(a) else a
    if type(a) is np.ndarray and type(b) is np.ndarray:
        return np.matmul(a.reshape(1, -1), b.reshape(-1, 1))[0, 0]
    n = math.prod(shape(a))
    return reshape(matmul(reshape(a, (1, n)), reshape(b, (n, 1))), ())


def real_dot(a: Any, b: Any) -> Any:
    """The real part of the sum of conj(a) b."""
    y = dot(a, b)
    return real(y) if is_complex(y) else y


def root(x: Any) -> Any:
    return sqrt(x) if isinstance(x, Traced) else np.sqrt(x)


def norm(x: Any) -> Any:
    """Root of the sum of squares of all elements."""
    return root(real_dot(x, x))


def safe(x: Any) -> Any:
    """A divisor that is not 0."""
    if not isinstance(x, Traced):
        return x if x != 0 else np.ones_like(x)
    return where(eq(x, 0), np.ones((), dtype(x)), x)


def size_of(r: Any, z: Any, product: Any) -> Any:
    """The norm of r, of which the product with z is known."""
    return root(product) if z is r else norm(r)


def zeros(x: Any) -> Any:
    return np.zeros(shape(x), dtype(x))


def operator(who: str, a: Any, like: Any) -> Function:
    """A function x -> A x from a matrix, a sparse matrix or a function."""
    if hasattr(a, "tocsr"):
        a = from_scipy(a)
    if isinstance(a, (list, tuple)):
        a = Tensor(a)
    if isinstance(a, (CSR, Tensor, np.ndarray)):
        n = like.shape
        if a.ndim != 2 or a.shape[0] != a.shape[1] or n != a.shape[1:]:
            raise ShapeError(
                f"{who}: a matrix of shape {a.shape} and b of shape {n}; give a square matrix (n, n), b (n,)"
            )
        held = a if isinstance(a, CSR) else Tensor(a)
        return lambda x: held @ x
    if callable(a):
        return a
    raise ArgumentTypeError(f"{who}: A is a {type(a).__name__}; expected a matrix, a CSR or a function x -> A x")


def solved(
    who: str, method: Callable, a: Any, b: Any, x0: Any, m: Any, setting: Setting, hermitian: bool, check: bool
) -> tuple[Tensor, SolveInfo]:
    """Run a method, with derivatives by the equation that its result solves.

    ``method(matvec, b, x0, preconditioner, setting) -> x, record``, all of values.
    """
    _check_setting(who, setting)
    b = _right_side(who, a, b)
    matvec = _keeping(who, operator(who, a, b), b)
    precondition, held = _fixed(operator(who, m, b), b) if m is not None else (None, [])

    def run(transposed: bool) -> Callable:
        def solve(matvec: Function, rhs: Any, guess: Any, *inner: Any) -> Any:
            scaled = None if precondition is None else lambda r: precondition(r, inner)
            if scaled is not None and transposed and not hermitian:
                scaled = transposed_function(scaled, rhs)
            ready = (lambda r: r) if scaled is None else _of_values(scaled)
            x, record = method(_of_values(matvec), unwrap(rhs), unwrap(guess), ready, setting)
            info = record.info()
            if check:
                _check_converged(who, info, setting)
            return wrap(x), info

        return solve

    first = wrap(zeros(b._v)) if x0 is None else _start_value(who, x0, b)
    return linear_solve(matvec, b, run(False), run(True), hermitian, (first, *held), has_aux=True)


def _of_values(f: Function) -> Function:
    """A function of tensors as one of values."""
    return lambda x: f(wrap(x))._v


def _check_setting(who: str, setting: Setting) -> None:
    as_integer(who, "maxiter", setting.maxiter)
    if not (setting.rtol >= 0 and setting.atol >= 0):
        raise ArgumentError(f"{who}: rtol={setting.rtol!r}, atol={setting.atol!r}; tolerances are at least 0")


def _right_side(who: str, a: Any, b: Any) -> Tensor:
    """b in the dtype of the solution, so that a complex matrix has complex vectors."""
    b = Tensor(b)
    kind = dtype(b) if inexact(b.dtype) else np.dtype(np.float64)
    if hasattr(a, "dtype"):
        kind = np.result_type(kind, a.dtype)
    return b if b.dtype == kind else b.astype(kind)


def _keeping(who: str, f: Function, b: Tensor) -> Function:
    """The operator, checked to give what b is."""

    def product(x: Any) -> Any:
        y = f(x)
        if not isinstance(y, Tensor) or y.shape != b.shape:
            got = f"shape {y.shape}" if isinstance(y, Tensor) else type(y).__name__
            raise ShapeError(f"{who}: A x gives {got} for x of shape {b.shape}; an operator keeps the shape")
        if y.dtype != b.dtype:
            if y.dtype.kind == "c" and b.dtype.kind != "c":
                raise ArgumentTypeError(f"{who}: A x is complex and b real; write b.astype(ss.{y.dtype})")
            y = y.astype(b.dtype)
        return y

    return product


def _start_value(who: str, x0: Any, b: Tensor) -> Tensor:
    x0 = Tensor(x0)
    if x0.shape != b.shape:
        raise ShapeError(f"{who}: x0 of shape {x0.shape} for b of shape {b.shape}; they must be equal")
    return x0 if x0.dtype == b.dtype else x0.astype(b.dtype)


def _fixed(m: Function, b: Tensor) -> tuple[Callable, list]:
    """A function as one of its argument and of all values that it closes over."""
    graph, held = close(capture(lambda v: [unwrap(m(wrap(v)))], [aval(b._v)], "preconditioner"))
    return lambda r, inner: wrap(graph(unwrap(r), *map(unwrap, inner))[0]).astype(b.dtype), list(map(wrap, held))


def transposed_function(f: Function, like: Any) -> Function:
    """The transpose of a linear function; a pullback is the conjugate transpose."""
    pullback = vjp(f, wrap(zeros(unwrap(like))))[1]
    return lambda r: pullback(r.conj())[0].conj()


def _check_converged(who: str, info: SolveInfo, setting: Setting) -> None:
    ended = unwrap(info.converged)
    if isinstance(ended, Traced) or bool(np.all(ended)):
        return
    raise ConvergenceError(
        f"{who}: the residual is {float(info.residual):.3g} after {int(info.iterations)} iterations (maxiter="
        f"{setting.maxiter}), not within rtol={setting.rtol:g}, atol={setting.atol:g}. Raise maxiter, give a "
        f"preconditioner M=, or take what there is with check=False"
    )
