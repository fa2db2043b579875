"""Graphs made ready for lowering: what calls call is in their place, and every use of a body has its own variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scisim.compiler.lower.values import Values
from scisim.core.graph import Equation, Graph, Var
from scisim.core.values import shape
from scisim.ops.select import ne
from scisim.ops.shape import broadcast_p

WEAK = (bool, int, float, complex)


class Flat:
    """Equations in new variables, in order.

    Parameters
    ----------
    values : Values
        Told of arrays that are constants.

    Attributes
    ----------
    after : dict
        By the id of an equation, variables that must exist before it runs, though it does not use them.
    """

    def __init__(self, values: Values) -> None:
        self.values = values
        self.equations: list[Equation] = []
        self.after: dict[int, tuple[Var, ...]] = {}

    def replay(self, graph: Graph, args: Sequence[Any]) -> list[Any]:
        """Add the equations of a graph, applied to variables or constants; its outputs."""
        env: dict[Any, Any] = {v: _typed(a, v) for v, a in zip(graph.inputs, args, strict=True)}
        for eq in graph.equations:
            given = tuple(env.get(a, a) if isinstance(a, Var) else a for a in eq.args)
            made = self._inlined(eq, given)
            if made is None:
                made = self._kept(eq, given)
            env.update(zip(eq.outs, made, strict=True))
        return [env.get(v, v) if isinstance(v, Var) else v for v in graph.outputs]

    def _inlined(self, eq: Equation, args: tuple) -> Sequence[Any] | None:
        """The results of an equation that is replaced by a body, or by none."""
        name, p = eq.prim.name, eq.params
        if name == "call":
            return self._called(p["graph"], args, p.get("remat", False))
        if name == "cond" and not isinstance(args[0], Var):
            return self.replay(p["branches"][0 if args[0] else 1], args[1:])
        if name == "scan" and p["length"] == 0:
            n = p["carries"]
            empty = [np.zeros(v.shape, v.dtype) for v in eq.outs[n:]]
            return [*args[p["consts"] : p["consts"] + n], *empty]
        if name == "winners" and all(shape(i) == () for i in args[2:]):  # one index meets no other
            return [np.ones(eq.outs[0].shape, bool)]
        return None

    def _called(self, graph: Graph, args: tuple, late: bool) -> list[Any]:
        """A call's results; what derivatives compute anew runs only once all operands exist, cotangents among them."""
        first = len(self.equations)
        outs = self.replay(graph, args)
        if late:
            given = tuple(a for a in args if isinstance(a, Var))
            for eq in self.equations[first:]:
                self.after[id(eq)] = (*self.after.get(id(eq), ()), *given)
        return outs

    def _kept(self, eq: Equation, args: tuple) -> tuple[Var, ...]:
        if eq.prim.name == "cond":
            args = (self.boolean(args[0]), *args[1:])
        inline = eq.prim.scalar is not None
        args = tuple(a if isinstance(a, Var) or _small(a, inline) else self.values.constant(a) for a in args)
        outs = tuple(Var(None, v.shape, v.dtype) for v in eq.outs)
        self.equations.append(eq._replace(args=args, outs=outs))
        return outs

    def boolean(self, v: Any) -> Any:
        """A value as a condition."""
        if not isinstance(v, Var):
            return np.asarray(bool(v))
        if v.dtype == bool:
            return v
        out = Var(None, (), np.dtype(bool))
        self.equations.append(Equation(ne, (v, v.dtype.type(0)), {}, (out,)))
        return out

    def copy(self, v: Any, like: Var) -> Var:
        """A variable that is a copy of another, or of a constant."""
        if not isinstance(v, Var):
            v = np.asarray(v, like.dtype)
            v = v[()] if v.ndim == 0 else self.values.constant(v)
        out = Var(None, like.shape, like.dtype)
        self.equations.append(Equation(broadcast_p, (v,), {"shape": tuple(like.shape)}, (out,)))
        return out

    def own(self) -> set[Var]:
        """The variables that the equations make."""
        return {v for eq in self.equations for v in eq.outs}

    def separate(self, outputs: Sequence[Any], like: Sequence[Var], taken: Sequence[Var] = ()) -> list[Var]:
        """Outputs that are variables of these equations, each another; others are copied."""
        own, out = self.own().difference(taken), []
        for v, of in zip(outputs, like, strict=True):
            out.append(v if isinstance(v, Var) and v in own else self.copy(v, of))
            own.discard(out[-1])
        return out


def _typed(a: Any, v: Var) -> Any:
    """A constant in the dtype of the variable that it stands for."""
    return np.asarray(a, v.dtype)[()] if type(a) in WEAK else a


def _small(a: Any, inline: bool) -> bool:
    """Whether a constant is written into kernels."""
    return np.size(a) == 1 and (inline or np.ndim(a) == 0)
