"""All compiled samplers that need more than one word an element."""

from scisim.ops._random.angle_kernels import vonmises, wald
from scisim.ops._random.count_kernels import binomial, poisson
from scisim.ops._random.gamma_kernels import gamma, simplex, triangular
from scisim.ops._random.search_kernels import geometric, hypergeometric, multinomial, zipf

__all__ = [
    "binomial",
    "gamma",
    "geometric",
    "hypergeometric",
    "multinomial",
    "poisson",
    "simplex",
    "triangular",
    "vonmises",
    "wald",
    "zipf",
]
