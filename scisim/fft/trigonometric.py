"""Discrete cosine and sine transforms, types I to IV, with SciPy's conventions: the raw functions."""

from __future__ import annotations

from typing import Any

from scisim.fft._trigonometric import dct_p, dst_p
from scisim.fft._trigonometric_calls import along_axes, along_axis

Lengths = int | tuple[int, ...] | None
Axes = int | tuple[int, ...] | None


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

    They are computed by ducc0 where it is installed, else, and in a block ``with fft.engine("scipy")``, by SciPy.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.dct([1.0, 1.0, 1.0, 1.0])
    Tensor([8., 0., 0., 0.])
    """
    return along_axis("dct", dct_p, x, type, n, axis, norm, orthogonalize, False)


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
    return along_axis("idct", dct_p, x, type, n, axis, norm, orthogonalize, True)


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
    return along_axes("dctn", dct_p, x, type, s, axes, norm, orthogonalize, False)


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
    return along_axes("idctn", dct_p, x, type, s, axes, norm, orthogonalize, True)


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
    return along_axis("dst", dst_p, x, type, n, axis, norm, orthogonalize, False)


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
    return along_axis("idst", dst_p, x, type, n, axis, norm, orthogonalize, True)


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
    >>> ss.around(ss.fft.dstn(ss.ones((2, 2)), type=1)[0, 0], 6)
    Tensor(12.)
    """
    return along_axes("dstn", dst_p, x, type, s, axes, norm, orthogonalize, False)


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
    return along_axes("idstn", dst_p, x, type, s, axes, norm, orthogonalize, True)
