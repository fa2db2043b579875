"""What solvers return."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core import pytree
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import Traced

MESSAGES: dict[str, dict[int, str]] = {}
_UNKNOWN = "the status is not known while a program is captured"


class OptimizeResult(dict):
    """The result of a solver: a dictionary whose entries are attributes too, and a container to transformations.

    Attributes
    ----------
    x : Tensor or container of them
        The solution, of the structure of ``x0``.
    success : bool
    status : int
        Why the solver ended; ``message`` says it in words.
    nfev, njev, nit : int
        Evaluations of the function and of its derivative, and iterations.

    Notes
    -----
    Of the entries only ``x``, and what is computed from it (``fun``, ``jac``, ``cost``), carry derivatives. Inside
    transformations ``success``, ``status`` and the counts are tensors.
    """

    def __init__(self, entries: dict, messages: str) -> None:
        super().__init__(entries)
        self.__dict__["_messages"] = messages

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"OptimizeResult has no entry {name!r}; it has {', '.join(map(str, self))}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __dir__(self) -> list[str]:
        return [*map(str, self), "message"]

    @property
    def message(self) -> str:
        """Why the solver ended."""
        status: Any = self.get("status")
        v: Any = status._v if type(status) is Tensor else status
        if isinstance(v, Traced):
            return _UNKNOWN
        if np.ndim(v):
            return "; ".join(dict.fromkeys(MESSAGES[self._messages][int(s)] for s in np.ravel(v)))
        return MESSAGES[self._messages][int(v)]

    def __repr__(self) -> str:
        entries = {"message": self.message, **self}
        width = max(map(len, map(str, entries)))
        lines = []
        for name, v in entries.items():
            text = str(v) if isinstance(v, str) else repr(v)
            lines.append(f"{name:>{width}}: " + text.replace("\n", "\n" + " " * (width + 2)))
        return "\n".join(lines)


def _flatten(r: OptimizeResult) -> tuple:
    keys = tuple(r)
    return tuple(r[k] for k in keys), (keys, r._messages), keys


def _unflatten(static: tuple, children: Any) -> OptimizeResult:
    keys, messages = static
    return OptimizeResult(dict(zip(keys, children, strict=True)), messages)


pytree.register(OptimizeResult, _flatten, _unflatten)


def plain(v: Any) -> Any:
    """A count or a flag: a Python number where it is known, else a tensor."""
    return wrap(v) if isinstance(v, Traced) else np.asarray(v).item() if np.ndim(v) == 0 else wrap(np.asarray(v))


def tensor(v: Any) -> Tensor:
    return wrap(v if isinstance(v, Traced) else np.asarray(v))
