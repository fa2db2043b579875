"""Arrays to and from PyTorch and JAX by DLPack: values, dtypes, shared memory, and the time of an exchange.

    python benchmarks/dlpack.py

Libraries that are not installed are left out; the exit status is 1 where an exchange is wrong. With a CUDA device
PyTorch's arrays on it are handed over too, which copies.
"""

from __future__ import annotations

import importlib.util
import sys
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import scisim as ss

DTYPES = ("bool", "int8", "int32", "int64", "uint8", "float16", "float32", "float64", "complex64", "complex128")
SIZE = 1 << 20


def torch_peer() -> dict[str, Any]:
    import torch

    return {
        "make": lambda a: torch.from_numpy(a.copy()),
        "take": torch.from_dlpack,
        "numbers": lambda t: t.cpu().numpy(),
        "far": (lambda a: torch.from_numpy(a).cuda()) if torch.cuda.is_available() else None,
    }


def jax_peer() -> dict[str, Any]:
    import jax

    jax.config.update("jax_enable_x64", True)
    return {"make": jax.numpy.asarray, "take": jax.dlpack.from_dlpack, "numbers": np.asarray, "far": None}


PEERS: dict[str, Callable[[], dict[str, Any]]] = {"torch": torch_peer, "jax": jax_peer}


def check(peer: dict[str, Any], dtype: str) -> list[str]:
    """What goes wrong with arrays of a dtype."""
    a = np.arange(6).reshape(2, 3).astype(dtype)
    wrong = []
    for copy in (None, True):
        ours = np.asarray(ss.from_dlpack(peer["make"](a), copy=copy))
        if ours.dtype != a.dtype or not np.array_equal(ours, a):
            wrong.append(f"{dtype} from it with copy={copy}: {ours!r}")
    theirs = peer["numbers"](peer["take"](ss.asarray(a)))
    if theirs.dtype != a.dtype or not np.array_equal(theirs, a):
        wrong.append(f"{dtype} to it: {theirs!r}")
    if peer["far"] is not None:
        near = np.asarray(ss.from_dlpack(peer["far"](a), device="cpu"))
        if not np.array_equal(near, a):
            wrong.append(f"{dtype} from another device: {near!r}")
    return wrong


def shares(peer: dict[str, Any]) -> tuple[bool, bool]:
    """Whether memory is shared with an array from there, and with one of ours there."""
    theirs = peer["make"](np.ones(SIZE))
    ours = ss.ones(SIZE) + 1.0
    return (
        np.shares_memory(np.asarray(ss.from_dlpack(theirs)), peer["numbers"](theirs)),
        np.shares_memory(peer["numbers"](peer["take"](ours)), np.asarray(ours)),
    )


def microseconds(f: Callable[[], Any]) -> float:
    return 1e6 * min(timeit.repeat(f, number=100, repeat=7)) / 100


def report(name: str) -> bool:
    """Print what an exchange with a library gives and takes; whether all of it is right."""
    peer = PEERS[name]()
    wrong = [text for dtype in DTYPES for text in check(peer, dtype)]
    theirs, ours = peer["make"](np.ones(SIZE)), ss.ones(SIZE) + 1.0
    there, back = microseconds(lambda: peer["take"](ours)), microseconds(lambda: ss.from_dlpack(theirs))
    from_it, to_it = shares(peer)
    print(f"{name}: {len(DTYPES)} dtypes, {len(wrong)} wrong; 8 MiB to it {there:.1f} us, from it {back:.1f} us")
    print(f"    memory shared from it: {from_it}, to it: {to_it}; another device tried: {peer['far'] is not None}")
    for text in wrong:
        print(f"    {text}")
    return not wrong


def main() -> int:
    here = [name for name in PEERS if importlib.util.find_spec(name) is not None]
    for name in set(PEERS) - set(here):
        print(f"{name}: not installed")
    right = [report(name) for name in here]
    return int(not all(right))


if __name__ == "__main__":
    raise SystemExit(main())
