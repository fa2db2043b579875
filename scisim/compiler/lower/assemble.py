"""A lowered program as an image: every address is a slot of the frame and an offset."""

from __future__ import annotations

from scisim.compiler.cpu.image import Arg, Image
from scisim.compiler.lower.calls import Address, Extent
from scisim.compiler.lower.layout import Place, View
from scisim.compiler.lower.steps import Advance, Cond, For, Host, Load, Lowered, Point, Region, Step, Swap, While
from scisim.compiler.lower.values import ARENA_SLOT, TILE_SLOT


class Assembly:
    """The image of a program.

    Attributes
    ----------
    image : Image
    cells : int
        The slot of an array of int64, in which host steps leave the addresses of their results.
    hosts : list of (Host, int)
        In the order of their numbers; which cell is the first of each.
    count : int
        Of cells.
    """

    def __init__(self, lowered: Lowered) -> None:
        self.lowered = lowered
        self.image = Image(slots=lowered.values.slots)
        self.cells = self.image.slot()
        self.count = 0
        self.hosts: list[tuple[Host, int]] = []
        self._steps(lowered.steps)

    def _steps(self, steps: list[Step]) -> None:
        for step in steps:
            self._step(step)

    def _step(self, step: Step) -> None:
        image = self.image
        if isinstance(step, Region):
            self._region(step)
        elif isinstance(step, Host):
            self._host(step)
        elif isinstance(step, Point):
            image.set(step.slot, self._address(step.view, step.view.offset, more=step.offset))
        elif isinstance(step, Load):
            image.load(step.slot, self._address(step.view, step.view.offset))
        elif isinstance(step, Swap):
            image.swap(step.first, step.second)
        elif isinstance(step, Advance):
            image.advance(step.slot, step.by)
        else:
            self._control(step)

    def _control(self, step: For | While | Cond) -> None:
        if isinstance(step, For):
            with self.image.for_loop(step.count):
                self._steps(step.body)
            return
        block = self.image.while_loop if isinstance(step, While) else self.image.cond
        first, second = (step.test, step.body) if isinstance(step, While) else (step.first, step.second)
        with block(self._address(step.predicate, step.predicate.offset)) as part:
            self._steps(first)
            part.rest()
            self._steps(second)

    def _region(self, region: Region) -> None:
        if not region.extent:
            return self._calls(region)
        with self.image.region(region.extent, region.tile, region.parallel):
            self._calls(region)

    def _calls(self, region: Region) -> None:
        for call in region.calls:
            self.image.call(call.kernel.name, [self._arg(a) for a in call.args])

    def _arg(self, a: Address | Extent) -> Arg:
        if isinstance(a, Extent):
            return Arg(offset=a.const, by_start=a.per_start, by_length=a.per_length)
        return self._address(a.view, a.offset, a.per_start)

    def _host(self, step: Host) -> None:
        self.image.host(
            len(self.hosts), [self._address(v, v.offset) for v in (*step.args, *step.into) if v is not None]
        )
        self.hosts.append((step, self.count))
        for k, slot in enumerate(step.slots):
            if slot is not None:
                self.image.load(slot, Arg(self.cells, 8 * (self.count + k)))
        self.count += len(step.slots)

    def _address(self, view: View, offset: int, per_start: int = 0, more: int = 0) -> Arg:
        """The argument for an element of a view, so many bytes on."""
        buffer, item = view.buffer, view.buffer.dtype.itemsize
        at, moves = offset * item + more, (per_start * item, view.per_length * item)
        if buffer.place is Place.FRAME:
            return Arg(buffer.slot, at, *moves)
        if buffer.place is Place.ARENA:
            return Arg(ARENA_SLOT, buffer.offset + at, *moves, view.per_thread)
        return Arg(TILE_SLOT, buffer.offset + at, *moves, self.lowered.tile_bytes)
