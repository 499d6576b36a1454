"""Every public name tells under "Raises" what it raises, and raises it: by the statements of samples/raises.txt.

Operators tell of errors that are found by trials (``flambeau_tensor.probes``).
"""

import contextlib
import importlib
import inspect
import io
import json
import re
import warnings

import pytest

import flambeau as torch
from flambeau import nn
from samples.public_names import MODULES, ROOT, ours, told_by

STATEMENTS = ROOT / "samples" / "raises.txt"
# Public names without errors of their own, by the reason. What takes no argument needs none.
NOTHING_RAISED = {
    "takes any object, and answers or hands it on": """
        annotate assume_constant_result default_convert export get_device_states
        has_torch_function_unary has_torch_function_variadic ignore interface is_dependent is_parametrized
        is_storage is_tensor is_tensor_like list_backends location_tag map_arg nested_compile_region noop_mask
        optimize_for_inference script_if_tracing script_method sym_fresh_size sym_not
        transfer_parametrizations_and_params type_before_parametrizations typename unused register_flop_formula
    """,
    "keeps what it is given, of any type": """
        Attribute AuxOutput AuxRequest FlexKernelOptions FlopCounterMode Identity LinearCrossEntropyOptions Partition
        PassResult ProxyableClassMeta SelectiveCheckpointContext SystemEnv TaskSpec UnpackedDualTensor check_complete
        record_function register register_namespace this_before_that_pass_constraint
    """,
    "switches something, by the truth of what it is given": """
        DisableTorchFunction DisableTorchFunctionSubclass enable_grad enable_reentrant_dispatch
        guaranteed_datapipes_determinism inference_mode no_grad save_on_cpu set_checkpoint_debug_enabled
        set_checkpoint_early_stop set_crc32_options set_detect_mutation set_multithreading_enabled skip_data
    """,
    "has no effect here, and takes what PyTorch takes": """
        check_sparse_tensor_invariants enable_onednn_fusion optimized_execution
        set_default_backend set_float32_matmul_precision set_fusion_strategy strict_fusion
    """,
    "takes no argument": "CodeGen DeviceObjType ModuleTracker Tag TensorType set_vital",
    "is called by backward alone": "CheckpointFunction",
}
WITHOUT = {name for names in NOTHING_RAISED.values() for name in names.split()}
PART = re.compile(r"^( *)Raises:\n((?:\1 +.*\n?)+)", re.MULTILINE)


def documented(value):
    """The types that a docstring names under "Raises"; None where it has no such part."""
    part = PART.search(value.__doc__ or "")
    return set(re.findall(r"^ *(\w+): ", part[2], re.MULTILINE)) if part else None


def takes_nothing(value):
    try:
        return not inspect.isclass(value) and not inspect.signature(value).parameters
    except (TypeError, ValueError):
        return False


def is_error(value):
    return inspect.isclass(value) and issubclass(value, BaseException)


def public():
    """All public names, by where they are; a thing that has several is told once for each."""
    for module in MODULES:
        for name, value in ours(importlib.import_module(module)):
            yield f"{module.replace('flambeau', 'torch', 1)}.{name}", value


@pytest.mark.parametrize("module", MODULES)
def test_names_tell_of_errors(module):
    names = ours(importlib.import_module(module))
    silent = {n for n, v in names if documented(v) is None and not is_error(v) and not takes_nothing(v)}
    assert silent <= WITHOUT


def test_names_without_errors_are_public_and_tell_of_none():
    found = {}
    for name, value in public():
        found.setdefault(name.rpartition(".")[2], []).append(value)
    assert {name for name in WITHOUT if all(documented(v) is not None for v in found.get(name, ()))} == set()


def statements():
    for line in STATEMENTS.read_text().splitlines():
        if not line.startswith("#"):
            name, _, statement = line.partition(": ")
            yield name, statement


def surroundings():
    """The names that statements use, anew for each."""
    module = lambda name: importlib.import_module(f"flambeau.{name}")  # noqa: E731
    x = torch.ones(2, 3)
    return {
        "torch": torch,
        "nn": nn,
        "fx": module("fx"),
        "distributions": module("distributions"),
        "benchmark": module("utils.benchmark"),
        "cpp_extension": module("utils.cpp_extension"),
        "optimization": module("fx.experimental.optimization"),
        "tools_common": module("fx.passes.tools_common"),
        "private_names": importlib.import_module("flambeau_tensor.private_names"),
        "module": module,
        "x": x,
        "i": torch.ones(2, 3, dtype=torch.int64),
        "c": torch.ones(2, 3, dtype=torch.complex64),
        "b": x > 0,
        "series": torch.ones(2, 3, 4),
        "image": torch.ones(2, 3, 4, 4),
        "sgd": lambda: torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1),
    }


def raised(statement):
    """The name of the error's class; None where the statement works."""
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            exec(statement, surroundings())
    except Exception as e:
        return type(e).__name__
    return None


@pytest.fixture(scope="module")
def found():
    """What each statement raised."""
    return told_by(__file__)


def test_statements_raise_what_docstrings_name(found):
    values = dict(public())
    wrong = [
        f"{name}: {statement} raised {error}, and the docstring names {documented(values[name])}"
        for (name, statement), error in zip(statements(), found, strict=True)
        if error not in (documented(values[name]) or ())
    ]
    assert not wrong, "\n".join(wrong)


def test_what_docstrings_name_is_raised(found):
    """Of each name that has statements, by one of them."""
    seen = {}
    for (name, _), error in zip(statements(), found, strict=True):
        seen.setdefault(name, set()).add(error)
    values = dict(public())
    guessed = {name: documented(values[name]) - errors for name, errors in seen.items()}
    assert {name: types for name, types in guessed.items() if types} == {}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for name in MODULES:
        importlib.import_module(name)
    print(json.dumps([raised(statement) for _, statement in statements()]))
