"""Hypergeometric functions: the derivative in the argument is one of shifted parameters (DLMF 13.3.15, 15.5.1)."""

from __future__ import annotations

from scipy import special as sp

from scisim.ops._special.declare import declare

_PARAMETER = "there is no closed form in a parameter of a hypergeometric function"
hyp0f1 = declare(
    "hyp0f1",
    sp.hyp0f1,
    [_PARAMETER, lambda y, v, z: hyp0f1(v + 1.0, z) / v],
    "Confluent hypergeometric limit function 0F1",
    {"v": "Parameter, real.", "z": "Argument, real or complex."},
    ("1.5, 0.5", "1.36829887"),
)
hyp1f1 = declare(
    "hyp1f1",
    sp.hyp1f1,
    [_PARAMETER, _PARAMETER, lambda y, a, b, z: a / b * hyp1f1(a + 1.0, b + 1.0, z)],
    "Confluent hypergeometric function 1F1 (Kummer's M)",
    "a b z",
    ("0.5, 1.5, 0.7", "1.29175265"),
)
hyperu = declare(
    "hyperu",
    sp.hyperu,
    [_PARAMETER, _PARAMETER, lambda y, a, b, x: -a * hyperu(a + 1.0, b + 1.0, x)],
    "Confluent hypergeometric function U (Tricomi's)",
    "a b x",
    ("0.5, 1.5, 0.7", "1.19522861"),
    singular="at the branch point 0",
)
hyp2f1 = declare(
    "hyp2f1",
    sp.hyp2f1,
    [_PARAMETER, _PARAMETER, _PARAMETER, lambda y, a, b, c, z: a * b / c * hyp2f1(a + 1.0, b + 1.0, c + 1.0, z)],
    "Gauss's hypergeometric function 2F1",
    "a b c z",
    ("0.5, 1.0, 1.5, 0.3", "1.12305399"),
    singular="at the branch point 1",
)
