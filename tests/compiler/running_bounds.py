"""A graph run with a bound of the error of each value: how far a compiled program may be from it.

Each operation is computed as its primitive says, beside a bound in float64: what its operands' errors become (to first
order), and its own rounding, eps * abs(y), or n * eps * sum(abs(terms)) for a sum of n terms.  Where an error decides
which way a program goes (a comparison, a rounding to integers), the bound is infinite.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from scisim import autodiff as ad
from scisim.autodiff._problems import Problem, solving
from scisim.core.graph import Equation, Graph, Var
from scisim.core.tensor import Tensor, unwrap, wrap
from scisim.core.values import inexact

FACTOR = 8  # of the bound: elementary functions are within 4 ulp, in either program
INF = math.inf


class Known(NamedTuple):
    """A value, and a bound of the error of each element."""

    value: Any
    error: np.ndarray


def known(value: Any) -> Known:
    """An exact value."""
    return Known(value, np.zeros(np.shape(value)))


def eps(dtype: Any) -> float:
    """The unit of rounding of a dtype; 0 for those that are exact."""
    return float(ml_dtypes.finfo(dtype).eps) if inexact(np.dtype(dtype)) else 0.0


def magnitude(x: Any) -> np.ndarray:
    return np.abs(np.asarray(x).astype(complex if np.asarray(x).dtype.kind == "c" else float))


def times(a: Any, b: Any) -> np.ndarray:
    """a * b in which zero wins."""
    a, b = np.broadcast_arrays(a, b)
    return np.where((a == 0) | (b == 0), 0.0, a * b)


def bounded(graph: Graph, args: Sequence[Any]) -> list[Known]:
    """The outputs of a graph with their bounds."""
    with np.errstate(all="ignore"):
        return _run(graph, [known(a) for a in args])


def _run(graph: Graph, args: Sequence[Known]) -> list[Known]:
    env: dict[Any, Known] = dict(zip(graph.inputs, args, strict=True))
    for eq in graph.equations:
        given = [env[a] if isinstance(a, Var) else known(a) for a in eq.args]
        env.update(zip(eq.outs, _outputs(eq, given), strict=True))
    return [env[v] if isinstance(v, Var) else known(v) for v in graph.outputs]


def _outputs(eq: Equation, args: list[Known]) -> list[Known]:
    if eq.prim.name in BODIES:
        return BODIES[eq.prim.name](args, **eq.params)
    y = eq.prim.evaluate(*(a.value for a in args), **eq.params)
    if eq.prim.multiple:
        return [_part(eq, n, y[n], args) for n in range(len(eq.outs))]
    return [_known(eq, y, args)]


def _part(eq: Equation, n: int, y: Any, args: list[Known]) -> Known:
    """One output of several, as an operation that gives it alone."""
    return _known(eq._replace(prim=_Only(eq.prim, n), outs=(eq.outs[n],)), y, args)


class _Only:
    """A primitive of which one output is looked at."""

    scalar = None

    def __init__(self, prim: Any, n: int) -> None:
        self.prim, self.n, self.name, self.constant = prim, n, prim.name, prim.constant

    def __call__(self, *args: Any, **params: Any) -> Any:
        return self.prim(*args, **params)[self.n]


def _known(eq: Equation, y: Any, args: list[Known]) -> Known:
    (v,) = eq.outs
    error = np.zeros(np.shape(y))
    if any(a.error.any() for a in args) or eq.prim.name not in EXACT:
        rule = RULES.get(eq.prim.name, elementwise if eq.prim.scalar is not None else general)
        error = np.broadcast_to(rule(eq, y, args), np.shape(y))
    if eq.prim.name not in EXACT and inexact(v.dtype):
        smallest = float(ml_dtypes.finfo(v.dtype).smallest_subnormal)
        error = error + eps(v.dtype) * magnitude(y) + smallest
    if inexact(v.dtype):
        error = np.where(np.isfinite(error) & (np.isfinite(y) | (error == 0)), error, INF)
    return Known(y, error)


# --- operations with bodies ------------------------------------------------------------------------------------------
def _call(args: list[Known], graph: Graph, **_: Any) -> list[Known]:
    return _run(graph, args)


def _cond(args: list[Known], branches: Sequence[Graph], **_: Any) -> list[Known]:
    outs = _run(branches[0 if args[0].value else 1], args[1:])
    return outs if not args[0].error.any() else [Known(o.value, np.full(np.shape(o.value), INF)) for o in outs]


def _scan(args: list[Known], body: Graph, consts: int, carries: int, length: int, **more: Any) -> list[Known]:
    fixed, now, read = args[:consts], args[consts : consts + carries], args[consts + carries :]
    made: list[list[Known]] = []
    order = range(length)
    for k in reversed(order) if more.get("backwards") else order:
        outs = _run(body, [*fixed, *now, *(Known(x.value[k], x.error[k]) for x in read)])
        now, rest = outs[:carries], outs[carries:]
        made.append(rest)
    if more.get("backwards"):
        made.reverse()
    stacked = [Known(np.stack([o.value for o in t]), np.stack([o.error for o in t])) for t in zip(*made, strict=True)]
    if not made:
        stacked = [known(np.zeros((0, *v.shape), v.dtype)) for v in body.outputs[carries:]]
    return [*now, *stacked]


def _while(args: list[Known], test: Graph, body: Graph, consts: int, **_: Any) -> list[Known]:
    fixed, now, sure = args[:consts], args[consts:], True
    while True:
        (holds,) = _run(test, [*fixed, *now])
        sure = sure and not holds.error.any()
        if not holds.value:
            return now if sure else [Known(o.value, np.full(np.shape(o.value), INF)) for o in now]
        now = _run(body, [*fixed, *now])


def _root(args: list[Known], problem: Problem) -> list[Known]:
    outs = _run(solving(problem, [a.value for a in args]), args)
    if all(np.isfinite(o.error).all() for o in outs[: problem.count]):
        return outs
    # The way to a root depends on roundings, but not the root: it is off by what they make of the equations there.
    xs = [known(o.value) for o in outs[: problem.count]]
    residual = _run(problem.graph, [*xs, *args[problem.count :]])
    aux = [o if inexact(np.asarray(o.value).dtype) else known(o.value) for o in outs[problem.count :]]  # how it ended
    return [*_solved(problem, [x.value for x in xs], args, [r.error for r in residual]), *aux]


def _solved(problem: Problem, xs: list, args: list[Known], errors: list[np.ndarray]) -> list[Known]:
    """abs(J^-1) times the errors of the equations, column by column."""
    total = [np.zeros(np.shape(x)) for x in xs]
    at = [*xs, *(a.value for a in args[problem.count :])]
    for k, error in enumerate(errors):
        for where in np.ndindex(error.shape):
            unit = [np.zeros(np.shape(x), np.asarray(x).dtype) for x in xs]
            unit[k][where] = 1
            for t, d in zip(total, problem.linear(at, unit), strict=True):
                t += magnitude(d) * error[where]
    return [Known(x, t) for x, t in zip(xs, total, strict=True)]


def _pinned(args: list[Known], graph: Graph, derivative: Graph) -> list[Known]:
    return _run(graph, args)


BODIES: dict[str, Callable] = {
    "call": _call,
    "cond": _cond,
    "scan": _scan,
    "while": _while,
    "implicit_root": _root,
    "pinned_call": _pinned,
}


# --- operations ------------------------------------------------------------------------------------------------------
def elementwise(eq: Equation, y: Any, args: list[Known]) -> np.ndarray:
    """By the slope with respect to each operand."""
    if eq.prim.constant or not inexact(np.asarray(y).dtype):
        return _jump(eq, y, args)
    total = np.zeros(np.shape(y))
    for k, a in enumerate(args):
        if a.error.any():
            total = total + times(_slope(eq, args, k), a.error)
    return total


def _slope(eq: Equation, args: list[Known], k: int) -> np.ndarray:
    values = [np.asarray(a.value) if j == k else a.value for j, a in enumerate(args)]

    def f(x: Any) -> Any:
        return wrap(eq.prim(*(unwrap(x) if j == k else v for j, v in enumerate(values)), **eq.params))

    x = values[k]
    ways = (1, 1j) if x.dtype.kind == "c" else (1,)
    return sum(magnitude(ad.jvp(f, (Tensor(x),), (Tensor(np.full(x.shape, w, x.dtype)),))[1]) for w in ways)


def _jump(eq: Equation, y: Any, args: list[Known]) -> np.ndarray:
    """Nothing changes as long as operands that are off by their errors give the same."""
    sure = np.ones(np.shape(y), bool)
    for way in (1, -1):
        for k, a in enumerate(args):
            if a.error.any():
                value = np.asarray(a.value)
                shift = (way * FACTOR * a.error).astype(value.dtype if inexact(value.dtype) else float)
                moved = value + shift if inexact(value.dtype) else value
                others = [moved if j == k else b.value for j, b in enumerate(args)]
                again = np.asarray(eq.prim.evaluate(*others, **eq.params))
                sure &= (again == y) & np.isfinite(a.error)
    return np.where(sure, 0.0, INF)


def _placed(eq: Equation, y: Any, table: Known, x: Known) -> np.ndarray:
    """Places in a sorted vector: sure as long as elements that are off by all errors have the same."""
    room = FACTOR * (np.max(table.error, initial=0.0) + x.error)
    both = [eq.prim.evaluate(table.value, x.value + way * room, **eq.params) for way in (-1, 1)]
    return np.where((both[0] == y) & (both[1] == y), 0.0, INF)


def _compared(eq: Equation, y: Any, args: list[Known]) -> np.ndarray:
    a, b = args
    room = FACTOR * (a.error + b.error)
    return np.where((room == 0) | (magnitude(np.subtract(a.value, b.value, dtype=_wide(a, b))) > room), 0.0, INF)


def _wide(*args: Known) -> Any:
    return complex if any(np.asarray(a.value).dtype.kind == "c" for a in args) else float


def _moved(eq: Equation, y: Any, args: list[Known]) -> np.ndarray:
    """Elements go elsewhere, and their errors with them; where to may be in indices."""
    indices = [a.value for a in args[1:]] if eq.prim.name == "gather" else []
    if indices and any(a.error.any() for a in args[1:]):
        return np.full(np.shape(y), INF)
    return eq.prim.evaluate(*(a.error for a in args[: len(args) - len(indices)]), *indices, **eq.params)


def _scattered(eq: Equation, y: Any, args: list[Known]) -> np.ndarray:
    x, u, *at = args
    if any(i.error.any() for i in at):
        return np.full(np.shape(y), INF)
    index = [i.value for i in at]
    move = lambda a, b: eq.prim.evaluate(a, b, *index, **eq.params)
    if eq.params["how"] != "add":
        return move(x.error, u.error)
    terms = move(magnitude(x.value), magnitude(u.value))
    return move(x.error, u.error) + np.size(u.value) * eps(np.asarray(y).dtype) * terms


def _added(eq: Equation, y: Any, args: list[Known]) -> np.ndarray:
    """Of a sum or a running sum: n * eps * sum(abs(terms))."""
    (x,) = args
    n = max(np.size(x.value) // max(np.size(y), 1), 1) if eq.prim.name == "sum" else np.shape(x.value)[-1]
    f = lambda t: eq.prim.evaluate(np.asarray(t, float), **eq.params)
    return f(x.error) + n * eps(np.asarray(y).dtype) * f(magnitude(x.value))


def _multiplied(eq: Equation, y: Any, args: list[Known]) -> np.ndarray:
    (x,) = args
    axes, size = eq.params["axes"], magnitude(x.value)
    n = max(np.size(x.value) // max(np.size(y), 1), 1)
    grown = np.prod(size + x.error, axis=axes) - np.prod(size, axis=axes)
    return grown + n * eps(np.asarray(y).dtype) * magnitude(y)


def _product(eq: Equation, y: Any, args: list[Known]) -> np.ndarray:
    """Of matrices: n * eps * sum(abs(terms)) of each element."""
    a, b = args
    size, other = magnitude(a.value), magnitude(b.value)
    own = np.shape(a.value)[-1] * eps(np.asarray(y).dtype)
    complexes = 2 if np.asarray(y).dtype.kind == "c" else 1
    return size @ b.error + a.error @ other + a.error @ b.error + complexes * own * (size @ other)


def _convolved(eq: Equation, y: Any, args: list[Known]) -> np.ndarray:
    """Of two arrays, place by place: n * eps * sum(abs(terms)) of each element."""
    a, b = args
    size, other = magnitude(a.value), magnitude(b.value)
    f = lambda u, v: eq.prim.evaluate(u, v, **eq.params)
    n = 2 * min(np.size(a.value), np.size(b.value)) * eps(np.asarray(y).dtype)
    return f(size, b.error) + f(a.error, other) + f(a.error, b.error) + n * f(size, other)


def _by_segment(eq: Equation, y: Any, args: list[Known]) -> np.ndarray:
    """Sums of elements that share a number: n * eps * sum(abs(terms))."""
    x, ids = args
    if ids.error.any():
        return np.full(np.shape(y), INF)
    f = lambda t: eq.prim.evaluate(t, ids.value, **eq.params)
    return f(x.error) + np.size(ids.value) * eps(np.asarray(y).dtype) * f(magnitude(x.value))


def _largest(eq: Equation, y: Any, args: list[Known]) -> np.ndarray:
    return np.max(args[0].error, axis=eq.params["axes"], initial=0.0)


def _chosen(condition: Known, a: Known, b: Known) -> np.ndarray:
    return np.where(condition.error > 0, INF, np.where(condition.value, a.error, b.error))


def _quotient(eq: Equation, y: Any, args: list[Known]) -> np.ndarray:
    a, b = args
    return (a.error + times(magnitude(y), b.error)) / magnitude(b.value)


def _weighed(eq: Equation, y: Any, args: list[Known]) -> np.ndarray:
    """A sum with constant weights: n * eps * sum(abs(terms))."""
    terms, unit = list(zip(args, map(abs, eq.params["weights"]), strict=True)), eps(np.asarray(y).dtype)
    return sum(w * (a.error + len(terms) * unit * magnitude(a.value)) for a, w in terms)


def _transform(eq: Equation, y: Any, args: list[Known]) -> np.ndarray:
    """A Fourier transform: every term goes into every sum."""
    (x,) = args
    axes = eq.params["axes"]
    n = int(np.prod([max(np.shape(x.value)[a], np.shape(y)[a]) for a in axes]))
    scale = eq.params["scale"] * (2.0 if eq.params.get("twice") else 1.0)
    total = np.sum(x.error + n * eps(np.asarray(y).dtype) * magnitude(x.value), axis=axes, keepdims=True)
    return scale * np.broadcast_to(total, np.shape(y))


def _cosines(eq: Equation, y: Any, args: list[Known]) -> np.ndarray:
    """A cosine or sine transform: every term goes into every sum, with at most 2 times the weights."""
    (x,) = args
    p = eq.params
    n = int(np.prod([np.shape(y)[a] for a in p["axes"]]))
    largest = (2.0 * float(np.prod(np.maximum(p["ends"], 1.0)))) ** len(p["axes"])
    scale = largest * {"backward": 1.0, "ortho": n**-0.5, "forward": 1.0 / n}[p["norm"]]
    total = np.sum(x.error + n * eps(np.asarray(y).dtype) * magnitude(x.value), axis=p["axes"], keepdims=True)
    return scale * np.broadcast_to(total, np.shape(y))


def _frames_added(eq: Equation, y: Any, args: list[Known]) -> np.ndarray:
    """Sums over the frames that hold a sample: n * eps * sum(abs(terms))."""
    (x,) = args
    f = lambda t: eq.prim.evaluate(t, **eq.params)
    return f(x.error) + np.shape(x.value)[-2] * eps(np.asarray(y).dtype) * f(magnitude(x.value))


def general(eq: Equation, y: Any, args: list[Known]) -> np.ndarray:
    """By all partial derivatives; without errors of operands, or without derivatives, there is nothing to follow."""
    if not any(a.error.any() for a in args):
        return np.zeros(np.shape(y))
    if eq.prim.constant or not inexact(np.asarray(y).dtype):
        return np.full(np.shape(y), INF)
    if any(a.error.any() and not inexact(np.asarray(a.value).dtype) for a in args):
        return np.full(np.shape(y), INF)
    total = np.zeros(np.shape(y))
    for k, a in enumerate(args):
        if a.error.any():
            total = total + _every_partial(eq, args, k)
    return total


def _every_partial(eq: Equation, args: list[Known], k: int) -> np.ndarray:
    x, total = np.asarray(args[k].value), 0.0
    f = lambda t: wrap(eq.prim(*(unwrap(t) if j == k else a.value for j, a in enumerate(args)), **eq.params))
    n = x.size
    for at in np.ndindex(x.shape):
        for w in (1, 1j) if x.dtype.kind == "c" else (1,):
            v = np.zeros(x.shape, x.dtype)
            v[at] = w
            slope = magnitude(ad.jvp(f, (Tensor(x),), (Tensor(v),))[1])
            total = total + slope * (args[k].error[at] + n * eps(x.dtype) * abs(x[at]))
    return total


COMPARED = ("lt", "le", "gt", "ge", "eq", "ne", "tie")
MOVED = ("broadcast", "reshape", "transpose", "read", "put", "concat", "gather", "collect", "frames")
RULES: dict[str, Callable] = {
    **dict.fromkeys(COMPARED, _compared),
    **dict.fromkeys(MOVED, _moved),
    **dict.fromkeys(("sum", "cumulative_sum"), _added),
    **dict.fromkeys(("max", "min", "any", "all"), _largest),
    **dict.fromkeys(("matmul", "zmatmul"), _product),
    **dict.fromkeys(("fft", "rfft", "irfft"), _transform),
    **dict.fromkeys(("neg", "conj", "real", "imag", "abs", "stop_gradient"), lambda eq, y, args: args[0].error),
    **dict.fromkeys(("add", "sub", "hypot", "logaddexp"), lambda eq, y, args: args[0].error + args[1].error),
    **dict.fromkeys(("maximum", "minimum"), lambda eq, y, args: np.maximum(args[0].error, args[1].error)),
    "cast": lambda eq, y, args: args[0].error if inexact(eq.params["to"]) else _jump(eq, y, args),
    "truncate": lambda eq, y, args: _jump(eq, y, args),
    "searchsorted": lambda eq, y, args: _placed(eq, y, *args),
    "weighted_sum": _weighed,
    **dict.fromkeys(("dct", "dst"), _cosines),
    "overlap_add": _frames_added,
    "segment_sum": _by_segment,
    **dict.fromkeys(("conv", "convolution"), _convolved),
    "mul": lambda eq, y, args: _factors(args),
    "zmul": lambda eq, y, args: _factors(args),
    "modulus": lambda eq, y, args: args[0].error,
    "unit": lambda eq, y, args: 2 * args[0].error / np.abs(args[0].value),
    "div": _quotient,
    "prod": _multiplied,
    "scatter": _scattered,
    "pin": lambda eq, y, args: args[1].error,
    "where": lambda eq, y, args: np.where(
        args[0].error > 0, INF, np.where(args[0].value, *(a.error for a in args[1:]))
    ),
}
# What computes no number, so that exact operands have an exact result.
EXACT = {*COMPARED, *MOVED, "neg", "conj", "real", "imag", "abs", "stop_gradient", "maximum", "minimum", "max", "min"}
EXACT |= {"pin", "sort", "where", "any", "all", "sign", "floor", "ceil", "trunc", "round", "isnan", "isinf", "isfinite"}


def _factors(args: list[Known]) -> np.ndarray:
    a, b = args
    size, other = magnitude(a.value), magnitude(b.value)
    return times(size, b.error) + times(a.error, other) + times(a.error, b.error)


def check(got: Any, want: Known, what: Any = "") -> None:
    """A compiled result is within `FACTOR` times the bound."""
    got, value = np.asarray(got), np.asarray(want.value)
    assert (got.shape, got.dtype) == (value.shape, value.dtype), (what, got.shape, got.dtype, value.shape, value.dtype)
    sure = np.isfinite(want.error)
    with np.errstate(all="ignore"):
        wide = complex if value.dtype.kind == "c" else float if inexact(value.dtype) else None
        off = magnitude(got.astype(wide) - value.astype(wide)) if wide else np.where(got == value, 0.0, INF)
        same = (got == value) | ((got != got) & (value != value))
        good = same | (off <= FACTOR * want.error) | ~sure
    if not np.all(good):
        at = tuple(np.argwhere(~good)[0])
        raise AssertionError(f"{what}: element {at} is {got[at]}, not {value[at]}; bound {FACTOR * want.error[at]:.3g}")
