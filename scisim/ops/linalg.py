"""Linear algebra: solving, inverses, determinants, norms, products."""

from scisim.core.public import OPERATIONS as _OPERATIONS
from scisim.core.public import public as _public
from scisim.ops._linalg import cholesky as _cholesky
from scisim.ops._linalg import determinants as _determinants
from scisim.ops._linalg import hermitian as _hermitian
from scisim.ops._linalg import norms as _norms
from scisim.ops._linalg import orthogonal as _orthogonal
from scisim.ops._linalg import singular as _singular
from scisim.ops._linalg import solving as _solving
from scisim.ops._linalg.checks import SingularMatrixError as SingularMatrixError
from scisim.ops._linalg.cholesky import NotPositiveDefiniteError as NotPositiveDefiniteError

solve = _public("solve", _solving.solve, _solving.solve_p, "linalg")
inv = _public("inv", _solving.inv, module="linalg")
det = _public("det", _determinants.det, _determinants.det_p, "linalg")
norm = _public("norm", _norms.norm, module="linalg")
vector_norm = _public("vector_norm", _norms.vector_norm, module="linalg")
matrix_norm = _public("matrix_norm", _norms.matrix_norm, module="linalg")
eigh = _public("eigh", _hermitian.eigh, module="linalg")
eigvalsh = _public("eigvalsh", _hermitian.eigvalsh, module="linalg")
cholesky = _public("cholesky", _cholesky.cholesky, module="linalg")
cho_solve = _public("cho_solve", _cholesky.cho_solve, module="linalg")
qr = _public("qr", _orthogonal.qr, module="linalg")
svd = _public("svd", _singular.svd, module="linalg")
svdvals = _public("svdvals", _singular.svdvals, module="linalg")

# The Array API has these here as well as at the top.
cross = _OPERATIONS["cross"].function
diagonal = _OPERATIONS["diagonal"].function
matmul = _OPERATIONS["matmul"].function
matrix_transpose = _OPERATIONS["matrix_transpose"].function
outer = _OPERATIONS["outer"].function
tensordot = _OPERATIONS["tensordot"].function
trace = _OPERATIONS["trace"].function
vecdot = _OPERATIONS["vecdot"].function

__all__ = [
    "SingularMatrixError",
    "solve",
    "inv",
    "det",
    "norm",
    "vector_norm",
    "matrix_norm",
    "eigh",
    "eigvalsh",
    "NotPositiveDefiniteError",
    "cholesky",
    "cho_solve",
    "qr",
    "svd",
    "svdvals",
    "cross",
    "diagonal",
    "matmul",
    "matrix_transpose",
    "outer",
    "tensordot",
    "trace",
    "vecdot",
]
