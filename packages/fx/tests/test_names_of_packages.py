"""Names of torch.fx that packages take from its inside."""

import flambeau_tensor as torch
from flambeau_fx import _symbolic_trace
from flambeau_fx._compatibility import compatibility
from flambeau_nn import Linear


def test_compatibility_is_a_note():
    assert _symbolic_trace.compatibility is compatibility
    assert compatibility(is_backward_compatible=True)(len) is len


def test_what_tracing_calls_where_it_does_not_record():
    net = Linear(2, 2)
    assert _symbolic_trace._orig_module_getattr(net, "weight") is net.weight
    assert _symbolic_trace._orig_module_call(net, torch.ones(1, 2)).shape == (1, 2)
