"""Tensors between processes: shared, not copied."""

import os
import subprocess
import sys

import pytest

import flambeau as torch
from flambeau import multiprocessing

PROGRAM = """
import flambeau as torch
import flambeau.multiprocessing as mp

def work(inbox, outbox):
    x, part = inbox.get()
    assert x.is_shared() and part.data_ptr() == x[1:].data_ptr() and part.tolist() == [1, 2]
    x.add_(10)
    outbox.put(torch.ones(3, dtype=torch.int64))
    outbox.put(torch.nn.Parameter(torch.ones(1)))
    outbox.put(torch.empty(0, 3))
    outbox.put(torch.arange(6).reshape(2, 3).t())
    assert inbox.get() == "written" and x[0] == 5
    outbox.put("seen")
    inbox.get()  # until all that was sent has been taken

def piped(pipe):
    x = pipe.recv()
    x.zero_()
    pipe.send(x.sum())
    pipe.recv()

if __name__ == "__main__":
    context = mp.get_context(METHOD)
    inbox, outbox = context.Queue(), context.Queue()
    process = context.Process(target=work, args=(inbox, outbox))
    process.start()
    x = torch.arange(3.0)
    y = x[1:]
    inbox.put((x, y))
    taken = outbox.get()
    assert x.tolist() == [10, 11, 12] and y.tolist() == [11, 12], x
    assert taken.dtype is torch.int64 and taken.is_shared() and taken.tolist() == [1, 1, 1]
    parameter = outbox.get()
    assert type(parameter) is torch.nn.Parameter and parameter.requires_grad
    assert outbox.get().shape == (0, 3)
    turned = outbox.get()
    assert turned.tolist() == [[0, 3], [1, 4], [2, 5]] and turned.stride() == (1, 3)
    x[0] = 5
    inbox.put("written")
    assert outbox.get() == "seen"
    inbox.put(None)
    process.join()
    assert process.exitcode == 0

    here, there = context.Pipe()
    process = context.Process(target=piped, args=(there,))
    process.start()
    here.send(x)
    assert here.recv() == 0 and x.tolist() == [0, 0, 0]
    here.send(None)
    process.join()
    assert process.exitcode == 0
    print("done")
"""


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="tensors are copied here")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_queues_and_pipes(tmp_path, method):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("METHOD", repr(method)))
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout == "done\n", done.stderr


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="there is no list of descriptors")
def test_descriptors_go_with_the_memory():
    code = """
import flambeau as torch, os
torch.ones(5).share_memory_()
before = len(os.listdir("/proc/self/fd"))
kept = [torch.ones(5).share_memory_() for _ in range(10)]
most = len(os.listdir("/proc/self/fd"))
del kept
print(most - before >= 10, len(os.listdir("/proc/self/fd")) - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "True 0\n", done.stderr


class WithHistory(torch.utils.data.Dataset):
    def __init__(self, size, history):
        self.size, self.history = size, history

    def __len__(self):
        return 1

    def __getitem__(self, i):
        leaf = torch.ones(self.size, requires_grad=True)
        return leaf * 2 if self.history else leaf


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_histories_do_not_cross_processes():
    leaf = torch.ones(3, requires_grad=True)
    result = leaf * 2
    here, there = multiprocessing.Pipe()
    for crossing in (result, [result], {"a": result[0]}, result.view(1, 3)):
        with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor which requires_grad"):
            here.send(crossing)
    for sent in (leaf, torch.nn.Parameter(torch.ones(3)), result.detach()):
        here.send(sent)
        received = there.recv()
        assert received.requires_grad == sent.requires_grad and received.tolist() == sent.tolist()
    for size in (3, 10_000):  # in the pickle and beside it
        loader = torch.utils.data.DataLoader(WithHistory(size, True), batch_size=None, num_workers=1)
        with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor"):
            list(loader)
        loader = torch.utils.data.DataLoader(WithHistory(size, False), batch_size=None, num_workers=1)
        (received,) = loader
        assert received.requires_grad and received.is_leaf and received.tolist() == [1] * size


def test_reductions():
    from flambeau.multiprocessing.reductions import ForkingPickler, rebuild_tensor, reduce_storage, reduce_tensor

    x = torch.arange(4.0)
    function, arguments = reduce_tensor(x[1:])
    assert function(*arguments).tolist() == [1.0, 2.0, 3.0]
    storage = torch.storage.TypedStorage(wrap_storage=x.untyped_storage(), dtype=x.dtype, _internal=True)
    y = rebuild_tensor(torch.nn.Parameter, storage, (1, (2,), (2,), True))
    assert y.tolist() == [1.0, 3.0] and y.requires_grad and type(y) is torch.nn.Parameter
    rebuild, (cls, descriptor, size) = reduce_storage(x.untyped_storage())
    assert cls is torch.UntypedStorage and size == 16 and x.is_shared()
    assert ForkingPickler.loads(ForkingPickler.dumps(x)).tolist() == x.tolist()
