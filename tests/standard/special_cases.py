"""Special values of the elementwise functions of real numbers that the Array API standard lays down.

A row is ``operands -> result``; a word stands for each of the numbers in `WORDS`, and a result may be one of them or,
as ``x1`` or ``x2``, an operand.  Where the standard leaves a choice, the row says what Python and NumPy chose.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

PI = math.pi
WORDS: dict[str, tuple[float, ...]] = {
    "nan": (math.nan,),
    "inf": (math.inf,),
    "-inf": (-math.inf,),
    "infinite": (math.inf, -math.inf),
    "0": (0.0,),
    "-0": (-0.0,),
    "zero": (0.0, -0.0),
    "1": (1.0,),
    "-1": (-1.0,),
    "one": (1.0, -1.0),
    "positive": (0.25, 1.0, 7.5),
    "negative": (-0.25, -1.0, -7.5),
    "nonzero": (0.25, 1.0, 7.5, -0.25, -1.0, -7.5),
    "finite": (0.0, -0.0, 0.25, 7.5, -0.25, -7.5),
    "above": (0.5, 3.0, math.inf),
    "below": (-0.5, -3.0, -math.inf),
    "number": (0.0, -0.0, 0.25, -7.5, math.inf, -math.inf),
    "any": (0.0, -0.0, 0.25, -7.5, math.inf, -math.inf, math.nan),
    "more": (1.5, 3.0, math.inf),
    "less": (-1.5, -3.0, -math.inf),
    "large": (1.5, -3.0),
    "small": (0.5, -0.25),
    "odd": (1.0, 3.0),
    "-odd": (-1.0, -3.0),
    "even": (2.0, 0.5, 2.5),
    "-even": (-2.0, -0.5, -2.5),
    "fraction": (0.5, -1.25),
    "whole": (0.0, -0.0, 3.0, -2.0, math.inf, -math.inf),
    "pi": (PI,),
    "-pi": (-PI,),
    "pi/2": (PI / 2,),
    "-pi/2": (-PI / 2,),
    "pi/4": (PI / 4,),
    "-pi/4": (-PI / 4,),
    "3pi/4": (3 * PI / 4,),
    "-3pi/4": (-3 * PI / 4,),
    "true": (1.0,),
    "false": (0.0,),
}

_ODD = "nan -> nan; 0 -> 0; -0 -> -0"
_ROUNDING = "nan -> nan; whole -> x1"
_LOGARITHM = "nan -> nan; below -> nan; zero -> -inf; 1 -> 0; inf -> inf"
_UNORDERED = "nan any -> false; any nan -> false"
_EQUAL = "0 -0 -> true; -0 0 -> true; inf inf -> true; -inf -inf -> true; inf -inf -> false"

TABLE: dict[str, str] = {
    "abs": "nan -> nan; -0 -> 0; 0 -> 0; infinite -> inf",
    "acos": "nan -> nan; more -> nan; less -> nan; 1 -> 0",
    "acosh": "nan -> nan; below -> nan; zero -> nan; 1 -> 0; inf -> inf",
    "asin": f"{_ODD}; more -> nan; less -> nan",
    "asinh": f"{_ODD}; inf -> inf; -inf -> -inf",
    "atan": f"{_ODD}; inf -> pi/2; -inf -> -pi/2",
    "atanh": f"{_ODD}; more -> nan; less -> nan; 1 -> inf; -1 -> -inf",
    "ceil": _ROUNDING,
    "cos": "nan -> nan; zero -> 1; infinite -> nan",
    "cosh": "nan -> nan; zero -> 1; infinite -> inf",
    "exp": "nan -> nan; zero -> 1; inf -> inf; -inf -> 0",
    "expm1": f"{_ODD}; inf -> inf; -inf -> -1",
    "floor": _ROUNDING,
    "isfinite": "nan -> false; infinite -> false; finite -> true",
    "isinf": "nan -> false; infinite -> true; finite -> false",
    "isnan": "nan -> true; infinite -> false; finite -> false",
    "log": _LOGARITHM,
    "log1p": f"{_ODD}; less -> nan; -1 -> -inf; inf -> inf",
    "log2": _LOGARITHM,
    "log10": _LOGARITHM,
    "negative": "nan -> nan; 0 -> -0; -0 -> 0; inf -> -inf; -inf -> inf",
    "positive": "any -> x1",
    "reciprocal": "nan -> nan; 0 -> inf; -0 -> -inf; inf -> 0; -inf -> -0",
    "round": f"{_ROUNDING}; fraction -> x1 to even",
    "sign": "nan -> nan; zero -> 0; above -> 1; below -> -1",
    "signbit": "0 -> false; -0 -> true; above -> false; below -> true",
    "sin": f"{_ODD}; infinite -> nan",
    "sinh": f"{_ODD}; inf -> inf; -inf -> -inf",
    "sqrt": f"{_ODD}; below -> nan; inf -> inf",
    "square": "nan -> nan; zero -> 0; infinite -> inf",
    "tan": f"{_ODD}; infinite -> nan",
    "tanh": f"{_ODD}; inf -> 1; -inf -> -1",
    "trunc": _ROUNDING,
    "add": (
        "nan any -> nan; any nan -> nan; inf -inf -> nan; -inf inf -> nan; inf inf -> inf; -inf -inf -> -inf; "
        "inf finite -> inf; -inf finite -> -inf; finite inf -> inf; finite -inf -> -inf; "
        "-0 -0 -> -0; -0 0 -> 0; 0 -0 -> 0; 0 0 -> 0; zero nonzero -> x2; nonzero zero -> x1"
    ),
    "subtract": (
        "nan any -> nan; any nan -> nan; inf inf -> nan; -inf -inf -> nan; inf finite -> inf; finite inf -> -inf; "
        "0 -0 -> 0; -0 0 -> -0; 0 0 -> 0; -0 -0 -> 0"
    ),
    "multiply": (
        "nan any -> nan; any nan -> nan; infinite zero -> nan; zero infinite -> nan; inf positive -> inf; "
        "inf negative -> -inf; -inf positive -> -inf; -inf negative -> inf; negative -inf -> inf; "
        "0 positive -> 0; -0 positive -> -0; 0 negative -> -0; -0 negative -> 0"
    ),
    "divide": (
        "nan any -> nan; any nan -> nan; infinite infinite -> nan; zero zero -> nan; 0 above -> 0; -0 above -> -0; "
        "0 below -> -0; -0 below -> 0; above 0 -> inf; above -0 -> -inf; below 0 -> -inf; below -0 -> inf; "
        "inf positive -> inf; inf negative -> -inf; -inf positive -> -inf; -inf negative -> inf; positive inf -> 0; "
        "positive -inf -> -0; negative inf -> -0; negative -inf -> 0"
    ),
    "floor_divide": (
        "nan any -> nan; any nan -> nan; infinite infinite -> nan; zero zero -> nan; 0 positive -> 0; "
        "-0 positive -> -0; 0 negative -> -0; -0 negative -> 0; positive 0 -> inf; positive -0 -> -inf; "
        "negative 0 -> -inf; negative -0 -> inf; infinite nonzero -> nan; positive inf -> 0; positive -inf -> -1; "
        "negative inf -> -1; negative -inf -> 0"
    ),
    "remainder": (
        "nan any -> nan; any nan -> nan; infinite infinite -> nan; zero zero -> nan; zero positive -> 0; "
        "zero negative -> -0; nonzero zero -> nan; infinite nonzero -> nan; positive inf -> x1; positive -inf -> x2; "
        "negative inf -> x2; negative -inf -> x1"
    ),
    "pow": (
        "any zero -> 1; 1 any -> 1; nan nonzero -> nan; large nan -> nan; large inf -> inf; large -inf -> 0; "
        "one infinite -> 1; small inf -> 0; small -inf -> inf; inf above -> inf; inf below -> 0; -inf odd -> -inf; "
        "-inf even -> inf; -inf -odd -> -0; -inf -even -> 0; 0 above -> 0; 0 below -> inf; -0 odd -> -0; "
        "-0 even -> 0; -0 -odd -> -inf; -0 -even -> inf; negative fraction -> nan"
    ),
    "atan2": (
        "nan any -> nan; any nan -> nan; above zero -> pi/2; 0 above -> 0; 0 0 -> 0; 0 -0 -> pi; 0 below -> pi; "
        "-0 above -> -0; -0 0 -> -0; -0 -0 -> -pi; -0 below -> -pi; below zero -> -pi/2; positive inf -> 0; "
        "positive -inf -> pi; negative inf -> -0; negative -inf -> -pi; inf finite -> pi/2; -inf finite -> -pi/2; "
        "inf inf -> pi/4; inf -inf -> 3pi/4; -inf inf -> -pi/4; -inf -inf -> -3pi/4"
    ),
    "copysign": (
        "positive above -> x1; negative 0 -> abs x1; inf -0 -> -inf; -inf 0 -> inf; 0 below -> -0; -0 0 -> 0; "
        "nan any -> nan"
    ),
    "hypot": (
        "infinite any -> inf; any infinite -> inf; nan finite -> nan; finite nan -> nan; nan nan -> nan; "
        "zero nonzero -> abs x2; nonzero zero -> abs x1"
    ),
    "logaddexp": "nan any -> nan; any nan -> nan; inf number -> inf; number inf -> inf; -inf -inf -> -inf",
    "maximum": "nan any -> nan; any nan -> nan; inf number -> inf; number -inf -> x1",
    "minimum": "nan any -> nan; any nan -> nan; -inf number -> -inf; number inf -> x1",
    "nextafter": "nan any -> nan; any nan -> nan; -0 0 -> 0; 0 -0 -> -0; inf inf -> inf",
    "equal": f"{_UNORDERED}; {_EQUAL}",
    "not_equal": "nan any -> true; any nan -> true; 0 -0 -> false; inf inf -> false; inf -inf -> true",
    "less": f"{_UNORDERED}; 0 -0 -> false; -0 0 -> false; -inf finite -> true; finite inf -> true; inf inf -> false",
    "less_equal": f"{_UNORDERED}; {_EQUAL.replace('; inf -inf -> false', '')}; inf finite -> false",
    "greater": f"{_UNORDERED}; 0 -0 -> false; -0 0 -> false; inf finite -> true; finite -inf -> true",
    "greater_equal": f"{_UNORDERED}; {_EQUAL.replace('; inf -inf -> false', '')}; -inf finite -> false",
}


def _result(text: str, xs: tuple[float, ...]) -> float:
    operand = {"x1": xs[0], "x2": xs[-1]}
    if text.startswith("abs "):
        return abs(operand[text[4:]])
    if text.endswith(" to even"):
        return math.copysign(float(round(xs[0])), xs[0])
    return operand[text] if text in operand else WORDS[text][0]


def cases(name: str) -> Iterator[tuple[tuple[float, ...], float]]:
    """Operands and result of each case."""
    for row in TABLE[name].split("; "):
        left, _, right = row.partition(" -> ")
        for xs in itertools.product(*(WORDS[word] for word in left.split())):
            yield xs, _result(right, xs)
