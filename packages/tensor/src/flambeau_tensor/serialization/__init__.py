"""Saving and loading: ``torch.save``, ``torch.load`` and ``torch.serialization``.

Files have PyTorch's format, so each library reads the other's files. Tensors that share memory share it after loading,
too.

>>> import io
>>> import flambeau_tensor as ft
>>> file = io.BytesIO()
>>> save({"weight": ft.ones(2)}, file)
>>> _ = file.seek(0)
>>> load(file)
{'weight': tensor([1., 1.])}
"""

import io
import os
import pickle
import sys
from collections.abc import Callable

from flambeau_tensor.lazy_attributes import attach as _attach
from flambeau_tensor.not_built import not_built
from flambeau_tensor.options import _get_layout, device  # noqa: F401  (pickles look for the former here)
from flambeau_tensor.serialization import legacy, unpickler
from flambeau_tensor.serialization.archive import Reader, Writer, is_archive, replacing
from flambeau_tensor.serialization.legacy import MAGIC_NUMBER, PROTOCOL_VERSION
from flambeau_tensor.serialization.locations import (
    default_restore_location,
    location_tag,
    register_package,
    restorer,
)
from flambeau_tensor.serialization.naming import spelled  # noqa: F401
from flambeau_tensor.serialization.pickler import Storages, pickler_class
from flambeau_tensor.serialization.reading import ArchiveStorages, free_unpickler, restricted
from flambeau_tensor.serialization.settings import (
    LoadEndianness,
    add_safe_globals,
    allowed_names,
    check_module_version_greater_or_equal,
    clear_safe_globals,
    get_crc32_options,
    get_default_load_endianness,
    get_default_mmap_options,
    get_safe_globals,
    safe_globals,
    set_crc32_options,
    set_default_load_endianness,
    set_default_mmap_options,
    skip_data,
    skips_data,
)

__all__ = [
    "DEFAULT_PROTOCOL",
    "FILE_LIKE",
    "LoadEndianness",
    "MAGIC_NUMBER",
    "MAP_LOCATION",
    "PROTOCOL_VERSION",
    "SourceChangeWarning",
    "add_safe_globals",
    "check_module_version_greater_or_equal",
    "clear_safe_globals",
    "default_restore_location",
    "get_crc32_options",
    "get_default_load_endianness",
    "get_default_mmap_options",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "load",
    "location_tag",
    "register_package",
    "safe_globals",
    "save",
    "set_crc32_options",
    "set_default_load_endianness",
    "set_default_mmap_options",
    "skip_data",
]
# Types for annotations in programs: destinations of storages, and files.
MAP_LOCATION = Callable | device | str | dict | None
FILE_LIKE = str | os.PathLike | io.IOBase
DEFAULT_PROTOCOL = 2


class SourceChangeWarning(Warning):
    """PyTorch's warning that the source of a saved class has changed. flambeau never gives it.

    >>> issubclass(SourceChangeWarning, Warning)
    True
    """


# --- saving ---------------------------------------------------------------------------------------------------------


