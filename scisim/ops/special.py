"""Special functions: the error functions, the gamma and beta families, Bessel, Airy and elliptic functions and more.

Names and conventions are those of `scipy.special`. Derivatives in the argument exist to every order; those in
parameters where there is a formula. Where there is none, asking for it raises `DerivativeError`.

>>> import scisim as ss
>>> from scisim import autodiff as ad
>>> ad.grad(ss.special.erf)(0.0)
Tensor(1.12837917)
"""

from scisim.core.public import OPERATIONS as _OPERATIONS
from scisim.core.public import public as _public
from scisim.ops._special.documents import docstring as _docstring
from scisim.ops._special.families import FUNCTIONS as _FUNCTIONS

for _f in _FUNCTIONS.values():
    globals()[_f.name] = _public(_f.name, _f.raw, _f.primitive, "special", _docstring(_f))

# Those that are functions of arrays at the top too.
_SHARED = ("exp2", "expm1", "log1p", "cbrt", "sinc", "xlogy", "logsumexp", "softmax", "log_softmax")
globals().update({_name: _OPERATIONS[_name].function for _name in _SHARED})

__all__ = [*_FUNCTIONS, *_SHARED]
