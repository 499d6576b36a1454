"""Headers compiled ahead: when they are made and used, and that nothing depends on them."""

import threading
from pathlib import Path

import pytest

import flambeau_cext as cext
import flambeau_tensor as torch
from flambeau_cext.compiler import CXX, find
from flambeau_cext.precompiled import Ahead, header_of, usable
from flambeau_cext.processes import run

pytestmark = [
    pytest.mark.builder,
    pytest.mark.skipif(not find(CXX).is_gcc, reason="only gcc's way of keeping headers is used"),
]

SOURCE = "torch::Tensor twice(torch::Tensor x) { return x + x; }"


@pytest.fixture
def headers(tmp_path):
    """A folder with a header that includes another, and what a source that uses it needs beside it."""
    folder = tmp_path / "headers"
    (folder / "torch" / "csrc").mkdir(parents=True)
    (folder / "torch" / "csrc" / "naming.h").write_text("#define NAME TORCH_EXTENSION_NAME\n", encoding="utf-8")
    (folder / "inner.h").write_text("inline int inner() { return 1; }\n", encoding="utf-8")
    (folder / "outer.h").write_text("#include <inner.h>\n", encoding="utf-8")
    return folder


@pytest.fixture
def ahead(headers, cache):
    def of(*flags, root=cache):
        return Ahead(root, find(CXX), "outer.h", [f"-I{headers}", "-DTORCH_EXTENSION_NAME=x", *flags], "")

    return of


def settled(folder):
    """Make the files of a folder old enough to be trusted."""
    import os
    import time

    for path in folder.rglob("*.h"):
        os.utime(path, (time.time() - 60,) * 2)


def make(ahead):
    return ahead.make(lambda command: run(command).status)


def test_what_a_source_begins_with():
    assert header_of("/* torch\n*/\n\n# include <torch/extension.h>", None) == "torch/extension.h"
    assert header_of("#include <torch/torch.h>\n", None) == "torch/extension.h"
    assert header_of("int x;", "flambeau/functions.hpp") == "flambeau/functions.hpp"
    assert header_of("#include <torch/extension.h>", "flambeau/tensor.hpp") is None
    for text in (
        "#define X\n#include <torch/torch.h>",
        '#include "torch/torch.h"',
        "#include <vector>\n",
        "",
        "int x;",
    ):
        assert header_of(text, None) is None
    assert usable(find(CXX), ("-O2",)) and not usable(find(CXX), ("-include", "mine.h"))


def test_used_by_extensions_of_any_name(ahead, headers, tmp_path):
    settled(headers)
    entry = make(ahead())
    source = tmp_path / "source.cpp"
    source.write_text("int NAME() { return inner(); }\n", encoding="utf-8")
    for name in ("one", "two"):
        flags, _ = ahead().include(ahead().found())
        flags = ["-Werror", "-Winvalid-pch", f"-I{headers}", f"-DTORCH_EXTENSION_NAME={name}", *flags]
        command = find(CXX).compile(source, tmp_path / "s.o", tmp_path / "s.d", flags)
        done = run([*command, "-H"])
        assert done.status == 0, done.output
        assert f"! {entry.path}" in done.output and "inner.h" not in done.output
    assert sorted(path.name for path in entry.inputs if path.is_relative_to(headers)) == ["inner.h", "outer.h"]


def test_a_header_or_flag_that_changes(ahead, headers):
    settled(headers)
    make(ahead())
    assert ahead().found() and not ahead("-DOTHER").found()
    (headers / "inner.h").write_text("inline int inner() { return 2; }\n", encoding="utf-8")
    assert not ahead().found()
    settled(headers)
    assert make(ahead()) == ahead().found()


def test_damage(ahead, headers):
    settled(headers)
    entry = make(ahead())
    with open(entry.path, "r+b") as file:
        file.seek(1000)
        file.write(b"damage")
    assert not ahead().found()
    assert make(ahead()) and ahead().found()
    ahead().include(entry)[1].unlink()
    assert not ahead().found()


def test_made_once_by_many(ahead, headers):
    settled(headers)
    commands = []

    def work():
        ahead().make(lambda command: commands.append(command) or run(command).status)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(commands) == 1 and ahead().found()


def test_failures_are_nobodys_concern(ahead, headers, tmp_path):
    occupied = tmp_path / "file"
    occupied.touch()
    assert not ahead(root=occupied).worthwhile() and make(ahead(root=occupied)) is None
    (headers / "inner.h").write_text("#error no\n", encoding="utf-8")
    assert make(ahead()) is None and ahead().found() is None
    assert not list(ahead().folder.path.glob("*.gch"))


def test_worthwhile_from_the_third_source_on(ahead):
    assert [ahead().worthwhile() for _ in range(4)] == [False, False, True, True]
    assert not ahead("-O2").worthwhile()


def test_an_extension_with_and_without(cache, capfd):
    flags = ["-O0", "-Winvalid-pch", "-Werror"]
    for number, use_pch in ((1, True), (2, False)):
        source = SOURCE.replace("x + x", f"{number} * (x + x)")
        module = cext.load_inline(f"doubling{number}", source, functions="twice", use_pch=use_pch, extra_cflags=flags,
                                  verbose=True)  # fmt: skip
        assert module.twice(torch.ones(1)).item() == 2 * number
        log = capfd.readouterr().err
        assert (log.count("c++-header"), log.count("-include torch/csrc/naming.h")) == (int(use_pch), 1)
    (kept,) = Path(cache).rglob("*.gch")
    # A header of the library that changes would be noticed: the object knows what it was made from.
    manifests = [path.read_text(encoding="utf-8") for path in Path(cache, "objects").glob("doubling2-*/*.json")]
    assert len(manifests) == 1 and "ATen/Functions.h" in manifests[0] and kept.name not in manifests[0]
