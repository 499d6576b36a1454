"""The programs of PyTorch's note "Extending PyTorch" on types with ``__torch_function__``, with the printed results.

Each class stands in both spellings: the plain method of version 1.5 and the classmethod of later ones.
"""

import functools
import inspect
import logging
import warnings

import pytest

import flambeau as torch
from flambeau import overrides
from flambeau.overrides.coverage import sample_arguments


def as_plain_method(namespace):
    """The namespace's classmethod as the plain method of version 1.5."""
    function = namespace["__torch_function__"].__func__

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return function(type(self), func, types, args, kwargs)

    return {**namespace, "__torch_function__": __torch_function__}


class Diagonal:
    def __init__(self, N, value):
        self._N = N
        self._value = value

    def __repr__(self):
        return f"ScalarTensor(N={self._N}, value={self._value})"

    def tensor(self):
        return self._value * torch.eye(self._N)


def make_scalar_tensor(method, *, fallback=False):
    """A ScalarTensor class with a dispatch table of its own, and the decorator that fills the table."""
    handled = {}

    def torch_function(cls, func, types, args=(), kwargs=None):
        if kwargs is None:
            kwargs = {}
        if func not in handled or not all(issubclass(t, (torch.Tensor, ScalarTensor)) for t in types):
            if fallback:
                args = [a.tensor() if hasattr(a, "tensor") else a for a in args]
                return func(*args, **kwargs)
            return NotImplemented
        return handled[func](*args, **kwargs)

    namespace = {"__torch_function__": classmethod(torch_function)}
    ScalarTensor = type("ScalarTensor", (Diagonal,), as_plain_method(namespace) if method else namespace)

    def implements(torch_function):
        def decorator(func):
            functools.update_wrapper(func, torch_function)
            handled[torch_function] = func
            return func

        return decorator

    def ensure_tensor(data):
        if isinstance(data, ScalarTensor):
            return data.tensor()
        return torch.as_tensor(data)

    @implements(torch.mean)
    def mean(input):
        return float(input._value) / input._N

    @implements(torch.add)
    def add(input, other):
        try:
            if input._N == other._N:
                return ScalarTensor(input._N, input._value + other._value)
            else:
                raise ValueError("Shape mismatch!")
        except AttributeError:
            return torch.add(ensure_tensor(input), ensure_tensor(other))

    return ScalarTensor


@pytest.fixture(params=[False, True], ids=["classmethod", "method"])
def spelling(request):
    with warnings.catch_warnings():
        if request.param:
            warnings.filterwarnings("ignore", "Defining your .__torch_function__. as a plain method")
        yield request.param


def test_before_the_protocol():
    d = Diagonal(5, 2)
    assert repr(d) == "ScalarTensor(N=5, value=2)"
    assert repr(d.tensor()) == (
        "tensor([[2., 0., 0., 0., 0.],\n"
        "        [0., 2., 0., 0., 0.],\n"
        "        [0., 0., 2., 0., 0.],\n"
        "        [0., 0., 0., 2., 0.],\n"
        "        [0., 0., 0., 0., 2.]])"
    )
    plain = type("ScalarTensor", (Diagonal,), {})(5, 2)
    with pytest.raises(TypeError) as error:
        torch.mean(plain)
    assert str(error.value) == "mean(): argument 'input' (position 1) must be Tensor, not ScalarTensor"


def test_handled_functions(spelling):
    ScalarTensor = make_scalar_tensor(spelling)
    assert torch.mean(ScalarTensor(5, 2)) == 0.4
    s = ScalarTensor(2, 2)
    assert repr(torch.add(s, s)) == "ScalarTensor(N=2, value=4)"
    t = torch.tensor([[1, 1], [1, 1]])
    assert repr(torch.add(s, t)) == "tensor([[3., 1.],\n        [1., 3.]])"
    with pytest.raises(ValueError, match="Shape mismatch!"):
        torch.add(s, ScalarTensor(3, 1))


def test_the_override_need_not_take_every_argument(spelling):
    s = make_scalar_tensor(spelling)(2, 2)
    with pytest.raises(TypeError) as error:
        torch.add(s, s, alpha=2)
    assert str(error.value).endswith("add() got an unexpected keyword argument 'alpha'")


