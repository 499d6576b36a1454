"""Collectives with gradients; each is the transpose of another one."""

from typing import Any

from flambeau_autograd import Function
from flambeau_distributed import collectives
from flambeau_distributed.reduce_op import ReduceOp
from flambeau_distributed.world import get_rank, get_world_size, group_of
from flambeau_tensor import Tensor, empty, empty_like, zeros_like

__all__ = [
    "all_gather",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "broadcast",
    "gather",
    "reduce",
    "reduce_scatter",
    "scatter",
]


def _in_group(root: int, group: Any) -> int:
    found = group_of(group)
    assert found is not None
    return found.ranks.index(root)


class _Broadcast(Function):
    @staticmethod
    def forward(ctx: Any, root: int, group: Any, tensor: Tensor) -> Tensor:
        ctx.root, ctx.group = root, group
        out = tensor.clone()
        collectives.broadcast(out, group=group, group_src=root)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        grad = grad.contiguous().clone()
        collectives.reduce(grad, group=ctx.group, group_dst=ctx.root)
        return None, None, grad if get_rank(ctx.group) == ctx.root else zeros_like(grad)


class _Reduce(Function):
    @staticmethod
    def forward(ctx: Any, root: int, op: Any, group: Any, tensor: Tensor) -> Tensor:
        ctx.root, ctx.group = root, group
        out = tensor.clone()
        collectives.reduce(out, op=op, group=group, group_dst=root)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        grad = grad.contiguous().clone()
        collectives.broadcast(grad, group=ctx.group, group_src=ctx.root)
        return None, None, None, grad


class _AllReduce(Function):
    @staticmethod
    def forward(ctx: Any, op: Any, group: Any, tensor: Tensor) -> Tensor:
        ctx.op, ctx.group = op, group
        out = tensor.clone()
        collectives.all_reduce(out, op, group)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        grad = grad.contiguous().clone()
        collectives.all_reduce(grad, ctx.op, ctx.group)
        return None, None, grad


class _AllGather(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, tensor: Tensor) -> Any:
        ctx.group = group
        outs = [empty_like(tensor) for _ in range(get_world_size(group))]
        collectives.all_gather(outs, tensor.contiguous(), group)
        return tuple(outs)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        out = empty_like(grads[0])
        collectives.reduce_scatter(out, [grad.contiguous() for grad in grads], group=ctx.group)
        return None, out


class _Gather(Function):
    @staticmethod
    def forward(ctx: Any, root: int, group: Any, tensor: Tensor) -> Any:
        ctx.root, ctx.group = root, group
        outs = [zeros_like(tensor) for _ in range(get_world_size(group))]
        here = get_rank(group) == root
        collectives.gather(tensor.contiguous(), outs if here else None, group=group, group_dst=root)
        return tuple(outs)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        out = empty_like(grads[0])
        parts = [grad.contiguous() for grad in grads] if get_rank(ctx.group) == ctx.root else None
        collectives.scatter(out, parts, group=ctx.group, group_src=ctx.root)
        return None, None, out


class _Scatter(Function):
    @staticmethod
    def forward(ctx: Any, root: int, group: Any, *tensors: Tensor) -> Tensor:
        ctx.root, ctx.group = root, group
        out = zeros_like(tensors[0])
        here = get_rank(group) == root
        collectives.scatter(out, [t.contiguous() for t in tensors] if here else None, group=group, group_src=root)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        parts = [zeros_like(grad) for _ in range(get_world_size(ctx.group))]
        here = get_rank(ctx.group) == ctx.root
        collectives.gather(grad.contiguous(), parts if here else None, group=ctx.group, group_dst=ctx.root)
        return None, None, *parts


