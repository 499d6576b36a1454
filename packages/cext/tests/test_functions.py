"""Functions of tensors that load_inline binds without pybind11: what they take, give, refuse and raise."""

import warnings

import numpy as np
import pytest

import flambeau_cext as cext
import flambeau_tensor as torch
from flambeau_cext.load import _bound_directly

SOURCE = r"""
#include <torch/extension.h>
#include <ATen/Dispatch_v2.h>

torch::Tensor twice(torch::Tensor x) { return 2 * x; }
std::vector<at::Tensor> all_of_it(const torch::Tensor &x, double scale = 1.0, c10::optional<at::Tensor> b = {},
                                  const std::vector<int64_t> &dims = {1, 2}, std::string how = "plain",
                                  bool on = false) {
  TORCH_CHECK(how == "plain", "no such way: ", how);
  if (on) throw std::out_of_range("too far");
  return {x * scale, b ? *b : x, torch::tensor(dims)};
}
std::tuple<at::Tensor, int64_t, std::optional<double>> filled(at::IntArrayRef sizes, torch::Dtype type,
                                                              const at::Scalar &with) noexcept {
  return {torch::full(sizes, with, type), int64_t(sizes.size()), std::nullopt};
}
std::pair<float, at::Scalar> of_floats(const std::vector<double> &list, at::ArrayRef<double> more) {
  float sum = 0;
  for (double d : list) sum += float(d);
  for (double d : more) sum -= float(d);
  return {sum, 1.5};
}
int nothing() { return 7; }
double in_threads(at::Tensor x) {
  std::vector<double> sums(3);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++) threads.emplace_back([&, i] { sums[i] = x[i].sum().item<double>(); });
  for (auto &thread : threads) thread.join();
  return sums[0] + 10 * sums[1] + 100 * sums[2];
}
void joined_twice() {
  std::thread thread([] {});
  thread.join();
  thread.join();
}
double warned(double x, bool fails) {
  TORCH_WARN("careful with ", x);
  if (fails) throw c10::ValueError("fails with CPUFloatType");
  return x;
}
at::ScalarType type_of(at::Tensor x) { return x.scalar_type(); }
torch::autograd::variable_list flagged(const std::vector<bool> &flags, at::Tensor x) {
  return torch::autograd::variable_list(flags.size(), x);
}
at::Tensor first(at::TensorList list) { return list.empty() ? at::Tensor() : list[0]; }
void grow(torch::Tensor &x) { x.add_(1); }
unsigned int halved(uint32_t n) { return n / 2; }
std::string truth(bool is, std::string text) { return text + (is ? " yes" : " no"); }
static double hidden(double x) { return x; }
double shown(double x) { return hidden(x); }

std::string place(at::Tensor x) { return c10::str(x.device(), x.is_meta() ? " meta" : "", x.is_cpu() ? " cpu" : ""); }
at::Tensor ones_beside(at::Tensor x) { return at::ones({2, 3}, x.options()) + at::zeros({3}, x.options()); }
at::Tensor beside(at::Tensor x, at::Tensor other) { return x.to(other); }
at::Tensor as_type(at::Tensor x, at::ScalarType type) { return x.to(type); }
std::string about(at::ScalarType type) {
  return c10::str(type, " ", c10::elementSize(type), c10::isIntegralType(type) ? " integral" : "",
                  c10::isSignedType(type) ? " signed" : "", c10::isFloatingType(type) ? " floating" : "",
                  c10::isComplexType(type) ? " complex" : "", " ", c10::TypeMeta(type).name(), " ",
                  at::toOpMathType(type));
}
int64_t largest(at::Tensor x) {
  int64_t found = 0;
  AT_DISPATCH_V2(x.scalar_type(), "largest", AT_WRAP([&] {
    for (int64_t i = 0; i < x.numel(); ++i) found = std::max(found, int64_t(x.data_ptr<scalar_t>()[i]));
  }), AT_EXPAND(AT_BAREBONES_UNSIGNED_TYPES));
  return found;
}
static_assert(c10::toComplexType(at::kHalf) == at::kComplexHalf && c10::toRealValueType(at::kComplexHalf) == at::kHalf);
static_assert(c10::elementSize(at::kFloat8_e4m3fn) == 1 && c10::isFloat8Type(at::kFloat8_e5m2), "names alone");
static_assert(std::is_same_v<c10::SymFloat, double> && std::is_same_v<c10::SymBool, bool>);
static_assert(c10::isQIntType(at::kQInt32) && int(at::kUInt64) == 29 && int(at::ScalarType::Float8_e8m0fnu) == 44);
"""
FUNCTIONS = "twice all_of_it filled of_floats nothing type_of first grow halved truth shown flagged".split()
FUNCTIONS += "place beside ones_beside as_type about largest warned in_threads joined_twice".split()


