"""Checks of derivatives: modes against each other and against differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.autodiff.forward import jvp
from scisim.autodiff.gradients import vjp
from scisim.core import pytree
from scisim.core.errors import ArgumentError, DerivativeError
from scisim.core.tensor import concrete_array
from scisim.core.values import dtype, inexact, name_of


def check_derivatives(
    f: Callable, args: Any, order: int = 2, rtol: float | None = None, atol: float | None = None, seed: int = 0
) -> None:
    """Compare derivatives in forward and reverse mode with differences, to a given order.

    Parameters
    ----------
    f : callable
        A function of tensors and containers of them, smooth near ``args``.
    args : tuple
        Its arguments; one argument may be given without the tuple.
    order : int
        At order k, the derivatives of the (k-1)-th derivative are checked.
    rtol, atol : float, optional
        By default 1e-6 in float64 (fourth-order differences of step eps^(1/5) leave about eps^(4/5)), 2e-2 in float32.
    seed : int
        Of the random directions.

    Raises
    ------
    DerivativeError
        With the order, the mode, and both numbers.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.check_derivatives(lambda x: ss.sum(ss.sin(x) ** 2), ss.asarray([0.3, 0.7]), order=3)
    """
    if not isinstance(order, int) or order < 1:
        raise ArgumentError(f"check_derivatives: order is {order!r}; expected an integer of at least 1")
    args = args if isinstance(args, tuple) else (args,)
    leaves = pytree.values(args, "check_derivatives")[0]
    single = any(np.finfo(dtype(v)).eps > 1e-10 for v in leaves if inexact(dtype(v)))
    tol = (2e-2 if single else 1e-6) if rtol is None else rtol
    _check(f, args, 1, order, tol, tol if atol is None else atol, np.random.default_rng(seed))


def _check(f: Callable, args: tuple, k: int, order: int, rtol: float, atol: float, rng: Any) -> None:
    v = _random_like(args, rng)
    _, dy = jvp(f, args, v)
    _compare(f, k, "forward mode", dy, _difference(f, args, v), rtol, atol)
    y, pullback = vjp(f, *args)
    ct = _random_like(y, rng)
    scale = max(_norm(ct) * _norm(dy), 1e-30)
    left, right = _inner(ct, dy), _inner(pullback(ct), v)
    if not abs(left - right) <= max(atol, rtol) * max(scale, 1.0):
        raise DerivativeError(
            f"check_derivatives: order {k} of {name_of(f)}: reverse mode gives {right:.9g} for a product with a "
            f"random cotangent and direction, forward mode {left:.9g}"
        )
    if k < order:

        def derivative(*xs: Any) -> Any:
            return jvp(f, xs, v)[1]

        derivative.__name__ = name_of(f)
        _check(derivative, args, k + 1, order, rtol * 10, atol * 10, rng)

        def adjoint(*xs: Any) -> Any:
            return vjp(f, *xs)[1](ct)

        adjoint.__name__ = name_of(f)
        if k == 1:
            _compare(
                f,
                2,
                "forward over reverse",
                jvp(adjoint, args, v)[1],
                _difference(adjoint, args, v),
                rtol * 10,
                atol * 10,
            )


def _random_like(tree: Any, rng: Any) -> Any:
    vals, spec = pytree.values(tree, "check_derivatives")
    out = []
    for x in vals:
        r = rng.standard_normal(np.shape(x))
        if dtype(x).kind == "c":
            r = r + 1j * rng.standard_normal(np.shape(x))
        out.append(np.asarray(r, dtype(x)))
    return pytree.tree_of(spec, out)


def _arrays(tree: Any) -> list[np.ndarray]:
    return [concrete_array(x, "check_derivatives") for x in pytree.flatten(tree)[0]]


def _difference(f: Callable, args: tuple, v: tuple) -> list[np.ndarray]:
    """Fourth-order central differences along v."""
    vals, spec = pytree.values(args, "check_derivatives")
    eps = max(float(np.finfo(dtype(x)).eps) for x in vals)
    h = eps**0.2
    ds = _arrays(v)

    def at(t: float) -> list[np.ndarray]:
        moved = [np.asarray(x + t * d, dtype(x)) for x, d in zip(vals, ds, strict=True)]
        return _arrays(f(*pytree.tree_of(spec, moved)))

    columns = zip(at(h), at(-h), at(2 * h), at(-2 * h), strict=True)
    return [(8 * (a - b) - (c - d)) / (12 * h) for a, b, c, d in columns]


def _compare(f: Callable, k: int, mode: str, got: Any, want: list[np.ndarray], rtol: float, atol: float) -> None:
    for g, w in zip(_arrays(got), want, strict=True):
        bad = ~(np.abs(g - w) <= atol * max(1.0, float(np.max(np.abs(w), initial=0.0))) + rtol * np.abs(w))
        if np.any(bad):
            i = tuple(int(n) for n in np.argwhere(bad)[0])
            raise DerivativeError(
                f"check_derivatives: order {k} of {name_of(f)} in {mode}: {g[i]:.9g} at element {i}, differences give "
                f"{w[i]:.9g}"
            )


def _inner(a: Any, b: Any) -> float:
    return float(sum(np.sum((np.conj(x) * y).real) for x, y in zip(_arrays(a), _arrays(b), strict=True)))


def _norm(a: Any) -> float:
    return float(np.sqrt(sum(np.sum(np.abs(x) ** 2) for x in _arrays(a))))
