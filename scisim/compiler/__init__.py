"""The compiler: captured graphs are simplified and run as programs."""

from scisim.compiler.counts import Stats as Stats
from scisim.compiler.counts import stats as stats
from scisim.compiler.jit import Jitted as Jitted
from scisim.compiler.jit import jit as jit
