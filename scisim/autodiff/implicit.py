"""Values defined by equations: roots and linear solves, whose derivatives come from the equation, not from the solver.

Where R(x, p) = 0 defines x, every interpretation needs only R and a solver of its linearisation at the root, J dx = r:

- a Taylor series of x follows order by order, x_k = -J^{-1} R(x_0 + ... + x_{k-1} s^{k-1}, p(s))_k;
- the cotangents of p are those of -lambda in R, where J^T lambda is the cotangent of x;
- a batch is a batch of problems.

So derivatives of any order nest, and the solver itself is never differentiated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scisim.autodiff._problems import Equations, LinearEquations, root_p
from scisim.core import pytree
from scisim.core.avals import aval
from scisim.core.capture import capture, close
from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.graph import Graph, Var
from scisim.core.tensor import Tensor
from scisim.core.values import Traced, check_function, dtype, inexact, name_of, shape, zeros_like


def implicit_root(
    residual: Callable, solve: Callable, linear_solve: str | Callable = "dense", has_aux: bool = False
) -> Callable:
    """A function that gives the root of an equation, with derivatives of every order in its parameters.

    Parameters
    ----------
    residual : callable
        ``residual(x, *args)``, zero at the root; as many numbers as there are in ``x``.  It may close over values of
        transformations, which then are parameters too.
    solve : callable
        ``solve(residual, x0, *args) -> x`` finds the root, in any way: it is not differentiated.  Within a
        transformation, ``residual`` and the arguments are plain values there.
    linear_solve : "dense", "elementwise" or callable
        How J dx = r is solved for derivatives, with J the derivative of ``residual`` in ``x``: as a matrix; as a
        diagonal, where each element of the residual depends on its own element of x alone; or
        ``linear_solve(matvec, r) -> dx``, without a matrix.
    has_aux : bool
        ``solve`` returns ``(x, aux)``; the arrays in ``aux`` carry no derivatives.

    Returns
    -------
    callable
        ``root(x0, *args)``: x, of the structure, shapes and dtypes of ``x0``; or ``(x, aux)``.

    Raises
    ------
    ShapeError
        When residual and x differ in size.
    SingularMatrixError
        From derivatives at a root where J is singular, so that the root is not a function of the parameters.

    Notes
    -----
    The start ``x0`` chooses a root and has no derivative.  Source: the implicit function theorem.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> def newton(f, x, a):
    ...     for _ in range(6):
    ...         x = x - f(x, a) / ad.grad(f)(x, a)
    ...     return x
    >>> root = ad.implicit_root(lambda x, a: x * x - a, newton)
    >>> ad.grad(root, 1)(1.0, 4.0)
    Tensor(0.25)
    """
    check_function("implicit_root", residual)
    check_function("implicit_root", solve)
    if not callable(linear_solve) and linear_solve not in ("dense", "elementwise"):
        raise ArgumentError(
            f"implicit_root: linear_solve is {linear_solve!r}; expected 'dense', 'elementwise' or a function"
        )

    def root(x0: Any, *args: Any) -> Any:
        if not _traced((x0, args)) and not _traced(residual(x0, *args)):
            return solve(residual, x0, *args)
        problem, vals, spec = _problem(residual, solve, linear_solve, has_aux, x0, args)
        outs = root_p(*vals, problem=problem)
        x = pytree.tree_of(spec, outs[: problem.count])
        return (x, pytree.tree_of(problem.aux_spec, outs[problem.count :])) if has_aux else x

    root.__name__ = f"root of {name_of(residual)}"
    return root


def _traced(tree: Any) -> bool:
    leaves = pytree.tree_leaves(tree)
    return any(isinstance(x, Traced) or (type(x) is Tensor and isinstance(x._v, Traced)) for x in leaves)


def _problem(
    residual: Callable, solve: Callable, linear: Any, has_aux: bool, x0: Any, args: tuple
) -> tuple[Equations, list, Any]:
    xs, spec = pytree.values((x0,), "implicit_root")
    ps, arg_spec = pytree.values(args, "implicit_root")
    for x in xs:
        if not inexact(dtype(x)):
            raise ArgumentError(f"implicit_root: x0 has dtype {dtype(x)}; start from floating-point numbers")
    n, x_spec, made = len(xs), pytree.flatten(x0)[1], {}

    def flat(*vals: Any) -> list:
        out, made["spec"] = pytree.call(lambda x, a: residual(x, *a), _pair(spec, arg_spec), vals, "implicit_root")
        return out

    graph, held = close(capture(flat, [aval(v) for v in (*xs, *ps)], name_of(residual)))
    _check_sizes(residual, xs, graph.outputs)

    def run(*vals: Any) -> tuple:
        """The user's solver on values, with the residual as the graph that was captured."""

        def f(x: Any, *a: Any) -> Any:
            inner = [*pytree.values((x,), "implicit_root")[0], *pytree.values(a, "implicit_root")[0]]
            return pytree.tree_of(made["spec"], graph(*inner, *vals[n + len(ps) :]))

        out = solve(f, pytree.tree_of(x_spec, vals[:n]), *pytree.tree_of(arg_spec, vals[n : n + len(ps)]))
        x, aux = out if has_aux else (out, ())
        flat_aux, problem.aux_spec = pytree.values(aux, "implicit_root")
        return (*_solution(x, x_spec, vals[:n], solve), *flat_aux)

    problem = Equations(graph, n, run, linear, x_spec, has_aux)
    return problem, [*xs, *ps, *held], x_spec


