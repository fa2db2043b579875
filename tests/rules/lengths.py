"""Rows for lengths and norms whose value is known, and which have its derivative."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.tensor import unwrap, wrap
from scisim.core.values import is_complex
from scisim.ops._linalg.scaling import norm_p, powers
from scisim.ops.arithmetic import sqrt
from scisim.ops.directions import direction, length, turn
from tests.rules.cases import Case, array


def _length(a: Any, b: Any) -> Any:
    a, b = unwrap(a), unwrap(b)
    return wrap(length(a, b, sqrt(a * a + b * b)))


def _direction(a: Any, b: Any) -> Any:
    a, b = unwrap(a), unwrap(b)
    return wrap(direction(a, b, length(a, b, sqrt(a * a + b * b))))


def _turn(a: Any, b: Any) -> Any:
    a, b = unwrap(a), unwrap(b)
    return wrap(turn(a, b, length(a, b, sqrt(a * a + b * b))))


def _norm(p: float, axes: tuple[int, ...]) -> Any:
    def call(x: Any) -> Any:
        v = unwrap(x)
        return wrap(norm_p(v, powers(v, p, axes), p=p, axes=axes))

    return call


def _case(name: str, call: Any, *operands: Any, tag: str = "") -> Case:
    kind = " complex" if any(map(is_complex, operands)) else ""
    return Case(f"{name} primitive{tag and ' ' + tag}{kind}", (f"prim:{name}",), call, operands)


def _rows(name: str, call: Any) -> list[Case]:
    a, b = array(2, 3), array(2, 3, seed=1)
    return [
        _case(name, call, a, b),
        _case(name, call, a, b[0], tag="of broadcast shapes"),
        _case(name, call, np.asarray(0.7), np.asarray(-1.1), tag="0-d"),
        _case(name, call, np.zeros((2, 0)), np.zeros((2, 0)), tag="empty"),
    ]


ROWS = [
    *_rows("length", _length),
    *_rows("direction", _direction),
    *_rows("angle_slope", _turn),
    _case("norm", _norm(2, (1,)), array(2, 3)),
    _case("norm", _norm(3, (0,)), array(2, 3, kind="p"), tag="of order 3"),
    _case("norm", _norm(4, (0, 1)), array(2, 3), tag="of order 4"),
    _case("norm", _norm(1.5, (1,)), array(2, 3, kind="p"), tag="of order 1.5"),
    _case("norm", _norm(2, (1,)), array(2, 3, kind="c")),
    _case("norm", _norm(4, (1,)), array(2, 3, kind="c"), tag="of order 4"),
    _case("norm", _norm(2, (1,)), np.zeros((0, 3)), tag="empty"),
]
