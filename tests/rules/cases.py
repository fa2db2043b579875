"""What a row of the table is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scisim.core.primitive import PRIMITIVES, Primitive
from scisim.core.public import OPERATIONS
from scisim.core.tensor import Tensor, unwrap, wrap


@dataclass(frozen=True)
class Case:
    """One operation at ordinary points.

    Attributes
    ----------
    name : str
    covers : tuple of str
        The declarations that this row holds: "op:" and "prim:" names.
    call : callable
        A function of tensors to a tensor, or a tuple of them.
    operands : tuple of array
        Each may be mapped; those of floating point carry derivatives.
    order : int
        Taylor coefficients are compared with nested first derivatives up to this order.
    exact : callable, optional
        The function of mpmath numbers.
    concrete : bool
        The function needs values, so that it cannot be captured or mapped.
    reverse_captured : bool
        Whether its gradient can be captured, which that of a loop of unknown length cannot.
    differences : bool
        Whether the derivative is the limit of quotients of values, which that of a sample by rejection is not.
    prim, params
        The primitive, where the row calls it directly: its axis rule and scalar expression are held too.
    """

    name: str
    covers: tuple[str, ...]
    call: Callable
    operands: tuple[Any, ...]
    order: int = 6
    exact: Callable | None = None
    concrete: bool = False
    reverse_captured: bool = True
    differences: bool = True
    prim: Primitive | None = None
    params: dict = field(default_factory=dict)

    @property
    def tensors(self) -> list[Tensor]:
        return [Tensor(x) for x in self.operands]

    @property
    def inexact(self) -> list[int]:
        return [i for i, x in enumerate(self.operands) if np.asarray(x).dtype.kind in "fc"]

    def outputs(self, *args: Any) -> list[Tensor]:
        out = self.call(*args)
        return list(out) if isinstance(out, (tuple, list)) else [out]


def operation(name: str, *operands: Any, call: Callable | None = None, tag: str = "", **more: Any) -> Case:
    """A row for a public operation."""
    f = call or OPERATIONS[name].function
    covers = [f"op:{name}"]
    if OPERATIONS[name].raw is OPERATIONS[name].primitive:
        prim = OPERATIONS[name].primitive
        covers.append(f"prim:{prim.name}")
        more.setdefault("prim", prim)
    arrays = tuple(np.asarray(x) for x in operands)
    kind = " complex" if any(x.dtype.kind == "c" for x in arrays) else ""
    return Case(f"{name}{tag and ' ' + tag}{kind}", tuple(covers), f, arrays, **more)


def primitive(name: str, *operands: Any, tag: str = "", **more: Any) -> Case:
    """A row for a primitive called directly."""
    prim = PRIMITIVES[name]
    params = more.pop("params", {})

    def call(*args: Any) -> Any:
        out = prim(*map(unwrap, args), **params)
        return tuple(map(wrap, out)) if prim.multiple else wrap(out)

    arrays = tuple(np.asarray(x) for x in operands)
    kind = " complex" if any(x.dtype.kind == "c" for x in arrays) else ""
    label = f"{name} primitive{tag and ' ' + tag}{kind}"
    return Case(label, (f"prim:{name}",), call, arrays, prim=prim, params=params, **more)


def array(*shape: int, seed: int = 0, kind: str = "f", low: float = 0.4, high: float = 1.6) -> np.ndarray:
    """Numbers of both signs away from zero, for reals; for complex numbers of every quadrant; positive with "p"."""
    rng = np.random.default_rng(100 * seed + math.prod(shape))
    size = rng.uniform(low, high, shape)
    if kind == "p":
        return size
    if kind == "c":
        return size * np.exp(1j * rng.uniform(-3, 3, shape))
    return size * rng.choice([-1.0, 1.0], shape)


def both(make: Callable[..., Case], name: str, *shapes: Sequence[int], **more: Any) -> list[Case]:
    """The row for real and for complex numbers of the given shapes."""
    return [make(name, *(array(*s, seed=i, kind=kind) for i, s in enumerate(shapes)), **more) for kind in ("f", "c")]
