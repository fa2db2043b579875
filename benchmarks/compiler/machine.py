"""Limits of the machine, measured in the same run: fused multiply-adds, and bytes to and from memory.

The loops are LLVM's intermediate language, so that no compiler's choices stand between the figure and the machine.
"""

import ctypes
import functools
import threading
from collections.abc import Callable
from typing import Any

ACCUMULATORS = 10  # more than latency times ports, fewer than 16 registers less two operands
TURNS = 2_000_000

_FMA = """
declare {vec} @llvm.fma.{suffix}({vec}, {vec}, {vec})
define void @fma(i64 %turns, ptr %out) #0 {{
start:
  br label %loop
loop:
  %i = phi i64 [ 0, %start ], [ %next, %loop ]
{phis}
{steps}
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %turns
  br i1 %more, label %loop, label %done
done:
{sums}
  store {vec} %s{last}, ptr %out, align 8
  ret void
}}
"""

_TRIAD = """
define void @{name}(ptr noalias %x, ptr noalias %z, ptr noalias %y, i64 %begin, i64 %end) #0 {{
start:
  br label %loop
loop:
  %i = phi i64 [ %begin, %start ], [ %next, %loop ]
  %px = getelementptr double, ptr %x, i64 %i
  %pz = getelementptr double, ptr %z, i64 %i
  %py = getelementptr double, ptr %y, i64 %i
  %vx = load {vec}, ptr %px, align 8
  %vz = load {vec}, ptr %pz, align 8
  %ax = fmul {vec} %vx, {three}
  %bz = fmul {vec} %vz, {three}
  %s = fadd contract {vec} %ax, %bz
  %t = fadd contract {vec} %s, {three}
  store {vec} %t, ptr %py, align {align}{hint}
  %next = add i64 %i, {lanes}
  %more = icmp slt i64 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""
_ATTRIBUTES = '\nattributes #0 = { nounwind "prefer-vector-width"="512" }\n!0 = !{i32 1}\n'


def fma(dtype: str, threads: int) -> Callable[[], None]:
    """A call of `fma_gflop(dtype, threads)` operations on all cores."""
    keep, address = _compiled(_fma_text(dtype), "fma")
    run = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)(address)
    outs = [ctypes.create_string_buffer(128) for _ in range(threads)]

    def call() -> None:
        _together([functools.partial(run, TURNS, out) for out in outs])

    call.keep = keep  # type: ignore[attr-defined]
    return call


def fma_gflop(dtype: str, threads: int) -> float:
    """What a call of `fma` computes."""
    return 2e-9 * TURNS * ACCUMULATORS * _lanes(dtype) * threads


def triad(points: int, threads: int, streaming: bool) -> Any:
    """y = a x + b z + c in float64; streaming stores leave out the read of what is overwritten."""
    import numpy as np

    lanes = _lanes("float64")
    keep, address = _compiled(_triad_text(streaming), "triad")
    run = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64, ctypes.c_int64)(address)
    x, z, y = (_aligned(np.full(points, v)) for v in (1.0, 2.0, 0.0))
    share = points // threads // lanes * lanes
    bounds = [(k * share, (k + 1) * share) for k in range(threads)]
    jobs = [functools.partial(run, x.ctypes.data, z.ctypes.data, y.ctypes.data, a, b) for a, b in bounds]

    def call() -> None:
        _together(jobs)

    call.keep = keep, x, z, y  # type: ignore[attr-defined]
    return call, lambda: y[:share]


def fill(megabytes: float) -> Callable[[], None]:
    """Writes to memory by one thread."""
    import numpy as np

    array = np.zeros(int(megabytes * 1e6) // 8)
    return lambda: array.fill(1.0)


def _together(jobs: list[Callable[[], object]]) -> None:
    others = [threading.Thread(target=job) for job in jobs[1:]]
    for thread in others:
        thread.start()
    jobs[0]()
    for thread in others:
        thread.join()


def _aligned(a: Any) -> Any:
    import numpy as np

    space = np.empty(a.size + 8)
    start = -(space.ctypes.data // 8) % 8
    space[start : start + a.size] = a
    return space[start : start + a.size]


@functools.cache
def _vector_bytes() -> int:
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    return 64 if features.get("avx512f") else 32 if features.get("avx2") else 16


def _lanes(dtype: str) -> int:
    return _vector_bytes() // {"float32": 4, "float64": 8}[dtype]


def _fma_text(dtype: str) -> str:
    scalar = {"float32": "float", "float64": "double"}[dtype]
    lanes, numbers = _lanes(dtype), range(ACCUMULATORS)
    vec = f"<{lanes} x {scalar}>"
    half, one = (f"<{', '.join([f'{scalar} {text}'] * lanes)}>" for text in ("5.0e-1", "1.0"))
    suffix = f"v{lanes}f{32 if dtype == 'float32' else 64}"
    step = f"call {vec} @llvm.fma.{suffix}"
    return _FMA.format(
        vec=vec,
        suffix=suffix,
        phis="\n".join(f"  %a{k} = phi {vec} [ zeroinitializer, %start ], [ %b{k}, %loop ]" for k in numbers),
        steps="\n".join(f"  %b{k} = {step}({vec} %a{k}, {vec} {half}, {vec} {one})" for k in numbers),
        sums="\n".join(
            f"  %s{k} = fadd {vec} %b{k}, {f'%s{k - 1}' if k > 1 else '%b0'}" for k in range(1, ACCUMULATORS)
        ),
        last=ACCUMULATORS - 1,
    )


def _triad_text(streaming: bool) -> str:
    lanes = _lanes("float64")
    three = f"<{', '.join(['double 3.0'] * lanes)}>"
    hint = ", !nontemporal !0" if streaming else ""
    return _TRIAD.format(
        name="triad", vec=f"<{lanes} x double>", three=three, hint=hint, lanes=lanes, align=_vector_bytes()
    )


def _compiled(text: str, name: str) -> tuple[Any, int]:
    """What keeps the code alive, and its address."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2, jit=True
    )
    module = llvm.parse_assembly(text + _ATTRIBUTES)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine, engine.get_function_address(name)
