"""The declaration of one operation with all of its rules."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scisim.core.axes import Axes
from scisim.core.errors import ArgumentError, DTypeError, NumberRangeError, ScisimError, ShapeError
from scisim.core.values import Traced, ambient

PRIMITIVES: dict[str, Primitive] = {}


class Primitive:
    """One operation: what it computes and every rule that an interpretation needs.

    Parameters
    ----------
    name : str
        Unique name; also that of the equation in a printed graph.
    evaluate : callable
        ``evaluate(*args, **params)`` on arrays.
    axes : Axes
        Which output axis follows which input axis: mapping, tiling and sharding read it.
    infer : callable, optional
        ``infer(avals, params)`` gives the `ShapeDtype` of the result (a tuple of them where `multiple`).
        Elementwise primitives need none.
    partials : sequence, optional
        For an elementwise function: an expression an operand, ``d(y, *args, **params)``, or None where its derivative
        is zero.  Series of any order and both first-order modes come from it.
    linear, bilinear : sequence of int
        Operands in which the operation is jointly linear (over the reals), and the two in each of which it is linear.
    transpose : callable, optional
        ``transpose(i, ct, args, params)``: the cotangent of linear operand ``i``, paired as Re(sum(ct * dz)).
    jvp : callable, optional
        For all others: ``jvp(y, args, tangents, **params)``, linear in tangents, of which None is zero.
    reverse : callable, optional
        ``reverse(args, params)`` gives the result and its pullback, ``pullback(cotangents, exact)`` to a list; for
        operations with bodies.  ``exact``: in products with cotangents exact zeros win over infinity.
    taylor : callable, optional
        ``taylor(trace, args, y, **params)`` gives ``rule(k)`` where a better recurrence is known, or None.
    series : callable, optional
        ``series(trace, args, params)`` gives the results of Taylor mode where all coefficients must be known at once
        (eigenvalues that are equal at first), or None where the other rules serve.
    through : callable, optional
        ``through(trace, args, params)`` for operations with bodies: interpretations that act value by value.
    batch : callable, optional
        ``batch(trace, prim, vals, mapped, params)`` where the axis rule cannot say it.
    into : callable, optional
        ``into(out, *args, **params)`` writes the result to ``out``, a C-contiguous array apart from the operands (a
        list of them where `multiple`): what compiled programs call instead of ``evaluate`` where the result has a
        place, so that nothing is allocated and copied.
    lines : callable, optional
        ``lines(avals, params)`` gives the `Lines` by which a C library computes it, for compiled programs; None where
        there is none.
    apart : callable, optional
        ``apart(apply, args, params, turn)`` gives the same value by ``apply(primitive, *args, **params)`` of primitives
        that have `lines`, which compiled programs join with what is around them; None to leave it.  ``turn``: the axis
        that is exchanged with the last one to make the operand, or None.
    record : callable, optional
        ``record(args)`` enters a captured graph in the place of the primitive itself.
    exact : Primitive, optional
        The same product with an exact zero winning over infinity and nan.
    scalar : callable, optional
        The elementwise function as an expression ``scalar(s, *args)`` over the scalar namespace ``s``.
    singular : str
        Behaviour at points where the derivative is infinite, or where an operand is masked; from there on derivatives
        multiply with exact zeros winning.
    regular : callable, optional
        ``regular(args)``: whether operands that are plain numbers keep away from the singular points.
    convention : str
        The derivative chosen where there is none (ties, kinks).
    array_api : str, optional
        Name in the Array API standard.
    pole : bool
        The derivative of a function of one operand is infinite at some points.
    multiple : bool
        The result is a tuple.
    spreads : bool
        ``evaluate`` may give a value that is in parts, such as a sharded one.
    effect : bool
        It does something beside giving a value, such as printing: it runs even if nobody needs its result.
    """

    def __init__(
        self,
        name: str,
        evaluate: Callable,
        *,
        axes: Axes,
        infer: Callable | None = None,
        partials: Sequence[Callable | None] | None = None,
        linear: Sequence[int] = (),
        bilinear: Sequence[int] = (),
        transpose: Callable | None = None,
        jvp: Callable | None = None,
        reverse: Callable | None = None,
        taylor: Callable | None = None,
        series: Callable | None = None,
        through: Callable | None = None,
        batch: Callable | None = None,
        into: Callable | None = None,
        lines: Callable | None = None,
        apart: Callable | None = None,
        record: Callable | None = None,
        exact: Primitive | None = None,
        scalar: Callable | None = None,
        singular: str = "",
        regular: Callable | None = None,
        convention: str = "",
        array_api: str | None = None,
        multiple: bool = False,
        spreads: bool = False,
        effect: bool = False,
        pole: bool = False,
        register: bool = True,
    ) -> None:
        self.name, self.evaluate, self.axes, self.infer = name, evaluate, axes, infer
        self.module = str(sys._getframe(1).f_globals.get("__name__", ""))  # that declares it
        self.partials, self.jvp, self.transpose = partials, jvp, transpose
        self.linear, self.bilinear = tuple(linear), tuple(bilinear)
        self.reverse, self.taylor, self.through, self.batch = reverse, taylor, through, batch
        self.into, self.lines, self.apart = into, lines, apart
        self.record, self.regular = record, regular
        self.exact, self.series = exact, series
        self.scalar, self.singular, self.convention, self.array_api = scalar, singular, convention, array_api
        self.multiple, self.spreads, self.effect, self.pole = multiple, spreads, effect, pole
        self.constant = not (partials or linear or bilinear or jvp or reverse or through)
        self.registered = register
        if register:
            if name in PRIMITIVES:
                raise ValueError(f"primitive {name!r} is declared twice")
            PRIMITIVES[name] = self

    def __call__(self, *args: Any, **params: Any) -> Any:
        top = None
        for a in args:
            if isinstance(a, Traced):
                t = a.trace
                if top is None or t.level > top.level:
                    top = t
        if top is None:
            capture = ambient.get()
            if capture is not None and (not args or _large(args)):
                top = capture  # a program makes it at each run, or finds that it need not
        if top is None:
            try:
                return self.evaluate(*args, **params)
            except (ValueError, TypeError, OverflowError) as error:
                raise explained(self, args, error) from None
        return top.apply(self, args, params)

    def singular_at(self, args: Sequence[Any]) -> bool:
        """Whether these operands may meet a singular point."""
        return bool(self.singular) and not (self.regular is not None and self.regular(args))

    def __repr__(self) -> str:
        return self.name


LARGE = 1 << 17  # elements from which on a captured program computes with arrays that are known


def _large(args: Sequence[Any]) -> bool:
    return any(type(a) is np.ndarray and a.size > LARGE for a in args)


def explained(prim: Primitive, args: tuple, error: Exception) -> Exception:
    """NumPy's error as ours, where the operands tell what is wrong."""
    if isinstance(error, ScisimError):
        return error
    shapes = [np.shape(a) for a in args]
    if prim.axes.broadcasts and isinstance(error, ValueError):
        try:
            np.broadcast_shapes(*(s[: len(s) - prim.axes.core] for s in shapes))
        except ValueError:
            return ShapeError(
                f"{prim.name}: operands of shape {' and '.join(map(str, shapes))} do not broadcast; trailing axes must "
                f"be equal or 1. Reshape one operand, or insert axes with x[:, None]."
            )
    return _by_dtype(prim.name, args, error) or error


def _by_dtype(name: str, args: tuple, error: Exception) -> Exception | None:
    text = str(error)
    kinds = ", ".join(str(np.asarray(a).dtype) for a in args)
    if isinstance(error, OverflowError):
        return NumberRangeError(f"{name}: a number does not fit the dtype of the other operand ({kinds}): {text}")
    if isinstance(error, TypeError) and ("ufunc" in text or "numpy boolean" in text):
        way = "for booleans use logical_xor or logical_not" if "boolean" in text else "convert the operands with astype"
        return DTypeError(f"{name}: not defined for dtype {kinds}; {way}")
    if "negative integer powers" in text:
        return ArgumentError(f"{name}: integers have no negative powers; convert one operand with astype(float)")
    return None


def alike(p: Any, q: Any) -> bool:
    """Whether two primitives compute the same, but for what an exact zero makes of infinity."""
    return p is q or (p.exact is not None and p.exact is q.exact)
