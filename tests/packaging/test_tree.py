"""What the tree of the repository promises: short files, no traces of a machine, four links."""

import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Absolute paths into folders that differ from machine to machine.
TRACE = re.compile(rb"(?<![\w./>-])/(?:home|root|work|opt|mnt|Users)/[\w.-]+")


def committed():
    """The files that git knows or would add; in an unpacked source distribution, all files."""
    if not (ROOT / ".git").exists():
        return [path for path in ROOT.rglob("*") if path.is_file()]
    listing = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return [path for name in names if name and (path := ROOT / name).is_file()]


def test_no_file_names_a_place_on_a_machine():
    found = {
        (str(path.relative_to(ROOT)), trace.decode())
        for path in committed()
        for trace in TRACE.findall(path.read_bytes())
    }
    assert found == set()


def test_no_module_is_past_800_lines():
    lengths = {path: path.read_text("utf-8").count("\n") for path in committed() if path.suffix == ".py"}
    assert len(lengths) > 10
    assert {str(path): length for path, length in lengths.items() if length > 800} == {}


def test_every_folder_of_the_package_is_a_package():
    folders = {path.parent for path in (ROOT / "scisim").rglob("*.py")}
    assert [str(folder) for folder in folders if not (folder / "__init__.py").is_file()] == []


@pytest.mark.parametrize("name", ["autodiff", "fft", "complex", "distributed"])
def test_the_four_pillars_are_links_into_the_package(name):
    if not (ROOT / ".git").exists():
        assert not (ROOT / name).exists()  # a source distribution has none
        return
    assert os.readlink(ROOT / name) == f"scisim/{name}"
    assert (ROOT / name / "__init__.py").is_file()
