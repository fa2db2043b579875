"""Functions of complex variables: Wirtinger calculus, holomorphic derivatives of any order, series."""

from typing import NoReturn as _NoReturn

from scisim.complex.derivatives import holomorphic as holomorphic
from scisim.complex.derivatives import wirtinger as wirtinger
from scisim.complex.jacobians import holomorphic_hessian as holomorphic_hessian
from scisim.complex.jacobians import holomorphic_jacobian as holomorphic_jacobian
from scisim.complex.jacobians import wirtinger_jacobian as wirtinger_jacobian
from scisim.complex.series import laurent as laurent
from scisim.complex.series import residue as residue
from scisim.complex.series import taylor as taylor
from scisim.core.names import missing_name as _missing_name

_ELSEWHERE = {
    "grad": "use autodiff.grad for real losses, complex.holomorphic for complex derivatives",
    "derivative": "use complex.holomorphic(f, n), or complex.wirtinger where f is not holomorphic",
    "jacobian": "use complex.holomorphic_jacobian, or complex.wirtinger_jacobian where f is not holomorphic",
    "hessian": "use complex.holomorphic_hessian",
}


def __getattr__(name: str) -> _NoReturn:
    raise _missing_name(__name__, name, _ELSEWHERE)
