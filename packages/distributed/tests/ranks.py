"""What the ranks of a group do in tests: ``python ranks.py CHECK RANK SIZE FILE`` in a process for each rank.

Each check is a function of the rank and the number of ranks. `test_groups.py` starts them and compares what they print.
"""

import functools
import os
import signal
import sys
import time
import warnings
from datetime import timedelta

import numpy as np

import flambeau_distributed as dist
import flambeau_distributed.nn as collectives_with_gradients
import flambeau_nn as nn
import flambeau_tensor as torch
from flambeau_distributed import ReduceOp, shared_memory
from flambeau_nn.parallel.distributed import DistributedDataParallel

CHECKS = {}
FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
INTS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
SIZES = ((), (1,), (3,), (0,), (2, 3), (20_000,), (50_001,))  # below and above a buffer of `main`


def check(function):
    CHECKS[function.__name__] = function
    return function


def values(rank, shape, dtype, low=-3, high=4):
    """What a rank has; every rank can tell."""
    numbers = np.random.default_rng(rank).integers(low, high, shape)
    return torch.tensor(numbers).to(dtype)


def everyones(size, shape, dtype, **bounds):
    return [values(rank, shape, dtype, **bounds) for rank in range(size)]


def same(found, expected):
    assert found.dtype == expected.dtype and found.shape == expected.shape, (found, expected)
    assert torch.equal(found, expected), (found, expected)


