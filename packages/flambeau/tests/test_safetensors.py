"""The package safetensors, which knows tensors as those of `torch`."""

import subprocess
import sys

import pytest

pytest.importorskip("safetensors")

PROGRAM = """
import sys
import flambeau
flambeau.install_as_torch()
import torch
from safetensors import safe_open
from safetensors.torch import load, load_file, load_model, save, save_file, save_model
from safetensors.numpy import load_file as load_arrays

path = sys.argv[1] + "/x.safetensors"
names = "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64".split()
tensors = {name: torch.tensor([[0, 1, 2]], dtype=getattr(torch, name)) for name in names}
tensors |= {"empty": torch.empty(0, 3), "scalar": torch.tensor(5)}
save_file(tensors, path, metadata={"made": "here"})
for back in (load_file(path), load(save(tensors))):
    assert back.keys() == tensors.keys()
    for name, t in back.items():
        assert t.dtype is tensors[name].dtype and t.tolist() == tensors[name].tolist(), name
        t.fill_(1)  # is its own
assert load_file(path)["float32"].tolist() == [[0, 1, 2]]
with safe_open(path, "pt") as file:
    assert file.metadata() == {"made": "here"} and file.get_slice("float64")[:, 1:].tolist() == [[1, 2]]
save_file({"a": torch.arange(3.0)}, path)
assert load_arrays(path)["a"].tolist() == [0, 1, 2]
model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
model[1].weight = model[0].weight
save_model(model, path)
other = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
other[1].weight = other[0].weight
assert load_model(other, path) == (set(), [])
x = torch.ones(1, 2)
assert other(x).tolist() == model(x).tolist()
torch.save(load_file(path), sys.argv[1] + "/x.pt")  # from one format to the other
assert all(torch.equal(t, model.state_dict()[name]) for name, t in torch.load(sys.argv[1] + "/x.pt").items())
for wrong in ({"a": x, "b": x[:, 1:]}, {"a": torch.ones(2, 3).t()}):
    try:
        save_file(wrong, path)
    except (RuntimeError, ValueError):
        continue
    raise AssertionError("saved")
print("done")
"""


def test_files_of_safetensors(tmp_path):
    process = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True)
    assert process.stdout == "done\n", process.stderr
