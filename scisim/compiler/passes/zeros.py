"""Products in which an exact zero wins over infinity, with constants of which it is known whether they are zero.

A constant that is zero in such a product stands for a part that was left out: the product is zero, whatever the other
factor.  In ordinary products 0 times infinity stays nan.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.graph import Equation
from scisim.ops.arithmetic import mul_p, zmul
from scisim.ops.products import matmul_p, zmatmul

_PLAIN = {zmul: mul_p, zmatmul: matmul_p}


def with_constant(r: Any, eq: Equation) -> Any:
    """Nothing, or an ordinary product."""
    for v in eq.args:
        c = r.constant(v)
        if c is None:
            continue
        if not np.any(c):
            return r.full(0, eq.outs[0])
        if np.all(c) and np.all(np.isfinite(c)):
            return r.instead(eq, eq.args, _PLAIN[eq.prim])
    return None


TABLE = {zmul: (with_constant,), zmatmul: (with_constant,)}
