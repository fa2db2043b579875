"""Building scisim once, and fresh environments to install it in."""

import pathlib
import shutil
import subprocess
import sys
import sysconfig

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEFT_OUT = (".git", ".ci", ".venv", "build", "dist", "results", "*.egg-info", "__pycache__", ".*_cache")

IMPORT_ALL = """
import importlib, importlib.metadata, pkgutil, scisim
assert importlib.metadata.version("scisim") == scisim.__version__
print(scisim.__file__)
def fail(name):
    raise ImportError(name)
for module in pkgutil.walk_packages(scisim.__path__, "scisim.", onerror=fail):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
        print(module.name)
"""


def run(*command, cwd):
    """Run a command, and show all that it said if it fails."""
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, f"{command} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


class Environment:
    """A virtual environment of its own, blind to the packages of the system."""

    def __init__(self, folder, with_pip=False):
        options = [] if with_pip else ["--without-pip"]
        run(sys.executable, "-m", "venv", *options, folder, cwd=folder.parent)
        self.folder = folder
        self.python = folder / "bin" / "python"

    def borrow_packages(self):
        """See the packages of the running environment, so that nothing is fetched again.

        Path files are not read in a borrowed folder, so an editable scisim of it stays invisible.
        """
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        own = self.folder / "lib" / version / "site-packages"
        (own / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")

    def run(self, *arguments):
        """Run Python without the user's settings, and return what it printed."""
        return run(self.python, "-I", *arguments, cwd=self.folder)

    def install(self, *arguments):
        """Install without dependencies, by the pip of the running environment."""
        pip = (sys.executable, "-m", "pip", "--python", self.python, "install", "--quiet")
        options = ("--no-deps", "--no-build-isolation", "--ignore-installed", "--no-index")
        run(*pip, *options, *arguments, cwd=self.folder)

    def import_all(self):
        """Import every module; return where scisim lies, and their names."""
        place, *names = self.run("-c", IMPORT_ALL).split("\n")
        return pathlib.Path(place), {name for name in names if name}


@pytest.fixture
def environment(tmp_path):
    """Empty, with the packages of the running environment in reach."""
    fresh = Environment(tmp_path / "venv")
    fresh.borrow_packages()
    return fresh


@pytest.fixture
def bare_environment(tmp_path):
    """Empty but for pip."""
    return Environment(tmp_path / "venv", with_pip=True)


@pytest.fixture(scope="session")
def source(tmp_path_factory):
    """A copy of the tree, so that building leaves nothing behind in it."""
    folder = tmp_path_factory.mktemp("source") / "scisim"
    shutil.copytree(ROOT, folder, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_OUT))
    return folder


@pytest.fixture(scope="session")
def built(source):
    """The folder with the source distribution, and the wheel built from it."""
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", "dist", cwd=source)
    return source / "dist"


@pytest.fixture(scope="session")
def modules():
    """The name of every module that the tree holds."""
    names = set()
    for path in (ROOT / "scisim").rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        names.add(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return {name for name in names if name != "scisim" and not name.endswith("__main__")}
