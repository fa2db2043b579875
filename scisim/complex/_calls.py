"""Calls of functions whose chosen arguments are complex variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scisim.autodiff._holomorphy import HolomorphicCall
from scisim.autodiff.calls import positions, with_keywords
from scisim.core import pytree
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ScisimError
from scisim.core.tensor import wrap
from scisim.core.values import as_value, dtype, inexact, named
from scisim.ops.shape import astype

_NUMBERS = (int, float, complex)
CHECKS = (True, False, "strict")


def checked(who: str, check: Any) -> Any:
    """The argument of that name, or an error that says which there are."""
    if not any(check is c or (type(check) is str and check == c) for c in CHECKS):
        raise ArgumentError(
            f"{who}: check is {check!r}; pass True (refuse what is not holomorphic), 'strict' (refuse branches on the "
            f"argument too) or False (trust the function)"
        )
    return check


def call_of(
    who: str, f: Callable, args: tuple, kwargs: dict, argnums: int | Sequence[int], has_aux: bool, check: Any
) -> HolomorphicCall:
    """The call, the chosen arguments made complex."""
    nums = positions(who, argnums, len(args))
    new = list(args)
    for k in nums:
        new[k] = complex_tree(who, args[k], "z" if nums == (0,) else f"argument {k}")
    call = HolomorphicCall(who, with_keywords(f, kwargs), tuple(new), nums, has_aux, check=check)
    if not call.values:
        chosen = tuple(args[k] for k in nums)
        raise ArgumentTypeError(
            f"{who}: argnums {argnums} chooses {chosen!r:.60}, which holds no numbers; pass complex numbers, arrays or "
            f"containers of them"
        )
    return call


def complex_tree(who: str, tree: Any, name: str) -> Any:
    """A container of numbers as one of complex numbers; those of Python stay weak in promotion.

    A list of Python's numbers, nested or not, is one array.
    """
    leaves, spec = pytree.flatten(listed(who, tree, name))
    made: list[Any] = []
    for leaf, path in zip(leaves, pytree.paths(pytree.unflatten(spec, leaves)), strict=True):
        if type(leaf) in _NUMBERS:
            made.append(complex(leaf))
            continue
        v = pytree.leaf_value(leaf, who, f"{name}{path}")
        if not inexact(dtype(v)) and dtype(v).kind not in "iu":
            raise DTypeError(f"{who}: {name}{path} has dtype {dtype(v)}; pass complex numbers")
        made.append(wrap(astype(v, complex_of(dtype(v)))))
    return pytree.unflatten(spec, made)


def listed(who: str, tree: Any, name: str) -> Any:
    """A list of numbers, nested or not, as an array; other containers as they are."""
    if not _is_list_of_numbers(tree):
        return tree
    try:
        return as_value(tree)
    except ScisimError as error:
        raise named(f"{who}: {name}", error) from None


def _is_list_of_numbers(tree: Any) -> bool:
    return type(tree) is list and bool(tree) and all(type(x) in _NUMBERS or _is_list_of_numbers(x) for x in tree)


def complex_of(dt: np.dtype) -> np.dtype:
    """The complex dtype of the same precision, at least single."""
    small = dt.itemsize < 4 and inexact(dt)
    return np.dtype(np.complex64) if small else np.result_type(dt, np.complex64)
