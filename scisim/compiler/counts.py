"""What the compiler has done in this process, counted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Stats:
    """Counts since the process began.

    Attributes
    ----------
    programs : int
        Functions captured, once for each signature.
    kernels, modules : int
        Compiled to native code, in so many pieces.
    loaded : int
        Pieces of native code taken from the disk cache.
    seconds : float
        Spent on compiling and loading native code.
    """

    programs: int
    kernels: int
    modules: int
    loaded: int
    seconds: float


_captured = [0]


def captured() -> None:
    """Count a program."""
    _captured[0] += 1


def stats() -> Stats:
    """What the compiler has done in this process.

    Returns
    -------
    Stats
        Kernels are shared: a program whose kernels are all known, such as one for another number of points, compiles
        none.

    Examples
    --------
    >>> import scisim as ss
    >>> before = ss.compiler.stats()
    >>> ss.jit(lambda x: x + 1)(ss.ones(8))
    Tensor([2., 2., 2., 2., 2., 2., 2., 2.])
    >>> ss.compiler.stats().programs - before.programs
    1
    """
    from scisim.compiler.cpu.library import host_library

    made = host_library().stats if host_library.cache_info().currsize else None
    if made is None:
        return Stats(_captured[0], 0, 0, 0, 0.0)
    return Stats(_captured[0], made.kernels, made.modules, made.loaded, made.seconds)
