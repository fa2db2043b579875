"""Derivatives of any order: gradients, Jacobians, Hessians, Taylor series, partial derivatives, custom rules."""

from scisim.autodiff import bodies as _bodies
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
