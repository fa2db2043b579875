"""Training under mpirun, and on ranks that are threads."""

import importlib.util
import pathlib

import pytest

HERE = pathlib.Path(__file__).parent


def _module(path):
    spec = importlib.util.spec_from_file_location(f"scisim_test_{path.stem}_{path.parent.name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def mpirun():
    """As for the tests of `distributed`."""
    return _module(HERE.parent / "distributed" / "conftest.py")._mpirun


@pytest.fixture
def ranks():
    """The program `ranks.py` as a module."""
    return _module(HERE / "programs" / "ranks.py")
