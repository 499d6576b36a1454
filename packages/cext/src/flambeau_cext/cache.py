"""The cache of build results, addressed by content.

Each built file, a compiled object or a linked library, has a folder ``<name>-<key>``; the key covers everything known
before compiling (sources, flags, compiler, Python). Inputs that are known only afterwards, the included headers and the
linked libraries, are listed in one manifest per variant, ``<variant>.json``, next to the file. An entry is valid if the
file and every input named in its manifest have the recorded content, and no file exists that would now be found before
an input.

Loaded code runs with all rights of its user. The folders are therefore private to the user, whatever the umask, and
files that others could have created are not used: a cache that others can write to, or that belongs to another user,
is an error, and an entry of that kind is built again.

Entries are never incomplete: files are written under another name and renamed when complete, the built file first and
the manifest last. A build that was killed leaves at most a ``.build-…`` folder, which the next one removes; the lock
only prevents processes from doing the same work twice, and the system releases it when its process ends.

Entries that were not used for a month are removed, and the oldest ones if the cache exceeds a gigabyte.
"""

import contextlib
import errno
import hashlib
import json
import os
import shutil
import stat
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

# A file changed this shortly before or during a build may have been read in either state: its build is not published.
_RACY_NS = 20_000_000

_DAY = 24 * 3600
KEPT_DAYS = 30
KEPT_BYTES = 1 << 30
_OBJECTS = "objects"  # the folder of compiled objects within the cache
_FRESH = 3600  # seconds in which nothing is removed, because another process may be about to load it


