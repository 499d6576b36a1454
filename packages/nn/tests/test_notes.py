"""The note of an error that leaves a model: the path of the module, its arguments, and what these should have been."""

import copy
import gc
import inspect
import pickle
import traceback
import weakref

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_nn.modules._notes import EXPECTED, _expected


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Sequential(nn.Linear(3, 3), nn.ReLU()), nn.Sequential(nn.Linear(4, 3))])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(5, 3)
        self.encoder = Encoder()

    def forward(self, words, scale=1.0):
        return self.encoder(self.embedding(words) * scale)


def raised(call, *args, **kwargs):
    with pytest.raises(Exception) as caught:
        call(*args, **kwargs)
    return caught.value


def notes(call, *args, **kwargs):
    return [str(note) for note in getattr(raised(call, *args, **kwargs), "__notes__", [])]


def test_the_path_in_the_model():
    error = raised(Model(), ft.tensor([1, 2]))
    assert type(error) is RuntimeError
    assert str(error) == "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x3)"  # as without a module around it
    note = (
        "In encoder.layers.1.0 (Linear) of Model, called with\n"
        "    input: float32 of shape (2, 3); expected (*, 4) of float32"
    )
    assert error.__notes__ == [note]
    assert "".join(traceback.format_exception(error)).endswith(f"{error}\n{note}\n")


def test_a_module_alone():
    assert notes(nn.Linear(3, 4), ft.ones(2, 3, dtype=ft.float64)) == [
        "In Linear, called with\n    input: float64 of shape (2, 3); expected (*, 3) of float32"
    ]


def test_indices_are_told_by_their_range():
    error = raised(Model(), ft.tensor([1, 9]))
    assert type(error) is IndexError
    assert error.__notes__ == [
        "In embedding (Embedding) of Model, called with\n"
        "    input: int64 of shape (2,), from 1 to 9; expected int64 or int32, at least 0 and below 5"
    ]


def test_a_module_of_the_program_itself():
    assert notes(Model(), ft.tensor([1, 2]), scale=ft.ones(2)) == [
        "In Model, called with\n    words: int64 of shape (2,), from 1 to 2\n    scale: float32 of shape (2,)"
    ]


def test_arguments_that_do_not_fit_the_signature():
    error = raised(nn.Linear(3, 4), ft.ones(3), [1, "a"], z=None)
    assert type(error) is TypeError
    assert error.__notes__ == [
        "In Linear, called with\n    0: float32 of shape (3,)\n    1: list of 1, 'a'\n    z: None"
    ]


@pytest.mark.parametrize(
    "hook",
    ["register_forward_pre_hook", "register_forward_hook", "register_full_backward_hook"],
)
def test_modules_with_hooks(hook):
    model = Model()
    for module in model.modules():
        getattr(module, hook)(lambda *args: None)
    assert notes(model, ft.tensor([1, 2]))[0].startswith("In encoder.layers.1.0 (Linear) of Model,")


def test_forward_of_an_instance():
    model = nn.Sequential(nn.Identity(), nn.Identity())
    model[1].forward = lambda x: x + ft.ones(7)
    assert notes(model, ft.ones(2)) == ["In 1 (Identity) of Sequential, called with\n    x: float32 of shape (2,)"]


def test_a_module_that_is_not_registered():
    class Borrows(nn.Module):
        def forward(self, x):
            return other(x)

    other = nn.Linear(2, 2)
    model = nn.Sequential(Borrows())
    assert notes(model, ft.ones(3)) == [
        "In Linear, called with\n    input: float32 of shape (3,); expected (*, 2) of float32"
    ]


def test_a_class_with_a_call_of_its_own():
    class Loud(nn.Linear):
        def __call__(self, *args):
            return super().__call__(*args)

    assert notes(nn.Sequential(Loud(2, 2)), ft.ones(3))[0].startswith(
        "In 0 (Loud) of Sequential, called with\n    input"
    )


def test_an_error_that_is_raised_twice():
    error = raised(Model(), ft.tensor([1, 2]))

    class Again(nn.Module):
        def forward(self, x):
            raise error

    assert raised(nn.Sequential(Again()), ft.ones(1)) is error
    assert len(error.__notes__) == 1 and error.__notes__[0].startswith("In encoder.layers.1.0")


@pytest.mark.parametrize("kind", [KeyboardInterrupt, StopIteration, type("Stop", (Exception,), {})])
def test_what_is_no_bad_argument_has_no_note(kind):
    class Stops(nn.Module):
        def forward(self, x):
            raise kind

    with pytest.raises(kind) as caught:
        Stops()(1)
    assert not hasattr(caught.value, "__notes__")


def test_an_argument_that_cannot_be_described():
    class Odd:
        @property
        def __class__(self):
            raise ValueError("no class")

    class Fails(nn.Module):
        def forward(self, x):
            raise ValueError("the first")

    assert str(raised(Fails(), Odd())) == "the first"


def test_copies_and_lifetimes():
    model = Model()
    error = raised(model, ft.tensor([1, 2]))
    for other in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert other.__notes__ == error.__notes__
    assert {type(note) for note in pickle.loads(pickle.dumps(error)).__notes__} == {str}
    gone = weakref.ref(model)
    error.__traceback__ = None
    del model
    gc.collect()
    assert gone() is None


# What makes one of each class that says what it expects; the others take no arguments, or channels in and out and a
# kernel.
MADE_OF = {
    "Linear": (2, 3),
    "Bilinear": (2, 3, 4),
    "GroupNorm": (2, 4),
    "LayerNorm": ((4,),),
    "RMSNorm": ((4,),),
    "Embedding": (4, 2),
    "EmbeddingBag": (4, 2),
    "RNNBase": ("GRU", 2, 3),
    "RNNCellBase": (2, 3, True, 4),
    "MultiheadAttention": (4, 2),
    "AdaptiveLogSoftmaxWithLoss": (4, 9, [3]),
    "LinearCrossEntropyLoss": (4, 9),
    "PixelShuffle": (2,),
    "PixelUnshuffle": (2,),
    "Unflatten": (1, (2, 3)),
}


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_what_is_expected_is_said_of_arguments_and_attributes(name):
    cls = getattr(nn, name)
    arguments = (
        (2, 3, 1) if name.startswith("Conv") else (2,) if "Norm" in name or "Pool" in name or "Pad" in name else ()
    )
    fractional = {"output_size": 2} if name.startswith("Fractional") else {}
    module = cls(*MADE_OF.get(name, (2, 2) if name.startswith("LPPool") else arguments), **fractional)
    forward = nn.GRUCell.forward if name == "RNNCellBase" else cls.forward  # the base class has none
    told = _expected(module)
    assert set(told) <= set(inspect.signature(forward).parameters)
    assert not any("{" in text for text in told.values())


def test_layers_without_parameters_say_what_they_expect():
    error = raised(nn.Sequential(nn.Sequential(nn.MaxPool2d(3))), ft.ones(2, 2))
    (note,) = error.__notes__
    assert note.startswith("In 0.0 (MaxPool2d) of Sequential, called with")
    assert note.endswith("input: float32 of shape (2, 2); expected (N, C, H, W) or (C, H, W)")


def test_layers_with_parameters_say_what_they_expect():
    silent = []
    for name in sorted({*dir(nn), *nn.modules.LATE}):
        cls = getattr(nn, name)
        if inspect.isclass(cls) and issubclass(cls, nn.Module) and not any(c.__name__ in EXPECTED for c in cls.__mro__):
            if "dtype" in inspect.signature(cls.__init__).parameters:
                silent.append(name)
    assert [name for name in silent if not name.startswith("Transformer")] == []  # these are made of others
