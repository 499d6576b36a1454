"""Gradients of elementwise functions in one pass: what comes in times the slope, from the function's result."""

from flambeau_tensor._core.elementwise import Elementwise
from flambeau_tensor._core.levels import hot
from flambeau_tensor._core.operator import Operator

_LOOPS = hot("slopes").LOOPS


def _slope(name, slope):
    return Operator(
        f"{name}(Tensor grad_output, Tensor output) -> Tensor",
        Elementwise(name, 2, _LOOPS[name], dtypes="f"),
        namespace="torch._ops",
        variants="function",
        doc=f"`grad_output` times {slope}, for y = `output`, of a real dtype.",
    )


tanh_backward = _slope("tanh_backward", "the slope 1 - y² of tanh")
sigmoid_backward = _slope("sigmoid_backward", "the slope y · (1 - y) of sigmoid")
relu_backward = _slope("relu_backward", "the slope of relu, 0 where y is 0 and 1 elsewhere")
