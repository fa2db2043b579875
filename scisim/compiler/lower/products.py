"""Products of matrices as kernel calls: of one pair, with a row or column, and of stacks."""

from __future__ import annotations

from typing import Any

from scisim.compiler.cpu.products import BatchedProduct, product_kernel
from scisim.compiler.cpu.products_vector import MatrixVector
from scisim.compiler.lower.calls import Address, Call, Extent, address
from scisim.compiler.lower.layout import Buffer, Place, View
from scisim.core.graph import Equation

Args = list[Address | Extent]
WIDEST_PRODUCT = 512  # columns up to which products are generated


def fits(eq: Equation) -> bool:
    """Whether a product of real numbers is best generated; large ones are BLAS's."""
    (a, b), v = eq.args, eq.outs[0]
    rank = len(v.shape)
    if len({v.dtype for v in (a, b, v)}) > 1 or v.dtype.name not in ("float32", "float64") or rank > 3:
        return False
    k, n = b.shape[-2:]
    if a.shape == (1, k) and eq.prim.name == "matmul":
        return True  # every number of the matrix is needed once
    return n <= WIDEST_PRODUCT and (k <= WIDEST_PRODUCT or n <= WIDEST_PRODUCT // 4)


def product(block: Any, eq: Equation, count: int) -> None:
    """A product, or as many of them with stacked operands."""
    (a, b), v = eq.args, eq.outs[0]
    left, transposed = _left(block, a)
    adds, exact = block.whole(v) in block.sums, eq.prim.name == "zmatmul"
    name, columns = v.dtype.name, None if block.position(v) == len(v.shape) - 1 else v.shape[-1]
    args = _matrices(block, eq, count, left, transposed, _right(block, b))
    if len(v.shape) == 3:
        kernel: Any = BatchedProduct(name, transposed, adds, exact)
        steps = [_step(x, view) for x, view in ((a, left), (b, args[5].view), (v, args[7].view))]
        args = [_extent(block, v, 0), *args, *steps]
    elif v.shape[0] == 1 and columns != 1 and v.dtype.kind == "f" and not exact and count == 1:
        kernel, args = MatrixVector(name, True, adds), _turned(args, left.strides[1])
    else:
        kernel = product_kernel(name, transposed, adds, columns, exact)
    block.calls.append(Call(kernel, args, eq.prim.name))


def _matrices(block: Any, eq: Equation, count: int, left: View, transposed: bool, right: View) -> list[Any]:
    """The slots of one product."""
    a, v = eq.args[0], eq.outs[0]
    to, rank = block.local[v], len(v.shape)
    extents = [
        _extent(block, v, rank - 2, count),
        _extent(block, v, rank - 1),
        _extent(block, a, len(a.shape) - 1, count),
    ]
    lda = left.strides[-1] if transposed else left.strides[-2]
    places = ((left, lda), (right, right.strides[-2]), (to, to.strides[-2]))
    return [*extents, *(x for view, ld in places for x in (address(view), Extent(ld)))]


def _turned(args: Args, step: int) -> Args:
    """A row times a matrix, as that matrix, transposed, times a column."""
    _, n, k, row, _, matrix, ld, to, _ = args
    return [n, Extent(1), k, matrix, ld, row, Extent(step), to, Extent(1)]


def _step(x: Any, view: View) -> Extent:
    """From one matrix of a stack to the next."""
    return Extent(view.strides[0] if len(x.shape) == 3 and x.shape[0] > 1 else 0)


def _extent(block: Any, v: Any, axis: int, count: int = 1) -> Extent:
    return Extent(0, count) if block.position(v) == axis else Extent(v.shape[axis])


def _left(block: Any, a: Any) -> tuple[View, bool]:
    """The first operand of a product, and whether it is stored transposed."""
    view = block.view(a)
    if view is None:
        eq = block.roots.made[a]
        view = block.view(eq.args[0]).transposed(eq.params["perm"])
    m, k = a.shape[-2:]
    if k == 1 or view.strides[-1] == 1:
        return view, False
    if m == 1 or view.strides[-2] == 1:
        return view, True
    return _packed(block, a), False


def _right(block: Any, b: Any) -> View:
    view = block.view(b)
    if view is not None and (b.shape[-1] == 1 or view.strides[-1] == 1):
        return view
    return _packed(block, b)


def _packed(block: Any, x: Any) -> View:
    """A contiguous copy of an operand."""
    at = block.position(x)
    shape = tuple(block.tile if k == at else n for k, n in enumerate(x.shape))
    to = Buffer(Place.TILE, x.dtype, shape).view()
    block.calls.append(block.copied(x, to, x))
    return to
