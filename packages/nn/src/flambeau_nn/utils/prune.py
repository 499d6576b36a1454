"""Pruning: weights times a mask, computed before each call."""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import flambeau_tensor as ft
from flambeau_tensor import Tensor

if TYPE_CHECKING:
    from flambeau_nn.modules.module import Module


class BasePruningMethod(ABC):
    """A method that selects which elements of a tensor to keep, and the hook that applies it.

    Subclasses define ``compute_mask``, and ``PRUNING_TYPE``: "unstructured" (elements), "structured" (slices) or
    "global" (elements of several tensors).

    Raises:
        TypeError: the class is abstract: a subclass must define ``compute_mask``.

    >>> class Every2nd(BasePruningMethod):
    ...     PRUNING_TYPE = "unstructured"
    ...     def compute_mask(self, t, default_mask):
    ...         mask = default_mask.clone()
    ...         mask.view(-1)[::2] = 0
    ...         return mask
    >>> layer = torch.nn.Linear(4, 1)
    >>> _ = Every2nd.apply(layer, "weight")
    >>> layer.weight_mask
    tensor([[0., 1., 0., 1.]])
    """

    _tensor_name: str
    PRUNING_TYPE: str

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask for `t`, within `default_mask`; ones are kept."""

    def apply_mask(self, module: Module) -> Tensor:
        """The tensor with its mask."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        original = getattr(module, f"{self._tensor_name}_orig")
        return getattr(module, f"{self._tensor_name}_mask").to(dtype=original.dtype) * original

    @classmethod
    def apply(
        cls, module: Module, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any
    ) -> BasePruningMethod:
        """Prune a tensor of a module, in addition to previous pruning, and register the hook."""
        method = cls(*args, **kwargs)
        method._tensor_name = name
        found = [
            (key, hook)
            for key, hook in module._forward_pre_hooks.items()
            if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
        ]
        if len(found) > 1:
            raise AssertionError(
                f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. "
                "Use a PruningContainer."
            )
        if found:
            key, before = found[0]
            del module._forward_pre_hooks[key]
            container = before if isinstance(before, PruningContainer) else PruningContainer(before)
            container.add_pruning_method(method)
            method = container
            original = getattr(module, f"{name}_orig")
            default = getattr(module, f"{name}_mask").detach().clone()
        else:
            original, default = getattr(module, name), None
        if importance_scores is None:
            importance_scores = getattr(module, name)
        elif importance_scores.shape != getattr(module, name).shape:
            raise AssertionError(
                "importance_scores should have the same shape as parameter "
                f"{name} of {module}, got {importance_scores.shape} vs {original.shape}"
            )
        mask = method.compute_mask(
            importance_scores.detach(), ft.ones_like(original, requires_grad=False) if default is None else default
        )
        if not found:
            module.register_parameter(f"{name}_orig", original)
            del module._parameters[name]
        module.register_buffer(f"{name}_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None) -> Tensor:
        """A pruned copy of a tensor that belongs to no module."""
        if importance_scores is None:
            importance_scores = t
        elif importance_scores.shape != t.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as tensor t, got {importance_scores.shape} vs {t.shape}"
            )
        default_mask = ft.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(importance_scores, default_mask=default_mask)

    def remove(self, module: Module) -> None:
        """Make the pruned tensor a parameter again; the pruning becomes permanent."""
        name = self._tensor_name
        if name is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters.pop(f"{name}_orig")
        original.data = weight.data
        del module._buffers[f"{name}_mask"]
        setattr(module, name, original)


