"""A rank that fails ends the whole job and says who and why; MPI alone would let the others wait for ever."""

from __future__ import annotations

import atexit
import os
import stat
import sys
import threading
import time
import traceback
from types import TracebackType
from typing import Any

from scisim.distributed.communicator import Communicator
from scisim.distributed.launch import Launcher

_GRACE = 5.0  # seconds that the launcher has to end this process after it was told
_HEARD = 0.3  # seconds that it has to pass on what this rank said, which it drops once it ends the job


class _Guard:
    """The hooks of this process, and what they need to know about the job."""

    def __init__(self) -> None:
        self.rank, self.size = 0, 1
        self.comm: Communicator | None = None
        self.hook: Any = None
        self.thread_hook: Any = None
        self.code = 0

    def install(self, rank: int, size: int) -> None:
        self.rank, self.size = rank, size
        if self.hook is None:
            self.hook, self.thread_hook = sys.excepthook, threading.excepthook
            sys.excepthook, threading.excepthook = self.on_error, self.on_thread_error
            sys.exit = _exit  # type: ignore[assignment]
            atexit.register(self.at_exit)

    def on_error(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self.say(f"scisim: rank {self.rank} of {self.size} was interrupted\n")
            self.end(130)
        if getattr(error, "on_all_ranks", False):  # all ranks are here, and where in the code says nothing
            if self.rank == 0:
                self.say(f"{kind.__name__}: {error}\n")
            else:
                time.sleep(2 * _GRACE)  # until rank 0 has said it and ended all
        elif self.hook is sys.__excepthook__:
            text = "".join(traceback.format_exception(kind, error, trace))
            self.say(self.headline(kind, error) + text)
        else:
            self.say(self.headline(kind, error))
            self.hook(kind, error, trace)
        self.end(1)

    def on_thread_error(self, args: Any) -> None:
        if issubclass(args.exc_type, SystemExit):
            self.thread_hook(args)
        else:
            self.on_error(args.exc_type, args.exc_value, args.exc_traceback)

    def at_exit(self) -> None:
        if self.code:
            self.say(f"scisim: rank {self.rank} of {self.size} left with exit code {self.code}\n")
            self.end(self.code)

    def headline(self, kind: type[BaseException], error: BaseException) -> str:
        what = "".join(traceback.format_exception_only(kind, error)).strip().split("\n")[0]
        return f"scisim: rank {self.rank} of {self.size} failed: {what}\n"

    def say(self, text: str) -> None:
        """In one write, so that ranks do not mix their lines."""
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        os.write(2, text.encode(errors="replace"))

    def end(self, code: int) -> None:
        """End all ranks; this does not come back."""
        threading.Thread(target=_kill_later, args=(code,), daemon=True).start()
        time.sleep(_HEARD)
        if self.comm is not None:
            self.comm.abort(code)
        elif (channel := _hydra_channel()) is not None:  # MPI does not run yet: what its abort would tell Hydra
            os.write(channel, f"cmd=abort exitcode={code}\n".encode())
            time.sleep(_GRACE)
        os._exit(code)


_guard = _Guard()


def install(comm: Communicator) -> None:
    """From now on, an error on this rank ends the job of `comm`; the program's own handlers stay."""
    _guard.install(comm.rank, comm.size)
    _guard.comm = comm


def install_early(launcher: Launcher) -> None:
    """The same for the time before MPI is started, when only the environment tells who this is."""
    _guard.install(launcher.rank, launcher.size or 0)


def _hydra_channel() -> int | None:
    """The socket to MPICH's process manager, which lets the others wait if a rank leaves before MPI."""
    text = os.environ.get("PMI_FD", "")
    try:
        return int(text) if text.isdecimal() and stat.S_ISSOCK(os.fstat(int(text)).st_mode) else None
    except OSError:  # closed: this is not a rank but a child of one
        return None


def _kill_later(code: int) -> None:
    time.sleep(_GRACE)
    os._exit(code)


class _Exit(SystemExit):
    """What `sys.exit` raises on a rank, where one that leaves would keep the others waiting.

    Its code is read without any Python caller only by the interpreter itself, once nobody has caught it and
    the process ends.
    """

    def __init__(self, code: Any = None) -> None:
        super().__init__(code)
        self._code = code

    @property
    def code(self) -> Any:  # type: ignore[override]
        if _called_by_interpreter() and self._code not in (None, 0):
            _guard.code = self._code & 0xFF or 1 if isinstance(self._code, int) else 1
        return self._code


def _called_by_interpreter() -> bool:
    return sys._getframe(1).f_back is None


def _exit(code: Any = None, /) -> None:
    """`sys.exit`, noticed."""
    raise _Exit(code)
