"""Sizes in an object file for another machine: bytes of code, of constants and of memory."""

import struct
from pathlib import Path
from typing import NamedTuple

_BITS, _WRITE, _ALLOC, _CODE = 8, 1, 2, 4  # a section without bytes in the file, and flags of sections


class Sizes(NamedTuple):
    """Bytes in an object file.

    Args:
        code: instructions.
        constants: read-only data.
        memory: writable data.
    """

    code: int
    constants: int
    memory: int


def sizes(path: str | Path) -> Sizes:
    """The sizes of an object file in the format ELF.

    Args:
        path: of the file.

    Raises:
        ValueError: it has another format.
    """
    data = Path(path).read_bytes()
    if data[:4] != b"\x7fELF":
        raise ValueError(f"{path} is no object file in the format ELF")
    wide, order = data[4] == 2, "<" if data[5] == 1 else ">"
    (begin,) = struct.unpack_from(order + ("Q" if wide else "I"), data, 40 if wide else 32)
    each, count = struct.unpack_from(order + "HH", data, 58 if wide else 46)
    code = constants = memory = 0
    for k in range(count):
        layout = "IIQQQQ" if wide else "IIIIII"
        _, kind, flags, _, _, size = struct.unpack_from(order + layout, data, begin + k * each)
        if not flags & _ALLOC:
            continue
        if flags & _CODE:
            code += size
        elif flags & _WRITE or kind == _BITS:
            memory += size
        else:
            constants += size
    return Sizes(code, constants, memory)
