"""Derivatives of matrix and vector products, by each factor and in forward mode, real and complex."""

import pytest

import flambeau_tensor as torch
from flambeau_tensor.extend import find_operator
from samples.derivatives import check_batches, check_derivatives

linear = find_operator("torch.nn.functional.linear")


@pytest.mark.parametrize("moving", range(3))
def test_tangents_of_one_argument(moving, random, check_tangents):
    """The others are constants: what is added to a product has no part in the product's tangent."""
    shapes = [(2, 2), (2, 3), (3, 2)]
    constants = [random(*shape, requires_grad=False) for shape in shapes]

    def function(x):
        return torch.addmm(*constants[:moving], x, *constants[moving + 1 :])

    check_tangents(function, random(*shapes[moving]))
    shapes = [(2, 3), (4, 3), (4,)]
    constants = [random(*shape, requires_grad=False) for shape in shapes]
    check_tangents(lambda x: linear(*constants[:moving], x, *constants[moving + 1 :]), random(*shapes[moving]))


@pytest.mark.parametrize("function", [torch.addr, torch.addmm, torch.addmv, torch.addbmm, torch.baddbmm])
def test_the_gradient_of_what_is_not_read_is_zero(function, random):
    shapes = {
        torch.addr: ((3,), (3,)),
        torch.addmm: ((3, 2), (2, 3)),
        torch.addmv: ((3, 2), (2,)),
        torch.addbmm: ((2, 3, 2), (2, 2, 3)),
        torch.baddbmm: ((2, 3, 2), (2, 2, 3)),
    }[function]
    start = torch.full((3,), float("nan"), dtype=torch.float64, requires_grad=True)
    out = function(start, *(random(*shape, requires_grad=False) for shape in shapes), beta=0)
    out.sum().backward()
    assert start.grad.tolist() == [0, 0, 0] and not out.isnan().any()


TestDerivatives = check_derivatives("tensor.matmul")
TestBatches = check_batches("tensor.matmul")
