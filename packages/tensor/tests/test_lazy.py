"""Conjugate and negative views: shared memory, computations and errors. The behavior is PyTorch 2.13's."""

import copy
import pickle

import numpy as np
import pytest
from flambeau_tensor._core.schema.registry import operators

import flambeau_tensor as ft
from flambeau_tensor import Operator

Z = np.array([[1 + 2j, 3 - 4j, 0.5j], [-1 - 1j, 2, 7 + 0.25j]])


def conjugate(a=Z):
    """Return a conjugate view with the elements of `a`."""
    return ft.from_numpy(a.conj()).conj()


def negative(a=Z.real):
    return ft.from_numpy(-a)._neg_view()


def test_a_view_on_the_same_memory():
    z = ft.from_numpy(Z.copy())
    c = z.conj()
    assert c.is_conj() and not z.is_conj() and not c.is_neg() and c._base is z and c.data_ptr() == z.data_ptr()
    assert c.tolist() == Z.conj().tolist() and c[0, 1].item() == 3 + 4j
    c.mul_(2)
    assert z.tolist() == (2 * Z).tolist() and c.is_conj() and z._version == 1
    c[0] = 1j
    assert z[0].tolist() == [-1j] * 3
    c[:, 1].copy_(ft.tensor([5j, 6j]))
    assert z[:, 1].tolist() == [-5j, -6j]
    c.fill_(1 + 1j)
    assert z.eq(1 - 1j).all()
    c[ft.tensor([0])] = 4j
    assert z[0].tolist() == [-4j] * 3 and c.conj().tolist() == z.tolist() and not c.conj().is_conj()
    z.copy_(z.conj())
    assert z[0].tolist() == [4j] * 3
    real = ft.ones(2)
    assert real.conj() is real


def test_parts():
    c = conjugate(Z.copy())
    assert c.real.tolist() == Z.real.tolist() and not c.real.is_neg()
    assert c.imag.tolist() == Z.imag.tolist() and c.imag.is_neg() and not c.imag.is_conj()
    assert c.imag.conj().is_neg() and c.imag._neg_view().tolist() == (-Z.imag).tolist()
    c.imag.add_(1)
    c.real = 0
    assert c.tolist() == (1j * (Z.imag + 1)).tolist()
    assert c._neg_view().tolist() == (-1j * (Z.imag + 1)).tolist() and c._neg_view().is_conj() and not c.is_neg()


def test_which_operations_are_views():
    c, n = conjugate(), negative()
    for view in (
        c[0],
        c[:, 1:],
        c.T,
        c.mT,
        c.view(6),
        c.reshape(3, 2),
        c.unsqueeze(0),
        c.expand(2, 2, 3),
        c.diagonal(),
        c.as_strided((2,), (1,)),
        c.to(ft.complex128),
        c.contiguous(),
        c.split(1)[0],
    ):
        assert view.is_conj()
    for copied in (
        c.clone(),
        c.T.reshape(6),
        c.T.contiguous(),
        c.to(ft.complex64),
        c[ft.tensor([0])],
        c[c.real > 0],
        c + 0,
        ft.empty_like(c),
        c.new_zeros(2),
        ft.cat((c, c)),
        c.resolve_conj(),
        ft.tensor(c.tolist()),
    ):
        assert not copied.is_conj()
    assert n[0].is_neg() and n.T.is_neg() and not n.clone().is_neg() and not n.resolve_neg().is_neg()
    assert c.resolve_neg() is c and n.resolve_conj() is n and c.resolve_conj().tolist() == Z.tolist()
    for matrix in (c.mH, c.H, c.adjoint()):
        assert not matrix.is_conj() and matrix.tolist() == Z.conj().T.tolist()
    assert ft.from_numpy(Z).mH.is_conj()
    z = ft.from_numpy(Z.copy()).conj()
    z.t_()
    assert z.is_conj() and z.tolist() == Z.conj().T.tolist()


def test_what_looks_at_memory_refuses():
    c, n = conjugate(), negative()
    with pytest.raises(RuntimeError, match="conjugate bit set. Use tensor.resolve_conj"):
        c.numpy()
    with pytest.raises(RuntimeError, match="negative bit set. Use tensor.resolve_neg"):
        n.numpy()
    with pytest.raises((RuntimeError, BufferError)):
        memoryview(c)
    with pytest.raises(RuntimeError, match="conjugate bit"):
        np.asarray(c)
    np.testing.assert_array_equal(c.numpy(force=True), Z)
    np.testing.assert_array_equal(c.resolve_conj().numpy(), Z)
    for t in (c, n):
        with pytest.raises(BufferError, match="bit set"):
            t.__dlpack__()
        with pytest.raises(RuntimeError, match="view is not supported for"):
            t.view(ft.int64)
    with pytest.raises(RuntimeError, match="view_as_real doesn't work on unresolved conjugated tensors"):
        ft.view_as_real(c)
    assert ft.view_as_real(c.resolve_conj()).shape == (2, 3, 2)
    assert ft.view_as_complex(negative(np.array([1.0, 2.0]))).item() == 1 + 2j


