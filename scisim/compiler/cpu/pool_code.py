"""The native code of the pool: how workers wait for work, and how shares of a region are handed out."""

from __future__ import annotations

import signal
import sys

from scisim.compiler.cpu.emit import Function, Module
from scisim.compiler.cpu.records import POOL, WORKER, local
from scisim.compiler.cpu.target import Target

_CLOCK, _COARSE = (1, 6) if sys.platform == "linux" else (6, 6)  # CLOCK_MONOTONIC, CLOCK_MONOTONIC_COARSE


def _pause(f: Function, target: Target) -> None:
    """Tell the processor that a thread waits."""
    if target.triple.startswith("x86_64"):
        f.call("void", "llvm.x86.sse2.pause")
    elif target.triple.startswith("aarch64"):
        f.call("void", "llvm.aarch64.hint", ("i32", 1))


def clock(f: Function, coarse: bool = False) -> str:
    """Nanoseconds of a clock that never steps back; the coarse one steps every few milliseconds, and is quicker."""
    f.call("i32", "clock_gettime", ("i32", _COARSE if coarse else _CLOCK), ("ptr", "%time"), pure=False)
    seconds, nanoseconds = f.load("i64", "%time", 8), f.load("i64", f.at("i64", "%time", 1), 8)
    return f.add(f.mul(seconds, "1000000000"), nanoseconds)


def _atomic(f: Function, name: str, at: str = "%pool") -> str:
    return f.value(f"load atomic i64, ptr {POOL.address(f, at, name)} seq_cst, align 8", pure=False)


def _atomic_add(f: Function, name: str, by: int) -> str:
    return f.value(f"atomicrmw add ptr {POOL.address(f, '%pool', name)}, i64 {by} seq_cst", pure=False)


def _locked(f: Function, name: str) -> None:
    f.call("i32", name, ("ptr", POOL.address(f, "%pool", "mutex")), pure=False)


def _wake(f: Function) -> None:
    """Begin a new generation of work."""
    _atomic_add(f, "generation", 1)
    with f.when(f.op("icmp ne", "i64", _atomic(f, "sleepers"), 0)):
        _locked(f, "pthread_mutex_lock")
        f.call("i32", "pthread_cond_broadcast", ("ptr", POOL.address(f, "%pool", "condition")), pure=False)
        _locked(f, "pthread_mutex_unlock")


def write_wait(module: Module, target: Target) -> None:
    """``scisim_wait(pool, seen)``: return the generation once it is another than the one seen."""
    f = Function(module, "scisim_wait", ["ptr %pool", "i64 %seen"], "i64")
    f.raw("%time = alloca [2 x i64]")
    until = f.add(clock(f), POOL.load(f, "%pool", "spin"))
    f.raw("br label %spin")
    f.label("spin")
    for _ in range(16):  # the clock costs more than a look
        _pause(f, target)
    _pause(f, target)
    now = _atomic(f, "generation")
    f.raw(f"br i1 {f.op('icmp ne', 'i64', now, '%seen')}, label %found, label %again")
    f.label("again")
    f.raw(f"br i1 {f.op('icmp slt', 'i64', clock(f), until)}, label %spin, label %sleep")
    f.label("sleep")
    _locked(f, "pthread_mutex_lock")
    _atomic_add(f, "sleepers", 1)
    f.raw("br label %look")
    f.label("look")
    later = _atomic(f, "generation")
    f.raw(f"br i1 {f.op('icmp ne', 'i64', later, '%seen')}, label %woken, label %doze")
    f.label("doze")
    condition, mutex = POOL.address(f, "%pool", "condition"), POOL.address(f, "%pool", "mutex")
    f.call("i32", "pthread_cond_wait", ("ptr", condition), ("ptr", mutex), pure=False)
    f.raw("br label %look")
    f.label("woken")
    _atomic_add(f, "sleepers", -1)
    _locked(f, "pthread_mutex_unlock")
    f.raw("br label %found")
    f.label("found")
    f.done(f"i64 {f.value(f'phi i64 [{now}, %spin], [{later}, %woken]', pure=False)}")


