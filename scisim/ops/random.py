"""Random numbers from keys: the same on any number of ranks, and no state anywhere.

>>> import scisim as ss
>>> k1, k2 = ss.random.split(ss.random.key(0))
>>> ss.random.normal(k1, (2,)).shape
(2,)
"""

from scisim.core.public import public as _public
from scisim.ops import _random

key = _public("key", _random.key, module="random")
split = _public("split", _random.split, _random.split_p, "random")
fold_in = _public("fold_in", _random.fold_in, _random.fold_p, "random")
bits = _public("bits", _random.bits, _random.random_bits_p, "random")
uniform = _public("uniform", _random.uniform, module="random")
normal = _public("normal", _random.normal, module="random")
integers = _public("integers", _random.integers, module="random")
bernoulli = _public("bernoulli", _random.bernoulli, module="random")
permutation = _public("permutation", _random.permutation, _random.permutation_p, "random")
choice = _public("choice", _random.choice, module="random")

__all__ = [
    "key",
    "split",
    "fold_in",
    "bits",
    "uniform",
    "normal",
    "integers",
    "bernoulli",
    "permutation",
    "choice",
]
