"""Options and fixtures that every test may use."""

import numpy as np
import pytest


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
