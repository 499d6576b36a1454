"""Kernels in C over tensors: numerics against NumPy, checks, errors, views, operators, threads, references."""

import math
import threading

import numpy as np
import pytest

import flambeau_cext as cext
import flambeau_tensor as ft

SWISH = r"""
#include <math.h>

/* swish(x) = x / (1 + exp(-x)), forward and backward, fused and for both precisions. */
#define SWISH(T, EXP)                                                                                  \
    static void forward_##T(const T *x, T *y, int64_t n) {                                             \
        for (int64_t i = 0; i < n; i++) y[i] = x[i] / (1 + EXP(-x[i]));                                \
    }                                                                                                  \
    static void backward_##T(const T *g, const T *x, T *out, int64_t n) {                              \
        for (int64_t i = 0; i < n; i++) {                                                              \
            T s = 1 / (1 + EXP(-x[i]));                                                                \
            out[i] = g[i] * (s + x[i] * s * (1 - s));                                                  \
        }                                                                                              \
    }
SWISH(float, expf)
SWISH(double, exp)

fl_tensor swish(fl_tensor input) {
    fl_tensor x = fl_contiguous(input), y = fl_empty_like(x);
    const void *from = fl_const_data(x);
    void *to = fl_data(y);
    if (from && to) {
        if (fl_dtype_of(x) == FL_FLOAT32) forward_float(from, to, fl_numel(x));
        else if (fl_dtype_of(x) == FL_FLOAT64) forward_double(from, to, fl_numel(x));
        else fl_error(FL_TYPE_ERROR, "swish(): argument 'input' (position 1) must be of float32 or float64");
    }
    fl_release(x);
    return y;
}

fl_tensor swish_backward(fl_tensor grad, fl_tensor input) {
    fl_dtype dtype = fl_dtype_of(input);
    if (FL_CHECK(input, FL_ANY, -1) || FL_CHECK(grad, dtype, fl_ndim(input))) return NULL;
    for (int d = 0; d < fl_ndim(input); d++)
        if (fl_size(grad, d) != fl_size(input, d))
            return fl_errorf(FL_RUNTIME_ERROR, "swish_backward(): sizes differ in dimension %d: %lld and %lld", d,
                             (long long)fl_size(grad, d), (long long)fl_size(input, d));
    fl_tensor out = fl_empty_like(input);
    if (!out) return NULL;
    if (dtype == FL_FLOAT32) backward_float(fl_const_data(grad), fl_const_data(input), fl_data(out), fl_numel(out));
    else backward_double(fl_const_data(grad), fl_const_data(input), fl_data(out), fl_numel(out));
    return out;
}
"""

