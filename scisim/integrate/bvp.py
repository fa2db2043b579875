"""Boundary value problems of ordinary differential equations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from scisim.autodiff.implicit import implicit_root
from scisim.core.errors import ShapeError, TraceError
from scisim.core.tensor import Tensor, unwrap, wrap
from scisim.core.values import Traced, check_function, name_of, own, shape
from scisim.integrate._replay import base
from scisim.integrate._result import segments
from scisim.ops.creation import asarray
from scisim.ops.index import index
from scisim.ops.shape import concat, reshape

WHO = "integrate.solve_bvp"


@dataclass(frozen=True)
class BVPResult:
    """The solution of a boundary value problem, with the fields of SciPy's.

    Attributes
    ----------
    sol : callable
        ``sol(x)``: the state at one or several points, by cubics between the nodes.
    p : Tensor, shape (k,), or None
        Unknown parameters.
    x, y, yp : Tensor, shapes (m,), (n, m), (n, m)
        Nodes, states and slopes there.
    rms_residuals : Tensor, shape (m - 1,)
    niter, status : int
    message : str
    success : bool
    """

    sol: Callable
    p: Tensor | None
    x: Tensor
    y: Tensor
    yp: Tensor
    rms_residuals: Tensor
    niter: int
    status: int
    message: str
    success: bool


def solve_bvp(
    fun: Callable, bc: Callable, x: Any, y: Any, p: Any = None, *, tol: float = 1e-3, max_nodes: int = 1000
) -> BVPResult:
    """Solve dy/dx = fun(x, y[, p]) on an interval with conditions bc(y(a), y(b)[, p]) = 0.

    Parameters
    ----------
    fun : callable
        ``fun(x, y)`` or ``fun(x, y, p)``: slopes of shape (n, m) for points (m,) and states (n, m).
    bc : callable
        ``bc(ya, yb)`` or ``bc(ya, yb, p)``: n + k numbers, zero at the solution.
    x : array_like, shape (m,)
        First nodes, ascending; the ends are those of the interval.
    y : array_like, shape (n, m)
        First guess of the states.
    p : array_like, shape (k,), optional
        First guess of unknown parameters.
    tol : float
        Tolerance of the relative residuals.
    max_nodes : int

    Returns
    -------
    BVPResult

    Raises
    ------
    ShapeError
        When `fun` or `bc` return another number of values.
    TraceError
        Inside jit and vmap, where nodes cannot be chosen by values.

    Notes
    -----
    Collocation of order 4 on nodes that SciPy's `solve_bvp` chooses (Kierzenka and Shampine, 2001).  Derivatives of any
    order, in what `fun` and `bc` close over, follow from the collocation equations on those nodes by the implicit
    function theorem; they are as accurate as the solution.

    Examples
    --------
    >>> import numpy as np
    >>> from scisim import integrate
    >>> x = np.linspace(0.0, 1.0, 5)
    >>> s = integrate.solve_bvp(lambda x, y: [y[1], -y[0]], lambda a, b: [a[0], b[0] - 1.0], x, np.zeros((2, 5)))
    >>> round(float(s.sol(0.5)[0]), 3)
    0.57
    """
    check_function(WHO, fun)
    check_function(WHO, bc)
    problem = _Problem(fun, bc, np.shape(y)[0] if np.ndim(y) else 0, 0 if p is None else np.size(p))
    found = problem.found([_known("x", x), _known("y", y), None if p is None else _known("p", p)], tol, max_nodes)
    return problem.result(found)


def _known(name: str, v: Any) -> np.ndarray:
    return np.asarray(_bare(name, unwrap(asarray(v))), float)


def _bare(name: str, v: Any) -> np.ndarray:
    bare = base(v)
    if bare is None or shape(bare) != shape(v):
        raise TraceError(
            f"{WHO}: {name} is not known inside jit or vmap, where nodes would be chosen by it; call it outside"
        )
    return np.asarray(bare)


class _Problem:
    """The equations for states and parameters on given nodes."""

    def __init__(self, fun: Callable, bc: Callable, n: int, k: int) -> None:
        self.fun, self.bc, self.n, self.k = fun, bc, n, k

    def slopes(self, x: Any, y: Any, p: Any) -> Any:
        out = unwrap(asarray(self.fun(wrap(x), wrap(y), *([] if p is None else [wrap(p)]))))
        if tuple(shape(out)) != tuple(shape(y)):
            raise ShapeError(
                f"{WHO}: {name_of(self.fun)} returns shape {tuple(shape(out))} for states of shape {tuple(shape(y))}; "
                f"they must be equal"
            )
        return out

    def ends(self, a: Any, b: Any, p: Any) -> Any:
        out = unwrap(asarray(self.bc(wrap(a), wrap(b), *([] if p is None else [wrap(p)]))))
        if tuple(shape(out)) != (self.n + self.k,):
            raise ShapeError(
                f"{WHO}: {name_of(self.bc)} returns shape {tuple(shape(out))}; expected {self.n + self.k} numbers: one "
                f"for each of {self.n} states and {self.k} parameters"
            )
        return out

    def found(self, guess: list, tol: float, max_nodes: int) -> Any:
        """SciPy's solution, without derivatives."""
        from scipy.integrate import solve_bvp as solve

        x, y, p = guess
        quiet = lambda f: lambda *args: _bare("a result", f(*args))
        if p is None:
            f, g = quiet(lambda x, y: self.slopes(x, y, None)), quiet(lambda a, b: self.ends(a, b, None))
        else:
            f, g = quiet(self.slopes), quiet(self.ends)
        return solve(f, g, x, y, p, tol=tol, max_nodes=max_nodes)

    def residual(self, x: np.ndarray, z: Any) -> Any:
        """Collocation at the middles of the intervals, and the conditions at the ends."""
        y, p = self._parts(x, z)
        h, f = np.diff(x), self.slopes(x, y, p)
        low, high = y[:, :-1], y[:, 1:]
        middle = (low + high) * 0.5 - (f[:, 1:] - f[:, :-1]) * (h / 8)
        slope = self.slopes(x[:-1] + 0.5 * h, middle, p)
        gaps = high - low - (f[:, :-1] + f[:, 1:] + slope * 4.0) * (h / 6)
        return concat([reshape(gaps, (gaps.size,)), self.ends(y[:, 0], y[:, -1], p)], 0)

    def _parts(self, x: np.ndarray, z: Any) -> tuple[Any, Any]:
        size = self.n * len(x)
        return reshape(z[:size], (self.n, len(x))), z[size:] if self.k else None

    def result(self, found: Any) -> BVPResult:
        start = np.concatenate([found.y.ravel(), found.p if self.k else []])
        root = implicit_root(lambda z: wrap(self.residual(found.x, unwrap(z))), lambda f, z: z)
        y, p = self._parts(found.x, unwrap(root(wrap(start))))
        yp = self.slopes(found.x, y, p)

        def sol(x: Any) -> Tensor:
            return wrap(_cubic(found.x, y, yp, own(unwrap(asarray(x)))))

        return BVPResult(
            sol,
            None if p is None else wrap(p),
            wrap(found.x),
            wrap(y),
            wrap(yp),
            wrap(found.rms_residuals),
            found.niter,
            found.status,
            found.message,
            found.success,
        )


def _cubic(nodes: np.ndarray, y: Any, yp: Any, x: Any) -> Any:
    """States at points by Hermite's cubics between nodes."""
    points = reshape(x, (x.size,))
    k = segments(nodes, base(points) if isinstance(points, Traced) else points)
    h = nodes[k + 1] - nodes[k]
    t = (points - nodes[k]) / h
    a, b = index(y, (slice(None), k)), index(y, (slice(None), k + 1))
    c, d = index(yp, (slice(None), k)) * h, index(yp, (slice(None), k + 1)) * h
    rise = b - a
    out = a + t * (c + t * ((3.0 * rise - 2.0 * c - d) + t * (c + d - 2.0 * rise)))
    return reshape(out, (out.shape[0], *shape(x)))
