"""What the iterative solvers share: operators, preconditioners, inner products, the record of an iteration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scisim.autodiff import vjp
from scisim.autodiff.implicit import linear_solve
from scisim.core.avals import aval
from scisim.core.capture import capture, close
from scisim.core.errors import ArgumentError, ArgumentTypeError, ConvergenceError, ShapeError
from scisim.core.public import OPERATIONS
from scisim.core.tensor import Tensor, unwrap, wrap
from scisim.core.values import Traced, dtype, inexact
from scisim.ops.shape import as_integer
from scisim.sparse.build import from_scipy
from scisim.sparse.csr import CSR

Function = Callable[[Any], Any]
RECORDED = 1000  # iterations whose residuals are kept: every step of a loop carries them all

_abs, _sum, _sqrt, _where, _conj, _real, _zeros_like, _full = (
    OPERATIONS[name].function for name in ("abs", "sum", "sqrt", "where", "conj", "real", "zeros_like", "full")
)


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
    """The part of a loop's state that tells how far it is."""

    iterations: Any
    residual: Any
    bound: Any
    history: Any

    def going(self, maxiter: int) -> Any:
        return (self.residual > self.bound) & (self.iterations < maxiter)

    def noted(self, residual: Any) -> Record:
        """One more iteration."""
        k = self.iterations + 1
        here = np.arange(self.history.shape[0]) == k
        return Record(k, residual, self.bound, _where(here, residual, self.history))

    def info(self) -> SolveInfo:
        return SolveInfo(self.residual <= self.bound, self.iterations, self.residual, self.history)


def start(b: Any, r: Any, setting: Setting) -> Record:
    """The record before the first iteration."""
    residual, size = norm(r), norm(b)
    bound = size * setting.rtol
    bound = _where(bound < setting.atol, setting.atol, bound).astype(size.dtype)
    empty = np.full(min(setting.maxiter, RECORDED) + 1, np.nan, size.dtype)
    first = np.arange(len(empty)) == 0
    return Record(wrap(np.asarray(0)), residual, bound, _where(first, residual, empty))


def dot(a: Any, b: Any) -> Any:
    """Sum of conj(a) b over all elements."""
    return _sum(_conj(a) * b) if a.dtype.kind == "c" else _sum(a * b)


def norm(x: Any) -> Any:
    """Root of the sum of squares of all elements."""
    return _sqrt(_real(dot(x, x)))


def safe(x: Any) -> Any:
    """A divisor that is not 0."""
    return _where(x == 0, 1.0, x).astype(x.dtype)


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

    ``method(matvec, b, x0, preconditioner, setting) -> x, info`` in tensors.
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
            x, info = method(matvec, rhs, guess, scaled or (lambda r: r), setting)
            if check:
                _check_converged(who, info, setting)
            return x, info

        return solve

    first = _zeros_like(b) if x0 is None else _start_value(who, x0, b)
    return linear_solve(matvec, b, run(False), run(True), hermitian, (first, *held), has_aux=True)


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
    pullback = vjp(f, _zeros_like(like))[1]
    return lambda r: _conj(pullback(_conj(r))[0])


def _check_converged(who: str, info: SolveInfo, setting: Setting) -> None:
    ended = unwrap(info.converged)
    if isinstance(ended, Traced) or bool(np.all(ended)):
        return
    raise ConvergenceError(
        f"{who}: the residual is {float(info.residual):.3g} after {int(info.iterations)} iterations (maxiter="
        f"{setting.maxiter}), not within rtol={setting.rtol:g}, atol={setting.atol:g}. Raise maxiter, give a "
        f"preconditioner M=, or take what there is with check=False"
    )
