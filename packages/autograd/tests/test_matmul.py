"""Derivatives of matrix and vector products, by each factor and in forward mode, real and complex."""

import pytest

import flambeau_tensor as torch
from flambeau_tensor.extend import find_operator

linear = find_operator("torch.nn.functional.linear")
CASES = {
    "mm": (torch.mm, (2, 3), (3, 4)),
    "bmm": (torch.bmm, (2, 2, 3), (2, 3, 2)),
    "mv": (torch.mv, (2, 3), (3,)),
    "dot": (torch.dot, (3,), (3,)),
    "vdot": (torch.vdot, (3,), (3,)),
    "outer": (torch.outer, (2,), (3,)),
    "matmul": (torch.matmul, (2, 2, 3), (3, 2)),
    "inner": (torch.inner, (2, 3), (2, 3)),
    "addmm": (lambda s, a, b: torch.addmm(s, a, b, beta=0.5, alpha=2), (2, 2), (2, 3), (3, 2)),
    "addmm, a row": (torch.addmm, (2,), (2, 3), (3, 2)),
    "addmv": (lambda s, a, b: torch.addmv(s, a, b, beta=0.5, alpha=2), (2,), (2, 3), (3,)),
    "baddbmm": (lambda s, a, b: torch.baddbmm(s, a, b, beta=0.5, alpha=2), (2, 2), (2, 2, 3), (2, 3, 2)),
    "addr": (torch.addr, (2, 3), (2,), (3,)),
    "linear": (linear, (2, 3), (4, 3), (4,)),
    "linear without bias": (linear, (2, 3), (4, 3)),
    "linear of a vector": (linear, (3,), (4, 3)),
    "linear to a number": (linear, (2, 3), (3,)),
    "einsum": (lambda a, b: torch.einsum("ij,kj->ik", a, b), (2, 3), (4, 3)),
}


@pytest.mark.parametrize("complex", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_products(name, complex, random, check):
    function, *shapes = CASES[name]
    check(function, *[random(*shape, complex=complex) for shape in shapes])


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
