"""Parameters as one real vector in memory, for methods that work on vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import scisim as ss
from scisim.optim.trees import build, leaves_of, like, real_dtype


def host(x: Any) -> np.ndarray:
    """The numbers of a tensor; of a sharded one all of them, on every rank, terms of a sum over ranks added."""
    if x.placements is not None:
        from scisim.distributed import gather

        x = gather(x)
    return x.numpy()


class Flat:
    """The map between a tree of parameters and a real vector; a complex number counts as its two parts.

    Parameters
    ----------
    params : tree of arrays
    who : str
        For messages.
    """

    def __init__(self, params: Any, who: str) -> None:
        self.who, self.params = who, params
        self.leaves, self.spec = leaves_of(who, params)
        self.dtype = np.result_type(*[real_dtype(x) for x in self.leaves])

    @property
    def size(self) -> int:
        return sum(x.size * (2 if x.dtype.kind == "c" else 1) for x in self.leaves)

    def vector(self, tree: Any = None) -> np.ndarray:
        """The numbers of a tree of this structure (the parameters themselves by default)."""
        xs = self.leaves if tree is None else like(self.who, "the gradient", tree, self.params)[0]
        return np.concatenate([self._real(x, p) for x, p in zip(xs, self.leaves, strict=True)])

    def _real(self, x: Any, p: Any) -> np.ndarray:
        a = np.ascontiguousarray(host(x)).astype(p.dtype, copy=False).ravel()
        return a.view(real_dtype(p)).astype(self.dtype, copy=False)

    def tree(self, v: np.ndarray) -> Any:
        """A tree of Tensors from a vector."""
        out, start = [], 0
        for p in self.leaves:
            n = p.size * (2 if p.dtype.kind == "c" else 1)
            part = v[start : start + n].astype(real_dtype(p), copy=True)
            out.append(ss.Tensor(part.view(p.dtype).reshape(p.shape), copy=False))
            start += n
        return build(self.spec, out)


def value_and_slope(loss_fn: Callable, flat: Flat) -> Callable[[np.ndarray], tuple[float, np.ndarray]]:
    """The loss and its gradient as functions of a vector."""
    from scisim.autodiff import value_and_grad

    both = value_and_grad(loss_fn)

    def evaluate(v: np.ndarray) -> tuple[float, np.ndarray]:
        value, g = both(flat.tree(v))
        return float(host(value)), flat.vector(g)

    return evaluate
