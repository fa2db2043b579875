"""What a training run did: its loss, and its prediction beside a reference."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.plot._figure import STYLE, new_figure, save_figure

PathLike = str | os.PathLike[str]


def history(history: Mapping[str, Sequence[float]], path: PathLike) -> str:
    """Draw the curves of a run on a logarithmic scale.

    Parameters
    ----------
    history : mapping of str to sequence of float
        One curve for each name, e.g. `{"step": [...], "loss": [...]}`; the entry `"step"`, where
        there is one, gives the horizontal axis. Values that are not positive leave a gap.
    path : path
        Where the picture goes; the ending (.png, .pdf, .svg) chooses the format.

    Returns
    -------
    str
        The path of the picture.

    Raises
    ------
    ArgumentError
        `history` holds no curve.
    ShapeError
        A curve is not as long as the steps.
    MissingDependencyError, FileError
        Matplotlib is not installed; `path` cannot be written.

    Examples
    --------
    >>> import os, tempfile
    >>> from scisim import plot
    >>> folder = tempfile.mkdtemp()
    >>> picture = plot.history({"step": [0, 10, 20], "loss": [1.0, 0.1, 0.02]}, folder + "/loss.png")
    >>> os.path.basename(picture)
    'loss.png'
    """
    steps, curves = _curves("plot.history", history)
    with _style("plot.history"):
        figure = new_figure("plot.history", 7.0, 4.0)
        _draw_curves(figure.add_subplot(), steps, curves)
        return save_figure("plot.history", figure, path)


def comparison(
    x: ArrayLike,
    t: ArrayLike,
    prediction: ArrayLike,
    reference: ArrayLike,
    path: PathLike,
    names: tuple[str, str] = ("t", "x"),
) -> str:
    """Draw a prediction, its reference and the absolute error side by side.

    Parameters
    ----------
    x, t : array_like, shapes (n,) and (m,)
        The increasing coordinates of the grid; `t` runs to the right and `x` upwards.
    prediction, reference : array_like, shape (m, n)
        Real values at `(t[i], x[j])`. Both are drawn on one colour scale, the error on its own.
    path : path
        Where the picture goes; the ending (.png, .pdf, .svg) chooses the format.
    names : (str, str)
        What `t` and `x` are called in the picture, in that order.

    Returns
    -------
    str
        The path of the picture.

    Raises
    ------
    ShapeError
        The arrays do not fit the coordinates.
    MissingDependencyError, FileError
        Matplotlib is not installed; `path` cannot be written.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from scisim import plot
    >>> x, t = np.linspace(-1, 1, 21), np.linspace(0, 1, 11)
    >>> u = np.exp(-t)[:, None] * np.sin(np.pi * x)
    >>> picture = plot.comparison(x, t, u + 1e-3, u, tempfile.mkdtemp() + "/u.png")
    >>> os.path.basename(picture)
    'u.png'
    """
    grid = _grid("plot.comparison", x, t, prediction, reference)
    with _style("plot.comparison"):
        figure = new_figure("plot.comparison", 13.0, 3.6)
        _draw_fields(figure, figure.subplots(1, 3, sharex=True, sharey=True), grid, names)
        return save_figure("plot.comparison", figure, path)


def training_report(
    history: Mapping[str, Sequence[float]],
    x: ArrayLike,
    t: ArrayLike,
    prediction: ArrayLike,
    reference: ArrayLike,
    path: PathLike,
    names: tuple[str, str] = ("t", "x"),
    title: str | None = None,
) -> str:
    """Draw a whole run in one picture: prediction, reference, error, loss, and some profiles.

    The parameters are those of `history` and `comparison`; the profiles compare prediction and
    reference over `x` at four values of `t`.

    Parameters
    ----------
    history : mapping of str to sequence of float
        As in `history`.
    x, t : array_like, shapes (n,) and (m,)
        The increasing coordinates of the grid.
    prediction, reference : array_like, shape (m, n)
        Real values at `(t[i], x[j])`.
    path : path
        Where the picture goes.
    names : (str, str)
        What `t` and `x` are called.
    title : str, optional
        A line above the picture; the relative L2 error follows it.

    Returns
    -------
    str
        The path of the picture.

    Raises
    ------
    ArgumentError, ShapeError, MissingDependencyError, FileError
        As in `history` and `comparison`.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from scisim import plot
    >>> x, t = np.linspace(-1, 1, 21), np.linspace(0, 1, 11)
    >>> u = np.exp(-t)[:, None] * np.sin(np.pi * x)
    >>> run = {"step": [0, 10, 20], "loss": [1.0, 0.1, 0.02]}
    >>> picture = plot.training_report(run, x, t, u + 1e-3, u, tempfile.mkdtemp() + "/run.png")
    >>> os.path.basename(picture)
    'run.png'
    """
    steps, curves = _curves("plot.training_report", history)
    grid = _grid("plot.training_report", x, t, prediction, reference)
    with _style("plot.training_report"):
        figure = new_figure("plot.training_report", 13.0, 7.0)
        upper, lower = figure.subfigures(2, 1)
        upper.suptitle(_title(title, grid))
        _draw_fields(upper, upper.subplots(1, 3, sharex=True, sharey=True), grid, names)
        left, right = lower.subplots(1, 2)
        _draw_curves(left, steps, curves)
        _draw_profiles(right, grid, names)
        return save_figure("plot.training_report", figure, path)


class _Grid:
    """Two fields on one grid, checked; `prediction` and `reference` are (len(t), len(x))."""

    def __init__(self, x: Any, t: Any, prediction: Any, reference: Any) -> None:
        self.x, self.t, self.prediction, self.reference = x, t, prediction, reference
        self.error = np.abs(prediction - reference)

    def relative_error(self) -> float:
        """The L2 norm of the error over that of the reference (nan for a reference of zeros)."""
        scale = float(np.linalg.norm(self.reference))
        return float(np.linalg.norm(self.error)) / scale if scale else float("nan")


def _grid(function: str, x: ArrayLike, t: ArrayLike, prediction: ArrayLike, reference: ArrayLike) -> _Grid:
    xs, ts, predicted, true = (np.asarray(a, dtype=float) for a in (x, t, prediction, reference))
    for name, axis in (("x", xs), ("t", ts)):
        if axis.ndim != 1 or axis.size < 2:
            raise ShapeError(f"{function}: {name} has shape {axis.shape}; give a vector of at least two coordinates")
        if not np.all(np.diff(axis) > 0):
            raise ArgumentError(f"{function}: {name} does not increase; sort it and the values with it")
    wanted = (ts.size, xs.size)
    for name, values in (("prediction", predicted), ("reference", true)):
        if values.shape != wanted:
            raise ShapeError(
                f"{function}: {name} has shape {values.shape}, but t and x give {wanted}; "
                "its rows run over t and its columns over x (transpose it if it is the other way round)"
            )
    return _Grid(xs, ts, predicted, true)


def _curves(function: str, history: Mapping[str, Sequence[float]]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    if not isinstance(history, Mapping):
        raise ArgumentTypeError(
            f"{function}: history is a {type(history).__name__}; expected curves by name, such as solution.history"
        )
    curves = {name: np.asarray(values, dtype=float) for name, values in history.items()}
    steps = curves.pop("step", None)
    if not curves:
        raise ArgumentError(f'{function}: history holds no curve; give at least one, such as "loss"')
    if steps is None:
        steps = np.arange(max(curve.size for curve in curves.values()), dtype=float)
    for name, curve in curves.items():
        if curve.shape != steps.shape:
            raise ShapeError(
                f"{function}: history[{name!r}] has shape {curve.shape}, but the steps have {steps.shape}; "
                "record every curve at every step"
            )
    return steps, curves


def _style(function: str) -> Any:
    new_figure(function, 1.0, 1.0)  # explains a missing Matplotlib before the next line needs it
    import matplotlib

    return matplotlib.rc_context(STYLE)


def _draw_curves(axes: Any, steps: np.ndarray, curves: dict[str, np.ndarray]) -> None:
    marker = "o" if steps.size < 2 else None
    for name, curve in curves.items():
        axes.plot(steps, np.where(curve > 0, curve, np.nan), label=name, linewidth=1.4, marker=marker)
    if any(np.any(curve > 0) for curve in curves.values()):
        axes.set_yscale("log")
    axes.grid(True, which="major", color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set(xlabel="step", ylabel="loss", title="Training")
    axes.legend(loc="upper right")


def _draw_fields(figure: Any, axes: Any, grid: _Grid, names: tuple[str, str]) -> None:
    both = np.stack([grid.prediction, grid.reference])
    low, high = float(np.nanmin(both)), float(np.nanmax(both))
    if low < 0 < high:  # a signed field: white stays at zero
        high = max(-low, high)
        low = -high
    scale: dict[str, Any] = {"cmap": "RdBu_r" if low < 0 < high else "viridis", "vmin": low, "vmax": high}
    fields = [
        ("Prediction", grid.prediction, scale),
        ("Reference", grid.reference, scale),
        ("Absolute error", grid.error, {"cmap": "magma", "vmin": 0.0}),
    ]
    for panel, (label, values, colours) in zip(axes, fields, strict=True):
        image = panel.pcolormesh(grid.t, grid.x, values.T, shading="nearest", rasterized=True, **colours)
        number = "%.1e" if label == "Absolute error" else None
        figure.colorbar(image, ax=panel, pad=0.02, format=number).outline.set_visible(False)
        panel.set(title=label, xlabel=names[0])
        panel.set_xlim(grid.t[0], grid.t[-1])
        panel.set_ylim(grid.x[0], grid.x[-1])
    axes[0].set_ylabel(names[1])


def _draw_profiles(axes: Any, grid: _Grid, names: tuple[str, str]) -> None:
    rows = np.unique(np.linspace(0, grid.t.size - 1, 4).round().astype(int))
    for number, row in enumerate(rows):
        colour = f"C{number}"
        label = f"{names[0]} = {grid.t[row]:.3g}"
        axes.plot(grid.x, grid.reference[row], color=colour, linewidth=3.0, alpha=0.35)
        axes.plot(grid.x, grid.prediction[row], color=colour, linewidth=1.2, linestyle="--", label=label)
    axes.grid(True, color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set(xlabel=names[1], title="Profiles: prediction dashed, reference broad")
    axes.legend(loc="best", ncols=2)


def _title(title: str | None, grid: _Grid) -> str:
    error = f"relative L2 error {grid.relative_error():.1e}"
    return error if title is None else f"{title}: {error}"
