"""Rows with operands without elements and without axes; what functions have no such operands for, and why."""

from __future__ import annotations

from typing import Any

import numpy as np

import scisim as ss
from tests.rules.arrays import of
from tests.rules.cases import Case, array, primitive

NOTHING, PLANE, NUMBER = np.zeros((0,)), np.zeros((2, 0)), np.float64(0.7)
COMPLEX, GRID = array(2, 3, kind="c"), array(2, 3)


def edge(name: str, call: Any, *operands: Any, order: int = 4) -> Case:
    kind = "empty" if any(np.size(x) == 0 for x in operands) else "0-d" if not all(map(np.ndim, operands)) else "more"
    return of(name, call, *operands, tag=kind, order=order)


def both(name: str, call: Any, empty: Any = NOTHING) -> list[Case]:
    """The same call on an operand without elements and on one without axes."""
    return [edge(name, call, empty), edge(name, call, NUMBER)]


ALIKE = {  # functions of one operand of any shape
    **{name: getattr(ss, name) for name in ("all", "any", "count_nonzero", "sum", "prod", "cumulative_sum", "clip")},
    **{
        name: getattr(ss, name)
        for name in ("angle", "asarray", "empty_like", "flip", "ones_like", "relu", "zeros_like")
    },
    **{name: getattr(ss, name) for name in ("squeeze", "tile", "take")},
    "clip": lambda x: ss.clip(x, -0.5, 0.5),
    "cumulative_sum": lambda x: ss.cumulative_sum(ss.reshape(x, (-1,))),
    "empty_like": lambda x: ss.empty_like(x) * 0,
    "expand_dims": lambda x: ss.expand_dims(x, 0),
    "full_like": lambda x: ss.full_like(x, 2.0),
    "logsumexp": lambda x: ss.logsumexp(ss.concat([ss.reshape(x, (-1,)), ss.ones(2, dtype=x.dtype)])),
    "reshape": lambda x: ss.reshape(x, (1, x.size)),
    "broadcast_to": lambda x: ss.broadcast_to(x, (2, *x.shape)),
    "broadcast_arrays": lambda x: ss.broadcast_arrays(x, ss.ones((1,) * x.ndim, dtype=x.dtype)),
    "meshgrid": lambda x: ss.meshgrid(x, ss.ones(2, dtype=x.dtype)),
    "roll": lambda x: ss.roll(x, 1),
    "stack": lambda x: ss.stack([x, x]),
    "tile": lambda x: ss.tile(x, (2,)),
    "take": lambda x: ss.take(x, ss.zeros(x.size, dtype=ss.int64), axis=0) if x.ndim else ss.take(x[None], 0, axis=0),
    "outer": lambda x: (
        ss.outer(x, ss.ones(2, dtype=x.dtype)) if x.ndim else ss.outer(x[None], ss.ones(2, dtype=x.dtype))
    ),
    "kron": lambda x: ss.kron(x, ss.ones(2, dtype=x.dtype)),
    "repeat": lambda x: ss.repeat(x, 2),
    "einsum": lambda x: ss.einsum("...->...", x),
    "tensordot": lambda x: ss.tensordot(x, ss.ones(2, dtype=x.dtype), axes=0),
    "softmax": lambda x: ss.softmax(ss.reshape(x, (x.size, 1)), axis=1),
    "log_softmax": lambda x: ss.log_softmax(ss.reshape(x, (x.size, 1)), axis=1),
    "sort": lambda x: ss.sort(ss.reshape(x, (-1,))),
    "argsort": lambda x: ss.argsort(ss.reshape(x, (-1,))),
    "searchsorted": lambda x: ss.searchsorted(ss.asarray([0.0, 1.0]), x),
    "isclose": lambda x: ss.isclose(x, 0.7),
}
NEEDS_AXES = {  # functions of arrays with axes, on one with a length of zero
    "diff": lambda x: ss.diff(x, axis=0),
    "matmul": lambda x: ss.matmul(x, x.T),
    "matrix_transpose": ss.matrix_transpose,
    "moveaxis": lambda x: ss.moveaxis(x, 0, 1),
    "permute_dims": lambda x: ss.permute_dims(x, (1, 0)),
    "trace": lambda x: ss.trace(x),
    "tril": ss.tril,
    "triu": ss.triu,
    "diagonal": lambda x: ss.linalg.diagonal(x),
    "diag": lambda x: ss.diag(x),
    "concat": lambda x: ss.concat([x, x], 0),
    "split": lambda x: ss.split(x, 2),
    "pad": lambda x: ss.pad(x, 1),
    "take_along_axis": lambda x: ss.take_along_axis(x, ss.zeros((2, 0), dtype=ss.int64), axis=0),
    "vecdot": lambda x: ss.vecdot(x, x),
    "cross": lambda x: ss.cross(ss.reshape(x, (0, 3)), ss.ones(3, dtype=x.dtype)),
}
ROWS = [
    primitive("sort", GRID, params={"axis": 1, "descending": True}),
    *(row for name, call in ALIKE.items() for row in both(name, call)),
    *(edge(name, call, PLANE) for name, call in NEEDS_AXES.items()),
    *(edge(name, getattr(ss, name), NUMBER) for name in ("max", "min", "argmax", "argmin", "mean", "var")),
    edge("std", ss.std, NUMBER, order=1),  # 0, where only the first derivative follows the convention
    edge("mean", lambda x: ss.mean(x, axis=0), PLANE),
    edge("max", lambda x: ss.max(x, axis=0), PLANE),
    edge("min", lambda x: ss.min(x, axis=0), PLANE),
    edge("argmax", lambda x: ss.argmax(x, axis=0), PLANE),
    edge("argmin", lambda x: ss.argmin(x, axis=0), PLANE),
    edge("var", lambda x: ss.var(x, axis=0), PLANE),
    edge("std", lambda x: ss.std(x, axis=0), PLANE),
    edge("permute_dims", lambda x: ss.permute_dims(x, ()), NUMBER),
    edge("cross", ss.cross, GRID[:, None], array(4, 3, seed=2)),
    edge("vecdot", ss.vecdot, GRID, GRID[0]),
    edge("isclose", ss.isclose, GRID, GRID[0]),
    *(edge(name, getattr(ss, name), COMPLEX) for name in ("all", "any", "count_nonzero")),
    edge("isclose", ss.isclose, COMPLEX, COMPLEX),
    edge("astype", lambda z: ss.astype(z, z.dtype), COMPLEX),
    edge("empty_like", lambda z: ss.empty_like(z) * 0, COMPLEX),
    edge("sinc", ss.sinc, COMPLEX),
    edge("xlogy", ss.xlogy, COMPLEX, array(2, 3, kind="c", seed=1)),
    edge("full", lambda z: ss.full((2,), z), np.complex128(1 - 2j)),
    edge("linspace", lambda a, b: ss.linspace(a, b, 3), COMPLEX, COMPLEX[0]),
    *both("fft.fftshift", lambda x: ss.fft.fftshift(x)),
    *both("fft.ifftshift", lambda x: ss.fft.ifftshift(x)),
    edge("full", lambda x: ss.full((2, 0), x), NUMBER),
    edge("linspace", lambda a, b: ss.linspace(a, b, 3), NOTHING, NOTHING),
]

