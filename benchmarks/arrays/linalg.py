"""Decompositions and what is made of them beside NumPy and SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

from scisim.ops import linalg as la

npl, spl = np.linalg, scipy.linalg


def _operands(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    a = rng.normal(size=(n, n)) + n * np.eye(n)
    return a, a @ a.T, rng.normal(size=(2 * n, n // 2))


def _cases(n: int) -> list[tuple[str, Callable, Callable | None, tuple]]:
    a, s, tall = _operands(n)
    b, stack = a[:, 0].copy(), np.stack([a] * 4)
    lu, factor = spl.lu_factor(a), npl.cholesky(s)
    named: dict[str, tuple[Callable, Callable | None, tuple[Any, ...]]] = {
        "solve": (la.solve, npl.solve, (a, b)),
        "inv": (la.inv, npl.inv, (a,)),
        "det": (la.det, npl.det, (a,)),
        "slogdet": (la.slogdet, npl.slogdet, (a,)),
        "cholesky": (la.cholesky, npl.cholesky, (s,)),
        "cho_solve": (la.cho_solve, lambda c, b: spl.cho_solve((c, True), b), (factor, b)),
        "qr": (la.qr, npl.qr, (tall,)),
        "lu": (la.lu, spl.lu, (a,)),
        "lu_factor": (la.lu_factor, spl.lu_factor, (a,)),
        "lu_solve": (lambda lu, p, b: la.lu_solve((lu, p), b), lambda lu, p, b: spl.lu_solve((lu, p), b), (*lu, b)),
        "svd": (la.svd, npl.svd, (tall,)),
        "svdvals": (la.svdvals, npl.svdvals, (tall,)),
        "eigh": (la.eigh, npl.eigh, (s,)),
        "eigvalsh": (la.eigvalsh, npl.eigvalsh, (s,)),
        "eig": (la.eig, npl.eig, (a,)),
        "eigvals": (la.eigvals, npl.eigvals, (a,)),
        "schur": (la.schur, spl.schur, (a,)),
        "polar": (la.polar, spl.polar, (a,)),
        "pinv": (la.pinv, npl.pinv, (tall,)),
        "lstsq": (la.lstsq, npl.lstsq, (tall, tall[:, 0].copy())),
        "norm": (la.norm, npl.norm, (a,)),
        "norm 2": (lambda x: la.norm(x, 2), lambda x: npl.norm(x, 2), (a,)),
        "norm nuc": (lambda x: la.norm(x, "nuc"), lambda x: npl.norm(x, "nuc"), (a,)),
        "norm 1": (lambda x: la.norm(x, 1), lambda x: npl.norm(x, 1), (a,)),
        "vector_norm": (la.vector_norm, npl.vector_norm, (b,)),
        "matrix_norm": (la.matrix_norm, npl.matrix_norm, (stack,)),
        "matrix_rank": (la.matrix_rank, npl.matrix_rank, (tall,)),
        "matrix_power": (lambda x: la.matrix_power(x, 5), lambda x: npl.matrix_power(x, 5), (a,)),
        "multi_dot": (lambda *x: la.multi_dot(x), lambda *x: npl.multi_dot(x), (tall.T.copy(), tall, a[: n // 2], b)),
        "cond": (la.cond, npl.cond, (a,)),
        "cond 1": (lambda x: la.cond(x, 1), lambda x: npl.cond(x, 1), (a,)),
        "eigvalsh of a stack": (la.eigvalsh, npl.eigvalsh, (stack,)),
        "lu_factor of a stack": (la.lu_factor, spl.lu_factor, (stack,)),
    }
    return [(f"linalg.{name} {n}", *case) for name, case in named.items()]


CASES = [*_cases(20), *_cases(100)]
