"""Programs in files: `export` writes what a jitted function computes, `load` runs it without the function's source.

A file is a zip archive of one JSON document (graphs, structures) and arrays in NumPy's format.  It holds no code:
whoever loads it compiles for the processor at hand, through the same cache as `jit`.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scisim.compiler import saved_trees as trees
from scisim.compiler.jit import Compiled, Jitted
from scisim.compiler.lowered import Lowered
from scisim.compiler.observe import observers
from scisim.compiler.saved_graphs import GraphReader, GraphWriter
from scisim.compiler.saved_values import Writer, dtype_of
from scisim.core import pytree
from scisim.core.errors import ArgumentError, ArgumentTypeError, DerivativeError, FileError, ScisimError
from scisim.core.values import Traced, name_of

if TYPE_CHECKING:
    import zipfile

FORMAT, VERSION = "scisim program", 1
_DOCUMENT = "program.json"
_PLAIN_TRACES = ("vmap", "jit")  # transformations that need no derivative


def export(jitted: Jitted, path: str | os.PathLike, *example_args: Any, **example_kwargs: Any) -> None:
    """Write a jitted function, for arguments of one kind, to a file that `load` runs anywhere.

    Parameters
    ----------
    jitted : callable
        Made by `jit`.
    path : path
        The file; it is replaced whole, or not at all.
    *example_args, **example_kwargs
        Arguments as the program will be called with; only their structure, shapes and dtypes matter.  Static
        arguments become part of the program: calls of the loaded one leave them out.

    Raises
    ------
    ArgumentTypeError, ArgumentError
        For what cannot be written as data, such as operations between ranks.

    Notes
    -----
    The file holds the simplified graph and all arrays that the function closes over.  The loaded program gives the
    same bits on the same kind of processor with the same number of threads.

    Examples
    --------
    >>> import os, tempfile
    >>> import scisim as ss
    >>> w = ss.asarray([1.0, 2.0])
    >>> path = os.path.join(tempfile.mkdtemp(), "model.ss")
    >>> ss.export(ss.jit(lambda x: ss.sum(w * x)), path, ss.ones(2))
    >>> ss.load(path)(ss.asarray([3.0, 4.0]))
    Tensor(11.)
    """
    if not isinstance(jitted, Jitted):
        raise ArgumentTypeError(
            f"export: expected a function made by jit, got {type(jitted).__name__}; write export(ss.jit(f), path, ...)"
        )
    dynamic = tuple(a for k, a in enumerate(example_args) if k not in jitted.static)
    program, vals = jitted._program(example_args, example_kwargs)
    if program.held or any(isinstance(v, Traced) for v in vals):
        raise ArgumentError(
            f"export: {name_of(jitted.f)} is called inside of a transformation, on values of which only shapes are "
            f"known; export it outside, with arrays"
        )
    writer = GraphWriter()
    paths = [p[3:] for p in pytree.paths((dynamic, example_kwargs))]  # less which of the two it is in
    document = {
        "format": FORMAT,
        "version": VERSION,
        "scisim": _version(),
        "name": name_of(jitted.f),
        "arguments": trees.describe(trees.spec_of((dynamic, example_kwargs)), writer.values, "an argument"),
        "paths": paths,
        "results": trees.describe(program.out_spec, writer.values, "the result"),
        "graph": writer.add(program.graph),
        "traced": writer.add(program.traced),
        "roots": program.roots,
        "graphs": writer.graphs,
        "opaque": sorted(set(writer.opaque)),
    }
    _write(os.fspath(path), document, writer.values.arrays)


def _version() -> str:
    from scisim import __version__

    return __version__


# --- the file ----------------------------------------------------------------------------------------------------
def _write(path: str, document: dict, arrays: Sequence[np.ndarray]) -> None:
    import json
    import zipfile  # here, since few programs write files, and all of them would wait

    document["arrays"] = [{"dtype": a.dtype.name, "shape": list(a.shape)} for a in arrays]
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        try:
            with zipfile.ZipFile(temporary, "w", zipfile.ZIP_STORED) as file:
                file.writestr(_DOCUMENT, json.dumps(document))
                for k, a in enumerate(arrays):
                    with file.open(f"{k}.npy", "w", force_zip64=True) as part:
                        np.lib.format.write_array(part, _plain(a), allow_pickle=False)
            os.replace(temporary, path)
        finally:
            if os.path.exists(temporary):
                os.unlink(temporary)
    except OSError as error:
        raise FileError(f"export: {path} cannot be written: {error.strerror or error}") from None


def _plain(a: np.ndarray) -> np.ndarray:
    """An array that NumPy's format can hold: the first element along axes that repeat, bfloat16 as its bits."""
    a = np.asarray(a)
    a = a[tuple(slice(0, 1) if s == 0 and n > 1 else slice(None) for s, n in zip(a.strides, a.shape, strict=True))]
    return np.ascontiguousarray(a).view(np.uint16) if a.dtype.name == "bfloat16" else a


# What zipfile, beside its own error, and NumPy raise for bytes that are not what they were; a RuntimeError for other
# versions and encryption.
_DAMAGED = (EOFError, ValueError, TypeError, RuntimeError, OverflowError)


