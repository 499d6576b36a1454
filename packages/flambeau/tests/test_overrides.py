"""Overriding through the whole stack: PyTorch's names for it, and every function that PyTorch lists as overridable."""

import copy
import inspect
import pickle
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import flambeau as torch
from flambeau import overrides
from flambeau_overrides.coverage import sample_arguments

LISTED_BY_PYTORCH = [
    line
    for line in (Path(__file__).parent / "pytorch_overridable.txt").read_text().splitlines()
    if not line.startswith("#")
]


def is_syntax(func):
    """Whether it is a method behind one of Python's operators, such as `Tensor.__add__`: it takes tensors alone, and
    handlers get the method that it stands for."""
    return type(func).__name__ == "wrapper_descriptor"


def find(name):
    """What stands under one of PyTorch's names; None if nothing does."""
    found = torch
    for part in name.removeprefix("torch.").removeprefix("functional.").split("."):
        try:
            found = getattr(found, part)
        except (AttributeError, ImportError, NotImplementedError):
            return None
    return found


class Recorder(torch.Tensor):
    seen = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.seen.append(func)
        return -1


class Duck:
    __torch_function__ = classmethod(Recorder.__torch_function__.__func__)
    seen = Recorder.seen


def ask(func, example):
    """The functions that handlers saw when `func` was called with the example; None if it is not built."""
    args, kwargs = sample_arguments(func, example)
    Recorder.seen.clear()
    try:
        func(*args, **kwargs)
    except NotImplementedError:
        return None
    except Exception:  # noqa: BLE001  (what Python makes of -1 as an answer)
        pass
    return list(Recorder.seen)


def survey():
    """Of what PyTorch lists: the names that exist here, those whose handlers are asked, and those of them that are not
    listed here."""
    tensor, listed = torch.ones(2).as_subclass(Recorder), overrides.get_testing_overrides()
    built, arrived, unlisted = [], [], []
    for name in LISTED_BY_PYTORCH:
        func = find(name)
        if func is None:
            continue
        seen = ask(func, tensor if name.startswith("torch.Tensor.") else Duck())
        if seen is None:
            continue
        built.append(name)
        if seen:
            arrived.append(name)
            if not {*seen, func} & set(listed):
                unlisted.append(name)
    return built, arrived, unlisted


def test_what_pytorch_lists_dispatches():
    built, arrived, unlisted = survey()
    assert len(built) > 850
    assert set(arrived) == set(built) and not unlisted


@pytest.mark.parametrize("example", [Duck(), torch.ones(2).as_subclass(Recorder)], ids=["duck", "subclass"])
def test_every_listed_function_arrives(example):
    listed = overrides.get_testing_overrides()
    missed = {f: seen for f in listed if not is_syntax(f) and (seen := ask(f, example)) != [f]}
    assert not missed and len(listed) > 550


