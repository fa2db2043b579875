"""Docstrings of distributions, all of one form."""

from __future__ import annotations

from collections.abc import Callable

_DIFFERENTIABLE = "Differentiable in the parameters, a sample moving so that its quantile stays."
_CONSTANT = "Counts have no derivative: gradients through them are zero."
_RETURNS = "    Of ``shape``, or of that to which the parameters broadcast."


def distribution(
    summary: str, example: str, result: str, notes: str = "", integer: bool = False, **params: str
) -> Callable[[Callable], Callable]:
    """Write the docstring of ``f(key, *params, shape=None, dtype=None)``; each parameter has its sentence."""
    kind = "int64 by default." if integer else "that of parameters that are floating-point arrays, or float64."
    lines = [summary, "", "Parameters", "----------", "key : Tensor", "    From `key`."]
    for name, text in params.items():
        lines += [f"{name} : array_like", f"    {text}"]
    lines += ["shape : int or tuple of int, optional", "    To which the parameters broadcast; theirs by default."]
    lines += [
        "dtype : dtype, optional",
        f"    {kind[0].upper()}{kind[1:]}",
        "",
        "Returns",
        "-------",
        "Tensor",
        _RETURNS,
    ]
    lines += ["", "Raises", "------", "ArgumentTypeError", "    When ``key`` is no key."]
    lines += ["ArgumentError", "    For a parameter out of range, where its value is known.", "ShapeError"]
    lines += ["    When parameters do not broadcast to ``shape``.", "DTypeError", "    For another kind of dtype."]
    lines += ["", "Notes", "-----", _CONSTANT if integer else _DIFFERENTIABLE, *notes.splitlines()]
    lines += ["", "Examples", "--------", ">>> import scisim as ss", f">>> {example}", result]
    text = "\n    ".join(lines).replace("\n    \n", "\n\n")

    def write(f: Callable) -> Callable:
        f.__doc__ = text
        return f

    return write
