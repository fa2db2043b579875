"""Blocks of 8-byte words that Python fills and native code reads, their words by name."""

from __future__ import annotations

from scisim.compiler.cpu.emit import Function


class Record:
    """The words of a block, in order.

    Parameters
    ----------
    names : str
        Separated by blanks; ``name:n`` takes n words.
    """

    def __init__(self, names: str) -> None:
        self.place: dict[str, int] = {}
        self.size = 0
        for item in names.split():
            name, _, count = item.partition(":")
            self.place[name] = self.size
            self.size += int(count or 1)

    def address(self, f: Function, base: str, name: str) -> str:
        """Where a word is."""
        return f.at("i64", base, self.place[name])

    def load(self, f: Function, base: str, name: str, type_: str = "i64") -> str:
        """A word's value, as a number or a pointer."""
        return f.load(type_, self.address(f, base, name), 8)

    def store(self, f: Function, value: object, base: str, name: str, type_: str = "i64") -> None:
        """Write a word."""
        f.store(type_, str(value), self.address(f, base, name), 8)


def local(f: Function, ret: str, name: str, *args: tuple[str, object]) -> str:
    """A call of a function of the same module."""
    text = f"call {ret} @{name}({', '.join(f'{t} {v}' for t, v in args)})"
    if ret == "void":
        f.raw(text)
        return ""
    return f.value(text, pure=False)


# An instruction: what it does, and the numbers that this takes; the names of `image.Image`'s methods.
INSTRUCTION = Record("op a b c d e f g h i")
# How an address or a number comes from a frame; see `image.Arg`.
ARGUMENT = Record("slot offset by_start by_length by_thread")
# An image that is ready to run.
PROGRAM = Record("code arguments moving hosts instructions slots widest threads release pool")
# What a thread knows while it runs a program, and what all threads share: whether to stop, when signals were last
# looked at, when the program began, and Python's state of the caller once it has let go of the GIL.
STATE = Record("program frame values start length thread leader cached shared")
SHARED = Record("stop looked began thread")
# The threads of a process; each word that several threads write to is alone on its lines of cache.
POOL = Record(
    "generation:16 pending:16 busy:16 sleepers:16 threads started quit state instruction spin:11 "
    "mutex:16 condition:16 workers"
)
WORKER = Record("pool number thread taken:13")  # taken: the last generation whose share is somebody's

CALL, REGION, FOR, WHILE, COND, SWAP, ADVANCE, SET, LOAD, HOST = range(10)
PARALLEL, DYNAMIC = 1, 2  # flags of a region
