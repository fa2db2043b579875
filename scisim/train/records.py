"""What a run keeps on disk: rank 0 writes and reads, all ranks get the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scisim import distributed as dist
from scisim.core import pytree
from scisim.core.errors import ArgumentError, CheckpointError, FileError, ScisimError
from scisim.pde.problem import Problem
from scisim.train import checkpoint
from scisim.train.checkpoint import Checkpoints
from scisim.train.describe import check_equal, check_model, check_problem, description, fill, leaf_arrays
from scisim.train.lock import FolderLock
from scisim.train.points import Points

_KINDS = {"CheckpointError": CheckpointError, "FileError": FileError, "ArgumentError": ArgumentError}


class Saved(NamedTuple):
    """A run as it was after a step."""

    step: int
    params: Any
    state: Any
    history: dict[str, np.ndarray]


class Records:
    """The checkpoints of a run, or none.

    Parameters
    ----------
    folder : Checkpoints or None
    problem, model, optimizer, tables, seed
        What the run is made of; a checkpoint of another one is refused.
    comm : Communicator
    """

    def __init__(
        self,
        folder: Checkpoints | None,
        problem: Problem,
        model: Any,
        optimizer: Any,
        tables: Points,
        seed: int,
        comm: dist.Communicator,
    ) -> None:
        self.folder, self.problem, self.model, self.tables, self.comm = folder, problem, model, tables, comm
        self.settings = {
            "optimizer": type(optimizer).__name__,
            "seed": seed,
            "points": dict(zip((t.name for t in problem.terms), tables.counts, strict=True)),
            "sampler": _plain(tables.sampler.describe()),
        }
        self.saved: int | None = None
        self.lock: FolderLock | None = None

    def close(self) -> None:
        """Let other runs use the folder."""
        if self.lock is not None:
            self.lock.release()

    def due(self, step: int) -> bool:
        """Whether a checkpoint is written after this step."""
        return self.folder is not None and step % self.folder.every == 0

    def save(self, step: int, params: Any, state: Any, history: dict[str, np.ndarray]) -> str:
        """Write the checkpoint of a step, and return its folder; empty where the run has none."""
        if self.folder is None:
            return ""
        if self.saved == step:
            return self.folder.folder(step)
        folder = self.folder
        tables = [dist.gather(t) for t in self.tables.tables]
        meta = {**description(self.problem, self.model), "settings": self.settings, "block": self.tables.block}
        arrays = {**leaf_arrays("params", params), **leaf_arrays("state", state), **leaf_arrays("tables", tables)}
        arrays.update({f"history/{name}": column for name, column in history.items()})
        self._on_root(lambda: folder.write(step, meta, arrays))
        self.saved = step
        return folder.folder(step)

    def load(self, params: Any, state: Any, resume: bool | str) -> Saved | None:
        """The newest checkpoint, if the run is to go on from one."""
        if self.folder is None:
            return None
        folder = self.folder
        self._on_root(self._prepare)
        found = bool(self.comm.bcast_object(bool(folder.steps()) if self.comm.rank == 0 else None))
        if resume == "auto" and not found:
            return None
        if not resume:
            self._on_root(self._refuse_others)
            return None
        meta, arrays = self._shared(lambda: self._read(params, state))
        self.saved = meta["step"]
        count = len(self.tables.counts) if meta["block"] is not None else 0
        self.tables.restore(meta["block"], [arrays[f"tables/{k}"] for k in range(count)])
        history = {k.removeprefix("history/"): v for k, v in arrays.items() if k.startswith("history/")}
        return Saved(meta["step"], fill(params, arrays, "params"), fill(state, arrays, "state"), history)

    def _prepare(self) -> None:
        if self.folder is not None:
            self.folder.prepare()
            self.lock = FolderLock(self.folder.path)
            self.folder.clear()

    def _refuse_others(self) -> None:
        folder = self.folder
        if folder is not None and (steps := folder.steps()):
            raise CheckpointError(
                f"fit: {folder.path!r} holds a run of {steps[-1]} steps already; give resume=True to go on with it, or "
                f"another folder for a new run"
            )

    def _read(self, params: Any, state: Any) -> tuple[dict, dict]:
        if self.folder is None:
            raise CheckpointError("fit: there is no folder to resume from")
        newest = self.folder.latest()
        meta, arrays = checkpoint.read(newest)
        if "settings" not in meta:
            raise CheckpointError(f"fit: {self.folder.path!r} holds a saved solution, not a run; use train.load")
        if self.folder.folder(meta["step"]) != newest:
            raise CheckpointError(f"fit: {newest!r} holds step {meta['step']}; give it its name back, or remove it")
        check_problem("fit", meta, self.problem)
        check_model("fit", meta, self.model)
        for name, value in self.settings.items():
            check_equal("fit", name, meta["settings"][name], value)
        for prefix, tree in (("params", params), ("state", state)):
            there = sum(name.startswith(f"{prefix}/") for name in arrays)
            check_equal("fit", f"number of arrays of the {prefix}", there, len(pytree.tree_leaves(tree)))
        return meta, arrays

    # --- rank 0 works, all ranks learn how it went ---
    def _on_root(self, work: Callable[[], Any]) -> None:
        """Do something on rank 0; what it raises is raised on every rank."""
        self._outcome(work)

    def _outcome(self, work: Callable[[], Any]) -> Any:
        result, failure = None, None
        if self.comm.rank == 0:
            try:
                result = work()
            except ScisimError as error:
                failure = error
        if self.comm.size == 1:
            if failure is not None:
                raise failure
            return result
        told = self.comm.bcast_object(None if failure is None else [type(failure).__name__, str(failure)])
        if told is not None:
            refusal = _KINDS.get(told[0], CheckpointError)(told[1])
            refusal.on_all_ranks = True  # type: ignore[attr-defined]
            raise refusal from failure
        return result

    def _shared(self, work: Callable[[], tuple[dict, dict]]) -> tuple[dict, dict]:
        """Description and arrays that rank 0 reads, on every rank."""
        outcome = self._outcome(work)
        if self.comm.size == 1:
            return outcome
        meta = self.comm.bcast_object(outcome[0] if outcome else None)
        mine = outcome[1] if outcome else {}
        return meta, {name: self.comm.broadcast(mine.get(name)) for name in meta["arrays"]}


def _plain(x: Any) -> Any:
    """As it comes back from JSON."""
    if isinstance(x, dict):
        return {k: _plain(v) for k, v in x.items()}
    return [_plain(v) for v in x] if isinstance(x, (list, tuple)) else x
