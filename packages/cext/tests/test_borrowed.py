"""Arguments are borrowed: a function that returns one does no harm, and no leaf is written to in silence."""

import pytest

import flambeau_cext as cext
import flambeau_tensor as ft

SOURCE = r"""
#include <stdbool.h>
fl_tensor same(fl_tensor a) { return a; }
fl_tensor retained(fl_tensor a) { return fl_retain(a); }
fl_tensor contiguous(fl_tensor a) { return fl_contiguous(a); }
fl_tensor chosen(fl_tensor a, fl_optional_tensor b, bool second) { return second ? b : a; }
fl_tensor fresh(fl_tensor a) { return fl_empty_like(a); }
fl_tensor fails(fl_tensor a) { fl_error(FL_VALUE_ERROR, "no"); return a; }
fl_tensor zeroed(fl_tensor a) {
    double *p = fl_data(a);
    if (!p) return NULL;
    *p = 0;
    return a;
}
int zeroed_in_parallel(fl_tensor a);
static void body(int64_t begin, int64_t end, void *a) {
    for (; begin < end; begin++) ((double *)fl_data(a))[begin] = 0;
}
int zeroed_in_parallel(fl_tensor a) { return fl_parallel_for(fl_numel(a), 1, body, a); }

static int32_t pair(void *context, const fl_value *args, int32_t nargs, fl_value *results, int32_t n) {
    (void)context, (void)nargs;
    results[0] = fl_of_tensor(args[0].as.tensor);
    results[1] = fl_of_tensor(args[2].as.integer ? fl_retain(args[1].as.tensor) : args[1].as.tensor);
    return n;
}
FL_LIBRARY(borrowed) {
    fl_implement(fl_define("borrowed::pair(Tensor a, Tensor b, bool retain) -> (Tensor, Tensor)", NULL), pair, NULL, 0);
}
"""
NAMES = ["same", "retained", "contiguous", "chosen", "fresh", "fails", "zeroed", "zeroed_in_parallel"]


@pytest.fixture(scope="module")
def c(tmp_path_factory):
    return cext.load_inline("borrowed", c_sources=SOURCE, functions=NAMES, build_directory=tmp_path_factory.mktemp("c"))


def test_an_argument_that_is_returned(c, keeps_references):
    x, y = ft.ones(3), ft.zeros(3)
    assert c.same(x) is x and c.retained(x) is x and c.contiguous(x) is x
    assert c.chosen(x, y, True) is y and c.chosen(x, None, False) is x and c.chosen(x, x, True) is x
    assert c.same(ft.ones(2)).tolist() == [1, 1]  # nobody else holds it
    calls = [lambda: c.same(x), lambda: c.retained(x), lambda: c.contiguous(x), lambda: c.fresh(x),
             lambda: c.chosen(y, x, True), lambda: c.chosen(x, x, False), lambda: c.chosen(x, None, False)]  # fmt: skip
    for call in calls:
        keeps_references(call, x)
    with pytest.raises(RuntimeError, match="returned NULL without saying why"):
        c.chosen(x, None, True)


def test_arguments_that_a_kernel_returns(c, keeps_references):
    pair = cext.ops.borrowed.pair
    x, y = ft.ones(3), ft.zeros(3)
    for retain in (False, True):
        assert [r is t for r, t in zip(pair(x, y, retain), (x, y), strict=True)] == [True, True]
        keeps_references(lambda retain=retain: pair(x, y, retain), x)
        keeps_references(lambda retain=retain: pair(y, x, retain), x)
    keeps_references(lambda: pair(x, x, False), x)


def test_a_leaf_is_not_written_to(c):
    no_grad = pytest.importorskip("flambeau_autograd").no_grad
    w = ft.ones(3, dtype=ft.float64, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"^a leaf Variable that requires grad is being used in"):
        c.zeroed(w)
    with pytest.raises(RuntimeError, match=r"^a view of a leaf Variable that requires grad is being used in"):
        c.zeroed(w[1:])
    assert w.tolist() == [1, 1, 1] and w._version == 0
    with no_grad():
        assert c.zeroed(w) is w
        assert c.zeroed_in_parallel(w) == 0
    assert c.zeroed(w.detach()).tolist() == [0, 0, 0]
    assert c.zeroed(w * 2).tolist() == [0, 0, 0]  # as in PyTorch: what is computed may be written to
    assert c.zeroed(ft.ones(2, dtype=ft.float64)).tolist() == [0, 1]


def test_cxx_writes_to_leaves_as_in_pytorch():
    autograd = pytest.importorskip("flambeau_autograd")
    source = """
    void clear(at::Tensor x) { x.mutable_data_ptr<double>()[0] = 0; x.data_ptr<double>()[1] = 0; }
    """
    clear = cext.load_inline("clearing", source, functions="clear").clear
    w = ft.ones(3, dtype=ft.float64, requires_grad=True)
    clear(w)
    assert w.tolist() == [0, 0, 1] and autograd.is_grad_enabled()
