"""Native libraries that come as Python packages of their own."""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from pathlib import Path
from typing import Any

MKL_PLACES = (("lib", "libmkl_rt*"), ("Library/bin", "mkl_rt*.dll"))


@functools.cache
def mkl() -> Any:
    """Intel's MKL as the package ``mkl`` installs it, or None.

    Its threads would go on looking for work for 200 ms after each call, on cores that compiled programs need; unless
    the user says otherwise (KMP_BLOCKTIME), they sleep at once.
    """
    os.environ.setdefault("KMP_BLOCKTIME", "0")
    for folder, pattern in MKL_PLACES:
        for path in sorted((Path(sys.prefix) / folder).glob(pattern)):
            try:
                return ctypes.CDLL(str(path))
            except OSError:  # for another system, or without what it needs
                continue
    return None
