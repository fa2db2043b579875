"""Object code on disk, for the next process and for the other ranks of this node.

What is loaded from here is run, so nothing is read from a folder that somebody else could have written in, and an
entry whose checksum is wrong counts as absent.  An entry is one file that holds several kernels; beside it, each
kernel has a link that tells which file it is in.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

_MAGIC = b"scisim object 1\n"
_PATIENCE = 120.0  # seconds to wait for another process that compiles the same; it may be stopped in a debugger
_LIMIT = 512 * 2**20
_MOST = 20_000  # entries: looking through many more takes longer than most compilations


def default_folder() -> Path:
    """SCISIM_CACHE_DIR, or a folder of ours in the user's cache folder."""
    chosen = os.environ.get("SCISIM_CACHE_DIR", "").strip()
    return Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "scisim"


def digest(*parts: str) -> str:
    """A name for what the parts say together."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


class DiskCache:
    """Object code of modules by key, in a folder that only its owner can write in.

    Parameters
    ----------
    folder : path, optional
        Made where it is missing.  Where it cannot be used, there is one warning and nothing is kept on disk.
    limit : int
        Bytes that the folder may hold; beyond it, what was not used for longest is removed.
    """

    def __init__(self, folder: Path | None = None, limit: int = _LIMIT) -> None:
        self.folder, self.limit, self._grown = folder or default_folder(), limit, 0
        reason = _unusable(self.folder)
        self.usable = not reason
        if reason:
            warnings.warn(
                f"scisim keeps compiled programs in memory only, since {self.folder} {reason}; "
                f"set SCISIM_CACHE_DIR to a folder that is yours alone",
                RuntimeWarning,
                stacklevel=2,
            )

    def load(self, key: str) -> tuple[list[str], bytes] | None:
        """The names of the kernels and the object code, or None where there is no sound entry."""
        if not self.usable:
            return None
        path = self.folder / f"{key}.o"
        try:
            data = _read_own(path)
        except OSError:
            return None
        entry = _unpack(key, data)
        if entry is not None:
            with suppress(OSError):
                os.utime(path)  # many file systems do not note when a file is read
        return entry

    def find(self, kernel: str) -> str | None:
        """The key of an entry that holds a kernel, if one was stored."""
        if not self.usable:
            return None
        try:
            return os.readlink(self.folder / f"{kernel}.in").removesuffix(".o")
        except OSError:
            return None

    def store(self, key: str, names: Sequence[str], links: Sequence[str], code: bytes) -> None:
        """Keep the object code of kernels; ``links`` are the names under which `find` tells where each one is."""
        if not self.usable:
            return
        with suppress(OSError):  # a full disk, or a folder that is read-only by now: the next process compiles
            temporary = self.folder / f"{key}.{os.getpid()}.tmp"
            self._grown += temporary.write_bytes(_pack(key, names, code))
            os.replace(temporary, self.folder / f"{key}.o")
            for link in links:
                self._link(link, f"{key}.o")
            # Seldom, as it takes a look at every file; processes that store little do it by the chance of their keys.
            if self._grown > self.limit // 64 or key.endswith("00"):
                self._grown = 0
                self._shrink()

    def _link(self, name: str, to: str) -> None:
        temporary = self.folder / f"{name}.{os.getpid()}.tmp"
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        os.symlink(to, temporary)
        os.replace(temporary, self.folder / f"{name}.in")

    def _shrink(self) -> None:
        """Remove what was used longest ago, as far as the limit demands, and what crashed processes left."""
        entries, now = [], time.time()
        for item in os.scandir(self.folder):
            with suppress(FileNotFoundError):  # another process may be at the same
                status = item.stat(follow_symlinks=False)
                if item.name.endswith(".tmp") and now - status.st_mtime > 3600:
                    os.unlink(item)
                elif item.name.endswith(".o"):
                    entries.append((status.st_mtime, status.st_size, item.path))
        total, count = sum(size for _, size, _ in entries), len(entries)
        if total <= self.limit and count <= _MOST:
            return
        for _, size, path in sorted(entries):
            if total <= 0.9 * self.limit and count <= 0.9 * _MOST:
                break
            with suppress(FileNotFoundError):
                os.unlink(path)
            total, count = total - size, count - 1
        self._unlink_dangling()

    def _unlink_dangling(self) -> None:
        for item in os.scandir(self.folder):
            if item.is_symlink() and not os.path.exists(item.path):
                with suppress(FileNotFoundError):
                    os.unlink(item)

    @contextmanager
    def alone(self, key: str) -> Iterator[None]:
        """Hold the right to compile an entry, which one process of the node has at a time.

        The system lets go of the lock when its holder dies.  After two minutes a waiter no longer waits.
        """
        handle = self._lock(key)
        try:
            yield
        finally:
            if handle is not None:
                with suppress(OSError):
                    os.unlink(self.folder / f"{key}.lock")
                os.close(handle)

    def _lock(self, key: str) -> int | None:
        if not self.usable:
            return None
        import fcntl

        try:
            handle = os.open(self.folder / f"{key}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return None
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return handle
            except BlockingIOError:
                time.sleep(0.002)
            except OSError:  # a file system without locks
                break
        os.close(handle)
        return None


def _unusable(folder: Path) -> str:
    """Why a folder cannot hold code, or nothing."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = os.stat(folder)
    except OSError as error:
        return f"cannot be made ({error.strerror})"
    if status.st_uid != os.geteuid():
        return "belongs to another user"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "can be written in by other users"
    return "" if os.access(folder, os.R_OK | os.W_OK | os.X_OK) else "cannot be written in"


def _read_own(path: Path) -> bytes:
    """A file's contents; PermissionError where it is a link or belongs to somebody else."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        if os.fstat(handle).st_uid != os.geteuid():
            raise PermissionError(f"{path} belongs to another user")
        return file.read()


def _checksum(key: str, names: Sequence[str], code: bytes) -> str:
    """Of an entry whole: it is not trusted under another key either."""
    return hashlib.sha256(json.dumps([key, list(names)]).encode() + code).hexdigest()


def _pack(key: str, names: Sequence[str], code: bytes) -> bytes:
    header = {"names": list(names), "sha256": _checksum(key, names, code)}
    return _MAGIC + json.dumps(header).encode() + b"\n" + code


def _unpack(key: str, data: bytes) -> tuple[list[str], bytes] | None:
    """What `_pack` was given, or None where a byte of it is different."""
    if not data.startswith(_MAGIC):
        return None
    header, _, code = data[len(_MAGIC) :].partition(b"\n")
    try:
        fields = json.loads(header)
        names, found = [str(n) for n in fields["names"]], fields["sha256"]
    except (ValueError, KeyError, TypeError):
        return None
    return (names, code) if found == _checksum(key, names, code) else None