def save(
    obj: object,
    f,
    pickle_module=pickle,
    pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Write an object to a file that PyTorch can also read.

    A named file is replaced only after the new one is complete, so an interrupted program leaves the old file.
    Whole storages are written, once each, even if a tensor uses only a part: save ``x.clone()`` for a small view.

    Args:
        obj: tensors, and any other objects that Python can pickle.
        f: the path, or a file open for writing bytes.
        pickle_module: the module whose ``Pickler`` is used, which must be derived from ``pickle._Pickler``.
        pickle_protocol: the protocol of the pickle; PyTorch reads protocol 2 with ``weights_only=True``.

    Raises:
        RuntimeError: the folder does not exist, or tensors with different dtypes share a storage.
        AttributeError: `f` is neither a path nor a file.

    >>> import io
    >>> import flambeau_tensor as ft
    >>> save(ft.ones(2), io.BytesIO())
    """
    pickler = pickler_class(pickle_module)

    def write(file, root="archive"):
        if _use_new_zipfile_serialization:
            _write_archive(obj, file, root, pickler, pickle_protocol, _disable_byteorder_record)
        elif skips_data():
            raise RuntimeError("Cannot use skip_data=True with _use_new_zipfile_serialization=False")
        else:
            legacy.save(obj, file, pickler, pickle_protocol)

    if isinstance(f, (str, os.PathLike)):
        root = os.path.splitext(os.path.basename(f))[0]
        replacing(f, lambda file: write(file, root if root.isascii() and root else "archive"))
    elif hasattr(f, "write"):
        write(f)
        if hasattr(f, "flush"):  # so that others can read it while it is open
            f.flush()
    else:
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")


def _write_archive(obj, file, root, pickler, protocol, without_byteorder):
    storages, pickled = Storages(), io.BytesIO()
    pickler(pickled, protocol, storages.describe).dump(obj)
    archive = Writer(file, root)
    archive.write("data.pkl", pickled.getbuffer())
    archive.write(".format_version", b"1")
    archive.write(".storage_alignment", b"64")
    if not without_byteorder:
        archive.write("byteorder", sys.byteorder.encode())
    for key, untyped in enumerate(storages.found):
        if skips_data():
            archive.leave(f"data/{key}", len(untyped))
        else:
            archive.write(f"data/{key}", memoryview(untyped))
    archive.close()


# --- loading --------------------------------------------------------------------------------------------------------


def load(
    f,
    map_location=None,
    pickle_module=None,
    *,
    weights_only: "bool | None" = None,
    mmap: "bool | None" = None,
    **pickle_load_args,
):
    """Read a file that :func:`save` or PyTorch wrote.

    With ``weights_only``, the default, a file can contain tensors, numbers, strings, containers of these, and objects
    that ``torch.serialization.add_safe_globals`` allows; nothing else is imported or called. Without it, a file can run
    any code: use it only for files that you trust.

    Args:
        f: the path, or a seekable file open for reading bytes.
        map_location: the destination of storages: a device, a dict that maps devices in the file to devices, or a
            function of the storage and its device in the file. Tensors are on the CPU, so a file from a GPU needs
            ``map_location="cpu"``.
        pickle_module: the module whose ``Unpickler`` is used with ``weights_only=False``.
        weights_only: see above.
        mmap: whether to leave storages in the file, of which the system reads only what is used; needs a path. Writes
            are private to the process (see ``torch.serialization.set_default_mmap_options``).
        pickle_load_args: arguments for ``pickle_module.Unpickler``, such as ``encoding``.

    Raises:
        pickle.UnpicklingError: the file contains objects that are not allowed, or has another format.
        RuntimeError: the file is damaged or incomplete, or contains storages of an unavailable device.

    >>> import io
    >>> import flambeau_tensor as ft
    >>> file = io.BytesIO()
    >>> save([ft.ones(2), "text"], file)
    >>> _ = file.seek(0)
    >>> load(file)
    [tensor([1., 1.]), 'text']
    """
    weights_only = _weights_only(weights_only, pickle_module)
    pickle_load_args.setdefault("encoding", "utf-8")
    restore = restorer(map_location)
    if not isinstance(f, (str, os.PathLike)):
        if mmap:
            raise ValueError("f must be a file path in order to use the mmap argument")
        for need in ("seek", "tell", "read"):
            if not hasattr(f, need):
                raise AttributeError(
                    f"{type(f).__name__!r} object has no attribute {need!r}. You can only torch.load "
                    "from a file that is seekable. Please pre-load the data into a buffer like "
                    "io.BytesIO and try to load from it instead."
                )
        return _load(f, restore, weights_only, pickle_module or pickle, None, pickle_load_args)
    with open(f, "rb") as file:
        mapped = _mapped(f, file) if mmap else None
        return _load(file, restore, weights_only, pickle_module or pickle, mapped, pickle_load_args)


def _weights_only(wanted, pickle_module):
    force, refuse = (
        os.environ.get(f"TORCH_FORCE_{name}WEIGHTS_ONLY_LOAD", "0").lower() in ("1", "y", "yes", "true")
        for name in ("", "NO_")
    )
    if force and refuse:
        raise RuntimeError(
            "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` should "
            "be set, but both were set."
        )
    if force:
        wanted = True
    elif wanted is None:
        wanted = pickle_module is None and not refuse
    if wanted and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    return wanted


def _mapped(path, file):
    import mmap

    if not is_archive(file):
        raise RuntimeError(
            "mmap can only be used with files saved with "
            "`torch.save(_use_new_zipfile_serialization=True), "
            "please torch.save your checkpoint with this option in order to use mmap."
        )
    file.seek(0)
    if get_default_mmap_options() == mmap.MAP_PRIVATE:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    with open(path, "r+b") as writable:
        return mmap.mmap(writable.fileno(), 0, access=mmap.ACCESS_WRITE)


def _load(file, restore, weights_only, pickle_module, mapped, arguments):
    if not is_archive(file):
        return legacy.load(file, restore, weights_only, pickle_module, arguments)
    archive = Reader(file, mapped)
    if "constants.pkl" in archive:
        raise not_built("torch.jit.load")
    storages = ArchiveStorages(archive, restore)
    pickled = archive.read("data.pkl")
    if weights_only:
        return restricted(pickled, storages, 0, arguments["encoding"])[0]
    reader = free_unpickler(pickle_module)(io.BytesIO(pickled), **arguments)
    reader.storage_of = storages
    return reader.load()


def get_unsafe_globals_in_checkpoint(f) -> list[str]:
    """Return the names in a file that ``weights_only=True`` does not allow.

    Args:
        f: the path, or a file open for reading bytes.

    Raises:
        ValueError: it is not a file in PyTorch's format.

    >>> import io
    >>> file = io.BytesIO()
    >>> save({3.5: range(2)}, file)
    >>> get_unsafe_globals_in_checkpoint(file)
    ['builtins.range']
    """
    from flambeau_tensor.serialization.scanning import names_in

    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            return get_unsafe_globals_in_checkpoint(file)
    f.seek(0)
    if not is_archive(f):
        raise ValueError("Expected input to be a checkpoint returned by torch.save")
    known = {*allowed_names(), *unpickler.CALLS, *unpickler.NAMED, *unpickler.PARAMETERS}
    return [name for name in dict.fromkeys(names_in(Reader(f).read("data.pkl"))) if name not in known]


_names = {
    f"_{name}": f"{__name__}.{own}"
    for name, own in (
        ("is_zipfile", "archive:is_archive"),
        ("open_zipfile_reader", "records:open_reader"),
        ("open_zipfile_writer", "records:open_writer"),
    )
}
__getattr__, __dir__ = _attach(__name__, "torch.serialization", _names)
