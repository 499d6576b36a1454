"""Operators defined in C: bound, called and checked like any other, differentiable through a backward in C."""

import gc
import inspect
import sys
import warnings

import numpy as np
import pytest

import flambeau_cext as cext
import flambeau_tensor as ft
from flambeau_tensor.extend import find_operator

SOURCE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

static int calls = 0;
int times_called(void) { return calls; }

/* a * b + c for contiguous float32 or float64 of one shape, and the gradients of a and b. */
static int same_shape(fl_tensor a, fl_tensor b) {
    if (fl_dtype_of(a) != fl_dtype_of(b) || fl_ndim(a) != fl_ndim(b)) return 0;
    for (int d = 0; d < fl_ndim(a); d++)
        if (fl_sizes(a)[d] != fl_sizes(b)[d]) return 0;
    return 1;
}
static int32_t muladd(void *context, const fl_value *args, int32_t nargs, fl_value *results, int32_t nresults) {
    fl_tensor a = args[0].as.tensor, b = args[1].as.tensor;
    double c = args[2].as.real;
    calls++;
    (void)context, (void)nargs, (void)nresults;
    if (!same_shape(a, b)) { fl_error(FL_VALUE_ERROR, "muladd(): a and b differ in shape or dtype"); return -1; }
    fl_tensor out = fl_empty_like(a);
    fl_tensor x = fl_contiguous(a), y = fl_contiguous(b);
    if (!out || !x || !y) goto failed;
    if (fl_dtype_of(a) == FL_FLOAT32) {
        const float *p = fl_const_data(x), *q = fl_const_data(y);
        float *to = fl_data(out);
        for (int64_t i = 0; i < fl_numel(out); i++) to[i] = p[i] * q[i] + (float)c;
    } else if (fl_dtype_of(a) == FL_FLOAT64) {
        const double *p = fl_const_data(x), *q = fl_const_data(y);
        double *to = fl_data(out);
        for (int64_t i = 0; i < fl_numel(out); i++) to[i] = p[i] * q[i] + c;
    } else { fl_error(FL_TYPE_ERROR, "muladd(): float32 or float64"); goto failed; }
    fl_release(x), fl_release(y);
    results[0] = fl_of_tensor(out);
    return 1;
failed:
    fl_release(x), fl_release(y), fl_release(out);
    return -1;
}
static fl_function mul = NULL;
static int32_t muladd_backward(void *context, const fl_value *args, int32_t nargs, fl_value *results, int32_t n) {
    fl_value left[2] = {args[0], args[2]}, right[2] = {args[0], args[1]};
    (void)context, (void)nargs;
    if (args[3].kind != FL_VALUE_BOOLS || args[3].count != 2) { fl_error(FL_RUNTIME_ERROR, "needs?"); return -1; }
    if (args[3].as.ints[0] && fl_call_function(mul, left, &results[0], 1) < 0) return -1;
    if (args[3].as.ints[1] && fl_call_function(mul, right, &results[1], 1) < 0) { fl_clear(&results[0]); return -1; }
    return n;
}

/* Composite: what it calls is recorded. */
static int32_t twice_plus(void *context, const fl_value *args, int32_t nargs, fl_value *results, int32_t n) {
    static fl_function add = NULL;
    fl_value in[3] = {args[0], args[0], args[1]};
    (void)context, (void)nargs, (void)n;
    if (!add) add = fl_find_function("add", "self other alpha");
    return fl_call_function(add, in, results, 1);
}