REST = r"""
#include <stdio.h>
#include <stdlib.h>

const char *describe(fl_tensor t) {
    static char text[200];
    int used = snprintf(text, sizeof text, "%d:%lld:%d:", (int)fl_dtype_of(t), (long long)fl_numel(t),
                        fl_is_contiguous(t));
    for (int d = 0; d < fl_ndim(t); d++)
        used += snprintf(text + used, sizeof text - used, "%lld/%lld,", (long long)fl_sizes(t)[d],
                         (long long)fl_strides(t)[d]);
    return text;
}
int64_t size(fl_tensor t, int dim) { return fl_size(t, dim); }
fl_tensor zeros(int64_t a, int64_t b, fl_dtype dtype) { return fl_zeros((int64_t[]){a, b}, 2, dtype); }
fl_tensor many(int ndim) {
    int64_t sizes[100];
    for (int d = 0; d < 100; d++) sizes[d] = 1;
    return fl_zeros(sizes, ndim, FL_INT64);
}
fl_tensor itself(fl_tensor t) { return fl_retain(t); }
fl_tensor or_zeros(fl_optional_tensor t) { return t ? fl_retain(t) : fl_zeros(NULL, 0, FL_FLOAT64); }
fl_tensor contiguous(fl_tensor t) { return fl_contiguous(t); }
fl_tensor strided(fl_tensor t, int64_t n, int64_t step, int64_t offset) {
    return fl_as_strided(t, &n, &step, 1, offset);
}
int64_t address(fl_tensor t) { return (int64_t)(intptr_t)fl_const_data(t); }
void add_one(fl_tensor x) {
    if (FL_CHECK(x, FL_FLOAT64, -1)) return;
    double *p = fl_data(x);
    if (p) for (int64_t i = 0; i < fl_numel(x); i++) p[i] += 1;
}
fl_tensor needs_matrix(fl_tensor x) { return FL_CHECK(x, FL_FLOAT32, 2) ? NULL : fl_retain(x); }

void fail(int code, const char *message) { fl_error(code, message); }
int fail_int(void) { fl_error(FL_VALUE_ERROR, "no int"); return 7; }
fl_tensor fail_after_making(void) { fl_error(FL_VALUE_ERROR, "late"); return NULL; }
fl_tensor fail_and_return(fl_tensor x) { fl_error(FL_INDEX_ERROR, "both"); return fl_retain(x); }
fl_tensor silent(void) { return NULL; }
fl_tensor unchecked_chain(void) {
    fl_tensor t = fl_empty((int64_t[]){-1}, 1, FL_FLOAT32);
    fl_tensor u = fl_contiguous(fl_as_strided(t, fl_sizes(t), fl_strides(t), fl_ndim(t), fl_numel(t)));
    fl_data(u);
    return fl_call("add", (fl_value[]){fl_of_tensor(t), fl_of_tensor(u)}, 2);
}
void forgiven(void) { fl_error(FL_VALUE_ERROR, "forgiven"); if (fl_error_occurred()) fl_error_clear(); }

static int freed = 0;
static void give_back(void *p) { free(p); freed++; }
fl_tensor blob(int64_t rows, int64_t columns, bool by_columns) {
    int32_t *p = malloc((size_t)(rows * columns) * sizeof *p);
    int64_t sizes[] = {rows, columns}, strides[] = {1, rows};
    for (int64_t i = 0; i < rows * columns; i++) p[i] = (int32_t)i;
    fl_tensor t = fl_from_blob(p, sizes, by_columns ? strides : NULL, 2, FL_INT32, give_back, p);
    if (!t) free(p);
    return t;
}
int times_freed(void) { return freed; }
fl_tensor no_blob(void) { return fl_from_blob(NULL, (int64_t[]){3}, NULL, 1, FL_INT32, NULL, NULL); }

fl_tensor call1(const char *name, fl_tensor x) { return fl_call(name, (fl_value[]){fl_of_tensor(x)}, 1); }
fl_tensor add(fl_tensor x, fl_tensor y, double alpha) {
    return fl_call("add", (fl_value[]){fl_of_tensor(x), fl_of_tensor(y), fl_named("alpha", fl_of_double(alpha))}, 3);
}
fl_tensor add_in_wrong_order(fl_tensor x) {
    return fl_call("add", (fl_value[]){fl_named("self", fl_of_tensor(x)), fl_of_int(1)}, 2);
}
fl_tensor full(int64_t n, double re, double im) {
    fl_value args[] = {fl_of_ints(&n, 1), fl_of_complex(re, im), fl_named("dtype", fl_of_dtype(FL_COMPLEX128))};
    return fl_call("full", args, 3);
}
fl_tensor cat(fl_tensor x, fl_optional_tensor y) {
    fl_tensor both[] = {x, y};
    return fl_call("cat", (fl_value[]){fl_of_tensors(both, 2), fl_of_int(0)}, 2);
}
const char *results(const char *name, fl_tensor x, int room) {
    static char text[100];
    fl_value out[8], in[] = {fl_of_tensor(x)};
    int32_t n = fl_call_operator(fl_find_operator(name), in, 1, out, room);
    int used = snprintf(text, sizeof text, "%d:", (int)n);
    for (int i = 0; i < n; i++) {
        used += snprintf(text + used, sizeof text - used, "%d,", (int)out[i].kind);
        if (out[i].kind == FL_VALUE_TENSOR) fl_release(out[i].as.tensor);
    }
    return text;
}

typedef struct { const double *x; double *y; int64_t bad; } work;
static void square(int64_t begin, int64_t end, void *context) {
    work *w = context;
    for (int64_t i = begin; i < end; i++) {
        w->y[i] = w->x[i] * w->x[i];
        if (i == w->bad) fl_errorf(FL_VALUE_ERROR, "element %lld is bad", (long long)i);
    }
}
fl_tensor squares(fl_tensor x, int64_t grain, int64_t bad) {
    if (FL_CHECK(x, FL_FLOAT64, -1)) return NULL;
    fl_tensor y = fl_empty_like(x);
    if (!y) return NULL;
    work w = {fl_const_data(x), fl_data(y), bad};
    if (fl_parallel_for(fl_numel(x), grain, square, &w)) { fl_release(y); return NULL; }
    return y;
}
typedef struct { int64_t counts[16]; } nest;
static void inner(int64_t begin, int64_t end, void *context) { *(int64_t *)context += end - begin; }
static void outer(int64_t begin, int64_t end, void *context) {
    for (int64_t i = begin; i < end; i++) fl_parallel_for(100, 10, inner, &((nest *)context)->counts[i]);
}
int64_t nested(void) {
    nest n = {{0}};
    int64_t total = 0;
    if (fl_parallel_for(16, 1, outer, &n)) return -1;
    for (int i = 0; i < 16; i++) total += n.counts[i];
    return total;
}
int threads(void) { return fl_num_threads(); }
void spin(int64_t address) { /* without the GIL, until somebody else writes */
    volatile int32_t *flag = (volatile int32_t *)(intptr_t)address;
    void *state = fl_gil_release();
    while (!*flag) {}
    fl_gil_acquire(state);
}
"""
FUNCTIONS = """
    describe size zeros many itself or_zeros contiguous strided address add_one needs_matrix fail fail_int
    fail_after_making fail_and_return silent unchecked_chain forgiven blob times_freed no_blob call1 add
    add_in_wrong_order full cat results squares nested threads spin
""".split()


