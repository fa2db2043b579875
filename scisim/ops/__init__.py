"""The operations: each declared once, by kind; the public array functions are generated from the declarations."""

import importlib as _importlib
import pkgutil as _pkgutil

from scisim.ops import namespace as namespace
from scisim.ops import operators as operators

# Modules that declare public functions; linalg and random are packages of their own names and load when used.
_LATER = {"linalg", "random", "special", "namespace", "operators"}
for _module in _pkgutil.iter_modules(__path__):
    if not _module.name.startswith("_") and _module.name not in _LATER:
        _importlib.import_module(f"scisim.ops.{_module.name}")

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
