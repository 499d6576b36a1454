"""The cache of what was built, addressed by content.

Each built file, a compiled object or a linked library, has a folder ``<name>-<key>``; the key covers everything known
before compiling (sources, flags, compiler, Python). What is known only afterwards, the headers that were really
included and the libraries that were linked, stands in one manifest per variant, ``<variant>.json``, beside the file it
belongs to. An entry counts when every input named in its manifest still has the recorded content, and nothing is where
it would be found before one.

Nothing is ever half there: files are written under another name and renamed when complete, the built file first and the
manifest last. A build that was killed leaves at most a ``.build-…`` folder, which the next one sweeps up; the lock
only keeps processes from doing the same work twice, and the system drops it with the process that held it.

What nobody has used for a month is removed, and the oldest first when the whole grows beyond a gigabyte.
"""

import contextlib
import hashlib
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

# A file changed this shortly before or during a build may have been read in either state: its build is not published.
_RACY_NS = 20_000_000

_DAY = 24 * 3600
KEPT_DAYS = 30
KEPT_BYTES = 1 << 30
_FRESH = 3600  # seconds in which nothing is removed: somebody may be about to load it


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


class Entry(NamedTuple):
    """A built file, the files it was made from, and those that were not there to be taken instead."""

    path: Path
    inputs: tuple[Path, ...]
    absent: tuple[Path, ...]


class Folder:
    """The cache folder of one key."""

    def __init__(self, path: Path):
        self.path = path

    def lookup(self) -> Entry | None:
        """The built file whose recorded inputs are unchanged, if there is one."""
        try:
            names = os.listdir(self.path)
        except OSError:
            return None
        for name in sorted(names):
            if name.endswith(".json"):
                entry = self._valid(self.path / name)
                if entry is not None:
                    return entry
        return None

    def _valid(self, manifest: Path) -> Entry | None:
        try:
            record = json.loads(manifest.read_bytes())
            built = self.path / record["built"]
            if built.stat().st_size != record["size"]:
                return None
            for name, size, changed, content in record["inputs"]:
                status = os.stat(name)
                if (status.st_size, status.st_mtime_ns) == (size, changed):
                    continue
                if status.st_size != size or digest(Path(name).read_bytes()) != content:
                    return None
            if any(map(os.path.exists, record["absent"])):
                return None
        except (OSError, ValueError, KeyError, TypeError):
            return None  # damaged or outdated: build again
        _note_use(manifest)
        return Entry(built, tuple(Path(row[0]) for row in record["inputs"]), tuple(map(Path, record["absent"])))

    @contextlib.contextmanager
    def building(self) -> Iterator[Path]:
        """Hold the folder's lock and give a scratch folder inside, gone afterwards."""
        import tempfile  # only a build needs it

        with self._locked() as alone:
            if alone:
                for stale in self.path.glob(".build-*"):
                    shutil.rmtree(stale, ignore_errors=True)
            with self._writing():
                scratch = Path(tempfile.mkdtemp(prefix=".build-", dir=self.path))
            try:
                yield scratch
            finally:
                shutil.rmtree(scratch, ignore_errors=True)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[bool]:
        """Hold the lock, False where the file system has none; the folder exists then and stays."""
        while True:
            with self._writing():
                self.path.mkdir(parents=True, exist_ok=True)
                try:
                    lock = open(self.path / ".lock", "a+b")
                except FileNotFoundError:  # removed at this moment
                    continue
            with lock:
                alone = _lock(lock.fileno(), wait=True)
                if _is_file(lock.fileno(), self.path / ".lock"):
                    yield alone
                    return

    def remove(self) -> bool:
        """Delete the folder unless somebody is building in it; whether it is gone."""
        with contextlib.suppress(OSError):
            with open(self.path / ".lock", "a+b") as lock:
                if not _lock(lock.fileno(), wait=False):
                    return False
                # The manifests first: who looks for the entry finds all of it or nothing.
                for found in sorted(self.path.iterdir(), key=lambda path: path.suffix != ".json"):
                    if found.is_dir():
                        shutil.rmtree(found)
                    elif found.name != ".lock":
                        found.unlink()
            (self.path / ".lock").unlink()
            self.path.rmdir()
        return not self.path.exists()

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

    def publish(
        self, built: Path, suffix: str, inputs: list[Path], started_ns: int, absent: Sequence[Path] = ()
    ) -> Entry:
        """Move a finished file in place and record what it was made from; returns where it is now.

        When an input changed while it was being compiled, the file is kept for this process alone.
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
            place = self.path / f"{variant}{suffix}"
            os.replace(built, place)
        if settled:
            record = {"built": place.name, "size": size, "inputs": rows, "absent": list(map(str, absent))}
            self.write(f"{variant}.json", json.dumps(record, ensure_ascii=True))
        return Entry(place, tuple(inputs), tuple(absent))

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise cannot_write(error.errno, error.strerror, self.path) from error


def cannot_write(number: int, reason: str, path: Path) -> OSError:
    """The error of a cache that cannot be written to, which is also what a full disk makes of a compiler's run."""
    return OSError(
        number,
        f"cannot write to the extension cache: {reason}; make room or give another folder with "
        "build_directory= or FLAMBEAU_EXTENSIONS_DIR",
        str(path),
    )


def prune(folder: Path, *, days: float = KEPT_DAYS, most_bytes: int = KEPT_BYTES) -> int:
    """Remove the entries of a cache that were not used for so many days, then the oldest until the rest is small
    enough; returns how many went."""
    entries = []
    for path in _entries(folder):
        try:
            files = [(f.stat(), f.name) for f in os.scandir(path) if f.is_file(follow_symlinks=False)]
        except OSError:
            continue
        used = max((s.st_mtime for s, name in files if name.endswith((".json", ".log"))), default=path.stat().st_mtime)
        entries.append((used, sum(s.st_size for s, _ in files), path))
    entries.sort()
    now, total, removed = time.time(), sum(size for _, size, _ in entries), 0
    for used, size, path in entries:
        too_old, too_much = used < now - days * _DAY, total > most_bytes
        if used > now - _FRESH or not (too_old or too_much):
            continue
        if Folder(path).remove():
            total -= size
            removed += 1
    return removed


def prune_sometimes(folder: Path) -> None:
    """Prune a cache once a day; its failure is nobody's concern."""
    stamp = folder / ".pruned"
    try:
        if stamp.stat().st_mtime > time.time() - _DAY:
            return
    except OSError:
        pass
    with contextlib.suppress(OSError):
        stamp.touch()
        prune(folder)


def _entries(folder: Path) -> Iterator[Path]:
    """The folders of a cache, told from others by their lock."""
    for place in (folder, folder / "objects"):
        with contextlib.suppress(OSError):
            for found in os.scandir(place):
                if found.is_dir(follow_symlinks=False) and os.path.exists(os.path.join(found.path, ".lock")):
                    yield Path(found.path)


def _note_use(manifest: Path) -> None:
    """Remember that an entry was used, by its manifest's time; to the day, and where the cache can be written."""
    with contextlib.suppress(OSError):
        if manifest.stat().st_mtime < time.time() - _DAY:
            os.utime(manifest)


def _is_file(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _lock(descriptor: int, *, wait: bool) -> bool:
    """Take the lock on an open file. False where the file system has none, which costs double work at most, or when
    it is held and we do not wait."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True
