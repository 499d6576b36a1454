"""The names of PyTorch: modules under ``flambeau`` and ``torch``, scripts run by ``python -m flambeau``, what loads."""

import functools
import importlib
import json
import runpy
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import flambeau as torch
from flambeau import _names
from flambeau_tensor.not_built import NotBuiltError, names_of_pytorch


def run(code, *arguments):
    """Run code in a process of its own; its output."""
    done = subprocess.run(
        [sys.executable, *arguments, "-c", textwrap.dedent(code)] if code else [sys.executable, *arguments],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "name",
    [
        "nn",
        "nn.functional",
        "nn.init",
        "nn.parameter",
        "optim",
        "optim.lr_scheduler",
        "autograd",
        "autograd.function",
        "overrides",
        "utils",
        "utils.cpp_extension",
        "utils.data",
        "utils.data._utils.collate",
        "utils.data.sampler",
        "random",
        "linalg",
        "fft",
        "signal",
        "special",
        "functional",
        "version",
    ],
)
def test_modules_are_found_under_both_names(name):
    code = f"""
        import flambeau
        flambeau.install_as_torch()
        import importlib, torch
        ours = importlib.import_module("flambeau.{name}")
        theirs = importlib.import_module("torch.{name}")
        assert ours is theirs
        thing = torch
        for part in "{name}".split("."):
            thing = getattr(thing, part)
        assert thing is ours
    """
    run(code)


@pytest.mark.parametrize(
    "first",
    [
        "import flambeau.autograd.gradcheck",
        "import torch.autograd.gradcheck",
        "from torch.autograd.gradcheck import gradcheck",
        "import importlib; importlib.import_module('torch.autograd.gradcheck')",
    ],
)
def test_importing_a_module_that_shares_its_name_with_a_function(first):
    out = run(f"""
        import flambeau
        flambeau.install_as_torch()
        {first}
        import torch, sys
        x = torch.ones(1, dtype=torch.double, requires_grad=True)
        print(torch.autograd.gradcheck(torch.sin, x), flambeau.autograd.gradcheck is torch.autograd.gradcheck)
    """)
    assert out == "True True\n"


def test_utils_are_there_without_being_imported():
    out = run("""
        import flambeau as torch
        x = torch.ones(2, requires_grad=True)
        torch.utils.checkpoint.checkpoint(torch.exp, x, use_reentrant=False).sum().backward()
        print(x.grad.tolist() == torch.exp(x).tolist(), hasattr(torch.utils, "nothing"))
    """)
    assert out == "True False\n"


def test_install_as_torch_serves_import_statements():
    out = run("""
        import flambeau
        flambeau.install_as_torch()
        import torch
        import torch.nn as nn
        import torch.nn.functional as F
        from torch.autograd import Function, gradcheck
        from torch.utils.cpp_extension import load_inline
        import torch.overrides
        print(torch is flambeau, nn.functional is F, F.relu(torch.tensor([-1.0, 2.0])))
    """)
    assert out == "True True tensor([0., 2.])\n"


def test_install_as_torch_refuses_when_something_else_has_the_name():
    out = run("""
        import sys, types
        sys.modules["torch"] = types.ModuleType("torch")
        import flambeau
        try:
            flambeau.install_as_torch()
        except RuntimeError as e:
            print(e)
    """)
    assert "already imported" in out


def test_running_a_script_written_for_pytorch(tmp_path):
    script = tmp_path / "script.py"
    (tmp_path / "beside.py").write_text("value = 3\n")
    script.write_text("import sys, torch, beside\nprint(__name__, sys.argv[1:], torch.ones(2) * beside.value)\n")
    done = subprocess.run([sys.executable, "-m", "flambeau", str(script), "a", "-b"], capture_output=True, text=True)
    assert done.stdout == "__main__ ['a', '-b'] tensor([3., 3.])\n", done.stderr
    done = subprocess.run(
        [sys.executable, "-m", "flambeau", "-c", "import torch; print(torch.zeros(1))"], capture_output=True, text=True
    )
    assert done.stdout == "tensor([0.])\n", done.stderr


def test_every_module_imports_or_says_that_it_is_not_built():
    for name in _names.SUBMODULES | _names.MISSING:
        if name in dir(torch):
            assert getattr(torch, name) is importlib.import_module(f"flambeau.{name}")
        else:
            with pytest.raises(NotImplementedError, match=f"^torch.{name} is not built"):
                getattr(torch, name)
            assert not hasattr(torch, name)
            with pytest.raises(ModuleNotFoundError, match=f"No module named 'flambeau.{name}'"):
                importlib.import_module(f"flambeau.{name}")
    assert {"nn", "optim", "autograd", "overrides", "linalg", "fft", "special", "signal", "utils"} <= set(dir(torch))
    assert "quantization" not in dir(torch)


def test_missing_names_behave_in_one_way():
    for place in (
        "torch",
        "torch.func",
        "torch.autograd",
        "torch.linalg",
        "torch.fft",
        "torch.special",
        "torch.utils.data",
    ):
        module = importlib.import_module("flambeau" + place.removeprefix("torch"))
        for name in names_of_pytorch()[place]:
            if not hasattr(module, name):
                with pytest.raises(NotBuiltError, match=rf"^{place}\.{name} is not built"):
                    getattr(module, name)
        with pytest.raises(AttributeError, match="has no attribute 'nonsense'") as caught:
            module.nonsense  # noqa: B018
        assert not isinstance(caught.value, NotBuiltError)
    assert not hasattr(torch.nn.functional, "grouped_mm")
    with pytest.raises(NotBuiltError, match="torch.nn.functional.grouped_mm is not built"):
        torch.nn.functional.grouped_mm  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'grouped_mm'"):
        from flambeau.nn.functional import grouped_mm  # noqa: F401


