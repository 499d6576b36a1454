"""A module whose copies in several processes train as one: each has its part of the batch, and gradients are averaged.

`flambeau_distributed` implements processes and their communication; this module only assumes that a group has ranks
and sums tensors.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from flambeau_autograd import is_grad_enabled, no_grad
from flambeau_nn.modules.module import Module
from flambeau_nn.parallel.reducer import GradBucket, Reducer, by_dtype
from flambeau_tensor import Tensor, cat, process_groups, tensor, zeros
from flambeau_tensor.not_built import NotBuiltError

__all__ = ["DistributedDataParallel", "GradBucket"]


class DistributedDataParallel(Module):
    """A module that averages its gradients with those of its copies in other processes.

    At the end of backward the gradients are averaged over the processes in one exchange (one for each dtype), in place.
    Parameters and buffers start with the values of rank 0.

    Args:
        module: the same in all processes.
        device_ids, output_device: None; the CPU is the only device.
        dim: ignored.
        broadcast_buffers: whether to broadcast the buffers of rank 0 before each forward in training.
        init_sync: whether to start with the state of rank 0.
        process_group: the group whose ranks have the copies; by default all.
        bucket_cap_mb: ignored; there is one bucket.
        find_unused_parameters: whether parameters may have no gradient in some steps.
        check_reduction: ignored.
        gradient_as_bucket_view: ignored; gradients are averaged in place.
        static_graph: whether parameters without a gradient have none in any step.

    Shape:
        those of the module

    Raises:
        ValueError: there is no process group.
        RuntimeError: no parameter requires a gradient, or the modules differ.

    >>> torch.distributed.init_process_group(store=torch.distributed.HashStore(), rank=0, world_size=1)
    >>> model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 3))
    >>> model(torch.ones(4, 2)).sum().backward()
    >>> model.module.bias.grad
    tensor([4., 4., 4.])
    >>> torch.distributed.destroy_process_group()
    """

    def __init__(
        self,
        module: Module,
        device_ids: Any = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: bool = True,
        init_sync: bool = True,
        process_group: Any = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
        delay_all_reduce_named_params: Any = None,
        param_to_hook_all_reduce: Any = None,
        mixed_precision: Any = None,
        device_mesh: Any = None,
        skip_all_reduce_unused_params: bool = False,
    ) -> None:
        super().__init__()
        group = process_group if process_group is not None else process_groups.default()
        if group is None:
            raise ValueError(
                "Default process group has not been initialized, please make sure to call init_process_group."
            )
        if device_ids or output_device is not None:
            raise ValueError(
                "DistributedDataParallel device_ids and output_device arguments only work with single-device/"
                f"multiple-device GPU modules or CPU modules, but got device_ids {device_ids}, output_device "
                f"{output_device}: the CPU is the only device, so leave them out"
            )
        if mixed_precision is not None or device_mesh is not None:
            raise NotBuiltError("mixed_precision and device_mesh of DistributedDataParallel are not built")
        ignored = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        self.module, self.process_group = module, group
        self.broadcast_buffers, self.find_unused_parameters = broadcast_buffers, find_unused_parameters
        self.static_graph, self.gradient_as_bucket_view = static_graph, gradient_as_bucket_view
        self.device_ids = self.output_device = None
        self.dim, self.require_backward_grad_sync = dim, True
        named = [(name, p) for name, p in module.named_parameters() if name not in ignored]
        self._parameters_here: list[Tensor] = [p for _, p in named if p.requires_grad]
        if not self._parameters_here:
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameters that require a "
                "gradient."
            )
        self._state = [p.detach() for _, p in named]
        self._buffers_here = [b for name, b in module.named_buffers() if name not in ignored]
        self._join: Any = None
        self._compare()
        if init_sync:
            self._from(0, self._state)
            self._from(0, self._buffers_here)
        self._reducer = Reducer(
            self._parameters_here,
            group,
            find_unused_parameters,
            static_graph,
            lambda: self.require_backward_grad_sync,
        )

    # --- the same module everywhere

    def _compare(self) -> None:
        shapes = [[float(n) for n in p.shape] for p in self._parameters_here]
        flat = [float(len(shapes)), *(n for shape in shapes for n in (len(shape), *shape))]
        sizes = self._gathered(tensor([float(len(flat)), float(len(shapes))]).double())
        rank, here = self.process_group.rank(), len(shapes)
        for other, (length, count) in enumerate(sizes):
            if int(count) != here:
                raise RuntimeError(
                    f"DDP expects same model across all ranks, but Rank {rank} has {here} params, while rank {other} "
                    f"has inconsistent {int(count)} params."
                )
            if int(length) != len(flat):
                raise RuntimeError(f"DDP: parameters of rank {rank} and rank {other} have different shapes")
        for other, theirs in enumerate(self._gathered(tensor(flat).double())):
            if theirs != flat:
                raise RuntimeError(f"DDP: parameters of rank {rank} and rank {other} have different shapes")

    def _gathered(self, own: Tensor) -> list[list[float]]:
        rows = zeros(self.process_group.size(), len(own), dtype=own.dtype)
        self.process_group.do_all_gather_into(rows, own)
        return rows.tolist()

    def _from(self, root: int, tensors: list[Tensor]) -> None:
        """Take the tensors of a rank."""
        if self.process_group.size() == 1:
            return
        with no_grad():
            for indices in by_dtype(tensors):
                flat = cat([tensors[i].detach().reshape(-1) for i in indices])
                self.process_group.do_broadcast(flat, root)
                if self.process_group.rank() != root:
                    for part, i in zip(flat.split([tensors[i].numel() for i in indices]), indices, strict=True):
                        tensors[i].detach().copy_(part.view(tensors[i].shape))

    # --- forward

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        recording = is_grad_enabled()
        if self._join is not None and recording and self.require_backward_grad_sync:
            self._join.notify(self)
        if recording:
            self._reducer.begin()
        if self.broadcast_buffers and self.training and self._buffers_here and self.require_backward_grad_sync:
            self._from(0 if self._join is None else self._join.common_rank(True), self._buffers_here)
        return self.module(*inputs, **kwargs)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """A context without averaging: gradients accumulate until the first backward after it."""
        before = self.require_backward_grad_sync
        self.require_backward_grad_sync = False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    # --- hooks and joining

    def register_comm_hook(self, state: object, hook: Callable[..., Any]) -> None:
        """Let a function exchange the gradients.

        Args:
            state: its first argument.
            hook: called with a `GradBucket`; returns a future of the tensor that replaces the gradients.

        Raises:
            TypeError: it is not a function.
            ValueError: its annotations are invalid.
            RuntimeError: a hook is already registered.
        """
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        signature = inspect.signature(hook)
        given = signature.parameters.get("bucket")
        if given is not None and given.annotation not in (inspect.Parameter.empty, GradBucket, "GradBucket"):
            raise ValueError("Communication hook: bucket annotation should be dist.GradBucket.")
        returned = str(signature.return_annotation)
        if signature.return_annotation is not inspect.Signature.empty and "Future" not in returned:
            raise ValueError("Communication hook: return annotation should be torch.futures.Future[torch.Tensor].")
        if self._reducer.hook is not None:
            raise RuntimeError("register_comm_hook or register_builtin_comm_hook can only be called once.")
        self._reducer.hook = (state, hook)

    def join(
        self,
        divide_by_initial_world_size: bool = True,
        enable: bool = True,
        throw_on_early_termination: bool = False,
    ) -> Any:
        """A context in which ranks may have different numbers of inputs.

        Args:
            divide_by_initial_world_size: divide gradients by the number of ranks; otherwise by the number of ranks that
                still have inputs.
            enable: if False, the context does nothing.
            throw_on_early_termination: raise an error on all ranks when one has no more inputs.
        """
        return self.process_group.join(
            [self],
            enable,
            throw_on_early_termination,
            divide_by_initial_world_size=divide_by_initial_world_size,
        )

    def join_hook(self, **kwargs: Any) -> Any:
        """Return the `JoinHook` of this rank, for when it has no more inputs."""
        return _JoinHook(self, kwargs.get("divide_by_initial_world_size", True))

    @property
    def join_process_group(self) -> Any:
        """The group whose ranks join."""
        return self.process_group

    def _get_ddp_logging_data(self) -> dict[str, Any]:
        return {"world_size": self.process_group.size(), "rank": self.process_group.rank()}

    def _set_static_graph(self) -> None:
        self.static_graph = self._reducer.is_static = True

    def __getstate__(self) -> dict[str, Any]:
        warnings.warn("a DistributedDataParallel is pickled without its group; pickle its module", stacklevel=2)
        return {"module": self.module}


class _JoinHook:
    def __init__(self, model: DistributedDataParallel, divide_by_all: bool) -> None:
        self.model, self.divide_by_all = model, divide_by_all

    def active(self, count: int) -> None:
        """Set the number of ranks that have inputs in this step."""
        self.model._reducer.divisor = self.model.process_group.size() if self.divide_by_all else count

    def main_hook(self) -> None:
        """Take part in the exchanges of a step of the other processes."""
        model = self.model
        if model.broadcast_buffers and model.training and model._buffers_here:
            model._from(model._join.common_rank(False), model._buffers_here)
        model._reducer.shadow()

    def post_hook(self, is_last_joiner: bool) -> None:
        """Copy the parameters from a rank that took part in the last step."""
        model = self.model
        root = model._join.common_rank(is_last_joiner)
        model._from(root, model._state)
        model._from(root, model._buffers_here)
        model._reducer.divisor = model.process_group.size()
