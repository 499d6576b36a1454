"""Every public name has a docstring with an example, and with shapes where it takes tensors. The examples print what
they say.

Operators are in test_examples.py: their examples are run when their documentation is asked for.
"""

import doctest
import importlib
import inspect
import json
import re
import sys
import warnings

import pytest

import flambeau as torch
from samples.public_names import MODULES, ours, told_by

MORE = """
flambeau.fx.passes.shape_prop flambeau.model_summary flambeau.overrides.coverage flambeau.storage flambeau.utils._pytree
flambeau.utils._swap flambeau.utils.data._utils.collate flambeau.utils.dlpack flambeau.utils.ffi
""".split()  # whose examples run; some names are not for users
METHODS = type(lambda: 0), type(torch.is_grad_enabled), property, classmethod, staticmethod
# Names that PyTorch has and that mean nothing here, or are for classes that are made from elsewhere.
NOTHING_TO_SHOW = {
    "flambeau": {"DeviceObjType", "ScriptFunction", "ScriptModule", "ScriptObject", "TensorType"},
    "flambeau.jit": {
        "CompilationUnit", "Error", "RecursiveScriptModule", "ScriptFunction", "ScriptModule", "TopLevelTracedModule",
        "TracerWarning",
    },
    "flambeau.utils.checkpoint": {"CheckpointFunction"},
}  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_names_have_an_example(name):
    without = {n for n, value in ours(importlib.import_module(name)) if ">>>" not in (value.__doc__ or "")}
    assert without == NOTHING_TO_SHOW.get(name, set())


def takes_tensors(value):
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return False
    annotations = [signature.return_annotation, *(p.annotation for p in signature.parameters.values())]
    return any("Tensor" in str(annotation) for annotation in annotations)


# How docstrings tell of shapes: by letters, or in words.
SHAPED = re.compile(r"Shape:|shape|size|dimension|element|scalar|matri|vector|\((\*|[a-zA-Z]\)|[a-zA-Z]+, |\d)")
# Of any shape, or called for another one's tensors.
ANY_SHAPE = """
clip_grad_norm clip_grads_with_norm_ from_dlpack get_gradient_edge register_multi_grad_hook identity_transform noop_mask
ASGD Adadelta AdamW
""".split()


@pytest.mark.parametrize("name", MODULES)
def test_names_tell_of_shapes(name):
    names = ours(importlib.import_module(name))
    without = {n for n, value in names if takes_tensors(value) and not SHAPED.search(value.__doc__.partition(">>>")[0])}
    assert without <= set(ANY_SHAPE)


def texts(name):
    """Where an example stands, its module, and the docstring: of the module, of its names, and of their methods."""
    module = importlib.import_module(name)
    yield name, module, module.__doc__
    for n, value in ours(module):
        home = sys.modules.get(value.__module__, module)
        home = home if value.__name__ in vars(home) else module  # what is reached by `__getattr__`
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
    """What the examples said, of each module."""
    return told_by(__file__)


@pytest.mark.parametrize("name", MODULES + MORE)
def test_examples_print_what_they_say(name, printed):
    assert not printed[name], printed[name]


if __name__ == "__main__":
    print(json.dumps({name: run_examples(name) for name in MODULES + MORE}))
