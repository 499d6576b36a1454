"""What is declared, loaded, called and thrown away a thousand times keeps no memory, whether it works or fails."""

import gc
import tracemalloc

import pytest

import flambeau_cext as cext
import flambeau_tensor as ft
from flambeau_cext import ops
from flambeau_cext.library import Library, custom_op

pytestmark = pytest.mark.measures
SOURCE = r"""
#include <stdlib.h>
fl_tensor twice(fl_tensor x) {
    fl_tensor in = fl_contiguous(x), out = fl_empty_like(x);
    if (!in || !out) goto failed;
    if (FL_CHECK(in, FL_FLOAT32, -1)) goto failed;
    for (int64_t i = 0; i < fl_numel(in); i++) ((float *)fl_data(out))[i] = 2 * ((const float *)fl_const_data(in))[i];
    fl_release(in);
    return out;
failed:
    fl_release(in), fl_release(out);
    return NULL;
}
fl_tensor by_name(fl_tensor x, const char *name) {
    fl_value args[1] = {fl_of_tensor(x)};
    return fl_call(name, args, 1);
}
fl_tensor same(fl_tensor x) { return fl_retain(x); }
static void forget(void *context) { free(context); }
fl_tensor borrowed(int64_t n) {
    float *data = calloc((size_t)n, sizeof(float));
    return fl_from_blob(data, &n, NULL, 1, FL_FLOAT32, forget, data);
}
"""
FUNCTIONS = ["twice", "by_name", "same", "borrowed"]
NAME = "(Tensor x, float a=1.0) -> Tensor"


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lifetime")
    return cext.load_inline("lifetime", c_sources=SOURCE, functions=FUNCTIONS, build_directory=str(folder))


def resident():
    """Bytes of the process that are in memory."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


def fails(kind, call):
    try:
        call()
    except kind:
        return
    raise AssertionError(f"does not raise {kind}")


@pytest.fixture
def keeps_nothing():
    """Check that turns cost no memory: Python's, counted to the byte, and the process's."""

    def check(turn, turns=100):
        def several(measure):
            start = measure()
            for _ in range(turns):
                turn()
            gc.collect()
            return measure() - start

        several(resident)
        tracemalloc.start()
        try:  # what leaks does so every time; tables that grow or move, and pages that are touched first, do not
            kept = []
            while len(kept) < 10 and min(kept, default=15_000) >= 15_000:
                kept.append(several(lambda: tracemalloc.get_traced_memory()[0]))
            assert min(kept) < 15_000, kept
        finally:
            tracemalloc.stop()
        assert min(several(resident) for _ in range(3)) < 50_000

    return check


def test_calls(module, keeps_nothing):
    x = ft.ones(3, 100).t()

    def turn():
        assert module.twice(x).sum().item() == 600
        assert module.by_name(x, "neg").sum().item() == -300
        assert module.same(x) is x
        assert module.borrowed(1000).shape == (1000,)
        fails(RuntimeError, lambda: module.twice(x.double()))
        fails(TypeError, lambda: module.twice(3))
        fails(TypeError, lambda: module.twice(x, x))
        fails(RuntimeError, lambda: module.by_name(x, "nothing"))

    keeps_nothing(turn)


def test_loading(keeps_nothing, tmp_path):
    def turn():
        source = SOURCE
        cext.load_inline("lifetime_again", c_sources=source, functions=FUNCTIONS, build_directory=str(tmp_path))
        fails(ValueError, lambda: cext.load_inline("lifetime_bad", c_sources=source, functions=["not_there"]))

    keeps_nothing(turn, 5)


def test_custom_operators(keeps_nothing):
    def turn():
        f = custom_op("lifetime::f", lambda x, a: x + a, mutates_args=(), schema=NAME)
        f.register_fake(lambda x, a=1.0: x)
        f.register_autograd(lambda ctx, grad: (grad, None), setup_context=lambda ctx, inputs, output: None)
        f.register_vmap(lambda info, dims, x, a: (x + a, dims[0]))
        f.register_kernel("cpu")(lambda x, a=1.0: x + a)
        assert f(ft.ones(1)).item() == ops.lifetime.f(ft.ones(1)).item() == 2.0
        fails(RuntimeError, lambda: f(3))
        fails(
            RuntimeError, lambda: custom_op("lifetime::g", lambda x: x, mutates_args=(), schema="(Tensr x) -> Tensor")
        )

    keeps_nothing(turn)


def test_libraries(keeps_nothing):
    def turn():
        lib = Library("lifetime_lib", "DEF")
        lib.define("f" + NAME)
        lib.define("f.other(Tensor x, str a) -> Tensor")
        lib.impl("f", lambda x, a=1.0: x + a, "CPU")
        assert ops.lifetime_lib.f(ft.ones(1)).item() == 2.0
        assert str(ops.lifetime_lib.f.other._schema).startswith("lifetime_lib::f.other(")
        fails(NotImplementedError, lambda: ops.lifetime_lib.f(ft.ones(1), "a"))
        more = Library("lifetime_lib", "FRAGMENT")
        more.define("g(Tensor x) -> Tensor")
        more._destroy()
        lib._destroy()
        fails(AttributeError, lambda: ops.lifetime_lib.f)

    keeps_nothing(turn)
