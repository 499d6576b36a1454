"""The C interface itself: its layout, which never moves, and how an extension and a library of other versions meet."""

import ctypes
import re
from pathlib import Path

import pytest

import flambeau_cext as cext
from flambeau_cext import compiler

HEADER = Path(cext.include_paths()[0], "flambeau", "tensor.h")

# The slots of the table in their order. New ones are appended, with a higher FL_ABI_MINOR; nothing here ever changes.
SLOTS = """
    dtype ndim numel sizes strides is_contiguous const_data data check retain release empty contiguous as_strided
    from_blob error error_occurred error_clear find_operator call num_threads parallel_for gil_release gil_acquire
    from_python to_python
""".split()
FIRST_SLOT = 24

LAYOUT = "\n".join(
    [
        "#include <flambeau/tensor.h>",
        "#include <stddef.h>",
        "#ifdef __cplusplus",
        "#define CHECK(what) static_assert(what, #what)",
        "#else",
        "#define CHECK(what) _Static_assert(what, #what)",
        "#endif",
        "CHECK(offsetof(fl_api, major) == 0 && offsetof(fl_api, minor) == 4 && offsetof(fl_api, size) == 8);",
        "CHECK(offsetof(fl_api, provider) == 16);",
        *(f"CHECK(offsetof(fl_api, {slot}) == {FIRST_SLOT + 8 * i});" for i, slot in enumerate(SLOTS)),
        f"CHECK(sizeof(fl_api) == {FIRST_SLOT + 8 * len(SLOTS)});",
        "CHECK(sizeof(fl_tensor) == 8 && sizeof(fl_optional_tensor) == 8 && sizeof(fl_operator) == 8);",
        "CHECK(sizeof(fl_dtype) == 4 && sizeof(fl_status) == 4);",
        "CHECK(sizeof(fl_value) == 32 && offsetof(fl_value, name) == 0 && offsetof(fl_value, kind) == 8);",
        "CHECK(offsetof(fl_value, count) == 12 && offsetof(fl_value, as) == 16);",
        "CHECK(FL_UINT8 == 0 && FL_INT8 == 1 && FL_INT16 == 2 && FL_INT32 == 3 && FL_INT64 == 4);",
        "CHECK(FL_FLOAT16 == 5 && FL_FLOAT32 == 6 && FL_FLOAT64 == 7 && FL_COMPLEX64 == 9 && FL_COMPLEX128 == 10);",
        "CHECK(FL_BOOL == 11 && FL_BFLOAT16 == 15 && FL_ANY == -1);",
        "CHECK(FL_RUNTIME_ERROR == 1 && FL_TYPE_ERROR == 2 && FL_VALUE_ERROR == 3 && FL_INDEX_ERROR == 4);",
        "CHECK(FL_NOT_IMPLEMENTED_ERROR == 5 && FL_MEMORY_ERROR == 6);",
        "CHECK(FL_VALUE_NONE == 0 && FL_VALUE_TENSOR == 1 && FL_VALUE_INT == 2 && FL_VALUE_DOUBLE == 3);",
        "CHECK(FL_VALUE_BOOL == 4 && FL_VALUE_COMPLEX == 5 && FL_VALUE_DTYPE == 6 && FL_VALUE_STRING == 7);",
        "CHECK(FL_VALUE_INTS == 8 && FL_VALUE_TENSORS == 9);",
        "int value(void) { return FL_ABI_MAJOR * 1000 + FL_ABI_MINOR; }",
    ]
)
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic"]


def build_only(**options):
    return cext.load_inline("layout", is_python_module=False, no_implicit_headers=True, **options)


@pytest.mark.parametrize("standard", ["c99", "c11", "c17"])
def test_layout_in_c(standard):
    # _Static_assert is C11's; compilers have it in C99 too, with a warning that -pedantic makes of it.
    source = '#pragma GCC diagnostic ignored "-Wpedantic"\n' + LAYOUT if standard == "c99" else LAYOUT
    build_only(c_sources=source, extra_cflags=[f"-std={standard}", *STRICT])


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_layout_in_cxx(standard):
    build_only(cpp_sources=LAYOUT, extra_cflags=[f"-std={standard}", *STRICT])


