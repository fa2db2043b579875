"""scisim as an editable install, a wheel and a source distribution, each in a fresh environment."""

import pathlib
import sys
import tarfile
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINKS = {"autodiff", "fft", "complex", "distributed"}


def only(folder, pattern):
    (path,) = folder.glob(pattern)
    return path


def test_an_editable_install_imports_every_module(environment, source, modules):
    environment.install("-e", source)
    place, names = environment.import_all()
    assert place == source / "scisim" / "__init__.py"
    assert names == modules


def test_a_folder_named_scisim_does_not_hide_an_editable_install(environment, source, tmp_path):
    """As where a clone lies in the folder of a user's scripts."""
    environment.install("-e", source)
    (tmp_path / "scisim").mkdir()
    script = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import scisim; print(scisim.__file__)"
    assert environment.run("-c", script).strip() == str(source / "scisim" / "__init__.py")


@pytest.mark.parametrize("pattern", ["*.whl", "*.tar.gz"])
def test_a_distribution_imports_every_module(environment, built, modules, pattern):
    environment.install(only(built, pattern))
    place, names = environment.import_all()
    assert place.is_relative_to(environment.folder)
    assert (place.parent / "py.typed").is_file()
    assert names == modules


def test_the_wheel_holds_scisim_and_nothing_beside_it(built):
    with zipfile.ZipFile(only(built, "*.whl")) as wheel:
        tops = {name.split("/")[0] for name in wheel.namelist()}
        licence = [name for name in wheel.namelist() if name.endswith("licenses/LICENSE")]
    assert {top for top in tops if not top.endswith(".dist-info")} == {"scisim"}
    assert len(licence) == 1


def test_the_source_distribution_holds_the_tests_and_no_links(built):
    with tarfile.open(only(built, "*.tar.gz")) as archive:
        members = archive.getmembers()
    tops = {member.name.split("/")[1] for member in members if "/" in member.name}
    assert {"scisim", "tests", "docs", "README.md", "LICENSE", "conftest.py"} <= tops
    assert not tops & LINKS
    assert not [member.name for member in members if member.issym() or member.islnk()]
    assert not [member.name for member in members if "__pycache__" in member.name]


@pytest.mark.slow
def test_a_plain_install_needs_nothing_but_what_it_declares(bare_environment, built, modules):
    """Dependencies resolved and fetched by pip; no extra is there, and every module still imports."""
    bare_environment.run("-m", "pip", "install", "--quiet", only(built, "*.whl"))
    bare_environment.run("-m", "pip", "check")
    place, names = bare_environment.import_all()
    assert place.is_relative_to(bare_environment.folder)
    assert names == modules
    assert bare_environment.run("-c", ABSENT).split() == ["mpi4py", "matplotlib", "pytest"]


ABSENT = """
import importlib.util
print(*[name for name in ("mpi4py", "matplotlib", "pytest") if importlib.util.find_spec(name) is None])
"""


def test_this_python_is_one_that_the_project_supports():
    declared = [line for line in (ROOT / "pyproject.toml").read_text().split("\n") if "requires-python" in line]
    assert declared == ['requires-python = ">=3.11"']
    assert sys.version_info >= (3, 11)
