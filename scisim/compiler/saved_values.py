"""Python values as JSON and a list of arrays, and back: parameters of operations, constants, structures.

Only data can be written: numbers, strings, tuples, lists, dicts, slices, dtypes, arrays, graphs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentTypeError, FileError
from scisim.core.graph import Graph
from scisim.core.values import numeric


def dtype_of(name: Any) -> np.dtype:
    """The dtype of a name from a file."""
    try:
        if name == "bfloat16":
            import ml_dtypes

            return np.dtype(ml_dtypes.bfloat16)
        dtype = np.dtype(name) if isinstance(name, str) else None
    except TypeError:
        dtype = None
    if dtype is None or not numeric(dtype):
        raise FileError(f"names the dtype {name!r:.40}, which is not known")
    return dtype


class Writer:
    """Collects arrays while values become JSON.

    Parameters
    ----------
    graph : callable
        The number of a graph in the file.
    """

    def __init__(self, graph: Callable[[Graph], int]) -> None:
        self.arrays: list[np.ndarray] = []
        self._graph = graph
        self._known: dict[int, int] = {}

    def array(self, x: np.ndarray) -> int:
        """The number of an array; one that is used twice is kept once."""
        if id(x) not in self._known:
            self._known[id(x)] = len(self.arrays)
            self.arrays.append(x)
        return self._known[id(x)]

    def value(self, x: Any, what: str) -> Any:
        """A value as JSON; ``what`` names it where it cannot be written."""
        if x is None or type(x) in (bool, int, str):
            return x
        if type(x) is float:
            return {"float": x.hex()}
        if type(x) is complex:
            return {"complex": [x.real.hex(), x.imag.hex()]}
        if type(x) in (list, tuple):
            items = [self.value(v, what) for v in x]
            return items if type(x) is list else {"tuple": items}
        if type(x) is dict:
            return {"dict": [[self.value(k, what), self.value(v, what)] for k, v in x.items()]}
        if type(x) is slice:
            return {"slice": [self.value(v, what) for v in (x.start, x.stop, x.step)]}
        if isinstance(x, np.dtype):
            return {"dtype": x.name}
        if isinstance(x, (np.ndarray, np.generic)) and numeric(x.dtype):
            return {"array" if isinstance(x, np.ndarray) else "number": self.array(x)}  # type: ignore[arg-type]
        if isinstance(x, Graph):
            return {"graph": self._graph(x)}
        raise ArgumentTypeError(
            f"export: {what} holds a {type(x).__name__} ({x!r:.60}); a file holds data, never code: numbers, strings, "
            f"arrays, and containers of them"
        )


class Reader:
    """Makes values of what `Writer` gave.

    Parameters
    ----------
    arrays : sequence of ndarray
    graph : callable
        The graph of a number.
    """

    def __init__(self, arrays: list[np.ndarray], graph: Callable[[Any], Graph]) -> None:
        self.arrays = arrays
        self._kinds: dict[str, Callable[[Any], Any]] = {
            "float": float.fromhex,
            "complex": lambda v: complex(float.fromhex(v[0]), float.fromhex(v[1])),
            "tuple": lambda v: tuple(map(self.value, v)),
            "dict": lambda v: {self.value(k): self.value(x) for k, x in v},
            "slice": lambda v: slice(*map(self.value, v)),
            "dtype": dtype_of,
            "array": self.array,
            "number": lambda v: self.array(v)[()],
            "graph": graph,
        }

    def array(self, number: Any) -> np.ndarray:
        """The array of a number."""
        if type(number) is not int or not 0 <= number < len(self.arrays):
            raise FileError(f"refers to array {number!r:.20}, which it lacks")
        return self.arrays[number]

    def value(self, x: Any) -> Any:
        """A value of JSON."""
        if x is None or type(x) in (bool, int, str):
            return x
        if type(x) is list:
            return list(map(self.value, x))
        if type(x) is dict and len(x) == 1:
            ((kind, held),) = x.items()
            if kind in self._kinds:
                return self._kinds[kind](held)
        raise FileError(f"holds {x!r:.60}, which is no value")
