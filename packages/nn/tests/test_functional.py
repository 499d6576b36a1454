"""``torch.nn.functional`` as a whole: what is in it, what can be overridden, what is not built."""

import inspect
import pickle
import re

import pytest

import flambeau_nn as nn
from flambeau_nn import functional as F
from flambeau_nn import optim, utils
from flambeau_nn.ops import INTERNAL
from flambeau_tensor import Operator
from flambeau_tensor.extend import operators
from flambeau_tensor.not_built import NotBuiltError, names_of_pytorch

OPERATORS = {name: op for name, op in vars(F).items() if isinstance(op, Operator) and not name.endswith("_")}


def test_first_names():
    names = sorted(name for name in vars(F) if name[0].islower())
    assert names[:5] == [
        "adaptive_avg_pool1d",
        "adaptive_avg_pool2d",
        "adaptive_avg_pool3d",
        "adaptive_max_pool1d",
        "adaptive_max_pool1d_with_indices",
    ]


@pytest.mark.parametrize("name", OPERATORS)
def test_every_function_can_be_overridden(name):
    seen = []

    class Duck:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append(func)
            return "quack"

    op = OPERATORS[name]
    required = [a for a in op.schema.arguments if not a.has_default]
    tensors = [a for a in required if a.type.startswith("Tensor")]
    assert tensors, "a function without a tensor"
    ints = {"int[]": (1,)}
    args = [None if a.type.endswith("?") else Duck() if a.type == "Tensor" else ints.get(a.type, 1) for a in required]
    assert op(*args) == "quack" and seen == [op]


@pytest.mark.parametrize("name", OPERATORS)
def test_every_function_is_described(name):
    op = OPERATORS[name]
    assert op.__doc__ and str(inspect.signature(op)).startswith("(") and pickle.loads(pickle.dumps(op)) is op


def test_derivatives_are_complete():
    """Every operator that records has a rule."""
    for name, op in operators().items():
        if name.startswith((INTERNAL, "torch.nn.functional")) and op.records:
            assert op.derivative is not None, name


@pytest.mark.parametrize(
    "place, module",
    [
        ("torch.nn", nn),
        ("torch.nn.functional", F),
        ("torch.nn.utils", utils),
        ("torch.nn.init", nn.init),
        ("torch.optim", optim),
        ("torch.optim.lr_scheduler", optim.lr_scheduler),
    ],
)
def test_every_name_of_pytorch_is_here_or_says_that_it_is_not_built(place, module):
    names = names_of_pytorch()[place]
    assert len(names) > 10
    for name in names:
        if not hasattr(module, name):
            with pytest.raises(NotBuiltError, match=rf"^{re.escape(place)}\.{name} is not built"):
                getattr(module, name)
    with pytest.raises(AttributeError, match=f"module '{re.escape(place)}' has no attribute 'Nonsense'") as caught:
        module.Nonsense  # noqa: B018
    assert not isinstance(caught.value, NotBuiltError)
