"""The CPU: NumPy arrays, computed when asked for."""

from __future__ import annotations

import numpy as np

from scisim.core.devices import register_backend


class CPUBackend:
    """Arrays in host memory."""

    kind = "cpu"

    def devices(self) -> list[str]:
        """Names of the devices that can be used now."""
        return ["cpu"]

    def from_host(self, array: np.ndarray) -> np.ndarray:
        """The array itself."""
        return array

    def to_host(self, array: np.ndarray) -> np.ndarray:
        """The array itself."""
        return np.asarray(array)

    def synchronize(self) -> None:
        """Nothing to wait for: NumPy returns when it is done."""


register_backend(CPUBackend())
