"""Control flow for users: cond, while_loop, scan, fori_loop, with JAX's signatures.

Outside of jit Python's own ``if``, ``for`` and ``while`` work on values; inside, these record the loop itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core import pytree
from scisim.core.avals import ShapeDtype, aval, is_known
from scisim.core.capture import capture, close, set_roots, with_roots
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.core.graph import Graph
from scisim.core.values import Traced, check_function, dtype, name_of, shape
from scisim.ops.control import _with_inputs as with_inputs
from scisim.ops.control import cond_p, scan_p, while_p
from scisim.ops.shape import as_integer


class _Body:
    """A user's function as a graph, with values it closes over as further inputs."""

    def __init__(self, who: str, f: Callable, spec: Any, avals: list, roots: bool = False) -> None:
        made: dict[str, Any] = {}
        check_function(who, f)

        def run(*vals: Any) -> list:
            outs, made["spec"] = pytree.call(f, spec, vals, who)
            return outs

        graph = capture(run, avals, name_of(f), roots)
        self.spec = made["spec"]
        self.count = len(avals)
        self.graph, self.held = close(graph)


def _share(bodies: list[_Body]) -> tuple[list[Graph], list[Any]]:
    """Graphs that take the same further inputs, and these."""
    extra = {id(v): v for b in bodies for v in b.held}
    return [with_inputs(b.graph, b.held, extra, b.count) for b in bodies], list(extra.values())


def _first(graph: Graph, count: int, extra: int) -> Graph:
    """The graph with its further inputs in front."""
    ins = graph.inputs
    return Graph([*ins[count : count + extra], *ins[:count]], graph.equations, graph.outputs, graph.name)


def _predicate(who: str, pred: Any) -> Any:
    v = pytree.leaf_value(pred, who)
    if shape(v) != ():
        raise ShapeError(
            f"{who}: the condition has shape {shape(v)}; expected one boolean. Use where for elementwise choices"
        )
    return v


def cond(pred: Any, true_fun: Callable, false_fun: Callable, *operands: Any) -> Any:
    """``true_fun(*operands)`` if ``pred`` holds, else ``false_fun(*operands)``.

    Parameters
    ----------
    pred : scalar
    true_fun, false_fun : callable
        Their results must agree in structure, shapes and dtypes where the condition is not known (inside jit or vmap).
    *operands
        Tensors, or containers of them.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.cond(True, ss.sin, ss.cos, 0.0)
    Tensor(0.)
    """
    p = _predicate("cond", pred)
    for f in (true_fun, false_fun):
        check_function("cond", f)
    if is_known(p) and not isinstance(p, Traced):
        return pytree.plainly(true_fun if p else false_fun, operands, "cond")
    vals, spec = pytree.values(operands, "cond")
    bodies = [_Body("cond", f, spec, [aval(v) for v in vals], roots=True) for f in (true_fun, false_fun)]
    a, b = (b.graph.outputs for b in bodies)
    if bodies[0].spec != bodies[1].spec or [(shape(x), dtype(x)) for x in a] != [(shape(y), dtype(y)) for y in b]:
        raise ArgumentTypeError(
            f"cond: the branches must give the same structure, shapes and dtypes; {name_of(true_fun)} gives "
            f"{_types(a)}, {name_of(false_fun)} gives {_types(b)}"
        )
    graphs, extra = _share(bodies)
    graphs, roots = with_roots(graphs)
    outs = cond_p(p, *vals, *extra, branches=tuple(graphs))
    return pytree.tree_of(bodies[0].spec, set_roots(outs, roots))


def _types(xs: list) -> str:
    return "(" + ", ".join(f"{dtype(x)}{list(shape(x))}" for x in xs) + ")"


