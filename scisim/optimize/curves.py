"""Fits of curves to data."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ConvergenceError, ShapeError
from scisim.core.tensor import Tensor, unwrap, wrap
from scisim.core.values import Traced, dtype, name_of, shape
from scisim.ops._linalg.solving import solve_p
from scisim.ops.shape import matrix_transpose, reshape
from scisim.optimize._layout import as_vector, is_plain
from scisim.optimize._result import OptimizeResult
from scisim.optimize.least import least_squares

CURVE = "optimize.curve_fit"


def curve_fit(
    f: Callable,
    xdata: Any,
    ydata: Any,
    p0: Any = None,
    sigma: Any = None,
    absolute_sigma: bool = False,
    check_finite: bool = True,
    bounds: Any = None,
    method: str | None = None,
    jac: Any = None,
    **kwargs: Any,
) -> tuple[Tensor, Tensor]:
    """Parameters with which a function fits data best, and their covariance.

    Parameters
    ----------
    f : callable
        ``f(xdata, *parameters)`` gives values to compare with ``ydata``.
    xdata : array_like or container
        Passed to ``f`` as it is.
    ydata : array_like
        Of shape (m,).
    p0 : array_like, optional
        The start, of shape (n,); ones by default, as many as ``f`` has parameters.
    sigma : array_like, optional
        Standard deviations of ``ydata``, of shape (m,), or their covariance, of shape (m, m).
    absolute_sigma : bool
        Whether ``sigma`` is known, or only up to a factor, which the fit then estimates.
    check_finite : bool
        Whether to refuse data that are nan or infinite, where they are known.
    bounds, method, jac, **kwargs
        As for `least_squares`; ``jac(xdata, *parameters)`` gives an (m, n) array.

    Returns
    -------
    popt : Tensor
        The parameters, of shape (n,).
    pcov : Tensor
        Their covariance, of shape (n, n); infinite where the data do not determine them.

    Raises
    ------
    ShapeError
        When the values do not fit ``ydata``.
    ArgumentError
        For data that are not finite.
    ConvergenceError
        When the fit does not converge.

    Notes
    -----
    Both have derivatives of every order in data, sigma and values that ``f`` closes over; see `least_squares`.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import optimize
    >>> t = ss.asarray([0.0, 1.0, 2.0, 3.0])
    >>> popt, pcov = optimize.curve_fit(lambda t, a, b: a * ss.exp(-b * t), t, 2.0 * ss.exp(-0.5 * t), [1.0, 1.0])
    >>> popt
    Tensor([2. , 0.5])
    """
    y = as_vector([_data("ydata", ydata, check_finite)])
    start = np.ones(_parameters(f)) if p0 is None else p0
    white = _whitener(sigma, shape(y)[0], check_finite)
    n = np.size(start) if is_plain(start) else shape(unwrap(start))[0]

    def misfit(p: Any) -> Any:
        got = unwrap(f(xdata, *(p[k] for k in range(n))))
        if shape(got) != shape(y) and int(np.prod(shape(got))) != shape(y)[0]:
            raise ShapeError(
                f"{CURVE}: {name_of(f)} gives shape {shape(got)}; ydata has shape {shape(y)}, they must agree"
            )
        return wrap(white(reshape(got, shape(y)) - y))

    misfit.__name__ = name_of(f)
    slope = None
    if callable(jac):

        def slope(p: Any) -> Any:
            return wrap(white(unwrap(jac(xdata, *(p[k] for k in range(n))))))

    elif jac is not None:
        slope = jac
    r = least_squares(misfit, start, slope, bounds, method or "trf", **kwargs)
    ok = r.success if isinstance(r.success, bool) else None
    if ok is False:
        raise ConvergenceError(f"{CURVE}: {r.message}; give a better p0, raise max_nfev, or bound the parameters")
    return r.x, wrap(_covariance(r, absolute_sigma))


def _data(name: str, x: Any, check: bool) -> Any:
    v = unwrap(x if isinstance(x, (Tensor, np.ndarray)) else np.asarray(x))
    if check and not isinstance(v, Traced) and not np.isfinite(v).all():
        raise ArgumentError(f"{CURVE}: {name} holds nan or inf; leave such points out, or pass check_finite=False")
    return v


def _parameters(f: Callable) -> int:
    try:
        kinds = [p.kind for p in inspect.signature(f).parameters.values()]
    except (TypeError, ValueError):
        kinds = [inspect.Parameter.VAR_POSITIONAL]
    if any(k == inspect.Parameter.VAR_POSITIONAL for k in kinds) or len(kinds) < 2:
        raise ArgumentError(f"{CURVE}: the number of parameters of {name_of(f)} cannot be read off it; give p0")
    return len(kinds) - 1


def _whitener(sigma: Any, m: int, check: bool) -> Callable:
    """What gives residuals variance 1; for a Jacobian, its rows."""
    if sigma is None:
        return lambda v: v
    s = _data("sigma", sigma, check)
    if shape(s) not in ((), (m,), (m, m)):
        raise ShapeError(f"{CURVE}: sigma has shape {shape(s)}; expected {(m,)} or {(m, m)}, as ydata has {m} values")
    if len(shape(s)) < 2:
        return lambda v: v / (s if len(shape(v)) < 2 or not shape(s) else reshape(s, (m, 1)))
    if isinstance(s, Traced):
        from scisim.core.public import OPERATIONS

        factor = OPERATIONS["linalg.cholesky"].raw(s)
    else:
        try:
            factor = np.linalg.cholesky(s)
        except np.linalg.LinAlgError:
            raise ArgumentError(
                f"{CURVE}: sigma of shape {(m, m)} is no covariance: it is not positive definite"
            ) from None
    return lambda v: solve_p(factor, v) if len(shape(v)) > 1 else reshape(solve_p(factor, reshape(v, (m, 1))), (m,))


def _covariance(r: OptimizeResult, absolute: bool) -> Any:
    j, cost = r.jac._v, r.cost._v
    m, n = shape(j)
    gram = matrix_transpose(j) @ j
    eye = np.eye(n, dtype=dtype(j))
    if not isinstance(gram, Traced):
        w = np.linalg.svd(j, compute_uv=False)
        if len(w) < n or w[-1] <= np.finfo(w.dtype).eps * max(m, n) * w[0]:
            return np.full((n, n), np.inf, dtype(j))
    cov = solve_p(gram, eye)
    if absolute:
        return cov
    return cov * (2 * cost / (m - n)) if m > n else cov * np.inf
