"""Special values of functions of complex numbers in the Array API standard, for numbers with a positive imaginary part.

A row is ``real imaginary -> real imaginary``; "?" in front of a part says that its sign is open.  The other half plane
follows by conjugation.
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
    "zero": (0.0, -0.0),
    "1": (1.0,),
    "-1": (-1.0,),
    "positive": (0.5, 2.0),
    "nonzero": (0.5, -2.0),
    "finite": (0.0, 0.5, -2.0),
    "pi": (PI,),
    "pi/2": (PI / 2,),
    "pi/4": (PI / 4,),
    "3pi/4": (3 * PI / 4,),
}
TABLE: dict[str, str] = {
    "acos": (
        "zero 0 -> pi/2 -0; zero nan -> pi/2 nan; finite inf -> pi/2 -inf; nonzero nan -> nan nan; "
        "-inf positive -> pi -inf; inf positive -> 0 -inf; -inf inf -> 3pi/4 -inf; inf inf -> pi/4 -inf; "
        "infinite nan -> nan ?inf; nan finite -> nan nan; nan inf -> nan -inf; nan nan -> nan nan"
    ),
    "acosh": (
        "zero 0 -> 0 pi/2; finite inf -> inf pi/2; nonzero nan -> nan nan; -inf positive -> inf pi; "
        "inf positive -> inf 0; -inf inf -> inf 3pi/4; inf inf -> inf pi/4; infinite nan -> inf nan; "
        "nan finite -> nan nan; nan inf -> inf nan; nan nan -> nan nan"
    ),
    "asinh": (
        "0 0 -> 0 0; positive inf -> inf pi/2; finite nan -> nan nan; inf positive -> inf 0; inf inf -> inf pi/4; "
        "nan 0 -> nan 0; nan nonzero -> nan nan; nan inf -> ?inf nan; nan nan -> nan nan"
    ),
    "atanh": (
        "0 0 -> 0 0; 0 nan -> 0 nan; 1 0 -> inf 0; positive inf -> 0 pi/2; nonzero nan -> nan nan; "
        "inf positive -> 0 pi/2; inf inf -> 0 pi/2; inf nan -> 0 nan; nan finite -> nan nan; nan inf -> ?0 pi/2; "
        "nan nan -> nan nan"
    ),
    "cosh": (
        "0 0 -> 1 0; 0 inf -> nan ?0; 0 nan -> nan ?0; nonzero inf -> nan nan; nonzero nan -> nan nan; inf 0 -> inf 0; "
        "inf inf -> ?inf nan; inf nan -> inf nan; nan 0 -> nan ?0; nan nonzero -> nan nan; nan nan -> nan nan"
    ),
    "exp": (
        "zero 0 -> 1 0; finite inf -> nan nan; finite nan -> nan nan; inf 0 -> inf 0; -inf inf -> ?0 ?0; "
        "inf inf -> ?inf nan; -inf nan -> ?0 ?0; inf nan -> ?inf nan; nan 0 -> nan 0; nan nonzero -> nan nan; "
        "nan nan -> nan nan"
    ),
    "expm1": (
        "zero 0 -> 0 0; finite inf -> nan nan; finite nan -> nan nan; inf 0 -> inf 0; -inf finite -> -1 ?0; "
        "-inf inf -> -1 ?0; inf inf -> ?inf nan; -inf nan -> -1 ?0; inf nan -> ?inf nan; nan 0 -> nan 0; "
        "nan nonzero -> nan nan; nan nan -> nan nan"
    ),
    "log1p": (
        "-1 0 -> -inf 0; finite inf -> inf pi/2; finite nan -> nan nan; -inf positive -> inf pi; "
        "inf positive -> inf 0; -inf inf -> inf 3pi/4; inf inf -> inf pi/4; infinite nan -> inf nan; "
        "nan finite -> nan nan; nan inf -> inf nan; nan nan -> nan nan"
    ),
    "log": (
        "zero 0 -> -inf ?; finite inf -> inf pi/2; finite nan -> nan nan; -inf positive -> inf pi; "
        "inf positive -> inf 0; -inf inf -> inf 3pi/4; inf inf -> inf pi/4; infinite nan -> inf nan; "
        "nan finite -> nan nan; nan inf -> inf nan; nan nan -> nan nan"
    ),
    "sign": "zero 0 -> 0 ?0; nan finite -> nan nan; finite nan -> nan nan; nan nan -> nan nan",
    "sinh": (
        "0 0 -> 0 0; 0 inf -> ?0 nan; 0 nan -> ?0 nan; positive inf -> nan nan; positive nan -> nan nan; "
        "inf 0 -> inf 0; inf inf -> ?inf nan; inf nan -> ?inf nan; nan 0 -> nan 0; nan nonzero -> nan nan; "
        "nan nan -> nan nan"
    ),
    "sqrt": (
        "zero 0 -> 0 0; finite inf -> inf inf; infinite inf -> inf inf; nan inf -> inf inf; finite nan -> nan nan; "
        "-inf positive -> 0 inf; inf positive -> inf 0; -inf nan -> nan ?inf; inf nan -> inf nan; "
        "nan finite -> nan nan; nan nan -> nan nan"
    ),
    "tanh": (
        "0 0 -> 0 0; nonzero inf -> nan nan; nonzero nan -> nan nan; inf positive -> 1 0; inf inf -> 1 ?0; "
        "inf nan -> 1 ?0; nan 0 -> nan 0; nan nonzero -> nan nan; nan nan -> nan nan"
    ),
}
Part = tuple[float | None, bool]  # None for any number; whether its sign counts


def _part(text: str) -> Part:
    if text == "?":
        return None, False
    word = text.lstrip("?")
    return (-0.0 if word == "-0" else WORDS[word][0]), not text.startswith("?")


def cases(name: str) -> Iterator[tuple[complex, Part, Part]]:
    """Operand, and both parts of the result."""
    for row in TABLE[name].split("; "):
        left, _, right = row.partition(" -> ")
        real, imaginary = map(_part, right.split())
        for a, b in itertools.product(*(WORDS[word] for word in left.split())):
            yield complex(a, b), real, imaginary
