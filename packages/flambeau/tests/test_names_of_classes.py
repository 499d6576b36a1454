"""Classes and functions say that they stand where PyTorch has them."""

import importlib
import inspect
import json
import pickle
import subprocess
import sys
import typing
from pathlib import Path

import pytest

import flambeau

PLACES = {
    module: names.split()
    for line in Path(__file__).with_name("pytorch_places.txt").read_text().splitlines()
    if not line.startswith("#")
    for module, _, names in [line.partition(": ")]
}
# What says something else than in PyTorch.
ELSEWHERE = {
    "torch.compiler.compile": "torch.compile",  # one function under two names
    "torch.fx.passes.tools_common.stable_topological_sort": "torch.fx.passes.tools_common.legalize_graph",
    "torch.overrides.handle_torch_function": "flambeau_overrides._dispatch.handle_torch_function",  # built into Python
    "torch.types.Storage": "types.None",  # a union
    **{f"torch.functional.{name}": f"torch.{name}" for name in "cdist norm split stft tensordot unravel_index".split()},
    **{
        f"torch.sparse.{kind}Tensor": "torch.sparse._of_type.<locals>.make"
        for kind in "Double Float Half Int Long".split()
    },
}


def places(prefix):
    """Of each name of PyTorch's: what the thing here says."""
    found = {}
    for module, names in PLACES.items():
        here = importlib.import_module(prefix + module.removeprefix("torch"))
        for name in names:
            value = getattr(here, name)
            found[f"{module}.{name}"] = f"{value.__module__}.{getattr(value, '__qualname__', None)}"
    return found


def told(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=Path(__file__).parent)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


BEFORE = "import flambeau; import flambeau.nn, flambeau.optim, flambeau.distributions; flambeau.install_as_torch()"


@pytest.mark.parametrize("first", ["import flambeau.as_torch", BEFORE], ids=["first", "late"])
def test_what_stands_under_torch_says_so(first):
    found = told(f"{first}; import json, test_names_of_classes as t; print(json.dumps(t.places('torch')))")
    assert len(found) > 850
    assert {name: said for name, said in found.items() if said != name} == ELSEWHERE


def test_without_the_name_they_stand_in_flambeau():
    checked = 0
    for name, said in places("flambeau").items():
        if name not in ELSEWHERE and not said.startswith("torch."):  # operators say torch everywhere
            assert said == name.replace("torch", "flambeau", 1)
            checked += 1
    assert checked > 700


CLASSES = [
    flambeau.nn.Linear,
    flambeau.nn.LSTM,
    flambeau.optim.Adam,
    flambeau.optim.lr_scheduler.CyclicLR,
    flambeau.distributions.Normal,
    flambeau.distributions.transforms.StickBreakingTransform,
    flambeau.Size,
    flambeau.dtype,
    flambeau.Tensor,
    flambeau.UntypedStorage,
    flambeau.autograd.graph.Node,
    flambeau.no_grad,
    flambeau.utils.data.DataLoader,
]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_class_is_found_by_what_it_says(cls):
    assert pickle.loads(pickle.dumps(cls)) is cls
    assert repr(cls) == f"<class '{cls.__module__}.{cls.__qualname__}'>" and cls.__module__.startswith("flambeau")


def test_python_finds_the_sources_and_annotations():
    for cls in (flambeau.nn.Conv2d, flambeau.distributions.Normal, flambeau.utils.data.DataLoader):
        assert inspect.getsource(cls).startswith(f"class {cls.__name__}")
        assert inspect.getmodule(cls) is sys.modules[cls.__module__]
    assert inspect.getsource(flambeau.nn.utils.clip_grad_norm_).startswith("def clip_grad")
    hints = typing.get_type_hints(flambeau.nn.Linear)
    assert hints["weight"] is flambeau.Tensor or issubclass(hints["weight"], flambeau.Tensor)


def test_a_module_runs_once():
    code = """
import flambeau; flambeau.install_as_torch()
import torch.hub, flambeau.hub, torch.optim.lr_scheduler as there, sys
from flambeau_nn.optim import lr_scheduler as here
print(torch.hub is flambeau.hub is sys.modules["torch.hub"], there is here, there.StepLR is here.StepLR)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "True True True\n", done.stderr
