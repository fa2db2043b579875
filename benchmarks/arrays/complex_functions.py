"""Functions of complex numbers in their ordinary range, where care at the ends of the range must cost little."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

import scisim as ss

Case = tuple[str, Callable, Callable | None, tuple]
PEERS = {
    **{name: getattr(np, name) for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "square")},
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "sinc", "sign", "angle")},
    **{f"a{name}": getattr(np, f"arc{name}") for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{name: getattr(np, name) for name in ("reciprocal", "abs", "conj")},
    "sigmoid": lambda z: 1.0 / (1.0 + np.exp(-z)),
    "cbrt": lambda z: z ** (1 / 3),
}


def _cases(n: int, dtype: Any) -> list[Case]:
    rng = np.random.default_rng(n)
    z, w = ((rng.normal(size=n) + 1j * rng.normal(size=n)).astype(dtype) for _ in range(2))
    tag = f" {n} {np.dtype(dtype).name}"

    def case(name: str, ours: Callable, theirs: Callable, *arrays: Any) -> Case:
        return f"complex_functions.{name}{tag}", ours, theirs, arrays

    cases = [case(name, getattr(ss, name), peer, z) for name, peer in PEERS.items()]
    return [
        *cases,
        case("divide", lambda a, b: a / b, np.divide, z, w),
        case("divide by a number", lambda a: a / 3.0, lambda a: a / 3.0, z),
        case("divide by real numbers", lambda a, b: a / b, np.divide, z, w.real.copy()),
        case("divide a number", lambda a: 3.0 / a, lambda a: 3.0 / a, z),
        case("multiply", lambda a, b: a * b, np.multiply, z, w),
        case("power", lambda a, b: a**b, np.power, z, w),
        case("cube", lambda a: a**3, lambda a: a**3, z),
        case("softplus", ss.special.softplus, lambda a: np.log(1.0 + np.exp(a)), z),
        case("logit", ss.special.logit, lambda a: np.log(a / (1.0 - a)), z),
        case("erf", ss.special.erf, scipy.special.erf, z),
    ]


CASES = [case for n, dtype in ((100, np.complex128), (10_000, np.complex128), (10_000, np.complex64))
         for case in _cases(n, dtype)]  # fmt: skip