class _ReduceScatter(Function):
    @staticmethod
    def forward(ctx: Any, op: Any, group: Any, out: Tensor, *tensors: Tensor) -> Tensor:
        ctx.group = group
        result = empty_like(out)
        collectives.reduce_scatter(result, [t.contiguous() for t in tensors], op, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        parts = list(empty((get_world_size(ctx.group), *grad.shape), dtype=grad.dtype))
        collectives.all_gather(parts, grad.contiguous(), ctx.group)
        return None, None, None, *parts


class _AllToAll(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, shapes: Any, *tensors: Tensor) -> Any:
        ctx.group, ctx.shapes = group, [t.shape for t in tensors]
        outs = [empty(shape, dtype=tensors[0].dtype) for shape in shapes]
        collectives.all_to_all(outs, [t.contiguous() for t in tensors], group)
        return tuple(outs)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        parts = [empty(shape, dtype=grads[0].dtype) for shape in ctx.shapes]
        collectives.all_to_all(parts, [grad.contiguous() for grad in grads], ctx.group)
        return None, None, *parts


class _AllToAllSingle(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, out: Tensor, receives: Any, sends: Any, tensor: Tensor) -> Tensor:
        ctx.group, ctx.splits, ctx.shape = group, (receives, sends), tensor.shape
        result = empty_like(out)
        collectives.all_to_all_single(result, tensor.contiguous(), receives, sends, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        out = empty(ctx.shape, dtype=grad.dtype)
        receives, sends = ctx.splits
        collectives.all_to_all_single(out, grad.contiguous(), sends, receives, ctx.group)
        return None, None, None, None, out


def broadcast(tensor: Tensor, src: int, group: Any = None) -> Tensor:
    """The tensor of rank ``src``, on every rank; gradients are summed there.

    Raises:
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    return _Broadcast.apply(_in_group(src, group), group, tensor)


def reduce(tensor: Tensor, dst: int, op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """The reduction of the tensors of all ranks, on rank ``dst``.

    Raises:
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    return _Reduce.apply(_in_group(dst, group), op, group, tensor)


def all_reduce(tensor: Tensor, op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """The reduction of the tensors of all ranks, on every rank.

    Raises:
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.

    >>> torch.distributed.init_process_group(store=torch.distributed.HashStore(), rank=0, world_size=1)
    >>> x = torch.ones(2, requires_grad=True)
    >>> torch.distributed.nn.all_reduce(x).sum().backward()
    >>> x.grad
    tensor([1., 1.])
    >>> torch.distributed.destroy_process_group()
    """
    return _AllReduce.apply(op, group, tensor)


def all_gather(tensor: Tensor, group: Any = None) -> "tuple[Tensor, ...]":
    """The tensors of all ranks, on every rank.

    Raises:
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    return _AllGather.apply(group, tensor)


def gather(tensor: Tensor, dst: int = 0, group: Any = None) -> "tuple[Tensor, ...]":
    """The tensors of all ranks, on rank ``dst``; zeros on others.

    Raises:
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    return _Gather.apply(_in_group(dst, group), group, tensor)


def scatter(tensors: "list[Tensor]", src: int = 0, group: Any = None) -> Tensor:
    """This rank's part of the tensors of rank ``src``.

    Raises:
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    return _Scatter.apply(_in_group(src, group), group, *tensors)


def reduce_scatter(output: Tensor, input_list: "list[Tensor]", op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """Return this rank's part of the reduction of the lists of all ranks; ``output`` has its size.

    Raises:
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    return _ReduceScatter.apply(op, group, output, *input_list)


def all_to_all(
    output_tensor_list: "list[Tensor]", input_tensor_list: "list[Tensor]", group: Any = None
) -> "tuple[Tensor, ...]":
    """Return a tensor from each rank; ``output_tensor_list`` has their sizes.

    Raises:
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    return _AllToAll.apply(group, [out.shape for out in output_tensor_list], *input_tensor_list)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: Any = None,
    input_split_sizes: Any = None,
    group: Any = None,
) -> Tensor:
    """Return rows from each rank; ``output`` has the size.

    Raises:
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    return _AllToAllSingle.apply(group, output, output_split_sizes, input_split_sizes, input)
