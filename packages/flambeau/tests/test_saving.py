"""Modules, parameters and optimizers in files: PyTorch's, and those that it can read."""

import io
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import flambeau as torch
from flambeau import nn

FILES = Path(__file__).parent / "files"
X = torch.ones(1, 3)


def model():
    return nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.BatchNorm1d(2), nn.Linear(2, 1))


def again(obj, **how):
    file = io.BytesIO()
    torch.save(obj, file, **how)
    file.seek(0)
    return torch.load(file, weights_only=False)


def pickled(obj):
    file = io.BytesIO()
    torch.save(obj, file)
    return zipfile.ZipFile(file).read("archive/data.pkl")


def test_states_of_pytorch():
    states = torch.load(FILES / "states.pt")
    net = model()
    assert str(net.load_state_dict(states["model"])) == "<All keys matched successfully>"
    assert net.eval()(X).item() == pytest.approx(-0.3440, abs=1e-4)
    optimizer = torch.optim.Adam(net.parameters())
    optimizer.load_state_dict(states["optimizer"])
    assert optimizer.param_groups[0]["lr"] == 0.1 and optimizer.state[net[0].weight]["step"] == 1
    assert states["model"]._metadata["2"] == {"version": 2}
    parameter = states["parameter"]
    assert type(parameter) is nn.Parameter and not parameter.requires_grad and parameter.tag == "mine"


def test_objects_of_pytorch():
    objects = torch.load(FILES / "objects.pt", weights_only=False)
    net = objects["model"]
    assert [type(m) for m in net] == [nn.Linear, nn.ReLU, nn.BatchNorm1d, nn.Linear] and not net.training
    assert net(X).item() == pytest.approx(-0.3440, abs=1e-4)
    assert objects["optimizer"].param_groups[0]["params"][0] is net[0].weight
    net(X).sum().backward()
    objects["optimizer"].step()
    assert torch.rand(2, generator=objects["generator"]).tolist() == pytest.approx([0.8303, 0.1261], abs=1e-4)
    assert objects["number"] == 2.5 and type(objects["number"]) is np.float64 and objects["array"].tolist() == [0, 1, 2]
    assert objects["max"].values.tolist() == [1, 1] and type(objects["max"]) is type(torch.ones(1, 1).max(0))
    assert objects["relu"] is nn.functional.relu and objects["add"] is torch.add
    with pytest.raises(pickle.UnpicklingError, match=r"GLOBAL torch\.nn\.modules\.container\.Sequential was not an al"):
        torch.load(FILES / "objects.pt")


def test_modules_of_pytorch():
    """With functions that PyTorch has compiled, and state that only PyTorch keeps."""
    modules = torch.load(FILES / "modules.pt", weights_only=False)
    encoder, lstm, loss = modules["encoder"], modules["lstm"], modules["loss"]
    assert encoder.activation is nn.functional.gelu and loss.options.batch_chunk_size == 2
    x = torch.arange(8.0).view(1, 2, 4)
    torch.testing.assert_close((encoder(x), lstm(x)[0]), modules["results"])
    state = lstm.__getstate__()
    assert [id(w) for w in state["_flat_weights"]] == [id(w) for w in lstm.parameters()]  # PyTorch's own reads it
    assert "_flat_weights" not in vars(again(lstm))


@pytest.mark.parametrize("how", [{}, {"pickle_protocol": 5}, {"_use_new_zipfile_serialization": False}])
def test_modules_and_optimizers_come_back(how):
    net = model().eval()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.5)
    net(X).sum().backward()
    optimizer.step()
    other, other_optimizer = again([net, optimizer], **how)
    assert other(X).tolist() == net(X).tolist() and other_optimizer.param_groups[0]["params"][0] is other[0].weight
    assert other_optimizer.param_groups[0]["lr"] == 0.5
    assert vars(other[0]).keys() == vars(net[0]).keys()  # nothing stays that slows calls down


