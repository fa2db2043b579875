"""Rules that users give: custom_jvp, custom_vjp; and checkpoint, which trades memory for work."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Sequence
from typing import Any

import optree

from scisim.autodiff.bodies import backward
from scisim.autodiff.reverse import Tape, pull
from scisim.core import hooks, pytree
from scisim.core.avals import aval, is_known
from scisim.core.axes import whole
from scisim.core.batch import Batch
from scisim.core.capture import capture, close
from scisim.core.errors import ArgumentTypeError, DerivativeError, ShapeError, TraceError
from scisim.core.primitive import Primitive
from scisim.core.values import Traced, check_function, inexact, name_of, shape, zeros_like
from scisim.ops.complexes import conj
from scisim.ops.control import call_p, pack, unpack

_ANY_RULE = "a user's function may do anything"


class _Flat:
    """A user's function of containers as one of flat values, which remembers the structure of its result."""

    def __init__(self, f: Callable, spec: Any, who: str) -> None:
        self.f, self.spec, self.who, self.out_spec = f, spec, who, None

    def __call__(self, *vals: Any) -> tuple:
        outs, self.out_spec = pytree.call(self.f, self.spec, vals, self.who)
        return tuple(outs)


def _infer(f: Callable, name: str) -> Callable:
    def infer(avals: tuple, p: dict) -> tuple:
        graph, held = close(capture(f, avals, name))
        if held:
            raise _closes_over(name, held[0])
        return tuple(aval(v) for v in graph.outputs)

    return infer


def _closes_over(name: str, value: Any) -> TraceError:
    return TraceError(
        f"{name}: a function with its own derivative closes over {value!r}, of which its rule knows nothing; pass it "
        f"as an argument"
    )


def _own_level(outs: Sequence[Any]) -> Any:
    """A value inside an output, of the output's own or a greater level, which came in by a closure; or None."""
    for o in outs:
        while isinstance(o, Traced) and isinstance(o.lower, Traced):
            if o.lower.trace.level >= o.trace.level:
                return o.lower
            o = o.lower
    return None


def _checked(name: str, outs: Sequence[Any]) -> Sequence[Any]:
    inner = _own_level(outs)
    if inner is not None:
        raise _closes_over(name, inner)
    return outs


def _zeros_for(tangents: Sequence[Any], vals: Sequence[Any]) -> list:
    return [zeros_like(v) if t is None else t for t, v in zip(tangents, vals, strict=True)]


class custom_jvp:
    """A function with its own derivative.

    Parameters
    ----------
    f : callable
        A function of tensors and containers of them.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> @ad.custom_jvp
    ... def log1pexp(x):
    ...     return ss.log(1.0 + ss.exp(x))
    >>> @log1pexp.defjvp
    ... def rule(primals, tangents):
    ...     (x,), (dx,) = primals, tangents
    ...     return log1pexp(x), ss.sigmoid(x) * dx
    >>> ad.grad(log1pexp)(0.0)
    Tensor(0.5)
    """

    def __init__(self, f: Callable) -> None:
        self.f = check_function("custom_jvp", f)
        self.rule: Callable | None = None
        self.primitives: dict[Any, tuple[Primitive, _Flat]] = {}
        functools.update_wrapper(self, f, updated=())

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def defjvp(self, rule: Callable) -> Callable:
        """Give ``rule(primals, tangents) -> (y, dy)``, linear in the tangents."""
        self.rule = check_function("custom_jvp.defjvp", rule)
        return rule

    def __call__(self, *args: Any) -> Any:
        vals, spec = pytree.values(args, name_of(self.f))
        if not any(isinstance(v, Traced) for v in vals):
            return self.f(*args)
        if self.rule is None:
            raise DerivativeError(
                f"custom_jvp: {name_of(self.f)} has no rule yet; give one with @{name_of(self.f)}.defjvp"
            )
        if spec not in self.primitives:
            self.primitives[spec] = self._primitive(spec)
        prim, flat = self.primitives[spec]
        outs = _checked(prim.name, prim(*vals))
        return pytree.tree_of(flat.out_spec, outs)

    def _primitive(self, spec: Any) -> tuple[Primitive, _Flat]:
        flat = _Flat(self.f, spec, name_of(self.f))

        def jvp(y: Any, args: Sequence[Any], tangents: Sequence[Any]) -> tuple:
            out = self.rule(pytree.tree_of(spec, args), pytree.tree_of(spec, _zeros_for(tangents, args)))  # type: ignore[misc]
            return _checked_pair(self.f, out, y)

        return _jvp_primitive(name_of(self.f), flat, jvp), flat


