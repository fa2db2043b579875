"""The instructions of program images as native code: each function here writes one, and says where it goes on."""

from __future__ import annotations

from collections.abc import Callable

from scisim.compiler.cpu import pool_code, records
from scisim.compiler.cpu.emit import Function, Module
from scisim.compiler.cpu.records import INSTRUCTION, POOL, PROGRAM, SHARED, STATE, local

_LOOK_NS = 80_000_000  # how often signals are looked at
_HOLD_NS = 2_000_000  # how long a program keeps the GIL; other Python threads give it up as late


def write_check(module: Module) -> None:
    """``scisim_check(state)``: let other Python threads run once this takes long, and signal handlers now and then.

    An exception stops the program.
    """
    f = Function(module, "scisim_check", ["ptr %state"])
    f.raw("%time = alloca [2 x i64]")
    shared = STATE.load(f, "%state", "shared", "ptr")
    now = pool_code.clock(f, coarse=True)
    holds = f.op("icmp eq", "ptr", SHARED.load(f, shared, "thread", "ptr"), "null")
    with f.when(f.op("and", "i1", holds, _later(f, now, SHARED.load(f, shared, "began"), _HOLD_NS))):
        SHARED.store(f, f.call("ptr", "PyEval_SaveThread", pure=False), shared, "thread", "ptr")
    with f.when(_later(f, now, SHARED.load(f, shared, "looked"), _LOOK_NS)):
        SHARED.store(f, now, shared, "looked")
        held = f.call("i32", "PyGILState_Ensure", pure=False)
        raised = f.call("i32", "PyErr_CheckSignals", pure=False)
        f.call("void", "PyGILState_Release", ("i32", held))
        with f.when(f.op("icmp slt", "i32", raised, 0)):
            _stop(f, shared)
    f.done()


def _later(f: Function, now: str, then: str, by: int) -> str:
    return f.op("icmp sgt", "i64", f.op("sub", "i64", now, then), by)


def _stop(f: Function, shared: str) -> None:
    """Tell all threads that the program is over."""
    f.raw(f"store atomic i64 1, ptr {SHARED.address(f, shared, 'stop')} monotonic, align 8")


def goes_on(f: Function) -> str:
    """Whether nothing has told the program to stop."""
    shared = STATE.load(f, "%state", "shared", "ptr")
    stop = f.value(f"load atomic i64, ptr {SHARED.address(f, shared, 'stop')} monotonic, align 8", pure=False)
    return f.op("icmp eq", "i64", stop, 0)


def look(f: Function, state: str = "%state") -> None:
    """Look at signals, on the thread that called."""
    with f.when(f.op("icmp ne", "i64", STATE.load(f, state, "leader"), 0)):
        local(f, "void", "scisim_check", ("ptr", state))


def execute(f: Function, first: str, last: str, state: str = "%state") -> None:
    local(f, "void", "scisim_execute", ("ptr", state), ("i64", first), ("i64", last))


def operand(f: Function, name: str) -> str:
    return INSTRUCTION.load(f, "%record", name)


def value(f: Function, name: str) -> str:
    """The value of the argument whose number is a field of the instruction."""
    return local(f, "i64", "scisim_argument", ("ptr", "%state"), ("i64", operand(f, name)))


def _address(f: Function, name: str) -> str:
    return f.convert("inttoptr", "i64", value(f, name), "ptr")


def _slot(f: Function, name: str) -> str:
    return f.at("i64", STATE.load(f, "%state", "frame", "ptr"), operand(f, name))


def _filled(f: Function, first: str, count: str) -> str:
    """Where the values of a call's arguments are; inside a plain region they are there already."""
    values, cached = STATE.load(f, "%state", "values", "ptr"), STATE.load(f, "%state", "cached")
    with f.when(f.op("icmp eq", "i64", cached, 0)):
        local(f, "void", "scisim_fill", ("ptr", "%state"), ("i64", first), ("i64", count), ("ptr", values))
        look(f)
    return f.at("i64", values, f.mul(first, cached))


def _write_call(f: Function) -> str:
    """CALL kernel, first argument, count."""
    kernel = INSTRUCTION.load(f, "%record", "a", "ptr")
    f.raw(f"call void {kernel}(ptr {_filled(f, operand(f, 'b'), operand(f, 'c'))})")
    return "%inside"


def _write_host(f: Function) -> str:
    """HOST function, first argument, count: call Python with the address of the values."""
    program = STATE.load(f, "%state", "program", "ptr")
    hosts = PROGRAM.load(f, program, "hosts", "ptr")
    function = f.load("ptr", f.at("i64", hosts, operand(f, "a")), 8)
    values = _filled(f, operand(f, "b"), operand(f, "c"))
    held = f.call("i32", "PyGILState_Ensure", pure=False)
    number = f.call("ptr", "PyLong_FromVoidPtr", ("ptr", values), pure=False)
    result = f.call("ptr", "PyObject_CallOneArg", ("ptr", function), ("ptr", number), pure=False)
    f.call("void", "Py_DecRef", ("ptr", number))
    with f.when(f.op("icmp eq", "ptr", result, "null")):
        _stop(f, STATE.load(f, "%state", "shared", "ptr"))
    f.call("void", "Py_DecRef", ("ptr", result))
    f.call("void", "PyGILState_Release", ("i32", held))
    return "%inside"


