"""Communicators: what ranks say to each other, over MPI, between threads, or nothing at all for one process.

Every method takes and gives NumPy arrays and is collective: all ranks of the communicator call it, in the
same order.
"""

from __future__ import annotations

import contextlib
import contextvars
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, DistributedError, DTypeError
from scisim.distributed import messages

REDUCTIONS = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}
_HALVES = ("float16", "bfloat16")


def contiguous(array: Any) -> np.ndarray:
    """A C-contiguous array in the machine's byte order (0-d stays 0-d)."""
    x = np.asarray(array, order="C")
    return x if x.dtype.isnative else x.astype(x.dtype.newbyteorder("="))


def reduction_dtypes(dtype: np.dtype, op: str) -> tuple[np.dtype, np.dtype]:
    """The dtype in which a reduction is computed, and the one of its result.

    Halves are summed in float32, booleans are counted.
    """
    if op not in REDUCTIONS:
        raise ArgumentError(f"all_reduce: op is {op!r}; it must be one of {', '.join(map(repr, REDUCTIONS))}.")
    if dtype.kind == "c" and op in ("max", "min"):
        raise DTypeError(
            f"all_reduce: complex numbers have no order, so op={op!r} is not defined for {dtype}. "
            "Reduce abs(x), or the real and the imaginary part."
        )
    if dtype.name in _HALVES:
        return np.dtype(np.float32), dtype
    if dtype.kind == "b":
        return (np.dtype(np.int64),) * 2 if op in ("sum", "prod") else (np.dtype(np.uint8), dtype)
    if dtype.kind not in "iufc":
        raise DTypeError(f"all_reduce: dtype {dtype} cannot be reduced; it must be a real, complex or boolean dtype.")
    return dtype, dtype


