"""Functions of complex variables: Wirtinger calculus, holomorphic derivatives of any order, series."""

from scisim.complex.derivatives import holomorphic as holomorphic
from scisim.complex.derivatives import wirtinger as wirtinger
from scisim.complex.jacobians import holomorphic_hessian as holomorphic_hessian
from scisim.complex.jacobians import holomorphic_jacobian as holomorphic_jacobian
from scisim.complex.jacobians import wirtinger_jacobian as wirtinger_jacobian
from scisim.complex.series import laurent as laurent
from scisim.complex.series import residue as residue
from scisim.complex.series import taylor as taylor
