"""One run a folder: two that write into the same one would each lose checkpoints."""

from __future__ import annotations

import os

from scisim.core.errors import CheckpointError


class FolderLock:
    """A lock on a folder, which ends with the process; where a file system has none, it keeps nobody out.

    Raises
    ------
    CheckpointError
        If another run has the lock.
    """

    def __init__(self, path: str) -> None:
        self._handle: int | None = None
        try:
            import fcntl
        except ImportError:  # Windows
            return
        handle = os.open(path, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            raise CheckpointError(
                f"fit: another run is writing its checkpoints into {path!r}; wait for its end, or give another folder"
            ) from None
        except OSError:
            os.close(handle)
            return
        self._handle = handle

    def release(self) -> None:
        """Let others in."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
