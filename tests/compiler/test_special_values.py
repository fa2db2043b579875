"""Compiled elementwise operations of real numbers at zeros, infinities, nan and the ends of their range, as eager."""

from __future__ import annotations

import itertools
from typing import Any

import mpmath
import numpy as np
import pytest

import scisim as ss
from scisim.core.axes import ELEMENTWISE
from scisim.core.tensor import Tensor
from tests.rules.cases import Case
from tests.rules.table import TABLE


def kinds(case: Case) -> set[str]:
    return {np.asarray(x).dtype.kind for x in case.operands}


def elementwise() -> list[Case]:
    chosen = [c for c in TABLE if c.prim is not None and c.prim.axes is ELEMENTWISE and "c" not in kinds(c)]
    alone = [c for c in chosen if " of " not in c.name]
    return [pytest.param(c, id=c.name) for c in alone]


def special(dtype: Any) -> np.ndarray:
    info = np.finfo(dtype)
    ends = [info.tiny, info.tiny / 8, -info.smallest_subnormal, info.max, -info.max]
    usual = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, 1e5, -37.25, 20.5, 710.0, -760.0, 88.9, -104.0]
    return np.array([*usual, *ends, np.inf, -np.inf, np.nan], dtype)


def grid(case: Case, dtype: Any) -> list[np.ndarray]:
    """All combinations of special values."""
    integers = np.array([0, 1, 2, -1, 7, -8, 100, 2**31, -(2**63)])
    values = {"f": special(dtype), "b": np.array([True, False]), "i": integers}
    columns = [values[np.asarray(x).dtype.kind] for x in case.operands]
    rows = zip(*itertools.product(*columns), strict=True)
    return [np.array(r).astype(c.dtype) for r, c in zip(rows, columns, strict=True)]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("case", elementwise())
def test_special_values(case, dtype):
    xs = grid(case, dtype)
    for got, want in zip(ss.jit(lambda *a: tuple(case.outputs(*a)))(*map(Tensor, xs)), case.outputs(*map(Tensor, xs))):
        got, want = np.asarray(got), np.asarray(want)
        assert got.dtype == want.dtype
        if want.dtype.kind == "f":
            info, finite = np.finfo(want.dtype), np.isfinite(want)
            np.testing.assert_array_equal(got[~finite], want[~finite])
            with np.errstate(all="ignore"):
                room = 8 * info.eps * np.abs(want) + 2 * info.smallest_subnormal  # 4 ulp on either side
                assert np.all(np.abs(got - want)[finite] <= room[finite])
            zero = (want == 0) & (got == 0)
            np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(want[zero]))
        else:
            np.testing.assert_array_equal(got, want)


EXACT = [pytest.param(c, id=c.name) for c in TABLE if c.exact is not None]
LOW = {"f": np.float32, "c": np.complex64}


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("case", EXACT)
def test_one_operation_equals_mpmath(case, single):
    """Within 4 units in the last place; of complex numbers, of their modulus."""
    xs = [np.asarray(x) for x in case.operands]
    xs = [x.astype(LOW[x.dtype.kind]) for x in xs] if single else xs
    got = np.asarray(ss.jit(case.call)(*map(Tensor, xs)))
    for at in np.ndindex(got.shape):
        with mpmath.workdps(40):
            want = case.exact(*(mpmath.mpmathify(x[at].item()) for x in xs))
            assert abs(mpmath.mpmathify(got[at].item()) - want) <= 4 * np.finfo(got.dtype).eps * abs(want)
