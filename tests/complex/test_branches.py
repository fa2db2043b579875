"""46 complex functions at 60 points: cuts from both sides, zeros, infinities, nan and both ends of the range.

Values at finite numbers are mpmath's, within a few units of the last place (of each part, or of the modulus, as the
table says); those at infinities, nan and poles are those of Annex G of the C standard for what it names.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from mpmath import mp

import scisim as ss
from tests.complex.annex_g import Open
from tests.complex.branch_points import errors, exact, points
from tests.complex.complex_table import TABLE, Function, Part, finite, quotient

DTYPES = [np.complex128, np.complex64]
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def run(call: Any, compiled: bool, *operands: np.ndarray) -> np.ndarray:
    call = ss.jit(call) if compiled else call
    return np.asarray(call(*map(ss.asarray, operands)))


def agrees(got: float, wanted: Part, dtype: Any) -> bool:
    """Whether a part is the special value, with its sign unless that is left open."""
    if isinstance(wanted, Open):
        return agrees(abs(got), wanted.size, dtype)
    info = np.finfo(dtype)
    wanted = float(info.dtype.type(wanted))
    if math.isnan(wanted):
        return math.isnan(got)
    same = got == wanted if math.isinf(wanted) else abs(got - wanted) <= 4 * info.eps * abs(wanted)
    return same and math.copysign(1.0, got) == math.copysign(1.0, wanted)


def check(f: Function, z: complex, got: complex, dtype: Any) -> None:
    special = f.special(z)
    if special is not None:
        assert all(agrees(g, s, dtype) for g, s in zip((got.real, got.imag), special, strict=True)), (z, got, special)
    elif finite(z):
        wanted = exact(f.exact, z)
        error = errors(got, wanted, dtype, f.parts, f.signs)
        assert error <= f.units(z), (z, got, [mp.nstr(w, 8) for w in wanted], error)


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", TABLE)
def test_values(name, dtype, compiled):
    zs = points(dtype)
    found = run(TABLE[name].call, compiled, np.array(zs, dtype))
    assert found.dtype in (dtype, np.finfo(dtype).dtype)
    for z, got in zip(zs, found.tolist(), strict=True):
        check(TABLE[name], z, complex(got), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_quotients_of_all_pairs(dtype):
    """60 times 60 quotients: exact ones within 4 units of the modulus, C's at zeros and infinities."""
    zs = points(dtype)
    pairs = [(a, b) for a in zs for b in zs]
    columns = [np.array(column, dtype) for column in zip(*pairs, strict=True)]
    for compiled in (False, True):
        found = run(lambda a, b: a / b, compiled, *columns).tolist()
        for (a, b), got in zip(pairs, found, strict=True):
            check_quotient(a, b, got, dtype)


def check_quotient(a: complex, b: complex, got: complex, dtype: Any) -> None:
    special = quotient(a, b)
    if special is not None:
        assert all(agrees(g, s, dtype) for g, s in zip((got.real, got.imag), special, strict=True)), (a, b, got)
    else:
        with mp.workprec(4400):
            wanted = mp.mpc(a) / mp.mpc(b)
        assert errors(got, (wanted.real, wanted.imag), dtype, parts=False, signs=False) <= 4, (a, b, got)


@pytest.mark.parametrize("name", TABLE)
def test_compiled_is_eager_at_special_points(name):
    """nan and infinities of compiled programs, also where the standard has none, and the signs of zeros."""
    f = TABLE[name]
    zs = points(np.complex128)
    a, b = (run(f.call, compiled, np.array(zs)) for compiled in (False, True))
    for z, x, y in zip(zs, a.tolist(), b.tolist(), strict=True):
        open_power = name == "w**z" and math.isnan(z.real + z.imag)  # exp of infinity beside nan, or nan
        if not finite(z) and f.special(z) is None and not open_power:
            for p, q in ((complex(x).real, complex(y).real), (complex(x).imag, complex(y).imag)):
                assert (math.isnan(p) and math.isnan(q)) or p == q or abs(p - q) <= 1e-14 * abs(p), (z, x, y)


def anywhere(dtype: Any, count: int = 24) -> np.ndarray:
    """Random numbers: of every direction, next to the unit circle and to -1, of sizes from 1e-12 to 100."""
    rng = np.random.default_rng(5)
    turns = np.exp(1j * rng.uniform(-np.pi, np.pi, (4, count)))
    sizes = 10 ** rng.uniform((-12, -12, -1, -12), (2, -1, 1, 0), (count, 4)).T
    numbers = [sizes[0] * turns[0], (1 + sizes[1]) * turns[1], sizes[2] * turns[2], sizes[3] * turns[3] - 1]
    return np.concatenate(numbers).astype(dtype)


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", TABLE)
def test_random_numbers(name, dtype, compiled):
    f, zs = TABLE[name], anywhere(dtype)
    for z, got in zip(zs.tolist(), run(f.call, compiled, zs).tolist(), strict=True):
        error = errors(complex(got), exact(f.exact, z), dtype, parts=False, signs=False)
        assert error <= f.units(z), (z, got, error)