@check
def reductions(rank, size):
    steps = {
        ReduceOp.SUM: torch.add,
        ReduceOp.PRODUCT: torch.mul,
        ReduceOp.MIN: torch.minimum,
        ReduceOp.MAX: torch.maximum,
        ReduceOp.BAND: torch.bitwise_and,
        ReduceOp.BOR: torch.bitwise_or,
        ReduceOp.BXOR: torch.bitwise_xor,
    }
    for dtype in (*FLOATS, *INTS):
        for op, step in steps.items():
            if op.value >= 5 and dtype in FLOATS:
                continue
            for shape in SIZES if op is ReduceOp.SUM else SIZES[-2:]:
                bounds = {"low": 0} if dtype is torch.uint8 else {}
                parts = everyones(size, shape, dtype, **bounds)
                wide = [part.double() if dtype in FLOATS else part for part in parts]
                expected = functools.reduce(step, wide).to(dtype)
                own = parts[rank].clone()
                version = own._version
                dist.all_reduce(own, op)
                same(own, expected)
                assert own._version > version
                root = size - 1
                own = parts[rank].clone()
                dist.reduce(own, root, op)
                same(own, expected if rank == root else parts[rank])
    own = torch.full((3,), float(rank))
    dist.all_reduce(own, ReduceOp.AVG)
    same(own, torch.full((3,), (size - 1) / 2))
    own = torch.tensor([1 + 2j, 3j]) * (rank + 1)
    dist.all_reduce(own)
    same(own, torch.tensor([1 + 2j, 3j]) * (size * (size + 1) // 2))
    flags = torch.tensor([True, rank == 0, False])
    dist.all_reduce(flags, ReduceOp.MAX)
    assert flags.tolist() == [True, True, False]


@check
def nans(rank, size):
    nan = torch.tensor([1.0, float("nan") if rank == size - 1 else 0.0])
    dist.all_reduce(nan, ReduceOp.MIN)
    assert nan[1].isnan()


@check
def strides(rank, size):
    own = values(rank, (4, 6), torch.float64)
    total = sum(everyones(size, (4, 6), torch.float64))
    turned = own.t()
    dist.all_reduce(turned)
    same(own, total)
    own = values(rank, (4, 6), torch.float64)
    dist.broadcast(own[:, ::2], 0)
    expected = values(rank, (4, 6), torch.float64)
    expected[:, ::2] = values(0, (4, 6), torch.float64)[:, ::2]
    same(own, expected)
    leaf = torch.ones(3, requires_grad=True)
    dist.all_reduce(leaf)
    same(leaf.detach(), torch.full((3,), float(size)))
    assert leaf.requires_grad and leaf.is_leaf


@check
def moves(rank, size):
    for dtype in (torch.float32, torch.int64, torch.bool, torch.complex128):
        for shape in SIZES:
            parts = everyones(size, shape, dtype)
            for root in range(size):
                own = parts[rank].clone()
                dist.broadcast(own, root)
                same(own, parts[root])
                outs = [torch.empty(shape, dtype=dtype) for _ in range(size)]
                dist.gather(parts[rank], outs if rank == root else None, dst=root)
                for out, part in zip(outs, parts, strict=True) if rank == root else ():
                    same(out, part)
                own = torch.empty(shape, dtype=dtype)
                dist.scatter(own, parts if rank == root else None, src=root)
                same(own, parts[rank])
            outs = [torch.empty(shape, dtype=dtype) for _ in range(size)]
            dist.all_gather(outs, parts[rank])
            for out, part in zip(outs, parts, strict=True):
                same(out, part)
            flat = torch.empty((size, *shape), dtype=dtype)
            dist.all_gather_into_tensor(flat, parts[rank])
            same(flat, torch.stack(parts))
            if dtype is not torch.bool:
                sums = [part * (r + 1) for r, part in enumerate(parts)]
                own = torch.empty(shape, dtype=dtype)
                dist.reduce_scatter(own, [sums[rank] + k for k in range(size)])
                same(own, sum(s + rank for s in sums))
                dist.reduce_scatter_tensor(own, torch.stack([sums[rank] + k for k in range(size)]))
                same(own, sum(s + rank for s in sums))
            outs = [torch.empty(shape, dtype=dtype) for _ in range(size)]
            dist.all_to_all(outs, [parts[rank]] * size)
            for out, part in zip(outs, parts, strict=True):
                same(out, part)


@check
def uneven(rank, size):
    for factor in (1, 9_000):
        sends = [(rank + other) % 3 * factor for other in range(size)]
        receives = [(rank + other) % 3 * factor for other in range(size)]
        data = torch.full((sum(sends), 2), float(rank))
        out = torch.empty(sum(receives), 2)
        dist.all_to_all_single(out, data, receives, sends)
        same(out, torch.cat([torch.full((n, 2), float(r)) for r, n in enumerate(receives)]))
    out = torch.empty(2)
    dist.reduce_scatter(out[: 1 + (rank == 0)], [torch.ones(1 + (r == 0)) * rank for r in range(size)])
    assert out[0] == sum(range(size))


@check
def objects(rank, size):
    found = [None] * size
    dist.all_gather_object(found, {"rank": rank, "x": torch.ones(rank)})
    assert [f["rank"] for f in found] == list(range(size)) and len(found[-1]["x"]) == size - 1
    some = [rank, "x" * rank, None] if rank == size - 1 else [None] * 3
    dist.broadcast_object_list(some, size - 1)
    assert some == [size - 1, "x" * (size - 1), None]
    gathered = [None] * size if rank == 0 else None
    dist.gather_object("a" * 1000 * rank, gathered, 0)
    assert rank or [len(g) for g in gathered] == [1000 * r for r in range(size)]
    own = [None]
    dist.scatter_object_list(own, [list(range(r)) for r in range(size)] if rank == 0 else None, 0)
    assert own == [list(range(rank))]
    if size > 1 and rank < 2:
        if rank:
            received = [None, None]
            assert dist.recv_object_list(received, 0) == 0 and received == ["a", {"b": 1}]
        else:
            dist.send_object_list(["a", {"b": 1}], 1)


@check
def messages(rank, size):
    if size == 1:
        return
    after, before = (rank + 1) % size, (rank - 1) % size
    for n in (0, 1, 1000, 200_000):  # the last does not fit into a ring
        works = [dist.isend(torch.full((n,), float(rank)), after), dist.irecv(got := torch.empty(n), before)]
        for work in works:
            work.wait()
        assert works[1].source_rank() == before and bool((got == before).all())
    # by tags, in another order than they were sent; what is long is sent while this waits in a barrier
    if rank == 0:
        for tag in (1, 2, 3):
            dist.send(torch.tensor([tag]), 1, tag=tag)
        dist.isend(big := torch.arange(100_000), 1, tag=4)
    if rank == 1:
        for tag in (3, 1, 2):
            dist.recv(got := torch.empty(1, dtype=torch.int64), 0, tag=tag)
            assert got.item() == tag
        work = dist.irecv(big := torch.empty(100_000, dtype=torch.int64), 0, tag=4)
    dist.barrier()
    if rank == 1:
        work.wait()
        same(big, torch.arange(100_000))
    if rank == 0:
        seen = set()
        for _ in range(size - 1):
            seen.add(dist.recv(got := torch.empty(1), tag=9))
        assert seen == set(range(1, size))
    else:
        dist.send(torch.ones(1), 0, tag=9)
    ops = [
        dist.P2POp(dist.isend, torch.tensor([rank]), after),
        dist.P2POp(dist.irecv, got := torch.tensor([0]), before),
    ]
    for work in dist.batch_isend_irecv(ops):
        work.wait()
    assert got.item() == before
    wide = torch.zeros(3, 4)
    if rank == 0:
        dist.send(torch.arange(6.0).view(2, 3).t(), 1)
    if rank == 1:
        dist.recv(wide[:, ::2], 0)
        assert wide[:, ::2].tolist() == [[0, 3], [1, 4], [2, 5]]


@check
def asynchronous(rank, size):
    tensors = [torch.full((n,), 1.0) for n in (3, 30_000, 5)]
    works = [dist.all_reduce(t, async_op=True) for t in tensors]
    later = torch.full((2,), float(rank))
    dist.broadcast(later, 0)  # in its turn, behind those
    for work, tensor in zip(works, tensors, strict=True):
        assert work.wait() and work.is_completed() and work.is_success() and work.exception() is None
        assert bool((tensor == size).all())
    assert later.tolist() == [0, 0]
    future = dist.barrier(async_op=True).get_future()
    assert future.wait() == []
    assert dist.all_reduce(torch.ones(2), async_op=True).get_future().wait()[0].tolist() == [size, size]


@check
def groups(rank, size):
    assert (dist.get_rank(), dist.get_world_size(), dist.get_backend() in ("gloo", "mpi")) == (rank, size, True)
    halves = [dist.new_group(range(first, size, 2)) for first in range(min(size, 2))]
    mine = halves[rank % 2]
    members = list(range(rank % 2, size, 2))
    assert dist.get_process_group_ranks(mine) == members and dist.get_rank(mine) == members.index(rank)
    own = torch.tensor([float(rank)])
    dist.all_reduce(own, group=mine)
    assert own.item() == sum(members)
    own = torch.tensor([float(rank)])
    dist.broadcast(own, members[-1], mine)
    assert own.item() == members[-1] == dist.get_global_rank(mine, len(members) - 1)
    if size > 1:
        assert halves[1 - rank % 2] is dist.GroupMember.NON_GROUP_MEMBER and dist.get_rank(halves[1 - rank % 2]) == -1
    found, every = dist.new_subgroups(1)
    assert found.size() == 1 and len(every) == size
    dist.destroy_process_group(mine)
    try:
        dist.new_group([size])
    except ValueError as error:
        assert f"Rank {size} is out of range" in str(error)


@check
def gradients(rank, size):
    x = torch.full((2,), float(rank + 1), requires_grad=True)
    collectives_with_gradients.all_reduce(x * x).sum().backward()
    same(x.grad, 2 * x.detach() * size)
    x = torch.full((2,), float(rank + 1), requires_grad=True)
    parts = collectives_with_gradients.all_gather(x)
    sum(part.sum() * (k + 1) for k, part in enumerate(parts)).backward()
    same(x.grad, torch.full((2,), float(size * (rank + 1))))
    x = torch.ones(size, 2, requires_grad=True)
    collectives_with_gradients.all_to_all_single(torch.empty(size, 2), x).mul(float(rank + 1)).sum().backward()
    assert x.grad[:, 0].tolist() == [r + 1 for r in range(size)]
    x = torch.ones(2, requires_grad=True)
    y = collectives_with_gradients.broadcast(x, 0)
    (y * (rank + 1)).sum().backward()
    assert x.grad.tolist() == ([size * (size + 1) / 2] * 2 if rank == 0 else [0, 0])


def trained(model, steps, rank, size):
    torch.manual_seed(3)
    x, y = torch.randn(24, 5).double(), torch.randn(24, 2).double()
    for _ in range(steps):
        for parameter in model.parameters():
            parameter.grad = None
        part = slice(rank, None, size)
        ((model(x[part]) - y[part]) ** 2).mean().backward()
        for parameter in model.parameters():
            parameter.data -= 0.1 * parameter.grad
    return torch.cat([p.detach().reshape(-1) for p in model.parameters()])


def network(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 2)).double()


@check
def data_parallel(rank, size):
    alone = trained(network(), 20, 0, 1)
    model = DistributedDataParallel(network(seed=rank))  # it begins as that of rank 0
    assert (trained(model, 20, rank, size) - alone).abs().max() < 1e-12
    # gradients add up under no_sync, and the next backward averages them
    model, x = DistributedDataParallel(network()), torch.full((4, 5), float(rank)).double()
    with model.no_sync():
        model(x).sum().backward()
    local = [p.grad.clone() for p in model.parameters()]
    model(x).sum().backward()
    averaged = [torch.zeros_like(g).copy_(2 * g) for g in local]
    for gradient, parameter in zip(averaged, model.parameters(), strict=True):
        dist.all_reduce(gradient)
        assert torch.allclose(parameter.grad, gradient / size)


class Odd(nn.Module):
    """Parameters of two dtypes, one not contiguous, one without elements, and more than are on the stack."""

    def __init__(self):
        super().__init__()
        self.turned = nn.Parameter(torch.ones(3, 2).t())
        self.narrow = nn.Parameter(torch.ones(3))
        self.empty = nn.Parameter(torch.ones(0))
        self.wide = nn.ParameterList([torch.ones(2000).double() for _ in range(40)])

    def forward(self, scale):
        parts = [self.turned * scale, self.narrow * scale, self.empty, *(p * scale for p in self.wide)]
        return sum(part.double().sum() for part in parts)


@check
def averages(rank, size):
    mean = (size + 1) / 2
    model = DistributedDataParallel(Odd())
    for hooked in (False, True):
        if hooked:

            def doubled(state, bucket):
                state.append(bucket.index())
                dist.all_reduce(bucket.buffer(), ReduceOp.AVG)
                future = dist.futures.Future()
                future.set_result(bucket.buffer() * 2)
                return future

            model.register_comm_hook(called := [], doubled)
        for _ in range(2):
            model.zero_grad()
            model(rank + 1).backward()
        for p in model.parameters():
            assert p.grad.stride() == p.stride() and bool((p.grad == mean * (1 + hooked)).all())
    assert called == [0, 1, 0, 1]
    # gradients are averaged in place, and keep what was there
    kept = model.module.narrow.grad
    model.zero_grad()
    model(rank + 1).backward()
    assert model.module.narrow.grad is not kept and kept.tolist() == [2 * mean] * 3
    version = model.module.narrow.grad._version
    model(rank + 1).backward()
    assert model.module.narrow.grad._version > version
    # a backward that fails does not keep the next one from averaging
    model = DistributedDataParallel(network())
    handle = model.module[2].weight.register_post_accumulate_grad_hook(lambda p: 1 / 0)
    try:
        model(torch.ones(1, 5).double()).sum().backward()
    except ZeroDivisionError:
        handle.remove()
    model.zero_grad()
    model(torch.full((1, 5), float(rank)).double()).sum().backward()
    dist.all_reduce(expected := model.module[0].weight.grad.clone())
    assert torch.equal(model.module[0].weight.grad * size, expected)


class Choosing(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 1), nn.Linear(3, 1)
        self.norm = nn.BatchNorm1d(3)

    def forward(self, x, which):
        x = self.norm(x)
        return self.a(x) if which == "a" else self.b(x)


@check
def unused(rank, size):
    torch.manual_seed(0)
    model = DistributedDataParallel(Choosing(), find_unused_parameters=True)
    x = torch.randn(4, 3)
    model(x, "a" if rank == 0 else "b").sum().backward()
    used_by_b = size - 1
    assert abs(model.module.a.bias.grad.item() - 4 / size) < 1e-6
    gradient = model.module.b.bias.grad
    assert gradient is None if size == 1 else abs(gradient.item() - 4 * used_by_b / size) < 1e-6
    model.zero_grad()
    model(x, "a").sum().backward()
    assert model.module.b.bias.grad is None
    # what a step without an exchange has used counts in the next one that has an exchange
    model.zero_grad()
    with model.no_sync():
        model(x, "b").sum().backward()
    model(x, "a").sum().backward()
    assert abs(model.module.b.bias.grad.item() - 4) < 1e-6
    static = DistributedDataParallel(Choosing(), static_graph=True)
    for _ in range(2):
        static(x, "a").sum().backward()
    assert static.module.b.bias.grad is None and static.module.a.bias.grad is not None
    static(x, "b").sum().backward()
    raises("your training graph has changed in this iteration", lambda: static(x, "a"))
    strict = DistributedDataParallel(Choosing())
    strict(x, "a").sum().backward()
    try:
        strict(x, "a")
    except RuntimeError as error:
        assert "Expected to have finished reduction in the prior iteration" in str(error)
    else:
        raise AssertionError("a parameter without a gradient was not noticed")
    model.module.norm.running_mean.fill_(float(rank))
    model(x, "a")
    dist.broadcast(expected := model.module.norm.running_mean.clone(), 0)
    same(model.module.norm.running_mean, expected)


@check
def joined(rank, size):
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(1, 1, bias=False))
    with model.join():
        for _ in range(rank + 1):
            model.zero_grad()
            model(torch.ones(1, 1)).sum().backward()
            model.module.weight.data -= 0.1 * model.module.weight.grad
    dist.broadcast(expected := model.module.weight.detach().clone(), 0)
    same(model.module.weight.detach(), expected)
    # step k has size - k ranks with inputs
    torch.manual_seed(0)
    begin = nn.Linear(1, 1, bias=False).weight.item()
    total = sum(0.1 * (size - step) / size for step in range(size))
    assert abs(model.module.weight.item() - (begin - total)) < 1e-6