def _jvp_primitive(name: str, evaluate: Callable, jvp: Callable) -> Primitive:
    def batch(trace: Batch, prim: Primitive, vals: list, mapped: list, params: dict) -> tuple:
        """The same function for a batch, its rule mapped too, as a primitive of its own."""
        run = _Mapped(f"vmap of {name}", trace.n)

        def mapped_jvp(y: Any, args: Sequence[Any], tangents: Sequence[Any]) -> tuple:
            wide = [t if t is None or m else trace.spread(t) for t, m in zip(tangents, mapped, strict=True)]
            return run(lambda ins, ts, ys: jvp(ys, ins, ts), (args, mapped), (wide, True), (y, True))

        def mapped_evaluate(*args: Any) -> tuple:
            return run(lambda ins: evaluate(*ins), (args, mapped))

        return _jvp_primitive(run.name, mapped_evaluate, mapped_jvp)(*vals)

    return Primitive(
        name,
        evaluate,
        axes=whole(),
        infer=_infer(evaluate, name),
        jvp=jvp,
        batch=batch,
        singular=_ANY_RULE,
        multiple=True,
        register=False,
    )


class _Mapped:
    """Runs a flat function for a batch: operands mapped along axis 0 where said, results all mapped."""

    def __init__(self, name: str, n: int) -> None:
        self.name, self.n = name, n

    def __call__(self, f: Callable, *groups: tuple[Sequence[Any], Any]) -> tuple:
        with Batch(self.name, self.n) as t:
            ins = []
            for vals, flags in groups:
                each = flags if isinstance(flags, (list, tuple)) else [flags] * len(vals)
                ins.append([t.wrap(v) if m and v is not None else v for v, m in zip(vals, each, strict=True)])
            return tuple(None if o is None else t.materialize(o) for o in f(*ins))


def _checked_pair(f: Callable, out: Any, y: Any) -> tuple:
    if not (isinstance(out, tuple) and len(out) == 2):
        raise ArgumentTypeError(f"custom_jvp: the rule of {name_of(f)} must return (y, dy), got {type(out).__name__}")
    dy = pytree.values(out[1], "custom_jvp")[0]
    if [shape(d) for d in dy] != [shape(v) for v in y]:
        raise ShapeError(
            f"custom_jvp: the rule of {name_of(f)} returns tangents of shape {[shape(d) for d in dy]} for results of "
            f"shape {[shape(v) for v in y]}; they must be equal"
        )
    return tuple(dy)


class custom_vjp:
    """A function with its own pullback; forward mode goes through it too, by transposing that.

    Parameters
    ----------
    f : callable
        A function of tensors and containers of them.

    Notes
    -----
    Cotangents are in the convention of `vjp`: dL/dx + i dL/dy.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> @ad.custom_vjp
    ... def clipped(x):
    ...     return x
    >>> clipped.defvjp(lambda x: (x, None), lambda residuals, ct: (ss.clip(ct, -1.0, 1.0),))
    >>> ad.grad(lambda x: 5.0 * clipped(x))(2.0)
    Tensor(1.)
    """

    def __init__(self, f: Callable) -> None:
        self.f = check_function("custom_vjp", f)
        self.forward: Callable | None = None
        self.backward: Callable | None = None
        self.primitives: dict[Any, tuple[Primitive, _Flat]] = {}
        functools.update_wrapper(self, f, updated=())

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def defvjp(self, forward: Callable, backward: Callable) -> None:
        """Give ``forward(*args) -> (y, residuals)`` and ``backward(residuals, ct) -> cotangents``, a tuple with one
        for each argument (None is zero)."""
        self.forward = check_function("custom_vjp.defvjp", forward)
        self.backward = check_function("custom_vjp.defvjp", backward)

    def __call__(self, *args: Any) -> Any:
        vals, spec = pytree.values(args, name_of(self.f))
        if not any(isinstance(v, Traced) for v in vals):
            return self.f(*args)
        if self.forward is None:
            raise DerivativeError(
                f"custom_vjp: {name_of(self.f)} has no rule yet; give one with {name_of(self.f)}.defvjp"
            )
        if spec not in self.primitives:
            self.primitives[spec] = self._primitive(spec)
        prim, flat = self.primitives[spec]
        outs = _checked(prim.name, prim(*vals))
        return pytree.tree_of(flat.out_spec, outs)

    def _primitive(self, spec: Any) -> tuple[Primitive, _Flat]:
        flat, name = _Flat(self.f, spec, name_of(self.f)), name_of(self.f)
        made: dict[str, Any] = {}

        def forward(vals: Sequence[Any]) -> tuple[tuple, tuple]:
            out = self.forward(*pytree.tree_of(spec, vals))  # type: ignore[misc]
            if not (isinstance(out, tuple) and len(out) == 2):
                raise ArgumentTypeError(
                    f"custom_vjp: forward of {name} must return (y, residuals), got {type(out).__name__}"
                )
            ys, flat.out_spec = pytree.values(out[0], name)
            residuals, made["residuals"] = pytree.values(out[1], name)
            return tuple(ys), tuple(residuals)

        def backward(residuals: Sequence[Any], cts: Sequence[Any], likes: Sequence[Any]) -> tuple:
            ct = pytree.tree_of(flat.out_spec, [conj(c) for c in cts])
            got = self.backward(pytree.tree_of(made["residuals"], residuals), ct)  # type: ignore[misc]
            return _cotangents(name, got, spec, likes)

        return _vjp_primitive(name, flat, forward, backward), flat


