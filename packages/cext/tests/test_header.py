"""The C interface itself: its layout, which never moves, and how an extension and a library of other versions meet."""

import ctypes
import hashlib
import re
from pathlib import Path

import pytest

import flambeau_cext as cext
from flambeau_cext import compiler

HEADER = Path(cext.include_paths()[0], "flambeau", "tensor.h")

OLD_HEADERS = Path(__file__).parent / "headers"  # as earlier releases had them

TEXT = HEADER.read_text(encoding="utf-8")
# The slots that came with each minor version, in their order: what the header lists. Some versions came without.


def lists(text):
    """The list of slots of each minor version, as written."""
    return re.findall(r"#define FL_SLOTS_OF_MINOR_\d+\(SLOT\)((?:.*\\\n)+.*)", text)


SLOTS_OF_MINOR = [re.findall(r"^    SLOT\([^(]*?(\w+), \(", rows, re.MULTILINE) for rows in lists(TEXT)]
# The beginning of the hash of each list. A list is appended with a higher FL_ABI_MINOR; none ever changes.
RELEASED = ["7a143cf869decd5f", "2829ae7550bc416a"]
MINOR = int(re.search(r"#define FL_ABI_MINOR (\d+)", TEXT)[1])
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
        f"CHECK(FL_ABI_MAJOR == 1 && FL_ABI_MINOR == {MINOR});",
        f"CHECK(sizeof(fl_api) == {FIRST_SLOT} + 8 * SLOTS);",
        "CHECK(sizeof(fl_tensor) == 8 && sizeof(fl_optional_tensor) == 8 && sizeof(fl_operator) == 8);",
        "CHECK(sizeof(fl_function) == 8 && sizeof(fl_exception) == 8 && sizeof(fl_kernel) == 8);",
        "CHECK(sizeof(fl_dtype) == 4 && sizeof(fl_status) == 4);",
        "CHECK(sizeof(fl_value) == 32 && offsetof(fl_value, name) == 0 && offsetof(fl_value, kind) == 8);",
        "CHECK(offsetof(fl_value, count) == 12 && offsetof(fl_value, as) == 16);",
        "CHECK(FL_UINT8 == 0 && FL_INT8 == 1 && FL_INT16 == 2 && FL_INT32 == 3 && FL_INT64 == 4);",
        "CHECK(FL_FLOAT16 == 5 && FL_FLOAT32 == 6 && FL_FLOAT64 == 7 && FL_COMPLEX64 == 9 && FL_COMPLEX128 == 10);",
        "CHECK(FL_BOOL == 11 && FL_BFLOAT16 == 15 && FL_ANY == -1);",
        "CHECK(FL_RUNTIME_ERROR == 1 && FL_TYPE_ERROR == 2 && FL_VALUE_ERROR == 3 && FL_INDEX_ERROR == 4);",
        "CHECK(FL_NOT_IMPLEMENTED_ERROR == 5 && FL_MEMORY_ERROR == 6 && FL_OTHER_ERROR == 7);",
        "CHECK(FL_VALUE_NONE == 0 && FL_VALUE_TENSOR == 1 && FL_VALUE_INT == 2 && FL_VALUE_DOUBLE == 3);",
        "CHECK(FL_VALUE_BOOL == 4 && FL_VALUE_COMPLEX == 5 && FL_VALUE_DTYPE == 6 && FL_VALUE_STRING == 7);",
        "CHECK(FL_VALUE_INTS == 8 && FL_VALUE_TENSORS == 9 && FL_VALUE_DEFAULT == 10 && FL_VALUE_OBJECT == 11);",
        "CHECK(FL_VALUE_DOUBLES == 12 && FL_VALUE_BOOLS == 13);",
        "CHECK(FL_OP_COMPOSITE == 1 && FL_OP_NOT_DIFFERENTIABLE == 2);",
        "CHECK(FL_REQUIRES_GRAD == 1 && FL_IS_LEAF == 2 && FL_IS_VIEW == 4);",
        "CHECK(FL_IS_READONLY == 8 && FL_IS_META == 16);",
    ]
)


def layout(minor):
    """Source that compiles if the table for this minor version has its slots where they have always been."""
    slots = [slot for slots in SLOTS_OF_MINOR[: minor + 1] for slot in slots]
    places = (f"CHECK(offsetof(fl_api, {slot}) == {FIRST_SLOT + 8 * i});" for i, slot in enumerate(slots))
    return "\n".join((f"#define FL_TARGET_MINOR {minor}\n#define SLOTS {len(slots)}", LAYOUT, *places, ""))


