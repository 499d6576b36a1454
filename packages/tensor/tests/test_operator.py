"""Binding of arguments, the spellings of an operator, and its properties."""

import contextlib
import copy
import functools
import gc
import inspect
import io
import json
import pickle
import re
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest
from flambeau_tensor._core.call.forwarding import Forward
from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.call.overloads import OverloadSet
from flambeau_tensor._core.schema.registry import find_operator, functions, operators, syntax_operators

import flambeau_tensor as ft
from flambeau_overrides import get_overridable_functions, get_testing_overrides, resolve_name
from flambeau_tensor import documentation, return_types, stubs
from flambeau_tensor.extend import FUNCTION, INPLACE

X = ft.tensor([[1.0, 2.0], [3.0, 4.0]])


# --- binding --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: ft.add(X, "a"), "add(): argument 'other' (position 2) must be Tensor, not str"),
        (lambda: X.add("a"), "add(): argument 'other' (position 1) must be Tensor, not str"),
        (lambda: X.add_(None), "add_(): argument 'other' (position 1) must be Tensor, not NoneType"),
        (lambda: ft.add(X, other="a"), "add(): argument 'other' must be Tensor, not str"),
        (lambda: ft.exp("a"), "exp(): argument 'input' (position 1) must be Tensor, not str"),
        (lambda: ft.exp(3), "exp(): argument 'input' (position 1) must be Tensor, not int"),
        (lambda: ft.exp([1.0]), "exp(): argument 'input' (position 1) must be Tensor, not list"),
        (lambda: ft.exp(), 'exp() missing 1 required positional arguments: "input"'),
        (lambda: ft.add(X), 'add() missing 1 required positional arguments: "other"'),
        (lambda: ft.add(), 'add() missing 2 required positional arguments: "input", "other"'),
        (lambda: ft.exp(X, X), "exp() takes 1 positional argument but 2 were given"),
        (lambda: ft.transpose(X, 0, 1, 1), "transpose() takes 3 positional arguments but 4 were given"),
        (lambda: ft.flatten(X, 0, 1, 1), "flatten() takes from 1 to 3 positional arguments but 4 were given"),
        (lambda: ft.add(X, X, beta=1), "add() got an unexpected keyword argument 'beta'"),
        (lambda: ft.add(X, X, input=X), "add() got multiple values for argument 'input'"),
        (lambda: ft.add(X, X, alpha="a"), "add(): argument 'alpha' must be Number, not str"),
        (lambda: ft.exp(X, out="a"), "exp(): argument 'out' must be Tensor, not str"),
        (lambda: X.transpose(0, "a"), "transpose(): argument 'dim1' (position 2) must be int, not str"),
        (lambda: X.transpose(0, 1.0), "transpose(): argument 'dim1' (position 2) must be int, not float"),
        (lambda: X.transpose(0, True), "transpose(): argument 'dim1' (position 2) must be int, not bool"),
        (lambda: ft.permute(X, "ab"), "permute(): argument 'dims' (position 2) must be tuple of ints, not str"),
        (
            lambda: ft.permute(X, (0, 1.5)),
            "permute(): argument 'dims' must be tuple of ints, but found element of type float at pos 1",
        ),
        (lambda: ft.zeros(2, dtype="float"), "zeros(): argument 'dtype' must be torch.dtype, not str"),
        (lambda: ft.zeros(2, requires_grad=1), "zeros(): argument 'requires_grad' must be bool, not int"),
        (lambda: ft.div(X, X, rounding_mode=1), "div(): argument 'rounding_mode' must be str, not int"),
        (lambda: ft.cat(X), "cat(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor"),
        (lambda: ft.cat([X, 1]), "cat(): expected Tensor as element 1 in argument 0, but got int"),
        (lambda: X + "a", "unsupported operand type(s) for +: "),
        (lambda: X + None, "unsupported operand type(s) for +: "),
        (lambda: X @ "a", "unsupported operand type(s) for @: "),
    ],
)
def test_type_errors_name_function_argument_and_position(call, text):
    before = X._version
    with pytest.raises(TypeError) as caught:
        call()
    assert text in str(caught.value)
    assert X._version == before