@pytest.fixture(scope="module")
def swish(tmp_path_factory):
    return cext.load_inline(
        "swish",
        c_sources=SWISH,
        functions=["swish", "swish_backward"],
        build_directory=tmp_path_factory.mktemp("swish"),
        extra_cflags=["-Werror"],
    )


@pytest.fixture(scope="module")
def c(tmp_path_factory):
    source = "#include <stdbool.h>\n" + REST
    return cext.load_inline("rest", c_sources=source, functions=FUNCTIONS, build_directory=tmp_path_factory.mktemp("c"))


def normal(*shape, dtype=np.float64):
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


# --- numerics -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 1e-6), (np.float64, 1e-15)])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (5,), (3, 0, 2), (7, 11), (2, 3, 4, 5, 6, 2)])
def test_a_fused_activation_forward_and_backward(swish, dtype, tolerance, shape):
    x, grad = 3 * normal(*shape, dtype=dtype), normal(*shape, dtype=dtype)
    x, grad = np.asarray(x, dtype), np.asarray(grad, dtype)
    exact = x.astype(np.float64)
    sigmoid = 1 / (1 + np.exp(-exact))
    y = swish.swish(ft.from_numpy(x)).numpy()
    g = swish.swish_backward(ft.from_numpy(grad), input=ft.from_numpy(x)).numpy()
    assert (y.dtype, y.shape, g.dtype, g.shape) == (dtype, shape, dtype, shape)
    np.testing.assert_allclose(y, exact * sigmoid, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(g, grad * (sigmoid + exact * sigmoid * (1 - sigmoid)), rtol=tolerance, atol=tolerance)


def test_a_kernel_that_takes_strided_input(swish):
    x = normal(6, 4)
    y = swish.swish(ft.from_numpy(x).t())
    np.testing.assert_allclose(y.numpy(), x.T / (1 + np.exp(-x.T)), rtol=1e-15)


# --- what a handle shows --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "code"),
    [(ft.uint8, 0), (ft.int8, 1), (ft.int16, 2), (ft.int32, 3), (ft.int64, 4), (ft.float16, 5), (ft.float32, 6),
     (ft.float64, 7), (ft.complex64, 9), (ft.complex128, 10), (ft.bool, 11), (ft.bfloat16, 15)],
)  # fmt: skip
def test_dtypes(c, dtype, code):
    t = c.zeros(2, 3, code)
    assert t.dtype is dtype
    assert c.describe(t) == f"{code}:6:1:2/3,3/1,"
    assert t.tolist() == ft.zeros(2, 3, dtype=dtype).tolist()