def _take(f: Function, worker: str, generation: str) -> str:
    """Whether this thread is to run a worker's share of a generation of work; one that has ended is taken."""
    taken, before = WORKER.address(f, worker, "taken"), f.op("sub", "i64", generation, 1)
    pair = f.value(f"cmpxchg ptr {taken}, i64 {before}, i64 {generation} seq_cst seq_cst", pure=False)
    return f.value(f"extractvalue {{ i64, i1 }} {pair}, 1")


def _record(f: Function, number: str) -> str:
    """The record of a worker; the first is number 1."""
    workers = POOL.address(f, "%pool", "workers")
    return f.at("i64", workers, f.mul(f.op("sub", "i64", number, 1), WORKER.size))


def write_worker(module: Module) -> None:
    """``scisim_worker(record)``: the life of a thread."""
    f = Function(module, "scisim_worker", ["ptr %worker"], "ptr")
    pool_, number = WORKER.load(f, "%worker", "pool", "ptr"), WORKER.load(f, "%worker", "number")
    f.raw(f"%pool = getelementptr i8, ptr {pool_}, i64 0")
    first = WORKER.load(f, "%worker", "taken")
    f.raw("br label %next")
    f.label("next")
    f.raw(f"%seen = phi i64 [{first}, %entry], [%now, %work], [%now, %share]")
    f.raw("%now = call i64 @scisim_wait(ptr %pool, i64 %seen)")
    f.raw(f"br i1 {f.op('icmp ne', 'i64', POOL.load(f, '%pool', 'quit'), 0)}, label %end, label %work")
    f.label("work")
    f.raw(f"br i1 {_take(f, '%worker', '%now')}, label %share, label %next")
    f.label("share")
    state, at = POOL.load(f, "%pool", "state", "ptr"), POOL.load(f, "%pool", "instruction")
    local(f, "void", "scisim_share", ("ptr", state), ("i64", at), ("i64", number), ("i64", 0))
    _atomic_add(f, "pending", -1)
    f.raw("br label %next")
    f.label("end")
    f.done("ptr null")


def _signals(f: Function, restore: bool = False) -> None:
    """Block the signals that are not about what a thread does itself, so that Python's main thread gets them."""
    if not restore:
        f.call("i32", "sigfillset", ("ptr", "%signals"), pure=False)
        for own in (signal.SIGSEGV, signal.SIGFPE, signal.SIGBUS, signal.SIGILL, signal.SIGABRT):
            f.call("i32", "sigdelset", ("ptr", "%signals"), ("i32", int(own)), pure=False)
    now, before = ("%before", "null") if restore else ("%signals", "%before")
    f.call("i32", "pthread_sigmask", ("i32", int(signal.SIG_SETMASK)), ("ptr", now), ("ptr", before), pure=False)


def write_start(module: Module) -> None:
    """``scisim_start(pool)``: create the workers; ``started`` counts the caller and those that came to be."""
    f = Function(module, "scisim_start", ["ptr %pool"])
    f.raw("%signals = alloca [16 x i64]")
    f.raw("%before = alloca [16 x i64]")
    f.call("i32", "pthread_mutex_init", ("ptr", POOL.address(f, "%pool", "mutex")), ("ptr", "null"), pure=False)
    f.call("i32", "pthread_cond_init", ("ptr", POOL.address(f, "%pool", "condition")), ("ptr", "null"), pure=False)
    _signals(f)
    POOL.store(f, 1, "%pool", "started")
    count, before = POOL.load(f, "%pool", "threads"), f.block
    f.raw("br label %next")
    f.label("next")
    f.raw(f"%i = phi i64 [1, %{before}], [%following, %made]")
    f.raw(f"br i1 {f.op('icmp slt', 'i64', '%i', count)}, label %make, label %end")
    f.label("make")
    record = _record(f, "%i")
    WORKER.store(f, "%pool", record, "pool", "ptr")
    WORKER.store(f, "%i", record, "number")
    args = (("ptr", WORKER.address(f, record, "thread")), ("ptr", "null"), ("ptr", "@scisim_worker"), ("ptr", record))
    failed = f.call("i32", "pthread_create", *args, pure=False)
    f.raw(f"br i1 {f.op('icmp eq', 'i32', failed, 0)}, label %made, label %end")
    f.label("made")
    f.raw("%following = add i64 %i, 1")
    POOL.store(f, "%following", "%pool", "started")
    f.raw("br label %next")
    f.label("end")
    _signals(f, restore=True)
    f.done()