def digests(text):
    """The hash of each list of slots, however its lines are broken."""
    words = (" ".join(rows.replace("\\", "").split()) for rows in lists(text))
    return [hashlib.sha256(row.encode()).hexdigest()[:16] for row in words]


MUTATIONS = {
    "another type": ("SLOT(int32_t, ndim,", "SLOT(int64_t, ndim,"),
    "another parameter": ("(fl_tensor, char *text", "(fl_tensor, void *text"),
    "another name": ("retain, (", "keep, ("),
    "one more": ("SLOT(void, gil_drop", "SLOT(int, more, (void)) SLOT(void, gil_drop"),
}


def test_slots_never_change():
    assert digests(TEXT) == RELEASED


@pytest.mark.parametrize(("before", "after"), MUTATIONS.values(), ids=MUTATIONS)
def test_a_change_of_slots_is_seen(before, after):
    assert before in TEXT and digests(TEXT.replace(before, after)) != RELEASED


STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic"]


def build_only(**options):
    return cext.load_inline("layout", is_python_module=False, no_implicit_headers=True, **options)


@pytest.mark.parametrize("minor", range(MINOR + 1))
@pytest.mark.parametrize("standard", ["c99", "c11", "c17"])
def test_layout_in_c(standard, minor):
    # _Static_assert is C11's; compilers have it in C99 too, with a warning that -pedantic makes of it.
    pragma = '#pragma GCC diagnostic ignored "-Wpedantic"\n' if standard == "c99" else ""
    build_only(c_sources=pragma + layout(minor), extra_cflags=[f"-std={standard}", *STRICT])


@pytest.mark.parametrize("minor", range(MINOR + 1))
@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_layout_in_cxx(standard, minor):
    build_only(cpp_sources=layout(minor), extra_cflags=[f"-std={standard}", *STRICT])


@pytest.mark.parametrize(("language", "suffix", "standard"), [("C", "c", "c99"), ("C++", "cpp", "c++17")])
def test_the_header_alone_is_clean_and_needs_no_other(language, suffix, standard, tmp_path):
    source = tmp_path / f"alone.{suffix}"
    source.write_text("#include <flambeau/tensor.h>\nint f(fl_tensor t) { return fl_ndim(t); }\n", encoding="utf-8")
    # -I, since compilers keep silent about system headers, and nothing of Python's.
    flags = [f"-I{HEADER.parent.parent}", f"-std={standard}", *STRICT]
    done = compiler.run([*compiler.find(language).command, *flags, "-c", str(source), "-o", str(tmp_path / "alone.o")])
    assert (done.status, done.output) == (0, "")


