"""Discrete cosine and sine transforms, types I to IV, with SciPy's conventions: the raw functions."""

from __future__ import annotations

from typing import Any

from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument
from scisim.core.values import dtype, shape, zeros
from scisim.fft._trigonometric import NORMS, TRANSPOSED, dct_p, dst_p, orthogonal_ends, promoted
from scisim.ops.index import put_p, read_p
from scisim.ops.shape import as_integer, astype, normalize_axis, several

_OPPOSITE = {"backward": "forward", "ortho": "ortho", "forward": "backward"}
Lengths = int | tuple[int, ...] | None
Axes = int | tuple[int, ...] | None


# --- checking ------------------------------------------------------------------------------------------------
def _argument(name: str, x: Any) -> Any:
    x = as_argument(x)
    if dtype(x).kind not in "biufc" or dtype(x).name == "bfloat16":
        raise DTypeError(f"{name}: x has dtype {dtype(x)}; convert it with astype to float32 or float64")
    if not shape(x):
        raise ShapeError(f"{name}: x is a scalar; a transform needs at least one axis")
    return x


def _settings(name: str, type: Any, norm: Any, orthogonalize: Any) -> tuple[int, str, bool]:
    type = as_integer(name, "type", type)
    if type not in TRANSPOSED:
        raise ArgumentError(f"{name}: type must be 1, 2, 3 or 4, got {type}")
    norm = "backward" if norm is None else norm
    if norm not in NORMS:
        raise ArgumentError(f"{name}: norm must be 'backward', 'ortho' or 'forward', got {norm!r}")
    if orthogonalize is not None and not isinstance(orthogonalize, (bool, int)):
        raise ArgumentTypeError(f"{name}: orthogonalize must be True, False or None, got {orthogonalize!r}")
    return type, norm, norm == "ortho" if orthogonalize is None else bool(orthogonalize)


