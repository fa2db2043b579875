"""The operations: each declared once, by kind; the public array functions are generated from the declarations."""

import importlib as _importlib
import os as _os

from scisim.ops import namespace as namespace
from scisim.ops import operators as operators

# Modules that declare public functions; linalg and random are packages of their own names and load when used.
_LATER = {"linalg", "random", "special", "namespace", "operators"}
for _name, _end in sorted(map(_os.path.splitext, _os.listdir(__path__[0]))):
    if _end == ".py" and not _name.startswith("_") and _name not in _LATER:
        _importlib.import_module(f"scisim.ops.{_name}")

operators.add_methods(
    tuple(
        n
        for n in (
            "sum",
            "mean",
            "max",
            "min",
            "prod",
            "std",
            "var",
            "all",
            "any",
            "argmax",
            "argmin",
            "squeeze",
            "round",
        )
        if n in operators.functions
    )
)