def _cotangents(name: str, got: Any, spec: Any, likes: Sequence[Any]) -> tuple:
    """The cotangents of a user's backward function, flat, in the inner convention."""
    wanted = pytree.unflatten(spec, list(likes))
    if not isinstance(got, tuple) or len(got) != len(wanted):
        raise ArgumentTypeError(
            f"custom_vjp: backward of {name} must return a tuple of {len(wanted)} cotangents, one for each argument"
        )
    out: list[Any] = []
    for g, w in zip(got, wanted, strict=True):
        likes_of_it, kind = optree.tree_flatten(w, none_is_leaf=True, namespace=pytree.NAMESPACE)
        parts, got_kind = optree.tree_flatten(g, none_is_leaf=True, namespace=pytree.NAMESPACE)
        if g is None:
            parts = [None] * len(likes_of_it)
        elif got_kind != kind:
            raise ArgumentTypeError(
                f"custom_vjp: backward of {name} gives a cotangent of structure {got_kind} for an argument of "
                f"structure {kind}; they must be equal, with None where it is zero"
            )
        out += [_cotangent(name, c, x) for c, x in zip(parts, likes_of_it, strict=True) if x is not None]
    return tuple(out)


def _cotangent(name: str, c: Any, like: Any) -> Any:
    if c is None:
        return None
    v = pytree.leaf_value(c, name)
    if shape(v) != shape(like):
        raise ShapeError(
            f"custom_vjp: backward of {name} gives a cotangent of shape {shape(v)} for an argument of shape "
            f"{shape(like)}; they must be equal"
        )
    return conj(v)


def _vjp_primitive(name: str, evaluate: Callable, forward: Callable, backward: Callable) -> Primitive:
    """``forward(vals) -> (outs, residuals)``; ``backward(residuals, cts, likes) -> cotangents``."""

    def reverse(vals: list, params: dict) -> tuple[tuple, Callable]:
        outs, residuals = forward(vals)
        return outs, lambda cts, exact: backward(residuals, cts, vals)

    def jvp(y: Any, args: Sequence[Any], tangents: Sequence[Any]) -> tuple:
        """The transpose of the backward function, which is linear in the cotangents."""
        outs, residuals = forward(args)
        with Tape(name) as tape:
            leaves = [tape.leaf(zeros_like(o)) for o in outs]
            cts = backward(residuals, leaves, args)
            nodes = tape.end()
        used = [(c, t) for c, t in zip(cts, tangents, strict=True) if c is not None and t is not None]
        got = pull(tape, nodes, [c for c, _ in used], [t for _, t in used], leaves, keep=False)
        return tuple(zeros_like(o) if g is None else g for g, o in zip(got, outs, strict=True))

    def batch(trace: Batch, prim: Primitive, vals: list, mapped: list, params: dict) -> tuple:
        run = _Mapped(f"vmap of {name}", trace.n)
        count: list[int] = []

        def mapped_forward(args: Sequence[Any]) -> tuple[tuple, tuple]:
            def both(ins: Sequence[Any]) -> list:
                outs, residuals = forward(ins)
                count[:] = [len(outs)]
                return [*outs, *residuals]

            made = run(both, (args, mapped))
            return made[: count[0]], made[count[0] :]

        def mapped_backward(residuals: Sequence[Any], cts: Sequence[Any], likes: Sequence[Any]) -> tuple:
            got = run(backward, (residuals, True), (cts, True), (likes, mapped))
            return tuple(g if g is None or m else hooks.sum_leading(g) for g, m in zip(got, mapped, strict=True))

        def mapped_evaluate(*args: Any) -> tuple:
            return run(lambda ins: evaluate(*ins), (args, mapped))

        return _vjp_primitive(run.name, mapped_evaluate, mapped_forward, mapped_backward)(*vals)

    return Primitive(
        name,
        evaluate,
        axes=whole(),
        infer=_infer(evaluate, name),
        jvp=jvp,
        reverse=reverse,
        batch=batch,
        singular=_ANY_RULE,
        multiple=True,
        register=False,
    )


