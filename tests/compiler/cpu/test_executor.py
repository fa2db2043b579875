"""The native interpreter: regions over threads, loops, conditions, slots, Python functions, signals, forks."""

import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

from scisim.compiler.cpu.emit import Function, Module
from scisim.compiler.cpu.entry_code import EntryPoint
from scisim.compiler.cpu.executor import Executor, executor
from scisim.compiler.cpu.image import LENGTH, START, THREADS, Arg, Image, number
from scisim.compiler.cpu.interpreter import Interpreter
from scisim.compiler.cpu.library import host_library
from scisim.compiler.cpu.pool import Pool
from scisim.compiler.cpu.target import aarch64, avx2, compile_ir
from scisim.core.errors import ArgumentError, FileError
from scisim.core.machine import threads


class Increment:
    """y[i] = x[i] + 1 for n numbers."""

    name = "test_increment"

    def emit(self, module, target):
        f = Function(module, self.name, ["ptr %args"])
        x, y = f.argument(0, "ptr"), f.argument(1, "ptr")
        with f.loop(0, f.argument(2)) as (i, _, _):
            new = f.op("fadd", "double", f.load("double", f.at("double", x, i), 8), "1.0")
            f.store("double", new, f.at("double", y, i), 8)
        f.done()


class Note:
    """Append a number of words to a list: list[0] is its length."""

    name = "test_note"

    def emit(self, module, target):
        f = Function(module, self.name, ["ptr %args"])
        notes, count = f.argument(0, "ptr"), f.argument(1)
        length = f.load("i64", notes, 8)
        with f.loop(0, count) as (i, _, _):
            value = f.load("i64", f.at("i64", "%args", f.add(i, 2)), 8)
            f.store("i64", value, f.at("i64", notes, f.add(f.add(length, i), 1)), 8)
        f.store("i64", f.add(length, count), notes, 8)
        f.done()


class Below:
    """Whether x[0] < limit, as a byte."""

    name = "test_below"

    def emit(self, module, target):
        f = Function(module, self.name, ["ptr %args"])
        x = f.load("double", f.argument(0, "ptr"), 8)
        limit = f.convert("sitofp", "i64", f.argument(1), "double")
        f.store("i8", f.convert("zext", "i1", f.op("fcmp olt", "double", x, limit), "i8"), f.argument(2, "ptr"), 1)
        f.done()


KERNELS = [Increment(), Note(), Below()]
X, Y, FLAG, NOTES = 2, 3, 4, 5


def run(image, x=None, y=None, flag=None, notes=None, ex=None, hosts=()):
    ex = ex or executor()
    program = ex.bind(image, KERNELS, hosts)
    frame = program.frame()
    for slot, a in {X: x, Y: y, FLAG: flag, NOTES: notes}.items():
        if a is not None:
            frame[slot] = a.ctypes.data
    before = frame.copy()
    ex.run(program, frame)
    assert np.array_equal(frame, before)


def increment(image, to=Y):
    image.call("test_increment", [Arg(X, by_start=8), Arg(to, by_start=8), LENGTH])


def noted(notes):
    return notes[1 : 1 + notes[0]].tolist()


@pytest.fixture
def with_threads(monkeypatch):
    """An executor with a pool of its own."""
    from scisim.compiler.cpu import executor as module

    made = []

    def make(count):
        made.append(Pool(count))
        monkeypatch.setattr(module, "pool", lambda: made[-1])
        return Executor(host_library())

    yield make
    import ctypes

    stop = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(executor().functions["scisim_stop"])
    for pool in made:
        stop(pool.address)


@pytest.mark.parametrize("count", [1, 2, 3, 7])
@pytest.mark.parametrize("extent", [0, 1, 5, 64, 65, 1000])
@pytest.mark.parametrize("parallel", [True, False])
def test_a_region_covers_its_extent_once(with_threads, count, extent, parallel):
    image = Image(6)
    with image.region(extent, 16, parallel):
        increment(image)
        image.call("test_increment", [Arg(Y, by_start=8), Arg(Y, by_start=8), LENGTH])
    x, y = np.arange(float(extent + 3)), np.full(extent + 3, -1.0)
    ex = with_threads(count)
    for _ in range(50):
        run(image, x, y, ex=ex)
    assert np.array_equal(y[:extent], x[:extent] + 2)
    assert (y[extent:] == -1).all()


