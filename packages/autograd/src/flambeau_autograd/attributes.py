"""The tensor attributes of autograd: ``requires_grad``, ``grad``, ``backward``, hooks, ``detach``."""

from flambeau_autograd._engine.graph.attributes import KERNELS
from flambeau_autograd._engine.graph.backward import backward_kernel
from flambeau_tensor.extend import FUNCTION, METHOD, Operator, define_property
from flambeau_tensor.packing import apply


def _operator(schema, kernel, doc, variants=METHOD, **options):
    return Operator(
        schema,
        KERNELS[kernel],
        variants=variants,
        differentiable=False,
        plain_result=True,
        lazy=True,
        meta=True,
        doc=doc,
        **options,
    )


def _getter(name, returns, doc):
    return _operator(
        f"{name}(Tensor self) -> {returns}", name, doc, FUNCTION, namespace="torch._get", object_state=True
    )


def _setter(name):
    # Any: the kernel rejects invalid values, with a separate message for each attribute.
    return _operator(
        f"{name}(Tensor self, Any value) -> ()",
        f"set_{name}",
        f"Assignment to `{name}`.",
        FUNCTION,
        namespace="torch._set",
    )


define_property(
    "requires_grad",
    _getter("requires_grad", "bool", "Whether gradients are computed for the tensor."),
    _setter("requires_grad"),
)
_grad = _getter("grad", "Tensor?", "The gradient that backward has summed up, or None.")
_set_grad = _setter("grad")
define_property("grad", _grad, _set_grad)
define_property("_grad", _grad, _set_grad)
_grad_fn = _getter("grad_fn", "Node?", "The node that made the tensor; None for leaves.")
define_property("grad_fn", _grad_fn)
define_property("_grad_fn", _grad_fn, kept="Deletion of _grad_fn not allowed. Detach tensor instead!")
define_property(
    "_backward_hooks",
    _getter("_backward_hooks", "Hooks?", "The hooks on the gradient."),
    _setter("_backward_hooks"),
    "Deletion of _backwards_hooks not allowed!",
)
for _name, _returns, _doc in (
    ("is_leaf", "bool", "Whether the tensor does not come from a recorded operation."),
    ("output_nr", "int", "Which of its node's outputs the tensor is."),
    ("retains_grad", "bool", "Whether a tensor that is no leaf keeps its gradient."),
):
    define_property(_name, _getter(_name, _returns, _doc))

# An edge of the graph is accepted in place of a tensor.
backward = Operator(
    "backward(Tensor self, Tensor? gradient=None, bool? retain_graph=None, bool create_graph=False, "
    "TensorOrTensors? inputs=None) -> ()",
    backward_kernel,
    variants=METHOD,
    differentiable=False,
    plain_result=True,
    lazy=True,
    meta=True,
    doc="Sum the gradient with respect to the graph's leaves into their `.grad`. A tensor of several elements needs "
    "`gradient`, of its shape. `retain_graph` keeps what was saved for another backward, `create_graph` records "
    "this one, `inputs` restricts it to some tensors.",
)
requires_grad_ = _operator(
    "requires_grad_(Tensor self, bool requires_grad=True) -> Tensor",
    "requires_grad_",
    "Switch whether gradients are computed for the tensor; returns it.",
    object_state=True,
)
_is_view = _operator("_is_view(Tensor self) -> bool", "_is_view", "Whether the tensor looks into another one's memory.")
_view_func = Operator(
    "_view_func(Tensor self, Tensor new_base) -> Tensor?",
    KERNELS["_view_func"],
    variants=METHOD,
    composite=True,
    lazy=True,
    doc="The view of `new_base` that the tensor is of its base; None if it is no view, or the two differ in geometry.",
)
retain_grad = _operator(
    "retain_grad(Tensor self) -> ()", "retain_grad", "Keep the gradient in `.grad` though the tensor is no leaf."
)
register_hook = _operator(
    "register_hook(Tensor self, Callable hook) -> Handle",
    "register_hook",
    "Call `hook(grad)` whenever the tensor's gradient is known; what it returns stands for it. "
    "Returns a handle whose `remove()` ends that.",
)
register_post_accumulate_grad_hook = _operator(
    "register_post_accumulate_grad_hook(Tensor self, Callable hook) -> Handle",
    "register_post_accumulate_grad_hook",
    "Call `hook(tensor)` whenever a leaf's `.grad` has been added to. Returns a handle whose `remove()` ends that.",
)
detach = Operator(
    "detach(Tensor self) -> Tensor",
    KERNELS["detach"],
    variants=FUNCTION | METHOD,
    differentiable=False,
    lazy=True,
    meta=True,
    doc="The same elements without history: shares memory and version counter.",
)
detach_ = _operator(
    "detach_(Tensor(a!) self) -> Tensor(a!)",
    "detach_",
    "Forget the history; returns the tensor.",
    FUNCTION | METHOD,
    object_state=True,
)
_data = Operator(
    "data(Tensor self) -> Tensor",
    KERNELS["data"],
    variants=FUNCTION,
    namespace="torch._get",
    differentiable=False,
    object_state=True,
    doc="The same elements without history, and with a version "
    "counter of their own: autograd does not notice what is written to them.",
)
define_property("data", _data, _setter("data"), "Deleting tensor data is not allowed. Delete tensor instead!")

apply(
    "torch.Tensor",
    {
        "backward": "self! * gradient=None retain_graph=None create_graph=False inputs=None",
        "register_hook": "self! hook",
        "register_post_accumulate_grad_hook": "self! hook",
    },
)
