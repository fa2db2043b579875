"""Integrals of functions over intervals and boxes, with derivatives of any order in limits and parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ArgumentTypeError, ScisimError
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import Traced, as_value, check_function, shape
from scisim.integrate._integral import NORMS, Integral, infinite, limit_of, unknown
from scisim.integrate._panels import NODES, WEIGHTS, error_of, legendre
from scisim.ops.reduce import sum as total


def quad(
    func: Callable,
    a: Any,
    b: Any,
    args: tuple = (),
    *,
    epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
    limit: int = 50,
    points: Sequence[float] | None = None,
    complex_func: bool = False,
) -> tuple[Tensor, Any]:
    """Integral of a function of one number over an interval, by adaptive Gauss-Kronrod quadrature.

    Parameters
    ----------
    func : callable
        ``func(x, *args)``, real or complex.  It is given vectors of numbers where it acts on each by itself.
    a, b : float
        Limits, which may be infinite (as numbers known outside of jit).
    args : tuple
        Further arguments; arrays carry derivatives, as do tensors that `func` closes over.
    epsabs, epsrel : float
        Absolute and relative tolerance, of which the weaker one holds.
    limit : int
        The greatest number of panels.
    points : sequence of float, optional
        Where the integrand is not smooth; panels end there.  For finite limits.
    complex_func : bool
        As in SciPy; complex results are found without it.

    Returns
    -------
    integral : Tensor, shape ()
    error : float
        An estimate of the absolute error; a Tensor inside jit and vmap.

    Raises
    ------
    ArgumentError
        For tolerances below 0, points outside of the interval or with infinite limits, or a function that gives arrays.

    Warns
    -----
    IntegrationWarning
        When `limit` panels do not reach the tolerance.

    Notes
    -----
    Derivatives are those of the integral: in parameters under the integral sign, on the panels that were found; in
    limits by the integrand there, so they are infinite or nan where it is singular at a limit.  Inside jit and vmap
    panels are divided in a loop; derivatives then compute all `limit` of them.

    Algorithm: QUADPACK's QAG with 21 points (Piessens et al., 1983), without extrapolation: for strong singularities at
    the ends substitute, or give `points`.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> from scisim import integrate
    >>> integrate.quad(lambda x: ss.exp(-x * x), -ss.inf, ss.inf)[0]
    Tensor(1.77245385)
    >>> ad.grad(lambda k: integrate.quad(lambda x: ss.sin(k * x), 0.0, k)[0])(1.0)
    Tensor(1.22324428)
    """
    who = "integrate.quad"
    if points is None and type(args) is tuple:
        low, high = (x._v if type(x) is Tensor else x for x in (a, b))
        if type(low) in _NUMBERS and type(high) in _NUMBERS:
            quick = _at_once(func, float(low), float(high), args, epsabs, epsrel)
            if quick is not None:
                return quick
    problem = Integral(who, func, a, b, args, points)
    problem.scalar = True
    return problem.solve(epsabs, epsrel, limit)


_NUMBERS = (int, float, np.float64)


def _at_once(f: Callable, a: float, b: float, args: tuple, epsabs: float, epsrel: float) -> tuple[Tensor, float] | None:
    """One panel with a real function of vectors: for most integrals all that is needed; None where it is not."""
    half = 0.5 * (b - a)
    if not math.isfinite(half) or not callable(f):
        return None
    x = 0.5 * (a + b) + np.multiply(half, NODES)
    try:
        y = f(wrap(x), *args)
        v = y._v if type(y) is Tensor else None
        if type(v) is not np.ndarray or v.shape != x.shape or v.dtype != np.float64:
            return None
        one = f(wrap(x[3]), *args)
        one = one._v if type(one) is Tensor else one
        if shape(one) != () or isinstance(one, Traced) or abs(one - v[3]) > 1e-9 * abs(one):
            return None
    except (ScisimError, ValueError, TypeError, IndexError):
        return None  # it takes single numbers only
    integral, error = np.add.reduce(v * WEIGHTS) * half, error_of(v, half, abs)
    return (wrap(integral), error) if error <= max(epsabs, epsrel * abs(integral)) else None


def quad_vec(
    f: Callable,
    a: Any,
    b: Any,
    epsabs: float = 1e-200,
    epsrel: float = 1e-8,
    norm: str = "2",
    limit: int = 10000,
    points: Sequence[float] | None = None,
    args: tuple = (),
) -> tuple[Tensor, Any]:
    """Integral of an array-valued function of one number.

    Parameters
    ----------
    f : callable
        ``f(x, *args)``, an array of any shape.
    a, b : float
        Limits, which may be infinite.
    epsabs, epsrel : float
        Tolerances for the norm of the error.
    norm : {"2", "max"}
        Euclidean or largest modulus; inside jit and vmap the Euclidean one.
    limit : int
        The greatest number of panels; inside jit and vmap at most 256 are used.
    points, args
        As for `quad`.

    Returns
    -------
    integral : Tensor
        Of the shape that `f` returns.
    error : float

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import integrate
    >>> integrate.quad_vec(lambda x: ss.stack([ss.sin(x), ss.cos(x)]), 0.0, 1.0)[0]
    Tensor([0.45969769, 0.84147098])
    """
    who = "integrate.quad_vec"
    if norm not in ("2", "max"):
        raise ArgumentError(f"{who}: norm is {norm!r}; expected '2' or 'max'")
    problem = Integral(who, f, a, b, args, points)
    problem.norm = NORMS[norm]
    return problem.solve(epsabs, epsrel, limit)


def fixed_quad(func: Callable, a: Any, b: Any, args: tuple = (), n: int = 5) -> tuple[Tensor, None]:
    """Integral by a Gauss-Legendre rule of fixed order, exact for polynomials of degree 2 n - 1.

    Parameters
    ----------
    func : callable
        ``func(x, *args)`` of a vector of points, to values along its last axis.
    a, b : float
        Finite limits.
    args : tuple
    n : int
        The number of points.

    Returns
    -------
    integral : Tensor
    None
        As in SciPy.

    Examples
    --------
    >>> from scisim import integrate
    >>> integrate.fixed_quad(lambda x: x**8, 0.0, 1.0, n=5)[0]
    Tensor(0.11111111)
    """
    who = "integrate.fixed_quad"
    check_function(who, func)
    if int(n) != n or n < 1:
        raise ArgumentError(f"{who}: n is {n!r}; expected a positive number of points")
    low, high = (limit_of(who, name, v) for name, v in (("a", a), ("b", b)))
    if infinite(low) or infinite(high):
        raise ArgumentError(f"{who}: a limit is infinite; use quad, or substitute")
    x, w = legendre(int(n))
    half = (high - low) * 0.5
    kind = np.result_type(half.dtype, np.float32)
    out = func(wrap(half * x.astype(kind) + (high + low) * 0.5), *args)
    y = out._v if type(out) is Tensor else as_value(out)
    if not shape(y) or shape(y)[-1] != n:
        raise ArgumentError(
            f"{who}: func returns shape {tuple(shape(y))} for a vector of {n} points; expected values along the last "
            f"axis"
        )
    return wrap(total(y * w.astype(np.zeros((), y.dtype).real.dtype), len(shape(y)) - 1) * half), None


def dblquad(
    func: Callable,
    a: Any,
    b: Any,
    gfun: Any,
    hfun: Any,
    args: tuple = (),
    epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
) -> tuple[Tensor, Any]:
    """Double integral of ``func(y, x)`` over x from a to b and y from gfun(x) to hfun(x).

    Parameters
    ----------
    func : callable
        ``func(y, x, *args)``.
    a, b : float
    gfun, hfun : callable or float
        Limits of y.
    args : tuple
    epsabs, epsrel : float
        Tolerances of both integrals.

    Returns
    -------
    integral : Tensor, shape ()
    error : float

    Examples
    --------
    >>> from scisim import integrate
    >>> integrate.dblquad(lambda y, x: x * y, 0.0, 1.0, 0.0, lambda x: x)[0]
    Tensor(0.125)
    """
    inner = lambda x, *more: [_at(gfun, x), _at(hfun, x)]
    return nquad(func, [inner, [a, b]], args, {"epsabs": epsabs, "epsrel": epsrel})


def tplquad(
    func: Callable,
    a: Any,
    b: Any,
    gfun: Any,
    hfun: Any,
    qfun: Any,
    rfun: Any,
    args: tuple = (),
    epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
) -> tuple[Tensor, Any]:
    """Triple integral of ``func(z, y, x)``: z from qfun(x, y) to rfun(x, y), y from gfun(x) to hfun(x), x from a to b.

    Examples
    --------
    >>> from scisim import integrate
    >>> integrate.tplquad(lambda z, y, x: x * y * z, 0.0, 1.0, 0.0, 1.0, 0.0, 2.0)[0]
    Tensor(0.5)
    """
    innermost = lambda y, x, *more: [_at(qfun, x, y), _at(rfun, x, y)]
    middle = lambda x, *more: [_at(gfun, x), _at(hfun, x)]
    return nquad(func, [innermost, middle, [a, b]], args, {"epsabs": epsabs, "epsrel": epsrel})


def _at(limit: Any, *xs: Any) -> Any:
    return limit(*xs) if callable(limit) else limit


def nquad(func: Callable, ranges: Sequence[Any], args: tuple = (), opts: Any = None) -> tuple[Tensor, Any]:
    """Integral over several variables, one after the other.

    Parameters
    ----------
    func : callable
        ``func(x0, ..., xn, *args)``; the integral over x0 is the innermost one.
    ranges : sequence
        For each variable (a, b), or a function of the later variables and args that gives it.
    args : tuple
    opts : dict, or sequence of dict, optional
        Settings of `quad` for all variables, or for each.

    Returns
    -------
    integral : Tensor, shape ()
    error : float
        The greatest of the estimates.

    Examples
    --------
    >>> from scisim import integrate
    >>> integrate.nquad(lambda x, y: x + y, [[0.0, 1.0], [0.0, 2.0]])[0]
    Tensor(3.)
    """
    who = "integrate.nquad"
    check_function(who, func)
    n = len(ranges)
    each: list[Any] = [opts or {}] * n if opts is None or isinstance(opts, dict) else list(opts)
    if len(each) != n:
        raise ArgumentTypeError(f"{who}: opts has {len(each)} entries for {n} variables; give one dict, or one each")
    errors: list[Any] = []

    def level(k: int, later: tuple) -> Any:
        """The integral over the variables up to ``k``."""
        span = ranges[k](*later, *args) if callable(ranges[k]) else ranges[k]
        settings = each[k](*later, *args) if callable(each[k]) else dict(each[k])
        f = (lambda x: func(x, *later, *args)) if k == 0 else (lambda x: level(k - 1, (x, *later)))
        wrong = set(settings) - {"epsabs", "epsrel", "limit", "points"}
        if wrong:
            raise ArgumentError(f"{who}: opts holds {wrong.pop()!r}; expected epsabs, epsrel, limit or points")
        if k == 0:
            whole, error = quad(f, span[0], span[1], **settings)
        else:
            problem = Integral(who, f, span[0], span[1], (), settings.pop("points", None), single=True)
            problem.scalar = True
            whole, error = problem.solve(**{"epsabs": 1.49e-8, "epsrel": 1.49e-8, "limit": 50, **settings})
        if not unknown(error._v if type(error) is Tensor else error):
            errors.append(float(error))
        return whole

    whole = level(n - 1, ())
    return whole, max(errors, default=0.0)
