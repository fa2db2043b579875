"""The operations: each declared once, by kind; the public array functions are generated from the declarations."""

import importlib as _importlib

from scisim.ops import namespace as namespace
from scisim.ops import operators as operators
from scisim.ops import reduce as reduce
from scisim.ops import creation as creation