@pytest.mark.parametrize("count", [1, 3, 4])
def test_threads_take_runs_of_whole_tiles_in_order(with_threads, count):
    image = Image(6)
    with image.region(10, 3) as region:
        image.call("test_note", [Arg(NOTES, by_thread=800), number(1), Arg(0, 1000)])  # once a thread
        region.rest()
        image.call("test_note", [Arg(NOTES, by_thread=800), number(3), START, LENGTH, Arg(0, 0, by_thread=1)])
    notes = np.zeros((count, 100), np.int64)
    run(image, notes=notes, ex=with_threads(count))
    tiles = [[start, min(3, 10 - start)] for start in range(0, 10, 3)]
    for t in range(count):
        mine = tiles[-(-t * 4 // count) : -(-(t + 1) * 4 // count)]
        assert noted(notes[t]) == [1000] + [n for tile in mine for n in (*tile, t)]


def test_loops_and_conditions_inside_a_region_have_slots_of_their_own(with_threads):
    image = Image(6)
    with image.region(40, 8):
        image.set(X, Arg(X, by_start=8))
        with image.for_loop(3):
            image.call("test_increment", [Arg(X), Arg(X), LENGTH])
    x = np.zeros(40)
    run(image, x, ex=with_threads(3))
    assert (x == 3).all()


def test_arguments_outside_of_regions():
    image = Image(6)
    args = [Arg(THREADS), START, LENGTH, Arg(0, 7, 5, 100, 9), number(-3)]
    image.call("test_note", [Arg(NOTES), number(len(args)), *args])
    notes = np.zeros(20, np.int64)
    run(image, notes=notes)
    assert noted(notes) == [threads(), 0, 1, 107, -3]


def test_for_loop_with_slots_that_advance_and_swap():
    image = Image(6)
    image.load(Y, Arg(Y))  # the count is data
    with image.for_loop(Arg(Y)):
        image.call("test_increment", [Arg(X), Arg(X), number(1)])
        image.advance(X, 8)
    image.set(X, Arg(FLAG))
    image.swap(X, NOTES)
    image.call("test_increment", [Arg(NOTES), Arg(X, 8), number(1)])
    x, count, flag, notes = np.zeros(6), np.array([4]), np.full(2, 10.0), np.zeros(4)
    run(image, x, count, flag, notes)
    assert x.tolist() == [1, 1, 1, 1, 0, 0]
    assert notes.tolist() == [0, 11, 0, 0]


def test_while_loop_and_nested_blocks():
    image = Image(6)
    with image.while_loop(Arg(FLAG)) as loop:
        image.call("test_below", [Arg(X), number(10), Arg(FLAG)])
        loop.rest()
        with image.for_loop(2):
            image.call("test_increment", [Arg(X), Arg(X), number(1)])
        with image.region(20, 4):
            image.call("test_increment", [Arg(Y, by_start=8), Arg(Y, by_start=8), LENGTH])
    x, y = np.array([1.0]), np.zeros(20)
    run(image, x, y, np.zeros(1, np.uint8))
    assert x.tolist() == [11]
    assert (y == 5).all()


@pytest.mark.parametrize("second", [True, False])
@pytest.mark.parametrize("holds", [True, False])
def test_cond(holds, second):
    image = Image(6)
    with image.cond(Arg(FLAG)) as branch:
        image.call("test_note", [Arg(NOTES), number(1), number(1)])
        if second:
            branch.rest()
            image.call("test_note", [Arg(NOTES), number(1), number(2)])
    image.call("test_note", [Arg(NOTES), number(1), number(3)])
    notes = np.zeros(9, np.int64)
    run(image, flag=np.array([holds]), notes=notes)
    assert noted(notes) == ([1, 3] if holds else [2, 3] if second else [3])


def test_python_functions_are_called_with_their_arguments():
    import ctypes

    seen = []

    def host(address):
        seen.append(list((ctypes.c_int64 * 2).from_address(address)))

    image = Image(6)
    with image.for_loop(2):
        image.host(0, [number(5), Arg(THREADS)])
    count = sys.getrefcount(host)
    run(image, hosts=[host])
    assert seen == [[5, threads()]] * 2
    assert sys.getrefcount(host) == count


def test_an_exception_of_a_python_function_stops_the_program():
    def host(address):
        raise ZeroDivisionError("within")

    image = Image(6)
    with image.for_loop(5):
        image.call("test_increment", [Arg(X), Arg(X), number(1)])
        image.host(0, [])
    increment(image)
    x, y = np.zeros(1), np.zeros(1)
    with pytest.raises(ZeroDivisionError, match="within"):
        run(image, x, y, hosts=[host])
    assert (x[0], y[0]) == (1, 0)


def test_a_saved_image_is_the_same_program(tmp_path):
    image = Image(6)
    with image.region(50, 8):
        increment(image)
    with image.cond(Arg(X)):
        image.swap(X, Y)
    np.savez(tmp_path / "image.npz", **image.arrays())
    with np.load(tmp_path / "image.npz", allow_pickle=False) as saved:
        again = Image.of(saved, image.kernels)
    assert again.code == image.code
    x, y = np.arange(50.0), np.zeros(50)
    run(again, x, y)
    assert np.array_equal(y, x + 1)


@pytest.mark.parametrize("place", [(0, 0), (0, 1), (0, 3), (0, 5), (0, 6), (1, 1), (1, 2), (1, 3), (2, 1), (2, 2)])
def test_a_damaged_image_is_refused(place):
    image = Image(6)
    with image.region(50, 8):
        increment(image)
    image.swap(X, Y)
    arrays = image.arrays()
    arrays["code"][place] = 77
    with pytest.raises(FileError, match="damaged"):
        Image.of(arrays, image.kernels)
    with pytest.raises(FileError, match="damaged"):
        Image.of({k: v for k, v in arrays.items() if k != "moving"}, image.kernels)


def test_misuse_is_refused():
    image = Image(6)
    with image.region(5, 5):
        increment(image)
        with pytest.raises(ArgumentError, match=r"a region.*inside of a region"), image.region(5, 5):
            pass
    with pytest.raises(ArgumentError, match="calls kernels"):
        executor().bind(image, [])
    program = executor().bind(image, KERNELS)
    with pytest.raises(ArgumentError, match="the frame has dtype int64 and shape"):
        executor().run(program, np.zeros(3, np.int64))
    image.host(1, [])
    with pytest.raises(ArgumentError, match="2 Python functions, and 0 are given"):
        executor().bind(image, KERNELS)


def test_python_threads_run_programs_at_once(with_threads):
    ex = with_threads(2)
    image = Image(6)
    with image.region(4000, 16):
        increment(image)
    wrong = []

    def work(k):
        x, y = np.full(4000, float(k)), np.zeros(4000)
        for _ in range(100):
            y[:] = 0
            run(image, x, y, ex=ex)
            if not (y == k + 1).all():
                wrong.append(k)

    workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for w in workers:
        w.start()
    for w in workers:
        w.join(60)
    assert not wrong
    assert not any(w.is_alive() for w in workers)


@pytest.mark.parametrize("release", [True, False])
def test_a_long_program_lets_other_threads_run(release):
    x, y = np.zeros(8), np.zeros(8)
    image = Image(6)
    with image.while_loop(Arg(FLAG)) as loop:
        increment(image)
        loop.rest()
    flag = np.ones(1, np.uint8)
    program = executor().bind(image, KERNELS, release=release)
    frame = program.frame()
    frame[[X, Y, FLAG]] = x.ctypes.data, y.ctypes.data, flag.ctypes.data
    threading.Timer(0.05, lambda: flag.fill(0)).start()
    executor().run(program, frame)  # which ends when another thread says so
    assert y[0] == 1


def python(script, **env):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *filter(None, sys.path)]), **env}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], env=env, capture_output=True, text=True, timeout=60
    )


