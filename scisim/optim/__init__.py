"""Optimisers: states are containers of tensors, and nothing is kept elsewhere.

First order: ``init(params) -> state``; ``update(grads, state, params) -> (params, state)``.
Quasi-Newton: ``update(loss_fn, state, params) -> (params, state, value)``.
Levenberg-Marquardt: ``update(residuals, state, params) -> (params, state, value)`` with `LeastSquares`.

Parameters may be real, complex, or both: a step for complex z is that for (Re z, Im z), but for the second moments of
`Adam`, which are of abs(g).
"""

from typing import NoReturn as _NoReturn

from scisim.core.names import missing_name as _missing_name
from scisim.optim.bfgs import BFGS as BFGS
from scisim.optim.bfgs import SSBFGS as SSBFGS
from scisim.optim.bfgs import BFGSState as BFGSState
from scisim.optim.bfgs import SSBroyden as SSBroyden
from scisim.optim.first_order import SGD as SGD
from scisim.optim.first_order import Adam as Adam
from scisim.optim.first_order import AdamState as AdamState
from scisim.optim.first_order import AdamW as AdamW
from scisim.optim.first_order import SGDState as SGDState
from scisim.optim.flat import ravel as ravel
from scisim.optim.lbfgs import LBFGS as LBFGS
from scisim.optim.lbfgs import LBFGSState as LBFGSState
from scisim.optim.least_squares import LeastSquares as LeastSquares
from scisim.optim.levenberg_marquardt import LevenbergMarquardt as LevenbergMarquardt
from scisim.optim.levenberg_marquardt import LMState as LMState
from scisim.optim.schedules import constant as constant
from scisim.optim.schedules import cosine as cosine
from scisim.optim.schedules import exponential_decay as exponential_decay
from scisim.optim.schedules import piecewise as piecewise
from scisim.optim.schedules import warmup as warmup
from scisim.optim.status import status_message as status_message
from scisim.optim.trees import clip_by_global_norm as clip_by_global_norm
from scisim.optim.trees import global_norm as global_norm

_ELSEWHERE = {"minimize": "it is scisim.optimize.minimize", "apply_updates": "update gives the new parameters"}


def __getattr__(name: str) -> _NoReturn:
    raise _missing_name(__name__, name, _ELSEWHERE)