def _read(path: str) -> tuple[dict, list[np.ndarray]]:
    import json
    import zipfile

    try:
        with zipfile.ZipFile(path) as file:
            if any(item.compress_type != zipfile.ZIP_STORED for item in file.infolist()):
                raise ValueError("its parts are compressed")
            document = json.loads(file.read(_DOCUMENT))
            if not isinstance(document, dict) or document.get("format") != FORMAT:
                raise FileError("is no program that scisim has written")
            if document.get("version") != VERSION:
                raise FileError(
                    f"has format version {document.get('version')!r:.20}, and this scisim ({_version()}) reads "
                    f"version {VERSION}; load it with scisim {document.get('scisim')!s:.20}, or export it again"
                )
            return document, [_array(file, k, like) for k, like in enumerate(document["arrays"])]
    except FileNotFoundError:
        raise FileError("does not exist") from None
    except KeyError as error:
        raise FileError(f"is no program that scisim has written, or it is damaged: {error.args[0]}") from None
    except (zipfile.BadZipFile, *_DAMAGED) as error:
        raise FileError(f"is no program that scisim has written, or it is damaged: {error}") from None


def _array(file: zipfile.ZipFile, k: int, like: dict) -> np.ndarray:
    with file.open(f"{k}.npy") as part:
        a = np.lib.format.read_array(part, allow_pickle=False)
        if part.read(1):
            raise ValueError(f"array {k} is longer than it says")
    dtype = dtype_of(like["dtype"])
    if dtype.name == "bfloat16" and a.dtype == np.uint16:
        a = a.view(dtype)
    if a.dtype != dtype:
        raise ValueError(f"array {k} has dtype {a.dtype}, not {dtype}")
    a.flags.writeable = False
    return np.broadcast_to(a, tuple(like["shape"]))


# --- what is loaded ----------------------------------------------------------------------------------------------
class Loaded:
    """A program from a file; called like the function that was exported, without its static arguments.

    Attributes
    ----------
    path : str
    name : str
        Of the function.
    """

    def __init__(self, path: str, document: dict, arrays: list[np.ndarray]) -> None:
        reader = GraphReader(document["graphs"], arrays)
        self.path, self.name, self._opaque = path, str(document["name"]), list(document["opaque"])
        graph = reader.graph(document["graph"])
        self._arguments, self._paths = document["arguments"], list(document["paths"])
        self._specs: dict[Any, str] = {}
        results = trees.build(document["results"], itertools.count(), reader.values)
        spec = trees.spec_of(results)
        if spec.num_leaves != len(graph.outputs) or len(self._paths) != len(graph.inputs):
            raise FileError("is damaged: its structures do not fit its program")
        self.program = Compiled.of(graph, reader.graph(document["traced"]), list(document["roots"]), spec)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.program.enter is not None and not kwargs and not observers:
            out = self.program.enter(*args)
            if out is not NotImplemented:
                return out
        vals = self._values(args, kwargs)
        if self._opaque and any(_differentiates(v) for v in vals):
            raise DerivativeError(
                f"{self!r}: {', '.join(self._opaque)} had a derivative of its own, which is code and so not in the "
                f"file; export a function that computes the derivative"
            )
        out = self.program(vals)
        self.program.opened(args, kwargs)
        return out

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """The program, to look at; arguments are not needed."""
        return Lowered(self.program)

    def _values(self, args: tuple, kwargs: dict) -> list:
        vals, spec = pytree.values((args, kwargs), f"{self.name} of {self.path}")
        if spec not in self._specs:
            found = trees.describe(spec, Writer(lambda g: 0), "an argument")
            same = trees.comparable(found) == trees.comparable(self._arguments)
            self._specs[spec] = "" if same else f"{spec!s:.200}"
        if self._specs[spec]:
            raise ArgumentTypeError(
                f"{self!r}: called with arguments of structure {self._specs[spec]}, which is another than it was "
                f"exported with"
            )
        for v, like, path in zip(vals, self.program.graph.inputs, self._paths, strict=True):
            if (v.shape, v.dtype) != (like.shape, like.dtype):
                raise ArgumentError(
                    f"{self!r}: argument {path} is {v.dtype}{list(v.shape)}, and the program was exported for "
                    f"{like.dtype}{list(like.shape)}; export it for these shapes and dtypes too"
                )
        return vals

    def __repr__(self) -> str:
        return f"<program {self.name} from {os.path.basename(self.path)}>"


def _differentiates(v: Any) -> bool:
    while isinstance(v, Traced):
        if v.trace is not None and v.trace.kind not in _PLAIN_TRACES:
            return True
        v = v.lower
    return False


def load(path: str | os.PathLike) -> Loaded:
    """The program in a file that `export` has written.

    Parameters
    ----------
    path : path

    Returns
    -------
    callable
        Takes arguments of the structure, shapes and dtypes that it was exported for.  ``.lower()`` shows what it does.

    Raises
    ------
    FileError
        If there is no such file, or it was not written by `export`, is damaged, or is of another version.
    """
    name = os.fspath(path)
    try:
        document, arrays = _read(name)
        try:
            return Loaded(name, document, arrays)
        except FileError:
            raise
        except (ScisimError, KeyError, ValueError, TypeError, AttributeError, IndexError) as error:
            raise FileError(f"is damaged: {type(error).__name__}: {error}") from None
    except FileError as error:
        raise FileError(f"load: {name} {error}") from None
    except OSError as error:
        raise FileError(f"load: {name} cannot be read: {error.strerror or error}") from None
