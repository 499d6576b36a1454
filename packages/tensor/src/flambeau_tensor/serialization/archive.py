"""The zip archives of files. Sizes that an archive declares are checked against its own before memory is allocated."""

import hashlib
import io
import os
import struct
import zipfile
import zlib

from flambeau_tensor._core.memory.storage import over_buffer
from flambeau_tensor.serialization import settings
from flambeau_tensor.storage import UntypedStorage

MAGIC = b"PK\3\4"  # how records begin, and so archives
ALIGNMENT = 64
MOST_COMPRESSED = 1100  # deflate compresses to at least 1/1032
_MANY = 1 << 20  # zeros that are written at a time
_DATE = 33  # January 1, 1980, the first that an archive can contain


def is_archive(file):
    """Return True if a file, from its position on, begins as an archive does."""
    start = file.tell()
    found = file.read(4)
    file.seek(start)
    return found == MAGIC


class Writer:
    """Writes records to an archive as PyTorch does: uncompressed, each starting at a multiple of 64 bytes.

    Python's ``zipfile`` takes longer for each record than pickling a tensor.
    """

    LIMIT = 0xFFFFFFFF  # sizes and offsets from here on are stored in 64 bits

    def __init__(self, file, root):
        self.put, self.root = file.write, root
        try:
            self.start = self.at = file.tell()
        except (AttributeError, OSError, ValueError):  # offsets are relative to the archive
            self.start = self.at = 0
        self.directory, self.records = [], []

    def write(self, name, data):
        self._begin(name, len(data), zlib.crc32(data))
        self.put(data)
        self.at += len(data)

    def leave(self, name, size):
        """Write a record of zeros, which may be filled in later."""
        parts = [bytes(_MANY)] * (size // _MANY) + [bytes(size % _MANY)]
        crc = 0
        for part in parts:
            crc = zlib.crc32(part, crc)
        self._begin(name, size, crc)
        for part in parts:
            self.put(part)
        self.at += size

    def _begin(self, name, size, crc):
        """Write the header of a record, and add the record to the directory."""
        name = f"{self.root}/{name}".encode()
        sizes = struct.pack("<HHQQ", 1, 16, size, size) if size >= self.LIMIT else b""
        version, shown, at = 45 if sizes else 20, 0xFFFFFFFF if sizes else size, self.at
        padding = -(at - self.start + 34 + len(name) + len(sizes)) % ALIGNMENT
        extra = struct.pack("<HH", 0x4246, padding) + b"Z" * padding
        common = struct.pack("<5H3L2H", version, 0, 0, 0, _DATE, crc, shown, shown, len(name), len(extra) + len(sizes))
        self.put(MAGIC + common + name + extra + sizes)
        self.at += 30 + len(name) + len(extra) + len(sizes)
        self.records.append((name.decode(), crc, size))
        numbers = [size, size] if sizes else []
        if at >= self.LIMIT:
            numbers.append(at)
        wide = struct.pack(f"<HH{len(numbers)}Q", 1, 8 * len(numbers), *numbers) if numbers else b""
        version = 45 if numbers else 20
        common = struct.pack(
            "<6H3L5H2L", version | 3 << 8, version, 0, 0, 0, _DATE, crc, shown, shown, len(name),
            len(wide) + len(extra), 0, 0, 0, 0o600 << 16, 0xFFFFFFFF if at >= self.LIMIT else at,
        )  # fmt: skip
        self.directory.append(b"PK\1\2" + common + name + wide + extra)

    def fingerprint(self):
        """Return a number of 40 digits that depends on the contents of the archive."""
        return int.from_bytes(hashlib.sha256(repr(self.records).encode()).digest(), "little") % 10**40

    def close(self):
        """Write the last records and the directory."""
        self.write("version", b"3\n")
        self.write(".data/serialization_id", b"%040d" % self.fingerprint())
        directory = b"".join(self.directory)
        count, size, at = len(self.directory), len(directory), self.at
        end = b""
        if max(count << 16, size, at) >= self.LIMIT:
            end = b"PK\6\6" + struct.pack("<Q2H2L4Q", 44, 45, 45, 0, 0, count, count, size, at)
            end += b"PK\6\7" + struct.pack("<LQL", 0, at + size, 1)
            count, size, at = 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF
        self.put(directory + end + b"PK\5\6" + struct.pack("<4H2LH", 0, 0, count, count, size, at, 0))


def damaged(why):
    """Return the error for an archive that cannot be read; it begins as PyTorch's does."""
    return RuntimeError(
        f"PytorchStreamReader failed reading zip archive: {why}. The file is damaged or incomplete, or "
        "was not written by torch.save."
    )


class Reader:
    """The records of an archive.

    Args:
        file: a seekable binary file, positioned at the beginning of the archive.
        mapped: the file's bytes as memory, in which storages are created.
    """

    def __init__(self, file, mapped=None):
        self.file, self.mapped = file, mapped
        self.end = file.seek(0, io.SEEK_END)
        self.budget = self.end
        try:
            with zipfile.ZipFile(file) as directory:
                found = directory.infolist()
        except (
            zipfile.BadZipFile,
            ValueError,
            OSError,
            struct.error,
            IndexError,
            NotImplementedError,
            OverflowError,
            MemoryError,
        ) as e:
            raise damaged(str(e) or type(e).__name__) from None
        if not found:
            raise damaged("there is nothing in it")
        self.root = found[0].filename.partition("/")[0]
        self.records = {i.filename.partition("/")[2]: i for i in found if i.filename.startswith(f"{self.root}/")}

    def __contains__(self, name):
        return name in self.records

    def _place(self, name):
        """Return where a record's bytes begin, and their number in the archive and uncompressed."""
        info = self.records.get(name)
        if info is None:
            raise damaged(f"file not found: {self.root}/{name}")
        if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise damaged(f"{info.filename} is encrypted, or compressed in a way other than deflate")
        header = b""
        if info.header_offset >= 0:  # relative to the start of the archive according to the directory
            self.file.seek(info.header_offset)
            header = self.file.read(30)
        if len(header) < 30 or header[:4] != MAGIC:
            raise damaged(f"{info.filename} does not begin where it should")
        start = info.header_offset + 30 + sum(struct.unpack("<HH", header[26:]))
        stored = info.compress_type == zipfile.ZIP_STORED
        if (
            start + info.compress_size > self.end
            or stored
            and info.compress_size != info.file_size
            or (not stored and info.file_size > info.compress_size * MOST_COMPRESSED)
        ):
            raise damaged(f"{info.filename} has {info.file_size} bytes, which are not in the archive")
        return start, info.compress_size, info.file_size, stored

    def size(self, name):
        return self._place(name)[2]

    def offset(self, name):
        return self._place(name)[0]

    def read(self, name):
        """Return the bytes of a record."""
        start, packed, size, stored = self._place(name)
        self.file.seek(start)
        return self.file.read(size) if stored else _inflated(self.file.read(packed), size, name)

    def storage(self, name):
        """Return a storage with the bytes of a record."""
        start, packed, size, stored = self._place(name)
        self.budget -= packed
        if self.budget < 0:
            raise damaged("records lie on top of each other")
        if self.mapped is not None and stored and start % 16 == 0:
            return over_buffer(memoryview(self.mapped)[start : start + size])
        self.file.seek(start)
        if not stored:
            return UntypedStorage.from_buffer(_inflated(self.file.read(packed), size, name))
        made = UntypedStorage(size)
        if not settings.skips_data():
            read_into(self.file, made)
        return made


def read_into(file, storage):
    """Fill a storage from a file; on device 'meta', skip the bytes."""
    if storage.device.type == "meta":
        file.seek(len(storage), 1)
        return
    with memoryview(storage) as view:
        done = 0
        while done < len(view):
            if hasattr(file, "readinto"):
                n = file.readinto(view[done:])
            else:
                part = file.read(len(view) - done)
                n = len(part)
                view[done : done + n] = part
            if not n or not 0 < n <= len(view) - done:
                raise damaged("it ends in the middle of a storage")
            done += n


def _inflated(packed, size, name):
    try:
        inflater = zlib.decompressobj(-15)
        data = inflater.decompress(packed, size) if size else b""
    except zlib.error as e:
        raise damaged(f"{name}: {e}") from None
    if len(data) != size:
        raise damaged(f"{name} has {size} bytes, which are not in the archive")
    return data


def replacing(path, write):
    """Call `write(file)` with a new file that replaces the old one when it is complete."""
    if not os.path.basename(path) or os.path.isdir(path):
        raise RuntimeError(f"invalid file name: {path}")
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):  # /dev/null, a pipe
        with open(path, "wb") as file:
            write(file)
        return
    folder, name = os.path.split(path)
    if not os.path.isdir(folder):
        raise RuntimeError(f"Parent directory {folder} does not exist.")
    mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else None
    if mode is not None and not os.access(folder, os.W_OK):  # the folder is not writable: overwrite the old file
        with open(path, "wb") as file:
            write(file)
        return
    partial = os.path.join(folder, f".{name[:200]}.{os.urandom(6).hex()}")
    try:
        with open(partial, "xb") as file:
            write(file)
        if mode is not None:
            os.chmod(partial, mode)
        os.replace(partial, path)
    except BaseException:
        if os.path.exists(partial):
            os.unlink(partial)
        raise
