"""Derivatives of functions of tensors: gradients, products with Jacobians, Taylor coefficients.

Every transformation sees a user's function of containers of tensors as a function of flat values (`core.pytree`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import optree

from scisim.autodiff.reverse import Node, Tape, pull, settled
from scisim.autodiff.slots import univariate
from scisim.autodiff.taylor import Taylor
from scisim.core import pytree
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.core.graph import Var
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import dtype, inexact, is_complex, name_of, shape, zeros_like
from scisim.ops.complexes import conj
from scisim.ops.shape import as_integer, several


# --- arguments ---------------------------------------------------------------------------------------------------
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


def _with_keywords(f: Callable, kwargs: dict) -> Callable:
    """The function with keyword arguments held, under its own name."""
    if not kwargs:
        return f

    def held(*args: Any) -> Any:
        return f(*args, **kwargs)

    held.__name__ = name_of(f)
    return held


class _Call:
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
        handles = list(map(wrap, vals))
        new = list(self.args)
        chosen = handles if self.spec is None else optree.tree_unflatten(self.spec, handles)
        for k, a in zip(self.nums, chosen, strict=True):
            new[k] = a
        out = self.f(*new)
        for k, h in enumerate(handles):
            if h._v is not vals[k]:
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


def _lowered(trace: Any, tree: Any) -> Any:
    """Auxiliary results without their derivative."""

    def lower(x: Any) -> Any:
        if isinstance(x, Tensor) and trace.mine(x._v):
            return wrap(x._v.lower)
        return x

    return pytree.tree_map(lower, tree)


# --- reverse -----------------------------------------------------------------------------------------------------
def record(f: Callable, values: Sequence[Any], name: Any) -> tuple[Tape, list[Node], list, list]:
    """Run ``f`` on a tape: the tape, its leaves, the outputs, its nodes."""
    with Tape(name) as tape:
        leaves = [tape.leaf(v) for v in values]
        outs = list(f(*leaves))
        return tape, leaves, outs, tape.end()


def bare(trace: Any, outs: Sequence[Any]) -> list:
    return [o.lower if trace.mine(o) else o for o in outs]


def _cotangents(tape: Tape, nodes: list, outs: list, cts: Sequence[Any], leaves: list, keep: bool) -> list:
    """In the user's convention dL/dx + i dL/dy: one conjugate in, one out."""
    cts = [c if c.dtype.kind == "f" else conj(c) for c in cts]
    if tape.exact:
        with np.errstate(all="ignore"):
            got = pull(tape, nodes, outs, cts, leaves, keep)
    else:
        got = pull(tape, nodes, outs, cts, leaves, keep)
    return [
        zeros_like(leaf.value) if c is None else c if c.dtype.kind == "f" else conj(c)
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
    call = _Call("vjp", f, primals, tuple(range(len(primals))), has_aux)
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
        return call.rebuild(_cotangents(tape, nodes, outs, cts, leaves, keep=True))

    y = pytree.tree_of(out_spec, plain)
    return (y, pullback, _lowered(tape, call.aux)) if has_aux else (y, pullback)


def _with_zeros(ct: Any, spec: Any, outs: Sequence[Any]) -> Any:
    """The cotangents, zeros in the place of each None."""
    given, with_none = optree.tree_flatten(ct, none_is_leaf=True, namespace=pytree.NAMESPACE)
    if all(c is not None for c in given) or len(given) != len(outs):
        return ct
    filled = [wrap(zeros_like(y)) if c is None else c for c, y in zip(given, outs, strict=True)]
    return pytree.unflatten(spec, filled) if with_none.num_leaves == spec.num_leaves else ct


def _of_kind(c: Any, y: Any) -> Any:
    from scisim.ops.shape import astype

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
    return _gradient("value_and_grad", f, argnums, has_aux)


def grad(f: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """A function that gives the gradient of ``f``; see `value_and_grad`.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.grad(ad.grad(ss.sin))(0.5)
    Tensor(-0.47942554)
    """
    return _gradient("grad", f, argnums, has_aux)


def _gradient(who: str, f: Callable, argnums: Any, has_aux: bool) -> Callable:
    single = several(argnums) is None

    def gradient(*args: Any, **kwargs: Any) -> Any:
        nums = (argnums,) if type(argnums) is int and 0 <= argnums < len(args) else positions(who, argnums, len(args))
        call = _Call(who, _with_keywords(f, kwargs), args, nums, has_aux)
        tape, leaves, outs, nodes = record(call, call.values, f)
        y = _scalar(who, f, outs, tape)
        grads = call.rebuild(_cotangents(tape, nodes, outs, [y.dtype.type(1)], leaves, keep=False))
        grads = grads[0] if single else grads
        aux = _lowered(tape, call.aux) if has_aux else None
        if who == "grad":
            return (grads, aux) if has_aux else grads
        value = pytree.tree_of(call.out_spec, [settled(y, 0.0)])  # every rank may read it
        return (value, aux) if has_aux else value, grads

    gradient.__name__ = f"{who}_{name_of(f)}"
    return gradient


def _scalar(who: str, f: Callable, outs: list, tape: Tape) -> Any:
    if len(outs) != 1:
        raise ShapeError(f"{who}: {name_of(f)} returns {len(outs)} arrays; return one real number, or use has_aux=True")
    (y,) = bare(tape, outs)
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


# --- forward -----------------------------------------------------------------------------------------------------
def jvp(f: Callable, primals: Any, tangents: Any) -> tuple[Any, Any]:
    """Value of a function, and its derivative along a direction.

    Parameters
    ----------
    f : callable
    primals : tuple
        Arguments of ``f``; one argument may be given without the tuple.
    tangents : tuple
        One for each argument, of its structure and shapes; None is zero.

    Returns
    -------
    y, dy
        As ``f`` returns.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.jvp(ss.sin, (0.0,), (2.0,))
    (Tensor(0.), Tensor(2.))
    """
    c = _series("jvp", f, primals, tangents, 1)
    return c[0], c[1]


def taylor(f: Callable, x: Any, v: Any, order: int) -> list:
    """Taylor coefficients of ``t -> f(x + t v)`` at t = 0.

    Parameters
    ----------
    f : callable
    x, v : array_like, or tuples of them
        Point and direction; tuples for several arguments; a direction of None is zero.
    order : int
        The highest order, at least 0.

    Returns
    -------
    list
        ``[c_0, ..., c_order]``: true coefficients (the k-th derivative is k! c_k), each as ``f`` returns.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.taylor(ss.exp, 0.0, 1.0, 3)
    [Tensor(1.), Tensor(1.), Tensor(0.5), Tensor(0.16666667)]
    """
    order = as_integer("taylor", "order", order)
    if order < 0:
        raise ArgumentError(f"taylor: order is {order!r}; expected an integer of at least 0")
    if order == 0:
        return [pytree.plainly(f, x if isinstance(x, tuple) else (x,), "taylor")]
    return _series("taylor", f, x, v, order)


def _series(who: str, f: Callable, primals: Any, tangents: Any, order: int) -> list:
    if not isinstance(primals, tuple):
        primals, tangents = (primals,), (tangents,)
    if not isinstance(tangents, tuple) or len(tangents) != len(primals):
        got = f"{len(tangents)} directions" if isinstance(tangents, tuple) else type(tangents).__name__
        raise ArgumentError(f"{who}: {len(primals)} arguments need a tuple of as many directions, got {got}")
    vals, spec = pytree.values(primals, who)
    directions = _directions(who, primals, tangents, vals)
    slots = univariate(order)
    with Taylor(f, slots) as trace, np.errstate(all="ignore"):
        ins = [v if d is None else trace.variable(v, {1: d}) for v, d in zip(vals, directions, strict=True)]
        outs, out_spec = pytree.call(f, spec, ins, who)
        columns = [coefficients(trace, o) for o in outs]
    return [pytree.tree_of(out_spec, [c[k] for c in columns]) for k in range(order + 1)]


def coefficients(trace: Taylor, out: Any) -> list:
    """All coefficients of an output, zeros made explicit."""
    if not trace.mine(out):
        out = trace.series([out] + [None] * trace.last)
    return [zeros_like(out) if c is None else c for c in (out.coef(k) for k in range(trace.slots.count))]


def _directions(who: str, primals: tuple, tangents: tuple, vals: list) -> list:
    """A direction for each leaf, of its shape; None where it is zero."""
    out: list = []
    for p, t in zip(primals, tangents, strict=True):
        leaves, spec = pytree.flatten(p)
        if t is None:
            out += [None] * len(leaves)
            continue
        ts, tspec = pytree.values(t, who)
        if tspec != spec:
            raise ArgumentTypeError(
                f"{who}: a direction has structure {tspec}, its argument {spec}; they must be equal"
            )
        out += ts
    for v, d in zip(vals, out, strict=True):
        if d is not None:
            if shape(d) != shape(v):
                raise ShapeError(
                    f"{who}: a direction has shape {shape(d)}, its argument {shape(v)}; they must be equal"
                )
            differentiable(who, v, "an argument with a direction")
    return [None if d is None else _like(d, v) for v, d in zip(vals, out, strict=True)]


def _like(d: Any, v: Any) -> Any:
    from scisim.ops.shape import astype

    if dtype(d) == dtype(v) or is_complex(d):
        return d
    return astype(d, dtype(v))


def linearize(f: Callable, *primals: Any) -> tuple[Any, Callable]:
    """Value of a function, and its derivative there as a linear function of directions.

    Returns
    -------
    y
    lin : callable
        ``lin(*directions)`` is the derivative along them; the function itself is not run again.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> y, lin = ad.linearize(ss.square, 3.0)
    >>> lin(1.0)
    Tensor(6.)
    """
    from scisim.core.capture import capture, close

    vals, spec = pytree.values(primals, "linearize")
    made: dict[str, Any] = {}

    def tangent(*ds: Any) -> list:
        with Taylor(f, univariate(1)) as trace, np.errstate(all="ignore"):
            ins = [trace.variable(v, {1: d}) for v, d in zip(vals, ds, strict=True)]
            outs, made["spec"] = pytree.call(f, spec, ins, "linearize")
            columns = [coefficients(trace, o) for o in outs]
        made["y"] = [c[0] for c in columns]
        return [c[1] for c in columns] + made["y"]

    for v in vals:
        differentiable("linearize", v, "an argument")
    # A loop of which only parts depend on the directions is recorded as one, values and all: they come from running it.
    graph, held = close(capture(tangent, vals, name_of(f)))
    count = len(made["y"])

    def run(ds: Sequence[Any]) -> tuple:
        with np.errstate(all="ignore"):
            return graph(*ds, *held)

    def lin(*directions: Any) -> Any:
        ds = _directions("lin", primals, directions, vals)
        ds = [zeros_like(v) if d is None else d for d, v in zip(ds, vals, strict=True)]
        return pytree.tree_of(made["spec"], run(ds)[:count])

    y = made["y"]
    if any(isinstance(v, Var) and any(v is o for o in graph.outputs[count:]) for v in y):
        y = run([zeros_like(v) for v in vals])[count:]
    return pytree.tree_of(made["spec"], y), lin


# --- matrices of derivatives -------------------------------------------------------------------------------------
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
    return _jacobian("jacfwd", f, argnums, has_aux, lambda n_in, n_out: True)


def jacrev(f: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """Jacobian by reverse mode, one pull for each output element; see `jacobian`.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.jacrev(ss.sum)(ss.asarray([1.0, 2.0]))
    Tensor([1., 1.])
    """
    return _jacobian("jacrev", f, argnums, has_aux, lambda n_in, n_out: False)


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


def _jacobian(who: str, f: Callable, argnums: Any, has_aux: bool, forward: Callable | None) -> Callable:
    single = several(argnums) is None

    def jacobian_of(*args: Any, **kwargs: Any) -> Any:
        nums = positions(who, argnums, len(args))
        call = _Call(who, _with_keywords(f, kwargs), args, nums, has_aux)
        tape, leaves, outs, nodes = record(call, call.values, f)
        plain, aux, out_spec = bare(tape, outs), _lowered(tape, call.aux), call.out_spec
        for y in plain:
            if not inexact(dtype(y)):
                raise DTypeError(
                    f"{who}: {name_of(f)} returns dtype {dtype(y)}, which has no derivative; return it as auxiliary, "
                    f"with has_aux=True"
                )
        n_in, n_out = (sum(math.prod(shape(v)) for v in vs) for vs in (call.values, plain))
        real = not any(map(is_complex, [*call.values, *plain]))
        use_forward = not real or (n_in < n_out if forward is None else forward(n_in, n_out))
        if use_forward:
            blocks = _forward_blocks(call, f)
        else:
            blocks = _reverse_blocks(tape, nodes, outs, plain, leaves)
        rows = [call.rebuild(row) for row in blocks]
        rows = [r[0] if single else r for r in rows]
        tree = rows[0] if out_spec is pytree._SINGLE else optree.tree_unflatten(out_spec, rows)
        return (tree, aux) if has_aux else tree

    jacobian_of.__name__ = f"{who}_{name_of(f)}"
    return jacobian_of


def _forward_blocks(call: _Call, f: Callable) -> list[list]:
    """For each output, the Jacobian in each input, shape output + input."""
    from scisim.core.batch import Batch
    from scisim.ops.shape import moveaxis, reshape

    vals = call.values
    n = sum(math.prod(shape(v)) for v in vals)
    with Batch(f, n) as batch:
        with Taylor(f, univariate(1)) as trace, np.errstate(all="ignore"):
            ins = [trace.variable(v, {1: batch.wrap(e)}) for v, e in zip(vals, _basis(vals), strict=True)]
            tangents = [coefficients(trace, o)[1] for o in call(*ins)]
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
    from scisim.core.batch import Batch
    from scisim.ops.shape import reshape

    n = sum(math.prod(shape(y)) for y in plain)
    with Batch(tape.function, n) as batch:
        cts = [batch.wrap(e) for e in _basis(plain)]
        got = _cotangents(tape, nodes, outs, cts, leaves, keep=True)
        columns = [batch.materialize(g) for g in got]
    out, start = [], 0
    for y in plain:
        m = math.prod(shape(y))
        out.append([reshape(c[start : start + m], (*shape(y), *shape(c)[1:])) for c in columns])
        start += m
    return out


def hessian(f: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """A function that gives the matrix of second derivatives of a real scalar function, forward over reverse.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.hessian(lambda x: x[0] ** 2 * x[1])(ss.asarray([1.0, 2.0]))
    Tensor([[4., 2.],
            [2., 0.]])
    """
    return jacfwd(grad(f, argnums, has_aux), argnums, has_aux)


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


def stop_gradient(x: Any) -> Any:
    """The same value, a constant to every derivative; for containers, of each leaf.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.grad(lambda x: x * ad.stop_gradient(x))(3.0)
    Tensor(3.)
    """
    from scisim.ops.arithmetic import stop

    vals, spec = pytree.values(x, "stop_gradient")
    return pytree.tree_of(spec, [stop(v) for v in vals])