def test_geometry(c):
    x = ft.from_numpy(np.zeros((4, 6), np.int16))
    assert c.describe(x) == "2:24:1:4/6,6/1,"
    assert c.describe(x.t()) == "2:24:0:6/1,4/6,"
    assert c.describe(ft.from_numpy(np.zeros((), np.float64))) == "7:1:1:"
    assert [c.size(x, d) for d in (0, 1, -1, -2)] == [4, 6, 6, 4]
    for dim in (2, -3):
        with pytest.raises(IndexError, match=rf"expected to be in range of \[-2, 1\], but got {dim}"):
            c.size(x, dim)
    with pytest.raises(IndexError, match=r"expected to be in range of \[-1, 0\], but got 0"):
        c.size(ft.from_numpy(np.zeros(())), 0)


def test_elements_are_where_numpy_sees_them(c):
    array = normal(3, 4)
    x = ft.from_numpy(array)
    assert c.address(x) == array.ctypes.data
    assert c.address(x.t()) == array.ctypes.data
    assert c.address(ft.from_numpy(np.zeros((0, 3)))) != 0


def test_writing_is_seen_and_counted(c):
    array = normal(2, 3)
    before = array.copy()
    x = ft.from_numpy(array)
    view = x.view(6)
    version = x._version
    assert c.add_one(view) is None
    np.testing.assert_array_equal(array, before + 1)
    assert x._version == version + 1
    c.address(x)
    assert x._version == version + 1


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
def test_read_only_memory_stays_unwritten(c):
    array = normal(3)
    array.flags.writeable = False
    before = array.copy()
    with pytest.raises(RuntimeError, match="read-only memory"):
        c.add_one(ft.from_numpy(array))
    np.testing.assert_array_equal(array, before)


# --- checks and errors ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argument", "error", "message"),
    [
        (3, TypeError, "needs_matrix(): argument 'x' (position 1) must be Tensor, not int"),
        (None, TypeError, "needs_matrix(): argument 'x' (position 1) must be Tensor, not NoneType"),
        (np.zeros((2, 2)), TypeError, "needs_matrix(): argument 'x' (position 1) must be Tensor, not ndarray"),
        (ft.zeros(2, 2, dtype=ft.float64), RuntimeError,
         "needs_matrix(): argument 'x': expected scalar type Float but found Double"),
        (ft.zeros(2, 2, 2), RuntimeError,
         "needs_matrix(): argument 'x': expected 2 dimensions but found 3, shape [2, 2, 2]"),
        (ft.zeros(2, 3).t(), RuntimeError,
         "needs_matrix(): argument 'x': expected a contiguous tensor but found strides [1, 3] for shape [3, 2]; "
         "pass x.contiguous() or take fl_contiguous(x)"),
    ],
)  # fmt: skip
def test_checks(c, argument, error, message):
    with pytest.raises(error) as caught:
        c.needs_matrix(argument)
    assert str(caught.value) == message


def test_a_kernels_own_errors(swish):
    x = ft.zeros(2, 3)
    with pytest.raises(TypeError, match=r"swish\(\): argument 'input' \(position 1\) must be of float32 or float64"):
        swish.swish(ft.zeros(2, dtype=ft.int64))
    with pytest.raises(RuntimeError, match="'grad': expected scalar type Float but found Double"):
        swish.swish_backward(ft.zeros(2, 3, dtype=ft.float64), x)
    with pytest.raises(RuntimeError, match="'grad': expected 2 dimensions but found 1"):
        swish.swish_backward(ft.zeros(6), x)
    with pytest.raises(RuntimeError, match="sizes differ in dimension 1: 2 and 3"):
        swish.swish_backward(ft.zeros(2, 2), x)


