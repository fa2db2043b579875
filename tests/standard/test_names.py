"""Names, signatures, constants, attributes and inspection."""

from __future__ import annotations

import inspect
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scisim as ss
from scisim.core.errors import ArgumentError, ScisimError
from tests.standard import signatures as facts

Parameter = inspect.Parameter
NAMED = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
SKIPS = Path(__file__).with_name("skips.txt")


def signature_of(text: str) -> inspect.Signature:
    """The signature that a fact writes down."""
    space: dict[str, Any] = {}
    exec(f"def f{text}: ...", space)
    return inspect.signature(space["f"])


def check(f: Any, text: str, strict: bool = True) -> None:
    """Every call that the standard allows is one of ours: places, names and defaults."""
    wanted, ours = signature_of(text), inspect.signature(f)
    have, used = list(ours.parameters.values()), set()
    for k, p in enumerate(wanted.parameters.values()):
        if p.kind is Parameter.VAR_POSITIONAL:
            assert have[k].kind is p.kind
            continue
        mine = ours.parameters.get(p.name) if p.kind in NAMED else have[k]
        used.add(mine and mine.name)
        assert mine is not None, p.name
        if p.kind is Parameter.KEYWORD_ONLY:
            assert mine.kind in NAMED, p.name
        elif p.kind is Parameter.POSITIONAL_OR_KEYWORD:
            assert have[k] is mine, p.name
            assert mine.kind is p.kind, p.name
        elif strict:
            assert mine.kind is p.kind, f"{p.name} can be given by a name that is not the standard's"
        if p.default is not Parameter.empty:
            assert mine.default == p.default, p.name
    more = [p for p in have if p.name not in used and p.kind in NAMED]
    assert all(p.default is not Parameter.empty for p in more)


def table(functions: dict[str, str]) -> Any:
    return pytest.mark.parametrize(("name", "text"), functions.items(), ids=list(functions))


@table(facts.MAIN)
def test_main_functions(name, text):
    check(getattr(ss, name), text)


@table(facts.LINALG)
def test_linalg_functions(name, text):
    check(getattr(ss.linalg, name), text, strict=False)  # whose operands have names in NumPy and SciPy


@table(facts.FFT)
def test_fft_functions(name, text):
    check(getattr(ss.fft, name), text)


@table(facts.INFO)
def test_inspection_functions(name, text):
    check(getattr(ss.__array_namespace_info__(), name), text)


@table(facts.ARRAY)
def test_methods_of_arrays(name, text):
    method = getattr(ss.asarray([1, 2]), name)
    count = len(inspect.signature(method).parameters)
    if name in ("__array_namespace__", "__dlpack__", "to_device"):
        check(method, text)
    else:
        assert count == len(signature_of(text).parameters)


def test_attributes_and_constants():
    x = ss.ones((2, 3))
    assert all(hasattr(x, name) for name in facts.ATTRIBUTES)
    assert (x.ndim, x.shape, x.size, x.T.shape, x.mT.shape) == (2, (2, 3), 6, (3, 2), (3, 2))
    assert (ss.e, ss.pi, ss.inf, ss.newaxis) == (math.e, math.pi, math.inf, None)
    assert math.isnan(ss.nan)
    assert all(getattr(ss, name) == np.dtype(name) for name in facts.DTYPES)


def test_namespace_and_version():
    x = ss.ones(2)
    assert ss.__array_api_version__ == "2025.12"
    assert x.__array_namespace__() is x.__array_namespace__(api_version="2025.12") is ss
    with pytest.raises(ArgumentError, match=r"version '1\.0' is not one of"):
        x.__array_namespace__(api_version="1.0")


def test_inspection_answers():
    info = ss.__array_namespace_info__()
    assert info.capabilities() == {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}
    assert info.default_device() in info.devices()
    assert info.default_dtypes() == {
        "real floating": ss.zeros(1).dtype,
        "complex floating": ss.asarray(1j).dtype,
        "integral": ss.asarray(1).dtype,
        "indexing": ss.argsort([1]).dtype,
    }
    assert set(info.dtypes()) == set(facts.DTYPES)
    for kind in ("bool", "signed integer", "unsigned integer", "real floating", "complex floating", "integral"):
        assert all(ss.isdtype(dtype, kind) for dtype in info.dtypes(kind=kind, device="cpu").values())
    assert set(info.dtypes(kind=("bool", "real floating"))) == {"bool", "float32", "float64"}
    with pytest.raises(ArgumentError, match="kind is 'real'"):
        info.dtypes(kind="real")
    with pytest.raises(ScisimError, match="default_dtypes"):
        info.default_dtypes(device="abacus")


def test_skip_list_is_short_and_cites_the_standard():
    """At most 27 tests of the suite are left out, each group below a passage that allows it."""
    lines = SKIPS.read_text(encoding="utf-8").splitlines()
    entries = [line for line in lines if line.startswith("array_api_tests")]
    assert 0 < len(entries) <= 27
    assert len(set(entries)) == len(entries)
    cited = False
    for before, line in zip(["", *lines], lines, strict=False):
        if line.startswith("array_api_tests"):
            cited = cited or before.startswith("#")
            assert cited, f"no citation above {line}"
        elif not line:
            cited = False
