"""Object files of LLVM: what they ask for, and AArch64 ones made into programs, without a linker."""

import struct
from dataclasses import dataclass

BASE = 0x400000
ALLOCATED, NO_BITS = 2, 8
# Relocations of AArch64 by number ("ELF for the Arm 64-bit architecture").
ABSOLUTE, PAGE, ADDED, BRANCHES = 257, (275, 276), 277, (282, 283)
OFFSETS = {278: 0, 284: 1, 285: 2, 286: 3, 299: 4}  # of loads and stores, with the logarithm of their size


@dataclass
class Section:
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry: int


class Object:
    """A relocatable file of 64 bits."""

    def __init__(self, code):
        self.code = code
        start, size, count = *struct.unpack_from("<Q", code, 40), *struct.unpack_from("<HH", code, 58)
        self.machine = struct.unpack_from("<H", code, 18)[0]
        self.sections = [Section(*struct.unpack_from("<IIQQQQIIQQ", code, start + size * k)) for k in range(count)]
        table = next(s for s in self.sections if s.kind == 2)
        names = self.sections[table.link]
        self.symbols = []
        for k in range(table.size // 24):
            name, info, _, section, value, _ = struct.unpack_from("<IBBHQQ", code, table.offset + 24 * k)
            text = code[names.offset + name : code.index(b"\0", names.offset + name)].decode()
            self.symbols.append((text, info, section, value))

    def undefined(self):
        """Names that a linker would have to find elsewhere."""
        return {name for name, _, section, _ in self.symbols if name and section == 0}


def executable(code, entry):
    """A program of the sections of one object for AArch64; it starts at the symbol ``entry``."""
    found, image, places = Object(code), bytearray(64 + 56), {}
    for k, s in enumerate(found.sections):
        if s.flags & ALLOCATED:
            image += bytes(-len(image) % max(s.align, 16))
            places[k] = BASE + len(image)
            image += bytes(s.size) if s.kind == NO_BITS else code[s.offset : s.offset + s.size]
    for s in found.sections:
        if s.kind == 4 and s.info in places:
            for k in range(s.size // 24):
                offset, info, addend = struct.unpack_from("<QQq", code, s.offset + 24 * k)
                _, _, section, value = found.symbols[info >> 32]
                place = places[s.info] + offset
                relocate(image, place, info & 0xFFFFFFFF, places[section] + value + addend)
    start = next(places[section] + value for name, _, section, value in found.symbols if name == entry)
    identity = b"\x7fELF\x02\x01\x01" + bytes(9)
    image[:64] = identity + struct.pack("<HHIQQQIHHHHHH", 2, 183, 1, start, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    image[64:120] = struct.pack("<IIQQQQQQ", 1, 7, 0, BASE, BASE, len(image), len(image), 0x1000)
    return bytes(image)


def relocate(image, place, kind, target):
    """Write an address into an instruction or a word."""
    at = place - BASE
    if kind == ABSOLUTE:
        struct.pack_into("<Q", image, at, target)
        return
    word = struct.unpack_from("<I", image, at)[0]
    if kind in PAGE:
        pages = ((target >> 12) - (place >> 12)) & 0x1FFFFF
        word |= (pages & 3) << 29 | (pages >> 2) << 5
    elif kind == ADDED:
        word |= (target & 0xFFF) << 10
    elif kind in OFFSETS:
        word |= (target & 0xFFF) >> OFFSETS[kind] << 10
    elif kind in BRANCHES:
        word |= (target - place) >> 2 & 0x3FFFFFF
    else:
        assert kind == 261, f"relocation {kind}"  # a distance between sections, in tables for unwinding
        return
    struct.pack_into("<I", image, at, word)
