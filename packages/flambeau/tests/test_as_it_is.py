"""torch.jit, torch.compile, torch.hub and others run the Python that they are given."""

import copy
import importlib
import io
import time
import zipfile

import pytest

import flambeau as torch
from flambeau import nn


def double(x):
    return 2 * x


def test_compile():
    model = nn.Linear(1, 1)
    assert torch.compile(double, backend="eager") is double and torch.compile(double, disable=True) is double
    assert model.compile(mode="max-autotune") is None
    with pytest.raises(RuntimeError, match="Either mode or options can be specified"):
        torch.compile(double, mode="default", options={})
    assert torch.compiler.disable(double)(2) == torch.compiler.disable()(double)(2) == 4
    assert torch._dynamo.disable(double)(2) == 4 and torch._dynamo.optimize("inductor")(double)(2) == 4
    assert not torch.compiler.is_compiling() and not torch._dynamo.is_compiling()
    assert isinstance(model, torch._dynamo.OptimizedModule) and isinstance(model, nn.Linear)
    assert type(model._orig_mod) is nn.Linear
    torch._dynamo.config.suppress_errors = True
    with torch.compiler.set_stance("force_eager"):
        torch._dynamo.reset()
    assert torch.compiler.wrap_numpy(lambda a: a + 1)(torch.zeros(2)).tolist() == [1, 1]


def test_jit():
    jit, model = torch.jit, nn.Linear(1, 1)
    assert jit.script(double) is jit.ignore(double) is jit.unused(double) is jit.export(double) is double
    assert jit.ignore(drop=True)(double) is double and jit.script(model) is model
    x = torch.ones(1, 1)
    assert jit.trace(model, x) is model and jit.trace_module(model, {"forward": x}) is model
    with pytest.raises(TypeError):
        jit.trace(double, (1, 2))
    assert not jit.is_scripting() and not jit.is_tracing() and jit.annotate(int, "a") == "a"
    assert jit.wait(jit.fork(double, 4)) == 8 and issubclass(jit.ScriptModule, nn.Module)
    assert jit.isinstance([1, 2], list[int]) and not jit.isinstance([1, "a"], list[int])
    assert jit.isinstance(None, int | None) and jit.isinstance((1, "a"), tuple[int, str])
    with pytest.raises(RuntimeError, match="training mode"):
        jit.freeze(model)
    assert jit.freeze(model.eval()) is model
    assert jit._overload(double) is torch._jit_internal._overload_method(double) is double


def test_scripted_modules_count_as_such():
    jit, model, traced = torch.jit, nn.Linear(1, 1), nn.Linear(1, 1)
    assert not isinstance(model, jit.ScriptModule)
    jit.script(model), jit.trace(traced, torch.ones(1, 1))
    assert isinstance(model, jit.ScriptModule) and isinstance(model, jit.RecursiveScriptModule)
    assert isinstance(traced, jit.TracedModule) and isinstance(traced, jit.ScriptModule)
    assert not isinstance(model, jit.TracedModule) and not isinstance(1, jit.ScriptModule)

    class Own(jit.ScriptModule):
        pass

    assert isinstance(Own(), jit.ScriptModule) and not isinstance(model, Own)
    assert list(model.state_dict()) == ["weight", "bias"] and repr(model) == repr(nn.Linear(1, 1))


class Doubling(torch.jit.ScriptModule):
    @torch.jit.script_method
    def forward(self, x):
        return 2 * x


def test_saving_scripted_modules(tmp_path):
    Doubling().save(tmp_path / "doubling.pt")
    assert torch.jit.load(tmp_path / "doubling.pt")(torch.ones(1)).item() == 2
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU()).eval()
    x = torch.ones(1, 2)
    torch.jit.script(model).save(tmp_path / "model.pt")
    again = torch.jit.load(tmp_path / "model.pt")
    assert isinstance(again, torch.jit.ScriptModule) and torch.equal(again(x), model(x)) and not again.training
    again.weight = nn.Parameter(torch.zeros(1))
    again.save(tmp_path / "again.pt")  # of itself, not of the first
    assert "weight" in dict(torch.jit.load(tmp_path / "again.pt").named_parameters())
    f, extra = io.BytesIO(), {"notes": "", "other": ""}
    torch.jit.save(copy.deepcopy(model), f, _extra_files={"notes": "some"})
    f.seek(0)
    assert torch.equal(torch.jit.load(f, _extra_files=extra)(x), model(x)) and extra == {"notes": b"some", "other": b""}
    torch.jit.save(torch.jit.script(double), tmp_path / "double.pt")
    assert torch.jit.load(tmp_path / "double.pt") is double
    torch.save(model.state_dict(), tmp_path / "state.pt")
    with pytest.raises(RuntimeError, match=r"torch\.jit\.save did not write this file"):
        torch.jit.load(tmp_path / "state.pt")
    with zipfile.ZipFile(tmp_path / "script.pt", "w") as archive:
        archive.writestr("script/code/__torch__.py", "op_version_set = 1\n")
    with pytest.raises(NotImplementedError, match="does not read TorchScript"):
        torch.jit.load(tmp_path / "script.pt")


