"""Runs the test suite of the Array API consortium against scisim: ``python -m tests.standard.run_suite``.

The suite is no package: ``$ARRAY_API_TESTS`` is the path of a clone, with its submodule ``array-api``, in whose
environment pytest, hypothesis and ndindex are installed.  Further arguments go to pytest.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

VERSION = "2025.12"
SKIPS = Path(__file__).with_name("skips.txt")
ROOT = Path(__file__).resolve().parents[2]


def command(more: list[str]) -> list[str]:
    """What runs the suite in this interpreter."""
    options = ["-q", "--disable-deadline", "--max-examples=100", "-p", "no:cacheprovider"]
    return [sys.executable, "-m", "pytest", "array_api_tests", *options, f"--skips-file={SKIPS}", *more]


def environment() -> dict[str, str]:
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    own = {"ARRAY_API_TESTS_MODULE": "scisim", "ARRAY_API_TESTS_VERSION": VERSION, "PYTHONPATH": os.pathsep.join(paths)}
    return {**os.environ, **own}


def main() -> int:
    suite = os.environ.get("ARRAY_API_TESTS")
    if not suite or not Path(suite, "array_api_tests").is_dir():
        print("set ARRAY_API_TESTS to the path of a clone of github.com/data-apis/array-api-tests", file=sys.stderr)
        return 2
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=suite, capture_output=True, text=True, check=True).stdout
    done = subprocess.run(command(sys.argv[1:]), cwd=suite, env=environment(), check=False).returncode
    print(f"array-api-tests {commit.strip()} at {VERSION}, skip list {SKIPS.relative_to(ROOT)}")
    return done


if __name__ == "__main__":
    sys.exit(main())
