"""Derivatives of any order: gradients, Jacobians, Hessians, Taylor series, partial derivatives, custom rules."""

from scisim.autodiff import bodies as _bodies  # reverse rules of control flow
from scisim.autodiff.check import check_derivatives as check_derivatives
from scisim.autodiff.custom import checkpoint as checkpoint
from scisim.autodiff.custom import custom_jvp as custom_jvp
from scisim.autodiff.custom import custom_vjp as custom_vjp
from scisim.autodiff.partial import biharmonic as biharmonic
from scisim.autodiff.partial import curl as curl
from scisim.autodiff.partial import derivative as derivative
from scisim.autodiff.partial import divergence as divergence
from scisim.autodiff.partial import laplacian as laplacian
from scisim.autodiff.partial import partial as partial
from scisim.autodiff.partial import partials as partials
from scisim.autodiff.transforms import grad as grad
from scisim.autodiff.transforms import hessian as hessian
from scisim.autodiff.transforms import hvp as hvp
from scisim.autodiff.transforms import jacfwd as jacfwd
from scisim.autodiff.transforms import jacobian as jacobian
from scisim.autodiff.transforms import jacrev as jacrev
from scisim.autodiff.transforms import jvp as jvp
from scisim.autodiff.transforms import linearize as linearize
from scisim.autodiff.transforms import stop_gradient as stop_gradient
from scisim.autodiff.transforms import taylor as taylor
from scisim.autodiff.transforms import value_and_grad as value_and_grad
from scisim.autodiff.transforms import vjp as vjp
