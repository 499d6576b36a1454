"""The C interface beyond elements: quick calls, errors taken and put back, dtypes, storages, modes, foreign threads."""

import gc
import sys
import warnings

import numpy as np
import pytest

import flambeau_cext as cext
import flambeau_tensor as ft

SOURCE = r"""
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* --- quick calls --- */
fl_tensor add(fl_tensor x, fl_tensor y, double alpha) {
    static fl_function f = NULL;
    fl_value args[] = {fl_of_double(alpha), fl_of_tensor(x), fl_of_tensor(y)};
    if (!f) f = fl_find_function("add", "alpha self other"); /* in an order of one's own */
    return fl_call_tensor(f, args);
}
fl_tensor add_number(fl_tensor x, double y) {
    static fl_function f = NULL;
    fl_value args[] = {fl_of_tensor(x), fl_of_double(y), fl_default()};
    if (!f) f = fl_find_function("torch.add", "self other alpha");
    return fl_call_tensor(f, args);
}
fl_tensor numbers_only(void) {
    fl_value args[] = {fl_of_int(1), fl_of_int(2)};
    return fl_call_tensor(fl_find_function("add", "self other"), args);
}
fl_tensor add_in_place(fl_tensor x, fl_tensor y) {
    fl_value args[] = {fl_of_tensor(x), fl_of_tensor(y)};
    if (fl_call_function(fl_find_function("Tensor.add_", "self other"), args, NULL, 0) < 0) return NULL;
    return fl_retain(x);
}
fl_tensor full(int64_t a, int64_t b, double value, fl_dtype dtype) {
    int64_t sizes[] = {a, b};
    fl_value args[] = {fl_of_ints(sizes, 2), fl_of_double(value), fl_of_dtype(dtype)};
    return fl_call_tensor(fl_find_function("full", "size fill_value dtype"), args);
}
fl_tensor cat(fl_tensor x, fl_optional_tensor y, int64_t dim) {
    fl_tensor both[] = {x, y};
    fl_value args[] = {fl_of_tensors(both, 2), fl_of_int(dim)};
    return fl_call_tensor(fl_find_function("cat", "tensors dim"), args);
}
fl_tensor div_floor(fl_tensor x, double by) {
    fl_value args[] = {fl_of_tensor(x), fl_of_double(by), fl_of_string("floor")};
    return fl_call_tensor(fl_find_function("div", "self other rounding_mode"), args);
}
const char *pieces(fl_tensor x, int64_t n) { /* a list is one result */
    static char text[100];
    fl_value result, args[] = {fl_of_tensor(x), fl_of_int(n)};
    int32_t count = fl_call_function(fl_find_function("chunk", "self chunks"), args, &result, 1), used;
    if (count < 0) return NULL;
    used = snprintf(text, sizeof text, "%d result of kind %d:", (int)count, (int)result.kind);
    for (int i = 0; i < result.count; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, " %lld", (long long)fl_numel(result.as.tensors[i]));
    fl_clear(&result);
    return result.kind == FL_VALUE_NONE ? text : "not cleared";
}
const char *largest(fl_tensor x, int room) {
    static char text[100];
    fl_value results[2], args[] = {fl_of_tensor(x), fl_of_int(0)};
    int32_t n = fl_call_function(fl_find_function("max.dim", "self dim"), args, results, room);
    if (n < 0) return NULL;
    snprintf(text, sizeof text, "%d: %d %d", (int)n, (int)fl_dtype_of(results[0].as.tensor),
             (int)fl_dtype_of(results[1].as.tensor));
    fl_clear(&results[0]);
    fl_clear(&results[1]);
    return text;
}
double item(fl_tensor x) {
    fl_value result, args[] = {fl_of_tensor(x)};
    if (fl_call_function(fl_find_function("Tensor.item", "self"), args, &result, 1) < 0) return 0;
    return result.kind == FL_VALUE_DOUBLE ? result.as.real : (double)result.as.integer;
}
const char *shape(fl_tensor x) {
    static char text[100];
    fl_value result, args[] = {fl_of_tensor(x)};
    if (fl_call_function(fl_find_function("Tensor.shape.__get__", "self"), args, &result, 1) < 0) return NULL;
    int used = snprintf(text, sizeof text, "%d:", (int)result.kind);
    for (int i = 0; i < result.count; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, " %lld", (long long)result.as.ints[i]);
    fl_clear(&result);
    return text;
}
fl_tensor not_a_tensor(fl_tensor x) {
    fl_value args[] = {fl_of_tensor(x)};
    return fl_call_tensor(fl_find_function("Tensor.dim", "self"), args);
}
void find(const char *name, const char *arguments) { (void)fl_find_function(name, arguments); }
fl_tensor forgotten(fl_tensor x) {
    fl_value args[] = {fl_of_tensor(x)};
    return fl_call_tensor(fl_find_function("add", "self"), args);
}
fl_tensor through_null(fl_tensor x) {
    fl_value args[] = {fl_of_tensor(x), fl_of_tensor(fl_empty((int64_t[]){-1}, 1, FL_FLOAT32))};
    return fl_call_tensor(fl_find_function("add", "self other"), args);
}
fl_tensor null_argument(fl_tensor x) {
    fl_value args[] = {fl_of_tensor(x), fl_of_tensor(NULL)};
    return fl_call_tensor(fl_find_function("add", "self other"), args);
}

/* --- errors --- */
const char *read_error(int code, const char *message, int size) {
    static char text[200];
    if (fl_error_read(text, sizeof text) != 0) return "an error before there is one";
    fl_error(code, message);
    char part[100];
    int status = fl_error_read(part, size);
    snprintf(text, sizeof text, "%d %s", status, part);
    fl_error_clear();
    return text;
}
fl_tensor recovered(fl_tensor x, fl_tensor y) { /* x + y, or x if that fails; the message is kept */
    fl_tensor z = add(x, y, 1);
    if (!z) {
        fl_exception e = fl_error_take();
        char text[40];
        if (fl_error_occurred() || !e || fl_exception_read(e, text, sizeof text) != FL_RUNTIME_ERROR)
            return fl_error(FL_VALUE_ERROR, "not taken");
        fl_error_drop(e);
        return fl_retain(x);
    }
    return z;
}
fl_tensor put_back(fl_tensor x, fl_tensor y) {
    fl_tensor z = add(x, y, 1);
    if (!z) {
        fl_exception e = fl_error_take();
        fl_release(fl_zeros(NULL, 0, FL_INT8)); /* works in between */
        fl_error_put(e);
    }
    return z;
}
int nothing_to_take(void) { return fl_error_take() == NULL && fl_exception_read(NULL, NULL, 0) == 0; }
void warn(const char *message) { fl_warn(message); }
static void body(int64_t begin, int64_t end, void *context) {
    char text[50];
    (void)context;
    for (int64_t i = begin; i < end; i++)
        if (i % 2) {
            fl_errorf(FL_INDEX_ERROR, "element %d", (int)i);
            if (fl_error_read(text, sizeof text) == FL_INDEX_ERROR && i == 1) fl_error_drop(fl_error_take());
        }
}
int errors_in_a_loop(int64_t n) { return fl_parallel_for(n, 1, body, NULL); }

/* --- facts --- */
const char *facts(fl_tensor t) {
    static char text[100];
    snprintf(text, sizeof text, "%d %lld %lld %lld", (int)fl_flags(t), (long long)fl_storage_offset(t),
             (long long)fl_storage_nbytes(t), (long long)fl_version(t));
    return text;
}
int written(fl_tensor t) { return fl_written(t); }
fl_dtype promote(fl_dtype a, fl_dtype b) { return fl_promote_types(a, b); }
fl_dtype with_number(fl_tensor t, double number) {
    fl_value operands[] = {fl_of_tensor(t), fl_of_double(number)};
    return fl_result_type(operands, 2);
}
fl_dtype with_int(fl_tensor t) {
    fl_value operands[] = {fl_of_tensor(t), fl_of_int(3)};
    return fl_result_type(operands, 2);
}
fl_dtype of_text(void) {
    fl_value operand = fl_of_string("x");
    return fl_result_type(&operand, 1);
}
fl_dtype of_nothing(void) { return fl_result_type(NULL, 0); }
fl_dtype usual(void) { return fl_default_dtype(); }
const char *described(fl_tensor t, int size) {
    static char text[100];
    memset(text, '#', sizeof text - 1);
    return fl_describe(t, text, size) < 0 ? NULL : text;
}
int64_t length(fl_tensor t) { return fl_describe(t, NULL, 0); }
int grad_mode(int on) { return fl_grad_mode(on); }

/* --- threads --- */
static void *foreign(void *context) { /* a thread that Python has not seen */
    fl_tensor *x = context;
    if (fl_gil_held() || fl_in_parallel()) return NULL;
    fl_tensor kept = fl_retain(x[0]); /* takes the GIL by itself */
    int32_t state = fl_gil_ensure();
    x[1] = add(kept, kept, 1);
    fl_gil_drop(state);
    fl_release(kept);
    return x;
}
fl_tensor in_a_thread(fl_tensor x) {
    fl_tensor both[2] = {x, NULL};
    pthread_t thread;
    void *done = NULL, *state = fl_gil_release();
    pthread_create(&thread, NULL, foreign, both);
    pthread_join(thread, &done);
    fl_gil_acquire(state);
    return done ? both[1] : fl_error(FL_RUNTIME_ERROR, "the thread had the GIL");
}
static void look(int64_t begin, int64_t end, void *context) {
    (void)begin, (void)end;
    if (!fl_in_parallel()) *(int *)context = 0;
}
int in_parallel(void) {
    int inside = 1;
    fl_parallel_for(100, 1, look, &inside);
    return inside && !fl_in_parallel() && fl_gil_held();
}
"""
NAMES = (
    "add add_number numbers_only add_in_place full cat div_floor pieces largest item shape not_a_tensor find forgotten "
    "through_null null_argument read_error recovered put_back nothing_to_take warn errors_in_a_loop facts written "
    "promote with_number with_int of_text of_nothing usual described length grad_mode in_a_thread in_parallel"
).split()
CODE = {ft.uint8: 0, ft.int32: 3, ft.int64: 4, ft.float16: 5, ft.float32: 6, ft.float64: 7, ft.complex64: 9,
        ft.complex128: 10, ft.bool: 11, ft.bfloat16: 15}  # fmt: skip


