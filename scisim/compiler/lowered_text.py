"""Numbers and tables for people."""

from __future__ import annotations

from collections.abc import Sequence


def amount(nbytes: float) -> str:
    """Bytes, in a unit of which there are few."""
    for unit in ("B", "KB", "MB", "GB"):
        if nbytes < 10_000 or unit == "GB":
            break
        nbytes /= 1024
    return f"{nbytes:.0f} {unit}"


def short(n: float) -> str:
    """A number in at most five characters or so."""
    for unit in ("", "k", "M", "G", "T"):
        if n < 1000 or unit == "T":
            break
        n /= 1000
    return f"{n:.3g}{unit}"


def sentence(n: int, word: str) -> str:
    """A count with its noun."""
    return f"{n} {word}{'' if n == 1 else 's'}"


def rows(cells: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table; the columns are as wide as they need, the last one ends where it ends."""
    if not cells:
        return []
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(f"{c:<{w}}" for c, w in zip(row, widths, strict=True)).rstrip() for row in cells]
