"""Derivatives of a tanh network as an expert writes them by hand: all Taylor channels of a layer in one product.

For JAX and PyTorch alike: `xp` is `jax.numpy` or `torch`.
"""

import math
from typing import Any

from pdes import Equation


def directions(equation: Equation) -> list[tuple[str, list[float], int]]:
    """Names, vectors and orders of the lines along which the network is expanded.

    The mixed derivative xxyy comes from the fourth derivatives along x + y and x - y.
    """
    unit = lambda *signs: [float(s) for s in signs]
    lines = [(c, [float(c == other) for other in equation.coords], k) for c, k in equation.orders.items()]
    return lines + ([("+", unit(1, 1), 4), ("-", unit(1, -1), 4)] if equation.mixed else [])


def derivatives(xp: Any, layers: list, x: Any, equation: Equation) -> dict[str, Any]:
    """All derivatives that the equation needs, by name, each of shape (points, outputs)."""
    lines = directions(equation)
    value, series = _expand(xp, layers, x, lines)
    table = {"": value}
    for (name, _, _), coefficients in zip(lines, series, strict=True):
        for k, c in enumerate(coefficients, 1):
            table[name * k] = c * math.factorial(k)
    if equation.mixed:
        table["xxyy"] = (table["++++"] + table["----"] - 2 * table["xxxx"] - 2 * table["yyyy"]) / 12
    return table


def _expand(xp: Any, layers: list, x: Any, lines: list) -> tuple[Any, list[list]]:
    w, b = layers[0]
    value = x @ w + b
    series = [_first(xp, vector, order, w, value) for _, vector, order in lines]
    for w, b in layers[1:]:
        value, series = _tanh(xp, value, series)
        value, series = _affine(xp, value, series, w, b)
    return value, series


def _first(xp: Any, vector: list[float], order: int, w: Any, value: Any) -> list:
    """The coordinates are linear: their series ends after the first coefficient."""
    slope = sum(v * w[k] for k, v in enumerate(vector) if v)
    return [xp.broadcast_to(slope, value.shape)] + [None] * (order - 1)


def _affine(xp: Any, value: Any, series: list[list], w: Any, b: Any) -> tuple[Any, list[list]]:
    flat = [value] + [c for coefficients in series for c in coefficients]
    z = (xp.concatenate(flat, 0) @ w).reshape(len(flat), value.shape[0], -1)
    out, k = [], 1
    for coefficients in series:
        out.append([z[k + j] for j in range(len(coefficients))])
        k += len(coefficients)
    return z[0] + b, out


def _tanh(xp: Any, value: Any, series: list[list]) -> tuple[Any, list[list]]:
    """y = tanh(z) from y' = (1 - y^2) z'."""
    t = xp.tanh(value)
    slope = 1 - t * t
    out = []
    for z in series:
        y, s = [t], [slope]
        for k in range(1, len(z) + 1):
            y.append(sum(j * z[j - 1] * s[k - j] for j in range(1, k + 1) if z[j - 1] is not None) / k)
            if k < len(z):
                s.append(-sum(y[i] * y[k - i] for i in range(k + 1)))
        out.append(y[1:])
    return t, out
