"""Rows for functions of whole arrays: reductions, shapes, indices, products, choices, and operations with bodies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import scisim as ss
from scisim.core.public import OPERATIONS
from tests.rules.cases import Case, array, both, operation, primitive

INDEX = np.array([[2, 0], [1, 2]])
TRUE = np.array([[True, False, True], [False, False, True]])


def with_options(name: str, *operands: Any, tag: str, order: int = 6, **options: Any) -> Case:
    """A row that calls a function with keyword arguments."""
    f = OPERATIONS[name].function
    return operation(name, *operands, call=lambda *xs: f(*xs, **options), tag=tag, order=order)


def of(name: str, call: Callable, *operands: Any, tag: str = "", order: int = 6) -> Case:
    """A row for a function whose operands are not all arrays."""
    return operation(name, *operands, call=call, tag=tag, order=order)


def reductions() -> list[Case]:
    rows: list[Case] = []
    x, z, p = array(2, 3), array(2, 3, kind="c"), array(2, 3, kind="p")
    for name in ("sum", "mean", "prod", "var", "std"):
        order = 4 if name == "std" else 6
        rows += [
            with_options(name, x, tag="of all", order=order),
            with_options(name, x, tag="over one axis", order=order, axis=1),
            with_options(name, x, tag="keeping axes", order=order, axis=(0, -1), keepdims=True),
            with_options(name, z, tag="over one axis", order=order, axis=0),
        ]
    for name in ("max", "min", "argmax", "argmin", "any", "all", "count_nonzero"):
        rows += [
            with_options(name, x, tag="of all"),
            with_options(name, x, tag="over one axis", axis=1, keepdims=True),
        ]
    for name in ("logsumexp", "softmax", "log_softmax"):
        rows += [
            with_options(name, x, tag="", order=6, axis=1),
            with_options(name, x, tag="of all", order=6, axis=None),
            with_options(name, z, tag="", order=6, axis=0),
        ]
    rows += [
        with_options("cumulative_sum", x, tag="over the last axis", axis=1),
        with_options("cumulative_sum", z, tag="with an initial zero", axis=0, include_initial=True),
        with_options("any", TRUE, tag="of truth", axis=0),
        with_options("all", TRUE, tag="of truth"),
        with_options("var", p, tag="of a sample", correction=1, axis=0),
        of("isclose", lambda a, b: ss.isclose(a, b, rtol=0.1), x, x * 1.05),
    ]
    return rows


def shapes() -> list[Case]:
    x, y = array(2, 3), array(2, 3, seed=1)
    square, cube = array(3, 3), array(2, 3, 4)
    table: dict[str, list[tuple[Callable, tuple]]] = {
        "reshape": [(lambda x: ss.reshape(x, (3, -1)), (x,)), (lambda x: ss.reshape(x, (2, 1, 3)), (x,))],
        "broadcast_to": [
            (lambda x: ss.broadcast_to(x, (4, 2, 3)), (x,)),
            (lambda x: ss.broadcast_to(x, (2, 5)), (x[:, :1],)),
        ],
        "expand_dims": [(lambda x: ss.expand_dims(x, 1), (x,))],
        "squeeze": [(lambda x: ss.squeeze(x, 1), (x[:, None],)), (ss.squeeze, (x[None, :, :1],))],
        "permute_dims": [(lambda x: ss.permute_dims(x, (2, 0, 1)), (cube,))],
        "matrix_transpose": [(ss.matrix_transpose, (cube,))],
        "moveaxis": [
            (lambda x: ss.moveaxis(x, 0, -1), (cube,)),
            (lambda x: ss.moveaxis(x, (0, 2), (1, 0)), (cube,)),
        ],
        "concat": [
            (lambda a, b: ss.concat([a, b], 1), (x, y[:, :2])),
            (lambda a, b: ss.concat([a, b], None), (x, y)),
        ],
        "stack": [(lambda a, b: ss.stack([a, b], -1), (x, y))],
        "flip": [(lambda x: ss.flip(x, 1), (x,)), (ss.flip, (x,))],
        "roll": [(lambda x: ss.roll(x, 1), (x,)), (lambda x: ss.roll(x, (1, -2), (0, 1)), (x,))],
        "tile": [(lambda x: ss.tile(x, (2, 1, 2)), (x,))],
        "repeat": [
            (lambda x: ss.repeat(x, 2, 1), (x,)),
            (lambda x: ss.repeat(x, np.array([1, 0, 2]), 1), (x,)),
        ],
        "pad": [(lambda x: ss.pad(x, ((1, 0), (0, 2))), (x,))],
        "split": [(lambda x: ss.split(x, [1], 1), (x,))],
        "broadcast_arrays": [(ss.broadcast_arrays, (x, y[:1]))],
        "meshgrid": [(ss.meshgrid, (x[0], y[:, 0]))],
        "diag": [(ss.diag, (x[0],)), (ss.diag, (square,))],
        "diagonal": [(lambda x: ss.diagonal(x, 1), (x,))],
        "trace": [(ss.trace, (square,))],
        "tril": [(ss.tril, (square,))],
        "triu": [(lambda x: ss.triu(x, 1), (x,))],
        "astype": [
            (lambda x: ss.astype(x, np.complex128), (x,)),
            (lambda x: ss.astype(x, np.int64), (3 * x,)),
        ],
        "asarray": [(ss.asarray, (x,))],
        "clip": [
            (lambda x: ss.clip(x, -0.7, 1.2), (x,)),
            (lambda x, a: ss.clip(x, a, None), (x, np.array([-0.2, 0.3, 0.1]))),
        ],
        "relu": [(ss.relu, (x,))],
        "ones_like": [(ss.ones_like, (x,))],
        "zeros_like": [(ss.zeros_like, (x,))],
        "full_like": [(lambda x: ss.full_like(x, 2.5), (x,))],
    }
    rows = []
    for name, entries in table.items():
        for k, (call, operands) in enumerate(entries):
            rows.append(of(name, call, *operands, tag=f"{k}" if k else ""))
            if name not in ("clip", "relu", "astype"):
                rows.append(of(name, call, *(o * (0.6 + 0.8j) for o in operands), tag=f"{k}" if k else "", order=6))
    rows.append(of("angle", ss.angle, array(2, 3, kind="c"), order=6))
    rows.append(of("angle", ss.angle, x))
    return rows


def creation() -> list[Case]:
    calls: dict[str, Callable] = {
        "zeros": lambda: ss.zeros((2, 3)),
        "ones": lambda: ss.ones(3),
        "full": lambda: ss.full((2, 2), 1.5),
        "eye": lambda: ss.eye(3, 4, k=1),
        "arange": lambda: ss.arange(2, 9, 3),
        "linspace": lambda: ss.linspace(0.0, 1.0, 5),
    }
    rows = [of(name, call) for name, call in calls.items()]
    # The elements of an empty array are any numbers, which its shape and dtype are not.
    rows.append(of("empty", lambda: ss.empty((2, 3)) * 0 == 0))
    rows.append(of("empty_like", lambda x: ss.empty_like(x) * 0 == 0, array(2, 3)))
    rows.append(of("full", lambda v: ss.full((2, 2), v), array(), tag="of a variable"))
    rows.append(of("linspace", lambda a, b: ss.linspace(a, b, 5), array(), array(seed=1), tag="of variables"))
    return rows


def products() -> list[Case]:
    rows: list[Case] = []
    for a, b in (
        ((2, 3), (3, 4)),
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((3,), (3, 2)),
        ((5, 2, 3), (3, 2)),
        ((2, 1, 2, 3), (4, 3, 1)),
    ):
        rows += both(operation, "matmul", a, b, tag=f"{a} {b}", order=6)
    rows += both(operation, "outer", (2,), (3,))
    rows += both(operation, "kron", (2, 2), (1, 3))
    rows += both(operation, "cross", (2, 3), (2, 3))
    rows += both(operation, "vecdot", (2, 3), (2, 3))
    rows += both(with_axes, "tensordot", (2, 3, 4), (4, 3, 2))
    for text, *operands in (
        ("ij,jk->ik", (2, 3), (3, 4)),
        ("bij,bjk,k->bi", (2, 2, 3), (2, 3, 2), (2,)),
        ("ii->i", (3, 3)),
        ("i,i->", (4,), (4,)),
        ("...ij,...j->...i", (2, 3, 2), (2,)),
        ("ijk->ki", (2, 3, 4)),
    ):
        rows += both(einsum(text), "einsum", *operands, order=6)
    return rows


def with_axes(name: str, *operands: Any) -> Case:
    return of(name, lambda a, b: ss.tensordot(a, b, axes=([2, 1], [0, 1])), *operands)


def einsum(text: str) -> Callable:
    def row(name: str, *operands: Any, order: int) -> Case:
        return of(name, lambda *xs: ss.einsum(text, *xs), *operands, tag=text, order=order)

    return row


def primitives() -> list[Case]:
    x = array(4, 3)
    u, add = array(2, 2, 3, seed=1), {"how": "add"}
    distinct = np.array([[3, 0], [1, 2]])
    rows = [
        *both(primitive, "sum", (2, 3, 4), params={"axes": (0, 2)}),
        *both(primitive, "broadcast", (3, 1), params={"shape": (2, 3, 4)}),
        *both(primitive, "reshape", (2, 3, 4), params={"shape": (2, 12)}),
        *both(primitive, "reshape", (6, 4), tag="that splits", params={"shape": (2, 3, 1, 4)}),
        *both(primitive, "transpose", (2, 3, 4), params={"perm": (2, 0, 1)}),
        *both(primitive, "concat", (2, 3), (2, 1), params={"axis": 1}),
        *both(
            primitive,
            "read",
            (4, 3, 2),
            params={"at": (("slice", None, None, 2), 1, None, ("slice", None, None, None))},
        ),
        *both(
            primitive,
            "put",
            (4, 3),
            (2, 3),
            params={"at": (("slice", 1, 3, None), ("slice", None, None, None))},
        ),
        *both(primitive, "put", (4, 3), (), tag="of a scalar", params={"at": (2, ("slice", None, None, None))}),
        *both(primitive, "cumulative_sum", (2, 3), params={"axis": 1}),
        *both(primitive, "prod", (2, 3), params={"axes": (1,)}),
        *both(primitive, "matmul", (5, 2, 3), (3, 4), order=6),
        *both(primitive, "matmul", (2, 1), (1, 4), tag="of a column", order=6),
        *both(primitive, "zmatmul", (2, 3), (3, 4), order=6),
        primitive("gather", x, INDEX),
        primitive("gather", x * (1 + 0.5j), INDEX, INDEX, tag="of two axes"),
        primitive("scatter", x, u, INDEX, tag="adding", params=add),
        primitive("scatter", x * (1 + 0.5j), u, distinct, params={"how": "set"}),
        primitive("scatter", x, u, INDEX, tag="with a repeated index", params={"how": "set"}),
        primitive("winners", x, u, INDEX),
        primitive("iota", params={"start": 2, "stop": 7, "step": 2, "dtype": np.dtype(np.int64)}),
    ]
    for name in ("max", "min", "argmax", "argmin", "any", "all"):
        rows.append(primitive(name, array(2, 3), params={"axes": (1,)}))
    return rows


def bodies() -> list[Case]:
    """Operations whose bodies are graphs; tests/core holds them in every nesting."""
    x = array(3)

    def covering(name: str, call: Callable, *operands: Any) -> Case:
        return Case(f"{name} of bodies", (f"prim:{name}",), call, operands, order=6)

    def loop(x: Any) -> Any:
        return ss.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * x + 0.1), (0, x))[1]

    return [
        covering("call", lambda x: ss.jit(lambda y: ss.sin(y) * y)(x), x),
        covering("cond", lambda x: ss.cond(ss.sum(x) > 0, ss.sin, ss.cos, x), x),
        covering("scan", lambda x: ss.scan(lambda c, y: (c * y + ss.sin(c), c), x[0], x), x),
        Case("while of bodies", ("prim:while",), loop, (x,), order=6, reverse_captured=False),
    ]


ROWS = [*reductions(), *shapes(), *creation(), *products(), *primitives(), *bodies()]
