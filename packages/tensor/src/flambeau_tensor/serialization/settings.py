"""Settings for loading and saving: allowed names, byte order, kinds of mapping, and whether data is skipped."""

import sys
import threading
import warnings
from enum import Enum
from types import ModuleType

from flambeau_tensor.serialization import naming

_safe: "list" = []


def add_safe_globals(safe_globals: list) -> None:
    """Allow files to name and call these classes and functions under ``weights_only=True``.

    Args:
        safe_globals: the classes and functions, or pairs of one and its full name in files.

    Raises:
        TypeError: ``safe_globals`` is not a list.

    >>> from datetime import date
    >>> add_safe_globals([date])
    >>> clear_safe_globals()
    """
    added = [item for item in safe_globals if item not in _safe]
    _named(added)  # raises if an object has no name
    _safe.extend(added)


def get_safe_globals() -> list:
    """Return the classes and functions that `add_safe_globals` has allowed.

    >>> with torch.serialization.safe_globals([complex]):
    ...     print(get_safe_globals())
    [<class 'complex'>]
    """
    return list(_safe)


def clear_safe_globals() -> None:
    """Reset the allowed names to the fixed list.

    >>> torch.serialization.add_safe_globals([complex])
    >>> clear_safe_globals()
    >>> torch.serialization.get_safe_globals()
    []
    """
    _safe.clear()


class safe_globals:  # noqa: N801
    """A context manager that also allows files to name these objects; see :func:`add_safe_globals`.

    Raises:
        TypeError: the globals are not a list.

    >>> with safe_globals([complex]):
    ...     print(torch.serialization.get_safe_globals())
    [<class 'complex'>]
    """

    def __init__(self, safe_globals: list) -> None:
        self.safe_globals = safe_globals

    def __enter__(self):
        self.before = get_safe_globals()
        add_safe_globals(self.safe_globals)

    def __exit__(self, *exception):
        _safe[:] = self.before


def _named(items):
    return {
        (item[1] if isinstance(item, tuple) else ".".join(naming.name_of(item))): item[0]
        if isinstance(item, tuple)
        else item
        for item in items
    }


def allowed_names() -> dict:
    """Return the allowed objects beyond the fixed list, by their names in files."""
    return _named(_safe)


class LoadEndianness(Enum):
    """The byte order of files that do not specify one.

    Raises:
        ValueError: the value does not exist.

    >>> [order.name for order in LoadEndianness]
    ['NATIVE', 'LITTLE', 'BIG']
    """

    NATIVE = 1
    LITTLE = 2
    BIG = 3


_settings = {"endianness": None, "mmap": None, "crc32": True}


def get_default_load_endianness() -> "LoadEndianness | None":
    """Return the byte order assumed for files without one; None means that of this machine.

    >>> get_default_load_endianness()
    """
    return _settings["endianness"]


def set_default_load_endianness(endianness: "LoadEndianness | None") -> None:
    """Set the byte order of files that do not specify one.

    Raises:
        TypeError: the argument is not a LoadEndianness.

    >>> set_default_load_endianness(None)
    """
    if endianness is not None and not isinstance(endianness, LoadEndianness):
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    _settings["endianness"] = endianness


def needs_swapping(said: "str | None") -> bool:
    """Return True if the bytes of a file's elements must be swapped."""
    if said is None:
        kind = _settings["endianness"]
        said = kind.name.lower() if kind not in (None, LoadEndianness.NATIVE) else sys.byteorder
    if said not in ("little", "big"):
        raise ValueError(f"Unknown endianness type: {said}")
    return said != sys.byteorder


def get_crc32_options() -> bool:
    """Return True if files get correct checksums, which flambeau always writes.

    >>> get_crc32_options()
    True
    """
    return _settings["crc32"]


def set_crc32_options(compute_crc32: bool) -> None:
    """Accepted without effect: checksums are always computed, and never checked.

    >>> set_crc32_options(True)
    """
    _settings["crc32"] = bool(compute_crc32)


def get_default_mmap_options() -> int:
    """Return the flag with which ``load(mmap=True)`` maps files: ``MAP_PRIVATE`` or ``MAP_SHARED``.

    >>> import mmap
    >>> get_default_mmap_options() == mmap.MAP_PRIVATE
    True
    """
    import mmap

    return mmap.MAP_PRIVATE if _settings["mmap"] is None else _settings["mmap"]


class set_default_mmap_options:  # noqa: N801
    """Set how ``load(mmap=True)`` maps files, permanently or in a ``with`` block.

    Args:
        flags: ``mmap.MAP_PRIVATE``, for writes that are private to the process, or ``mmap.MAP_SHARED``, for writes to
            the file.

    Raises:
        ValueError: the flags are neither MAP_SHARED nor MAP_PRIVATE.

    >>> import mmap
    >>> with set_default_mmap_options(mmap.MAP_SHARED):
    ...     print(torch.serialization.get_default_mmap_options() == mmap.MAP_SHARED)
    True
    """

    def __init__(self, flags: int) -> None:
        import mmap

        if flags not in (mmap.MAP_PRIVATE, mmap.MAP_SHARED):
            raise ValueError(
                "Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or "
                f"mmap.MAP_SHARED, but got {flags}"
            )
        self.before = get_default_mmap_options()
        _settings["mmap"] = flags

    def __enter__(self):
        return None

    def __exit__(self, *exception):
        _settings["mmap"] = self.before


class _Skipping(threading.local):
    on = False


_skipping = _Skipping()


class skip_data:  # noqa: N801
    """A context manager in which the bytes of storages are neither written nor read.

    ``save`` reserves their space in the file, filled with zeros; ``load`` creates tensors with uninitialized memory.

    Args:
        materialize_fake_tensors: accepted; flambeau has no fake tensors.

    >>> import io
    >>> import flambeau_tensor as ft
    >>> file = io.BytesIO()
    >>> with skip_data():
    ...     ft.save(ft.ones(2), file)
    >>> _ = file.seek(0)
    >>> ft.load(file)
    tensor([0., 0.])
    """

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self):
        self.before, _skipping.on = _skipping.on, True

    def __exit__(self, *exception):
        _skipping.on = self.before


def skips_data() -> bool:
    """Return True if the calling thread is in a `skip_data` block."""
    return _skipping.on


def check_module_version_greater_or_equal(
    module: ModuleType, req_version_tuple: tuple, error_if_malformed: bool = True
) -> bool:
    """Return whether the version of a module is at least the required one.

    Args:
        module: a module with ``__version__``, such as ``dill``.
        req_version_tuple: the first parts of the required version, of the types to which those of the module's version
            are converted.
        error_if_malformed: whether a version with other parts is an error, instead of a warning and True.

    Raises:
        RuntimeError: the version has too few parts, or one of another type.

    >>> import numpy
    >>> check_module_version_greater_or_equal(numpy, (1, 20))
    True
    """
    parts = module.__version__.split(".")
    try:
        found = tuple(type(wanted)(parts[i]) for i, wanted in enumerate(req_version_tuple))
        return found >= tuple(req_version_tuple)
    except (ValueError, TypeError, IndexError) as error:
        text = (
            f"'{module.__name__}' module version string is malformed '{module.__version__}' and cannot be compared "
            f"with tuple {req_version_tuple}"
        )
        if error_if_malformed:
            raise RuntimeError(text) from error
    warnings.warn(f"{text}, but continuing assuming that requirement is met", stacklevel=2)
    return True
