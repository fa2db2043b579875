"""What a checkpoint says of its problem and model, and how that is compared with what a run has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import scisim as ss
from scisim.core import pytree
from scisim.core.errors import CheckpointError
from scisim.core.tensor import Tensor, concrete_array
from scisim.pde.problem import Problem


def description(problem: Problem, model: Any) -> dict[str, Any]:
    """Plain data about a problem and the structure of a model."""
    return {"scisim": ss.__version__, "problem": problem.fingerprint(), "model": structure(model)}


def structure(model: Any) -> dict[str, Any]:
    """The arrays of a model by path, shape and dtype, and its text."""
    leaves = pytree.tree_leaves(model)
    listed = [[path, list(x.shape), x.dtype.name] for path, x in zip(pytree.paths(model), leaves, strict=True)]
    return {"kind": repr(model), "leaves": listed}


def leaf_arrays(prefix: str, tree: Any) -> dict[str, np.ndarray]:
    """The leaves of a tree by number."""
    return {f"{prefix}/{k}": concrete_array(x, "checkpoint") for k, x in enumerate(pytree.tree_leaves(tree))}


def model_arrays(model: Any) -> dict[str, np.ndarray]:
    """The leaves of a model by number."""
    return leaf_arrays("model", model)


def fill(tree: Any, arrays: Mapping[str, np.ndarray], prefix: str) -> Any:
    """A tree of the same structure, with saved leaves."""
    leaves, spec = pytree.flatten(tree)
    return pytree.unflatten(spec, [Tensor(arrays[f"{prefix}/{k}"]) for k in range(len(leaves))])


def check_problem(who: str, meta: Mapping[str, Any], problem: Problem) -> None:
    """Refuse the checkpoint of another problem."""
    there, here = meta["problem"], problem.fingerprint()
    for part in ("coordinates", "fields"):
        check_equal(who, f"problem's {part}", there[part], here[part])
    check_equal(who, "terms of the problem", list(there["terms"]), list(here["terms"]))
    for name, term in here["terms"].items():
        for part in sorted({*term, *there["terms"][name]}):
            what = "values of the residual" if part == "sample" else part
            check_equal(who, f"term {name!r}, its {what}", there["terms"][name].get(part), term.get(part))


def check_model(who: str, meta: Mapping[str, Any], model: Any) -> None:
    """Refuse the checkpoint of another model."""
    there, here = meta["model"], structure(model)
    for a, b in zip(there["leaves"], here["leaves"], strict=False):
        check_equal(who, "model", _words(a), _words(b))
    check_equal(who, "number of the model's arrays", len(there["leaves"]), len(here["leaves"]))
    check_equal(who, "model", there["kind"], here["kind"])


def _words(leaf: list) -> str:
    path, shape, dtype = leaf
    return f"{path} of {dtype}{shape}"


def check_equal(who: str, what: str, there: Any, here: Any) -> None:
    """Refuse a checkpoint in which something is another than here."""
    if there != here:
        raise CheckpointError(
            f"{who}: the checkpoint is of another run: {what} is {there} there and {here} here; make them equal, or "
            f"give another folder"
        )