def test_futures():
    first, second = torch.futures.Future(), torch.jit.Future()
    whole = torch.futures.collect_all([first, second])
    later = first.then(lambda f: f.value() + 1)
    with pytest.raises(RuntimeError, match="not there yet"):
        first.value()
    first.set_result(1)
    assert later.wait() == 2 and not whole.done()
    second.set_exception(KeyError("no"))
    assert [f.done() for f in whole.wait()] == [True, True]
    with pytest.raises(KeyError):
        torch.futures.wait_all([first, second])
    with pytest.raises(RuntimeError, match="once"):
        first.set_result(2)
    assert torch.Future is torch.futures.Future


def test_hub(tmp_path, monkeypatch):
    (tmp_path / "hubconf.py").write_text("dependencies = ['numpy']\ndef small(n=1):\n    'A list.'\n    return [n]\n")
    hub = torch.hub
    assert hub.load(str(tmp_path), "small", source="local", n=3) == [3]
    assert hub.list(str(tmp_path)) == ["small"] and hub.help(str(tmp_path), "small") == "A list."
    with pytest.raises(RuntimeError, match="Cannot find callable large in hubconf"):
        hub.load(str(tmp_path), "large", source="local")
    with pytest.raises(NotImplementedError, match="GitHub"):
        hub.load("a/b", "c")
    monkeypatch.setattr(hub, "_folder", None)
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    assert hub.get_dir() == str(tmp_path / "hub")
    (tmp_path / "data").write_bytes(b"abc")
    hub.download_url_to_file((tmp_path / "data").as_uri(), str(tmp_path / "copy"), hash_prefix="ba7816bf")
    assert (tmp_path / "copy").read_bytes() == b"abc"
    with pytest.raises(RuntimeError, match="invalid hash value"):
        hub.download_url_to_file((tmp_path / "data").as_uri(), str(tmp_path / "copy2"), hash_prefix="00")
    assert sorted(p.name for p in tmp_path.iterdir() if p.is_file()) == ["copy", "data", "hubconf.py"]
    assert importlib.import_module("flambeau.utils.model_zoo").load_url is hub.load_state_dict_from_url


def test_timer():
    from flambeau.utils.benchmark import Measurement, Timer

    timer = Timer("time.sleep(0.001)", globals={"time": time}, label="nap", num_threads=1)
    found = timer.blocked_autorange(min_run_time=0.02)
    assert 0.001 <= found.median < 0.1 and found.title == "nap" and "Median" in repr(found)
    assert timer.timeit(3).number_per_run == 3 and len(timer.adaptive_autorange(max_run_time=0.05).times) > 1
    assert len(Measurement.merge([found, found])[0].times) == 2 * len(found.times)


def test_profiler_plans():
    from flambeau.profiler import ProfilerActivity, record_function, schedule

    plan = schedule(wait=1, warmup=1, active=2, repeat=1, skip_first=1)
    assert [plan(step).name for step in range(6)] == ["NONE", "NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE", "NONE"]
    with record_function("part"):
        assert ProfilerActivity.CPU.name == "CPU"


def fails(index, where):
    if index == 1:
        raise ValueError("broken")
    with open(f"{where}/{index}", "w") as f:
        f.write("done")


def test_processes(tmp_path):
    mp = torch.multiprocessing
    assert mp.get_context("spawn").get_start_method() == "spawn" and mp.cpu_count() > 0
    mp.start_processes(fails, (str(tmp_path),), nprocs=1, start_method="fork")
    assert (tmp_path / "0").read_text() == "done"
    with pytest.raises(mp.ProcessRaisedException, match=r"(?s)-- Process 1 terminated.*ValueError: broken"):
        mp.start_processes(fails, (str(tmp_path),), nprocs=2, start_method="fork")


def test_handles_of_hooks():
    from flambeau.utils.hooks import RemovableHandle

    x = torch.ones(1, requires_grad=True)
    assert isinstance(x.register_hook(double), RemovableHandle)
    assert isinstance(nn.Linear(1, 1).register_forward_hook(lambda *_: None), RemovableHandle)