def test_unhandled_functions_raise(spelling):
    s = make_scalar_tensor(spelling)(2, 2)
    with pytest.raises(TypeError) as error:
        torch.mul(s, 3)
    assert str(error.value).startswith(
        "Multiple dispatch failed for 'torch.mul'; all __torch_function__ handlers "
        "returned NotImplemented:\n\n  - tensor subclass <class '"
    )
    assert str(error.value).endswith(
        "no implementation found for 'torch.mul' on types that implement __torch_function__: [ScalarTensor]"
    )


def test_falling_back_to_tensors(spelling):
    s = make_scalar_tensor(spelling, fallback=True)(2, 2)
    assert repr(torch.mul(s, s)) == "tensor([[4., 0.],\n        [0., 4.]])"


def test_the_decorator_of_older_versions(spelling):
    handled = {}

    def implements(torch_function):
        @functools.wraps(torch_function)
        def decorator(func):
            handled[torch_function] = func
            return func

        return decorator

    @implements(torch.mean)
    def mean(input):
        return 1

    assert handled == {torch.mean: mean}
    assert implements(torch.mean).__name__ == "mean"


# --- subclasses -----------------------------------------------------------------------------------------------------


class SubTensor(torch.Tensor):
    pass


class SubTensor2(SubTensor):
    pass


class OtherSubTensor(torch.Tensor):
    pass


@pytest.mark.parametrize(
    "a, b, name",
    [
        (SubTensor([0]), SubTensor([1]), "SubTensor"),
        (SubTensor([0]), torch.tensor([1]), "SubTensor"),
        (torch.tensor([1]), SubTensor([0]), "SubTensor"),
        (SubTensor2([0]), SubTensor([1]), "SubTensor2"),
        (SubTensor([0]), SubTensor2([1]), "SubTensor2"),
        (SubTensor2([0]), torch.tensor([1]), "SubTensor2"),
    ],
)
def test_functions_and_methods_keep_the_lowest_subclass(a, b, name):
    assert type(torch.add(a, b)).__name__ == name
    assert type(a + b).__name__ == name
    assert type(a.add(b)).__name__ == name


def test_unrelated_subclasses_are_an_error():
    with pytest.raises(TypeError) as error:
        torch.add(SubTensor([0]), OtherSubTensor([1]))
    assert str(error.value) == (
        "Multiple dispatch failed for 'torch.add'; all __torch_function__ handlers returned NotImplemented:\n\n"
        f"  - tensor subclass {SubTensor!r}\n  - tensor subclass {OtherSubTensor!r}\n\n"
        "no implementation found for 'torch.add' on types that implement __torch_function__: "
        "[SubTensor, OtherSubTensor]"
    )


class LoggingTensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func is not torch.Tensor.__repr__:
            logging.info(f"func: {func.__name__}, args: {args!r}, kwargs: {kwargs!r}")
        if kwargs is None:
            kwargs = {}
        return super().__torch_function__(func, types, args, kwargs)


def test_a_logging_tensor_sees_functions_and_methods(caplog):
    caplog.set_level(logging.INFO)
    t = LoggingTensor([1.0, 2.0])
    result = torch.add(t, t).sum()
    assert type(result) is LoggingTensor
    assert [record.message.split(",")[0] for record in caplog.records] == ["func: add", "func: sum"]
    assert "LoggingTensor([1., 2.])" in caplog.records[0].message


# --- a wrapper type -------------------------------------------------------------------------------------------------


def make_metadata_tensor(method):
    def torch_function(cls, func, types, args=(), kwargs=None):
        if kwargs is None:
            kwargs = {}
        metadatas = tuple(a._metadata for a in args if hasattr(a, "_metadata"))
        args = [a._t if hasattr(a, "_t") else a for a in args]
        assert len(metadatas) > 0
        ret = func(*args, **kwargs)
        return MetadataTensor(ret, metadata=metadatas[0])

    def __init__(self, data, metadata=None, **kwargs):
        self._t = torch.as_tensor(data, **kwargs)
        self._metadata = metadata

    namespace = {
        "__init__": __init__,
        "__torch_function__": classmethod(torch_function),
        "__repr__": lambda self: f"Metadata:\n{self._metadata}\n\ndata:\n{self._t}",
    }
    MetadataTensor = type("MetadataTensor", (), as_plain_method(namespace) if method else namespace)
    return MetadataTensor


