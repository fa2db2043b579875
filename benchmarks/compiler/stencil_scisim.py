"""The stencils of `stencil_forms.py` with scisim: one step, or several in a loop that is compiled."""

from typing import Any

from stencil_forms import STENCILS, inputs, interior

import scisim as ss


def run(kind: str, spelling: str, size: int, dtype: str, steps: int) -> Any:
    step = STENCILS[kind](ss, spelling, set_interior)
    fields = tuple(ss.asarray(a) for a in inputs(kind, size, dtype))
    once = ss.jit(step)
    loop = ss.jit(lambda fields: ss.fori_loop(0, steps, lambda i, f: step(*f), fields))
    call = (lambda: once(*fields)) if steps == 1 else (lambda: loop(fields))
    return call, lambda: interior(kind, once(*fields)[0])


def set_interior(a: Any, width: int, values: Any) -> Any:
    new = a.copy()
    new[(slice(width, -width),) * a.ndim] = values
    return new
