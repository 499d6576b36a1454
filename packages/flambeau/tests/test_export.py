"""``torch.export``: programs give the model's results, also for sizes that the export did not see, and after a file."""

import io

import pytest

import flambeau as torch
import flambeau.nn.functional as F
from flambeau import nn
from flambeau.export import Dim, ExportedProgram, InputKind, export, load, save
from flambeau.utils._pytree import tree_leaves


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def check(model, *args, shapes=None, other=None, kwargs=None):
    model.eval()
    program = export(model, args, kwargs, dynamic_shapes=shapes)
    file = io.BytesIO()
    save(program, file)
    file.seek(0)
    for module in (program.module(), load(file).module()):
        for given in [args] if other is None else [args, other]:
            expected, found = model(*given, **(kwargs or {})), module(*given, **(kwargs or {}))
            assert type(found) is type(expected)
            for a, b in zip(tree_leaves(found), tree_leaves(expected), strict=True):
                assert torch.allclose(a, b, atol=1e-6)
    return program


class Views(nn.Module):
    def forward(self, x, scale=2.0, *, more=None):
        n = x.size(0)
        result = {"flat": x.view(n, -1) * scale, "spread": x + torch.arange(n)[:, None, None]}
        if more is not None:
            result["more"] = [m.reshape(-1) for m in more]
        return result


def test_signature_and_tensors():
    net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
    program = check(net, torch.randn(3, 4), shapes=({0: Dim("batch")},), other=(torch.randn(7, 4),))
    signature = program.graph_signature
    assert signature.parameters == tuple(name for name, _ in net.named_parameters())
    assert signature.inputs_to_buffers["b_1_running_mean"] == "1.running_mean"
    assert len(signature.user_inputs) == 1 and len(signature.user_outputs) == 1
    assert [s.kind for s in signature.input_specs[:1]] == [InputKind.PARAMETER]
    assert program.state_dict.keys() == net.state_dict().keys()
    assert program.state_dict["0.weight"] is net[0].weight
    placeholders = [n.name for n in program.graph.nodes if n.op == "placeholder"]
    assert placeholders == [s.arg.name for s in signature.input_specs]
    assert "addmm" in program.code and "p_0_weight: PARAMETER target='0.weight'" in str(program)
    assert program.run_decompositions() is program
    module = program.module()
    assert module.state_dict().keys() == net.state_dict().keys()
    module(torch.randn(2, 4)).sum().backward()
    assert net[0].weight.grad is not None  # the tensors are the model's own


def test_containers_and_keywords():
    x = torch.randn(3, 2, 2)
    check(Views(), x, shapes={"x": {0: Dim("n")}}, other=(torch.randn(5, 2, 2),))
    program = check(Views(), x, kwargs={"scale": 3.0, "more": [x, x * 2]})
    with pytest.raises(AssertionError, match="Guard failed: scale == 3.0"):
        program.module()(x, scale=4.0, more=[x, x])
    with pytest.raises(ValueError, match="other arguments than it was exported with"):
        program.module()(x)


@pytest.mark.parametrize("time", [5, 7])
def test_products_of_sizes(time):
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    net = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    shapes = ({0: Dim("batch"), 1: Dim("time")},)
    check(net, torch.randn(3, 5, 8), shapes=shapes, other=(torch.randn(2, time, 8),))


