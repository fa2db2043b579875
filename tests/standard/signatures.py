"""Names and signatures of the Array API standard 2025.12, in Python's own notation."""

from __future__ import annotations


def _words(text: str) -> list[str]:
    return text.split()


_REDUCE = "(x, /, *, axis=None, keepdims=False)"
_TOTAL = "(x, /, *, axis=None, dtype=None, keepdims=False)"
_MOMENT = "(x, /, *, axis=None, correction=0.0, keepdims=False)"
_RUNNING = "(x, /, *, axis=None, dtype=None, include_initial=False)"
_LIKE = "(x, /, *, dtype=None, device=None)"
_FILLED = "(shape, *, dtype=None, device=None)"
_TRIANGLE = "(x, /, *, k=0)"
_SORT = "(x, /, *, axis=-1, descending=False, stable=True)"
_FFT = "(x, /, *, n=None, axis=-1, norm='backward')"
_FFTN = "(x, /, *, s=None, axes=None, norm='backward')"
_FREQUENCY = "(n, /, *, d=1.0, dtype=None, device=None)"

UNARY = _words(
    "abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag isfinite isinf isnan "
    "log log1p log2 log10 logical_not negative positive real reciprocal round sign signbit sin sinh square sqrt tan "
    "tanh trunc"
)
BINARY = _words(
    "add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide equal "
    "floor_divide greater greater_equal hypot less less_equal logaddexp logical_and logical_or logical_xor maximum "
    "minimum multiply nextafter not_equal pow remainder subtract"
)

