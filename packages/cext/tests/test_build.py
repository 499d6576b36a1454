"""Building: files and inline text, flags, C beside C++, and what is said when it fails."""

import math
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import flambeau_cext as cext
from flambeau_cext import CompileError
from flambeau_cext.errors import first_error

pytestmark = pytest.mark.builder

TWICE = "double twice(double x) { return 2 * x; }\n"


def numbers(name, source, functions, **options):
    """An extension of functions of numbers."""
    return cext.load_inline(name, c_sources=source, functions=functions, no_implicit_headers=True, **options)


def test_docstrings():
    text = 'Says "hello", \\ back\nand ??/ – zwölf.'
    source = "int f(void) { return 1; } int g(int n) { return n; }"
    module = numbers("documented", source, {"f": text, "g": None})
    assert module.f.__doc__ == text and module.g.__doc__ == "int g(int n)"
    cxx = "at::Tensor f(at::Tensor x) { return x; } std::map<int, int> g(int n) { return {{n, n}}; }"
    module = cext.load_inline("documented_too", cpp_sources=cxx, functions={"f": text, "g": ""})
    assert text in module.f.__doc__ and module.g(2) == {2: 2}


def test_flags_that_stand_in_one_string(tmp_path):
    folder = tmp_path / "with blanks"
    folder.mkdir()
    (folder / "two.h").write_text("#define TWO 2\n", encoding="utf-8")
    source = '#include "two.h"\nint f(void) { return A + 10 * B + 100 * TWO + 1000 * (sizeof NAME); }'
    flags = ["-DA=3 -DB=4", f"-I{folder}", "-include limits.h", '-DNAME="a b"']
    assert numbers("blanks", source, "f", extra_cflags=flags, extra_ldflags=["-lm -lpthread"]).f() == 4243


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"functions": 3}, ValueError, "Expected 'functions' to be a list or dict, but was <class 'int'>"),
        ({"functions": [3]}, TypeError, "'functions' must hold names and docstrings, got 3"),
        ({"functions": {"f": 3}}, TypeError, "'functions' must hold names and docstrings, got 3"),
        ({"c_sources": 3}, TypeError, r"load_inline\(\): argument 'c_sources' must be a list of str, not int"),
        ({"c_sources": ["", b""]}, TypeError, "'c_sources' must be a list of str, but element 1 is bytes"),
        ({"extra_cflags": [3]}, TypeError, "'extra_cflags' must be a list of str, but element 0 is int"),
        ({"extra_ldflags": 3}, TypeError, "'extra_ldflags' must be a list of str, not int"),
        ({"name": 3}, ValueError, r"argument 'name' \(position 1\) must be a C identifier, got 3"),
    ],
)
def test_arguments_of_wrong_types(arguments, error, message):
    with pytest.raises(error, match=message):
        cext.load_inline(**{"name": "wrong", "c_sources": "int f(void) { return 1; }", **arguments})


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell the time of child processes")
@pytest.mark.parametrize(("sources", "command"), [("c_sources", "cc"), ("cpp_sources", "c++")])
def test_cold_and_warm_times(run, tmp_path, sources, command):
    """Processor time, compilers included: beside what the compiler alone takes, and beside the build."""
    code = """
        import os, sys
        import flambeau_cext, flambeau_tensor
        before = sum(os.times()[:4])
        module = flambeau_cext.load_inline("timed", functions=["twice"], **{sys.argv[1]: sys.argv[2]})
        print(sum(os.times()[:4]) - before)
        assert module.twice(2.0) == 4.0
    """
    alone = """
        import os, subprocess, sys
        before = sum(os.times()[:4])
        subprocess.run(sys.argv[1:], check=True)
        print(sum(os.times()[:4]) - before)
    """
    source = tmp_path / ("twice.c" if command == "cc" else "twice.cpp")
    source.write_text(f"#include <Python.h>\n{TWICE}", encoding="utf-8")
    options = ["-O2", "-shared", "-fPIC", f"-I{sysconfig.get_paths()['include']}", source, "-o", tmp_path / "twice.so"]
    compiler = min(float(run(alone, command, *options)) for _ in range(3))
    cold, warm, warmer = (float(run(code, sources, TWICE)) for _ in range(3))
    print(f"compiler alone: {compiler:.3f} s; no cache: {cold:.3f} s; from the cache: {min(warm, warmer) * 1e3:.1f} ms")
    assert cold < 10 * compiler
    assert min(warm, warmer) < cold / 4


