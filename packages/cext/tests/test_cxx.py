"""Extensions in C++: fl::tensor, exceptions, functions with C and C++ linkage, and C beside them."""

import numpy as np
import pytest

import flambeau_cext as cext
import flambeau_tensor as ft

SOURCE = r"""
#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <new>
#include <stdexcept>
#include <vector>

extern "C" double from_c(double x);

fl::tensor scaled(const fl::tensor &x, double a) {
    fl::tensor y = fl::empty_like(x);
    const float *from = x.data<float>();
    float *to = y.mutable_data<float>();
    for (int64_t i = 0; i < x.numel(); i++) to[i] = float(a) * from[i];
    return y;
}
fl::tensor sum_of_products(fl::tensor x, fl::tensor y) {
    fl::tensor product = fl::call("mul", x, y);
    fl::tensor copy = product;
    copy = fl::call("add", std::move(copy), 1.0, fl_named("alpha", fl_of_int(2)));
    return copy.contiguous();
}
fl::tensor conjugated(fl::tensor z) {
    fl::tensor out = fl::empty_like(z);
    for (int64_t i = 0; i < z.numel(); i++)
        out.mutable_data<std::complex<double>>()[i] = std::conj(z.data<std::complex<double>>()[i]);
    return out;
}
fl::tensor nothing() { return fl::tensor(); }
std::string greeting(const std::string &who, int times) {
    std::string all;
    for (int i = 0; i < times; i++) all += "bonjour " + who + "; ";
    return all;
}
fl_tensor plain(fl_tensor x) { return fl_retain(x); }
extern "C" int64_t rows(fl_tensor x) { return fl_size(x, 0); }
double twice_from_c(double x) { return 2 * from_c(x); }

static int alive = 0;
struct Guard { Guard() { alive++; } ~Guard() { alive--; } };
int guards() { return alive; }
void throws(const std::string &what) {
    Guard guard;
    auto held = std::make_unique<std::vector<double>>(1000);
    if (what == "runtime") throw std::runtime_error("from runtime_error, ünïcode");
    if (what == "logic") throw std::logic_error("from logic_error");
    if (what == "argument") throw std::invalid_argument("from invalid_argument");
    if (what == "range") throw std::out_of_range("from out_of_range");
    if (what == "at") (void)held->at(5000);
    if (what == "overflow") throw std::overflow_error("from overflow_error");
    if (what == "memory") throw std::bad_alloc();
    if (what == "function") std::function<void()>()();
    if (what == "own") { struct Own : std::exception { const char *what() const noexcept override { return "own"; } };
                         throw Own(); }
    if (what == "int") throw 3;
    if (what == "recorded") fl::tensor::own(fl_error(FL_INDEX_ERROR, "recorded before"));
}
"""
C_SOURCE = "double from_c(double x) { return x + 0.5; }\n"
FUNCTIONS = "scaled sum_of_products conjugated nothing greeting plain rows twice_from_c guards throws from_c".split()


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    return cext.load_inline(
        "cxx",
        SOURCE,
        c_sources=C_SOURCE,
        functions=FUNCTIONS,
        build_directory=tmp_path_factory.mktemp("cxx"),
        extra_cflags=["-Wextra", "-Werror"],
    )


def test_tensors(module):
    x = np.random.default_rng(1).standard_normal((3, 4)).astype(np.float32)
    y = module.scaled(ft.from_numpy(x), a=2.5)
    np.testing.assert_array_equal(y.numpy(), x * np.float32(2.5))
    z = module.sum_of_products(ft.from_numpy(x), y)
    np.testing.assert_array_equal(z.numpy(), x * y.numpy() + 2)
    z = np.array([1 + 2j, -3j])
    np.testing.assert_array_equal(module.conjugated(ft.from_numpy(z)).numpy(), z.conj())
    assert module.plain(y) is y
    assert module.rows(y) == 3


def test_strings_and_c_beside(module):
    assert module.greeting("Zoë", times=2) == "bonjour Zoë; bonjour Zoë; "
    assert module.from_c(1.0) == 1.5
    assert module.twice_from_c(1.0) == 3.0


@pytest.mark.parametrize(
    ("what", "error", "message"),
    [
        ("runtime", RuntimeError, "from runtime_error, ünïcode"),
        ("logic", RuntimeError, "from logic_error"),
        ("argument", ValueError, "from invalid_argument"),
        ("range", IndexError, "from out_of_range"),
        ("at", IndexError, None),
        ("overflow", OverflowError, "from overflow_error"),
        ("memory", MemoryError, None),
        ("function", RuntimeError, None),
        ("own", RuntimeError, "own"),
        ("int", RuntimeError, "a C++ exception that is no std::exception"),
        ("recorded", IndexError, "recorded before"),
    ],
)
def test_exceptions(module, what, error, message):
    with pytest.raises(error) as caught:
        module.throws(what)
    assert type(caught.value) is error
    assert message in (None, str(caught.value))
    assert module.guards() == 0


def test_errors_of_the_library_are_exceptions(module):
    with pytest.raises(RuntimeError, match=r"data\(\): argument 'self': expected scalar type Float but found Double"):
        module.scaled(ft.zeros(2, dtype=ft.float64), 1.0)
    with pytest.raises(RuntimeError, match="expected a contiguous tensor"):
        module.scaled(ft.zeros(2, 3).t(), 1.0)
    with pytest.raises(RuntimeError, match="must match|broadcast"):
        module.sum_of_products(ft.zeros(2), ft.zeros(3))
    with pytest.raises(RuntimeError, match=r"nothing\(\) returned NULL"):
        module.nothing()
    with pytest.raises(TypeError, match=r"scaled\(\): argument 'x' \(position 1\) must be Tensor, not float"):
        module.scaled(1.0, 2.0)


def test_references_are_kept(module, keeps_references):
    x = ft.zeros(3)
    for call in (
        lambda: module.scaled(x, 2.0), lambda: module.sum_of_products(x, x), lambda: module.plain(x),
        lambda: pytest.raises(RuntimeError, module.sum_of_products, x, ft.zeros(2)),
    ):  # fmt: skip
        keeps_references(call, x)


def test_a_later_standard_may_be_asked_for():
    source = """
    #include <concepts>
    template <std::integral T> T next(T x) { return x + 1; }
    int f(int n) { return next(n); }
    """
    module = cext.load_inline("modern", source, functions="f", extra_cflags=["-std=c++20"])
    assert module.f(1) == 2


def test_a_syntax_error_in_cxx():
    with pytest.raises(cext.CompileError, match=r"^\S.*wrong\.cpp:2:\d+: error: "):
        cext.load_inline("wrong", "int f(int n) {\n    return n.size();\n}\n", functions="f")
