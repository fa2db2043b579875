"""Devices: where arrays live.  Backends register the kinds of device that they drive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scisim.core.errors import ArgumentError, MissingDependencyError

BACKENDS: dict[str, Any] = {}


@dataclass(frozen=True)
class Device:
    """A place where arrays live, such as ``cpu``."""

    name: str

    def __str__(self) -> str:
        return self.name


CPU = Device("cpu")


def register_backend(backend: Any) -> None:
    """Make a kind of hardware known by its ``kind``."""
    BACKENDS[backend.kind] = backend


def available() -> list[str]:
    """Names of the devices that can be used now."""
    return [name for b in BACKENDS.values() for name in b.devices()]


def device(name: Any) -> Device:
    """The device of a name.

    Parameters
    ----------
    name : str or Device
        ``"cpu"``.

    Raises
    ------
    MissingDependencyError
        For a kind of device that no installed backend drives.
    ArgumentError
        For a name that is no device.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.device("cpu")
    Device(name='cpu')
    """
    text = str(name)
    if text in available():
        return Device(text)
    here = ", ".join(repr(n) for n in available())
    if text.partition(":")[0] in ("cuda", "gpu"):
        raise MissingDependencyError(
            f"device: no backend for {text!r} is part of this version; the devices here are {here}"
        )
    raise ArgumentError(f"device: got {name!r}; the devices here are {here}")


def check_device(who: str, name: Any) -> None:
    """Accept None or a device that is here; say what is available otherwise."""
    if name is not None:
        try:
            device(name)
        except (ArgumentError, MissingDependencyError) as error:
            raise type(error)(f"{who}: {error}") from None
