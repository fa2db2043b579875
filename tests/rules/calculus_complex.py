"""Rows for complex derivatives, which are functions that differentiate, map and compile as any other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import scisim as ss
from scisim import complex as sc
from tests.rules.cases import Case, array


def row(name: str, call: Callable, *operands: Any, tag: str = "", order: int = 3, **more: Any) -> Case:
    """A row for a function of functions."""
    arrays = tuple(map(np.asarray, operands))
    return Case(f"complex.{name}{tag and ' ' + tag}", (f"fn:complex.{name}",), call, arrays, order=order, **more)


def curve(z: Any, w: Any = 1.0) -> Any:
    return ss.exp(z * w) / (1.0 + 0.1 * z * z)


def bent(z: Any, w: Any = 1.0) -> Any:
    """Not holomorphic."""
    return ss.abs(z) ** 2 * w + ss.sin(ss.conj(z)) * z * w


def field(z: Any) -> Any:
    return ss.tanh((z + 0.5j * z[::-1]) / 4) * z[0]


def turned(z: Any) -> Any:
    return (z + 0.5j * z[::-1]) * ss.conj(z) + ss.abs(z) ** 2


def elementwise() -> list[Case]:
    z, w = array(2, 3, kind="c"), array(3, seed=1, kind="c")
    rows = []
    for name, f in (("holomorphic", curve), ("wirtinger", bent)):
        of = getattr(sc, name)
        rows += [
            row(name, of(f), z, w, tag="of two"),
            row(name, of(f), array(3), tag="on the real axis"),
            row(name, of(f), array(kind="c"), tag="of a number"),
            row(name, of(f), np.zeros((0, 2), complex), tag="of nothing"),
            row(
                name,
                lambda z, w, of=of, f=f: of(f, argnums=1)(z, w),
                w,
                array(3, seed=2, kind="c"),
                tag="in the second",
            ),
        ]
    return [*rows, row("holomorphic", sc.holomorphic(curve, 3), w, tag="of order 3", order=2)]


def matrices() -> list[Case]:
    z = array(3, kind="c")
    one, nothing = array(kind="c"), np.zeros(0, complex)
    rows = []
    for name, f in (("holomorphic_jacobian", field), ("wirtinger_jacobian", turned)):
        of = getattr(sc, name)
        rows += [
            row(name, of(f), z, tag="pushed", order=2),
            row(name, of(lambda z, f=f: ss.sum(f(z))), z, tag="pulled", order=2),
            row(name, of(lambda z: z * z), one, tag="of a number", order=2),
            row(name, of(lambda z: 2.0 * z), nothing, tag="of nothing", order=1),
        ]
    of = sc.holomorphic_hessian
    return [
        *rows,
        row(
            "wirtinger_jacobian", sc.wirtinger_jacobian(lambda z: ss.abs(turned(z))), z, tag="of real results", order=2
        ),
        row("holomorphic_hessian", of(lambda z: ss.sum(field(z))), z, order=1),
        row("holomorphic_hessian", of(curve), one, tag="of a number", order=2),
        row("holomorphic_hessian", of(lambda z: ss.sum(z * z)), nothing, tag="of nothing", order=1),
    ]


def series() -> list[Case]:
    z, v = array(3, kind="c"), array(3, seed=1, kind="c")
    nothing = np.zeros(0, complex)
    ring = lambda z: sc.laurent(lambda w: ss.exp(w) / w**2, 0.1 * z, -2, 1, points=64)
    inside = lambda z: sc.residue(lambda w: ss.exp(w) / (w - z), z, points=64)
    return [
        row("taylor", lambda z, v: sc.taylor(curve, z, v, 3), z, v, order=2),
        row("taylor", lambda z: sc.taylor(curve, z, 1.0, 2), array(kind="c"), tag="of a number", order=2),
        row("taylor", lambda z: sc.taylor(curve, z, np.ones(0), 2), nothing, tag="of nothing", order=1),
        row("laurent", ring, z, order=1),
        row("laurent", ring, array(kind="c"), tag="of a number", order=1),
        row("laurent", ring, nothing, tag="of nothing", order=1),
        row("residue", inside, array(kind="c"), order=3),
        row("residue", lambda z: sc.residue(lambda w: ss.exp(w) / (w - z[:, None]), z), z, tag="of several", order=1),
        row("residue", lambda z: sc.residue(ss.exp, z), nothing, tag="of nothing", order=1),
    ]


ROWS = [*elementwise(), *matrices(), *series()]
EXEMPT = {
    "fn:complex.taylor": {"broadcast": "a direction has the shape of its point"},
}
