"""Names of torch.fx that packages take from its inside."""

from flambeau_fx import _symbolic_trace
from flambeau_fx._compatibility import compatibility


def test_compatibility_is_a_note():
    assert _symbolic_trace.compatibility is compatibility
    assert compatibility(is_backward_compatible=True)(len) is len
