"""The names in PyTorch's compiled module that programs use: the switches and guards of overriding."""

from weakref import ref as _weak_reference

from flambeau_overrides import (  # noqa: F401
    DisableTorchFunction,
    _disabled_torch_function_impl,
    _get_function_stack_at,
    _has_torch_function,
    _has_torch_function_unary,
    _has_torch_function_variadic,
    _is_torch_function_enabled,
    _is_torch_function_mode_enabled,
    _len_torch_function_stack,
    _pop_torch_function_stack,
    _push_on_torch_function_stack,
)
from flambeau_overrides import (
    DisableTorchFunctionSubclass as DisableTorchFunctionSubclass,
)
from flambeau_tensor import Size as _Size
from flambeau_tensor import Tensor as _Tensor
from flambeau_tensor.extend import dispatching as _dispatching
from flambeau_tensor.lazy_attributes import attach as _attach
from flambeau_tensor.subclassing import _disabled_torch_dispatch_impl, handles_dispatch  # noqa: F401

has_lapack = has_spectral = True  # linear algebra and Fourier transforms are always there
has_mkl = has_openmp = False


def _part_of_a_script(name: str, what: str) -> type:
    doc = f"""TorchScript's {what}. There is no TorchScript; programs annotate with it."""
    return type(name, (), {"__module__": __name__, "__doc__": doc})


Block = _part_of_a_script("Block", "block of a graph")
Graph = _part_of_a_script("Graph", "graph")
Node = _part_of_a_script("Node", "node of a graph")
ScriptObject = _part_of_a_script("ScriptObject", "object of a class")
DeviceObjType = _part_of_a_script("DeviceObjType", "type of devices")
TensorType = _part_of_a_script("TensorType", "type of tensors")
Type = _part_of_a_script("Type", "type")
Value = _part_of_a_script("Value", "value in a graph")


_push_on_torch_dispatch_stack = _dispatching.push_mode
_DisableTorchDispatch = _dispatching.Undispatched


def _pop_torch_dispatch_stack(key: object = None) -> object:
    """Take off the innermost TorchDispatchMode, and return it."""
    return _dispatching.pop_mode()


def _len_torch_dispatch_stack() -> int:
    """Return how many TorchDispatchModes are active in this thread."""
    return len(_dispatching.mode_stack())


def _get_dispatch_stack_at(i: int) -> object:
    """One of them, the innermost last."""
    return _dispatching.mode_stack()[i]


def _get_tracing_state() -> None:
    """The trace of TorchScript that is being made: None."""


def _infer_size(a: _Size, b: _Size) -> _Size:
    """The size to which two sizes broadcast.

    Raises:
        RuntimeError: they do not broadcast.
    """
    import flambeau

    return flambeau.broadcast_shapes(a, b)


def _is_tracing() -> bool:
    """Whether a trace of TorchScript is being made: False."""
    return False


def _dispatch_isTensorSubclassLike(tensor: _Tensor) -> bool:  # noqa: N802
    """Whether calls with a tensor go to a handler or a transform: its class, a mode, or ``vmap`` and its like."""
    return handles_dispatch(type(tensor)) or bool(_dispatching.mode_stack()) or _are_functorch_transforms_active()


def _are_functorch_transforms_active() -> bool:
    """Whether this thread is inside a transform such as ``vmap`` or ``grad``."""
    from flambeau_autograd.extend import levels

    return bool(levels())


def _get_default_device() -> str:
    """The type of the device that factories use: ``cpu``."""
    import flambeau

    return flambeau.get_default_device().type


def _log_api_usage_once(event: str) -> None:
    """Do nothing: PyTorch logs API usage here if a logger is installed, which is never the case."""


_log_api_usage_metadata = _log_api_usage_once


def _current_graph_task_id() -> int:
    """The number of the backward that runs in this thread; -1 if none does."""
    from flambeau_autograd.extend import current_run

    run = current_run()
    return -1 if run is None else run


def _will_engine_execute_node(node: object) -> bool:
    """Whether the backward that runs in this thread executes a node or will execute it.

    Raises:
        RuntimeError: no node, no backward runs, or a leaf's node in ``autograd.grad``, which does not execute it.
    """
    from flambeau_autograd.extend import current_run, returns_gradients, will_run
    from flambeau_autograd.graph import Node as GraphNode

    from ._functions import AccumulateGrad

    if not isinstance(node, GraphNode):
        raise RuntimeError(f"_will_engine_execute_node expects an grad_fn, but got {type(node).__name__}")
    if current_run() is None:
        raise RuntimeError("_will_engine_execute_node: should only be called during the backward pass")
    if isinstance(node, AccumulateGrad) and returns_gradients():
        raise RuntimeError(
            "_will_engine_execute_node: a leaf's node was given, but we are currently running autograd.grad(), "
            "which does not execute it"
        )
    return will_run([node])[0]


