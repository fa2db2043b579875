"""What one primitive does on the blocks of its operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scisim.distributed.placements import Placements, Shape


class Plan:
    """What one primitive does at given shapes and placements.

    Parameters
    ----------
    evaluate : callable
        From the blocks of the operands to that of the result (a tuple where ``multiple``).
    placements, shapes : list
        Of the results.
    moves : list of (operand, placements)
        Operands that lie elsewhere than needed.
    cuts : list of (operand, slices)
        Arrays that every rank has, of which it needs a block.
    direct : callable, optional
        From the operands as they are to the result, instead of all else.
    """

    __slots__ = ("cuts", "direct", "evaluate", "moves", "multiple", "placements", "shapes")

    def __init__(
        self,
        evaluate: Callable | None = None,
        placements: Sequence[Placements] = (),
        shapes: Sequence[Shape] = (),
        moves: Sequence = (),
        cuts: Sequence = (),
        multiple: bool = False,
        direct: Callable | None = None,
    ) -> None:
        self.evaluate: Any = evaluate
        self.placements, self.shapes = list(placements), list(shapes)
        self.moves, self.cuts, self.multiple, self.direct = moves, cuts, multiple, direct
