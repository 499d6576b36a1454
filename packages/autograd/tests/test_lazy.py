"""Gradients, tangents and batches through conjugate and negative views."""

import pytest

import flambeau_tensor as torch
from flambeau_autograd import forward_ad as fwAD
from flambeau_autograd.func import vmap
from flambeau_autograd.gradcheck import gradcheck, gradgradcheck

FUNCTIONS = {
    "conj": lambda z: z.conj() * 2,
    "imag": lambda z: z.conj().imag.exp(),
    "real": lambda z: z.conj().real * z.imag,
    "adjoint": lambda z: z.mH @ z,
    "both": lambda z: z.conj() * z.conj(),
    "negative": lambda z: z._neg_view() * z,
    "view of it": lambda z: z.conj().T.reshape(-1)[1:],
    "resolved": lambda z: torch.view_as_real(z.conj().resolve_conj()) * 3,
    "parts as numbers": lambda z: torch.view_as_complex(torch.view_as_real(z)._neg_view()) * z,
    "index": lambda z: z.conj()[torch.tensor([1, 0, 1])],
    "joined": lambda z: torch.cat((z.conj(), z)),
}


@pytest.fixture
def z():
    torch.manual_seed(0)
    return torch.randn(2, 3, dtype=torch.complex128, requires_grad=True)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients(z, name):
    assert gradcheck(FUNCTIONS[name], (z,), check_forward_ad=True)
    assert gradgradcheck(FUNCTIONS[name], (z,))


WRITES = {
    "scaled": lambda c: c.mul_(2 + 1j),
    "part": lambda c: c.imag.mul_(c.real + 2),
    "row": lambda c: c[0].mul_(1j),
    "assigned": lambda c: c.__setitem__(0, c[1] * 1j),
    "at an index": lambda c: c.__setitem__(torch.tensor([0]), c[1] * 1j),
    "view of a view": lambda c: c.T[1:].conj().mul_(3j),
    "negative": lambda c: c._neg_view().add_(c * 1j),
    "overwritten": lambda c: c.copy_(c.T.reshape(2, 3).conj()),
}


@pytest.mark.parametrize("name", WRITES)
def test_gradients_through_writes(z, name):
    def function(z):
        y = z * 1
        view = y.conj()
        WRITES[name](view)
        return y * view

    def reference(z):
        c = (z * 1).conj().resolve_conj()
        WRITES[name](c)
        return c.conj().resolve_conj() * c

    assert torch.allclose(function(z), reference(z))
    assert gradcheck(function, (z,), check_forward_ad=True)


def test_what_is_recorded(z):
    y = z.conj()
    assert y.is_conj() and y.grad_fn.name() == "ConjBackward0" and (y * y).grad_fn.name() == "MulBackward0"
    assert (y * y).grad_fn._saved_self.is_conj() and y.detach().is_conj()
    (y * (2 + 1j)).real.sum().backward()
    assert z.grad[0, 0].item() == 2 + 1j


def test_an_early_change_is_noticed(z):
    y = z * 1
    product = y.conj() * y.conj()
    y.conj().mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.real.sum().backward()


def test_transforms(z):
    z = z.detach()
    assert torch.equal(vmap(torch.conj)(z), z.conj()) and vmap(lambda r: r.conj().imag)(z).equal(-z.imag)
    assert vmap(lambda r: r.conj())(z).is_conj()
    assert torch.allclose(vmap(lambda r, c: torch.dot(r.conj(), c), (0, None))(z, z[0]), z.conj() @ z[0])
    with fwAD.dual_level():
        y = fwAD.make_dual(z.clone(), z * 2).conj()
        y.mul_(1j)
        primal, tangent = fwAD.unpack_dual(y)
        assert torch.allclose(primal, z.conj() * 1j) and torch.allclose(tangent, 2j * z.conj())