def test_every_slot_is_filled():
    from flambeau_tensor import c_api

    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address = get(c_api.API, b"flambeau_tensor.c_api.API")
    words = (ctypes.c_uint64 * (size_of(MINOR) // 8)).from_address(address)
    assert words[1] == size_of(MINOR)
    assert all(words[FIRST_SLOT // 8 :])


# The library as another release would provide it: the same table with fewer or more slots, and other numbers on it.
MEET = """
    import ctypes, sys, types
    import flambeau_cext
    from flambeau_tensor import c_api

    major, minor, size = (int(a) for a in sys.argv[1:4])
    folder, target, cxx = (*sys.argv[4:6], "".join(sys.argv[6:]))
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address = get(c_api.API, b"flambeau_tensor.c_api.API")
    own_size = ctypes.c_uint64.from_address(address + 8).value
    table = ctypes.create_string_buffer(ctypes.string_at(address, min(size, own_size)), size)
    numbers = (ctypes.c_uint32 * 2).from_buffer(table)
    numbers[0], numbers[1] = major, minor
    ctypes.c_uint64.from_buffer(table, 8).value = size
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    names = [ctypes.c_char_p(b"flambeau_tensor.c_api.API"), ctypes.c_char_p(b"flambeau_tensor._core.capi.API")]
    for name in names:
        other = types.ModuleType(name.value.decode()[:-4])
        other.API = new(ctypes.addressof(table), name, None)
        sys.modules[other.__name__] = other
    if (major, minor) in ((1, 0), (1, 1)):
        sys.modules["flambeau_tensor.c_api"] = None  # it came with 1.2
    flags = [f"-I{folder}"] * bool(folder) + [f"-DFL_TARGET_MINOR={target}"] * bool(target)
    try:
        if cxx:
            module = "PyInit" in cxx or "PYBIND11" in cxx
            flambeau_cext.load_inline("meeting", cxx, no_implicit_headers=True, is_python_module=module)
            print("dims", flambeau_cext.ops.meeting.dims())
        else:
            module = flambeau_cext.load_inline(
                "meeting", extra_cflags=flags, functions=["dims"],
                c_sources="int dims(void) { return fl_ndim(fl_zeros(NULL, 0, FL_INT8)); }")
            print("dims", module.dims())
    except ImportError as error:
        print(error)
"""


def size_of(minor, more=0):
    return FIRST_SLOT + 8 * (sum(len(slots) for slots in SLOTS_OF_MINOR[: minor + 1]) + more)


@pytest.mark.parametrize(
    ("major", "minor", "size", "target", "said"),
    [
        (1, MINOR, size_of(MINOR), "", "dims 0"),
        (1, MINOR + 1, size_of(MINOR, 3), "", "dims 0"),
        (1, 0, size_of(0), "1", r"meeting needs flambeau's C ABI 1\.1, but the installed flambeau-tensor \S+ has ABI "
         r"1\.0: pip install --upgrade flambeau-tensor"),
        (1, 1, size_of(1), "", rf"meeting needs flambeau's C ABI 1\.{MINOR}, which the installed flambeau-tensor does "
         r"not have: pip install --upgrade flambeau-tensor"),
        (1, 1, size_of(1), "1", "dims 0"),
        (1, 0, size_of(0), "0", "dims 0"),
        (1, MINOR, size_of(MINOR), "0", "dims 0"),
        (2, 0, size_of(MINOR), "", rf"meeting was built for flambeau's C ABI 1\.{MINOR}, but the installed "
         r"flambeau-tensor \S+ has ABI 2\.0: build it again"),
        (0, 9, size_of(MINOR), "", rf"meeting was built for flambeau's C ABI 1\.{MINOR}, but the installed "
         r"flambeau-tensor \S+ has ABI 0\.9: build it again"),
    ],
)  # fmt: skip
def test_releases_meet(run, major, minor, size, target, said):
    assert re.fullmatch(said, run(MEET, major, minor, size, "", target).strip())


MEET_CXX = """
#include <torch/%s>
int64_t dims() { return torch::zeros({2}).dim(); }
TORCH_LIBRARY(meeting, m) { m.def("dims", &dims); }
%s
"""
MADE_BY_HAND = """
extern "C" PyObject *PyInit_meeting(void) {
    static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "m", 0, -1, 0, 0, 0, 0, 0};
    return PyModule_Create(&definition);
}
"""


BOUND = 'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("dims", &dims); }'


@pytest.mark.parametrize(
    ("header", "module"),
    [("extension.h", BOUND), ("all.h", MADE_BY_HAND), ("all.h", "")],
    ids=["pybind11", "by hand", "no module"],
)
def test_releases_meet_in_cxx(run, header, module):
    source = MEET_CXX % (header, module)
    said = rf"meeting was built for flambeau's C ABI 1\.{MINOR}, but the installed .* has ABI 2\.0: build it again"
    assert re.fullmatch(said, run(MEET, 2, 0, size_of(MINOR), "", "", source).strip())
    assert run(MEET, 1, MINOR, size_of(MINOR), "", "", source).strip() == "dims 1"


def test_built_with_an_older_header(run):
    """The header of ABI 1.0, as it was released: what is built with it runs on today's library."""
    folder = OLD_HEADERS / "1.0"
    assert "#define FL_ABI_MINOR 0\n" in (folder / "flambeau" / "tensor.h").read_text(encoding="utf-8")
    assert run(MEET, 1, MINOR, size_of(MINOR), folder, "").strip() == "dims 0"


def test_a_target_of_the_future_does_not_compile():
    with pytest.raises(cext.CompileError, match="FL_TARGET_MINOR is later than this header"):
        build_only(c_sources="#include <flambeau/tensor.h>\n", extra_cflags=[f"-DFL_TARGET_MINOR={MINOR + 1}"])


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
