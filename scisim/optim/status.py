"""How an update ended: the numbers in ``state.status`` of methods that search for a step."""

from __future__ import annotations

from typing import Any

from scisim.core.errors import ArgumentTypeError

FOUND, FAILED, NOT_DESCENT, NOT_FINITE, CONVERGED = 0, 1, 2, 3, 4

_MESSAGES = {
    FOUND: "a step was accepted",
    FAILED: "no trial was acceptable: the loss cannot be lowered further in this precision, or its gradient is wrong",
    NOT_DESCENT: "the direction was not one of descent",
    NOT_FINITE: "the loss or its derivative is not finite",
    CONVERGED: "the gradient is zero, or within the tolerance",
}


def status_message(state: Any) -> str:
    """What ``state.status`` means.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import optim
    >>> lbfgs, x = optim.LBFGS(), ss.asarray(0.0)
    >>> optim.status_message(lbfgs.update(ss.square, lbfgs.init(x), x)[1])
    'the gradient is zero, or within the tolerance'
    """
    if not hasattr(state, "status"):
        raise ArgumentTypeError(
            f"status_message: a {type(state).__name__} has no status; expected the state of a method that searches for "
            f"a step, such as LBFGS or LevenbergMarquardt"
        )
    return _MESSAGES[int(state.status)]
