"""The Burgers step by a hand-made native program, from a folder outside of this project that has `native.py`."""

from collections.abc import Callable
from typing import Any

from pdes import setup


def step(dtype: str, points: int, threads: int) -> Callable[[], Any]:
    """A call that gives loss and gradients, in the order of the parameters."""
    import native

    params, x = setup("burgers1d", points, dtype, dtype)
    return native.Step(x, [a for layer in params for a in layer], threads=threads)