def test_other_names_of_arguments():
    assert ft.sum(X, axis=0).tolist() == ft.sum(X, dim=0).tolist() == [4, 6]
    assert ft.sum(X, axis=1, keepdims=True).shape == ft.sum(X, dim=1, keepdim=True).shape == (2, 1)
    for spelled in (ft.exp(input=X), ft.exp(x=X), ft.exp(self=X)):
        assert spelled.tolist() == ft.exp(X).tolist()
    assert ft.add(input=X, other=1).tolist() == ft.add(x1=X, x2=1).tolist() == (X + 1).tolist()
    assert ft.permute(X, dims=(1, 0)).shape == X.permute(dims=(1, 0)).shape


def test_ints_one_by_one_or_in_a_list():
    for shape in ((4, 1), [4, 1], ft.Size([4, 1]), (np.int64(4), ft.tensor(1))):
        assert X.view(shape).shape == X.view(*shape).shape == (4, 1)
        assert ft.zeros(shape).shape == ft.zeros(*shape).shape == (4, 1)
        assert X.reshape(shape).shape == X.reshape(*shape).shape == X.reshape(shape=shape).shape == (4, 1)
    assert X.permute(1, 0).shape == X.permute((1, 0)).shape
    assert ft.zeros(3).shape == ft.zeros((3,)).shape == (3,) and ft.zeros(()).shape == ()


def test_a_keyword_that_is_required():
    with pytest.raises(TypeError, match=r'frombuffer\(\) missing 1 required positional arguments: "dtype"'):
        ft.frombuffer(b"abcd")
    with pytest.raises(TypeError, match=r"frombuffer\(\) takes 1 positional argument but 2 were given"):
        ft.frombuffer(b"abcd", ft.uint8)
    assert ft.frombuffer(bytearray(b"ab"), dtype=ft.uint8).tolist() == [97, 98]


def test_numbers_of_every_kind():
    for number in (2, 2.0, True, np.int64(2), np.float32(2), np.float64(2), np.array(2.0), ft.tensor(2)):
        expected = (X.numpy() * float(number)).tolist()
        assert (X * number).tolist() == (number * X).tolist() == ft.mul(X, number).tolist() == expected
        assert (X * number).dtype is ft.float32 or isinstance(number, np.ndarray)
    assert ft.add(X, 1, alpha=np.float32(2)).tolist() == (X + 2).tolist()
    assert ft.transpose(X, np.int64(0), ft.tensor(1)).tolist() == X.t().tolist()
    with pytest.raises(OverflowError, match="int too big to convert"):
        X + 2**70


def test_defaults_and_keywords():
    assert ft.flatten(ft.zeros(2, 3, 4), end_dim=1).shape == (6, 4)
    assert ft.flatten(ft.zeros(2, 3, 4), 1).shape == (2, 12)
    assert ft.sub(X, other=X, alpha=2).tolist() == (-X).tolist()


# --- one operator, many spellings -----------------------------------------------------------------------------------


def test_function_and_method_are_two_objects_over_one_operator():
    assert ft.Tensor.add is not ft.add and ft.Tensor.add.target is ft.add is find_operator("torch.add")
    assert ft.Tensor.add.schema is ft.add.schema and pickle.loads(pickle.dumps(ft.Tensor.add)) is ft.Tensor.add
    assert ft.Tensor.add(X, X).tolist() == ft.add(X, X).tolist() == X.add(X).tolist() == (X + X).tolist()
    assert ft.Tensor.add_.target is ft.add.inplace and ft.add.inplace.functional is ft.add
    assert ft.exp_ is ft.Tensor.exp_.target
    assert not hasattr(ft, "add_")


def test_an_operator_in_a_class_does_not_bind():
    class Layer:
        activation = ft.tanh

        def __call__(self, x):
            return self.activation(x)

    assert Layer()(X).tolist() == ft.tanh(X).tolist()
    assert Layer.activation is ft.tanh


