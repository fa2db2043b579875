"""What a process has one of, though several threads may ask for it first."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any


def once(make: Callable[[], Any]) -> Any:
    """`functools.cache` for a function without arguments, which is never run by two threads at a time.

    There, each would get what it has made itself, and native code would keep the address of what is then let go.
    """
    cached, lock = functools.cache(make), threading.RLock()

    def get() -> Any:
        with lock:
            return cached()

    functools.update_wrapper(get, make)
    get.cache_info, get.cache_clear = cached.cache_info, cached.cache_clear  # type: ignore[attr-defined]
    return get
