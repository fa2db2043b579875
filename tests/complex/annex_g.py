"""Values of complex functions at infinities, nan and poles: Annex G of the C standard (ISO/IEC 9899:2018, G.6).

A row says ``re im : re im``.  Of the operand ``x`` is any nonzero finite number, ``f`` any finite one (``f+`` with the
sign +).  Of the value ``?0`` and ``?inf`` have a sign that the standard leaves open, ``c``, ``s`` and ``s2`` stand for
cos(y), sin(y) and sin(2y), of which only the sign matters.  A row that is not found follows from f(conj z) = conj f(z),
and for odd and even functions from the one for -z.
"""

from __future__ import annotations

import math

ROWS = {
    "acos": """
        0 nan : pi/2 nan       | -0 nan : pi/2 nan      | x nan : nan nan        | -inf f+ : pi -inf
        inf f+ : 0 -inf        | -inf inf : 3pi/4 -inf  | inf inf : pi/4 -inf    | inf nan : nan ?inf
        -inf nan : nan ?inf    | f inf : pi/2 -inf      | nan f : nan nan        | nan inf : nan -inf
        nan nan : nan nan""",
    "acosh": """
        0 nan : nan ?pi/2     | -0 nan : nan ?pi/2    | x nan : nan nan       | f inf : inf pi/2
        -inf f+ : inf pi      | inf f+ : inf 0        | -inf inf : inf 3pi/4  | inf inf : inf pi/4
        inf nan : inf nan     | -inf nan : inf nan    | nan f : nan nan       | nan inf : inf nan
        nan nan : nan nan""",
    "asinh": """
        f+ inf : inf pi/2   | f nan : nan nan     | inf f+ : inf 0      | inf inf : inf pi/4  | inf nan : inf nan
        nan 0 : nan 0       | nan x : nan nan     | nan inf : ?inf nan  | nan nan : nan nan""",
    "atanh": """
        0 nan : 0 nan      | 1 0 : inf 0        | f+ inf : 0 pi/2    | x nan : nan nan    | inf f+ : 0 pi/2
        inf inf : 0 pi/2   | inf nan : 0 nan    | nan f : nan nan    | nan inf : ?0 pi/2  | nan nan : nan nan""",
    "cosh": """
        0 inf : nan ?0       | 0 nan : nan ?0       | x inf : nan nan      | x nan : nan nan      | inf 0 : inf 0
        inf x : inf*c inf*s  | inf inf : ?inf nan   | inf nan : inf nan    | nan 0 : nan ?0       | nan f : nan nan
        nan inf : nan nan    | nan nan : nan nan""",
    "sinh": """
        0 inf : ?0 nan       | 0 nan : ?0 nan       | x inf : nan nan      | x nan : nan nan      | inf 0 : inf 0
        inf x : inf*c inf*s  | inf inf : ?inf nan   | inf nan : ?inf nan   | nan 0 : nan 0        | nan f : nan nan
        nan inf : nan nan    | nan nan : nan nan""",
    "tanh": """
        0 inf : 0 nan      | 0 nan : 0 nan      | x inf : nan nan    | x nan : nan nan    | inf f+ : 1 0*s2
        inf inf : 1 ?0     | inf nan : 1 ?0     | nan 0 : nan 0      | nan x : nan nan    | nan inf : nan nan
        nan nan : nan nan""",
    "exp": """
        f inf : nan nan      | f nan : nan nan      | inf 0 : inf 0        | -inf f+ : 0*c 0*s    | inf x : inf*c inf*s
        -inf inf : ?0 ?0     | inf inf : ?inf nan   | -inf nan : ?0 ?0     | inf nan : ?inf nan   | nan 0 : nan 0
        nan x : nan nan      | nan inf : nan nan    | nan nan : nan nan""",
    "log": """
        -0 0 : -inf pi        | 0 0 : -inf 0          | f inf : inf pi/2      | f nan : nan nan
        -inf f+ : inf pi      | inf f+ : inf 0        | -inf inf : inf 3pi/4  | inf inf : inf pi/4
        inf nan : inf nan     | -inf nan : inf nan    | nan f : nan nan       | nan inf : inf nan
        nan nan : nan nan""",
    "sqrt": """
        f inf : inf inf      | nan inf : inf inf    | inf inf : inf inf    | -inf inf : inf inf   | f nan : nan nan
        -inf f+ : 0 inf      | inf f+ : inf 0       | -inf nan : nan ?inf  | inf nan : inf nan    | nan f : nan nan
        nan nan : nan nan""",
}
PARITY = {"asinh": "odd", "atanh": "odd", "sinh": "odd", "tanh": "odd", "cosh": "even"}
PI = {"pi": math.pi, "pi/2": math.pi / 2, "pi/4": math.pi / 4, "3pi/4": 3 * math.pi / 4}


class Open:
    """A value whose sign is left open."""

    def __init__(self, size: float) -> None:
        self.size = size

    def __neg__(self) -> Open:
        return self


Part = float | Open


def value(name: str, x: float, y: float) -> tuple[Part, Part] | None:
    """The standard's value at x + iy, or None where it names none beyond the mathematical one."""
    if y != y or not _negative(y):
        return _upper(name, x, y)
    found = _upper(name, x, -y)
    return None if found is None else (found[0], -found[1])


def _upper(name: str, x: float, y: float) -> tuple[Part, Part] | None:
    parity = PARITY.get(name)
    if parity and _negative(x):  # f(-x + iy) = -+ conj f(x + iy)
        found = _row(name, -x, y)
        if found is None:
            return None
        return (-found[0], found[1]) if parity == "odd" else (found[0], -found[1])
    return _row(name, x, y)


def _row(name: str, x: float, y: float) -> tuple[Part, Part] | None:
    for row in ROWS[name].replace("\n", "|").split("|"):
        if row.strip():
            operand, result = (side.split() for side in row.split(":"))
            if _fits(operand[0], x) and _fits(operand[1], y):
                return _part(result[0], y), _part(result[1], y)
    return None


def _fits(pattern: str, x: float) -> bool:
    if pattern == "x":
        return math.isfinite(x) and x != 0
    if pattern in ("f", "f+"):
        return math.isfinite(x) and not (pattern == "f+" and _negative(x))
    wanted = float(pattern)
    return x != x if wanted != wanted else x == wanted and (x != 0 or _negative(x) == _negative(wanted))


def _part(text: str, y: float) -> Part:
    if text.startswith("?"):
        return Open(_number(text[1:]))
    if "*" in text:
        size, angle = text.split("*")
        sign = {"c": math.cos(y), "s": math.sin(y) if y else y, "s2": math.sin(2 * y) if y else y}[angle]
        return math.copysign(float(size), sign)
    return _number(text)


def _number(text: str) -> float:
    sign, name = (-1.0, text[1:]) if text.startswith("-") else (1.0, text)
    return sign * (PI[name] if name in PI else float(name))


def _negative(x: float) -> bool:
    return math.copysign(1.0, x) < 0