def test_names():
    assert ft.add.__name__ == "add" and ft.add.__qualname__ == "add" and ft.add.__module__ == "torch"
    assert ft.Tensor.add_.__qualname__ == "TensorBase.add_" and ft.Tensor.add_.__objclass__ is ft.Tensor
    assert repr(ft.Tensor.add_) == "<method 'add_' of 'torch._C.TensorBase' objects>"
    assert repr(ft.add) == "<operator torch.add>"
    shape = ft.Tensor.shape.__get__
    assert shape.__name__ == "__get__" and resolve_name(shape) == "torch.Tensor.shape.__get__"
    assert shape(X) == X.shape
    assert ft.Tensor.real.__set__ is not None and ft.Tensor.shape.__set__ is None


def test_wraps_and_hashing():
    @functools.wraps(ft.add)
    def mine(a, b):
        """Not this text."""

    assert mine.__name__ == "add" and mine.__doc__ == ft.add.__doc__ and mine.__wrapped__ is ft.add
    assert functools.update_wrapper(lambda a: a, ft.Tensor.add_).__name__ == "add_"
    assert {ft.add: 1, ft.Tensor.add: 2}[ft.Tensor.add] == 2


@pytest.mark.parametrize("function", [ft.square, ft.max])
def test_functions_keep_what_programs_note_at_them(function):
    function.default_init = 3
    assert function.default_init == function.__dict__["default_init"] == 3
    function.__dict__.clear()
    with pytest.raises(AttributeError, match="default_init"):
        function.default_init  # noqa: B018
    with pytest.raises(AttributeError):
        function.name = "other"


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_operators_pickle_by_name(protocol):
    for op in (ft.add, ft.Tensor.add_, ft.exp_, ft.Tensor.shape.__get__, ft.float16):
        assert pickle.loads(pickle.dumps(op, protocol)) is op
        assert copy.copy(op) is op and copy.deepcopy(op) is op


def test_every_operator_is_found_by_its_name():
    for name, op in operators().items():
        assert op.__torch_name__ == name and find_operator(name) is op
        assert repr(op) == f"<operator {name}>"
    for name, op in functions("torch").items():  # higher packages may have declared more
        assert name not in ft.__all__ or getattr(ft, name) is op
    assert {"add", "exp", "cat", "zeros", "sum", "mm", "rand", "Tensor", "float32", "einsum"} <= set(ft.__all__)
    assert all(hasattr(ft, name) for name in (*ft.__all__, *ft.TORCH_NAMES, *ft.LAZY_NAMES))
    with pytest.raises(AttributeError, match="no operator named 'torch.nonsense'"):
        find_operator("torch.nonsense")


def test_syntax():
    answers = syntax_operators()
    assert answers["add"] is ft.add and answers["iadd"] is ft.Tensor.add_.target
    assert answers["invert"] is ft.Tensor.__invert__.target
    x, y = ft.tensor([7, -3]), ft.tensor([2, 2])
    a, b = x.numpy(), y.numpy()
    for compute in (
        lambda p, q: p + q,
        lambda p, q: p - q,
        lambda p, q: p * q,
        lambda p, q: p / q,
        lambda p, q: p // q,
        lambda p, q: p % q,
        lambda p, q: p**q,
        lambda p, q: p & q,
        lambda p, q: p | q,
        lambda p, q: p ^ q,
        lambda p, q: p << q,
        lambda p, q: p >> q,
        lambda p, q: p < q,
        lambda p, q: p <= q,
        lambda p, q: p == q,
        lambda p, q: p != q,
        lambda p, q: p > q,
        lambda p, q: p >= q,
        lambda p, q: -p,
        lambda p, q: +p,
        lambda p, q: abs(p),
        lambda p, q: ~p,
        lambda p, q: p @ q,
    ):
        np.testing.assert_allclose(compute(x, y).numpy(), compute(a, b), rtol=1e-6)
        if compute(x, y).ndim:
            np.testing.assert_allclose(compute(x, 2).numpy(), compute(a, 2), rtol=1e-6)
    for compute in (
        lambda p: 5 + p,
        lambda p: 5 - p,
        lambda p: 5 * p,
        lambda p: 5 / p,
        lambda p: 5 // p,
        lambda p: 5 % p,
        lambda p: 2 ** (p * 0 + 2),
        lambda p: 5 & p,
        lambda p: 5 | p,
        lambda p: 5 ^ p,
        lambda p: 5 < p,
        lambda p: 5 == p,
    ):
        np.testing.assert_allclose(compute(x).numpy(), compute(a), rtol=1e-6)


