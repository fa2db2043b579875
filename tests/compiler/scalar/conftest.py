"""Scalar expressions compiled into a loop over arrays, and errors in units of the last place."""

import ctypes

import mpmath
import numpy as np
import pytest

from scisim.compiler.cpu import emit
from scisim.compiler.cpu import target as targets
from scisim.compiler.cpu.printer import Printer, scalar_type
from scisim.compiler.scalar.ir import Builder

BLOCK = 64  # a multiple of every number of lanes


def write_kernel(module, name, function, dtypes, target, lanes):
    """``name(ptr {count, operands..., results...})``, results of ``function(builder, *operands)``; their dtypes."""
    builder = Builder()
    results = function(builder, *(builder.node("load", (), d, (k, 0)) for k, d in enumerate(dtypes)))
    f = emit.Function(module, name, ["ptr %args"])
    pointers = [f.argument(1 + k, "ptr") for k in range(len(dtypes) + len(results))]

    def place(k, dtype, i):
        stored = "i8" if dtype == "bool" else scalar_type(dtype)
        return emit.vector(stored, lanes), f.at(stored, pointers[k], i)

    with f.loop(0, f.argument(0), lanes) as (i, _, _):

        def load(node):
            value = f.load(*place(node.attr[0], node.dtype, i), 1)
            bits = f"trunc {emit.vector('i8', lanes)} {value} to {emit.vector('i1', lanes)}"
            return f.value(bits) if node.dtype == "bool" else value

        printer = Printer(f, target, lanes, load, str)
        for k, node in enumerate(results):
            value = printer.value(node)
            if node.dtype == "bool":
                value = printer.cast(value, "bool", "int8")
            type_, pointer = place(len(dtypes) + k, node.dtype, i)
            f.store(type_, value, pointer, 1)
    f.done()
    return [node.dtype for node in results]


def padded(array):
    """The array and ones up to a whole number of blocks."""
    return np.concatenate([array, np.ones(-len(array) % BLOCK, array.dtype)])


def evaluate(function, arrays, target=None, lanes=None):
    """Results of ``function(builder, *operands)``, a list of nodes, for each element of the arrays."""
    target = target or targets.host()
    dtypes = [a.dtype.name for a in arrays]
    lanes = lanes or target.lanes(dtypes[0])
    module = emit.Module()
    found = write_kernel(module, "kernel", function, dtypes, target, lanes)
    code = targets.compile_ir(module.text(target.attributes), target)
    llvm = targets.binding()
    jit = llvm.create_lljit_compiler(targets.machine(targets.host()))
    image = llvm.JITLibraryBuilder().add_object_img(code).add_current_process().export_symbol("kernel")
    library = image.link(jit, "test")
    inputs = [padded(a) for a in arrays]
    results = [np.zeros(len(inputs[0]), d) for d in found]
    slots = (ctypes.c_int64 * (1 + len(inputs) + len(results)))(
        len(inputs[0]), *(a.ctypes.data for a in (*inputs, *results))
    )
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(library["kernel"])(ctypes.addressof(slots))
    return [r[: len(arrays[0])] for r in results]


def variants():
    """Targets that run here, and how many vectors at once; 0 stands for single numbers."""
    host, narrow = targets.host(), targets.avx2()
    pairs = [(host, 1), (host, 0)]
    if host.vector_bits == 512:
        pairs += [(narrow, 1)]
    return pairs


def evaluate_everywhere(function, arrays):
    """The same as `evaluate`, once it is seen that every variant gives the same bits."""
    first = None
    for target, vectors in variants():
        found = evaluate(function, arrays, target, max(1, vectors * target.lanes(arrays[0].dtype.name)))
        for x, y in zip(first or found, found, strict=True):
            np.testing.assert_array_equal(x, y)
            numbers = ~np.isnan(x) if x.dtype.kind == "f" else np.zeros(len(x), bool)
            assert np.array_equal(np.signbit(x[numbers]), np.signbit(y[numbers]))
        first = first or found
    return first


def units(found, exact):
    """Errors in units of the last place of the exact values, which are mpmath's."""
    digits, least = (24, -149) if found.dtype == np.float32 else (53, -1074)
    largest = float(np.finfo(found.dtype).max)
    errors = []
    for x, y in zip(found.tolist(), exact, strict=True):
        if mpmath.isnan(y) or np.isnan(x):
            errors.append(0.0 if mpmath.isnan(y) and np.isnan(x) else np.inf)
        elif mpmath.isinf(y):
            errors.append(0.0 if x == float(y) else np.inf)
        elif np.isinf(x):
            errors.append(_overflow(x, y, largest, digits))
        else:
            unit = mpmath.mpf(2) ** max(mpmath.frexp(y)[1] - digits if y else least, least)
            errors.append(float(abs(mpmath.mpf(x) - y) / unit))
    return np.array(errors)


def _overflow(x, y, largest, digits):
    """The error of an infinite result where the exact value is finite: infinity stands for the next power of two."""
    unit = mpmath.mpf(largest) * mpmath.mpf(2) ** -digits
    beyond = max(mpmath.mpf(largest) + unit - abs(y), 0) / unit
    return float(beyond) if (x > 0) == (y > 0) else np.inf


@pytest.fixture(scope="session")
def run():
    return evaluate


@pytest.fixture(scope="session")
def run_everywhere():
    return evaluate_everywhere


@pytest.fixture(scope="session")
def ulps():
    return units


@pytest.fixture(scope="session")
def write():
    return write_kernel
