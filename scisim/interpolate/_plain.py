"""The short way for plain arrays of doubles: compiled loops once they are worth their loading."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

_WORTH = 1 << 15  # queries, and as many calls over 256, before Numba is loaded for them
_asked = 0
_DOUBLE = np.dtype(np.float64)


def kernels(*arrays: Any) -> Any:
    """The compiled loops for arrays of doubles, or None: for others, and while few have asked."""
    for a in arrays:
        if type(a) is not np.ndarray or a.dtype != _DOUBLE:
            return None
    module = sys.modules.get("scisim.interpolate._kernels")
    if module is not None:
        return module
    global _asked
    _asked += arrays[-1].size + 256
    if _asked < _WORTH and "numba" not in sys.modules:
        return None
    from scisim.interpolate import _kernels

    return _kernels


def usable(a: np.ndarray) -> np.ndarray:
    """The one kind of array that the loops are compiled for: in C order and writable."""
    return a if a.flags.carray else np.array(a, order="C")


def polynomials(module: Any, c: np.ndarray, x: np.ndarray, q: np.ndarray, factors: tuple[float, ...]) -> Any:
    """The piecewise polynomial (k, pieces, ...) at queries."""
    rest = c.shape[2:]
    out = np.empty((q.size, math.prod(rest)))
    table = usable(c).reshape(*c.shape[:2], out.shape[1])
    module.polynomials(table, usable(x), usable(q).reshape(-1), np.array(factors), out)
    return out.reshape(q.shape + rest)[()]


def splines(module: Any, t: np.ndarray, c: np.ndarray, k: int, q: np.ndarray) -> Any:
    """The sum of B-splines with coefficients (n, ...) at queries."""
    rest = c.shape[1:]
    out = np.empty((q.size, math.prod(rest)))
    module.splines(usable(t), usable(c).reshape(len(c), out.shape[1]), k, usable(q).reshape(-1), out)
    return out.reshape(q.shape + rest)[()]


def lagrange_sums(module: Any, x: np.ndarray, w: np.ndarray, y: np.ndarray, scale: float, q: np.ndarray) -> Any:
    """Lagrange's formula for values (n, ...) at queries."""
    rest = y.shape[1:]
    out = np.empty((q.size, math.prod(rest)))
    table = usable(y).reshape(len(y), out.shape[1])
    module.lagrange_sums(usable(x), usable(w), table, scale, usable(q).reshape(-1), out)
    return out.reshape(q.shape + rest)[()]
