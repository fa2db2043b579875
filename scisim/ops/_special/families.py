"""All families; importing them fills the table of functions."""

from scisim.ops._special import airy as airy
from scisim.ops._special import bessel as bessel
from scisim.ops._special import combinatorics as combinatorics
from scisim.ops._special import dilogarithm as dilogarithm
from scisim.ops._special import elliptic as elliptic
from scisim.ops._special import error_functions as error_functions
from scisim.ops._special import exponential_integrals as exponential_integrals
from scisim.ops._special import gamma as gamma
from scisim.ops._special import hypergeometric as hypergeometric
from scisim.ops._special import incomplete as incomplete
from scisim.ops._special import logarithmic as logarithmic
from scisim.ops._special import orthogonal as orthogonal
from scisim.ops._special import spherical as spherical
from scisim.ops._special import struve as struve
from scisim.ops._special import zeta as zeta
from scisim.ops._special.declare import FUNCTIONS as FUNCTIONS
