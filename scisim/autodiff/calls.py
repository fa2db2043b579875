"""A call of a user's function with some of its arguments made variables.

Every transformation sees a function of containers of tensors as a function of flat values (`core.pytree`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import optree

from scisim.core import pytree
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import dtype, inexact, name_of
from scisim.ops.shape import as_integer, several


def positions(who: str, argnums: int | Sequence[int], count: int) -> tuple[int, ...]:
    """Argument numbers as non-negative integers."""
    items = several(argnums)
    nums = [as_integer(who, "argnums", k) for k in ((argnums,) if items is None else items)]
    for k in nums:
        if not -count <= k < count:
            given = f"{count} were given (0 to {count - 1})" if count else "none was given by position"
            raise ArgumentError(f"{who}: argnums {argnums} names argument {k}, but {given}")
    if len({k % count for k in nums}) < len(nums):
        raise ArgumentError(f"{who}: argnums {argnums} names an argument twice")
    return tuple(k % count for k in nums)


def differentiable(who: str, value: Any, name: str) -> Any:
    """Only real and complex floating-point arrays have derivatives."""
    if not inexact(dtype(value)):
        raise DTypeError(
            f"{who}: {name} has dtype {dtype(value)}, which has no derivative; pass floating-point numbers "
            f"(2.0 instead of 2, or x.astype(float))"
        )
    return value


def with_keywords(f: Callable, kwargs: dict) -> Callable:
    """The function with keyword arguments held, under its own name."""
    if not kwargs:
        return f

    def held(*args: Any) -> Any:
        return f(*args, **kwargs)

    held.__name__ = name_of(f)
    return held


class Call:
    """A function with some of its positional arguments made variables; the others are held."""

    __slots__ = ("args", "aux", "f", "has_aux", "nums", "out_spec", "spec", "values", "who")

    def __init__(self, who: str, f: Callable, args: tuple, nums: tuple[int, ...], has_aux: bool) -> None:
        self.who, self.f, self.args, self.nums, self.has_aux = who, f, args, nums, has_aux
        self.aux: Any = None
        self.out_spec: Any = None
        if len(nums) == 1 and type(args[nums[0]]) is Tensor:  # one tensor: no containers to look into
            self.spec, self.values = None, [args[nums[0]]._v]
        else:
            leaves, self.spec = pytree.flatten(tuple(args[k] for k in nums))
            self.values = [pytree.leaf_value(x, who) for x in leaves]
            if any(type(x) in pytree._WEAK for x in leaves):
                others = [x for x in pytree.tree_leaves(args) if isinstance(x, (Tensor, np.ndarray))]
                self.values = pytree.weakly(leaves, self.values, others)
        for k, v in enumerate(self.values):
            if v.dtype.kind != "f" and not inexact(v.dtype):
                differentiable(who, v, f"argument {self._name(k)}")

    def _name(self, k: int) -> str:
        return f"{pytree.paths(tuple(self.args[n] for n in self.nums))[k]} of {name_of(self.f)}"

    def rebuild(self, vals: Sequence[Any]) -> tuple:
        """Tensors in the structure of the chosen arguments."""
        return (wrap(vals[0]),) if self.spec is None else pytree.tree_of(self.spec, vals)

    def __call__(self, *vals: Any) -> list:
        handles = [wrap(v) for v in vals]
        new = list(self.args)
        if self.spec is None:
            new[self.nums[0]] = handles[0]
        else:
            for k, a in zip(self.nums, optree.tree_unflatten(self.spec, handles), strict=True):
                new[k] = a
        out = self.f(*new)
        for k, v in enumerate(vals):
            if handles[k]._v is not v:
                pytree.refuse_assignment(self.who, self.f, k)
        if self.has_aux:
            out = self._without_aux(out)
        if type(out) is Tensor:
            self.out_spec = pytree._SINGLE
            return [out._v]
        leaves, self.out_spec = pytree.flatten(out)
        return [pytree.leaf_value(x, self.who, f"the result of {name_of(self.f)}") for x in leaves]

    def _without_aux(self, out: Any) -> Any:
        if not (isinstance(out, tuple) and len(out) == 2):
            raise ArgumentTypeError(
                f"{self.who}: with has_aux=True {name_of(self.f)} must return a pair (value, auxiliary), "
                f"got {type(out).__name__}"
            )
        out, self.aux = out
        return out


def lowered(trace: Any, tree: Any) -> Any:
    """Auxiliary results without their derivative."""

    def lower(x: Any) -> Any:
        if isinstance(x, Tensor) and trace.mine(x._v):
            return wrap(x._v.lower)
        return x

    return pytree.tree_map(lower, tree)
