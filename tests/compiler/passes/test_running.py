"""What only derivatives need leaves a program that runs."""

import numpy as np

import scisim as ss
from scisim import autodiff as ad
from scisim.ops.arithmetic import ipow_p, pin, power_p, stop
from scisim.ops.elementary import exp


def test_pins_and_stops_are_for_derivatives(rewritten, special):
    got = rewritten(lambda x: pin(exp(x), stop(x)), special, signs=True)
    assert got.counts == {"exp": 1, "stop_gradient": 1, "pin": 1}
    assert got.running == {}
    got = rewritten(lambda x: pin(x, np.float32(2.0)), special)
    assert got.counts["pin"] == 1


def test_small_powers_are_products(rewritten, special):
    for n, left in ((2, {"square": 1}), (3, {"square": 1, "mul": 1}), (4, {"square": 2})):
        got = rewritten(lambda x, n=n: ipow_p(x, n=n), special, size=2)
        assert (got.counts, got.running) == ({"ipow": 1}, left)
        got = rewritten(lambda x, n=n: power_p(x, float(n)), special, size=2)
        assert (got.counts, got.running) == ({"power": 1}, left)
    assert rewritten(lambda x: power_p(x, 1.0), special, size=2).running == {}
    assert rewritten(lambda x: power_p(x, -1.0), special, size=2).running == {"div": 1}


def test_other_powers_stay(rewritten, special):
    for p in (0.5, 7.0, -2.0, 0.0):
        assert rewritten(lambda x, p=p: power_p(x, p), special).running == {"power": 1}
    assert rewritten(lambda x: ipow_p(x, n=9), special).running == {"ipow": 1}
    assert rewritten(lambda x: power_p(x, 2.0), np.array([2, 3])).running == {"power": 1}


def test_derivatives_are_those_of_the_simplified_program(rng):
    f = ss.jit(lambda x: ss.sum(ss.sqrt(x * x) ** 3 + ad.stop_gradient(x) * x))
    x = ss.asarray(rng.normal(size=4))
    assert np.allclose(ad.grad(f)(x), 3.0 * x * ss.abs(x) + x, rtol=1e-13)
    at_zero = ss.jit(lambda x: ss.sum(x * x) ** 0.5)
    assert ad.grad(lambda x: at_zero(x) ** 2)(ss.zeros(3)).tolist() == [0.0, 0.0, 0.0]
