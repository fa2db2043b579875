"""Fixtures of the tests of rewrites."""

from typing import Any

import numpy as np
import pytest

from tests.compiler.passes.checks import SPECIAL, Rewritten


@pytest.fixture
def rewritten() -> Any:
    """``rewritten(f, *args)``: exact unless told otherwise, to the sign of a zero with ``signs``."""

    def make(f: Any, *args: Any, exact: bool = True, signs: bool = False, size: int = 64) -> Rewritten:
        return Rewritten(f, args, exact, signs, size)

    return make


@pytest.fixture(params=["float32", "float64", "float16"])
def real(request: Any) -> np.dtype:
    return np.dtype(request.param)


@pytest.fixture(params=["float32", "float64", "complex128", "int64", "int32"])
def kind(request: Any) -> np.dtype:
    return np.dtype(request.param)


@pytest.fixture
def special(real: Any) -> np.ndarray:
    """Numbers at which identities of arithmetic fail."""
    return np.array(SPECIAL, real)
