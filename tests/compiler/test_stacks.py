"""Steps of networks as regions: products that are merged, in tiles of which the last is shorter."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.compiler.lower.steps import Region
from scisim.compiler.native import NativeProgram


def step(points, dtype, rng):
    """Graph and arguments of loss and gradient of u_t + u u_x - u_xx for a network of two hidden layers."""
    sizes = [(2, 40), (40,), (40, 24), (24,), (24, 32), (32,), (32, 1), (1,)]
    params = [ss.asarray(rng.normal(size=s).astype(dtype) / 4) for s in sizes]
    x = ss.asarray(rng.uniform(-1, 1, (points, 2)).astype(dtype))

    def field(params, t, x):
        h = ss.stack([t, x], axis=-1)
        for w, b in zip(params[:-2:2], params[1:-2:2], strict=True):
            h = ss.tanh(h @ w + b)
        return (h @ params[-2] + params[-1])[..., 0]

    def loss(params, x):
        u, u_t, u_x, u_xx = ad.partials(lambda t, x: field(params, t, x), ["", "t", "x", "xx"])(x[:, 0], x[:, 1])
        return ss.mean((u_t + u * u_x - u_xx) ** 2)

    return ss.jit(ad.value_and_grad(loss)).lower(params, x).graph, [*(p.numpy() for p in params), x.numpy()]


@pytest.mark.parametrize("points", [256, 301, 1000])
def test_a_step_with_merged_products_equals_its_equations(points, rng):
    graph, args = step(points, np.float64, rng)
    for got, want in zip(NativeProgram(graph)(*args), graph(*args), strict=True):
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-11 * np.max(np.abs(want)))


def test_coefficients_of_a_series_are_one_product(rng):
    graph, _ = step(1000, np.float64, rng)
    regions = [s for s in NativeProgram(graph).lowered.steps if isinstance(s, Region) and s.extent]
    assert len(regions) == 1
    products = [c for c in regions[0].calls if c.kernel.name.startswith("product")]
    assert 3 * len(products) <= graph.count("matmul")  # four coefficients, forward and back, and their sums
