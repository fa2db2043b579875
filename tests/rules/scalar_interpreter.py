"""Runs the scalar expression of an elementwise primitive on single numbers: NumPy's, or mpmath's of any precision.

The compilers lower the same expressions; this says what they mean.  A namespace is a class, used without an instance.
"""

from __future__ import annotations

import operator

import mpmath
import numpy as np
import scipy.special


class NumPyScalars:
    """The scalar namespace over NumPy numbers."""

    square, sinc = np.square, np.sinc
    mul, add, sub, div, neg = np.multiply, np.add, np.subtract, np.divide, np.negative
    sqrt, hypot, sign, abs = np.sqrt, np.hypot, np.sign, np.abs
    cbrt = lambda x: x ** (1 / 3) if np.iscomplexobj(x) else np.cbrt(x)
    exp, exp2, expm1, log, log2, log10, log1p = np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p
    sin, cos, tan, asin, acos, atan, atan2 = (
        np.sin,
        np.cos,
        np.tan,
        np.arcsin,
        np.arccos,
        np.arctan,
        np.arctan2,
    )
    sinh, cosh, tanh, asinh, acosh, atanh = np.sinh, np.cosh, np.tanh, np.arcsinh, np.arccosh, np.arctanh
    lt, le, gt, ge, eq, ne = np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal
    max, min, rem, pow, ipow = np.maximum, np.minimum, np.remainder, np.power, np.power
    floor, ceil, trunc, round, floor_divide = np.floor, np.ceil, np.trunc, np.round, np.floor_divide
    isnan, isinf, isfinite, signbit = np.isnan, np.isinf, np.isfinite, np.signbit
    logical_and, logical_or, logical_xor = np.logical_and, np.logical_or, np.logical_xor
    logical_not, either, both = np.logical_not, np.logical_or, np.logical_and
    bitwise_and, bitwise_or, bitwise_xor = np.bitwise_and, np.bitwise_or, np.bitwise_xor
    bitwise_invert, left_shift, right_shift = np.bitwise_not, np.left_shift, np.right_shift
    conj, real, imag = np.conj, np.real, np.imag
    times_i = lambda x: complex(-x.imag, x.real)
    select = lambda condition, a, b: a if condition else b
    cast = lambda x: x
    sigmoid = lambda x: 1 / (1 + np.exp(-x))
    erf, erfc = scipy.special.erf, scipy.special.erfc


class MpmathScalars(NumPyScalars):
    """The scalar namespace over mpmath numbers, for what mpmath has."""

    square, sinc = lambda x: x * x, mpmath.sincpi
    mul, add, sub, div, neg = operator.mul, operator.add, operator.sub, operator.truediv, operator.neg
    lt, le, gt, ge, eq, ne = operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne
    sqrt, hypot, sign, abs = mpmath.sqrt, mpmath.hypot, mpmath.sign, operator.abs
    cbrt = lambda x: mpmath.cbrt(x) if isinstance(x, mpmath.mpc) else mpmath.sign(x) * mpmath.cbrt(operator.abs(x))
    exp, expm1, log, log1p, log10 = mpmath.exp, mpmath.expm1, mpmath.log, mpmath.log1p, mpmath.log10
    exp2 = lambda x: mpmath.mpf(2) ** x
    log2 = lambda x: mpmath.log(x) / mpmath.log(2)
    sin, cos, tan, asin, acos, atan = (
        mpmath.sin,
        mpmath.cos,
        mpmath.tan,
        mpmath.asin,
        mpmath.acos,
        mpmath.atan,
    )
    sinh, cosh, tanh, asinh = mpmath.sinh, mpmath.cosh, mpmath.tanh, mpmath.asinh
    acosh, atanh, atan2 = mpmath.acosh, mpmath.atanh, mpmath.atan2
    pow = ipow = operator.pow
    max, min = max, min
    conj, real, imag = mpmath.conj, mpmath.re, mpmath.im
    times_i = lambda x: mpmath.mpc(-x.imag, x.real)
    sigmoid = lambda x: 1 / (1 + mpmath.exp(-x))
    erf, erfc = mpmath.erf, mpmath.erfc
    either, both, logical_not = lambda a, b: a or b, lambda a, b: a and b, lambda a: not a
    isnan, isfinite = mpmath.isnan, mpmath.isfinite
    signbit = lambda x: x < 0
