"""The primitive behind `implicit`: the root of a residual that is a graph, under every interpretation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scisim.autodiff.bodies import backward
from scisim.autodiff.slots import univariate
from scisim.autodiff.taylor import Taylor
from scisim.core import pytree
from scisim.core.avals import aval
from scisim.core.axes import whole
from scisim.core.batch import Batch
from scisim.core.capture import capture, close
from scisim.core.graph import Graph
from scisim.core.primitive import Primitive
from scisim.core.tensor import wrap
from scisim.core.values import dtype, inexact, is_complex, shape, zeros_like
from scisim.ops.arithmetic import div, neg
from scisim.ops.complexes import conj, imag, real
from scisim.ops.control import call_p, transformed, unpack
from scisim.ops.shape import astype, concat, matrix_transpose, reshape


class Problem(ABC):
    """Equations R(x, p) = 0 and how they are solved.

    Attributes
    ----------
    graph : Graph
        From x and p to R, flat values.
    count : int
        How many of the inputs are x.
    has_aux : bool
        Whether the solver gives more than x.
    """

    has_aux = False

    def __init__(self, graph: Graph, count: int) -> None:
        self.graph, self.count = graph, count

    @abstractmethod
    def solve(self, vals: Sequence[Any]) -> tuple:
        """The root for a start and parameters, and what comes with it."""

    @abstractmethod
    def linear(self, vals: Sequence[Any], rhs: list, transpose: bool = False) -> list:
        """J^{-1} rhs at a root, or J^{-T} rhs, paired as Re(sum(a * b))."""


class Equations(Problem):
    """A residual and a solver that a user gave."""

    aux_spec: Any = None  # the structure of what the solver gives besides x

    def __init__(self, graph: Graph, count: int, run: Callable, linear: Any, spec: Any, has_aux: bool) -> None:
        super().__init__(graph, count)
        self.run, self.how, self.spec, self.has_aux = run, linear, spec, has_aux

    def solve(self, vals: Sequence[Any]) -> tuple:
        return self.run(*vals)

    def linear(self, vals: Sequence[Any], rhs: list, transpose: bool = False) -> list:
        if self.how == "dense":
            return _dense(self.graph, self.count, vals, rhs, transpose)
        if self.how == "elementwise":
            return _elementwise(self.graph, self.count, vals, rhs)
        graph, held = close(capture(lambda *v: self._product(vals, v, transpose), rhs, f"linear {self.graph.name}"))
        problem = LinearEquations.of(graph, self.count, (self.how, self.how), self.spec, False)
        return list(root_p(*map(zeros_like, rhs), *rhs, *held, problem=problem))

    def _product(self, vals: Sequence[Any], v: Sequence[Any], transpose: bool) -> list:
        if transpose:
            return list(call_p(*vals, *v, graph=backward(self.graph, False)))[: self.count]
        return directional(self.graph, vals, v)


class LinearEquations(Problem):
    """A x - b = 0: x, b, what A depends on, and what only the solver takes are the inputs."""

    aux_spec: Any = None  # the structure of what the solver gives besides x

    def __init__(self, product: Graph, graph: Graph, count: int, solves: tuple, spec: Any, symmetric: bool) -> None:
        super().__init__(graph, count)
        self.product, self.solves, self.spec, self.symmetric = product, solves, spec, symmetric
        self.extra = 0  # how many of the last inputs only the solver takes

    @staticmethod
    def of(
        product: Graph, count: int, solves: tuple, spec: Any, symmetric: bool, extra: int = 0, has_aux: bool = False
    ) -> LinearEquations:
        """The equations of an operator, a graph from x and what it depends on to A x."""
        ins = [aval(v) for v in product.inputs]

        def residual(*vals: Any) -> list:
            xs, bs, rest = vals[:count], vals[count : 2 * count], vals[2 * count :]
            return [y - b for y, b in zip(product(*xs, *rest), bs, strict=True)]

        graph = capture(residual, [*ins[:count], *ins[:count], *ins[count:]], product.name)
        made = LinearEquations(product, graph, count, solves, spec, symmetric)
        made.extra, made.has_aux = extra, has_aux
        return made

    def solve(self, vals: Sequence[Any]) -> tuple:
        bs, rest = vals[self.count : 2 * self.count], vals[2 * self.count :]

        def matvec(x: Any) -> Any:
            return pytree.tree_of(self.spec, self.product(*pytree.values(x, "linear_solve")[0], *rest))

        more = map(wrap, rest[len(rest) - self.extra :])
        out = self.solves[0](matvec, pytree.tree_of(self.spec, bs), *more)
        x, aux = out if self.has_aux else (out, ())
        flat_aux, self.aux_spec = pytree.values(aux, "linear_solve")
        return (*pytree.values(x, "linear_solve")[0], *flat_aux)

    def linear(self, vals: Sequence[Any], rhs: list, transpose: bool = False) -> list:
        rest = vals[2 * self.count :]
        if not transpose:
            return list(root_p(*map(zeros_like, rhs), *rhs, *rest, problem=self))[: self.count]
        if self.symmetric:  # A^T is the conjugate of A
            return [conj(x) for x in self.linear(vals, [conj(r) for r in rhs])]
        back, n = backward(self.product, False), self.count
        avals = [aval(v) for v in (*rhs, *rest)]

        def transposed(*ins: Any) -> list:
            return list(back(*map(zeros_like, ins[:n]), *ins[n:], *ins[:n]))[:n]

        product, solves = capture(transposed, avals, back.name), self.solves[::-1]
        problem = LinearEquations.of(product, n, solves, self.spec, False, self.extra, self.has_aux)
        return list(root_p(*map(zeros_like, rhs), *rhs, *rest, problem=problem))[:n]


class MappedProblem(Problem):
    """A batch of problems."""

    def __init__(self, one: Problem, trace: Batch, patterns: tuple, avals: list) -> None:
        wanted = (True,) * len(one.graph.outputs)
        super().__init__(transformed(one.graph, trace, patterns, tuple(avals), wanted)[0], one.count)
        self.one, self.trace, self.patterns, self.has_aux = one, trace, patterns, one.has_aux

    def _inner(self, f: Callable, groups: Sequence[tuple[Sequence[Any], tuple]]) -> list:
        with self.trace.again(self.one.graph.name) as t:
            outs = f(*([t.pack([v], p) for v, p in zip(vs, ps, strict=True)] for vs, ps in groups))
            return [t.materialize(o) for o in outs]

    def solve(self, vals: Sequence[Any]) -> tuple:
        return tuple(self._inner(self.one.solve, [(vals, self.patterns)]))

    def linear(self, vals: Sequence[Any], rhs: list, transpose: bool = False) -> list:
        groups = [(vals, self.patterns), (rhs, (True,) * len(rhs))]
        return self._inner(lambda ins, r: self.one.linear(ins, r, transpose), groups)


# --- the primitive ---------------------------------------------------------------------------------------------------
def _infer(avals: tuple, p: dict) -> tuple:
    problem = p["problem"]
    return tuple(map(aval, solving(problem, avals).outputs)) if problem.has_aux else tuple(avals[: problem.count])


def solving(problem: Problem, avals: Sequence[Any]) -> Graph:
    """The solver as a graph."""
    return capture(lambda *xs: problem.solve(xs), avals, f"solver of {problem.graph.name}")


def _through(trace: Any, args: tuple, p: dict) -> tuple:
    problem = p["problem"]
    if not isinstance(trace, Batch):
        return _series(trace, args, problem)
    n = problem.count
    args = (*(trace.widen(a, True) for a in args[:n]), *args[n:])
    flat, patterns = unpack(trace, args)
    mapped = MappedProblem(problem, trace, patterns, [aval(v) for v in flat])
    return tuple(map(trace.wrap, root_p(*flat, problem=mapped)))


def _series(trace: Taylor, args: tuple, problem: Problem) -> tuple:
    """The root to one order after the other."""
    n = problem.count
    vals = [a.cs[0] if trace.mine(a) else a for a in args]
    outs = root_p(*vals, problem=problem)
    at = [*outs[:n], *vals[n:]]
    xs = [[o] + [None] * trace.last for o in outs[:n]]
    for k in range(1, trace.slots.count):
        residual = problem.graph(*(trace.series(list(cs)) for cs in xs), *args[n:])
        rs = [trace.coefficient(r, k) for r in residual]
        if any(r is not None for r in rs):
            rhs = [zeros_like(x) if r is None else r for r, x in zip(rs, problem.graph.outputs, strict=True)]
            for cs, d in zip(xs, problem.linear(at, rhs), strict=True):
                cs[k] = neg(d)
    ys = [trace.series(cs) if any(c is not None for c in cs[1:]) else cs[0] for cs in xs]
    return (*ys, *outs[n:])


def _reverse(vals: list, p: dict) -> tuple[tuple, Callable]:
    problem = p["problem"]
    n, graph = problem.count, problem.graph
    outs = root_p(*vals, problem=problem)
    at = [*outs[:n], *vals[n:]]

    def pull_back(cts: Sequence[Any], exact: bool) -> list:
        adjoint = [neg(x) for x in problem.linear(at, list(cts[:n]), transpose=True)]
        got = call_p(*at, *adjoint, graph=backward(graph, exact))
        return [None] * n + [g if inexact(v.dtype) else None for g, v in zip(got[n:], vals[n:], strict=True)]

    return outs, pull_back


root_p = Primitive(
    "implicit_root",
    lambda *vals, problem: problem.solve(vals),
    axes=whole(),
    infer=_infer,
    reverse=_reverse,
    through=_through,
    multiple=True,
)


# --- linearisations --------------------------------------------------------------------------------------------------
def directional(graph: Graph, vals: Sequence[Any], tangents: Sequence[Any]) -> list:
    """The derivative of a graph along a direction of its first inputs."""
    with Taylor(graph.name, univariate(1)) as t, np.errstate(all="ignore"):
        front = [t.variable(v, {1: d}) for v, d in zip(vals, tangents, strict=False)]
        outs = graph(*front, *vals[len(front) :])
        cs = [t.coefficient(o, 1) for o in outs]
    return [zeros_like(v) if c is None else c for c, v in zip(cs, graph.outputs, strict=True)]


def _dense(graph: Graph, n: int, vals: Sequence[Any], rhs: list, transpose: bool) -> list:
    """With the Jacobian as a real matrix, complex numbers as pairs, so that residuals need not be holomorphic."""
    from scisim.ops._linalg.solving import solve_p  # linear algebra loads when used

    xs = vals[:n]
    rows = _jacobian_rows(graph, xs, vals)
    b = _as_reals(rhs, 0, dual=transpose)
    solution = solve_p(rows if transpose else matrix_transpose(rows), reshape(b, (*shape(b), 1)))
    return _from_reals(reshape(solution, shape(b)), xs if not transpose else graph.outputs, dual=transpose)


def _jacobian_rows(graph: Graph, xs: Sequence[Any], vals: Sequence[Any]) -> Any:
    """Derivatives of all equations along each unknown: a row for each."""
    basis = _basis(xs)
    with Batch(graph.name, len(basis[0])) as t:
        outs = directional(graph, vals, [t.wrap(e) for e in basis])
        return _as_reals([t.materialize(o) for o in outs], 1)


def _basis(xs: Sequence[Any]) -> list[np.ndarray]:
    """Unit directions of each unknown, stacked: of the real parts, then of the imaginary ones, leaf by leaf."""
    units = [1.0, 1j]
    sizes = [int(np.prod(shape(x))) for x in xs]
    total = sum(s * (1 + is_complex(x)) for s, x in zip(sizes, xs, strict=True))
    out, start = [], 0
    for s, x in zip(sizes, xs, strict=True):
        e = np.zeros((total, s), dtype(x))
        for unit in units[: 1 + is_complex(x)]:
            e[range(start, start + s), range(s)] = unit
            start += s
        out.append(e.reshape(total, *shape(x)))
    return out


def _as_reals(vs: Sequence[Any], lead: int, dual: bool = False) -> Any:
    """Values as one real vector, after ``lead`` axes; that of a cotangent pairs as Re(sum(a * b))."""
    parts = []
    for v in vs:
        flat = reshape(v, (*shape(v)[:lead], int(np.prod(shape(v)[lead:]))))
        parts += [real(flat), neg(imag(flat)) if dual else imag(flat)] if is_complex(v) else [flat]
    return parts[0] if len(parts) == 1 else concat(parts, lead)


def _from_reals(v: Any, like: Sequence[Any], dual: bool) -> list:
    out, start = [], 0
    for x in like:
        s = int(np.prod(shape(x)))
        parts = [v[start + k * s : start + (k + 1) * s] for k in range(1 + is_complex(x))]
        start += s * len(parts)
        flat = parts[0] if len(parts) == 1 else parts[0] + (-1j if dual else 1j) * parts[1]
        out.append(astype(reshape(flat, shape(x)), dtype(x)))
    return out


def _elementwise(graph: Graph, n: int, vals: Sequence[Any], rhs: list) -> list:
    """Each element of the residual depends on its own unknown alone; the residual is holomorphic in it."""
    slopes = directional(graph, vals, [np.broadcast_to(np.ones((), dtype(x)), shape(x)) for x in vals[:n]])
    return [div(r, s) for r, s in zip(rhs, slopes, strict=True)]
