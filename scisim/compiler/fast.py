"""The fast way to call a compiled function: flat arguments and results, checked and wrapped natively."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.compiler.moves import Moves, only_moves
from scisim.core import pytree
from scisim.core.tensor import Tensor, wrap

_NUMBERS = (float, int, complex)


def fast_entry(program: Any, args: tuple, kwargs: dict) -> Any:
    """A native entry into a compiled program for arguments like these; None where only the general way serves.

    Parameters
    ----------
    program : scisim.compiler.jit.Compiled
    args, kwargs
        Of a call that the program served.
    """
    from scisim.compiler.cpu.entry import Taken
    from scisim.compiler.native import NativeProgram

    native = program.run
    if kwargs or program.held or not isinstance(native, NativeProgram):
        return None
    kinds = [_kind(a) for a in args]
    results, container = _flat_results(program.out_spec, len(native.plan.outputs))
    if None in kinds or results is None or len(args) != len(native.plan.inputs):
        return None
    if not native.plan.donated and only_moves(program.captured):
        return PythonEntry(native, container, Moves(program.captured))
    gives = native.gives() if native.direct is None else None
    if gives is None:
        return PythonEntry(native, container) if native.hosts and not native.plan.donated else None
    if container not in (None, tuple, list):
        return None
    inputs = zip(native.plan.inputs, kinds, strict=True)
    takes = [Taken(a.slot, a.shape, a.dtype, kind if kind in _NUMBERS else None) for a, kind in inputs]
    return native.open(takes, gives, container)


class PythonEntry:
    """The short way into a program with steps in Python, for tensors of the dtypes and shapes that it takes."""

    def __init__(self, native: Any, container: type | None, run: Any = None) -> None:
        self.run, self.container = run or native.direct or native, getattr(container, "_make", container)
        self.takes = [(a.shape, a.dtype) for a in native.plan.inputs]

    def call(self, *args: Any) -> Any:
        """The results, or NotImplemented for other arguments."""
        takes = self.takes
        if len(args) != len(takes):
            return NotImplemented
        vals = []
        for a, (own, dtype) in zip(args, takes):
            v = a._v if type(a) is Tensor else None
            if type(v) is not np.ndarray or v.shape != own or v.dtype != dtype:
                return NotImplemented
            vals.append(v)
        outs = self.run(*vals)
        return wrap(outs[0]) if self.container is None else self.container(map(wrap, outs))


def _kind(a: Any) -> type | None:
    """Which of the kinds of argument an entry takes this is."""
    if type(a) in _NUMBERS:
        return type(a)
    return np.ndarray if type(a) in (Tensor, np.ndarray) else None


def _flat_results(spec: Any, count: int) -> tuple[Any, type | None]:
    """Whether the result is one value, or a tuple or list of them in order, and which."""
    tree = pytree.tree_of(spec, list(map(np.asarray, range(count))))
    if isinstance(tree, Tensor):
        return tree, None
    flat = (type(tree) in (tuple, list) or hasattr(type(tree), "_make")) and all(isinstance(t, Tensor) for t in tree)
    order = [int(t) for t in tree] if flat else []
    return (tree, type(tree)) if flat and order == list(range(count)) else (None, None)
