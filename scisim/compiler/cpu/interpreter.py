"""The native interpreter of program images, written as LLVM IR.

`scisim_run` executes the instructions of an image (`records.INSTRUCTION`), the rest are its parts.  A region cuts
[0, extent) into tiles, gives each thread one run of whole tiles, and executes its body for each of them.
"""

from __future__ import annotations

from collections.abc import Callable

from scisim.compiler.cpu import pool, records
from scisim.compiler.cpu.emit import Function, Module
from scisim.compiler.cpu.records import ARGUMENT, INSTRUCTION, POOL, PROGRAM, SHARED, STATE, local
from scisim.compiler.cpu.target import Target

_LOOK_NS = 80_000_000  # how often signals are looked at
_HOLD_NS = 2_000_000  # how long a program keeps the GIL; other Python threads give it up as late


class Interpreter:
    """The kernel ``scisim_runtime(table)``, which tells the addresses of the functions that others call."""

    name = "scisim_runtime"
    functions = ("scisim_run", "scisim_stop")

    def emit(self, module: Module, target: Target) -> None:
        """Write all of the interpreter."""
        for write in (pool.write_wait, pool.write_spread):
            write(module, target)
        for write_plain in (pool.write_worker, pool.write_start, pool.write_stop, *_PARTS):
            write_plain(module)
        f = Function(module, self.name, ["ptr %table"])
        for k, name in enumerate(self.functions):
            f.store("ptr", f"@{name}", f.at("i64", "%table", k), 8)
        f.done()


def _write_argument(module: Module) -> None:
    """``scisim_argument(state, k)``: the value of an argument now."""
    f = Function(module, "scisim_argument", ["ptr %state", "i64 %k"], "i64")
    program = STATE.load(f, "%state", "program", "ptr")
    record = f.at("i64", PROGRAM.load(f, program, "arguments", "ptr"), f.mul("%k", ARGUMENT.size))
    frame = STATE.load(f, "%state", "frame", "ptr")
    total = f.load("i64", f.at("i64", frame, ARGUMENT.load(f, record, "slot")), 8)
    total = f.add(total, ARGUMENT.load(f, record, "offset"))
    for name in ("start", "length", "thread"):
        by = ARGUMENT.load(f, record, f"by_{name}")
        total = f.add(total, f.mul(STATE.load(f, "%state", name), by))
    f.done(f"i64 {total}")


def _write_fill(module: Module) -> None:
    """``scisim_fill(state, first, count, values)``: the values of arguments that follow one another."""
    f = Function(module, "scisim_fill", ["ptr %state", "i64 %first", "i64 %count", "ptr %values"])
    with f.loop(0, "%count") as (i, _, _):
        value = local(f, "i64", "scisim_argument", ("ptr", "%state"), ("i64", f.add("%first", i)))
        f.store("i64", value, f.at("i64", "%values", i), 8)
    f.done()


def _write_move(module: Module) -> None:
    """``scisim_move(state, first, count, tile)``: take the arguments that change with the start to the next tile."""
    f = Function(module, "scisim_move", ["ptr %state", "i64 %first", "i64 %count", "i64 %tile"])
    program, values = STATE.load(f, "%state", "program", "ptr"), STATE.load(f, "%state", "values", "ptr")
    table = f.at("i64", PROGRAM.load(f, program, "moving", "ptr"), "%first")
    arguments = PROGRAM.load(f, program, "arguments", "ptr")
    with f.loop(0, "%count") as (i, _, _):
        k = f.load("i64", f.at("i64", table, i), 8)
        by = ARGUMENT.load(f, f.at("i64", arguments, f.mul(k, ARGUMENT.size)), "by_start")
        place = f.at("i64", values, k)
        f.store("i64", f.add(f.load("i64", place, 8), f.mul(by, "%tile")), place, 8)
    f.done()


def _write_check(module: Module) -> None:
    """``scisim_check(state)``: let other Python threads run once this takes long, and signal handlers now and then.

    An exception stops the program.
    """
    f = Function(module, "scisim_check", ["ptr %state"])
    f.raw("%time = alloca [2 x i64]")
    shared = STATE.load(f, "%state", "shared", "ptr")
    now = pool.clock(f, coarse=True)
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


def _goes_on(f: Function) -> str:
    """Whether nothing has told the program to stop."""
    shared = STATE.load(f, "%state", "shared", "ptr")
    stop = f.value(f"load atomic i64, ptr {SHARED.address(f, shared, 'stop')} monotonic, align 8", pure=False)
    return f.op("icmp eq", "i64", stop, 0)


def _look(f: Function, state: str = "%state") -> None:
    """Look at signals, on the thread that called."""
    with f.when(f.op("icmp ne", "i64", STATE.load(f, state, "leader"), 0)):
        local(f, "void", "scisim_check", ("ptr", state))


