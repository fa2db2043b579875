"""What scientific code uses beyond the Array API, beside NumPy and SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.integrate
import scipy.signal

import scisim as ss

Case = tuple[str, Callable, Callable | None, tuple]
# name: arguments after the arrays, the same for both.
ONE: dict[str, tuple] = {
    **dict.fromkeys(
        ("fabs", "deg2rad", "rad2deg", "modf", "frexp", "nan_to_num", "isposinf", "ravel", "transpose"), ()
    ),
    **dict.fromkeys(
        ("median", "ptp", "average", "gradient", "unwrap", "cumsum", "cumprod", "trapezoid", "ediff1d"), ()
    ),
    **dict.fromkeys(("nansum", "nanprod", "nanmean", "nanmax", "nanmin", "nanstd", "nancumsum", "nanmedian"), ()),
    **dict.fromkeys(("flipud", "diagflat", "atleast_2d", "flatnonzero", "argwhere", "nanargmax", "polyder"), ()),
    "around": (2,),
    "quantile": (0.3,),
    "percentile": ([10.0, 50.0, 90.0],),
    "nanquantile": (0.3,),
    "histogram": (20,),
    "partition": (5,),
    "vander": (4,),
    "array_split": (3,),
    "resize": ((7, 11),),
    "insert": (3, 1.5),
    "delete": (3,),
    "rollaxis": (0,),
    "ldexp": (3,),
}
TWO = {
    **dict.fromkeys(("fmax", "fmin", "fmod", "heaviside", "logaddexp2", "float_power", "divmod", "dot", "inner"), ()),
    **dict.fromkeys(("vdot", "append", "array_equal", "polyadd", "polymul"), ()),
}
ONCE: dict[str, tuple] = {  # of no arrays, or of a few numbers
    "tri": (30,),
    "indices": ((10, 10),),
    "tril_indices": (20,),
    "hanning": (100,),
    "blackman": (100,),
    "geomspace": (1.0, 100.0, 50),
    "logspace": (0.0, 2.0, 50),
    "unravel_index": (17, (5, 6)),
    "identity": (20,),
}
STACKS = ("hstack", "vstack", "dstack", "column_stack")


def _same(name: str, arrays: tuple, arguments: tuple = (), tag: str = "") -> Case:
    ours, theirs = getattr(ss, name), getattr(np, name)
    return (f"everyday.{name}{tag}", lambda *xs: ours(*xs, *arguments), lambda *xs: theirs(*xs, *arguments), arrays)


def _cases(n: int) -> list[Case]:
    rng = np.random.default_rng(n)
    x, y, m = rng.normal(size=n), np.abs(rng.normal(size=n)) + 0.1, rng.normal(size=(n // 10, 10))
    tag = f" {n}"
    xp, short = np.linspace(-3.0, 3.0, 50), rng.normal(size=20)
    ids = rng.integers(0, 20, n)
    cases = [
        _same(name, (y if name in ("cumprod", "vander") else x,), args, tag)
        for name, args in ONE.items()
        if n < 2000 or name not in ("diagflat", "vander")
    ]
    cases += [
        _same(name, (y, y[::-1].copy()), args, tag) for name, args in TWO.items() if n < 2000 or "poly" not in name
    ]
    cases += [
        _same(name, (m,), args, tag)
        for name, args in {
            "swapaxes": (0, 1),
            "rot90": (),
            "fliplr": (),
            "cov": (),
            "corrcoef": (),
            "median": (0,),
            "gradient": (),
            "nanmean": (1,),
            "nanvar": (0,),
        }.items()
    ]

    def case(name: str, ours: Callable, theirs: Callable, *arrays: Any) -> None:
        cases.append((f"everyday.{name}{tag}", ours, theirs, arrays))

    for name in STACKS:
        ours, theirs = getattr(ss, name), getattr(np, name)
        case(name, lambda a, b, f=ours: f([a, b]), lambda a, b, f=theirs: f([a, b]), x, y)
    case("interp", lambda x: ss.interp(x, xp, xp), lambda x: np.interp(x, xp, xp), x)
    case("convolve", lambda a, v: ss.convolve(a, v), np.convolve, x, short)
    case("convolve same", lambda a, v: ss.convolve(a, v, "same"), lambda a, v: np.convolve(a, v, "same"), x, short)
    case("correlate", lambda a, v: ss.correlate(a, v), np.correlate, x, short)
    case("convolve 2d", ss.convolve, scipy.signal.convolve, m, m[:3, :3].copy())
    case("digitize", lambda x: ss.digitize(x, xp), lambda x: np.digitize(x, xp), x)
    case("bincount", lambda i, w: ss.bincount(i, w), lambda i, w: np.bincount(i, w), ids, x)
    case("segment_sum", lambda x, i: ss.segment_sum(x, i, 20), _segment_sum, x, ids)
    case("cummax", ss.cummax, np.maximum.accumulate, x)
    case("select", lambda x: ss.select([x < 0, x > 1], [x, -x]), lambda x: np.select([x < 0, x > 1], [x, -x]), x)
    case("pad", lambda x: ss.pad(x, 3), lambda x: np.pad(x, 3), x)
    case("pad reflect", lambda x: ss.pad(x, 3, "reflect"), lambda x: np.pad(x, 3, "reflect"), x)
    case("topk", lambda x: ss.topk(x, 5), _topk, x)
    case("polyval", lambda x: ss.polyval(short[:5], x), lambda x: np.polyval(short[:5], x), x)
    case("polyfit", lambda x, y: ss.polyfit(x, y, 3), lambda x, y: np.polyfit(x, y, 3), x, y)
    case("put_along_axis", lambda m: ss.put_along_axis(m, m.argmax(1, keepdims=True), 0.0, axis=1), _put, m)
    case("cumulative_trapezoid", ss.cumulative_trapezoid, scipy.integrate.cumulative_trapezoid, x)
    case("histogram2d", lambda x, y: ss.histogram2d(x, y)[0], lambda x, y: np.histogram2d(x, y)[0], x, y)
    case("apply_along_axis", _along(ss), _along(np), m)
    case("vectorize", ss.vectorize(lambda v: v * v + 1.0), np.vectorize(lambda v: v * v + 1.0), x)
    case(
        "piecewise",
        lambda x: ss.piecewise(x, [x < 0], [_negative, _square]),
        lambda x: np.piecewise(x, [x < 0], [_negative, _square]),
        x,
    )
    case("block", lambda a, b: ss.block([[a, b], [b, a]]), lambda a, b: np.block([[a, b], [b, a]]), m, m)
    case("compress", lambda x: ss.compress(x > 0, x), lambda x: np.compress(x > 0, x), x)
    case("extract", lambda x: ss.extract(x > 0, x), lambda x: np.extract(x > 0, x), x)
    case("choose", lambda x, y: ss.choose(x > 0, [x, y]), lambda x, y: np.choose(x > 0, [x, y]), x, y)
    case("lexsort", lambda x, y: ss.lexsort((x, y)), lambda x, y: np.lexsort((x, y)), x, y)
    case("average weights", lambda x, y: ss.average(x, weights=y), lambda x, y: np.average(x, weights=y), x, y)
    case("pad mean", lambda m: ss.pad(m, 2, "mean"), lambda m: np.pad(m, 2, "mean"), m)
    case("pad symmetric odd", _odd(ss), _odd(np), m)
    case("index_add", lambda x, i: ss.index_add(x, i, 1.0), _index_add, x, ids)
    case("fill_diagonal", lambda m: ss.fill_diagonal(m, 0.0), _fill, m)
    case("trim_zeros", ss.trim_zeros, np.trim_zeros, x)
    case("histogramdd", lambda m: ss.histogramdd(m[:, :3], 5)[0], lambda m: np.histogramdd(m[:, :3], 5)[0], m)
    return cases


def _along(xp: Any) -> Callable:
    return lambda m: xp.apply_along_axis(lambda v: v / xp.sum(v), 1, m)


def _odd(xp: Any) -> Callable:
    return lambda m: xp.pad(m, 2, "symmetric", reflect_type="odd")


def _negative(x: Any) -> Any:
    return -x


def _square(x: Any) -> Any:
    return x * x


def _index_add(x: np.ndarray, i: np.ndarray) -> np.ndarray:
    y = x.copy()
    np.add.at(y, i, 1.0)
    return y


def _fill(m: np.ndarray) -> np.ndarray:
    y = m.copy()
    np.fill_diagonal(y, 0.0)
    return y


def _segment_sum(x: np.ndarray, ids: np.ndarray) -> np.ndarray:
    y = np.zeros(20)
    np.add.at(y, ids, x)
    return y


def _topk(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    at = np.argpartition(x, -5)[-5:]
    at = at[np.argsort(-x[at])]
    return x[at], at


def _put(m: np.ndarray) -> np.ndarray:
    m = m.copy()
    np.put_along_axis(m, m.argmax(1, keepdims=True), 0.0, axis=1)
    return m


CASES: list[Case] = [
    *_cases(100),
    *_cases(10_000),
    *(_same(name, (), arguments) for name, arguments in ONCE.items()),
]