/* Shows what it gets. */
static char text[600];
const char *shown(void) { return text; }
static int32_t show(void *context, const fl_value *args, int32_t nargs, fl_value *results, int32_t n) {
    int used = snprintf(text, sizeof text, "%s:", (const char *)context);
    (void)results;
    for (int i = 0; i < nargs; i++) {
        const fl_value *v = &args[i];
        used += snprintf(text + used, sizeof text - (size_t)used, " %d", (int)v->kind);
        switch (v->kind) {
        case FL_VALUE_INT: case FL_VALUE_BOOL: case FL_VALUE_DTYPE:
            used += snprintf(text + used, sizeof text - (size_t)used, "=%lld", (long long)v->as.integer); break;
        case FL_VALUE_DOUBLE: used += snprintf(text + used, sizeof text - (size_t)used, "=%g", v->as.real); break;
        case FL_VALUE_COMPLEX:
            used += snprintf(text + used, sizeof text - (size_t)used, "=%g+%gi", v->as.re_im[0], v->as.re_im[1]);
            break;
        case FL_VALUE_STRING: used += snprintf(text + used, sizeof text - (size_t)used, "=%s", v->as.string); break;
        case FL_VALUE_INTS: case FL_VALUE_BOOLS:
            for (int k = 0; k < v->count; k++)
                used += snprintf(text + used, sizeof text - (size_t)used, ",%lld", (long long)v->as.ints[k]);
            break;
        case FL_VALUE_DOUBLES:
            for (int k = 0; k < v->count; k++)
                used += snprintf(text + used, sizeof text - (size_t)used, ",%g", v->as.doubles[k]);
            break;
        case FL_VALUE_TENSORS:
            for (int k = 0; k < v->count; k++)
                used += snprintf(text + used, sizeof text - (size_t)used, ",%s", v->as.tensors[k] ? "t" : "-");
            break;
        default: break;
        }
    }
    return n;
}
static int32_t pieces(void *context, const fl_value *args, int32_t nargs, fl_value *results, int32_t n) {
    (void)context, (void)nargs;
    if (fl_new_list(&results[0], 2)) return -1;
    fl_tensor *items = (fl_tensor *)results[0].as.tensors;
    items[0] = fl_retain(args[0].as.tensor);
    items[1] = fl_empty_like(args[0].as.tensor);
    results[1] = fl_of_int(fl_numel(args[0].as.tensor));
    results[2] = fl_of_string(NULL);
    results[2] = fl_none();
    return n;
}
static int32_t add_one_(void *context, const fl_value *args, int32_t nargs, fl_value *results, int32_t n) {
    double *p = (double *)fl_const_data(args[0].as.tensor);
    (void)context, (void)nargs;
    for (int64_t i = 0; i < fl_numel(args[0].as.tensor); i++) p[i] += 1;
    results[0] = fl_of_tensor(fl_retain(args[0].as.tensor));
    return n;
}
static int32_t fails(void *context, const fl_value *args, int32_t nargs, fl_value *results, int32_t n) {
    (void)context, (void)nargs;
    switch (args[1].as.integer) {
    case 0: return -1;
    case 1: fl_error(FL_INDEX_ERROR, "said why"); return -1;
    case 2:
        fl_error(FL_INDEX_ERROR, "said why but returns");
        results[0] = fl_of_tensor(fl_retain(args[0].as.tensor));
        return n;
    case 3: results[0] = fl_of_int(3); return n;
    case 4: return 0;
    case 5: results[0] = fl_of_tensor(NULL); return n;
    default: results[0] = fl_of_tensor(fl_empty((int64_t[]){-1}, 1, FL_FLOAT32)); return n;
    }
}

FL_LIBRARY(first) {
    fl_operator op = fl_define("ctest::muladd(Tensor a, Tensor b, float c) -> Tensor", "a · b + c in one pass.");
    fl_operator back = fl_define("ctest::muladd_backward(Tensor grad, Tensor a, Tensor b, bool[] needs) "
                                 "-> (Tensor?, Tensor?)", NULL);
    if (op) fl_implement(op, muladd, NULL, 0);
    if (back) fl_implement(back, muladd_backward, NULL, 0);
    if (op && back) fl_set_backward(op, "a b", back);
    mul = fl_find_function("mul", "self other");
    fl_implement(fl_define("ctest::without_backward(Tensor a, Tensor b, float c) -> Tensor", NULL), muladd, NULL, 0);
    fl_implement(fl_define("ctest::twice_plus(Tensor x, Scalar alpha=1) -> Tensor", NULL), twice_plus, NULL,
                 FL_OP_COMPOSITE);
}
FL_LIBRARY(second) {
    fl_implement(fl_define("ctest::show(Tensor[] list, Tensor?[] gaps, int[2] pair, float[] floats=[], "
                           "bool[] bools=[], *, Scalar? s=None, str? name=None, ScalarType? dtype=None, "
                           "bool flag=True, int n=7) -> ()",
                           NULL), show, "context", 0);
    fl_implement(fl_define("ctest::pieces(Tensor x) -> (Tensor[] items, int count, Tensor? none)", NULL), pieces,
                 NULL, 0);
    fl_implement(fl_define("ctest::add_one_(Tensor(a!) self) -> Tensor(a!)", NULL), add_one_, NULL, 0);
    fl_implement(fl_define("ctest::fails(Tensor x, int how) -> Tensor", NULL), fails, NULL, 0);
    fl_define("ctest::empty_handed(Tensor x) -> Tensor", NULL);
}
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    return cext.load_inline(
        "registering",
        c_sources=SOURCE,
        functions=["times_called", "shown"],
        build_directory=tmp_path_factory.mktemp("registering"),
        extra_cflags=["-Wextra", "-Werror"],
    )


