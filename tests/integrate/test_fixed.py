"""Steps of fixed size: orders, energies, derivatives."""

from __future__ import annotations

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import integrate
from scisim.core.errors import ArgumentError


def test_rk4_is_of_order_four():
    f = lambda t, y: ss.cos(t) * y
    error = lambda n: abs(float(integrate.rk4(f, [1.0], np.linspace(0.0, 2.0, n + 1))[-1, 0]) - np.exp(np.sin(2.0)))
    assert 14 < error(20) / error(40) < 18


def test_rk4_takes_containers_and_goes_back_in_time():
    f = lambda t, y: {"x": y["v"], "v": -y["x"]}
    y = integrate.rk4(f, {"x": ss.ones(2), "v": ss.zeros(2)}, np.linspace(1.0, 0.0, 101))
    assert y["x"].shape == (101, 2)
    np.testing.assert_allclose(y["x"][-1], np.full(2, np.cos(1.0)), atol=1e-9)


@pytest.mark.parametrize(("method", "order"), [("leapfrog", 2), ("yoshida4", 4)])
def test_symplectic_methods_have_their_order_and_keep_the_energy(method, order):
    def run(n):
        return integrate.symplectic(lambda q: -ss.sin(q), [1.0], [0.2], np.linspace(0.0, 5.0, n + 1), method)

    fine = float(run(6400)[0][-1, 0])
    ratio = (float(run(100)[0][-1, 0]) - fine) / (float(run(200)[0][-1, 0]) - fine)
    assert 0.8 * 2**order < ratio < 1.2 * 2**order
    q, p = integrate.symplectic(lambda q: -q, [1.0], [0.0], np.linspace(0.0, 1000.0, 10001), method)
    energy = 0.5 * (np.asarray(q) ** 2 + np.asarray(p) ** 2)
    assert np.max(np.abs(energy - 0.5)) < (2e-3 if order == 2 else 1e-5)


def test_paths_are_retraced():
    t = np.linspace(0.0, 10.0, 101)
    q, p = integrate.symplectic(lambda q: -(q**3), [1.0], [0.3], t)
    back, momentum = integrate.symplectic(lambda q: -(q**3), q[-1], p[-1], t[::-1])
    np.testing.assert_allclose(back[-1], [1.0], atol=1e-12)
    np.testing.assert_allclose(momentum[-1], [0.3], atol=1e-12)


def test_gradients_pass_through_the_steps():
    f = lambda k: integrate.rk4(lambda t, y: -k * y, [1.0], ss.linspace(0.0, 1.0, 51))[-1, 0]
    assert abs(float(ad.grad(f)(0.7)) + np.exp(-0.7)) < 1e-8
    assert abs(float(ss.jit(ad.grad(f))(0.7)) + np.exp(-0.7)) < 1e-8


def test_misuse_is_told():
    with pytest.raises(ArgumentError, match="a vector of times"):
        integrate.rk4(lambda t, y: y, [1.0], 1.0)
    with pytest.raises(ArgumentError, match="'leapfrog' or 'yoshida4'"):
        integrate.symplectic(lambda q: -q, [1.0], [0.0], [0.0, 1.0], method="euler")