@pytest.fixture(scope="module")
def c(tmp_path_factory):
    return cext.load_inline(
        "interface",
        c_sources=SOURCE,
        functions=NAMES,
        extra_cflags=["-Wextra", "-Werror"],
        extra_ldflags=["-pthread"],
        build_directory=tmp_path_factory.mktemp("interface"),
    )


def test_calls(c):
    x = ft.arange(6.0).view(2, 3)
    assert ft.equal(c.add(x, x, 2.0), x * 3)
    assert ft.equal(c.add_number(x, 2.5), x + 2.5)
    y = x + 1
    assert c.add_in_place(y, x) is y
    assert ft.equal(y, x * 2 + 1)
    assert c.full(2, 1, 0.5, 7).tolist() == [[0.5], [0.5]]
    assert ft.equal(c.cat(x, x, 1), ft.cat([x, x], 1))
    assert ft.equal(c.div_floor(x, 2.0), x // 2)
    assert c.pieces(ft.arange(7), 3) == "1 result of kind 9: 3 3 1"
    assert c.largest(x, 2) == "2: 6 4"
    assert c.item(ft.tensor(2.5)) == 2.5
    assert ft.equal(c.numbers_only(), ft.add(1, 2))
    assert c.shape(x) == "8: 2 3"


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda c, x: c.cat(x, None, 0), TypeError, "expected Tensor as element 1"),
        (lambda c, x: c.largest(x, 1), RuntimeError, r"max\(\) has 2 results, but there is room for 1"),
        (lambda c, x: c.not_a_tensor(x), TypeError, "fl_call_tensor: the operator does not return a tensor"),
        (lambda c, x: c.find("no_such", ""), RuntimeError, "no operator named 'no_such'"),
        (lambda c, x: c.find("no::such", ""), RuntimeError, "no operator named 'no::such'"),
        (lambda c, x: c.find("add", "self b"), RuntimeError, r"add\(\) has no argument 'b': add\(Tensor self"),
        (lambda c, x: c.find("add", "self self"), RuntimeError, r"an argument of add\(\) stands twice in 'self self'"),
        (lambda c, x: c.forgotten(x), TypeError, r'add\(\) missing 1 required positional arguments: "other"'),
        (lambda c, x: c.through_null(x), RuntimeError, "negative"),
        (lambda c, x: c.null_argument(x), RuntimeError, r"add\(\): argument 'other' is no tensor \(NULL\)"),
        (lambda c, x: c.add(x, ft.zeros(7), 1.0), RuntimeError, "must match"),
    ],
)
def test_wrong_calls(c, call, error, message):
    x = ft.ones(2)
    before = sys.getrefcount(x)
    with pytest.raises(error, match=message):
        call(c, x)
    gc.collect()
    assert sys.getrefcount(x) == before


