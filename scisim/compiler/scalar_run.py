"""Scalar functions run on arrays: their source is followed, and where a branch depends on values both sides are.

What a branch assigns is chosen element by element with `where`.  Loops whose number of steps is known are unrolled.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable
from typing import Any

from scisim.compiler.scalar_expressions import NOTHING, Expressions, Unset
from scisim.compiler.scalar_names import is_array
from scisim.core.errors import ArgumentTypeError

_MOST_STEPS = 10_000  # of unrolled loops


class _Leave(Exception):
    """A break or continue."""


class _Break(_Leave):
    pass


class _Continue(_Leave):
    pass


class ScalarRun(Expressions):
    """One call of a scalar function on arrays."""

    def result(self) -> Any:
        """What the function returns."""
        out = self._block(self.body, self.env, False)
        if out is NOTHING or out is None:
            raise ArgumentTypeError(
                f"elementwise: {self.f.__name__} returns no value on some of its ways; end each of them with return"
            )
        return out

    # --- statements ----------------------------------------------------------------------------------------------
    def _block(self, stmts: list[ast.stmt], env: dict[str, Any], looping: bool) -> Any:
        """Run statements; the value returned, or `NOTHING`."""
        for k, stmt in enumerate(stmts):
            rest = stmts[k + 1 :]
            if isinstance(stmt, ast.Return):
                return None if stmt.value is None else self.value(stmt.value, env)
            if isinstance(stmt, ast.If):
                test = self.value(stmt.test, env)
                if not is_array(test):
                    return self._block([*(stmt.body if test else stmt.orelse), *rest], env, looping)
                if _leaves(stmt):
                    return self._split(stmt, test, rest, env, looping)
                self._merge(stmt, test, env, looping)
            elif isinstance(stmt, (ast.For, ast.While)):
                out = self._loop(stmt, env)
                if out is not NOTHING:
                    return out
            else:
                self._simple(stmt, env)
        return NOTHING

    def _split(self, stmt: ast.If, test: Any, rest: list, env: dict, looping: bool) -> Any:
        """A branch on values that returns on a side: each side goes on to the end."""
        if looping:
            raise self.refuse(
                stmt,
                "return, break or continue in a loop under a condition on values",
                "assign to a variable instead, and let the loop run its fixed number of steps",
            )
        sides = [self._block([*side, *rest], dict(env), looping) for side in (stmt.body, stmt.orelse)]
        if any(s is NOTHING or s is None for s in sides):
            return NOTHING
        return self.choose(stmt, test, *sides)

    def _merge(self, stmt: ast.If, test: Any, env: dict, looping: bool) -> None:
        """A branch on values: both sides run, and what they assign is chosen element by element."""
        sides = [dict(env), dict(env)]
        for side, own in zip((stmt.body, stmt.orelse), sides, strict=True):
            self._block(side, own, looping)
        for name in dict.fromkeys(itertools.chain(*sides)):
            a, b = (own.get(name, Unset(self.before + stmt.lineno)) for own in sides)
            if a is b:
                env[name] = a
            elif isinstance(a, Unset) or isinstance(b, Unset):
                env[name] = a if isinstance(a, Unset) else b
            else:
                env[name] = self.choose(stmt, test, a, b)

    def _loop(self, stmt: ast.For | ast.While, env: dict) -> Any:
        for item in self._items(stmt, env):
            self.steps += 1
            if self.steps > _MOST_STEPS:
                raise self.refuse(stmt, f"more than {_MOST_STEPS} steps", "use ss.fori_loop or ss.scan on arrays")
            if isinstance(stmt, ast.For):
                self._assign(stmt.target, item, env)
            try:
                out = self._block(stmt.body, env, True)
            except _Break:
                return NOTHING
            except _Continue:
                continue
            if out is not NOTHING:
                return out
        return self._block(stmt.orelse, env, True)

    def _items(self, stmt: ast.For | ast.While, env: dict) -> Iterable[Any]:
        way = "use a number that is known when the function is called, or ss.while_loop on arrays"
        if isinstance(stmt, ast.While):
            while True:
                test = self.value(stmt.test, env)
                if is_array(test):
                    raise self.refuse(stmt, "while on a condition on values", way)
                if not test:
                    return
                yield None
        if is_array(items := self.value(stmt.iter, env)):
            raise self.refuse(stmt, "a loop over an argument", way)
        yield from items

    def _simple(self, stmt: ast.stmt, env: dict) -> None:
        if isinstance(stmt, ast.Assign):
            value = self.value(stmt.value, env)
            for target in stmt.targets:
                self._assign(target, value, env)
        elif isinstance(stmt, ast.AugAssign):
            load = ast.copy_location(ast.Name(getattr(stmt.target, "id", ""), ast.Load()), stmt)
            self._assign(stmt.target, self.binary(stmt, self.value(load, env), self.value(stmt.value, env)), env)
        elif isinstance(stmt, ast.AnnAssign):
            if stmt.value is not None:
                self._assign(stmt.target, self.value(stmt.value, env), env)
        elif isinstance(stmt, (ast.Break, ast.Continue)):
            raise (_Break if isinstance(stmt, ast.Break) else _Continue)
        elif not isinstance(stmt, ast.Pass) and not _is_text(stmt):
            raise self.refuse(
                stmt, f"a statement ({type(stmt).__name__}) that has no meaning element by element",
                "use assignments, if, for over a range, and return",
            )  # fmt: skip

    def _assign(self, target: ast.expr, value: Any, env: dict) -> None:
        if isinstance(target, ast.Name):
            env[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (tuple, list)):
            for t, v in zip(target.elts, value, strict=True):
                self._assign(t, v, env)
        else:
            raise self.refuse(target, "an assignment to what is no variable", "use local variables")


def _is_text(stmt: ast.stmt) -> bool:
    return isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant) and isinstance(stmt.value.value, str)


def _leaves(stmt: ast.If) -> bool:
    return any(isinstance(n, (ast.Return, ast.Break, ast.Continue)) for n in ast.walk(stmt))
