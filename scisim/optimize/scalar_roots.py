"""Roots of functions of one variable, or of many such functions at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.autodiff.forward import jvp, taylor
from scisim.core import pytree
from scisim.core.errors import ArgumentError, DerivativeError, DTypeError, ShapeError
from scisim.core.tensor import wrap
from scisim.core.values import Traced, dtype, inexact, name_of, ones_like, shape
from scisim.ops.arithmetic import absolute
from scisim.ops.select import eq, where
from scisim.ops.shape import astype, broadcast
from scisim.optimize import _bracket as br
from scisim.optimize._implicit import settled, solved
from scisim.optimize._layout import _inexact, is_plain, with_args
from scisim.optimize._options import chosen, number, options_of, whole
from scisim.optimize._result import MESSAGES, OptimizeResult, plain, tensor
from scisim.optimize._values import Captive, is_true

WHO = "optimize.root_scalar"
MESSAGES[WHO] = {
    0: "converged",
    1: "not converged: maxiter iterations are used up, or the bracket holds no change of sign",
}
METHODS = {
    "brentq": "bracket", "brenth": "bracket", "bisect": "bracket", "ridder": "bracket", "newton": "x0", "halley": "x0",
    "secant": "x0",
}  # fmt: skip
_INSTEAD = {"toms748": "'brentq'", "chandrupatla": "'brentq'"}
_BRACKETED: dict[str, Callable] = {
    "brentq": br.brent,
    "brenth": lambda f, a, b, t: br.brent(f, a, b, t, hyperbolic=True),
    "bisect": br.bisect,
    "ridder": br.ridder,
}


class RootResults(OptimizeResult):
    """The result of `root_scalar`: ``root``, ``converged``, ``iterations``, ``function_calls``, ``flag``."""

    @property
    def flag(self) -> str:
        """Why the solver ended."""
        return self.message


def _flatten(r: RootResults) -> tuple:
    keys = tuple(r)
    return tuple(r[k] for k in keys), keys, keys


pytree.register(RootResults, _flatten, lambda keys, xs: RootResults(dict(zip(keys, xs, strict=True)), WHO))


def root_scalar(
    f: Callable,
    args: Any = (),
    method: str | None = None,
    bracket: Any = None,
    fprime: Any = None,
    fprime2: Any = None,
    x0: Any = None,
    x1: Any = None,
    xtol: float | None = None,
    rtol: float | None = None,
    maxiter: int | None = None,
    options: dict | None = None,
) -> RootResults:
    """A root of a function of one variable, elementwise, as a differentiable function of what it depends on.

    Parameters
    ----------
    f : callable
        ``f(x, *args)``, elementwise: with arrays for brackets or starts it is given, and gives, arrays.
    args : tuple
        Further arguments, in which the root has derivatives; it has them in values that ``f`` closes over too.
    method : str, optional
        With a bracket "brentq" (the default), "brenth", "bisect" or "ridder"; from a start "newton" (the default),
        "halley" or "secant".
    bracket : pair of float or array_like, optional
        Real points, of shapes that broadcast, between which f changes its sign.
    fprime, fprime2 : callable, optional
        Slope and curvature; by default `autodiff` gives them.
    x0, x1 : float or array_like, optional
        The start, real or complex; the second one of the secant method (by default near x0).
    xtol, rtol : float, optional
        The root is known to ``xtol + rtol * abs(root)``; by default 2e-12 with brackets, else 1.48e-8, and 4 eps, which
        is the least of ``rtol`` too.
    maxiter : int, optional
        By default 100.
    options : dict, optional
        The same, as entries.

    Returns
    -------
    RootResults
        With ``root``, ``converged``, ``iterations``, ``function_calls``, ``flag``, ``method``.

    Raises
    ------
    ArgumentError
        When f has the same sign at both ends of the bracket, or is nan there; inside jit and vmap the root is nan.
    ConvergenceError
        When a derivative is asked of a root that has not converged; in captured and mapped programs it is nan.
    DerivativeError
        When a derivative is asked of a multiple root, where the slope is 0; where values are not known it is nan.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad, optimize
    >>> kepler = lambda m, e: optimize.root_scalar(lambda E: E - e * ss.sin(E) - m, bracket=(m - 1.0, m + 1.0)).root
    >>> kepler(1.0, 0.5)
    Tensor(1.49870113)
    >>> ad.grad(kepler)(1.0, 0.5)
    Tensor(1.03736202)
    """
    opts = options_of(WHO, str(method), options, {"xtol": None, "rtol": None, "maxiter": None})
    xtol, rtol = (opts["xtol"] if xtol is None else xtol), (opts["rtol"] if rtol is None else rtol)
    maxiter = opts["maxiter"] if maxiter is None else maxiter
    name = _default(bracket, x0, x1, fprime2) if method is None else chosen(WHO, method, METHODS, "", _INSTEAD)
    by_bracket = METHODS[name] == "bracket"
    points = _points(name, bracket, x0, x1)
    eps = np.finfo(dtype(points[0])).eps
    t = br.Tolerances(
        float(number(WHO, "xtol", (2e-12 if by_bracket else 1.48e-8) if xtol is None else xtol)),
        max(float(number(WHO, "rtol", 0.0 if rtol is None else rtol)), 4 * float(eps)),
        100 if maxiter is None else whole(WHO, "maxiter", maxiter),
    )
    try:
        return _posed(name, f, fprime, fprime2, args, points, t).result()
    except _Wider as wider:  # one bracket or start for all elements
        points = [broadcast(p, wider.shape) for p in points]
        return _posed(name, f, fprime, fprime2, args, points, t).result()


class _Wider(Exception):
    """The function gives more numbers than there are starts."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape


def _posed(name: str, f: Any, fprime: Any, fprime2: Any, args: Any, points: list, t: br.Tolerances) -> _Problem:
    value = _elementwise("f", with_args(WHO, "f", _value_of(f, fprime), args), points[0])
    given = [
        None if g is None or g is True else _elementwise(n, with_args(WHO, n, g, args), points[0])
        for n, g in (("fprime", fprime), ("fprime2", fprime2))
    ]
    return _Problem(name, value, given, points, t)


def _default(bracket: Any, x0: Any, x1: Any, fprime2: Any) -> str:
    if bracket is not None:
        return "brentq"
    if x0 is None:
        raise ArgumentError(f"{WHO}: there is neither bracket=(a, b), where f changes its sign, nor a start x0")
    return "halley" if fprime2 is not None else "newton" if x1 is None else "secant"


def _points(name: str, bracket: Any, x0: Any, x1: Any) -> list:
    if METHODS[name] == "bracket":
        if bracket is None or not hasattr(bracket, "__len__") or len(bracket) != 2:
            raise ArgumentError(
                f"{WHO}: method {name!r} needs bracket=(a, b), where f changes its sign; got {bracket!r:.60}"
            )
        raw = [bracket[0], bracket[1]]
    else:
        if x0 is None:
            raise ArgumentError(f"{WHO}: method {name!r} needs a start, x0=...")
        raw = [x0] if name != "secant" or x1 is None else [x0, x1]
    if all(type(p) is float for p in raw) and len(raw) == 2:
        return [np.float64(p) for p in raw]
    raw = [np.asarray(p) if isinstance(p, (list, tuple)) and is_plain(p) else p for p in raw]
    vals, _ = pytree.values(raw, WHO)
    vals = [_inexact(WHO, "bracket" if METHODS[name] == "bracket" else "x0", v) for v in vals]
    if METHODS[name] == "bracket" and any(dtype(v).kind == "c" for v in vals):
        raise DTypeError(f"{WHO}: bracket is complex; complex numbers have no order, so start from x0 with 'newton'")
    if len({(dtype(v), shape(v)) for v in vals}) > 1:
        kind, whole_shape = np.result_type(*map(dtype, vals)), np.broadcast_shapes(*map(shape, vals))
        vals = [v if dtype(v) == kind else astype(v, kind) for v in vals]
        vals = [v if shape(v) == whole_shape else broadcast(v, whole_shape) for v in vals]
    vals = [v if isinstance(v, Traced) or v.ndim else v[()] for v in vals]
    if name == "secant" and len(vals) == 1:
        near = 1e-4 * absolute(vals[0]) + 1e-4
        vals.append(vals[0] + near)
    return vals


def _value_of(f: Any, fprime: Any) -> Any:
    """The first of what f returns, where it returns value and slope (fprime=True)."""
    if fprime is not True or not callable(f):
        return f

    def first(x: Any, *args: Any) -> Any:
        return f(x, *args)[0]

    first.__name__ = name_of(f)
    return first


def _elementwise(which: str, f: Callable, like: Any) -> Callable:
    """A user's elementwise function on values; checks the shape it gives."""
    wanted = shape(like)

    def value(v: Any) -> Any:
        out = f(wrap(v if isinstance(v, Traced) else np.asarray(v)))
        y = getattr(out, "_v", None)
        if y is None:
            y = pytree.leaf_value(out, WHO, f"the result of {name_of(f)}")
        if y.shape != wanted:
            if _stretches(wanted, y.shape):
                raise _Wider(y.shape)
            raise ShapeError(
                f"{WHO}: {which} must give one number for each x, of shape {wanted}, but {name_of(f)} returns shape "
                f"{y.shape}; for systems use optimize.root"
            )
        return y if inexact(y.dtype) else astype(y, np.float64)

    value.__name__ = name_of(f)
    return value


