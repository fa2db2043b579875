"""The methods of `minimize`, each from options to a point and how the method ended there.

The second part of a result is: value, gradient, status, iterations, evaluations, and what `EXTRAS` names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError
from scisim.core.values import dtype, shape
from scisim.ops.shape import concat
from scisim.optimize import _quasi_newton as qn
from scisim.optimize import _trust as tr
from scisim.optimize._limited import lbfgsb
from scisim.optimize._simplex import Simplices, nelder_mead
from scisim.optimize._smooth import Smooth
from scisim.optimize._sqp import NoConstraints, sqp

WHO = "optimize.minimize"


def _limits(opts: dict, n: int) -> qn.Limits:
    cap = opts["maxiter"] if opts["maxiter"] is not None else 200 * n
    return qn.Limits(opts.get("gtol", 0.0), opts.get("ftol", 0.0), opts.get("xtol", opts.get("xrtol", 0.0)), cap)


def _common(m: Any, *more: Any) -> tuple:
    return m.x, (m.f, m.g, m.status, m.nit, m.nfev, *more)


def _run_bfgs(equalities: int, fun: Smooth, fs: list, x: Any, low: Any, high: Any, opts: dict, each: Any) -> tuple:
    m = qn.bfgs(fun, x, _limits(opts, shape(x)[0]), each)
    return _common(m, m.memory)


def _run_cg(equalities: int, fun: Smooth, fs: list, x: Any, low: Any, high: Any, opts: dict, each: Any) -> tuple:
    return _common(qn.conjugate_gradients(fun, x, _limits(opts, shape(x)[0]), each))


def _run_lbfgsb(equalities: int, fun: Smooth, fs: list, x: Any, low: Any, high: Any, opts: dict, each: Any) -> tuple:
    return _common(lbfgsb(fun, x, low, high, _limits(opts, shape(x)[0]), int(opts["maxcor"]), each))


def _run_newton_cg(equalities: int, fun: Smooth, fs: list, x: Any, low: Any, high: Any, opts: dict, each: Any) -> tuple:
    return _common(tr.newton_cg(fun, x, _limits(opts, shape(x)[0]), each))


def _run_trust(solver: Callable) -> Callable:
    def run(equalities: int, fun: Smooth, fs: list, x: Any, low: Any, high: Any, opts: dict, each: Any) -> tuple:
        region = tr.Region(opts["initial_trust_radius"], opts["max_trust_radius"], opts["eta"])
        return _common(solver(fun, x, _limits(opts, shape(x)[0]), region, each))

    return run


def _run_simplex(equalities: int, fun: Smooth, fs: list, x: Any, low: Any, high: Any, opts: dict, each: Any) -> tuple:
    n = shape(x)[0]
    caps = [opts[k] if opts[k] is not None else 200 * n for k in ("maxiter", "maxfev")]
    first = opts["initial_simplex"]
    if first is not None:
        first = np.asarray(first, dtype(x))
        if first.shape != (n + 1, n):
            raise ArgumentError(
                f"{WHO}: initial_simplex has shape {first.shape}; expected {(n + 1, n)}, a corner a row"
            )
    s = nelder_mead(
        fun,
        x,
        low,
        high,
        Simplices(opts["xatol"], opts["fatol"], caps[0], caps[1], bool(opts["adaptive"]), first),
        each,
    )
    return s.xs[0], (s.fs[0], 0 * s.fs[0], s.status, s.nit, s.nfev)


def _run_sqp(equalities: int, fun: Smooth, fs: list, x: Any, low: Any, high: Any, opts: dict, each: Any) -> tuple:
    constraint: Any = Smooth(fs[4], plain=fun.plain) if len(fs) > 4 else NoConstraints()
    m = sqp(fun, constraint, equalities, x, low, high, opts["ftol"], opts["maxiter"], each)
    multipliers = m.multipliers if len(fs) > 4 else m.multipliers[:0]
    u = concat([m.x, multipliers]) if shape(multipliers)[0] else m.x
    return u, (m.f, m.g, m.status, m.nit, m.nfev, multipliers)


RUNNERS: dict[str, Callable] = {
    "BFGS": _run_bfgs,
    "CG": _run_cg,
    "L-BFGS-B": _run_lbfgsb,
    "Newton-CG": _run_newton_cg,
    "trust-ncg": _run_trust(tr.trust_ncg),
    "trust-exact": _run_trust(tr.trust_exact),
    "Nelder-Mead": _run_simplex,
    "SLSQP": _run_sqp,
}
EXTRAS = {"BFGS": ("hess_inv",), "SLSQP": ("multipliers",)}
