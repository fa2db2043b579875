"""Ranks as threads of one process: the same programs as under MPI, without MPI, and with every call compared.

Nothing can hang: ranks that call different collectives, a rank that raises, and a rank that returns while
others wait for it all end the run with an error that says who did what.
"""

from __future__ import annotations

import contextvars
import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ArgumentTypeError, DistributedError
from scisim.distributed.communicator import REDUCTIONS, Communicator, using


def run_ranks(n: int, function: Callable[[Communicator], Any]) -> list[Any]:
    """Run `function(comm)` on n ranks, each a thread, and return their results in order.

    Within it `world()` is that communicator.

    Raises
    ------
    DistributedError
        If the ranks do not make the same calls; the message names what each of them called.
    Exception
        Whatever the first rank that failed raised, with a note that names the rank.

    Examples
    --------
    >>> from scisim.distributed import run_ranks
    >>> run_ranks(3, lambda comm: int(comm.all_reduce(comm.rank)))
    [3, 3, 3]
    """
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise ArgumentError(f"run_ranks: n is {n!r}; it must be a number of ranks, at least one.")
    if not callable(function):
        raise ArgumentTypeError(f"run_ranks: function is {function!r}; it must be a function of a communicator.")
    job = _Job(n)
    group = _Group(job, tuple(range(n)))
    results: list[Any] = [None] * n

    def main(rank: int) -> None:
        try:
            with using(ThreadCommunicator(rank, group)) as comm:
                results[rank] = function(comm)
        except BaseException as error:  # noqa: BLE001 - raised again by the caller
            job.failed(rank, error)
        else:
            job.returned(rank)

    threads = [
        threading.Thread(target=contextvars.copy_context().run, args=(main, r), name=f"rank {r}") for r in range(n)
    ]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:
        with job.lock:
            job.end("interrupted")
        raise
    if job.error is not None:
        raise job.error
    return results


class _Job:
    """What all ranks of a run share: one lock, who waits where, and the first error."""

    def __init__(self, size: int) -> None:
        self.size, self.lock = size, threading.Lock()
        self.alive = set(range(size))
        self.waiting: dict[int, str] = {}
        self.error: BaseException | None = None
        self.verdict: str | None = None
        self.groups: list[_Group] = []

    def failed(self, rank: int, error: BaseException) -> None:
        with self.lock:
            if self.error is None:
                if self.verdict is None:
                    error.add_note(f"raised on rank {rank} of {self.size}")
                self.error = error
            self.end(f"rank {rank} failed: {type(error).__name__}: {error}")

    def returned(self, rank: int) -> None:
        with self.lock:
            self.alive.discard(rank)
            self.look_for_deadlock()

    def look_for_deadlock(self) -> None:
        """All ranks that still run wait for somebody: nobody will come."""
        if self.waiting and len(self.waiting) == len(self.alive) and self.verdict is None:
            told = [
                f"rank {r} " + (f"waits in {self.waiting[r]}" if r in self.waiting else "has returned")
                for r in range(self.size)
            ]
            self.end("the ranks wait for each other: " + "; ".join(told) + ".")

    def end(self, verdict: str) -> None:
        if self.verdict is None:
            self.verdict = verdict
        for group in self.groups:
            group.condition.notify_all()


class _Group:
    """The ranks of one communicator, and the call that they are meeting in."""

    def __init__(self, job: _Job, members: tuple[int, ...]) -> None:
        self.job, self.members = job, members
        self.condition = threading.Condition(job.lock)
        self.calls: list[str] = [""] * len(members)
        self.given: list[Any] = [None] * len(members)
        self.arrived, self.turn, self.result = 0, 0, None
        job.groups.append(self)

    def meet(self, rank: int, call: str, given: Any, combine: Callable[[list[Any]], Any]) -> Any:
        """`combine` of what all ranks gave, computed once by the last to arrive."""
        with self.condition:
            self._refuse_after_the_end()
            self.calls[rank], self.given[rank] = call, given
            self.arrived += 1
            if self.arrived < len(self.members):
                self._wait(rank, call)
            else:
                self._finish(combine)
            return self.result

    def _finish(self, combine: Callable[[list[Any]], Any]) -> None:
        if len(set(self.calls)) > 1:
            told = "; ".join(f"rank {m}: {c}" for m, c in zip(self.members, self.calls, strict=True))
            self.job.end(f"the ranks made different calls: {told}.")
            self._refuse_after_the_end()
        self.result = combine(self.given)
        self.given = [None] * len(self.members)
        self.arrived, self.turn = 0, self.turn + 1
        for member in self.members:  # those that are to be woken no longer wait
            self.job.waiting.pop(member, None)
        self.condition.notify_all()

    def _wait(self, rank: int, call: str) -> None:
        me, turn = self.members[rank], self.turn
        self.job.waiting[me] = call
        self.job.look_for_deadlock()
        while self.turn == turn:
            self._refuse_after_the_end()
            self.condition.wait()

    def _refuse_after_the_end(self) -> None:
        if self.job.verdict is not None:
            raise DistributedError(self.job.verdict)


