"""Transforms in many threads and in forked processes."""

import os
import subprocess
import sys
import threading

import numpy as np

import scisim as ss
from scisim.fft.engines import registry

FORK = """
import os, sys, threading
import numpy as np
import scisim as ss

random = np.random.default_rng(0)
z = random.normal(size=(256, 512)) + 1j
want = np.fft.fft2(z)

def right(name):
    with ss.fft.engine(name):
        whole = np.allclose(ss.fft.fft2(z).numpy(), want)
        lines = np.allclose(ss.fft.dct(z.real).numpy()[:, 0], 2 * z.real.sum(axis=1))
        return whole and lines

def busy():
    k = 0
    while not done:
        k += 1
        for name in names:
            with ss.fft.engine(name):
                ss.fft.fft(z[k % 8, : 2 + k % 500])

names = [n for n in ss.fft.list_engines() if n != "fftw-measured"]
program = ss.jit(lambda x: ss.fft.ifft2(ss.fft.fft2(x) * 2))
program(z)
assert all(map(right, names))  # with threads, where the machine has several
done = []
threads = [threading.Thread(target=busy) for _ in range(2)]
for t in threads:
    t.start()
children = []
for _ in range(8):
    child = os.fork()
    if child == 0:
        os._exit(0 if all(map(right, names)) and np.allclose(program(z).numpy(), 2 * z) else 1)
    children.append(child)
codes = [os.waitstatus_to_exitcode(os.waitpid(c, 0)[1]) for c in children]
done.append(True)
for t in threads:
    t.join()
assert codes == [0] * 8, codes
"""


def test_a_forked_process_transforms_whatever_its_parent_was_doing():
    got = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORK],
        env={**os.environ, "SCISIM_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert got.returncode == 0, got.stderr[-2000:]


def test_threads_that_need_an_engine_at_once_get_the_same_one(monkeypatch):
    monkeypatch.setattr(registry, "_made", {})
    found = {name: [] for name in ("fftw", "ducc0", "scipy")}
    start = threading.Barrier(8)

    def work():
        start.wait()
        for name, engines in found.items():
            engines.append(registry.get(name))

    workers = [threading.Thread(target=work) for _ in range(8)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    for name, engines in found.items():
        assert len(engines) == 8
        assert len(set(map(id, engines))) == 1, name
        assert engines[0] is not None


def test_plans_may_be_forgotten_while_other_threads_transform(rng):
    before, wrong, done = ss.fft.cache_info().limit, [], threading.Event()
    signals = [rng.normal(size=n) + 1j for n in range(2, 60)]

    def forget():
        while not done.is_set():
            ss.fft.clear_cache()
            ss.fft.set_cache_limit(0)

    def work(name):
        with ss.fft.engine(name):
            for x in signals:
                if not np.allclose(ss.fft.fft(x).numpy(), np.fft.fft(x)):
                    wrong.append((name, x.size))

    workers = [threading.Thread(target=work, args=(n,)) for n in ss.fft.list_engines() if n != "fftw-measured"]
    forgetter = threading.Thread(target=forget)
    try:
        for w in (forgetter, *workers):
            w.start()
        for w in workers:
            w.join()
    finally:
        done.set()
        forgetter.join()
        ss.fft.set_cache_limit(before)
    assert not wrong
