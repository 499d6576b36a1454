"""Open files and the names of files."""

import fnmatch
import os
import warnings
from collections.abc import Iterator
from typing import Any

__all__ = ["StreamWrapper", "get_file_pathnames_from_root"]


class StreamWrapper:
    """A wrapper of an open file that closes it when its last reference is dropped."""

    def __init__(self, file_obj: Any, parent_stream: Any = None, name: "str | None" = None) -> None:
        self.file_obj = file_obj
        self.closed = False
        self.name = name

    def close(self) -> None:
        """Close the file."""
        if not self.closed:
            self.closed = True
            self.file_obj.close()

    def __getattr__(self, name: str) -> Any:
        if name == "file_obj":  # not set yet, while unpickling
            raise AttributeError(name)
        return getattr(self.file_obj, name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *dir(self.file_obj)]

    def __iter__(self) -> Iterator[Any]:
        yield from self.file_obj

    def __next__(self) -> Any:
        return next(self.file_obj)

    def __enter__(self) -> "StreamWrapper":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if "file_obj" in self.__dict__:
            self.close()

    def __repr__(self) -> str:
        return f"StreamWrapper<{self.name or self.file_obj!r}>"


def get_file_pathnames_from_root(
    root: str,
    masks: "str | list[str]",
    recursive: bool = False,
    abspath: bool = False,
    non_deterministic: bool = False,
) -> Iterator[str]:
    """Generate the sorted paths of a folder's files whose names match one of `masks`; for a file, its own path.

    Args:
        root: the folder.
        masks: patterns as in a shell, one or a list; "": all.
        recursive: also list subfolders.
        abspath: return absolute paths.
        non_deterministic: in the order of the system.
    """
    patterns = [masks] if isinstance(masks, str) else masks

    def matches(name: str) -> bool:
        return masks == "" or any(fnmatch.fnmatch(name, pattern) for pattern in patterns)

    def warned(error: OSError) -> None:
        warnings.warn(f"{error.filename}: {error.strerror}", stacklevel=3)

    if os.path.isfile(root):
        if matches(os.path.basename(root)):
            yield os.path.abspath(root) if abspath else root
        return
    for folder, folders, files in os.walk(root, onerror=warned):
        if abspath:
            folder = os.path.abspath(folder)
        if not non_deterministic:
            files.sort()
            folders.sort()
        yield from (os.path.join(folder, name) for name in files if matches(name))
        if not recursive:
            break
