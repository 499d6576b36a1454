"""What switches do to a build: debugging, sanitizers, the standards of two languages, programs and plain libraries."""

import ctypes
import subprocess
import sys

import pytest

import flambeau_cext as cext
from flambeau_cext.compiler import CXX, C, find, for_language


def numbers(name, source, functions, **options):
    return cext.load_inline(name, c_sources=source, functions=functions, no_implicit_headers=True, **options)


def test_debug():
    source = """
    #include <assert.h>
    int optimised(void) {
    #ifdef __OPTIMIZE__
        return 1;
    #else
        return 0;
    #endif
    }
    int asserts(void) { int reached = 0; assert(++reached); return reached; }
    """
    flags = {"extra_cflags": ["-DNDEBUG"]}
    assert numbers("plain", source, ["optimised"]).optimised() == 1
    module = numbers("debugged", source, ["optimised", "asserts"], with_debug=True)
    assert (module.optimised(), module.asserts()) == (0, 1)
    assert numbers("quick", source, ["asserts"], **flags).asserts() == 0


OVERFLOW = "int next(int n) { return n + 1; }\n"


def test_undefined_behaviour_is_reported(run):
    code = f"""
        import flambeau_cext
        module = flambeau_cext.load_inline("checked", c_sources={OVERFLOW!r}, functions="next",
                                           no_implicit_headers=True, with_sanitizers="undefined")
        assert module.next(1) == 2
        module.next(2**31 - 1)
    """
    process = subprocess.run([sys.executable, "-c", "import textwrap, sys; exec(textwrap.dedent(sys.argv[1]))", code],
                             capture_output=True, text=True, check=False)  # fmt: skip
    assert process.returncode == 0, process.stderr
    assert "checked.c:1:" in process.stderr and "signed integer overflow" in process.stderr


OUTSIDE = """
#include <stdlib.h>
int outside(int n) { char *p = malloc(8); int c; p[7] = 1; c = p[n]; free(p); return c; }
"""


def test_address_sanitizer(python):
    """It has to be in the process from its start; an error says so, where it would end the process itself."""
    code = f"""
        import flambeau_cext
        module = flambeau_cext.load_inline("poisoned", c_sources={OUTSIDE!r}, functions="outside",
                                           no_implicit_headers=True, with_sanitizers=["address"])
        assert module.outside(7) == 1
        module.outside(8)
    """
    process = python(code)
    _, errors = process.communicate(timeout=60)
    last = errors.strip().splitlines()[-1]
    assert last.startswith("ImportError: poisoned: with_sanitizers='address' needs the sanitizer in the process")
    library = last.partition("LD_PRELOAD=")[2].split()[0]
    process = python(code, env={"LD_PRELOAD": library, "ASAN_OPTIONS": "detect_leaks=0"})
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "heap-buffer-overflow" in errors and "poisoned.c:3" in errors


def test_standards_go_to_their_language():
    assert for_language(C, ["-std=gnu++20", "-std=gnu11", "-g"]) == ["-std=gnu11", "-g"]
    assert for_language(CXX, ["-std=gnu++20", "-std=gnu11", "-g"]) == ["-std=gnu++20", "-g"]
    source = 'extern "C" long from_c(void);\nlong cxx() { return __cplusplus; }\nlong c() { return from_c(); }\n'
    module = cext.load_inline(
        "standards", source,
        c_sources="long from_c(void) { return __STDC_VERSION__; }\n", functions=["c", "cxx"],
        extra_cflags=["-std=c11", "-std=c++20"], no_implicit_headers=True,
    )  # fmt: skip
    assert (module.c(), module.cxx()) == (201112, 202002)
    assert find(C).language == "C"


def test_a_plain_library_is_loaded(tmp_path):
    marker = tmp_path / "loaded"
    source = f"""
    #include <stdio.h>
    __attribute__((visibility("default"))) double twice(double x) {{ return 2 * x; }}
    __attribute__((constructor)) static void loaded(void) {{ fclose(fopen("{marker}", "w")); }}
    """
    path = cext.load_inline("plain", c_sources=source, no_implicit_headers=True, is_python_module=False)
    assert isinstance(path, str) and marker.exists()
    library = ctypes.CDLL(path)
    library.twice.restype, library.twice.argtypes = ctypes.c_double, [ctypes.c_double]
    assert library.twice(1.5) == 3.0


def test_a_plain_library_that_cannot_be_loaded():
    source = "void nowhere(void);\nvoid f(void) { nowhere(); }\n"
    with pytest.raises(ImportError, match="undefined symbol 'nowhere'"):
        cext.load_inline("unplain", c_sources=source, no_implicit_headers=True, is_python_module=False,
                         extra_ldflags=["-Wl,-z,now"])  # fmt: skip


def test_a_program(tmp_path):
    (tmp_path / "main.c").write_text(
        '#include <stdio.h>\nint add(int, int);\nint main(void) { printf("%d\\n", add(2, 3)); }\n', encoding="utf-8"
    )
    (tmp_path / "add.c").write_text("int add(int a, int b) { return a + b; }\n", encoding="utf-8")
    path = cext.load("sum", [tmp_path / "main.c", tmp_path / "add.c"], is_standalone=True)
    assert subprocess.run([path], capture_output=True, text=True, check=True).stdout == "5\n"
