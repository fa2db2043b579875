"""Kernels are compiled once: in a process, and, through the disk, on a node; what is damaged is never trusted."""

import os
import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from scisim.compiler.cpu.cache import DiskCache, digest
from scisim.compiler.cpu.emit import Function
from scisim.compiler.cpu.library import Library
from scisim.compiler.cpu.target import host


class Constant:
    """The kernel that stores a number."""

    def __init__(self, number):
        self.number, self.name = number, f"test_constant_{number}"

    def emit(self, module, target):
        f = Function(module, self.name, ["ptr %args"])
        f.store("i64", str(self.number), f.argument(0, "ptr"), 8)
        f.done()


def call(address):
    import ctypes

    out = np.zeros(1, np.int64)
    args = np.array([out.ctypes.data], np.int64)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)(args.ctypes.data)
    return int(out[0])


def numbers(library, *wanted):
    """What the kernels of some numbers store."""
    addresses = library.addresses([Constant(n) for n in wanted])
    return [call(addresses[f"test_constant_{n}"]) for n in wanted]


def library(folder):
    return Library(host(), DiskCache(folder))


def objects(folder):
    return sorted(folder.glob("*.o"))


def test_each_kernel_is_compiled_once(tmp_path):
    lib = library(tmp_path)
    assert numbers(lib, 1, 2) == [1, 2]
    assert numbers(lib, 2, 3, 1) == [2, 3, 1]
    assert (lib.stats.kernels, lib.stats.modules, lib.stats.loaded) == (3, 2, 0)
    assert numbers(lib, 3, 1) == [3, 1]
    assert lib.stats.modules == 2


def test_the_next_process_compiles_nothing(tmp_path):
    numbers(library(tmp_path), 1, 2)
    lib = library(tmp_path)
    assert numbers(lib, 1, 2) == [1, 2]
    assert lib.stats.as_dict() | {"seconds": 0} == {"kernels": 0, "modules": 0, "loaded": 1, "seconds": 0}


def test_kernels_are_found_in_modules_of_other_programs(tmp_path):
    first = library(tmp_path)
    numbers(first, 1, 2)
    numbers(first, 3)
    lib = library(tmp_path)
    assert numbers(lib, 2, 3, 4) == [2, 3, 4]
    assert (lib.stats.kernels, lib.stats.loaded) == (1, 2)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: b"",
        lambda data: data[:-40] + bytes([data[-40] ^ 1]) + data[-39:],
        lambda data: data.replace(b"constant_1", b"constant_7", 1),
        lambda data: data[:20] + b"\xff" + data[21:],
    ],
    ids=["cut", "empty", "bit", "name", "header"],
)
def test_a_damaged_entry_is_compiled_anew(tmp_path, damage):
    numbers(library(tmp_path), 1)
    (path,) = objects(tmp_path)
    sound = path.read_bytes()
    path.write_bytes(damage(sound))
    lib = library(tmp_path)
    assert numbers(lib, 1) == [1]
    assert (lib.stats.kernels, lib.stats.loaded) == (1, 0)
    assert path.read_bytes() == sound


def test_an_entry_under_another_key_is_not_trusted(tmp_path):
    numbers(library(tmp_path), 1)
    (path,) = objects(tmp_path)
    other = digest("another")
    path.rename(tmp_path / f"{other}.o")
    cache = DiskCache(tmp_path)
    assert cache.load(other) is None


def test_links_are_not_followed_to_entries(tmp_path):
    numbers(library(tmp_path / "a"), 1)
    (path,) = objects(tmp_path / "a")
    cache = DiskCache(tmp_path / "b")
    (tmp_path / "b" / path.name).symlink_to(path)
    assert cache.load(path.stem) is None


def test_the_folder_is_made_for_its_owner_alone(tmp_path):
    assert DiskCache(tmp_path / "new" / "folder").usable
    assert (tmp_path / "new" / "folder").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_can_write_in_is_refused(tmp_path):
    tmp_path.chmod(0o777)
    with pytest.warns(RuntimeWarning, match=r"in memory only.*can be written in by other users.*SCISIM_CACHE_DIR"):
        lib = library(tmp_path)
    assert numbers(lib, 1) == [1]
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_another_user_is_refused(tmp_path, monkeypatch):
    uid = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: uid + 1)
    with pytest.warns(RuntimeWarning, match="belongs to another user"):
        cache = DiskCache(tmp_path)
    assert not cache.usable
    assert cache.load(digest("any")) is None


def test_a_folder_that_cannot_be_made_is_done_without(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.warns(RuntimeWarning, match=r"cannot be made \(Not a directory\)"):
        lib = library(tmp_path / "file" / "folder")
    assert numbers(lib, 1) == [1]


def test_a_folder_that_vanishes_is_done_without(tmp_path):
    lib = library(tmp_path / "cache")
    (tmp_path / "cache").rmdir()
    assert numbers(lib, 1, 2) == [1, 2]


def test_what_was_used_longest_ago_goes_first(tmp_path):
    cache = DiskCache(tmp_path, limit=4000)
    for k in range(3):
        cache.store(digest(str(k)), [f"k{k}"], [digest("link", str(k))], b"x" * 1000)
        os.utime(tmp_path / f"{digest(str(k))}.o", (k, k))
    assert cache.load(digest("0")) == (["k0"], b"x" * 1000)  # used just now
    cache.store(digest("3"), ["k3"], [digest("link", "3")], b"x" * 1000)
    kept = [k for k in range(4) if cache.load(digest(str(k)))]
    assert kept == [0, 2, 3] or kept == [0, 3]
    assert sum(p.stat().st_size for p in objects(tmp_path)) <= 4000
    assert cache.find(digest("link", "1")) is None
    assert cache.find(digest("link", "3")) == digest("3")


PROCESS = """
    import sys, time
    sys.path.insert(0, {tests!r})
    from test_cache import library, numbers
    from pathlib import Path
    while time.time() < {start}: pass
    lib = library(Path({folder!r}))
    assert numbers(lib, *range(40)) == list(range(40))
    print("modules", lib.stats.modules, "loaded", lib.stats.loaded)
"""


def test_processes_that_start_together_compile_once(tmp_path):
    import time

    here = os.path.dirname(__file__)
    script = textwrap.dedent(PROCESS).format(tests=here, folder=str(tmp_path), start=time.time() + 2)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    run = [
        subprocess.Popen([sys.executable, "-c", script], env=env, stdout=subprocess.PIPE, text=True) for _ in range(4)
    ]
    texts = [p.communicate(timeout=60)[0] for p in run]
    assert [p.returncode for p in run] == [0] * 4
    found = [tuple(map(int, re.findall(r"\d+", t))) for t in texts]
    assert sorted(found) == [(0, 1), (0, 1), (0, 1), (1, 0)]
    assert list(tmp_path.glob("*.lock")) == []
