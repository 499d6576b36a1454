"""Pipes over files."""

from collections.abc import Iterator
from typing import Any

from flambeau_data.datapipes._decorator import functional_datapipe
from flambeau_data.datapipes.datapipe import IterDataPipe
from flambeau_data.datapipes.iter.utils import IterableWrapperIterDataPipe
from flambeau_data.datapipes.utils.common import StreamWrapper, get_file_pathnames_from_root

__all__ = ["FileListerIterDataPipe", "FileOpenerIterDataPipe", "StreamReaderIterDataPipe"]


class _Measured(IterDataPipe[Any]):
    """A pipe with a length only if it was passed."""

    length = -1

    def __len__(self) -> int:
        if self.length < 0:
            raise TypeError(f"{type(self).__name__} instance doesn't have valid length")
        return self.length


@functional_datapipe("list_files")
class FileListerIterDataPipe(_Measured):
    """The paths of the files in folders.

    Args:
        root: a folder, a list of folders, or a pipe of them.
        masks: patterns of names as in a shell, one or a list; "": all.
        recursive: also list subfolders.
        abspath: return absolute paths.
        non_deterministic: use the system's order instead of sorted names.
        length: the result of `len`.
    """

    def __init__(
        self,
        root: Any = ".",
        masks: "str | list[str]" = "",
        *,
        recursive: bool = False,
        abspath: bool = False,
        non_deterministic: bool = False,
        length: int = -1,
    ) -> None:
        if isinstance(root, str):
            root = [root]
        self.datapipe = root if isinstance(root, IterDataPipe) else IterableWrapperIterDataPipe(root)
        self.masks = masks
        self.recursive = recursive
        self.abspath = abspath
        self.non_deterministic = non_deterministic
        self.length = length

    def __iter__(self) -> Iterator[str]:
        for root in self.datapipe:
            yield from get_file_pathnames_from_root(
                root, self.masks, self.recursive, self.abspath, self.non_deterministic
            )


@functional_datapipe("open_files")
class FileOpenerIterDataPipe(_Measured):
    """Pairs of a path and its open file.

    Args:
        datapipe: the pipe of paths.
        mode: as of `open`: "r", "b", "rb", "t" or "rt".
        encoding: of texts.
        length: the result of `len`.

    Raises:
        ValueError: the mode is another one.
    """

    def __init__(self, datapipe: Any, mode: str = "r", encoding: "str | None" = None, length: int = -1) -> None:
        if mode not in ("b", "t", "rb", "rt", "r"):
            raise ValueError(f"Invalid mode {mode}")
        if "b" in mode and encoding is not None:
            raise ValueError("binary mode doesn't take an encoding argument")
        self.datapipe = datapipe
        self.mode = mode if mode.startswith("r") else f"r{mode}"
        self.encoding = encoding
        self.length = length

    def __iter__(self) -> Iterator[tuple[str, StreamWrapper]]:
        for path in self.datapipe:
            if not isinstance(path, str):
                raise TypeError(f"Expected string type for pathname, but got {type(path)}")
            yield path, StreamWrapper(open(path, self.mode, encoding=self.encoding))


@functional_datapipe("read_from_stream")
class StreamReaderIterDataPipe(IterDataPipe[Any]):
    """Yields pairs of a path and the contents of its file.

    Args:
        datapipe: yields pairs of a path and an open file.
        chunk: bytes or characters to read at a time, which form separate pairs; None: the whole file.
    """

    def __init__(self, datapipe: Any, chunk: "int | None" = None) -> None:
        self.datapipe = datapipe
        self.chunk = chunk

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        for path, stream in self.datapipe:
            while data := stream.read(self.chunk):
                yield path, data
            stream.close()