class PruningContainer(BasePruningMethod):
    """Several pruning methods of one tensor, applied one after another.

    Raises:
        AttributeError: an argument is not a pruning method.
        TypeError: the added object is not a pruning method.

    >>> layer = torch.nn.Linear(4, 1)
    >>> _ = torch.nn.utils.prune.l1_unstructured(layer, "weight", amount=1)
    >>> _ = torch.nn.utils.prune.l1_unstructured(layer, "weight", amount=1)
    >>> layer.weight_mask.sum()
    tensor(2.)
    """

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1 and not isinstance(args[0], Iterable):
            self._tensor_name = args[0]._tensor_name
            self.add_pruning_method(args[0])
        else:
            for method in args[0] if len(args) == 1 else args:
                if not self._pruning_methods:
                    self._tensor_name = method._tensor_name
                self.add_pruning_method(method)

    def add_pruning_method(self, method: BasePruningMethod | None) -> None:
        """Add a method, which prunes among the elements that the previous ones kept."""
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on the parameter named "
                f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, index: int) -> BasePruningMethod:
        return self._pruning_methods[index]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask of the last method, applied to the elements that the previous ones kept."""
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype)
        kind = method.PRUNING_TYPE
        if kind == "unstructured":
            kept: Any = mask == 1
        elif kind == "structured":
            if not hasattr(method, "dim"):
                raise AttributeError(
                    'Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.'
                )
            dim = method.dim
            if not -t.ndim <= dim < t.ndim:
                raise IndexError(f"Index is out of bounds for tensor with dimensions {t.ndim}")
            slices = mask.sum(tuple(d for d in range(t.ndim) if d != dim % t.ndim)) != 0
            kept = (slice(None),) * (dim % t.ndim) + (slices,)
        elif kind == "global":
            kept = (slice(None),) * t.ndim
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {kind}")
        partial = method.compute_mask(t[kept], default_mask=mask[kept])
        new = mask.clone()
        new[kept] = partial.to(mask.dtype)
        return new


class Identity(BasePruningMethod):
    """Prunes nothing: the mask contains only ones.

    Raises:
        AttributeError: the module has no such parameter.

    >>> Identity().prune(torch.tensor([3.0, 4.0]))
    tensor([3., 4.])
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask

    @classmethod
    def apply(cls, module: Module, name: str) -> BasePruningMethod:  # type: ignore[override]
        """See :meth:`BasePruningMethod.apply`."""
        return super().apply(module, name)


class _OfElements(BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    @abstractmethod
    def _chosen(self, t: Tensor, count: int) -> Tensor:
        """Return the indices of the elements to prune."""

    def __init__(self, amount: int | float) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = _count(self.amount, t.nelement())
        mask = default_mask.clone()
        if count:
            mask.view(-1)[self._chosen(t, count)] = 0
        return mask

    @classmethod
    def apply(cls, module: Module, name: str, amount: int | float, **kwargs: Any) -> BasePruningMethod:  # type: ignore[override]
        """See :meth:`BasePruningMethod.apply`."""
        return super().apply(module, name, amount=amount, **kwargs)


class RandomUnstructured(_OfElements):
    """Prunes a number, or a fraction, of elements at random.

    Raises:
        ValueError: a fraction is not between 0 and 1, or a number is negative.
        TypeError: the amount is not a number.

    >>> RandomUnstructured(amount=0.5).prune(torch.ones(4)).sum()
    tensor(2.)
    """

    def _chosen(self, t: Tensor, count: int) -> Tensor:
        return ft.topk(ft.rand_like(t).view(-1), k=count).indices

    @classmethod
    def apply(cls, module: Module, name: str, amount: int | float) -> BasePruningMethod:  # type: ignore[override]
        """See :meth:`BasePruningMethod.apply`."""
        return super().apply(module, name, amount)


class L1Unstructured(_OfElements):
    """Prunes a number, or a fraction, of elements: the smallest.

    Raises:
        ValueError: a fraction is not between 0 and 1, or a number is negative.
        TypeError: the amount is not a number.

    >>> L1Unstructured(amount=1).prune(torch.tensor([3.0, -1.0, 4.0]))
    tensor([3., -0., 4.])
    """

    def _chosen(self, t: Tensor, count: int) -> Tensor:
        return ft.topk(t.abs().reshape((-1,)), k=count, largest=False).indices

    @classmethod
    def apply(  # type: ignore[override]
        cls,
        module: Module,
        name: str,
        amount: int | float,
        importance_scores: Tensor | None = None,
    ) -> BasePruningMethod:
        """See :meth:`BasePruningMethod.apply`."""
        return super().apply(module, name, amount, importance_scores=importance_scores)


class _OfSlices(BasePruningMethod):
    PRUNING_TYPE = "structured"
    amount: int | float
    dim: int

    @abstractmethod
    def _kept(self, t: Tensor, size: int, count: int) -> Tensor:
        """Return the slices to keep, as indices or a mask."""

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        _validate_structured_pruning(t)
        _validate_pruning_dim(t, self.dim)
        size = t.shape[self.dim]
        count = _count(self.amount, size)
        if count == 0:
            return default_mask
        mask = ft.zeros_like(t)
        index: list[Any] = [slice(None)] * t.ndim
        index[self.dim] = self._kept(t, size, count)
        mask[tuple(index)] = 1
        return mask * default_mask.to(dtype=mask.dtype)


class RandomStructured(_OfSlices):
    """Prunes a number, or a fraction, of slices of a dimension at random.

    Raises:
        ValueError: a fraction is not between 0 and 1, or a number is negative.
        TypeError: the amount is not a number.

    >>> RandomStructured(amount=1, dim=0).prune(torch.ones(3, 2)).sum()
    tensor(4.)
    """

    def __init__(self, amount: int | float, dim: int = -1) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount
        self.dim = dim

    def _kept(self, t: Tensor, size: int, count: int) -> Tensor:
        order = ft.rand(size)
        return order > ft.kthvalue(order, k=count).values

    @classmethod
    def apply(cls, module: Module, name: str, amount: int | float, dim: int = -1) -> BasePruningMethod:  # type: ignore[override]
        """See :meth:`BasePruningMethod.apply`."""
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(_OfSlices):
    """Prunes a number, or a fraction, of slices of a dimension: those of the smallest norm.

    Raises:
        ValueError: a fraction is not between 0 and 1, or a number is negative.
        TypeError: the amount is not a number.

    >>> LnStructured(amount=1, n=2, dim=0).prune(torch.tensor([[3.0, 4.0], [1.0, 1.0]]))
    tensor([[3., 4.],
            [0., 0.]])
    """

    def __init__(self, amount: int | float, n: int | float | str, dim: int = -1) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount
        self.n = n
        self.dim = dim

    def _kept(self, t: Tensor, size: int, count: int) -> Tensor:
        return ft.topk(_compute_norm(t, self.n, self.dim), k=size - count, largest=True).indices

    @classmethod
    def apply(  # type: ignore[override]
        cls,
        module: Module,
        name: str,
        amount: int | float,
        n: int | float | str,
        dim: int,
        importance_scores: Tensor | None = None,
    ) -> BasePruningMethod:
        """See :meth:`BasePruningMethod.apply`."""
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Prunes with a given mask of the parameter's shape.

    Raises:
        AttributeError: the module has no such parameter.

    >>> CustomFromMask(torch.tensor([1.0, 0.0])).prune(torch.tensor([3.0, 4.0]))
    tensor([3., 0.])
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module: Module, name: str, mask: Tensor) -> BasePruningMethod:  # type: ignore[override]
        """See :meth:`BasePruningMethod.apply`."""
        return super().apply(module, name, mask=mask)


