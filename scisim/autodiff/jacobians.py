"""Matrices of derivatives: Jacobians and Hessians, by forward or reverse mode."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import optree

from scisim.autodiff.calls import Call, lowered, positions, with_keywords
from scisim.autodiff.forward import coefficients, jvp
from scisim.autodiff.gradients import bare, cotangents, grad, gradient_of, record
from scisim.autodiff.reverse import Tape
from scisim.autodiff.slots import univariate
from scisim.autodiff.taylor import Taylor
from scisim.core import pytree
from scisim.core.batch import Batch
from scisim.core.errors import DTypeError
from scisim.core.values import check_function, dtype, inexact, is_complex, name_of, shape
from scisim.ops.shape import moveaxis, reshape, several


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
        For complex functions it is the real-linear derivative along real directions (df/dx; the complex derivative
        where f is holomorphic).

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
        call = Call(who, with_keywords(f, kwargs), args, nums, has_aux)
        if who == "hessian" and any(map(is_complex, call.values)):
            raise DTypeError(
                f"hessian: an argument of {name_of(f)} is complex, and its real and imaginary parts have second "
                f"derivatives each; use hvp(f, z, v), or a function of two real arguments"
            )
        blocks = _forward_blocks(call) if forward else _blocks(call, forward)
        rows = [call.rebuild(row) for row in blocks]
        rows = [r[0] if single else r for r in rows]
        spec = call.out_spec
        tree = rows[0] if spec is pytree._SINGLE else optree.tree_unflatten(spec, rows)
        return (tree, call.aux) if has_aux else tree

    jacobian_of.__name__ = f"{who}_{name_of(f)}"
    jacobian_of.__wrapped__ = f  # type: ignore[attr-defined]
    return jacobian_of


def _blocks(call: Call, forward: bool | None) -> list[list]:
    """By reverse mode, or by forward mode where that takes fewer passes or the function is complex."""
    tape, leaves, outs, nodes = record(call, call.values, call.f)
    plain, aux = bare(tape, outs), lowered(tape, call.aux)
    _check_outputs(call, plain)
    n_in, n_out = (sum(math.prod(shape(v)) for v in vs) for vs in (call.values, plain))
    if any(map(is_complex, [*call.values, *plain])) or (forward is None and n_in < n_out):
        return _forward_blocks(call)
    call.aux = aux
    return _reverse_blocks(tape, nodes, outs, plain, leaves)


def _check_outputs(call: Call, outs: list) -> None:
    for y in outs:
        if not inexact(dtype(y)):
            raise DTypeError(
                f"{call.who}: {name_of(call.f)} returns dtype {dtype(y)}, which has no derivative; return it as "
                f"auxiliary, with has_aux=True"
            )


def _forward_blocks(call: Call) -> list[list]:
    """For each output, the Jacobian in each input, shape output + input."""
    vals = call.values
    with Batch(call.f, sum(math.prod(shape(v)) for v in vals)) as batch:
        with Taylor(call.f, univariate(1)) as trace, np.errstate(all="ignore"):
            ins = [trace.variable(v, {1: batch.wrap(e)}) for v, e in zip(vals, _basis(vals), strict=True)]
            outs = call(*ins)
            _check_outputs(call, outs)
            tangents = [coefficients(trace, o)[1] for o in outs]
            call.aux = lowered(trace, call.aux)
        columns = [batch.materialize(t) for t in tangents]
    out = []
    for c in columns:
        row, start = [], 0
        for v in vals:
            m = math.prod(shape(v))
            part = moveaxis(c[start : start + m], 0, -1)
            row.append(reshape(part, (*shape(c)[1:], *shape(v))))
            start += m
        out.append(row)
    return out


def _reverse_blocks(tape: Tape, nodes: list, outs: list, plain: list, leaves: list) -> list[list]:
    n = sum(math.prod(shape(y)) for y in plain)
    with Batch(tape.function, n) as batch:
        cts = [batch.wrap(e) for e in _basis(plain)]
        got = cotangents(tape, nodes, outs, cts, leaves, keep=True)
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
