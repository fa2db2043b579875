"""Steps of fixed size: the classical Runge-Kutta method, and symplectic methods for Hamiltonian systems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core import pytree
from scisim.core.errors import ArgumentError
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import check_function, shape
from scisim.ops.creation import asarray
from scisim.ops.flow import scan


def rk4(fun: Callable, y0: Any, t: Any, args: tuple = ()) -> Any:
    """Solve dy/dt = fun(t, y) with one step of the classical Runge-Kutta method of order 4 between given times.

    Parameters
    ----------
    fun : callable
        ``fun(t, y, *args)``, of the structure and shapes of `y0`.
    y0 : array_like, or container of arrays
        State at the first time.
    t : array_like, shape (n,)
        Times, in either order.
    args : tuple

    Returns
    -------
    Tensor, or container of Tensor
        States at all times, along a leading axis.

    Raises
    ------
    ArgumentError
        When `t` is not a vector of at least one time.

    Notes
    -----
    The error is O(h^4).  The steps are one scan, which differentiates, maps and compiles.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import integrate
    >>> integrate.rk4(lambda t, y: -y, [1.0], ss.linspace(0.0, 1.0, 11))[-1]
    Tensor([0.36787977])
    """
    check_function("integrate.rk4", fun)
    times = _times("integrate.rk4", t)

    def step(y: Any, pair: tuple) -> tuple:
        t0, t1 = pair
        h = t1 - t0
        moved = lambda k, part: pytree.tree_map(lambda a, b: a + b * (h * part), y, k)
        k1 = fun(t0, y, *args)
        k2 = fun(t0 + h * 0.5, moved(k1, 0.5), *args)
        k3 = fun(t0 + h * 0.5, moved(k2, 0.5), *args)
        k4 = fun(t1, moved(k3, 1.0), *args)
        new = pytree.tree_map(
            lambda y, a, b, c, d: y + (a + 2.0 * (b + c) + d) * (h / 6.0), y, *map(_tensors, (k1, k2, k3, k4))
        )
        return new, new

    start = pytree.tree_map(asarray, y0) if not isinstance(y0, list) else asarray(y0)
    _, states = scan(step, start, (times[:-1], times[1:]))
    return pytree.tree_map(_with_first, start, states)


def _tensors(tree: Any) -> Any:
    return asarray(tree) if isinstance(tree, list) else tree


def _with_first(first: Tensor, rest: Tensor) -> Tensor:
    from scisim.ops.shape import concat, reshape

    return wrap(concat([reshape(first._v, (1, *shape(first._v))), rest._v], 0))


def _times(who: str, t: Any) -> Tensor:
    times = asarray(t)
    if times.ndim != 1 or times.shape[0] < 1:
        raise ArgumentError(f"{who}: t has shape {times.shape}; expected a vector of times")
    return times


_ROOT = 2.0 ** (1 / 3)
# Forest and Ruth (1990), Yoshida (1990): three leapfrog steps, of which the middle one goes back.
_PARTS = {"leapfrog": (1.0,), "yoshida4": (1 / (2 - _ROOT), -_ROOT / (2 - _ROOT), 1 / (2 - _ROOT))}


def symplectic(force: Callable, q0: Any, p0: Any, t: Any, method: str = "leapfrog", mass: Any = 1.0) -> tuple:
    """Positions and momenta of a Hamiltonian system p^2 / (2 m) + V(q), by steps that keep its structure.

    Parameters
    ----------
    force : callable
        ``force(q) = -dV/dq``, of the shape of `q`.
    q0, p0 : array_like
        Positions and momenta at the first time.
    t : array_like, shape (n,)
        Times of the steps.
    method : {"leapfrog", "yoshida4"}
        Order 2 (Stoermer and Verlet) or 4 (Forest and Ruth, Yoshida).
    mass : float or array_like

    Returns
    -------
    q, p : Tensor
        At all times, along a leading axis.

    Raises
    ------
    ArgumentError
        For another method, or `t` that is not a vector.

    Notes
    -----
    With equal steps the energy does not drift but oscillates, by O(h^2) or O(h^4), and running time backwards retraces
    the path.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import integrate
    >>> q, p = integrate.symplectic(lambda q: -q, [1.0], [0.0], ss.linspace(0.0, 1000.0, 10001), "yoshida4")
    >>> abs(float(0.5 * (q[-1, 0] ** 2 + p[-1, 0] ** 2)) - 0.5) < 1e-5
    True
    """
    who = "integrate.symplectic"
    check_function(who, force)
    if method not in _PARTS:
        raise ArgumentError(f"{who}: method is {method!r}; expected 'leapfrog' or 'yoshida4'")
    times = _times(who, t)
    first = (asarray(q0), asarray(p0))

    def step(state: tuple, pair: tuple) -> tuple:
        q, p = state
        h = pair[1] - pair[0]
        for part in _PARTS[method]:
            p = p + force(q) * (h * (0.5 * part))
            q = q + p * (h * part) / mass
            p = p + force(q) * (h * (0.5 * part))
        return (q, p), (q, p)

    start = tuple(wrap(x._v.astype(np.float64)) if x.dtype.kind in "biu" else x for x in first)
    _, (qs, ps) = scan(step, start, (times[:-1], times[1:]))
    return _with_first(start[0], qs), _with_first(start[1], ps)
