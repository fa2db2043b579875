"""The README's tour runs as it stands, and gives the values that its comments promise."""

import ast
import pathlib
import re

import numpy as np
import pytest

README = pathlib.Path(__file__).resolve().parents[1] / "README.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PROMISE = re.compile(r"^(?P<code>[^#]+?)  # -> (?P<value>.+)$")


def blocks():
    """Every block of Python, below as many empty lines as there are above it in the README."""
    text = README.read_text("utf-8")
    return ["\n" * text.count("\n", 0, match.start(1)) + match[1] for match in BLOCK.finditer(text)]


def run(block, names):
    """Run a block; return (source, value, promised value) for every line that makes a promise."""
    kept = []
    for statement in ast.parse(block).body:
        source = "\n".join(block.split("\n")[statement.lineno - 1 : statement.end_lineno])
        match = PROMISE.match(source)
        if match:
            value = eval(match["code"], names)
            kept.append((match["code"], value, ast.literal_eval(match["value"])))
        else:
            exec(compile(ast.Module([statement], []), str(README), "exec"), names)
    return kept


def test_the_tour_gives_what_it_promises():
    names = {}
    promises = [promise for block in blocks() for promise in run(block, names)]
    for code, value, promised in promises:
        values = value if isinstance(value, list | tuple) else [value]
        wanted = promised if isinstance(value, list | tuple) else [promised]
        assert len(values) == len(wanted), code
        for got, want in zip(values, wanted, strict=True):
            # six digits are printed
            np.testing.assert_allclose(np.asarray(got), want, rtol=5e-6, atol=1e-12, err_msg=code)


def test_the_tour_is_one():
    text = README.read_text("utf-8")
    assert len(blocks()) >= 7
    assert text.count("  # -> ") >= 10


@pytest.mark.parametrize("part", ["examples/burgers.py", "-m pytest"])
def test_each_command_stands_once_on_one_line_and_sets_up_what_it_needs(part):
    lines = [line for line in README.read_text("utf-8").split("\n") if part in line and "python3 -m venv" in line]
    assert len(lines) == 1
    assert lines[0].startswith('python3 -m venv .venv && .venv/bin/pip install -q -e ".[')
