"""Builds that fail, that are damaged, that nobody waits for."""

import os
import subprocess
import sys
import tempfile
import textwrap
import time
import warnings

import pytest

import flambeau_tensor as ft
from flambeau_compile import Unsupported, build, compile, explain


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


SCRIPT = textwrap.dedent("""
    import flambeau_tensor as ft
    from flambeau_compile import compile, explain
    f = compile(lambda x: (x * 5).sum())
    assert [f(ft.ones(3)).item() for _ in range(3)] == [15.0] * 3
    print(explain(f))
""")


def run(*options, **environment):
    """What a process that compiles prints."""
    command = [sys.executable, *options, "-c", SCRIPT]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **environment})
    return done.stdout, done.stderr


def files(cache):
    """Those of libraries; `test_plans.py` looks at the others."""
    return [os.path.join(d, n) for d, _, names in os.walk(cache) for n in names if "plan-" not in d]


def start(path):
    with open(path, "r+b") as file:
        file.write(b"damaged")


def half(path):
    os.truncate(path, os.path.getsize(path) // 2)


def nothing(path):
    os.truncate(path, 0)


@pytest.mark.parametrize("damage", [start, half, nothing, os.unlink])
@pytest.mark.parametrize("kind", [".so", ".json"])
def test_a_damaged_cache_is_built_again(cache, kind, damage):
    assert run("-W", "error")[0].startswith("compiled")
    found = [path for path in files(cache) if path.endswith(kind)]
    assert len(found) == 1
    damage(found[0])
    assert run("-W", "error")[0].startswith("compiled")
    found = [path for path in files(cache) if path.endswith(".so")]
    assert len(found) == 1 and os.path.getsize(found[0]) > 1000


@pytest.mark.parametrize("end", ["terminate", "kill"])
def test_a_build_that_is_interrupted_leaves_nothing_that_is_used(cache, tmp_path, end):
    started = tmp_path / "started"
    slow = tmp_path / "cc"
    slow.write_text(f'#!/bin/sh\ncase "$*" in *program.c*) touch {started}; exec sleep 60;; esac\nexec cc "$@"\n')
    slow.chmod(0o700)
    process = subprocess.Popen([sys.executable, "-c", SCRIPT], env={**os.environ, "CC": str(slow)})
    limit = time.monotonic() + 60
    while not started.exists() and time.monotonic() < limit:
        time.sleep(0.02)
    getattr(process, end)()
    process.wait()
    assert not [path for path in files(cache) if path.endswith((".so", ".json"))]
    assert run("-W", "error")[0].startswith("compiled")
    assert [os.path.basename(path) for path in files(cache) if "program.so" in path] == []


def test_a_cache_that_cannot_be_written_to(tmp_path):
    place = tmp_path / "file"
    place.write_text("")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    out, warned = run(FLAMBEAU_EXTENSIONS_DIR=str(place / "below"), TMPDIR=str(scratch))
    assert out == "compiled: 2 steps\n"
    assert warned.count("cannot write to the extension cache") == 1 and "built anew in each process" in warned
    assert list(scratch.iterdir()) == []


def test_a_home_that_is_no_folder(tmp_path):
    (tmp_path / "home").write_text("")
    environment = {"HOME": str(tmp_path / "home"), "FLAMBEAU_EXTENSIONS_DIR": "", "TORCH_EXTENSIONS_DIR": ""}
    out, warned = run(**environment, XDG_CACHE_HOME="", TMPDIR=str(tmp_path))
    assert out == "compiled: 2 steps\n" and "built anew in each process" in warned


def test_nowhere_to_write(tmp_path, monkeypatch):
    place = tmp_path / "file"
    place.write_text("")
    monkeypatch.setenv("FLAMBEAU_EXTENSIONS_DIR", str(place / "below"))
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    monkeypatch.setattr(build, "_own", [])
    compiled = compile(lambda x: x * 3 - 3)
    with pytest.warns(RuntimeWarning, match="runs eagerly: "):
        assert compiled(ft.ones(2)).tolist() == [0.0, 0.0]
    assert compiled(ft.ones(2)).tolist() == [0.0, 0.0]


BAD = {
    "shapes": (lambda x, y: x + y, (3,), (4,)),
    "products": (lambda x, y: (x * 2) @ y, (2, 3), (2, 3)),
    "a mask": (lambda x, y: x[y > 0], (3,), (4,)),
    "in place": (lambda x, y: x.add_(y), (3,), (2, 3)),
    "a view": (lambda x, y: x.view(3) + y.view(3), (3,), (2, 2)),
    "an index": (lambda x, y: x[2] + y[2], (3,), (2,)),
}


@pytest.mark.parametrize("case", BAD)
def test_what_fails_eagerly_fails_with_the_same_error(case):
    function, good, bad = BAD[case]
    compiled = compile(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(2):
            compiled(ft.ones(good), ft.ones(good)) if case != "products" else compiled(ft.ones(2, 3), ft.ones(3, 2))
    for _ in range(3):
        expected = outcome(function, ft.ones(good), ft.ones(bad))
        assert outcome(compiled, ft.ones(good), ft.ones(bad)) == expected
        assert isinstance(expected[0], type) and issubclass(expected[0], Exception)


@pytest.mark.parametrize("make", [lambda x, y: x @ y, lambda x, y: x.bitwise_and(y), lambda x, y: x.add_(y)])
def test_dtypes_that_fail_eagerly_fail_with_the_same_error(make):
    compiled = compile(make)
    for a, b in ((ft.int64, ft.int64), (ft.int64, ft.float32), (ft.int64, ft.int64), (ft.float32, ft.float64)):
        given = [(ft.ones(2, 2, dtype=a), ft.ones(2, 2, dtype=b)) for _ in range(2)]
        assert outcome(compiled, *given[0]) == outcome(make, *given[1])


def outcome(function, *arguments):
    """What a call comes to: the elements of its result, or the type and the text of its error."""
    try:
        return function(*arguments).tolist()
    except Exception as error:
        return type(error), str(error)


def test_nobody_waits():
    compiled = compile(lambda x: x * 7 + 1, options={"wait": False})
    assert compiled(ft.ones(2)).tolist() == [8.0, 8.0]
    end = time.monotonic() + 60
    while not explain(compiled).endswith("2 steps") and time.monotonic() < end:
        assert compiled(ft.ones(2)).tolist() == [8.0, 8.0]
        time.sleep(0.01)
    assert explain(compiled).split("\n") == ["is being built", "compiled: 2 steps"]
