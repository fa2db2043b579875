"""Linear algebra: solving, inverses, determinants, norms, products."""

from scisim.core.public import OPERATIONS as _OPERATIONS
from scisim.core.public import public as _public
from scisim.ops import _linalg
from scisim.ops._linalg import SingularMatrixError as SingularMatrixError

solve = _public("solve", _linalg.solve, _linalg.solve_p, "linalg")
inv = _public("inv", _linalg.inv, module="linalg")
det = _public("det", _linalg.det, _linalg.det_p, "linalg")
norm = _public("norm", _linalg.norm, module="linalg")
vector_norm = _public("vector_norm", _linalg.vector_norm, module="linalg")
matrix_norm = _public("matrix_norm", _linalg.matrix_norm, module="linalg")

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
    "cross",
    "diagonal",
    "matmul",
    "matrix_transpose",
    "outer",
    "tensordot",
    "trace",
    "vecdot",
]
