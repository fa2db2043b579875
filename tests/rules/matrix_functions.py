"""Rows for functions of matrices, systems with a structure, matrix equations, and matrices built from vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import scisim as ss
from tests.rules.cases import Case, array, primitive

la = ss.linalg
PRIMITIVES: dict[str, tuple[str, ...]] = {  # those behind each function, named as it is or otherwise
    **{n: (n,) for n in ("solve_triangular", "solve_banded", "solveh_banded", "solve_tridiagonal", "solve_sylvester")},
    **{n: (n,) for n in ("solve_toeplitz", "solve_circulant", "expm", "logm", "sqrtm")},
}


def row(name: str, call: Callable, *operands: Any, tag: str = "", order: int = 4, **more: Any) -> Case:
    arrays = tuple(map(np.asarray, operands))
    kind = " complex" if any(x.dtype.kind == "c" for x in arrays) else ""
    covers = (f"op:linalg.{name}", *(f"prim:{p}" for p in PRIMITIVES.get(name, ())))
    return Case(f"linalg.{name}{tag and ' ' + tag}{kind}", covers, call, arrays, order=order, **more)


def near_one(*shape: int, kind: str = "f", seed: int = 0) -> np.ndarray:
    """Matrices within the unit ball around the identity, whose order of elements may be reversed."""
    return 0.2 * array(*shape, kind=kind, seed=seed) + np.eye(shape[-1])


def of_both_signs(*shape: int, kind: str = "f", seed: int = 0) -> np.ndarray:
    """Matrices with eigenvalues on both sides of the imaginary axis."""
    return near_one(*shape, kind=kind, seed=seed) * (1 - 2 * (np.arange(shape[-1]) % 2))


def like(x: Any, *numbers: float) -> Any:
    """A column in the dtype of an operand."""
    return ss.asarray(np.array(numbers).reshape(-1, 1), dtype=x.dtype)


def function_rows(kind: str) -> list[Case]:
    a = 0.7 * array(2, 2, kind=kind)
    one, none = near_one(3, 3, kind=kind), np.zeros((2, 0, 0), a.dtype)
    entire = {n: getattr(la, n) for n in ("expm", "cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm")}
    rows = [row(name, f, 0.5 * a if name.startswith("tan") else a) for name, f in entire.items()]
    rows += [row(name, f, none, tag="of nothing") for name, f in entire.items()]
    for name in ("logm", "sqrtm", "signm"):
        f, make = getattr(la, name), of_both_signs if name == "signm" else near_one
        rows += [
            row(name, f, make(3, 3, kind=kind)),
            row(name, f, make(2, 2, 2, kind=kind, seed=1), tag="of a stack"),
            row(name, f, none, tag="of nothing", order=2),
        ]
    power = la.fractional_matrix_power
    return [
        *rows,
        row("fractional_matrix_power", power, one, np.asarray(0.3)),
        row("fractional_matrix_power", power, none, np.asarray(0.3), tag="of nothing"),
        row("logm", la.logm, np.eye(2, dtype=a.dtype), tag="of the identity"),
        row("sqrtm", la.sqrtm, 4 * np.eye(2, dtype=a.dtype), tag="of equal eigenvalues"),
        *(primitive(f"{n}_derivative", one, array(3, 3, kind=kind, seed=2), order=3) for n in ("expm", "logm")),
    ]


def mixed_derivative(x: Any) -> Any:
    """The derivatives of two orders along directions that differ."""
    e = ss.asarray(array(2, 2, seed=5), dtype=x.dtype)
    return ss.autodiff.jvp(lambda y: la.expm(y) @ e @ la.logm(y), (x,), (e,))[1]


def tridiagonal_stack(kind: str) -> list[Case]:
    """Nine systems, for which there is a kernel, in real numbers only, since it is compiled by dtype."""
    off, diagonals, b = array(2), 4.0 + array(9, 3), array(3, 2, seed=1)
    rows = [row("solve_tridiagonal", la.solve_tridiagonal, off, diagonals, off, b, tag="of a stack")]
    return rows if kind == "f" else []


def system_rows(kind: str) -> list[Case]:
    dominant = array(3, 3, kind=kind) + 4 * np.eye(3)
    b, stack, vector = array(3, 2, kind=kind, seed=1), array(2, 3, 1, kind=kind, seed=2), array(3, kind=kind, seed=3)
    none, flat = np.zeros((0, 0), b.dtype), np.zeros((1, 0), b.dtype)
    lower = lambda a, b: la.solve_triangular(a, b, lower=True)
    unit = lambda a, b: la.solve_triangular(a, b, "C", unit_diagonal=True)
    bands = array(4, 4, kind=kind) + 4 * np.array([[0.0], [1], [1], [0]])
    half, off = array(3, 4, kind=kind) + 5.0, array(2, kind=kind, seed=4)
    banded = lambda ab, b: la.solve_banded((2, 1), ab + like(ab, 0, 6, 0, 0), b)
    upper = lambda ab, b: la.solveh_banded(ab * like(ab, 0.1, 0.2, 1), b)
    below = lambda ab, b: la.solveh_banded(ab * like(ab, 1, 0.2, 0.1), b, lower=True)
    middle, diagonals = array(4, 2, kind=kind, seed=6), 4.0 + array(3, kind=kind)
    c, r = array(3, kind=kind, low=0.1, high=0.5) + 0.1, array(3, kind=kind, seed=1, low=0.1, high=0.5)
    return [
        row("solve_triangular", lower, dominant, b),
        row("solve_triangular", unit, dominant * 0.3, stack, tag="of a unit diagonal"),
        row("solve_triangular", lower, none, none, tag="of nothing"),
        row("solve_banded", banded, bands, middle),
        row("solve_banded", lambda ab, b: la.solve_banded((1, 1), ab, b), half, middle[:, 0], tag="of three"),
        row("solve_banded", lambda ab, b: la.solve_banded((0, 0), ab, b), flat, none, tag="of nothing"),
        row("solveh_banded", upper, half, middle),
        row("solveh_banded", below, half, middle[:, 0], tag="lower"),
        row("solveh_banded", la.solveh_banded, flat, none, tag="of nothing"),
        row("solve_tridiagonal", la.solve_tridiagonal, off, diagonals, off[::-1].copy(), b),
        *tridiagonal_stack(kind),
        row("solve_tridiagonal", la.solve_tridiagonal, flat[0], flat[0], flat[0], none, tag="of nothing"),
        row("solve_toeplitz", lambda c, r, b: la.solve_toeplitz((c + like(c, 2, 0, 0)[:, 0], r), b), c, r, b),
        row(
            "solve_toeplitz",
            lambda c, b: la.solve_toeplitz(c + like(c, 2, 0, 0)[:, 0], b),
            abs(c),
            vector,
            tag="hermitian",
        ),
        row("solve_toeplitz", la.solve_toeplitz, flat[0], none, tag="of nothing"),
        row("solve_circulant", lambda c, b: la.solve_circulant(c + like(c, 2, 0, 0)[:, 0], b), c, stack),
        row("solve_circulant", la.solve_circulant, flat[0], none, tag="of nothing"),
    ]


def equation_rows(kind: str) -> list[Case]:
    a, b, q = near_one(3, 3, kind=kind), near_one(2, 2, kind=kind, seed=1), array(3, 2, kind=kind, seed=2)
    square, stack, none = array(2, 2, kind=kind, seed=3), array(2, 2, 2, kind=kind, seed=4), np.zeros((0, 0), a.dtype)
    return [
        row("solve_sylvester", la.solve_sylvester, a, b, q),
        row("solve_sylvester", la.solve_sylvester, near_one(2, 1, 2, 2, kind=kind), b, square, tag="broadcast"),
        row(
            "solve_sylvester",
            la.solve_sylvester,
            none,
            b,
            np.zeros((0, 2), a.dtype),
            tag="of nothing",
        ),
        row("solve_continuous_lyapunov", la.solve_continuous_lyapunov, b, stack),
        row("solve_continuous_lyapunov", la.solve_continuous_lyapunov, none, none, tag="of nothing"),
        row("solve_discrete_lyapunov", la.solve_discrete_lyapunov, 0.4 * square, stack),
        row("solve_discrete_lyapunov", la.solve_discrete_lyapunov, none, none, tag="of nothing"),
    ]


def builder_rows(kind: str) -> list[Case]:
    c, r = array(3, kind=kind), array(2, 4, kind=kind, seed=1)
    none = np.zeros((0,), c.dtype)
    rows = [row(name, getattr(la, name), c, r) for name in ("toeplitz", "hankel")]
    rows += [row(name, getattr(la, name), none, none, tag="of nothing", order=2) for name in ("toeplitz", "hankel")]
    return [
        *rows,
        row("toeplitz", la.toeplitz, c, tag="hermitian"),
        row("circulant", la.circulant, r),
        row("circulant", la.circulant, none, tag="of nothing", order=2),
        row("block_diag", la.block_diag, c, r, np.asarray(c[0])),
        row("block_diag", la.block_diag, none, c, tag="of nothing", order=2),
    ]


MAKERS = (function_rows, system_rows, equation_rows, builder_rows)
ROWS = [r for make in MAKERS for r in make("f")]
ROWS += [r for make in MAKERS for r in make("c") if "of nothing" not in r.name]
ROWS.append(
    Case("mixed derivatives of expm and logm", ("op:linalg.expm",), mixed_derivative, (near_one(2, 2),), order=2)
)
_NAMES = sorted({name for r in ROWS for name in r.covers if name.startswith("op:")})
EXEMPT: dict[str, dict[str, str]] = {
    name: {"0-d": "takes vectors or matrices"} for name in _NAMES if name != "op:linalg.block_diag"
}
