"""The native programs of captured graphs: from the disk, where an equal graph was made ready before, or made anew."""

from __future__ import annotations

import functools
import gc
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from scisim.compiler.cpu.cache import digest
from scisim.compiler.cpu.executor import executor
from scisim.compiler.cpu.pool import pool
from scisim.compiler.graph_key import graph_key
from scisim.compiler.guard import GuardedProgram
from scisim.compiler.native import NativeProgram
from scisim.compiler.passes import collapse, guarded, prepare, simplify
from scisim.compiler.plan import pack, unpack
from scisim.core.graph import Graph

LARGEST = 1 << 24  # bytes of constants up to which programs are kept on disk


def native_program(graph: Graph, donated: Sequence[int] = ()) -> NativeProgram:
    """What runs a graph on this processor.

    Parameters
    ----------
    graph : Graph
        As it was captured.
    donated : sequence of int
        Positions of arguments whose memory results may take.
    """
    with _without_collections():
        key = _key(graph, donated)
        found = _loaded(key, graph, donated) if key is not None else None
        return found if found is not None else _made(key, graph, donated)


@contextmanager
def _without_collections() -> Iterator[None]:
    """Python's search for cycles is put off: what compiling makes is small, and each search goes over all objects."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _key(graph: Graph, donated: Sequence[int]) -> str | None:
    """The name of a program on disk; None for one that is not kept."""
    library = executor().library
    text = graph_key(graph) if library.cache.usable else None
    if text is None:
        return None
    own = ("program", _sources(), np.__version__, str(pool().threads), repr(tuple(donated)))
    return digest(library.context, *own, text)


def _built(graph: Graph, donated: Sequence[int]) -> NativeProgram:
    ready = prepare(simplify(graph))
    guard = guarded(ready)
    if guard is None:
        return NativeProgram(collapse(ready), donated)
    return GuardedProgram(guard._replace(graph=collapse(guard.graph)), ready)


def _made(key: str | None, graph: Graph, donated: Sequence[int]) -> NativeProgram:
    program = _built(graph, donated)
    constants = sum(a.nbytes for _, a in program.plan.constants)
    if key is not None and not program.hosts and not program.held and constants <= LARGEST:
        executor().library.cache.store(key, program.plan.image.kernels, [], pack(program.plan))
    return program


def _loaded(key: str, graph: Graph, donated: Sequence[int]) -> NativeProgram | None:
    """The program on disk, if it is there with all of its kernels."""
    runner = executor()
    entry = runner.library.cache.load(key)
    if entry is None:
        return None
    plan = unpack(entry[1])
    bound = runner.loaded(plan.image)
    if bound is None:
        return None
    kind = NativeProgram if plan.answering is None else GuardedProgram
    return kind.of(plan, bound, functools.cache(lambda: _built(graph, donated)))


@functools.cache
def _sources() -> str:
    """The state of scisim's own files, which change under a developer; the version of an installed one tells less."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return digest(*(f"{path} {s.st_size} {s.st_mtime_ns}" for path, s in sorted(_files(folder))))


def _files(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(folder) as items:
        for item in items:
            if item.is_dir():
                yield from _files(item.path)
            elif item.name.endswith(".py"):
                yield item.path, item.stat()