def test_files_of_both_languages(tmp_path):
    (tmp_path / "parts.h").write_text("double scale;\n", encoding="utf-8")
    (tmp_path / "sum.c").write_text("int half(int);\nint sum(int a, int b) { return half(a) + b; }", encoding="utf-8")
    (tmp_path / "half.c").write_text("int half(int n) { return n / 2; }", encoding="utf-8")
    (tmp_path / "length.cpp").write_text(
        '#include <string>\nextern "C" int half(int);\n'
        "int length(const std::string &s) { return half(int(s.size())); }",
        encoding="utf-8",
    )
    module = cext.load(
        "mixed", [tmp_path / "sum.c", str(tmp_path / "half.c"), tmp_path / "length.cpp"], functions=["sum", "length"]
    )
    assert module.sum(7, b=2) == 5
    assert module.length("four, or more") == 6


def test_files_relative_to_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "three.h").write_text("#define THREE 3\n", encoding="utf-8")
    (tmp_path / "source.c").write_text('#include "three.h"\nint three(void) { return THREE; }', encoding="utf-8")
    module = cext.load("relative", "source.c", functions="three", extra_include_paths=["include"])
    assert module.three() == 3


def test_c_is_compiled_as_c(tmp_path):
    source = "int new(int class) { int *template = (void *)&class; return *template; }\n"
    assert numbers("keywords", source, ["new"]).new(3) == 3


def test_functions_that_macros_make():
    source = "#define MAKE(type) type add_##type(type a, type b) { return a + b; }\nMAKE(int) MAKE(double)\n"
    module = numbers("macros", source, ["add_int", "add_double"])
    assert (module.add_int(1, 2), module.add_double(0.5, 0.25)) == (3, 0.75)


def test_flags_reach_compiler_and_linker():
    source = "#include <math.h>\ndouble f(double x) { return erf(x) + SHIFT; }\n"
    module = numbers("flags", source, "f", extra_cflags=["-DSHIFT=2", "-O1"], extra_ldflags=["-lm"])
    assert module.f(0.3) == pytest.approx(math.erf(0.3) + 2, rel=1e-15)


def test_different_flags_are_different_builds():
    source = "int f(void) { return VALUE; }\n"
    modules = [numbers("variant", source, "f", extra_cflags=[f"-DVALUE={i}"]) for i in (1, 2, 1)]
    assert [m.f() for m in modules] == [1, 2, 1]
    assert modules[0] is modules[2]


def test_spaces_and_other_alphabets_in_paths(tmp_path):
    folder = tmp_path / "mes sources à moi #1 日本 $x"
    (folder / "en têtes").mkdir(parents=True)
    (folder / "en têtes" / "valeur é.h").write_text("#define VALEUR 7\n", encoding="utf-8")
    (folder / "fonction ü.c").write_text(
        '#include "valeur é.h"\nint valeur(void) { return VALEUR; }\n', encoding="utf-8"
    )

    def load():
        return cext.load(
            "accents",
            [folder / "fonction ü.c"],
            functions=["valeur"],
            extra_include_paths=[folder / "en têtes"],
            build_directory=folder / "bâti",
        )

    assert load().valeur() == 7
    (folder / "en têtes" / "valeur é.h").write_text("#define VALEUR 8\n", encoding="utf-8")
    assert load().valeur() == 8
    (folder / "fonction ü.c").write_text("int valeur(void) { return }\n", encoding="utf-8")
    with pytest.raises(CompileError) as caught:
        load()
    assert str(caught.value).startswith(f"{folder / 'fonction ü.c'}:1:")


