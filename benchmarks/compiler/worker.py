"""A process that holds cases of one library and times them when asked, so that libraries take turns in one run.

    PYTHON worker.py [--memory BYTES] [--path FOLDER]

Questions and answers are JSON, a line each. A case is a function of a module here or in `../peers`, named
"module:function"; it gets the arguments of the question and returns what is timed, a function without arguments, or a
pair of that and a function whose value is compared in its place.

| question | answer |
| --- | --- |
| {"do": "make", "name", "case", "arguments"} | {"first": seconds to build it and call it once} |
| {"do": "time", "name", "seconds"} | {"wall", "cpu"}: seconds of the best batch, and processor seconds of its process |
| {"do": "value", "name", "path"} | {"count"}: the arrays that it returns, written with numpy.savez |
| {"do": "call", "case", "arguments"} | {"value"}: what the function returns |
| {"do": "drop", "name"} | {} |
"""

import argparse
import gc
import importlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

HERE = Path(__file__).resolve().parent
FAILURES = (ArithmeticError, AssertionError, AttributeError, ImportError, LookupError, MemoryError, NameError, OSError,
            RuntimeError, TypeError, ValueError)  # fmt: skip
BATCHES = 5

_cases: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {}


def make(name: str, case: str, arguments: dict[str, Any]) -> dict[str, float]:
    start = time.perf_counter()
    made = _function(case)(**arguments)
    call, check = made if isinstance(made, tuple) else (made, made)
    call()
    _cases[name] = call, check
    return {"first": time.perf_counter() - start}


def time_case(name: str, seconds: float) -> dict[str, float]:
    """The best of a few batches of about `seconds` each, after one call that brings the caches back."""
    call, _ = _cases[name]
    one = _batch(call, 1)[0]
    number = max(1, round(seconds / one)) if one < seconds / 2 else 1
    batches = min(BATCHES, max(2, int(0.1 / (one * number))))
    gc.collect()
    gc.disable()
    try:
        wall, cpu = min(_batch(call, number) for _ in range(batches))
    finally:
        gc.enable()
    return {"wall": wall, "cpu": cpu}


def value(name: str, path: str) -> dict[str, int]:
    import numpy as np

    arrays = list(_arrays(_cases[name][1]()))
    np.savez(path, *arrays)
    return {"count": len(arrays)}


def call(case: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"value": _function(case)(**arguments)}


def drop(name: str) -> dict[str, Any]:
    _cases.pop(name, None)
    gc.collect()
    return {}


QUESTIONS: dict[str, Callable[..., dict]] = {
    "make": make,
    "time": time_case,
    "value": value,
    "call": call,
    "drop": drop,
}


def answer(question: dict[str, Any]) -> dict[str, Any]:
    kind = question.pop("do")
    try:
        return QUESTIONS[kind](**question)
    except FAILURES as error:
        return {"failed": f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"}


def serve(questions: TextIO, answers: TextIO) -> None:
    for line in questions:
        print(json.dumps(answer(json.loads(line))), file=answers, flush=True)


def _function(case: str) -> Callable[..., Any]:
    module, _, function = case.partition(":")
    return getattr(importlib.import_module(module), function)


def _batch(call: Callable[[], Any], number: int) -> tuple[float, float]:
    cpu, start = time.process_time(), time.perf_counter()
    for _ in range(number):
        call()
    return (time.perf_counter() - start) / number, (time.process_time() - cpu) / number


def _arrays(value: Any) -> Iterator[Any]:
    """The leaves of nested sequences as NumPy arrays, whatever library they are of."""
    import numpy as np

    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _arrays(item)
    else:
        yield np.asarray(value.detach() if hasattr(value, "detach") else value)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--memory", type=int, default=0)
    parser.add_argument("--path", action="append", default=[])
    options = parser.parse_args()
    if options.memory:
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (options.memory, options.memory))
    sys.path[:0] = [str(HERE.parent / "peers"), *options.path]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    serve(sys.stdin, answers)


if __name__ == "__main__":
    main()
