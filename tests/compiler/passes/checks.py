"""How every rewrite is held: by what the graph becomes, and by its values beside those of the graph as captured."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.compiler.passes import prepare, simplify
from scisim.core.avals import aval
from scisim.core.capture import capture
from scisim.core.graph import Graph

SPECIAL = [0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 3.0]


def graph_of(f: Any, *args: Any) -> Graph:
    """The graph of a function of raw values, as captured."""

    def run(*vals: Any) -> list:
        out = f(*vals)
        return list(out) if isinstance(out, (tuple, list)) else [out]

    return capture(run, [aval(a) for a in args], "f")


def same(got: Any, want: Any, signs: bool) -> None:
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    np.testing.assert_array_equal(got, want)
    if signs and want.dtype.kind in "fc":
        for part in (np.real, np.imag):
            a, b = part(got), part(want)
            np.testing.assert_array_equal(np.signbit(a) & (a == a), np.signbit(b) & (b == b))


def close(got: Any, want: Any, size: int) -> None:
    """Sums of ``size`` terms in another order: the terms here are of the order of one."""
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    eps = np.finfo(want.dtype).eps if want.dtype.kind in "fc" else 0
    np.testing.assert_allclose(got, want, rtol=4 * size * eps, atol=4 * size * eps)


class Rewritten:
    """A function's graph as captured, simplified and prepared, of equal values."""

    def __init__(self, f: Any, args: tuple, exact: bool, signs: bool, size: int) -> None:
        self.graph = graph_of(f, *args)
        before = str(self.graph)
        self.simple = simplify(self.graph)
        self.prepared = prepare(self.simple)
        assert str(self.graph) == before  # passes are pure
        with np.errstate(all="ignore"):
            want = [np.asarray(y) for y in self.graph(*args)]
            for g in (self.simple, self.prepared):
                for x, y in zip(map(np.asarray, g(*args)), want, strict=True):
                    same(x, y, signs) if exact and g is self.simple else close(x, y, size)

    @property
    def counts(self) -> dict:
        return dict(self.simple.counts())

    @property
    def running(self) -> dict:
        return dict(self.prepared.counts())