def _execute(f: Function, first: str, last: str, state: str = "%state") -> None:
    local(f, "void", "scisim_execute", ("ptr", state), ("i64", first), ("i64", last))


def _write_execute(module: Module) -> None:
    """``scisim_execute(state, first, last)``: the instructions from one to before another."""
    f = Function(module, "scisim_execute", ["ptr %state", "i64 %first", "i64 %last"])
    program = STATE.load(f, "%state", "program", "ptr")
    code = PROGRAM.load(f, program, "code", "ptr")
    f.raw("br label %fetch")
    f.label("fetch")
    place = len(f.lines)
    f.raw("")
    f.raw(f"br i1 {f.op('icmp slt', 'i64', '%at', '%last')}, label %go, label %end")
    f.label("go")
    f.raw(f"br i1 {_goes_on(f)}, label %decode, label %end")
    f.label("decode")
    f.raw(f"%record = getelementptr i64, ptr {code}, i64 {f.mul('%at', INSTRUCTION.size)}")
    f.raw("%inside = add i64 %at, 1")
    cases = " ".join(f"i64 {op}, label %op{op}" for op in _OPERATIONS)
    f.raw(f"switch i64 {INSTRUCTION.load(f, '%record', 'op')}, label %end [{cases}]")
    arrivals = ["[%first, %entry]"]
    for op, write in _OPERATIONS.items():
        f.label(f"op{op}")
        following = write(f)
        arrivals.append(f"[{following}, %{f.block}]")
        f.raw("br label %fetch")
    f.lines[place] = f"  %at = phi i64 {', '.join(arrivals)}"
    f.label("end")
    f.done()


def _operand(f: Function, name: str) -> str:
    return INSTRUCTION.load(f, "%record", name)


def _value(f: Function, name: str) -> str:
    """The value of the argument whose number is a field of the instruction."""
    return local(f, "i64", "scisim_argument", ("ptr", "%state"), ("i64", _operand(f, name)))


def _address(f: Function, name: str) -> str:
    return f.convert("inttoptr", "i64", _value(f, name), "ptr")


def _slot(f: Function, name: str) -> str:
    return f.at("i64", STATE.load(f, "%state", "frame", "ptr"), _operand(f, name))


def _filled(f: Function, first: str, count: str) -> str:
    """Where the values of a call's arguments are; inside a plain region they are there already."""
    values, cached = STATE.load(f, "%state", "values", "ptr"), STATE.load(f, "%state", "cached")
    with f.when(f.op("icmp eq", "i64", cached, 0)):
        local(f, "void", "scisim_fill", ("ptr", "%state"), ("i64", first), ("i64", count), ("ptr", values))
        _look(f)
    return f.at("i64", values, f.mul(first, cached))


def _write_call(f: Function) -> str:
    """CALL kernel, first argument, count."""
    kernel = INSTRUCTION.load(f, "%record", "a", "ptr")
    f.raw(f"call void {kernel}(ptr {_filled(f, _operand(f, 'b'), _operand(f, 'c'))})")
    return "%inside"


def _write_host(f: Function) -> str:
    """HOST function, first argument, count: call Python with the address of the values."""
    program = STATE.load(f, "%state", "program", "ptr")
    hosts = PROGRAM.load(f, program, "hosts", "ptr")
    function = f.load("ptr", f.at("i64", hosts, _operand(f, "a")), 8)
    values = _filled(f, _operand(f, "b"), _operand(f, "c"))
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
    tiles = f.op("sdiv", "i64", f.op("sub", "i64", f.add(_value(f, "a"), _value(f, "b")), 1), _value(f, "b"))
    parallel = f.op("icmp ne", "i64", f.op("and", "i64", _operand(f, "i"), records.PARALLEL), 0)
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
    return _operand(f, "c")


def _write_for(f: Function) -> str:
    """FOR count, end."""
    end, count = _operand(f, "b"), _value(f, "a")
    stem, before = f.fresh("F"), f.block
    f.raw(f"br label %{stem}")
    f.label(stem)
    f.raw(f"%{stem}.i = phi i64 [0, %{before}], [%{stem}.next, %{stem}.body.end]")
    go = f.op("and", "i1", f.op("icmp slt", "i64", f"%{stem}.i", count), _goes_on(f))
    f.raw(f"br i1 {go}, label %{stem}.body, label %{stem}.end")
    f.label(f"{stem}.body")
    _execute(f, "%inside", end)
    _look(f)
    f.raw(f"br label %{stem}.body.end")
    f.label(f"{stem}.body.end")
    f.raw(f"%{stem}.next = add i64 %{stem}.i, 1")
    f.raw(f"br label %{stem}")
    f.label(f"{stem}.end")
    return end


