"""What programs for PyTorch's compiler ask of `torch._dynamo`, `torch._logging` and `torch._inductor`."""

import os
import subprocess
import sys

import pytest

import flambeau as torch


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"backend": "nope"}, torch._dynamo.exc.InvalidBackend, "Invalid backend: 'nope'"),
        ({"mode": "nope"}, RuntimeError, "Unrecognized mode=nope, should be one of: default"),
        ({"dynamic": 3}, AssertionError, "Expected enable to be a bool, got <class 'int'>"),
        ({"mode": "default", "options": {}}, RuntimeError, "can't be specified at the same time"),
    ],
)
def test_arguments_that_there_are_not(options, error, words):
    with pytest.raises(error, match=words):
        torch.compile(lambda x: x + 1, **options)


@pytest.mark.parametrize("backend", ["inductor", "eager", "aot_eager", "cudagraphs"])
def test_backends_by_name(backend):
    compiled = torch.compile(lambda x: x + 1, backend=backend, options={"max_autotune": True})
    assert compiled(torch.ones(2)).tolist() == compiled(torch.ones(2)).tolist() == [2, 2]


def test_fullgraph_raises_the_error_of_dynamo():
    with pytest.raises(torch._dynamo.exc.Unsupported, match=r"print\(\) is called"):
        torch.compile(lambda x: print(x), fullgraph=True)(torch.ones(1))


def test_explain():
    found = torch._dynamo.explain(lambda x: (x.sin() + 1).sort()[0])(torch.ones(2))
    assert (found.graph_count, found.graph_break_count, found.op_count, found.break_reasons) == (1, 0, 3, [])
    assert "Op Count: 3" in str(found) and "torch.sort.default" in str(found)
    assert torch._dynamo.explain(torch.nn.Linear(2, 2), torch.ones(1, 2)).graph_count == 1
    found = torch._dynamo.explain(lambda x: print(x))(torch.ones(2))
    assert found.graph_count == 0 and "print() is called" in found.break_reasons[0]


def test_optimize_compiles():
    function = torch._dynamo.optimize("inductor", nopython=True)(lambda x: x + 1)
    assert function(torch.ones(1)).item() == 2
    assert torch.compiler.explain(function) == "compiled: 1 steps"


def test_the_limit_of_programs_is_a_setting():
    def calls(function):
        for n in range(1, 5):
            function(torch.ones(n))

    with torch._dynamo.config.patch(recompile_limit=2):
        assert torch._dynamo.config.cache_size_limit == 2
        with pytest.warns(RuntimeWarning, match="more than 2 different ways"):
            calls(torch.compile(lambda x: x + 1))
    assert torch._dynamo.config.recompile_limit == torch._dynamo.config.cache_size_limit == 8
    calls(torch.compile(lambda x: x + 1))


def test_logs(capfd):
    torch._logging.set_logs(recompiles=True, graph_breaks=True)
    try:
        function = torch.compile(lambda x: x + 1)
        function(torch.ones(1))
        function(torch.ones(2))
        with pytest.warns(RuntimeWarning):
            torch.compile(lambda x: open(os.devnull).close())(torch.ones(1))
    finally:
        torch._logging.set_logs()
    lines = capfd.readouterr().err.splitlines()
    assert [line.split()[0] for line in lines] == ["[__recompiles]", "[__graph_breaks]"]
    program = "import flambeau as torch; f = torch.compile(lambda x: x + 1); f(torch.ones(1))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "TORCH_LOGS": "+output_code"},
        capture_output=True,
        text=True,
    )
    assert "[__output_code]" in done.stderr and "int fl_run(" in done.stderr


def test_counters():
    before = torch._dynamo.utils.counters["frames"]["ok"]
    torch.compile(lambda x: x * 3)(torch.ones(1))
    assert torch._dynamo.utils.counters["frames"]["ok"] == before + 1


def test_settings_of_inductor_are_taken():
    torch._inductor.config.coordinate_descent_tuning = True
    assert torch._inductor.config.coordinate_descent_tuning
    torch._inductor.config.coordinate_descent_tuning = False


def test_a_compiled_module_in_a_training_loop():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    model = torch.compile(net)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(20):
        x = torch.randn(16, 2)
        y = (x[:, 0] > 0).long()
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    assert list(model.state_dict()) == list(net.state_dict())
    assert torch.compiler.explain(model).startswith("compiled") and "\n" not in torch.compiler.explain(model)


def test_functions_of_torch_that_programs_replace(monkeypatch):
    compiled = torch.compile(lambda x: torch.sin(x) + torch.nn.functional.relu(x))
    x = torch.ones(2)
    for _ in range(2):
        assert torch.allclose(compiled(x), x.sin() + x)
    monkeypatch.setattr(torch, "sin", torch.cos)
    for _ in range(2):
        assert torch.allclose(compiled(x), x.cos() + x)
    monkeypatch.setattr(torch.nn.functional, "relu", torch.tanh)
    for _ in range(2):
        assert torch.allclose(compiled(x), x.cos() + x.tanh())
