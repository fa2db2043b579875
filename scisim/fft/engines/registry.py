"""Which engines there are, and which of them computes a transform.

The choice depends on the transform alone (its kind, its points, what is installed), never on a measurement: all ranks
and all runs choose alike, so that results keep their bits.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import warnings
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from scisim.core.checks import is_integer
from scisim.core.errors import ArgumentError
from scisim.fft.engines.interface import Engine, unknown
from scisim.fft.engines.plans import PLANS, TRYING, CacheInfo
from scisim.fft.engines.pocket import ducc_engine, scipy_engine
from scisim.fft.engines.probe import fault

_SMALL = 1024  # points below which the call costs more than the transform
# Fastest first, as measured by benchmarks/fft/engines.py.
_ORDER = {
    "small": ("ducc0", "scipy", "mkl", "fftw"),
    "complex": ("mkl", "ducc0", "scipy", "fftw"),
    "real": ("mkl", "fftw", "scipy", "ducc0"),
}
_preferred: list[str] = []  # registered by users, the last first
_named: ContextVar[str | None] = ContextVar("engine of transforms", default=None)


def _mkl() -> Engine:
    from scisim.fft.engines.mkl import MKL

    return MKL()


def _fftw(name: str, effort: str) -> Engine:
    from scisim.fft.engines.fftw import FFTW

    return FFTW(name, effort)


def _has_mkl() -> bool:
    from scisim.backends.libraries import mkl

    return mkl() is not None


# name: (whether it is installed, what makes it)
_MAKERS: dict[str, tuple[Callable[[], bool], Callable[[], Engine]]] = {
    "mkl": (_has_mkl, _mkl),
    "fftw": (lambda: importlib.util.find_spec("pyfftw") is not None, lambda: _fftw("fftw", "FFTW_ESTIMATE")),
    "fftw-measured": (
        lambda: importlib.util.find_spec("pyfftw") is not None,
        lambda: _fftw("fftw-measured", "FFTW_MEASURE"),
    ),
    "ducc0": (lambda: importlib.util.find_spec("ducc0") is not None, ducc_engine),
    "scipy": (lambda: True, scipy_engine),
}
_BUILT_IN = tuple(_MAKERS)
_made: dict[str, Engine | None] = {}


def get(name: str) -> Engine | None:
    """The engine of that name, loaded and tried, or None where it is not installed or fails."""
    if name not in _made:
        with TRYING:  # one thread loads and tries it, the others wait
            if name not in _made:
                installed, make = _MAKERS[name]
                _made[name] = _tried(name, make) if installed() else None
    return _made[name]


def _tried(name: str, make: Callable[[], Engine]) -> Engine | None:
    try:
        engine = make()
    except (ImportError, OSError) as error:
        wrong = str(error)
    else:
        wrong = fault(engine)
    if wrong:
        warnings.warn(f"fft: the engine {name!r} is left out: {wrong}", RuntimeWarning, stacklevel=2)
        return None
    return engine


def list_engines() -> list[str]:
    """Names of the engines that are installed and pass their trial.

    Returns
    -------
    list of str
        ``"scipy"`` always; ``"mkl"``, ``"fftw"`` (and ``"fftw-measured"``) and ``"ducc0"`` with the packages ``mkl``,
        ``pyfftw`` and ``ducc0``; those that `register_engine` added.

    Examples
    --------
    >>> import scisim as ss
    >>> "scipy" in ss.fft.list_engines()
    True
    """
    return [name for name in list(_MAKERS) if get(name) is not None]


def register_engine(engine: Engine) -> None:
    """Add a library of transforms, which from now on computes all of them.

    Parameters
    ----------
    engine : Engine
        An object with a ``name`` and the methods ``c2c``, ``r2c``, ``c2r`` and ``clear`` of
        `scisim.fft.engines.Engine`.  It is tried on small transforms first.

    Raises
    ------
    ArgumentError
        If the trial fails, which the message describes, a method is missing, or the name is that of an engine which
        is there without being registered.

    Examples
    --------
    >>> import scisim as ss
    >>> class Mine:
    ...     name = "mine"
    ...     def c2c(self, x, axes, inverse, scale, out, threads):
    ...         return x
    ...     r2c = c2r = clear = None
    >>> ss.fft.register_engine(Mine())
    Traceback (most recent call last):
    ...
    scisim.core.errors.ArgumentError: fft.register_engine: c2c of shape (6,) along (-1,), dtype complex128 is wrong
    """
    _check_engine(engine)
    _MAKERS[engine.name] = (lambda: True, lambda: engine)
    _made[engine.name] = engine
    if engine.name in _preferred:
        _preferred.remove(engine.name)
    _preferred.insert(0, engine.name)
    choose.cache_clear()


def _check_engine(engine: Any) -> None:
    """An engine, or an error that says what it lacks or gets wrong."""
    missing = [m for m in ("name", "c2c", "r2c", "c2r", "clear") if not hasattr(engine, m)]
    if missing:
        raise ArgumentError(
            f"fft.register_engine: {engine!r:.60} has no {', '.join(missing)}; pass an object with a name and the "
            f"methods of fft.engines.Engine"
        )
    if not isinstance(engine.name, str) or engine.name in _BUILT_IN:
        raise ArgumentError(
            f"fft.register_engine: the name must be a text other than {', '.join(map(repr, _BUILT_IN))}, which are "
            f"engines already; got {engine.name!r}"
        )
    wrong = fault(engine) or ("" if callable(engine.clear) else f"clear is {engine.clear!r}, and must be a method")
    if wrong:
        raise ArgumentError(f"fft.register_engine: {wrong}")


@contextlib.contextmanager
def engine(name: str) -> Iterator[None]:
    """Within a ``with`` block, transforms of this thread are computed by the engine of that name.

    Parameters
    ----------
    name : str
        One of `list_engines`.  ``"fftw-measured"`` looks for the fastest plan at the first transform of a geometry,
        which takes up to seconds, and whose last bits can differ from run to run.

    Raises
    ------
    ArgumentError
        For a name that is not installed.

    Notes
    -----
    A compiled program asks for the engine whenever it runs, so the block counts around its calls.

    Examples
    --------
    >>> import scisim as ss
    >>> with ss.fft.engine("scipy"):
    ...     y = ss.fft.fft([1.0, 0.0])
    """
    if not isinstance(name, str) or name not in _MAKERS or get(name) is None:
        raise unknown(name, list_engines())
    token = _named.set(name)
    try:
        yield
    finally:
        _named.reset(token)


def asked() -> str | None:
    """The name that a ``with`` block asks for, if any."""
    return _named.get()


def by_lines() -> Any:
    """The engine whose functions compiled programs call; None where there is none, or another one is asked for."""
    name = _named.get()
    return get("mkl") if name == "mkl" or (name is None and not _preferred) else None


def chosen(real: bool, size: int) -> Engine:
    """The engine for a transform of an array of so many elements."""
    name = _named.get()
    if name is not None:
        return _made[name]  # type: ignore[return-value]
    return choose("small" if size < _SMALL else "real" if real else "complex")


@functools.cache
def choose(kind: str) -> Engine:
    """The first engine of an order that is installed."""
    return next(e for e in map(get, (*_preferred, *_ORDER[kind])) if e is not None)


def clear_cache() -> None:
    """Forget all plans of transforms; the next transform of each geometry makes its own again.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.clear_cache()
    >>> ss.fft.cache_info().plans
    0
    """
    PLANS.clear()
    for e in list(_made.values()):
        if e is not None:
            e.clear()


def cache_info() -> CacheInfo:
    """How many plans are kept, and what they take.

    Returns
    -------
    CacheInfo
        ``plans``, ``bytes`` and ``limit``: beyond the limit the least recently used plans go.  Plans inside SciPy and
        ducc0, which keep 16 each, are not counted.
    """
    return PLANS.info()


def set_cache_limit(limit: int) -> None:
    """Bound the plans of transforms by so many bytes, 256 MiB at first.

    Parameters
    ----------
    limit : int
        Bytes; 0 keeps the last plan only.

    Raises
    ------
    ArgumentError
        For a negative number.
    """
    if not is_integer(limit, 0):
        raise ArgumentError(f"fft.set_cache_limit: the limit must be a number of bytes from 0 on, got {limit!r}")
    PLANS.resize(int(limit))


def device_engine(x: Any) -> Engine:
    """cuFFT for an array of CuPy."""
    if "cufft" not in _made:
        import cupy

        from scisim.fft.engines.cufft import CuFFT

        _made["cufft"] = CuFFT(cupy)
    return _made["cufft"]  # type: ignore[return-value]
