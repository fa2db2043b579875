"""Options and fixtures that every test may use."""

import atexit
import os
import shutil
import tempfile

import numpy as np
import pytest

# Kernels that tests compile are kept for this run only, and the user's own cache stays as it is.
if "SCISIM_CACHE_DIR" not in os.environ:
    os.environ["SCISIM_CACHE_DIR"] = tempfile.mkdtemp(prefix="scisim-cache-")
    atexit.register(shutil.rmtree, os.environ["SCISIM_CACHE_DIR"], ignore_errors=True)


def pytest_addoption(parser):
    parser.addoption("--runslow", action="store_true", help="run the tests marked slow as well")


def pytest_collection_modifyitems(config, items):
    """Leave out slow tests, unless asked for by `--runslow` or by any expression of `-m`."""
    if config.getoption("--runslow") or config.option.markexpr:
        return
    slow = [item for item in items if "slow" in item.keywords]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if "slow" not in item.keywords]


@pytest.fixture
def rng():
    """A generator that gives the same numbers in every run."""
    return np.random.default_rng(20240229)
