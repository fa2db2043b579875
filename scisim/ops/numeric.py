"""Elementwise functions that NumPy has beyond the Array API standard: parts of numbers, extrema without nan, angles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.axes import ELEMENTWISE, Axes
from scisim.core.errors import DTypeError, TraceError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument, number_or_value, public
from scisim.core.values import dtype as dtype_of
from scisim.core.values import is_complex, is_inexact
from scisim.ops.arithmetic import absolute, div, mul, power
from scisim.ops.complexes import imag, real
from scisim.ops.elementary import exp2
from scisim.ops.one_step import as_step
from scisim.ops.select import (
    eq,
    floor_divide,
    isinf,
    isnan,
    logical_and,
    logical_not,
    lt,
    remainder,
    signbit,
    tie,
    trunc,
    where,
)
from scisim.ops.shape import astype

# Elementwise without a scalar expression: compiled programs call NumPy for it.
BY_NUMPY = Axes(ELEMENTWISE.labels, broadcasts=True)


# --- extrema that leave nan out -----------------------------------------------------------------------------
def _share(a: Any, b: Any) -> Any:
    """The derivative of fmax(a, b) in a, where ``tie(a, b)`` is that of maximum."""
    return where(isnan(b), 1.0, where(isnan(a), 0.0, tie(a, b)))


def _without_nan(s: Any, choose: Any, a: Any, b: Any) -> Any:
    return s.select(s.eq(a, a), s.select(s.eq(b, b), choose(a, b), a), b)


fmax = Primitive(
    "fmax",
    np.fmax,
    axes=ELEMENTWISE,
    partials=[lambda y, a, b: _share(a, b), lambda y, a, b: where(isnan(a), 1.0, where(isnan(b), 0.0, tie(b, a)))],
    scalar=lambda s, a, b: _without_nan(s, s.max, a, b),
    convention="ties split the derivative equally; a nan beside a number gets none of it",
)
fmin = Primitive(
    "fmin",
    np.fmin,
    axes=ELEMENTWISE,
    partials=[
        lambda y, a, b: where(isnan(b), 1.0, where(isnan(a), 0.0, tie(b, a))),
        lambda y, a, b: where(isnan(a), 1.0, where(isnan(b), 0.0, tie(a, b))),
    ],
    scalar=lambda s, a, b: _without_nan(s, s.min, a, b),
    convention="ties split the derivative equally; a nan beside a number gets none of it",
)


# --- remainders, powers of two, steps -----------------------------------------------------------------------
def _scalar_fmod(s: Any, a: Any, b: Any) -> Any:
    r = s.rem(s.abs(a), s.abs(b))
    signed = s.select(s.lt(a, 0), s.neg(r), r)
    return s.select(s.both(s.eq(a, 0), s.eq(r, 0)), a, signed)  # a zero has the sign of the dividend


fmod = Primitive(
    "fmod",
    np.fmod,
    axes=ELEMENTWISE,
    partials=[lambda y, a, b: 1.0, lambda y, a, b: -trunc(div(a, b))],
    scalar=_scalar_fmod,
    convention="derivatives of the branch at jumps",
)


ldexp_p = Primitive(
    "ldexp",
    lambda x, n: np.ldexp(x, np.clip(n, -9999, 9999).astype(np.intc)),  # which NumPy has a fast loop for
    axes=BY_NUMPY,
    linear=(0,),
    transpose=lambda i, ct, args, p: ldexp_p(ct, args[1]),
)


fraction_p = Primitive(
    "fraction",
    lambda x: np.modf(x)[0],
    axes=BY_NUMPY,
    partials=[lambda y, x: 1.0],
    convention="1 at whole numbers too, where it jumps",
)
exponent_p = Primitive("exponent", lambda x: np.frexp(x)[1], axes=BY_NUMPY)
gcd = Primitive("gcd", np.gcd, axes=BY_NUMPY)
lcm = Primitive("lcm", np.lcm, axes=BY_NUMPY)
heaviside = Primitive(
    "heaviside",
    np.heaviside,
    axes=ELEMENTWISE,
    partials=[None, lambda y, x, h: where(eq(x, 0), 1.0, 0.0)],
    scalar=lambda s, x, h: s.select(s.lt(x, 0), 0.0, s.select(s.eq(x, 0), h, s.select(s.eq(x, x), 1.0, x))),
    convention="no derivative in x, at the jump neither",
)


def _slope2(x: Any, y: Any) -> Any:
    empty = eq(y, -math.inf)
    return where(empty, 0.0, exp2(x - where(empty, 0.0, y)))


def _scalar_logaddexp2(s: Any, a: Any, b: Any) -> Any:
    apart = s.mul(s.log1p(s.exp2(s.neg(s.abs(s.sub(a, b))))), 1.0 / math.log(2.0))
    return s.select(s.eq(a, b), s.add(a, 1.0), s.add(s.max(a, b), apart))


logaddexp2 = Primitive(
    "logaddexp2",
    np.logaddexp2,
    axes=ELEMENTWISE,
    partials=[lambda y, a, b: _slope2(a, y), lambda y, a, b: _slope2(b, y)],
    scalar=_scalar_logaddexp2,
    singular="both derivatives are 0 where both operands are -inf",
)


# --- functions with docstrings of their own -----------------------------------------------------------------
def ldexp(x: Any, n: Any) -> Any:
    """x times 2 to the power n, exact.

    Parameters
    ----------
    x : array_like
        Real.
    n : array_like of int
        Broadcasts against ``x``.

    Returns
    -------
    Tensor
        Of the dtype of ``x``; no derivative in ``n``.

    Raises
    ------
    DTypeError
        When ``n`` is not of integers.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.ldexp([1.0, 3.0], 2)
    Tensor([ 4., 12.])
    """
    x, n = as_argument(x), as_argument(n)
    if dtype_of(n).kind not in "iu":
        raise DTypeError(f"ldexp: n must be integers, got dtype {dtype_of(n)}; for any power use x * exp2(n)")
    return ldexp_p(x, n)


def frexp(x: Any) -> Any:
    """Mantissa of modulus in [0.5, 1) and exponent: x = mantissa * 2 ** exponent.

    Parameters
    ----------
    x : array_like
        Real.

    Returns
    -------
    mantissa, exponent : Tensor
        The mantissa differentiates for a fixed exponent; the exponent (int32) has no derivative.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.frexp(6.0)
    (Tensor(0.75), Tensor(3, dtype=int32))
    """
    x = as_argument(x)
    n = exponent_p(x)
    return ldexp_p(x, -n), n


def modf(x: Any) -> Any:
    """Fractional and whole parts, both with the sign of x.

    Parameters
    ----------
    x : array_like
        Real.

    Returns
    -------
    fraction, whole : Tensor
        The fraction has derivative 1, the whole part 0, at the jumps too.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.modf(-1.25)
    (Tensor(-0.25), Tensor(-1.))
    """
    x = as_argument(x)
    return fraction_p(x), trunc(x if is_inexact(x) else astype(x, np.float64))


def divmod(a: Any, b: Any) -> Any:
    """Quotient rounded down and remainder with the sign of the divisor.

    Parameters
    ----------
    a, b : array_like
        Real; shapes broadcast against each other.

    Returns
    -------
    quotient, rest : Tensor
        ``(floor_divide(a, b), remainder(a, b))``.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.divmod(7.0, 2.0)
    (Tensor(3.), Tensor(1.))
    """
    a, b = number_or_value(a), number_or_value(b)
    return floor_divide(a, b), remainder(a, b)


def float_power(x: Any, p: Any) -> Any:
    """Power computed in double precision, so that integers have negative powers too.

    Parameters
    ----------
    x, p : array_like
        Shapes broadcast against each other.

    Returns
    -------
    Tensor
        float64 or complex128.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.float_power(2, -1)
    Tensor(0.5)
    """
    x, p = as_argument(x), number_or_value(p)
    to = np.result_type(dtype_of(x), dtype_of(p), np.float64)
    return power(astype(x, to), p if type(p) in (int, float) else astype(as_argument(p), to))


def fabs(x: Any) -> Any:
    """Absolute value of real numbers, as a floating-point number.

    Parameters
    ----------
    x : array_like
        Real.

    Returns
    -------
    Tensor
        float64 for integers.

    Raises
    ------
    DTypeError
        For complex numbers, which abs takes.

    Notes
    -----
    Convention: the derivative at 0 is 0.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fabs(-2)
    Tensor(2.)
    """
    x = as_argument(x)
    if is_complex(x):
        raise DTypeError("fabs: takes real numbers, got complex ones; use abs for their moduli")
    return absolute(x if is_inexact(x) else astype(x, np.float64))


def deg2rad(x: Any) -> Any:
    """Degrees to radians.

    Parameters
    ----------
    x : array_like
        Real.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.deg2rad(180.0)
    Tensor(3.14159265)
    """
    return mul(as_argument(x), math.pi / 180.0)


def rad2deg(x: Any) -> Any:
    """Radians to degrees.

    Parameters
    ----------
    x : array_like
        Real.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.rad2deg(ss.pi)
    Tensor(180.)
    """
    return mul(as_argument(x), 180.0 / math.pi)


def around(x: Any, decimals: int = 0) -> Any:
    """Numbers rounded to so many decimal places, ties to even.

    Parameters
    ----------
    x : array_like
    decimals : int
        Negative ones round to tens, hundreds...

    Returns
    -------
    Tensor
        Of the dtype of ``x``; its derivative is zero.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.around([1.234, 5.678], 1)
    Tensor([1.2, 5.7])
    """
    return around_p(as_argument(x), decimals=int(decimals))


around_p = Primitive("around", lambda x, decimals: np.round(x, decimals), axes=BY_NUMPY)


# --- what numbers are ---------------------------------------------------------------------------------------
def isposinf(x: Any) -> Any:
    """Whether a real number is +inf, elementwise.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Tensor
        Of booleans.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.isposinf([1.0, ss.inf])
    Tensor([False,  True])
    """
    x = as_argument(x)
    return logical_and(isinf(x), logical_not(signbit(x)))


def isneginf(x: Any) -> Any:
    """Whether a real number is -inf, elementwise.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Tensor
        Of booleans.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.isneginf([1.0, -ss.inf])
    Tensor([False,  True])
    """
    x = as_argument(x)
    return logical_and(isinf(x), signbit(x))


def isreal(x: Any) -> Any:
    """Whether the imaginary part is 0, elementwise.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Tensor
        Of booleans.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.isreal([1.0, 1j])
    Tensor([ True, False])
    """
    return eq(imag(as_argument(x)), 0)


def iscomplex(x: Any) -> Any:
    """Whether the imaginary part is not 0, elementwise.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Tensor
        Of booleans.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.iscomplex([1.0, 1j])
    Tensor([False,  True])
    """
    return logical_not(isreal(x))


def nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """Numbers in the place of nan and infinities.

    Parameters
    ----------
    x : array_like
    copy : bool
        Values never change, so it makes no difference; it is there for NumPy.
    nan, posinf, neginf : float, optional
        What takes their places; for infinities the greatest and least finite numbers by default.

    Returns
    -------
    Tensor
        Real and imaginary parts are treated each by itself. Derivatives are 0 where a number was replaced.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.nan_to_num([ss.nan, 1.0, ss.inf], posinf=9.0)
    Tensor([0., 1., 9.])
    """
    x = as_argument(x)
    if not is_inexact(x):
        return x
    if is_complex(x):
        parts = (nan_to_num(f(x), copy, nan, posinf, neginf) for f in (real, imag))
        return next(parts) + next(parts) * 1j
    most = np.finfo(dtype_of(x))
    y = where(isnan(x), nan, x)
    y = where(eq(x, math.inf), float(most.max) if posinf is None else posinf, y)
    return where(eq(x, -math.inf), float(most.min) if neginf is None else neginf, y)


def real_if_close(x: Any, tol: float = 100.0) -> Any:
    """The real part, where all imaginary parts are negligible; else the numbers themselves.

    Parameters
    ----------
    x : array_like
    tol : float
        Machine epsilons up to which an imaginary part is negligible; an absolute bound where less than one.

    Returns
    -------
    Tensor

    Raises
    ------
    TraceError
        For complex numbers in a program that is captured or mapped, where the values would decide the dtype.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.real_if_close([1.0 + 1e-15j])
    Tensor([1.])
    """
    from scisim.core.control import holds

    x = as_argument(x)
    if not is_complex(x):
        return x
    bound = tol * float(np.finfo(dtype_of(x)).eps) if tol > 1 else tol
    far = holds(logical_not(lt(absolute(imag(x)), bound)))
    if far is None:
        raise TraceError("real_if_close: the dtype of the result depends on values that are not known here; use real")
    return x if far else real(x)


def angle(z: Any, deg: bool = False) -> Any:
    """Argument of a complex number in (-pi, pi].

    Parameters
    ----------
    z : array_like
    deg : bool
        Degrees instead of radians.

    Returns
    -------
    Tensor

    Notes
    -----
    Its derivative at 0 is 0, by convention.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.angle([1.0, 1j], deg=True)
    Tensor([ 0., 90.])
    """
    from scisim.ops.complexes import angle as in_radians

    a = in_radians(as_argument(z))
    return rad2deg(a) if deg else a


def _summary(text: str, example: str, result: str, note: str = "") -> str:
    notes = f"\n\nNotes\n-----\n{note}" if note else ""
    return (
        f"{text}, elementwise.\n\nParameters\n----------\na, b : array_like\n    Shapes broadcast against each other.\n"
        f"\nReturns\n-------\nTensor\n    Of the broadcast shape; dtype by NumPy's promotion.{notes}"
        f"\n\nExamples\n--------\n>>> import scisim as ss\n>>> ss.{example}\nTensor({result})"
    )


_BINARY = {
    "fmax": (fmax, "Greater of two; a nan gives way to a number", "fmax(1.0, ss.nan)", "1."),
    "fmin": (fmin, "Lesser of two; a nan gives way to a number", "fmin(1.0, ss.nan)", "1."),
    "fmod": (fmod, "Remainder with the sign of the dividend", "fmod(-3.0, 2.0)", "-1."),
    "heaviside": (heaviside, "Step: 0 for negative a, b at 0, 1 for positive a", "heaviside(0.0, 0.5)", "0.5"),
    "logaddexp2": (logaddexp2, "log2(2 ** a + 2 ** b), without overflow", "logaddexp2(2000.0, 2000.0)", "2001."),
    "gcd": (gcd, "Greatest common divisor of integers", "gcd(12, 18)", "6"),
    "lcm": (lcm, "Least common multiple of integers", "lcm(4, 6)", "12"),
}
for _name, (_prim, _text, _example, _result) in _BINARY.items():
    _note = "Its derivative is zero." if _prim.constant else f"Convention: {_prim.convention}." * bool(_prim.convention)
    public(_name, _prim, _prim, doc=_summary(_text, _example, _result, _note))
for _f in (
    *(ldexp, frexp, modf, divmod, float_power, fabs, deg2rad, rad2deg, around),
    *(isposinf, isneginf, isreal, iscomplex, nan_to_num, real_if_close, angle),
):
    public(_f.__name__, as_step(_f), around_p if _f is around else None)
