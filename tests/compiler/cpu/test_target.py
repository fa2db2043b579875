"""Targets: vectors as wide as the processor's, and object code for it and for others."""

import dataclasses

import pytest

from scisim.compiler.cpu.emit import Function, Module
from scisim.compiler.cpu.target import aarch64, avx2, compile_ir, host


def add_vectors(target):
    """One function that adds two whole vectors of doubles."""
    module = Module()
    f = Function(module, "add", ["ptr %a", "ptr %b"])
    type_ = f"<{target.lanes('float64')} x double>"
    f.store(type_, f.op("fadd", type_, f.load(type_, "%a", 8), f.load(type_, "%b", 8)), "%a", 8)
    f.done()
    return compile_ir(module.text(target.attributes), target)


def test_lanes_fill_a_vector():
    target = dataclasses.replace(host(), vector_bits=512)
    names = ("float64", "float32", "int16", "bool", "complex64", "bfloat16")
    assert [target.lanes(n) for n in names] == [8, 16, 32, 64, 8, 32]
    assert avx2().lanes("float32") == 8
    assert aarch64().lanes("float64") == 2


def test_host_is_found_once_and_can_be_a_key():
    assert host() is host()
    assert {host(): 1}[host()] == 1
    assert host().vector_bits in (128, 256, 512)


@pytest.mark.parametrize(("make", "machine"), [(host, None), (avx2, 62), (aarch64, 183)])
def test_objects_are_of_the_target(make, machine):
    code = add_vectors(make())
    assert code[:4] == b"\x7fELF"
    kind = int.from_bytes(code[18:20], "little")
    assert kind == machine if machine else kind in (62, 183)


def test_avx2_has_no_wide_registers():
    from scisim.compiler.cpu.target import binding, machine

    module = Module()
    f = Function(module, "add", ["ptr %a"])
    f.store("<16 x float>", f.op("fneg", "<16 x float>", f.load("<16 x float>", "%a", 4)), "%a", 4)
    f.done()
    text = machine(avx2()).emit_assembly(binding().parse_assembly(module.text(avx2().attributes)))
    assert "ymm" in text
    assert "zmm" not in text