def _axes_and_lengths(name: str, x: Any, s: Any, axes: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes, and the length along each."""
    own = shape(x)
    rank = len(own)
    given = None if s is None else several(s) or (s,)
    if axes is None:
        count = rank if given is None else len(given)
        if count > rank:
            raise ArgumentError(f"{name}: s={s} has {count} lengths, but x has {rank} axes")
        axes = tuple(range(rank - count, rank))
    items = several(axes)
    found = tuple(normalize_axis(name, a, rank) for a in ((axes,) if items is None else items))
    if len(set(found)) < len(found):
        raise ArgumentError(f"{name}: axes {axes} names an axis twice")
    if given is not None and len(given) != len(found):
        raise ArgumentError(f"{name}: s={s} has {len(given)} lengths for {len(found)} axes; give one an axis")
    wanted = given or (None,) * len(found)
    return found, tuple(own[k] if n is None or n == -1 else n for k, n in zip(found, wanted, strict=True))


def _check_lengths(name: str, prim: Primitive, type: int, axes: tuple[int, ...], lengths: tuple) -> tuple[int, ...]:
    least = 2 if prim is dct_p and type == 1 else 1
    for k, n in zip(axes, lengths, strict=True):
        if as_integer(name, "a length", n) < least:
            what = f"type {type} needs at least {least} points" if least > 1 else "there must be a point or more"
            raise ArgumentError(f"{name}: {what} along axis {k}, got {n}; give another type or length")
    return tuple(map(int, lengths))


# --- the transforms ------------------------------------------------------------------------------------------
def _resized(x: Any, axes: tuple[int, ...], lengths: tuple[int, ...]) -> Any:
    """Axes cropped, or filled up with zeros, all in one go."""
    s, to = shape(x), list(shape(x))
    for k, n in zip(axes, lengths, strict=True):
        to[k] = n
    if any(n < have for n, have in zip(to, s, strict=True)):
        x = read_p(x, at=_first(min(n, have) for n, have in zip(to, s, strict=True)))
    if any(n > have for n, have in zip(to, s, strict=True)):
        x = put_p(zeros(tuple(to), dtype(x)), x, at=_first(shape(x)))
    return x


def _first(lengths: Any) -> tuple:
    return tuple(("slice", 0, n, None) for n in lengths)


def _many(
    name: str, prim: Primitive, x: Any, type: Any, s: Any, axes: Any, norm: Any, orthogonalize: Any, inverse: bool
) -> Any:
    """The transform, or its inverse, which is a transform of the transposed type."""
    x = _argument(name, x)
    type, norm, orthogonal = _settings(name, type, norm, orthogonalize)
    found, lengths = _axes_and_lengths(name, x, s, axes)
    if inverse:
        type, norm = TRANSPOSED[type], _OPPOSITE[norm]
    lengths = _check_lengths(name, prim, type, found, lengths)
    if not found:
        return astype(x, promoted(dtype(x)))
    ends = orthogonal_ends(prim.name, type, orthogonal)
    back = tuple(k - len(shape(x)) for k in found)
    return prim(_resized(x, found, lengths), type=type, axes=back, norm=norm, ends=ends)


def _one(
    name: str, prim: Primitive, x: Any, type: Any, n: Any, axis: Any, norm: Any, orthogonalize: Any, inverse: bool
) -> Any:
    if n is not None:
        n = (as_integer(name, "n", n),)
        if n[0] < 1:
            raise ArgumentError(f"{name}: the length must be at least 1, got n={n[0]}")
    return _many(name, prim, x, type, n, (as_integer(name, "axis", axis),), norm, orthogonalize, inverse)


def dct(
    x: Any,
    /,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    *,
    orthogonalize: bool | None = None,
) -> Any:
    """Discrete cosine transform of one axis.

    Parameters
    ----------
    x : array_like
        Real or complex; real and imaginary part are transformed alike.
    type : {1, 2, 3, 4}
        See the notes.
    n : int, optional
        Length: the axis is cropped to it, or filled up with zeros.
    axis : int
    norm : {"backward", "ortho", "forward"}, optional
        The result is divided by 1 (the default), sqrt(N) or N, where N is 2 n (type I: 2 (n - 1)).
    orthogonalize : bool, optional
        Whether the transform is an orthogonal matrix times a number, for which the first element of the result
        (type II) or of ``x`` (III), or the first and last of both (I) are scaled by sqrt(2); by default where
        ``norm`` is "ortho".

    Returns
    -------
    Tensor
        Of the dtype of ``x``; integers give float64, float16 gives float32.

    Raises
    ------
    ArgumentError
        For another type or norm, an axis out of range, a length below 1, or one point for type 1.
    ArgumentTypeError
        For a type, length or axis that is not an integer.
    DTypeError
        For a dtype without transforms, such as bfloat16.
    ShapeError
        For a scalar.

    Notes
    -----
    Without normalisation the types are

    - I: y_k = x_0 + (-1)^k x_{n-1} + 2 sum_j x_j cos(pi j k / (n - 1)), with 0 < j < n - 1
    - II: y_k = 2 sum_j x_j cos(pi (2 j + 1) k / (2 n))
    - III: y_k = x_0 + 2 sum_j x_j cos(pi j (2 k + 1) / (2 n)), with 0 < j
    - IV: y_k = 2 sum_j x_j cos(pi (2 j + 1) (2 k + 1) / (4 n))

    A derivative is a transform of the transposed type (I and IV their own, II and III each other's), so that a
    gradient costs as many transforms as the value.  Wang, *Applied Mathematics and Computation* 16 (1985).

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.dct([1.0, 1.0, 1.0, 1.0])
    Tensor([8., 0., 0., 0.])
    """
    return _one("dct", dct_p, x, type, n, axis, norm, orthogonalize, False)


def idct(
    x: Any,
    /,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    *,
    orthogonalize: bool | None = None,
) -> Any:
    """Inverse of `dct`.

    Parameters
    ----------
    x : array_like
        Real or complex; real and imaginary part are transformed alike.
    type : {1, 2, 3, 4}
        That of the `dct` to undo.
    n : int, optional
        Length: the axis is cropped to it, or filled up with zeros.
    axis : int
    norm : {"backward", "ortho", "forward"}, optional
        What the `dct` was given: the inverse is divided by N, sqrt(N) or 1, where N is
        2 n (type I: 2 (n - 1)).
    orthogonalize : bool, optional
        Whether to undo a `dct` with this argument; by default where ``norm`` is "ortho".

    Returns
    -------
    Tensor
        Of the dtype of ``x``; integers give float64, float16 gives float32.

    Raises
    ------
    ArgumentError
        For another type or norm, an axis out of range, a length below 1, or one point for type 1.
    ArgumentTypeError
        For a type, length or axis that is not an integer.
    DTypeError
        For a dtype without transforms, such as bfloat16.
    ShapeError
        For a scalar.

    Notes
    -----
    The inverse of types I and IV is the same transform divided by N; that of type II is of type III, and the other
    way round.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.idct([8.0, 0.0, 0.0, 0.0])
    Tensor([1., 1., 1., 1.])
    """
    return _one("idct", dct_p, x, type, n, axis, norm, orthogonalize, True)


def dctn(
    x: Any,
    /,
    type: int = 2,
    s: Lengths = None,
    axes: Axes = None,
    norm: str | None = None,
    *,
    orthogonalize: bool | None = None,
) -> Any:
    """Discrete cosine transform along several axes.

    Parameters
    ----------
    x : array_like
        Real or complex; real and imaginary part are transformed alike.
    type : {1, 2, 3, 4}
        As for `dct`.
    s : tuple of int, optional
        Length along each axis: it is cropped to it, or filled up with zeros; -1 is the axis's own.
    axes : tuple of int, optional
        All by default, or the last ``len(s)``.
    norm : {"backward", "ortho", "forward"}, optional
        As for `dct`.
    orthogonalize : bool, optional
        As for `dct`.

    Returns
    -------
    Tensor
        Of the dtype of ``x``; integers give float64, float16 gives float32.

    Raises
    ------
    ArgumentError
        As for `dct`, and for an axis given twice, or another number of lengths than of axes.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.dctn(ss.ones((2, 2)))
    Tensor([[16.,  0.],
            [ 0.,  0.]])
    """
    return _many("dctn", dct_p, x, type, s, axes, norm, orthogonalize, False)


def idctn(
    x: Any,
    /,
    type: int = 2,
    s: Lengths = None,
    axes: Axes = None,
    norm: str | None = None,
    *,
    orthogonalize: bool | None = None,
) -> Any:
    """Inverse of `dctn`.

    Parameters
    ----------
    x : array_like
        Real or complex; real and imaginary part are transformed alike.
    type : {1, 2, 3, 4}
        As for `idct`.
    s : tuple of int, optional
        Length along each axis: it is cropped to it, or filled up with zeros; -1 is the axis's own.
    axes : tuple of int, optional
        All by default, or the last ``len(s)``.
    norm : {"backward", "ortho", "forward"}, optional
        As for `idct`.
    orthogonalize : bool, optional
        As for `idct`.

    Returns
    -------
    Tensor
        Of the dtype of ``x``; integers give float64, float16 gives float32.

    Raises
    ------
    ArgumentError
        As for `idct`, and for an axis given twice, or another number of lengths than of axes.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.idctn([[16.0, 0.0], [0.0, 0.0]])
    Tensor([[1., 1.],
            [1., 1.]])
    """
    return _many("idctn", dct_p, x, type, s, axes, norm, orthogonalize, True)


def dst(
    x: Any,
    /,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    *,
    orthogonalize: bool | None = None,
) -> Any:
    """Discrete sine transform of one axis.

    Parameters
    ----------
    x : array_like
        Real or complex; real and imaginary part are transformed alike.
    type : {1, 2, 3, 4}
        See the notes.
    n : int, optional
        Length: the axis is cropped to it, or filled up with zeros.
    axis : int
    norm : {"backward", "ortho", "forward"}, optional
        The result is divided by 1 (the default), sqrt(N) or N, where N is 2 n (type I: 2 (n + 1)).
    orthogonalize : bool, optional
        Whether the transform is an orthogonal matrix times a number, for which the last element of the result
        (type II) or of ``x`` (III) is scaled by sqrt(2); by default where ``norm`` is "ortho".

    Returns
    -------
    Tensor
        Of the dtype of ``x``; integers give float64, float16 gives float32.

    Raises
    ------
    ArgumentError
        For another type or norm, an axis out of range, a length below 1.
    ArgumentTypeError
        For a type, length or axis that is not an integer.
    DTypeError
        For a dtype without transforms, such as bfloat16.
    ShapeError
        For a scalar.

    Notes
    -----
    Without normalisation the types are

    - I: y_k = 2 sum_j x_j sin(pi (j + 1) (k + 1) / (n + 1))
    - II: y_k = 2 sum_j x_j sin(pi (2 j + 1) (k + 1) / (2 n))
    - III: y_k = (-1)^k x_{n-1} + 2 sum_j x_j sin(pi (j + 1) (2 k + 1) / (2 n)), with j < n - 1
    - IV: y_k = 2 sum_j x_j sin(pi (2 j + 1) (2 k + 1) / (4 n))

    A derivative is a transform of the transposed type, as for `dct`.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.around(ss.fft.dst([1.0, 2.0], type=1), 3)
    Tensor([ 5.196, -1.732])
    """
    return _one("dst", dst_p, x, type, n, axis, norm, orthogonalize, False)


def idst(
    x: Any,
    /,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    *,
    orthogonalize: bool | None = None,
) -> Any:
    """Inverse of `dst`.

    Parameters
    ----------
    x : array_like
        Real or complex; real and imaginary part are transformed alike.
    type : {1, 2, 3, 4}
        That of the `dst` to undo.
    n : int, optional
        Length: the axis is cropped to it, or filled up with zeros.
    axis : int
    norm : {"backward", "ortho", "forward"}, optional
        What the `dst` was given: the inverse is divided by N, sqrt(N) or 1, where N is
        2 n (type I: 2 (n + 1)).
    orthogonalize : bool, optional
        Whether to undo a `dst` with this argument; by default where ``norm`` is "ortho".

    Returns
    -------
    Tensor
        Of the dtype of ``x``; integers give float64, float16 gives float32.

    Raises
    ------
    ArgumentError
        For another type or norm, an axis out of range, a length below 1.
    ArgumentTypeError
        For a type, length or axis that is not an integer.
    DTypeError
        For a dtype without transforms, such as bfloat16.
    ShapeError
        For a scalar.

    Notes
    -----
    The inverse of types I and IV is the same transform divided by N; that of type II is of type III, and the other
    way round.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.around(ss.fft.idst(ss.fft.dst([1.0, 2.0, 3.0])), 6)
    Tensor([1., 2., 3.])
    """
    return _one("idst", dst_p, x, type, n, axis, norm, orthogonalize, True)


def dstn(
    x: Any,
    /,
    type: int = 2,
    s: Lengths = None,
    axes: Axes = None,
    norm: str | None = None,
    *,
    orthogonalize: bool | None = None,
) -> Any:
    """Discrete sine transform along several axes.

    Parameters
    ----------
    x : array_like
        Real or complex; real and imaginary part are transformed alike.
    type : {1, 2, 3, 4}
        As for `dst`.
    s : tuple of int, optional
        Length along each axis: it is cropped to it, or filled up with zeros; -1 is the axis's own.
    axes : tuple of int, optional
        All by default, or the last ``len(s)``.
    norm : {"backward", "ortho", "forward"}, optional
        As for `dst`.
    orthogonalize : bool, optional
        As for `dst`.

    Returns
    -------
    Tensor
        Of the dtype of ``x``; integers give float64, float16 gives float32.

    Raises
    ------
    ArgumentError
        As for `dst`, and for an axis given twice, or another number of lengths than of axes.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.around(ss.fft.dstn(ss.ones((2, 2)), type=1), 6)
    Tensor([[12.,  0.],
            [ 0.,  0.]])
    """
    return _many("dstn", dst_p, x, type, s, axes, norm, orthogonalize, False)


def idstn(
    x: Any,
    /,
    type: int = 2,
    s: Lengths = None,
    axes: Axes = None,
    norm: str | None = None,
    *,
    orthogonalize: bool | None = None,
) -> Any:
    """Inverse of `dstn`.

    Parameters
    ----------
    x : array_like
        Real or complex; real and imaginary part are transformed alike.
    type : {1, 2, 3, 4}
        As for `idst`.
    s : tuple of int, optional
        Length along each axis: it is cropped to it, or filled up with zeros; -1 is the axis's own.
    axes : tuple of int, optional
        All by default, or the last ``len(s)``.
    norm : {"backward", "ortho", "forward"}, optional
        As for `idst`.
    orthogonalize : bool, optional
        As for `idst`.

    Returns
    -------
    Tensor
        Of the dtype of ``x``; integers give float64, float16 gives float32.

    Raises
    ------
    ArgumentError
        As for `idst`, and for an axis given twice, or another number of lengths than of axes.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.around(ss.fft.idstn([[12.0, 0.0], [0.0, 0.0]], type=1), 6)
    Tensor([[1., 1.],
            [1., 1.]])
    """
    return _many("idstn", dst_p, x, type, s, axes, norm, orthogonalize, True)
