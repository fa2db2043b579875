"""jit: a function captured once for each signature, and run as a program."""

from __future__ import annotations

import functools
import threading
import types
import weakref
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from scisim.compiler.closures import Guard, guards, hold
from scisim.compiler.counts import captured
from scisim.compiler.fast import fast_entry
from scisim.compiler.lowered import Lowered
from scisim.compiler.observe import observers
from scisim.compiler.passes import simplify
from scisim.compiler.program import Program
from scisim.core import pytree
from scisim.core.avals import aval
from scisim.core.capture import capture, close, set_roots, with_roots
from scisim.core.devices import check_device
from scisim.core.errors import ArgumentError, ArgumentTypeError
from scisim.core.graph import Graph
from scisim.core.tensor import captured_constants
from scisim.core.values import Traced, name_of
from scisim.ops.control import call_p
from scisim.ops.shape import several


class Compiled:
    """One captured program: its graph, how to run it, and the structure of its result."""

    def __init__(self, graph: Graph, held: list, out_spec: Any, closed_over: list[Guard]) -> None:
        self.captured, self.held, self.out_spec = graph, held, out_spec
        self._run: Any = None
        self._making = threading.RLock()
        self.closed_over = closed_over
        self.stale = False
        self.enter: Any = None  # the fast way in, once a call has shown that there is one
        self._kinds: tuple | None = None  # types of the arguments it takes
        self.device = "cpu"
        self.donated: tuple[int, ...] = ()  # positions of values whose memory results may take
        _watch(self, graph)

    @classmethod
    def of(cls, graph: Graph, traced: Graph, roots: list, out_spec: Any) -> Compiled:
        """A program whose graphs are simplified already."""
        self = object.__new__(cls)
        self.captured = self.graph = graph
        self.traced, self.roots, self.out_spec = traced, roots, out_spec
        self.held, self.closed_over, self.stale, self._run = [], [], False, None
        self.enter = self._kinds = None
        self._making = threading.RLock()
        self.device, self.donated = "cpu", ()
        return self

    @cached_property
    def graph(self) -> Graph:
        """What it computes, simplified."""
        return simplify(self.captured)

    @cached_property
    def _with_roots(self) -> tuple[Graph, list]:
        (whole,), roots = with_roots([self.captured])
        return whole, roots

    @cached_property
    def roots(self) -> list:
        """Where among the outputs of ``traced`` what the outputs are roots of is."""
        return self._with_roots[1]

    @cached_property
    def traced(self) -> Graph:
        """The graph that transformations see."""
        return simplify(self._with_roots[0]) if any(self.roots) else self.graph

    @property
    def run(self) -> Any:
        """What runs the program on arrays; made when it is first asked for."""
        if self._run is None:
            with self._making:  # of several threads one makes it
                if self._run is None:
                    self._run = self._made()
        return self._run

    def _made(self) -> Any:
        from scisim.compiler.device_program import DeviceProgram
        from scisim.compiler.programs import native_program

        graph = self.captured
        if any(eq.prim.spreads for g in (graph, *graph.bodies()) for eq in g.equations):
            return Program(self.graph)
        return native_program(graph, self.donated) if self.device == "cpu" else DeviceProgram(self.graph, self.device)

    def current(self) -> bool:
        """Whether the tensors that the function closes over still have the values that were captured."""
        return not self.stale and (not self.closed_over or hold(self.closed_over))

    def opened(self, args: tuple, kwargs: dict) -> Compiled | None:
        """The program, if calls with arguments like these have a fast way in."""
        if self._run is None or self.held:
            return None
        kinds = tuple(map(type, args))
        if self._kinds != kinds:
            entry = fast_entry(self, args, kwargs)
            self._kinds, self.enter = kinds, entry.call if entry is not None else None
        return self if self.enter is not None else None

    def __call__(self, vals: list) -> Any:
        vals = [*vals, *self.held]
        if any(isinstance(v, Traced) for v in vals):
            outs = set_roots(call_p(*vals, graph=self.traced), self.roots)
        else:
            outs = observers[-1](self, vals) if observers else self.run(*vals)
        return pytree.tree_of(self.out_spec, outs)


def _watch(program: Compiled, graph: Graph) -> None:
    """Be told when a tensor whose value the program carries is assigned to."""
    for v in graph.constants():
        if isinstance(v, (np.ndarray, np.generic)):
            captured_constants.setdefault(id(v), weakref.WeakSet()).add(program)
            weakref.finalize(program, _forget, id(v), v)


def _forget(key: int, held: Any) -> None:
    """The array is held until the last program that carries it is gone, so that its id stays its own."""
    if key in captured_constants and not captured_constants[key]:
        del captured_constants[key]