def while_loop(cond_fun: Callable, body_fun: Callable, init_val: Any) -> Any:
    """Repeat ``val = body_fun(val)`` while ``cond_fun(val)`` holds.

    Parameters
    ----------
    cond_fun : callable
        From the loop's value to one boolean.
    body_fun : callable
        From the loop's value to the next one, of the same structure, shapes and dtypes.
    init_val
        Tensors, or a container of them.

    Notes
    -----
    Reverse mode needs the number of steps, so it works where values are known and refuses inside jit; use scan or
    fori_loop with fixed bounds there.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.while_loop(lambda x: x < 100.0, lambda x: x * 2.0, 3.0)
    Tensor(192.)
    """
    vals, spec = pytree.values((init_val,), "while_loop")
    body, vals = _loop_body("while_loop", body_fun, spec, vals, pytree.flatten(init_val)[1])
    test = _Body("while_loop", cond_fun, spec, [aval(v) for v in vals])
    if len(test.graph.outputs) != 1 or shape(test.graph.outputs[0]) != ():
        raise ShapeError(f"while_loop: {name_of(cond_fun)} must return one boolean, got {_types(test.graph.outputs)}")
    (g_test, g_body), extra = _share([test, body])
    n, m = len(vals), len(extra)
    outs = while_p(*extra, *vals, test=_first(g_test, n, m), body=_first(g_body, n, m), consts=m)
    return pytree.tree_of(pytree.flatten(init_val)[1], outs)


def iterate(test: Callable, body: Callable, carry: Any) -> Any:
    """`while_loop` for solvers: Python's own loop as long as the condition is known, so that functions may branch."""
    while True:
        going = pytree.leaf_value(test(carry), "iterate")
        if isinstance(going, Traced):
            return while_loop(test, body, carry)
        if not going:
            return carry
        carry = body(carry)


def _loop_body(who: str, f: Callable, spec: Any, vals: list, carry_spec: Any) -> tuple[_Body, list]:
    """The body as a graph; initial values are promoted once to the dtypes that it returns."""
    from scisim.ops.shape import astype

    body = _Body(who, f, spec, [aval(v) for v in vals])
    n = carry_spec.num_leaves if hasattr(carry_spec, "num_leaves") else 1
    if body.spec != carry_spec:
        raise ArgumentTypeError(
            f"{who}: {name_of(f)} must return the structure it takes, {carry_spec}; got {body.spec}"
        )
    outs = body.graph.outputs[:n]
    wider = [np.result_type(dtype(v), dtype(o)) for v, o in zip(vals, outs, strict=True)]
    if wider != [dtype(v) for v in vals]:
        vals = [astype(v, d) for v, d in zip(vals, wider, strict=True)]
        body = _Body(who, f, spec, [aval(v) for v in vals])
    _check_carry(who, f, vals, body.graph.outputs[:n])
    return body, vals


def _check_carry(who: str, f: Callable, before: list, after: list) -> None:
    for a, b in zip(before, after, strict=True):
        if shape(a) != shape(b):
            raise ShapeError(f"{who}: {name_of(f)} changes the shape of a carried value from {shape(a)} to {shape(b)}")
        if dtype(a) != dtype(b):
            raise DTypeError(
                f"{who}: {name_of(f)} changes the dtype of a carried value from {dtype(a)} to {dtype(b)}; "
                f"convert the initial value or the result with astype"
            )


def scan(f: Callable, init: Any, xs: Any = None, length: int | None = None, reverse: bool = False) -> tuple[Any, Any]:
    """``carry, y = f(carry, x)`` over the leading axis of ``xs``; the ys are stacked.

    Parameters
    ----------
    f : callable
        ``f(carry, x) -> (carry, y)``; the carry keeps its structure, shapes and dtypes.
    init
        The first carry.
    xs
        Tensors or containers of them, of one leading length; None gives ``x`` None at each step.
    length : int, optional
        The number of steps, needed where ``xs`` is None.
    reverse : bool
        From the last to the first.

    Returns
    -------
    carry, ys

    Examples
    --------
    >>> import scisim as ss
    >>> ss.scan(lambda c, x: (c + x, c), 0.0, ss.asarray([1.0, 2.0, 3.0]))
    (Tensor(6.), Tensor([0., 1., 3.]))
    """
    check_function("scan", f)
    x_vals, x_spec = pytree.values(xs, "scan")
    n = _length(x_vals, length)
    vals, c_spec = pytree.values(init, "scan")
    slices = [ShapeDtype(tuple(shape(v))[1:], dtype(v)) for v in x_vals]
    body, vals = _scan_body(f, vals, c_spec, slices, x_spec)
    graphs, extra = _share([body])
    k, m = len(vals) + len(slices), len(extra)
    graph = _first(graphs[0], k, m)
    outs = scan_p(*extra, *vals, *x_vals, body=graph, length=n, consts=m, carries=len(vals), backwards=bool(reverse))
    return pytree.tree_of(c_spec, outs[: len(vals)]), pytree.tree_of(body.y_spec, outs[len(vals) :])  # type: ignore[attr-defined]


