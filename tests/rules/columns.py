"""The columns of the rule table: which kinds of operands the rows of each function have, and why some have none."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from scisim.core.axes import ELEMENTWISE
from scisim.core.public import OPERATIONS
from tests.rules.cases import Case
from tests.rules.table import EXEMPT, TABLE

KINDS = ("complex", "empty", "0-d", "broadcast")


def kinds_of(case: Case) -> set[str]:
    """The kinds of operands that a row shows."""
    xs = list(map(np.asarray, case.operands))
    shapes = {x.shape for x in xs}
    shown = {
        "complex": any(x.dtype.kind == "c" for x in xs),
        "empty": any(x.size == 0 for x in xs),
        "0-d": any(x.ndim == 0 for x in xs),
        "broadcast": len(shapes) > 1,
    }
    return {kind for kind, is_shown in shown.items() if is_shown}


def elementwise(name: str) -> bool:
    """Whether a function is held by `test_elementwise_functions_of_all_shapes`, for all shapes at once."""
    op = OPERATIONS.get(name.removeprefix("op:"))
    return op is not None and op.primitive is not None and op.primitive.axes is ELEMENTWISE


def of_function() -> dict[str, dict[str, str]]:
    """By function, each column: "yes", a reason, or "" for a gap."""
    rows = defaultdict(list)
    for case in TABLE:
        for name in case.covers:
            if not name.startswith("prim:"):
                rows[name].append(case)
    return {name: _columns(name, cases) for name, cases in sorted(rows.items())}


def _columns(name: str, cases: list[Case]) -> dict[str, str]:
    shown = set().union(*map(kinds_of, cases))
    if elementwise(name):
        shown |= {"empty", "0-d", "broadcast"}
    reasons = {**EXEMPT.get("*", {}), **EXEMPT.get(name, {})}
    if not any(c.operands for c in cases):
        reasons = {**dict.fromkeys(KINDS, "takes no arrays"), **reasons}
    if max(len(c.operands) for c in cases) < 2:
        reasons.setdefault("broadcast", "one operand")
    if not any(np.asarray(x).dtype.kind in "fc" for c in cases for x in c.operands):
        reasons.setdefault("complex", "not for numbers with a fraction")
    return {kind: "yes" if kind in shown else reasons.get(kind, "") for kind in KINDS}
