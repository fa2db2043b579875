"""Elementary functions on other processors: objects that need no library, and the same bits in an emulator."""

import shutil
import subprocess

import numpy as np
import pytest

from scisim.compiler.cpu import emit
from scisim.compiler.cpu import target as targets
from scisim.compiler.scalar.namespace import Scalars
from tests.compiler.scalar import elf

UNARY = [
    *("sqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos"),
    *("atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "sigmoid", "sign", "floor", "round"),
]
BINARY = ["pow", "hypot", "atan2", "rem", "floor_divide", "max", "min"]
DTYPES = {"float32": "i32", "float64": "i64"}
OURS = {"_GLOBAL_OFFSET_TABLE_"}  # made by the linker
COUNT = 192


def expression(name, dtype):
    return lambda b, *operands: [getattr(Scalars(b, dtype), name)(*operands)]


def functions():
    """Name of each kernel, what it computes and the dtypes of its operands."""
    for dtype in DTYPES:
        for name in UNARY + BINARY:
            yield f"{name}.{dtype}", expression(name, dtype), [dtype] * (2 if name in BINARY else 1)


def module_of_all(write, target):
    module = emit.Module()
    for name, function, dtypes in functions():
        write(module, name, function, dtypes, target, target.lanes(dtypes[0]))
    return module


@pytest.mark.parametrize("target", [targets.aarch64(), targets.avx2(), targets.host()], ids=["aarch64", "avx2", "host"])
def test_objects_need_no_library(target, write):
    code = targets.compile_ir(module_of_all(write, target).text(target.attributes), target)
    if code.startswith(b"\x7fELF"):
        assert not elf.Object(code).undefined() - OURS
    assert code.startswith(b"\x7fELF") or target is targets.host()


def operand(dtype, k):
    """Numbers of every size and the special ones; backwards for the second operand."""
    rng, info = np.random.default_rng(8), np.finfo(dtype)
    wide = np.exp2(rng.uniform(info.minexp - info.nmant, info.maxexp - 1e-6, 64)) * rng.choice([-1, 1], 64)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, info.max, info.tiny, info.smallest_subnormal]
    x = np.concatenate([wide, rng.normal(size=96), rng.normal(size=21) * 30, special]).astype(dtype)
    return x[::-1].copy() if k else x


# A function (x0, x1, x2, number of the system call): mov x8, x3; svc #0; ret.
SYSTEM_CALL = "@system = internal constant [3 x i32] [i32 u0xAA0303E8, i32 u0xD4000001, i32 u0xD65F03C0], align 16"
WRITE, EXIT = 64, 94


def start(module):
    """``_start``: runs all kernels and writes their results to the standard output."""
    module.globals["system"] = SYSTEM_CALL
    lines = ["define void @_start() #0 {"]
    for name, _, dtypes in functions():
        bits, count = DTYPES[dtypes[0]], len(dtypes)
        result = f"internal global [{COUNT} x {bits}] zeroinitializer, align 64"
        operands = "".join(f"ptr @in.{dtypes[0]}.{k}, " for k in range(count))
        slots = f"{{ i64, {'ptr, ' * count}ptr }} {{ i64 {COUNT}, {operands}ptr @out.{name} }}, align 8"
        module.globals[f"out.{name}"] = f"@out.{name} = {result}"
        module.globals[f"args.{name}"] = f"@args.{name} = internal global {slots}"
        size = COUNT * int(bits[1:]) // 8
        lines.append(f"  call void @{name}(ptr @args.{name})")
        lines.append(f"  call i64 @system(i64 1, ptr @out.{name}, i64 {size}, i64 {WRITE})")
    lines += [f"  call i64 @system(i64 0, ptr null, i64 0, i64 {EXIT})", "  unreachable", "}"]
    for dtype, bits in DTYPES.items():
        for k in range(2):
            words = operand(dtype, k).view(bits.replace("i", "int"))
            entries = ", ".join(f"{bits} {w}" for w in words)
            constant = f"internal constant [{COUNT} x {bits}] [{entries}], align 64"
            module.globals[f"in.{dtype}.{k}"] = f"@in.{dtype}.{k} = {constant}"
    module.functions.append("\n".join(lines))


@pytest.mark.slow
def test_results_have_the_same_bits_in_an_emulator(write, run, tmp_path):
    target = targets.aarch64()
    module = module_of_all(write, target)
    start(module)
    llvm = targets.binding()
    parsed = llvm.parse_assembly(module.text(target.attributes))
    machine = llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=2, reloc="static", codemodel="small"
    )
    parsed.triple, parsed.data_layout = target.triple, str(machine.target_data)
    program = tmp_path / "program"
    program.write_bytes(elf.executable(machine.emit_object(parsed), "_start"))
    program.chmod(0o700)
    emulator = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
    if emulator is None:  # the program is whole all the same
        assert program.read_bytes()[18:20] == b"\xb7\x00"
        return
    done = subprocess.run([emulator, str(program)], capture_output=True, timeout=120, check=True)
    offset = 0
    for name, function, dtypes in functions():
        inputs = [operand(d, k) for k, d in enumerate(dtypes)]
        (wanted,) = run(function, inputs)
        found = np.frombuffer(done.stdout, wanted.dtype, COUNT, offset)
        offset += wanted.nbytes
        np.testing.assert_array_equal(found, wanted, err_msg=name)
        usual = ~np.isnan(wanted)
        assert np.array_equal(np.signbit(found[usual]), np.signbit(wanted[usual])), name
    assert offset == len(done.stdout)
