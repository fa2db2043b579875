"""Sums of squared residuals over points, with what Levenberg-Marquardt asks of them.

The Jacobian of all points takes one reverse pass: the gradient of a point's residual, mapped over the points, so that
weights get stacked outer products of activations and sensitivities, and no pass is made a point.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import scisim as ss
from scisim import autodiff as ad
from scisim.core import pytree
from scisim.core.checks import is_finite
from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.core.tensor import Tensor


class LeastSquares:
    """The mean over points of squared residuals: ``weight / N * sum |r_i|^2``; sums of them have several blocks.

    Parameters
    ----------
    residual : callable
        ``residual(params, *coords_of_one_point)``: a number, a vector of m equations, or a container of them; real or
        complex.  Coordinates come as arrays without axes.
    points : array_like of shape (N, d)
        May be sharded over its first axis.
    weight : float
        Positive.
    compiled : bool
        Whether functions are captured once (`jit`); the residual is then a function of tensors only.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import optim
    >>> line = lambda p, x, y: p["a"] * x + p["b"] - y
    >>> data = optim.LeastSquares(line, [[0.0, 1.0], [1.0, 3.0], [2.0, 5.0]])
    >>> params = {"a": ss.asarray(0.0), "b": ss.asarray(0.0)}
    >>> lm = optim.LevenbergMarquardt(lam=1e-9)
    >>> params, state, value = lm.update(data, lm.init(params), params)
    >>> ss.round(params["a"] * 1e6) / 1e6, ss.round(params["b"] * 1e6) / 1e6
    (Tensor(2.), Tensor(1.))
    """

    def __init__(self, residual: Callable, points: Any, weight: float = 1.0, *, compiled: bool = True) -> None:
        if not callable(residual):
            raise ArgumentTypeError(f"LeastSquares: residual is a {type(residual).__name__}; expected a function")
        if not (is_finite(weight) and weight > 0):
            raise ArgumentError(f"LeastSquares: weight is {weight!r}; expected a positive number")
        self._blocks = [_Block(_Rules(residual, compiled), _checked_points(points), float(weight))]

    @property
    def points(self) -> list[Tensor]:
        """The points of each block."""
        return [b.points for b in self._blocks]

    def __add__(self, other: LeastSquares) -> LeastSquares:
        if not isinstance(other, LeastSquares):
            return NotImplemented
        return self._of([*self._blocks, *other._blocks])

    def __radd__(self, other: Any) -> Any:
        return self if isinstance(other, int) and other == 0 else NotImplemented  # where sum() starts

    def at(self, *points: Any) -> LeastSquares:
        """The same residuals at other points, an array a block; None keeps a block's own.  What was compiled serves
        on, if shapes are equal."""
        if len(points) != len(self._blocks):
            raise ArgumentError(f"LeastSquares.at: {len(points)} arrays of points for {len(self._blocks)} blocks")
        new = zip(self._blocks, points, strict=True)
        return self._of([b if p is None else _Block(b.rules, _checked_points(p), b.weight) for b, p in new])

    def _of(self, blocks: list[_Block]) -> LeastSquares:
        out = object.__new__(LeastSquares)
        out._blocks = blocks
        return out

    def value(self, params: Any) -> list[Tensor]:
        """Residuals of shape (N,), one array an equation of each block, scaled by ``sqrt(weight / N)``."""
        return [r * b.scale for b in self._blocks for r in b.rules.value(params, b.points)]

    def loss(self, params: Any) -> Tensor:
        """The sum of the squares of all scaled residuals."""
        return _total([b.rules.loss(params, b.points) * b.scale**2 for b in self._blocks])

    def jacobian(self, params: Any) -> tuple[list[Tensor], list[Tensor]]:
        """Scaled residuals of shape (N,), and their Jacobians of shape (N, P), as `value` orders them.

        Columns follow the leaves of the parameters, each flattened; of a complex leaf real and imaginary parts
        alternate.
        """
        rs, js = [], []
        for b in self._blocks:
            r, j = b.rules.jacobian(params, b.points, b.factor)
            rs += r
            js += j
        return rs, js

    def normal(self, params: Any) -> Normal:
        """The loss, the gradient J'r and the Gram matrix J'J, summed over blocks (and ranks)."""
        losses, gradients, grams, jacobians = zip(
            *[b.rules.normal(params, b.points, b.factor) for b in self._blocks], strict=True
        )
        return Normal(_total(losses), _total(gradients), _total(grams), list(jacobians))

    def second(self, params: Any, direction: Any) -> list[Tensor]:
        """Second derivatives of the scaled residuals along a direction, d^2/ds^2 r(params + s direction) at 0."""
        return [x * b.scale for b in self._blocks for x in b.rules.second(params, direction, b.points)]

    def pulled_second(self, params: Any, direction: Any, normal: Normal) -> Tensor:
        """J' times `second`, with the Jacobians that `normal` kept."""
        pairs = zip(self._blocks, normal.jacobians, strict=True)
        return _total([b.rules.pulled(params, direction, b.points, j) * b.scale for b, j in pairs])


