"""Solutions as functions of whatever their equations depend on.

Where nothing is traced, a solver runs on the user's functions as they are. Inside transformations these are captured
once, with the values that they close over as parameters, and `autodiff.implicit_root` gives derivatives of any order
from the equations; the solver itself is never differentiated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from scisim.autodiff.implicit import implicit_root
from scisim.autodiff.reverse import Tape
from scisim.autodiff.taylor import Taylor
from scisim.core.avals import aval
from scisim.core.capture import capture, close
from scisim.core.errors import ConvergenceError
from scisim.core.tensor import wrap
from scisim.core.values import Traced, name_of, shape
from scisim.ops.arithmetic import pin, stop
from scisim.ops.select import where
from scisim.ops.shape import reshape
from scisim.optimize._values import Captive, is_true


class Solved(NamedTuple):
    """The unknowns, what the solver gives besides, and whether nothing was traced."""

    x: Any
    aux: tuple
    plain: bool


def solved(
    solver: Callable,
    residual: Callable,
    start: Any,
    functions: Sequence[Callable | None],
    params: Sequence[Any] = (),
    linear: str | Callable = "dense",
) -> Solved:
    """The root of a residual.

    Parameters
    ----------
    solver : callable
        ``solver(functions, start, params, plain)`` gives the unknowns, a vector, and a tuple of other values.
    residual : callable
        ``residual(functions, u, params)``, a vector as long as the unknowns.
    start : value
        Of the unknowns, at which the functions can be captured.
    functions : sequence of callable or None
        The user's, of values to a value.
    params : sequence of value
        Other values on which the residual depends.
    linear : str or callable
        As for `implicit_root`.
    """
    if not isinstance(start, Traced) and not any(isinstance(v, Traced) for v in params):
        try:
            with np.errstate(all="ignore"):
                x, aux = solver(functions, start, params, True)
            return Solved(x, aux, True)
        except Captive:
            pass
    return _traced(solver, residual, start, functions, params, linear)


def _traced(
    solver: Callable, residual: Callable, start: Any, functions: Sequence[Any], params: Sequence[Any], linear: Any
) -> Solved:
    closed = _Closed(functions, start)
    count = len(params)

    def equations(u: Any, *rest: Any) -> Any:
        vals = [r._v for r in rest]
        return wrap(residual(closed.functions(vals[count:]), u._v, vals[:count]))

    def solve(_: Any, u: Any, *rest: Any) -> tuple:
        vals = [r._v for r in rest]
        with np.errstate(all="ignore"):
            x, aux = solver(closed.functions(vals[count:]), u._v, vals[:count], False)
        return _handle(x), tuple(map(_handle, aux))

    root = implicit_root(equations, solve, linear, has_aux=True)
    with np.errstate(all="ignore"):
        x, aux = root(wrap(start), *map(_handle, params), *map(wrap, closed.held))
    return Solved(x._v, tuple(_scalars(a._v) for a in aux), False)


def _handle(v: Any) -> Any:
    return wrap(v if isinstance(v, Traced) else np.asarray(v))


def _scalars(v: Any) -> Any:
    return v[()] if isinstance(v, np.ndarray) and v.ndim == 0 else v


class _Closed:
    """Functions as graphs, and the values of transformations that they close over."""

    def __init__(self, functions: Sequence[Callable | None], start: Any) -> None:
        self.graphs: list[Any] = []
        self.held: list[Any] = []
        for f in functions:
            if f is None:
                self.graphs.append(None)
                continue
            graph, held = _capture(f, start)
            self.graphs.append((graph, len(self.held), len(held), name_of(f)))
            self.held += held

    def functions(self, held: Sequence[Any]) -> list:
        """The functions, with these values in the place of those that they close over."""
        return [None if g is None else _run(g[0], g[1], g[2], g[3], held) for g in self.graphs]


def _capture(f: Callable, start: Any) -> tuple[Any, list]:
    def flat(v: Any) -> list:
        return [f(v)]

    return close(capture(flat, [aval(getattr(f, "at", start))], name_of(f)))


def _run(graph: Any, first: int, n: int, name: str, held: Sequence[Any]) -> Callable:
    mine = tuple(held[first : first + n])

    def f(v: Any) -> Any:
        return graph(v, *mine)[0]

    f.__name__ = name
    return f


# --- convergence and derivatives -------------------------------------------------------------------------------------
def differentiated(v: Any) -> bool:
    """Whether a value carries a derivative."""
    while isinstance(v, Traced):
        if isinstance(v.trace, (Taylor, Tape)):
            return True
        v = v.lower
    return False


def settled(who: str, solution: Any, ok: Any, advice: str) -> Any:
    """The solution, whose derivatives are refused (nan where nobody can know yet) unless the solver converged."""
    x: Any = solution
    if not isinstance(solution, Traced) or is_true(ok) or (not isinstance(ok, Traced) and np.all(ok)):
        return x
    if not isinstance(ok, Traced):
        if differentiated(x):
            raise ConvergenceError(
                f"{who}: a derivative was asked of a result that has not converged, which solves no equation; "
                f"{advice}, or cut the derivative with autodiff.stop_gradient"
            )
        if not _recorded(x):
            return x
    wide = ok if shape(ok) in ((), shape(x)) else reshape(ok, (-1,) + (1,) * (len(shape(x)) - 1))
    return where(wide, x, pin(x * np.nan, stop(x)))


def _recorded(v: Any) -> bool:
    """Whether the value is a variable of a program, of which derivatives may be asked later."""
    while isinstance(v, Traced):
        if v.lower is None:
            return True
        v = v.lower
    return False
