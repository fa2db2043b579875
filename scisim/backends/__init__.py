"""Hardware: one module a kind, and the interface that they meet.

An operation's declaration computes on arrays of whichever backend made them; a backend says how arrays come and go, and
when work on them is done.
"""

from typing import Any, Protocol

import numpy as np

from scisim.backends import cpu as cpu


class Backend(Protocol):
    """What a kind of hardware offers."""

    kind: str

    def devices(self) -> list[str]:
        """Names of the devices that can be used now."""

    def from_host(self, array: np.ndarray) -> Any:
        """An array of the backend from a NumPy array."""

    def to_host(self, array: Any) -> np.ndarray:
        """A NumPy array, when the work on it is done."""

    def synchronize(self) -> None:
        """Wait for all work."""
