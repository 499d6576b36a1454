"""Which operators have batching rules, and what ``vmap`` says of wrong arguments. Values are in the families' tests."""

import pytest

import flambeau_tensor as torch
from flambeau_autograd.batching.table import looped as looped_rule
from flambeau_autograd.batching.table import rule_of
from flambeau_autograd.func import vmap
from flambeau_nn import functional as F
from flambeau_nn.ops import INTERNAL, NAMESPACE
from flambeau_tensor.extend import operators

# Their examples run one after the other: attention is a composition under transforms, whose parts have rules; layers
# and losses over time have lengths and weights that may differ between examples, bags have indices, and sets of labels
# are rarely of examples.
LOOPED = {
    f"{INTERNAL}.{name}{end}"
    for name in ("attention", "ctc_loss", "lstm_layer", "rnn_layer", "embedding_bags", "multilabel_margin")
    for end in ("", "_backward")
}


def test_every_operator_has_a_rule():
    vmap(torch.sin)(torch.ones(2))  # loads the rules of families that are declared by now
    left = {
        name
        for name, op in operators().items()
        if name.startswith((INTERNAL, NAMESPACE)) and not op.is_composite and rule_of(op) is looped_rule
    }
    assert left == LOOPED


def test_errors_are_those_of_one_example():
    with pytest.raises(RuntimeError, match="no more than twice the number of dimensions"):
        vmap(lambda x: F.pad(x, (1, 1, 1, 1)))(torch.ones(3, 4))
    with pytest.raises(IndexError, match="Target 7 is out of bounds"):
        vmap(F.cross_entropy)(torch.ones(2, 3, 4), torch.full((2, 3), 7))
    with pytest.raises(ValueError, match="not a valid value for reduction"):
        vmap(lambda x: F.mse_loss(x, x, reduction="all"))(torch.ones(2, 3))
