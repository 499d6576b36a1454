"""The format before archives: successive pickles, followed by the storages."""

import io
import pickle
import struct
import sys

from flambeau_tensor.serialization.archive import damaged, read_into
from flambeau_tensor.serialization.naming import OBJECTS
from flambeau_tensor.serialization.pickler import Storages, pickler_class
from flambeau_tensor.serialization.reading import Kinds, free_unpickler, restricted, typed
from flambeau_tensor.serialization.rebuilding import storages_follow
from flambeau_tensor.storage import UntypedStorage

UNTYPED_KEY = "untyped"  # for storages without a dtype, which PyTorch's pickles lack: uint8 replaces it there
MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
PROTOCOL_VERSION = 1001


class FileStorages(Kinds):
    """The storages after the pickles. Memory is allocated only if the file is long enough."""

    def __init__(self, restore, left):
        self.restore, self.left, self.made = restore, left, {}

    def __call__(self, kind, key, location, count, view=None):
        dtype, key, location, nbytes = self.checked(kind, key, location, count)
        if key not in self.made:
            self.left -= nbytes
            if self.left < 0:
                raise RuntimeError(f"storage {key} is said to have {nbytes} bytes, which the file does not have")
            self.made[key] = self.restore(UntypedStorage(nbytes).fill_(0), location), dtype
        untyped = self.made[key][0]
        if view is not None:
            name, offset, size = view
            if type(offset) is not int or type(size) is not int or not 0 <= offset <= offset + size <= count:
                raise pickle.UnpicklingError(
                    f"a view of a storage of {count} elements begins at {offset!r} and has {size!r}"
                )
            if name not in self.made:
                width = dtype.itemsize if dtype is not None else 1
                self.made[name] = untyped[offset * width : (offset + size) * width], dtype
            untyped = self.made[name][0]
        return typed(untyped, dtype) if key != UNTYPED_KEY else untyped


def load(file, restore, weights_only, pickle_module, arguments):
    """Read an object from the current position of a file."""
    begin = file.tell()
    end = file.seek(0, io.SEEK_END)
    file.seek(begin)
    if end <= begin:  # a device like /dev/zero has no end
        raise EOFError("Ran out of input")
    storages = FileStorages(restore, end - begin)
    if weights_only:
        read = _restricted_reader(file, begin, end, storages, arguments["encoding"])
    else:

        def read():
            unpickler = free_unpickler(pickle_module)(file, **arguments)
            unpickler.storage_of = storages
            return unpickler.load()

    if read() != MAGIC_NUMBER:
        raise RuntimeError("Invalid magic number; corrupt file?")
    version = read()
    if version != PROTOCOL_VERSION:
        raise RuntimeError(f"Invalid protocol version: {version}")
    system = read()
    little = system.get("little_endian", True) if isinstance(system, dict) else True
    with storages_follow():
        found = read()
        _read_storages(file, read(), storages, little)
    return found


def _read_storages(file, keys, storages, little):
    if not isinstance(keys, list):
        raise damaged("the storages are not listed")
    for key in (key.decode() if isinstance(key, bytes) else key for key in keys):
        if type(key) not in (str, int) or key not in storages.made:
            raise damaged(f"it has a storage {key!r}, of which nothing is said")
        untyped, dtype = storages.made[key]
        count = struct.unpack("<q", file.read(8).ljust(8, b"\xff"))[0]
        width = dtype.itemsize if dtype is not None else 1
        if count * width != len(untyped):
            raise damaged(f"storage {key} has {count} elements, and is said to have {len(untyped) // width}")
        read_into(file, untyped)
        if little != (sys.byteorder == "little") and width > 1 and untyped.device.type != "meta":
            untyped.byteswap(dtype)


def _restricted_reader(file, begin, end, storages, encoding):
    try:
        import mmap

        if not isinstance(getattr(file, "raw", file), io.FileIO):  # gzip's files return the compressed file's number
            raise OSError("no file of the system's")
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):
        file.seek(0)
        data = file.read(end)
        file.seek(begin)

    def read():
        found, at = restricted(data, storages, file.tell(), encoding)
        file.seek(at)
        return found

    return read


def save(obj, file, pickler_class, protocol):
    """Write an object in this format."""
    _write_head(file, protocol)
    storages = Storages()
    pickler_class(file, protocol, lambda storage: storages.describe(storage, None)).dump(obj)
    pickle.dump([str(i) for i in range(len(storages.found))], file, protocol)
    for key, untyped in enumerate(storages.found):
        kind = storages.kinds[str(key)]
        width = kind.itemsize if hasattr(kind, "itemsize") else 1
        file.write(struct.pack("<q", len(untyped) // width))
        file.write(memoryview(untyped))


def _write_head(file, protocol):
    little = sys.byteorder == "little"
    sizes = {"short": 2, "int": 4, "long": 4}
    for each in (
        MAGIC_NUMBER,
        PROTOCOL_VERSION,
        {"protocol_version": PROTOCOL_VERSION, "little_endian": little, "type_sizes": sizes},
    ):
        pickle.dump(each, file, protocol)


def bytes_of_storage(storage):
    """Return a file in this format with one storage; pickles contain it."""
    file = io.BytesIO()
    if isinstance(storage, UntypedStorage):
        key, kind, width, untyped = UNTYPED_KEY, "ByteStorage", 1, storage
    else:
        key, kind, width, untyped = "0", storage.pickle_storage_type(), storage.dtype.itemsize, storage.untyped()
    count = len(untyped) // width
    described = ("storage", OBJECTS[f"torch.{kind}"], key, "cpu", count, None)
    _write_head(file, 2)
    pickler_class(pickle)(file, 2, lambda _: described).dump(storage)
    pickle.dump([key], file, 2)
    file.write(struct.pack("<q", count))
    file.write(memoryview(untyped))
    return file.getvalue()
