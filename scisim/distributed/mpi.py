"""The communicator over mpi4py, in its buffer forms. It is imported only under an MPI launcher."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from scisim.distributed.communicator import REDUCTIONS, Communicator, contiguous


class MPICommunicator(Communicator):
    """The ranks of an mpi4py communicator.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
        For example `MPI.COMM_WORLD`.
    local_size : int, optional
        How many ranks share this node; if it is not given, the ranks find out together.
    """

    def __init__(self, comm: Any, local_size: int | None = None) -> None:
        from mpi4py import MPI

        self.comm, self._mpi = comm, MPI
        self.rank, self.size = comm.Get_rank(), comm.Get_size()
        self.local_size = local_size or self._count_local()

    def _count_local(self) -> int:
        node = self.comm.Split_type(self._mpi.COMM_TYPE_SHARED)
        size = node.Get_size()
        node.Free()
        return size

    def barrier(self) -> None:
        self.comm.Barrier()

    def split(self, color: int, key: int | None = None) -> Communicator:
        return MPICommunicator(self.comm.Split(color, self.rank if key is None else key), self.local_size)

    def all_gather_blocks(self, block: np.ndarray, shapes: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
        x = contiguous(block)
        out, counts = _receive_buffer(shapes, x.dtype)
        self.comm.Allgatherv([_bytes(x), self._mpi.BYTE], [out, counts, self._mpi.BYTE])
        return _cut(out, counts, shapes, x.dtype)

    def _reduce_scatter(self, blocks: Sequence[np.ndarray]) -> np.ndarray:
        out = np.empty(blocks[self.rank].shape, blocks[self.rank].dtype)
        counts = [b.size for b in blocks]
        self.comm.Reduce_scatter(_joined(blocks), out, counts, self._mpi.SUM)
        return out

    def all_to_all(self, blocks: Sequence[np.ndarray], shapes: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
        dtype = blocks[self.rank].dtype
        out, counts = _receive_buffer(shapes, dtype)
        sent = [b.size * dtype.itemsize for b in blocks]
        self.comm.Alltoallv([_bytes(_joined(blocks)), sent, self._mpi.BYTE], [out, counts, self._mpi.BYTE])
        return _cut(out, counts, shapes, dtype)

    def exchange(
        self, sends: dict[int, np.ndarray], receives: dict[int, tuple[int, ...]], dtype: np.dtype
    ) -> dict[int, np.ndarray]:
        byte = self._mpi.BYTE
        got = {r: np.empty(shape, dtype) for r, shape in receives.items()}
        kept = {r: contiguous(x) for r, x in sends.items()}  # alive until the sends are over
        requests = [self.comm.Irecv([_bytes(x), byte], r) for r, x in got.items()]
        requests += [self.comm.Isend([_bytes(x), byte], r) for r, x in kept.items()]
        self._mpi.Request.Waitall(requests)
        return got

    def abort(self, code: int = 1) -> None:
        self._mpi.COMM_WORLD.Abort(code)

    def _all_reduce(self, x: np.ndarray, op: str) -> np.ndarray:
        out = np.empty(x.shape, x.dtype)
        self.comm.Allreduce(x, out, _operation(op, x.dtype.kind))
        return out

    def _broadcast(self, x: np.ndarray, root: int) -> np.ndarray:
        self.comm.Bcast([_bytes(x), self._mpi.BYTE], root)
        return x


@cache
def _operation(op: str, kind: str) -> Any:
    """MPI's operation; its MAX and MIN may lose a nan, so that floating ones are NumPy's."""
    from mpi4py import MPI

    if op in ("sum", "prod") or kind != "f":
        return {"sum": MPI.SUM, "prod": MPI.PROD, "max": MPI.MAX, "min": MPI.MIN}[op]
    from mpi4py.util import dtlib

    def combine(a: Any, b: Any, datatype: Any) -> None:
        dtype = dtlib.to_numpy_dtype(datatype)
        into = np.frombuffer(b, dtype)
        REDUCTIONS[op](np.frombuffer(a, dtype), into, out=into)

    return MPI.Op.Create(combine, commute=True)


def _bytes(x: np.ndarray) -> np.ndarray:
    """A contiguous array as bytes: moving needs no MPI type, so every dtype can move."""
    return x.reshape(-1).view(np.uint8)


def _joined(blocks: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate([b.ravel() for b in blocks])


def _receive_buffer(shapes: Sequence[tuple[int, ...]], dtype: np.dtype) -> tuple[np.ndarray, list[int]]:
    counts = [math.prod(s) * dtype.itemsize for s in shapes]
    return np.empty(sum(counts), np.uint8), counts


def _cut(out: np.ndarray, counts: list[int], shapes: Sequence[tuple[int, ...]], dtype: np.dtype) -> list[np.ndarray]:
    blocks, start = [], 0
    for n, shape in zip(counts, shapes, strict=True):
        blocks.append(out[start : start + n].view(dtype).reshape(shape))
        start += n
    return blocks
