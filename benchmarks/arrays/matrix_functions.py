"""Functions of matrices, structured systems and matrix equations beside SciPy's."""

from __future__ import annotations

import numpy as np
import scipy.linalg as sl

import scisim as ss

la = ss.linalg
_rng = np.random.default_rng(7)


def _matrices(*shape: int) -> np.ndarray:
    """Positive definite ones."""
    a = _rng.normal(size=shape)
    return a @ a.swapaxes(-1, -2) / shape[-1] + np.eye(shape[-1])


SMALL, MIDDLE, LARGE, STACK = _matrices(4, 4), _matrices(30, 30), _matrices(120, 120), _matrices(500, 4, 4)
GENERAL = _rng.normal(size=(30, 30)) / 6
_N = 1000
BAND = _rng.normal(size=(4, _N)) + np.array([[0], [8], [0], [0]])
HALF = np.stack([0.3 * np.ones(_N), 2.0 * np.ones(_N)])
OFF, MAIN, RIGHT = 0.3 * np.ones(_N - 1), 2.0 * np.ones(_N), _rng.normal(size=_N)
SYSTEMS = (_rng.normal(size=(200, 99)), 4 + _rng.normal(size=(200, 100)), _rng.normal(size=(200, 99)))
RIGHTS = _rng.normal(size=(200, 100, 1))
COLUMN = np.concatenate([[4.0], 0.5 ** np.arange(199)])


def _banded_of(lower: np.ndarray, diagonal: np.ndarray, upper: np.ndarray) -> np.ndarray:
    ab = np.zeros((3, diagonal.shape[-1]))
    ab[0, 1:], ab[1], ab[2, :-1] = upper, diagonal, lower
    return ab


def _each_tridiagonal(lower: np.ndarray, diagonal: np.ndarray, upper: np.ndarray, b: np.ndarray) -> np.ndarray:
    """What SciPy offers for stacks: one call for each."""
    systems = zip(lower, diagonal, upper, b, strict=True)
    return np.stack([sl.solve_banded((1, 1), _banded_of(lo, d, up), r) for lo, d, up, r in systems])


CASES = [
    *(
        (f"linalg.{f}", getattr(la, f), getattr(sl, f), (a,))
        for f in ("expm", "sqrtm", "logm")
        for a in (SMALL, MIDDLE)
    ),
    ("linalg.expm of 120", la.expm, sl.expm, (LARGE / 10,)),
    ("linalg.sqrtm of 120", la.sqrtm, sl.sqrtm, (LARGE,)),
    ("linalg.logm of a general one", la.logm, sl.logm, (GENERAL + 4 * np.eye(30),)),
    ("linalg.expm of a stack", la.expm, sl.expm, (STACK,)),
    ("linalg.sqrtm of a stack", la.sqrtm, sl.sqrtm, (STACK,)),
    *((f"linalg.{f}", getattr(la, f), getattr(sl, f), (GENERAL,)) for f in ("cosm", "sinm", "tanm", "coshm", "sinhm")),
    ("linalg.tanhm", la.tanhm, sl.tanhm, (GENERAL,)),
    ("linalg.signm", la.signm, sl.signm, (GENERAL,)),
    (
        "linalg.fractional_matrix_power",
        lambda a: la.fractional_matrix_power(a, 0.3),
        lambda a: sl.fractional_matrix_power(a, 0.3),
        (MIDDLE,),
    ),
    *(("linalg.solve_triangular", la.solve_triangular, sl.solve_triangular, (a, a[0])) for a in (SMALL, MIDDLE, LARGE)),
    (
        "linalg.solve_banded",
        lambda ab, b: la.solve_banded((2, 1), ab, b),
        lambda ab, b: sl.solve_banded((2, 1), ab, b),
        (BAND, RIGHT),
    ),
    ("linalg.solveh_banded", la.solveh_banded, sl.solveh_banded, (HALF, RIGHT)),
    (
        "linalg.solve_tridiagonal",
        la.solve_tridiagonal,
        lambda lo, d, up, b: sl.solve_banded((1, 1), _banded_of(lo, d, up), b),
        (OFF, MAIN, OFF, RIGHT),
    ),
    ("linalg.solve_tridiagonal of a stack", la.solve_tridiagonal, _each_tridiagonal, (*SYSTEMS, RIGHTS)),
    ("linalg.solve_toeplitz", la.solve_toeplitz, sl.solve_toeplitz, (COLUMN, RIGHT[:200])),
    ("linalg.solve_circulant", la.solve_circulant, sl.solve_circulant, (COLUMN, RIGHT[:200])),
    *(("linalg.solve_sylvester", la.solve_sylvester, sl.solve_sylvester, (a, a, a)) for a in (SMALL, MIDDLE)),
    (
        "linalg.solve_continuous_lyapunov",
        la.solve_continuous_lyapunov,
        sl.solve_continuous_lyapunov,
        (GENERAL - 3 * np.eye(30), MIDDLE),
    ),
    ("linalg.solve_discrete_lyapunov", la.solve_discrete_lyapunov, sl.solve_discrete_lyapunov, (GENERAL / 2, MIDDLE)),
    ("linalg.block_diag", la.block_diag, sl.block_diag, (SMALL, MIDDLE, SMALL)),
    ("linalg.toeplitz", la.toeplitz, sl.toeplitz, (COLUMN,)),
    ("linalg.hankel", la.hankel, sl.hankel, (COLUMN,)),
    ("linalg.circulant", la.circulant, sl.circulant, (COLUMN,)),
]
