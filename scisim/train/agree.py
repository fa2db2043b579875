"""All ranks train the same thing: what differs between them would be a deadlock, or numbers without meaning."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from scisim import distributed as dist
from scisim.core.errors import DistributedError


def digest(arrays: Mapping[str, Any]) -> str:
    """A short text that tells sets of arrays apart."""
    total = hashlib.sha256()
    for name, a in arrays.items():
        total.update(f"{name} {a.dtype.str} {a.shape} ".encode() + a.tobytes())
    return total.hexdigest()[:16]


def check_agreement(comm: dist.Communicator, settings: Mapping[str, Any]) -> None:
    """Refuse on all ranks what is not equal on all of them.

    Raises
    ------
    DistributedError
        It names the first argument that differs, and its values.
    """
    if comm.size == 1:
        return
    told = comm.gather_objects(dict(settings))
    for name in settings:
        values = [one.get(name) for one in told]
        other = next((r for r, v in enumerate(values) if v != values[0]), 0)
        if other:
            error = DistributedError(
                f"fit: {name} is {values[0]!r} on rank 0 and {values[other]!r} on rank {other}; all ranks must call "
                f"fit with equal arguments"
            )
            error.on_all_ranks = True  # type: ignore[attr-defined]
            raise error