class ThreadCommunicator(Communicator):
    """One rank of a group of threads; made by `run_ranks`."""

    def __init__(self, rank: int, group: _Group) -> None:
        self._group = group
        self.rank, self.size, self.local_size = rank, len(group.members), group.job.size

    def _meet(self, call: str, given: Any, combine: Callable[[list[Any]], Any] = list) -> Any:
        return self._group.meet(self.rank, call, given, combine)

    def barrier(self) -> None:
        self._meet("barrier()", None)

    def split(self, color: int, key: int | None = None) -> Communicator:
        def form(told: list[tuple[int, int, int]]) -> dict[int, _Group]:
            groups = {}
            for c, ranks in itertools.groupby(sorted(told), key=lambda entry: entry[0]):
                groups[c] = _Group(self._group.job, tuple(self._group.members[r] for _, _, r in ranks))
            return groups

        me = (color, self.rank if key is None else key, self.rank)
        group = self._meet("split()", me, form)[color]
        return ThreadCommunicator(group.members.index(self._group.members[self.rank]), group)

    def all_gather_blocks(self, block: np.ndarray, shapes: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
        call = f"all_gather({block.dtype.name}{_list(shapes)})"
        return [np.array(b) for b in self._meet(call, np.array(block))]

    def _reduce_scatter(self, blocks: Sequence[np.ndarray]) -> np.ndarray:
        call = f"reduce_scatter({blocks[0].dtype.name}{_list(b.shape for b in blocks)})"
        told = self._meet(call, [np.array(b) for b in blocks])
        return _reduced([given[self.rank] for given in told], "sum")

    def all_to_all(self, blocks: Sequence[np.ndarray], shapes: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
        told = self._meet(f"all_to_all({blocks[0].dtype.name})", [np.array(b) for b in blocks])
        return self._checked(
            "all_to_all", {r: given[self.rank] for r, given in enumerate(told)}, dict(enumerate(shapes))
        )

    def exchange(
        self, sends: dict[int, np.ndarray], receives: dict[int, tuple[int, ...]], dtype: np.dtype
    ) -> dict[int, np.ndarray]:
        told = self._meet(f"exchange({np.dtype(dtype).name})", {r: np.array(x) for r, x in sends.items()})
        sent = {r: given[self.rank] for r, given in enumerate(told) if self.rank in given}
        return dict(zip(sorted(receives), self._checked("exchange", sent, receives), strict=True))

    def abort(self, code: int = 1) -> None:
        raise SystemExit(code)

    def _checked(self, name: str, sent: dict[int, np.ndarray], wanted: dict[int, tuple[int, ...]]) -> list[np.ndarray]:
        shapes = {r: x.shape for r, x in sent.items()}
        if shapes != {r: tuple(s) for r, s in wanted.items()}:
            raise DistributedError(
                f"{name}: rank {self.rank} expects {dict(wanted)} (rank: shape), but it was sent {shapes}."
            )
        return [np.array(sent[r]) for r in sorted(wanted)]

    def _all_reduce(self, x: np.ndarray, op: str) -> np.ndarray:
        call = f"all_reduce({x.dtype.name}{list(x.shape)}, {op!r})"
        return np.array(self._meet(call, np.array(x), lambda given: _reduced(given, op)))

    def _broadcast(self, x: np.ndarray, root: int) -> np.ndarray:
        call = f"broadcast({x.dtype.name}{list(x.shape)}, root={root})"
        return np.array(self._meet(call, np.array(x) if self.rank == root else None, lambda given: given[root]))


def _reduced(arrays: list[np.ndarray], op: str) -> np.ndarray:
    out = np.array(arrays[0])
    for x in arrays[1:]:
        out = REDUCTIONS[op](out, x)
    return out


def _list(shapes: Any) -> list[list[int]]:
    return [list(s) for s in shapes]