def _pair(spec: Any, arg_spec: Any) -> Any:
    """The structure of (x, args) from those of (x,) and args."""
    x = pytree.unflatten(spec, [0] * spec.num_leaves)
    return pytree.flatten((*x, pytree.unflatten(arg_spec, [0] * arg_spec.num_leaves)))[1]


def _check_sizes(residual: Callable, xs: Sequence[Any], outs: Sequence[Any]) -> None:
    n, m = (sum(int(np.prod(shape(v))) for v in vs) for vs in (xs, outs))
    if n != m:
        raise ShapeError(
            f"implicit_root: {name_of(residual)} gives {m} numbers for an x of {n}; a root needs as many equations as "
            f"unknowns"
        )


def _solution(x: Any, spec: Any, like: Sequence[Any], solve: Callable) -> list:
    outs, out_spec = pytree.flatten(x)
    vals = [pytree.leaf_value(o, "implicit_root", f"the result of {name_of(solve)}") for o in outs]
    if out_spec != spec or [(shape(v), dtype(v)) for v in vals] != [(shape(v), dtype(v)) for v in like]:
        raise ShapeError(
            f"implicit_root: {name_of(solve)} returns {[f'{dtype(v)}{list(shape(v))}' for v in vals]} for a start of "
            f"{[f'{dtype(v)}{list(shape(v))}' for v in like]}; structure, shapes and dtypes must be equal"
        )
    return vals


def linear_solve(
    matvec: Callable,
    b: Any,
    solve: Callable,
    transpose_solve: Callable | None = None,
    symmetric: bool = False,
    extra: Sequence[Any] = (),
    has_aux: bool = False,
) -> Any:
    """Solution x of A x = b for an operator that is only given by its products with vectors.

    Parameters
    ----------
    matvec : callable
        ``matvec(x)``, linear, of the structure, shapes and dtypes of ``b``.  What it closes over has derivatives too.
    b : tensor or container of them
    solve : callable
        ``solve(matvec, b) -> x``; it is not differentiated.
    transpose_solve : callable, optional
        ``transpose_solve(matvec, b) -> x`` for the transposed operator, whose products ``matvec`` then gives; by
        default ``solve``.
    symmetric : bool
        The operator equals its conjugate transpose, as for the method of conjugate gradients.
    extra : sequence of tensors
        Further arguments of both solvers, ``solve(matvec, b, *extra)``, on which x does not depend, such as a
        preconditioner; the solvers must not close over values of transformations.
    has_aux : bool
        The solvers return ``(x, aux)``; the arrays in ``aux`` carry no derivatives.

    Returns
    -------
    tensor or container of them
        With derivatives of every order in ``b`` and in what ``matvec`` closes over; or ``(x, aux)``.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> def divide(matvec, b):
    ...     return b / matvec(ss.ones_like(b))
    >>> ad.grad(lambda a: ss.sum(ad.linear_solve(lambda x: a * x, ss.ones(2), divide)))(2.0)
    Tensor(-0.5)
    """
    check_function("linear_solve", matvec)
    check_function("linear_solve", solve)
    if not _traced((b, list(extra))) and not _traced(matvec(b)):
        return solve(matvec, b, *extra)
    vals, spec = pytree.values((b,), "linear_solve")
    more = [pytree.leaf_value(v, "linear_solve") for v in extra]
    b_spec = pytree.flatten(b)[1]

    def flat(*xs: Any) -> list:
        return pytree.call(matvec, spec, xs, "linear_solve")[0]

    graph, held = close(capture(flat, [aval(v) for v in vals], name_of(matvec)))
    graph = Graph([*graph.inputs, *(Var(None, *aval(v)) for v in more)], graph.equations, graph.outputs, graph.name)
    solves = (solve, transpose_solve or solve)
    problem = LinearEquations.of(graph, len(vals), solves, b_spec, symmetric, len(more), has_aux)
    outs = root_p(*map(zeros_like, vals), *vals, *held, *more, problem=problem)
    x = pytree.tree_of(b_spec, outs[: len(vals)])
    return (x, pytree.tree_of(problem.aux_spec, outs[len(vals) :])) if has_aux else x