def raises(text, call):
    began = time.monotonic()
    try:
        call()
    except RuntimeError as error:
        assert text in str(error), str(error)
        assert time.monotonic() - began < 60
        return
    raise AssertionError(f"nothing was raised that says {text!r}")


@check
def mismatches(rank, size):
    x = torch.ones(3)
    if rank == 0:
        raises("rank 0 calls all_reduce of 3 float32", lambda: dist.all_reduce(x))
    else:
        raises("call broadcast" if size > 2 else "calls broadcast", lambda: dist.broadcast(x, 0))
    raises("do not match", lambda: dist.all_reduce(torch.ones(3 + rank)))
    raises("int64", lambda: dist.all_reduce(torch.ones(3, dtype=torch.int64 if rank else torch.float32)))
    raises("with MAX", lambda: dist.all_reduce(x, ReduceOp.MAX if rank else ReduceOp.SUM))
    raises("root", lambda: dist.broadcast(x, rank))
    own = torch.ones(3)
    dist.all_reduce(own)  # the group goes on
    assert own.tolist() == [size] * 3
    if size > 1:
        sends = [1] * size
        sends[0] = 2 if rank == 1 else 1
        raises("", lambda: dist.all_to_all_single(torch.empty(size), torch.empty(sum(sends)), [1] * size, sends))
        dist.barrier()
        if rank == 0:
            dist.send(torch.ones(3), 1)
        if rank == 1:
            raises("rank 0 has sent 12 bytes of float32", lambda: dist.recv(torch.ones(4), 0))


