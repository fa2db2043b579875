"""Large matrix products by the gemm of a library, called by its address."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scisim.compiler.cpu.blas import PREFIX
from scisim.compiler.cpu.emit import Function, literal
from scisim.compiler.cpu.products_block import number

if TYPE_CHECKING:
    from scisim.compiler.cpu.emit import Module
    from scisim.compiler.cpu.target import Target


@dataclass(frozen=True)
class BlasProduct:
    """C = op(A) @ B (+ C) by a library's gemm; slots as those of `Product`, and then the address of that function.

    Attributes
    ----------
    dtype : str
        float32, float64, complex64 or complex128.
    a_transposed, accumulate : bool
        As for `Product`.
    """

    dtype: str
    a_transposed: bool
    accumulate: bool

    @property
    def name(self) -> str:
        """One for each spec."""
        return f"blas_{self.dtype}_{'t' if self.a_transposed else 'n'}n{'_add' if self.accumulate else ''}"

    @property
    def function(self) -> str:
        """The function whose address goes to the last slot."""
        return PREFIX[self.dtype] + "gemm"

    def emit(self, module: Module, target: Target) -> None:
        """Write the kernel into a module. Fortran sees the transposes: C^T = B^T @ op(A)^T."""
        f = Function(module, self.name, ["ptr %args"])
        kinds = ("i64", "i64", "i64", "ptr", "i64", "ptr", "i64", "ptr", "i64", "ptr")
        m, n, k, a, lda, b, ldb, c, ldc, function = (f.argument(p, kind) for p, kind in enumerate(kinds))
        extents = [_held(f, "i64", v, 8) for v in (n, m, k)]
        inner = m if self.a_transposed else k
        lda, ldb, ldc = (_held(f, "i64", _at_least(f, ld, w), 8) for ld, w in ((lda, inner), (ldb, n), (ldc, n)))
        one, beta = (_scalar(f, self.dtype, v) for v in (1, int(self.accumulate)))
        flags = [_held(f, "i8", str(ord(x)), 1) for x in ("N", "T" if self.a_transposed else "N")]
        pointers = [*flags, *extents, one, b, ldb, a, lda, beta, c, ldc]
        f.raw(f"call void {function}({', '.join(f'ptr {p}' for p in pointers)}, i64 1, i64 1)")
        f.done()


def _held(f: Function, type_: str, value: str, align: int) -> str:
    """The address of a value on the stack."""
    place = f.value(f"alloca {type_}, align {align}", pure=False)
    f.store(type_, value, place, align)
    return place


def _scalar(f: Function, dtype: str, value: int) -> str:
    n = number(dtype)
    place = f.value(f"alloca [{n.parts} x {n.scalar}], align 8", pure=False)
    for part in range(n.parts):
        f.store(n.scalar, literal(0 if part else value, n.scalar), f.at(n.scalar, place, part), n.bytes)
    return place


def _at_least(f: Function, x: str, least: str) -> str:
    """The distance of rows as Fortran wants it, even where there is one row, or none."""
    least = f.call("i64", "llvm.smax.i64", ("i64", least), ("i64", "1"))
    return f.call("i64", "llvm.smax.i64", ("i64", x), ("i64", least))
