"""Opening and saving figures: the one place that knows how Matplotlib is used."""

from __future__ import annotations

import os
from typing import Any

from scisim.core.errors import FileError, MissingDependencyError

STYLE = {
    "font.size": 10.0,
    "axes.titlesize": 11.0,
    "axes.grid": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "savefig.dpi": 150,
}


def new_figure(function: str, width: float, height: float) -> Any:
    """A figure of `width` x `height` inches that belongs to no window and to no global state."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingDependencyError(
            f'{function}: needs matplotlib, which is not installed; install it with: pip install "scisim[plot]"'
        ) from error
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save_figure(function: str, figure: Any, path: str | os.PathLike[str]) -> str:
    """Write `figure` to `path`, making its folder, and return the path as text."""
    target = os.fspath(path)
    try:
        os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
        figure.savefig(target)
    except OSError as error:
        raise FileError(
            f"{function}: cannot write path={target!r} ({error.strerror or error}); "
            "give a path in a folder that you may write to"
        ) from error
    return target
