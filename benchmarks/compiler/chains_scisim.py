"""The chain of `chains.py` and a x + b z + c with scisim."""

from collections.abc import Callable
from typing import Any

import numpy as np
from chains import chain, inputs

import scisim as ss


def compiled(points: int, dtype: str) -> Callable[[], Any]:
    f, x = ss.jit(lambda x: chain(ss, x)), ss.asarray(inputs(points, dtype))
    return lambda: f(x)


def triad(points: int) -> Callable[[], Any]:
    f = ss.jit(lambda x, z: 3.0 * x + 3.0 * z + 3.0)
    x, z = (ss.asarray(np.full(points, v)) for v in (1.0, 2.0))  # arrays in memory, as the others have
    return lambda: f(x, z)
