"""Kernels in memory by name: compiled, or taken from the disk, when first asked for."""

from __future__ import annotations

import functools
import itertools
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from scisim.compiler.cpu import target as targets
from scisim.compiler.cpu.cache import DiskCache, digest
from scisim.compiler.cpu.emit import Module
from scisim.compiler.cpu.once import once
from scisim.compiler.cpu.target import Target, compile_ir

_numbers = itertools.count()  # of modules in memory


class Kernel(Protocol):
    """A native function ``void name(ptr args)``; kernels of one name are the same."""

    @property
    def name(self) -> str:
        """What it does, and a hash of everything its code depends on."""

    def emit(self, module: Module, target: Target) -> None:
        """Write the function, and what it needs, into a module."""


@dataclass
class Stats:
    """What a library has done.

    Attributes
    ----------
    kernels, modules : int
        Compiled by this process.
    loaded : int
        Modules that came from the disk.
    seconds : float
        Spent on all of it.
    """

    kernels: int = 0
    modules: int = 0
    loaded: int = 0
    seconds: float = 0.0

    def as_dict(self) -> dict[str, float]:
        """The figures by name."""
        return asdict(self)


class Library:
    """The kernels of a target that are in memory; they stay until the process ends.

    Parameters
    ----------
    target : Target
    cache : DiskCache

    Attributes
    ----------
    context : str
        What all code depends on.
    """

    def __init__(self, target: Target, cache: DiskCache) -> None:
        self.target, self.cache, self.stats = target, cache, Stats()
        self._known: dict[str, int] = {}
        self._lock = threading.RLock()
        self.context = "|".join((target.triple, target.cpu, target.features, str(target.vector_bits), _version()))

    def addresses(self, kernels: Sequence[Kernel], quick: bool = False) -> dict[str, int]:
        """Where each kernel's code is; those that are not in memory yet are compiled together, as one module.

        ``quick`` is for what need not run fast.
        """
        if any(k.name not in self._known for k in kernels):
            with self._lock:
                self._add({k.name: k for k in kernels if k.name not in self._known}, quick)
        return {k.name: self._known[k.name] for k in kernels}

    def find(self, names: Sequence[str]) -> list[int] | None:
        """Where the code of kernels is that are in memory or on disk; None if one is in neither."""
        with self._lock:
            missing = {name: None for name in names if name not in self._known}
            self._look(missing)
        return None if missing else [self._known[name] for name in names]

    def _add(self, missing: dict[str, Kernel], quick: bool) -> None:
        start = time.perf_counter()
        self._look(missing)
        if missing:
            self._make(digest(self.context, *sorted(missing)), missing, quick)
        self.stats.seconds += time.perf_counter() - start

    def _look(self, missing: dict[str, Any]) -> None:
        """Take from the disk what is there, of one program or of several."""
        if missing and not self._load(digest(self.context, *sorted(missing)), missing):
            for name in list(missing):
                if name in missing:
                    self._load(self.cache.find(self._link(name)), missing)

    def _load(self, key: str | None, missing: dict[str, Any]) -> bool:
        """Take what is missing from an entry on disk, if it has some of it; whether nothing is missing then."""
        entry = self.cache.load(key) if key is not None else None
        if entry is not None and any(name in missing for name in entry[0]):
            self._link_in(entry[0], entry[1])
            self.stats.loaded += 1
            for name in entry[0]:
                missing.pop(name, None)
        return not missing

    def _make(self, key: str, missing: dict[str, Kernel], quick: bool) -> None:
        with self.cache.alone(key):
            if self._load(key, missing):  # another process has compiled it meanwhile
                return
            module = Module()
            for kernel in missing.values():
                kernel.emit(module, self.target)
            code = compile_ir(module.text(self.target.attributes), self.target, quick)
            self._link_in(list(missing), code)
            self.stats.modules += 1
            self.stats.kernels += len(missing)
            self.cache.store(key, list(missing), [self._link(name) for name in missing], code)

    def _link(self, name: str) -> str:
        return digest(self.context, "kernel", name)

    def _link_in(self, names: Sequence[str], code: bytes) -> None:
        """Give object code an address; names that are known already keep theirs."""
        llvm = targets.binding()
        builder = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
        for name in names:
            builder.export_symbol(name)
        linked = builder.link(_linker(), f"scisim.{next(_numbers)}")
        _forever(linked)
        for name in names:
            self._known.setdefault(name, linked[name])


def _forever(owner: Any) -> None:
    """Keep an object past the end of the interpreter: threads may still be in its code when modules are cleared."""
    import ctypes

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(owner))


@once
def _linker() -> Any:
    """LLVM's linker into memory."""
    llvm = targets.binding()
    host = targets.host()
    machine = llvm.Target.from_triple(host.triple).create_target_machine(
        cpu=host.cpu, features=host.features, opt=2, reloc="pic", jit=True
    )
    linker = llvm.create_lljit_compiler(machine)
    _forever(linker)
    return linker


@functools.cache
def _version() -> str:
    """What else code depends on: LLVM, scisim, and the sources of the generators, which change under a developer."""
    from scisim import __version__

    folder = Path(__file__).parents[1]
    files = sorted((p.relative_to(folder).as_posix(), p.stat()) for p in folder.rglob("*.py") if p.is_file())
    sources = digest(*(f"{name} {status.st_size} {status.st_mtime_ns}" for name, status in files))
    return f"{targets.binding().llvm_version_info}|{__version__}|{sources}"


@once
def host_library() -> Library:
    """The kernels of this process."""
    return Library(targets.host(), DiskCache())
