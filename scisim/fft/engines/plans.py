"""Plans of transforms, kept from call to call: the least recently used go once they take too many bytes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class CacheInfo:
    """What the plans take.

    Attributes
    ----------
    plans : int
    bytes : int
        Of tables and workspaces, as far as the engines tell.
    limit : int
        Bytes beyond which the least recently used plans are dropped.
    """

    plans: int
    bytes: int
    limit: int


class Plans:
    """A cache bounded by bytes, for several threads.

    Parameters
    ----------
    limit : int
        Bytes; one plan alone may be larger.
    """

    def __init__(self, limit: int) -> None:
        self.limit, self.bytes = limit, 0
        self._held: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], tuple[Any, int]]) -> Any:
        """The plan of that key; ``make`` gives one and its bytes."""
        with self._lock:
            found = self._held.get(key)
            if found is None:
                found = self._held[key] = make()
                self.bytes += found[1]
                self._trim()
            else:
                self._held.move_to_end(key)
            return found[0]

    def _trim(self) -> None:
        while self.bytes > self.limit and len(self._held) > 1:
            _, (_, size) = self._held.popitem(last=False)
            self.bytes -= size

    def resize(self, limit: int) -> None:
        """Another limit."""
        with self._lock:
            self.limit = limit
            self._trim()

    def clear(self) -> None:
        """Forget all of them; a plan that is running lives until it is done."""
        with self._lock:
            self._held.clear()
            self.bytes = 0

    def info(self) -> CacheInfo:
        """How many there are, and what they take."""
        return CacheInfo(len(self._held), self.bytes, self.limit)


PLANS = Plans(256 << 20)
