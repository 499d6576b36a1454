"""Names of torch.fx that packages take from its inside."""

import math

import flambeau_fx as fx
import flambeau_tensor as torch
from flambeau_fx import _symbolic_trace
from flambeau_fx._compatibility import compatibility
from flambeau_nn import Linear, Module


def test_compatibility_is_a_note():
    assert _symbolic_trace.compatibility is compatibility
    assert compatibility(is_backward_compatible=True)(len) is len


def test_what_tracing_calls_where_it_does_not_record():
    net = Linear(2, 2)
    assert _symbolic_trace._orig_module_getattr(net, "weight") is net.weight
    assert _symbolic_trace._orig_module_call(net, torch.ones(1, 2)).shape == (1, 2)


def test_a_tracer_that_patches_by_itself():
    """As tracers of packages do that have a `trace` of their own."""
    st = _symbolic_trace
    calls, layer = [], Linear(2, 2)
    names = {"floor": math.floor}

    def call(module, *args, **kwargs):
        calls.append(type(module).__name__)
        return st._orig_module_call(module, *args, **kwargs)

    with st._Patcher() as patcher:
        patcher.patch_method(Module, "__call__", call, deduplicate=False)
        patcher.patch_method(Linear, "extra_repr", lambda self: "patched")
        patcher.patch_method(Linear, "extra_repr", lambda self: "again")  # the first one stays
        patcher.patch(names, "len", lambda x: -x)  # a built-in name that is not there
        st._patch_wrapped_functions(patcher)
        st._autowrap_check(patcher, names, st.Tracer()._autowrap_function_ids)
        layer(torch.ones(2))
        assert calls == ["Linear"] and layer.extra_repr() == "patched"
        assert names["len"](-1) == 1
        x = fx.Proxy(fx.Graph().placeholder("x"), st.Tracer())
        x.tracer.graph = x.node.graph
        assert names["floor"](x).node.target is math.floor
    assert names == {"floor": math.floor} and layer.extra_repr().startswith("in_features")
    assert "__call__" not in Linear.__dict__ and layer(torch.ones(2)).shape == (2,)
    assert calls == ["Linear"]
