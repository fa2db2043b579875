"""Hardware: one module a kind, and the interface that they meet.

A backend says how arrays come and go, and when work on them is done (`Backend`).  One that runs compiled programs says
besides how memory is had, and how kernels are made and started (`KernelBackend`).  It is registered by its kind, and
nothing else in scisim has to know of it::

    from scisim.core.devices import register_backend

    register_backend(MyBackend())
    f = ss.jit(f, device="mine:0")

The compiler hands a backend *kernels*: objects with a ``name`` (the same name, the same kernel), a declaration as data
(a `Loop` with its expressions in the scalar representation, a `Product`, ...), and ``emit(module, target)``, which
writes LLVM IR for a processor.  A kernel takes one block of 8-byte slots: numbers, and addresses in the backend's
memory.  All else has a fallback: programs are stepped through from Python, operations without kernels run on the host.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from scisim.backends import cpu as cpu


class Backend(Protocol):
    """What a kind of hardware offers to arrays."""

    kind: str

    def devices(self) -> list[str]:
        """Names of the devices that can be used now."""

    def from_host(self, array: np.ndarray) -> Any:
        """An array of the backend from a NumPy array."""

    def to_host(self, array: Any) -> np.ndarray:
        """A NumPy array, when the work on it is done."""

    def synchronize(self) -> None:
        """Wait for all work."""


class KernelBackend(Backend, Protocol):
    """What a kind of hardware offers to compiled programs.

    Addresses are integers that can be added to; ``device`` is one of the names that `devices` gives.
    """

    def vector_bits(self, device: str) -> int:
        """The width of the vectors for which loops are planned."""

    def allocate(self, device: str, nbytes: int) -> int:
        """The address of so many bytes, aligned to 64."""

    def free(self, device: str, address: int) -> None:
        """Give back what `allocate` gave; work that was started before may still use it."""

    def copy_in(self, device: str, address: int, array: np.ndarray) -> None:
        """Copy a contiguous array to an address; later work sees it."""

    def copy_out(self, device: str, address: int, array: np.ndarray) -> None:
        """Fill a contiguous array from an address, when the work on it is done."""

    def compile(self, device: str, kernels: Sequence[Any]) -> Mapping[str, Any]:
        """What `launch` takes, by the names of the kernels; what is known by name is not made again."""

    def launch(self, device: str, kernel: Any, slots: Sequence[int]) -> None:
        """Start a kernel after the work that was started before; it need not be done on return."""
