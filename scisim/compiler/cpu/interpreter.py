"""The native interpreter of program images, written as LLVM IR.

`scisim_run` executes the instructions of an image (`records.INSTRUCTION`), the rest are its parts.  A region cuts
[0, extent) into tiles, gives each thread one run of whole tiles, and executes its body for each of them.
"""

from __future__ import annotations

from scisim.compiler.cpu import pool_code, records
from scisim.compiler.cpu.emit import Function, Module
from scisim.compiler.cpu.instructions import OPERATIONS, execute, goes_on, look, operand, value, write_check
from scisim.compiler.cpu.records import ARGUMENT, INSTRUCTION, POOL, PROGRAM, SHARED, STATE, local
from scisim.compiler.cpu.target import Target


class Interpreter:
    """The kernel ``scisim_runtime(table)``, which tells the addresses of the functions that others call."""

    name = "scisim_runtime"
    functions = ("scisim_run", "scisim_stop")

    def emit(self, module: Module, target: Target) -> None:
        """Write all of the interpreter."""
        for write in (pool_code.write_wait, pool_code.write_spread):
            write(module, target)
        for write_plain in (pool_code.write_worker, pool_code.write_start, pool_code.write_stop, *_PARTS):
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
    f.raw(f"br i1 {goes_on(f)}, label %decode, label %end")
    f.label("decode")
    f.raw(f"%record = getelementptr i64, ptr {code}, i64 {f.mul('%at', INSTRUCTION.size)}")
    f.raw("%inside = add i64 %at, 1")
    cases = " ".join(f"i64 {op}, label %op{op}" for op in OPERATIONS)
    f.raw(f"switch i64 {INSTRUCTION.load(f, '%record', 'op')}, label %end [{cases}]")
    arrivals = ["[%first, %entry]"]
    for op, write in OPERATIONS.items():
        f.label(f"op{op}")
        following = write(f)
        arrivals.append(f"[{following}, %{f.block}]")
        f.raw("br label %fetch")
    f.lines[place] = f"  %at = phi i64 {', '.join(arrivals)}"
    f.label("end")
    f.done()


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
    flags = operand(f, "i")
    dynamic = f.op("icmp ne", "i64", f.op("and", "i64", flags, records.DYNAMIC), 0)
    parallel = f.op("icmp ne", "i64", f.op("and", "i64", flags, records.PARALLEL), 0)
    first, count, words = operand(f, "e"), operand(f, "f"), PROGRAM.load(f, program, "slots")
    f.raw(f"%state = alloca i64, i64 {STATE.size}, align 8")
    f.raw(f"%scratch = alloca i64, i64 {PROGRAM.load(f, program, 'widest')}, align 8")
    f.raw(f"%values = alloca i64, i64 {f.value(f'select i1 {dynamic}, i64 1, i64 {count}')}, align 8")
    f.raw(f"%frame = alloca i64, i64 {f.value(f'select i1 {dynamic}, i64 {words}, i64 1')}, align 8")
    _copied(f, "%state", "%outer", str(STATE.size))
    STATE.store(f, "%thread", "%state", "thread")
    STATE.store(f, "%leader", "%state", "leader")
    STATE.store(f, "%scratch", "%state", "values", "ptr")
    f.raw(f"%extent = add i64 {value(f, 'a')}, 0")
    f.raw(f"%tile = add i64 {value(f, 'b')}, 0")
    execute(f, f.add("%at", 1), operand(f, "d"))
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
    begin, first, count = operand(f, "d"), operand(f, "e"), operand(f, "f")
    f.raw("br label %tiles")
    f.label("tiles")
    f.raw(f"%k = phi i64 [{bounds[0]}, %ready], [%following, %body.end]")
    f.raw(f"br i1 {f.op('and', 'i1', f.op('icmp slt', 'i64', '%k', bounds[1]), goes_on(f))}, label %body, label %end")
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
    moving = [("i64", operand(f, name)) for name in "gh"]
    local(f, "void", "scisim_move", ("ptr", "%state"), *moving, ("i64", "%tile"))
    f.raw("br label %run")
    f.label("run")
    execute(f, begin, operand(f, "c"))
    look(f)
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
    now = pool_code.clock(f, coarse=True)
    for word, start in {"stop": 0, "looked": now, "began": now, "thread": 0}.items():
        SHARED.store(f, start, "%shared", word)
    _copied(f, "%frame", "%base", words)
    first = {"program": "%program", "frame": "%frame", "values": "%values", "shared": "%shared"}
    for name, pointer in first.items():
        STATE.store(f, pointer, "%state", name, "ptr")
    for name, number in {"start": 0, "length": 1, "thread": 0, "leader": 1, "cached": 0}.items():
        STATE.store(f, number, "%state", name)
    f.store("i64", POOL.load(f, PROGRAM.load(f, "%program", "pool", "ptr"), "threads"), f.at("i64", "%frame", 1), 8)
    with f.when(f.op("icmp ne", "i64", PROGRAM.load(f, "%program", "release"), 0)):
        SHARED.store(f, f.call("ptr", "PyEval_SaveThread", pure=False), "%shared", "thread", "ptr")
    execute(f, "0", PROGRAM.load(f, "%program", "instructions"))
    thread = SHARED.load(f, "%shared", "thread", "ptr")
    with f.when(f.op("icmp ne", "ptr", thread, "null")):
        f.call("void", "PyEval_RestoreThread", ("ptr", thread))
    f.done(f"i64 {SHARED.load(f, '%shared', 'stop')}")


_PARTS = (_write_argument, _write_fill, _write_move, write_check, _write_execute, _write_share, _write_run)
