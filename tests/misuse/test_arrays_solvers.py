"""Solvers on arrays, linear algebra, special functions and samples."""

import scisim as ss
from scisim import integrate, interpolate, optimize, sparse
from scisim.core import errors as e
from scisim.ops.linalg import SingularMatrixError
from tests.misuse import assert_refused, table

KEY = ss.random.key(0)
A = sparse.from_dense([[4.0, 1.0], [1.0, 3.0]])
ONES = ss.ones((2, 3))
LINE = ([0.0, 1.0, 2.0], [1.0, 2.0, 3.0])


def decay(t, y):
    return -y


def squares(x):
    return ss.sum(x * x)


@table(
    # --- integrate
    (
        "a number in the place of a system",
        lambda: integrate.solve_ivp(3.0, (0, 1), [1.0]),
        e.ArgumentTypeError,
        TypeError,
        ["integrate.solve_ivp", "expected a function", "float 3.0"],
    ),
    (
        "one time",
        lambda: integrate.solve_ivp(decay, (0,), [1.0]),
        e.ArgumentError,
        ValueError,
        ["integrate.solve_ivp", "t_span", "(0,)", "two times"],
    ),
    (
        "a method that is not there",
        lambda: integrate.solve_ivp(decay, (0, 1), [1.0], method="RK54"),
        e.ArgumentError,
        ValueError,
        ["integrate.solve_ivp", "'RK54'", "RK45"],
    ),
    (
        "a derivative of another shape",
        lambda: integrate.solve_ivp(lambda t, y: ss.ones(3), (0, 1), [1.0]),
        e.ShapeError,
        ValueError,
        ["integrate.solve_ivp", "(3,)", "(1,)", "dy/dt"],
    ),
    (
        "times outside",
        lambda: integrate.solve_ivp(decay, (0, 1), [1.0], t_eval=[0.5, 2.0]),
        e.ArgumentError,
        ValueError,
        ["integrate.solve_ivp", "t_eval", "2", "t_span"],
    ),
    (
        "a negative tolerance",
        lambda: integrate.solve_ivp(decay, (0, 1), [1.0], rtol=-1.0),
        e.ArgumentError,
        ValueError,
        ["integrate.solve_ivp", "rtol", "-1.0"],
    ),
    (
        "a number in the place of an integrand",
        lambda: integrate.quad(2.0, 0, 1),
        e.ArgumentTypeError,
        TypeError,
        ["integrate.quad", "function", "float 2.0"],
    ),
    (
        "samples that are one number",
        lambda: integrate.simpson(1.0),
        e.ShapeError,
        ValueError,
        ["integrate.simpson", "y", "single number"],
    ),
    (
        "samples that Romberg's rule cannot halve",
        lambda: integrate.romb(ss.ones(4)),
        e.ArgumentError,
        ValueError,
        ["integrate.romb", "4 values", "2^k + 1"],
    ),
    (
        "no points",
        lambda: integrate.fixed_quad(ss.sin, 0, 1, n=0),
        e.ArgumentError,
        ValueError,
        ["integrate.fixed_quad", "n is 0", "positive"],
    ),
    # --- optimize
    (
        "values in the place of one value",
        lambda: optimize.minimize(lambda x: x * x, [1.0, 2.0]),
        e.ShapeError,
        ValueError,
        ["optimize.minimize", "fun", "one real number", "(2,)", "least_squares"],
    ),
    (
        "bounds in reverse",
        lambda: optimize.minimize(squares, [1.0], bounds=[(2.0, 1.0)]),
        e.ArgumentError,
        ValueError,
        ["optimize.minimize", "bounds", "(2.0, 1.0)"],
    ),
    (
        "differences in the place of derivatives",
        lambda: optimize.minimize(squares, [1.0], jac="2-point"),
        e.ArgumentError,
        ValueError,
        ["optimize.minimize", "jac", "'2-point'", "autodiff"],
    ),
    (
        "an option by a wrong name",
        lambda: optimize.minimize(squares, [1.0], options={"max_iter": 3}),
        e.ArgumentError,
        ValueError,
        ["optimize.minimize", "'max_iter'", "'maxiter'"],
    ),
    (
        "a start without a value",
        lambda: optimize.root(ss.log, [-1.0]),
        e.ArgumentError,
        ValueError,
        ["optimize.root", "not finite at x0", "nan"],
    ),
    (
        "fewer equations than unknowns",
        lambda: optimize.root(lambda x: x[:1], [1.0, 2.0]),
        e.ShapeError,
        ValueError,
        ["optimize.root", "fun", "2", "returns 1"],
    ),
    (
        "a bracket without a root",
        lambda: optimize.root_scalar(lambda x: x * x + 1.0, bracket=(0.0, 1.0)),
        e.ArgumentError,
        ValueError,
        ["optimize.root_scalar", "bracket", "f(0.0) = 1.0", "f(1.0) = 2.0", "opposite signs"],
    ),
    (
        "an unstable fixed point",
        lambda: optimize.fixed_point(lambda x: 2.0 * x + 1.0, 1.0, method="iteration"),
        e.ConvergenceError,
        ArithmeticError,
        ["optimize.fixed_point", "500 iterations", "maxiter"],
    ),
    (
        "a fit to data of another length",
        lambda: optimize.curve_fit(lambda t, a: a * t[:1], *LINE),
        e.ShapeError,
        ValueError,
        ["optimize.curve_fit", "(1,)", "(3,)", "ydata"],
    ),
    (
        "a loss that is not there",
        lambda: optimize.least_squares(lambda x: x, [1.0], loss="l1"),
        e.ArgumentError,
        ValueError,
        ["optimize.least_squares", "loss", "'l1'", "soft_l1"],
    ),
    # --- interpolate
    (
        "points out of order",
        lambda: interpolate.CubicSpline([0.0, 2.0, 1.0], [1.0, 2.0, 3.0]),
        e.ArgumentError,
        ValueError,
        ["CubicSpline", "x must ascend", "sort it"],
    ),
    (
        "fewer values than points",
        lambda: interpolate.CubicSpline([0.0, 1.0, 2.0], [1.0, 2.0]),
        e.ShapeError,
        ValueError,
        ["CubicSpline", "3 points", "2 values"],
    ),
    (
        "ends of an unknown kind",
        lambda: interpolate.CubicSpline(*LINE, bc_type="clampled"),
        e.ArgumentError,
        ValueError,
        ["CubicSpline", "bc_type", "'clampled'", "clamped"],
    ),
    (
        "a question outside of the data",
        lambda: interpolate.interp1d(*LINE)(3.0),
        e.ArgumentError,
        ValueError,
        ["interp1d", "outside", "extrapolate"],
    ),
    (
        "a grid that does not fit",
        lambda: interpolate.RegularGridInterpolator(([0.0, 1.0], [0.0, 1.0]), ss.ones((2, 3))),
        e.ShapeError,
        ValueError,
        ["RegularGridInterpolator", "(2, 2)", "(2, 3)"],
    ),
    (
        "a degree beyond the data",
        lambda: interpolate.make_interp_spline(*LINE, k=5),
        e.ShapeError,
        ValueError,
        ["make_interp_spline", "degree 5", "6 points", "3"],
    ),
    # --- sparse
    (
        "an index past the rows",
        lambda: sparse.coo([1.0], [5], [0], (2, 2)),
        e.ArgumentError,
        ValueError,
        ["sparse.coo", "row index 5", "2 rows"],
    ),
    (
        "a vector of another length",
        lambda: A @ ss.ones(3),
        e.ShapeError,
        ValueError,
        ["A @ x", "(3,)", "(2, 2)"],
    ),
    (
        "equations without a solution",
        lambda: sparse.spsolve(sparse.from_dense([[1.0, 2.0], [2.0, 4.0]]), ss.ones(2)),
        SingularMatrixError,
        ValueError,
        ["sparse.spsolve", "(2, 2)", "singular"],
    ),
    (
        "a number in the place of an operator",
        lambda: sparse.gmres(3.0, ss.ones(2)),
        e.ArgumentTypeError,
        TypeError,
        ["sparse.gmres", "A is a float", "CSR"],
    ),
    (
        "diagonals without offsets",
        lambda: sparse.diags([ss.ones(3)], [0, 1]),
        e.ShapeError,
        ValueError,
        ["sparse.diags", "1 diagonals", "2 offsets"],
    ),
    # --- linalg
    (
        "a factor of an indefinite matrix",
        lambda: ss.linalg.cholesky([[1.0, 2.0], [2.0, 1.0]]),
        e.ScisimError,
        Exception,
        ["cholesky", "not positive definite", "eigh"],
    ),
    (
        "eigenvalues in half precision",
        lambda: ss.linalg.eigh(ss.ones((2, 2), dtype=ss.float16)),
        e.DTypeError,
        TypeError,
        ["eigh", "float16", "float32"],
    ),
    (
        "a mode that is not there",
        lambda: ss.linalg.qr(ONES, mode="rawe"),
        e.ArgumentError,
        ValueError,
        ["qr", "mode", "'rawe'", "'reduced'"],
    ),
    (
        "an exponential of what is not square",
        lambda: ss.linalg.expm(ONES),
        e.ShapeError,
        ValueError,
        ["expm", "square matrix", "(2, 3)"],
    ),
    # --- special
    (
        "a word in the place of a number",
        lambda: ss.special.gamma("one"),
        e.ArgumentTypeError,
        TypeError,
        ["gamma", "'one'", "expected numbers"],
    ),
    (
        "nothing in the place of a number",
        lambda: ss.special.erf(None),
        e.ArgumentTypeError,
        TypeError,
        ["erf", "None", "expected numbers"],
    ),
    # --- random
    (
        "a negative rate",
        lambda: ss.random.poisson(KEY, -1.0, (2,)),
        e.ArgumentError,
        ValueError,
        ["random.poisson", "lam", "-1.0"],
    ),
    (
        "weights of another length",
        lambda: ss.random.choice(KEY, 3, (2,), p=[0.5, 0.5]),
        e.ShapeError,
        ValueError,
        ["random.choice", "p must be 3 weights", "(2,)"],
    ),
    (
        "more than there are",
        lambda: ss.random.choice(KEY, 3, (5,), replace=False),
        e.ArgumentError,
        ValueError,
        ["random.choice", "5 of 3", "replace=False"],
    ),
    (
        "a covariance that does not fit",
        lambda: ss.random.multivariate_normal(KEY, ss.zeros(2), ss.ones((3, 3))),
        e.ShapeError,
        ValueError,
        ["random.multivariate_normal", "(2,)", "(3, 3)"],
    ),
)
def test_misuse_is_explained(call, error, builtin, parts):
    assert_refused(call, error, builtin, parts)
