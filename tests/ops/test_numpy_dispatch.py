"""NumPy's functions called on tensors: the values that NumPy gives, and derivatives."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentTypeError, MutationError

X = np.array([[0.3, -0.7, 1.1], [0.9, 0.4, -0.2]])
P = np.array([[0.3, 0.7, 1.1], [0.9, 0.4, 0.2]])
V, W = np.array([0.5, -0.4, 1.3, 0.2]), np.array([0.1, 0.7, -0.6, 0.35])
S = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, -0.2], [0.1, -0.2, 1.0]])
C = np.array([[0.3 - 0.4j, -0.7 + 0.2j], [0.9j, 0.4 + 0.3j]])
HOLES = np.array([[0.3, np.nan, 1.1], [0.9, 0.4, -0.2]])
MASK = np.array([[True, False, True], [False, True, True]])

# name: calls of the function f with NumPy's arguments on one array, which varies.
Calls = dict[str, list[tuple[Callable, np.ndarray]]]


def plain(names: str, x: np.ndarray = X) -> Calls:
    return {name: [(lambda f, x: f(x), x)] for name in names.split()}


def with_axis(names: str, x: np.ndarray = X) -> Calls:
    calls = [
        (lambda f, x: f(x), x),
        (lambda f, x: f(x, 1), x),
        (lambda f, x: f(x, axis=0, keepdims=True), x),
        (lambda f, x: f(x, axis=(0, 1)), x),
    ]
    return {name: list(calls) for name in names.split()}


SMOOTH: Calls = {
    **plain("sin cos tan arctan sinh cosh tanh arcsinh exp exp2 expm1 square absolute abs fabs negative positive cbrt"),
    **plain("sinc deg2rad rad2deg degrees radians conj conjugate real imag sign floor ceil trunc rint fix nan_to_num"),
    **plain("log log2 log10 log1p sqrt reciprocal arccosh", P + 1.5),
    **plain("arcsin arccos arctanh asin acos atanh", P / 2),
    **plain("ravel transpose matrix_transpose fliplr flipud rot90 diagonal trace tril triu squeeze copy modf frexp"),
    **plain("atleast_1d atleast_2d atleast_3d median ptp cov corrcoef average gradient diff ediff1d cumsum cumprod"),
    **plain("diag diagflat vander poly roots polyder polyint unwrap flip cumulative_sum cumulative_prod unstack", V),
    **plain("angle real_if_close", C),
    **with_axis("sum prod mean std var max min amax amin"),
    **with_axis("nansum nanprod nanmean nanstd nanvar nanmax nanmin nanmedian", HOLES),
    **plain("nancumsum nancumprod", HOLES),
    "sort": [(lambda f, x: f(x), X), (lambda f, x: f(x, axis=0, kind="stable"), X), (lambda f, x: f(x, None), X)],
    "sum": [
        *with_axis("sum")["sum"],
        (lambda f, x: f(x, 0, None, None, True), X),
        (lambda f, x: f(x, axis=1, where=MASK, initial=2.0), X),
        (lambda f, x: f(x, dtype=np.float64), X),
    ],
    "mean": [*with_axis("mean")["mean"], (lambda f, x: f(x, axis=1, where=MASK), X)],
    "max": [*with_axis("max")["max"], (lambda f, x: f(x, axis=1, initial=0.5), X)],
    "std": [*with_axis("std")["std"], (lambda f, x: f(x, 0, ddof=1), X), (lambda f, x: f(x, 1, None, None, 1), X)],
    "var": [*with_axis("var")["var"], (lambda f, x: f(x, axis=0, correction=1), X)],
    "nanvar": [(lambda f, x: f(x, axis=1, ddof=1), HOLES)],
    "ravel": [(lambda f, x: f(x), X), (lambda f, x: f(x, order="F"), X)],
    "reshape": [(lambda f, x: f(x, (3, 2)), X), (lambda f, x: f(x, (3, -1), order="F"), X)],
    "round": [(lambda f, x: f(x), X), (lambda f, x: f(x, 1), X)],
    "around": [(lambda f, x: f(x, decimals=1), X)],
    "clip": [(lambda f, x: f(x, -0.5, 0.5), X), (lambda f, x: f(x, a_min=None, a_max=0.5), X)],
    "add": [(lambda f, x: f(x, 2.0), X), (lambda f, x: f(x, x, dtype=np.float64), X)],
    "subtract": [(lambda f, x: f(2.0, x), X)],
    "multiply": [(lambda f, x: f(x, x), X)],
    "divide": [(lambda f, x: f(1.0, x), P)],
    "true_divide": [(lambda f, x: f(x, P), X)],
    "power": [(lambda f, x: f(x, 2.5), P)],
    "pow": [(lambda f, x: f(x, 3), X)],
    "float_power": [(lambda f, x: f(x, 1.5), P)],
    "mod": [(lambda f, x: f(x, 0.23), X)],
    "remainder": [(lambda f, x: f(x, 0.23), X)],
    "fmod": [(lambda f, x: f(x, 0.23), X)],
    "divmod": [(lambda f, x: f(x, 0.23), X)],
    "floor_divide": [(lambda f, x: f(x, 0.23), X)],
    "maximum": [(lambda f, x: f(x, 0.35), X)],
    "minimum": [(lambda f, x: f(x, 0.35), X)],
    "fmax": [(lambda f, x: f(x, 0.35), X)],
    "fmin": [(lambda f, x: f(x, 0.35), X)],
    "hypot": [(lambda f, x: f(x, 0.5), X)],
    "arctan2": [(lambda f, x: f(x, 0.5), X)],
    "atan2": [(lambda f, x: f(0.5, x), X)],
    "logaddexp": [(lambda f, x: f(x, 0.5), X)],
    "logaddexp2": [(lambda f, x: f(x, 0.5), X)],
    "copysign": [(lambda f, x: f(x, -1.0), X)],
    "heaviside": [(lambda f, x: f(V, x), W)],
    "ldexp": [(lambda f, x: f(x, 3), X)],
    "nextafter": [(lambda f, x: f(x, 9.0), X)],
    "dot": [(lambda f, x: f(x, S), X), (lambda f, x: f(V, x), W)],
    "inner": [(lambda f, x: f(x, X), X)],
    "outer": [(lambda f, x: f(x, W), V)],
    "vdot": [(lambda f, x: f(x, X), X)],
    "vecdot": [(lambda f, x: f(x, X), X), (lambda f, x: f(x, X, axis=0), X)],
    "matmul": [(lambda f, x: f(x, S), X)],
    "matvec": [(lambda f, x: f(S, x), X)],
    "vecmat": [(lambda f, x: f(x, S), X)],
    "tensordot": [(lambda f, x: f(x, X, axes=([0, 1], [0, 1])), X)],
    "einsum": [(lambda f, x: f("ij,jk->k", x, S), X)],
    "kron": [(lambda f, x: f(x, V), X)],
    "cross": [(lambda f, x: f(x, P), X), (lambda f, x: f(x.T, P.T, axis=0), X)],
    "convolve": [(lambda f, x: f(x, W[:3]), V), (lambda f, x: f(V, x, mode="same"), W[:2])],
    "correlate": [(lambda f, x: f(x, W[:3], "full"), V), (lambda f, x: f(V, x), W[:2])],
    "interp": [(lambda f, x: f(x, [-1.0, 0.1, 2.0], [0.0, 3.0, 1.0], left=-1.0), X)],
    "trapezoid": [(lambda f, x: f(x, dx=0.5), X), (lambda f, x: f(V, x), np.cumsum(P.ravel())[:4])],
    "gradient": [(lambda f, x: f(x, 0.5, axis=1, edge_order=2), X), (lambda f, x: f(x), X)],
    "polyval": [(lambda f, x: f(V, x), X), (lambda f, x: f(x, 0.3), V)],
    "polyfit": [(lambda f, x: f([0.0, 1.0, 2.0, 4.0], x, 2), V)],
    "polyadd": [(lambda f, x: f(x, W[:2]), V)],
    "polysub": [(lambda f, x: f(x, W[:2]), V)],
    "polymul": [(lambda f, x: f(x, W[:2]), V)],
    "polydiv": [(lambda f, x: f(x, W[:2]), V)],
    "concatenate": [(lambda f, x: f([x, X], 1), X), (lambda f, x: f((x, X), axis=None), X)],
    "concat": [(lambda f, x: f([x, X], axis=0), X)],
    "stack": [(lambda f, x: f([x, X], axis=1), X)],
    **{n: [(lambda f, x: f([x, X]), X)] for n in ("hstack", "vstack", "dstack")},
    "column_stack": [(lambda f, x: f((x, V)), W)],
    "block": [(lambda f, x: f([[x, X], [P, x]]), X)],
    "append": [(lambda f, x: f(x, X, axis=0), X)],
    "insert": [(lambda f, x: f(x, 1, 5.0, axis=1), X), (lambda f, x: f(V, [0, 2], x), W[:2])],
    "delete": [(lambda f, x: f(x, 1, axis=1), X)],
    "resize": [(lambda f, x: f(x, (3, 3)), X)],
    **{n: [(lambda f, x: f(x, 3, axis=1), X)] for n in ("split", "array_split")},
    "hsplit": [(lambda f, x: f(x, 3), X)],
    "vsplit": [(lambda f, x: f(x, 2), X)],
    "dsplit": [(lambda f, x: f(x, 2), np.ones((2, 1, 4)))],
    "pad": [
        (lambda f, x: f(x, 1), X),
        (lambda f, x: f(x, ((0, 1), (2, 3)), mode="edge"), X),
        (lambda f, x: f(x, 2, "reflect", reflect_type="odd"), X),
        (lambda f, x: f(x, 1, mode="linear_ramp", end_values=(1.0, 2.0)), X),
    ],
    "tile": [(lambda f, x: f(x, (2, 1)), X)],
    "repeat": [(lambda f, x: f(x, 2, axis=1), X)],
    "roll": [(lambda f, x: f(x, 1, axis=1), X)],
    "rollaxis": [(lambda f, x: f(x, 1), X)],
    "moveaxis": [(lambda f, x: f(x, 0, 1), X)],
    "permute_dims": [(lambda f, x: f(x, (1, 0)), X)],
    "swapaxes": [(lambda f, x: f(x, 0, 1), X)],
    "expand_dims": [(lambda f, x: f(x, axis=1), X)],
    "broadcast_to": [(lambda f, x: f(x, (2, 2, 3)), X)],
    "broadcast_arrays": [(lambda f, x: f(x, V[:3]), X)],
    "meshgrid": [(lambda f, x: f(x, W[:2], indexing="ij"), V)],
    "where": [(lambda f, x: f(MASK, x, 2.0), X)],
    "select": [(lambda f, x: f([MASK, X > 0], [x, x * x], 3.0), X)],
    "choose": [(lambda f, x: f([0, 1, 1], [x, x * x]), V[:3])],
    "piecewise": [(lambda f, x: f(x, [X > 0, X <= 0], [lambda v: v * v, lambda v: -v]), X)],
    "take": [(lambda f, x: f(x, [1, 0, 1], axis=1), X)],
    "take_along_axis": [(lambda f, x: f(x, np.array([[1], [0]]), axis=1), X)],
    "compress": [(lambda f, x: f([True, False, True], x, axis=1), X)],
    "extract": [(lambda f, x: f(MASK, x), X)],
    "percentile": [(lambda f, x: f(x, 30, axis=1), X), (lambda f, x: f(x, [20, 80], method="hazen"), X)],
    "quantile": [(lambda f, x: f(x, 0.3, axis=0, keepdims=True), X)],
    "nanpercentile": [(lambda f, x: f(x, 30, axis=1), HOLES)],
    "nanquantile": [(lambda f, x: f(x, [0.2, 0.9], axis=1), HOLES)],
    "average": [(lambda f, x: f(x, axis=1, weights=P), X), (lambda f, x: f(X, weights=x), P)],
    "histogram": [
        (lambda f, x: f(V, 3, weights=x), W),
        (lambda f, x: f(V, 3, (-1, 2), weights=x, density=True), V + 1.0),
    ],
    "bincount": [(lambda f, x: f(np.array([0, 2, 2, 1]), weights=x), V)],
    "apply_along_axis": [(lambda f, x: f(lambda v: v * v[0], 1, x), X)],
    "apply_over_axes": [(lambda f, x: f(np.sum, x, (0, 1)), X)],
    "logspace": [(lambda f, x: f(x, 1.0, 4), np.array(0.2))],
    "linspace": [(lambda f, x: f(x, 1.0, 4), np.array(0.2)), (lambda f, x: f(x, W, 3, axis=1), V)],
    "geomspace": [(lambda f, x: f(x, 2.0, 4), np.array(0.2))],
    "diff": [(lambda f, x: f(x, n=2, axis=1), X), (lambda f, x: f(x, prepend=0.0), X)],
    "diagonal": [(lambda f, x: f(x, 1), S), (lambda f, x: f(x, 0, 0, 1), np.ones((2, 2, 3)))],
    "trace": [(lambda f, x: f(x), S), (lambda f, x: f(x, axis1=1, axis2=2), np.ones((3, 2, 2)))],
    "cumsum": [(lambda f, x: f(x), X), (lambda f, x: f(x, axis=0), X)],
    "partition": [(lambda f, x: f(x, 1), np.array([2.0, 0.5, 1.0]))],
    "astype": [(lambda f, x: f(x, np.float64), X)],
    "full_like": [(lambda f, x: f(x, 2.0), X)],
    "zeros_like": [(lambda f, x: f(x), X)],
    "ones_like": [(lambda f, x: f(x), X)],
}
CONSTANT: Calls = {
    **plain(
        "isnan isinf isfinite signbit logical_not isposinf isneginf isreal iscomplex argsort argmax argmin any all"
    ),
    **plain("count_nonzero argwhere flatnonzero nonzero iscomplexobj isrealobj result_type shape ndim size"),
    **plain("nanargmax nanargmin", HOLES),
    **plain("unique_all unique_counts unique_inverse unique_values"),
    "less": [(lambda f, x: f(x, 0.0), X)],
    "less_equal": [(lambda f, x: f(x, 0.0), X)],
    "greater": [(lambda f, x: f(x, 0.0), X)],
    "greater_equal": [(lambda f, x: f(x, 0.0), X)],
    "equal": [(lambda f, x: f(x, 0.3), X)],
    "not_equal": [(lambda f, x: f(x, 0.3), X)],
    "logical_and": [(lambda f, x: f(x > 0, MASK), X)],
    "logical_or": [(lambda f, x: f(x > 0, MASK), X)],
    "logical_xor": [(lambda f, x: f(x > 0, MASK), X)],
    "isclose": [(lambda f, x: f(x, 0.3, rtol=1e-3), X)],
    "allclose": [(lambda f, x: f(x, X), X)],
    "array_equal": [(lambda f, x: f(x, X), X)],
    "array_equiv": [(lambda f, x: f(x, X), X)],
    "isin": [(lambda f, x: f(x, [0.3, 0.4]), X)],
    "searchsorted": [(lambda f, x: f([0.0, 0.5], x), X), (lambda f, x: f(x, 0.3, side="right"), np.sort(V))],
    "digitize": [(lambda f, x: f(x, [0.0, 0.5]), X)],
    "lexsort": [(lambda f, x: f((x, W)), V)],
    "argpartition": [(lambda f, x: f(x, 1), np.array([0.5, 1.0, 2.0]))],
    "histogram_bin_edges": [(lambda f, x: f(x, 4), V)],
    "histogram2d": [(lambda f, x: f(x, W, 3), V)],
    "histogramdd": [(lambda f, x: f((x, W), bins=3), V)],
    "unique": [(lambda f, x: f(x), X), (lambda f, x: f(x, return_counts=True), X)],
    "trim_zeros": [(lambda f, x: f(x), np.array([0.0, 1.0, 0.0]))],
    "gcd": [(lambda f, x: f(x, 6), np.array([4, 9]))],
    "lcm": [(lambda f, x: f(x, 6), np.array([4, 9]))],
    "invert": [(lambda f, x: f(x), np.array([4, 9]))],
    "bitwise_and": [(lambda f, x: f(x, 6), np.array([4, 9]))],
    "bitwise_or": [(lambda f, x: f(x, 6), np.array([4, 9]))],
    "bitwise_xor": [(lambda f, x: f(x, 6), np.array([4, 9]))],
    "left_shift": [(lambda f, x: f(x, 2), np.array([4, 9]))],
    "right_shift": [(lambda f, x: f(x, 2), np.array([4, 9]))],
    "unravel_index": [(lambda f, x: f(x, (3, 4)), np.array([4, 9]))],
    "ravel_multi_index": [(lambda f, x: f((x, x), (10, 10)), np.array([4, 9]))],
    "ix_": [(lambda f, x: f(x, [0, 1]), np.array([4, 9]))],
    "einsum_path": [(lambda f, x: f("ij,jk->k", x, S)[0], X)],
}
EVERY = [(name, k) for table in (SMOOTH, CONSTANT) for name in table for k in range(len(table[name]))]


def flat(y: Any) -> list:
    return [v for part in y for v in flat(part)] if isinstance(y, (list, tuple)) else [y]


@pytest.mark.parametrize(("name", "k"), EVERY)
def test_values_are_those_of_numpy(name, k):
    call, x = (SMOOTH.get(name) or CONSTANT[name])[k]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = flat(call(getattr(np, name), x))
    got = flat(call(getattr(np, name), ss.asarray(x)))
    assert len(got) == len(want)
    for g, w in zip(got, want, strict=True):
        if isinstance(w, (str, bool, np.dtype)):
            assert g == w
            continue
        assert isinstance(g, ss.Tensor) or np.ndim(w) == 0
        assert np.shape(g) == np.shape(w)
        if name != "roots" and isinstance(g, ss.Tensor):
            assert g.dtype == np.asarray(w).dtype
        np.testing.assert_allclose(np.asarray(g), w, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize(("name", "k"), [(n, k) for n, k in EVERY if n in SMOOTH])
def test_gradients_are_differences_of_numpy(name, k):
    call, x = SMOOTH[name][k]
    rng = np.random.default_rng(1)
    v = rng.uniform(0.3, 1.0, x.shape) * rng.choice([-1.0, 1.0], x.shape)

    def loss(x: Any) -> Any:
        outs = [y for y in flat(call(getattr(np, name), x)) if np.result_type(y).kind in "fc"]
        return sum(np.sum(np.real(y * (1.0 + 0.1 * n))) for n, y in enumerate(outs))

    slope = np.sum(np.real(np.conj(np.asarray(ad.grad(loss)(ss.asarray(x)))) * v), where=~np.isnan(x))
    h = 1e-4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = (8 * (loss(x + h * v) - loss(x - h * v)) - (loss(x + 2 * h * v) - loss(x - 2 * h * v))) / (12 * h)
    assert abs(slope - want) <= 1e-8 * max(1.0, abs(want))


def test_every_function_of_both_is_in_the_tables():
    ours = set()
    for name in dir(np):
        f = getattr(np, name)
        if name.startswith("_") or isinstance(f, type) or not callable(f):
            continue
        try:
            found = getattr(ss, name)
        except AttributeError:
            continue
        dispatches = isinstance(f, np.ufunc) or hasattr(f, "_implementation")
        if callable(found) and dispatches:
            ours.add(f.__name__ if isinstance(f, np.ufunc) else name)
    renamed = {f.__name__ for n in (*SMOOTH, *CONSTANT) for f in [getattr(np, n)]}
    later = {"can_cast", "empty_like", "fill_diagonal", "put_along_axis", "i0", "size", "save", "load"}
    missing = ours - set(SMOOTH) - set(CONSTANT) - renamed - later
    assert not missing, sorted(missing)


def test_reductions_accumulations_and_outer_products_of_universal_functions():
    x = ss.asarray(X)
    np.testing.assert_array_equal(np.add.reduce(x), np.add.reduce(X))
    np.testing.assert_array_equal(np.maximum.reduce(x, axis=1, keepdims=True), np.max(X, 1, keepdims=True))
    np.testing.assert_array_equal(np.multiply.accumulate(x, axis=1), np.multiply.accumulate(X, axis=1))
    np.testing.assert_array_equal(np.subtract.outer(x, V), np.subtract.outer(X, V))
    slope = ad.grad(lambda x: np.sum(np.add.accumulate(x)))(V)
    np.testing.assert_array_equal(slope, [4.0, 3.0, 2.0, 1.0])


def test_shapes_and_dtypes_of_traced_values_may_be_asked():
    def f(x: Any) -> Any:
        assert not np.iscomplexobj(x)
        assert np.result_type(x, np.float32) == np.float64
        assert (np.ndim(x), np.shape(x), np.size(x), np.size(x, 1)) == (2, (2, 3), 6, 3)
        return np.sum(x * x)

    np.testing.assert_array_equal(ad.grad(f)(X), 2 * X)
    np.testing.assert_array_equal(ss.jit(ad.grad(f))(X), 2 * X)


def test_what_writes_into_its_argument_says_what_to_write():
    x = ss.asarray(S)
    with pytest.raises(MutationError, match=r"numpy\.fill_diagonal writes .* x = ss\.fill_diagonal"):
        np.fill_diagonal(x, 0.0)
    with pytest.raises(MutationError, match=r"x = ss\.index_set\(x, at, v\)"):
        np.put(x, [0], [1.0])
    with pytest.raises(ArgumentTypeError, match="would write a Tensor's values"):
        np.add(X, ss.asarray(X), out=X.copy())


def test_what_has_no_counterpart_is_numpy_of_numbers_and_refused_of_traced_values():
    x = ss.asarray(V)
    assert isinstance(np.array2string(x), str)
    np.testing.assert_array_equal(np.spacing(x), np.spacing(V))
    with pytest.raises(ArgumentTypeError, match="has no counterpart for a Tensor"):
        ad.grad(lambda x: np.sum(np.spacing(x)))(V)


def test_universal_functions_of_scipy_are_ours():
    from scipy import special

    x = ss.asarray(P)
    np.testing.assert_allclose(special.erf(x), special.erf(P), rtol=1e-14)
    slope = ad.grad(lambda x: np.sum(special.erf(x)))(P)
    np.testing.assert_allclose(slope, 2 / np.sqrt(np.pi) * np.exp(-(P**2)), rtol=1e-14)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.ravel(),
        lambda x: x.swapaxes(0, 1),
        lambda x: x.cumsum(),
        lambda x: x.cumsum(axis=1),
        lambda x: x.cumprod(0),
        lambda x: x.clip(-0.5, 0.5),
        lambda x: x.take([1, 0], axis=1),
        lambda x: x.repeat(2, axis=0),
        lambda x: x.diagonal(),
        lambda x: x.trace(),
        lambda x: x.conjugate(),
        lambda x: x.argsort(axis=0),
        lambda x: x.nonzero()[1],
    ],
)
def test_methods_are_those_of_arrays(call):
    np.testing.assert_array_equal(np.asarray(call(ss.asarray(X))), call(X))
