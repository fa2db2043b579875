"""Methods of tensors that those of NumPy's arrays have, beside the ones of `operators`."""

from __future__ import annotations

from typing import Any

from scisim.core.dispatch import numpy_forms
from scisim.core.tensor import Tensor, functions
from scisim.ops import choices, namespace, quantiles, rearranging, running, searching, statistics
from scisim.ops import numpy_forms as forms

_DECLARING = (choices, namespace, forms, quantiles, rearranging, running, searching, statistics)
_SAME = ("argsort", "clip", "conj", "cumprod", "cumsum", "nonzero", "ptp", "ravel", "repeat", "swapaxes", "take")


def _method(f: Any) -> Any:
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        return f(self, *args, **kwargs)

    method.__name__ = f.__name__
    method.__doc__ = f.__doc__
    return method


for _name in _SAME:
    setattr(Tensor, _name, _method(functions[_name]))
Tensor.conjugate = _method(functions["conj"])  # type: ignore[attr-defined]
for _name in ("diagonal", "trace"):  # of the first two axes, as NumPy's
    setattr(Tensor, _name, _method(numpy_forms[_name]))
