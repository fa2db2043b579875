"""Arrays of other libraries, by the DLPack protocol and without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.devices import check_device
from scisim.core.errors import ArgumentTypeError, ExchangeError
from scisim.core.tensor import Tensor, functions, wrap
from scisim.core.values import Traced, numeric


def from_dlpack(x: Any, /, device: Any = None, copy: bool | None = None) -> Tensor:
    """The array of another library.

    Parameters
    ----------
    x : object
        With ``__dlpack__`` and ``__dlpack_device__``, such as an array of NumPy, PyTorch or JAX.
    device : str, optional
        Where the result is to be; an array elsewhere is copied there if its library can.
    copy : bool, optional
        Whether elements are copied. By default they are only where they must be. Values never change, so whoever
        made the array promises not to write into it while it is shared; otherwise ask for a copy.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentTypeError
        For an object without the protocol.
    ExchangeError
        When its library cannot hand it over: from another device, for an unknown dtype, or without a copy.

    Examples
    --------
    >>> import numpy as np
    >>> import scisim as ss
    >>> ss.from_dlpack(np.array([1.0, 2.0]))
    Tensor([1., 2.])
    """
    check_device("from_dlpack", device)
    if type(x) is Tensor and isinstance(x._v, Traced):
        return wrap(x._v)  # shared, with its derivative
    if not (hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__")):
        raise ArgumentTypeError(
            f"from_dlpack: expected an array with __dlpack__ and __dlpack_device__, got {type(x).__name__}; "
            f"asarray takes nested lists and what NumPy can read"
        )
    a = _received(x, None if device is None else "cpu", copy)
    if not numeric(a.dtype):
        raise ExchangeError(f"from_dlpack: dtype {a.dtype} does not hold numbers")
    view = a.view()
    view.flags.writeable = False
    return wrap(view)


def _received(x: Any, device: Any, copy: bool | None) -> np.ndarray:
    try:
        return np.from_dlpack(x, device=device, copy=copy)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ExchangeError(
            f"from_dlpack: an array of {type(x).__module__}.{type(x).__name__} cannot be handed over: {error}; convert "
            f"it in its own library first, or use device='cpu', or copy=True"
        ) from error


from_dlpack.__module__ = "scisim"
functions["from_dlpack"] = from_dlpack
