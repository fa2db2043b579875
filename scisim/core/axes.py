"""The axis rule of a primitive: one declaration that mapping, tiling and sharding read.

``labels(shapes, params)`` names axes as einsum does: an output axis follows the input axes of the same label; an
input label that the output lacks is contracted, and leaves a partial sum when the axis is cut; None marks an axis that
must be whole.  ``lift(n, params)`` gives the parameters when every operand has one more leading axis, of length n.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Shape = tuple[int, ...]
Labels = tuple[Any, ...]


def _keep(n: int, params: dict) -> dict:
    return params


@dataclass(frozen=True)
class Axes:
    """Axis rule.

    Parameters
    ----------
    labels : callable
        ``labels(shapes, params)`` -> (labels of each operand, labels of the output); several outputs give a list of
        labels in the place of one tuple.
    lift : callable
        ``lift(n, params)`` -> parameters with one more leading axis on each operand.
    broadcasts : bool
        Operands broadcast against each other over leading axes, so that one without the mapped axis may stay so.
    core : int
        Number of trailing axes that take no part in broadcasting.
    """

    labels: Callable[[tuple[Shape, ...], dict], tuple[list[Labels], Any]]
    lift: Callable[[int, dict], dict] = _keep
    broadcasts: bool = False
    core: int = 0


def broadcast_labels(shapes: tuple[Shape, ...], core: int = 0) -> tuple[list[Labels], Labels]:
    """Labels of operands that broadcast: counted from the last axis, None where an axis is stretched."""
    rank = max((len(s) - core for s in shapes), default=0)
    lead = [s[: len(s) - core] for s in shapes]
    longest = [1] * rank
    for s in lead:
        for k, n in enumerate(reversed(s)):
            if n != 1:
                longest[k] = n
    ins = [tuple(k if s[-1 - k] == longest[k] else None for k in reversed(range(len(s)))) for s in lead]
    return ins, tuple(reversed(range(rank)))


@functools.lru_cache(maxsize=4096)
def _elementwise(shapes: tuple[Shape, ...]) -> tuple[tuple[Labels, ...], Labels]:
    ins, out = broadcast_labels(shapes)
    return tuple(ins), out


def _elementwise_labels(shapes: tuple[Shape, ...], params: dict) -> tuple[list[Labels], Labels]:
    ins, out = _elementwise(shapes)
    return list(ins), out


ELEMENTWISE = Axes(_elementwise_labels, broadcasts=True)


def leading(core: int, out: Callable[[int], int] | None = None) -> Axes:
    """Every operand's leading axes are batch axes; the ``core`` trailing ones must be whole."""

    def labels(shapes: tuple[Shape, ...], params: dict) -> tuple[list[Labels], Labels]:
        ins = [tuple(range(len(s) - core)) + (None,) * core for s in shapes]
        rank = len(shapes[0]) - core
        return ins, tuple(range(rank)) + (None,) * (core if out is None else out(core))

    return Axes(labels)


def whole(lift: Callable[[int, dict], dict] = _keep) -> Axes:
    """No axis may be cut."""

    def labels(shapes: tuple[Shape, ...], params: dict) -> tuple[list[Labels], Any]:
        return [(None,) * len(s) for s in shapes], None

    return Axes(labels, lift)
