"""The stencils of `stencil_forms.py` with Devito: several steps of an operator that gcc compiles.

The grid is the interior, so that it updates as many points as the loops by hand; what lies around goes into the halo.
"""

import os
from typing import Any

os.environ |= {"DEVITO_LANGUAGE": "openmp", "DEVITO_LOGGING": "ERROR"}

import numpy as np
from devito import Eq, Grid, Operator, TimeFunction, solve
from stencil_forms import R2, R3, WIDTH, inputs


def run(kind: str, size: int, dtype: str, steps: int, collapsed: bool = False) -> Any:
    fields = inputs(kind, size, dtype)
    inner = tuple(n - 2 * WIDTH[kind] for n in fields[0].shape)
    grid = Grid(shape=inner, extent=tuple(float(n - 1) for n in inner), dtype=np.dtype(dtype).type)
    order = 1 if kind == "heat" else 2
    u = TimeFunction(name="u", grid=grid, space_order=2 * WIDTH[kind], time_order=order)
    _fill(u, fields[::-1])
    change = u.dt if kind == "heat" else u.dt2
    plan = ("advanced", {"blockinner": False, "par-collapse-ncores": 1}) if collapsed else "advanced"
    operator = Operator(Eq(u.forward, solve(Eq(change, u.laplace), u.forward)), opt=plan)
    span = {"time_m": order - 1, "dt": R2 if kind == "heat" else R3**0.5}

    def check() -> Any:
        _fill(u, fields[::-1])
        operator.apply(time_M=order - 1, **span)
        return np.array(u.data[order])

    return lambda: operator.apply(time_M=order + steps - 2, **span), check


def _fill(u: Any, fields: list[np.ndarray]) -> None:
    """The fields at the first times, with what surrounds the grid, at all times."""
    for time in range(u.data_with_halo.shape[0]):
        field = fields[min(time, len(fields) - 1)]
        wide = [(n - m) // 2 for n, m in zip(u.data_with_halo.shape[1:], field.shape, strict=True)]
        at = tuple(slice(w, w + m) for w, m in zip(wide, field.shape, strict=True))
        u.data_with_halo[(time, *at)] = field
