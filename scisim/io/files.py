"""NumPy archives and tables of numbers, read as data: a file is never unpickled or executed."""

from __future__ import annotations

import csv
import os
import zipfile
import zlib

import numpy as np

from scisim.core.errors import FileError

PathLike = str | os.PathLike[str]


def read_npz(path: PathLike) -> dict[str, np.ndarray]:
    """Read every array of a NumPy archive.

    Parameters
    ----------
    path : path
        A file as written by `numpy.savez` or `numpy.savez_compressed`.

    Returns
    -------
    dict of str to ndarray
        The arrays by name, with the shapes and dtypes they were saved with.

    Raises
    ------
    FileError
        The file is missing, is no NumPy archive, is damaged, or holds Python objects.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from scisim import io
    >>> path = tempfile.mkdtemp() + "/field.npz"
    >>> np.savez(path, x=np.arange(3.0))
    >>> io.read_npz(path)["x"].tolist()
    [0.0, 1.0, 2.0]
    """
    name = _existing("io.read_npz", path)
    try:
        archive = np.load(name, allow_pickle=False)
        if isinstance(archive, np.lib.npyio.NpzFile):
            with archive:
                return {key: archive[key] for key in archive.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error) as error:
        raise FileError(
            f"io.read_npz: {name!r} is not an archive of plain arrays, or is damaged ({error}); "
            "copy it again, or save it anew with numpy.savez"
        ) from error
    raise FileError(f"io.read_npz: {name!r} holds a single array, not an archive; read it with numpy.load")


def read_csv(path: PathLike, delimiter: str = ",") -> dict[str, np.ndarray]:
    """Read a table of numbers whose first line names its columns.

    Parameters
    ----------
    path : path
        A text file in UTF-8. Empty lines, and lines that start with `#`, are passed over; an empty
        cell is nan.
    delimiter : str
        What stands between two cells.

    Returns
    -------
    dict of str to ndarray
        The columns by name, float64, in the order of the file.

    Raises
    ------
    FileError
        The file is missing or no text, has no named columns, or a cell is not a number; the line is named.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from scisim import io
    >>> path = pathlib.Path(tempfile.mkdtemp(), "profile.csv")
    >>> size = path.write_text("y,u\\n0.0,0.0\\n1.0,0.5\\n")
    >>> {name: column.tolist() for name, column in io.read_csv(path).items()}
    {'y': [0.0, 1.0], 'u': [0.0, 0.5]}
    """
    name = _existing("io.read_csv", path)
    try:
        with open(name, encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, delimiter=delimiter, strict=True)
            lines = [
                (reader.line_num, row)
                for row in reader
                if any(cell.strip() for cell in row) and not row[0].lstrip().startswith("#")
            ]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileError(
            f"io.read_csv: {name!r} is not a text table ({error}); save it as UTF-8 text with one row a line"
        ) from error
    header = _header(name, lines)
    rows = [_numbers(name, number, row, header) for number, row in lines[1:]]
    table = np.array(rows, dtype=float).reshape(len(rows), len(header))
    return {column: table[:, index].copy() for index, column in enumerate(header)}


def _existing(function: str, path: PathLike) -> str:
    name = os.fspath(path)
    if os.path.isfile(name):
        return name
    folder = os.path.dirname(os.path.abspath(name))
    where = "its folder does not exist" if not os.path.isdir(folder) else f"{folder!r} has no such file"
    raise FileError(f"{function}: cannot find path={name!r} ({where}); check the path and the working folder")


def _header(name: str, lines: list[tuple[int, list[str]]]) -> list[str]:
    header = [cell.strip() for cell in lines[0][1]] if lines else []
    if not header or "" in header or len(set(header)) < len(header) or any(map(_is_number, header)):
        raise FileError(
            f"io.read_csv: {name!r} does not begin with column names (found {header}); "
            "make its first line a different name for every column"
        )
    return header


def _numbers(name: str, number: int, row: list[str], header: list[str]) -> list[float]:
    if len(row) != len(header):
        raise FileError(
            f"io.read_csv: line {number} of {name!r} has {len(row)} cells, but there are "
            f"{len(header)} columns; complete the line, or give the right delimiter"
        )
    for cell, column in zip(row, header, strict=True):
        if cell.strip() and not _is_number(cell):
            raise FileError(
                f"io.read_csv: line {number} of {name!r} has {cell!r} in column {column!r}, "
                "which is no number; correct it, or leave the cell empty for nan"
            )
    return [float(cell) if cell.strip() else float("nan") for cell in row]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