def test_a_wrapper_carries_its_metadata(spelling):
    metadata = {"owner": "Ministry of Silly Walks"}
    m = make_metadata_tensor(spelling)([[1, 2], [3, 4]], metadata=metadata)
    t = torch.tensor([[1, 2], [1, 2]])
    assert repr(torch.add(t, m)) == (
        "Metadata:\n{'owner': 'Ministry of Silly Walks'}\n\ndata:\ntensor([[2, 4],\n        [4, 6]])"
    )
    assert repr(torch.mul(t, m)) == (
        "Metadata:\n{'owner': 'Ministry of Silly Walks'}\n\ndata:\ntensor([[1, 4],\n        [3, 8]])"
    )


# --- several types --------------------------------------------------------------------------------------------------


def asked(method, name, bases=(), answer=NotImplemented):
    """A type that notes its turn."""

    def torch_function(cls, func, types, args=(), kwargs=None):
        order.append(cls.__name__)
        return answer

    namespace = {"__torch_function__": classmethod(torch_function)}
    return type(name, bases, as_plain_method(namespace) if method else namespace)


order = []


def test_subclasses_come_first_then_left_to_right(spelling):
    Left, Right = asked(spelling, "Left"), asked(spelling, "Right", answer="right")
    Below = asked(spelling, "Below", (Left,))
    Inherits = type("Inherits", (Left,), {})
    for call, result, expected in (
        (lambda: torch.add(Left(), Right()), "right", ["Left", "Right"]),
        (lambda: torch.add(Right(), Left()), "right", ["Right"]),
        (lambda: torch.add(Left(), Below()), None, ["Below", "Left"]),
        (lambda: torch.add(Below(), Left()), None, ["Below", "Left"]),
        (lambda: torch.cat([Left(), Left(), Inherits()]), None, ["Inherits", "Left"]),
        (lambda: torch.cat([Left(), Right(), Below()]), "right", ["Below", "Left", "Right"]),
        (lambda: torch.where(Left(), torch.ones(1), Right()), "right", ["Left", "Right"]),
        (lambda: torch.add(torch.ones(1), Left(), alpha=2), None, ["Left"]),
    ):
        order.clear()
        if result is None:
            lines = "".join(rf"\n  - tensor subclass <class '[\w.]*{name}'>" for name in expected)
            ends = rf"\n\nno implementation found for .*: \[{', '.join(expected)}\]$"
            with pytest.raises(TypeError, match=f"handlers returned NotImplemented:\n{lines}{ends}"):
                call()
        else:
            assert call() == result
        assert order == expected


def test_the_first_answer_is_the_result_whatever_it_is(spelling):
    for answer in (None, False, 0, [], torch.ones(1), NotImplementedError):
        First, Second = asked(spelling, "First", answer=answer), asked(spelling, "Second", answer="second")
        order.clear()
        assert torch.mul(First(), Second()) is answer and order == ["First"]


# --- listing and testing --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", ["overrides", "_overrides"])
@pytest.mark.parametrize("prefix", ["", "_"])
def test_listing_overridable_functions(module, prefix):
    import importlib

    where = importlib.import_module(f"flambeau.{module}")
    func_dict = getattr(where, f"{prefix}get_overridable_functions")()
    nn_funcs = func_dict[torch.nn.functional]
    assert [f.__name__ for f in nn_funcs[:5]] == [
        "adaptive_avg_pool1d",
        "adaptive_avg_pool2d",
        "adaptive_avg_pool3d",
        "adaptive_max_pool1d",
        "adaptive_max_pool1d_with_indices",
    ]
    override_dict = getattr(where, f"{prefix}get_testing_overrides")()
    dummy_add = override_dict[torch.add]
    assert repr(inspect.signature(dummy_add)) == "<Signature (input, other, out=None)>"
    assert dummy_add(1, 2) == -1
    ignored = getattr(where, f"{prefix}get_ignored_functions")()
    assert torch.zeros in ignored and not set(nn_funcs) & set(ignored)


def test_every_listed_function_dispatches():
    class Duck:
        seen = []

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            cls.seen.append(func)
            return -1

    duck, missed = Duck(), []
    for func in overrides.get_testing_overrides():
        if type(func).__name__ == "wrapper_descriptor":
            continue  # `Tensor.__add__`, which takes tensors alone
        args, kwargs = sample_arguments(func, duck)
        Duck.seen.clear()
        try:
            answer = func(*args, **kwargs)
        except Exception as e:  # noqa: BLE001  (collected and shown)
            missed.append((func, e))
            continue
        if answer != -1 or Duck.seen != [func]:
            missed.append((func, "not called"))
    assert not missed, f"{len(missed)} do not dispatch, such as {missed[:5]}"
