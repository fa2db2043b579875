"""The bar of a training, on rank 0."""

from __future__ import annotations

import sys
from typing import Any

from scisim import distributed as dist


class Progress:
    """A tqdm bar of steps and loss; nothing on other ranks, or where ``shown`` is False.

    Where standard error is a terminal it moves ten times a second, and in a file it leaves a line now and then.
    """

    def __init__(self, steps: int, done: int, shown: bool | None) -> None:
        self.steps, self.done = steps, done
        self.shown = shown is not False and dist.is_root()
        self.bar: Any = None

    def __enter__(self) -> Progress:
        if self.shown:
            from tqdm import tqdm

            pause = 0.1 if sys.stderr.isatty() else 5.0
            self.bar = tqdm(
                total=self.steps, initial=self.done, unit="step", mininterval=pause, dynamic_ncols=True, file=sys.stderr
            )
        return self

    def show(self, loss: float) -> None:
        """One more step is done."""
        if self.bar is not None:
            self.bar.set_postfix_str(f"loss {loss:.2e}", refresh=False)
            self.bar.update()

    def __exit__(self, *exc: object) -> None:
        if self.bar is not None:
            self.bar.close()
