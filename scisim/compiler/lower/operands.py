"""The operands of one kernel: what its spec says of them, and their arguments."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from scisim.compiler.cpu.access import Operand
from scisim.compiler.lower.layout import View

NEAR = 8  # elements from one operand to another of the same array, up to which one pointer serves both


class Address(NamedTuple):
    """An element of a view, as an argument: its address, which may move with tile and thread."""

    view: View
    offset: int
    per_start: int


class Extent(NamedTuple):
    """A number, as an argument: ``const + per_length * length of the tile + per_start * its first index``."""

    const: int
    per_length: int = 0
    per_start: int = 0


class Operands:
    """Collects the operands of a kernel, in its order.

    Parameters
    ----------
    groups : sequence of sequence of int
        The loop axes that each axis of the kernel walks.
    """

    def __init__(self, groups: Sequence[Sequence[int]]) -> None:
        self.axes = [g[-1] for g in groups]
        self._sets: dict[tuple[int, ...], int] = {}
        self._bounds: dict[Extent, int] = {}
        self._found: list[tuple[Any, int, bool]] = []
        self._args: list[Address | Extent] = []

    def bound(self, at: Extent) -> int:
        """The number of a bound of pieces."""
        return self._bounds.setdefault(at, len(self._bounds))

    def add(self, access: Any, inner: int | None) -> Operand:
        """An operand that is an access and moves along the last axis as ``inner`` tells."""
        strides = tuple(access.strides[k] for k in self.axes)
        number = self._sets.setdefault(strides, len(self._sets))
        near = self._near(access, number)
        if near is None:
            self._args.append(Address(access.view, access.offset, access.per_start))
        self._found.append((access, number, near is None))
        return Operand(_name(access.view.buffer.dtype), inner, number, near)

    def _near(self, access: Any, number: int) -> tuple[int, int] | None:
        for k, (other, set_, own) in enumerate(self._found):
            by = access.offset - other.offset
            if own and set_ == number and abs(by) <= NEAR and _same_array(access, other):
                return k, by
        return None

    def arguments(self) -> list[Address | Extent]:
        """The sets of strides, the bounds, then what each operand has."""
        return [*(Extent(s) for strides in self._sets for s in strides), *self._bounds, *self._args]


@functools.cache
def _name(dtype: Any) -> str:
    return dtype.name


def _same_array(a: Any, b: Any) -> bool:
    u, v = a.view, b.view
    return u.buffer is v.buffer and a.per_start == b.per_start and _moves(u) == _moves(v)


def _moves(view: View) -> tuple[int, int]:
    return view.per_thread, view.per_length
