"""Builds that fail, that are damaged, that nobody waits for."""

import os
import subprocess
import sys
import textwrap
import time

import pytest

import flambeau_tensor as ft
from flambeau_compile import Unsupported, compile, explain


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FLAMBEAU_EXTENSIONS_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_compiler_that_fails_is_said_once(tmp_path, monkeypatch):
    broken = tmp_path / "cc"
    broken.write_text(
        '#!/bin/sh\ncase "$1" in --version) echo broken 1.0;; *) echo "x.c:1: error: no luck" >&2; exit 1;; esac\n'
    )
    broken.chmod(0o700)
    monkeypatch.setenv("CC", str(broken))
    compiled = compile(lambda x: x * 3 - 1)
    with pytest.warns(RuntimeWarning, match="runs eagerly: compiling a program failed: .*no luck"):
        assert compiled(ft.ones(2)).tolist() == [2.0, 2.0]
    assert compiled(ft.ones(2)).tolist() == [2.0, 2.0]
    assert len(explain(compiled).split("\n")) == 1


def test_no_compiler(monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setitem(sys.modules, "ziglang", None)  # which brings one
    compiled = compile(lambda x: x * 3 - 2)
    with pytest.warns(RuntimeWarning, match="runs eagerly: no C compiler"):
        assert compiled(ft.ones(2)).tolist() == [1.0, 1.0]


def test_fullgraph_is_an_error(monkeypatch):
    with pytest.raises(
        Unsupported, match=r"torch.compile\(fullgraph=True\): .* cannot be compiled as a whole: .*nonzero"
    ):
        compile(lambda x: x.nonzero(), fullgraph=True)(ft.ones(2))


def test_a_damaged_cache_is_built_again(cache):
    script = textwrap.dedent("""
        import flambeau_tensor as ft
        from flambeau_compile import compile, explain
        f = compile(lambda x: (x * 5).sum())
        assert [f(ft.ones(3)).item() for _ in range(3)] == [15.0] * 3
        print(explain(f))
    """)

    def run():
        done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True)
        return done.stdout

    assert run().startswith("compiled")
    [library] = [os.path.join(d, n) for d, _, names in os.walk(cache) for n in names if n.endswith(".so")]
    with open(library, "r+b") as file:
        file.write(b"damaged")
    assert run().startswith("compiled")


def test_a_cache_that_cannot_be_written_to(tmp_path, monkeypatch):
    place = tmp_path / "file"
    place.write_text("")
    monkeypatch.setenv("FLAMBEAU_EXTENSIONS_DIR", str(place / "below"))
    compiled = compile(lambda x: x * 3 - 3)
    with pytest.warns(RuntimeWarning, match="runs eagerly: .*cannot write to the extension cache"):
        assert compiled(ft.ones(2)).tolist() == [0.0, 0.0]


def test_nobody_waits():
    compiled = compile(lambda x: x * 7 + 1, options={"wait": False})
    assert compiled(ft.ones(2)).tolist() == [8.0, 8.0]
    end = time.monotonic() + 60
    while not explain(compiled).endswith("2 steps") and time.monotonic() < end:
        assert compiled(ft.ones(2)).tolist() == [8.0, 8.0]
        time.sleep(0.01)
    assert explain(compiled).split("\n") == ["is being built", "compiled: 2 steps"]
