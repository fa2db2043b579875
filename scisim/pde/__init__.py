"""Differential equations on domains with named coordinates: equations, conditions, and where to take points."""

from scisim.pde.conditions import Condition as Condition
from scisim.pde.conditions import Dirichlet as Dirichlet
from scisim.pde.conditions import Initial as Initial
from scisim.pde.conditions import Neumann as Neumann
from scisim.pde.data import Data as Data
from scisim.pde.domain import Domain as Domain
from scisim.pde.periodic import Periodic as Periodic
from scisim.pde.problem import Problem as Problem
from scisim.pde.samplers import Grid as Grid
from scisim.pde.samplers import LatinHypercube as LatinHypercube
from scisim.pde.samplers import ResidualAdaptive as ResidualAdaptive
from scisim.pde.samplers import Sampler as Sampler
from scisim.pde.samplers import Sobol as Sobol
from scisim.pde.samplers import Uniform as Uniform
