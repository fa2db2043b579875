"""Kernels of matrix products: of one pair or of stacks of matrices, for all sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scisim.compiler.cpu.emit import Function
from scisim.compiler.cpu.products_block import storage
from scisim.compiler.cpu.products_exact import exact_product
from scisim.compiler.cpu.products_strided import PARAMETERS, strided_product
from scisim.compiler.cpu.products_vector import MatrixVector

if TYPE_CHECKING:
    from scisim.compiler.cpu.emit import Module
    from scisim.compiler.cpu.target import Target

_SLOTS = ("i64", "i64", "i64", "ptr", "i64", "ptr", "i64", "ptr", "i64")


@dataclass(frozen=True)
class Product:
    """C[M, N] = op(A) @ B[K, N]; slots M, N, K, A, lda, B, ldb, C, ldc (strides in elements).

    Attributes
    ----------
    dtype : str
        A real, complex or integer dtype's name.
    a_transposed : bool
        A is stored (K, M), else (M, K).
    accumulate : bool
        The product is added to C.
    exact : bool
        An exact zero wins over infinity and nan.
    """

    dtype: str
    a_transposed: bool
    accumulate: bool
    exact: bool = False

    @property
    def name(self) -> str:
        """One for each spec."""
        return f"product_{_suffix(self)}"

    def emit(self, module: Module, target: Target) -> None:
        """Write the kernel into a module."""
        product = (exact_product if self.exact else strided_product)(module, self.dtype, target)
        f = Function(module, self.name, ["ptr %args"])
        _multiply(f, self, product, [f.argument(k, kind) for k, kind in enumerate(_SLOTS)])
        f.done()


@dataclass(frozen=True)
class BatchedProduct:
    """Products of stacks: C[s] = op(A[s]) @ B[s].

    Slots are count, those of `Product`, stride_a, stride_b, stride_c. The last three lead from matrix to matrix, in
    elements; 0 repeats an operand. Fields are those of `Product`.
    """

    dtype: str
    a_transposed: bool
    accumulate: bool
    exact: bool = False

    @property
    def name(self) -> str:
        """One for each spec."""
        return f"products_{_suffix(self)}"

    def emit(self, module: Module, target: Target) -> None:
        """Write the kernel into a module."""
        product = (exact_product if self.exact else strided_product)(module, self.dtype, target)
        f = Function(module, self.name, ["ptr %args"])
        count, *slots = [f.argument(k, kind) for k, kind in enumerate(("i64", *_SLOTS, "i64", "i64", "i64"))]
        number = storage(self.dtype)
        with f.loop(0, count) as (s, _, _):
            for place, stride in zip((3, 5, 7), slots[9:], strict=True):
                slots[place] = f.at(number, slots[place], f.mul(s, stride))
            _multiply(f, self, product, slots[:9])
        f.done()


def product_kernel(
    dtype: str, a_transposed: bool, accumulate: bool, columns: int | None = None, exact: bool = False
) -> Product | MatrixVector:
    """The kernel for a product whose number of columns is known, or not (None); the slots are the same for all."""
    if columns == 1 and not exact and not dtype.startswith("complex"):
        return MatrixVector(dtype, a_transposed, accumulate)
    return Product(dtype, a_transposed, accumulate, exact)


def _suffix(spec: Product | BatchedProduct) -> str:
    end = ("_add" if spec.accumulate else "") + ("_exact" if spec.exact else "")
    return f"{spec.dtype}_{'t' if spec.a_transposed else 'n'}n{end}"


def _multiply(f: Function, spec: Product | BatchedProduct, product: str, slots: Sequence[str]) -> None:
    m, n, k, a, lda, b, ldb, c, ldc = slots
    row, step = ("1", lda) if spec.a_transposed else (lda, "1")
    values = (m, n, k, a, row, step, b, ldb, c, ldc, str(spec.accumulate).lower())
    args = ", ".join(f"{p.split()[0]} {v}" for p, v in zip(PARAMETERS, values, strict=True))
    f.raw(f"call void @{product}({args})")
