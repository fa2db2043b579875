"""Random numbers from keys: the same on any number of ranks, and no state anywhere.

>>> import scisim as ss
>>> k1, k2 = ss.random.split(ss.random.key(0))
>>> ss.random.normal(k1, (2,)).shape
(2,)
"""

from scisim.core.public import public as _public
from scisim.ops._random import categories as _categories
from scisim.ops._random import continuous as _continuous
from scisim.ops._random import counts as _counts
from scisim.ops._random import gammas as _gammas
from scisim.ops._random import integers as _integers
from scisim.ops._random import keys as _keys
from scisim.ops._random import orders as _orders
from scisim.ops._random import vectors as _vectors
from scisim.ops._random.calls import quick as _quick

_NAMES = {
    _keys: ("key", "split", "fold_in", "bits"),
    _continuous: (
        *("uniform", "normal", "exponential", "laplace", "logistic", "gumbel", "cauchy", "lognormal", "rayleigh"),
        *("weibull", "pareto", "triangular", "truncated_normal"),
    ),
    _gammas: ("gamma", "loggamma", "chisquare", "beta", "f", "t", "dirichlet", "vonmises", "wald"),
    _integers: ("integers", "bernoulli", "rademacher"),
    _counts: ("poisson", "binomial", "geometric", "negative_binomial", "zipf", "hypergeometric"),
    _categories: ("multinomial", "categorical"),
    _orders: ("permutation", "shuffle", "choice"),
    _vectors: ("multivariate_normal", "sphere", "ball", "orthogonal"),
}
_PRIMITIVES = {
    "split": _keys.split_p,
    "fold_in": _keys.fold_p,
    "bits": _keys.random_bits_p,
    "permutation": _orders.permutation_p,
}
__all__ = [_name for _names in _NAMES.values() for _name in _names]
globals().update(
    {
        _name: _quick(_public(_name, getattr(_module, _name), _PRIMITIVES.get(_name), "random"))
        for _module, _names in _NAMES.items()
        for _name in _names
    }
)
