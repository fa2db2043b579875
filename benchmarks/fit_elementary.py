"""Fits the polynomials of the compiler's elementary functions and writes them as a Python module.

Each is the polynomial of least greatest error (the exchange algorithm of Remez) of a smooth function that mpmath
computes.  The error is measured relative to the whole function: a part that is small beside the rest, as the cubic
terms of the sine are, needs few digits.  The first two
coefficients are rounded before the others are fitted.

    python benchmarks/fit_elementary.py scisim/compiler/scalar/coefficients.py
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpmath import mp, mpf

mp.dps = 60
LN2 = mp.log(2)
SMALL = mpf("1e-9")


@dataclass(frozen=True)
class Fit:
    """A function on an interval, the weight of an error of it, and the degrees for float32 and float64."""

    name: str
    function: Callable
    weight: Callable
    low: Any
    high: Any
    degrees: tuple[int | None, int]


def series(terms: Callable[[int], Any], closed: Callable) -> Callable:
    """A function by its Taylor series near 0, where the closed form cancels."""
    return lambda x: mp.fsum(terms(k) * x**k for k in range(6)) if abs(x) < SMALL else closed(x)


def odd(f: Callable, third: Callable[[int], Any]) -> Callable:
    """(f(r) - r) / r**3 as a function of z = r*r, for odd f with slope 1; third(k) are its Taylor coefficients."""

    def closed(z: Any) -> Any:
        r = mp.sqrt(z)
        return (f(r) - r) / r**3

    return series(third, closed)


def odd_weight(f: Callable) -> Callable:
    return lambda z: z / (f(mp.sqrt(z)) / mp.sqrt(z)) if z else mpf(0)


def remez(fit: Fit, degree: int, fixed: Sequence[Any] = ()) -> list[Any]:
    """Coefficients from number len(fixed) on, of least greatest weighted error beside the fixed ones."""
    first, count = len(fixed), degree + 1 - len(fixed)
    half, middle = (fit.high - fit.low) / 2, (fit.high + fit.low) / 2
    grid = [middle + half * mp.cos(mp.pi * (k + mpf(1) / 2) / (24 * count)) for k in range(24 * count)]
    wanted = [fit.function(x) - mp.polyval([*reversed(fixed), 0], x) / (x or 1) * (1 if x else 0) for x in grid]
    weights = [fit.weight(x) for x in grid]
    points = [24 * k + 12 * k // count for k in range(count)] + [24 * count - 1]
    for _ in range(12):
        system, right = mp.matrix(count + 1, count + 1), mp.matrix(count + 1, 1)
        for i, p in enumerate(points):
            for k in range(count):
                system[i, k] = weights[p] * grid[p] ** (first + k)
            system[i, count], right[i] = (-1) ** i, weights[p] * wanted[p]
        solution = mp.lu_solve(system, right)
        coefficients = list(solution[:count])
        errors = [
            w * (f - x**first * mp.polyval(coefficients[::-1], x))
            for w, f, x in zip(weights, wanted, grid, strict=True)
        ]
        largest = max(map(abs, errors))
        if largest <= abs(solution[count]) * mpf("1.02"):
            break
        points = alternation(errors, count + 1) or points
    return coefficients


def alternation(errors: Sequence[Any], count: int) -> list[int]:
    """Places of extrema of alternating sign, the largest such run of ``count``."""
    extrema: list[int] = []
    for k, e in enumerate(errors):
        if extrema and (errors[extrema[-1]] > 0) == (e > 0):
            if abs(e) > abs(errors[extrema[-1]]):
                extrema[-1] = k
        else:
            extrema.append(k)
    while len(extrema) > count:
        extrema.pop(0 if abs(errors[extrema[0]]) < abs(errors[extrema[-1]]) else -1)
    return extrema if len(extrema) == count else []


def rounded(fit: Fit, dtype: str, degree: int) -> tuple[list[float], float]:
    """Coefficients in the dtype and the greatest weighted error."""
    near = np.dtype(dtype).type
    fixed: list[Any] = []
    while fit.low >= 0 and len(fixed) < min(2, degree):  # on both sides of 0 higher powers of x alone are no good basis
        fixed.append(mpf(float(near(float(remez(fit, degree, fixed)[0])))))
    fixed += [mpf(float(near(float(c)))) for c in remez(fit, degree, fixed)]
    points = [fit.low + (fit.high - fit.low) * k / 400 for k in range(401)]
    error = max(fit.weight(x) * abs(fit.function(x) - mp.polyval(fixed[::-1], x)) for x in points)
    return [float(c) for c in fixed], float(error)


def bernoulli_tangent(k: int) -> Any:
    """Taylor coefficient of r**(2k + 3) in tan r."""
    n = k + 2
    return (-1) ** (n - 1) * 2 ** (2 * n) * (2 ** (2 * n) - 1) * mp.bernoulli(2 * n) / mp.factorial(2 * n)


def log_part(r: Any) -> Any:
    return (mp.log1p(r) - r + r * r / 2) / r**3


def log_weight(r: Any) -> Any:
    return abs(r**3 / mp.log1p(r)) if r else mpf(0)


def erfcx_part(t: Any) -> Any:
    """(x + 4) exp(x**2) erfc(x) / 4, for x in terms of t = (x - 4) / (x + 4)."""
    if t == 1:
        return 1 / (4 * mp.sqrt(mp.pi))
    x = 4 * (1 + t) / (1 - t)
    if x > 50:  # the asymptotic series
        scaled = mp.fsum((-1) ** k * mp.fac2(2 * k - 1) / (2 * x * x) ** k for k in range(16)) / (x * mp.sqrt(mp.pi))
    else:
        scaled = mp.exp(x * x) * mp.erfc(x)
    return (x + 4) / 4 * scaled


def erf_part(z: Any) -> Any:
    """erf(x) / x - 1 of z = x*x."""
    x = mp.sqrt(z)
    return mp.erf(x) / x - 1 if z else 2 / mp.sqrt(mp.pi) - 1


def log_erfc(t: Any) -> Any:
    """log erfc(x) of t = x - 1."""
    return mp.log(mp.erfc(t + 1))


def atanh_part(z: Any) -> Any:
    """(atanh(s) / s - 1 - z/3) / z**2 of z = s*s."""
    return mp.fsum(z**k / (2 * k + 5) for k in range(60))


HALF = LN2 / 2 * mpf("1.001")
FITS = [
    # (exp(r) - 1 - r) / r**2
    Fit(
        "EXP",
        series(lambda k: 1 / mp.factorial(k + 2), lambda r: (mp.expm1(r) - r) / r**2),
        lambda r: r * r / mp.exp(r),
        -HALF,
        HALF,
        (4, 9),
    ),
    # the same, with errors relative to exp(r) - 1
    Fit(
        "EXPM1",
        series(lambda k: 1 / mp.factorial(k + 2), lambda r: (mp.expm1(r) - r) / r**2),
        lambda r: abs(r * r / mp.expm1(r)) if r else mpf(0),
        -HALF,
        HALF,
        (5, 10),
    ),
    # (2**r - 1 - r log 2) / r**2
    Fit(
        "EXP2",
        series(lambda k: LN2 ** (k + 2) / mp.factorial(k + 2), lambda r: (mp.expm1(r * LN2) - r * LN2) / r**2),
        lambda r: r * r / 2**r,
        -mpf("0.5005"),
        mpf("0.5005"),
        (4, 9),
    ),
    # (log(1 + r) - r + r**2/2) / r**3
    Fit(
        "LOG",
        series(lambda k: mpf((-1) ** k) / (k + 3), log_part),
        log_weight,
        mpf("-0.25"),
        mpf("0.5"),
        (7, 18),
    ),
    # the same with more digits than float32 has, for its powers
    Fit(
        "LOG_MIDDLE",
        series(lambda k: mpf((-1) ** k) / (k + 3), log_part),
        log_weight,
        mpf("-0.25"),
        mpf("0.5"),
        (None, 11),
    ),
    # beyond 1 + z/3 of atanh(s) / s, for a logarithm with more digits than float64 has
    Fit("ATANH", atanh_part, lambda z: z * z, mpf(0), mpf("0.0401"), (None, 8)),
    Fit("ERF", erf_part, lambda z: 1 / (1 + erf_part(z)), mpf(0), mpf(1), (6, 12)),
    Fit("LOG_ERFC", log_erfc, lambda t: mp.erfc(t + 1) / mp.erf(t + 1), mpf(0), mpf(5), (7, 18)),
    Fit("ERFCX", erfcx_part, lambda t: 1 / erfcx_part(t), mpf(-1), mpf(1), (11, 26)),
    Fit(
        "SIN",
        odd(mp.sin, lambda k: mpf((-1) ** (k + 1)) / mp.factorial(2 * k + 3)),
        odd_weight(mp.sin),
        mpf(0),
        (mp.pi / 2 * mpf("1.011")) ** 2,
        (3, 7),
    ),
    Fit("TAN", odd(mp.tan, bernoulli_tangent), odd_weight(mp.tan), mpf(0), (mp.pi / 4 * mpf("1.011")) ** 2, (6, 13)),
    Fit(
        "ATAN",
        odd(mp.atan, lambda k: mpf((-1) ** (k + 1)) / (2 * k + 3)),
        odd_weight(mp.atan),
        mpf(0),
        mpf(1),
        (8, 19),
    ),
    Fit(
        "ASIN",
        odd(mp.asin, lambda k: mp.binomial(2 * k + 2, k + 1) / (4 ** (k + 1) * (2 * k + 3))),
        odd_weight(mp.asin),
        mpf(0),
        mpf("0.25"),
        (4, 11),
    ),
    Fit("SINH", odd(mp.sinh, lambda k: 1 / mp.factorial(2 * k + 3)), odd_weight(mp.sinh), mpf(0), HALF**2, (1, 4)),
    # (cosh r - 1) / r**2
    Fit(
        "COSH",
        series(lambda k: 1 / mp.factorial(2 * k + 2), lambda z: (mp.cosh(mp.sqrt(z)) - 1) / z),
        lambda z: z / mp.cosh(mp.sqrt(z)),
        mpf(0),
        HALF**2,
        (2, 5),
    ),
    # the cube root of 1/m
    Fit("CBRT", lambda m: m ** (-mpf(1) / 3), lambda m: m ** (mpf(1) / 3), mpf("0.75"), mpf("1.5"), (4, 5)),
]


def main(path: str) -> None:
    """Write the module."""
    lines = [
        '"""Coefficients of polynomials, the constant term first; made by ``benchmarks/fit_elementary.py``."""',
        "",
    ]
    for fit in FITS:
        lines.append(f"{fit.name} = {{")
        for dtype, degree in zip(("float32", "float64"), fit.degrees, strict=True):
            if degree is None:
                continue
            coefficients, error = rounded(fit, dtype, degree)
            unit = 2.0 ** (-24 if dtype == "float32" else -53)
            print(f"{fit.name} {dtype} degree {degree}: error {error / unit:.3f} of half an ulp", flush=True)
            lines += [f'    "{dtype}": (', *(f"        {c!r}," for c in coefficients), "    ),"]
        lines += ["}"]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