@pytest.mark.parametrize(("language", "suffix", "standard"), [("C", "c", "c99"), ("C++", "cpp", "c++17")])
def test_the_header_alone_is_clean_and_needs_no_other(language, suffix, standard, tmp_path):
    source = tmp_path / f"alone.{suffix}"
    source.write_text("#include <flambeau/tensor.h>\nint f(fl_tensor t) { return fl_ndim(t); }\n", encoding="utf-8")
    # -I, since compilers keep silent about system headers, and nothing of Python's.
    flags = [f"-I{HEADER.parent.parent}", f"-std={standard}", *STRICT]
    done = compiler.run([*compiler.find(language).command, *flags, "-c", str(source), "-o", str(tmp_path / "alone.o")])
    assert (done.status, done.output) == (0, "")


def test_every_slot_is_filled():
    from flambeau_tensor._core import capi

    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address = get(capi.API, b"flambeau_tensor._core.capi.API")
    words = (ctypes.c_uint64 * ((FIRST_SLOT + 8 * len(SLOTS)) // 8)).from_address(address)
    assert words[1] == FIRST_SLOT + 8 * len(SLOTS)
    assert all(words[FIRST_SLOT // 8 :])


MEET = """
    import ctypes, sys, types
    import flambeau_cext
    from flambeau_tensor._core import capi

    major, minor, extra = (int(a) for a in sys.argv[1:4])
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    NAME = b"flambeau_tensor._core.capi.API"
    address = get(capi.API, NAME)
    size = ctypes.c_uint64.from_address(address + 8).value
    # The library as another release would provide it: the same table with slots more or fewer, another number on it.
    table = ctypes.create_string_buffer(ctypes.string_at(address, size), size + max(extra, 0) * 8)
    numbers = (ctypes.c_uint32 * 2).from_buffer(table)
    numbers[0] += major
    numbers[1] += minor
    ctypes.c_uint64.from_buffer(table, 8).value += extra * 8
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    other = types.ModuleType("flambeau_tensor._core.capi")
    other.API = new(ctypes.addressof(table), NAME, None)
    sys.modules["flambeau_tensor._core.capi"] = other
    try:
        module = flambeau_cext.load_inline(
            "meeting", c_sources="int dims(void) { return fl_ndim(fl_zeros(NULL, 0, FL_INT8)); }", functions=["dims"])
        print("dims", module.dims())
    except ImportError as error:
        print(error)
"""


@pytest.mark.parametrize(
    ("major", "minor", "extra", "said"),
    [
        (0, 0, 0, "dims 0"),
        (0, 1, 3, "dims 0"),
        (0, -1, -1, r"meeting needs flambeau's C ABI 1\.0, but the installed flambeau-tensor \S+ has ABI 1\.-1: "
         r"pip install --upgrade flambeau-tensor"),
        (1, 0, 0, r"meeting was built for flambeau's C ABI 1\.0, but the installed flambeau-tensor \S+ has ABI 2\.0: "
         r"build it again"),
        (-1, 0, 0, r"meeting was built for flambeau's C ABI 1\.0, but the installed flambeau-tensor \S+ has ABI 0\.0: "
         r"build it again"),
    ],
)  # fmt: skip
def test_releases_meet(run, major, minor, extra, said):
    assert re.fullmatch(said, run(MEET, major, minor, extra).strip())


def test_without_the_library(run):
    said = run("""
        import sys
        import flambeau_cext
        flambeau_cext.include_paths()
        class Gone:
            def find_spec(self, name, path=None, target=None):
                if name == "flambeau_tensor":
                    raise ModuleNotFoundError("No module named 'flambeau_tensor'", name="flambeau_tensor")
        sys.meta_path.insert(0, Gone())
        try:
            flambeau_cext.load_inline("lonely", c_sources="int f(void) { return fl_num_threads(); }", functions=["f"])
        except ImportError as error:
            print(error)
    """)
    assert said == "lonely needs flambeau-tensor: pip install flambeau-tensor\n"
