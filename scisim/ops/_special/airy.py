"""Airy functions and their derivatives, plain and scaled, together: (Ai, Ai', Bi, Bi'), with Ai'' = z Ai."""

from __future__ import annotations

from typing import Any

from scipy import special as sp

from scisim.ops._special.declare import describe, several


def _airy_jvp(y: Any, args: Any, tangents: Any) -> tuple:
    (ai, aip, bi, bip), (z,), (t,) = y, args, tangents
    return t * aip, t * (z * ai), t * bip, t * (z * bi)


airy_p = several("airy", sp.airy, 4, _airy_jvp)


def airy(z: Any) -> Any:
    """Airy functions and their derivatives."""
    return airy_p(z)


describe(
    "airy",
    airy,
    "Airy functions and their derivatives (Ai, Aip, Bi, Bip)",
    "z",
    ("0.0", "(Tensor(0.35502805), Tensor(-0.2588194), Tensor(0.61492663), Tensor(0.44828836))"),
    primitive=airy_p,
    returns="tuple of Tensor",
)