MAIN: dict[str, str] = {
    **dict.fromkeys(UNARY, "(x, /)"),
    **dict.fromkeys(BINARY, "(x1, x2, /)"),
    # creation
    "arange": "(start, /, stop=None, step=1, *, dtype=None, device=None)",
    "asarray": "(obj, /, *, dtype=None, device=None, copy=None)",
    **dict.fromkeys(("empty", "ones", "zeros"), _FILLED),
    **dict.fromkeys(("empty_like", "ones_like", "zeros_like"), _LIKE),
    "eye": "(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None)",
    "from_dlpack": "(x, /, *, device=None, copy=None)",
    "full": "(shape, fill_value, *, dtype=None, device=None)",
    "full_like": "(x, /, fill_value, *, dtype=None, device=None)",
    "linspace": "(start, stop, /, num, *, dtype=None, device=None, endpoint=True)",
    "meshgrid": "(*arrays, indexing='xy')",
    "tril": _TRIANGLE,
    "triu": _TRIANGLE,
    # dtypes
    "astype": "(x, dtype, /, *, copy=True, device=None)",
    "can_cast": "(from_, to, /)",
    "finfo": "(type, /)",
    "iinfo": "(type, /)",
    "isdtype": "(dtype, kind)",
    "result_type": "(*arrays_and_dtypes)",
    # elements
    "clip": "(x, /, min=None, max=None)",
    "take": "(x, indices, /, *, axis=None)",
    "take_along_axis": "(x, indices, /, *, axis=-1)",
    # products
    "matmul": "(x1, x2, /)",
    "matrix_transpose": "(x, /)",
    "tensordot": "(x1, x2, /, *, axes=2)",
    "vecdot": "(x1, x2, /, *, axis=-1)",
    # shapes
    "broadcast_arrays": "(*arrays)",
    "broadcast_shapes": "(*shapes)",
    "broadcast_to": "(x, /, shape)",
    "concat": "(arrays, /, *, axis=0)",
    "expand_dims": "(x, /, axis)",
    "flip": "(x, /, *, axis=None)",
    "moveaxis": "(x, source, destination, /)",
    "permute_dims": "(x, /, axes)",
    "repeat": "(x, repeats, /, *, axis=None)",
    "reshape": "(x, /, shape, *, copy=None)",
    "roll": "(x, /, shift, *, axis=None)",
    "squeeze": "(x, /, axis)",
    "stack": "(arrays, /, *, axis=0)",
    "tile": "(x, repetitions, /)",
    "unstack": "(x, /, *, axis=0)",
    # search and sets
    "argmax": _REDUCE,
    "argmin": _REDUCE,
    "count_nonzero": _REDUCE,
    "nonzero": "(x, /)",
    "searchsorted": "(x1, x2, /, *, side='left', sorter=None)",
    "where": "(condition, x1, x2, /)",
    "isin": "(x1, x2, /, *, invert=False)",
    **dict.fromkeys(("unique_all", "unique_counts", "unique_inverse", "unique_values"), "(x, /)"),
    "argsort": _SORT,
    "sort": _SORT,
    # statistics
    "cumulative_sum": _RUNNING,
    "cumulative_prod": _RUNNING,
    **dict.fromkeys(("all", "any", "max", "mean", "min"), _REDUCE),
    "prod": _TOTAL,
    "sum": _TOTAL,
    "std": _MOMENT,
    "var": _MOMENT,
    "diff": "(x, /, *, axis=-1, n=1, prepend=None, append=None)",
    # inspection
    "__array_namespace_info__": "()",
}
LINALG: dict[str, str] = {
    "cholesky": "(x, /, *, upper=False)",
    "cross": "(x1, x2, /, *, axis=-1)",
    "det": "(x, /)",
    "diagonal": "(x, /, *, offset=0)",
    "eigh": "(x, /)",
    "eigvalsh": "(x, /)",
    "inv": "(x, /)",
    "matmul": "(x1, x2, /)",
    "matrix_norm": "(x, /, *, keepdims=False, ord='fro')",
    "matrix_power": "(x, n, /)",
    "matrix_rank": "(x, /, *, rtol=None)",
    "matrix_transpose": "(x, /)",
    "outer": "(x1, x2, /)",
    "pinv": "(x, /, *, rtol=None)",
    "qr": "(x, /, *, mode='reduced')",
    "slogdet": "(x, /)",
    "solve": "(x1, x2, /)",
    "svd": "(x, /, *, full_matrices=True)",
    "svdvals": "(x, /)",
    "tensordot": "(x1, x2, /, *, axes=2)",
    "trace": "(x, /, *, offset=0, dtype=None)",
    "vecdot": "(x1, x2, /, *, axis=-1)",
    "vector_norm": "(x, /, *, axis=None, keepdims=False, ord=2)",
}
FFT: dict[str, str] = {
    **dict.fromkeys(("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"), _FFT),
    **dict.fromkeys(("fftn", "ifftn", "rfftn", "irfftn"), _FFTN),
    **dict.fromkeys(("fftfreq", "rfftfreq"), _FREQUENCY),
    **dict.fromkeys(("fftshift", "ifftshift"), "(x, /, *, axes=None)"),
}
INFO: dict[str, str] = {
    **dict.fromkeys(("capabilities", "default_device", "devices"), "()"),
    "default_dtypes": "(*, device=None)",
    "dtypes": "(*, device=None, kind=None)",
}
_OPERATORS = _words(
    "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift"  # also reflected and in place
)
ARRAY: dict[str, str] = {
    **{f"__{kind}{name}__": "(other, /)" for name in _OPERATORS for kind in ("", "r", "i")},
    **{f"__{name}__": "(other, /)" for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    **{f"__{name}__": "()" for name in ("abs", "neg", "pos", "invert", "bool", "int", "float", "complex", "index")},
    "__array_namespace__": "(*, api_version=None)",
    "__dlpack__": "(*, stream=None, max_version=None, dl_device=None, copy=None)",
    "__dlpack_device__": "()",
    "__getitem__": "(key, /)",
    "__setitem__": "(key, value, /)",
    "to_device": "(device, /, *, stream=None)",
}
ATTRIBUTES = ("T", "device", "dtype", "mT", "ndim", "shape", "size")
CONSTANTS = ("e", "inf", "nan", "newaxis", "pi")
DTYPES = _words("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128")