def _current_graph_task_execution_order() -> list[object]:
    """The nodes that the backward in this thread executes or will execute, in this order.

    Raises:
        RuntimeError: no backward runs, or multithreading is enabled.
    """
    from flambeau_autograd.extend import current_run, run_order
    from flambeau_autograd.grad_mode import is_multithreading_enabled

    if current_run() is None:
        raise RuntimeError("_current_graph_task_execution_order: should only be called during the backward pass")
    if is_multithreading_enabled():
        raise RuntimeError(
            "_current_graph_task_execution_order expects the current backward to be executed with multithreading "
            "disabled, see torch.autograd.set_multithreading_enabled"
        )
    return run_order()


def _get_accelerator(check: bool = False):
    """The accelerator or, since there is none, the CPU.

    Raises:
        RuntimeError: `check` is True.
    """
    import flambeau

    if check:
        raise RuntimeError("Cannot access accelerator device when none is available.")
    return flambeau.device("cpu")


def _get_privateuse1_backend_name() -> str:
    """The name of the kind of device that programs may add: none was renamed."""
    return "privateuseone"


def set_vital(vital: str, attribute: str, value: str) -> bool:
    """Return False: nothing is stored. PyTorch stores such information about a process if its environment asks for it.

    Args:
        vital: the group of the information.
        attribute: its name.
        value: its text.

    >>> torch.set_vital("Dataloader", "enabled", "True")
    False
    """
    return False


def _get_cudnn_enabled() -> bool:
    """Whether cuDNN would be used if there were a GPU."""
    return True


def _switch(name: str) -> object:
    """Return a function for a switch of TorchScript's executor, which returns True and has no effect."""

    def switch(*args: object) -> bool:
        return True

    switch.__name__ = switch.__qualname__ = name
    switch.__doc__ = "True; it changes nothing."
    return switch


for _name in (
    "_jit_can_fuse_on_cpu",
    "_jit_can_fuse_on_gpu",
    "_jit_override_can_fuse_on_cpu",
    "_jit_override_can_fuse_on_gpu",
    "_jit_set_nvfuser_enabled",
    "_jit_set_nvfuser_guard_mode",
    "_jit_set_profiling_executor",
    "_jit_set_profiling_mode",
    "_jit_set_texpr_fuser_enabled",
):
    globals()[_name] = _switch(_name)


def _is_alias_of(a: _Tensor, b: _Tensor) -> bool:
    """Whether two tensors share a storage."""
    return a.untyped_storage() is b.untyped_storage()


class _WeakTensorRef:
    """A weak reference to a tensor."""

    def __init__(self, tensor: _Tensor) -> None:
        self._reference = _weak_reference(tensor)

    def expired(self) -> bool:
        """Whether the tensor does not exist any more."""
        return self._reference() is None


def _type_of_tensor(name):
    from flambeau_tensor import Tensor

    return type(Tensor) if name == "_TensorMeta" else None


_names = {
    **dict.fromkeys(("Argument", "FunctionSchema", "parse_schema"), "flambeau_cext.overloads"),
    **dict.fromkeys(("is_grad_enabled", "is_inference_mode_enabled"), "flambeau_autograd"),
    **dict.fromkeys(("_is_fwd_grad_enabled", "_set_fwd_grad_enabled"), "flambeau_autograd.forward_ad"),
    **dict.fromkeys(("Size", "device", "dtype", "layout", "memory_format"), "flambeau_tensor"),
    "Tag": "flambeau_cext.tags",
    **dict.fromkeys(
        (
            "DispatchKey",
            "DispatchKeySet",
            "_AutoDispatchBelowAutograd",
            "_DisablePythonDispatcher",
            "_EnablePythonDispatcher",
            "_ExcludeDispatchKeyGuard",
        ),
        "flambeau._dispatch_keys",
    ),
    **dict.fromkeys(("_VariableFunctions", "_VariableFunctionsClass"), "flambeau:torch"),  # with the functions of torch
    "Generator": "flambeau_tensor",
    **dict.fromkeys(("PyTorchFileReader", "PyTorchFileWriter"), "flambeau_tensor.serialization.records"),
    "TensorBase": "flambeau_tensor:Tensor",
    "_LinAlgError": "flambeau_tensor.linalg:LinAlgError",
}
__getattr__, __dir__ = _attach(
    __name__,
    "torch._C",
    _names,
    ("_autograd", "_fft", "_functions", "_functorch", "_linalg", "_nn", "_special"),
    _type_of_tensor,
)
