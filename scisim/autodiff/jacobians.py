"""Matrices of derivatives: Jacobians and Hessians, by forward or reverse mode."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import optree

from scisim.autodiff._holomorphy import HolomorphicCall
from scisim.autodiff.calls import Call, lowered, positions, with_keywords
from scisim.autodiff.forward import coefficients, jvp
from scisim.autodiff.gradients import bare, cotangents, grad, gradient_of, record
from scisim.autodiff.reverse import Tape
from scisim.autodiff.slots import Slots
from scisim.autodiff.taylor import Taylor
from scisim.core import pytree
from scisim.core.batch import Batch
from scisim.core.errors import DTypeError
from scisim.core.values import check_function, dtype, inexact, is_complex, name_of, shape
from scisim.ops.shape import moveaxis, reshape, several


@lru_cache(maxsize=8)
def first_orders(variables: int) -> Slots:
    """The value and the first derivative in each of so many variables."""
    return Slots([(0,) * variables, *(tuple(map(int, row)) for row in np.eye(variables))])


def _basis(values: list) -> list:
    """Unit directions of flat values, one block of them a value: (n, *shape)."""
    total = sum(math.prod(shape(v)) for v in values)
    out, start = [], 0
    for v in values:
        n = math.prod(shape(v))
        e = np.zeros((total, n), dtype(v))
        e[np.arange(start, start + n), np.arange(n)] = 1
        out.append(e.reshape(total, *shape(v)))
        start += n
    return out


def jacfwd(f: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """Jacobian by forward mode, one direction for each input element; see `jacobian`.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.jacfwd(lambda x: x * x)(ss.asarray([1.0, 2.0]))
    Tensor([[2., 0.],
            [0., 4.]])
    """
    return _jacobian("jacfwd", f, argnums, has_aux, True)


def jacrev(f: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """Jacobian by reverse mode, one pull for each output element; see `jacobian`.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.jacrev(ss.sum)(ss.asarray([1.0, 2.0]))
    Tensor([1., 1.])
    """
    return _jacobian("jacrev", f, argnums, has_aux, False)


def jacobian(f: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """A function that gives the Jacobian of ``f``, in forward or reverse mode by the numbers of inputs and outputs.

    Parameters
    ----------
    f : callable
    argnums : int or sequence of int
    has_aux : bool

    Returns
    -------
    callable
        Its result has the structure of f's output, each leaf the structure of the argument, of shape output + input.
        Complex results of real arguments have complex derivatives.  Real results of complex arguments have one
        gradient each, df/dx + i df/dy as `grad` has it.  A function with complex results must be holomorphic in its
        complex arguments, and has its complex derivative.

    Raises
    ------
    DerivativeError
        When a function of complex arguments with complex results is not holomorphic, and so has no such matrix: see
        `complex.wirtinger_jacobian` for the pair that it has, `complex.holomorphic_jacobian` for one that also takes
        real arguments as complex variables.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.jacobian(lambda x: ss.stack([x[0] * x[1], x[0]]))(ss.asarray([2.0, 3.0]))
    Tensor([[3., 2.],
            [1., 0.]])
    """
    return _jacobian("jacobian", f, argnums, has_aux, None)


def _jacobian(who: str, f: Callable, argnums: Any, has_aux: bool, forward: bool | None) -> Callable:
    """``forward`` says the mode; None leaves it to the numbers of inputs and outputs."""
    single = several(argnums) is None
    check_function(who, f)

    def jacobian_of(*args: Any, **kwargs: Any) -> Any:
        nums = positions(who, argnums, len(args))
        call = HolomorphicCall(who, with_keywords(f, kwargs), args, nums, has_aux, check=False)
        if any(map(is_complex, call.values)):
            call.check = call.real_too = True
            if who == "hessian":
                raise DTypeError(
                    f"hessian: an argument of {name_of(f)} is complex, and its real and imaginary parts have second "
                    f"derivatives each; use hvp(f, z, v), a function of two real arguments, or "
                    f"complex.holomorphic_hessian for a holomorphic function"
                )
        blocks = _forward_blocks(call) if forward else _blocks(call, forward)
        tree = tree_of_blocks(call, blocks, single)
        return (tree, call.aux) if has_aux else tree

    jacobian_of.__name__ = f"{who}_{name_of(f)}"
    jacobian_of.__wrapped__ = f  # type: ignore[attr-defined]
    return jacobian_of


def tree_of_blocks(call: Call, blocks: list[list], single: bool) -> Any:
    """The structure of the output, in the place of each leaf that of the argument, or a tuple of arguments."""
    rows = [call.rebuild(row) for row in blocks]
    rows = [r[0] if single else r for r in rows]
    spec = call.out_spec
    return rows[0] if spec is pytree._SINGLE else optree.tree_unflatten(spec, rows)


def _blocks(call: HolomorphicCall, forward: bool | None) -> list[list]:
    """By reverse mode, or by forward mode where that takes fewer passes or a result is complex."""
    tape, leaves, outs, nodes = record(call, call.values, call.f)
    plain, aux = bare(tape, outs), lowered(tape, call.aux)
    check_outputs(call, plain)
    n_in, n_out = (sum(math.prod(shape(v)) for v in vs) for vs in (call.values, plain))
    if any(map(is_complex, plain)) or (forward is None and n_in < n_out):
        return _forward_blocks(call)
    call.aux = aux
    return reverse_blocks(tape, nodes, outs, plain, leaves)


def check_outputs(call: Call, outs: list) -> None:
    for y in outs:
        if not inexact(dtype(y)):
            raise DTypeError(
                f"{call.who}: {name_of(call.f)} returns dtype {dtype(y)}, which has no derivative; return it as "
                f"auxiliary, with has_aux=True"
            )


def _forward_blocks(call: HolomorphicCall) -> list[list]:
    """For each output, the Jacobian in each input, shape output + input."""
    (blocks,) = along_units(call, (1.0,))
    if call.real:  # gradients of real functions of complex numbers
        (others,) = along_units(call, (1j,))
        for row, other in zip(blocks, others, strict=True):
            row[:] = [a + 1j * b if is_complex(v) else a for a, b, v in zip(row, other, call.values, strict=True)]
    return blocks


def along_units(call: Call, units: Sequence[complex]) -> list[list[list]]:
    """For each unit and each output its derivatives along the unit times each element of each input, in one pass."""
    vals = call.values
    slots, basis = first_orders(len(units)), _basis(vals)
    with Batch(call.f, sum(math.prod(shape(v)) for v in vals)) as batch:
        with Taylor(call.f, slots) as trace, np.errstate(all="ignore"):
            ins = [
                trace.variable(v, {k: batch.wrap(_times(e, u)) for k, u in enumerate(units, 1)})
                for v, e in zip(vals, basis, strict=True)
            ]
            outs = call(*ins)
            check_outputs(call, outs)
            tangents = [coefficients(trace, o) for o in outs]
            call.aux = lowered(trace, call.aux)
        columns = [[batch.materialize(t) for t in cs[1:]] for cs in tangents]
    return [[_cut(cs[k], vals) for cs in columns] for k in range(len(units))]


def _times(e: np.ndarray, unit: complex) -> np.ndarray:
    """Directions of real arguments are real."""
    return e if unit == 1.0 else e * unit if e.dtype.kind == "c" else np.zeros_like(e)


def _cut(columns: Any, vals: list) -> list:
    """Columns for all elements of all inputs, as one block an input."""
    row, start = [], 0
    for v in vals:
        m = math.prod(shape(v))
        part = moveaxis(columns[start : start + m], 0, -1)
        row.append(reshape(part, (*shape(columns)[1:], *shape(v))))
        start += m
    return row


def reverse_blocks(
    tape: Tape, nodes: list, outs: list, plain: list, leaves: list, unit: complex = 1.0, pairing: Callable = cotangents
) -> list[list]:
    """For each output what pulling the unit times each of its elements gives for each input, shape output + input."""
    n = sum(math.prod(shape(y)) for y in plain)
    with Batch(tape.function, n) as batch:
        cts = [batch.wrap(_times(e, unit)) for e in _basis(plain)]
        got = pairing(tape, nodes, outs, cts, leaves, keep=True)
        columns = [batch.materialize(g) for g in got]
    out, start = [], 0
    for y in plain:
        m = math.prod(shape(y))
        out.append([reshape(c[start : start + m], (*shape(y), *shape(c)[1:])) for c in columns])
        start += m
    return out


def hessian(f: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """A function that gives the matrix of second derivatives of a real scalar function, forward over reverse.

    Raises
    ------
    DTypeError
        For complex arguments, which have second derivatives in their real and imaginary parts: use `hvp`, or make the
        parts two real arguments.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.hessian(lambda x: x[0] ** 2 * x[1])(ss.asarray([1.0, 2.0]))
    Tensor([[4., 2.],
            [2., 0.]])
    """
    return _jacobian("hessian", gradient_of("hessian", f, argnums, has_aux), argnums, has_aux, True)


def hvp(f: Callable, x: Any, v: Any) -> Any:
    """The Hessian of a real scalar function at ``x`` times ``v``, forward over reverse: the cost of a few gradients.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.hvp(lambda x: ss.sum(x**3), ss.asarray([1.0, 2.0]), ss.asarray([1.0, 0.0]))
    Tensor([6., 0.])
    """
    return jvp(grad(f), (x,), (v,))[1]
