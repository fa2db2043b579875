"""Finding the operation that first gives nan or infinity."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any

import numpy as np

from scisim.compiler import observe
from scisim.core import graph as graphs
from scisim.core import public
from scisim.core.capture import live
from scisim.core.errors import NonFiniteError
from scisim.core.graph import Graph
from scisim.core.primitive import PRIMITIVES, Primitive
from scisim.core.source import here, note
from scisim.core.values import inexact
from scisim.ops import operators


class debug_nans:
    """Stop where nan first appears, with an error that names the operation and the line.

    Parameters
    ----------
    on : bool
        False turns it off.
    inf : bool
        Whether infinity counts too.

    Raises
    ------
    NonFiniteError
        In the code that follows, from the first operation with such a result.

    Notes
    -----
    It holds from the call on; in a ``with`` statement, to the end of that.  Every operation on arrays is looked at, and
    of compiled programs the results: where these hold nan, the program runs again, operation by operation.  All of it
    runs slower meanwhile.

    Examples
    --------
    >>> import scisim as ss
    >>> with ss.debug_nans():
    ...     ss.log(ss.asarray([1.0, -1.0]))
    Traceback (most recent call last):
    scisim.core.errors.NonFiniteError: log: its result float64[2] has nan at 1 place, ...
    """

    def __init__(self, on: bool = True, inf: bool = False) -> None:
        self._before = _state.now
        _state.set((bool(on), bool(inf)))

    def __enter__(self) -> debug_nans:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        _state.set(self._before)


class _State:
    """The switch, and what it changes: operations look at their results, and short ways past them are closed."""

    def __init__(self) -> None:
        self.now = (False, False)
        self.programs: list[Callable] = []

    def set(self, to: tuple[bool, bool]) -> None:
        """Turn it on or off; (whether it is on, whether infinity counts)."""
        was, self.now = self.now[0], to
        if to[0] and not was:
            self._begin()
        elif was and not to[0]:
            self._end()

    def _begin(self) -> None:
        for prim in PRIMITIVES.values():
            prim.evaluate = _checked(prim, prim.evaluate)
        public._ndarray = operators._ndarray = operators._number = _Nothing  # type: ignore[assignment, misc]
        self.programs, graphs.make_program[:] = list(graphs.make_program), []  # bodies run by the operations too
        observe.observers.append(_run)

    def _end(self) -> None:
        for prim in PRIMITIVES.values():
            prim.evaluate = getattr(prim.evaluate, "unchecked", prim.evaluate)
        public._ndarray = operators._ndarray = np.ndarray  # type: ignore[misc]
        operators._number = np.float64  # type: ignore[misc]
        graphs.make_program[:] = self.programs
        observe.remove(_run)


class _Nothing:
    """The class of no array."""


_state = _State()


def _checked(prim: Primitive, evaluate: Callable) -> Callable:
    @functools.wraps(evaluate)
    def checked(*args: Any, **params: Any) -> Any:
        with np.errstate(all="ignore"):
            out = evaluate(*args, **params)
        for k, v in enumerate(out if prim.multiple else (out,)):
            found = _bad(v)
            if found is not None:
                result = f"result {k}" if prim.multiple else "result"
                error = NonFiniteError(f"{prim.name}: its {result} {_told(v, found)}{_cause(args, v, found)}")
                note(error, f"in {prim.name}", here())
                raise error
        return out

    checked.unchecked = evaluate  # type: ignore[attr-defined]
    return checked


def _bad(v: Any) -> np.ndarray | None:
    """Where an array has what is looked for; None where it has none of it."""
    if not isinstance(v, (np.ndarray, np.generic)) or not inexact(v.dtype):
        return None
    wide = v.astype(np.float32) if v.dtype.kind not in "fc" else v
    bad = ~np.isfinite(wide) if _state.now[1] else np.isnan(wide)
    return bad if bad.any() else None


def _told(v: Any, bad: np.ndarray) -> str:
    count, first = int(bad.sum()), _first(bad)
    kind = "nan" if bool(np.isnan(np.asarray(v)[first])) else "infinity"
    where = f", first at {list(first)}" if first else ""
    return f"{v.dtype}{list(v.shape)} has {kind} at {count} place{'s' * (count > 1)}{where}"


def _first(bad: np.ndarray) -> tuple[int, ...]:
    return tuple(int(k) for k in np.unravel_index(int(np.argmax(bad)), bad.shape))


def _cause(args: Sequence[Any], v: Any, bad: np.ndarray) -> str:
    """What the operands are at that place, or whether they had it before."""
    for k, a in enumerate(args):
        if _bad(np.asarray(a)) is not None:
            return f"; operand {k} has it already, so it came from outside of what was looked at"
    shown = []
    for k, a in enumerate(args):
        if np.ndim(a) <= np.ndim(v) and np.ndim(v) and np.broadcast_shapes(np.shape(a), v.shape) == v.shape:
            shown.append(f"operand {k} is {np.broadcast_to(a, v.shape)[_first(bad)]!s:.24} there")
        elif not np.ndim(a):
            shown.append(f"operand {k} is {np.asarray(a)[()]!s:.24}")
    return f"; {', '.join(shown)}" if shown else ""


# --- compiled programs -------------------------------------------------------------------------------------------
def _run(program: Any, vals: list) -> Any:
    """Run a program, and look at its results."""
    name = program.graph.name
    try:
        outs = program.run(*vals)
    except NonFiniteError:  # a step in Python has seen it; the whole run tells the line
        outs = None
    if outs is not None and all(_bad(v) is None for v in outs):
        return outs
    for k, v in enumerate(vals):
        found = _bad(v)
        if found is not None:
            raise NonFiniteError(f"{name}: what it is given has it already: input {k} {_told(v, found)}")
    again = program.graph
    Graph(again.inputs, live(again.equations, again.outputs, effects=False), again.outputs, name)(*vals)
    results = "; ".join(f"result {k} {_told(v, found)}" for k, v, found in _found(outs or ()))
    raise NonFiniteError(f"{name}: {results}; operation by operation it has none, so rounding decides")


def _found(outs: Sequence[Any]) -> Iterator[tuple[int, Any, np.ndarray]]:
    for k, v in enumerate(outs):
        bad = _bad(v)
        if bad is not None:
            yield k, v, bad