class Normal:
    """What `LeastSquares.normal` gives.

    Attributes
    ----------
    loss : Tensor
    gradient : Tensor of shape (P,)
        J'r, half the gradient of the loss.
    gram : Tensor of shape (P, P)
        J'J.
    jacobians : list of list of Tensor of shape (N, P)
        By block and equation, scaled.
    """

    def __init__(self, loss: Tensor, gradient: Tensor, gram: Tensor, jacobians: list) -> None:
        self.loss, self.gradient, self.gram, self.jacobians = loss, gradient, gram, jacobians


class _Block:
    """Residuals at their points, with their weight."""

    def __init__(self, rules: _Rules, points: Tensor, weight: float) -> None:
        self.rules, self.points, self.weight = rules, points, weight
        self.scale = math.sqrt(weight / points.shape[0])
        self.factor = ss.asarray(self.scale)  # for compiled functions, which do not change with it


class _Rules:
    """Functions of (params, points) made from a residual of one point; residuals are lists with one entry an
    equation."""

    def __init__(self, residual: Callable, compiled: bool) -> None:
        self.residual = residual
        make = ss.jit if compiled else lambda f: f
        self.value = make(self._value)
        self.loss = make(lambda p, x: _total([ss.sum(r * r) for r in self._value(p, x)]))
        self.jacobian = make(self._jacobian)
        self.normal = make(self._normal)
        self.second = make(self._second)
        self.pulled = make(self._pulled)

    def _rows(self, params: Any, coords: Sequence[Any]) -> list:
        """The residual of one point as a list of real numbers."""
        out = []
        for leaf in pytree.flatten(self.residual(params, *coords))[0]:
            x = leaf if isinstance(leaf, Tensor) else ss.asarray(leaf)
            for part in [ss.real(x), ss.imag(x)] if x.dtype.kind == "c" else [x]:
                flat = ss.reshape(part, (-1,)) if part.shape else part
                out += [flat[k] for k in range(flat.shape[0])] if flat.shape else [flat]
        if not out:
            raise ShapeError("LeastSquares: the residual returns no number; expected one or several at each point")
        return out

    def _mapped(self, f: Callable, params: Any, points: Tensor) -> Any:
        coords = tuple(points[:, k] for k in range(points.shape[1]))
        return ss.vmap(f, (None, 0))(params, coords)

    def _value(self, params: Any, points: Tensor) -> list:
        return self._mapped(self._rows, params, points)

    def _jacobian(self, params: Any, points: Tensor, scale: Any) -> tuple[list, list]:
        """Residuals and Jacobians, scaled where they are small: before their gradients are taken."""

        def row(k: int, params: Any, coords: Any) -> tuple:
            """Equation k, all equations, and the gradient of the first; capture merges the repeated parts."""

            def chosen(p: Any) -> tuple:
                rows = [r * ss.astype(scale, r.dtype) for r in self._rows(p, coords)]
                return rows[k], rows

            (r, rows), g = ad.value_and_grad(chosen, has_aux=True)(params)
            return r, len(rows), _columns(g)

        def point(params: Any, coords: Any) -> tuple[list, list]:
            r, count, g = row(0, params, coords)
            rest = [row(k, params, coords) for k in range(1, count)]
            return [r, *(x[0] for x in rest)], [g, *(x[2] for x in rest)]

        return self._mapped(point, params, points)

    def _normal(self, params: Any, points: Tensor, scale: Any) -> tuple:
        rs, js = self._jacobian(params, points, scale)
        pairs = list(zip(rs, js, strict=True))
        loss = _total([ss.sum(r * r) for r in rs])
        return loss, _total([r @ j for r, j in pairs]), _total([j.T @ j for j in js]), js

    def _second(self, params: Any, direction: Any, points: Tensor) -> list:
        series = ad.taylor(lambda p: self._value(p, points), params, direction, 2)
        return [2.0 * c for c in series[2]]

    def _pulled(self, params: Any, direction: Any, points: Tensor, js: list) -> Tensor:
        return _total([r @ j for r, j in zip(self._second(params, direction, points), js, strict=True)])


def _columns(gradient: Any) -> Tensor:
    """The gradient of one point as a vector; a complex number gives its two parts."""
    parts = []
    for g in pytree.flatten(gradient)[0]:
        real = ss.stack([ss.real(g), ss.imag(g)], axis=-1) if g.dtype.kind == "c" else g
        parts.append(ss.reshape(real, (-1,)))
    return ss.concat(parts)


def _total(terms: Sequence[Any]) -> Any:
    s = terms[0]
    for t in terms[1:]:
        s = s + t
    return s


def _checked_points(points: Any) -> Tensor:
    x = points if isinstance(points, Tensor) else ss.asarray(points)
    if x.ndim != 2 or 0 in x.shape:
        raise ShapeError(f"LeastSquares: points of shape {x.shape}; expected (N, d), one row a point")
    return x
