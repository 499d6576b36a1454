"""What beginners get wrong: the type of the exception and what it says, beside PyTorch 2.13."""

import numpy as np
import pytest

import flambeau as torch
import flambeau.nn.functional as F
from flambeau import nn, optim

X, Y = torch.ones(2, 3), torch.tensor([0, 1])


class WithoutSuper(nn.Module):
    def __init__(self):
        self.layer = nn.Linear(1, 1)


class WithoutForward(nn.Module):
    pass


def changed_in_place():
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    y += 1
    y.sum().backward()


def twice():
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    y.backward()
    y.backward()


def assigned():
    nn.Linear(3, 4).weight = torch.ones(4, 3)


MISTAKES = {
    "sizes of a layer": (lambda: nn.Linear(3, 4)(torch.ones(2, 5)), RuntimeError, "cannot be multiplied (2x5 and 3x4)"),
    "dtype of a layer's input": (lambda: nn.Linear(3, 4)(X.double()), RuntimeError, "must have the same dtype"),
    "an array for a tensor": (lambda: nn.Linear(3, 4)(np.ones((2, 3))), TypeError, "must be Tensor, not"),
    "channels": (lambda: nn.Conv2d(3, 8, 3)(torch.ones(1, 1, 8, 8)), RuntimeError, "expected input[1, 1, 8, 8]"),
    "a layer of a list": (lambda: nn.Sequential([nn.Linear(3, 4)]), TypeError, "list is not a Module subclass"),
    "super().__init__()": (
        WithoutSuper,
        AttributeError,
        "cannot assign module before Module.__init__() call",
    ),
    "no forward": (
        lambda: WithoutForward()(X),
        NotImplementedError,
        'Module [WithoutForward] is missing the required "forward" function',
    ),
    "one batch for batch norm": (
        lambda: nn.BatchNorm1d(4)(torch.ones(1, 4)),
        ValueError,
        "Expected more than 1 value per channel when training, got input size torch.Size([1, 4])",
    ),
    "index of an embedding": (lambda: nn.Embedding(4, 3)(torch.tensor([4])), IndexError, "index out of range in self"),
    "dtype of classes": (
        lambda: F.cross_entropy(X, Y.int()),
        RuntimeError,
        "expected target dtype to be Long or Byte, but got Int",
    ),
    "classes as floats": (
        lambda: F.cross_entropy(X, torch.ones(2)),
        RuntimeError,
        "expected target dtype to be Long or Byte, but got Float",
    ),
    "a class that there is not": (
        lambda: F.cross_entropy(X, torch.tensor([0, 3])),
        IndexError,
        "Target 3 is out of bounds.",
    ),
    "batches of a loss": (
        lambda: F.cross_entropy(X, torch.tensor([0, 1, 2])),
        ValueError,
        "Expected input batch_size (2) to match target batch_size (3).",
    ),
    "shapes of a loss": (
        lambda: nn.BCELoss()(torch.ones(2, 1), torch.ones(2)),
        ValueError,
        "Using a target size (torch.Size([2])) that is different to the input size (torch.Size([2, 1]))",
    ),
    "what is no probability": (
        lambda: nn.BCELoss()(torch.ones(2) * 2, torch.ones(2)),
        RuntimeError,
        "all elements of input should be between 0 and 1",
    ),
    "dimensions of triplets": (
        lambda: F.triplet_margin_loss(X, X, torch.ones(2)),
        RuntimeError,
        "have the same number of dimensions, but got: anchor 2D, positive 2D, and negative 1D inputs",
    ),
    "inner sizes": (lambda: X @ X, RuntimeError, "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
    "sizes that do not broadcast": (
        lambda: X + torch.ones(2, 2),
        RuntimeError,
        "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1",
    ),
    "a view of another size": (lambda: X.view(4), RuntimeError, "shape '[4]' is invalid for input of size 6"),
    "a view across strides": (lambda: X.t().view(6), RuntimeError, "Use .reshape(...) instead."),
    "a dimension in pieces": (
        lambda: X.unflatten(1, (2, 2)),
        RuntimeError,
        "unflatten: Provided sizes [2, 2] don't multiply up to the size of dim 1 (3) in the input tensor",
    ),
    "too many indices": (lambda: X[0, 0, 0], IndexError, "too many indices for tensor of dimension 2"),
    "an index beyond the end": (lambda: X[2], IndexError, "index 2 is out of bounds for dimension 0 with size 2"),
    "item of many": (lambda: X.item(), RuntimeError, "a Tensor with 6 elements cannot be converted to Scalar"),
    "truth of many": (lambda: bool(X), RuntimeError, "Boolean value of Tensor with more than one value is ambiguous"),
    "numpy of what has a gradient": (
        lambda: torch.ones(2, requires_grad=True).numpy(),
        RuntimeError,
        "Use tensor.detach().numpy() instead.",
    ),
    "writing to a leaf": (
        lambda: torch.ones(2, requires_grad=True).add_(1),
        RuntimeError,
        "a leaf Variable that requires grad is being used in an in-place operation.",
    ),
    "writing to what backward needs": (
        changed_in_place,
        RuntimeError,
        "one of the variables needed for gradient computation has been modified by an inplace operation",
    ),
    "backward twice": (twice, RuntimeError, "Trying to backward through the graph a second time"),
    "backward of many": (
        lambda: torch.ones(2, requires_grad=True).exp().backward(),
        RuntimeError,
        "grad can be implicitly created only for scalar outputs",
    ),
    "backward of a constant": (
        lambda: torch.ones(2).sum().backward(),
        RuntimeError,
        "element 0 of tensors does not require grad and does not have a grad_fn",
    ),
    "gradients of integers": (
        lambda: torch.ones(2, dtype=torch.int64, requires_grad=True),
        RuntimeError,
        "floating point",
    ),
    "a tensor for a parameter": (
        assigned,
        TypeError,
        "cannot assign 'torch.FloatTensor' as parameter 'weight' (torch.nn.Parameter or None expected)",
    ),
    "keys of a state": (
        lambda: nn.Linear(3, 4).load_state_dict({"module.weight": torch.ones(4, 3)}),
        RuntimeError,
        'Unexpected key(s) in state_dict: "module.weight"',
    ),
    "sizes of a state": (
        lambda: nn.Linear(3, 4).load_state_dict({"weight": torch.ones(4, 4), "bias": torch.ones(4)}),
        RuntimeError,
        "size mismatch for weight: copying a param with shape torch.Size([4, 4]) from checkpoint, the shape in current "
        "model is torch.Size([4, 3]).",
    ),
    "no parameters": (lambda: optim.SGD([], lr=0.1), ValueError, "optimizer got an empty parameter list"),
    "parameters that are results": (
        lambda: optim.SGD([torch.ones(2, requires_grad=True) * 2], lr=0.1),
        ValueError,
        "can't optimize a non-leaf Tensor",
    ),
    "a device that is not there": (lambda: X.to("cuda"), AssertionError, "Torch not compiled with CUDA enabled"),
    "no such device": (lambda: torch.device("gpu"), RuntimeError, "device type at start of device string: gpu"),
    "a dtype by its name": (
        lambda: torch.set_default_dtype("float32"),
        TypeError,
        "invalid dtype object: only floating-point types are supported as the default type",
    ),
    "an array of texts": (
        lambda: torch.tensor(np.array(["a"])),
        TypeError,
        "can't convert np.ndarray of type numpy.str_. The only supported types are: float64,",
    ),
    "rows of unequal length": (
        lambda: torch.tensor([[1, 2], [3]]),
        ValueError,
        "expected sequence of length 2 at dim 1 (got 1)",
    ),
    "an operand of a list": (
        lambda: torch.exp([1.0]),
        TypeError,
        "exp(): argument 'input' (position 1) must be Tensor",
    ),
    "a mean of integers": (lambda: torch.mean(Y), RuntimeError, "could not infer output dtype"),
    "compiling a number": (
        lambda: torch.compile(5),
        AssertionError,
        "A callable function is expected, but <class 'int'>",
    ),
    "scripting a number": (lambda: torch.jit.script(5), TypeError, "<class 'int'> is a built-in class"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_told(mistake):
    function, kind, text = MISTAKES[mistake]
    with pytest.raises(kind) as caught:
        function()
    assert text in str(caught.value)
