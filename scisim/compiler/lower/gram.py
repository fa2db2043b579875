"""Large Gram matrices: one kernel call between regions."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.compiler.cpu.products_syrk import Syrk
from scisim.compiler.lower.calls import Address, Call, Extent, address
from scisim.compiler.lower.layout import Buffer, Place, View
from scisim.compiler.lower.steps import Region
from scisim.core.graph import Equation


def gram(values: Any, eq: Equation) -> Region:
    """The step of an equation ``outs[0] = args[0].T @ args[0]``; threads share the columns."""
    (x,), (v,) = eq.args, eq.outs
    rows, columns = x.shape
    kernel, threads = Syrk(v.dtype.name), values.threads
    nbytes = kernel.memory(columns)
    memory = Buffer(Place.ARENA, np.dtype(np.uint8), (threads, nbytes))
    values.arena.append(memory)
    a, to = values.stored(x, x.dtype), values.whole(v)
    args: list[Address | Extent] = [Extent(columns), Extent(rows), address(a), Extent(a.strides[0])]
    args += [address(to), Extent(to.strides[0]), address(View(memory, 0, (1,), per_thread=nbytes))]
    args += [Extent(0, 0, 1 if threads > 1 else 0), Extent(threads)]
    call = Call(kernel, args, "gram")
    return Region([call], threads, 1, True) if threads > 1 else Region([call])
