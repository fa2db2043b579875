"""What was probably meant by a name that a module does not have."""

import difflib
import sys
from collections.abc import Mapping
from types import ModuleType

from scisim.core.public import OPERATIONS


def missing_name(module: str, name: str, elsewhere: Mapping[str, str] | None = None) -> AttributeError:
    """The error for ``module.name``, with the way out where there is one.

    Parameters
    ----------
    module : str
        Full name of the module.
    name : str
        The attribute that it does not have.
    elsewhere : mapping, optional
        What to use instead of names that other libraries have.

    Returns
    -------
    AttributeError
    """
    message = f"module {module!r} has no attribute {name!r}"
    if name.startswith("__"):  # asked by tools, such as `inspect`
        return AttributeError(message)
    return AttributeError(f"{message}; {_hint(module, name, elsewhere or {})}")


def _hint(module: str, name: str, elsewhere: Mapping[str, str]) -> str:
    if name in elsewhere:
        return elsewhere[name]
    places = [f"scisim.{key}" for key in OPERATIONS if key.split(".")[-1] == name]
    if places:
        return f"it is {' or '.join(places)}"
    known = {known.lower(): known for known in _public_names(module)}
    near = difflib.get_close_matches(name.lower(), known, 3)
    return f"did you mean {' or '.join(known[key] for key in near)}?" if near else f"dir({module}) lists what there is"


def _public_names(module: str) -> list[str]:
    names = sys.modules[module].__dict__
    if "__all__" in names:
        return list(names["__all__"])
    return [name for name, value in names.items() if name[0] != "_" and not isinstance(value, ModuleType)]
