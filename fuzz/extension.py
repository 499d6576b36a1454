"""An extension whose cache is damaged between its build and its next load."""

import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

LOAD = """
import sys
import flambeau_cext
print(flambeau_cext.load("seven", sys.argv[1], functions=["seven"]).seven())
"""


def load(folder):
    """What a process prints that loads the extension, with its cache in a folder."""
    command = [sys.executable, "-c", LOAD, str(folder / "seven.c")]
    return subprocess.run(
        command, env={**os.environ, "FLAMBEAU_EXTENSIONS_DIR": str(folder / "cache")}, capture_output=True, text=True
    )


@cache
def built():
    """A folder with a source and the cache of its library."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-extension-"))
    (folder / "seven.c").write_text("int seven(void) { return 7; }\n")
    load(folder)
    os.rename(folder / "cache", folder / "whole")
    return folder


def load_damaged(flip, which, *changes):
    """Change bytes of a file of the cache, `which` as a share of them all, and load: a process that dies, or that has
    another answer than the source, takes this one with it."""
    folder = built()
    shutil.rmtree(folder / "cache", ignore_errors=True)
    shutil.copytree(folder / "whole", folder / "cache")
    files = sorted(path for path in (folder / "cache").rglob("*") if path.is_file())
    path = files[int(which * len(files))]
    status, content = path.stat(), path.read_bytes()
    if content:
        path.write_bytes(flip(content, *changes))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    done = load(folder)
    if done.stdout != "7\n":
        sys.stderr.write(f"{path}: {done}")
        os.abort()