def test_a_user_declares_an_operator():
    calls = []

    def kernel(self, n, out):
        calls.append(n)
        return self * n

    scaled = Operator(
        "scaled(Tensor self, int n=3, *, Tensor(a!)? out=None) -> Tensor",
        kernel,
        namespace="tests.lib",
        variants=FUNCTION | INPLACE,
        doc="Times n.",
    )
    try:
        assert scaled(X).tolist() == (X * 3).tolist() and scaled(X, n=2).tolist() == (X * 2).tolist()
        out = ft.empty(0)
        assert scaled(X, out=out) is out and out.tolist() == (X * 3).tolist()
        y = X.clone()
        assert scaled.inplace(y, 2) is y and y.tolist() == (X * 2).tolist()
        assert calls == [3, 2, 3, 2]
        assert scaled in get_overridable_functions()["tests.lib"]
        with pytest.raises(ValueError, match="declared twice"):
            Operator("scaled(Tensor self) -> Tensor", lambda x: x, namespace="tests.lib", variants=FUNCTION)
        with pytest.raises(TypeError, match="a kernel or a function is needed"):
            Operator("other(Tensor self) -> Tensor", 3, namespace="tests.lib", variants=FUNCTION)
    finally:
        assert find_operator("tests.lib.scaled") is scaled


# --- properties -----------------------------------------------------------------------------------------------------


def test_signature():
    signature = inspect.signature(ft.add)
    assert [(p.name, p.kind.name, p.default) for p in signature.parameters.values()] == [
        ("input", "POSITIONAL_OR_KEYWORD", inspect.Parameter.empty),
        ("other", "POSITIONAL_OR_KEYWORD", inspect.Parameter.empty),
        ("alpha", "KEYWORD_ONLY", 1),
        ("out", "KEYWORD_ONLY", None),
    ]
    assert str(signature) == (
        "(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = None) -> Tensor"
    )
    assert list(inspect.signature(ft.Tensor.add_).parameters) == ["self", "other", "alpha"]
    assert str(ft.add.testing_signature()) == "(input, other, out=None)"
    assert str(ft.argsort.testing_signature()) == "(input, dim=-1, descending=False, *, stable=None)"
    assert str(ft.sum.testing_signature()) == "(input, dim=None, keepdim=False, out=None, *, dtype=None)"
    assert str(ft.scatter.testing_signature()).startswith("(input, dim, index, src=None, ")
    assert str(ft.trapezoid.testing_signature()).startswith("(y, x=None, ")
    assert str(inspect.signature(get_testing_overrides()[ft.add])) == "(input, other, out=None)"


def test_every_operator_tells_signature_documentation_and_dummy():
    dummies = get_testing_overrides()
    for name, op in operators().items():
        signature = inspect.signature(op)
        assert op.schema.text in op.__doc__ and len(op.__doc__.strip().splitlines()) > 2, name
        assert op.doc_text if hasattr(op, "doc_text") else op.__doc__, name
        assert documentation.signature_text(op).startswith(f"{op.name}(")
        for parameter in op.testing_signature().parameters:
            assert parameter in signature.parameters, name
        if op in dummies:
            assert str(inspect.signature(dummies[op])) == str(op.testing_signature())


def test_help_shows_signature_types_and_schema():
    text = io.StringIO()
    with redirect_stdout(text):
        help(ft.add)
    text = " ".join(text.getvalue().split()).replace("( ", "(")  # Python 3.13 breaks long signatures
    for part in (
        "add(input: Tensor | Number",
        "Adds `other`, multiplied by `alpha`, to `input`.",
        "alpha (Number, default 1)",
        "Schema:",
        "add(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!)? out=None) -> Tensor",
    ):
        assert part in text


def test_overridable_functions_are_listed():
    listed = get_overridable_functions()
    # The key is the module that users know as torch; if flambeau is imported, that is another module.
    ours = next(functions for functions in listed.values() if ft.add in functions)
    names = [f.__name__ for f in ours]
    assert names == sorted(names) and len(names) == len(set(names))
    assert ft.Tensor.add_ in listed[ft.Tensor] and ft.Tensor.shape.__get__ in listed[ft.Tensor]
    assert not any(f in ours for name, f in operators().items() if name.startswith("torch._ops"))