class Communicator(ABC):
    """A group of ranks and the collectives between them.

    Attributes
    ----------
    rank : int
        This process (or thread) among the group, from 0.
    size : int
        How many ranks the group has.
    local_size : int
        How many ranks of the job share this node.
    """

    rank: int
    size: int
    local_size: int

    def __repr__(self) -> str:
        return f"<{type(self).__name__} rank {self.rank} of {self.size}>"

    # --- the surface: arguments are checked here, on every rank alike ---
    def all_reduce(self, array: Any, op: str = "sum") -> np.ndarray:
        """Combine the arrays of all ranks elementwise; every rank gets the result.

        Parameters
        ----------
        array : array_like
            The same shape and dtype on every rank. float16 and bfloat16 are summed in float32; the sum of
            booleans counts (int64), their max is "any" and their min is "all".
        op : {"sum", "prod", "max", "min"}
            max and min are not defined for complex numbers; they keep nan.

        Raises
        ------
        DTypeError
            If the dtype has no such reduction.

        Examples
        --------
        >>> from scisim.distributed.communicator import SerialCommunicator
        >>> SerialCommunicator().all_reduce([1.0, 2.0])
        array([1., 2.])
        """
        x = contiguous(array)
        inner, outer = reduction_dtypes(x.dtype, op)
        out = self._all_reduce(x.astype(inner, copy=False), op)
        return out.astype(outer, copy=False)

    def reduce_scatter(self, blocks: Sequence[np.ndarray]) -> np.ndarray:
        """The sum over the ranks of their ``blocks[rank]``; dtypes as in `all_reduce`."""
        inner, outer = reduction_dtypes(blocks[0].dtype, "sum")
        out = self._reduce_scatter([b.astype(inner, copy=False) for b in blocks])
        return out.astype(outer, copy=False)

    def all_gather(self, array: Any) -> np.ndarray:
        """The arrays of all ranks, joined along axis 0 in the order of the ranks.

        The lengths along axis 0 may differ and may be 0; dtype and the other axes must agree. A 0-d array
        counts as one element, so the result of scalars has shape (size,).

        Examples
        --------
        >>> from scisim.distributed.communicator import SerialCommunicator
        >>> SerialCommunicator().all_gather(3)
        array([3])
        """
        x = contiguous(array)
        x = x.reshape(1) if x.ndim == 0 else x
        headers = self._gather_headers(messages.describe(x))
        metas = [messages.described(h) for h in headers]
        if len({(shape[1:], dtype) for shape, dtype in metas}) > 1:
            told = "; ".join(f"rank {r} has {messages.words(*meta)}" for r, meta in enumerate(metas))
            raise DistributedError(f"all_gather: ranks disagree on the dtype or on an axis after the first: {told}.")
        return np.concatenate(self.all_gather_blocks(x, [shape for shape, _ in metas]), axis=0)

    def broadcast(self, array: Any = None, root: int = 0) -> np.ndarray:
        """The root's array, on every rank. What the other ranks pass is not looked at.

        Examples
        --------
        >>> from scisim.distributed.communicator import SerialCommunicator
        >>> SerialCommunicator().broadcast([1, 2])
        array([1, 2])
        """
        self._check_root("broadcast", root)
        x = contiguous(array) if self.rank == root else None
        shape, dtype = messages.described(
            self._broadcast(messages.describe(x) if x is not None else messages.header(), root)
        )
        buffer = x if x is not None else np.empty(shape, dtype)
        return self._broadcast(buffer, root).copy() if self.rank == root else self._broadcast(buffer, root)

    def bcast_object(self, value: Any = None, root: int = 0) -> Any:
        """The root's small value, on every rank.

        It may consist of numbers, strings, None, lists, and dictionaries with string keys. It travels as
        JSON, so a tuple arrives as a list.

        Raises
        ------
        ArgumentTypeError
            On every rank, if the root's value cannot be written as JSON.
        """
        self._check_root("bcast_object", root)
        text = messages.encode(value) if self.rank == root else None
        return messages.decode("bcast_object", root, self.broadcast(text, root))

    def gather_objects(self, value: Any) -> list[Any]:
        """The small values of all ranks (JSON, as in `bcast_object`), in the order of the ranks."""
        text = messages.encode(value)
        lengths = self.all_gather(len(text)).tolist()
        blocks = self.all_gather_blocks(text, [(n,) for n in lengths])
        return [messages.decode("gather_objects", r, b) for r, b in enumerate(blocks)]

    def _check_root(self, name: str, root: int) -> None:
        if not 0 <= root < self.size:
            raise ArgumentError(f"{name}: root is {root}, but the ranks are 0 to {self.size - 1}.")

    def _gather_headers(self, header: np.ndarray) -> list[np.ndarray]:
        return self.all_gather_blocks(header, [(messages.HEADER,)] * self.size)

    # --- what a communicator provides ---
    @abstractmethod
    def barrier(self) -> None:
        """Wait until every rank is here."""

    @abstractmethod
    def split(self, color: int, key: int | None = None) -> Communicator:
        """The communicator of the ranks of equal `color`, in the order of `key` (by default, of rank)."""

    @abstractmethod
    def all_gather_blocks(self, block: np.ndarray, shapes: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
        """Every rank's block; their shapes are known to every rank, the dtype is the same."""

    @abstractmethod
    def all_to_all(self, blocks: Sequence[np.ndarray], shapes: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
        """Send `blocks[r]` to rank r, and get a block of `shapes[r]` from it."""

    @abstractmethod
    def exchange(
        self, sends: dict[int, np.ndarray], receives: dict[int, tuple[int, ...]], dtype: np.dtype
    ) -> dict[int, np.ndarray]:
        """Send arrays to some ranks, and get arrays of the given shapes from some; every rank calls it."""

    @abstractmethod
    def abort(self, code: int = 1) -> None:
        """End all processes of the job with this exit code."""

    @abstractmethod
    def _all_reduce(self, x: np.ndarray, op: str) -> np.ndarray:
        """A fresh reduction of contiguous arrays of a plain dtype."""

    @abstractmethod
    def _reduce_scatter(self, blocks: Sequence[np.ndarray]) -> np.ndarray:
        """The sum of blocks of a plain dtype."""

    @abstractmethod
    def _broadcast(self, x: np.ndarray, root: int) -> np.ndarray:
        """The root's array; elsewhere `x` is a buffer of the same size that may be filled."""


class SerialCommunicator(Communicator):
    """The communicator of one process: every collective gives back what it was given.

    Examples
    --------
    >>> SerialCommunicator()
    <SerialCommunicator rank 0 of 1>
    """

    def __init__(self) -> None:
        self.rank, self.size, self.local_size = 0, 1, 1

    def barrier(self) -> None:
        pass

    def split(self, color: int, key: int | None = None) -> Communicator:
        return self

    def all_gather_blocks(self, block: np.ndarray, shapes: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
        return [np.array(block)]

    def _reduce_scatter(self, blocks: Sequence[np.ndarray]) -> np.ndarray:
        return np.array(blocks[0])

    def all_to_all(self, blocks: Sequence[np.ndarray], shapes: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
        return [np.array(blocks[0])]

    def exchange(
        self, sends: dict[int, np.ndarray], receives: dict[int, tuple[int, ...]], dtype: np.dtype
    ) -> dict[int, np.ndarray]:
        return {r: np.array(sends[r]) for r in receives}

    def abort(self, code: int = 1) -> None:
        raise SystemExit(code)

    def _all_reduce(self, x: np.ndarray, op: str) -> np.ndarray:
        return np.array(x)

    def _broadcast(self, x: np.ndarray, root: int) -> np.ndarray:
        return x


# --- the communicator of this thread ---
_current: contextvars.ContextVar[Communicator | None] = contextvars.ContextVar("scisim_communicator", default=None)


def world() -> Communicator:
    """The communicator in force: that of `using`, else all ranks of the job, else this process alone.

    A process that no MPI launcher started needs no MPI. The first call under a launcher starts MPI, so all
    ranks must make it.

    Raises
    ------
    DistributedError
        Under a launcher, if mpi4py is missing, or belongs to another MPI than the launcher.

    Examples
    --------
    >>> from scisim.distributed import world
    >>> world().size
    1
    """
    comm = _current.get()
    if comm is not None:
        return comm
    from scisim.distributed import launch

    return launch.job()


@contextlib.contextmanager
def using(comm: Communicator) -> Iterator[Communicator]:
    """Make `comm` what `world()` gives, in this thread, within a with block.

    Examples
    --------
    >>> from scisim.distributed import SerialCommunicator, using, world
    >>> with using(SerialCommunicator()) as comm:
    ...     world() is comm
    True
    """
    token = _current.set(comm)
    try:
        yield comm
    finally:
        _current.reset(token)