@check
def late(rank, size):
    group = dist.new_group(timeout=timedelta(seconds=0.3))
    if rank == size - 1:
        dist.barrier()  # when the others have given up
        raises("gave up", lambda: dist.all_reduce(torch.ones(1), group=group))
    else:
        raises(f"rank {size - 1}" if size == 2 else "", lambda: dist.all_reduce(torch.ones(1), group=group))
        dist.barrier()
    dist.barrier()
    if rank == 0:
        raises(
            f"Rank {size - 1} failed to pass monitoredBarrier",
            lambda: dist.monitored_barrier(timeout=timedelta(seconds=1)),
        )
    elif rank != size - 1:
        raises("Please check rank 0 logs", lambda: dist.monitored_barrier(timeout=timedelta(seconds=1)))
    dist.barrier()
    dist.monitored_barrier(timeout=timedelta(seconds=20))


@check
def killed(rank, size):
    dist.barrier()
    if rank == 1:
        sys.stdout.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    raises("rank 1", lambda: dist.all_reduce(torch.ones(100_000)))
    raises("cannot go on", dist.barrier)


@check
def gone(rank, size):
    dist.barrier()
    if rank == 1:
        return
    raises("rank 1", lambda: dist.recv(torch.ones(1), 1))
    if size == 2:
        raises("rank 1", lambda: dist.all_reduce(torch.ones(1)))


@check
def monitored(rank, size):
    dist.monitored_barrier(timeout=timedelta(seconds=20))
    if size > 1 and rank != 1:
        text = "Rank 1 failed to pass monitoredBarrier" if rank == 0 else "monitored"
        raises(text, lambda: dist.monitored_barrier(timeout=timedelta(seconds=1)))
    dist.barrier()


def main(names, rank, size, file):
    shared_memory.SLOT = 1 << 17
    if rank == "mpi":
        warnings.simplefilter("ignore")
        dist.init_process_group("gloo")
        rank = dist.get_rank()
        assert dist.get_world_size() == int(size) and dist.get_backend() == "mpi"
    else:
        rank = int(rank)
        dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=int(size))
    size = int(size)
    for name in names.split(","):
        CHECKS[name](rank, size)
    dist.destroy_process_group()
    print("done")


if __name__ == "__main__":
    main(*sys.argv[1:])
