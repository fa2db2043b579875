"""What machine code is made for, and the step from LLVM IR to object code."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Any

from scisim.compiler.cpu.once import once

_WIDE = ("avx512f", "avx512dq", "avx512bw", "avx512vl")


@dataclass(frozen=True)
class Target:
    """A kind of processor.

    Attributes
    ----------
    triple : str
        As LLVM spells it.
    cpu : str
        LLVM's name of the processor.
    features : str
        What the processor has (``+avx2``) and lacks (``-avx512f``) beyond its name, separated by commas.
    vector_bits : int
        Width of the vectors that the generators write: 512, 256 or 128.
    """

    triple: str
    cpu: str
    features: str
    vector_bits: int

    def lanes(self, dtype_name: str) -> int:
        """How many numbers of a dtype fill a vector."""
        digits = re.search(r"\d+$", dtype_name)
        return self.vector_bits // (int(digits[0]) if digits else 8)

    @property
    def attributes(self) -> str:
        """What LLVM is told of every function: keep the full width, and kernels apart."""
        return f'nounwind noinline "prefer-vector-width"="{self.vector_bits}" "no-trapping-math"="true"'


@once
def binding() -> Any:
    """llvmlite's binding, ready for use; loaded with the first compiled program."""
    import llvmlite.binding as llvm

    if llvm.llvm_version_info[0] < 20:  # from LLVM 20 on it does this itself, and the call is refused
        llvm.initialize()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm


@once
def host() -> Target:
    """The processor that runs this."""
    llvm = binding()
    features = llvm.get_host_cpu_features()
    bits = 512 if all(features.get(f) for f in _WIDE) else 256 if features.get("avx2") else 128
    return Target(llvm.get_process_triple(), llvm.get_host_cpu_name(), features.flatten(), bits)


def avx2() -> Target:
    """A processor with 256-bit vectors and nothing of AVX-512; it runs on any that has AVX2."""
    triple = host().triple
    return Target(triple if triple.startswith("x86_64") else "x86_64-unknown-linux-gnu", "haswell", "", 256)


def aarch64() -> Target:
    """An ARM processor of 64 bits, with its 128-bit vectors."""
    return Target("aarch64-unknown-linux-gnu", "generic", "+neon", 128)


@functools.cache
def machine(target: Target, opt: int = 2) -> Any:
    """LLVM's code generator for a target; not to be used by two threads at once."""
    found = binding().Target.from_triple(target.triple)
    return found.create_target_machine(cpu=target.cpu, features=target.features, opt=opt, reloc="pic", jit=True)


def compile_ir(text: str, target: Target, quick: bool = False) -> bytes:
    """Object code of a module in LLVM's text form; only instructions are selected, no pass rewrites the module.

    ``quick`` compiles several times as fast, to code that does not run as fast.
    """
    module, generator = binding().parse_assembly(text), machine(target, 0 if quick else 2)
    module.triple, module.data_layout = generator.triple, str(generator.target_data)
    return generator.emit_object(module)


def assembly(text: str, target: Target) -> str:
    """The instructions that `compile_ir` selects, as text."""
    module, generator = binding().parse_assembly(text), machine(target)
    module.triple, module.data_layout = generator.triple, str(generator.target_data)
    return generator.emit_assembly(module)
