"""What a captured program looks like."""

from typing import Any


class Lowered:
    def __init__(self, program: Any) -> None:
        self.graph = program.graph

    def __repr__(self) -> str:
        return repr(self.graph)
