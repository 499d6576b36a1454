"""Destinations of storages in files: ``map_location``, and functions that packages for other devices register."""

from flambeau_tensor.options import device
from flambeau_tensor.storage import UntypedStorage

_packages: "list" = []  # (priority, tagger, deserializer)


def register_package(priority: int, tagger, deserializer) -> None:
    """Register functions that tag and restore storages; those of lower priority are called first.

    Args:
        priority: functions with a lower priority are called first.
        tagger: storage -> the tag to write, or None for other storages.
        deserializer: (storage, tag) -> the restored storage, or None for other tags.

    Raises:
        TypeError: the priority is not a number.

    >>> def tag(storage):
    ...     return None  # nothing special about any storage
    >>> torch.serialization.register_package(99, tag, lambda storage, tag: None)
    >>> torch.serialization.location_tag(torch.ones(1).untyped_storage())
    'cpu'
    """
    _packages.append((priority, tagger, deserializer))
    _packages.sort(key=lambda package: package[0])


def location_tag(storage) -> str:
    """Return the location tag of a storage in files.

    >>> location_tag(torch.ones(2).untyped_storage())
    'cpu'
    """
    for _, tagger, _ in _packages:
        tag = tagger(storage)
        if tag:
            return tag
    raise RuntimeError(f"don't know how to determine data location of {type(storage).__name__}")


def default_restore_location(storage, location: str):
    """Return a storage at a location.

    Raises:
        RuntimeError: the location is unknown, or is a device that is not available.

    >>> storage = torch.ones(2).untyped_storage()
    >>> default_restore_location(storage, "cpu") is storage
    True
    """
    for _, _, deserializer in _packages:
        restored = deserializer(storage, location)
        if restored is not None:
            return restored
    raise RuntimeError(
        f"don't know how to restore data location of torch.storage.UntypedStorage (tagged with {location})"
    )


def _cuda(storage, location):
    if location.startswith("cuda"):
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are "
            "running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your "
            "storages to the CPU."
        )


register_package(10, lambda storage: "cpu", lambda storage, location: storage if location == "cpu" else None)
register_package(20, lambda storage: None, _cuda)
register_package(
    22, lambda storage: None, lambda storage, location: storage.to(device="meta") if location == "meta" else None
)


def restorer(map_location):
    """Return the function (storage, location in the file) -> storage for the value of `map_location`."""
    if map_location is None:
        return default_restore_location
    if isinstance(map_location, dict):
        return lambda storage, location: default_restore_location(storage, map_location.get(location, location))
    if isinstance(map_location, (str, bytes, device)):
        place = map_location.decode() if isinstance(map_location, bytes) else str(map_location)
        return lambda storage, location: default_restore_location(storage, place)

    def restore(storage, location):
        restored = map_location(storage, location)
        if restored is None:
            return default_restore_location(storage, location)
        if not isinstance(restored, UntypedStorage):
            raise RuntimeError(f"map_location returned {type(restored).__name__}, where a storage is expected")
        return restored

    return restore
