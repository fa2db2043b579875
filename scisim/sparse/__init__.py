"""Sparse matrices in compressed rows, with their products, direct and iterative solvers; names as in SciPy's `sparse`.

A `CSR` is a container of its stored elements, which carry derivatives; where they are is static.
"""

from scisim.sparse.build import block, bsr, coo, csr, dia, diags, eye, from_dense, from_scipy, kron
from scisim.sparse.csr import CSR

__all__ = ["CSR", "block", "bsr", "coo", "csr", "dia", "diags", "eye", "from_dense", "from_scipy", "kron"]
