"""Gradients of elementwise functions in one pass: the incoming gradient times the derivative, from the result."""

from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.elementwise.cpu_levels import hot
from flambeau_tensor._core.elementwise.engine import Elementwise
from flambeau_tensor._core.schema.declaring import FLOATS, FUNCTION

_LOOPS = hot("activation_backward").LOOPS


def _backward(name, of):
    return Operator(
        f"{name}(Tensor grad_output, Tensor output) -> Tensor",
        Elementwise(name, 2, _LOOPS[name], dtypes=FLOATS),
        namespace="torch._ops",
        variants=FUNCTION,
        doc=f"`grad_output` times {of}, for y = `output`, of a real dtype.",
    )


tanh_backward = _backward("tanh_backward", "the derivative 1 - y² of tanh")
sigmoid_backward = _backward("sigmoid_backward", "the derivative y · (1 - y) of sigmoid")
relu_backward = _backward("relu_backward", "the derivative of relu, 0 where y is 0 and 1 elsewhere")