class Jitted:
    """A function that is captured at its first call with each signature; made by `jit`."""

    def __init__(self, f: Callable, static: tuple[int, ...], donate: tuple[int, ...], on: str = "cpu") -> None:
        self.f, self.static, self.donate, self.device = f, static, donate, on
        self.programs: dict[Any, Compiled] = {}
        self._last: Compiled | None = None  # of the last call, if it has a fast way in
        functools.update_wrapper(self, f, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        last = self._last
        if last is not None and not kwargs and not observers and last.current():
            out = last.enter(*args)
            if out is not NotImplemented:
                return out
        program, vals = self._program(args, kwargs)
        out = program(vals)
        self._last = None if self.static else program.opened(args, kwargs)
        return out

    def __repr__(self) -> str:
        return f"<jit of {name_of(self.f)}>"

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """The captured program for these arguments, to look at."""
        return Lowered(self._program(args, kwargs)[0])

    def _program(self, args: tuple, kwargs: dict) -> tuple[Compiled, list]:
        dynamic = [a for k, a in enumerate(args) if k not in self.static] if self.static else args
        fixed = tuple(args[k] for k in self.static if k < len(args))
        vals, spec = pytree.values((tuple(dynamic), kwargs), f"jit of {name_of(self.f)}")
        key = (spec, tuple((v.shape, v.dtype) for v in vals), _told_apart(fixed))
        try:
            program = self.programs.get(key)
        except TypeError:
            raise ArgumentTypeError(
                f"jit of {name_of(self.f)}: a static argument is of type {[type(v).__name__ for v in fixed]}, which "
                f"cannot be hashed; pass numbers, strings, tuples or functions there"
            ) from None
        if program is None or not program.current():
            program = self._capture(spec, vals, fixed)
            program.donated = self._donated(dynamic)
            if not program.held:  # a program that closes over an outer transformation serves this call only
                self.programs[key] = program
        return program, vals

    def _donated(self, dynamic: Sequence[Any]) -> tuple[int, ...]:
        """Positions among all leaves of those of donated arguments."""
        out: list[int] = []
        start = 0
        numbers = [k for k in range(len(dynamic) + len(self.static)) if k not in self.static]
        for number, a in zip(numbers, dynamic, strict=False):
            count = len(pytree.tree_leaves(a))
            if number in self.donate:
                out += range(start, start + count)
            start += count
        return tuple(out)

    def _capture(self, spec: Any, vals: list, fixed: tuple) -> Compiled:
        made: dict[str, Any] = {}

        def run(*vs: Any) -> list:
            def call(dynamic: tuple, kwargs: dict) -> Any:
                rest, held = list(dynamic), dict(zip(self.static, fixed, strict=False))
                total = len(rest) + len(fixed)
                return self.f(*(held[k] if k in held else rest.pop(0) for k in range(total)), **kwargs)

            call.__name__ = name_of(self.f)
            outs, made["spec"] = pytree.call(call, spec, vs, "jit")
            return outs

        captured()
        graph, held = close(capture(run, [aval(v) for v in vals], name_of(self.f), roots=True))
        program = Compiled(graph, held, made["spec"], guards(self.f))
        program.device = self.device
        return program


def _told_apart(static: Any) -> Any:
    """Static values as a key that tells 1 from 1.0 and True, and 0.0 from -0.0."""
    if isinstance(static, tuple):
        return (type(static), *map(_told_apart, static))
    return (type(static), repr(static)) if isinstance(static, (int, float, complex)) else static


def jit(
    f: Callable | None = None,
    static_argnums: int | Sequence[int] = (),
    donate_argnums: int | Sequence[int] = (),
    device: Any = "cpu",
) -> Any:
    """Capture a function as one program for each signature, and run that.

    Parameters
    ----------
    f : callable
        A function of tensors and containers of them.  Its Python runs once for each combination of structures, shapes,
        dtypes and static values; a tensor it closes over may be assigned to or replaced, which captures anew.
        Whatever else it reads (NumPy arrays, files, `numpy.random`, the time) it reads once, when it is captured.
        A Python float or complex argument takes the precision of the arrays beside it, an integer is an int64 array.
        For a method write ``jit(object.method)``.
    static_argnums : int or sequence of int
        Positional arguments that are Python values (hashable); the program is specialised for each of them.
    donate_argnums : int or sequence of int
        Arguments whose memory the program may reuse; the caller must not use them afterwards.
    device : str or Device
        Where the program runs; arguments and results are copied there and back.

    Returns
    -------
    callable
        With ``.lower(*args)``, which shows the captured program.

    Raises
    ------
    TraceError
        When the function branches in Python on a value, or turns one into a number: use cond, where,
        while_loop or scan.

    Examples
    --------
    >>> import scisim as ss
    >>> f = ss.jit(lambda x: ss.sin(x) ** 2 + ss.cos(x) ** 2)
    >>> f(0.3)
    Tensor(1.)
    >>> f.lower(0.3).graph.count()
    5
    """
    if f is None:
        return functools.partial(jit, static_argnums=static_argnums, donate_argnums=donate_argnums, device=device)
    if not callable(f):
        raise ArgumentTypeError(f"jit: expected a function, got {type(f).__name__}")
    check_device("jit", device)
    numbers = _numbers("static_argnums", static_argnums), _numbers("donate_argnums", donate_argnums)
    return Jitted(f, *numbers, str(device))


def _numbers(name: str, nums: int | Sequence[int]) -> tuple[int, ...]:
    items = several(nums)
    out = (nums,) if items is None else items
    if any(not isinstance(k, int) or k < 0 for k in out):
        raise ArgumentError(f"jit: {name} is {nums!r}; expected non-negative argument positions")
    return out