def test_overrides_are_asked(c):
    class Mine(ft.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return "asked", func.__name__, len(args), sorted(kwargs or ())

    x = ft.ones(2).as_subclass(Mine)
    with pytest.raises(TypeError, match="does not return a tensor"):
        c.add(x, x, 2.0)

    class Plain(ft.Tensor):
        pass

    assert type(c.add(ft.ones(2).as_subclass(Plain), ft.ones(2), 2.0)) is Plain


def test_errors_are_read_taken_and_put_back(c):
    for code, status in ((1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 1)):
        assert c.read_error(code, "text", 90) == f"{status} text"
    assert c.read_error(1, "a longer text", 5) == "1 a lo"
    x, y = ft.ones(2), ft.ones(3)
    assert c.recovered(x, x).tolist() == [2, 2]
    assert c.recovered(x, y) is x
    with pytest.raises(RuntimeError, match="must match") as caught:
        c.put_back(x, y)
    assert caught.value.__traceback__ is not None
    assert c.nothing_to_take()


def test_warnings(c):
    with pytest.warns(UserWarning, match="take care"):
        c.warn("take care")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="take care"):
            c.warn("take care")


def test_errors_in_a_loop(c):
    assert c.errors_in_a_loop(1) == 0
    assert c.errors_in_a_loop(2) == 0  # dropped by the body
    with pytest.raises(IndexError, match=r"element \d*[3579]"):
        c.errors_in_a_loop(1000)


