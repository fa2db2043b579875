"""Where an element of an array is found from a position in a loop nest.

The index along each axis is a constant plus multiples of loop axes (`Lin`); an `IndexMap` has one for each axis.
Operations that only move elements turn a map of their result into one of their operand.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class Lin(NamedTuple):
    """``const + sum(coef * position[axis] for axis, coef in terms)``."""

    const: int
    terms: tuple[tuple[int, int], ...] = ()

    def scaled(self, by: int) -> Lin:
        return Lin(self.const * by, tuple((a, c * by) for a, c in self.terms)) if by else ZERO

    def plus(self, other: Lin) -> Lin:
        terms = dict(self.terms)
        for a, c in other.terms:
            terms[a] = terms.get(a, 0) + c
        return Lin(self.const + other.const, tuple(sorted((a, c) for a, c in terms.items() if c)))


ZERO = Lin(0)
IndexMap = tuple[Lin, ...]


def identity(rank: int) -> IndexMap:
    """Axis k follows loop axis k."""
    return tuple(Lin(0, ((k, 1),)) for k in range(rank))


def over(shape: tuple[int, ...]) -> IndexMap:
    """Each axis follows a loop axis of its own, but those of length one, which need none."""
    loops = [k for k, n in enumerate(shape) if n != 1]
    return tuple(Lin(0, ((loops.index(k), 1),)) if n != 1 else ZERO for k, n in enumerate(shape))


def broadcast(index: IndexMap, shape: tuple[int, ...]) -> IndexMap:
    """The map of an operand of this shape, which broadcasts to what ``index`` is a map of."""
    last = index[len(index) - len(shape) :]
    return tuple(ZERO if n == 1 else i for n, i in zip(shape, last, strict=True))


def transpose(index: IndexMap, perm: tuple[int, ...]) -> IndexMap:
    """The map of x from that of ``transpose(x, perm)``."""
    out: list[Lin] = [ZERO] * len(perm)
    for to, axis in enumerate(perm):
        out[axis] = index[to]
    return tuple(out)


def read(index: IndexMap, shape: tuple[int, ...], at: tuple) -> IndexMap:
    """The map of x, of the given shape, from that of the basic index ``x[at]``."""
    out, left, axes = [], list(index), iter(shape)
    for item in at:
        if item is None:
            left.pop(0)
            continue
        n = next(axes)
        if isinstance(item, tuple):
            start, _, step = slice(*item[1:]).indices(n)
            out.append(left.pop(0).scaled(step).plus(Lin(start)))
        else:
            out.append(Lin(int(item) % n))
    return (*out, *left)


def reshape(index: IndexMap, old: tuple[int, ...], new: tuple[int, ...]) -> IndexMap | None:
    """The map of x from that of ``reshape(x, new)``; None where an axis of x would need a division."""
    if 0 in old:
        return None
    out: list[Lin] = []
    k = 0
    for n in old:
        if n == 1:
            out.append(ZERO)
            continue
        total, size = ZERO, 1
        while size < n:
            if k == len(new) or n % (size * new[k]):
                return None
            total, size, k = total.scaled(new[k]).plus(index[k]), size * new[k], k + 1
        out.append(total)
    return tuple(out) if all(m == 1 for m in new[k:]) else None


def strides_of(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Elements from one index to the next along each axis of a contiguous array."""
    return tuple(math.prod(shape[k + 1 :]) for k in range(len(shape)))
