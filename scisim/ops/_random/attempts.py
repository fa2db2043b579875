"""The words of one attempt of a sampler by rejection.

Attempt t of element i reads the block of counter (i, stream + t), so that no element depends on another one; after
`BUDGET` attempts the last proposal is taken, which at an acceptance of 2/3 and more happens to one element in 10**30.
"""

import numpy as np

from scisim.ops._random.bits_kernels import (
    LOW,
    S32,
    SAMPLE,
    block,
    compiled,
)

_U = np.uint64
BUDGET = 64


@compiled
def attempt_of(at, third, k0, k1):
    """The two words of one attempt."""
    i = _U(at)
    return block(i & LOW, i >> S32, _U(third), SAMPLE, k0, k1)
