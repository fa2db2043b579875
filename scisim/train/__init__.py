"""Training models to solve differential equations, on one process or many."""

from scisim.train.checkpoint import Checkpoints as Checkpoints
from scisim.train.fit import fit as fit
from scisim.train.solution import Solution as Solution
from scisim.train.solution import load as load
