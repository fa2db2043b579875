"""Things that a process has one of, asked for by many threads at a time."""

import threading
import time

import numpy as np

import scisim as ss
from scisim.compiler.cpu.once import once


def all_at_once(count, work):
    """What so many threads, which start together, get."""
    ready, found = threading.Barrier(count), []

    def run():
        ready.wait()
        found.append(work())

    threads = [threading.Thread(target=run) for _ in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return found


def test_it_is_made_once():
    made = []

    @once
    def thing():
        time.sleep(0.02)  # long enough for the others to ask meanwhile
        made.append(object())
        return made[-1]

    assert thing.cache_info().currsize == 0
    assert set(map(id, all_at_once(8, thing))) == {id(made[0])}
    assert len(made) == thing.cache_info().currsize == 1
    thing.cache_clear()
    assert thing() is not made[0]


def test_a_program_is_made_once():
    f = ss.jit(lambda x: ss.sin(x) + 0.123)
    program, _ = f._program((np.ones(3),), {})
    assert len({id(run) for run in all_at_once(8, lambda: program.run)}) == 1
