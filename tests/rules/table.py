"""The one table of operations: a row for every public function and every primitive."""

from __future__ import annotations

import importlib
import pkgutil


def load_everything() -> None:
    """Import the packages that declare operations, those that load when used included."""
    for package in ("ops", "fft", "complex"):
        try:
            module = importlib.import_module(f"scisim.{package}")
        except ModuleNotFoundError:
            continue
        for found in pkgutil.walk_packages(module.__path__, f"{module.__name__}."):
            if not found.name.rpartition(".")[2].startswith("_"):
                importlib.import_module(found.name)


load_everything()

from tests.rules import arrays, elementwise, packages

TABLE = [*elementwise.ROWS, *arrays.ROWS, *packages.ROWS]
