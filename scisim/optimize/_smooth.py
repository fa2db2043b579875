"""Functions of a vector with the derivatives that solvers ask for, values in and out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scisim.autodiff.forward import jvp, linearize
from scisim.autodiff.gradients import grad, value_and_grad
from scisim.autodiff.jacobians import hessian, jacobian
from scisim.core.errors import TraceError
from scisim.core.tensor import wrap
from scisim.core.values import Traced
from scisim.ops.shape import concat
from scisim.optimize._values import Captive


def on_tensors(f: Callable) -> Callable:
    """A function of values as one of tensors."""

    def g(x: Any) -> Any:
        return wrap(f(x._v))

    g.__name__ = getattr(f, "__name__", "fun")
    return g


class Smooth:
    """A function from a vector to a number or a vector.

    Parameters
    ----------
    value : callable
        Of values.
    slope : callable, optional
        The user's own gradient or Jacobian; by default from `autodiff`.
    curvature : callable, optional
        The user's own Hessian.
    product : callable, optional
        The user's own product of Hessian and vector, from the two as one vector.
    plain : bool
        Nothing is expected to be traced; a result that is raises `Captive`.
    """

    def __init__(
        self,
        value: Callable,
        slope: Callable | None = None,
        curvature: Callable | None = None,
        product: Callable | None = None,
        *,
        plain: bool = True,
    ) -> None:
        self._value, self._slope, self._curvature, self._product = value, slope, curvature, product
        self.plain = plain
        tensors = on_tensors(value)
        self._both, self._grad = value_and_grad(tensors), grad(tensors)
        self._jacobian, self._hessian, self.tensors = jacobian(tensors), hessian(tensors), tensors

    def out(self, y: Any) -> Any:
        if isinstance(y, Traced):
            if self.plain:
                raise Captive
            return y
        return y[()] if y.ndim == 0 else y

    def value(self, v: Any) -> Any:
        return self.out(self._value(v))

    def both(self, v: Any) -> tuple[Any, Any]:
        """A number and its gradient."""
        if self._slope is not None:
            return self.value(v), self.out(self._slope(v))
        y, g = self._both(wrap(v))
        return self.out(y._v), self.out(g._v)

    def gradient(self, v: Any) -> Any:
        return self.out(self._slope(v) if self._slope is not None else self._grad(wrap(v))._v)

    def jacobian(self, v: Any) -> Any:
        """The matrix of derivatives of a vector."""
        return self.out(self._slope(v) if self._slope is not None else self._jacobian(wrap(v))._v)

    def product(self, v: Any, p: Any) -> Any:
        """The Hessian of a number times p."""
        if self._product is not None:
            return self.out(self._product(concat([v, p])))
        if self._curvature is not None:
            return self.hessian(v) @ p
        return self.out(jvp(self._of_gradient, (wrap(v),), (wrap(p),))[1]._v)

    def _of_gradient(self, x: Any) -> Any:
        return wrap(self._slope(x._v)) if self._slope is not None else self._grad(x)

    def pushed(self, v: Any, p: Any) -> Any:
        """The Jacobian of a vector times p."""
        return self.out(jvp(self.tensors, (wrap(v),), (wrap(p),))[1]._v)

    def pusher(self, v: Any) -> Callable:
        """The product of the Jacobian at ``v`` with vectors; one linearisation serves many."""
        if self.plain and v.shape[0] > 1:
            try:
                lin = linearize(self.tensors, wrap(v))[1]
                return lambda p: self.out(lin(wrap(p))._v)
            except TraceError:  # the function branches on values
                pass
        return lambda p: self.pushed(v, p)

    def hessian(self, v: Any) -> Any:
        if self._curvature is not None:
            return self.out(self._curvature(v))
        if self._slope is not None:
            return self.out(jacobian(on_tensors(self._slope))(wrap(v))._v)
        return self.out(self._hessian(wrap(v))._v)
