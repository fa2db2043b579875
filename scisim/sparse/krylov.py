"""Krylov methods with short recurrences: conjugate gradients, stabilised biconjugate gradients, minimal residuals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from scisim.core.tensor import Tensor
from scisim.ops.arithmetic import absolute, div, mul
from scisim.sparse._iteration import (
    Function,
    Record,
    Setting,
    SolveInfo,
    dot,
    norm,
    real_dot,
    repeat,
    root,
    safe,
    size_of,
    solved,
    start,
    zeros,
)


def cg(
    a: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    check: bool = True,
) -> tuple[Tensor, SolveInfo]:
    """Solution of A x = b by the method of conjugate gradients, for hermitian positive definite A.

    Parameters
    ----------
    a : CSR, array_like, matrix of scipy.sparse, or callable
        A matrix (n, n), or a function ``x -> A x`` on arrays of the shape of b.
    b : array_like
        Of shape (n,); of any shape for a function.
    x0 : array_like, optional
        Where to start; zeros by default.
    rtol, atol : float
        It ends when norm(b - A x) <= max(rtol * norm(b), atol).
    maxiter : int, optional
        The most iterations; ten times the number of unknowns by default.
    M : matrix or callable, optional
        A preconditioner: an approximation of the inverse of A, hermitian and positive definite; see `jacobi`.
    check : bool
        Whether an iteration that ends short of the tolerance is an error, where the values are known.

    Returns
    -------
    x : Tensor
    info : SolveInfo
        ``converged``, ``iterations``, ``residual`` and ``history``.

    Raises
    ------
    ConvergenceError
        When the tolerance is not reached. Inside of jit and vmap nothing can be raised: look at ``info.converged``.
    ShapeError, ArgumentError, ArgumentTypeError
        For operands that do not fit.

    Notes
    -----
    Derivatives of every order in A and b come from the equation, by solving with the same method and tolerance, so
    they are as exact as the tolerance; x0 and M have none. Source: Hestenes and Stiefel (1952).

    Examples
    --------
    >>> from scisim import sparse
    >>> a = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], (3, 3))
    >>> x, info = sparse.cg(a, [1.0, 0.0, 1.0])
    >>> x
    Tensor([1., 1., 1.])
    >>> bool(info.converged), int(info.iterations)
    (True, 2)
    """
    return solved("sparse.cg", _cg, a, b, x0, M, setting(b, rtol, atol, maxiter), True, check)


def setting(b: Any, rtol: float, atol: float, maxiter: int | None) -> Setting:
    """The numbers that end an iteration, with the default of their greatest count."""
    return Setting(rtol, atol, 10 * max(Tensor(b).size, 1) if maxiter is None else maxiter)


class _Conjugate(NamedTuple):
    record: Record
    x: Any
    r: Any
    p: Any
    rho: Any


def _cg(matvec: Function, b: Any, x0: Any, precondition: Function, limits: Setting) -> tuple[Any, Record]:
    r = b - matvec(x0)
    z = precondition(r)

    def step(s: _Conjugate) -> _Conjugate:
        q = matvec(s.p)
        alpha = s.rho / safe(real_dot(s.p, q))
        x, r = s.x + alpha * s.p, s.r - alpha * q
        z = precondition(r)
        rho = real_dot(r, z)
        return _Conjugate(s.record.noted(size_of(r, z, rho)), x, r, z + (rho / safe(s.rho)) * s.p, rho)

    return _run(step, _Conjugate(start(b, r, limits), x0, r, z, real_dot(r, z)), limits)


def _run(step: Callable, state: Any, limits: Setting) -> tuple[Any, Record]:
    state = repeat(lambda s: s.record.going(limits.maxiter), step, state)
    return state.x, state.record


def bicgstab(
    a: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    check: bool = True,
) -> tuple[Tensor, SolveInfo]:
    """Solution of A x = b by stabilised biconjugate gradients, for any regular A.

    Parameters
    ----------
    a, b, x0, rtol, atol, maxiter, M, check
        As of `cg`; A and M need not be hermitian.

    Returns
    -------
    x : Tensor
    info : SolveInfo
        An iteration makes two products.

    Raises
    ------
    ConvergenceError
        When the tolerance is not reached, or the recurrence breaks down; `gmres` does not.
    ShapeError, ArgumentError, ArgumentTypeError
        For operands that do not fit.

    Notes
    -----
    Derivatives as of `cg`; the transposed equation takes the transposed M. Source: van der Vorst (1992).

    Examples
    --------
    >>> from scisim import sparse
    >>> x, info = sparse.bicgstab([[2.0, 1.0], [0.0, 4.0]], [3.0, 4.0], rtol=1e-12)
    >>> x
    Tensor([1., 1.])
    """
    return solved("sparse.bicgstab", _bicgstab, a, b, x0, M, setting(b, rtol, atol, maxiter), False, check)


class _Biconjugate(NamedTuple):
    record: Record
    x: Any
    r: Any
    p: Any
    rho: Any


def _bicgstab(matvec: Function, b: Any, x0: Any, precondition: Function, limits: Setting) -> tuple[Any, Record]:
    r0 = b - matvec(x0)

    def step(s: _Biconjugate) -> _Biconjugate:
        p_hat = precondition(s.p)
        v = matvec(p_hat)
        alpha = div(s.rho, safe(dot(r0, v)))
        half = s.r - alpha * v
        s_hat = precondition(half)
        t = matvec(s_hat)
        omega = div(dot(t, half), safe(real_dot(t, t)))
        x, r = s.x + alpha * p_hat + omega * s_hat, half - omega * t
        rho = dot(r0, r)
        beta = mul(div(rho, safe(s.rho)), div(alpha, safe(omega)))
        return _Biconjugate(s.record.noted(norm(r)), x, r, r + beta * (s.p - omega * v), rho)

    return _run(step, _Biconjugate(start(b, r0, limits), x0, r0, r0, dot(r0, r0)), limits)


def minres(
    a: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    check: bool = True,
) -> tuple[Tensor, SolveInfo]:
    """Solution of A x = b by minimal residuals, for hermitian A that may be indefinite.

    Parameters
    ----------
    a, b, x0, rtol, atol, maxiter, check
        As of `cg`; A need not be positive.
    M : matrix or callable, optional
        Hermitian and positive definite. With it, the norm that is minimised, and that ``info`` tells, is
        sqrt(r^H M r).

    Returns
    -------
    x : Tensor
    info : SolveInfo

    Raises
    ------
    ConvergenceError
        When the tolerance is not reached.
    ShapeError, ArgumentError, ArgumentTypeError
        For operands that do not fit.

    Notes
    -----
    Derivatives as of `cg`. Source: Paige and Saunders (1975).

    Examples
    --------
    >>> from scisim import sparse
    >>> x, info = sparse.minres([[0.0, 2.0], [2.0, 0.0]], [2.0, 4.0], rtol=1e-12)
    >>> x
    Tensor([2., 1.])
    """
    return solved("sparse.minres", _minres, a, b, x0, M, setting(b, rtol, atol, maxiter), True, check)


class _Lanczos(NamedTuple):
    record: Record
    x: Any
    v_old: Any  # residual vectors of the last two steps, of length beta in the norm of M
    v: Any
    z: Any  # M v
    beta: Any
    beta_old: Any
    w_old: Any
    w: Any
    c_old: Any
    c: Any
    s_old: Any
    s: Any
    eta: Any


def _minres(matvec: Function, b: Any, x0: Any, precondition: Function, limits: Setting) -> tuple[Any, Record]:
    r = b - matvec(x0)
    z = precondition(r)
    beta = _length(r, z)
    one, zero, nothing = beta * 0 + 1, beta * 0, zeros(b)
    record = start(b, r, limits)._replace(residual=beta)

    def step(q: _Lanczos) -> _Lanczos:
        unit = q.z / safe(q.beta)
        product = matvec(unit)
        alpha = real_dot(unit, product)
        v = product - alpha / safe(q.beta) * q.v - q.beta / safe(q.beta_old) * q.v_old
        z = precondition(v)
        beta = _length(v, z)
        delta = q.c * alpha - q.c_old * q.s * q.beta
        top = root(delta * delta + beta * beta)
        middle, last = q.s * alpha + q.c_old * q.c * q.beta, q.s_old * q.beta
        c, s = delta / safe(top), beta / safe(top)
        w = (unit - last * q.w_old - middle * q.w) / safe(top)
        x = q.x + c * q.eta * w
        eta = -s * q.eta
        return _Lanczos(q.record.noted(absolute(eta)), x, q.v, v, z, beta, q.beta, q.w, w, q.c, c, q.s, s, eta)

    state = _Lanczos(record, x0, nothing, r, z, beta, one, nothing, nothing, one, one, zero, zero, beta)
    return _run(step, state, limits)


def _length(r: Any, z: Any) -> Any:
    size = real_dot(r, z)
    return root(size * (size > 0))
