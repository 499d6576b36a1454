"""Every public name has a docstring with an example, and the examples print what they say.

Operators are in test_examples.py: their examples are run when their documentation is asked for.
"""

import doctest
import importlib
import inspect
import json
import subprocess
import sys
import warnings

import pytest

import flambeau as torch
from flambeau_tensor.extend import operators

MODULES = """
flambeau
flambeau.amp flambeau.autograd flambeau.autograd.forward_ad flambeau.autograd.functional flambeau.autograd.graph
flambeau.compiler flambeau.distributions flambeau.distributions.constraints flambeau.distributions.kl
flambeau.distributions.transforms flambeau.fft flambeau.func flambeau.futures flambeau.fx flambeau.hub flambeau.jit
flambeau.library flambeau.linalg flambeau.masked flambeau.multiprocessing flambeau.nn flambeau.nn.functional
flambeau.nn.attention flambeau.nn.attention.flex_attention flambeau.nn.init flambeau.nn.utils
flambeau.nn.utils.parametrizations flambeau.nn.utils.parametrize flambeau.nn.utils.prune flambeau.nn.utils.rnn
flambeau.optim flambeau.optim.lr_scheduler flambeau.optim.swa_utils
flambeau.overrides flambeau.profiler flambeau.random flambeau.serialization flambeau.signal.windows flambeau.sparse
flambeau.special flambeau.testing flambeau.utils.benchmark flambeau.utils.checkpoint flambeau.utils.cpp_extension
flambeau.quasirandom flambeau.utils.data flambeau.viz
""".split()
MORE = """
flambeau.fx.passes.shape_prop flambeau.model_summary flambeau.overrides.coverage flambeau.storage flambeau.utils._pytree
flambeau.utils.data._utils.collate flambeau.utils.dlpack flambeau.utils.ffi flambeau.viz
""".split()  # whose examples run; some names are not for users
METHODS = type(lambda: 0), type(torch.is_grad_enabled), property, classmethod, staticmethod
OPERATORS = set(map(id, operators().values()))
# Names that PyTorch has and that mean nothing here, or are for classes that are made from elsewhere.
NOTHING_TO_SHOW = {
    "flambeau.jit": {
        "CompilationUnit", "Error", "RecursiveScriptModule", "ScriptFunction", "ScriptModule", "TopLevelTracedModule",
        "TracerWarning",
    },
    "flambeau.utils.checkpoint": {"CheckpointFunction"},
}  # fmt: skip


def ours(module):
    """The callable public names of a module that our packages define, and that are built and no operators."""
    for name in sorted(set(getattr(module, "__all__", None) or dir(module))):
        value = getattr(module, name)
        home = getattr(value, "__module__", None) or ""
        if name.startswith("_") or getattr(value, "__not_built__", False):
            continue
        if (
            callable(value)
            and not inspect.ismodule(value)
            and home.startswith("flambeau")
            and id(value) not in OPERATORS
        ):
            yield name, value


@pytest.mark.parametrize("name", MODULES)
def test_names_have_an_example(name):
    without = {n for n, value in ours(importlib.import_module(name)) if ">>>" not in (value.__doc__ or "")}
    assert without == NOTHING_TO_SHOW.get(name, set())


def texts(name):
    """Where an example stands, its module, and the docstring: of the module, of its names, and of their methods."""
    module = importlib.import_module(name)
    yield name, module, module.__doc__
    for n, value in ours(module):
        home = sys.modules.get(value.__module__, module)
        yield n, home, value.__doc__
        for member, method in vars(value).items() if inspect.isclass(value) else ():
            if isinstance(method, METHODS):
                yield f"{n}.{member}", home, method.__doc__


def run_examples(name):
    """What examples of a module print that is not what they say."""
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
    seen, said = set(), []
    for n, home, text in texts(name):
        if not isinstance(text, str) or ">>>" not in text or text in seen:
            continue
        seen.add(text)
        names = {key: item for key, item in vars(home).items() if not key.startswith("__")}
        names |= {"torch": torch, "__name__": "__main__"}
        with torch.random.fork_rng(), warnings.catch_warnings(action="ignore"):
            torch.manual_seed(0)
            runner.run(doctest.DocTestParser().get_doctest(text, names, n, None, 0), out=said.append)
    return "".join(said)


@pytest.fixture(scope="module")
def printed():
    """What the examples said, of each module: in a process of their own, as they declare operators and settings."""
    run = subprocess.run([sys.executable, __file__], capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr[-3000:]
    return json.loads(run.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", MODULES + MORE)
def test_examples_print_what_they_say(name, printed):
    assert not printed[name], printed[name]


if __name__ == "__main__":
    print(json.dumps({name: run_examples(name) for name in MODULES + MORE}))