# --- checkpoint --------------------------------------------------------------------------------------------------
def checkpoint(f: Callable) -> Callable:
    """The same function, whose reverse pass keeps only the arguments and computes the rest again.

    Parameters
    ----------
    f : callable
        A function of tensors and containers of them.

    Returns
    -------
    callable
        With equal values and derivatives, of every order and in every mode.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> ad.grad(ad.checkpoint(lambda x: ss.sin(ss.sin(x))))(0.0)
    Tensor(1.)
    """

    check_function("checkpoint", f)

    @functools.wraps(f)
    def checkpointed(*args: Any, **kwargs: Any) -> Any:
        vals, spec = pytree.values((args, kwargs), f"checkpoint of {name_of(f)}")
        if not any(isinstance(v, Traced) for v in vals):
            return f(*args, **kwargs)
        flat = _Flat(call, spec, "checkpoint")
        outs = _remat(name_of(f), flat)(*vals)
        if _own_level(outs) is not None:  # what f closes over takes part as further arguments
            outs = _recorded(name_of(f), flat, vals)
        return pytree.tree_of(flat.out_spec, outs)

    def call(args: tuple, kwargs: dict) -> Any:
        return f(*args, **kwargs)

    call.__name__ = name_of(f)
    return checkpointed


def _recorded(name: str, run: Callable, args: Sequence[Any]) -> tuple:
    graph, held = close(capture(run, [aval(a) for a in args], name))
    return call_p(*args, *held, graph=graph, remat=True)


def _remat(name: str, run: Callable) -> Primitive:
    def reverse(vals: list, params: dict) -> tuple[tuple, Callable]:
        return prim(*vals), lambda cts, exact: _pull_again(name, run, vals, cts, exact)

    def through(trace: Any, args: tuple, params: dict) -> tuple:
        flat, patterns = unpack(trace, args)
        made: list[Any] = []

        def inner(*vals: Any) -> tuple:
            with trace.again(name) as t:
                parts = [t.unpack(o) for o in run(*pack(t, vals, patterns))]
            made[:] = [p for _, p in parts]
            return tuple(v for vs, _ in parts for v in vs)

        outs = _remat(name, inner)(*flat)
        return pack(trace, outs, tuple(made))

    prim = Primitive(
        f"checkpoint:{name}",
        run,
        axes=whole(),
        reverse=reverse,
        through=through,
        record=lambda args: _recorded(name, run, args),
        singular=_ANY_RULE,
        multiple=True,
        register=False,
    )
    return prim


def _pull_again(name: str, run: Callable, vals: list, cts: Sequence[Any], exact: bool) -> list:
    if not all(map(is_known, [*vals, *cts])):
        return _recorded_again(name, run, vals, cts, exact)
    with Tape(name) as tape:
        tape.exact = exact
        leaves = [tape.leaf(v) if inexact(v.dtype) else v for v in vals]
        outs = list(run(*leaves))
        nodes = tape.end()
    real = [leaf for leaf in leaves if tape.mine(leaf)]
    got = iter(pull(tape, nodes, outs, list(cts), real, keep=False))
    return [next(got) if tape.mine(leaf) else None for leaf in leaves]


def _recorded_again(name: str, run: Callable, vals: list, cts: Sequence[Any], exact: bool) -> list:
    """The same in a captured program, as one call, so that it runs when the cotangents exist and not before."""
    graph, held = close(capture(run, [aval(v) for v in vals], name))
    seeds = [c for c, o in zip(cts, graph.outputs, strict=True) if inexact(o.dtype)]
    got = call_p(*vals, *held, *seeds, graph=backward(graph, exact), remat=True)
    return [g if inexact(v.dtype) else None for g, v in zip(got, vals, strict=False)]