@pytest.mark.parametrize(
    ("code", "error"),
    [(1, RuntimeError), (2, TypeError), (3, ValueError), (4, IndexError), (5, NotImplementedError), (6, MemoryError),
     (99, RuntimeError)],
)  # fmt: skip
def test_error_codes(c, code, error):
    with pytest.raises(error) as caught:
        c.fail(code, "with % signs, ünïcode")
    assert type(caught.value) is error
    assert str(caught.value) == "with % signs, ünïcode"


def test_errors_of_every_kind_of_function(c):
    x = ft.zeros(2)
    for call, error, message in (
        (c.fail_int, ValueError, "no int"),
        (c.fail_after_making, ValueError, "late"),
        (lambda: c.fail_and_return(x), IndexError, "both"),
        (c.silent, RuntimeError, r"silent\(\) returned NULL without saying why; use fl_error"),
        (c.unchecked_chain, RuntimeError, r"negative dimension -1: \[-1\]"),
        (lambda: c.zeros(2, 2, 12), RuntimeError, "12 is no dtype"),
        (lambda: c.zeros(2**40, 2**40, 6), RuntimeError, "overflow"),
        (lambda: c.many(65), RuntimeError, "0 to 64 dimensions, got 65"),
    ):
        with pytest.raises(error, match=message):
            call()
    assert c.forgiven() is None
    assert c.many(64).shape == (1,) * 64


# --- lifetime, views, foreign memory --------------------------------------------------------------------------------


def test_returning_and_sharing(c):
    x = ft.zeros(2, 2)
    assert c.itself(x) is x
    assert c.or_zeros(x) is x
    assert c.or_zeros(None).tolist() == 0.0
    assert c.contiguous(x) is x
    y = c.contiguous(x.t())
    assert y is not x and c.describe(y).startswith("6:4:1:")
    with pytest.raises(TypeError, match=r"argument 't' \(position 1\) must be Tensor or None, not str"):
        c.or_zeros("")


def test_references_are_kept(c, swish, keeps_references):
    x = ft.zeros(3, dtype=ft.float64)
    calls = (
        lambda: c.itself(x), lambda: c.or_zeros(x), lambda: c.contiguous(x), lambda: c.strided(x, 2, 1, 0),
        lambda: c.add(x, x, 2.0), lambda: c.squares(x, 1, -1), lambda: c.describe(x), lambda: swish.swish(x),
        lambda: pytest.raises(IndexError, c.fail_and_return, x), lambda: pytest.raises(IndexError, c.size, x, 9),
        lambda: pytest.raises(ValueError, c.squares, x, 1, 1), lambda: pytest.raises(RuntimeError, c.needs_matrix, x),
        lambda: pytest.raises(RuntimeError, c.cat, x, None), lambda: c.cat(x, x),
    )  # fmt: skip
    for call in calls:
        keeps_references(call, x)


def test_subclasses_are_tensors(c):
    class Mine(ft.Tensor):
        pass

    x = ft.zeros(2, 2).as_subclass(Mine)
    assert c.itself(x) is x
    assert c.describe(x) == "6:4:1:2/2,2/1,"


def test_strided_views(c):
    array = np.arange(12.0)
    x = ft.from_numpy(array)
    view = c.strided(x, 4, 3, 1)
    assert view.tolist() == [1.0, 4.0, 7.0, 10.0]
    array[4] = -1
    assert view.tolist() == [1.0, -1.0, 7.0, 10.0]
    c.add_one(c.strided(x, 2, 1, 0))
    assert array[:2].tolist() == [1.0, 2.0] and x._version == view._version == 1
    assert c.strided(x, 0, 1, 12).tolist() == []
    for n, step, offset in ((5, 3, 1), (1, 1, 12), (2, -1, 1), (-1, 1, 0), (1, 1, -1), (2**62, 2**62, 0)):
        words = "fl_as_strided: .*but the storage has|must not be negative|Storage size calculation overflowed"
        with pytest.raises(RuntimeError, match=words):
            c.strided(x, n, step, offset)