def test_stubs_are_current():
    code = "import json; from flambeau_tensor import stubs; print(json.dumps(stubs.files()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for name, text in json.loads(done.stdout).items():
        assert Path(ft.__file__).parent.joinpath(name).read_text(encoding="utf-8") == text, (
            "write them again: nox -s renew"
        )


def test_several_signatures_are_overloads():
    lines = stubs.function_stub(OverloadSet([ft.sin, ft.topk]), "both", indent="    ").split("\n")
    assert lines[::2] == ["    @overload"] * 2
    assert lines[1].startswith("    def both(input: Tensor, *, out:") and lines[1].endswith(" -> Tensor: ...")
    assert lines[3].startswith("    def both(input: Tensor, k: ") and lines[3].endswith(" -> _return_types.topk: ...")


def test_stubs_are_python_and_complete():
    text = stubs.stub_text()
    compile(text, "stubs.pyi", "exec")
    assert (
        "def add(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = None) "
        "-> Tensor: ..." in text
    )
    assert "    def view(self, *size: Any) -> Tensor: ..." in text
    assert "    def __add__(self, other: Any) -> Tensor: ..." in text
    assert "    def shape(self) -> Size: ..." in text
    assert "    def __neg__(self) -> Tensor: ..." in text
    assert "    def sort(self, dim: _int = -1" in text and ") -> _return_types.sort: ..." in text
    for name in functions("torch"):
        assert f"\ndef {name}(" in text


def test_stubs_have_every_public_name():
    text = stubs.stub_text()
    members = set(re.findall(r"(?m)^    (?:def )?(\w+)[(:]", text[text.index("class Tensor:") :]))
    assert {name for name in dir(ft.Tensor) if not name.startswith("_") and hasattr(ft.Tensor, name)} <= members
    named = set(re.findall(r"\w+", text))
    assert set(ft.__all__) <= named


def test_importing_stays_light():
    script = (
        "import sys, numpy; before = set(sys.modules); import flambeau_tensor; "
        "print(*sorted(set(sys.modules) - before))"
    )
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    foreign = [name for name in loaded if not name.startswith("flambeau_")]
    for heavy in ("inspect", "typing", "dataclasses", "scipy", "numpy.random", "asyncio", "multiprocessing", "re"):
        assert heavy not in foreign
    for lazy in ("documentation", "stubs", "printing", "numeric_limits", "return_types"):
        assert f"flambeau_tensor.{lazy}" not in loaded
    assert not {f"flambeau_tensor.ops.{family}" for family in ft.ops.LAZY} & set(loaded)


# --- named results --------------------------------------------------------------------------------------------------


def test_named_results():
    result = ft.max(X, 0)
    values, indices = result
    assert result.values is values is result[0] and result.indices is indices
    assert isinstance(result, tuple) and type(result) is return_types.max and result.n_fields == 2
    assert repr(result) == "torch.return_types.max(\nvalues=tensor([3., 4.]),\nindices=tensor([1, 1]))"
    assert type(ft.max(X, 1)) is type(result)
    back = pickle.loads(pickle.dumps(result))
    assert type(back) is type(result) and back.indices.tolist() == [1, 1]
    match result:
        case return_types.max(values, indices):
            assert indices.tolist() == [1, 1]
    assert "max" in dir(return_types)
    for name in dir(return_types):  # the classes themselves, too
        cls = getattr(return_types, name)
        assert all(pickle.loads(pickle.dumps(cls, p)) is cls for p in range(pickle.HIGHEST_PROTOCOL + 1))
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        return_types.nonsense  # noqa: B018
    with pytest.raises(AttributeError):
        result.values = 1


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x: x.sum(2**64), ValueError),
        (lambda x: x.sum((2**64,)), TypeError),
        (lambda x: x.select(0, -(2**63) - 1), ValueError),
        (lambda x: ft.zeros(2**64), TypeError),
        (lambda x: x.permute(10**30), TypeError),
        (lambda x: x.roll(2**63), ValueError),
        (lambda x: x.add(2**64), OverflowError),
        (lambda x: x.unflatten(10**30, (3, 1)), ValueError),
        (lambda x: ft.tensor(1.0).roll(1, 0), IndexError),
        (lambda x: x.tensor_split(2**31), RuntimeError),
        (lambda x: ft.combinations(ft.ones(65), 100), RuntimeError),
        (lambda x: ft.combinations(x, 2**62), RuntimeError),
        (lambda x: ft.addbmm(x, x, x), IndexError),
        (lambda x: ft.baddbmm(x, x, x), IndexError),
        (lambda x: ft.mv(ft.tensor(1.0), x), IndexError),
        (lambda x: ft.bincount(x.view(1, 3)), NotImplementedError),
        (lambda x: ft.frombuffer([1], dtype=ft.int8), ValueError),
        (lambda x: ft.tensordot(x, x, (0,)), ValueError),
        (lambda x: x.dot(x, out=x), TypeError),
        (lambda x: x.sin(out=x), TypeError),
        (lambda x: ft.broadcast_shapes((-3,), (1,)), ValueError),
        (lambda x: ft.zeros(1, device="cuda"), AssertionError),
    ],
)
def test_exceptions_have_pytorchs_types(call, error):
    with pytest.raises(error) as caught:
        call(ft.ones(3))
    assert type(caught.value) is error


