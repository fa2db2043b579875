"""The one table of operations: a row for every public function and every primitive."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

from tests.rules.cases import Case


def load_everything() -> None:
    """Import the packages that declare operations, those that load when used included."""
    for package in ("ops", "fft", "complex", "integrate", "optimize", "interpolate", "sparse"):
        try:
            module = importlib.import_module(f"scisim.{package}")
        except ModuleNotFoundError:
            continue
        for found in pkgutil.walk_packages(module.__path__, f"{module.__name__}."):
            if not found.name.rpartition(".")[2].startswith("_"):
                importlib.import_module(found.name)


load_everything()

MECHANISM = {"__init__", "cases", "columns", "scalar_interpreter", "table"}


def modules() -> list:
    """The modules of this folder that hold rows."""
    names = sorted(p.stem for p in Path(__file__).parent.glob("*.py") if not p.stem.startswith("test_"))
    return [importlib.import_module(f"tests.rules.{name}") for name in names if name not in MECHANISM]


TABLE: list[Case] = [row for m in modules() for row in m.ROWS]
# Rows whose work is in libraries and loops of Python: no native code is made for it.
_HOSTED = (
    "calculus",
    "edges",
    "everyday",
    "implicit",
    "linalg",
    "matrix",
    "sparse",
    "special",
    "random",
    "interpolate",
    "integrate",
    "optimize",
)
NATIVE: list[Case] = [row for m in modules() if not m.__name__.rpartition(".")[2].startswith(_HOSTED) for row in m.ROWS]
EXEMPT: dict[str, dict[str, str]] = {}
for _m in modules():
    for _name, _gaps in getattr(_m, "EXEMPT", {}).items():
        EXEMPT.setdefault(_name, {}).update(_gaps)
