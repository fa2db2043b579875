"""Special functions beside those of SciPy, on 2000 numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

import scisim as ss

_RNG = np.random.default_rng(0)
X, Y = _RNG.uniform(0.1, 0.9, (2, 2000))
WIDE = 10.0 * X

_ONE = {
    **dict.fromkeys(("erf", "erfc", "erfcx", "dawsn", "wofz", "erfinv", "erfcinv", "ndtr", "log_ndtr", "ndtri"), X),
    **dict.fromkeys(("gamma", "gammaln", "loggamma", "rgamma", "digamma", "expi", "exp1", "exprel", "cosm1"), WIDE),
    **dict.fromkeys(("expit", "logit", "log_expit", "entr", "lambertw", "wrightomega", "ellipk", "ellipe"), X),
    **dict.fromkeys(("j0", "j1", "y0", "y1", "i0", "i1", "k0", "k1", "i0e", "i1e", "k0e", "k1e"), WIDE),
    **dict.fromkeys(("sici", "shichi", "fresnel", "airy"), WIDE),
}
_BEFORE: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("jv", "yv", "iv", "kv", "ive", "kve"), (1.5, WIDE)),
    **dict.fromkeys(("spherical_jn", "expn", "polygamma", "eval_legendre", "eval_hermite"), (3, X)),
    **dict.fromkeys(("beta", "betaln", "gammainc", "gammaincc", "rel_entr", "kl_div", "poch", "zeta"), (1.0 + X, WIDE)),
    **dict.fromkeys(("ellipkinc", "ellipeinc", "ellipj"), (WIDE, X)),
    "betainc": (1.0 + X, Y, X),
    "hyp1f1": (0.5, 1.5, WIDE),
    "hyp2f1": (0.5, 1.0, 1.5, X),
    "elliprf": (X, Y, WIDE),
    "sph_harm_y": (3, 2, X, WIDE),
}


def _case(name: str, operands: tuple[Any, ...]) -> tuple[str, Callable, Callable, tuple[Any, ...]]:
    fixed = [x for x in operands if not isinstance(x, np.ndarray)]
    arrays = tuple(x for x in operands if isinstance(x, np.ndarray))
    ours, theirs = getattr(ss.special, name), getattr(scipy.special, name)
    if not fixed:
        return f"special.{name}", ours, theirs, arrays
    return f"special.{name}", lambda *xs: ours(*fixed, *xs), lambda *xs: theirs(*fixed, *xs), arrays


CASES = [
    *(_case(name, (x,)) for name, x in _ONE.items()),
    *(_case(name, operands) for name, operands in _BEFORE.items()),
]
