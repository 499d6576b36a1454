"""TORCH_LIBRARY: operators by schema or by the types of their functions, with kernels given in any order."""

from pathlib import Path

import pytest

import flambeau_cext as cext
import flambeau_tensor as torch
from flambeau_tensor.extend import find_operator

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="module")
def op(tmp_path_factory):
    cext.load("library", PROGRAMS / "library.cpp", build_directory=tmp_path_factory.mktemp("library"))
    return lambda name: find_operator(f"torch.ops.cpptest.{name}")


def test_kernels_before_and_after_schemas(op):
    x = torch.tensor([1.0, 2.0])
    assert op("early")(x).tolist() == [2, 3]
    scaled, count = op("counted")(x)
    assert (scaled.tolist(), count) == ([2, 4], 2)
    assert op("counted")(x, n=5).scaled.tolist() == [5, 10]
    assert op("captured")(3) == 10


def test_every_type(op):
    x = torch.zeros(2)
    kinds = op("kinds")
    assert kinds([x, x[:1]], None, [1, 2], [0.5], "text", 2) == "2,1, - 1 2 0.50 text 2.00 - yes - - 2"
    full = kinds((), x, (), (1.0, 2.0), "é", 0.25, torch.int16, False, n=-4, dims=[0, 1, 2], more=[])
    assert full == " t 1.00 2.00 é 0.25 Short no -4 3 0"


def test_results(op):
    x = torch.arange(4.0)
    a, b = op("halves")(x)
    assert (a.tolist(), b.tolist()) == ([0, 1], [2, 3])
    assert op("perhaps")(x, True) is x
    assert op("perhaps")(x, False) is None
    assert op("sizes")(torch.zeros(2, 3)) == [2, 3]
    y = torch.zeros(2, dtype=torch.float64)
    version = y._version
    assert op("add_one_")(y) is y
    assert y.tolist() == [1, 1]
    assert y._version == version + 1


def test_kernels_for_autocast(op):
    x = torch.ones(2, dtype=torch.bfloat16)
    assert op("precise")(x).dtype is torch.bfloat16
    kernel = op("precise").library.by_key["AutocastCPU"]  # flambeau's autocast calls it
    assert kernel(x).dtype is kernel(x, y=x).dtype is torch.float32
    assert kernel(x.double()).dtype is torch.float64
    amp = pytest.importorskip("flambeau.amp")
    with amp.autocast("cpu"):
        assert op("precise")(x).dtype is op("precise")(x, x).dtype is torch.float32
    assert op("precise")(x).dtype is torch.bfloat16


def test_schemas_follow_from_types(op):
    assert str(op("sizes").schema) == "cpptest::sizes(Tensor _0) -> int[]"
    assert str(op("inferred").schema) == "cpptest::inferred(Tensor _0, float? _1) -> Tensor"
    x = torch.ones(1)
    assert op("inferred")(x, None).tolist() == [2]
    assert op("inferred")(x, 3).tolist() == [3]


def test_calling_by_name(op):
    assert op("indirect")(torch.ones(2)).tolist() == [5, 5]


def test_errors(op):
    with pytest.raises(ValueError, match="throws: 1 dimensions"):
        op("throws")(torch.zeros(1))
    with pytest.raises(NotImplementedError, match="Could not run 'cpptest::missing'"):
        op("missing")(torch.zeros(1))
    with pytest.raises(TypeError, match=r"early\(\): argument 'x' \(position 1\) must be Tensor, not int"):
        op("early")(1)


BLOCK = """
#include <torch/library.h>
at::Tensor f(const at::Tensor &x, double a) { return x * a; }
TORCH_LIBRARY(%s, m) { %s }
extern "C" PyObject *PyInit_%s(void) {
    static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "m", nullptr, -1, nullptr, nullptr, nullptr, nullptr,
                                            nullptr};
    return PyModule_Create(&definition);
}
"""


@pytest.mark.parametrize(
    ("name", "block", "message"),
    [
        ("cppwrong1", 'm.def("f(Tensor x) -> Tensor", &f);', "The number of arguments is different. 1 vs 2."),
        ("cppwrong2", 'm.def("f(Tensor x, int a) -> Tensor", &f);', "Type mismatch in argument 2: int vs float"),
        ("cppwrong3", 'm.def("f(Tensor x, float a) -> (Tensor, Tensor)", &f);', "The number of returns is different"),
        ("cppwrong4", 'm.def("f(Tensr x, float a) -> Tensor", &f);', "unknown type 'Tensr'"),
        ("cppwrong5", 'm.def("f");', "a bare name needs a function"),
    ],
)
def test_a_block_that_fails_makes_the_import_fail(name, block, message):
    with pytest.raises((RuntimeError, ValueError)) as caught:
        cext.load_inline(name, BLOCK % (name, block, name), no_implicit_headers=True)
    assert message in str(caught.value)


def test_a_type_that_operators_do_not_take():
    source = """
    #include <torch/library.h>
    int64_t size(const std::vector<char> &names) { return names.size(); }
    TORCH_LIBRARY(cppwrong7, m) { m.def("size", &size); }
    """
    with pytest.raises(cext.CompileError, match="operators do not take or return this type") as caught:
        cext.load_inline("cppwrong7", source, is_python_module=False, no_implicit_headers=True)
    assert "cppwrong7.cpp:4:" in str(caught.value)  # who asks for it, where the error is in a header


def test_a_module_with_pybind11_says_so_at_once():
    source = """
    at::Tensor f(const at::Tensor &x, double a) { return x * a; }
    TORCH_LIBRARY(cppwrong6, m) { m.def("f(Tensor x) -> Tensor", &f); }
    """
    with pytest.raises(RuntimeError, match="operator: cppwrong6::f"):
        cext.load_inline("cppwrong6", source, functions=["f"])


def test_a_library_that_is_no_module():
    source = """
    #include <torch/library.h>
    int64_t answer() { return 42; }
    TORCH_LIBRARY(cppplain, m) { m.def("answer", &answer); }
    """
    cext.load_inline("cppplain", source, is_python_module=False, no_implicit_headers=True)
    assert find_operator("torch.ops.cppplain.answer")() == 42


def test_tensors_that_live_as_long_as_the_library(run):
    """They are made while it is being loaded, or when first needed, and let go of after Python has ended."""
    said = run('''
        import flambeau_cext as cext
        import flambeau_tensor as torch
        source = """
        #include <torch/library.h>
        static const at::Tensor early = at::ones({2}) * 2;
        at::Tensor f(const at::Tensor &x) {
            static at::Tensor late = at::full({2}, 3);
            return x * early + late;
        }
        TORCH_LIBRARY(cppstatic, m) { m.def("f", &f); }
        """
        cext.load_inline("cppstatic", source, is_python_module=False, no_implicit_headers=True)
        print(cext.ops.cppstatic.f(torch.ones(2)).tolist())
    ''')
    assert said == "[5.0, 5.0]\n"
