"""Sparse matrices in compressed rows, with their products, direct and iterative solvers; names as in SciPy's `sparse`.

A `CSR` is a container of its stored elements, which carry derivatives; where they are is static.
"""

from scisim.sparse._iteration import SolveInfo
from scisim.sparse.build import block, bsr, coo, csr, dia, diags, eye, from_dense, from_scipy, kron
from scisim.sparse.csr import CSR
from scisim.sparse.direct import spsolve
from scisim.sparse.exponential import expm_multiply
from scisim.sparse.gmres import gmres
from scisim.sparse.krylov import bicgstab, cg, minres
from scisim.sparse.precondition import ilu, jacobi

__all__ = [
    "CSR",
    "SolveInfo",
    "block",
    "bsr",
    "coo",
    "csr",
    "dia",
    "diags",
    "eye",
    "from_dense",
    "from_scipy",
    "kron",
    "spsolve",
    "cg",
    "gmres",
    "bicgstab",
    "minres",
    "jacobi",
    "ilu",
    "expm_multiply",
]