# --- names ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["torch.overrides", "torch._overrides"])
def test_names_of_all_versions(where):
    code = f"""
        import flambeau
        flambeau.install_as_torch()
        import importlib, torch
        module = importlib.import_module("{where}")
        for name in ("get_overridable_functions", "get_testing_overrides", "get_ignored_functions"):
            assert getattr(module, name) is getattr(module, "_" + name)
        for name in '''handle_torch_function has_torch_function has_torch_function_unary has_torch_function_variadic
                       resolve_name is_tensor_like is_tensor_method_or_property wrap_torch_function redispatch_function
                       enable_reentrant_dispatch TorchFunctionMode BaseTorchFunctionMode get_default_nowrap_functions
                       _push_mode _pop_mode _pop_mode_temporarily _enable_torch_function _get_overloaded_args
                       _get_current_function_mode _get_current_function_mode_stack _len_torch_function_stack
                       _get_function_stack_at _is_torch_function_mode_enabled'''.split():
            assert callable(getattr(module, name)), name
        for name in '''DisableTorchFunction DisableTorchFunctionSubclass _disabled_torch_function_impl
                       _has_torch_function _is_torch_function_enabled _push_on_torch_function_stack
                       _pop_torch_function_stack'''.split():
            assert callable(getattr(torch._C, name)), name
        assert torch in module.get_overridable_functions() and torch.Tensor in module.get_overridable_functions()
        assert torch.nn.functional.relu in module.get_testing_overrides()
        assert torch.nn.functional in module.get_overridable_functions()
        print("fine")
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert done.stdout == "fine\n", done.stderr


def test_helpers_on_tensors():
    assert overrides.resolve_name(torch.add) == "torch.add"
    assert overrides.resolve_name(torch.Tensor.add_) == "torch.Tensor.add_"
    assert overrides.resolve_name(torch.Tensor.shape.__get__) == "torch.Tensor.shape.__get__"
    assert overrides.resolve_name(torch.nn.functional.relu) == "torch.nn.functional.relu"
    assert overrides.is_tensor_method_or_property(torch.Tensor.add_)
    assert overrides.is_tensor_method_or_property(torch.Tensor.shape.__get__)
    assert not overrides.is_tensor_method_or_property(torch.cat)
    assert overrides.is_tensor_like(torch.ones(1)) and overrides.is_tensor_like(Duck())
    assert not overrides.is_tensor_like(5) and not overrides.is_tensor_like([torch.ones(1)])
    assert torch.Tensor.grad.__get__ in overrides.get_default_nowrap_functions()
    assert torch.add not in overrides.get_default_nowrap_functions()
    # A function and a method are two objects, as in PyTorch, and Python's operators hand on the method.
    assert torch.Tensor.add is not torch.add
    assert ask(torch.Tensor.__add__, torch.ones(2).as_subclass(Recorder)) == [torch.Tensor.add]


def test_signatures_can_be_inspected():
    listed = overrides.get_testing_overrides()
    assert str(inspect.signature(listed[torch.add])) == "(input, other, out=None)"
    assert str(inspect.signature(listed[torch.Tensor.shape.__get__])) == "(self)"
    assert str(inspect.signature(listed[torch.nn.init.uniform_])) == "(tensor, a=0.0, b=1.0, generator=None)"
    for func, dummy in listed.items():
        required = [p for p in inspect.signature(dummy).parameters.values() if p.default is p.empty]
        by_name = {p.name: None for p in required if p.kind is p.KEYWORD_ONLY}
        assert dummy(*[p for p in required if p.kind is p.POSITIONAL_OR_KEYWORD], **by_name) == -1, func


# --- the report -----------------------------------------------------------------------------------------------------


@pytest.fixture
def types(tmp_path):
    (tmp_path / "types_of_mine.py").write_text(
        textwrap.dedent("""
        import flambeau as torch

        class Wrapper:
            def __init__(self, data=1.0):
                self.data = torch.as_tensor(data)

            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return func(*[a.data if isinstance(a, Wrapper) else a for a in args], **(kwargs or {}))

        class Mean:
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return 0.5 if func is torch.mean else NotImplemented

        class Logging(torch.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return super().__torch_function__(func, types, args, kwargs)
    """)
    )

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "flambeau.overrides", *arguments], cwd=tmp_path, capture_output=True, text=True
        )

    return run


def test_report_on_a_wrapper_that_forgets_lists(types):
    done = types("types_of_mine:Wrapper")
    assert done.returncode == 1
    missed = done.stdout.partition("\nMissed\n")[2].splitlines()
    names = {line.split(":")[0].strip() for line in missed}
    assert {"torch.cat", "torch.stack", "torch._foreach_add"} <= names
    assert len({name for name in names if "._foreach_" not in name}) < 30  # all of these take lists
    assert all("Wrapper.__torch_function__ calls 'torch." in line for line in missed)


def test_report_on_a_type_that_knows_one_function(types):
    done = types("types_of_mine:Mean")
    assert done.returncode == 0
    counts = re.match(r"Mean handles 1 of (\d+) overridable functions, refuses (\d+) and misses 0\.", done.stdout)
    assert int(counts[1]) > 550 and int(counts[2]) == int(counts[1]) - 1
    assert "\nHandled\n  torch: mean\n" in done.stdout and "torch.nn.functional: adaptive_" in done.stdout


def test_report_on_a_subclass_that_passes_on(types):
    done = types("types_of_mine:Logging([1.0, 2.0])")
    assert done.returncode == 0 and "refuses 0 and misses 0." in done.stdout
    done = types("types_of_mine:Logging", "--namespace", "torch.nn.init")
    assert done.stdout.startswith("Logging handles 4 of 4 ")


# --- through autograd and nn ----------------------------------------------------------------------------------------


class Image(torch.Tensor):
    __torch_metadata__ = {"unit": overrides.agreed}


def image(*values):
    t = torch.tensor(values).as_subclass(Image)
    t.unit = "m"
    return t


def test_metadata_through_autograd_and_layers():
    a = image(1.0, 2.0)
    layer = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())
    x = a.detach().requires_grad_()
    for t in (
        a.detach(),
        a.data,
        layer(a),
        torch.nn.functional.softmax(a, 0),
        x * 2,
        (x * 2).detach(),
        torch.nn.functional.mse_loss(a, torch.zeros(2)),
        copy.deepcopy(x),
        pickle.loads(pickle.dumps(x)),
    ):
        assert type(t) is Image and t.unit == "m"
    (x * x).sum().backward()
    assert x.grad.tolist() == [2, 4]
    (gradient,) = torch.autograd.grad((x * x).sum(), x)
    assert type(gradient) is Image and gradient.unit == "m"
    p = torch.nn.Parameter(a)
    assert type(p) is Image and p.unit == "m" and p.requires_grad and isinstance(p, torch.nn.Parameter)


def test_subclasses_of_parameter():
    class Weight(torch.nn.Parameter):
        pass

    class Watched(torch.nn.Parameter):
        seen = []

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            cls.seen.append(func)
            with overrides.DisableTorchFunctionSubclass():
                return func(*args, **(kwargs or {}))

    w = Weight(torch.ones(2))
    assert isinstance(w, torch.nn.Parameter) and type(w * 2) is torch.Tensor  # as a Parameter, it overrides nothing
    layer = torch.nn.Linear(2, 1)
    layer.weight = Watched(torch.ones(1, 2))
    Watched.seen.clear()
    out = layer(torch.ones(1, 2))
    assert Watched.seen == [torch.nn.functional.linear] and type(out) is torch.Tensor
    out.sum().backward()
    with overrides.DisableTorchFunctionSubclass():
        assert layer.weight.grad.tolist() == [[1, 1]]


def test_a_parameter_that_cannot_be_made_says_why():
    t = torch.ones(2).as_subclass(Recorder)  # whatever it is asked, it answers -1
    with pytest.raises(
        RuntimeError, match="requires that detach.. returns an instance of the same type, but return type int was found"
    ):
        torch.nn.Parameter(t)


def test_a_mode_sees_a_whole_model():
    class Count(overrides.TorchFunctionMode):
        def __init__(self):
            self.names = []

        def __torch_function__(self, func, types, args=(), kwargs=None):
            self.names.append(overrides.resolve_name(func))
            return func(*args, **(kwargs or {}))

    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
    with Count() as count:
        loss = model(torch.ones(1, 2)).sum()
        loss.backward()
    assert [n for n in count.names if "__get__" not in n] == [
        "torch.ones",
        "torch.nn.functional.linear",
        "torch.nn.functional.relu",
        "torch.Tensor.sum",
        "torch.Tensor.backward",
    ]


def test_gradients_are_overridable():
    duck = Duck()
    for call in (
        lambda: torch.autograd.grad(duck, torch.ones(1)),
        lambda: torch.autograd.backward(duck),
        lambda: torch.autograd.grad([torch.ones(1)], [duck]),
        lambda: torch.ones(1).backward(duck),
        lambda: torch.nn.init.constant_(duck, 1.0),
    ):
        assert call() == -1


def test_parts_of_complex_numbers_are_assigned_without_asking():
    x = torch.tensor([1 + 2j]).as_subclass(Recorder)
    Recorder.seen.clear()

    class Mode(overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            Recorder.seen.append(func)
            return func(*args, **(kwargs or {}))

    part = torch.ones(1)
    x.real = part
    with Mode():
        x.imag = part
    assert Recorder.seen == []
    with torch._C.DisableTorchFunctionSubclass():
        assert x.tolist() == [1 + 1j]


def test_what_is_ignored_is_what_pytorch_ignores():
    ignored = overrides.get_ignored_functions()
    for func in (torch.tensor, torch.use_deterministic_algorithms, torch.cond, torch.set_warn_always):
        assert func in ignored
    assert {torch.sparse_coo_tensor, torch.get_autocast_dtype, torch.Tensor._make_wrapper_subclass} <= ignored
    assert not {torch.add, torch.Tensor.add, torch.nn.functional.relu} & ignored


def test_the_right_operand_is_asked_for_the_reflected_method():
    """As in PyTorch 2.13, also if its class is not derived from that of the left operand."""
    asked = []

    class Nothing(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    class Reflected(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            asked.append(func.__name__)
            return -1 if func in (torch.Tensor.__rpow__, torch.Tensor.__rsub__) else NotImplemented

    for left in (Nothing(), torch.ones(2)):
        assert left ** Reflected() == -1 and left - Reflected() == -1
        assert asked == ["__pow__", "__rpow__", "sub", "__rsub__"]
        asked.clear()
        with pytest.raises(TypeError, match="unsupported operand"):
            left % Reflected()
        asked.clear()
    with pytest.raises(TypeError, match="unsupported operand"):
        Nothing() ** Nothing()
