"""Rows for what scientific code uses beyond the Array API: rearrangements, joins, parts, choices, padding, indices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import scisim as ss
from scisim.core.primitive import PRIMITIVES
from scisim.core.tensor import Tensor
from tests.rules.arrays import of
from tests.rules.cases import Case, array, primitive

GRID, COMPLEX, VECTOR = array(2, 3), array(2, 3, kind="c"), array(4)
NOTHING, PLANE, NUMBER = np.zeros(0), np.zeros((2, 0)), np.float64(0.7)
MASK = np.array([[True, False, True], [False, True, True]])
Calls = dict[str, Callable]


def flat(y: Any) -> list:
    return [v for part in y for v in flat(part)] if isinstance(y, (list, tuple)) else [y]


def together(tag: str, calls: Calls, *operands: Any, order: int = 4) -> Case:
    """One row for functions that only move elements: all of their results."""

    def call(*xs: Tensor) -> tuple:
        return tuple(v for f in calls.values() for v in flat(f(*xs)))

    covers = tuple(held for name in calls for held in covered(name.split()[0]))
    return Case(
        f"{tag} of {' '.join(map(str, (np.shape(x) for x in operands)))}{kind(operands)}",
        covers,
        call,
        tuple(map(np.asarray, operands)),
        order=order,
    )


def covered(name: str) -> tuple[str, ...]:
    """A function, and the primitive that it is in a program, if it is one step there."""
    return (f"op:{name}", *((f"prim:{name}.step",) if f"{name}.step" in PRIMITIVES else ()))


def kind(operands: Any) -> str:
    return " complex" if any(np.asarray(x).dtype.kind == "c" for x in operands) else ""


def one_more(x: Tensor) -> Tensor:
    return ss.append(x, ss.ones(1, dtype=x.dtype))


ANY = {  # of arrays of any shape
    "transpose": ss.transpose,
    "ravel": ss.ravel,
    "diagflat": ss.diagflat,
    "atleast_1d": ss.atleast_1d,
    "atleast_2d": ss.atleast_2d,
    "atleast_3d": ss.atleast_3d,
    "hstack": lambda x: ss.hstack([x, x * 2.0]),
    "vstack": lambda x: ss.vstack([x, x * 2.0]),
    "dstack": lambda x: ss.dstack([x, x * 2.0]),
    "column_stack": lambda x: ss.column_stack([x, x * 2.0]),
    "block": lambda x: ss.block([[x, x * 2.0]]),
    "append": lambda x: ss.append(x, 2.0 * x),
    "insert": lambda x: ss.insert(x, 0, 1.5),
    "delete": lambda x: ss.delete(one_more(x), -1),
    "resize": lambda x: ss.resize(x, 3),
    "ediff1d": lambda x: ss.ediff1d(x, to_begin=0.5),
    "cumsum": ss.cumsum,
    "index_set": lambda x: ss.index_set(one_more(x), -1, 2.0),
    "index_add": lambda x: ss.index_add(one_more(x), [-1, -1], 2.0),
    "extract": lambda x: ss.extract(ss.ones(x.shape, dtype=bool), x, size=2),
    "compress": lambda x: ss.compress(ss.ones(x.size, dtype=bool), x, size=2),
    "select": lambda x: ss.select([ss.real(x) > 0, ss.real(x) < -1], [x, 2.0 * x], 0.5),
    "choose": lambda x: ss.choose(ss.astype(ss.real(x) > 0, int), [x, 2.0 * x]),
    "piecewise": lambda x: ss.piecewise(x, [ss.real(x) > 0], [lambda v: v * v, lambda v: -v]),
    "nansum": ss.nansum,
    "nancumsum": ss.nancumsum,
    "nan_to_num": ss.nan_to_num,
    "vectorize": lambda x: ss.vectorize(lambda v: v * v)(x),
}
AXES = {  # of matrices
    "swapaxes": lambda x: ss.swapaxes(x, 0, 1),
    "rollaxis": lambda x: ss.rollaxis(x, 1),
    "flipud": ss.flipud,
    "fliplr": ss.fliplr,
    "rot90": lambda x: [ss.rot90(x, k) for k in (1, 2, 3)],
    "split": lambda x: ss.split(x, [1], axis=1),
    "array_split": lambda x: ss.array_split(x, 3, axis=0),
    "hsplit": lambda x: ss.hsplit(x, [2]),
    "vsplit": lambda x: ss.vsplit(x, 2),
    "dsplit": lambda x: ss.dsplit(ss.atleast_3d(x), 1),
    "insert": lambda x: ss.insert(x, [0, 0], x[:, :0].sum(1, keepdims=True), axis=1),
    "delete": lambda x: ss.delete(x, 0, axis=0),
    "put_along_axis": lambda x: ss.put_along_axis(x, ss.zeros((1, x.shape[1]), dtype=int), 2.0, axis=0),
    "fill_diagonal": lambda x: ss.fill_diagonal(x, 2.0),
    "pad edge": lambda x: ss.pad(x, ((1, 2), (0, 0)), mode="edge"),
    "pad values": lambda x: ss.pad(x, 1, constant_values=((1.0, 2.0), (3.0, 4.0))),
    "apply_along_axis": lambda x: ss.apply_along_axis(lambda v: v * v[0], 0, x),
    "apply_over_axes": lambda x: ss.apply_over_axes(ss.sum, x, (0, 1)),
    "compress": lambda x: ss.compress([True, False], x, axis=0),
    "index_set": lambda x: ss.index_set(x, (1, slice(None)), x[0]),
    "index_add": lambda x: ss.index_add(x, [0, 0], x),
    "cumsum": lambda x: ss.cumsum(x, axis=1),
    "nansum": lambda x: ss.nansum(x, axis=0, keepdims=True),
}
PADS = {
    f"pad {mode} {more}": lambda x, mode=mode, more=more: ss.pad(x, ((1, 2), (0, 4)), mode=mode, **more)
    for mode, more in (
        ("reflect", {}),
        ("reflect", {"reflect_type": "odd"}),
        ("symmetric", {"reflect_type": "odd"}),
        ("wrap", {}),
        ("mean", {"stat_length": 2}),
        ("linear_ramp", {"end_values": 0.5}),
    )
}


def structure() -> list[Case]:
    numbers = {k: f for k, f in ANY.items() if k != "apply_along_axis"}
    return [
        together("rearrangements", {**ANY, **AXES, **PADS}, GRID),
        together("rearrangements", {**ANY, **AXES, **PADS}, COMPLEX),
        together("rearrangements", {**ANY, **AXES}, PLANE),
        together("rearrangements", numbers, NUMBER),
        together(
            "padding by order",
            {m: lambda x, m=m: ss.pad(x, 2, mode=m) for m in ("pad maximum",)}
            | {
                f"pad {m}": lambda x, m=m: ss.pad(x, 2, mode=m, stat_length=2) for m in ("maximum", "minimum", "median")
            },
            VECTOR,
        ),
    ]


def two_operands() -> list[Case]:
    a, b, c = array(2, 3), array(3, seed=1), array(2, 1, seed=2)
    calls: Calls = {
        "append": lambda a, b, c: ss.append(a, b),
        "insert": lambda a, b, c: ss.insert(a, 1, b, axis=0),
        "select": lambda a, b, c: ss.select([MASK, ~MASK[:1]], [a, b], c),
        "choose": lambda a, b, c: ss.choose(MASK.astype(int), [a, b]),
        "index_set": lambda a, b, c: ss.index_set(a, 0, b),
        "index_add": lambda a, b, c: ss.index_add(a, (slice(None), [0, 0]), c),
        "put_along_axis": lambda a, b, c: ss.put_along_axis(a, [[1], [2]], c, axis=1, mode="add"),
        "fill_diagonal": lambda a, b, c: ss.fill_diagonal(a, b[:2]),
        "pad": lambda a, b, c: ss.pad(a, 1, constant_values=b[0]),
        "hstack": lambda a, b, c: ss.hstack([a, c]),
        "block": lambda a, b, c: ss.block([[a, c], [b, a[:1, :1]]]),
        "ediff1d": lambda a, b, c: ss.ediff1d(a, to_end=b),
        "vectorize": lambda a, b, c: ss.vectorize(lambda x, y: x * y)(a, c),
        "extract": lambda a, b, c: ss.extract(MASK, a, size=5),
        "column_stack": lambda a, b, c: ss.column_stack([a.T, b]),
        "vstack": lambda a, b, c: ss.vstack([a, b]),
        "dstack": lambda a, b, c: ss.dstack([a, a]),
    }
    shifted = tuple(x * (1 + 0.5j) for x in (a, b, c))
    return [together("joins", calls, a, b, c), together("joins", calls, *shifted)]


def updates() -> list[Case]:
    x, v = array(3, 2), array(4, 2, seed=3)
    at = [0, 2, 0, 0]
    rows = []
    for name in ("index_multiply", "index_max", "index_min"):
        f = getattr(ss, name)
        rows += [
            of(name, lambda x, v, f=f: f(x, at, v), x, v, order=4),
            of(name, lambda x, f=f: f(x, ss.zeros(0, dtype=int), 1.0), NOTHING, tag="of nothing", order=4),
            of(name, lambda x, f=f: f(x, (), 0.3), NUMBER, tag="of a number", order=4),
        ]
    rows.append(of("index_multiply", lambda x, v: ss.index_multiply(x, at, v), x * (1 + 1j), v, order=4))
    zeros = np.array([0.0, 1.2, 0.0])
    rows.append(of("index_multiply", lambda x: ss.index_multiply(x, [0, 0, 1], x), zeros, tag="of zeros", order=4))
    return rows


def positions() -> list[Case]:
    holes = GRID * MASK
    calls: Calls = {
        "flatnonzero": lambda x: ss.flatnonzero(x, size=5, fill_value=-1),
        "argwhere": lambda x: ss.argwhere(x, size=5, fill_value=-1),
        "argpartition": lambda x: ss.argpartition(ss.real(x), 0, axis=None),
        "lexsort": lambda x: ss.lexsort((ss.ravel(ss.real(x)), ss.ravel(ss.imag(x)))),
        "array_equal": lambda x: ss.array_equal(x, x, equal_nan=True),
        "array_equiv": lambda x: ss.array_equiv(x, x),
        "isreal": ss.isreal,
        "iscomplex": ss.iscomplex,
        "isposinf": lambda x: ss.isposinf(ss.real(x)),
        "isneginf": lambda x: ss.isneginf(ss.real(x)),
        "digitize": lambda x: ss.digitize(ss.real(x), [-0.5, 0.5]),
        "around": lambda x: ss.around(x, 1),
    }
    some = {**calls, "argpartition": lambda x: ss.argpartition(x, 0, axis=0)}
    pair: Calls = {
        "array_equal": ss.array_equal,
        "array_equiv": ss.array_equiv,
        "lexsort": lambda a, b: ss.lexsort((a[0], b)),
        "digitize": lambda a, b: ss.digitize(a, ss.sort(b)),
    }
    return [
        together("positions", calls, holes),
        together("positions", calls, holes * 1j),
        together("positions", some, PLANE),
        together("positions", calls, NUMBER),
        together("comparisons", pair, GRID, GRID[0]),
        primitive("lexsort", GRID, GRID[::-1].copy(), params={"axis": 1}),
    ]


def integers() -> list[Case]:
    some, few = np.array([[4, 6, 9], [12, 5, 0]]), np.array([6, 4, 3])
    calls: Calls = {
        "gcd": ss.gcd,
        "lcm": ss.lcm,
        "ravel_multi_index": lambda a, b: ss.ravel_multi_index((a, b), (20, 7), mode="clip"),
    }
    one: Calls = {
        "unravel_index": lambda a: ss.unravel_index(a, (5, 4)),
        "bincount": lambda a: ss.bincount(ss.ravel(a), length=7),
        "ix_": lambda a: ss.ix_(ss.ravel(a), [0, 1]),
    }
    empty, number = np.zeros((2, 0), int), np.int64(6)
    rows = []
    for a, b in ((some, few), (empty, np.int64(2)), (number, number)):
        rows += [together("integers", calls, a, b), together("positions of integers", one, a)]
    return rows


def creation() -> list[Case]:
    calls: Calls = {
        "tri": lambda: ss.tri(2, 3, 1),
        "identity": lambda: ss.identity(2),
        "indices": lambda: ss.indices((2, 3)),
        "tril_indices": lambda: ss.tril_indices(3),
        "triu_indices": lambda: ss.triu_indices(3, 1),
        "diag_indices": lambda: ss.diag_indices(3),
        "hanning": lambda: ss.hanning(5),
        "hamming": lambda: ss.hamming(5),
        "blackman": lambda: ss.blackman(5),
        "bartlett": lambda: ss.bartlett(5),
        "fromfunction": lambda: ss.fromfunction(lambda i, j: i * j, (2, 3)),
    }
    return [of(name, call) for name, call in calls.items()]


def concrete() -> list[Case]:
    def row(name: str, call: Callable, x: Any, tag: str = "") -> Case:
        label = f"{name}{tag and ' ' + tag}{kind([x])}"
        return Case(label, (f"op:{name}",), call, (x,), order=4, concrete=True, differences=False)

    return [
        row("trim_zeros", ss.trim_zeros, np.array([0.0, 1.2, 0.0, 0.7, 0.0])),
        row("trim_zeros", lambda x: ss.trim_zeros(x, "f"), np.array([0.0, 1.2 + 1j, 0.0])),
        row("trim_zeros", ss.trim_zeros, NOTHING, "of nothing"),
        row("real_if_close", ss.real_if_close, COMPLEX),
        row("real_if_close", ss.real_if_close, GRID),
        row("real_if_close", ss.real_if_close, NOTHING, "of nothing"),
        row("real_if_close", ss.real_if_close, NUMBER, "of a number"),
    ]


ROWS = [
    *structure(),
    *two_operands(),
    *updates(),
    *positions(),
    *integers(),
    *creation(),
    *concrete(),
    Case("einsum_path", ("op:einsum_path",), lambda x: x * ss.einsum_path("ij,j->i", x, x[0])[0][1][0], (GRID,)),
]
NO_AXES = "needs an axis to run along"
ONE = "its other operands are indices or settings"
EXEMPT: dict[str, dict[str, str]] = {
    **{f"op:{name}": {"0-d": NO_AXES} for name in (*AXES, "trim_zeros") if name not in ANY and " " not in name},
    "op:pad": {"0-d": NO_AXES},
    **{f"op:{name}": {"complex": "complex numbers have no order"} for name in ("index_max", "index_min")},
    "op:einsum_path": dict.fromkeys(("complex", "empty", "0-d", "broadcast"), "only shapes of operands are read"),
    "op:lexsort": {"broadcast": "keys are of one shape"},
}
