"""The source of scalar functions, lambdas and functions compiled by Numba among them."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import textwrap
import types
from typing import Any

from scisim.core.errors import ArgumentTypeError


@functools.lru_cache(maxsize=1024)
def source(f: types.FunctionType) -> tuple[list[ast.stmt], int]:
    """The statements of a function, and how many lines come before them in its file."""
    code = f.__code__
    try:
        if f.__name__ == "<lambda>":
            return [ast.Return(ast.parse(_lambda_text(code), mode="eval").body)], code.co_firstlineno - 1
        tree = ast.parse(textwrap.dedent(inspect.getsource(f))).body[0]
    except (OSError, SyntaxError, IndentationError):
        raise ArgumentTypeError(
            f"elementwise: the source of {f.__name__} cannot be read, so its branches cannot be followed; define it in "
            f"a file"
        ) from None
    assert isinstance(tree, ast.FunctionDef)
    return tree.body, code.co_firstlineno - 1


def _lambda_text(code: types.CodeType) -> str:
    """The expression of a lambda, cut out of its file."""
    places: list[Any] = [p for p in code.co_positions() if None not in p and p[2:] != (0, 0)]
    if not places:
        raise OSError
    (first, start), (last, end) = min((p[0], p[2]) for p in places), max((p[1], p[3]) for p in places)
    lines = [linecache.getline(code.co_filename, n).encode() for n in range(first, last + 1)]
    if not all(lines):
        raise OSError
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    return "(" + b"".join(lines).decode() + "\n)"


def plain_function(f: Any) -> Any:
    """The Python function of one that Numba has compiled, others as they are."""
    for name in ("py_func", "_dispatcher"):
        inner = getattr(f, name, None)
        if inner is not None:
            return plain_function(inner)
    return f