def test_a_syntax_error_comes_first_with_its_line_and_the_log():
    source = "\nint fine(int n) { return n; }\n\nint broken(int n) {\n    return n +;\n}\nint worse( { }\n"
    with pytest.raises(CompileError) as caught:
        numbers("broken", source, ["broken"])
    head, line, *_, last = str(caught.value).splitlines()
    assert re.match(r"\S.*broken\.c:5:\d+: error: ", head)
    assert "return n +;" in line
    assert "full log" in last and str(caught.value.log) in last
    log = caught.value.log.read_text(encoding="utf-8")
    assert "-c" in log and "error:" in log
    assert log.index("broken.c:5:") < log.index("broken.c:7:")
    source_file = Path(head.split(":5:")[0])
    assert source_file.read_text(encoding="utf-8") == source


def test_the_first_error_is_first_even_when_another_source_fails_too(tmp_path):
    (tmp_path / "a.c").write_text("int a(void) { return b; }", encoding="utf-8")
    (tmp_path / "c.c").write_text("int c(void) { return 1 }", encoding="utf-8")
    with pytest.raises(CompileError, match=rf"^{re.escape(str(tmp_path))}/a\.c:1:\d+: error: .*undeclared"):
        cext.load("two", [tmp_path / "a.c", tmp_path / "c.c"], functions=["a"])


def test_a_failed_build_can_be_repeated_and_mended(tmp_path):
    source = tmp_path / "mended.c"
    for _ in range(2):
        source.write_text("int f(int n) { return n }", encoding="utf-8")
        with pytest.raises(CompileError, match=r"mended\.c:1:\d+: error: "):
            cext.load("mended", source, functions=["f"])
    source.write_text("int f(int n) { return n; }", encoding="utf-8")
    assert cext.load("mended", source, functions=["f"]).f(4) == 4


def test_messages_stay_english(monkeypatch):
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("LANGUAGE", "de")
    with pytest.raises(CompileError, match=r"^\S.*german\.c:1:\d+: error: "):
        numbers("german", "int f(int n) { return n }", ["f"])


def test_a_function_that_is_not_declared_fails_where_it_is_called():
    with pytest.raises(CompileError, match=r"^\S.*implicit\.c:2:12: error: implicit declaration of function .g."):
        numbers("implicit", "int f(int n) {\n    return g(n);\n}", ["f"])


@pytest.mark.parametrize("language", ["c_sources", "cpp_sources"])
def test_an_undefined_symbol_is_named(language):
    source = "double elsewhere(double x);\ndouble f(double x) { return elsewhere(x); }\n"
    options = {language: source, "functions": ["f"], "no_implicit_headers": True}
    with pytest.raises(ImportError, match=r"undefined: undefined symbol 'elsewhere.*': it is used, but none of "
                       r"undefined\.c(pp)? defines it; .*extra_ldflags"):  # fmt: skip
        cext.load_inline("undefined", **options)


def test_a_library_that_is_not_there():
    with pytest.raises(CompileError, match="cannot find -lno_such_library"):
        numbers("unlinked", TWICE, "twice", extra_ldflags=["-lno_such_library"])


NO_COMPILER = """
    import sys
    import flambeau_cext
    try:
        flambeau_cext.load_inline("f", **{sys.argv[1]: "int f(int n) { return n; }"}, functions=["f"])
    except flambeau_cext.CompileError as error:
        print(error)
    else:
        sys.exit("built")
"""


