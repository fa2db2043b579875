"""Reverse mode for users: pullbacks and gradients of functions of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import optree

from scisim.autodiff.calls import Call, lowered, positions, with_keywords
from scisim.autodiff.reverse import Node, Tape, pull, settled
from scisim.core import pytree
from scisim.core.errors import ArgumentTypeError, DTypeError, ShapeError
from scisim.core.tensor import wrap
from scisim.core.values import check_function, dtype, inexact, is_complex, name_of, shape, zeros_like
from scisim.ops.arithmetic import stop
from scisim.ops.complexes import conj
from scisim.ops.shape import astype, several


def record(f: Callable, values: Sequence[Any], name: Any) -> tuple[Tape, list[Node], list, list]:
    """Run ``f`` on a tape: the tape, its leaves, the outputs, its nodes."""
    with Tape(name) as tape:
        leaves = [tape.leaf(v) for v in values]
        return tape, leaves, f(*leaves), tape.end()


def bare(trace: Any, outs: Sequence[Any]) -> list:
    return [o.lower if trace.mine(o) else o for o in outs]


def cotangents(tape: Tape, nodes: list, outs: list, cts: Sequence[Any], leaves: list, keep: bool) -> list:
    """In the user's convention dL/dx + i dL/dy: one conjugate in, one out."""
    cts = [c if c.dtype.kind == "f" else conj(c) for c in cts]
    if tape.exact:
        with np.errstate(all="ignore"):
            got = pull(tape, nodes, outs, cts, leaves, keep)
    else:
        got = pull(tape, nodes, outs, cts, leaves, keep)
    return [
        settled(zeros_like(leaf.value) if c is None else c if c.dtype.kind == "f" else conj(c), leaf.value)
        for c, leaf in zip(got, leaves, strict=True)
    ]


def vjp(f: Callable, *primals: Any, has_aux: bool = False) -> tuple:
    """Value of a function, and its pullback.

    Parameters
    ----------
    f : callable
        From tensors, or containers of them, to tensors or containers of them.
    *primals
        Its arguments, of real or complex floating-point dtype.
    has_aux : bool
        ``f`` returns (value, auxiliary).

    Returns
    -------
    y
        ``f(*primals)``, equal to the plain call to the bit.
    pullback : callable
        From a cotangent shaped as y to a tuple of cotangents shaped as the primals; it may be called any number of
        times, and differentiated.  For complex numbers it is the adjoint of the derivative under
        Re(sum(conj(a) b)): a real loss gives the direction of steepest ascent, dL/dx + i dL/dy.
    auxiliary
        Only with ``has_aux``.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> y, pullback = ad.vjp(lambda x: x * x, ss.asarray(3.0))
    >>> pullback(ss.asarray(1.0))
    (Tensor(6.),)
    """
    check_function("vjp", f)
    call = Call("vjp", f, primals, tuple(range(len(primals))), has_aux)
    tape, leaves, outs, nodes = record(call, call.values, f)
    out_spec, plain = call.out_spec, bare(tape, outs)

    def pullback(ct: Any) -> tuple:
        ct = _with_zeros(ct, out_spec, plain)
        cts, spec = pytree.values(ct, "pullback")
        if spec != out_spec:
            raise ArgumentTypeError(f"pullback: the cotangent has structure {spec}, the output {out_spec}")
        for c, y in zip(cts, plain, strict=True):
            if shape(c) != shape(y):
                raise ShapeError(
                    f"pullback: a cotangent has shape {shape(c)}, the output {shape(y)}; they must be equal"
                )
        cts = [_of_kind(c, y) for c, y in zip(cts, plain, strict=True)]
        return call.rebuild(cotangents(tape, nodes, outs, cts, leaves, keep=True))

    y = pytree.tree_of(out_spec, plain)
    return (y, pullback, lowered(tape, call.aux)) if has_aux else (y, pullback)


