"""Matrices of complex derivatives of functions of whole arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from scisim.autodiff._holomorphy import HolomorphicCall
from scisim.autodiff.calls import lowered
from scisim.autodiff.gradients import bare, record
from scisim.autodiff.jacobians import along_units, check_outputs, reverse_blocks, tree_of_blocks
from scisim.autodiff.reverse import Tape, pull, settled
from scisim.complex._calls import call_of, checked
from scisim.complex.derivatives import as_complex, halves
from scisim.core.values import check_function, is_complex, name_of, shape, zeros_like
from scisim.ops.complexes import conj
from scisim.ops.shape import several


class _Run(NamedTuple):
    """A function on a tape, as `reverse_blocks` takes it."""

    tape: Tape
    nodes: list
    outs: list
    plain: list
    leaves: list


def _recorded(call: HolomorphicCall) -> tuple[_Run, Any]:
    """The function on a tape, and its auxiliary result."""
    tape, leaves, outs, nodes = record(call, call.values, call.f)
    plain = bare(tape, outs)
    check_outputs(call, plain)
    return _Run(tape, nodes, outs, plain, leaves), lowered(tape, call.aux)


def _size(values: Sequence[Any]) -> int:
    return sum(math.prod(shape(v)) for v in values)


def _paired(tape: Tape, nodes: list, outs: list, cts: Sequence[Any], leaves: list, keep: bool) -> list:
    """Cotangents that pair as Re(sum(ct * dz)), without a conjugate: rows of a holomorphic Jacobian."""
    with np.errstate(all="ignore"):
        got = pull(tape, nodes, outs, list(cts), leaves, keep)
    return [settled(zeros_like(v.value) if c is None else c, v.value) for c, v in zip(got, leaves, strict=True)]


def _pulled_pairs(run: _Run) -> list[list[tuple]]:
    """From the rows of the real parts g and of the imaginary ones h: dRe f = Re(g dz), dIm f = Re(h dz)."""
    real_rows = reverse_blocks(*run, pairing=_paired)
    if not any(map(is_complex, run.plain)):
        return [[(g * 0.5, conj(g) * 0.5) for g in row] for row in real_rows]
    imag_rows = reverse_blocks(*run, unit=-1j, pairing=_paired)
    return [
        [((g + 1j * h) * 0.5, (conj(g) + 1j * conj(h)) * 0.5) for g, h in zip(*rows, strict=True)]
        for rows in zip(real_rows, imag_rows, strict=True)
    ]


def holomorphic_jacobian(
    f: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False, check: bool | str = True
) -> Callable:
    """The complex Jacobian of a holomorphic function of whole arrays, such as C^n -> C^m.

    Parameters
    ----------
    f : callable
        From tensors, or containers of them, to tensors or containers of them.
    argnums : int or sequence of int
        Positional arguments that are complex variables; a sequence gives tuples.
    has_aux : bool
        ``f`` returns (value, auxiliary), and the result is (Jacobian, auxiliary).
    check : bool or "strict"
        As in `holomorphic`.

    Returns
    -------
    callable
        Its result has the structure of f's output, each leaf the structure of the argument, of shape output + input.
        Real arguments and integers are points on the real axis.

    Raises
    ------
    DerivativeError
        When f is not holomorphic: the operation is named, with the line it stands on.

    Notes
    -----
    By forward or reverse mode, whichever takes fewer passes: one for each input element, or for each output element.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import complex as sc
    >>> sc.holomorphic_jacobian(lambda z: ss.stack([z[0] * z[1], z[0] ** 2]))(ss.asarray([1.0j, 2.0]))
    Tensor([[2.+0.j, 0.+1.j],
            [0.+2.j, 0.+0.j]])
    """
    return _holomorphic_jacobian("holomorphic_jacobian", f, argnums, has_aux, check)


def _holomorphic_jacobian(who: str, f: Callable, argnums: Any, has_aux: bool, check: Any) -> Callable:
    check_function(who, f)
    check, single = checked(who, check), several(argnums) is None

    def jacobian_of(*args: Any, **kwargs: Any) -> Any:
        call = call_of(who, f, args, kwargs, argnums, has_aux, check)
        run, aux = _recorded(call)
        if _size(call.values) <= _size(run.plain):
            (blocks,) = along_units(call, (1.0,))
        else:
            blocks, call.aux = reverse_blocks(*run, pairing=_paired), aux
        tree = tree_of_blocks(call, [list(map(as_complex, row)) for row in blocks], single)
        return (tree, call.aux) if has_aux else tree

    jacobian_of.__name__ = f"{who}_{name_of(f)}"
    return jacobian_of


def holomorphic_hessian(
    f: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False, check: bool | str = True
) -> Callable:
    """Second complex derivatives of a holomorphic function: the Jacobian of its Jacobian.

    Parameters
    ----------
    f : callable
        Most often with one complex number as its result.
    argnums, has_aux, check
        As in `holomorphic_jacobian`.

    Returns
    -------
    callable
        Its result has the structure of f's output, each leaf twice that of the argument, of shape
        output + input + input.  It is symmetric, not Hermitian.

    Raises
    ------
    DerivativeError
        When f is not holomorphic: the operation is named, with the line it stands on.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import complex as sc
    >>> sc.holomorphic_hessian(lambda z: z[0] ** 2 * z[1])(ss.asarray([1.0j, 2.0]))
    Tensor([[4.+0.j, 0.+2.j],
            [0.+2.j, 0.+0.j]])
    """
    who = "holomorphic_hessian"
    check_function(who, f)
    inner = _holomorphic_jacobian(who, f, argnums, has_aux, check)
    inner.__name__ = name_of(f)
    return _holomorphic_jacobian(who, inner, argnums, has_aux, check)


def wirtinger_jacobian(f: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """Both Wirtinger Jacobians of a function of whole arrays, such as C^n -> C^m, holomorphic or not.

    Parameters
    ----------
    f : callable
        From tensors, or containers of them, to tensors or containers of them, real or complex.
    argnums : int or sequence of int
        Positional arguments that are complex variables; a sequence gives tuples.
    has_aux : bool
        ``f`` returns (value, auxiliary), and the result is ((df/dz, df/dz*), auxiliary).

    Returns
    -------
    callable
        ``g(z, ...) -> (df/dz, df/dz*)``, each of the structure of f's output, each leaf the structure of the argument,
        of shape output + input.  A small step dz changes f by df/dz @ dz + df/dz* @ conj(dz).

    Notes
    -----
    By forward mode in two passes for each input element, or by reverse mode in one for each real and two for each
    complex output element, whichever are fewer.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import complex as sc
    >>> dz, dbar = sc.wirtinger_jacobian(lambda z: ss.vdot(z, z))(ss.asarray([1.0j, 2.0]))
    >>> dbar
    Tensor([0.+1.j, 2.+0.j])
    """
    who = "wirtinger_jacobian"
    check_function(who, f)
    single = several(argnums) is None

    def jacobians_of(*args: Any, **kwargs: Any) -> Any:
        call = call_of(who, f, args, kwargs, argnums, has_aux, False)
        run, aux = _recorded(call)
        if 2 * _size(call.values) <= sum(_size([y]) * (1 + is_complex(y)) for y in run.plain):
            fx, fy = along_units(call, (1.0, 1j))
            pairs = [[halves(a, b) for a, b in zip(*rows, strict=True)] for rows in zip(fx, fy, strict=True)]
        else:
            pairs, call.aux = _pulled_pairs(run), aux
        pair = tuple(tree_of_blocks(call, [[p[k] for p in row] for row in pairs], single) for k in (0, 1))
        return (pair, call.aux) if has_aux else pair

    jacobians_of.__name__ = f"{who}_{name_of(f)}"
    return jacobians_of