@pytest.fixture(scope="module")
def m(tmp_path_factory):
    folder = tmp_path_factory.mktemp("direct")
    texts = {**dict.fromkeys(FUNCTIONS, ""), "nothing": "Gives seven."}
    module = cext.load_inline("direct", SOURCE, functions=texts, build_directory=folder)
    assert not any(b"pybind11" in path.read_bytes() for path in folder.rglob("*.so"))
    return module


def test_arguments_and_results(m):
    x = torch.tensor([1.0, -2.0])
    assert m.twice(x).tolist() == [2, -4]
    a, b, dims = m.all_of_it(x, 3, None, (4, np.int64(5)), "plain", np.bool_(False))
    assert (a.tolist(), b is x, dims.tolist()) == ([3, -6], True, [4, 5])
    assert m.all_of_it(x, b=a, scale=np.float32(2), dims=[], how="plain", on=False)[1] is a
    t, n, none = m.filled((2, 1), torch.int32, True)
    assert (t.tolist(), t.dtype, n, none) == ([[1], [1]], torch.int32, 2, None)
    for number, dtype in ((2.5, torch.float64), (2 - 1j, torch.complex128), (torch.tensor(3), torch.int64)):
        assert m.filled([1], dtype, number)[0].item() == number
    assert m.of_floats([1, 2.5], range(2)) == (2.5, 1.5)
    assert m.nothing() == 7
    assert m.type_of(x) is torch.float32
    assert m.first([]) is None
    assert len(m.flagged([True, 0], x)) == 2
    assert m.first((x,)) is x
    assert m.grow(x) is None
    assert x.tolist() == [2, -1]
    assert m.shown(x=1) == m.shown(torch.tensor([1.0])) == 1
    assert m.halved(np.uint8(9)) == m.halved(torch.tensor(9)) == 4
    assert m.truth(1, b"bytes") == m.truth(torch.tensor([2]), "bytes") == "bytes yes"
    assert m.truth(None, "é\0") == m.truth(np.False_, "é\0") == "é\0 no"
    assert m.twice.__text_signature__ == "($module, x)"
    assert m.twice.__doc__ == "torch::Tensor twice(torch::Tensor x)\n\ntwice\n"
    assert m.nothing.__doc__ == "int nothing(void)\n\nGives seven.\n"


def test_device_meta(m):
    x, nowhere = torch.ones(2), torch.ones(2, dtype=torch.float64, device="meta")
    assert (m.place(x), m.place(nowhere)) == ("cpu cpu", "meta meta")
    assert m.ones_beside(x).tolist() == [[1, 1, 1], [1, 1, 1]]
    sum = m.ones_beside(nowhere)
    assert (sum.device.type, sum.shape, sum.dtype) == ("meta", (2, 3), torch.float64)
    moved = m.beside(x, nowhere)
    assert (moved.device.type, moved.shape, moved.dtype) == ("meta", (2,), torch.float64)
    assert m.beside(x, x) is x
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor"):
        m.beside(nowhere, x)