def _length(xs: list, length: int | None) -> int:
    sizes = {shape(x)[0] if shape(x) else None for x in xs}
    if None in sizes:
        raise ShapeError("scan: xs needs a leading axis to go along; got an array without axes")
    if length is not None:
        sizes.add(as_integer("scan", "length", length))
    if len(sizes) != 1:
        text = f"the leading lengths {sorted(sizes, key=str)} differ" if sizes else "there is neither xs nor length"
        raise ArgumentError(f"scan: {text}; give arrays of one leading length, or length=n")
    n = int(sizes.pop() or 0)
    if n < 0:
        raise ArgumentError(f"scan: length is {n}; expected a number of steps of at least 0")
    return n


def _scan_body(f: Callable, vals: list, c_spec: Any, slices: list, x_spec: Any) -> tuple[_Body, list]:
    from scisim.ops.shape import astype

    def make(vs: list) -> _Body:
        avals = [*map(aval, vs), *slices]
        made: dict[str, Any] = {}

        def step(carry: Any, x: Any) -> Any:
            out = f(carry, x)
            if not (isinstance(out, tuple) and len(out) == 2):
                raise ArgumentTypeError(f"scan: {name_of(f)} must return (carry, y), got {type(out).__name__}")
            made["c"], made["y"] = (pytree.flatten(o)[1] for o in out)
            return out

        step.__name__ = name_of(f)
        both = pytree.flatten((pytree.tree_of(c_spec, vs), pytree.tree_of(x_spec, slices)))[1]
        body = _Body("scan", step, both, avals)
        if made["c"] != c_spec:
            raise ArgumentTypeError(f"scan: {name_of(f)} must return a carry of structure {c_spec}, got {made['c']}")
        body.y_spec = made["y"]  # type: ignore[attr-defined]
        return body

    body = make(vals)
    outs = body.graph.outputs[: len(vals)]
    wider = [np.result_type(dtype(v), dtype(o)) for v, o in zip(vals, outs, strict=True)]
    if wider != [dtype(v) for v in vals]:
        vals = [astype(v, d) for v, d in zip(vals, wider, strict=True)]
        body = make(vals)
    _check_carry("scan", f, vals, body.graph.outputs[: len(vals)])
    return body, vals


def fori_loop(lower: Any, upper: Any, body_fun: Callable, init_val: Any) -> Any:
    """``val = body_fun(i, val)`` for i from ``lower`` to ``upper - 1``.

    Bounds that are Python integers make a scan, which reverse mode passes through; others a while_loop.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fori_loop(0, 4, lambda i, x: x + i, 0.0)
    Tensor(6.)
    """
    check_function("fori_loop", body_fun)
    if all(isinstance(b, (int, np.integer)) for b in (lower, upper)):
        if upper - lower > _LONG:
            return _counted(int(lower), int(upper) - int(lower), body_fun, init_val)
        steps = np.arange(int(lower), int(upper))
        return scan(lambda c, i: (body_fun(i, c), None), init_val, steps)[0]

    def step(state: tuple) -> tuple:
        i, val = state
        return i + 1, body_fun(i, val)

    return while_loop(lambda state: state[0] < upper, step, (lower, init_val))[1]


_LONG = 1 << 16  # steps: from here on an array of all counters would take more memory than programs do


def _counted(first: int, count: int, body_fun: Callable, init_val: Any) -> Any:
    """A scan whose carry holds the counter."""

    def step(state: tuple, _: None) -> tuple:
        i, val = state
        return (i + 1, body_fun(i, val)), None

    step.__name__ = name_of(body_fun)
    return scan(step, (np.asarray(first), init_val), None, count)[0][1]
