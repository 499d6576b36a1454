"""Calling a module with other tensors in place of its parameters and buffers, which it has back afterwards."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import flambeau_tensor as torch
from flambeau_nn.modules.module import Module
from flambeau_nn.parameter import Parameter
from flambeau_tensor import Tensor

__all__ = ["functional_call"]


def functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Tensor],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """The older name of ``torch.func.functional_call``, of a single dict."""
    import warnings

    warnings.warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a "
        "future version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in "
        "replacement.",
        FutureWarning,
        stacklevel=2,
    )
    return call_with(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)


def call_with(
    module: Module,
    tensors: dict[str, Any],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call ``module(*args, **kwargs)`` with ``tensors`` in place of its parameters and buffers."""
    if args is None:
        args = ()
    elif not isinstance(args, tuple):
        args = (args,)
    with _replaced(module, tensors, tie_weights, strict):
        return module(*args, **({} if kwargs is None else kwargs))


_functional_call = call_with


@contextlib.contextmanager
def _replaced(module: Module, tensors: dict[str, Any], tie_weights: bool, strict: bool) -> Iterator[None]:
    given = _with_tied(module, tensors) if tie_weights else dict(tensors)
    places = _owners(module, given, strict)
    originals = {}
    try:
        for name, (state, last) in places.items():
            originals[name] = state.get(last, _ABSENT)
            state[last] = given[name]
        yield
    finally:
        # Tensors that the module itself has assigned meanwhile go to the caller's dict.
        left = {name: places[name][0].get(places[name][1]) for name in originals}
        for name, tensor in originals.items():
            state, last = places[name]
            if tensor is _ABSENT:
                del state[last]
            else:
                state[last] = tensor
        tensors.update({name: left[name] for name in tensors if name in left})


def _reparametrize_module(
    module: Module,
    parameters_and_buffers: dict[str, Any],
    tie_weights: bool = False,
    strict: bool = False,
    stack_weights: bool = False,
) -> contextlib.AbstractContextManager[None]:
    """A context in which other tensors replace the parameters and buffers of a module."""
    return _replaced(module, parameters_and_buffers, tie_weights, strict)


_ABSENT = object()


class _Properties(dict[str, Any]):
    """The properties of a module, as parametrized weights are, in the form of its dict."""

    def __init__(self, module: Module) -> None:
        self.module = module

    def get(self, name: str, default: Any = None) -> Any:
        return getattr(self.module, name, default)

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self.module, name, value)


def _owners(module: Module, given: dict[str, Any], strict: bool) -> dict[str, tuple[dict[str, Any], str]]:
    """name -> (the dict of a submodule that holds it, the key there)"""
    own = {name for name, _ in _members(module)} if strict else set(given)  # modules may refer to each other
    unexpected = [name for name in given if name not in own]
    missing = sorted(own - set(given))
    if unexpected or missing:
        told = [
            f"{kind} key(s): {', '.join(map(repr, names))}."
            for kind, names in (("Unexpected", sorted(unexpected)), ("Missing", missing))
            if names
        ]
        raise RuntimeError(f"Error(s) in reparametrizing for {type(module).__name__}:\n\t" + "\n\t".join(told))
    places = {}
    for name, tensor in given.items():
        path, _, last = name.rpartition(".")
        owner = module.get_submodule(path)
        for state in (owner._parameters, owner._buffers):
            if last in state:
                break
        else:
            if last == "":
                raise KeyError('tensor name can\'t be empty string ""')
            present = getattr(owner, last, None)
            if present is not None and not isinstance(present, torch.Tensor):
                raise TypeError(f"attribute `{last}`: {present!r} is not an instance of torch.Tensor")
            # During the call: what a property of the class makes of it, a parameter, or an ordinary attribute.
            if isinstance(getattr(type(owner), last, None), property):
                state = _Properties(owner)
            else:
                state = owner._parameters if isinstance(tensor, Parameter) else owner.__dict__
        if not isinstance(tensor, torch.Tensor) and tensor is not None:
            raise TypeError(f"{tensor} is not an instance of torch.Tensor")
        places[name] = state, last
    return places


def _members(module: Module) -> Iterator[tuple[str, Tensor]]:
    yield from module.named_parameters(remove_duplicate=False)
    yield from module.named_buffers(remove_duplicate=False)


def _with_tied(module: Module, tensors: dict[str, Any]) -> dict[str, Any]:
    """``tensors`` with the other names of each tensor that the module holds under several."""
    names_of: dict[int, list[str]] = {}
    for name, tensor in _members(module):
        names_of.setdefault(id(tensor), []).append(name)
    given = dict(tensors)
    for names in names_of.values():
        named = [name for name in names if name in tensors]
        if len(names) == 1 or not named:
            continue
        if any(tensors[name] is not tensors[named[0]] for name in named):
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(named)}, which are tied. Consider "
                "using tie_weights=False"
            )
        given.update(dict.fromkeys(names, tensors[named[0]]))
    return given


def check_module(module: object, where: str) -> None:
    if not isinstance(module, Module):
        raise TypeError(f"{where}: expected an nn.Module, got {type(module).__name__}")
