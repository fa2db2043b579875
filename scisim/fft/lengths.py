"""Lengths for which transforms are fast."""

from __future__ import annotations

from functools import lru_cache

from scisim.core.errors import ArgumentError
from scisim.fft.common import check_size, flag, integer


def next_fast_len(target: int, real: bool = False) -> int:
    """The least length, from ``target`` on, for which transforms are fast: a product of small primes.

    Parameters
    ----------
    target : int
        At least 1.
    real : bool
        Whether it is that of real signals: with primes to 5, else to 11.

    Returns
    -------
    int

    Raises
    ------
    ArgumentError
        For a length below 1.
    ArgumentTypeError
        For no integer.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.next_fast_len(97), ss.fft.next_fast_len(97, real=True)
    (98, 100)
    """
    n = integer("next_fast_len", "target", target)
    if n < 1:
        raise ArgumentError(f"next_fast_len: target must be at least 1, got {n}")
    check_size("next_fast_len", (n,))
    return _next(n, flag("next_fast_len", "real", real))


@lru_cache(maxsize=4096)
def _next(n: int, real: bool) -> int:
    from scipy.fft import next_fast_len as smooth

    return int(smooth(n, real))
