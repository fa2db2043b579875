"""Matrix products in the forms for which there are good kernels.

A stack of products with a short inner axis is a sum of products of columns and rows, which one loop writes to where the
result belongs.  A large product of a matrix's transpose and the matrix is symmetric, so half of it is computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from scisim.compiler.lower.products import WIDEST_PRODUCT
from scisim.compiler.passes.boxes import Span, index_of, whole
from scisim.core.avals import ShapeDtype
from scisim.core.axes import whole as no_axis
from scisim.core.graph import Equation, Var
from scisim.core.primitive import Primitive
from scisim.core.values import shape
from scisim.ops.arithmetic import add, mul_p, zmul
from scisim.ops.index import read_p

MOST_TERMS = 8  # columns and rows of one loop: beyond these they are a product of matrices
_TIMES = {"matmul": mul_p, "zmatmul": zmul}

gram_p = Primitive(
    "gram",
    lambda x: np.matmul(x.T, x),
    axes=no_axis(),
    infer=lambda avals, p: ShapeDtype((avals[0].shape[1],) * 2, avals[0].dtype),
    register=False,
)


def forms(equations: Sequence[Equation], outputs: Sequence[Any], after: dict[int, Any]) -> list[Equation]:
    """The equations, with products in their best forms.

    Parameters
    ----------
    equations : sequence of Equation
    outputs : sequence
        What is needed afterwards.
    after : dict
        What must come before an equation, by its id; entries for those in its place are added.
    """
    made = {v: eq for eq in equations for v in eq.outs}
    out: list[Equation] = []
    for eq in equations:
        new = _form(eq, made)
        if new is None:
            out.append(eq)
            continue
        out += new
        if id(eq) in after:
            after.update((id(e), after[id(eq)]) for e in new)
    return out if len(out) == len(equations) and all(map(_same, out, equations)) else _used(out, outputs)


def _same(a: Equation, b: Equation) -> bool:
    return a is b


def _form(eq: Equation, made: dict[Var, Equation]) -> list[Equation] | None:
    """Equations in the place of a product, None where it is best as it is."""
    if eq.prim.name not in _TIMES or len({v.dtype for v in (*eq.args, *eq.outs)}) > 1:
        return None
    (s, t), dtype = map(shape, eq.args), eq.outs[0].dtype
    if 0 in (*s, *t) or dtype.kind not in "fc":
        return None
    if max(len(s), len(t)) > 2:
        return _outer_products(eq, made) if s[-1] <= MOST_TERMS else None
    a, b = eq.args
    symmetric = _turned(a, made) is b or _turned(b, made) is a  # b.T @ b, or a @ a.T
    if symmetric and t[1] > WIDEST_PRODUCT and dtype.name in ("float32", "float64") and eq.prim.name == "matmul":
        return [Equation(gram_p, (b,), {}, eq.outs, eq.source)]
    return None


def _turned(x: Any, made: dict[Var, Equation]) -> Any:
    """What a matrix is the transpose of."""
    maker = made.get(x)
    turned = maker is not None and maker.prim.name == "transpose" and maker.params["perm"] == (1, 0)
    return maker.args[0] if maker is not None and turned else None


def _outer_products(eq: Equation, made: dict[Var, Equation]) -> list[Equation]:
    """The sum over k of column k times row k."""
    (a, b), (v,) = eq.args, eq.outs
    out: list[Equation] = []

    def apply(prim: Primitive, args: tuple, like: tuple[int, ...], **params: Any) -> Var:
        out.append(Equation(prim, args, params, (Var(None, like, v.dtype),), eq.source))
        return out[-1].outs[0]

    def part(x: Any, axis: int, k: int) -> Any:
        """One column or row; of arrays that are joined, where it comes from."""
        maker = made.get(x)
        while maker is not None and maker.prim.name == "concat" and maker.params["axis"] == axis:
            for x in maker.args:
                if k < shape(x)[axis]:
                    break
                k -= shape(x)[axis]
            maker = made.get(x)
        s = shape(x)
        box = tuple(Span(k, 1, 1) if j == axis else span for j, span in enumerate(whole(s)))
        one = (*s[:axis], 1, *s[axis + 1 :])
        return x if one == s else apply(read_p, (x,), one, at=index_of(box, s))

    total: Any = None
    for k in range(shape(a)[-1]):
        column, row = part(a, len(shape(a)) - 1, k), part(b, len(shape(b)) - 2, k)
        p = apply(_TIMES[eq.prim.name], (column, row), v.shape)
        total = p if total is None else apply(add, (total, p), v.shape)
    out[-1] = out[-1]._replace(outs=eq.outs)
    return out


def _used(equations: Iterable[Equation], outputs: Sequence[Any]) -> list[Equation]:
    """Without joins and transposes that nobody needs any more."""
    needed = {v for v in outputs if isinstance(v, Var)}
    kept: list[Equation] = []
    for eq in reversed(list(equations)):
        if eq.prim.name in ("concat", "transpose", "reshape") and eq.outs[0] not in needed:
            continue
        kept.append(eq)
        needed.update(a for a in eq.args if isinstance(a, Var))
    return kept[::-1]
