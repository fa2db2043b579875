"""Modules: immutable containers of parameters and submodules, called as functions."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, ClassVar, TypeVar, dataclass_transform

import numpy as np

from scisim.core import pytree
from scisim.core.errors import ArgumentError, ArgumentTypeError, MutationError
from scisim.core.tensor import Tensor
from scisim.core.values import Traced

M = TypeVar("M", bound="Module")
_ARRAYS = (Tensor, np.ndarray, np.generic, Traced)
_HIDDEN = "_children"  # names of the fields that hold arrays and modules; kept in the instance, never a field


def field(*, static: bool = False, buffer: bool = False, **kwargs: Any) -> Any:
    """A field of a module with a marked role.

    Parameters
    ----------
    static : bool
        The value is part of the structure: hashable, never traced or trained.
    buffer : bool
        The value holds arrays that no optimiser trains, such as running means.
    **kwargs
        As `dataclasses.field`: ``default``, ``default_factory``, ...

    Examples
    --------
    >>> from scisim import nn
    >>> class Damped(nn.Module):
    ...     rate: float = nn.field(static=True, default=0.5)
    ...     def __call__(self, x):
    ...         return self.rate * x
    >>> Damped()(4.0)
    2.0
    """
    if static and buffer:
        raise ArgumentError("field: static and buffer exclude each other; a buffer holds arrays, a static value none")
    return dataclasses.field(metadata={"static": static, "buffer": buffer}, **kwargs)


class _Closing(type):
    """Attributes may be set while ``__init__`` runs; then the instance is closed."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        self: Any = object.__new__(cls)  # type: ignore[arg-type]
        try:
            self.__init__(*args, **kwargs)
        except TypeError as error:
            _check_call(cls, args, kwargs, error)
            raise
        return _close(self, dict(vars(self)), ())

    @property
    def __signature__(cls) -> inspect.Signature:
        """That of ``__init__``, for help and editors."""
        return inspect.signature(cls.__init__.__get__(object()))  # type: ignore[misc]


def _check_call(cls: type, args: tuple, kwargs: dict, error: TypeError) -> None:
    """Say what a class takes, if the error is that it was called with something else."""
    signature = inspect.signature(cls)
    try:
        signature.bind(*args, **kwargs)
    except TypeError as misfit:
        bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
        raise ArgumentTypeError(
            f"{cls.__name__}: {misfit}; expected {cls.__name__}{inspect.Signature(bare)}"
        ) from error


@dataclass_transform(field_specifiers=(field,))
class Module(metaclass=_Closing):
    """Base class of networks and layers.

    A subclass annotates its fields like a dataclass, and may define ``__init__``, in which it sets ``self.x = ...``,
    and ``__call__``.  Fields that hold arrays, modules, or containers of them are its children: transformations see
    them as they see the entries of a list.  All other fields are static and must be hashable.  `field` marks a role
    explicitly.  Once made, a module does not change: `replace` gives a new one.

    Attributes
    ----------
    stateful : bool
        Whether `apply` may return a changed module (a running mean, say).
    keyed : bool
        Whether ``__call__`` takes ``key=`` (random numbers, in training mode).

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad, nn
    >>> class Line(nn.Module):
    ...     slope: ss.Tensor
    ...     def __call__(self, x):
    ...         return self.slope * x
    >>> line = Line(ss.asarray(2.0))
    >>> ad.grad(lambda m: m(3.0))(line).slope
    Tensor(3.)
    >>> line.replace(slope=ss.asarray(5.0))(1.0)
    Tensor(5.)
    """

    stateful: ClassVar[bool] = False
    keyed: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        dataclasses.dataclass(eq=False, repr=False, init="__init__" not in cls.__dict__)(cls)
        pytree.register(cls, _flatten, lambda static, children: _unflatten(cls, static, children))

    def __setattr__(self, name: str, value: Any) -> None:
        if _HIDDEN in vars(self):
            raise MutationError(
                f"{type(self).__name__}.{name}: modules do not change; make a new one: "
                f"module = module.replace({name}=...)"
            )
        vars(self)[name] = value

    def __delattr__(self, name: str) -> None:
        raise MutationError(f"{type(self).__name__}.{name}: modules do not change, so no field can be deleted")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise ArgumentTypeError(f"{type(self).__name__}: define __call__ to use the module as a function")

    def replace(self: M, **changes: Any) -> M:
        """The module with some fields changed.

        Raises
        ------
        ArgumentError
            For a name that is no field.
        """
        old = fields(self)
        for name in changes:
            if name not in old:
                raise ArgumentError(
                    f"{type(self).__name__}.replace: no field {name!r}; fields are {', '.join(old) or 'none'}"
                )
        return _close(object.__new__(type(self)), {**old, **changes}, vars(self)[_HIDDEN])

    def apply(self: M, *args: Any, **kwargs: Any) -> tuple[Any, M]:
        """The output, and the module after the call, which differs where buffers follow the data.

        ``module(x)`` gives the output alone and leaves all buffers as they are.
        """
        return self(*args, **kwargs), self

    def __repr__(self) -> str:
        from scisim.nn.show import describe

        return describe(self)


