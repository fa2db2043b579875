"""Every row of the table of operations, compiled: values in every dtype that the row takes, and first derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.compiler.native import NativeProgram
from scisim.core.avals import aval
from scisim.core.axes import ELEMENTWISE
from scisim.core.capture import capture
from scisim.core.errors import ScisimError
from scisim.core.tensor import Tensor, unwrap, wrap
from tests.compiler.running_bounds import bounded, check
from tests.rules.cases import Case
from tests.rules.table import NATIVE
from tests.rules.test_rules import along, direction, smooth

# What runs in Python, between native segments; of matrix products those of complex numbers, integers and halves.
HOST_STEPS = {
    *(
        "fft",
        "rfft",
        "irfft",
        "dct",
        "dst",
        "solve",
        "inv",
        "det",
        "argsort",
        "searchsorted",
        "scatter",
        "winners",
        "gather",
    ),
    *("random_bits", "random_split", "random_fold_in", "random_permutation", "print", "order", "outside"),
    *("uniform_from_bits", "normal_from_bits", "integers_from_bits", "cumulative_sum", "argmax", "argmin"),
    *("sort", "sinc_derivative", "collect", "matmul", "zmatmul", "prod", "nextafter", "cumulative_prod", "isin"),
    *("dct", "dst", "frames", "overlap_add"),
    *("nufft1", "nufft2", "nufft1_linear", "nufft2_linear", "nufft3_linear"),
}
REAL: dict[str, Any] = {
    "float64": np.float64,
    "float32": np.float32,
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "int64": np.int64,
    "int32": np.int32,
    "uint8": np.uint8,
    "bool": np.bool_,
}
COMPLEX = {"float64": np.complex128, "float32": np.complex64}


UNCHECKED = tuple(f"{name} primitive" for name in ("det", "solve", "fft", "rfft", "irfft", "norm"))


def converted(x: Any, name: str) -> np.ndarray:
    """An operand of floating point in another dtype; others stay."""
    x = np.asarray(x)
    if x.dtype.kind not in "fc":
        return x
    dtype = np.dtype((COMPLEX if x.dtype.kind == "c" else REAL)[name])
    return (4 * x if dtype.kind in "iu" else x).astype(dtype)


def takes(case: Case, name: str) -> bool:
    """Whether a row is tried in a dtype: primitives that are called past the checks of their functions in their own."""
    if any(np.size(x) == 0 for x in case.operands):
        return False  # there is nothing to compile
    kinds = {np.asarray(x).dtype.kind for x in case.operands} & set("fc")
    if name in COMPLEX:
        return name == "float64" or bool(kinds)
    return kinds == {"f"} and not case.name.startswith(UNCHECKED)


def compiled(f: Callable, xs: Sequence[Any]) -> Any:
    """The function's results by a native program, whose host steps are known ones."""
    jitted, args = ss.jit(lambda *args: list(f(*args))), [Tensor(x) for x in xs]
    got = jitted(*args)
    (program,) = jitted.programs.values()
    assert isinstance(program.run, NativeProgram)
    hosts = {h.step.equation.prim.name for h in program.run.hosts}
    assert hosts <= HOST_STEPS, hosts - HOST_STEPS
    return got


def graph_of(f: Callable, xs: Sequence[Any]) -> Any:
    return capture(lambda *vals: [unwrap(y) for y in f(*map(wrap, vals))], list(map(aval, xs)))


def compare(f: Callable, xs: Sequence[Any]) -> None:
    want = bounded(graph_of(f, xs), xs)
    for k, (y, w) in enumerate(zip(compiled(f, xs), want, strict=True)):
        check(y, w, f"result {k}")
    before = ss.compiler.stats()
    compiled(f, xs)
    assert ss.compiler.stats().kernels == before.kernels  # nothing is compiled twice


def refused(case: Case, xs: Sequence[Any]) -> bool:
    """Whether the operation is not defined for such operands."""
    try:
        with np.errstate(all="ignore"):
            case.outputs(*map(Tensor, xs))
    except (ScisimError, TypeError, ValueError):
        return True
    return False


def row(case: Case, dtype: str, usual: Sequence[str]) -> Any:
    marks = () if dtype in usual else pytest.mark.slow
    return pytest.param(case, dtype, id=f"{case.name}-{dtype}", marks=marks)


# Double precision is in tests/rules as well.
USUAL = ("float32", "float16", "int64", "bool")
ROWS = [row(c, d, USUAL) for c in NATIVE for d in REAL if not c.concrete and takes(c, d)]
SMOOTH = [row(c, d, ("float64",)) for c in NATIVE for d in COMPLEX if not c.concrete and takes(c, d) and smooth(c)]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("case", "dtype"), ROWS)
def test_values(case, dtype):
    xs = [converted(x, dtype) for x in case.operands]
    if refused(case, xs):
        assert dtype not in COMPLEX
        return
    compare(case.outputs, xs)


@pytest.mark.parametrize(("case", "dtype"), SMOOTH)
def test_first_derivatives(case, dtype):
    f, xs, vs = along(case)
    xs, vs = ([converted(x, dtype) for x in group] for group in (xs, vs))

    def both(*args: Any) -> list:
        y, dy = ad.jvp(f, args, tuple(map(Tensor, vs)))
        out = [*y, *dy]
        if case.reverse_captured:
            value, pullback = ad.vjp(f, *args)
            cts = [direction(np.zeros(w.shape, w.dtype), 7 + k).astype(w.dtype) for k, w in enumerate(value)]
            out += pullback(tuple(map(Tensor, cts)))
        return out

    compare(both, xs)


def test_elementwise_operations_are_native():
    """None of them is a host step, but those without an expression."""
    bare = {case.prim.name for case in NATIVE if case.prim is not None and case.prim.axes is ELEMENTWISE}
    assert bare & HOST_STEPS == {"sinc_derivative", "collect", "nextafter"}
