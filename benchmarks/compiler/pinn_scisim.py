"""Loss and gradient of a physics-informed network with scisim, each equation as its users write it."""

from collections.abc import Callable
from typing import Any

from pdes import EQUATIONS, NU, setup

import scisim as ss
from scisim import autodiff as ad


def network(params: list, *coords: Any) -> Any:
    h = ss.stack(coords, axis=-1)
    for w, b in params[:-1]:
        h = ss.tanh(h @ w + b)
    w, b = params[-1]
    return h @ w + b


def burgers(params, t, x):
    u = lambda t, x: network(params, t, x)[..., 0]
    u, ut, ux, uxx = ad.partials(u, ["", "t", "x", "xx"])(t, x)
    return [ut + u * ux - NU * uxx]


def poisson(params, x, y):
    u = lambda x, y: network(params, x, y)[..., 0]
    uxx, uyy = ad.partials(u, ["xx", "yy"])(x, y)
    return [uxx + uyy - 1.0]


def heat(params, t, x, y):
    u = lambda t, x, y: network(params, t, x, y)[..., 0]
    ut, uxx, uyy = ad.partials(u, ["t", "xx", "yy"])(t, x, y)
    return [ut - 0.1 * (uxx + uyy)]


def wave(params, t, x, y):
    u = lambda t, x, y: network(params, t, x, y)[..., 0]
    utt, uxx, uyy = ad.partials(u, ["tt", "xx", "yy"])(t, x, y)
    return [utt - 1.5 * (uxx + uyy)]


def allen_cahn(params, t, x):
    u = lambda t, x: network(params, t, x)[..., 0]
    u, ut, uxx = ad.partials(u, ["", "t", "xx"])(t, x)
    return [ut - 1e-4 * uxx + 5.0 * u * (u * u - 1.0)]


def navier_stokes(params, x, y):
    def flow(x, y):
        out = network(params, x, y)
        return out[..., 0], out[..., 1], out[..., 2]

    now, dx, dy, dxx, dyy = ad.partials(flow, ["", "x", "y", "xx", "yy"])(x, y)
    (u, v, _), (ux, vx, px), (uy, vy, py) = now, dx, dy
    (uxx, vxx, _), (uyy, vyy, _) = dxx, dyy
    return [
        ux + vy,
        u * ux + v * uy + px - 0.01 * (uxx + uyy),
        u * vx + v * vy + py - 0.01 * (vxx + vyy),
    ]


def helmholtz(params, x, y, z):
    u = lambda x, y, z: network(params, x, y, z)[..., 0]
    u, uxx, uyy, uzz = ad.partials(u, ["", "xx", "yy", "zz"])(x, y, z)
    return [uxx + uyy + uzz + 4.0 * u - 1.0]


def kuramoto_sivashinsky(params, t, x):
    u = lambda t, x: network(params, t, x)[..., 0]
    u, ut, ux, uxx, uxxxx = ad.partials(u, ["", "t", "x", "xx", "xxxx"])(t, x)
    return [ut + u * ux + 0.5 * uxx + 0.01 * uxxxx]


def biharmonic(params, x, y):
    u = lambda x, y: network(params, x, y)[..., 0]
    uxxxx, uxxyy, uyyyy = ad.partials(u, ["xxxx", "xxyy", "yyyy"])(x, y)
    return [uxxxx + 2.0 * uxxyy + uyyyy - 1.0]


RESIDUALS: dict[str, Callable[..., list]] = {
    "burgers1d": burgers,
    "poisson2d": poisson,
    "heat2d": heat,
    "wave2d": wave,
    "allen_cahn": allen_cahn,
    "navier_stokes2d": navier_stokes,
    "helmholtz3d": helmholtz,
    "kuramoto_sivashinsky": kuramoto_sivashinsky,
    "plate_biharmonic2d": biharmonic,
}


def loss_of(name: str) -> Callable[[Any, Any], Any]:
    residual, dimensions = RESIDUALS[name], len(EQUATIONS[name].coords)

    def loss(params: list, x: Any) -> Any:
        rs = residual(params, *(x[:, k] for k in range(dimensions)))
        return sum(ss.mean(r * r) for r in rs)

    return loss


def arguments(name: str, dtype: str, points: int, rounded: str | None = None) -> tuple[list, Any]:
    params, x = setup(name, points, rounded or dtype, dtype)
    return [(ss.asarray(w), ss.asarray(b)) for w, b in params], ss.asarray(x)


def step(name: str, dtype: str, points: int) -> Callable[[], Any]:
    """A call that gives loss and gradients, in the order of the parameters."""
    params, x = arguments(name, dtype, points)
    f = ss.jit(ad.value_and_grad(loss_of(name)))
    return lambda: f(params, x)


def reference(name: str, points: int, rounded: str) -> Callable[[], Any]:
    """The same in float64 without the compiler, of inputs rounded to a dtype."""
    params, x = arguments(name, "float64", points, rounded)
    f = ad.value_and_grad(loss_of(name))
    return lambda: f(params, x)