def root(build_directory: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder of built extensions: ``build_directory``, FLAMBEAU_EXTENSIONS_DIR, TORCH_EXTENSIONS_DIR, or a
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


def make_private(folder: Path) -> None:
    """Create a folder and its missing parents, accessible only to the user, whatever the umask."""
    if folder.is_dir():
        return
    make_private(folder.parent)
    try:
        folder.mkdir(0o700)
    except FileExistsError:
        if not folder.is_dir():
            raise
    else:
        folder.chmod(0o700)  # a umask may take from the owner, too


def others_may_write(path: Path, *, entry: bool = False) -> str:
    """Return who else can change a file, or add files to a folder; an empty string if no one can, and on Windows.

    The system's own user does not count, nor does a group with the user's name. Others may add files to a folder like
    ``/tmp`` without removing any, unless the folder is an ``entry`` of the cache, which must not be a link, either.
    """
    if not hasattr(os, "geteuid"):
        return ""
    status = path.lstat() if entry else path.stat()
    if stat.S_ISLNK(status.st_mode):
        return "it is a symbolic link"
    if status.st_uid not in (os.geteuid(), 0):
        return f"it belongs to another user ({_user_name(status.st_uid)})"
    if status.st_mode & stat.S_ISVTX and not entry:
        return ""
    if status.st_mode & stat.S_IWOTH:
        return f"all users can write to it (mode {stat.S_IMODE(status.st_mode):04o})"
    if status.st_mode & stat.S_IWGRP and not _is_own_group(status.st_gid):
        return f"its group can write to it (mode {stat.S_IMODE(status.st_mode):04o})"
    return ""


def _user_name(uid: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _is_own_group(gid: int) -> bool:
    """Whether a group is the private one that many systems create for each user: same name, and no other members."""
    import grp

    try:
        group = grp.getgrgid(gid)
    except KeyError:
        return False
    own = _user_name(os.geteuid())
    return group.gr_name == own and set(group.gr_mem) <= {own}


def check_root(folder: Path) -> None:
    """Raise PermissionError for a cache in which others could replace files."""
    for place in (folder, folder / _OBJECTS):
        why = ""
        # it does not exist yet; or it is not readable, and building in it reports the error
        with contextlib.suppress(OSError):
            why = others_may_write(place)
        if why:
            raise PermissionError(
                errno.EPERM,
                f"cannot trust the extension cache: {why}; take that away or give another folder with build_directory= "
                "or FLAMBEAU_EXTENSIONS_DIR",
                str(place),
            )


class Entry(NamedTuple):
    """A built file, the files it was built from, and files that would replace one of these if they existed."""

    path: Path
    inputs: tuple[Path, ...]
    absent: tuple[Path, ...]


def folder_of_object(root: Path, name: str) -> "Folder":
    """The folder of a compiled object in the cache ``root``."""
    return Folder(root / _OBJECTS / name)


class Folder:
    """The cache folder of one key."""

    def __init__(self, path: Path):
        self.path = path

    def lookup(self) -> Entry | None:
        """Return the built file whose recorded inputs are unchanged, or None."""
        try:
            if others_may_write(self.path, entry=True):
                return None  # `_locked` issues the warning
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
            if others_may_write(built, entry=True) or others_may_write(manifest, entry=True):
                return None
            if built.stat().st_size != record["size"] or digest(built.read_bytes()) != record["content"]:
                return None
            for name, size, changed, content in record["inputs"]:
                status = os.stat(name)
                if (status.st_size, status.st_mtime_ns) == (size, changed):
                    continue
                if status.st_size != size or digest(Path(name).read_bytes()) != content:
                    return None
            if any(map(os.path.exists, record["absent"])):
                return None
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            return None  # damaged or outdated: build again
        _note_use(manifest)
        return Entry(built, tuple(Path(row[0]) for row in record["inputs"]), tuple(map(Path, record["absent"])))

    @contextlib.contextmanager
    def building(self) -> Iterator[Path]:
        """Hold the folder's lock and yield a scratch folder inside, which is removed afterwards."""
        import tempfile  # only a build needs it

        with self._locked() as alone:
            if alone:
                for stale in self.path.glob(".build-*"):
                    shutil.rmtree(stale, ignore_errors=True)
            with self._writing():
                scratch = tempfile.TemporaryDirectory(prefix=".build-", dir=self.path, ignore_cleanup_errors=True)
            with scratch as path:  # an interrupt on the way out leaves it to the object's end
                yield Path(path)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[bool]:
        """Hold the lock and yield True, or False if the file system has no locks; the folder exists meanwhile."""
        while True:
            with self._writing():
                make_private(self.path)
                self._distrust()
                try:
                    lock = open(self.path / ".lock", "a+b")
                except FileNotFoundError:  # removed at this moment
                    continue
            with lock:
                alone = _lock(lock.fileno(), wait=True)
                if _is_file(lock.fileno(), self.path / ".lock"):
                    yield alone
                    return

    def _distrust(self) -> None:
        """Make a folder that others can write to private again, and empty it; warn that it was accessible.

        Raise PermissionError if another user owns it.
        """
        why = others_may_write(self.path, entry=True)
        if not why:
            return
        if self.path.is_symlink() or self.path.lstat().st_uid != os.geteuid():
            raise PermissionError(errno.EPERM, why)
        self.path.chmod(0o700)
        for manifest in self.path.glob("*.json"):
            manifest.unlink()
        warnings.warn(f"{self.path}: {why}; its contents are rebuilt", RuntimeWarning, stacklevel=2)

    def remove(self) -> bool:
        """Delete the folder unless a build is running in it; returns whether it was deleted."""
        with contextlib.suppress(OSError):
            with open(self.path / ".lock", "a+b") as lock:
                if not _lock(lock.fileno(), wait=False):
                    return False
                # Remove manifests first, so that other processes find a whole entry or none.
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
                scratch.touch(0o600)
                scratch.write_text(text, encoding="utf-8", errors="surrogateescape", newline="\n")
                os.replace(scratch, target)
            finally:
                scratch.unlink(missing_ok=True)
        return target

    def publish(
        self, built: Path, suffix: str, inputs: list[Path], started_ns: int, absent: Sequence[Path] = ()
    ) -> Entry:
        """Move a finished file into place, record its sources, and return its path.

        If an input changed during compilation, only this process uses the file.
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
            content = built.read_bytes()
            place = self.path / f"{variant}{suffix}"
            built.chmod(0o700)  # a linker applies the umask
            os.replace(built, place)
        if settled:
            record = {"built": place.name, "size": len(content), "content": digest(content), "inputs": rows,
                      "absent": list(map(str, absent))}  # fmt: skip
            self.write(f"{variant}.json", json.dumps(record, ensure_ascii=True))
        return Entry(place, tuple(inputs), tuple(absent))

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise cannot_write(error.errno or 0, error.strerror or str(error), self.path) from error


def cannot_write(number: int, reason: str, path: Path) -> OSError:
    """Return the error for a cache that is not writable; a full disk while compiling is reported in the same way."""
    return OSError(
        number,
        f"cannot write to the extension cache: {reason}; make room or give another folder with "
        "build_directory= or FLAMBEAU_EXTENSIONS_DIR",
        str(path),
    )


def prune(folder: Path, *, days: float = KEPT_DAYS, most_bytes: int = KEPT_BYTES) -> int:
    """Remove the entries of a cache that were not used for some days, and then the oldest until the rest is small.

    Return the number of removed entries.
    """
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
    """Prune a cache once a day; failures are ignored."""
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
    """Yield the folders of a cache, which are recognized by their lock."""
    for place in (folder, folder / _OBJECTS):
        with contextlib.suppress(OSError):
            for found in os.scandir(place):
                if found.is_dir(follow_symlinks=False) and os.path.exists(os.path.join(found.path, ".lock")):
                    yield Path(found.path)


def _note_use(manifest: Path) -> None:
    """Record that an entry was used, in the time of its manifest; at most daily, and if the cache is writable."""
    with contextlib.suppress(OSError):
        if manifest.stat().st_mtime < time.time() - _DAY:
            os.utime(manifest)


def _is_file(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _lock(descriptor: int, *, wait: bool) -> bool:
    """Lock an open file. Return False if the file system does not support locks, which only risks duplicate work, or
    if the lock is held and `wait` is False."""
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
