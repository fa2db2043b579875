"""Docstrings of the special functions, from their declarations."""

from __future__ import annotations

from scisim.ops._special.declare import Function


def docstring(f: Function) -> str:
    """The docstring of a function, in the sections of NumPy's standard."""
    lines = [f"{f.summary}, elementwise.", "", "Parameters", "----------"]
    for name, text in f.operands.items():
        lines += [f"{name} : array_like", f"    {text}"]
    if len(f.operands) > 1:
        lines[-1] += " Shapes broadcast against each other."
    lines += ["", "Returns", "-------", f"{f.returns}", "    Of the broadcast shape; float32 stays float32."]
    if f.gaps:
        lines += ["", "Raises", "------", "DerivativeError"]
        lines += [f"    When a derivative with respect to {k} is asked for: {why}." for k, why in f.gaps.items()]
    notes = [f.notes] if f.notes else []
    if f.primitive is not None and f.primitive.constant:
        notes.append("Its derivative is zero.")
    if f.primitive is not None and f.primitive.singular:
        notes.append(f"Derivative at singular points: {f.primitive.singular}.")
    if notes:
        lines += ["", "Notes", "-----", *notes]
    arguments, result = f.example
    printed = result if "(" in result else f"Tensor({result})"
    lines += ["", "Examples", "--------", ">>> import scisim as ss", f">>> ss.special.{f.name}({arguments})", printed]
    return "\n".join(lines)
