"""Linear algebra: solving, inverses, determinants, norms, products."""

from scisim.core.public import OPERATIONS as _OPERATIONS
from scisim.core.public import public as _public
from scisim.ops._linalg import banded as _banded
from scisim.ops._linalg import builders as _builders
from scisim.ops._linalg import cholesky as _cholesky
from scisim.ops._linalg import determinants as _determinants
from scisim.ops._linalg import exponential as _exponential
from scisim.ops._linalg import general as _general
from scisim.ops._linalg import hermitian as _hermitian
from scisim.ops._linalg import least_squares as _least_squares
from scisim.ops._linalg import logarithm as _logarithm
from scisim.ops._linalg import lu as _lu
from scisim.ops._linalg import lu_solve as _lu_solve
from scisim.ops._linalg import norms as _norms
from scisim.ops._linalg import orthogonal as _orthogonal
from scisim.ops._linalg import powers as _powers
from scisim.ops._linalg import pseudoinverse as _pseudoinverse
from scisim.ops._linalg import roots as _roots
from scisim.ops._linalg import singular as _singular
from scisim.ops._linalg import solving as _solving
from scisim.ops._linalg import sylvester as _sylvester
from scisim.ops._linalg import triangular as _triangular
from scisim.ops._linalg import tridiagonal as _tridiagonal
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
slogdet = _public("slogdet", _determinants.slogdet, module="linalg")
eig = _public("eig", _general.eig, module="linalg")
eigvals = _public("eigvals", _general.eigvals, module="linalg")
schur = _public("schur", _general.schur, module="linalg")
polar = _public("polar", _orthogonal.polar, module="linalg")
pinv = _public("pinv", _pseudoinverse.pinv, module="linalg")
lstsq = _public("lstsq", _least_squares.lstsq, module="linalg")
matrix_rank = _public("matrix_rank", _least_squares.matrix_rank, module="linalg")
matrix_power = _public("matrix_power", _powers.matrix_power, module="linalg")
multi_dot = _public("multi_dot", _powers.multi_dot, module="linalg")
cond = _public("cond", _norms.cond, module="linalg")
lu = _public("lu", _lu.lu, module="linalg")
lu_factor = _public("lu_factor", _lu.lu_factor, module="linalg")
lu_solve = _public("lu_solve", _lu_solve.lu_solve, module="linalg")

solve_triangular = _public("solve_triangular", _triangular.solve_triangular, module="linalg")
solve_banded = _public("solve_banded", _banded.solve_banded, module="linalg")
solveh_banded = _public("solveh_banded", _banded.solveh_banded, module="linalg")
solve_tridiagonal = _public("solve_tridiagonal", _tridiagonal.solve_tridiagonal, module="linalg")
solve_toeplitz = _public("solve_toeplitz", _builders.solve_toeplitz, module="linalg")
solve_circulant = _public("solve_circulant", _builders.solve_circulant, module="linalg")
solve_sylvester = _public("solve_sylvester", _sylvester.solve_sylvester, module="linalg")
solve_continuous_lyapunov = _public("solve_continuous_lyapunov", _sylvester.solve_continuous_lyapunov, module="linalg")
solve_discrete_lyapunov = _public("solve_discrete_lyapunov", _sylvester.solve_discrete_lyapunov, module="linalg")
expm = _public("expm", _exponential.expm, module="linalg")
logm = _public("logm", _logarithm.logm, module="linalg")
sqrtm = _public("sqrtm", _roots.sqrtm, module="linalg")
fractional_matrix_power = _public("fractional_matrix_power", _roots.fractional_matrix_power, module="linalg")
signm = _public("signm", _roots.signm, module="linalg")
cosm = _public("cosm", _roots.cosm, module="linalg")
sinm = _public("sinm", _roots.sinm, module="linalg")
tanm = _public("tanm", _roots.tanm, module="linalg")
coshm = _public("coshm", _roots.coshm, module="linalg")
sinhm = _public("sinhm", _roots.sinhm, module="linalg")
tanhm = _public("tanhm", _roots.tanhm, module="linalg")
block_diag = _public("block_diag", _builders.block_diag, module="linalg")
toeplitz = _public("toeplitz", _builders.toeplitz, module="linalg")
hankel = _public("hankel", _builders.hankel, module="linalg")
circulant = _public("circulant", _builders.circulant, module="linalg")

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
    "slogdet",
    "eig",
    "eigvals",
    "schur",
    "polar",
    "pinv",
    "lstsq",
    "matrix_rank",
    "matrix_power",
    "multi_dot",
    "cond",
    "lu",
    "lu_factor",
    "lu_solve",
    "solve_triangular",
    "solve_banded",
    "solveh_banded",
    "solve_tridiagonal",
    "solve_toeplitz",
    "solve_circulant",
    "solve_sylvester",
    "solve_continuous_lyapunov",
    "solve_discrete_lyapunov",
    "expm",
    "logm",
    "sqrtm",
    "fractional_matrix_power",
    "signm",
    "cosm",
    "sinm",
    "tanm",
    "coshm",
    "sinhm",
    "tanhm",
    "block_diag",
    "toeplitz",
    "hankel",
    "circulant",
    "cross",
    "diagonal",
    "matmul",
    "matrix_transpose",
    "outer",
    "tensordot",
    "trace",
    "vecdot",
]