# --- calls with keywords --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call, expected",
    [
        (lambda x: x.sum(dim=0), [4.0, 6.0]),
        (lambda x: ft.sum(x, axis=0), [4.0, 6.0]),
        (lambda x: x.max(dim=1).values, [2.0, 4.0]),
        (lambda x: ft.max(x, other=ft.tensor(2.0)), [[2.0, 2.0], [3.0, 4.0]]),
        (lambda x: x.clamp(min=2), [[2.0, 2.0], [3.0, 4.0]]),
        (lambda x: ft.clamp(x, max=2, out=None), [[1.0, 2.0], [2.0, 2.0]]),
        (lambda x: ft.cat((x, x), dim=1)[0], [1.0, 2.0, 1.0, 2.0]),
        (lambda x: x.to(dtype=int), [[1, 2], [3, 4]]),
        (lambda x: ft.add(input=x, other=1, alpha=2), [[3.0, 4.0], [5.0, 6.0]]),
    ],
)
def test_keywords(call, expected):
    assert call(ft.tensor([[1.0, 2.0], [3.0, 4.0]])).tolist() == expected


def test_keywords_that_no_schema_takes():
    x = ft.ones(2)
    with pytest.raises(TypeError, match="unexpected keyword argument 'dims'|expected one of|invalid combination"):
        x.sum(dims=0, keep=True)
    with pytest.raises(TypeError, match="multiple values|invalid combination"):
        ft.amax(x, 0, dim=0)
    with pytest.raises(TypeError, match="out"):
        x.exp(out=x)


def test_a_member_is_chosen_by_the_kinds_of_arguments():
    x = ft.tensor([[1.0, 5.0], [4.0, 2.0]])
    y = ft.tensor(3.0)
    # by position, by keyword, and by a keyword that is not interned
    assert ft.max(x) == 5 and ft.max(x, y).tolist() == [[3, 5], [4, 3]]
    for answer in ft.max(x, 1), ft.max(x, dim=1), ft.max(x, **{"".join(["d", "im"]): 1}), ft.max(x, True - 0):
        assert answer.values.tolist() == [5, 4] and answer.indices.tolist() == [1, 0]
    assert ft.max(x, 1, True).values.shape == (2, 1)
    assert ft.sum(x, **{"".join(["d", "im"]): 0}).tolist() == [5, 7]
    assert ft.clamp(x, 2, 4).tolist() == [[2, 4], [4, 2]] == ft.clamp(x, ft.tensor(2.0), ft.tensor(4.0)).tolist()
    assert ft.clamp(x, None, 4).tolist() == [[1, 4], [4, 2]] == ft.clamp(x, max=4.0).tolist()
    assert ft.clamp(x, True).tolist() == [[1, 5], [4, 2]]
    assert ft.clamp(x, 2, 4, out=ft.empty(2, 2)).tolist() == [[2, 4], [4, 2]]
    z = ft.tensor([1, 5])
    assert z.clamp_(2, 4) is z and z.tolist() == [2, 4]
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        ft.clamp(x, x, 4)
    with pytest.raises(TypeError, match="unexpected keyword|invalid combination"):
        ft.clamp_(x, 1, out=None)
    with pytest.raises(RuntimeError, match="At least one of 'min' or 'max' must not be None"):
        ft.clamp(x)


