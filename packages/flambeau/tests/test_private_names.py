"""Private names of PyTorch that packages use, with what they give there."""

import flambeau as torch


def test_subclasses_print_themselves():
    class Labelled(torch.Tensor):
        def __repr__(self):
            text = torch._tensor_str._tensor_str(self, 9)
            return torch._tensor_str._add_suffixes("Labelled(" + text, ["label='a'"], 9, False)

    x = torch.arange(4.0).reshape(2, 2).as_subclass(Labelled)
    assert repr(x) == "Labelled([[0., 1.],\n          [2., 3.]], label='a')"
    assert torch._tensor_str._str_intern(x, tensor_contents="...") == "Labelled(...)"
    assert torch._tensor_str._add_suffixes("x(1", ["a", "b"], 2, True) == "x(1,\n  a, b)"  # as PyTorch prints it


def test_questions_to_the_compiled_module():
    inside = []
    torch.vmap(lambda x: inside.append(torch._C._are_functorch_transforms_active()) or x)(torch.ones(2))
    assert inside == [True] and not torch._C._are_functorch_transforms_active()
    assert torch._C._get_default_device() == "cpu"


def test_types_for_annotations():
    from flambeau.types import Device, FileLike, Number, _size, _TensorOrTensors

    assert isinstance(3, Number) and isinstance(None, Device) and isinstance("cpu", Device)
    assert isinstance(torch.ones(1), _TensorOrTensors) and isinstance(torch.Size([1]), _size)
    assert str in FileLike.__args__ and torch.types._Number == (int, float, bool)


def test_the_module_has_itself_among_its_names():
    assert torch.torch is torch and torch.torch.ones(1).item() == 1


def test_either_of_two_functions():
    both = torch._jit_internal.boolean_dispatch("twice", 1, False, lambda x, twice=False: 2 * x, lambda x: x)
    assert (both(3), both(3, twice=True)) == (3, 6)
