"""What derivatives keep: backward is allowed wherever PyTorch allows it after a call's tensors were written to.

``pytorch_saved.txt`` has hundreds of calls and what PyTorch says of each of their tensors, written by
``conformance/saved.py``. Where PyTorch refuses, less may be kept here.
"""

import dis
import importlib.util
from pathlib import Path
from types import FunctionType

import pytest

import flambeau as torch
from flambeau_tensor.extend import operators

HERE = Path(__file__).parent
# What keeps a tensor that PyTorch does not, since it keeps something else instead.
EXCUSED = {
    "arguments, where PyTorch keeps what it made of them on the way": (
        "torch.kron torch.matmul torch.cdist torch.polar torch.special.ndtr torch.nn.functional.cross_entropy "
        "torch.nn.functional.l1_loss torch.nn.functional.scaled_dot_product_attention torch.rms_norm "
        "torch.nn.functional.rms_norm"
    ),
    "the argument, where PyTorch keeps the result": "torch.erfinv torch.linalg.eigvals",
    "all weights of a layer, of which a cell is one step": (
        "torch.gru_cell torch.lstm_cell torch.rnn_relu_cell torch.rnn_tanh_cell"
    ),
    "the table, whose rows gradients of weights read": "torch.nn.functional.embedding_bag",
    "the mean and variance of groups, not of what they were expanded to": (
        "torch.instance_norm torch.nn.functional.instance_norm"
    ),
}


@pytest.fixture(scope="module")
def recorder():
    spec = importlib.util.spec_from_file_location("saved_record", HERE.parents[2] / "conformance/saved.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def refuses_more(ours, theirs):
    choices = dict(part.split(":") for part in ours.split(" "))
    for part in theirs.split(" "):
        chosen, marks = part.split(":")
        if chosen in choices and any(a == "!" and b == "+" for a, b in zip(choices[chosen], marks, strict=True)):
            return True
    return False


def test_backward_is_allowed_where_pytorch_allows_it(recorder):
    lines = [line.split("\t") for line in (HERE / "pytorch_saved.txt").read_text().splitlines() if line[0] != "#"]
    assert len(lines) > 800
    excused = {name for names in EXCUSED.values() for name in names.split()}
    wrong, needed = [], set()
    for call, theirs in lines:
        ours = recorder.outcome(call, torch)
        assert ours is not None, call
        if refuses_more(ours, theirs):
            name = call.partition("(")[0]
            needed.add(name)
            if name not in excused:
                wrong.append((call, ours, theirs))
    assert wrong == [] and needed == excused


def test_the_example_of_the_record(recorder):
    """What the marks mean, by a call that anybody can check."""
    assert recorder.outcome("torch.mul(real(2), real(2))", torch) == "01:!!|+ 0:+!|+ 1:!+|+"
    assert recorder.outcome("torch.exp(real(2))", torch) == "0:+|!"
    a = torch.ones(3, requires_grad=True)
    b = a * 1
    c = b.scatter(0, torch.tensor([1]), torch.ones(1))
    b.mul_(3)
    c.sum().backward()
    assert a.grad.tolist() == [1, 0, 1]


def test_formulas_read_what_they_ask_for():
    """A parameter that a formula does not read is a tensor that is kept for nothing."""
    idle = []
    for name, op in operators().items():
        rule = op.derivative
        if rule is None or isinstance(rule, FunctionType):  # custom operators of other tests have functions
            continue
        for function in [*rule.functions, rule.jvp]:
            if not isinstance(function, FunctionType):
                continue
            code = function.__code__
            loads = [i.argval for i in dis.get_instructions(code) if "LOAD_" in i.opname]
            # From Python 3.13 on an instruction may name two variables.
            read = {
                *code.co_cellvars,
                *(str(n) for names in loads for n in (names if type(names) is tuple else [names])),
            }
            given = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            idle += [(name, p) for p in given if p not in read and p not in ("grad", "grads", "result")]
    assert idle == []
