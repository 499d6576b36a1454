"""Sharing work among devices, of which there is one."""
from flambeau_autograd.trees import leaves
from flambeau_tensor import Tensor

__all__ = ["gather", "is_namedtuple", "parallel_apply", "replicate", "scatter", "scatter_kwargs"]


def is_namedtuple(obj) -> bool:
    """Whether an object looks like a named tuple."""
    return isinstance(obj, tuple) and hasattr(obj, "_asdict") and hasattr(obj, "_fields")


def scatter(inputs, target_gpus, dim: int = 0):
    """For each device the inputs, as they are where they are no tensors.

    Raises:
        RuntimeError: there are tensors among the inputs, which would have to go to other devices.
    """
    if any(isinstance(leaf, Tensor) for leaf in leaves(inputs)):
        raise RuntimeError("scatter(): there are no devices beside the CPU that tensors could be on")
    return [inputs for _ in target_gpus]


def scatter_kwargs(inputs, kwargs, target_gpus, dim: int = 0):
    """`scatter` for positional and keyword arguments: two tuples with an entry for each device."""
    kwargs = {} if kwargs is None else kwargs
    return tuple(scatter(inputs, target_gpus, dim)), tuple(scatter(kwargs, target_gpus, dim))


def gather(outputs, target_device, dim: int = 0):
    """Raise as PyTorch does for tensors on the CPU, which do not have to be brought there."""
    raise AssertionError("Gather function not implemented for CPU tensors")


def replicate(network, devices, detach: bool = False):
    """Raise as PyTorch does for modules on the CPU."""
    raise AssertionError("Broadcast function not implemented for CPU tensors")


def parallel_apply(modules, inputs, kwargs_tup=None, devices=None):
    """The results of modules, each for its inputs (a tuple, or one), one after the other.

    Raises:
        ValueError: there are not as many modules as inputs.
    """
    kwargs_tup = ({},) * len(modules) if kwargs_tup is None else kwargs_tup
    if not len(modules) == len(inputs) == len(kwargs_tup):
        raise ValueError(f"parallel_apply(): {len(modules)} modules, {len(inputs)} inputs, {len(kwargs_tup)} dicts")
    return [module(*(x if isinstance(x, list | tuple) else (x,)), **(kwargs or {}))
            for module, x, kwargs in zip(modules, inputs, kwargs_tup, strict=True)]
