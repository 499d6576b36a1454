"""`torch.utils.weak`, `module_tracker`, `collect_env`, `swap_tensors`, `set_module`."""

import copy
import gc
import weakref

import pytest

import flambeau as torch
from flambeau.utils.module_tracker import ModuleTracker
from flambeau.utils.weak import TensorWeakRef, WeakIdKeyDictionary, WeakIdRef, WeakTensorKeyDictionary


def test_dictionaries_go_by_identity_and_forget():
    x, y = torch.ones(2), torch.ones(2)
    d = WeakTensorKeyDictionary({x: 1})
    d[y] = 2
    assert (d[x], d[y], len(d), x in d, torch.ones(2) in d, "text" in d) == (1, 2, 2, True, False, False)
    assert sorted(d.copy().values()) == [1, 2] and list(d)[0] is x
    assert len(d | WeakIdKeyDictionary({x: 3})) == 2 and d.pop(y) == 2 and d.setdefault(x, 5) == 1
    del x
    gc.collect()
    assert len(d) == 0 and list(d.items()) == []


def test_references_are_equal_while_their_object_lives():
    x, y = torch.ones(1), torch.ones(1)
    one, two = WeakIdRef(x), WeakIdRef(x)
    assert one == two and hash(one) == hash(two) == id(x) and one != WeakIdRef(y)
    reference = TensorWeakRef(x)
    assert reference() is x
    del x
    gc.collect()
    assert reference() is None and one != two and one == one
    with pytest.raises(AssertionError, match="expected torch.Tensor"):
        TensorWeakRef([1])


def test_modules_are_tracked_forward_and_backward():
    heard = []

    class Inner(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(2, 2)

        def forward(self, x):
            heard.append((tracker.is_bw, set(tracker.parents)))
            y = self.layer(x)
            y.register_hook(lambda grad: heard.append((tracker.is_bw, set(tracker.parents))))
            return y

    net = torch.nn.Sequential(Inner())
    with ModuleTracker() as tracker:
        net(torch.ones(1, 2, requires_grad=True)).sum().backward()
        assert tracker.parents == {"Global"} and not tracker.is_bw
    assert heard == [  # as PyTorch has it
        (False, {"Global", "Sequential", "Sequential.0"}),
        (True, {"Global", "Sequential.0.layer"}),
    ]
    heard.clear()
    net(torch.ones(1, 2)).sum().backward()
    assert heard == [(False, {"Global"}), (False, {"Global"})] or heard == [(False, {"Global"}), (True, {"Global"})]


def test_what_a_report_says():
    text = torch.utils.collect_env.get_pretty_env_info()
    assert text.startswith(f"PyTorch version: {torch.__version__}\n") and "\nCPU:\n" in text and "numpy==" in text
    assert torch.utils.collect_env.get_env_info().is_cuda_available == "False"


def test_swapping_tensors():
    class Own(torch.nn.Parameter):
        pass

    a, b = torch.nn.Parameter(torch.zeros(2)), Own(torch.ones(3), requires_grad=False)
    a.grad, a.mine = torch.full((2,), 5.0), 1
    torch.utils.swap_tensors(a, b)
    assert a.tolist() == [1.0, 1.0, 1.0] and type(a) is Own and not a.requires_grad and a.grad is None
    assert b.tolist() == [0.0, 0.0] and type(b) is torch.nn.Parameter and b.grad.tolist() == [5.0, 5.0]
    assert b.requires_grad and b.mine == 1 and not hasattr(a, "mine")
    with pytest.raises(RuntimeError, match="Cannot swap t2 because it is the result"):
        torch.utils.swap_tensors(a, b * 2)
    kept = weakref.ref(a)
    with pytest.raises(RuntimeError, match="Cannot swap t1 because it has weakref associated with it"):
        torch.utils.swap_tensors(a, b)
    assert kept() is a


def test_a_swapped_parameter_is_trained():
    layer = torch.nn.Linear(2, 1, bias=False)
    torch.utils.swap_tensors(layer.weight, torch.nn.Parameter(torch.ones(1, 2)))
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.5)
    layer(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    assert layer.weight.tolist() == [[0.5, 0.5]]


def test_set_module():
    def f():
        pass

    torch.utils.set_module(f, "there")
    assert f.__module__ == "there"
    with pytest.raises(TypeError, match="should be a string"):
        torch.utils.set_module(f, 3)


def test_comparing_measurements():  # made with PyTorch 2.13
    from flambeau.utils.benchmark import Compare, Measurement, TaskSpec

    def measured(label, sub_label, description, times, **options):
        spec = TaskSpec("s", "pass", label=label, sub_label=sub_label, description=description, **options)
        return Measurement(10, times, spec)

    compared = Compare(
        [
            measured("lab", "a", "x", [1e-4, 1.1e-4, 1.05e-4]),
            measured("lab", "b", "x", [1e-3] * 3),
            measured("lab", "a", "yy", [2e-5] * 3),
            measured("lab", "b", "yy", [3.3e-3] * 3, num_threads=2),
        ]
    )
    lines = [line.rstrip() for line in str(compared).splitlines()]
    assert lines[1:7] == [
        "         |    x    |    yy",
        "1 threads: ----------------",
        "      a  |   10.5  |    2.0",
        "      b  |  100.0  |",
        "2 threads: ----------------",
        "      b  |         |  330.0",
    ]
    assert lines[0].startswith("[---") and " lab " in lines[0] and lines[-1] == "Times are in microseconds (us)."
    spread = Compare([measured("lab", "a", "x", [1.0e-4, 1.44e-4, 1.23e-4])])
    spread.trim_significant_figures()
    assert str(spread).splitlines()[3] == "      a  |  12"
    compared.colorize()
    assert "\033[92m\033[1m  2.0\033[0m\033[0m" in str(compared) and "\033[31m" in str(compared)
    with pytest.raises(ValueError, match="Expected an instance of `Measurement`"):
        Compare([1])


def test_weak_dictionaries_are_joined_and_copied():
    a, b = torch.ones(1), torch.ones(2)
    weak = WeakIdKeyDictionary({a: [1]})
    for joined in (weak | {b: [2]}, {b: [2]} | weak):
        assert isinstance(joined, WeakIdKeyDictionary) and joined[a] == [1] and joined[b] == [2]
    with pytest.raises(TypeError):
        weak | 3
    copied = copy.deepcopy(weak)
    assert copied[a] == [1] and copied[a] is not weak[a] and list(copied)[0] is a
    assert repr(weak).startswith("<WeakIdKeyDictionary at 0x")
