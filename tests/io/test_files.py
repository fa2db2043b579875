"""Files come back as the arrays they hold; whatever is wrong with one is named, with the way out."""

import pickle

import numpy as np
import pytest

from scisim import io
from scisim.core.errors import FileError


def test_an_archive_keeps_names_shapes_and_dtypes(tmp_path):
    arrays = {
        "x": np.linspace(0, 1, 5),
        "z": np.array([[1 + 2j]]),
        "n": np.int32(7),
        "empty": np.zeros((0, 3), dtype=np.float32),
    }
    np.savez_compressed(tmp_path / "a.npz", **arrays)
    back = io.read_npz(tmp_path / "a.npz")
    assert list(back) == list(arrays)
    for name, array in arrays.items():
        assert back[name].dtype == array.dtype
        np.testing.assert_array_equal(back[name], array, strict=True)


def test_a_missing_archive_is_named(tmp_path):
    with pytest.raises(FileError, match=r"io\.read_npz: cannot find path=.*no\.npz.*has no such file"):
        io.read_npz(tmp_path / "no.npz")
    with pytest.raises(FileError, match="its folder does not exist"):
        io.read_npz(tmp_path / "nowhere" / "no.npz")
    with pytest.raises(FileError, match="cannot find"):
        io.read_npz(tmp_path)


@pytest.mark.parametrize("part", [0.0, 0.1, 0.5, 0.99])
def test_an_archive_cut_short_is_damaged(tmp_path, part):
    np.savez(tmp_path / "a.npz", x=np.arange(1000.0))
    whole = (tmp_path / "a.npz").read_bytes()
    (tmp_path / "b.npz").write_bytes(whole[: int(part * len(whole))])
    with pytest.raises(FileError, match="or is damaged .*copy it again"):
        io.read_npz(tmp_path / "b.npz")


def test_flipped_bytes_are_noticed(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", x=np.random.default_rng(0).normal(size=1000))
    whole = bytearray((tmp_path / "a.npz").read_bytes())
    whole[len(whole) // 2] ^= 0xFF
    (tmp_path / "b.npz").write_bytes(whole)
    with pytest.raises(FileError, match="damaged"):
        io.read_npz(tmp_path / "b.npz")


class Harmful:
    """Its pickle creates a file when loaded."""

    def __init__(self, target):
        self.target = target

    def __reduce__(self):
        return (open, (str(self.target), "w"))


def test_no_file_is_ever_unpickled(tmp_path):
    sign = tmp_path / "was-run"
    (tmp_path / "a.npz").write_bytes(pickle.dumps(Harmful(sign)))
    np.savez(tmp_path / "b.npz", x=np.array([Harmful(sign)], dtype=object))
    for name in ("a.npz", "b.npz"):
        with pytest.raises(FileError, match="not an archive of plain arrays"):
            io.read_npz(tmp_path / name)
    assert not sign.exists()


def test_a_single_array_is_told_apart(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(3))
    with pytest.raises(FileError, match=r"single array, not an archive; read it with numpy\.load"):
        io.read_npz(tmp_path / "a.npy")


def test_a_table_gives_its_columns(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("# from a book\n\ny, u\n0.0, 1e-3\n0.5,\n1.0, -2\n", encoding="utf-8-sig")
    table = io.read_csv(path)
    assert list(table) == ["y", "u"]
    np.testing.assert_array_equal(table["y"], [0.0, 0.5, 1.0])
    np.testing.assert_array_equal(table["u"], [1e-3, np.nan, -2.0])
    path.write_text("y;u\n1;2\n")
    assert io.read_csv(path, delimiter=";")["u"].tolist() == [2.0]


def test_a_table_of_no_rows_has_empty_columns(tmp_path):
    (tmp_path / "a.csv").write_text("y,u\n")
    assert [column.shape for column in io.read_csv(tmp_path / "a.csv").values()] == [(0,), (0,)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "does not begin with column names"),
        ("1.0,2.0\n3.0,4.0\n", "does not begin with column names"),
        ("y,y\n1,2\n", "a different name for every column"),
        ("y,u\n1,2\n3\n", "line 3 of .* has 1 cells, but there are 2 columns"),
        ("y,u\n1,two\n", "line 2 of .* has 'two' in column 'u', which is no number"),
        ('y,u\n1,"2\n', "is not a text table"),
    ],
)
def test_a_table_that_cannot_be_read_says_where(tmp_path, text, message):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(FileError, match=message):
        io.read_csv(tmp_path / "a.csv")


def test_bytes_are_no_table(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(FileError, match="is not a text table"):
        io.read_csv(tmp_path / "a.csv")
    with pytest.raises(FileError, match=r"io\.read_csv: cannot find"):
        io.read_csv(tmp_path / "b.csv")
