"""Pruning, against masks of PyTorch 2.13."""

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd import no_grad
from flambeau_nn.utils import prune


def layer():
    """A linear layer with sines for weights."""
    module = nn.Linear(4, 3).double()
    with no_grad():
        module.weight.copy_(ft.arange(12.0, dtype=ft.float64).square().mul(0.3).sin().reshape(3, 4))
    return module


METHODS = {
    "l1": (prune.l1_unstructured, 4),
    "fraction": (prune.l1_unstructured, 0.5),
    "random": (prune.random_unstructured, 0.3),
    "slices": (prune.ln_structured, 1, 2, 0),
    "columns": (prune.ln_structured, 0.5, 1, 1),
    "random slices": (prune.random_structured, 2, 1),
}
# The mask, and that after two more elements are pruned.
EXPECTED = {
    "l1": ([[0, 0, 1, 0], [1, 1, 1, 1], [0, 1, 1, 1]], [[0, 0, 1, 0], [1, 1, 1, 0], [0, 0, 1, 1]]),
    "fraction": ([[0, 0, 1, 0], [1, 1, 1, 0], [0, 0, 1, 1]], [[0, 0, 0, 0], [1, 0, 1, 0], [0, 0, 1, 1]]),
    "random": ([[1, 1, 1, 1], [0, 1, 1, 0], [0, 1, 1, 0]], [[0, 0, 1, 1], [0, 1, 1, 0], [0, 1, 1, 0]]),
    "slices": ([[0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1]], [[0, 0, 0, 0], [1, 1, 1, 1], [0, 0, 1, 1]]),
    "columns": ([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1]], [[0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 1, 1]]),
    "random slices": ([[0, 1, 1, 0], [0, 1, 1, 0], [0, 1, 1, 0]], [[0, 0, 1, 0], [0, 1, 1, 0], [0, 0, 1, 0]]),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_masks(name):
    apply, *arguments = METHODS[name]
    ft.manual_seed(0)
    module = layer()
    value = module.weight.detach().clone()
    assert apply(module, "weight", *arguments) is module
    assert module.weight_mask.int().tolist() == EXPECTED[name][0]
    assert module.weight.equal(value * module.weight_mask) and module.weight_orig.equal(value)
    prune.l1_unstructured(module, "weight", 2)
    assert module.weight_mask.int().tolist() == EXPECTED[name][1]


def test_a_pruned_layer_trains_and_is_made_plain_again():
    module = prune.l1_unstructured(layer(), "weight", 4)
    assert list(module.state_dict()) == ["bias", "weight_orig", "weight_mask"]
    assert prune.is_pruned(nn.Sequential(module))
    module(ft.ones(2, 4, dtype=ft.float64)).sum().backward()
    assert module.weight_orig.grad.equal(2 * module.weight_mask)
    with no_grad():
        module.weight_orig.fill_(1)
    module(ft.ones(2, 4, dtype=ft.float64))
    assert module.weight.equal(module.weight_mask)
    mask = module.weight_mask
    assert prune.remove(module, "weight") is module and module.weight.equal(mask) and not prune.is_pruned(module)
    assert list(module.state_dict()) == ["bias", "weight"]
    with pytest.raises(ValueError, match="Parameter 'weight' of module Linear.* has to be pruned before"):
        prune.remove(module, "weight")


def test_masks_of_ones_and_of_ones_own():
    module = prune.identity(layer(), "weight")
    assert module.weight_mask.sum().item() == 12
    prune.custom_from_mask(module, "weight", ft.eye(3, 4))
    assert module.weight_mask.equal(ft.eye(3, 4, dtype=ft.float64))


def test_several_tensors_as_one():
    model = nn.Sequential(layer(), layer())
    with no_grad():
        model[1].weight.mul_(10)
    prune.global_unstructured([(model[0], "weight"), (model[1], "weight")], prune.L1Unstructured, amount=0.5)
    assert (model[0].weight_mask == 0).sum().item() + (model[1].weight_mask == 0).sum().item() == 12
    both = ft.cat([model[0].weight_orig.flatten(), model[1].weight_orig.flatten()]).abs()
    kept = ft.cat([model[0].weight_mask.flatten(), model[1].weight_mask.flatten()]) == 1
    assert both[kept].min().item() > both[kept.logical_not()].max().item()


def test_by_scores_and_without_a_module():
    scores = ft.arange(12.0, dtype=ft.float64).reshape(3, 4)
    module = prune.l1_unstructured(layer(), "weight", 5, importance_scores=scores)
    assert module.weight_mask.flatten().tolist() == [0] * 5 + [1] * 7
    assert prune.L1Unstructured(2).prune(ft.tensor([3.0, -1.0, 2.0])).tolist() == [3, 0, 0]


class Checkered(prune.BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask


def test_a_method_of_ones_own():
    module = layer()
    Checkered.apply(module, "weight")
    assert module.weight_mask.tolist() == [[0, 1, 0, 1]] * 3
    assert len(Checkered.apply(module, "weight")) == 2
    assert module.weight_mask.tolist() == [[0, 0, 0, 1]] * 3  # of what was left, in its order


ERRORS = {
    "many": (
        lambda: prune.l1_unstructured(layer(), "weight", 13),
        ValueError,
        "amount=13 should be smaller than the number of parameters to prune=12",
    ),
    "fraction": (
        lambda: prune.l1_unstructured(layer(), "weight", 1.5),
        ValueError,
        "amount=1.5 should either be a float in the range [0, 1] or a non-negative integer",
    ),
    "text": (
        lambda: prune.random_unstructured(layer(), "weight", "all"),
        TypeError,
        "Invalid type for amount: all. Must be int or float.",
    ),
    "vector": (
        lambda: prune.random_structured(layer(), "bias", 1, 0),
        ValueError,
        "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
        "torch.Size([3]) with 1 dims",
    ),
    "dimension": (
        lambda: prune.ln_structured(layer(), "weight", 1, 2, 2),
        IndexError,
        "Invalid index 2 for tensor of size torch.Size([3, 4])",
    ),
    "global": (
        lambda: prune.global_unstructured(3, prune.L1Unstructured, amount=1),
        TypeError,
        "global_unstructured(): parameters is not an Iterable",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name, check_error):
    check_error(*ERRORS[name])


def test_helpers_of_programs_with_methods_of_their_own():
    assert [prune._compute_nparams_toprune(*a) for a in ((0, 15), (1, 15), (1.0, 15), (0.4, 17))] == [0, 1, 15, 7]
    with pytest.raises(ValueError, match="should be smaller than the number of parameters to prune=19"):
        prune._validate_pruning_amount(20, 19)
    with pytest.raises(TypeError, match="Must be int or float"):
        prune._validate_pruning_amount_init("all")
    with pytest.raises(IndexError, match="Invalid index 2"):
        prune._validate_pruning_dim(ft.ones(2, 2), 2)
    with pytest.raises(ValueError, match="multidimensional"):
        prune._validate_structured_pruning(ft.ones(2))
    assert prune._compute_norm(ft.ones(3, 4), 1, 0).tolist() == [4.0, 4.0, 4.0]