ORDERED = "complex numbers have no order"
REAL = "real by definition"
AXES = "works along axes"
EXEMPT: dict[str, dict[str, str]] = {
    **{
        f"op:{n}": {"complex": ORDERED}
        for n in ("argmax", "argmin", "max", "min", "maximum", "minimum", "clip", "relu")
    },
    **{f"op:{n}": {"complex": ORDERED} for n in ("less", "less_equal", "greater", "greater_equal", "sort", "argsort")},
    **{
        f"op:{n}": {"complex": ORDERED} for n in ("ceil", "floor", "trunc", "floor_divide", "remainder", "searchsorted")
    },
    **{f"op:{n}": {"complex": REAL} for n in ("atan2", "cbrt", "hypot", "logaddexp", "signbit")},
    **{f"op:{n}": {"0-d": AXES} for n in ("concat", "cross", "diag", "diagonal", "diff", "matmul", "matrix_transpose")},
    **{f"op:{n}": {"0-d": AXES} for n in ("moveaxis", "pad", "split", "take_along_axis", "trace", "tril", "triu")},
    "op:vecdot": {"0-d": AXES},
    "op:fft.fftfreq": {"complex": "takes a length and a spacing", "empty": "takes a length and a spacing"},
    "op:fft.rfftfreq": {"complex": "takes a length and a spacing", "empty": "takes a length and a spacing"},
    "op:stack": {"broadcast": "takes arrays of one shape"},
    "op:full": {"empty": "the operand is a number; the shape may hold a zero"},
}
TRANSFORMS = (
    *("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "hfft2", "ihfft2"),
    *("fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn", "irfftn_like"),
)
for _name in TRANSFORMS:
    EXEMPT[f"op:fft.{_name}"] = {"empty": "a transform of no points is refused", "0-d": AXES}
for _name in ("rfft", "ihfft", "rfftn", "ihfftn", "ihfft2"):
    EXEMPT[f"op:fft.{_name}"]["complex"] = "of real numbers by definition"
