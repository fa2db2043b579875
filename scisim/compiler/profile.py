"""Where the time of compiled programs goes: by region, kernel and line."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from scisim.compiler import observe
from scisim.compiler.lowered_text import rows, sentence
from scisim.core.errors import ArgumentError

if TYPE_CHECKING:
    from scisim.compiler.timed import ProgramProfile


class profile:
    """Measure where the time of compiled programs goes.

    In a ``with`` statement: the programs of `jit` that run inside of it note the time of each kernel, and of each step
    in Python.  Capture and compilation are not counted.

    Attributes
    ----------
    seconds : float
        In which compiled programs ran.
    programs : list of ProgramProfile

    Examples
    --------
    >>> import scisim as ss
    >>> f = ss.jit(lambda x: ss.sum(ss.sin(x)))
    >>> with ss.profile() as p:
    ...     y = f(ss.ones(1000))
    >>> print(p)
    profile: ...
    """

    def __init__(self) -> None:
        self._by_program: dict[Any, ProgramProfile] = {}
        self._running = False

    def __enter__(self) -> profile:
        if self._running:
            raise ArgumentError("profile: it is running already; make another one with ss.profile()")
        self._running = True
        observe.observers.append(self._observe)
        return self

    def __exit__(self, *exc: object) -> None:
        self._running = False
        observe.remove(self._observe)

    def _observe(self, program: Any, vals: list) -> list:
        if program not in self._by_program:
            from scisim.compiler.timed import ProgramProfile

            self._by_program[program] = ProgramProfile(program)
        return self._by_program[program].run(vals)

    @property
    def programs(self) -> list[ProgramProfile]:
        return sorted(self._by_program.values(), key=lambda p: -p.seconds)

    @property
    def seconds(self) -> float:
        return sum(p.seconds for p in self.programs)

    def lines(self) -> list[tuple[float, str, str]]:
        """Seconds, place and text of each line of the user, longest first."""
        total: dict[str, float] = defaultdict(float)
        texts: dict[str, str] = {}
        for p in self.programs:
            for place, (seconds, text) in p.lines().items():
                total[place] += seconds
                texts[place] = text
        return sorted(((s, place, texts[place]) for place, s in total.items()), reverse=True)

    def table(self, least: float = 0.01) -> str:
        """What took how long, as text.

        Parameters
        ----------
        least : float
            Share of the whole from which an entry is shown.
        """
        calls = sentence(sum(p.calls for p in self.programs), "call")
        lines = [f"profile: {_time(self.seconds)} in {calls} of {sentence(len(self.programs), 'program')}"]
        for p in self.programs:
            each = _time(p.seconds / p.calls)
            lines += ["", f"{p.name}: {self._share(p.seconds)}, {sentence(p.calls, 'call')}, {each} each"]
            lines += [f"  {line}" for line in self._entries(p, least)]
        found = [(self._share(s), place, text[:60]) for s, place, text in self.lines() if s >= least * self.seconds]
        return "\n".join([*lines, *(["", "lines:"] if found else []), *(f"  {line}" for line in rows(found))])

    def _entries(self, p: ProgramProfile, least: float) -> list[str]:
        cells = []
        for e in p.entries():
            if e.seconds >= least * self.seconds:
                cells.append([self._share(e.seconds), e.what, "", ""])
                shown = sorted((q for q in e.parts if q.seconds >= least * self.seconds), key=lambda q: -q.seconds)
                cells += [
                    [self._share(q.seconds), f"  {q.what[:44]}", q.rate, str(q.sources[0]) if q.sources else ""]
                    for q in shown
                ]
        return rows(cells)

    def _share(self, seconds: float) -> str:
        return f"{seconds / self.seconds if self.seconds else 0:4.0%}"

    def __repr__(self) -> str:
        return self.table()


def _time(seconds: float) -> str:
    for unit in ("s", "ms", "us"):
        if seconds >= 1 or unit == "us":
            break
        seconds *= 1000
    return f"{seconds:.3g} {unit}"
