"""Domains: named coordinates with bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.pde.fields import RESERVED


class Domain:
    """A box of named coordinates.

    Parameters
    ----------
    **bounds : (low, high)
        One pair of finite numbers with low < high for each coordinate; their order is that of the coordinates.

    Attributes
    ----------
    names : tuple of str
    lower, upper : float64 arrays of shape (d,)

    Raises
    ------
    ArgumentError
        Without coordinates, for bounds that are reversed or not finite, and for names that could be mistaken: those of
        methods of a field (``d``), and longer ones spelled with names of one letter (``tt`` beside ``t``).

    Examples
    --------
    >>> from scisim import pde
    >>> pde.Domain(t=(0, 1), x=(-1, 1))
    Domain(t=(0, 1), x=(-1, 1))
    """

    def __init__(self, /, *nameless: Any, **bounds: Sequence[float]) -> None:
        if nameless:
            raise ArgumentTypeError(
                f"Domain: got {nameless[0]!r} without a name; give each coordinate by name, as in Domain(t=(0, 1))"
            )
        if not bounds:
            raise ArgumentError("Domain: no coordinates; give each by name with its bounds, as in Domain(t=(0, 1))")
        pairs = [_pair(name, pair) for name, pair in bounds.items()]
        _check_names(tuple(bounds))
        self.names = tuple(bounds)
        self.lower, self.upper = np.array(pairs).T.copy()

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return len(self.names)

    def bounds(self, name: str) -> tuple[float, float]:
        """The bounds of a coordinate.

        Examples
        --------
        >>> from scisim import pde
        >>> pde.Domain(t=(0, 1), x=(-1, 1)).bounds("x")
        (-1.0, 1.0)
        """
        if name not in self.names:
            raise ArgumentError(f"Domain: no coordinate {name!r}; the coordinates are {', '.join(self.names)}")
        k = self.names.index(name)
        return float(self.lower[k]), float(self.upper[k])

    def scale(self, unit_points: Any) -> np.ndarray:
        """Points of the unit cube, (n, d), moved into the domain.

        Examples
        --------
        >>> from scisim import pde
        >>> pde.Domain(t=(0, 1), x=(-1, 1)).scale([[0.5, 0.5]])
        array([[0.5, 0. ]])
        """
        points = np.asarray(unit_points, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != self.dim:
            raise ShapeError(f"Domain.scale: points of shape {points.shape}; expected (n, {self.dim})")
        return self.lower + points * (self.upper - self.lower)

    def normalise(self, coords: Sequence[Any]) -> list:
        """Coordinate arrays mapped linearly from their bounds to [-1, 1].

        Examples
        --------
        >>> from scisim import pde
        >>> pde.Domain(t=(0, 1)).normalise([0.75])
        [0.5]
        """
        pairs = zip(coords, self.lower.tolist(), self.upper.tolist(), strict=True)
        # The usual interval is left alone, to the bit.
        return [
            c if (low, high) == (-1.0, 1.0) else (c - (low + high) / 2) * (2 / (high - low)) for c, low, high in pairs
        ]

    def face(self, names: Sequence[str]) -> Domain | None:
        """The domain of some of the coordinates; None for none."""
        return Domain(**{n: self.bounds(n) for n in names}) if names else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Domain) and self.describe() == other.describe()

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"Domain({', '.join(f'{n}=({a:g}, {b:g})' for n, (a, b) in self.describe().items())})"

    def describe(self) -> dict[str, list[float]]:
        """Names and bounds as plain data."""
        return {n: [float(a), float(b)] for n, a, b in zip(self.names, self.lower, self.upper, strict=True)}


def _pair(name: str, pair: Any) -> tuple[float, float]:
    try:
        low, high = map(float, pair)
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"Domain: bounds of {name!r} are {pair!r}; expected two numbers (low, high)") from None
    if not math.isfinite(high - low):
        raise ArgumentError(f"Domain: bounds of {name!r} are {pair!r}; expected finite numbers")
    if low >= high:
        kind = "empty" if low == high else "reversed"
        raise ArgumentError(f"Domain: bounds of {name!r} are {kind}: {pair!r}; expected low < high")
    return low, high


def _check_names(names: tuple[str, ...]) -> None:
    letters = {n for n in names if len(n) == 1}
    for name in names:
        if name in RESERVED or name.startswith("_"):
            raise ArgumentError(
                f"Domain: a coordinate cannot be called {name!r}, which is an attribute of fields; choose another name"
            )
        if len(name) > 1 and set(name) <= letters:
            raise ArgumentError(
                f"Domain: the coordinate {name!r} could be mistaken for a partial by {', '.join(sorted(set(name)))}; "
                f"rename one of them"
            )
    for word in RESERVED:
        if len(word) > 1 and set(word) <= letters:
            raise ArgumentError(
                f"Domain: with coordinates {', '.join(sorted(set(word)))} the partial u.{word} would be hidden by an "
                f"attribute of fields; rename one of them"
            )
