"""Activation functions of complex numbers.

All are functions of the two real numbers Re z and Im z; none of `modrelu`, `crelu`, `zrelu`, `cardioid` and `split` is
holomorphic.  Of real numbers they give what they give on the real axis.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scisim as ss
from scisim.core.errors import ArgumentTypeError, DTypeError
from scisim.core.tensor import Tensor


def as_tensor(x: Any) -> Tensor:
    """Any array as a Tensor."""
    return x if isinstance(x, Tensor) else ss.asarray(x)


def modrelu(z: Any, bias: Any) -> Tensor:
    """The rectifier of the modulus, which keeps the phase: relu(abs(z) + bias) z / abs(z).

    M. Arjovsky, A. Shah, Y. Bengio, ICML 2016.  With a negative bias a disc around zero is mapped to zero.

    Parameters
    ----------
    z : array_like
    bias : array_like of real numbers
        Broadcasts against ``z``.

    Returns
    -------
    Tensor
        Of the dtype of ``z``.

    Raises
    ------
    DTypeError
        For a complex bias.

    Notes
    -----
    On the circle abs(z) = -bias the derivative is half that outside, as that of `relu`.  At z = 0 it is that of
    the function for ``bias <= 0`` (0, and the identity for a bias of 0); for a positive bias, where the function jumps,
    it is 0 by the conventions of abs and sign at 0.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import nn
    >>> nn.modrelu(ss.asarray([3 + 4j, 0.3j]), -1.0)
    Tensor([2.4+3.2j, 0. +0.j ])
    """
    z, b = as_tensor(z), as_tensor(bias)
    if b.dtype.kind == "c":
        raise DTypeError(f"modrelu: bias is {b.dtype}; expected real numbers, which are added to moduli")
    size = ss.abs(z)
    b = ss.astype(b, size.dtype)
    alone = ss.logical_and(size == 0, b == 0)  # the identity around this point; the product of rules says 0
    return ss.where(alone, z, ss.relu(size + b) * ss.sign(z))


def crelu(z: Any) -> Tensor:
    """The rectifier of both parts: relu(Re z) + i relu(Im z)  (C. Trabelsi et al., ICLR 2018).

    Notes
    -----
    Where a part is zero its derivative is one half, as that of `relu`.

    Examples
    --------
    >>> from scisim import nn
    >>> nn.crelu([1 - 2j, -1 + 2j])
    Tensor([1.+0.j, 0.+2.j])
    """
    return _both_parts(ss.relu, as_tensor(z))


def zrelu(z: Any) -> Tensor:
    """z where its phase lies in [0, pi/2], and zero elsewhere  (N. Guberman, arXiv:1602.09046).

    Notes
    -----
    The function jumps on the half axes that bound the quadrant; there and at 0 value and derivative are those of the
    quadrant, to which the half axes belong.

    Examples
    --------
    >>> from scisim import nn
    >>> nn.zrelu([1 + 2j, -1 + 2j, 1 - 2j])
    Tensor([1.+2.j, 0.+0.j, 0.+0.j])
    """
    z = as_tensor(z)
    inside = ss.logical_and(ss.real(z) >= 0, ss.imag(z) >= 0)
    return ss.where(inside, z, ss.zeros_like(z))


def cardioid(z: Any) -> Tensor:
    """(1 + cos(phase of z)) / 2 times z, the rectifier on the real axis  (P. Virtue, S. Yu, M. Lustig, ICIP 2017).

    Notes
    -----
    At 0, where the derivative depends on the direction, it is taken as one half: its mean over all directions, and what
    `relu` has there.

    Examples
    --------
    >>> from scisim import nn
    >>> nn.cardioid([2.0, 2j, -2.0])
    Tensor([2.+0.j, 0.+1.j, 0.+0.j])
    """
    z = as_tensor(z)
    return 0.5 * (z + ss.real(z) * ss.sign(z))


class split:
    """A real activation applied to real and imaginary parts: f(Re z) + i f(Im z).

    Parameters
    ----------
    f : callable or str
        A function of real tensors, or the name of an activation.

    Notes
    -----
    Derivatives, and conventions at kinks, are those of ``f`` in each part.  Two of one function are equal, so that they
    may be static fields of modules.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import nn
    >>> nn.split("relu")(1 - 2j)
    Tensor(1.+0.j)
    >>> nn.MLP([2, 8, 1], nn.split("silu"), key=ss.random.key(0), dtype="complex128")(ss.ones(2)).dtype
    dtype('complex128')
    """

    def __init__(self, f: Callable | str) -> None:
        from scisim.nn.activations import activation

        activation(f, "split")
        self.f = f

    def __call__(self, z: Any) -> Tensor:
        from scisim.nn.activations import activation

        return _both_parts(activation(self.f), as_tensor(z))

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, split) and other.f == self.f

    def __hash__(self) -> int:
        return hash((split, self.f))

    def __repr__(self) -> str:
        return f"split({getattr(self.f, '__name__', None) or repr(self.f)})"


def _both_parts(f: Callable, z: Tensor) -> Tensor:
    return f(ss.real(z)) + 1j * f(ss.imag(z)) if z.dtype.kind == "c" else f(z)


def real_only(f: Callable, name: str, instead: str) -> Callable:
    """An activation that complex numbers do not have, which says what there is in its place."""

    def refusing(x: Any) -> Any:
        if isinstance(x, complex) or (hasattr(x, "dtype") and x.dtype.kind == "c"):
            raise DTypeError(f"{name}: not defined for complex numbers; use {instead}")
        return f(x)

    refusing.__name__ = refusing.__qualname__ = name
    refusing.__doc__ = f.__doc__
    return refusing


def check_bias(who: str, bias: Any) -> None:
    """The start of a bias is a real number."""
    if isinstance(bias, bool) or not isinstance(bias, (int, float)):
        raise ArgumentTypeError(f"{who}: bias is {bias!r}; expected a real number")