def fields(module: Module) -> dict[str, Any]:
    """Names and values of a module's fields: declared ones in order, then others by name."""
    held = {k: v for k, v in vars(module).items() if k != _HIDDEN}
    declared = [f.name for f in dataclasses.fields(module)]  # type: ignore[arg-type]
    return {k: held[k] for k in [*declared, *sorted(set(held) - set(declared))] if k in held}


def children(module: Module) -> tuple[str, ...]:
    """Names of the fields that hold arrays and modules."""
    return vars(module)[_HIDDEN]


def roles(module: Module | type[Module], role: str) -> set[str]:
    """Names of the fields marked ``"static"`` or ``"buffer"``."""
    return {f.name for f in dataclasses.fields(module) if f.metadata.get(role)}  # type: ignore[arg-type]


def _close(self: Any, held: dict[str, Any], before: tuple[str, ...]) -> Any:
    """Settle which fields are children; ``before`` stay so whatever they hold."""
    vars(self).update(held)
    static, buffers = roles(self, "static"), roles(self, "buffer")
    names = []
    for name, value in fields(self).items():
        if name in static:
            _check_static(self, name, value, marked=True)
        elif name in before or name in buffers or _holds_arrays(value):
            names.append(name)
        else:
            _check_static(self, name, value, marked=False)
    vars(self)[_HIDDEN] = tuple(names)
    return self


def _holds_arrays(value: Any) -> bool:
    if isinstance(value, (*_ARRAYS, Module)):
        return True
    leaves = pytree.flatten(value)[0]
    return not (len(leaves) == 1 and leaves[0] is value) and any(isinstance(x, _ARRAYS) for x in leaves)


def _check_static(self: Any, name: str, value: Any, marked: bool) -> None:
    where = f"{type(self).__name__}.{name}"
    if marked and _holds_arrays(value):
        raise ArgumentTypeError(f"{where}: marked static, but holds an array or a module; leave static=True out")
    try:
        hash(value)
    except TypeError:
        raise ArgumentTypeError(
            f"{where}: holds a {type(value).__name__} without arrays, which is static and must be hashable; "
            f"use a tuple, a number or a string"
        ) from None


def _flatten(module: Module) -> tuple[list, Any, tuple[str, ...]]:
    names = children(module)
    held = fields(module)
    static = tuple((k, v) for k, v in held.items() if k not in names)
    return [held[k] for k in names], (names, static), names


def _unflatten(cls: type, static: Any, values: Any) -> Any:
    names, rest = static
    self: Any = object.__new__(cls)
    vars(self).update(rest, **dict(zip(names, values, strict=True)))
    vars(self)[_HIDDEN] = names
    return self