def test_printing_and_pickling():
    c = conjugate(np.array([1 + 2j]))
    assert repr(c) == "tensor([1.+2.j], dtype=torch.complex128)"
    assert repr(c.imag) == "tensor([2.], dtype=torch.float64)"
    for again in (pickle.loads(pickle.dumps(c)), copy.copy(c), copy.deepcopy(c)):
        assert again.tolist() == c.tolist() and again.dtype is c.dtype
    assert pickle.loads(pickle.dumps(c)).is_conj() and pickle.loads(pickle.dumps(c.imag)).is_neg()


@pytest.mark.parametrize(
    "dtype",
    [
        "uint8",
        "int8",
        "int16",
        "int32",
        "int64",
        "float16",
        "bfloat16",
        "float32",
        "float64",
        "complex64",
        "complex128",
    ],
)
def test_negatives_of_every_dtype(dtype):
    t = ft.tensor([[1, 2, 3], [4, 5, 6]], dtype=getattr(ft, dtype))
    n = t.T._neg_view()
    assert (n + 0).tolist() == (-t.T).tolist() == n.clone().tolist() and n.to(ft.complex128).tolist() == (-t.T).to(
        ft.complex128
    ).tolist()
    n.add_(1)
    assert t.tolist() == (ft.tensor([[1, 2, 3], [4, 5, 6]], dtype=t.dtype) - 1).tolist()


def test_results_in_given_tensors():
    z, out = ft.from_numpy(Z), ft.zeros(2, 3, dtype=ft.complex128)
    assert ft.add(z, 1, out=out.conj()).is_conj() and out.tolist() == (Z + 1).conj().tolist()
    grown = ft.zeros(0, dtype=ft.complex128)
    view = grown.conj()
    assert ft.mul(z, 2, out=view) is view and view.tolist() == (2 * Z).tolist() and view.is_conj()
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        ft.zeros(1, dtype=ft.complex64).expand(3).conj().add_(1)


def test_matrix_products():
    a, b = conjugate(), conjugate(Z.T.copy())
    np.testing.assert_allclose((a @ b).numpy(), Z @ Z.T)
    np.testing.assert_allclose((a @ a.mH).resolve_conj().numpy(), Z @ Z.conj().T)
    np.testing.assert_allclose(ft.vdot(a[0], a[1]).item(), np.vdot(Z[0], Z[1]))
    np.testing.assert_allclose(ft.einsum("ij,kj->ik", a, a).numpy(), Z @ Z.T)


# --- every operator -------------------------------------------------------------------------------------------------


def _calls():
    """Yield operators with one or two tensors as arguments."""
    for op in operators().values():
        arguments = [a for a in op.schema.arguments if not a.has_default]
        if arguments and all(a.type == "Tensor" for a in arguments) and len(arguments) <= 2 and not op.writes:
            yield op, len(arguments)


def _results(result):
    if isinstance(result, ft.Tensor):
        return [result.resolve_conj().resolve_neg()]
    return [r for item in result for r in _results(item)] if isinstance(result, (tuple, list)) else [result]


MEMORY = {
    "data_ptr",
    "untyped_storage",
    "numpy",
    "is_conj",
    "is_neg",
    "_base",
    "_version",
    "resolve_conj",
    "resolve_neg",
    "is_set_to",
    "share_memory_",
    "_is_view",
    "__reduce_ex__",
    "view_as_real",
    "data",
    "storage",
    "storage_type",
    "__array__",
    "__dlpack__",
    "requires_grad_",
    "empty_like",
    "rand_like",
    "randn_like",
    "bernoulli",
    "dropout",
    "normal",
    "detach_",
    "svd_lowrank",
    "pca_lowrank",
    "_typed_storage",
    "_standard_gamma",
    "_sample_dirichlet",
    "poisson",
    "binomial",
}


@pytest.mark.filterwarnings("ignore:non-inplace resize")
@pytest.mark.filterwarnings("ignore:volatile was removed")
@pytest.mark.parametrize(
    "op, n", [pytest.param(op, n, id=op.__torch_name__) for op, n in _calls() if op.name not in MEMORY]
)
def test_every_operator_reads_what_is_meant(op, n):
    for lazy, plain in (
        (conjugate(Z[:, :2].copy()), ft.from_numpy(Z[:, :2].copy())),
        (negative(abs(Z.real[:, :2]) / 9), ft.from_numpy(abs(Z.real[:, :2]) / 9)),
    ):
        try:
            expected = op(*[plain] * n)
        except (RuntimeError, TypeError, IndexError, ValueError, NotImplementedError, AttributeError):
            continue
        for a, b in zip(_results(op(*[lazy] * n)), _results(expected), strict=True):
            if isinstance(a, ft.Tensor):
                np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-12, atol=1e-12)
            else:
                assert a == b


def test_the_list_of_operators_is_long():
    assert sum(1 for _ in _calls()) > 150 and isinstance(next(_calls())[0], Operator)