@pytest.mark.parametrize(
    ("language", "argument", "variable", "names"),
    [("C", "c_sources", "CC", ("cc", "gcc", "clang")), ("C++", "cpp_sources", "CXX", ("c++", "g++", "clang++"))],
)
def test_a_missing_compiler(run, tmp_path, language, argument, variable, names):
    said = run(NO_COMPILER, argument, env={"PATH": str(tmp_path), variable: ""})
    assert said.startswith(f"no {language} compiler: looked for ")
    assert all(name in said for name in names)
    assert str(tmp_path) in said and f"set {variable}" in said and "apt install" in said
    said = run(NO_COMPILER, argument, env={variable: "no-such-compiler -m64"})
    assert said.startswith(f"no {language} compiler: {variable} is set to 'no-such-compiler -m64', which is not found")


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("kill -SEGV $$", "my cc was stopped by SIGSEGV (Segmentation fault)"),
        ("kill -KILL $$", "my cc was stopped by SIGKILL (Killed); the system does so when memory runs out"),
        ("exit 3", "my cc ended with status 3 and said nothing"),
        ("exit 0", "made no said.o"),
    ],
)
def test_a_compiler_that_fails_without_a_word(compiler, does, said):
    compiler(f'[ "$1" = --version ] && echo 1.0 && exit 0\n{does}')
    with pytest.raises(cext.CompileError) as failed:
        numbers("said", "int f(void) { return 5; }", "f")
    assert said in str(failed.value).splitlines()[0]
    assert failed.value.log.exists()


