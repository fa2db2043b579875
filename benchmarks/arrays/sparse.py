"""Sparse products and solvers beside SciPy's."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spl

from scisim import sparse

_rng = np.random.default_rng(5)
_SIDE = 60


def _poisson(n: int) -> Any:
    line = sp.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
    return sp.csr_array(sp.kron(line, sp.eye_array(n)) + sp.kron(sp.eye_array(n), line))


THEIRS = _poisson(_SIDE)
OURS = sparse.from_scipy(THEIRS)
SMALL = _poisson(10)
OURS_SMALL = sparse.from_scipy(SMALL)
TRANSPOSED = sp.csr_array(THEIRS.T)
RANDOM = sp.csr_array(sp.random_array((20000, 20000), density=5e-4, rng=_rng))
OURS_RANDOM = sparse.from_scipy(RANDOM)
X, X_SMALL, X_LARGE = _rng.normal(size=_SIDE**2), _rng.normal(size=100), _rng.normal(size=20000)
COLUMNS = _rng.normal(size=(_SIDE**2, 8))


SCALED = [(OURS * (1.0 + k), THEIRS * (1.0 + k)) for k in range(3)]  # more than the factors that are kept
_turns = (itertools.count(), itertools.count())


def _next(which: int) -> Any:
    return SCALED[next(_turns[which]) % 3][which]


def _ours(method: Any, a: Any) -> Any:
    """A hundred iterations at most, whatever they reach, since the peers' tests of convergence differ."""
    return lambda b: method(a, b, rtol=1e-12, maxiter=100, check=False)[0]


def _theirs(method: Any, a: Any, **more: Any) -> Any:
    return lambda b: method(a, b, rtol=1e-12, **{"maxiter": 100, **more})[0]


CASES = [
    ("sparse.product of 100", lambda x: OURS_SMALL @ x, lambda x: SMALL @ x, (X_SMALL,)),
    ("sparse.product", lambda x: OURS @ x, lambda x: THEIRS @ x, (X,)),
    ("sparse.product of 20000", lambda x: OURS_RANDOM @ x, lambda x: RANDOM @ x, (X_LARGE,)),
    ("sparse.product of columns", lambda x: OURS @ x, lambda x: THEIRS @ x, (COLUMNS,)),
    ("sparse.product from the right", lambda x: x @ OURS, lambda x: x @ THEIRS, (X,)),
    ("sparse.spsolve", lambda b: sparse.spsolve(_next(0), b), lambda b: spl.spsolve(_next(1), b), (X,)),
    ("sparse.cg", _ours(sparse.cg, OURS), _theirs(spl.cg, THEIRS), (X,)),
    ("sparse.bicgstab", _ours(sparse.bicgstab, OURS), _theirs(spl.bicgstab, THEIRS), (X,)),
    ("sparse.minres", _ours(sparse.minres, OURS), _theirs(spl.minres, THEIRS), (X,)),
    ("sparse.gmres", _ours(sparse.gmres, OURS), _theirs(spl.gmres, THEIRS, maxiter=5), (X,)),
]
