"""Optimizers' steps as a Tracer hears of them, and what repeats them: coefficients and loops in C."""

import ctypes
import os
import subprocess

import pytest

import flambeau_nn as nn
import flambeau_tensor as torch
from flambeau_nn import optim
from flambeau_nn.optim.steps import Step, c_source
from flambeau_tensor.extend import Operator, Tracer

CASES = [
    ("SGD", {}),
    ("SGD", {"weight_decay": 0.1, "maximize": True}),
    ("SGD", {"momentum": 0.9, "dampening": 0.25}),
    ("SGD", {"momentum": 0.9, "weight_decay": 0.1}),
    ("SGD", {"momentum": 0.9, "nesterov": True}),
    ("SGD", {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    ("Adam", {}),
    ("Adam", {"weight_decay": 0.1}),
    ("Adam", {"amsgrad": True}),
    ("Adam", {"amsgrad": True, "weight_decay": 0.1, "maximize": True}),
    ("AdamW", {}),
    ("RMSprop", {}),
    ("RMSprop", {"momentum": 0.9, "weight_decay": 0.1}),
    ("RMSprop", {"centered": True}),
    ("RMSprop", {"momentum": 0.9, "centered": True, "weight_decay": 0.1}),
    ("Adagrad", {"lr_decay": 0.1, "weight_decay": 0.1}),
    ("Adadelta", {"weight_decay": 0.1}),
    ("Adamax", {"weight_decay": 0.1}),
    ("NAdam", {}),
    ("NAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("RAdam", {"weight_decay": 0.1, "betas": (0.9, 0.99)}),
    ("Rprop", {}),
    ("ASGD", {"weight_decay": 0.1, "t0": 3}),
]


def trained(name, options, dtype=torch.float32, shapes=((7, 5), (5,), ())):
    """An optimizer, and two lists of parameters with the same values; the first is its own."""
    torch.manual_seed(5)
    own = [nn.Parameter(torch.randn(shape, dtype=dtype)) for shape in shapes]
    return getattr(optim, name)(own, **options), own


def give_gradients(parameters, seed):
    torch.manual_seed(seed)
    for p in parameters:
        p.grad = torch.randn(p.shape, dtype=p.dtype)


def traced(optimizer):
    """The Step of a step, and what else was written down."""
    with Tracer() as tracer:
        optimizer.step()
    steps = [record[1] for record in tracer.records if record[0] == "update"]
    return steps, [record for record in tracer.records if record[0] != "update"]


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """A function that compiles a text of C, once."""
    libraries = {}

    def load(text, name):
        if text not in libraries:
            folder = tmp_path_factory.mktemp("loop")
            (folder / "loop.c").write_text(text + f"void *const address = (void *){name};\n")
            flags = ["-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
            command = [os.environ.get("CC", "cc"), *flags, "-Wall", "-Werror", "-shared", "-fPIC", "-o", "loop.so"]
            subprocess.run([*command, "loop.c"], cwd=folder, check=True)
            libraries[text] = ctypes.CDLL(str(folder / "loop.so"))
        address = ctypes.c_void_p.in_dll(libraries[text], "address").value
        return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5, ctypes.c_ssize_t, ctypes.c_void_p)(address)

    return load


def repeat(step, parameters, compiled):
    """Do a step over again with C, on gradients as they are now."""
    rows = step.fill()
    for number, (begin, end) in enumerate(step.bounds):
        for i in range(begin, end):
            p, _, states, *_, dense = step.parameters[i]
            assert dense
            loop = compiled(*reversed(step.c_source(str(p.dtype).removeprefix("torch."), number)))
            places = [t if t is None else t.data_ptr() for t in (p, p.grad, *states)]
            loop(*places, p.numel(), (ctypes.c_double * len(rows[i]))(*rows[i]))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("name", "options"), CASES)
def test_repeated_steps_have_the_same_bits(name, options, dtype, compiled):
    """Also with another rate on the way, for which nothing is traced or compiled again."""
    eager, wanted = trained(name, options, dtype)
    other, found = trained(name, options, dtype)
    give_gradients(wanted, 0)
    give_gradients(found, 0)
    eager.step()
    ((step,), _) = traced(other)
    for i in range(1, 9):
        if i == 5 and name != "Rprop":
            eager.param_groups[0]["lr"] = other.param_groups[0]["lr"] = 0.0123
        give_gradients(wanted, i)
        give_gradients(found, i)
        eager.step()
        assert step.valid()
        repeat(step, found, compiled)
        for a, b in zip(wanted, found, strict=True):
            assert torch.equal(a, b)
            for key, value in eager.state[a].items():
                assert torch.equal(value, other.state[b][key]), key


def test_a_tracer_hears_of_one_event_and_no_operators():
    optimizer, (w, b) = trained("Adam", {}, shapes=((2, 2), (2,)))
    w.grad = torch.ones(2, 2)
    (step,), others = traced(optimizer)
    assert [(kind, p is w, grad is w.grad) for kind, p, grad in others] == [
        ("grad_read", True, True),
        ("grad_read", False, False),
    ]
    assert isinstance(step, Step) and step.optimizer is optimizer
    assert step.key == ("adam", ((0, 0, 1),)) and step.variants == [0] and step.bounds == [(0, 1)]
    ((p, grad, states, entries, count, dense),) = step.parameters
    assert p is w and grad is w.grad and entries is optimizer.state[w] and dense
    assert (
        states == (entries["exp_avg"], entries["exp_avg_sq"], None) and count is entries["step"] and count.item() == 1
    )
    with Tracer() as tracer:
        optimizer.zero_grad()
    assert [(kind, p is w or p is b, grad) for kind, p, grad in tracer.records] == [("grad_set", True, None)] * 2
    assert w.grad is None


def test_without_gradients_there_is_no_step():
    optimizer, _ = trained("SGD", {})
    assert traced(optimizer)[0] == []


def test_groups_share_their_options():
    w, b, c = (nn.Parameter(torch.ones(2)) for _ in range(3))
    groups = [{"params": [w], "lr": 0.5}, {"params": [], "lr": 1.0}, {"params": [b, c], "momentum": 0.5}]
    optimizer = optim.SGD(groups, lr=0.25)
    give_gradients([w, b, c], 1)
    ((step,), _) = traced(optimizer)
    assert step.bounds == [(0, 1), (1, 1), (1, 3)] and step.variants == [0, 0, 2]
    rows = step.fill()
    assert [row[2] for row in rows] == [0.5, 0.25, 0.25] and [row[3] for row in rows] == [0.0, 0.5, 0.5]


def changes():
    def add_group(optimizer, w):
        optimizer.add_param_group({"params": [nn.Parameter(torch.ones(1))]})

    def add_parameter(optimizer, w):
        optimizer.param_groups[0]["params"].append(nn.Parameter(torch.ones(1)))

    def other_parameter(optimizer, w):
        optimizer.param_groups[0]["params"][0] = nn.Parameter(torch.ones(1))

    def other_list(optimizer, w):
        optimizer.param_groups[0]["params"] = list(optimizer.param_groups[0]["params"])

    def decay(optimizer, w):
        optimizer.param_groups[0]["weight_decay"] = 0.1

    def amsgrad(optimizer, w):
        optimizer.param_groups[0]["amsgrad"] = True
        optimizer.state[w]["max_exp_avg_sq"] = torch.zeros(2)

    def other_moment(optimizer, w):
        optimizer.state[w]["exp_avg"] = torch.zeros(2)

    def other_count(optimizer, w):
        optimizer.state[w]["step"] = torch.tensor(3.0)

    def without_state(optimizer, w):
        del optimizer.state[w]

    def loaded(optimizer, w):
        optimizer.load_state_dict(optimizer.state_dict())

    return [f for f in locals().values() if callable(f)]


@pytest.mark.parametrize("change", changes(), ids=lambda f: f.__name__)
def test_what_makes_a_step_another(change):
    optimizer, (w,) = trained("Adam", {}, shapes=((2,),))
    give_gradients([w], 0)
    ((step,), _) = traced(optimizer)
    assert step.valid()
    change(optimizer, w)
    assert not step.valid()


def test_what_leaves_a_step_as_it_is():
    optimizer, (w,) = trained("Adam", {"lr": torch.tensor(0.5)}, shapes=((2,),))
    give_gradients([w], 0)
    ((step,), _) = traced(optimizer)
    optimizer.param_groups[0]["lr"].fill_(0.25)  # the same tensor
    assert step.valid()
    corrections = step.fill()[0][8]
    assert corrections == pytest.approx(0.25 / (1 - 0.9**2))
    optimizer.param_groups[0].update(maximize=True, betas=(0.5, 0.75), eps=1.0)
    optimizer.state["elsewhere"] = {}
    optimizer.state[w]["mine"] = 1
    assert step.valid()
    row = step.fill()[0]
    assert (row[0], row[3], row[5], row[7], row[8]) == (-1.0, 0.5, 0.75, 1.0, 0.25 / (1 - 0.5**3))
    optimizer.param_groups[0]["amsgrad"] = True
    with pytest.raises(RuntimeError, match="changed to another loop"):
        step.fill()


@pytest.mark.parametrize(
    ("name", "options"), [("Adam", {}), ("NAdam", {}), ("ASGD", {"t0": 0}), ("SGD", {"momentum": 0.5})]
)
def test_counts_are_taken_back(name, options):
    optimizer, (w,) = trained(name, options, shapes=((2,),))
    give_gradients([w], 0)
    ((step,), _) = traced(optimizer)
    before = {key: value.clone() for key, value in optimizer.state[w].items()}
    first = step.fill()
    step.undo()
    assert all(torch.equal(value, optimizer.state[w][key]) for key, value in before.items())
    assert step.fill() == first


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_memory_that_loops_cannot_run_on(dtype):
    def made():
        w = nn.Parameter(torch.arange(6.0).reshape(2, 3).t().to(dtype))
        return optim.Adam([w], lr=0.5), w

    (eager, a), (optimizer, b) = made(), made()
    a.grad, b.grad = torch.ones(3, 2, dtype=dtype), torch.ones(3, 2, dtype=dtype)
    eager.step()
    ((step,), _) = traced(optimizer)
    assert step.parameters[0][-1] is False
    eager.step()
    step.run(0, b.grad)
    assert torch.equal(a, b) and optimizer.state[b]["step"].item() == 2
    with pytest.raises(IndexError):
        step.run(1, b.grad)


def test_sources_name_what_they_hold():
    name, text = c_source("adam", "float64", 3)
    assert name == "fl_adam_double_3" and f"static inline void {name}(double *restrict p" in text
    assert "FL_" not in text and "variant" not in text and "#" not in text
    with pytest.raises(KeyError):
        c_source("lbfgs", "float64", 0)
    with pytest.raises(KeyError):
        c_source("adam", "float16", 0)


def test_parameters_of_modes_and_handlers_are_operators():
    optimizer, (w,) = trained("SGD", {}, shapes=((2,),))
    give_gradients([w], 0)
    from flambeau_tensor.extend import dispatching

    class Mode:
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    pytest.importorskip("flambeau")  # which knows the operators of torch.ops.aten
    with Tracer() as tracer:
        dispatching.push_mode(Mode())
        try:
            optimizer.step()
        finally:
            dispatching.pop_mode()
    assert not any(record[0] == "update" for record in tracer.records)
    assert any(isinstance(record[0], Operator) and record[0].name == "sub_" for record in tracer.records)