def _write_while(f: Function) -> str:
    """WHILE predicate, end, middle: run the test, up to the middle, and while its byte is not 0 the rest."""
    end, middle = _operand(f, "b"), _operand(f, "c")
    stem = f.fresh("H")
    f.raw(f"br label %{stem}")
    f.label(stem)
    _execute(f, "%inside", middle)
    holds = f.op("icmp ne", "i8", f.load("i8", _address(f, "a"), 1), 0)
    f.raw(f"br i1 {f.op('and', 'i1', holds, _goes_on(f))}, label %{stem}.body, label %{stem}.end")
    f.label(f"{stem}.body")
    _execute(f, middle, end)
    _look(f)
    f.raw(f"br label %{stem}")
    f.label(f"{stem}.end")
    return end


def _write_cond(f: Function) -> str:
    """COND predicate, end, middle: where its byte is not 0 what comes before the middle, else the rest."""
    end, middle = _operand(f, "b"), _operand(f, "c")
    holds = f.op("icmp ne", "i8", f.load("i8", _address(f, "a"), 1), 0)
    first = f.value(f"select i1 {holds}, i64 %inside, i64 {middle}")
    _execute(f, first, f.value(f"select i1 {holds}, i64 {middle}, i64 {end}"))
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
    f.store("i64", f.add(f.load("i64", slot, 8), _value(f, "b")), slot, 8)
    return "%inside"


def _write_set(f: Function) -> str:
    """SET slot, value."""
    f.store("i64", _value(f, "b"), _slot(f, "a"), 8)
    return "%inside"


def _write_load(f: Function) -> str:
    """LOAD slot, address of an int64."""
    f.store("i64", f.load("i64", _address(f, "b"), 8), _slot(f, "a"), 8)
    return "%inside"


