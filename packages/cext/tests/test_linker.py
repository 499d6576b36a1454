"""Libraries and other files that flags of the linker name: what was linked with one is linked again when it changes."""

import os
import subprocess
import sys
import time

import pytest

import flambeau_cext as cext

pytestmark = pytest.mark.builder

SOURCE = "int answer(void);\nint ask(void) { return answer(); }\n"


@pytest.fixture
def archive(tmp_path):
    """Make a static library whose function ``answer`` gives a number."""

    def make(path, number):
        path.parent.mkdir(exist_ok=True)
        source, built = tmp_path / "answer.c", tmp_path / "answer.o"
        source.write_text(f"int answer(void) {{ return {number}; }}\n", encoding="utf-8")
        subprocess.run(["cc", "-fPIC", "-c", source, "-o", built], check=True)
        path.unlink(missing_ok=True)
        subprocess.run(["ar", "rcs", path, built], check=True)
        age(path)
        return path

    return make


def age(path):
    """As if written a minute ago: old enough to be trusted."""
    os.utime(path, (time.time() - 60,) * 2)


def ask(*flags, **options):
    module = cext.load_inline(
        "asking", c_sources=SOURCE, functions="ask", no_implicit_headers=True, extra_ldflags=flags, **options
    )
    return module.ask()


@pytest.mark.parametrize("way", ["path", "-L -l", "-Ldir -lname", "-l:file", "through the driver", "LIBRARY_PATH"])
def test_a_library_that_changes(archive, tmp_path, monkeypatch, capfd, way):
    library = tmp_path / "my libs" / "libanswer.a"
    folder = str(library.parent)
    flags = {
        "path": [str(library)],
        "-L -l": ["-L", folder, "-l", "answer"],
        "-Ldir -lname": [f"-L{folder}", "-lanswer"],
        "-l:file": [f"-L{folder}", "-l:libanswer.a"],
        "through the driver": [f"-L{folder}", "-Wl,-Bstatic,-lanswer,-Bdynamic"],
        "LIBRARY_PATH": ["-lanswer"],
    }[way]
    if way == "LIBRARY_PATH":
        monkeypatch.setenv("LIBRARY_PATH", folder)
    for number in (41, 42):
        archive(library, number)
        assert ask(*flags) == number
    capfd.readouterr()
    archive(library, 42)
    assert ask(*flags, verbose=True) == 42
    assert "is in the cache" in capfd.readouterr().err


def test_only_linking_is_repeated(archive, tmp_path, capfd):
    library = tmp_path / "lib" / "libanswer.a"
    for number in (1, 2):
        archive(library, number)
        assert ask(str(library), verbose=True) == number
        said = capfd.readouterr().err
        assert (" -c " in said) == (number == 1) and " -shared " in said


def test_a_library_that_is_found_before_another(archive, tmp_path):
    folders = [tmp_path / name for name in ("first", "second")]
    flags = [*(f"-L{folder}" for folder in folders), "-lanswer"]
    archive(folders[1] / "libanswer.a", 2)
    assert ask(*flags) == 2
    archive(folders[0] / "libanswer.a", 1)
    assert ask(*flags) == 1
    (folders[0] / "libanswer.a").unlink()
    assert ask(*flags) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="names of shared libraries differ")
def test_a_shared_library_beside_the_static_one(archive, tmp_path):
    """The linker prefers it."""
    library = archive(tmp_path / "lib" / "libanswer.a", 3)
    flags = [f"-L{library.parent}", "-lanswer", f"-Wl,-rpath,{library.parent}"]
    assert ask(*flags) == 3
    shared = library.with_name("libanswer.dylib" if sys.platform == "darwin" else "libanswer.so")
    (tmp_path / "answer.c").write_text("int answer(void) { return 4; }\n", encoding="utf-8")
    subprocess.run(["cc", "-shared", "-fPIC", tmp_path / "answer.c", "-o", shared], check=True)
    age(shared)
    assert ask(*flags) == 4


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="version scripts are of ELF linkers")
def test_a_script_of_the_linker_that_changes(tmp_path):
    script, source = tmp_path / "names.map", tmp_path / "two.c"
    functions = "".join(
        f'__attribute__((visibility("default"))) int {name}(void) {{ return 1; }}\n' for name in ("one", "two")
    )
    source.write_text(functions, encoding="utf-8")
    age(source)
    import ctypes

    for name in ("one", "two"):
        script.write_text(f"{{ global: {name}; local: *; }};\n", encoding="utf-8")
        age(script)
        path = cext.load("two", source, extra_ldflags=[f"-Wl,--version-script={script}"], is_python_module=False)
        library = ctypes.CDLL(path)
        assert [hasattr(library, either) for either in ("one", "two")] == [name == "one", name == "two"]
