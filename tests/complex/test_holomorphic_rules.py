"""The check against what it stands for, over the whole rule table: a derivative that is complex linear."""

import numpy as np
import pytest

from scisim import autodiff as ad
from scisim.autodiff._holomorphy import HolomorphicCall
from scisim.core.errors import DerivativeError
from scisim.core.tensor import Tensor
from tests.rules.table import TABLE
from tests.rules.test_rules import direction

# Functions with complex linear derivatives at the points of their rows that are refused all the same.
REFUSED = {
    "linalg.pinv": "holomorphic for square matrices alone",
    "optimize.root": "complex unknowns are solved for as pairs of real ones",
    "optimize.fixed_point": "as optimize.root",
    "rearrangements": "real parts and imaginary ones, put together again",
    "linalg.norm": "zero to first order at zero",
    "linalg.matrix_norm": "as linalg.norm",
    "linalg.vector_norm": "a sum over nothing",
    "fft.istft": "a sum over nothing",
    "complex.wirtinger of nothing": "no numbers",
}


def complex_operands(case):
    return [i for i, x in enumerate(case.operands) if np.asarray(x).dtype.kind == "c"]


CASES = [case for case in TABLE if complex_operands(case)]


def function_of(case):
    nums = complex_operands(case)

    def f(*vals):
        args = case.tensors
        for i, v in zip(nums, vals, strict=True):
            args[i] = v
        return tuple(y for y in case.outputs(*args) if y.dtype.kind in "fc")

    return f, tuple(Tensor(case.operands[i]) for i in nums)


def is_complex_linear(f, xs):
    """The Cauchy-Riemann equations along one direction: the derivative along i v is i times that along v."""
    vs = [direction(np.asarray(x), i) for i, x in enumerate(xs)]
    first, turned = (ad.jvp(f, xs, tuple(Tensor(u * v) for v in vs))[1] for u in (1, 1j))
    pairs = [(1j * np.asarray(a), np.asarray(b)) for a, b in zip(first, turned, strict=True)]
    return all(np.allclose(b, a, rtol=1e-8, atol=1e-9 * np.max(np.abs(a), initial=1), equal_nan=True) for a, b in pairs)


def is_accepted(f, xs):
    call = HolomorphicCall("holomorphic", f, xs, tuple(range(len(xs))), False)
    try:
        call(*(x._v for x in xs))
    except DerivativeError as error:
        return "is not holomorphic: it takes" not in str(error)
    return True


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_accepted_is_complex_linear(case):
    f, xs = function_of(case)
    linear, accepted = is_complex_linear(f, xs), is_accepted(f, xs)
    assert linear or not accepted
    if linear and not accepted:
        assert case.name.startswith(tuple(REFUSED)), "a holomorphic operation is refused"


def test_both_kinds_are_many():
    accepted = [is_accepted(*function_of(case)) for case in CASES]
    assert sum(accepted) > 200
    assert len(accepted) - sum(accepted) > 80
