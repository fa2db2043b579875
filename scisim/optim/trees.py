"""Arithmetic on trees of parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

import scisim as ss
from scisim.core import pytree
from scisim.core.checks import is_real
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import inexact


class Shown:
    """Objects whose text is their class and what they were made with."""

    def __repr__(self) -> str:
        held = {k: v for k, v in vars(self).items() if not k.startswith("_") and k != "rate"}
        return f"{type(self).__name__}({', '.join(f'{k}={_named(v)}' for k, v in held.items())})"


def _named(x: Any) -> str:
    return getattr(x, "__name__", None) or repr(x)


def check_state(who: str, first: str, state: Any, params: Any, kind: type) -> None:
    """The state is the one that the optimizer's own init made, and no state was given as parameters."""
    if isinstance(params, kind):
        raise ArgumentTypeError(f"{who}: params is the state; the order is {who}({first}, state, params)")
    if not isinstance(state, kind):
        raise ArgumentTypeError(
            f"{who}: state is a {type(state).__name__}, expected {kind.__name__}; start with state = "
            f"{who.split('.')[0]}(...).init(params); the order is {who}({first}, state, params)"
        )


def leaves_of(who: str, params: Any) -> tuple[list[Tensor], Any]:
    """The parameters as Tensors, and their structure; each must be real or complex."""
    leaves, spec = pytree.flatten(params)
    out = [wrap(pytree.leaf_value(x, who, "a parameter")) for x in leaves]
    if not out:
        raise ArgumentError(f"{who}: no parameters to train; got {type(params).__name__} without any array")
    for k, x in enumerate(out):
        if not inexact(x.dtype):
            raise DTypeError(
                f"{who}: parameter {pytree.paths(params)[k] or k} has dtype {x.dtype}, which cannot be trained; for "
                f"modules that hold such arrays: params, rest = nn.partition(module)"
            )
    return out, spec


def like(who: str, what: str, tree: Any, params: Any) -> tuple[list[Tensor], list[Tensor], Any]:
    """Leaves of ``tree`` and of the parameters, which must have one structure and shapes."""
    ps, spec = leaves_of(who, params)
    leaves, own = pytree.flatten(tree)
    if own != spec:
        raise ArgumentTypeError(
            f"{who}: {what} has the structure {_short(own)}, the parameters {_short(spec)}; they must be equal"
        )
    xs = [wrap(pytree.leaf_value(x, who, f"a leaf of {what}")) for x in leaves]
    for k, (x, p) in enumerate(zip(xs, ps, strict=True)):
        if x.shape != p.shape:
            raise ShapeError(
                f"{who}: {what}{pytree.paths(params)[k]} has shape {x.shape}, the parameter {p.shape}; "
                f"they must be equal"
            )
        if x.dtype.kind == "c" and p.dtype.kind != "c":
            raise DTypeError(
                f"{who}: {what}{pytree.paths(params)[k]} is {x.dtype}, the parameter {p.dtype}; the gradient of a real "
                f"parameter is real: take its real part, or make the parameter complex"
            )
    return xs, ps, spec


def check_length(who: str, got: int, flat: Any) -> None:
    """A state that holds vectors holds them for parameters of this size."""
    if got != flat.size:
        raise ShapeError(
            f"{who}: state is of {got} parameters, params has {flat.size} (real numbers); start with state = "
            f"{who.split('.')[0]}(...).init(params)"
        )


def check_loss(who: str, loss_fn: Any) -> None:
    """What is minimised is a function."""
    if not callable(loss_fn):
        raise ArgumentTypeError(
            f"{who}: loss_fn is a {type(loss_fn).__name__}; expected a function of the parameters, as in "
            f"{who}(loss_fn, state, params)"
        )


def _short(spec: Any) -> str:
    text = str(spec)
    return text if len(text) <= 200 else text[:200] + "..."


def build(spec: Any, leaves: list) -> Any:
    """A tree of Tensors."""
    return pytree.unflatten(spec, leaves)


def zeros_like(tree: Any) -> Any:
    """A tree of zeros."""
    return pytree.tree_map(ss.zeros_like, tree)


def real_dtype(x: Tensor) -> np.dtype:
    """The dtype of the real numbers beside a parameter."""
    return np.dtype(x.dtype.type(0).real.dtype) if x.dtype.kind == "c" else x.dtype


def scalar(value: Any, beside: Tensor) -> Any:
    """A number that does not raise the dtype of a parameter; Python numbers never do."""
    return ss.astype(value, real_dtype(beside)) if isinstance(value, Tensor) else value


def squared(x: Tensor) -> Tensor:
    """abs(x) ** 2, real."""
    return ss.real(x * ss.conj(x)) if x.dtype.kind == "c" else x * x


def global_norm(tree: Any) -> Tensor:
    """The Euclidean norm of all numbers of a tree together.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import optim
    >>> optim.global_norm({"a": ss.asarray(3.0), "b": ss.asarray([4.0])})
    Tensor(5.)
    """
    leaves, _ = leaves_of("global_norm", tree)
    total = ss.sum(squared(leaves[0]))
    for x in leaves[1:]:
        total = total + ss.sum(squared(x))
    return ss.sqrt(total)


def clip_by_global_norm(grads: Any, max_norm: float) -> tuple[Any, Tensor]:
    """Gradients scaled together so that their global norm is at most ``max_norm``, and the norm before.

    R. Pascanu, T. Mikolov, Y. Bengio, ICML 2013.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import optim
    >>> optim.clip_by_global_norm(ss.asarray([3.0, 4.0]), 1.0)
    (Tensor([0.6, 0.8]), Tensor(5.))
    """
    if not (is_real(max_norm) and max_norm > 0):
        raise ArgumentError(f"clip_by_global_norm: max_norm is {max_norm!r}; expected a positive number")
    norm = global_norm(grads)
    factor = max_norm / ss.maximum(norm, max_norm)
    return pytree.tree_map(lambda g: g * scalar(factor, g), grads), norm
