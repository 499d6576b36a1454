"""Python's own pickles: PyTorch's load under the name torch, and those made there name only what PyTorch has."""

import importlib
import io
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import flambeau

HERE = Path(__file__).parent
sys.path.append(str(HERE))  # where processes that these tests start find both modules
pickled_things = importlib.import_module("pickled_things")
# What PyTorch has and does not name in its pickles of these things: functions, which it reaches by its compiled module,
# and how it makes tensors of several that share memory.
MORE = """
    torch add; torch ByteStorage; torch uint8; torch bfloat16; torch complex64; torch int64
    torch._utils _rebuild_tensor_v3; torch.fft fft; torch.linalg inv; torch.special expit; torch.nn.functional gelu
    torch conv2d
"""
MORE = {name.strip() for line in MORE.splitlines() for name in line.split(";")}


class Names(pickle._Unpickler):
    """Notes what a pickle asks for by name."""

    def __init__(self, data, found):
        super().__init__(io.BytesIO(data))
        self.found = found

    def find_class(self, module, name):
        self.found.add(f"{module} {name}")
        return super().find_class(module, name)


def names_in(data):
    found = set()
    Names(data, found).load()
    return found


def of_pytorch():
    return pickle.loads((HERE / "files" / "plain.pkl").read_bytes())


def here():
    return {name: pickle.dumps(thing, 4) for name, thing in pickled_things.things().items()}


def run(code):
    program = f"import flambeau.as_torch, json; import test_plain_pickles as t; {code}"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, cwd=HERE)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def values_of(pickles):
    return {name: pickled_things.shown(pickle.loads(data)) for name, data in pickles.items()}


def test_pickles_of_pytorch():
    code = "values = t.values_of(t.of_pytorch()); here = t.values_of(t.here()); print(json.dumps([values, here]))"
    values, made_here = run(code)
    assert values.keys() == made_here.keys() and len(values) > 30
    values["traced"], made_here["traced"] = values["traced"][1], made_here["traced"][1]
    for name, value in values.items():
        assert _near(value, made_here[name]), name


def _near(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_near, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_near(a[key], b[key]) for key in a)
    return a == pytest.approx(b, abs=1e-6) if isinstance(a, float) else a == b


def test_pickles_have_the_names_of_pytorch():
    code = """
known = set().union(*map(t.names_in, t.of_pytorch().values())) | t.MORE
print(json.dumps({name: sorted(t.names_in(data) - known) for name, data in t.here().items()}))
"""
    assert not {name: more for name, more in run(code).items() if more}


def test_pickles_without_the_name_come_back_in_any_process(tmp_path):
    (tmp_path / "things").write_bytes(pickle.dumps([flambeau.ones(2), flambeau.nn.Linear(1, 1), flambeau.float16]))
    code = f"import pickle; print(pickle.load(open({str(tmp_path / 'things')!r}, 'rb')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    shown = "[tensor([1., 1.]), Linear(in_features=1, out_features=1, bias=True), torch.float16]\n"
    assert done.stdout == shown, done.stderr


def test_what_shares_memory_does_so_again():
    x = flambeau.arange(6.0).view(2, 3)
    one, other, parameter = pickle.loads(pickle.dumps([x, x[1], flambeau.nn.Parameter(x)]))
    one.fill_(7)
    assert other.tolist() == [7, 7, 7] and parameter.tolist() == [[7, 7, 7], [7, 7, 7]]
    storage = pickle.loads(pickle.dumps(x.untyped_storage()))
    assert type(storage) is flambeau.UntypedStorage and storage.nbytes() == 24


PROGRAM = """
import sys, torch
from torch.utils.data import DataLoader, TensorDataset

if __name__ == "__main__":
    for method in ("forkserver", "spawn"):
        loader = DataLoader(TensorDataset(torch.arange(4)), 2, num_workers=1, multiprocessing_context=method)
        print([batch.tolist() for (batch,) in loader])
"""


def test_new_processes_stand_under_the_name_too(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "flambeau", "run", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.stdout == "[[0, 1], [2, 3]]\n" * 2, done.stderr


def test_the_distribution_torch_is_there():
    code = """
from importlib import metadata
there = metadata.version("torch"), metadata.packages_distributions()["torch"]
names = [d.metadata["Name"] for d in metadata.distributions(name="numpy")]
print(json.dumps([*there, names, str(t.flambeau.__version__)]))
"""
    version, packages, others, own = run(code)
    assert version == own.partition("+")[0] == "2.13.0" and packages == ["torch"] and others == ["numpy"]