def test_the_compiler_of_the_environment_is_used(tmp_path, monkeypatch, compiler):
    asked = tmp_path / "asked"
    wrapper = compiler(f"echo called >> '{asked}'\nexec cc \"$@\"")
    monkeypatch.setenv("CC", f"'{wrapper}' -DVALUE=5")
    assert numbers("wrapped", "int f(void) { return VALUE; }", "f").f() == 5
    assert asked.exists()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: cext.load_inline("x"), ValueError, r"load_inline\(\): give c_sources, cpp_sources or cython_sources"),
        (lambda: cext.load_inline("a b", c_sources=""), ValueError, r"'name' \(position 1\) must be a C identifier"),
        (lambda: cext.load_inline("ü", c_sources=""), ValueError, r"'name' \(position 1\) must be a C identifier"),
        (lambda: cext.load("x", []), ValueError, r"load\(\): argument 'sources' must name at least one file"),
        (lambda: cext.load("x", "no such.c"), FileNotFoundError, r"no such\.c"),
        (lambda: cext.load("x", "header.h"), ValueError, r"header\.h is not a C, C\+\+ or Cython source"),
        (lambda: cext.load("x", ["a.pyx", "b.pyx"]), ValueError, r"a\.pyx and b\.pyx define separate modules"),
        (lambda: cext.load("x", "a.cu"), NotImplementedError, r"a\.cu: CUDA sources"),
        (lambda: cext.load("x", "a.c", with_cuda=True), NotImplementedError, "'with_cuda'.*no CUDA devices"),
        (
            lambda: cext.load_inline("x", c_sources="", with_sanitizers="memory"),
            ValueError,
            "'with_sanitizers' must be of address, leak, thread, undefined, got 'memory'",
        ),
        (lambda: cext.load_inline("x", "", "__global__"), NotImplementedError, "'cuda_sources'.*no CUDA"),
        (
            lambda: cext.load_inline("x", c_sources="", extra_cflags="-O2"),
            TypeError,
            "'extra_cflags' must be a list of str, not str",
        ),
        (
            lambda: cext.load_inline("x", c_sources=TWICE, no_implicit_headers=True),
            ImportError,
            r"x: nothing in it is for Python: name the functions .* or define PyInit_x",
        ),
        (
            lambda: cext.load_inline("x", "#include <c10/util/irange.h>", no_implicit_headers=True),
            ImportError,
            r"x: nothing in it is for Python: bind functions with PYBIND11_MODULE.* or load it with is_python_module=F",
        ),
    ],
)
def test_wrong_calls(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_module_written_by_hand():
    source = """
    #include <Python.h>
    static PyObject *answer(PyObject *self, PyObject *ignored) { return PyLong_FromLong(42); }
    static PyMethodDef methods[] = {{"answer", answer, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
    static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "by_hand", NULL, -1, methods};
    PyMODINIT_FUNC PyInit_by_hand(void) { return PyModule_Create(&definition); }
    """
    assert cext.load_inline("by_hand", c_sources=source, no_implicit_headers=True).answer() == 42


def test_only_building_gives_the_library():
    import ctypes

    exported = '__attribute__((visibility("default"))) ' + TWICE
    path = cext.load_inline("plain", c_sources=exported, no_implicit_headers=True, is_python_module=False)
    library = ctypes.CDLL(str(path))
    library.twice.restype, library.twice.argtypes = ctypes.c_double, [ctypes.c_double]
    assert library.twice(1.5) == 3.0


def test_openmp():
    source = """
    #include <omp.h>
    int most(void) {
        int found = 0;
        #pragma omp parallel num_threads(3) reduction(+ : found)
        found += 1;
        return found;
    }
    """
    assert numbers("threads", source, "most", with_openmp=True).most() == 3


def test_native_instructions_only_on_request(capfd):
    for native in (False, True):
        assert numbers("tuned", TWICE, "twice", native=native, verbose=True).twice(3.0) == 6.0
        assert ("=native" in capfd.readouterr().err) == native


def test_verbose_shows_commands_and_warnings(capfd):
    source = "int f(int n) { int unused; return n; }"
    numbers("warned", source, "f", verbose=True)
    shown = capfd.readouterr().err
    assert "warned.c" in shown and "unused variable" in shown and "built warned in" in shown
    numbers("warned", source, "f", verbose=True)
    assert "warned is in the cache" in capfd.readouterr().err
    numbers("quiet", source, "f")
    assert capfd.readouterr() == ("", "")


def test_doctor():
    command = [sys.executable, "-m", "flambeau_cext", "doctor"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    for expected in ("C compiler     builds a function", "C++ compiler   builds a function", "flambeau-tensor 0"):
        assert expected in done.stdout
    environment = {**os.environ, "PATH": "/nonexistent", "CC": ""}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 1
    assert "PROBLEM: no C compiler" in done.stdout


def test_paths_for_other_builds():
    for header in ("flambeau/tensor.h", "flambeau/tensor.hpp", "pybind11/pybind11.h"):
        assert [folder for folder in cext.include_paths() if Path(folder, header).exists()] != [], header
    assert cext.include_paths(torch_include_dirs=False) == []
    assert cext.library_paths() == []
    with pytest.raises(NotImplementedError, match="no devices of type 'cuda'"):
        cext.include_paths("cuda")


def test_first_error_of_other_outputs():
    assert first_error("x.c:1:2: warning: a\nx.c:3:4: fatal error: b.h: No such file\ncompilation terminated.") == (
        "x.c:3:4: fatal error: b.h: No such file"
    )
    assert first_error("t.h: In instantiation\nx.c:7:8:   required from here\nt.h:3:4: error: no\n    3 | 0\n") == (
        "t.h:3:4: error: no\n    3 | 0\nx.c:7:8:   required from here"
    )
    newer = "x.c:7:8:   required from here\n    7 | f();\n      | ~^~\nt.h:3:4: error: no\n    3 | 0\n"  # gcc 14
    assert first_error(newer) == "t.h:3:4: error: no\n    3 | 0\nx.c:7:8:   required from here"
    clang = "x.c:5:15: error: expected expression\n    return n +;\n              ^\nx.c:7:1: error: more\n"
    assert first_error(clang) == "x.c:5:15: error: expected expression\n    return n +;\n              ^"
    used = "t.h:3:4: error: no\n    0\n    ^\nu.h:9:1: note: in instantiation of function template 'g' requested here\n"
    used += "x.c:7:8: note: in instantiation of function template 'f' requested here\nx.c:9:1: error: more\n"
    assert first_error(used).splitlines()[3:] == [
        "x.c:7:8: note: in instantiation of function template 'f' requested here"
    ]
    assert first_error("something odd\n\n") == "something odd"
    assert first_error("") == "the compiler said nothing"


def test_importing_loads_only_what_a_cached_extension_needs(run):
    out = run("""
        import sys
        import flambeau_cext
        print(sorted({"dataclasses", "inspect", "setuptools", "subprocess", "tempfile", "numpy"} & set(sys.modules)))
    """)
    assert out.strip() == "[]"
