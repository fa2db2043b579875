"""Rows for sparse matrices: products, builders, direct and iterative solvers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import scisim as ss
from scisim import sparse
from scisim.sparse import CSR
from tests.rules.cases import Case, array

PRODUCTS = ("csr_product", "csr_transposed", "csr_sampled")
INDICES, INDPTR = np.array([0, 2, 1, 0, 2]), np.array([0, 2, 3, 5])  # 3 x 3, five elements


def row(name: str, call: Callable, *operands: Any, tag: str = "", prims: tuple[str, ...] = (), order: int = 4) -> Case:
    arrays = tuple(map(np.asarray, operands))
    kind = " complex" if any(x.dtype.kind == "c" for x in arrays) else ""
    covers = (f"fn:sparse.{name}", *(f"prim:{p}" for p in prims))
    return Case(f"sparse.{name}{tag and ' ' + tag}{kind}", covers, call, arrays, order=order)


def of(data: Any) -> CSR:
    """A matrix of five elements; a greater diagonal keeps it regular whatever their order."""
    return CSR(data, INDICES, INDPTR, (3, 3))


def regular(data: Any) -> CSR:
    return of(data) + sparse.eye(3, dtype=data.dtype) * 4.0


def product_rows(kind: str) -> list[Case]:
    data, x, columns = array(5, kind=kind), array(3, kind=kind, seed=1), array(3, 2, kind=kind, seed=2)
    none = np.zeros((0,), data.dtype)
    nothing = lambda d, x: CSR(d, [], [0], (0, 0)) @ x
    return [
        row("CSR", lambda d, x: of(d) @ x, data, x, prims=PRODUCTS),
        row("CSR", lambda d, x: x @ of(d), data, columns.T.copy(), tag="from the right"),
        row("CSR", lambda d, x: of(d) @ x, data, array(2, 3, 2, kind=kind, seed=3), tag="with a stack"),
        row("CSR", lambda d, x: of(d) @ x, array(2, 5, kind=kind, seed=4), columns, tag="of a stack"),
        row("CSR", lambda d, e: (of(d) @ of(e).T - of(e) * 2.0).to_dense(), data, data[::-1], tag="with another"),
        row("CSR", lambda d, x: of(d).multiply(x).sum(1) / 2.0, data, columns.T[:1].copy(), tag="by elements"),
        row("CSR", nothing, none, none, tag="of nothing"),
    ]


def builder_rows(kind: str) -> list[Case]:
    data, block = array(4, kind=kind), array(2, 2, 2, kind=kind, seed=1)
    number, none, at = np.asarray(data[0]), np.zeros((0,), data.dtype), [0, 2, 1, 0]
    dense = lambda f: lambda *xs: f(*xs).to_dense()
    kept = lambda x: sparse.from_dense(x, of(np.ones(5)))
    rows = [
        row("csr", dense(lambda d: sparse.csr(d, [0, 2, 1, 0], [0, 2, 3, 4], (3, 3))), data),
        row("coo", dense(lambda d: sparse.coo(d, at, [1, 1, 0, 1], (3, 2))), data),
        row("coo", dense(lambda d: sparse.coo(d, at, [1, 1, 0, 1], (3, 2))), number, tag="of a number"),
        row("coo", dense(lambda d: sparse.coo(d, [], [], (3, 2))), none, tag="of nothing"),
        row("bsr", dense(lambda d: sparse.bsr(d, [1, 0], [0, 1, 2], (4, 4))), block),
        row("dia", dense(lambda d: sparse.dia(d, [0, -1], (3, 2))), block[0]),
        row("diags", dense(lambda d, e: sparse.diags([d, e], [0, 1], (4, 4))), data, number),
        row("diags", lambda d: sparse.diags(d, -1).diagonal(-1), data, tag="and back"),
        row("kron", dense(lambda d, x: sparse.kron(sparse.diags(d), x)), data[:2].copy(), block[1]),
        row("from_dense", dense(kept), array(3, 3, kind=kind)),
        row("block", dense(lambda d, x: sparse.block([[sparse.diags(d), None], [None, kept(x)]])), data, array(3, 3)),
        row("eye", dense(lambda x: sparse.eye(3, dtype=x.dtype) * x), number),
    ]
    return rows


def iterative(name: str, kind: str, symmetric: bool, tag: str = "", **more: Any) -> Case:
    """Two unknowns, so that two steps end far below the tolerance."""

    def call(d: Any, b: Any) -> Any:
        a = CSR(d, [0, 1, 0], [0, 2, 3], (2, 2))
        a = (a + a.H if symmetric else a) + sparse.eye(2, dtype=d.dtype) * 6.0
        return getattr(sparse, name)(a, b, **{k: f(a) for k, f in more.items()})[0]

    return row(name, call, array(3, kind=kind), array(2, kind=kind, seed=1), tag=tag)


def iterative_rows(kind: str) -> list[Case]:
    """With a preconditioner where numbers are complex, without one where they are real, and the simplest with both."""
    more = {"M": sparse.jacobi} if kind == "c" else {}
    rows = [iterative(name, kind, name in ("cg", "minres"), **more) for name in ("minres", "bicgstab", "gmres")]
    return [*rows, *(iterative("cg", kind, True, tag, **m) for tag, m in (("", {}), ("scaled", {"M": sparse.jacobi})))]


def solver_rows(kind: str) -> list[Case]:
    data, b, columns = array(5, kind=kind), array(3, kind=kind, seed=1), array(3, 2, kind=kind, seed=2)
    none = np.zeros((0,), data.dtype)

    return [
        row("spsolve", lambda d, b: sparse.spsolve(regular(d), b), data, columns, prims=("csr_solve",)),
        row("spsolve", lambda d, b: sparse.spsolve(regular(d), b), array(2, 5, kind=kind), b, tag="of a stack"),
        row("spsolve", lambda d, b: sparse.spsolve(CSR(d, [], [0], (0, 0)), b), none, none, tag="of nothing"),
        *iterative_rows(kind),
        row("expm_multiply", lambda d, b: sparse.expm_multiply(of(d), b, bound=4.0), data, columns),
        row("jacobi", lambda x: sparse.jacobi(regular(ss.ones(5, dtype=x.dtype)))(x), b),
    ]


_FIXED = np.array([1.0, -0.5, 2.0, 0.3, 1.5])
FACTORS = sparse.ilu(regular(ss.asarray(_FIXED)))


def reported(x: Any) -> Any:
    """The numbers that a solver gives beside its result."""
    info = sparse.gmres(regular(ss.asarray(_FIXED, dtype=x.dtype)), x, rtol=1e-6)[1]
    return info.iterations


ROWS = [
    *(r for kind in ("f", "c") for make in (product_rows, builder_rows, solver_rows) for r in make(kind)),
    row("ilu", FACTORS, array(3), prims=("ilu_solve",)),
    row("ilu", FACTORS, array(3, kind="c")),
    Case("sparse.SolveInfo", ("fn:sparse.SolveInfo",), reported, (np.ones(3),), concrete=True),
    Case("sparse.from_scipy", ("fn:sparse.from_scipy",), lambda: sparse.from_scipy(of(_FIXED).to_scipy()).data, ()),
]
NAMES = sorted({name for r in ROWS for name in r.covers if name.startswith("fn:")})
EXEMPT: dict[str, dict[str, str]] = {
    name: {
        "0-d": "takes vectors or matrices",
        "empty": "as of CSR, of which it makes or takes one",
        "complex": "as of CSR, of which it makes or takes one",
    }
    for name in NAMES
}
EXEMPT["fn:sparse.expm_multiply"]["empty"] = "a function of one unknown at least"
for _name in ("cg", "minres", "bicgstab", "gmres", "jacobi", "ilu", "SolveInfo"):
    EXEMPT[f"fn:sparse.{_name}"]["empty"] = "an iteration needs an unknown"
