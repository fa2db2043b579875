"""Users of HIPS autograd find its functions: under the same name, or another one that the documentation says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from tests.ops import autograd_names as names

PAGE = Path(__file__).parents[2] / "docs" / "moving-from-autograd.md"
SAME = [
    *(("", n) for n in (*names.NUMPY, *names.ALSO) if f"numpy.{n}" not in names.OTHERWISE),
    *(("linalg", n) for n in names.LINALG),
    *(("fft", n) for n in names.FFT),
    *(("special", n) for n in names.SPECIAL),
]


@pytest.mark.parametrize(("package", "name"), SAME)
def test_it_is_there_under_its_name(package, name):
    assert callable(getattr(getattr(ss, package) if package else ss, name))


@pytest.mark.parametrize(("theirs", "ours"), names.OTHERWISE.items())
def test_it_is_there_under_the_name_that_the_page_says(theirs, ours):
    text = PAGE.read_text()
    assert theirs.rpartition(".")[2] in text
    for path in re.findall(r"[a-z_]+(?:\.[a-z_]+)*", ours):
        if path != "of":
            found: Any = ss
            for part in path.split("."):
                found = getattr(found, part)
            assert callable(found)
            assert path.rpartition(".")[2] in text


def densities() -> dict[str, Any]:
    (code,) = re.findall(r"```python\n(import math.*?)```", PAGE.read_text(), re.S)
    scope: dict[str, Any] = {}
    exec(code, scope)
    return scope


X, P = 0.7, (1.3, 2.1)
ARGUMENTS: dict[str, tuple] = {
    "norm": (0.7, 0.2, 1.3),
    "gamma": (0.7, 1.3),
    "chi2": (0.7, 2.6),
    "beta": (0.3, 1.3, 2.1),
    "t": (-0.7, 2.6),
    "poisson": (3.0, 2.2),
}


@pytest.mark.parametrize(
    ("family", "name"), [(f, n) for f, some in names.STATS.items() for n in some if f in ARGUMENTS]
)
def test_densities_of_the_page_are_those_of_scipy_and_differentiate(family, name):
    from scipy import stats

    base = {"pdf": "logpdf", "pmf": "logpmf"}.get(name, name)
    if f"{family}_{base}" not in densities():  # logcdf of t is the logarithm
        base, log = "cdf", True
    else:
        log = False
    f = densities()[f"{family}_{base}"]
    own = lambda *a: ss.exp(f(*a)) if base != name and not log else ss.log(f(*a)) if log else f(*a)
    args = ARGUMENTS[family]
    theirs = getattr(getattr(stats, family), name)
    np.testing.assert_allclose(own(*map(ss.asarray, args)), theirs(*args), rtol=1e-12)
    if family != "poisson":
        slope = ad.grad(own)(*map(ss.asarray, args))
        h = 1e-5
        want = (theirs(args[0] + h, *args[1:]) - theirs(args[0] - h, *args[1:])) / (2 * h)
        np.testing.assert_allclose(slope, want, rtol=1e-8)


def test_densities_of_vectors_are_those_of_scipy():
    from scipy import stats

    d = densities()
    x, alpha = np.array([0.2, 0.3, 0.5]), np.array([1.3, 0.8, 2.0])
    np.testing.assert_allclose(
        d["dirichlet_logpdf"](ss.asarray(x), ss.asarray(alpha)), stats.dirichlet.logpdf(x, alpha)
    )
    mean, cov = np.zeros(3), np.diag([1.0, 2.0, 3.0]) + 0.2
    normal = stats.multivariate_normal(mean, cov)
    np.testing.assert_allclose(d["multivariate_normal_logpdf"](ss.asarray(x), mean, ss.asarray(cov)), normal.logpdf(x))
    np.testing.assert_allclose(d["multivariate_normal_entropy"](mean, ss.asarray(cov)), normal.entropy())