def test_younger_dtypes(m):
    for bits in (16, 32, 64):
        dtype = getattr(torch, f"uint{bits}")
        x = m.as_type(torch.tensor([1, 2**bits // 3]), dtype)
        assert x.dtype is dtype and m.type_of(x) is dtype and m.largest(x) == 2**bits // 3
        assert m.about(dtype).startswith(f"UInt{bits} {bits // 8} integral ")
    assert m.about(torch.uint32) == "UInt32 4 integral unsigned int UInt32"
    assert m.about(torch.complex32) == "ComplexHalf 4 signed complex c10::complex<c10::Half> ComplexFloat"
    assert m.about(torch.bfloat16) == "BFloat16 2 signed floating c10::BFloat16 Float"
    with pytest.raises(RuntimeError, match="\"largest\" not implemented for 'Int'"):
        m.largest(torch.ones(1, dtype=torch.int32))


def test_errors(m):
    x = torch.ones(1)
    for call, error, message in (
        (lambda: m.twice("a"), TypeError, r"twice\(\): argument 'x' \(position 1\) must be Tensor, not str"),
        (lambda: m.twice(None), TypeError, "must be Tensor, not NoneType"),
        (lambda: m.twice(), TypeError, r'missing 1 required positional arguments: "x"'),
        (lambda: m.twice(x, 1), TypeError, "takes 1 positional argument but 2 were given"),
        (lambda: m.all_of_it(x, 1, 2, [], "", True), TypeError, "'b' .* must be Tensor or None, not int"),
        (lambda: m.all_of_it(x, 1, x, [0, ""], "", True), TypeError, "must be list of int, but element 1 is str"),
        (lambda: m.all_of_it(x, 1, x, "12", "", True), TypeError, "must be list of int, not str"),
        (lambda: m.all_of_it(x, 1, x, [2**70], "", True), ValueError, "'dims' .* must be in the range"),
        (lambda: m.all_of_it(x, 1, x, [], "fancy", True), RuntimeError, "no such way: fancy"),
        (lambda: m.all_of_it(x, 1, x, [], "plain", True), IndexError, "too far"),
        (lambda: m.truth("yes", ""), TypeError, "'is_' .* must be bool, not str"),
        (lambda: m.truth(torch.ones(2), ""), RuntimeError, "ambiguous"),
        (lambda: m.truth(True, 1), TypeError, "must be str, not int"),
        (lambda: m.halved(-1), ValueError, "must be in the range"),
        (lambda: m.halved(1.5), TypeError, "must be int, not float"),
        (lambda: m.first(x), TypeError, "must be list of Tensor, not Tensor"),
        (lambda: m.filled([1], 3, 4), TypeError, "must be torch.dtype, not int"),
        (lambda: m.filled([1], torch.int8, "4"), TypeError, "must be Number, not str"),
    ):
        with pytest.raises(error, match=message):
            call()


def test_threads_compute_with_tensors_while_they_are_waited_for(m):
    assert m.in_threads(torch.arange(6.0).reshape(3, 2)) == 951
    with pytest.raises(RuntimeError, match="Invalid argument"):
        m.joined_twice()


def test_warnings(m):
    with pytest.warns(UserWarning, match="careful with 2"):
        assert m.warned(2, False) == 2
    with pytest.warns(UserWarning, match="careful with 3"), pytest.raises(ValueError, match="fails with torch.FloatT"):
        m.warned(3, True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="careful with 4"):
            m.warned(4, False)
        with pytest.raises(ValueError, match="fails with"):
            m.warned(4, True)


def test_warnings_on_stderr(tmp_path, capfd):
    source = 'at::Tensor f(at::Tensor x) { TORCH_WARN("plain"); return x; }'
    options = {"functions": "f", "with_pytorch_error_handling": False, "build_directory": tmp_path}
    blanks = {"extra_cflags": ["-O0 \n"], "extra_include_paths": [f" {tmp_path}\n"]}
    m = cext.load_inline("on_stderr", source, **blanks, **options)
    m.f(torch.ones(1))
    assert "Warning: plain" in capfd.readouterr().err


def test_what_goes_through_pybind11():
    """Types and sources that only pybind11 is for."""
    f = "at::Tensor f(at::Tensor x) { return x; }\n"
    assert list(_bound_directly(f, {"f": ""})) == ["f"]
    for text in (
        "std::map<std::string, at::Tensor> f(at::Tensor x);",
        "at::Tensor f(std::tuple<int, int> x);",
        "at::Tensor f(py::object x);",
        "at::Tensor f(double *x);",
        "at::Tensor f(at::Tensor &&x);",
        "at::Tensor f(at::ArrayRef<bool> x);",
        "at::TensorList f(at::Tensor x);",
        "std::vector<std::map<int, int>> f();",
        "static at::Tensor f(at::Tensor x);",
        f"{f}int f(int);",
        f"#if 1\n{f}#endif",
        f"namespace n {{ {f} }}",
        f"#define NAME TORCH_EXTENSION_NAME\n{f}",
        "template <class T> T f(T x);",
    ):
        assert _bound_directly(text, {"f": ""}) == {}
    assert _bound_directly(f, {"f": "", "g": ""}) == {}
