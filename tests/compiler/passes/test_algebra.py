"""Identities of arithmetic keep every bit; factors of powers of two and signs meet and merge."""

import numpy as np
import pytest

from scisim.compiler.passes.algebra import is_power_of_two
from scisim.ops.arithmetic import abs_p, add, div, mul_p, neg, square_p, sub, zmul
from scisim.ops.elementary import exp
from scisim.ops.shape import reshape_p

KEPT = [  # what looks like an identity and is none
    lambda x: mul_p(x, 0.0),
    lambda x: add(x, 0.0),
    lambda x: sub(0.0, x),
    lambda x: sub(x, x),
    lambda x: sub(x, -0.0),
    lambda x: div(x, 3.0),
    lambda x: mul_p(x, 1.1),
    lambda x: div(1.0, x),
    lambda x: neg(sub(x, 1.0)),
    lambda x: mul_p(mul_p(x, 3.0), 5.0),
]
ONE = [  # (function, the one operation that is left)
    (lambda x: mul_p(x, -1.0), "neg"),
    (lambda x: mul_p(-1, x), "neg"),
    (lambda x: neg(mul_p(x, 3.0)), "mul"),
    (lambda x: mul_p(neg(x), 3.0), "mul"),
    (lambda x: mul_p(mul_p(x, 3.0), -0.5), "mul"),
    (lambda x: mul_p(mul_p(x, 4.0), 0.75), "mul"),
    (lambda x: div(x, 4.0), "mul"),
    (lambda x: div(x, -2), "mul"),
    (lambda x: div(neg(x), 3.0), "div"),
    (lambda x: add(x, x), "mul"),
    (lambda x: mul_p(x, x), "square"),
    (lambda x: zmul(x, x), "square"),
    (lambda x: square_p(neg(x)), "square"),
    (lambda x: mul_p(neg(x), neg(x)), "square"),
    (lambda x: abs_p(neg(x)), "abs"),
    (lambda x: neg(reshape_p(neg(x), shape=(2, 4))), "reshape"),
]
NOTHING = [
    lambda x: mul_p(x, 1.0),
    lambda x: mul_p(1, x),
    lambda x: div(x, 1.0),
    lambda x: sub(x, 0.0),
    lambda x: sub(x, 0),
    lambda x: add(x, -0.0),
    lambda x: neg(neg(x)),
    lambda x: mul_p(mul_p(x, -1.0), -1.0),
    lambda x: div(mul_p(x, 1), 1),
]


@pytest.mark.parametrize("f", KEPT, ids=range(len(KEPT)))
def test_what_is_no_identity_stays(rewritten, special, f):
    got = rewritten(f, special, signs=True)
    assert got.counts == got.graph.counts()


@pytest.mark.parametrize(("f", "left"), ONE, ids=[f"{k}-{n}" for k, (_, n) in enumerate(ONE)])
def test_one_operation_is_left(rewritten, special, f, left):
    assert rewritten(f, special, signs=True).counts == {left: 1}


@pytest.mark.parametrize("f", NOTHING, ids=range(len(NOTHING)))
def test_identities_leave_nothing(rewritten, special, f):
    assert rewritten(f, special, signs=True).simple.count() == 0


SIGNS = [
    (lambda x, y: add(x, neg(y)), "sub"),
    (lambda x, y: add(neg(x), y), "sub"),
    (lambda x, y: sub(x, neg(y)), "add"),
    (lambda x, y: sub(neg(x), neg(y)), "sub"),
    (lambda x, y: mul_p(neg(x), neg(y)), "mul"),
    (lambda x, y: div(neg(x), neg(y)), "div"),
    (lambda x, y: mul_p(mul_p(x, 2.0), mul_p(y, 0.5)), "mul"),
    (lambda x, y: div(mul_p(x, 2.0), mul_p(y, 2.0)), "div"),
    (lambda x, y: zmul(neg(x), neg(y)), "zmul"),
]


@pytest.mark.parametrize(("f", "left"), SIGNS, ids=[f"{k}-{n}" for k, (_, n) in enumerate(SIGNS)])
def test_signs_and_factors_of_two_operands(rewritten, special, f, left):
    x, y = (v.ravel() for v in np.meshgrid(special, special))
    assert rewritten(f, x, y, signs=True).counts == {left: 1}


def test_a_sign_moves_to_where_it_ends(rewritten, special):
    x, y = (v.ravel() for v in np.meshgrid(special, special))
    got = rewritten(lambda x, y: add(x, mul_p(neg(mul_p(y, x)), y)), x, y, signs=True)
    assert got.counts == {"mul": 2, "sub": 1}


def test_a_factor_that_is_needed_elsewhere_stays(rewritten, rng):
    def f(x, y):
        double = mul_p(x, 2.0)
        return mul_p(double, y), mul_p(double, exp(y)), double

    got = rewritten(f, rng.normal(size=5), rng.normal(size=5))
    assert got.counts["mul"] == 3


def test_factors_far_from_one_stay_where_they_are(rewritten):
    x, y = np.array([1e-30], np.float32), np.array([1e-20], np.float32)
    got = rewritten(lambda x, y: mul_p(mul_p(x, 2.0**100), y), x, y, size=0)
    assert got.counts == {"mul": 2}


@pytest.mark.parametrize("scale", [1e-37, 1.0, 1e37])
def test_merged_factors_are_exact_for_normal_results(rewritten, scale):
    x = np.array([1.1, -1.7, 1.9], np.float32) * np.float32(scale)
    assert rewritten(lambda x: mul_p(mul_p(x, 0.5), 2.0), x).simple.count() == 0
    assert rewritten(lambda x: mul_p(mul_p(x, 0.5), 3.0), x).simple.count() == 1


def test_integers_have_one_zero_and_no_fractions(rewritten):
    x = np.array([-3, 0, 7, np.iinfo(np.int32).min], np.int32)
    assert rewritten(lambda x: add(x, 0), x).simple.count() == 0
    assert rewritten(lambda x: neg(neg(mul_p(x, 1))), x).simple.count() == 0
    assert rewritten(lambda x: sub(neg(x), neg(mul_p(x, x))), x).counts == {"square": 1, "sub": 1}
    assert rewritten(lambda x: div(x, 1), x).counts == {"div": 1}
    assert rewritten(lambda x: mul_p(x, 1.0), x).counts == {"mul": 1}


def test_unsigned_integers_and_booleans(rewritten):
    x = np.array([0, 1, 200], np.uint8)
    assert rewritten(lambda x: abs_p(neg(x)), x).counts == {"neg": 1, "abs": 1}
    assert rewritten(lambda x: add(x, neg(x)), x).counts == {"sub": 1}
    b = np.array([True, False])
    assert rewritten(lambda x: add(x, x), b).counts == {"add": 1}


def test_complex_products_are_not_products_of_parts(rewritten):
    z = np.array([1 + 2j, complex(np.inf, 1.0), complex(-0.0, 0.0)])
    assert rewritten(lambda z: mul_p(z, 1.0), z).counts == {"mul": 1}
    assert rewritten(lambda z: add(z, z), z).counts == {"add": 1}
    assert rewritten(lambda z: add(z, neg(z)), z, signs=True).counts == {"sub": 1}
    assert rewritten(lambda z: neg(neg(z)), z).simple.count() == 0


@pytest.mark.parametrize(("c", "yes"), [(2.0, True), (-0.25, True), (1, True), (3.0, False), (0.0, False)])
def test_powers_of_two(c, yes):
    assert is_power_of_two(c) is yes
    assert not is_power_of_two(np.inf)