def _claim(f: Function) -> str:
    """Whether the pool is ours now."""
    busy = POOL.address(f, "%pool", "busy")
    pair = f.value(f"cmpxchg ptr {busy}, i64 0, i64 1 seq_cst seq_cst", pure=False)
    return f.value(f"extractvalue {{ i64, i1 }} {pair}, 1")


def _share(f: Function, number: object) -> None:
    """Run a share on this thread."""
    local(f, "void", "scisim_share", ("ptr", "%state"), ("i64", "%at"), ("i64", number), ("i64", 1))


def write_spread(module: Module, target: Target) -> None:
    """``scisim_spread(state, at, pool)``: run the region at an instruction on all threads."""
    f = Function(module, "scisim_spread", ["ptr %state", "i64 %at", "ptr %pool"])
    count = POOL.load(f, "%pool", "threads")
    f.raw(f"br i1 {_claim(f)}, label %claimed, label %busy")
    f.label("claimed")
    with f.when(f.op("icmp eq", "i64", POOL.load(f, "%pool", "started"), 0)):
        local(f, "void", "scisim_start", ("ptr", "%pool"))
    POOL.store(f, "%state", "%pool", "state", "ptr")
    POOL.store(f, "%at", "%pool", "instruction")
    POOL.store(f, f.op("sub", "i64", count, 1), "%pool", "pending")
    _wake(f)
    _share(f, 0)
    now = _atomic(f, "generation")
    with f.loop(1, count) as (i, _, _), f.when(_take(f, _record(f, i), now)):
        _share(f, i)
        _atomic_add(f, "pending", -1)
    _write_join(f, target)
    f.raw(f"store atomic i64 0, ptr {POOL.address(f, '%pool', 'busy')} seq_cst, align 8")
    f.raw("ret void")
    f.label("busy")
    with f.loop(0, count) as (i, _, _):
        _share(f, i)
    f.done()


def _write_join(f: Function, target: Target) -> None:
    """Wait for the workers; after a while let others have the core, and look at signals."""
    before = f.block
    f.raw("br label %join")
    f.label("join")
    f.raw(f"%looks = phi i64 [0, %{before}], [%more, %wait], [%more, %yield]")
    _pause(f, target)
    f.raw(f"br i1 {f.op('icmp eq', 'i64', _atomic(f, 'pending'), 0)}, label %joined, label %wait")
    f.label("wait")
    f.raw("%more = add i64 %looks, 1")
    f.raw(f"br i1 {f.op('icmp slt', 'i64', '%looks', 2000)}, label %join, label %yield")
    f.label("yield")
    f.call("i32", "sched_yield", pure=False)
    local(f, "void", "scisim_check", ("ptr", "%state"))
    f.raw("br label %join")
    f.label("joined")


def write_stop(module: Module) -> None:
    """``scisim_stop(pool)``: end the workers for good, unless a program is running on them."""
    f = Function(module, "scisim_stop", ["ptr %pool"])
    started = POOL.load(f, "%pool", "started")
    with f.when(f.op("icmp sgt", "i64", started, 1)), f.when(_claim(f)):
        POOL.store(f, 1, "%pool", "quit")
        _wake(f)
        with f.loop(1, started) as (i, _, _):
            thread = WORKER.load(f, _record(f, i), "thread")
            f.call("i32", "pthread_join", ("i64", thread), ("ptr", "null"), pure=False)
    f.done()
