"""Devices: where arrays live."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scisim.core.errors import ArgumentError, MissingDependencyError


@dataclass(frozen=True)
class Device:
    """A place where arrays live, such as ``cpu``."""

    name: str

    def __str__(self) -> str:
        return self.name


CPU = Device("cpu")


def device(name: Any) -> Device:
    """The device of a name.

    Parameters
    ----------
    name : str or Device
        ``"cpu"``.

    Raises
    ------
    MissingDependencyError
        For a CUDA device: this version computes on CPUs.
    ArgumentError
        For any other name.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.device("cpu")
    Device(name='cpu')
    """
    text = str(name)
    if text == "cpu":
        return CPU
    if text.partition(":")[0] in ("cuda", "gpu"):
        raise MissingDependencyError(f"device: {text!r} is not available: this version computes on 'cpu' only")
    raise ArgumentError(f"device: got {name!r}; the devices of this machine are 'cpu'")


def check_device(who: str, name: Any) -> None:
    """Accept None or the CPU; say what is available otherwise."""
    if name is not None and device(name) != CPU:
        raise ArgumentError(f"{who}: device {name!r} is not available; use 'cpu'")
