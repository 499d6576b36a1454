"""``torch.nn.functional`` as a whole: what is in it, what can be overridden, what is not built."""
import inspect
import pickle

import pytest
from flambeau_tensor._core.registry import operators

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_nn import functional as F
from flambeau_nn.modules import _missing
from flambeau_nn.ops import INTERNAL, missing
from flambeau_tensor import Operator

OPERATORS = {name: op for name, op in vars(F).items() if isinstance(op, Operator) and not name.endswith("_")}


def test_first_names():
    names = sorted(name for name in vars(F) if not name.startswith("_"))
    assert names[:5] == ["adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
                         "adaptive_max_pool1d_with_indices"]


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
    args = [None if a.type.endswith("?") else Duck() if a.type == "Tensor" else 1 for a in required]
    assert op(*args) == "quack" and seen == [op]


@pytest.mark.parametrize("name", OPERATORS)
def test_every_function_is_described(name):
    op = OPERATORS[name]
    assert op.__doc__ and str(inspect.signature(op)).startswith("(") and pickle.loads(pickle.dumps(op)) is op


def test_derivatives_are_complete():
    """Every operator that records has a rule."""
    for name, op in operators().items():
        if name.startswith((INTERNAL, "torch.nn.functional")) and op.records:
            assert op.rule is not None, name


@pytest.mark.parametrize("name", missing.MISSING)
def test_functions_that_are_not_built(name):
    with pytest.raises(NotImplementedError, match=rf"torch\.nn\.functional\.{name} is not built"):
        getattr(F, name)(ft.ones(1))


@pytest.mark.parametrize("name", _missing.MISSING)
def test_layers_that_are_not_built(name):
    layer = getattr(nn, name)
    assert issubclass(layer, nn.Module) and not isinstance(nn.ReLU(), layer) and getattr(nn, name) is layer
    made = layer(1, 2, bias=False)
    with pytest.raises(NotImplementedError, match=rf"torch\.nn\.{name} is not built"):
        made(ft.ones(1))


def test_utilities_that_are_not_built():
    with pytest.raises(NotImplementedError, match=r"torch\.nn\.utils\.parametrize is not built"):
        from flambeau_nn.utils import parametrize  # noqa: F401


def test_unknown_names():
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        nn.Nonsense  # noqa: B018