# --- functions ------------------------------------------------------------------------------------------------------


def identity(module: Module, name: str) -> Module:
    """Attach a mask of ones to a tensor of a module; returns the module, as the following functions do.

    Raises:
        AttributeError: the module has no such parameter.

    >>> identity(torch.nn.Linear(2, 1), "weight").weight_mask
    tensor([[1., 1.]])
    """
    Identity.apply(module, name)
    return module


def random_unstructured(module: Module, name: str, amount: int | float) -> Module:
    """Prune ``amount`` elements (a number, or a fraction) at random.

    Raises:
        ValueError: a fraction is not between 0 and 1, or a number exceeds the number of elements.

    >>> layer = random_unstructured(torch.nn.Linear(2, 3), "weight", amount=2)
    >>> int((layer.weight == 0).sum())
    2
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Module, name: str, amount: int | float, importance_scores: Tensor | None = None) -> Module:
    """Prune the ``amount`` elements that are smallest, or whose ``importance_scores`` are.

    Raises:
        ValueError: a fraction is not between 0 and 1, or a number exceeds the number of elements.

    >>> layer = torch.nn.Linear(4, 1)
    >>> int((l1_unstructured(layer, "weight", amount=0.5).weight == 0).sum())
    2
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Module, name: str, amount: int | float, dim: int) -> Module:
    """Prune ``amount`` slices of a dimension at random.

    Raises:
        ValueError: a fraction is not between 0 and 1, or a number exceeds the number of slices.

    >>> layer = random_structured(torch.nn.Linear(2, 3), "weight", amount=1, dim=1)
    >>> int((layer.weight == 0).all(0).sum())
    1
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Module,
    name: str,
    amount: int | float,
    n: int | float | str,
    dim: int,
    importance_scores: Tensor | None = None,
) -> Module:
    """Prune the ``amount`` slices of a dimension whose n-norm is smallest.

    Raises:
        ValueError: a fraction is not between 0 and 1, or a number exceeds the number of slices.

    >>> layer = ln_structured(torch.nn.Linear(2, 3), "weight", amount=1, n=2, dim=0)
    >>> int((layer.weight == 0).all(1).sum())
    1
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Module, name: str, mask: Tensor) -> Module:
    """Prune with a mask of the parameter's shape: elements with zeros are removed.

    Raises:
        AttributeError: the module has no such parameter.

    >>> layer = custom_from_mask(torch.nn.Linear(2, 1), "weight", torch.tensor([[1.0, 0.0]]))
    >>> layer.weight[0, 1]
    tensor(0., grad_fn=<SelectBackward0>)
    """
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Module, str]],
    pruning_method: type[BasePruningMethod],
    importance_scores: dict[tuple[Module, str], Tensor] | None = None,
    **kwargs: Any,
) -> None:
    """Prune elements of several tensors as if they were one.

    Args:
        parameters: pairs of modules and names.
        pruning_method: a class whose ``PRUNING_TYPE`` is "unstructured".
        importance_scores: for some of the pairs, values to compare instead.
        kwargs: arguments of the method, such as ``amount``.

    Raises:
        TypeError: the method is not an unstructured one, or the parameters are not a list of pairs.

    >>> a, b = torch.nn.Linear(4, 1), torch.nn.Linear(4, 1)
    >>> global_unstructured([(a, "weight"), (b, "weight")], L1Unstructured, amount=3)
    >>> int((a.weight == 0).sum() + (b.weight == 0).sum())
    3
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    parameters = list(parameters)
    importance_scores = {} if importance_scores is None else importance_scores
    if not isinstance(importance_scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    scores = [importance_scores.get(pair, getattr(*pair)) for pair in parameters]
    masks = [getattr(module, f"{name}_mask", None) for module, name in parameters]
    present = [
        ft.ones_like(getattr(*pair)) if mask is None else mask for pair, mask in zip(parameters, masks, strict=True)
    ]
    container = PruningContainer()
    container._tensor_name = "temp"
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    container.add_pruning_method(method)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    final = container.compute_mask(
        ft.cat([s.detach().reshape((-1,)) for s in scores]), ft.cat([m.reshape((-1,)) for m in present])
    )
    at = 0
    for module, name in parameters:
        shape, count = getattr(module, name).shape, getattr(module, name).numel()
        custom_from_mask(module, name, mask=final[at : at + count].view(shape))
        at += count


def remove(module: Module, name: str) -> Module:
    """Make a pruned tensor a parameter again; the pruning becomes permanent.

    Raises:
        ValueError: it was not pruned.

    >>> layer = l1_unstructured(torch.nn.Linear(4, 1), "weight", amount=1)
    >>> [name for name, _ in remove(layer, "weight").named_parameters()]
    ['bias', 'weight']
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module: Module) -> bool:
    """Return True if a tensor of the module or of its submodules is pruned.

    Raises:
        AttributeError: the argument is not a module.

    >>> layer = torch.nn.Linear(2, 1)
    >>> is_pruned(layer), is_pruned(identity(layer, "weight"))
    (False, True)
    """
    return any(
        isinstance(hook, BasePruningMethod) for each in module.modules() for hook in each._forward_pre_hooks.values()
    )