def test_hooks_and_buffers_come_back():
    net = model()
    net.register_buffer("kept", torch.ones(1), persistent=False)
    net.register_forward_hook(_double)
    other = again(net.eval())
    assert other(X).tolist() == net(X).tolist() and other.kept.item() == 1 and "kept" not in other.state_dict()


def _double(module, args, output):
    return output * 2


def test_safe_globals_allow_modules():
    file = io.BytesIO()
    torch.save(nn.Linear(2, 1), file)
    for allowed in ([nn.Linear, nn.Module], [(nn.Linear, "torch.nn.modules.linear.Linear")]):
        file.seek(0)
        with torch.serialization.safe_globals(allowed):
            assert type(torch.load(file)) is nn.Linear


def test_files_have_the_names_of_pytorch():
    net = model()
    data = pickled([net, torch.optim.Adam(net.parameters()), nn.Parameter(torch.ones(1)), nn.functional.relu])
    assert b"flambeau" not in data
    for name in (
        b"torch.nn.modules.linear\nLinear",
        b"torch.optim.adam\nAdam",
        b"torch._utils\n_rebuild_parameter",
        b"torch.nn.functional\nrelu",
        b"_backward_hooks",
        b"_is_full_backward_hook",
    ):
        assert name in data


def test_parameters_share_what_they_shared():
    w = nn.Parameter(torch.ones(4))
    a, b = again([w, w.data[1:]])
    a.data[1] = 7
    assert b[0] == 7 and type(a) is nn.Parameter


def test_files_load_whatever_is_imported_first():
    code = (
        "import sys, flambeau as torch; assert 'flambeau_nn' not in sys.modules; "
        "print(type(torch.load(sys.argv[1])['parameter']).__name__, 'flambeau_cext' in sys.modules)"
    )
    process = subprocess.run([sys.executable, "-c", code, str(FILES / "states.pt")], capture_output=True, text=True)
    assert process.stdout == "Parameter False\n", process.stderr


def test_states_by_address(tmp_path):
    states = torch.hub.load_state_dict_from_url((FILES / "states.pt").as_uri(), str(tmp_path), weights_only=True)
    assert "0.weight" in states["model"] and (tmp_path / "states.pt").exists()


def test_names_of_pytorch_are_there():
    code = """
import flambeau
flambeau.install_as_torch()
import io, torch, torch.serialization, torch.storage
from torch.serialization import add_safe_globals, FILE_NOT_THERE
"""
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "FILE_NOT_THERE" in process.stderr
    assert torch.save is torch.serialization.save and torch._utils._rebuild_tensor_v2 and torch.storage.UntypedStorage
    assert torch.FloatStorage is torch.storage.FloatStorage


def test_loading_what_needs_gradients_makes_leaves():
    x = torch.ones(2, requires_grad=True)
    y = again(x * 2)
    (y * 3).sum().backward()
    assert y.is_leaf and y.grad.tolist() == [3, 3]


def test_shared_memory_moves_under_whatever_looks_at_it():
    w = nn.Parameter(torch.arange(20.0))
    data, part = w.data, w.data[3:]
    assert w.share_memory_() is w and data.is_shared() and part.untyped_storage().is_shared()
    part.fill_(7)
    assert w[3] == 7 and data[4] == 7 and w.data_ptr() == data.data_ptr() == part.data_ptr() - 12
    v = nn.Parameter(torch.arange(20.0))
    alias = v.data
    alias.share_memory_()
    v.data[0] = 5
    assert alias[0] == 5 and v.is_shared()


def test_modules_share_memory():
    net = model()
    net.share_memory()
    assert all(t.is_shared() for t in net.state_dict().values())


@pytest.mark.parametrize("name", "Adam AdamW Adamax NAdam RAdam SGD ASGD Rprop RMSprop Adagrad Adadelta LBFGS".split())
def test_optimizers_have_the_names_of_pytorch(name):
    """There, each stands in a file of its own."""
    optimizer = getattr(torch.optim, name)([torch.zeros(2, requires_grad=True)], lr=0.1)
    assert f"torch.optim.{name.lower()}\n{name}\n".encode() in pickled(optimizer)
    assert type(again(optimizer)) is type(optimizer)
