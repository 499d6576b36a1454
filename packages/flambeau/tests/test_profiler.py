"""torch.profiler: what is recorded, its tables and traces."""

import gzip
import json
import subprocess
import sys

import pytest

import flambeau as torch
from flambeau.profiler import ProfilerActivity, profile, record_function, schedule
from flambeau_tensor.not_built import NotBuiltError


def names(p):
    return [(e.key, e.count) for e in p.key_averages()]


def test_calls_and_labels():
    layer = torch.nn.Linear(2, 3)
    x = torch.ones(4, 2)
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as p:
        with record_function("forward"):
            y = layer(x)
        y.sum().backward()
        x.mul_(2)
    found = dict(names(p))
    assert found["forward"] == found["aten::linear"] == found["aten::sum"] == found["aten::mul_"] == 1
    events = p.events()
    linear = next(e for e in events if e.name == "aten::linear")
    assert linear.input_shapes == [[4, 2], [3, 2], [3]] and linear.cpu_parent.name == "forward"
    forward = linear.cpu_parent
    assert forward.is_user_annotation and forward.cpu_time >= linear.cpu_time > 0
    assert abs(forward.self_cpu_time_total + sum(e.cpu_time for e in forward.cpu_children) - forward.cpu_time) < 1e-6
    assert p.key_averages(group_by_input_shape=True)[0].key == "forward"
    assert p.key_averages().total_average().count == len(events)


def test_nothing_is_recorded_outside():
    torch.ones(2)
    with record_function("unseen"):
        torch.ones(2)
    p = profile()
    assert p.events() == []
    with p:
        pass
    torch.ones(2)
    assert p.events() == []

    @record_function("decorated")
    def twice(n):
        return torch.ones(1) if n == 0 else twice(n - 1)

    with profile() as p:
        twice(2)
    assert names(p) == [("decorated", 3), ("aten::ones", 1)]


def test_errors_end_what_they_leave():
    with profile() as p:
        with pytest.raises(RuntimeError), record_function("outer"):
            torch.mm(torch.ones(2, 3), torch.ones(2, 3))
        torch.ones(1)
    last = p.events()[-1]
    assert last.name == "aten::ones" and last.cpu_parent is None


def test_tables():
    with profile(profile_memory=True) as p:
        kept = torch.zeros(1000)
        kept.exp()
    text = p.key_averages().table(sort_by="cpu_time_total", row_limit=1, header="what took long")
    lines = text.splitlines()
    assert lines[0] == "what took long" and "Self CPU %" in lines[2] and "CPU Mem" in lines[2] and len(lines) == 7
    assert text.splitlines()[-1].startswith("Self CPU time total: ")
    zeros = next(e for e in p.key_averages() if e.key == "aten::zeros")
    assert zeros.cpu_memory_usage >= 4000
    with pytest.raises(AttributeError, match="no column"):
        p.key_averages().table(sort_by="nothing")


@pytest.mark.parametrize("name", ["trace.json", "trace.json.gz"])
def test_chrome_traces(tmp_path, name):
    with profile(record_shapes=True) as p, record_function("part"):
        torch.ones(2).exp()
    p.add_metadata_json("more", "[1]")
    path = tmp_path / name
    p.export_chrome_trace(str(path))
    with (gzip.open if name.endswith("gz") else open)(path, "rt") as f:
        trace = json.load(f)
    events = trace["traceEvents"]
    assert [e["name"] for e in events] == ["part", "aten::ones", "aten::exp"] and trace["more"] == [1]
    assert {e["ph"] for e in events} == {"X"} and events[2]["args"] == {"Input Dims": [[2]]}
    part, inside = events[0], events[2]
    assert part["ts"] <= inside["ts"] and inside["ts"] + inside["dur"] <= part["ts"] + part["dur"] + 1e-3


def test_steps_and_schedules(tmp_path):
    done = []
    plan = schedule(wait=1, warmup=1, active=2, repeat=2)
    with profile(schedule=plan, on_trace_ready=lambda p: done.append((p.step_num, names(p)))) as p:
        for _ in range(10):
            torch.ones(1)
            p.step()
    # PyTorch calls back at the same steps
    assert done == [
        (4, [("ProfilerStep#2", 1), ("aten::ones", 2), ("ProfilerStep#3", 1)]),
        (8, [("ProfilerStep#6", 1), ("aten::ones", 2), ("ProfilerStep#7", 1)]),
    ]
    with profile(on_trace_ready=torch.profiler.tensorboard_trace_handler(str(tmp_path), "me")):
        torch.ones(1)
    assert [f.name.split(".")[0] for f in tmp_path.iterdir()] == ["me"]


def test_stacks(tmp_path):
    with profile(with_stack=True) as p:
        torch.ones(1)
    assert "test_stacks" in p.events()[0].stack[0]
    p.export_stacks(str(tmp_path / "stacks"))
    with pytest.raises(NotBuiltError, match="with_flops"):
        profile(with_flops=True)


def test_the_older_names():
    with torch.autograd.profiler.profile(record_shapes=True) as p, torch.autograd.profiler.record_function("part"):
        torch.ones(2)
    assert names(p) == [("part", 1), ("aten::ones", 1)] and len(p.function_events) == 2
    assert "aten::ones" in p.table(sort_by="count") and p.self_cpu_time_total > 0
    with torch.autograd.profiler.profile(enabled=False) as p:
        torch.ones(2)
    assert not p.function_events


def test_it_loads_when_it_is_named():
    code = "import sys, flambeau; print([m for m in sys.modules if 'profiler' in m or 'sparse' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


def test_whether_something_records():
    import flambeau.autograd as autograd

    assert autograd._profiler_enabled() is False
    with torch.profiler.profile():
        assert autograd._profiler_enabled() is True
        with pytest.raises(NotImplementedError, match=r"use stop\(\) of the profile"):
            autograd._disable_profiler()
    assert autograd._profiler_enabled() is False
    assert torch.profiler.profiler._default_schedule_fn(3) is torch.profiler.ProfilerAction.RECORD