INTERRUPTED = """
    import os, signal, threading, time
    import numpy as np
    from test_executor import *
    forever = Image(6)
    with {block}:
        image = forever
        increment(forever)
    short = Image(6)
    with short.region(100, 8): increment(short)
    x, y = np.zeros({size}), np.zeros({size})
    run(short, x, y)
    def interrupt():
        interrupt.at = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)
    threading.Timer(0.3, interrupt).start()
    try:
        run(forever, x, y)
    except KeyboardInterrupt:
        print("interrupted", time.perf_counter() - interrupt.at < 1)
    y[:] = 0
    run(short, x, y)
    print("usable", (y[:100] == 1).all())
"""


@pytest.mark.parametrize("count", ["1", "3"])
@pytest.mark.parametrize(
    ("block", "size"), [("forever.for_loop(10**12)", 100), ("forever.region(10**9, 10**4)", 8 * 10**8)]
)
def test_ctrl_c_stops_a_long_program_within_a_second(block, size, count):
    if size > 1000:  # tiles that read and write the same few numbers for a long time
        block, size = "forever.for_loop(10**12), forever.region(10**5, 100)", 10**5
    done = python(INTERRUPTED.format(block=block, size=size), SCISIM_NUM_THREADS=count)
    assert done.stdout.split("\n")[:2] == ["interrupted True", "usable True"], done.stderr
    assert done.returncode == 0