def _validate_pruning_amount_init(amount: int | float) -> None:
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    integral = isinstance(amount, numbers.Integral)
    if (integral and amount < 0) or (not integral and not 0 <= float(amount) <= 1):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def _validate_pruning_amount(amount: int | float, tensor_size: int) -> None:
    if isinstance(amount, numbers.Integral) and amount > tensor_size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={tensor_size}")


def _compute_nparams_toprune(amount: int | float, tensor_size: int) -> int:
    """Return how many of `tensor_size` elements are pruned, without a check of the size."""
    return amount if isinstance(amount, numbers.Integral) else round(amount * tensor_size)


def _count(amount: int | float, size: int) -> int:
    """Return how many of `size` elements are pruned; raise an error if there are fewer."""
    _validate_pruning_amount(amount, size)
    return _compute_nparams_toprune(amount, size)


def _validate_structured_pruning(t: Tensor) -> None:
    if t.ndim <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. Found tensor of "
            f"shape {t.shape} with {t.ndim} dims"
        )


def _validate_pruning_dim(t: Tensor, dim: int) -> None:
    if not -t.ndim <= dim < t.ndim:
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


def _compute_norm(t: Tensor, n: int | float | str, dim: int) -> Tensor:
    """Return the n-norms of the slices of a dimension."""
    return ft.norm(t, p=n, dim=tuple(d for d in range(t.ndim) if d != dim % t.ndim))
