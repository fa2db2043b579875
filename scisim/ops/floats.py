"""Functions of how floating-point numbers are written: their sign, and the numbers next to them."""

from __future__ import annotations

import numpy as np

from scisim.core.axes import ELEMENTWISE
from scisim.core.primitive import Primitive
from scisim.ops.arithmetic import mul, sign_p

copysign = Primitive(
    "copysign",
    np.copysign,
    axes=ELEMENTWISE,
    partials=[lambda y, a, b: mul(sign_p(a), copysign(1.0, b)), None],
    scalar=lambda s, a, b: s.select(s.signbit(b), s.neg(s.abs(a)), s.abs(a)),
    convention="that of abs at a zero of x1; constant in x2",
    array_api="copysign",
)


nextafter = Primitive(
    "nextafter",
    np.nextafter,
    axes=ELEMENTWISE,
    partials=[lambda y, a, b: 1.0, None],
    convention="that of x1, to which the result is next; constant in x2",
    array_api="nextafter",
)
