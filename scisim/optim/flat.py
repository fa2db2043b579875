"""Parameters as one vector, for methods that work on vectors.

Everywhere in `optim` a complex number counts as two real ones, real part first: a step for z is the step for
(Re z, Im z), and inner products are Re(conj(a) b).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import scisim as ss
from scisim.core.errors import ShapeError
from scisim.core.tensor import Tensor
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


def ravel(tree: Any, as_complex: bool = False) -> tuple[Tensor, Callable[[Any], Any]]:
    """The numbers of a tree as one vector, and the function that makes a tree of such a vector.

    Parameters
    ----------
    tree : tree of arrays
        Real and complex ones may be mixed.
    as_complex : bool
        By default the vector is real, and a complex number gives two neighbours, real part first.  True gives a complex
        vector with one number for each, whose imaginary part at a real leaf is zero, and is dropped on the way back.

    Returns
    -------
    vector : Tensor of shape (n,)
        Of the widest precision of the leaves.
    unravel : callable
        From a vector of shape (n,) to a tree, whose leaves have the dtypes that they had.

    Raises
    ------
    ArgumentError, DTypeError
        For a tree without arrays, and for leaves of integers.
    ShapeError
        By ``unravel``, for a vector of another length.

    Notes
    -----
    Both ways are functions of tensors, which differentiate and compile.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import optim
    >>> v, unravel = optim.ravel({"a": ss.asarray([1.0, 2.0]), "z": ss.asarray(3 + 4j)})
    >>> v
    Tensor([1., 2., 3., 4.])
    >>> unravel(10 * v)["z"]
    Tensor(30.+40.j)
    >>> optim.ravel({"a": ss.asarray([1.0, 2.0]), "z": ss.asarray(3 + 4j)}, as_complex=True)[0]
    Tensor([1.+0.j, 2.+0.j, 3.+4.j])
    """
    leaves, spec = leaves_of("ravel", tree)
    dtype = np.result_type(*[real_dtype(x) for x in leaves], *([np.complex64] if as_complex else []))
    rows = [ss.reshape(x if as_complex else _pairs(x), (-1,)) for x in leaves]
    sizes, forms = [r.shape[0] for r in rows], [(x.shape, x.dtype) for x in leaves]

    def unravel(vector: Any) -> Any:
        v = vector if isinstance(vector, Tensor) else ss.asarray(vector)
        if v.shape != (sum(sizes),):
            raise ShapeError(f"unravel: a vector of shape {v.shape}; expected ({sum(sizes)},), the numbers of the tree")
        ends = np.cumsum(sizes).tolist()
        parts = [v[end - n : end] for end, n in zip(ends, sizes, strict=True)]
        return build(spec, [_formed(part, *form) for part, form in zip(parts, forms, strict=True)])

    return ss.concat([ss.astype(r, dtype) for r in rows]), unravel


def _pairs(x: Tensor) -> Tensor:
    return ss.stack([ss.real(x), ss.imag(x)], axis=-1) if x.dtype.kind == "c" else x


def _formed(part: Tensor, shape: tuple[int, ...], dtype: np.dtype) -> Tensor:
    """A leaf from its stretch of a vector."""
    if dtype.kind == "c" and part.dtype.kind != "c":
        pairs = ss.reshape(part, (*shape, 2))
        part = pairs[..., 0] + 1j * pairs[..., 1]
    elif dtype.kind != "c":
        part = ss.real(part)
    return ss.astype(ss.reshape(part, shape), dtype)


def value_and_slope(loss_fn: Callable, flat: Flat) -> Callable[[np.ndarray], tuple[float, np.ndarray]]:
    """The loss and its gradient as functions of a vector."""
    from scisim.autodiff import value_and_grad

    both = value_and_grad(loss_fn)

    def evaluate(v: np.ndarray) -> tuple[float, np.ndarray]:
        value, g = both(flat.tree(v))
        return float(host(value)), flat.vector(g)

    return evaluate