@pytest.fixture
def op(module):
    return lambda name: find_operator(f"torch.ops.ctest.{name}")


def test_it_is_an_operator_like_any_other(op):
    muladd = op("muladd")
    a = np.random.default_rng(0).standard_normal((3, 4))
    x = ft.from_numpy(a)
    np.testing.assert_array_equal(muladd(x, x.t().contiguous().t(), 2).numpy(), a * a + 2)
    np.testing.assert_array_equal(muladd(b=x, a=x, c=0.5).numpy(), a * a + 0.5)
    assert str(inspect.signature(muladd)) == "(a: Tensor, b: Tensor, c: float) -> Tensor"
    assert "a · b + c in one pass." in muladd.__doc__
    assert repr(muladd) == "<operator torch.ops.ctest.muladd>"
    assert muladd.schema.namespace == "ctest"


def test_arguments_are_checked_before_the_kernel_runs(module, op):
    x = ft.zeros(2)
    before = module.times_called()
    for call, message in (
        (lambda m: m(x, 3, 1.0), r"muladd\(\): argument 'b' \(position 2\) must be Tensor, not int"),
        (lambda m: m(x, x), r'muladd\(\) missing 1 required positional arguments: "c"'),
        (lambda m: m(x, x, "1"), r"muladd\(\): argument 'c' \(position 3\) must be float, not str"),
        (lambda m: m(x, x, 1.0, d=1), r"muladd\(\) got an unexpected keyword argument 'd'"),
    ):
        with pytest.raises(TypeError, match=message):
            call(op("muladd"))
    assert module.times_called() == before


def test_every_kind_of_argument(module, op):
    x = ft.zeros(1)
    show = op("show")
    assert show([x, x], (x, None), 3) is None
    assert module.shown() == "context: 9,t,t 9,t,- 8,3,3 12 13 0 0 0 4=1 2=7"
    show((), [], [1, 2], [1, 2.5], [True, False], s=1 + 2j, name="né", dtype=ft.float64, flag=False, n=-1)
    assert module.shown() == "context: 9 9 8,1,2 12,1,2.5 13,1,0 5=1+2i 7=né 6=7 4=0 2=-1"
    show([x] * 100, [None] * 100, (2**40, -(2**40)), s=0.5)
    assert module.shown().startswith("context: 9" + ",t" * 100 + " 9" + ",-" * 100 + " 8,1099511627776,-1099511627776")
    assert " 3=0.5 " in module.shown()
    with pytest.raises(TypeError, match=r"show\(\): argument 'pair' must be 2 numbers, got 3"):
        show([], [], [1, 2, 3])
    with pytest.raises(TypeError, match="Overflow when unpacking"):
        show([], [], [2**70, 0])


def test_several_results(op):
    x = ft.ones(2, 3)
    items, count, none = op("pieces")(x)
    assert items[0] is x
    assert isinstance(items, list)
    assert (items[1].shape, count, none) == (x.shape, 6, None)


def test_an_operator_that_writes(op):
    x = ft.zeros(3, dtype=ft.float64)
    version = x._version
    assert op("add_one_")(x) is x
    assert x.tolist() == [1, 1, 1]
    assert x._version == version + 1
    array = np.zeros(3)
    array.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        readonly = ft.from_numpy(array)
    with pytest.raises(RuntimeError, match="read-only"):
        op("add_one_")(readonly)
    assert not array.any()


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        (0, RuntimeError, r"fails\(\): its kernel failed without saying why"),
        (1, IndexError, "said why"),
        (2, IndexError, "said why but returns"),
        (3, RuntimeError, r"fails\(\): its kernel returned no tensor for result 0"),
        (4, RuntimeError, r"fails\(\): its kernel returned 0 results, the schema has 1"),
        (5, RuntimeError, r"fails\(\): its kernel returned no tensor for result 0"),
        (6, RuntimeError, "negative"),
    ],
)
def test_errors_of_a_kernel(op, how, error, message):
    x = ft.zeros(2)
    before = sys.getrefcount(x)
    with pytest.raises(error, match=message):
        op("fails")(x, how)
    gc.collect()
    assert sys.getrefcount(x) == before


