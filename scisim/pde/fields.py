"""Fields: what the unknowns of an equation are while it is evaluated, numbers that know their partial derivatives.

A `Field` is a traced value of an interpretation that does nothing but hand operations on to the value inside, so
that a field may stand wherever a tensor may.  An equation is first run on fields that record which partials it asks
for; then one Taylor evaluation gives them all.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from scisim.autodiff.slots import Index
from scisim.core.errors import ArgumentError
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import Trace, Traced


class NoSuchPartialError(ArgumentError, AttributeError):
    """An attribute of a field is no partial derivative."""


class Fields(Trace):
    """One evaluation of an equation.

    Parameters
    ----------
    names : tuple of str
        The coordinates.
    lookup : callable
        ``lookup(k, index)``: the value of a partial of field number k.
    """

    kind: ClassVar[str] = "equation"

    def __init__(self, function: Any, names: tuple[str, ...], lookup: Callable[[int, Index], Any]) -> None:
        super().__init__(function)
        self.names, self.lookup = names, lookup

    def apply(self, prim: Any, args: tuple, params: dict) -> Any:
        return prim(*(a.lower if type(a) is Field and a.trace is self else a for a in args), **params)

    def concrete(self, x: Any) -> Any:
        return x.lower

    def field(self, k: int, label: str, index: Index | None = None) -> Field:
        x = Field()
        x.trace, x.root = self, None
        x._k, x._label, x._index = k, label, index or (0,) * len(self.names)
        x._value = None
        return x


class Field(Traced):
    """An unknown of an equation, or one of its partial derivatives.

    Attributes named like partials are those: ``u.t``, ``u.xx``, ``u.txx`` by coordinates of one letter, ``u.theta`` the
    first partial by a longer one; see `d`.
    """

    __slots__ = ("_index", "_k", "_label", "_value")
    _k: int
    _label: str
    _index: Index
    _value: Any

    @property
    def lower(self) -> Any:  # type: ignore[override]
        if self._value is None:
            self._value = self.trace.lookup(self._k, self._index)
        return self._value

    def d(self, *wanted: str) -> Field:
        """The partial derivative by coordinates of any name: ``u.d("theta", "theta")``, or ``u.d("x", "x")``."""
        return self._partial(wanted, f"{self._label}.d({', '.join(map(repr, wanted))})")

    def __getattr__(self, name: str) -> Field:
        if name.startswith("_") or name in Traced.__slots__:  # not set yet, or asked for by a library
            raise AttributeError(name)
        return self._partial((name,) if name in self.trace.names else tuple(name), f"{self._label}.{name}")

    def _partial(self, wanted: Sequence[str], label: str) -> Field:
        names = self.trace.names
        for n in wanted:
            if n not in names:
                raise NoSuchPartialError(
                    f"{label}: there is no coordinate {n!r}; the coordinates are {', '.join(names)}. Partials are "
                    f"named by coordinates of one letter, as in u.xx, or given to u.d(name, ...)"
                )
        counts = tuple(i + wanted.count(n) for i, n in zip(self._index, names, strict=True))
        return self.trace.field(self._k, label, counts)

    def __repr__(self) -> str:
        return f"<{self._label} of an equation>"

    def __getitem__(self, at: Any) -> Tensor:
        return plain(self)[at]


def plain(x: Any) -> Any:
    """A field, a tensor that holds one, or a bare traced value, as a tensor; anything else as it is."""
    v = x._v if type(x) is Tensor else x
    if type(v) is Field:
        return wrap(v.lower)
    return wrap(x) if isinstance(x, Traced) else x


def _binary(op: Callable) -> tuple[Callable, Callable]:
    return (lambda self, other: op(plain(self), plain(other))), (lambda self, other: op(plain(other), plain(self)))


def _ufunc(self: Field, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """NumPy's functions of fields are scisim's."""
    return plain(self).__array_ufunc__(ufunc, method, *map(plain, inputs), **kwargs)


def _install() -> None:
    """Operators give tensors, as functions of fields do."""
    for name in ("add", "sub", "mul", "truediv", "pow", "matmul", "floordiv", "mod"):
        forward, backward = _binary(getattr(operator, name))
        setattr(Field, f"__{name}__", forward)
        setattr(Field, f"__r{name}__", backward)
    for name in ("lt", "le", "gt", "ge"):
        setattr(Field, f"__{name}__", _binary(getattr(operator, name))[0])
    for name in ("neg", "abs"):
        op = getattr(operator, name)
        setattr(Field, f"__{name}__", lambda self, op=op: op(plain(self)))
    setattr(Field, "__pos__", plain)  # noqa: B010 - mypy reads an assignment as arithmetic of types
    Field.__array_ufunc__ = _ufunc  # type: ignore[method-assign, assignment]


_install()
RESERVED = frozenset(n for n in dir(Field) if not n.startswith("_"))
