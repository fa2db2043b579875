"""Large Gram matrices: one kernel call between regions."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.compiler.cpu.products_syrk import Syrk
from scisim.compiler.lower.calls import Address, Call, Extent, address
from scisim.compiler.lower.layout import Buffer, Place
from scisim.compiler.lower.steps import Region
from scisim.core.graph import Equation


def gram(values: Any, eq: Equation) -> Region:
    """The step of an equation ``outs[0] = args[0].T @ args[0]``."""
    (x,), (v,) = eq.args, eq.outs
    rows, columns = x.shape
    kernel = Syrk(v.dtype.name)
    memory = Buffer(Place.ARENA, np.dtype(np.uint8), (kernel.memory(columns),))
    values.arena.append(memory)
    a, to = values.stored(x, x.dtype), values.whole(v)
    args: list[Address | Extent] = [Extent(columns), Extent(rows), address(a), Extent(a.strides[0])]
    args += [address(to), Extent(to.strides[0]), address(memory.view())]
    return Region([Call(kernel, args, "gram")])