def test_without_a_kernel(op):
    with pytest.raises(NotImplementedError, match=r"Could not run 'ctest::empty_handed' .* no kernel is registered"):
        op("empty_handed")(ft.zeros(1))


def test_subclasses_and_overrides(op):
    class Logged(ft.Tensor):
        seen = []

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            cls.seen.append(func)
            return super().__torch_function__(func, types, args, kwargs or {})

    x = ft.zeros(2).as_subclass(Logged)
    assert type(op("muladd")(x, x, 1.0)) is Logged
    assert Logged.seen == [op("muladd")]


def test_backward_in_c(op):
    autograd = pytest.importorskip("flambeau_autograd")
    muladd = op("muladd")
    a = ft.tensor([1.0, -2.0, 3.0], dtype=ft.float64, requires_grad=True)
    b = ft.tensor([4.0, 5.0, 6.0], dtype=ft.float64, requires_grad=True)
    assert autograd.gradcheck(lambda a, b: muladd(a, b, 0.5), (a, b))
    y = muladd(a, b.detach(), 1.0)
    assert type(y.grad_fn).__name__ == "MuladdBackward0"
    (grad,) = autograd.grad(y.sum(), a)
    assert grad.tolist() == b.tolist()
    (grad,) = autograd.grad(muladd(a, b, 1.0).sum(), a, create_graph=True)
    with pytest.raises(NotImplementedError, match="backward through ctest::muladd_backward, which has no derivative"):
        autograd.grad(grad.sum(), b)


def test_without_a_backward(op):
    autograd = pytest.importorskip("flambeau_autograd")
    x = ft.zeros(2, requires_grad=True)
    y = op("without_backward")(x, x, 1.0)
    assert y.requires_grad
    with pytest.raises(NotImplementedError, match="backward through ctest::without_backward, which has no derivative"):
        autograd.grad(y.sum(), x)


def test_composites_need_no_backward(op):
    autograd = pytest.importorskip("flambeau_autograd")
    x = ft.tensor([1.0, 2.0], dtype=ft.float64, requires_grad=True)
    assert op("twice_plus")(x, 3).tolist() == [4, 8]
    assert autograd.gradcheck(lambda x: op("twice_plus")(x, 3), (x,))


DEFINE = r"""
static int32_t one(void *context, const fl_value *args, int32_t nargs, fl_value *results, int32_t n) {
    (void)context, (void)args, (void)nargs;
    results[0] = fl_of_int(VALUE);
    return n;
}
int here(void) { return 1; }
FL_LIBRARY(mine) { fl_implement(fl_define(SCHEMA, NULL), one, NULL, 0); }
"""


def define(schema, value, name="defining"):
    flags = [f"-DVALUE={value}", f'-DSCHEMA="{schema}"']
    return cext.load_inline(name, c_sources=DEFINE, functions=["here"], extra_cflags=flags)


def test_defined_again():
    define("ctwice::f() -> int", 1)
    f = find_operator("torch.ops.ctwice.f")
    assert f() == 1
    define("ctwice::f() -> int", 2)
    assert find_operator("torch.ops.ctwice.f") is f
    assert f() == 2
    with pytest.raises(ValueError, match=r"operator ctwice::f is defined already, as 'ctwice::f\(\) -> int', not 'ctw"):
        define("ctwice::f(int x) -> int", 3)
    assert f() == 2


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("f(Tensor x) -> Tensor", "begins with its namespace, 'mine::f"),
        ("cbad::f(Tensr x) -> Tensor", "unknown type 'Tensr'"),
        ("cbad::f", "a schema reads"),
    ],
)
def test_schemas_that_cannot_be_read(schema, message):
    with pytest.raises(ValueError, match=message):
        define(schema, 1)