def test_sizes_that_grow_by_twos():
    class Halves(nn.Module):
        def forward(self, x):
            return F.max_pool2d(x, 2).view(x.size(0), x.size(1) * (x.size(2) // 2), -1)

    shapes = ({0: Dim("n"), 2: Dim("h")},)
    program = check(Halves(), torch.randn(2, 3, 8, 8), shapes=shapes, other=(torch.randn(1, 3, 12, 8),))
    with pytest.raises(AssertionError, match=r"Guard failed: \(x.size\(\)\[2\] - 8\) % 2 == 0"):
        program.module()(torch.randn(1, 3, 9, 8))


def test_recurrent_and_images():
    check(nn.LSTM(4, 5, batch_first=True), torch.randn(2, 3, 4), shapes=({0: Dim("n")},), other=(torch.randn(4, 3, 4),))
    net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.MaxPool2d(2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2))
    check(net, torch.randn(2, 3, 8, 8), shapes=({0: Dim("n")},), other=(torch.randn(3, 3, 8, 8),))


def test_training_leaves_the_model_as_it_was():
    net = nn.Sequential(nn.BatchNorm1d(3)).train()
    before = net[0].running_mean.clone()
    export(net, (torch.randn(4, 3),))
    assert torch.equal(net[0].running_mean, before) and net[0].num_batches_tracked == 0


def test_guards():
    program = export(nn.Linear(4, 2), (torch.randn(3, 4),), dynamic_shapes=({0: Dim("n", min=2, max=5)},))
    module = program.module()
    for given, message in [
        (torch.randn(3, 5), r"input.size\(\)\[1\] == 4"),
        (torch.randn(6, 4), r"2 <= input.size\(\)\[0\] <= 5"),
        (torch.randn(4), r"input.dim\(\) == 2"),
        (torch.randn(3, 4).double(), "input.dtype == torch.float32"),
        (3, "input is a tensor"),
    ]:
        with pytest.raises(AssertionError, match=message):
            module(given)

    class Pair(nn.Module):
        def forward(self, a, b):
            return a @ b

    n = Dim("n")
    together = export(Pair(), (torch.ones(2, 3), torch.ones(3, 2)), dynamic_shapes=({1: n}, {0: n})).module()
    assert together(torch.ones(2, 4), torch.ones(4, 2)).tolist() == [[4.0, 4.0], [4.0, 4.0]]
    with pytest.raises(AssertionError, match="== n, which is 4"):
        together(torch.ones(2, 4), torch.ones(5, 2))


def test_refused():
    class Branch(nn.Module):
        def forward(self, x):
            return x * 2 if x.size(0) < 4 else x.sin()

    with pytest.raises(RuntimeError, match="runs other operators for other sizes"):
        export(Branch(), (torch.ones(3),), dynamic_shapes=({0: Dim("n")},))
    with pytest.raises(RuntimeError, match=r"dynamic_shapes names \['y'\]"):
        export(nn.Linear(2, 2), (torch.ones(1, 2),), dynamic_shapes={"y": {0: Dim("n")}})
    with pytest.raises(ValueError, match="to be an instance of `torch.nn.Module`"):
        export(lambda x: x, (torch.ones(2),))
    with pytest.raises(RuntimeError, match="Expecting `args` to be a tuple"):
        export(nn.Linear(2, 2), torch.ones(1, 2))
    with pytest.raises(RuntimeError, match="Unable to call ExportedProgram directly"):
        export(nn.Linear(2, 2), (torch.ones(1, 2),))(torch.ones(1, 2))
    with pytest.raises(TypeError, match="must be an instance of 'ExportedProgram', got 'int'"):
        save(3, io.BytesIO())
    file = io.BytesIO()
    torch.save([1], file)
    file.seek(0)
    with pytest.raises(RuntimeError, match="the file holds a list"):
        load(file)
    assert ExportedProgram.__module__.startswith("flambeau")


def test_what_varies_is_named_as_the_arguments_are():
    class Sum(nn.Module):
        def forward(self, pair, *more, state=None):
            return pair[0].sum() + pair[1] + sum(m.sum() for m in more) + state["h"].sum()

    x, n = torch.ones(2, 3), Dim("n", max=9)
    given = (([x[:1].sum(), x], x * 2, x * 3), {"state": {"h": x * 4}})
    shapes = {"pair": [None, {1: n}], "more": ({0: Dim("m")}, None), "state": {"h": (Dim.AUTO, None)}}
    signature = export(Sum(), *given, dynamic_shapes=shapes)
    assert signature.graph_signature.user_inputs == ("pair_0", "pair_1", "more_1", "more_2", "state_h")
    program = signature.module()
    pair, more, h = [x[:1].sum(), torch.ones(2, 4)], torch.ones(7, 3), torch.ones(5, 3)
    assert program(pair, more, x, state={"h": h}).tolist() == [[46.0] * 4] * 2
    with pytest.raises(AssertionError, match=r"0 <= pair_1.size\(\)\[1\] <= 9"):
        program([pair[0], torch.ones(2, 10)], more, x, state={"h": h})
    with pytest.raises(AssertionError, match=r"more_2.size\(\)\[0\] == 2"):
        program(pair, more, torch.ones(3, 3), state={"h": h})
    with pytest.raises(RuntimeError, match="has dimension 2 of pair_1, which has 2"):
        export(Sum(), *given, dynamic_shapes={"pair": [None, {2: n}]})
    with pytest.raises(RuntimeError, match="must be a dict or a sequence, not int"):
        export(Sum(), *given, dynamic_shapes=3)


def test_modules_and_what_is_not_built():
    from flambeau.export import exported_program, graph_signature

    assert graph_signature.InputKind is InputKind and exported_program.ExportedProgram is ExportedProgram
    with pytest.raises(NotImplementedError, match="torch.export.draft_export is not built"):
        torch.export.draft_export  # noqa: B018
    with pytest.raises(NotImplementedError, match="torch.export.unflatten is not built"):
        torch.export.unflatten(None)