def test_facts(c):
    x = ft.zeros(4, 5)
    assert c.facts(x) == "2 0 80 0"
    assert c.facts(x[1:]).startswith("6 5 80 ")
    x += 1
    assert c.facts(x) == "2 0 80 1"
    assert c.written(x) == 0
    assert c.facts(x) == "2 0 80 2"
    array = np.zeros(3)
    array.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        readonly = ft.from_numpy(array)
    assert c.facts(readonly) == "10 0 24 0"
    with pytest.raises(RuntimeError, match="read-only"):
        c.written(readonly)


def test_sizes_are_asked_for_again_after_a_call():
    """Compilers may ask once for a whole loop, and only then."""
    source = """
    static int64_t before, after, first;
    void resize(fl_tensor x, int64_t n) {
        before = fl_numel(x) * 1000 + fl_sizes(x)[0];
        int64_t sizes[] = {n};
        fl_value args[] = {fl_of_tensor(x), fl_of_ints(sizes, 1)};
        fl_release(fl_call("Tensor.resize_", args, 2));
        after = fl_numel(x) * 1000 + fl_sizes(x)[0];
        for (int64_t i = 0; i < fl_numel(x); i++) ((double *)fl_data(x))[i] = i;
        first = (int64_t)((const double *)fl_const_data(x))[fl_numel(x) - 1];
    }
    int64_t was(void) { return before; }
    int64_t now(void) { return after; }
    int64_t last(void) { return first; }
    """
    module = cext.load_inline("resizing", c_sources=source, functions=["resize", "was", "now", "last"])
    module.resize(ft.zeros(4, dtype=ft.float64), 100_000)
    assert (module.was(), module.now(), module.last()) == (4004, 100_100_000, 99_999)


def test_facts_of_autograd(c):
    pytest.importorskip("flambeau_autograd")
    x = ft.zeros(2, requires_grad=True)
    assert c.facts(x).startswith("3 ")
    assert c.facts(x * 1).startswith("1 ")
    assert c.facts(x.detach()).startswith("2 ")
    assert c.grad_mode(-1) == 1
    assert c.grad_mode(0) == 1
    try:
        assert not (x * 1).requires_grad
    finally:
        assert c.grad_mode(1) == 0
    assert (x * 1).requires_grad


def test_dtypes(c):
    for a in CODE:
        for b in CODE:
            assert c.promote(CODE[a], CODE[b]) == CODE[ft.promote_types(a, b)]
        x = ft.ones(2, dtype=a)
        assert c.with_number(x, 2.0) == CODE[(x * 2.0).dtype]
        assert c.with_int(x) == CODE[(x * 3).dtype]
    assert c.usual() == 6
    for call, error, message in (
        (lambda: c.promote(6, 12), RuntimeError, "12 is no dtype"),
        (c.of_text, TypeError, "fl_result_type: operand 0 is str, neither Tensor nor number"),
        (c.of_nothing, RuntimeError, "1 to 24 operands, got 0"),
    ):
        with pytest.raises(error, match=message):
            call()


def test_description(c):
    x = ft.tensor([1.0, 2.5])
    text = repr(x)
    assert c.described(x, 90) == text
    assert c.described(x, 5) == text[:4]
    assert c.length(x) == len(text)


def test_threads(c):
    x = ft.ones(2)
    before = sys.getrefcount(x)
    assert c.in_a_thread(x).tolist() == [2, 2]
    assert sys.getrefcount(x) == before
    assert c.in_parallel()
