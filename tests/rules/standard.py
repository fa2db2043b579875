"""Rows for functions that the Array API standard adds to those of the other modules."""

from __future__ import annotations

from typing import Any

import numpy as np

import scisim as ss
from tests.rules.arrays import of
from tests.rules.cases import Case, array, both, primitive

NOTHING, NUMBER = np.zeros(0), np.float64(0.7)
GRID, COMPLEX, VECTOR = array(2, 3), array(2, 3, kind="c"), array(5)
TIES = np.array([0.7, -1.2, 0.7, 0.4, -1.2])


def of_all_kinds(name: str, call: Any) -> list[Case]:
    """Rows of a function of one operand of any shape."""
    operands = {"": GRID, "without elements": NOTHING, "without axes": NUMBER, "in": COMPLEX}
    return [of(name, call, x, tag=tag, order=4) for tag, x in operands.items()]


def products() -> list[Case]:
    return [
        of("cumulative_prod", lambda x: ss.cumulative_prod(x, axis=1), GRID, tag="over the last axis"),
        of("cumulative_prod", lambda x: ss.cumulative_prod(x, axis=0, include_initial=True), COMPLEX, tag="from 1"),
        of("cumulative_prod", ss.cumulative_prod, np.array([0.7, 0.0, 1.2, 0.0, -0.3]), tag="with zeros"),
        of("cumulative_prod", ss.cumulative_prod, NOTHING, tag="without elements"),
        of("cumulative_prod", lambda x: ss.cumulative_prod(x[None]), NUMBER, tag="without axes"),
        *both(primitive, "cumulative_prod", (2, 3), params={"axis": 1}),
    ]


def sets() -> list[Case]:
    functions = (ss.unique_all, ss.unique_counts, ss.unique_inverse, ss.unique_values)
    rows = []
    for f in functions:
        name = f.__name__
        rows += [
            of(name, lambda x, f=f: f(x, size=6, fill_value=0.0), VECTOR, tag="filled up"),
            of(name, lambda x, f=f: f(x, size=2), GRID, tag="cut off"),
            of(name, lambda x, f=f: f(x, size=5), COMPLEX, tag="in"),
            of(name, lambda x, f=f: f(x, size=2), NOTHING, tag="without elements"),
            of(name, lambda x, f=f: f(x, size=1), NUMBER, tag="without axes"),
        ]
    some, found = np.array([[3, 1, 4], [1, 5, 9]]), np.array([1, 9, 2])
    rows += [
        of("isin", ss.isin, some, found),
        of("isin", lambda x, y: ss.isin(x, y, invert=True), COMPLEX, COMPLEX[0], tag="in"),
        of("isin", ss.isin, NOTHING, NUMBER, tag="without elements"),
        primitive("isin", GRID, GRID[0]),
    ]
    return rows


def parts() -> list[Case]:
    return [
        of("nonzero", lambda x: ss.nonzero(x, size=4, fill_value=-1), GRID * [[1, 0, 1], [0, 0, 1]], tag="filled up"),
        of("nonzero", lambda x: ss.nonzero(x, size=2), COMPLEX, tag="cut off"),
        of("nonzero", lambda x: ss.nonzero(x, size=1), NOTHING, tag="without elements"),
        of("unstack", lambda x: ss.unstack(x, axis=1), GRID),
        of("unstack", ss.unstack, COMPLEX),
        of("unstack", lambda x: ss.unstack(x, axis=1), np.zeros((0, 2)), tag="without elements"),
        of("where", ss.where, np.array([True, False, True]), COMPLEX, NUMBER, tag="of three shapes"),
        *of_all_kinds("positive", ss.positive),
        *of_all_kinds("reciprocal", ss.reciprocal),
    ]


ROWS = [*products(), *sets(), *parts()]
EXEMPT = {
    "op:copysign": {"complex": "for real numbers alone"},
    "op:nextafter": {"complex": "for real numbers alone"},
    "op:nonzero": {"0-d": "an array without axes has no positions"},
    "op:unstack": {"0-d": "an array without axes has no parts"},
    "op:isin": {"broadcast": "either operand has a shape of its own"},
}
