"""One Levenberg-Marquardt step on the Burgers equation with JAX and OpenBLAS, as an expert writes it by hand.

Taylor channels are stacked, and the Jacobian of all points is formed from one reverse pass to the pre-activations:
outer products of activations and sensitivities, summed over channels. JAX gives the Jacobian, the second derivative
along the step and the losses; OpenBLAS the Gram matrix, the Cholesky factor and the solves.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from lm_problem import CHANNELS, LAM, NU, initial, points
from scipy.linalg import blas, cho_factor, cho_solve

Arrays = list[tuple[Any, Any]]


class Problem:
    """Residuals u_t + u u_x - nu u_xx of u = -sin(pi x) + t (1 - x^2) N(t, x), scaled by 1/sqrt(N)."""

    def __init__(self, count: int, width: int, layers: int) -> None:
        self.x = jnp.asarray(points(count))
        self.shapes = [a.shape for a in initial(width, layers)]
        self.theta = jnp.concatenate([jnp.asarray(a).ravel() for a in initial(width, layers)])
        self.residuals = jax.jit(lambda theta: self._residuals(self._layers(theta)))
        self.loss = jax.jit(lambda theta: jnp.sum(self._residuals(self._layers(theta)) ** 2))
        self.jacobian = jax.jit(self._jacobian)
        self.second = jax.jit(self._second)

    def step(self) -> tuple[np.ndarray, float]:
        """The parameters after one step, and the loss there."""
        return self.after(*self.linearize())

    def linearize(self) -> tuple[np.ndarray, np.ndarray]:
        r, j = jax.block_until_ready(self.jacobian(self.theta))
        return np.asarray(r), np.asarray(j)

    def gram(self, j: np.ndarray) -> np.ndarray:
        """The lower half of J'J, in the order of Fortran."""
        return blas.dsyrk(1.0, j.T, lower=True)

    def after(self, r: np.ndarray, j: np.ndarray) -> tuple[np.ndarray, float]:
        return self.try_step(r, j, self.gram(j))

    def try_step(self, r: np.ndarray, j: np.ndarray, gram: np.ndarray) -> tuple[np.ndarray, float]:
        """Factor, two solves with the second derivative between, and the loss."""
        gram = gram.copy(order="F")
        gram.flat[:: len(gram) + 1] += LAM
        factor = cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
        d = -cho_solve(factor, r @ j, check_finite=False)
        bend = np.asarray(self.second(self.theta, d)) @ j
        new = self.theta + d - 0.5 * cho_solve(factor, bend, check_finite=False)
        return np.asarray(new), float(self.loss(new))

    def _layers(self, theta: Any) -> Arrays:
        arrays, start = [], 0
        for shape in self.shapes:
            size = int(np.prod(shape))
            arrays.append(theta[start : start + size].reshape(shape))
            start += size
        return list(zip(arrays[::2], arrays[1::2], strict=True))

    def _inputs(self) -> Any:
        """Channels u, u_t, u_x, u_xx of the coordinates: (4, N, 2)."""
        zero, one = jnp.zeros(len(self.x)), jnp.ones(len(self.x))
        rest = [jnp.stack(pair, 1) for pair in ((one, zero), (zero, one), (zero, zero))]
        return jnp.stack([self.x, *rest])

    def _residuals(self, layers: Arrays, moved: list | None = None, kept: list | None = None) -> Any:
        """With `moved`, a change of every pre-activation; `kept` receives the activations that enter each layer."""
        h = self._inputs()
        for k, (w, b) in enumerate(layers):
            if kept is not None:
                kept.append(h)
            z = (h.reshape(-1, h.shape[2]) @ w).reshape(CHANNELS, len(self.x), -1).at[0].add(b)
            z = z if moved is None else z + moved[k]
            h = z if k == len(layers) - 1 else _tanh(z)
        return self._equation(h[..., 0]) / np.sqrt(len(self.x))

    def _equation(self, n: Any) -> Any:
        t, x, wave = self.x[:, 0], self.x[:, 1], jnp.pi * self.x[:, 1]
        q = 1 - x * x
        u = -jnp.sin(wave) + t * q * n[0]
        ut = q * (n[0] + t * n[1])
        ux = -jnp.pi * jnp.cos(wave) + t * (q * n[2] - 2 * x * n[0])
        uxx = jnp.pi**2 * jnp.sin(wave) + t * (q * n[3] - 4 * x * n[2] - 2 * n[0])
        return ut + u * ux - NU * uxx

    def _jacobian(self, theta: Any) -> tuple[Any, Any]:
        layers, kept = self._layers(theta), []
        still = [jnp.zeros((CHANNELS, len(self.x), w.shape[1])) for w, _ in layers]
        r = self._residuals(layers, still, kept)
        _, pull = jax.vjp(lambda moved: self._residuals(layers, moved), still)
        (sensitivities,) = pull(jnp.ones_like(r))
        columns = []
        for h, s in zip(kept, sensitivities, strict=True):
            columns += [jnp.einsum("cni,cnj->nij", h, s).reshape(len(r), -1), s[0]]
        return r, jnp.concatenate(columns, 1)

    def _second(self, theta: Any, d: Any) -> Any:
        along = lambda theta: jax.jvp(lambda p: self._residuals(self._layers(p)), (theta,), (d,))[1]
        return jax.jvp(along, (theta,), (d,))[1]


def _tanh(z: Any) -> Any:
    y = jnp.tanh(z[0])
    slope = 1 - y * y
    return jnp.stack([y, slope * z[1], slope * z[2], slope * (z[3] - 2 * y * z[2] * z[2])])


def stage(name: str, count: int, width: int, layers: int) -> Callable[[], Any]:
    """A call of one stage, from the same start: step, jacobian, gram, try (factor, solves, r'', loss), loss."""
    problem = Problem(count, width, layers)
    r, j = problem.linearize()
    gram = problem.gram(j)
    return {
        "step": problem.step,
        "jacobian": problem.linearize,
        "gram": lambda: problem.gram(j),
        "try": lambda: problem.try_step(r, j, gram),
        "loss": lambda: problem.loss(problem.theta).block_until_ready(),
    }[name]