def test_invert_says_what_it_takes():
    x = ft.ones(2)
    for invert in lambda: ~x, x.__invert__, lambda: ft.Tensor.__invert__(x + 1j):
        with pytest.raises(TypeError, match=r"~ \(operator.invert\) is only implemented on integer and Boolean-type"):
            invert()
    with pytest.raises(NotImplementedError, match="\"bitwise_not\" not implemented for 'Float'"):
        x.bitwise_not()
    assert (~ft.tensor([1, -1])).tolist() == [-2, 0] and (~ft.tensor(True)).item() is False


# --- overload sets: choices are cached by the types of the arguments ------------------------------------------------


def test_calls_of_one_set_with_many_types():
    """In an order in which each type of argument follows every other."""
    x, low, high = ft.tensor([-1.0, 0.5, 2.0]), ft.tensor([0.0, 0.0, 1.0]), ft.tensor([0.25, 1.0, 1.5])
    calls = [
        (lambda: ft.clamp(x, 0, 1), [0.0, 0.5, 1.0]),
        (lambda: ft.clamp(x, 0.75, 1), [0.75, 0.75, 1.0]),
        (lambda: ft.clamp(x, low, high), [0.0, 0.5, 1.5]),
        (lambda: ft.clamp(x, None, 1), [-1.0, 0.5, 1.0]),
        (lambda: ft.clamp(x, 0, None), [0.0, 0.5, 2.0]),
        (lambda: ft.clamp(x, 0), [0.0, 0.5, 2.0]),
        (lambda: ft.clamp(x, low), [0.0, 0.5, 2.0]),
        (lambda: ft.max(x, 0)[0], 2.0),
        (lambda: ft.max(x, low), [0.0, 0.5, 2.0]),
        (lambda: ft.max(x), 2.0),
        (lambda: ft.where(x > 0, x, 7.0), [7.0, 0.5, 2.0]),
        (lambda: ft.where(x > 0, 7.0, x), [-1.0, 7.0, 7.0]),
        (lambda: x.sum(), 1.5),
        (lambda: x.sum(0), 1.5),
        (lambda: x.sum((0,)), 1.5),
        (lambda: x.sum([0]), 1.5),
        (lambda: x.sum(None), 1.5),
        (lambda: ft.cat(ft._foreach_add([x], [low])), [-1.0, 0.5, 3.0]),
        (lambda: ft.cat(ft._foreach_add([x], [1])), [0.0, 1.5, 3.0]),
        (lambda: ft.cat(ft._foreach_add((x,), 1)), [0.0, 1.5, 3.0]),
    ]
    for first, expected_first in calls:
        for second, expected in calls:
            assert first().tolist() == expected_first
            assert second().tolist() == expected
    with pytest.raises(RuntimeError, match="At least one of 'min' or 'max'"):
        ft.clamp(x, None, None)


def _internal(schema, implementation, composite=False):
    """Declare a private function without a derivative."""
    return Operator(
        schema,
        implementation,
        namespace="torch._ops",
        composite=composite,
        differentiable=False,
        variants=FUNCTION,
    )


def test_an_overload_that_is_implemented_anew_after_a_call():
    target = _internal("renewed_target(Tensor self, int n) -> Tensor", lambda x, n: x + n)
    first = _internal("renewed(Tensor self, str word) -> Tensor", lambda x, word: x)
    second = _internal("renewed.int(Tensor self, int n) -> Tensor", Forward(target), composite=True)
    renewed, x = OverloadSet([first, second]), ft.tensor([1.0])
    assert [renewed(x, 2).item() for _ in range(2)] == [3.0, 3.0]
    second.implement(lambda x, n: x * 5, composite=True)
    assert renewed(x, 2).item() == 5.0
    target.implement(lambda x, n: x - n, differentiable=False)
    second.implement(Forward(target), composite=True)
    assert [renewed(x, 2).item() for _ in range(2)] == [-1.0, -1.0]


