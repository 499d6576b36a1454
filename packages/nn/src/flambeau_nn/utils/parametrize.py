"""Parametrizations: tensors of modules that are computed from other tensors when they are read."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from flambeau_autograd import no_grad
from flambeau_nn.modules.container import ModuleDict, ModuleList
from flambeau_nn.modules.module import Module
from flambeau_nn.parameter import Parameter
from flambeau_tensor import Tensor

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]

_CLASS = "Parametrized"  # the prefix of names of classes with parametrized tensors
_cache: dict[tuple[int, str], Tensor] = {}
_cache_enabled = 0


@contextmanager
def cached() -> Iterator[None]:
    """A context in which each parametrized tensor is computed only once.

    >>> layer = torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(2, 2))
    >>> with cached():
    ...     print(layer.weight is layer.weight)
    True
    >>> layer.weight is layer.weight
    False
    """
    global _cache_enabled
    _cache_enabled += 1
    try:
        yield
    finally:
        _cache_enabled -= 1
        if not _cache_enabled:
            _cache.clear()


def _register(module: Module, name: str, tensor: Tensor) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _replace(tensor: Tensor, value: Tensor) -> None:
    """Let a tensor hold the elements of another one."""
    if isinstance(tensor, Parameter):
        tensor.data = value.detach()
    else:
        with no_grad():
            tensor.data = value


def _refuse(module_of: str, what: str, said: str, before: object, after: object) -> NoReturn:
    raise ValueError(
        f"{module_of} may not change the {what} of the tensor, unless {said} flag is enabled.\n{before}\n{after}"
    )


class ParametrizationList(ModuleList):
    """The parametrizations of a tensor: modules that run one after another, starting with `original`.

    If the first one's ``right_inverse`` returns several tensors, these are `original0`, `original1`, ….

    Args:
        modules: the parametrizations.
        original: the tensor to parametrize.
        unsafe: whether they may change dtype and shape.

    Raises:
        ValueError: there are no modules, or one changes the dtype or, unless ``unsafe``, the sizes.

    >>> class Positive(torch.nn.Module):
    ...     def forward(self, x):
    ...         return x.exp()
    >>> layer = torch.nn.Linear(2, 1)
    >>> _ = torch.nn.utils.parametrize.register_parametrization(layer, "weight", Positive())
    >>> layer.parametrizations.weight, layer.parametrizations.weight.original.shape
    (ParametrizationList(
      (0): Positive()
    ), torch.Size([1, 2]))
    """

    is_tensor: bool
    unsafe: bool

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        with no_grad():
            new = original
            for module in reversed(self):
                if hasattr(module, "right_inverse"):
                    try:
                        new = module.right_inverse(new)
                    except NotImplementedError:
                        pass
        if not isinstance(new, (Tensor, Sequence)):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(new).__name__}"
            )
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            if dtype is not new.dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {dtype}\nright_inverse(original).dtype: {new.dtype}"
                )
            _replace(original, new)
            _register(self, "original", original)
        else:
            for i, each in enumerate(new):
                if not isinstance(each, Tensor):
                    raise ValueError(
                        "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                        f"Got element {i} of the sequence with type {type(each).__name__}."
                    )
                if isinstance(original, Parameter):
                    each = Parameter(each, original.requires_grad)
                each.requires_grad_(original.requires_grad)
                _register(self, f"original{i}", each)
        if not unsafe:
            value = self()
            if not isinstance(value, Tensor):
                raise ValueError(f"A parametrization must return a tensor. Got {type(value).__name__}.")
            for what, before, after in (("dtype", dtype, value.dtype), ("shape", shape, value.shape)):
                if before != after:
                    _refuse(
                        "Registering a parametrization",
                        what,
                        "`unsafe`",
                        f"unparametrized {what}: {before}",
                        f"parametrized {what}: {after}",
                    )

    def right_inverse(self, value: Tensor) -> None:
        """Set the original tensors so that `value` is computed from them."""
        with no_grad():
            for module in reversed(self):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            if self.is_tensor:
                if not isinstance(value, Tensor):
                    raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
                if value.dtype is not self.original.dtype:
                    raise ValueError(
                        f"The tensor returned by `right_inverse` has dtype {value.dtype} while `original` "
                        f"has dtype {self.original.dtype}"
                    )
                _replace(self.original, value)
                return
            if not isinstance(value, Sequence):
                raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}.")
            if len(value) != self.ntensors:
                raise ValueError(
                    "'right_inverse' must return a sequence of tensors of length "
                    f"{self.ntensors}. Got a sequence of length {len(value)}."
                )
            for i, each in enumerate(value):
                original = getattr(self, f"original{i}")
                if original.dtype is not each.dtype:
                    raise ValueError(
                        f"Tensor {i} returned by `right_inverse` has dtype {each.dtype} while "
                        f"`original{i}` has dtype {original.dtype}"
                    )
                _replace(original, each)

    def forward(self) -> Tensor:
        first, *others = self
        x = (
            first(self.original)
            if self.is_tensor
            else first(*(getattr(self, f"original{i}") for i in range(self.ntensors)))
        )
        for module in others:
            x = module(x)
        return x


def _parametrized_class(module: Module) -> None:
    """Give the module its own class, which can define properties."""
    cls = type(module)

    def getstate(self: Module) -> NoReturn:
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(). See:\n"
            "https://pytorch.org/tutorials/beginner/saving_loading_models.html#saving-loading-a-general-"
            "checkpoint-for-inference-and-or-resuming-training"
        )

    def deepcopy(self: Module, memo: dict[int, Any]) -> Any:
        known = memo.get(id(self))
        if known is not None:
            return known
        copied = self.__new__(type(self))
        memo[id(self)] = copied
        copied.__dict__ = copy.deepcopy(self.__dict__, memo)
        return copied

    members: dict[str, Any] = {"__getstate__": getstate}
    if not hasattr(cls, "__deepcopy__"):
        members["__deepcopy__"] = deepcopy
    module.__class__ = type(f"{_CLASS}{cls.__name__}", (cls,), members)


def _add_property(module: Module, name: str) -> None:
    if hasattr(module, name):
        raise AssertionError(f"Module already has an attribute named '{name}'")

    def get(self: Module) -> Any:
        if not _cache_enabled:
            return self.parametrizations[name]()
        key = id(self), name
        if key not in _cache:
            _cache[key] = self.parametrizations[name]()
        return _cache[key]

    setattr(type(module), name, property(get, lambda self, value: self.parametrizations[name].right_inverse(value)))


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Compute a module's parameter or buffer with ``parametrization`` whenever it is read.

    The original tensor is ``module.parametrizations.NAME.original``, a parameter or buffer. If the parametrization has
    a method ``right_inverse``, it computes the original from the current value and from assigned values; several
    tensors that it returns are `original0`, `original1`, …. Further parametrizations of one tensor receive the result
    of the previous ones.

    Args:
        module: the module with the tensor.
        tensor_name: the name of a parameter or buffer.
        parametrization: a module that is called with the original.
        unsafe: whether it may change dtype and shape.

    Raises:
        ValueError: the tensor does not exist, or its dtype or shape changes.

    >>> import flambeau_nn as nn
    >>> class Symmetric(nn.Module):
    ...     def forward(self, x):
    ...         return x + x.mT
    >>> layer = register_parametrization(nn.Linear(3, 3), "weight", Symmetric())
    >>> bool((layer.weight == layer.weight.mT).all())
    True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_another(getattr(module, tensor_name), tensor_name, parametrization)
        chain = module.parametrizations[tensor_name]
        chain.append(parametrization)
        chain.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        chain = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _parametrized_class(module)
            module.parametrizations = ModuleDict()
        _add_property(module, tensor_name)
        module.parametrizations[tensor_name] = chain
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    return module


def _check_another(now: Tensor, name: str, parametrization: Module) -> None:
    """Raise an error if a further parametrization changes dtype or shape."""
    then = parametrization(now)
    if not isinstance(then, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(then).__name__}.")
    for what in ("dtype", "shape"):
        if getattr(then, what) != getattr(now, what):
            _refuse(
                "Registering a parametrization",
                what,
                "the `unsafe`",
                f"module.{name}.{what}: {getattr(now, what)}",
                f"parametrization(module.{name}).{what}: {getattr(then, what)}",
            )
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        back = parametrization.right_inverse(then)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
    for what in ("dtype", "shape"):
        if getattr(back, what) != getattr(now, what):
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {what} as "
                f"module.{name}, unless the `unsafe` flag is enabled.\n"
                f"module.{name}.{what}: {getattr(now, what)}\nreturned {what}: {getattr(back, what)}"
            )


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Return True if the named tensor of the module, or any tensor, is parametrized.

    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 2))
    >>> is_parametrized(layer, "weight"), is_parametrized(layer, "bias")
    (True, False)
    """
    found = getattr(module, "parametrizations", None)
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Remove the parametrizations of a tensor.

    Args:
        module: the module with the tensor.
        tensor_name: its name.
        leave_parametrized: whether it keeps the current computed value instead of the original.

    Raises:
        ValueError: it is not parametrized, or it has several originals and ``leave_parametrized`` is False.

    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 2))
    >>> remove_parametrizations(layer, "weight")
    Linear(in_features=2, out_features=2, bias=True)
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    chain = module.parametrizations[tensor_name]
    if chain.is_tensor:
        original = chain.original
        if leave_parametrized:
            with no_grad():
                _replace(original, getattr(module, tensor_name))
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value.detach()) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in "
            "terms of a sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The class that the module had before its tensors were parametrized.

    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 2))
    >>> type(layer).__name__, type_before_parametrizations(layer).__name__
    ('ParametrizedLinear', 'Linear')
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Give one module the parametrizations of another one, or those of one tensor, with their originals.

    >>> first = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 2))
    >>> second = transfer_parametrizations_and_params(first, torch.nn.Linear(2, 2))
    >>> torch.equal(first.weight, second.weight)
    True
    """
    if is_parametrized(from_module):
        for name in from_module.parametrizations if tensor_name is None else [tensor_name]:
            if not hasattr(to_module, name):
                setattr(to_module, name, Parameter(getattr(from_module, name).detach()))
            given = from_module.parametrizations[name]
            for parametrization in given:
                register_parametrization(to_module, name, parametrization)
            taken = to_module.parametrizations[name]
            for key in [*given._parameters, *given._buffers]:
                setattr(taken, key, getattr(given, key))
    return to_module
