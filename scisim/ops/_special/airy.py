"""Airy functions and their derivatives, plain and scaled, together: (Ai, Ai', Bi, Bi'), with Ai'' = z Ai."""

from __future__ import annotations

from typing import Any

from scipy import special as sp

from scisim.core.values import is_complex
from scisim.ops._special.cuts import both_sides
from scisim.ops._special.declare import describe, several
from scisim.ops.arithmetic import sign_p, sqrt
from scisim.ops.complexes import real
from scisim.ops.select import maximum


def _airy_jvp(y: Any, args: Any, tangents: Any) -> tuple:
    (ai, aip, bi, bip), (z,), (t,) = y, args, tangents
    return t * aip, t * (z * ai), t * bip, t * (z * bi)


airy_p = several("airy", both_sides(sp.airy), 4, _airy_jvp)


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


def _airye_jvp(y: Any, args: Any, tangents: Any) -> tuple:
    """Ai is scaled by exp(xi), xi = 2/3 z^(3/2), and Bi by exp(-abs(re xi))."""
    (ai, aip, bi, bip), (z,), (t,) = y, args, tangents
    if is_complex(z):
        root = sqrt(z)
        up = root * t
        down = sign_p(real(root * z)) * real(up)
    else:
        up = down = sqrt(maximum(z, 0.0)) * t
    return t * aip + up * ai, t * (z * ai) + up * aip, t * bip - down * bi, t * (z * bi) - down * bip


airye_p = several("airye", both_sides(sp.airye), 4, _airye_jvp)


def airye(z: Any) -> Any:
    """Scaled Airy functions and their derivatives."""
    return airye_p(z)


describe(
    "airye",
    airye,
    "Scaled Airy functions and their derivatives (eAi, eAip, eBi, eBip): Ai and Ai' by exp(2/3 z^(3/2)), "
    "Bi and Bi' by exp(-abs(re(2/3 z^(3/2))))",
    "z",
    ("1.0", "(Tensor(0.26351364), Tensor(-0.30997689), Tensor(0.61991194), Tensor(0.47872857))"),
    primitive=airye_p,
    returns="tuple of Tensor",
    notes="The scale has a branch point at 0; for negative real z the first two are nan.",
)
