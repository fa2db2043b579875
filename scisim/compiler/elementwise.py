"""elementwise: a scalar function of the user as an operation on arrays."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.compiler.jit import jit
from scisim.compiler.scalar_run import ScalarRun
from scisim.compiler.scalar_source import plain_function, source
from scisim.core import pytree
from scisim.core.errors import ArgumentTypeError, ScisimError
from scisim.core.public import as_argument
from scisim.core.tensor import Tensor, functions, wrap
from scisim.core.values import Traced, named


class Elementwise:
    """A scalar function that acts on each element of arrays; made by `elementwise`."""

    def __init__(self, f: Any) -> None:
        self.f = plain_function(f)
        if not isinstance(self.f, types.FunctionType):
            raise ArgumentTypeError(
                f"elementwise: expected a Python function of numbers, or one that Numba has compiled, got "
                f"{type(f).__name__}"
            )
        source(self.f)  # says now if it cannot be read
        self._compiled = functools.lru_cache(maxsize=64)(self._compile)
        functools.update_wrapper(self, self.f, updated=())

    def __call__(self, *args: Any) -> Any:
        fixed = tuple((k, type(a), a) for k, a in enumerate(args) if type(a) in (int, bool))
        others = [a for a in args if type(a) not in (int, bool)]
        try:
            others = [as_argument(a) if isinstance(a, (list, tuple)) else a for a in others]
            vals, _ = pytree.values(tuple(others), self.f.__name__)
        except ScisimError as error:
            raise named(self.f.__name__, error) from None
        if any(isinstance(v, Traced) for v in vals):
            return self._on_arrays(fixed, *map(wrap, vals))
        return self._compiled(fixed)(*vals)

    def _compile(self, fixed: tuple) -> Callable:
        def run(*args: Any) -> Any:
            return self._on_arrays(fixed, *args)

        run.__name__ = self.f.__name__
        return jit(run)

    def _on_arrays(self, fixed: tuple, *arrays: Tensor) -> Any:
        """The function of arrays, and of the integers at the given positions."""
        args: list[Any] = list(arrays)
        for k, _, n in fixed:
            args.insert(k, n)
        out = ScalarRun(self.f, tuple(args)).result()
        whole = np.broadcast_shapes(*(a.shape for a in arrays))
        return tuple(_spread(x, whole) for x in out) if isinstance(out, tuple) else _spread(out, whole)

    def __repr__(self) -> str:
        return f"<elementwise {self.f.__name__}>"


def _spread(x: Any, whole: tuple[int, ...]) -> Any:
    x = x if isinstance(x, Tensor) else Tensor(x)
    return x if x.shape == whole else functions["broadcast_to"](x, whole)


def elementwise(f: Callable) -> Elementwise:
    """Make a function of numbers an operation on arrays, with derivatives of any order.

    Parameters
    ----------
    f : callable
        A Python function of numbers, or one that Numba has compiled.  It may use arithmetic, comparisons, ``and``,
        ``or``, ``not``, functions of `math`, `cmath`, NumPy and scisim, other functions of this kind, ``if``, and loops
        whose number of steps does not depend on its arguments.

    Returns
    -------
    callable
        Takes arrays that broadcast; arguments that are Python integers are part of the function, so that loops may run
        that often.  Inside `jit` it becomes part of one fused loop with what is around it.

    Raises
    ------
    ArgumentTypeError
        At the call, for what has no meaning element by element; the message names the line.

    Notes
    -----
    Both sides of a branch on values are computed, and each element takes the one that is its own; derivatives follow
    that side.  The function's source is followed, so it must be in a file, and it must not change anything outside.

    Examples
    --------
    >>> import math
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> @ss.elementwise
    ... def huber(x, d):
    ...     if abs(x) < d:
    ...         return x * x / 2
    ...     return d * (abs(x) - d / 2)
    >>> huber(ss.asarray([0.5, -3.0]), 1.0)
    Tensor([0.125, 2.5  ])
    >>> ad.grad(huber)(3.0, 1.0)
    Tensor(1.)
    """
    return Elementwise(f)
