"""Parts of complex numbers: linear over the reals, cotangents paired as dL = Re(sum(ct * dz))."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.axes import ELEMENTWISE
from scisim.core.primitive import Primitive
from scisim.core.values import is_complex, zeros_like

conj_p = Primitive(
    "conj",
    np.conj,
    axes=ELEMENTWISE,
    linear=(0,),
    transpose=lambda i, ct, args, p: conj(ct),
    scalar=lambda s, z: s.conj(z),
    array_api="conj",
)
real_p = Primitive(
    "real",
    np.real,
    axes=ELEMENTWISE,
    linear=(0,),
    transpose=lambda i, ct, args, p: ct,
    scalar=lambda s, z: s.real(z),
    array_api="real",
)
imag_p = Primitive(
    "imag",
    np.imag,
    axes=ELEMENTWISE,
    linear=(0,),
    transpose=lambda i, ct, args, p: ct * -1j,
    scalar=lambda s, z: s.imag(z),
    array_api="imag",
)


def _times_i(z: Any) -> Any:
    out = np.empty(np.shape(z), np.asarray(z).dtype)
    out.real, out.imag = np.negative(np.imag(z)), np.real(z)
    return out[()]


# i z by exchange of the parts: a product with 1j loses the sign of a zero, which tells the side of a branch cut.
times_i = Primitive(
    "times_i",
    _times_i,
    axes=ELEMENTWISE,
    linear=(0,),
    transpose=lambda i, ct, args, p: times_i(ct),
    scalar=lambda s, z: s.times_i(z),
)


def conj(z: Any) -> Any:
    return conj_p(z) if is_complex(z) else z


def real(z: Any) -> Any:
    return real_p(z) if is_complex(z) else z


def imag(z: Any) -> Any:
    return imag_p(z) if is_complex(z) else zeros_like(z) if hasattr(z, "dtype") else type(z)(0)


def angle(z: Any) -> Any:
    """Argument of a complex number in (-pi, pi], radians."""
    from scisim.ops.elementary import atan2

    return atan2(imag(z), real(z))
