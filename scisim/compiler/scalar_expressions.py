"""Expressions of scalar functions, evaluated on arrays."""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import operator
import types
from collections.abc import Callable, Iterable
from typing import Any

from scisim.compiler.scalar_names import counterpart, is_array, is_foreign
from scisim.compiler.scalar_source import plain_function, source
from scisim.core.errors import ArgumentTypeError
from scisim.core.tensor import functions

NOTHING: Any = object()  # no value

_BINARY: dict[type, Callable] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
_UNARY: dict[type, Callable] = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}
_COMPARE: dict[type, Callable] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


class Unset:
    """A variable that only one side of a branch has assigned."""

    def __init__(self, line: int) -> None:
        self.line = line


class Expressions:
    """A scalar function with what its variables hold.

    Parameters
    ----------
    f : function
    args : tuple
    """

    def __init__(self, f: types.FunctionType, args: tuple) -> None:
        self.f, self.steps = f, 0
        self.body, self.before = source(f)
        try:
            bound = inspect.signature(f).bind(*args)
        except TypeError as error:
            raise ArgumentTypeError(f"{f.__name__}: {error}") from None
        bound.apply_defaults()
        self.env: dict[str, Any] = dict(bound.arguments)

    @functools.cached_property
    def _nonlocals(self) -> dict[str, Any]:
        """What the function closes over, as far as it has a value."""
        cells = zip(self.f.__code__.co_freevars, self.f.__closure__ or (), strict=True)
        return {name: cell.cell_contents for name, cell in cells if not _is_empty(cell)}

    def inner(self, f: types.FunctionType, args: tuple) -> Any:
        """What another scalar function gives for these arguments."""
        from scisim.compiler.scalar_run import ScalarRun

        return ScalarRun(f, args).result()

    def refuse(self, node: ast.AST, what: str, way: str) -> ArgumentTypeError:
        """An error that names the function and the line."""
        line = self.before + getattr(node, "lineno", 1)
        return ArgumentTypeError(f"elementwise: {self.f.__name__}, line {line}: {what}; {way}")

    def choose(self, node: ast.AST, test: Any, a: Any, b: Any) -> Any:
        """The first value where the test holds, else the second."""
        if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
            return tuple(self.choose(node, test, x, y) for x, y in zip(a, b, strict=True))
        if not (_is_number(a) and _is_number(b)):
            raise self.refuse(node, f"the sides give {a!r:.40} and {b!r:.40}", "let both give numbers")
        return functions["where"](test, a, b)

    # --- expressions ---------------------------------------------------------------------------------------------
    def value(self, node: ast.expr, env: dict) -> Any:
        """What an expression gives; a method for each kind of node is named as `ast` names it."""
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            raise self.refuse(
                node, f"an expression ({type(node).__name__}) that has no meaning element by element",
                "use arithmetic, comparisons, conditions and functions of numbers",
            )  # fmt: skip
        return method(node, env)

    def _Constant(self, node: ast.Constant, env: dict) -> Any:
        return node.value

    def _Name(self, node: ast.Name, env: dict) -> Any:
        if node.id not in env:
            return self._global(node)
        value = env[node.id]
        if isinstance(value, Unset):
            raise self.refuse(
                node, f"{node.id} is assigned on one side only of the branch at line {value.line}",
                "assign to it before the branch",
            )  # fmt: skip
        return value

    def _global(self, node: ast.Name) -> Any:
        for scope in (self._nonlocals, self.f.__globals__, vars(builtins)):
            if node.id in scope:
                return scope[node.id]
        raise self.refuse(node, f"{node.id} is not defined", "define it before the call")

    def _Tuple(self, node: ast.Tuple, env: dict) -> tuple:
        return tuple(self.value(e, env) for e in node.elts)

    def _List(self, node: ast.List, env: dict) -> list:
        return [self.value(e, env) for e in node.elts]

    def _BinOp(self, node: ast.BinOp, env: dict) -> Any:
        return self.binary(node, self.value(node.left, env), self.value(node.right, env))

    def binary(self, node: ast.BinOp | ast.AugAssign, a: Any, b: Any) -> Any:
        """Two operands under an operator."""
        if type(node.op) not in _BINARY:
            raise self.refuse(node, f"the operator {type(node.op).__name__}", "use arithmetic")
        return _BINARY[type(node.op)](a, b)

    def _UnaryOp(self, node: ast.UnaryOp, env: dict) -> Any:
        x = self.value(node.operand, env)
        if isinstance(node.op, ast.Not):
            return functions["logical_not"](x) if is_array(x) else not x
        return _UNARY[type(node.op)](x)

    def _BoolOp(self, node: ast.BoolOp, env: dict) -> Any:
        """Plain operands are left out as Python would; conditions on values are joined."""
        both = isinstance(node.op, ast.And)
        found: Any = NOTHING
        for part in node.values:
            x = self.value(part, env)
            if is_array(x):
                joined = functions["logical_and" if both else "logical_or"]
                found = x if found is NOTHING else joined(found, x)
            elif bool(x) != both:
                return x if found is NOTHING else functions["logical_and" if both else "logical_or"](found, x)
            last = x
        return last if found is NOTHING else found

    def _Compare(self, node: ast.Compare, env: dict) -> Any:
        left, found = self.value(node.left, env), True
        for op, part in zip(node.ops, node.comparators, strict=True):
            right = self.value(part, env)
            if type(op) not in _COMPARE:
                if is_array(left) or is_array(right):
                    raise self.refuse(node, f"the comparison {type(op).__name__}", "use <, <=, >, >=, == or !=")
                return _plain_test(op, left, right)
            one = _COMPARE[type(op)](left, right)
            if not is_array(one) and not one:
                return one
            plain = found is True or not is_array(one)
            found = (one if found is True else found) if plain else functions["logical_and"](found, one)
            left = right
        return found

    def _IfExp(self, node: ast.IfExp, env: dict) -> Any:
        test = self.value(node.test, env)
        if not is_array(test):
            return self.value(node.body if test else node.orelse, env)
        return self.choose(node, test, self.value(node.body, env), self.value(node.orelse, env))

    def _Attribute(self, node: ast.Attribute, env: dict) -> Any:
        holder = self.value(node.value, env)
        if not is_array(holder):
            return getattr(holder, node.attr)
        if node.attr == "conjugate":
            return functools.partial(functions["conj"], holder)
        if node.attr not in ("real", "imag"):
            raise self.refuse(node, f"the attribute {node.attr} of an argument", "numbers have real and imag")
        return getattr(holder, node.attr)

    def _Subscript(self, node: ast.Subscript, env: dict) -> Any:
        holder, at = self.value(node.value, env), self.value(node.slice, env)
        if is_array(at):
            raise self.refuse(node, "an index that is a value", "use arrays and their indexing outside")
        if is_array(holder):
            raise self.refuse(node, "an index into an argument", "arguments are numbers, one for each element")
        return holder[at]

    def _Call(self, node: ast.Call, env: dict) -> Any:
        f = self.value(node.func, env)
        args = [self.value(a, env) for a in node.args]
        kwargs = {k.arg: self.value(k.value, env) for k in node.keywords if k.arg is not None}
        if not any(map(is_array, [*_flat(args), *kwargs.values()])):
            return f(*args, **kwargs)
        ours = counterpart(f)
        if ours is not None:
            return ours(*args, **kwargs)
        if is_foreign(f) or isinstance(f, types.BuiltinFunctionType):
            name = f"{getattr(f, '__module__', None) or 'numpy'}.{getattr(f, '__name__', f)}"
            raise self.refuse(node, f"{name} has no counterpart on arrays", "write it with functions of scisim")
        inner = plain_function(f)
        if isinstance(inner, types.FunctionType) and not _is_ours(inner) and not kwargs:
            return self.inner(inner, tuple(args))
        return f(*args, **kwargs)


def _is_empty(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return True
    return False


def _is_ours(f: types.FunctionType) -> bool:
    return (f.__module__ or "").split(".")[0] == "scisim"


def _plain_test(op: ast.cmpop, a: Any, b: Any) -> bool:
    if isinstance(op, (ast.Is, ast.IsNot)):
        return (a is b) == isinstance(op, ast.Is)
    return (a in b) == isinstance(op, ast.In)


def _flat(xs: Iterable[Any]) -> Iterable[Any]:
    for x in xs:
        if isinstance(x, (list, tuple)):
            yield from _flat(x)
        else:
            yield x


def _is_number(x: Any) -> bool:
    return is_array(x) or isinstance(x, (bool, int, float, complex)) or hasattr(x, "dtype")
