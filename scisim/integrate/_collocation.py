"""Radau IIA on values of any kind: steps repeated with derivatives, and attempts inside programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.autodiff.implicit import implicit_root
from scisim.core.tensor import unwrap, wrap
from scisim.integrate._explicit import norm, weigh, width_of
from scisim.integrate._radau import ERRORS, MATRIX, NODES, POLYNOMIAL, REAL
from scisim.ops.arithmetic import absolute
from scisim.ops.flow import while_loop
from scisim.ops.select import maximum, where
from scisim.ops.shape import reshape, stack

MOST = 10  # iterations within an attempt


def increments_again(f: Callable, y: Any, t: Any, h: Any, found: Any) -> Any:
    """The increments at the nodes, equal to those found, as a function of what the step depends on."""

    def residual(z: Any) -> Any:
        return wrap(_defect(f, y, t, h, unwrap(z)))

    return unwrap(implicit_root(residual, lambda g, z: z)(wrap(found)))


def _defect(f: Callable, y: Any, t: Any, h: Any, z: Any) -> Any:
    """z - h A f(t + c h, y + z), of shape (3, n)."""
    slopes = [f(t + c * h, y + z[k]) for k, c in enumerate(NODES)]
    width = width_of(h, y)
    return stack([z[k] - weigh(slopes, tuple(a)) * width for k, a in enumerate(MATRIX)])


def polynomial_of(z: Any) -> Any:
    """Coefficients of the polynomial on a step; with the arithmetic of the solver on arrays."""
    return stack([weigh([z[k] for k in range(3)], tuple(w)) for w in POLYNOMIAL])


def attempt(
    f: Callable, jacobian: Callable, y: Any, slope: Any, t: Any, end: Any, tol: float, scale: Callable
) -> tuple:
    """Increments of a step by Newton's method, and the error in units of what is allowed, infinite where that fails."""
    from scisim.ops._linalg.solving import solve_p

    h, n = end - t, y.shape[0]
    J, width = jacobian(t, y), width_of(h, y)
    eye, stages = np.eye(n, dtype=width.dtype), MATRIX.astype(width.dtype).reshape(3, 1, 3, 1)
    big = np.eye(3 * n, dtype=width.dtype) - reshape(stages * reshape(J, (1, n, 1, n)), (3 * n, 3 * n)) * width
    allowed = scale(absolute(y))

    def body(state: tuple) -> tuple:
        z, k, old, _ = state
        d = reshape(solve_p(big, reshape(-_defect(f, y, t, h, z), (3 * n, 1))), (3, n))
        size = norm(d / allowed)
        return z + d, k + 1, size, (size < tol) | ~(size < 2.0 * old)

    def test(state: tuple) -> Any:
        return ~state[3] & (state[1] < MOST)

    up, down = lambda s: tuple(map(wrap, s)), lambda s: tuple(map(unwrap, s))
    zero = (y * 0)[None] + np.zeros((3, 1), y.dtype)
    init = (zero, np.asarray(0), np.asarray(np.inf), np.asarray(False))
    z, _, size, _ = down(while_loop(lambda s: wrap(test(down(s))), lambda s: up(body(down(s))), up(init)))
    spread = slope * width + weigh([z[k] for k in range(3)], tuple(ERRORS))
    error = reshape(solve_p(REAL * eye - J * width, reshape(spread, (n, 1))), (n,))
    error = norm(error / scale(maximum(absolute(y), absolute(y + z[2]))))
    return z, where(size < tol, error, np.inf)
