"""Functions of complex variables: Wirtinger calculus, holomorphic derivatives."""

from scisim.complex.derivatives import holomorphic as holomorphic
from scisim.complex.derivatives import wirtinger as wirtinger
