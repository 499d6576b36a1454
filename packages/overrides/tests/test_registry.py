"""The registry: overridable functions, names, and dummies with a function's signature."""

import inspect
import subprocess
import sys
import types

import pytest

import flambeau_overrides as overrides

functional = types.ModuleType("listed.nn.functional")


class Tensor:
    def add(self, other):
        pass

    @property
    def shape(self):
        pass


def relu(input, inplace=False):
    pass


def dropout(input, p=0.5):
    pass


def seed():
    pass


SHAPE = Tensor.shape.__get__


@pytest.fixture(scope="module", autouse=True)
def declared():
    overrides.register("listed.nn.functional", "relu", relu)
    overrides.register(
        "listed.nn.functional", "dropout", dropout, "(input: Tensor, p: float = 0.25, *, out=None) -> Tensor"
    )
    overrides.register("listed.Tensor", "add", Tensor.add)
    overrides.register("listed.Tensor", "shape.__get__", SHAPE, "(self)")
    overrides.register("listed", "relu", relu)
    overrides.register("listed", "seed", seed)
    overrides.ignore(seed)
    # Namespaces may be registered later than functions.
    overrides.register_namespace("listed.nn.functional", functional)
    overrides.register_namespace("listed.Tensor", Tensor)


def test_functions_by_namespace_in_order_of_name():
    listed = overrides.get_overridable_functions()
    assert listed[functional] == [dropout, relu]
    assert listed[Tensor] == [Tensor.add, SHAPE]
    assert listed["listed"] == [relu]


def test_listing_may_be_changed_by_who_gets_it():
    overrides.get_overridable_functions()[functional].clear()
    overrides.get_testing_overrides().clear()
    assert overrides.get_overridable_functions()[functional] == [dropout, relu]
    assert relu in overrides.get_testing_overrides()


def test_loaded_modules_are_namespaces_by_name():
    overrides.register("math", "hypot", max)
    overrides.register(sys, "intern", sys.intern)
    listed = overrides.get_overridable_functions()
    assert listed[sys.modules["math"]] == [max]
    assert listed[sys] == [sys.intern]
    assert overrides.resolve_name(sys.intern) == "sys.intern"


def test_ignored():
    assert seed in overrides.get_ignored_functions()
    assert seed not in overrides.get_testing_overrides()


def test_dummies_have_the_signature_and_return_minus_one():
    dummies = overrides.get_testing_overrides()
    assert str(inspect.signature(dummies[relu])) == "(input, inplace=False)"
    assert str(inspect.signature(dummies[dropout])) == "(input, p=0.25, *, out=None)"
    assert dummies[dropout](1, out=3) == dummies[SHAPE](None) == -1
    assert dummies[relu].__name__ == "relu"
    with pytest.raises(TypeError, match="missing 1 required"):
        dummies[relu]()
    with pytest.raises(TypeError, match="unexpected keyword"):
        dummies[relu](1, alpha=2)


def test_every_form_of_signature():
    marker = object()

    def every(a, /, b: int, *args, c=marker, d: "Tensor" = 1, **kwargs) -> int:
        pass

    forms = {
        "found": None,
        "object": inspect.signature(every),
        "lazy": lambda: inspect.signature(every),
        "lazy_text": lambda: "(a, /, b: int, *args, c=marker.x, d: 'Tensor' = 1, **kwargs)",
        "text": "(a: int = -1, b=(1, 2), c=inf, d=sys.maxsize, e='x') -> (int, int)",
    }
    functions = {}
    sys.modules["marker"] = types.SimpleNamespace(x=marker)
    try:
        for name, signature in forms.items():
            functions[name] = overrides.overridable(
                types.FunctionType(every.__code__, {}, name, None, None),
                namespace="forms",
                name=name,
                signature=signature,
            )
        functions["found"].__wrapped__.__kwdefaults__ = every.__kwdefaults__
        dummies = overrides.get_testing_overrides()
    finally:
        del sys.modules["marker"]
        overrides.registry.unregister(*functions.values())  # its signatures cannot be read without it
    for name in ("found", "object", "lazy", "lazy_text"):
        parameters = inspect.signature(dummies[functions[name]]).parameters
        assert [(p.name, p.kind, p.default) for p in parameters.values()] == [
            (p.name, p.kind, p.default) for p in inspect.signature(every).parameters.values()
        ]
        assert dummies[functions[name]](1, 2, 3, c=4, e=5) == -1
    assert dummies[functions["text"]].__defaults__ == (-1, (1, 2), float("inf"), sys.maxsize, "x")


def test_bad_signature_names_the_function():
    code = """
import flambeau_overrides as o
o.register("listed", "bad", len, "(a, b=)")
try:
    o.get_testing_overrides()
except ValueError as error:
    print(error)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.startswith("cannot use the signature '(a, b=)' that was registered for listed.bad:")


def test_names():
    assert overrides.resolve_name(relu) == "listed.nn.functional.relu"
    assert overrides.resolve_name(Tensor.add) == "listed.Tensor.add"
    assert overrides.resolve_name(Tensor.shape.__get__) == "listed.Tensor.shape.__get__"
    assert overrides.resolve_name(print) is None
    assert overrides.resolve_name(1) is overrides.resolve_name(None) is None
    with pytest.raises(TypeError, match="unhashable type: 'list'"):
        overrides.resolve_name([])


def test_methods_and_properties():
    assert overrides.is_tensor_method_or_property(Tensor.add)
    assert overrides.is_tensor_method_or_property(Tensor.shape.__get__)
    assert not overrides.is_tensor_method_or_property(print)
    for nothing, error in ((1, AttributeError), ([], TypeError)):
        with pytest.raises(error):
            overrides.is_tensor_method_or_property(nothing)
    assert not overrides.is_tensor_method_or_property(relu)


def test_declaring_is_a_few_steps():
    """Libraries declare hundreds of functions while they are imported; compared with appending to a list."""
    code = """
import time
import flambeau_overrides as o

functions = [lambda: None for _ in range(600)]
noted = []
def note(namespace, name, func, signature):
    noted.append((namespace, name, func, signature))

def time_of(function):
    times = []
    for _ in range(5):
        before = time.perf_counter()
        for i in range(600):
            function("listed", "name", functions[i], "(a, b)")
        times.append(time.perf_counter() - before)
    return min(times)

print(time_of(o.register) / time_of(note))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 10


def test_import_needs_no_heavy_modules():
    code = (
        "import sys; before = set(sys.modules); import flambeau_overrides;"
        "print(*sorted({'inspect', 'typing', 'warnings', 'contextlib', 'functools', 'numpy', 'ast', 're'}"
        " & (set(sys.modules) - before)))"
    )
    # -S -E: without the imports of an editable install or of the environment.
    root = overrides.__path__[0].rpartition("flambeau_overrides")[0]
    code = f"import sys; sys.path.insert(0, {root!r}); {code}"
    out = subprocess.run([sys.executable, "-S", "-E", "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == ""