def _write_region(f: Function) -> str:
    """REGION extent, tile, end, begin, first argument, count, first moving, moving count, flags."""
    program = STATE.load(f, "%state", "program", "ptr")
    pool_ = PROGRAM.load(f, program, "pool", "ptr")
    tiles = f.op("sdiv", "i64", f.op("sub", "i64", f.add(value(f, "a"), value(f, "b")), 1), value(f, "b"))
    parallel = f.op("icmp ne", "i64", f.op("and", "i64", operand(f, "i"), records.PARALLEL), 0)
    several = f.op("icmp sgt", "i64", POOL.load(f, pool_, "threads"), 1)
    many = f.op("and", "i1", f.op("and", "i1", parallel, several), f.op("icmp sgt", "i64", tiles, 1))
    f.raw(f"br i1 {many}, label %spread, label %serial")
    f.label("spread")
    local(f, "void", "scisim_spread", ("ptr", "%state"), ("i64", "%at"), ("ptr", pool_))
    f.raw("br label %regionend")
    f.label("serial")
    count = f.value(f"select i1 {parallel}, i64 {POOL.load(f, pool_, 'threads')}, i64 1")
    with f.loop(0, count) as (i, _, _):
        local(f, "void", "scisim_share", ("ptr", "%state"), ("i64", "%at"), ("i64", i), ("i64", 1))
    f.raw("br label %regionend")
    f.label("regionend")
    return operand(f, "c")


def _write_for(f: Function) -> str:
    """FOR count, end."""
    end, count = operand(f, "b"), value(f, "a")
    stem, before = f.fresh("F"), f.block
    f.raw(f"br label %{stem}")
    f.label(stem)
    f.raw(f"%{stem}.i = phi i64 [0, %{before}], [%{stem}.next, %{stem}.body.end]")
    go = f.op("and", "i1", f.op("icmp slt", "i64", f"%{stem}.i", count), goes_on(f))
    f.raw(f"br i1 {go}, label %{stem}.body, label %{stem}.end")
    f.label(f"{stem}.body")
    execute(f, "%inside", end)
    look(f)
    f.raw(f"br label %{stem}.body.end")
    f.label(f"{stem}.body.end")
    f.raw(f"%{stem}.next = add i64 %{stem}.i, 1")
    f.raw(f"br label %{stem}")
    f.label(f"{stem}.end")
    return end


def _write_while(f: Function) -> str:
    """WHILE predicate, end, middle: run the test, up to the middle, and while its byte is not 0 the rest."""
    end, middle = operand(f, "b"), operand(f, "c")
    stem = f.fresh("H")
    f.raw(f"br label %{stem}")
    f.label(stem)
    execute(f, "%inside", middle)
    holds = f.op("icmp ne", "i8", f.load("i8", _address(f, "a"), 1), 0)
    f.raw(f"br i1 {f.op('and', 'i1', holds, goes_on(f))}, label %{stem}.body, label %{stem}.end")
    f.label(f"{stem}.body")
    execute(f, middle, end)
    look(f)
    f.raw(f"br label %{stem}")
    f.label(f"{stem}.end")
    return end


def _write_cond(f: Function) -> str:
    """COND predicate, end, middle: where its byte is not 0 what comes before the middle, else the rest."""
    end, middle = operand(f, "b"), operand(f, "c")
    holds = f.op("icmp ne", "i8", f.load("i8", _address(f, "a"), 1), 0)
    first = f.value(f"select i1 {holds}, i64 %inside, i64 {middle}")
    execute(f, first, f.value(f"select i1 {holds}, i64 {middle}, i64 {end}"))
    return end


def _write_swap(f: Function) -> str:
    """SWAP slot, slot."""
    one, other = _slot(f, "a"), _slot(f, "b")
    x, y = f.load("i64", one, 8), f.load("i64", other, 8)
    f.store("i64", y, one, 8)
    f.store("i64", x, other, 8)
    return "%inside"


def _write_advance(f: Function) -> str:
    """ADVANCE slot, bytes."""
    slot = _slot(f, "a")
    f.store("i64", f.add(f.load("i64", slot, 8), value(f, "b")), slot, 8)
    return "%inside"


def _write_set(f: Function) -> str:
    """SET slot, value."""
    f.store("i64", value(f, "b"), _slot(f, "a"), 8)
    return "%inside"


def _write_load(f: Function) -> str:
    """LOAD slot, address of an int64."""
    f.store("i64", f.load("i64", _address(f, "b"), 8), _slot(f, "a"), 8)
    return "%inside"


OPERATIONS: dict[int, Callable[[Function], str]] = {
    records.CALL: _write_call,
    records.REGION: _write_region,
    records.FOR: _write_for,
    records.WHILE: _write_while,
    records.COND: _write_cond,
    records.SWAP: _write_swap,
    records.ADVANCE: _write_advance,
    records.SET: _write_set,
    records.LOAD: _write_load,
    records.HOST: _write_host,
}
