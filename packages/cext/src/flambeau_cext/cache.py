"""The cache of built extensions, addressed by content.

Each build has a folder ``<root>/<name>-<key>/``; the key covers everything known before compiling (sources, flags,
compiler, Python). What is known only afterwards, the headers that were really included, stands in one manifest per
variant, ``<variant>.json``, beside the library it belongs to. An entry counts when every file of its manifest still
has the recorded content.

Nothing is ever half there: files are written under another name and renamed when complete, the library first and the
manifest last. A build that was killed leaves at most a ``.build-…`` folder, which the next one sweeps up; the lock
only keeps processes from doing the same work twice, and the system drops it with the process that held it.
"""

import contextlib
import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

# A file changed this shortly before or during a build may have been read in either state: its build is not published.
_RACY_NS = 20_000_000


def root(build_directory: str | os.PathLike | None = None) -> Path:
    """Where built extensions are kept: ``build_directory``, FLAMBEAU_EXTENSIONS_DIR, TORCH_EXTENSIONS_DIR, or a
    folder of the user's cache."""
    chosen = build_directory or os.environ.get("FLAMBEAU_EXTENSIONS_DIR") or os.environ.get("TORCH_EXTENSIONS_DIR")
    if chosen:
        return Path(chosen).expanduser().absolute()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base, "flambeau", "extensions").absolute()


def digest(*parts: str | bytes) -> str:
    """A hash of the parts that no other division into parts has."""
    state = hashlib.blake2b(digest_size=12)
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()


class Folder:
    """The cache folder of one key."""

    def __init__(self, path: Path):
        self.path = path

    def lookup(self) -> Path | None:
        """The library whose recorded inputs are unchanged, if there is one."""
        try:
            names = os.listdir(self.path)
        except OSError:
            return None
        for name in sorted(names):
            if name.endswith(".json"):
                library = self._valid(self.path / name)
                if library is not None:
                    return library
        return None

    def _valid(self, manifest: Path) -> Path | None:
        try:
            record = json.loads(manifest.read_bytes())
            library = self.path / record["library"]
            if library.stat().st_size != record["size"]:
                return None
            for name, size, changed, content in record["inputs"]:
                status = os.stat(name)
                if (status.st_size, status.st_mtime_ns) == (size, changed):
                    continue
                if status.st_size != size or digest(Path(name).read_bytes()) != content:
                    return None
        except (OSError, ValueError, KeyError, TypeError):
            return None  # damaged or outdated: build again
        return library

    @contextlib.contextmanager
    def building(self) -> Iterator[Path]:
        """Hold the folder's lock and give a scratch folder inside, gone afterwards."""
        with self._writing():
            self.path.mkdir(parents=True, exist_ok=True)
            lock = open(self.path / ".lock", "a+b")
        with lock:
            alone = _lock(lock.fileno())
            if alone:
                for stale in self.path.glob(".build-*"):
                    shutil.rmtree(stale, ignore_errors=True)
            with self._writing():
                scratch = Path(tempfile.mkdtemp(prefix=".build-", dir=self.path))
            try:
                yield scratch
            finally:
                shutil.rmtree(scratch, ignore_errors=True)

    def write(self, name: str, text: str) -> Path:
        """Put a text file in place, whole or not at all."""
        target = self.path / name
        with self._writing():
            scratch = self.path / f".write-{os.getpid()}-{time.time_ns():x}"
            try:
                scratch.write_text(text, encoding="utf-8", errors="surrogateescape", newline="\n")
                os.replace(scratch, target)
            finally:
                scratch.unlink(missing_ok=True)
        return target

    def publish(self, built: Path, suffix: str, inputs: list[Path], started_ns: int) -> Path:
        """Move a finished library in place and record what it was made from; returns where it is now.

        When an input changed while it was being compiled, the library is kept for this process alone.
        """
        rows, settled = [], True
        for path in inputs:
            status = path.stat()
            settled = settled and status.st_mtime_ns < started_ns - _RACY_NS
            rows.append((str(path), status.st_size, status.st_mtime_ns, digest(path.read_bytes())))
        variant = digest(*(part for row in rows for part in (row[0], row[3])))
        if not settled:
            variant += f"-{os.getpid()}-{time.time_ns():x}"
        with self._writing():
            size = built.stat().st_size
            library = self.path / f"{variant}{suffix}"
            os.replace(built, library)
        if settled:
            record = {"library": library.name, "size": size, "inputs": rows}
            self.write(f"{variant}.json", json.dumps(record, ensure_ascii=True))
        return library

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise type(error)(
                error.errno,
                f"cannot write to the extension cache: {error.strerror}; make room or give another folder with "
                "build_directory= or FLAMBEAU_EXTENSIONS_DIR",
                str(self.path),
            ) from error


def _lock(descriptor: int) -> bool:
    """Wait for the lock on an open file; False where the file system has none, which costs double work at most."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX)
    except OSError:
        return False
    return True