def test_memory_of_the_extensions_own(c):
    freed = c.times_freed()
    x = c.blob(2, 3, False)
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    view = x.select(0, 1)
    del x
    assert c.times_freed() == freed
    assert view.tolist() == [3, 4, 5]
    del view
    assert c.times_freed() == freed + 1
    assert c.blob(2, 3, True).tolist() == [[0, 2, 4], [1, 3, 5]]
    assert c.times_freed() == freed + 2
    with pytest.raises(RuntimeError, match="data is NULL"):
        c.no_blob()


# --- operators ------------------------------------------------------------------------------------------------------


def test_operators_by_name(c):
    x, y = ft.from_numpy(normal(2, 3)), ft.from_numpy(normal(3))
    np.testing.assert_array_equal(c.add(x, y, 2.0).numpy(), x.numpy() + 2 * y.numpy())
    np.testing.assert_array_equal(c.call1("neg", x).numpy(), -x.numpy())
    np.testing.assert_array_equal(c.call1("torch.neg", x).numpy(), -x.numpy())
    assert c.full(2, 1.0, -2.0).tolist() == [1 - 2j, 1 - 2j]
    assert c.cat(y, y).tolist() == y.tolist() * 2
    assert c.results("unbind", x, 8) == "2:1,1,"
    assert c.results("is_floating_point", x, 1) == "1:4,"
    with pytest.raises(RuntimeError, match=r"unbind\(\) has 2 results, but there is room for 1"):
        c.results("unbind", x, 1)


def test_an_operators_error_passes_through_c(c):
    x = ft.zeros(2, 3)
    with pytest.raises(RuntimeError, match="must match|broadcast"):
        c.add(x, ft.zeros(4), 1.0)
    with pytest.raises(RuntimeError, match="no operator named 'no_such'"):
        c.call1("no_such", x)
    with pytest.raises(TypeError, match=r"add\(\) missing 1 required positional arguments: \"other\""):
        c.call1("add", x)
    with pytest.raises(TypeError, match=r"add\(\): positional argument 2 follows one given by name"):
        c.add_in_wrong_order(x)
    with pytest.raises(RuntimeError, match="got NULL for tensor 1 of a list"):
        c.cat(x, None)


def test_an_override_is_asked_when_c_calls(c):
    class Loud(ft.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            raise LookupError(f"asked for {func.__name__}")

    with pytest.raises(LookupError, match="asked for neg"):
        c.call1("neg", ft.zeros(2).as_subclass(Loud))


# --- threads --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 10, 100_000])
@pytest.mark.parametrize("grain", [1, 1000, 10**9])
def test_parallel_loops(c, n, grain):
    x = normal(n)
    np.testing.assert_array_equal(c.squares(ft.from_numpy(x), grain, -1).numpy(), x * x)


@pytest.mark.parametrize("grain", [1, 1000, 10**9])
def test_an_error_in_a_parallel_loop(c, grain):
    x = ft.from_numpy(normal(100_000))
    for bad in (0, 50_000, 99_999):
        with pytest.raises(ValueError, match=f"^element {bad} is bad$"):
            c.squares(x, grain, bad)
    assert c.squares(x, grain, -1).shape == (100_000,)


def test_parallel_loops_in_parallel_loops(c):
    assert c.nested() == 1600
    assert c.threads() == ft.get_num_threads()


def test_parallel_loops_of_several_python_threads(c):
    x = normal(200_000)
    tensor, wrong = ft.from_numpy(x), []

    def work(bad):
        for _ in range(20):
            try:
                y = c.squares(tensor, 1000, bad)
            except ValueError as error:
                wrong.extend([] if str(error) == f"element {bad} is bad" else [error])
            else:
                wrong.extend([] if bad < 0 and np.array_equal(y.numpy(), x * x) else [y])

    threads = [threading.Thread(target=work, args=(bad,)) for bad in (-1, 5, -1, 70_000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_gil_can_be_let_go(c):
    flag = np.zeros(1, np.int32)
    timer = threading.Timer(0.05, lambda: flag.__setitem__(0, 1))
    timer.start()
    c.spin(flag.ctypes.data)
    timer.join()
    assert flag[0] == 1 and math.isfinite(c.threads())
