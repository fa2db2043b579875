"""Derivatives of any order: gradients, Jacobians, Hessians, Taylor series, partial derivatives, custom rules."""

from typing import NoReturn as _NoReturn

from scisim.autodiff import bodies as _bodies  # reverse rules of control flow
from scisim.autodiff.check import check_derivatives as check_derivatives
from scisim.autodiff.custom import checkpoint as checkpoint
from scisim.autodiff.custom import custom_jvp as custom_jvp
from scisim.autodiff.custom import custom_vjp as custom_vjp
from scisim.autodiff.forward import jvp as jvp
from scisim.autodiff.forward import linearize as linearize
from scisim.autodiff.forward import taylor as taylor
from scisim.autodiff.gradients import grad as grad
from scisim.autodiff.gradients import stop_gradient as stop_gradient
from scisim.autodiff.gradients import value_and_grad as value_and_grad
from scisim.autodiff.gradients import vjp as vjp
from scisim.autodiff.implicit import implicit_root as implicit_root
from scisim.autodiff.implicit import linear_solve as linear_solve
from scisim.autodiff.jacobians import hessian as hessian
from scisim.autodiff.jacobians import hvp as hvp
from scisim.autodiff.jacobians import jacfwd as jacfwd
from scisim.autodiff.jacobians import jacobian as jacobian
from scisim.autodiff.jacobians import jacrev as jacrev
from scisim.autodiff.operators import biharmonic as biharmonic
from scisim.autodiff.operators import curl as curl
from scisim.autodiff.operators import divergence as divergence
from scisim.autodiff.operators import laplacian as laplacian
from scisim.autodiff.partial import derivative as derivative
from scisim.autodiff.partial import partial as partial
from scisim.autodiff.partial import partials as partials
from scisim.core.names import missing_name as _missing_name

_ELSEWHERE = {
    "holomorphic": "it is scisim.complex.holomorphic",
    "wirtinger": "it is scisim.complex.wirtinger",
    "custom_gradient": "use custom_vjp",
    "elementwise_grad": "use derivative, or partial for functions of several arguments",
    "jet": "use taylor",
    "pushforward": "use jvp",
    "pullback": "use vjp",
    "remat": "use checkpoint",
}


def __getattr__(name: str) -> _NoReturn:
    raise _missing_name(__name__, name, _ELSEWHERE)
