"""``torch.utils.module_tracker``: the modules that are running, in forward and in backward.

>>> import flambeau as torch
>>> class Shown(torch.nn.Module):
...     def forward(self, x):
...         print(sorted(tracker.parents))
...         return x
>>> with torch.utils.module_tracker.ModuleTracker() as tracker:
...     _ = torch.nn.Sequential(Shown())(torch.ones(1))
['Global', 'Sequential', 'Sequential.0']
"""

import weakref
from typing import Any, Self

import flambeau as torch
from flambeau_autograd.extend import current_run, queue_callback
from flambeau_nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

__all__ = ["ModuleTracker"]


def _tensors(value):
    return [t for t in torch.utils._pytree.tree_leaves(value) if isinstance(t, torch.Tensor) and t.requires_grad]


class ModuleTracker:
    """A context in which `parents` contains the full names of all modules that run, and ``"Global"``.

    A name consists of the class of the outermost module, and the path from `named_children` below it; `is_bw` is
    true during their backward.

    >>> with ModuleTracker() as tracker:
    ...     print(tracker.parents, tracker.is_bw)
    {'Global'} False
    """

    def __init__(self) -> None:
        self.parents = {"Global"}
        self._known: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
        self._seen: weakref.WeakSet[Any] = weakref.WeakSet()
        self._hooks: list[Any] = []
        self._backward_ends = False

    def _name(self, module):
        if module not in self._known:
            self._known[module] = type(module).__name__
        name = self._known[module]
        if module not in self._seen:
            for child_name, child in module.named_children():
                self._known[child] = f"{name}.{child_name}"
                self._name(child)
            self._seen.add(module)
        return name

    @property
    def is_bw(self) -> bool:
        """Whether backward is running."""
        return current_run() is not None

    def _enter(self, name):
        def enter(*_):
            if self.is_bw and not self._backward_ends:
                self._backward_ends = True
                queue_callback(self._end_backward)
            self.parents.add(name)

        return enter

    def _leave(self, name):
        def leave(*_):
            self.parents.discard(name)

        return leave

    def _end_backward(self):
        self.parents = {"Global"}
        self._backward_ends = False

    def _before(self, module, args):
        name = self._name(module)
        self._enter(name)()
        tensors = _tensors(args)
        if tensors:
            self._hooks.append(torch.autograd.graph.register_multi_grad_hook(tensors, self._leave(name)))

    def _after(self, module, args, result):
        name = self._name(module)
        self._leave(name)()
        tensors = _tensors(result)
        if tensors:
            self._hooks.append(torch.autograd.graph.register_multi_grad_hook(tensors, self._enter(name), mode="any"))

    def __enter__(self) -> Self:
        self._handles = (
            register_module_forward_pre_hook(self._before),
            register_module_forward_hook(self._after, always_call=True),
        )
        return self

    def __exit__(self, *error: object) -> None:
        for handle in (*self._handles, *self._hooks):
            handle.remove()
        self._hooks.clear()