FORKED = """
    import os, sys, warnings
    warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn of forks beside any thread
    import numpy as np
    from test_executor import *
    image = Image(6)
    with image.region(100, 8): increment(image)
    x, y = np.zeros(100), np.zeros(100)
    run(image, x, y)
    child = os.fork()
    y[:] = 0
    for _ in range(20):
        run(image, x, y)
    assert (y == 1).all()
    tasks = len(os.listdir("/proc/self/task"))
    if child == 0:
        sys.exit(0 if tasks == 3 else 1)
    _, status = os.waitpid(child, 0)
    print("child", os.waitstatus_to_exitcode(status), "threads", tasks)
"""


def test_a_forked_child_makes_its_own_threads():
    done = python(FORKED, SCISIM_NUM_THREADS="3")
    assert done.stdout.strip() == "child 0 threads 3", done.stderr
    assert done.stderr == ""


ENDED = """
    import threading
    import numpy as np
    from test_executor import *
    image = Image(6)
    with image.{block}: increment(image)
    x, y = np.zeros(100), np.zeros(100)
    def work():
        while True: run(image, x, y)
    if {background}:
        threading.Thread(target=work, daemon=True).start()
    else:
        run(image, x, y)
"""


@pytest.mark.parametrize("background", [True, False])
@pytest.mark.parametrize("block", ["region(100, 8)", "for_loop(10**12), image.region(100, 8)"])
def test_the_interpreter_ends_whatever_runs(block, background):
    if not background:
        block = "region(100, 8)"
    done = python(ENDED.format(block=block, background=background), SCISIM_NUM_THREADS="3")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("make", [avx2, aarch64])
def test_other_processors_have_the_interpreter_too(make):
    for kernel in (Interpreter(), EntryPoint()):
        module = Module()
        kernel.emit(module, make())
        assert compile_ir(module.text(make().attributes), make(), quick=True)[:4] == b"\x7fELF"


def test_the_number_of_threads(monkeypatch):
    from scisim.core.machine import cores

    monkeypatch.delenv("SCISIM_NUM_THREADS", raising=False)
    for name in ("OMPI_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"):
        monkeypatch.delenv(name, raising=False)
    assert threads() == cores()
    monkeypatch.setenv("MPI_LOCALNRANKS", "1000000")
    assert threads() == 1
    monkeypatch.setenv("SCISIM_NUM_THREADS", "5")
    assert threads() == 5
    for wrong in ("0", "-1", "many"):
        monkeypatch.setenv("SCISIM_NUM_THREADS", wrong)
        with pytest.raises(ArgumentError, match="must be a positive number"):
            threads()
