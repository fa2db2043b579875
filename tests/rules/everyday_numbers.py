"""Rows for what scientific code uses beyond the Array API: statistics, nan reductions, polynomials, convolutions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import scisim as ss
from tests.rules.cases import Case, array, both, operation, primitive
from tests.rules.everyday import COMPLEX, GRID, NO_AXES, NOTHING, NUMBER, PLANE, VECTOR, Calls, covered, kind, together

HOLES = np.where([[True, False, True], [True, True, True]], GRID, np.nan)
IDS = np.array([2, 0, 2, 2])
REAL = ("frexp", "modf", "fabs", "deg2rad", "rad2deg")


def row(name: str, call: Callable, *operands: Any, tag: str = "", order: int = 4, **more: Any) -> Case:
    shapes = " ".join(str(np.shape(x)) for x in operands)
    label = f"{name}{tag and ' ' + tag} of {shapes}{kind(operands)}"
    return Case(label, covered(name), call, tuple(map(np.asarray, operands)), order=order, **more)


def elementwise() -> list[Case]:
    a, b = array(5), array(5, seed=1)
    rows = [operation(n, a, b, order=4) for n in ("fmax", "fmin", "fmod", "heaviside", "logaddexp2")]
    n = np.array([2, -3, 0, 5, 1])
    rows += [
        row("heaviside", lambda h: ss.heaviside(np.array([0.0, -1.0, 0.0], np.float32), h), array(3), tag="at 0"),
        row("ldexp", ss.ldexp, a, n),
        row("ldexp", ss.ldexp, PLANE, np.int64(2)),
        primitive("ldexp", a, n),
        primitive("fraction", 3.3 * a),
        primitive("exponent", a),
        primitive("gcd", np.array([[4, 6]]), np.array([6, 9])),
        primitive("lcm", np.array([[4, 6]]), np.array([6, 9])),
        primitive("around", a, params={"decimals": 1}),
    ]
    one: Calls = {name: getattr(ss, name) for name in REAL}
    powers: Calls = {"float_power": lambda x, p: ss.astype(ss.float_power(x, p), x.dtype), "divmod": ss.divmod}
    for x in (3.3 * a, PLANE, NUMBER):
        rows.append(together("parts of numbers", one, x))
    positive = array(2, 3, kind="p")
    for x, y in ((positive, array(3, kind="p", seed=4)), (PLANE, NUMBER)):
        rows.append(together("powers", powers, x, y))
    rows += [
        row("float_power", lambda x, p: ss.astype(ss.float_power(x, p), x.dtype), COMPLEX, array(3, kind="c", seed=1)),
        row("angle", lambda x: ss.angle(x, deg=True), COMPLEX, tag="in degrees"),
    ]
    return rows


ORDERED: Calls = {
    "median": lambda x: ss.median(x, axis=0),
    "median of all": ss.median,
    "quantile": lambda x: ss.quantile(x, [0.2, 0.7], axis=1, keepdims=True),
    "quantile hazen": lambda x: ss.quantile(x, 0.3, method="hazen"),
    "percentile": lambda x: ss.percentile(x, 35.0, axis=(0, 1)),
    "nanmedian": ss.nanmedian,
    "nanquantile": lambda x: ss.nanquantile(x, [0.2, 0.7], axis=1),
    "nanpercentile": lambda x: ss.nanpercentile(x, 35.0, axis=0),
    "ptp": lambda x: ss.ptp(x, axis=1),
    "nanmax": lambda x: ss.nanmax(x, axis=1, keepdims=True),
    "nanmin": ss.nanmin,
    "topk": lambda x: ss.topk(x, 2, axis=1)[0],
    "topk least": lambda x: ss.topk(x, 1, axis=0, largest=False)[0],
    "partition": lambda x: ss.partition(x, 1, axis=1),
    "cummax": lambda x: ss.cummax(x, axis=1),
    "cummin": lambda x: ss.cummin(x, axis=0),
}
ORDERED_NUMBER: Calls = {
    "median": ss.median,
    "quantile": lambda x: ss.quantile(x, 0.3),
    "percentile": lambda x: ss.percentile(x, 30.0),
    "nanmedian": ss.nanmedian,
    "nanquantile": lambda x: ss.nanquantile(x, 0.3),
    "nanpercentile": lambda x: ss.nanpercentile(x, 30.0),
    "ptp": ss.ptp,
    "nanmax": ss.nanmax,
    "nanmin": ss.nanmin,
    "nanargmax": ss.nanargmax,
    "nanargmin": ss.nanargmin,
    "partition": lambda x: ss.partition(x, 0, axis=None),
}
MOMENTS: Calls = {
    "nanmean": lambda x: ss.nanmean(x, axis=1),
    "nanvar": lambda x: ss.nanvar(x, axis=1),
    "nanstd": lambda x: ss.nanstd(x, axis=1, keepdims=True),
    "nanprod": lambda x: ss.nanprod(x, axis=1),
    "nancumprod": lambda x: ss.nancumprod(x, axis=1),
    "cumprod": lambda x: ss.cumprod(x, axis=1),
    "average": lambda x: ss.average(x, axis=1, returned=True),
    "cov": ss.cov,
    "corrcoef": ss.corrcoef,
    "unwrap": lambda x: ss.unwrap(ss.real(x), axis=0, period=1.5),
    "gradient": ss.gradient,
    "trapezoid": lambda x: ss.trapezoid(x, dx=0.5),
    "cumulative_trapezoid": lambda x: ss.cumulative_trapezoid(x, axis=0, initial=0.0),
}
EMPTY_MOMENTS: Calls = {
    "nanprod": ss.nanprod,
    "nancumprod": ss.nancumprod,
    "cumprod": ss.cumprod,
    "cummax": ss.cummax,
    "cummin": ss.cummin,
    "partition": lambda x: ss.sort(x),
    "topk": lambda x: ss.topk(x, 0)[0],
    "unwrap": ss.unwrap,
    "cumulative_trapezoid": lambda x: ss.cumulative_trapezoid(ss.concat([x, x], 1), axis=0),
    "trapezoid": lambda x: ss.trapezoid(x, axis=0),
    "average": lambda x: ss.average(x, axis=0),
    "nanmean": lambda x: ss.nanmean(x, axis=0),
    "nanvar": lambda x: ss.nanvar(x, axis=0),
    "nanstd": lambda x: ss.nanstd(x, axis=0),
}
NUMBER_MOMENTS: Calls = {
    "nanprod": ss.nanprod,
    "nancumprod": ss.nancumprod,
    "cumprod": ss.cumprod,
    "nanmean": ss.nanmean,
    "average": lambda x: ss.average(x, weights=2.0 * x, returned=True),
    "cov": lambda x: ss.cov(ss.stack([x, 2.0 * x])),
}


def statistics() -> list[Case]:
    w = array(3, kind="p", seed=5)
    pair: Calls = {
        "average": lambda x, w: ss.average(x, axis=1, weights=w),
        "cov": lambda x, w: ss.cov(x, aweights=w),
        "corrcoef": lambda x, w: ss.corrcoef(x, w),
        "trapezoid": lambda x, w: ss.trapezoid(x, w),
        "cumulative_trapezoid": lambda x, w: ss.cumulative_trapezoid(x, w),
        "gradient": lambda x, w: ss.gradient(x, ss.cumsum(w), axis=1, edge_order=2),
    }
    q = np.array([0.15, 0.6])
    return [
        together("order statistics", ORDERED, GRID),
        together("order statistics", ORDERED_NUMBER, NUMBER),
        together("positions of extrema", {n: getattr(ss, n) for n in ("nanargmax", "nanargmin")}, GRID),
        together("moments", MOMENTS, GRID),
        together("moments", MOMENTS, COMPLEX),
        together("moments", EMPTY_MOMENTS, PLANE),
        together("moments", NUMBER_MOMENTS, NUMBER),
        together("moments with weights", pair, GRID, w),
        together("moments with weights", {n: f for n, f in pair.items() if n != "corrcoef"}, COMPLEX, w),
        row("quantile", lambda x, q: ss.quantile(x, q, axis=1), GRID, q, tag="at variables"),
        row("percentile", lambda x, q: ss.percentile(x, 100.0 * q, axis=1), GRID, q, tag="at variables"),
        row("nanquantile", lambda x, q: ss.nanquantile(x, q, axis=1), GRID, q, tag="at variables"),
        row("nanpercentile", lambda x, q: ss.nanpercentile(x, 100.0 * q, axis=1), GRID, q, tag="at variables"),
        primitive("partition", GRID, params={"axis": 1, "kth": (1,)}, order=4),
        primitive("argpartition", GRID, params={"axis": 1, "kth": (1,)}),
        primitive("ranked", GRID, params={"axis": 1, "ranks": (2, 0)}, order=4),
        primitive("top_positions", GRID, params={"axis": 1, "k": 2, "largest": True}),
        primitive("extremum_position", GRID, params={"axis": 1, "largest": True, "last": True}),
        primitive("cummax", array(2, 4), params={"axis": 1}, order=4),
        primitive("cummin", array(2, 4), params={"axis": 0}, order=4),
    ]


def polynomials() -> list[Case]:
    p, q = array(4), array(3, seed=1)
    one: Calls = {
        "polyder": lambda p: ss.polyder(p, 2),
        "polyint": lambda p: ss.polyint(p, 2),
        "vander": lambda p: ss.vander(p, 3),
        "poly": ss.poly,
        "poly of a matrix": lambda p: ss.poly(ss.diag(p) + 0.3),
    }
    two: Calls = {
        "polyadd": ss.polyadd,
        "polysub": ss.polysub,
        "polymul": ss.polymul,
        "polydiv": ss.polydiv,
        "polyval": ss.polyval,
        "polyint": lambda p, q: ss.polyint(p, 3, k=q),
    }
    turned = 1 + 0.5j
    number: Calls = {n: getattr(ss, n) for n in ("polyadd", "polysub", "polymul", "polydiv")}
    x = np.array([0.3, 0.9, 1.4, 2.2])
    return [
        together("polynomials", one, p),
        together("polynomials", one, p * turned),
        together("pairs of polynomials", two, p, q),
        together("pairs of polynomials", two, p * turned, q * turned),
        together("pairs of polynomials", number, p, NUMBER),
        together("polynomials", {k: f for k, f in one.items() if " " not in k}, NOTHING),
        together("pairs of polynomials", {n: getattr(ss, n) for n in ("polyadd", "polysub")}, NOTHING, NOTHING),
        row("polyval", ss.polyval, p, NUMBER),
        row("polyval", ss.polyval, NOTHING, PLANE),
        row("polyder", ss.polyder, NUMBER),
        row("polyint", ss.polyint, NUMBER),
        row("polyfit", lambda x, y, w: ss.polyfit(x, y, 2, w=w), x, array(4, 2), array(4, kind="p")),
        row("polyfit", lambda x, y: ss.polyfit(x, y, 1), x, array(4, kind="c")),
        row("polyfit", lambda x, y: ss.polyfit(x, y, 1), x, np.zeros((4, 0))),
        row("roots", ss.roots, np.array([1.0, -1.2, -2.0, 0.7])),
        row("roots", ss.roots, array(4, kind="c")),
        row("roots", ss.roots, NOTHING),
        primitive("roots", array(2, 3, kind="c"), order=4),
    ]


def convolutions() -> list[Case]:
    options = {"stride": (2, 1), "padding": ((1, 0), (2, 1)), "dilation": (1, 2), "groups": 2}
    params = {"stride": (2,), "pad": ((1, -1),), "spread": (2,), "dilation": (1,)}
    rows = [
        *both(row_of("conv", lambda x, w: ss.conv(x, w, **options)), "conv", (2, 4, 5, 4), (2, 2, 2, 2)),
        row("conv", lambda x, w: ss.conv(x, w, padding="same"), array(1, 2, 4), array(3, 2, 3)),
        row("conv", ss.conv, np.zeros((0, 2, 4)), array(3, 2, 3)),
        *both(primitive, "conv", (2, 1, 2, 5), (2, 3, 2, 2), params=params, order=4),
    ]
    for mode in ("full", "same", "valid"):
        rows += both(row_of("convolve", lambda a, v, m=mode: ss.convolve(a, v, m), mode), "convolve", (5,), (3,))
        rows.append(row("correlate", lambda a, v, m=mode: ss.correlate(a, v, m), array(4), array(2), tag=mode))
    rows += [
        row("convolve", lambda a, v: ss.convolve(a, v, method="fft"), array(4, 3), array(2, 2), tag="by transforms"),
        row("correlate", ss.correlate, array(3, kind="c"), array(4, kind="c", seed=1)),
    ]
    for mode in ("full", "valid"):
        shared = {"rank": 1, "mode": mode, "method": "direct"}
        rows += both(primitive, "convolution", (2, 4), (2, 3), params=shared, tag=mode, order=4)
    return rows


def row_of(name: str, call: Callable, tag: str = "") -> Callable:
    return lambda _, *operands, **more: row(name, call, *operands, tag=tag, **more)


def segments() -> list[Case]:
    x, z = array(4, 2), array(4, 2, kind="c")
    functions = (ss.segment_sum, ss.segment_prod, ss.segment_max, ss.segment_min)
    names = [f.__name__ for f in functions]
    calls: Calls = {f.__name__: lambda x, ids, f=f: f(x, ids, 4) for f in functions}
    finite: Calls = {f.__name__: lambda x, ids, f=f: f(x, ids, 3)[::2] for f in functions}
    zeros = np.array([0.0, 1.2, 0.0, 0.7])
    rows = [
        together("segments", finite, x, IDS),
        together("segments", {n: calls[n] for n in names[:2]}, z, IDS),
        together("segments", {f.__name__: lambda x, ids, f=f: f(x, ids, 0) for f in functions}, NOTHING, IDS[:0]),
        row("segment_prod", lambda x: ss.segment_prod(x, IDS, 3), zeros, tag="with zeros"),
        row("bincount", lambda w: ss.bincount(IDS, w, length=4), VECTOR),
        row("bincount", lambda w: ss.bincount(IDS, w, length=2), array(4, kind="c")),
        *(primitive(n, x, IDS, params={"n": 3}, order=4) for n in names[:2]),
        *(primitive(n, x, np.array([2, 0, 1, 2]), params={"n": 3}, order=4) for n in names[2:]),
    ]
    return rows


def tables() -> list[Case]:
    x, xp = np.array([[0.2, 0.9, 1.7], [-1.0, 3.0, 2.2]]), np.array([0.0, 0.6, 1.1, 2.5])
    weights, sample = array(4, kind="p"), np.array([0.2, 0.9, 1.7, 0.3])
    return [
        row("interp", lambda x, xp, fp: ss.interp(x, xp, fp, left=0.3), x, xp, VECTOR),
        row("interp", ss.interp, x, xp, array(4, kind="c")),
        row("interp", lambda x, xp, fp: ss.interp(x, xp, fp, period=2.9), x, xp, VECTOR, tag="periodic"),
        row("interp", ss.interp, NUMBER, xp, VECTOR),
        row("interp", ss.interp, PLANE, xp, VECTOR),
        primitive("interp", array(2, 3), np.sort(array(2, 4)), array(2, 4, seed=2), order=4),
        primitive("bins", array(2, 3), np.sort(array(2, 4))),
        row("histogram", lambda w: ss.histogram(sample, 3, weights=w)[0], weights),
        row("histogram", lambda w: ss.histogram(sample, [0.0, 1.0, 2.0], weights=w)[0], array(4, kind="c")),
        row("histogram", lambda x, w: ss.histogram(x, 3, weights=w, density=True), sample, weights),
        row("histogram2d", lambda x, w: ss.histogram2d(x, 2.0 * x, 2, weights=w, density=True), sample, weights),
        row("histogram", lambda x: ss.histogram(x, 3), NOTHING),
        row("histogram_bin_edges", lambda x: ss.histogram_bin_edges(x, 3), sample),
        row("histogram_bin_edges", lambda x: ss.histogram_bin_edges(x, 3), NOTHING),
        row("histogram_bin_edges", lambda x: ss.histogram_bin_edges(x, 3), NUMBER),
        row("histogram", lambda x: ss.histogram(x, 3, range=(0.0, 1.0)), NUMBER),
        row("histogram2d", lambda w: ss.histogram2d(sample, 2 * sample, (2, 3), weights=w)[0], weights),
        row("histogram2d", lambda x: ss.histogram2d(x, x, 2)[1:], NOTHING),
        row("histogramdd", lambda w: ss.histogramdd((sample, sample), 2, weights=w)[0], weights),
        row("histogramdd", lambda x: ss.histogramdd((x, x), 2)[1], NOTHING),
    ]


def products() -> list[Case]:
    m, v, t = array(2, 3), array(3, seed=1), array(2, 3, 3, seed=2)
    calls: Calls = {
        "dot": lambda m, v, t: [ss.dot(m, v), ss.dot(v, v), ss.dot(m, t), ss.dot(v, 2.0 * v[0])],
        "inner": lambda m, v, t: [ss.inner(m, v), ss.inner(v, v), ss.inner(t, m)],
        "vdot": lambda m, v, t: ss.vdot(m, 2.0 * m),
        "matvec": lambda m, v, t: ss.matvec(t, v),
        "vecmat": lambda m, v, t: ss.vecmat(v, t),
    }
    turned = 1 + 0.5j
    empty: Calls = {
        "dot": lambda x: ss.dot(x, x.T),
        "inner": lambda x: ss.inner(x, x),
        "vdot": lambda x: ss.vdot(x, x),
        "matvec": lambda x: ss.matvec(x, x[0]),
        "vecmat": lambda x: ss.vecmat(x[0], x.T),
    }
    number: Calls = {"dot": lambda x: ss.dot(x, x), "inner": lambda x: ss.inner(x, x), "vdot": lambda x: ss.vdot(x, x)}
    return [
        together("products", calls, m, v, t),
        together("products", calls, m * turned, v * turned, t),
        together("products", empty, PLANE),
        together("products", number, NUMBER),
    ]


def ranges() -> list[Case]:
    a, b = array(2, kind="p"), array(2, kind="p", seed=1)
    calls: Calls = {
        "logspace": lambda a, b: ss.logspace(a, b, 3, base=b[0], axis=1),
        "geomspace": lambda a, b: ss.geomspace(a, b, 4),
    }
    number: Calls = {
        "logspace": lambda a, b: ss.logspace(a, b, 3, base=2.0),
        "geomspace": lambda a, b: ss.geomspace(a, b, 3, endpoint=False),
    }
    return [
        together("ranges", calls, a, b),
        together("ranges", {"geomspace": calls["geomspace"]}, a * (1 + 1j), b * 1j),
        together("ranges", number, NUMBER, np.float64(1.9)),
        together("ranges", {"geomspace": lambda a, b: ss.geomspace(a, b, 3)}, NOTHING, NUMBER),
    ]


def transforms() -> list[Case]:
    return [
        Case("fft.rfft2", ("op:fft.rfft2",), lambda x: ss.fft.rfft2(x, s=(3, 3)), (array(2, 4),), order=4),
        Case("fft.irfft2", ("op:fft.irfft2",), lambda x: ss.fft.irfft2(x, s=(3, 5)), (COMPLEX,), order=4),
    ]


ROWS = [
    *elementwise(),
    *transforms(),
    *statistics(),
    *polynomials(),
    *convolutions(),
    *segments(),
    *tables(),
    *products(),
    *ranges(),
]
ORDER = "complex numbers have no order"
CHOICE = "nothing to choose from is an error"
VECTORS = "takes vectors"
EXEMPT: dict[str, dict[str, str]] = {
    **{f"op:{n.split()[0]}": {"complex": ORDER} for n in (*ORDERED, *ORDERED_NUMBER)},
    **{f"op:{n}": {"complex": ORDER} for n in ("fmax", "fmin", "fmod", "heaviside", "segment_max", "segment_min")},
    **{f"op:{n}": {"complex": "of real numbers"} for n in (*REAL, "ldexp", "divmod")},
    **{
        f"op:{n}": {"complex": ORDER, "empty": CHOICE}
        for n in [
            "median",
            "quantile",
            "percentile",
            "nanmedian",
            "nanquantile",
            "nanpercentile",
            "ptp",
            "nanmax",
            "nanmin",
        ]
    },
    **{f"op:{n}": {"complex": ORDER, "empty": CHOICE} for n in ("nanargmax", "nanargmin")},
    "op:fft.rfft2": {
        "complex": "of real numbers by definition",
        "empty": "a transform of no points is refused",
        "0-d": NO_AXES,
    },
    "op:fft.irfft2": {"empty": "a transform of no points is refused", "0-d": NO_AXES},
    "op:topk": {"complex": ORDER, "0-d": NO_AXES},
    "op:cummax": {"complex": ORDER, "0-d": NO_AXES},
    "op:cummin": {"complex": ORDER, "0-d": NO_AXES},
    "op:logaddexp2": {"complex": "of real numbers, as NumPy's"},
    "op:cov": {"empty": "needs observations"},
    "op:corrcoef": {"empty": "needs observations", "0-d": "needs observations"},
    "op:gradient": {"empty": "needs two points", "0-d": NO_AXES},
    "op:nanvar": {"0-d": "0 of a single number"},
    "op:nanstd": {"0-d": "0 of a single number"},
    "op:vander": {"0-d": VECTORS},
    "op:poly": {"0-d": VECTORS},
    "op:polymul": {"empty": "needs coefficients"},
    "op:polydiv": {"empty": "needs coefficients"},
    "op:polyfit": {"0-d": VECTORS},
    "op:roots": {"0-d": "a polynomial of degree 0 has none"},
    "op:conv": {"0-d": NO_AXES},
    "op:convolve": {"empty": "nothing to convolve is an error, as in NumPy", "0-d": NO_AXES},
    "op:correlate": {"empty": "nothing to correlate is an error, as in NumPy", "0-d": NO_AXES},
    **{f"op:segment_{n}": {"0-d": NO_AXES} for n in ("sum", "prod")},
    **{f"op:segment_{n}": {"0-d": NO_AXES, "complex": ORDER} for n in ("max", "min")},
    "op:bincount": {"0-d": NO_AXES, "broadcast": "weights are of the shape of the numbers"},
    "op:histogram": {"broadcast": "weights are of the shape of the numbers"},
    "op:histogram_bin_edges": {"complex": ORDER},
    "op:histogram2d": {"0-d": NO_AXES, "complex": "weights are real", "broadcast": "one of each for a point"},
    "op:histogramdd": {"0-d": NO_AXES, "complex": "weights are real"},
    "op:matvec": {"0-d": NO_AXES},
    "op:vecmat": {"0-d": NO_AXES},
    "op:vdot": {"broadcast": "operands have as many elements"},
    "op:logspace": {"broadcast": "ends of one shape", "complex": "powers of real numbers", "empty": "a range has ends"},
    "op:unwrap": {"complex": "phases are real", "0-d": NO_AXES},
    **{f"op:{n}": {"0-d": NO_AXES} for n in ("trapezoid", "cumulative_trapezoid")},
}
