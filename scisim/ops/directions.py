"""Lengths sqrt(a^2 + b^2) and direction cosines a / h whose derivatives square no operand.

With c = a / h and s = b / h: dh = c da + s db, dc = -s dt and ds = c dt for the turn dt = (c db - s da) / h.  So every
derivative of any order is made of numbers within [-1, 1] and divisions by h: it overflows only where it is too large
itself, and nothing cancels where one operand is much larger than the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.axes import ELEMENTWISE
from scisim.core.primitive import Primitive


def _direction(a: Any, b: Any, h: Any) -> Any:
    zero = np.equal(h, 0)
    return np.where(zero, np.zeros_like(h), np.divide(a, np.where(zero, 1, h)))[()] if zero.any() else np.divide(a, h)


def _by_first(c: Any, a: Any, b: Any, h: Any) -> Any:
    s = direction(b, a, h)
    return s * (s / h)


def _by_second(c: Any, a: Any, b: Any, h: Any) -> Any:
    return -c * (direction(b, a, h) / h)


# a / h where h is the length of (a, b), and 0 at the origin; a derivative by h is within those by a and b.
direction = Primitive(
    "direction",
    _direction,
    axes=ELEMENTWISE,
    partials=[_by_first, _by_second, None],
    scalar=lambda s, a, b, h: s.select(s.eq(h, 0), 0, s.div(a, h)),
    singular="0 at the origin, where the derivative is nan",
)


def _turn(a: Any, b: Any, h: Any) -> Any:
    zero = np.equal(h, 0)
    if not zero.any():
        return np.divide(np.divide(a, h), h)
    safe = np.where(zero, 1, h)
    return np.where(zero, np.zeros_like(h), np.divide(np.divide(a, safe), safe))[()]


def _turn_by_first(y: Any, a: Any, b: Any, h: Any) -> Any:
    c, s = direction(a, b, h), direction(b, a, h)
    return (s - c) * (s + c) / h / h


def _turn_by_second(y: Any, a: Any, b: Any, h: Any) -> Any:
    return -2.0 * direction(a, b, h) * direction(b, a, h) / h / h


def _turn_scalar(s: Any, a: Any, b: Any, h: Any) -> Any:
    inverse = s.div(1.0, h)
    return s.select(s.eq(h, 0), 0, s.mul(s.mul(a, inverse), inverse))


# a / h^2, which is the derivative of the angle of (a, b) by b, and 0 at the origin.
turn = Primitive(
    "angle_slope",
    _turn,
    axes=ELEMENTWISE,
    partials=[_turn_by_first, _turn_by_second, None],
    scalar=_turn_scalar,
    singular="0 at the origin, where the derivative is nan",
)
# The value h of a length of (a, b) that is known already, with the derivative of the length.
cosines = [lambda y, a, b, *h: direction(a, b, y), lambda y, a, b, *h: direction(b, a, y)]
length = Primitive(
    "length",
    lambda a, b, h: h,
    axes=ELEMENTWISE,
    partials=[*cosines, None],
    taylor=lambda t, a, y: t.length(*a[:2], y),
    scalar=lambda s, a, b, h: h,
    convention="both derivatives are 0 at the origin",
)


def _radius(a: Any, b: Any) -> Any:
    """sqrt(a^2 + b^2), by squares where these neither overflow nor underflow: np.hypot costs ten times as much."""
    q = np.square(a) + np.square(b)
    info = np.finfo(q.dtype)
    # Squares below the smallest normal number are lost beside a sum of at least that over the square of epsilon.
    if q.size and np.min(q) >= info.smallest_normal / info.eps**2 and np.max(q) <= info.max:
        return np.sqrt(q)
    return np.hypot(a, b)


# A length for the use of derivatives, without one of its own.
radius = Primitive("radius", _radius, axes=ELEMENTWISE, scalar=lambda s, a, b: s.hypot(a, b))
