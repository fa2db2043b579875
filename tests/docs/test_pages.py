"""The pages of docs/: every block of Python runs as it stands, and tables of measured conventions are up to date."""

import doctest
import importlib.util
import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = [page for page in sorted((ROOT / "docs").rglob("*.md")) if "\n>>> " in page.read_text("utf-8")]
FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_every_block_runs(page):
    """Blocks follow one another, as a reader would type them."""
    text = page.read_text("utf-8")
    parser, names = doctest.DocTestParser(), {}
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    told = []
    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start(1))
        test = parser.get_doctest(block[1], names, page.name, str(page), line)
        assert test.examples, f"{page.name}, line {line + 1}: a block without an example"
        runner.run(test, out=told.append, clear_globs=False)
        names.update(test.globs)
    assert not runner.failures, "".join(told)


def test_the_page_on_complex_numbers_is_one():
    assert "complex" in [page.stem for page in PAGES]
    assert len(BLOCK.findall((ROOT / "docs/complex.md").read_text("utf-8"))) >= 15


def script():
    """The script that measures conventions, as a module."""
    path = ROOT / "benchmarks/peers/complex_conventions.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def rows_of_the_table(text):
    """Rows by their first cell; a bar within a cell is escaped."""
    rows = [re.split(r"(?<!\\) ?\| ?", line)[1:-1] for line in text.splitlines() if line.startswith("| ")]
    return {row[0]: row[1:] for row in rows}


@pytest.mark.parametrize(("place", "name"), [(0, "numpy"), (1, "scisim")])
def test_the_table_of_conventions_says_what_is(place, name):
    conventions = script()
    table = rows_of_the_table((ROOT / "docs/complex.md").read_text("utf-8"))
    for (what, _), (answer, _) in zip(conventions.ROWS, conventions.column(name), strict=True):
        assert table[what][place] == answer, what


def test_refusals_of_the_table_name_the_way_out():
    conventions = script()
    told = {what: error for (what, _), (_, error) in zip(conventions.ROWS, conventions.column("scisim"), strict=True)}
    assert told["grad of z² at 1+i"].startswith("DTypeError: grad: <lambda> must return one real number")
    assert "is not holomorphic: it takes complex conjugates" in told["holomorphic derivative of z z* at 1+i"]