def test_overloads_whose_arguments_change_places():
    """The arguments must be rearranged, although the objects would also fit their old positions."""
    target = _internal("placed_target(Tensor self, int a=0, int b=0) -> Tensor", lambda x, a, b: x + 10 * a + b)
    word = _internal("placed(Tensor self, str word) -> Tensor", lambda x, word: x)
    swapped = _internal("placed.int(Tensor self, int b, int a) -> Tensor", Forward(target), composite=True)
    fixed = _internal("placed.one(Tensor self, int b) -> Tensor", Forward(target, a=3), composite=True)
    placed, x = OverloadSet([word, swapped, fixed]), ft.tensor([0.0])
    assert [placed(x, 1, 1).item(), placed(x, 1, 2).item(), placed(x, 3).item(), placed(x, 4).item()] == [
        11,
        21,
        33,
        34,
    ]


# --- lists, which are bound as tuples for kernels -------------------------------------------------------------------


def test_lists_do_for_tuples():
    x, y = ft.tensor([1.0, 2.0]), ft.tensor([3.0])
    for many in [x, y], (x, y):
        assert ft.cat(many).tolist() == ft.cat(many, dim=0).tolist() == ft.cat(tensors=many).tolist() == [1, 2, 3]
    assert x.view([2, 1]).shape == x.reshape(shape=[2, 1]).shape == ft.zeros([2, 1]).shape == (2, 1)
    assert x.sum([0]) == x.sum(dim=[0]) == 3 and x[None].permute([1, 0]).shape == (2, 1)
    weighted = ft._foreach_addcmul([x, y], [x, y], [y, x[:1]], [1, 10])  # four of them
    assert [t.tolist() for t in weighted] == [[4, 8], [33]]
    for wrong in lambda: ft.cat([x, 1]), lambda: ft.cat([x, 1], dim=0), lambda: ft.cat((x, 1)):
        with pytest.raises(TypeError, match="expected Tensor as element 1 in argument 0, but got int"):
            wrong()
    with pytest.raises(TypeError, match=r"reshape\(\): argument 'shape'.* must be tuple of ints"):
        x.reshape([2, 1.5])


def test_what_writes_to_a_list_returns_it():
    x = ft.tensor([1.0])
    for many in [x, x], (x, x):
        assert ft._foreach_add_(many, 1) is many and ft._foreach_add_(many, other=many) is many
    assert x.item() == 56


def test_an_empty_result_is_not_the_empty_list_that_was_given():
    x = ft.ones(0, 3)
    assert ft.split_with_sizes(x, []) == () == ft.split_with_sizes(x, split_sizes=[])


def test_a_list_that_changes_during_the_call():
    x = ft.tensor([1.0])
    many = [x, x]

    class Reads(ft.Tensor):
        pass

    def take(tensors, n):
        many.clear()
        return sum(t.item() for t in tensors) + n

    taking = _internal("taking(Tensor[] tensors, int n) -> float", take)
    assert taking(many, 1) == 3 and many == []
    many[:] = [x.as_subclass(Reads)]
    assert taking(many, n=1) == 2


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.view(1, 2**70),
        lambda x: x.view(1, "one"),
        lambda x: ft.cat([x, None]),
        lambda x: ft.cat([x, None], dim=0),
        lambda x: ft._foreach_addcmul([x], [x], [None], [1]),
        lambda x: ft._foreach_addcmul([x], [x], [x], [1]),
        lambda x: ft._foreach_addcmul([x], [x], [x], scalars=[1, 2]),
        lambda x: x.sum([0]),
        lambda x: x.sum([5]),
    ],
)
def test_nothing_is_kept_of_what_was_packed(call):
    def turns(n):
        for _ in range(n):
            with contextlib.suppress(TypeError, RuntimeError, IndexError):
                call(x)

    x = ft.tensor([1.0])
    turns(10)
    gc.collect()
    before, blocks = sys.getrefcount(x), sys.getallocatedblocks()
    turns(200)
    gc.collect()
    assert sys.getrefcount(x) == before and sys.getallocatedblocks() - blocks < 50
