"""`import scisim` is cheap: what is heavy, or optional, loads when it is first used."""

import json
import subprocess
import sys

import pytest

HEAVY = ("scipy", "numba", "llvmlite", "mpi4py", "matplotlib", "zarr", "tqdm", "opt_einsum", "cupy", "mpmath")

REPORT = """
import json, sys
import scisim
print(json.dumps(sorted(sys.modules)))
"""


@pytest.fixture(scope="module")
def loaded():
    done = subprocess.run([sys.executable, "-c", REPORT], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


@pytest.mark.parametrize("package", HEAVY)
def test_import_leaves_out(loaded, package):
    assert [name for name in loaded if name.split(".")[0] == package] == []


def test_import_brings_the_surface(loaded):
    assert {"scisim", "numpy", "optree", "scisim.core", "scisim.ops"} <= loaded
