"""What scisim asks of the machine."""

import subprocess
import sys

import pytest

PROGRAM = """
import resource, numpy as np
{line}
def work():
    for _ in range(50):
        a = np.empty(1 << 19); a[:] = 1.0  # 4 MiB
        b = np.empty(1 << 19); b[:] = 2.0
        del a, b
work()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
work()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(line, **environment):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(line=line)], capture_output=True, text=True, env=environment, check=True
    )
    return int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's malloc")
def test_memory_of_arrays_is_kept_for_the_next():
    """Twice 1,024 pages an iteration where it is given back; none where it is kept."""
    path = {"PYTHONPATH": ":".join(sys.path), "NUMPY_MADVISE_HUGEPAGE": "0"}
    assert faults("import scisim", **path) < 1_000


def test_the_users_own_settings_stay(monkeypatch):
    from scisim.core.machine import keep_memory

    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "1000000")
    assert not keep_memory()
