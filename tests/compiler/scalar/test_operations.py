"""Each operation of the scalar representation, on every dtype and width of vectors, against NumPy."""

import numpy as np
import pytest

from scisim.compiler.cpu import target as targets
from scisim.compiler.scalar.ir import FLOATS, INTEGERS, rare
from scisim.compiler.scalar.namespace import Scalars

UNARY = {"neg": np.negative, "abs": np.abs}
ROUNDING = {"sqrt": np.sqrt, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "rint": np.rint}
BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}


def kinds():
    """Targets that run here, with a number of vectors at once; 0 stands for single numbers."""
    host = targets.host()
    found = [(host, 1), (host, 2), (host, 0)]
    return found + ([(targets.avx2(), 1)] if host.vector_bits == 512 else [])


@pytest.fixture(params=kinds(), ids=lambda kind: f"{kind[0].vector_bits}x{kind[1]}")
def compute(request, run):
    target, vectors = request.param
    return lambda f, arrays: run(f, arrays, target, max(1, vectors * target.lanes(arrays[0].dtype.name)))


def sample(dtype, seed):
    """Numbers with the extreme ones among them."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, 128).astype(bool)
    if dtype in FLOATS:
        special = [0.0, -0.0, np.nan, np.inf, -np.inf, 0.5, -0.5, 1.5, 2.5]
        return rng.permutation(np.concatenate([rng.normal(size=119) * 50, special]).astype(dtype))
    info = np.iinfo(dtype)
    x = rng.integers(info.min, info.max, 128, dtype=dtype, endpoint=True)
    x[:30], x[30:45], x[45:60] = rng.integers(0, 10, 30), info.max, info.min
    x[60:70] = np.array(-1).astype(dtype)
    return rng.permutation(x)


def same(found, wanted, what):
    np.testing.assert_array_equal(found, wanted, err_msg=str(what))
    assert found.dtype == wanted.dtype, what


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
def test_arithmetic(dtype, compute):
    x, y = sample(dtype, 1), sample(dtype, 2)
    unary = {**UNARY, **(ROUNDING if dtype in FLOATS else {})}
    found = compute(
        lambda b, p, q: [b.op(n, p) for n in unary] + [b.op(n, p, q) for n in BINARY],
        [x, y],
    )
    with np.errstate(all="ignore"):
        wanted = [f(x) for f in unary.values()] + [f(x, y) for f in BINARY.values()]
    for name, a, b in zip([*unary, *BINARY], found, wanted, strict=True):
        same(a, b, (name, dtype))


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_alone(dtype, compute):
    x, y, z = (sample(dtype, seed) for seed in (1, 2, 3))
    fused, signed, quotient = compute(
        lambda b, p, q, r: [b.op("fma", p, q, r), b.op("copysign", p, q), b.op("div", p, q)], [x, y, z]
    )
    with np.errstate(all="ignore"):
        same(signed, np.copysign(x, y), "copysign")
        same(quotient, x / y, "div")
        exact = (x.astype(np.longdouble) * y + z).astype(dtype)
    usual = np.isfinite(exact)
    assert np.isfinite(fused[usual]).all()
    # Rounded once: at most half a unit from the exact value, and half a unit of that as a longer number is rounded.
    assert (np.abs(fused[usual] - exact[usual]) <= np.spacing(np.abs(exact[usual]))).all()


@pytest.mark.parametrize("dtype", INTEGERS)
def test_division_of_integers_never_stops_the_program(dtype, compute):
    x, y = sample(dtype, 1), sample(dtype, 2)
    x[:3], y[:3] = np.iinfo(dtype).min, [0, np.array(-1).astype(dtype), 1]
    quotient, rest = compute(lambda b, p, q: [b.op("div", p, q), b.op("rem", p, q)], [x, y])
    for a, b, q, r in zip(x.tolist(), y.tolist(), quotient.tolist(), rest.tolist(), strict=True):
        wanted = 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        assert q == int(np.array(wanted & (2 ** INTEGERS[dtype] - 1), f"uint{INTEGERS[dtype]}").astype(dtype)), (a, b)
        assert r == (0 if b == 0 else a - wanted * b), (a, b)


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS])
def test_bits(dtype, compute):
    x, y = sample(dtype, 1), sample(dtype, 2)
    found = compute(lambda b, p, q: [b.op("and", p, q), b.op("or", p, q), b.op("xor", p, q), b.op("not", p)], [x, y])
    for a, b in zip(found, [x & y, x | y, x ^ y, ~x], strict=True):
        same(a, b, dtype)


def test_conversions(compute):
    dtypes = [*FLOATS, *INTEGERS, "bool"]
    for from_ in dtypes:
        x = sample(from_, 1)
        if from_ in FLOATS:
            x = np.where(np.isfinite(x), x, 3).astype(from_)
        for group in (["bool", *FLOATS, "int16", "int32", "int64"], ["int8"], [d for d in dtypes if d[0] == "u"]):
            if from_ in FLOATS:
                x = np.clip(x, -128, 127) if group == ["int8"] else np.abs(x) if group[0][0] == "u" else x
            found = compute(lambda b, p, group=group: [b.op("cast", p, dtype=d) for d in group], [x])
            for to, y in zip(group, found, strict=True):
                same(y, x.astype(to), (from_, to))


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_conversions_of_large_integers(dtype, compute):
    rng = np.random.default_rng(4)
    x = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, 200, dtype=dtype) >> rng.integers(0, 60, 200).astype(
        dtype
    )
    (y,) = compute(lambda b, p: [b.op("cast", p, dtype="float64")], [x])
    same(y, x.astype(float), dtype)
    z = np.ldexp(rng.uniform(0.5, 1, 200), rng.integers(0, 63, 200)) * (
        rng.choice([-1, 1], 200) if dtype[0] == "i" else 1
    )
    (y,) = compute(lambda b, p: [b.op("cast", p, dtype=dtype)], [z])
    same(y, z.astype(dtype), dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_exponents(dtype, compute):
    rng, info = np.random.default_rng(5), np.finfo(dtype)
    n = np.floor(rng.uniform(info.minexp * 1.07, info.maxexp * 1.05, 200)).astype(dtype)
    m = rng.uniform(0.5, 2, 200).astype(dtype)
    m[:4] = [0, -0.0, np.inf, np.nan]
    with np.errstate(all="ignore"):
        x = np.ldexp(m, n.astype(int))
        x[4:9] = [info.max, info.tiny, info.smallest_subnormal, -1, -np.inf]
    scaled, exponent, mantissa = compute(
        lambda b, m, n, x: [b.op("scale", m, n), b.op("exponent", x), b.op("mantissa", x)], [m, n, x]
    )
    with np.errstate(all="ignore"):
        same(scaled, np.ldexp(m, n.astype(int)), "scale")
    usual = (x > 0) & (x < np.inf)
    fraction, power = np.frexp(x[usual])
    below = fraction < 0.75
    same(mantissa[usual], np.where(below, 2 * fraction, fraction), "mantissa")
    same(exponent[usual], (power - below).astype(dtype), "exponent")
    assert (exponent[x == 0] == -np.inf).all()
    assert (exponent[x == np.inf] == np.inf).all()
    assert np.isfinite(mantissa[(x == 0) | (x == np.inf)]).all()
    assert np.isnan(exponent + mantissa)[(x < 0) | np.isnan(x)].all()


@rare
def forty_two_times(x, y):
    """For the test of what runs seldom."""
    return x * y * 42.0


def test_code_that_seldom_runs(compute):
    for x in (np.linspace(-2, 2, 128), np.linspace(-2, 0, 128)):
        (y,) = compute(lambda b, p: [b.rarely(p > 1.0, p + 1.0, forty_two_times, p, -p)], [x])
        same(y, np.where(x > 1, x * -x * 42, x + 1), "rarely")


SQUARES = tuple(k * k for k in range(-8, 8))


@rare
def square_from_table(n):
    return n.builder.lookup(n & 15, SQUARES)


def test_tables(compute):
    x = np.arange(64)
    (y,) = compute(lambda b, n: [b.rarely(n >= 0, n, square_from_table, n)], [x])
    same(y, np.array(SQUARES)[x & 15], "lookup")


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_of_the_namespace_are_numpys(dtype, compute):
    x, y = sample(dtype, 1), sample(dtype, 2)
    y[y == 0] = 3
    y[(x == np.iinfo(dtype).min) & (y == np.array(-1).astype(dtype))] = 1
    bits = INTEGERS[dtype]
    count = (np.arange(128) % bits).astype(dtype)
    power = (np.arange(128) % 9).astype(dtype)

    def expressions(b, p, q, c, n):
        s = Scalars(b, dtype)
        return [s.floor_divide(p, q), s.rem(p, q), s.left_shift(p, c), s.right_shift(p, c), s.pow(p, n), s.sign(p)]

    found = compute(expressions, [x, y, count, power])
    wanted = [x // y, x % y, x << count, x >> count, x**power, np.sign(x)]
    for k, (a, b) in enumerate(zip(found, wanted, strict=True)):
        same(a, b, (k, dtype))


def test_shifts_beyond_the_width(compute):
    x, count = np.array([5, -5, 5, -5, 1, -1] * 4, np.int32), np.array([32, 32, -1, 40, 31, 31] * 4, np.int32)
    left, right = compute(
        lambda b, p, c: [(s := Scalars(b, "int32")).left_shift(p, c), s.right_shift(p, c)], [x, count]
    )
    same(left, np.left_shift(x, count), "left")
    same(right, np.right_shift(x, count), "right")


def test_bools_of_the_namespace_are_numpys(compute):
    x, y = sample("bool", 1), sample("bool", 2)
    functions = {
        "add": np.add,
        "mul": np.multiply,
        "max": np.maximum,
        "min": np.minimum,
        "lt": np.less,
        "le": np.less_equal,
        "gt": np.greater,
        "ge": np.greater_equal,
        "eq": np.equal,
        "ne": np.not_equal,
        "logical_and": np.logical_and,
        "logical_or": np.logical_or,
        "logical_xor": np.logical_xor,
        "bitwise_and": np.bitwise_and,
        "bitwise_or": np.bitwise_or,
        "bitwise_xor": np.bitwise_xor,
    }
    found = compute(lambda b, p, q: [getattr(Scalars(b, "bool"), n)(p, q) for n in functions], [x, y])
    for (name, f), a in zip(functions.items(), found, strict=True):
        same(a, f(x, y), name)


def test_remainders_of_floats_are_numpys(compute):
    rng = np.random.default_rng(6)
    sizes = [np.exp2(rng.uniform(-1070, 1023, 100)), np.exp2(rng.uniform(-4, 4, 100)), np.arange(1.0, 101.0)]
    x = np.concatenate(sizes) * rng.choice([-1, 1], 300)
    y = rng.permutation(x)
    special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 5e-324, 1e308])
    x, y = (np.concatenate([v, w.ravel()]) for v, w in zip((x, y), np.meshgrid(special, special), strict=True))
    rest, quotient = compute(lambda b, p, q: [(s := Scalars(b, "float64")).rem(p, q), s.floor_divide(p, q)], [x, y])
    with np.errstate(all="ignore"):
        for a, b in ((rest, np.remainder(x, y)), (quotient, np.floor_divide(x, y))):
            same(a, b, "remainder")
            numbers = ~np.isnan(b)
            assert np.array_equal(np.signbit(a[numbers]), np.signbit(b[numbers]))


def test_predicates_and_choices(compute):
    x, y = sample("float64", 1), sample("float64", 2)

    def expressions(b, p, q):
        s = Scalars(b, "float64")
        tests = [s.isnan(p), s.isinf(p), s.isfinite(p), s.signbit(p), s.either(s.lt(p, 0), s.gt(q, 1))]
        return [*tests, s.select(s.lt(p, q), p, 0.25), s.select(p, 1, q), s.sign(p), s.round(p), s.logical_not(p)]

    found = compute(expressions, [x, y])
    with np.errstate(all="ignore"):
        tests = [np.isnan(x), np.isinf(x), np.isfinite(x), np.signbit(x), (x < 0) | (y > 1)]
        values = [np.where(x < y, x, 0.25), np.where(x != 0, 1, y), np.sign(x), np.round(x), np.logical_not(x)]
    for k, (a, b) in enumerate(zip(found, tests + values, strict=True)):
        same(a, b, k)
