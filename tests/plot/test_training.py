"""Pictures are files that a viewer opens, of a size that can be read, whatever the run was like."""

import builtins
import struct

import numpy as np
import pytest

from scisim import plot
from scisim.core.errors import ArgumentError, FileError, MissingDependencyError, ShapeError

X = np.linspace(-1.0, 1.0, 33)
T = np.linspace(0.0, 1.0, 9)
FIELD = np.exp(-T)[:, None] * np.sin(np.pi * X)
RUN = {"step": [0, 5, 10], "loss": [1.0, 0.1, 0.01], "boundary": [0.5, 0.0, 1e-4]}


def png_size(path):
    with open(path, "rb") as file:
        head = file.read(24)
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", head[16:24])


def draw(name, path, field=FIELD):
    if name == "history":
        return plot.history(RUN, path)
    if name == "comparison":
        return plot.comparison(X, T, field + 1e-3, field, path)
    return plot.training_report(RUN, X, T, field + 1e-3, field, path, title="A run")


@pytest.mark.parametrize(
    ("name", "width", "height"),
    [("history", 1050, 600), ("comparison", 1950, 540), ("training_report", 1950, 1050)],
)
def test_each_picture_is_a_png_of_its_stated_size(tmp_path, name, width, height):
    path = tmp_path / "new folder" / f"{name}.png"
    assert draw(name, path) == str(path)
    assert png_size(path) == (width, height)
    assert path.stat().st_size > 10_000


@pytest.mark.parametrize("ending", ["pdf", "svg"])
def test_the_ending_chooses_the_format(tmp_path, ending):
    path = tmp_path / f"u.{ending}"
    draw("comparison", path)
    assert path.read_bytes()[:5] == {"pdf": b"%PDF-", "svg": b"<?xml"}[ending]


@pytest.mark.parametrize("field", [np.zeros_like(FIELD), FIELD + 7.0, np.full_like(FIELD, -2.0)])
def test_fields_without_sign_or_range_are_drawn(tmp_path, field):
    assert png_size(draw("training_report", tmp_path / "u.png", field)) == (1950, 1050)


def test_a_run_that_reached_zero_or_had_one_step_is_drawn(tmp_path):
    zero = plot.history({"loss": [1.0, 0.0, 0.0]}, tmp_path / "zero.png")
    one = plot.history({"step": [3], "loss": [0.5]}, tmp_path / "one.png")
    assert png_size(zero) == png_size(one) == (1050, 600)


def test_drawing_leaves_the_callers_settings_alone(tmp_path):
    import matplotlib

    before = dict(matplotlib.rcParams)
    draw("history", tmp_path / "a.png")
    assert dict(matplotlib.rcParams) == before


def test_shapes_that_do_not_fit_are_explained(tmp_path):
    with pytest.raises(ShapeError, match=r"prediction has shape \(33, 9\), but t and x give \(9, 33\)"):
        plot.comparison(X, T, FIELD.T, FIELD, tmp_path / "a.png")
    with pytest.raises(ShapeError, match=r"x has shape \(\); give a vector"):
        plot.comparison(1.0, T, FIELD, FIELD, tmp_path / "a.png")
    with pytest.raises(ArgumentError, match="t does not increase; sort it"):
        plot.comparison(X, T[::-1], FIELD, FIELD, tmp_path / "a.png")
    with pytest.raises(ShapeError, match=r"history\['loss'\] has shape \(2,\), but the steps have \(3,\)"):
        plot.history({"step": [1, 2, 3], "loss": [1.0, 2.0]}, tmp_path / "a.png")
    with pytest.raises(ArgumentError, match="holds no curve"):
        plot.history({"step": [1, 2]}, tmp_path / "a.png")


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(FileError, match=r"plot\.history: cannot write path=.*a\.png.*folder that you may"):
        plot.history(RUN, tmp_path / "file" / "a.png")


@pytest.mark.parametrize("name", ["history", "comparison", "training_report"])
def test_without_matplotlib_the_extra_is_named(tmp_path, monkeypatch, name):
    real = builtins.__import__

    def without_matplotlib(module, *args, **kwargs):
        if module.split(".")[0] == "matplotlib":
            raise ImportError("No module named 'matplotlib'")
        return real(module, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_matplotlib)
    with pytest.raises(MissingDependencyError, match=rf"plot\.{name}: needs matplotlib.*scisim\[plot\]"):
        draw(name, tmp_path / "a.png")