_OPERATIONS: dict[int, Callable[[Function], str]] = {
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


def _copied(f: Function, to: str, frm: str, words: str) -> None:
    bytes_ = f.mul(words, 8)
    f.call("void", "llvm.memcpy.p0.p0.i64", ("ptr", to), ("ptr", frm), ("i64", bytes_), ("i1", "false"))


def _write_share(module: Module) -> None:
    """``scisim_share(outer, at, thread, leader)``: the tiles of a region that are one thread's."""
    f = Function(module, "scisim_share", ["ptr %outer", "i64 %at", "i64 %thread", "i64 %leader"])
    program = STATE.load(f, "%outer", "program", "ptr")
    f.raw(
        f"%record = getelementptr i64, ptr {PROGRAM.load(f, program, 'code', 'ptr')}, "
        f"i64 {f.mul('%at', INSTRUCTION.size)}"
    )
    flags = _operand(f, "i")
    dynamic = f.op("icmp ne", "i64", f.op("and", "i64", flags, records.DYNAMIC), 0)
    parallel = f.op("icmp ne", "i64", f.op("and", "i64", flags, records.PARALLEL), 0)
    first, count, words = _operand(f, "e"), _operand(f, "f"), PROGRAM.load(f, program, "slots")
    f.raw(f"%state = alloca i64, i64 {STATE.size}, align 8")
    f.raw(f"%scratch = alloca i64, i64 {PROGRAM.load(f, program, 'widest')}, align 8")
    f.raw(f"%values = alloca i64, i64 {f.value(f'select i1 {dynamic}, i64 1, i64 {count}')}, align 8")
    f.raw(f"%frame = alloca i64, i64 {f.value(f'select i1 {dynamic}, i64 {words}, i64 1')}, align 8")
    _copied(f, "%state", "%outer", str(STATE.size))
    STATE.store(f, "%thread", "%state", "thread")
    STATE.store(f, "%leader", "%state", "leader")
    STATE.store(f, "%scratch", "%state", "values", "ptr")
    f.raw(f"%extent = add i64 {_value(f, 'a')}, 0")
    f.raw(f"%tile = add i64 {_value(f, 'b')}, 0")
    _execute(f, f.add("%at", 1), _operand(f, "d"))
    threads = POOL.load(f, PROGRAM.load(f, program, "pool", "ptr"), "threads")
    n = f.value(f"select i1 {parallel}, i64 {threads}, i64 1")
    tiles = f.op("sdiv", "i64", f.op("sub", "i64", f.add("%extent", "%tile"), 1), "%tile")
    bounds = [
        f.op("sdiv", "i64", f.op("sub", "i64", f.add(f.mul(t, tiles), n), 1), n)
        for t in ("%thread", f.add("%thread", 1))
    ]
    biased = f.at("i64", "%values", f.op("sub", "i64", 0, first))
    f.raw(f"br i1 {dynamic}, label %loops, label %plain")
    f.label("loops")
    STATE.store(f, "%frame", "%state", "frame", "ptr")
    f.raw("br label %ready")
    f.label("plain")
    STATE.store(f, biased, "%state", "values", "ptr")
    STATE.store(f, 1, "%state", "cached")
    f.raw("br label %ready")
    f.label("ready")
    _write_tiles(f, bounds, dynamic, words)
    f.done()


def _write_tiles(f: Function, bounds: list[str], dynamic: str, words: str) -> None:
    """Run the body of a region for a range of tiles."""
    begin, first, count = _operand(f, "d"), _operand(f, "e"), _operand(f, "f")
    f.raw("br label %tiles")
    f.label("tiles")
    f.raw(f"%k = phi i64 [{bounds[0]}, %ready], [%following, %body.end]")
    f.raw(f"br i1 {f.op('and', 'i1', f.op('icmp slt', 'i64', '%k', bounds[1]), _goes_on(f))}, label %body, label %end")
    f.label("body")
    start = f.mul("%k", "%tile")
    left = f.op("sub", "i64", "%extent", start)
    ragged = f.op("icmp slt", "i64", left, "%tile")
    STATE.store(f, start, "%state", "start")
    STATE.store(f, f.value(f"select i1 {ragged}, i64 {left}, i64 %tile"), "%state", "length")
    f.raw(f"br i1 {dynamic}, label %renew, label %place")
    f.label("renew")  # what a tile writes into the frame is its own
    _copied(f, "%frame", STATE.load(f, "%outer", "frame", "ptr"), words)
    f.raw("br label %run")
    f.label("place")
    fresh = f.op("or", "i1", ragged, f.op("icmp eq", "i64", "%k", bounds[0]))
    f.raw(f"br i1 {fresh}, label %fill, label %move")
    f.label("fill")
    local(f, "void", "scisim_fill", ("ptr", "%state"), ("i64", first), ("i64", count), ("ptr", "%values"))
    f.raw("br label %run")
    f.label("move")
    moving = [("i64", _operand(f, name)) for name in "gh"]
    local(f, "void", "scisim_move", ("ptr", "%state"), *moving, ("i64", "%tile"))
    f.raw("br label %run")
    f.label("run")
    _execute(f, begin, _operand(f, "c"))
    _look(f)
    f.raw("br label %body.end")
    f.label("body.end")
    f.raw("%following = add i64 %k, 1")
    f.raw("br label %tiles")
    f.label("end")


def _write_run(module: Module) -> None:
    """``scisim_run(program, frame)``: the whole program; 1 where a Python exception stopped it.

    The caller holds the GIL.  The frame is copied, so that it stays as it was.
    """
    f = Function(module, "scisim_run", ["ptr %program", "ptr %base"], "i64")
    f.raw("%time = alloca [2 x i64]")
    f.raw(f"%shared = alloca [{SHARED.size} x i64]")
    words = PROGRAM.load(f, "%program", "slots")
    f.raw(f"%state = alloca i64, i64 {STATE.size}, align 8")
    f.raw(f"%frame = alloca i64, i64 {words}, align 8")
    f.raw(f"%values = alloca i64, i64 {PROGRAM.load(f, '%program', 'widest')}, align 8")
    now = pool.clock(f, coarse=True)
    for word, value in {"stop": 0, "looked": now, "began": now, "thread": 0}.items():
        SHARED.store(f, value, "%shared", word)
    _copied(f, "%frame", "%base", words)
    first = {"program": "%program", "frame": "%frame", "values": "%values", "shared": "%shared"}
    for name, value in first.items():
        STATE.store(f, value, "%state", name, "ptr")
    for name, number in {"start": 0, "length": 1, "thread": 0, "leader": 1, "cached": 0}.items():
        STATE.store(f, number, "%state", name)
    f.store("i64", POOL.load(f, PROGRAM.load(f, "%program", "pool", "ptr"), "threads"), f.at("i64", "%frame", 1), 8)
    with f.when(f.op("icmp ne", "i64", PROGRAM.load(f, "%program", "release"), 0)):
        SHARED.store(f, f.call("ptr", "PyEval_SaveThread", pure=False), "%shared", "thread", "ptr")
    _execute(f, "0", PROGRAM.load(f, "%program", "instructions"))
    thread = SHARED.load(f, "%shared", "thread", "ptr")
    with f.when(f.op("icmp ne", "ptr", thread, "null")):
        f.call("void", "PyEval_RestoreThread", ("ptr", thread))
    f.done(f"i64 {SHARED.load(f, '%shared', 'stop')}")


_PARTS = (_write_argument, _write_fill, _write_move, _write_check, _write_execute, _write_share, _write_run)