def _stretches(old: tuple[int, ...], new: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(old, new) == new
    except ValueError:
        return False


class _Problem:
    """One call: the method, the functions, the points it starts from."""

    def __init__(self, name: str, value: Callable, given: list, points: list, t: br.Tolerances) -> None:
        self.name, self.functions, self.points, self.t = name, [value, *given], points, t

    def result(self) -> RootResults:
        out = solved(
            self._solver, lambda fs, x, p: fs[0](x), self._start(), self.functions, self.points, divided(WHO, "slope")
        )
        converged, iterations, calls, *ends = out.aux
        if out.plain and ends:
            self._check_signs(*ends)
        x = settled(WHO, out.x, converged, "raise maxiter or loosen xtol")
        status = 0 if is_true(converged) else plain(where(converged, 0, 1))
        entries = {"root": tensor(x), "converged": plain(converged), "iterations": plain(iterations)}
        return RootResults(
            {**entries, "function_calls": plain(calls), "status": status, "method": _Name(self.name)}, WHO
        )

    def _start(self) -> Any:
        return self.points[0] if isinstance(self.points[0], Traced) else np.asarray(self.points[0])

    def _solver(self, fs: list, start: Any, points: Any, is_plain: bool) -> tuple:
        def checked(f: Callable) -> Callable:
            def g(v: Any) -> Any:
                y = f(v)
                if isinstance(y, Traced):
                    if is_plain:
                        raise Captive
                    return y
                return y[()]

            return g

        f = checked(fs[0])
        if METHODS[self.name] == "bracket":
            if is_plain and type(points[0]) is np.float64 and self.name != "ridder":  # Python's numbers are quicker
                f, points = _as_numbers(fs[0]), [float(p) for p in points]
            s: Any = _BRACKETED[self.name](f, *points, self.t)
            ok = s.done & br.negate(_is_nan(s.x))
            return s.x, (ok, s.iterations, s.calls, *self._ends(f, points, ok))
        if self.name == "secant":
            s = br.secant(f, points[0], points[1], self.t)
        else:
            s = br.newton(_slopes(fs, self.name, is_plain), points[0], self.t)
        return s.x, (s.done & (absolute(s.x) < np.inf), s.iterations, s.calls)

    def _ends(self, f: Callable, points: Any, ok: Any) -> tuple:
        """Values at the ends, for the message, where a bracket is found wanting."""
        if isinstance(ok, Traced) or is_true(ok) or np.all(ok):
            return ()
        return f(points[0]), f(points[1])

    def _check_signs(self, fa: Any, fb: Any) -> None:
        a, b, fa, fb = np.broadcast_arrays(*self.points, fa, fb)
        wrong = ~((fa < 0) != (fb < 0)) & (fa != 0) & (fb != 0) | np.isnan(fa) | np.isnan(fb)
        if wrong.any():
            k = tuple(np.argwhere(wrong)[0])
            which = f" of element {k}" if k else ""
            raise ArgumentError(
                f"{WHO}: f does not change its sign in the bracket{which}: f({a[k]}) = {fa[k]}, f({b[k]}) = {fb[k]}; "
                f"give a, b with values of opposite signs, or a start x0 instead"
            )


class _Name(str):
    """A text in a result, which transformations leave alone."""


pytree.register(_Name, lambda s: ((), str(s), ()), lambda s, _: _Name(s))


def _as_numbers(f: Callable) -> Callable:
    """The function on Python's numbers."""

    def g(v: float) -> float:
        y = f(v)
        if isinstance(y, Traced):
            raise Captive
        return y.item()

    return g


def _is_nan(x: Any) -> Any:
    from scisim.ops.select import isnan

    return isnan(x) if isinstance(x, Traced) else x != x if type(x) is float else np.isnan(x)


def _slopes(fs: list, name: str, is_plain: bool) -> Callable:
    """Value, slope and, for Halley's method, curvature."""
    f, first, second = fs

    def tensors(x: Any) -> Any:
        return wrap(f(x._v))

    def both(v: Any) -> tuple:
        x, one = wrap(v if isinstance(v, Traced) else np.asarray(v)), wrap(np.asarray(ones_like(v)))
        if first is not None and (second is not None or name == "newton"):
            out = [f(v), first(v), *([] if name == "newton" else [second(v)])]
        elif name == "newton":
            out = [c._v for c in jvp(tensors, (x,), (one,))]
        else:
            c = taylor(tensors, x, one, 2)
            out = [c[0]._v, c[1]._v, 2 * c[2]._v]
        if is_plain and any(isinstance(y, Traced) for y in out):
            raise Captive
        return tuple(y if isinstance(y, Traced) else y[()] for y in out)

    return both


def divided(who: str, what: str) -> Callable:
    """For `implicit_root`: the linearisation of elementwise equations, divided by the slope where that is not 0."""

    def solve(matvec: Callable, r: Any) -> Any:
        slope = matvec(wrap(np.asarray(ones_like(r._v))))._v
        flat = eq(slope, 0)
        if not isinstance(flat, Traced) and np.any(flat):
            raise DerivativeError(
                f"{who}: the {what} is 0 at the solution, which is not an isolated simple one: its derivative does not "
                f"exist. Choose another problem, or cut the derivative with autodiff.stop_gradient"
            )
        return wrap(r._v / where(flat, dtype(slope).type(np.nan), slope))

    return solve