def _with_zeros(ct: Any, spec: Any, outs: Sequence[Any]) -> Any:
    """The cotangents, zeros in the place of each None."""
    given, with_none = optree.tree_flatten(ct, none_is_leaf=True, namespace=pytree.NAMESPACE)
    if all(c is not None for c in given) or len(given) != len(outs):
        return ct
    filled = [wrap(zeros_like(y)) if c is None else c for c, y in zip(given, outs, strict=True)]
    return pytree.unflatten(spec, filled) if with_none.num_leaves == spec.num_leaves else ct


def _of_kind(c: Any, y: Any) -> Any:
    return c if dtype(c) == dtype(y) or (is_complex(c) and not is_complex(y)) else astype(c, dtype(y))


def value_and_grad(f: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """A function that gives the value of ``f`` and its gradient.

    Parameters
    ----------
    f : callable
        Its value must be one real number.
    argnums : int or sequence of int
        Positional arguments to differentiate; a sequence gives a tuple of gradients.
    has_aux : bool
        ``f`` returns (value, auxiliary), and the result is ((value, auxiliary), gradient).

    Returns
    -------
    callable
        With the arguments of ``f``.  The gradient has the structure, shapes and dtypes of the arguments; for complex
        ones it is dL/dx + i dL/dy, so that ``z - lr * gradient`` descends.

    Raises
    ------
    ShapeError
        If the value is not one number.
    DTypeError
        If it is complex, or an argument is of integer or boolean dtype.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.value_and_grad(lambda x: ss.sum(x * x))(ss.asarray([1.0, 2.0]))
    (Tensor(5.), Tensor([2., 4.]))
    """
    return gradient_of("value_and_grad", f, argnums, has_aux)


def grad(f: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """A function that gives the gradient of ``f``; see `value_and_grad`.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.grad(ad.grad(ss.sin))(0.5)
    Tensor(-0.47942554)
    """
    return gradient_of("grad", f, argnums, has_aux)


def gradient_of(who: str, f: Callable, argnums: Any, has_aux: bool) -> Callable:
    single = several(argnums) is None
    check_function(who, f)

    def gradient(*args: Any, **kwargs: Any) -> Any:
        nums = (argnums,) if type(argnums) is int and 0 <= argnums < len(args) else positions(who, argnums, len(args))
        call = Call(who, with_keywords(f, kwargs) if kwargs else f, args, nums, has_aux)
        tape, leaves, outs, nodes = record(call, call.values, f)
        y = _scalar(who, f, outs, tape)
        grads = call.rebuild(cotangents(tape, nodes, outs, [y.dtype.type(1)], leaves, keep=False))
        grads = grads[0] if single else grads
        aux = lowered(tape, call.aux) if has_aux else None
        if who != "value_and_grad":
            return (grads, aux) if has_aux else grads
        value = pytree.tree_of(call.out_spec, [settled(y, 0.0)])  # every rank may read it
        return (value, aux) if has_aux else value, grads

    gradient.__name__ = f"{who}_{name_of(f)}"
    gradient.__wrapped__ = f  # type: ignore[attr-defined]
    return gradient


def _scalar(who: str, f: Callable, outs: list, tape: Tape) -> Any:
    if len(outs) != 1:
        raise ShapeError(f"{who}: {name_of(f)} returns {len(outs)} arrays; return one real number, or use has_aux=True")
    y = outs[0]
    if type(y) is Node and y.trace is tape:
        y = y.value
    if y.shape == () and y.dtype.kind == "f":
        return y
    if shape(y) != () or is_complex(y):
        raise (DTypeError if is_complex(y) else ShapeError)(
            f"{who}: {name_of(f)} must return one real number, got {dtype(y)}{list(shape(y))}; "
            + ("take its real part or abs, or use complex.holomorphic" if is_complex(y) else "sum it, or use jacobian")
        )
    if not inexact(dtype(y)):
        raise DTypeError(f"{who}: {name_of(f)} returns dtype {dtype(y)}, which has no derivative")
    return y


def stop_gradient(x: Any) -> Any:
    """The same value, a constant to every derivative; for containers, of each leaf.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.grad(lambda x: x * ad.stop_gradient(x))(3.0)
    Tensor(3.)
    """
    vals, spec = pytree.values(x, "stop_gradient")
    return pytree.tree_of(spec, [stop(v) for v in vals])
