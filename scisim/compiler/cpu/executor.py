"""Running program images: kernels get their addresses, and the native interpreter does the rest."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

import numpy as np

from scisim.compiler.cpu import records
from scisim.compiler.cpu.image import Arg, Image
from scisim.compiler.cpu.interpreter import Interpreter
from scisim.compiler.cpu.library import Kernel, Library, host_library
from scisim.compiler.cpu.once import once
from scisim.compiler.cpu.pool import pool, stop_at_exit
from scisim.compiler.cpu.records import INSTRUCTION, PROGRAM
from scisim.core.errors import ArgumentError

__all__ = ["Arg", "Bound", "Executor", "Image", "executor"]


class Bound:
    """An image with addresses in it; it can be run by several threads at once, each with a frame of its own.

    Attributes
    ----------
    image : Image
    address : int
        Of the block that native code takes.
    """

    def __init__(self, image: Image, addresses: Sequence[int], hosts: Sequence[Callable], release: bool) -> None:
        self.image, self.hosts = image, tuple(hosts)
        saved = image.arrays()
        code, arguments, moving = saved["code"], saved["arguments"], saved["moving"]
        calls = code[:, 0] == records.CALL
        code[calls, 1] = np.array(addresses, np.int64)[code[calls, 1]] if calls.any() else 0
        objects = np.array([id(f) for f in self.hosts], np.int64)
        widest = max((r[3] for r in image.code if r[0] in (records.CALL, records.HOST)), default=0)
        numbers = (len(code), image.slots, widest, pool().threads, int(release), pool().address)
        pointers = [a.ctypes.data for a in (code, arguments, moving, objects)]
        self._block = np.array([*pointers, *numbers], np.int64)
        self._kept = (code, arguments, moving, objects)
        self.address = self._block.ctypes.data
        assert len(self._block) == PROGRAM.size
        assert code.shape[1] == INSTRUCTION.size

    def frame(self) -> np.ndarray:
        """A frame to be filled with addresses and numbers."""
        return np.zeros(self.image.slots, np.int64)


class Executor:
    """The native interpreter of a library's target.

    Parameters
    ----------
    library : Library
        Of the processor that runs this.
    """

    def __init__(self, library: Library) -> None:
        self.library = library
        table = np.zeros(len(Interpreter.functions), np.int64)
        start = library.addresses([Interpreter()], quick=True)[Interpreter.name]
        ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(start)(table.ctypes.data)
        self.functions = dict(zip(Interpreter.functions, table.tolist(), strict=True))
        self._run = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)(self.functions["scisim_run"])
        stop_at_exit(self.functions["scisim_stop"])

    def bind(
        self, image: Image, kernels: Sequence[Kernel], hosts: Sequence[Callable] = (), release: bool = False
    ) -> Bound:
        """Make an image ready to run.

        Parameters
        ----------
        image : Image
        kernels : sequence of Kernel
            Those that the image calls, in any order; what is not in memory is loaded or compiled.
        hosts : sequence of callable
            Python functions that it calls, with the address of an array of int64.
        release : bool
            Whether other Python threads may run from the start; otherwise they may once the program has run for some
            milliseconds, between two calls or tiles, which is better for a short one.
        """
        addresses = self.library.addresses(kernels)
        missing = [name for name in image.kernels if name not in addresses]
        if missing or len(hosts) < image.hosts:
            what = f"kernels {missing}" if missing else f"{image.hosts} Python functions, and {len(hosts)} are given"
            raise ArgumentError(f"Executor.bind: the image calls {what}")
        return Bound(image, [addresses[name] for name in image.kernels], hosts, release)

    def loaded(self, image: Image) -> Bound | None:
        """An image without host steps made ready to run, if all its kernels are in memory or on disk."""
        addresses = self.library.find(image.kernels)
        return None if addresses is None else Bound(image, addresses, (), False)

    def run(self, program: Bound, frame: np.ndarray) -> None:
        """Run a program; an exception of a signal's handler or of a Python function stops it and is raised.

        Parameters
        ----------
        program : Bound
        frame : ndarray of int64
            What its slots hold at the start; it is left as it was.
        """
        if frame.dtype != np.int64 or frame.shape != (program.image.slots,) or not frame.flags.c_contiguous:
            raise ArgumentError(
                f"Executor.run: the frame has dtype {frame.dtype} and shape {frame.shape}; the program takes int64 "
                f"and {(program.image.slots,)}"
            )
        self._run(program.address, frame.ctypes.data)


@once
def executor() -> Executor:
    """The executor of this process."""
    return Executor(host_library())
