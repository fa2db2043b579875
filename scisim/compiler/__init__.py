"""The compiler: captured graphs are simplified and run as programs."""

from scisim.compiler.jit import Jitted as Jitted
from scisim.compiler.jit import jit as jit