def test_namespaces_of_operators_are_modules():
    x = torch.tensor([3.0, 4.0])
    assert torch.linalg.vector_norm(x).item() == 5.0
    assert torch.linalg.vector_norm in torch.overrides.get_overridable_functions()[torch.linalg]


def test_unbuilt_names_say_so():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = torch.nonsense


def test_what_import_loads():
    """Importing stays cheap: nothing beyond NumPy, ourselves and what Python has loaded anyway."""
    out = run("""
        import sys, numpy
        before = set(sys.modules)
        import flambeau
        print(*sorted({m.split(".")[0] for m in set(sys.modules) - before}))
        print(*sorted({m.split(".")[0] for m in sys.modules if m.startswith("flambeau")}))
        from flambeau_tensor.extend import late_families
        print(*late_families(), *[m for m in sys.modules if m.startswith("flambeau_autograd.batching")])
        flambeau.rand(2)
        print(*late_families(), *[m for m in sys.modules if m.startswith("flambeau_autograd.batching")])
    """)
    packages, ours, late, after = out.split("\n")[:4]
    others = {p for p in packages.split() if not p.startswith(("flambeau", "_cython", "cython_runtime"))}
    assert others <= {"__future__", "importlib", "contextlib", "gc"}  # gc is part of the interpreter
    assert ours.split() == ["flambeau", "flambeau_autograd", "flambeau_overrides", "flambeau_tensor"]
    assert late.split() == [] and after.split() == ["flambeau_tensor.ops.random"]


def test_a_star_takes_what_waits_to_be_named():
    assert {"rand", "sort", "det", "add", "Tensor"} <= set(
        run("""
        names = {}
        exec("from flambeau import *", names)
        print(*names)
    """).split()
    )


def test_transforms():
    import flambeau_autograd

    functional_call = torch.func.functional_call
    assert torch.vmap is torch.func.vmap is flambeau_autograd.func.vmap and "vmap" in dir(torch)
    model = torch.nn.Linear(2, 1)
    params, _ = torch.func.stack_module_state([model, torch.nn.Linear(2, 1)])
    found = torch.vmap(lambda p: functional_call(model, p, torch.ones(2)))(params)
    assert torch.allclose(found[0], model(torch.ones(2)))
    assert torch.func.grad(torch.sin)(torch.tensor(0.0)).item() == 1.0


def test_schemas_name_types():
    """`Any` says nothing to who reads a schema, a stub or the help; each that is left has its reason beside it."""
    import flambeau.nn  # noqa: F401
    from flambeau_tensor.extend import operators

    any_ = {
        name
        for name, op in operators().items()
        if name.startswith("torch.")
        for a in (*op.schema.arguments, *op.schema.returns)
        if a.type.startswith("Any")
    }
    # Their kernels refuse what may not be assigned, in words of their own for each.
    assert any_ == {f"torch.Tensor.{name}.__set__" for name in ("_backward_hooks", "data", "grad", "requires_grad")}


def test_installed_stubs_are_those_of_the_layout():
    script = Path(__file__).parents[1] / "layout_stubs.py"
    folder, texts = Path(torch.__file__).parent, runpy.run_path(str(script))["files"]()
    installed = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.pyi")}
    assert installed.keys() == texts.keys(), "write them again: nox -s renew"
    for name, text in texts.items():
        compile(text, name, "exec")
        assert installed[name].read_text(encoding="utf-8") == text, "write them again: nox -s renew"


def test_the_functions_of_torch_that_nn_declares_are_listed():
    """Compiled kernels tell no module, so: what is declared neither below nor by `flambeau_autograd`."""
    code = """
import json, flambeau, flambeau_nn, flambeau_tensor
from flambeau_tensor.extend import operators
declared = {op.name for op in operators().values() if op.namespace == "torch" and op.is_function}
print(json.dumps(sorted(declared - {*vars(flambeau_tensor)["__all__"], "detach", "detach_"})))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(json.loads(done.stdout)) == _names.FUNCTIONS_OF_NN


def test_what_editors_list():
    assert {"cpp_extension", "data", "checkpoint", "tensorboard"} <= set(dir(torch.utils))
    assert {"load_inline", "CppExtension", "BuildExtension"} <= set(dir(torch.utils.cpp_extension))
    assert all(hasattr(torch.utils, name) for name in dir(torch.utils) if name != "tensorboard")  # it needs an extra


def test_what_a_module_has_it_lists():
    """Names and modules that load when they are used are in `dir`, too."""
    names = {f"{place}.{name}" for place, names in names_of_pytorch().items() for name in names}
    names |= {f"torch.{name}" for name in _names.TABLE}
    unlisted = []
    for full in sorted(names):
        place, _, name = full.rpartition(".")
        owner = functools.reduce(getattr, place.split(".")[1:], torch)
        if hasattr(owner, name) and name not in dir(owner):
            unlisted.append(full)
    assert not unlisted
