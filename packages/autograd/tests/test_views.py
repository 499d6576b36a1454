"""Derivatives of views, of copies and of writing, in both modes."""
import pytest

import flambeau_tensor as torch

CASES = {
    "view": lambda x: x.view(4, 3), "reshape": lambda x: x.t().reshape(12), "flatten": torch.flatten,
    "transpose": lambda x: x.transpose(0, 1) * 2, "permute": lambda x: x.permute(1, 0), "t": lambda x: x.t(),
    "T": lambda x: x.T, "mH": lambda x: x.mH, "squeeze": lambda x: x.unsqueeze(1).squeeze(),
    "expand": lambda x: x.unsqueeze(1).expand(3, 2, 4), "select": lambda x: x.select(1, -2),
    "narrow": lambda x: x.narrow(1, -3, 2), "diagonal": lambda x: x.diagonal(1), "unfold": lambda x: x.unfold(1, 2, 1),
    "as_strided": lambda x: x.as_strided((2, 3), (4, 1), 1),
    "as_strided, overlapping": lambda x: x.as_strided((3, 3), (1, 1)),
    "as_strided of a transposed one": lambda x: x.t().as_strided((3, 2), (4, 1)),
    "clone": torch.clone, "contiguous": lambda x: x.t().contiguous(),
    "copy_": lambda x: torch.zeros(2, 3, 4, dtype=x.dtype).copy_(x), "zero_": lambda x: x + x.clone().zero_(),
    "fill_": lambda x: x * torch.zeros(3, 4, dtype=x.dtype).fill_(x[0, 0]),
}


@pytest.mark.parametrize("complex", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_views(name, complex, random, check):
    check(CASES[name], random(3, 4, complex=complex))


@pytest.mark.parametrize("function", [
    torch.real, torch.imag, torch.view_as_real, lambda z: torch.view_as_complex(torch.view_as_real(z) * 2),
    lambda z: torch.complex(z.imag, z.real), torch.conj, lambda z: z.to(torch.complex128),
])
def test_parts_of_complex_numbers(function, random, check):
    check(function, random(3, complex=True))


def test_writing_random_numbers_ends_tangents(random, check_tangents):
    check_tangents(lambda x: x + x.clone().uniform_() * 0, random(3))
