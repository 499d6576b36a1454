"""Sparse tensors: against dense ones, and numbers and texts of PyTorch 2.13."""

import copy
import io
import pickle
from pathlib import Path

import pytest

import flambeau as torch
from flambeau.autograd import gradcheck
from flambeau_tensor.not_built import NotBuiltError

FILES = Path(__file__).parent / "files"
PLACES = [[0, 1, 1, 0], [2, 0, 2, 2]]


def some(dtype=torch.float64, **options):
    return torch.sparse_coo_tensor(PLACES, [3.0, 4.0, 5.0, 1.0], (2, 3), dtype=dtype, **options)


DENSE = [[0.0, 0.0, 4.0], [4.0, 0.0, 5.0]]


def test_coo():
    x = some(torch.float32)
    assert isinstance(x, torch.Tensor) and x.is_sparse and x.layout is torch.sparse_coo and not x.is_coalesced()
    assert (x.shape, x.dtype, x.ndim, x.numel(), x._nnz(), x.sparse_dim(), x.dense_dim()) == (
        (2, 3),
        torch.float32,
        2,
        6,
        4,
        2,
        0,
    )
    assert x.to_dense().tolist() == DENSE
    with pytest.raises(RuntimeError, match="Cannot get indices on an uncoalesced tensor"):
        x.indices()
    c = x.coalesce()
    assert c.is_coalesced() and c.coalesce() is c
    assert c.indices().tolist() == [[0, 1, 1], [2, 0, 2]] and c.values().tolist() == [4, 4, 5]
    assert (
        repr(c)
        == """tensor(indices=tensor([[0, 1, 1],
                       [2, 0, 2]]),
       values=tensor([4., 4., 5.]),
       size=(2, 3), nnz=3, layout=torch.sparse_coo)"""
    )  # as PyTorch prints it


def test_csc():
    x = some().to_sparse_csc()
    assert x.layout is torch.sparse_csc and not x.is_sparse and not x.is_sparse_csr
    assert x.ccol_indices().tolist() == [0, 1, 1, 3] and x.row_indices().tolist() == [1, 0, 1]
    assert x.values().tolist() == [4, 4, 5] and x.to_dense().tolist() == DENSE
    assert torch.equal(some().mT.to_dense(), some().to_dense().t()) and x.mT.layout is torch.sparse_csr
    turned = x.t()
    assert turned.layout is torch.sparse_csr and turned.to_dense().tolist() == some().to_dense().t().tolist()
    assert turned.crow_indices().tolist() == [0, 1, 1, 3] and turned.t().layout is torch.sparse_csc
    again = torch.sparse_csc_tensor([0, 1, 1, 3], [1, 0, 1], [4.0, 4.0, 5.0], (2, 3), dtype=torch.float64)
    for way in (again, some().to_sparse(layout=torch.sparse_csc), torch.tensor(DENSE).double().to_sparse_csc()):
        assert way.layout is torch.sparse_csc and torch.equal(way.to_dense(), x.to_dense())
    assert x.to_sparse().is_coalesced() and x.to_sparse().indices().tolist() == [[0, 1, 1], [2, 0, 2]]
    assert x.to_sparse_csr().col_indices().tolist() == [2, 0, 2]
    dense = torch.arange(6.0, dtype=torch.float64).reshape(3, 2)
    assert torch.equal(x @ dense, x.to_dense() @ dense)
    product = x @ x.t()
    assert product.layout is torch.sparse_csr and torch.equal(product.to_dense(), x.to_dense() @ x.to_dense().t())
    assert torch.equal((x + x).to_dense(), 2 * x.to_dense()) and (x + x).layout is torch.sparse_csc
    with pytest.raises(
        RuntimeError, match="crow_indices expected sparse row compressed tensor layout but got SparseCsc"
    ):
        x.crow_indices()
    assert (
        repr(again.float())
        == """tensor(ccol_indices=tensor([0, 1, 1, 3]),
       row_indices=tensor([1, 0, 1]),
       values=tensor([4., 4., 5.]), size=(2, 3), nnz=3,
       layout=torch.sparse_csc)"""
    )  # as PyTorch prints it


def test_rows_of_vectors():
    x = torch.sparse_csr_tensor([0, 1, 3], [2, 0, 2], torch.arange(6.0).reshape(3, 2))
    assert x.shape == (2, 3, 2) and x.dense_dim() == 1 and x.crow_indices().tolist() == [0, 1, 3]
    assert torch.equal(x.to_sparse_csc().to_dense(), x.to_dense())
    assert torch.equal(x.transpose(0, 1).to_dense(), x.to_dense().transpose(0, 1))
    assert torch.equal(x.to_dense()[1, 2], torch.tensor([4.0, 5.0]))


def test_reductions_of_products():
    x = torch.sparse_csr_tensor([0, 0, 2], [0, 2], [2.0, -1.0], (2, 3), requires_grad=True)
    dense = torch.tensor([[1.0, 2.0], [5.0, 5.0], [3.0, -4.0]], requires_grad=True)
    expected = {"sum": [-1, 8], "mean": [-0.5, 4], "amax": [2, 4], "amin": [-3, 4]}  # as in PyTorch
    for how, row in expected.items():
        assert torch.sparse.mm(x, dense, how).tolist() == [[0, 0], row]
    torch.sparse.mm(x, dense, "amax")[1, 0].backward()
    assert dense.grad.tolist() == [[2, 0], [0, 0], [0, 0]] and x.grad.values().tolist() == [1, 0]
    with pytest.raises(RuntimeError, match="reduce argument must be either"):
        torch.sparse.mm(x, dense, "median")


def test_saving(tmp_path):
    for x in (some(), some().coalesce(), some().to_sparse_csr(), some().to_sparse_csc()):
        torch.save(x, tmp_path / "x.pt")
        again = torch.load(tmp_path / "x.pt", weights_only=False)
        assert again.layout is x.layout and torch.equal(again.to_dense(), x.to_dense())
        assert not x.is_sparse or again.is_coalesced() == x.is_coalesced()


def test_index_select():
    for x in (some(), some().to_sparse_csr(), some().to_sparse_csc()):
        for dim, index in ((0, [1, 0, 1]), (1, [2, 2, 0]), (-1, [1])):
            index = torch.tensor(index)
            out = x.index_select(dim, index)
            assert out.layout is x.layout and torch.equal(out.to_dense(), x.to_dense().index_select(dim, index))
    vectors = torch.sparse_coo_tensor([[0, 1]], torch.arange(6.0).reshape(2, 3), (2, 3))
    out = vectors.index_select(1, torch.tensor([2, 0]))
    assert torch.equal(out.to_dense(), vectors.to_dense()[:, [2, 0]])


def test_places_of_rows():
    rows = torch._convert_indices_from_coo_to_csr(torch.tensor([0, 0, 2]), 4)
    assert rows.tolist() == [0, 2, 2, 3, 3]
    places = torch._convert_indices_from_csr_to_coo(rows, torch.tensor([1, 2, 0]))
    assert places.tolist() == [[0, 0, 2], [1, 2, 0]]
    assert torch.sparse_coo_tensor(size=(2, 3)).to_dense().tolist() == [[0] * 3] * 2
    older = torch.sparse.FloatTensor(places, torch.tensor([1, 2, 3]), (3, 3))
    assert older.dtype is torch.float32 and torch.equal(torch.dsmm(older, torch.eye(3)), older.to_dense())


def test_csr():
    x = some().to_sparse_csr()
    assert x.is_sparse_csr and not x.is_sparse and x.layout is torch.sparse_csr
    assert x.crow_indices().tolist() == [0, 1, 3] and x.col_indices().tolist() == [2, 0, 2]
    assert x.values().tolist() == [4, 4, 5] and x.to_dense().tolist() == DENSE
    again = torch.sparse_csr_tensor([0, 1, 3], [2, 0, 2], [4.0, 4.0, 5.0], (2, 3))
    assert torch.equal(again.to_dense(), x.to_dense().float()) and x.to_sparse().is_coalesced()
    assert (
        repr(again)
        == """tensor(crow_indices=tensor([0, 1, 3]),
       col_indices=tensor([2, 0, 2]),
       values=tensor([4., 4., 5.]), size=(2, 3), nnz=3,
       layout=torch.sparse_csr)"""
    )
    with pytest.raises(RuntimeError, match="crow_indices"):
        torch.sparse_csr_tensor([0, 2, 1], [0], [1.0])


def test_from_dense_and_back():
    x = torch.tensor(DENSE, requires_grad=True)
    s = x.to_sparse()
    assert s.is_coalesced() and s.values().tolist() == [4, 4, 5] and torch.equal(s.to_dense(), x)
    (s.to_dense() * 2).sum().backward()
    assert x.grad.tolist() == [[0, 0, 2], [2, 0, 2]]  # PyTorch's: of what is stored
    hybrid = x.detach().to_sparse(1)
    assert hybrid.dense_dim() == 1 and torch.equal(hybrid.to_dense(), x.detach())
    assert x.to_dense() is x and torch.equal(x.to_sparse_csr().to_dense(), x)


@pytest.mark.parametrize(
    ("indices", "values", "size", "message"),
    [
        (
            [[0, 2], [0, 0]],
            [1.0, 2.0],
            (2, 2),
            "size is inconsistent with indices: for dim 0, size is 2 but found index 2",
        ),
        ([[0, -1]], [1.0, 2.0], (2,), "found negative index -1 for dim 0"),
        ([[0, 1]], [1.0], (2,), "same nnz"),
        ([[0]], [1.0], (2, 2), "number of dimensions"),
        ([0], [1.0], (2,), "sparse_dim x nnz"),
    ],
)
def test_arguments_are_checked(indices, values, size, message):
    with pytest.raises(RuntimeError, match=message):
        torch.sparse_coo_tensor(indices, values, size)


def test_products():
    a, d = some(), torch.arange(6.0, dtype=torch.float64).reshape(3, 2)
    wanted = a.to_dense() @ d
    for product in (
        torch.sparse.mm(a, d),
        a @ d,
        torch.mm(a, d),
        torch.matmul(a.to_sparse_csr(), d),
        a.mm(d),
        torch.addmm(torch.zeros(2, 2, dtype=torch.float64), a, d),
    ):
        assert torch.equal(product, wanted) and not product.is_sparse
    assert torch.equal(a @ d[:, 0], wanted[:, 0]) and torch.equal(d.T @ a.t(), wanted.T)
    square = a @ a.t()
    assert square.is_sparse and torch.equal(square.to_dense(), a.to_dense() @ a.to_dense().T)
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        a @ a


def test_products_have_gradients():
    places, size = torch.tensor(PLACES), (2, 3)
    values = torch.tensor([3.0, 4.0, 5.0, 1.0], dtype=torch.float64, requires_grad=True)
    d = torch.arange(6.0, dtype=torch.float64).reshape(3, 2).requires_grad_()

    def by_dense(values, d):
        return torch.sparse_coo_tensor(places, values, size) @ d

    def by_sparse(values):
        x = torch.sparse_coo_tensor(places, values, size)
        return (x @ x.t()).to_dense()

    assert gradcheck(by_dense, (values, d)) and torch.autograd.gradgradcheck(by_dense, (values, d))
    assert gradcheck(by_sparse, (values,))


def test_a_leaf_has_a_sparse_gradient():
    x = some(requires_grad=True)
    d = torch.ones(3, 1, dtype=torch.float64) * 2
    assert x.requires_grad and x.is_leaf and x.grad is None
    (x @ d).sum().backward()
    assert x.grad.is_sparse and x.grad._values().tolist() == [2, 2, 2, 2]
    assert (x @ d).requires_grad and (x * 2).requires_grad and not x.detach().requires_grad


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x + x,
        lambda x: x - 2 * x,
        lambda x: x * 3,
        lambda x: 3 * x,
        lambda x: x / 2,
        lambda x: -x,
        torch.neg,
        torch.sin,
        lambda x: x.sqrt(),
        lambda x: x**2,
        lambda x: x * x,
        lambda x: x.t(),
        lambda x: x.transpose(0, 1),
        lambda x: x.float(),
        lambda x: x.to(torch.float32),
        lambda x: x.clone(),
        lambda x: torch.tanh(x),
        torch.abs,
        lambda x: torch.add(x, x, alpha=2),
        lambda x: x.sum(),
        lambda x: torch.sum(x, 0),
    ],
)
@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr])
def test_functions_are_those_of_the_dense_tensor(f, layout):
    x = some().to_sparse(layout=layout)
    got, wanted = f(x), f(x.to_dense())
    assert got.dtype is wanted.dtype and got.shape == wanted.shape
    assert torch.allclose(got.to_dense(), wanted)


def test_with_dense_tensors():
    x, d = some(), torch.arange(6.0, dtype=torch.float64).reshape(2, 3)
    assert torch.equal(x + d, x.to_dense() + d) and torch.equal(d - x, d - x.to_dense())
    assert (x * d).is_sparse and torch.equal((x * d).to_dense(), x.to_dense() * d)
    assert d.sparse_mask(x.coalesce()).to_dense().tolist() == [[0, 0, 2], [3, 0, 5]]


def test_sums_and_softmax():
    x = some()
    assert torch.sparse.sum(x).item() == 13 and torch.sparse.sum(x, 0).to_dense().tolist() == [4, 0, 9]
    # PyTorch: [[0, 0, 1], [0.2689414213699951, 0, 0.7310585786300049]]
    soft = torch.sparse.softmax(x, 1).to_dense()
    assert torch.allclose(soft, torch.tensor([[0, 0, 1], [0.2689414213699951, 0, 0.7310585786300049]]).double())
    log = torch.sparse.log_softmax(x, 1)
    assert torch.allclose(log.values().exp(), soft[soft != 0])


def test_what_is_not_built_says_so():
    x = some()
    for f in (
        torch.cumsum,
        lambda x, d: x.pow_(2),
        lambda x, d: x[0:1],
        lambda x, d: torch.flip(x, [0]),
        lambda x, d: torch.nn.functional.linear(x, x),
    ):
        with pytest.raises(NotBuiltError, match=r"to_dense\(\)"):
            f(x, 0)
    with pytest.raises(TypeError, match="can't convert torch.sparse_coo layout tensor to numpy"):
        x.numpy()
    with pytest.raises(NotBuiltError, match=r"torch\.nested\.nested_tensor is not built"):
        torch.nested.nested_tensor([torch.ones(2)])
    with pytest.raises(NotBuiltError, match=r"torch\.sparse\.sampled_addmm"):
        torch.sparse.sampled_addmm  # noqa: B018


def test_joining():
    a = torch.tensor([[0.0, 2.0, 0.0], [3.0, 0.0, 4.0]], requires_grad=True)
    b = torch.tensor([[0.0, 0.0, 5.0]], dtype=torch.float64)
    joined = torch.cat([a.to_sparse(), b.to_sparse()])
    assert joined.layout is torch.sparse_coo and joined.dtype is torch.float64 and not joined.is_coalesced()
    assert joined.to_dense().tolist() == [[0, 2, 0], [3, 0, 4], [0, 0, 5]]
    joined.to_dense()[1].sum().backward()
    assert a.grad.tolist() == [[0, 0, 0], [1, 0, 1]]
    for dim in (0, 1, -1):
        dense = torch.cat([a, 2 * a], dim)
        assert torch.equal(torch.cat([a.to_sparse(), 2 * a.to_sparse()], dim).to_dense(), dense)
        hybrid = torch.cat([a.to_sparse(1), 2 * a.to_sparse(1)], dim)
        assert torch.equal(hybrid.to_dense(), dense) and hybrid.dense_dim() == 1
    for dim in (0, 1, 2, -1):
        assert torch.equal(torch.stack([a.to_sparse(), a.to_sparse()], dim).to_dense(), torch.stack([a, a], dim))
        assert torch.equal(a.to_sparse(1).unsqueeze(dim).to_dense(), a.unsqueeze(dim))
    assert torch.vstack([a.to_sparse(), b.to_sparse()]).shape == (3, 3)
    assert torch.hstack([a.to_sparse(), a.to_sparse()]).shape == (2, 6)


def test_slices_of_a_dimension():
    a = torch.tensor([[0.0, 2.0, 0.0], [3.0, 0.0, 4.0]])
    for dim in (0, 1, -1):
        for x in (a.to_sparse(), a.to_sparse(1)):
            for part, wanted in zip(x.unbind(dim), a.unbind(dim), strict=True):
                assert torch.equal(part.to_dense() if part.is_sparse else part, wanted)
    assert [row.layout for row in a.to_sparse()] == [torch.sparse_coo] * 2
    assert [row.layout for row in a.to_sparse(1)] == [torch.strided] * 2


def test_adding_in_place():
    a = torch.tensor([[0.0, 2.0], [3.0, 0.0]])
    x = y = a.to_sparse()
    x += torch.eye(2, dtype=torch.float64).to_sparse()
    assert x is y and x.dtype is torch.float32 and torch.equal(y.to_dense(), a + torch.eye(2))
    assert x.add_(x, alpha=2).to_dense().tolist() == [[3, 6], [9, 3]]
    with pytest.raises(RuntimeError, match=r"add\(sparse, dense\) is not supported"):
        x.add_(a)


def test_joining_errors():
    x = torch.eye(2).to_sparse()
    with pytest.raises(RuntimeError, match=r"^Concatenating sparse tensors, but a dense tensor was found at"):
        torch.cat([x, torch.eye(2)])
    text = r"shape: \[2, 2\] \(except in the concatenating dimension\), but found shape: \[3, 3\] at position 1\.$"
    with pytest.raises(RuntimeError, match=text):
        torch.cat([x, torch.eye(3).to_sparse()])
    with pytest.raises(RuntimeError, match="same sparse_dim and dense_dim: 2, 0, but tensor at position 1 has 1, 1"):
        torch.cat([x, torch.eye(2).to_sparse(1)])
    with pytest.raises(IndexError, match=r"^Dimension out of range \(expected to be in range of \[-2, 1\], but"):
        torch.cat([x, x], 5)
    with pytest.raises(NotBuiltError, match=r"cat\(\) of tensors of layout torch\.sparse_csr is not built"):
        torch.cat([x.to_sparse_csr(), x.to_sparse_csr()])


def test_long_texts_are_broken_where_pytorch_breaks_them():
    x = torch.sparse_csr_tensor([0, 2, 4], [0, 1, 0, 1], [1, 2, 3, 4], dtype=torch.double)
    assert (
        repr(x)
        == """tensor(crow_indices=tensor([0, 2, 4]),
       col_indices=tensor([0, 1, 0, 1]),
       values=tensor([1., 2., 3., 4.]), size=(2, 2), nnz=4,
       dtype=torch.float64, layout=torch.sparse_csr)"""
    )
    assert (
        repr(x.to_sparse().requires_grad_())
        == """tensor(indices=tensor([[0, 0, 1, 1],
                       [0, 1, 0, 1]]),
       values=tensor([1., 2., 3., 4.]),
       size=(2, 2), nnz=4, dtype=torch.float64, layout=torch.sparse_coo,
       requires_grad=True)"""
    )


def test_copies():
    x = some()
    for y in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x), copy.copy(x)):
        assert y.is_sparse and torch.equal(y.to_dense(), x.to_dense())


def of_a_file(x):
    return x.layout, x.to_dense().tolist(), x.is_coalesced() if x.is_sparse else None


def test_files(tmp_path):
    x = torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3), dtype=torch.float64)
    doubled = torch.sparse_coo_tensor([[0, 0], [1, 1]], [1.0, 2.0], (2, 2))
    kept = {"coo": x.coalesce(), "doubled": doubled, "csr": x.to_sparse_csr(), "csc": x.to_sparse_csc()}
    torch.save(kept, tmp_path / "sparse.pt")
    for path in (tmp_path / "sparse.pt", FILES / "sparse.pt"):  # ours and PyTorch's
        found = torch.load(path)
        assert list(found) == list(kept)
        for name, y in found.items():
            assert (of_a_file(y), y.dtype) == (of_a_file(kept[name]), kept[name].dtype)


def test_a_file_with_places_outside(tmp_path):
    x = torch.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2.0], (2, 2))
    x._places[0, 1] = 2
    torch.save(x, tmp_path / "x.pt")
    with pytest.raises(RuntimeError, match="for dim 0, size is 2 but found index 2"):
        torch.load(tmp_path / "x.pt")


def test_sizes_are_never_symbols():
    assert not isinstance(some().shape[0], (torch.SymInt, torch.SymFloat, torch.SymBool))
    with pytest.raises(NotBuiltError, match=r"torch\.SymInt is not built"):
        torch.SymInt(1)


def test_sizes_only():
    x = torch.sparse_coo_tensor((2, 3))
    assert x._nnz() == 0 and x.to_dense().tolist() == [[0, 0, 0], [0, 0, 0]]
    assert (x @ torch.ones(3, 1)).tolist() == [[0], [0]] and x.coalesce()._nnz() == 0


# --- sparse gradients ------------------------------------------------------------------------------------------------


def gradient():
    return torch.sparse_coo_tensor([[2, 0, 2]], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], (3, 2))


# What PyTorch 2.13 has made of arange(6) after two steps by `gradient()`.
STEPPED = [
    ("SGD", {}, [[-0.6, 0.2], [2, 3], [2.8, 3.4]]),
    ("SGD", {"momentum": 0.9}, [[-0.87, -0.16], [2, 3], [2.26, 2.68]]),
    ("SGD", {"momentum": 0.9, "nesterov": True}, [[-1.383, -0.844], [2, 3], [1.234, 1.312]]),
    ("SGD", {"momentum": 0.9, "dampening": 0.5}, [[-0.72, 0.04], [2, 3], [2.56, 3.08]]),
    ("SGD", {"maximize": True}, [[0.6, 1.8], [2, 3], [5.2, 6.6]]),
    ("Adagrad", {}, [[-0.1707107, 0.8292893], [2, 3], [3.8292894, 4.8292894]]),
    ("Adagrad", {"maximize": True}, [[0.1707107, 1.1707107], [2, 3], [4.1707107, 5.1707107]]),
    ("SparseAdam", {"maximize": True}, [[0.2, 1.2], [2, 3], [4.2, 5.2]]),
]


@pytest.mark.parametrize("name, options, expected", STEPPED)
def test_steps_by_sparse_gradients(name, options, expected):
    p = torch.nn.Parameter(torch.arange(6.0).reshape(3, 2))
    optimizer = getattr(torch.optim, name)([p], lr=0.1, **options)
    for _ in range(2):
        p.grad = gradient()
        optimizer.step()
    torch.testing.assert_close(p.detach(), torch.tensor(expected))


def test_moments_stay_where_there_is_no_gradient():
    p = torch.nn.Parameter(torch.arange(6.0).reshape(3, 2))
    optimizer = torch.optim.SparseAdam([p], lr=0.1)
    p.grad = gradient()
    optimizer.step()
    p.grad = torch.sparse_coo_tensor([[1]], [[1.0, 2.0]], (3, 2))
    optimizer.step()
    torch.testing.assert_close(p.detach(), torch.tensor([[-0.1, 0.9], [1.9255863, 2.9255863], [3.9, 4.9]]))
    assert optimizer.state[p]["exp_avg"][0].tolist() == pytest.approx([0.3, 0.4])
    with pytest.raises(ValueError, match="Sparse params at indices"):
        torch.optim.SparseAdam([torch.nn.Parameter(p.detach().to_sparse())])
    p.grad = torch.ones(3, 2)
    with pytest.raises(RuntimeError, match="SparseAdam does not support dense gradients"):
        optimizer.step()


def test_every_other_optimizer_refuses_sparse_gradients():
    steps = {"SGD", "Adagrad", "SparseAdam", "LBFGS", "Optimizer"}
    found = [c for c in vars(torch.optim).values() if isinstance(c, type) and issubclass(c, torch.optim.Optimizer)]
    assert len(found) > 12
    for kind in found:
        if kind.__name__ in steps:
            continue
        p = torch.nn.Parameter(torch.arange(6.0).reshape(3, 2))
        p.grad = gradient()
        with pytest.raises(RuntimeError, match="does not support sparse gradients"):
            kind([p]).step()
        assert p.tolist() == [[0, 1], [2, 3], [4, 5]]
    for kind, text in ((torch.optim.SGD, "add.sparse, dense. is not supported"), (torch.optim.Adagrad, "weight_decay")):
        for options, message in (({"weight_decay": 0.1}, text), ({"fused": True}, "does not support sparse")):
            p.grad = gradient()
            with pytest.raises(RuntimeError, match=message):
                kind([p], **options).step()
    p.grad = gradient()
    torch.optim.LBFGS([p], lr=0.1).step(lambda: torch.tensor(1.0))
    torch.testing.assert_close(p[0].detach(), torch.tensor([-0.0142857, 0.9809524]))


def test_zero_grad_of_sparse_gradients():
    p = torch.nn.Parameter(torch.zeros(3, 2))
    p.grad = gradient()
    torch.optim.SGD([p]).zero_grad(set_to_none=False)
    assert p.grad.is_sparse and p.grad._nnz() == 0 and p.grad.shape == (3, 2)


@pytest.mark.parametrize("order", ["sd", "ds", "ss"])
def test_sums_of_sparse_and_dense_gradients(order):
    class Sum(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, sparse):
            ctx.sparse = sparse
            return x.sum()

        @staticmethod
        def backward(ctx, grad):
            return gradient() if ctx.sparse else torch.ones(3, 2), None

    expected = sum(gradient().to_dense() if k == "s" else torch.ones(3, 2) for k in order)
    p = torch.nn.Parameter(torch.zeros(3, 2))
    for k in order:  # summed in the leaf
        Sum.apply(p, k == "s").backward()
    assert p.grad.is_sparse == (order == "ss") and torch.equal(p.grad.to_dense(), expected)
    p.grad = None
    sum(Sum.apply(p, k == "s") for k in order).backward()  # summed on the way
    assert torch.equal(p.grad.to_dense(), expected)
    seen = []
    p.grad = None
    p.register_hook(seen.append)
    (Sum.apply(p * 2, True)).backward()
    assert seen[0].is_sparse and torch.equal(p.grad.to_dense(), 2 * gradient().to_dense())


def test_in_place_sums():
    assert torch.zeros(3, 2).add_(gradient(), alpha=2).tolist() == [[6, 8], [0, 0], [12, 16]]
    assert torch.zeros(3, 2).sub_(gradient()).tolist() == [[-3, -4], [0, 0], [-6, -8]]
    with pytest.raises(RuntimeError, match="add.sparse, dense. is not supported"):
        gradient().add_(torch.ones(3, 2))
    x = gradient()
    x.mul_(2).div_(4)
    assert torch.equal(x.to_dense(), gradient().to_dense() / 2)


def test_embedding_of_sparse_gradient():
    layer = torch.nn.Embedding(4, 2, sparse=True, padding_idx=1)
    (layer(torch.tensor([[0, 2], [2, 1]])) * torch.arange(8.0).reshape(2, 2, 2)).sum().backward()
    grad = layer.weight.grad
    assert grad.is_sparse and not grad.is_coalesced() and grad._indices().tolist() == [[0, 2, 2]]
    assert grad._values().tolist() == [[0, 1], [2, 3], [4, 5]]
    layer(torch.tensor([3])).sum().backward()
    assert layer.weight.grad.to_dense().tolist() == [[0, 1], [0, 0], [6, 8], [1, 1]]
    with pytest.raises(RuntimeError, match="scale_grad_by_freq not supported with sparse gradients"):
        torch.nn.Embedding(4, 2, sparse=True, scale_grad_by_freq=True)(torch.tensor([3])).sum().backward()
    for mode, each in (("sum", 1), ("mean", 0.5)):
        bags = torch.nn.EmbeddingBag(4, 2, sparse=True, mode=mode)
        bags(torch.tensor([[3, 1]])).sum().backward()
        assert bags.weight.grad._indices().tolist() == [[3, 1]]
        assert bags.weight.grad._values().tolist() == [[each, each]] * 2
    x = torch.randn(2, 3, requires_grad=True)
    torch.gather(x, 1, torch.tensor([[2, 2]]), sparse_grad=True).sum().backward()
    assert x.grad.is_sparse and x.grad.to_dense().tolist() == [[0, 0, 2], [0, 0, 0]]


def test_gathering_one_element_sparsely():
    x = torch.ones(4, requires_grad=True)
    torch.gather(x, 0, torch.tensor(3), sparse_grad=True).backward()
    assert x.grad.is_sparse and x.grad.to_dense().tolist() == [0, 0, 0, 1]
    x = torch.ones((), requires_grad=True)
    torch.gather(x, 0, torch.tensor(0), sparse_grad=True).backward()
    assert x.grad.is_sparse and x.grad.to_dense().item() == 1
    x = torch.ones((), requires_grad=True)
    torch.gather(x, 0, torch.tensor([0, 0]), sparse_grad=True).sum().backward()
    assert x.grad.is_sparse and x.grad.to_dense().item() == 2


def test_gradients_that_add_up_keep_their_places_apart():
    table = torch.nn.Embedding(5, 2, sparse=True)
    for _ in range(2):
        table(torch.tensor([1, 0])).sum().backward()
    grad = table.weight.grad
    assert grad._indices().tolist() == [[1, 0, 1, 0]] and not grad.is_coalesced()
    assert grad.data.coalesce().values().tolist() == [[2, 2], [2, 2]]
    both = torch.eye(2).to_sparse()
    assert (both + both).is_coalesced()


def test_what_sparse_tensors_do_not_have():
    x = torch.ones(2, 2, 2).to_sparse()
    with pytest.raises(RuntimeError, match="expects a tensor with <= 2 sparse and 0 dense dimensions, but got 3"):
        x.t()
    with pytest.raises(RuntimeError, match="sparse tensors do not have strides"):
        x.stride()


@pytest.mark.parametrize("layout", ["to_sparse", "to_sparse_csr", "to_sparse_csc"])
def test_a_linear_layer_of_a_sparse_weight(layout):
    x, weight = torch.arange(12.0).view(2, 2, 3), torch.tensor([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
    for bias in (None, torch.tensor([1.0, -1.0])):
        found = torch.nn.functional.linear(x, getattr(weight, layout)(), bias)
        assert torch.equal(found, torch.nn.functional.linear(x, weight, bias))


def test_places_of_a_gradient_are_not_the_indices_of_the_program():
    table, indices = torch.nn.Embedding(5, 2, sparse=True), torch.tensor([0, 1])
    table(indices).sum().backward()
    indices[0] = 4
    assert table.weight.grad._indices().tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("starts", "places", "values", "message"),
    [
        ([1, 1, 1], [0], [1.0], r"`{0}_indices\[..., 0\] == 0` is not satisfied"),
        ([0, 1, 2], [0], [1.0], r"`{0}_indices\[..., -1\] == nnz` is not satisfied"),
        ([0, 2, 1], [0], [1.0], r"`0 <= {0}_indices\[..., 1:\] - {0}_indices\[..., :-1\] <= {3}` is not satisfied"),
        ([0, 1], [0], [1.0], r"{0}_indices.shape\[-1\] must be equal to the number of {2}s \+ 1 \(=3\), but got 2"),
        ([0, 1, 1], [5], [1.0], r"`0 <= {1}_indices < {3}` is not satisfied"),
        ([0, 1, 1], [0], [1.0, 2.0], r"{1}_indices.shape\[-1\] must be equal to nnz \(=2\)"),
    ],
)
def test_parts_of_compressed_layouts_that_do_not_fit(starts, places, values, message):
    for make, *names in (
        (torch.sparse_csr_tensor, "crow", "col", "row", "ncols"),
        (torch.sparse_csc_tensor, "ccol", "row", "column", "nrows"),
    ):
        with pytest.raises(RuntimeError, match=message.format(*names)):
            make(starts, places, values, (2, 2))


def test_matrices_of_diagonals():  # made with PyTorch 2.13
    diagonals, offsets = torch.arange(9.0).reshape(3, 3), torch.tensor([0, -1, 2])
    made = torch.sparse.spdiags(diagonals, offsets, (3, 5))
    assert made.to_dense().tolist() == [[0, 0, 8, 0, 0], [3, 1, 0, 0, 0], [0, 4, 2, 0, 0]] and made._nnz() == 6
    one = torch.sparse.spdiags(diagonals[0], torch.tensor(1), (3, 3), torch.sparse_csr)
    assert one.layout is torch.sparse_csr and one.to_dense().tolist() == [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    for arguments, error in (
        ((diagonals, offsets, (3,)), "Output shape must be 2d"),
        ((diagonals, torch.tensor([0, 0, 1]), (3, 3)), "contains duplicate values"),
        ((diagonals, offsets.float(), (3, 3)), "must have dtype Long"),
        ((diagonals, offsets[:2], (3, 3)), r"Number of diagonals \(3\) does not match the number of offsets \(2\)"),
        ((diagonals[None], offsets, (3, 3)), "must be vector or matrix"),
        ((diagonals, offsets[None], (3, 3)), "must be scalar or vector"),
        ((diagonals, offsets, (3, 3), torch.strided), "Only output layouts"),
    ):
        with pytest.raises(RuntimeError, match=error):
            torch.sparse.spdiags(*arguments)


def test_modes_see_the_factories():
    from flambeau.overrides import TorchFunctionMode

    seen = []

    class Names(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(func.__name__)
            return func(*args, **(kwargs or {}))

    with Names():
        made = [
            torch.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (2,)),
            torch.sparse_csr_tensor([0, 1, 2], [0, 1], [1.0, 2.0]),
            torch.sparse_csc_tensor([0, 1, 2], [0, 1], [1.0, 2.0]),
            torch.sparse_compressed_tensor([0, 1, 2], [0, 1], [1.0, 2.0], layout=torch.sparse_csr),
        ]
    names = ["coo", "csr", "csc", "compressed"]
    assert seen == [f"sparse_{name}_tensor" for name in names] and all(x.values().sum() == 3 for x in made[1:])

    class Answers(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return func, args

    with Answers():
        assert torch.sparse_coo_tensor([[0]], [1.0]) == (torch.sparse_coo_tensor, ([[0]], [1.0]))


def test_copies_of_tensors_keep_sparse_gradients():
    """Those of parameters have no gradient, as in PyTorch."""
    x = torch.ones(3, requires_grad=True)
    x.grad = torch.sparse_coo_tensor([[1]], [2.0], (3,))
    copied = copy.deepcopy(x)
    assert copied.grad is not x.grad and copied.grad.to_dense().tolist() == [0.0, 2.0, 0.0]
    table = torch.nn.Embedding(3, 2, sparse=True)
    table(torch.tensor([1])).sum().backward()
    assert copy.deepcopy(table).weight.grad is None


def test_sparse_masks():
    x, mask = torch.tensor([[1.0, 5.0], [2.0, 3.0]]), torch.tensor([[True, False], [True, True]])
    for layout in (torch.sparse_coo, torch.sparse_csr):
        sparse = mask.to_sparse(layout=layout)
        for f in (torch.masked.sum, torch.masked.amax, torch.masked.mean, torch.masked.softmax):
            assert torch.equal(f(x, 1, mask=sparse), f(x, 1, mask=mask))


def test_compiled_steps_with_sparse_gradients_run_eagerly():
    layer = torch.nn.Embedding(5, 2, sparse=True)
    twin = copy.deepcopy(layer)

    def step(layer, optimizer, i):
        optimizer.zero_grad()
        layer(i).square().sum().backward()
        optimizer.step()

    optimizer, reference = (torch.optim.SGD(each.parameters(), 0.1) for each in (layer, twin))
    compiled = torch.compile(lambda i: step(layer, optimizer, i))
    with pytest.warns(RuntimeWarning, match="tensors without plain memory"):
        for k in range(4):
            compiled(torch.tensor([k, 2, k]))
            step(twin, reference, torch.tensor([k, 2, k]))
    assert torch.equal(layer.weight, twin.weight) and layer.weight.grad.is_sparse


@pytest.mark.parametrize("convert", [torch.Tensor.to_sparse, torch.Tensor.to_sparse_csr, torch.Tensor.to_sparse_csc])
@pytest.mark.parametrize("weights_only", [True, False])
def test_files_with_storages_at_their_end(convert, weights_only):
    """Indices of the older format are read after the tensors are rebuilt, and checked then."""
    x = convert(torch.tensor([[0.0, 2.0, 0.0], [3.0, 0.0, 4.0]]))
    file = io.BytesIO()
    torch.save([x, {"again": x}], file, _use_new_zipfile_serialization=False)
    file.seek(0)
    found, others = torch.load(file, weights_only=weights_only)
    assert found is others["again"] and found.layout is x.layout and torch.equal(found.to_dense(), x.to_dense())
    assert found._nnz() == 3 and found.dtype is torch.float32


@pytest.mark.parametrize(
    ("convert", "parts", "message"),
    [
        (
            torch.Tensor.to_sparse,
            ("_indices",),
            "for dim 0, size is 2 but found index 3",
        ),
        (
            torch.Tensor.to_sparse_csr,
            ("crow_indices", "col_indices"),
            r"`crow_indices\[..., 0\] == 0`",
        ),
        (
            torch.Tensor.to_sparse_csc,
            ("ccol_indices", "row_indices"),
            r"`ccol_indices\[..., 0\] == 0`",
        ),
    ],
)
@pytest.mark.parametrize("zipped", [True, False])
def test_damaged_indices_in_files(convert, parts, message, zipped):
    x = convert(torch.tensor([[0.0, 2.0], [3.0, 0.0]]))

    class Damaged:
        def __reduce_ex__(self, protocol):
            first, *others = (getattr(x, part)() for part in parts)
            first = first.clone()
            first.view(-1)[0] = 3
            return torch._utils._rebuild_sparse_tensor, (x.layout, (first, *others, x._values(), x.shape))

    file = io.BytesIO()
    torch.save(Damaged(), file, _use_new_zipfile_serialization=zipped)
    file.seek(0)
    with pytest.raises(RuntimeError, match=message):
        torch.load(file)


def test_sparse_gradients_of_dense_tensors():
    p = torch.zeros(2, 2, requires_grad=True)
    (p * 1).backward(torch.eye(2).to_sparse())
    assert torch.equal(p.grad.to_dense(), torch.eye(2))
    with pytest.raises(RuntimeError, match="incompatible tensor type"):
        p.data = torch.eye(2).to_sparse()


def test_gradients_by_sparse_tensors():
    s = torch.tensor([[0.0, 2.0], [3.0, 0.0]]).to_sparse().requires_grad_()
    weights = torch.tensor([[1.0, 10.0], [100.0, 1000.0]])
    (g,) = torch.autograd.grad((s.to_dense() * weights).sum(), s)
    assert g.layout is torch.sparse_coo and g._values().tolist() == [10.0, 100.0]
    x = torch.tensor([[0.0, 2.0], [3.0, 0.0]], requires_grad=True)
    (g,) = torch.autograd.grad(x.to_sparse() * 2, x, weights.to_sparse())
    assert g.tolist() == [[0.0, 20.0], [200.0, 0.0]]
    x.to_sparse().backward(weights)
    assert x.grad.tolist() == [[0.0, 10.0], [100.0, 0.0]]


def test_sparse_adam_in_half_precision():
    p = torch.ones(3, dtype=torch.float16, requires_grad=True)
    opt = torch.optim.SparseAdam([p], lr=torch.tensor([0.5]))
    p.grad = torch.sparse_coo_tensor(torch.tensor([[1]]), torch.ones(1, dtype=torch.float16), (3,))
    opt.step()
    assert p.tolist() == [1.0, 0.5, 1.0] and opt.state[p]["exp_avg"].dtype is torch.float16


def test_hooks_on_sparse_tensors():
    s, seen = torch.eye(2).to_sparse().requires_grad_(), []
    y = s.clone()
    handle = y.register_hook(lambda g: seen.append(g) or g * 2)
    (y.to_dense() * 3).sum().backward()
    assert seen[0].layout is torch.sparse_coo and s.grad.to_dense().tolist() == [[6.0, 0.0], [0.0, 6.0]]
    handle.remove()
    (y.to_dense() * 3).sum().backward()
    assert len(seen) == 1 and s.grad.values().tolist() == [9.0, 9.0]
    assert s._values().grad_fn is None and not s._values().requires_grad


def test_sums_of_sorted_places_have_each_place_once():
    """As PyTorch merges them, even without the flag."""
    a = torch.sparse_coo_tensor([[0, 2]], [1.0, 2.0], (4,))
    b = torch.sparse_coo_tensor([[0, 1]], [3.0, 4.0], (4,))
    total = a + b
    assert total._indices().tolist() == [[0, 1, 2]] and total._values().tolist() == [4.0, 4.0, 2.0]
    assert not total.is_coalesced()


BLOCKY = [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 2.0, 3.0], [0.0, 0.0, 4.0, 5.0]]
OF_BLOCKS = {"bsr": ("crow_indices", "col_indices"), "bsc": ("ccol_indices", "row_indices")}


def _in_blocks(kind, x=None):
    x = torch.tensor(BLOCKY) if x is None else x
    return getattr(x, f"to_sparse_{kind}")((2, 2))


@pytest.mark.parametrize("kind", OF_BLOCKS)
def test_blocks_and_their_places(kind):
    x, layout = _in_blocks(kind), getattr(torch, f"sparse_{kind}")
    pointers, others = (getattr(x, name)().tolist() for name in OF_BLOCKS[kind])
    assert (pointers, others) == ([0, 1, 2], [0, 1]) and x.layout is layout
    assert x.values().tolist() == [[[1.0, 0.0], [0.0, 0.0]], [[2.0, 3.0], [4.0, 5.0]]]
    assert (x.sparse_dim(), x.dense_dim(), x._nnz(), x.is_sparse, x.is_sparse_csr) == (2, 0, 2, False, False)
    assert x.to_dense().tolist() == BLOCKY and x.to_sparse()._nnz() == 8
    assert x.transpose(0, 1).to_dense().tolist() == torch.tensor(BLOCKY).T.tolist()
    assert x.transpose(0, 1).layout is (torch.sparse_bsc if kind == "bsr" else torch.sparse_bsr)
    for way in (
        getattr(torch.tensor(BLOCKY).to_sparse_csr(), f"to_sparse_{kind}")((2, 2)),
        torch.tensor(BLOCKY).to_sparse(layout=layout, blocksize=(2, 2)),
        _in_blocks("bsc" if kind == "bsr" else "bsr").to_sparse(layout=layout, blocksize=(2, 2)),
        getattr(torch, f"sparse_{kind}_tensor")(pointers, others, x.values()),
        torch.sparse_compressed_tensor(pointers, others, x.values(), (4, 4), layout=layout),
    ):
        assert way.layout is layout and torch.equal(way, x) and torch.equal(way.values(), x.values())
    with pytest.raises(
        RuntimeError, match=f"coalesce expected sparse coordinate tensor layout but got Sparse{kind}"[:50]
    ):
        x.coalesce()
    assert repr(x).startswith(f"tensor({OF_BLOCKS[kind][0]}=tensor([0, 1, 2])")


@pytest.mark.parametrize("kind", OF_BLOCKS)
def test_arithmetic_of_blocks(kind):
    x, dense = _in_blocks(kind), torch.tensor(BLOCKY)
    for found, expected in (
        (x + x, dense * 2),
        (x * 3, dense * 3),
        (x * x, dense * dense),
        (x * dense, dense * dense),
        (x.sin(), dense.sin()),
        (-x, -dense),
        (x.double(), dense.double()),
    ):
        assert found.layout is x.layout and torch.equal(found.to_dense(), expected)
    y = torch.arange(8.0).view(4, 2)
    assert torch.equal(x @ y, dense @ y) and torch.equal(y.T @ x, y.T @ dense) and x.sum() == dense.sum()
    assert torch.equal(torch.nn.functional.linear(y.T, x), y.T @ dense.T)
    assert torch.equal(x.sum(0).to_dense(), dense.sum(0))
    mask = dense.sparse_mask(x)
    assert mask.layout is x.layout and torch.equal(mask.to_dense(), dense)


@pytest.mark.parametrize("kind", OF_BLOCKS)
def test_gradients_through_blocks(kind):
    x, weights = torch.tensor(BLOCKY, requires_grad=True), torch.arange(16.0).view(4, 4)
    (_in_blocks(kind, x).to_dense() * weights).sum().backward()
    # As in PyTorch 2.13: of all elements of the blocks that are stored.
    assert x.grad.tolist() == [[0, 1, 0, 0], [4, 5, 0, 0], [0, 0, 10, 11], [0, 0, 14, 15]]
    values = _in_blocks(kind).values().clone().requires_grad_()
    made = getattr(torch, f"sparse_{kind}_tensor")([0, 1, 2], [0, 1], values, (4, 4))
    for vector in (torch.ones(4), torch.ones(4, 1)):
        values.grad = None
        (made @ vector).sum().backward()
        assert torch.equal(values.grad, torch.ones(2, 2, 2))


@pytest.mark.parametrize("kind", OF_BLOCKS)
@pytest.mark.parametrize("zipped", [True, False])
def test_files_of_blocks(kind, zipped):
    file = io.BytesIO()
    torch.save(_in_blocks(kind), file, _use_new_zipfile_serialization=zipped)
    file.seek(0)
    again = torch.load(file)
    assert again.layout is _in_blocks(kind).layout and torch.equal(again, _in_blocks(kind))


def test_blocks_that_do_not_fit():
    x, values = torch.tensor(BLOCKY), torch.ones(2, 2, 2)
    for message, call in (
        (r"size \(4,4\) must be divisible by given blocksize \(3,2\)", lambda: x.to_sparse_bsr((3, 2))),
        ("blocksize needs to be positive", lambda: x.to_sparse_bsc((0, 2))),
        ("without blocksize argument", lambda: x.to_sparse(layout=torch.sparse_bsr)),
        ("with blocksize argument", lambda: x.to_sparse(layout=torch.sparse_csr, blocksize=(2, 2))),
        ("of batches is not built", lambda: torch.ones(2, 4, 4).to_sparse_bsr((2, 2))),
        ("must be divisible", lambda: torch.sparse_bsr_tensor([0, 1, 2], [0, 1], values, (5, 4))),
        ("0 <= col_indices < ncols", lambda: torch.sparse_bsr_tensor([0, 1, 2], [0, 5], values, (4, 4))),
        ("number of rows", lambda: torch.sparse_bsr_tensor([0, 1], [0, 1], values, (4, 4))),
        (r"ccol_indices\[..., 0\] == 0", lambda: torch.sparse_bsc_tensor([1, 1, 2], [0, 1], values, (4, 4))),
        ("dimensionality > 2", lambda: torch.sparse_bsc_tensor([0, 1, 2], [0, 1], torch.ones(2), (4, 4))),
    ):
        with pytest.raises((RuntimeError, NotImplementedError), match=message):
            call()
    assert torch.ones(4, 4, 3).to_sparse_bsr((2, 2), dense_dim=1).values().shape == (4, 2, 2, 3)
    assert x.to_sparse().to_sparse_bsc(2).values().shape == x.to_sparse_bsc(2).values().shape == (2, 2, 2)


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc])
def test_tensors_like_sparse_ones(layout):
    x = torch.tensor(BLOCKY).to_sparse(layout=layout)
    zeros, empty = torch.zeros_like(x, dtype=torch.float64), torch.empty_like(x)
    assert (zeros.layout, zeros.shape, zeros._nnz(), zeros.dtype) == (layout, (4, 4), 0, torch.float64)
    assert empty.layout is layout and empty._nnz() == (0 if x.is_sparse else 5)
    assert torch.equal(torch.zeros_like(x, layout=torch.strided), torch.zeros(4, 4))
    if x.is_sparse:
        with pytest.raises(RuntimeError, match="not implemented for sparse layout"):
            torch.ones_like(x)
        assert x.new_zeros(2, 3).shape == x.new_empty((2, 3)).shape == (2, 3)
    else:
        assert torch.equal(torch.ones_like(x).to_dense(), (x.to_dense() != 0).float())


def test_functions_of_values_in_place_and_with_out():
    x = torch.tensor([[0.0, 0.5], [-0.25, 0.0]]).to_sparse()
    expected = x.to_dense().sin()
    out = torch.sparse_coo_tensor((2, 2))
    assert torch.sin(x, out=out) is out and torch.equal(out.to_dense(), expected)
    assert x.sin_() is x and torch.equal(x.to_dense(), expected)
    whole = torch.tensor([0, 3]).to_sparse()
    assert whole.neg_().to_dense().tolist() == [0, -3] and whole.dtype is torch.int64
    with pytest.raises(RuntimeError, match="result type torch.float32 can't be cast to"):
        whole.sin_()
    with pytest.raises(RuntimeError, match="expected an out tensor of layout torch.sparse_coo"):
        torch.sin(x, out=torch.zeros(2, 2))


def test_a_sparse_number_multiplies():
    two = torch.tensor(2.0).to_sparse()
    x = torch.eye(2).to_sparse()
    assert (x * two).layout is torch.sparse_coo and torch.equal((two * x).to_dense(), 2 * torch.eye(2))
    assert torch.tensor(3, dtype=torch.int32).to_sparse().to_dense().dtype is torch.int32


def test_arguments_are_validated():
    torch._validate_sparse_coo_tensor_args(torch.tensor([[0, 1]]), torch.ones(2), (2,))
    torch._validate_sparse_compressed_tensor_args([0, 1], [0], torch.ones(1), (1, 1), torch.sparse_csr)
    with pytest.raises(RuntimeError, match="size is inconsistent with indices"):
        torch._validate_sparse_coo_tensor_args(torch.tensor([[0, 5]]), torch.ones(2), (2,))
    with pytest.raises(RuntimeError, match="is not satisfied"):
        torch._validate_sparse_compressed_tensor_args([0, 1], [5], torch.ones(1), (1, 1), torch.sparse_csr)


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr])
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "amax", "amin"])
def test_masked_reductions_of_sparse_tensors(layout, name):
    x = torch.tensor([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
    mask = torch.tensor([[True, False, True], [False, False, False]])
    reduce = getattr(torch.masked, name)
    found = reduce(x.to_sparse(layout=layout), 1, keepdim=True, mask=mask.to_sparse(layout=layout))
    assert found.layout is layout and found._nnz() == 1
    assert found.to_dense()[0] == reduce(x, 1, keepdim=True, mask=mask)[0]
    assert torch.equal(torch.masked.sum(x.to_sparse(), 0).to_dense(), x.sum(0))


def test_a_dense_tensor_is_multiplied_in_place():
    x, s = torch.full((2, 2), 3.0), torch.eye(2).to_sparse()
    assert x.mul_(s) is x and torch.equal(x, 3 * torch.eye(2))
    x *= s * 2
    assert torch.equal(x, 6 * torch.eye(2))
    with pytest.raises(RuntimeError, match="Sparse division requires a scalar"):
        x.div_(s)
    with pytest.raises(NotImplementedError, match="of sparse tensors is not built"):
        x.sin_().copysign_(s)


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr])
def test_parts_and_facts(layout):
    dense = torch.tensor([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
    x = dense.to_sparse(layout=layout)
    assert x[0].layout is torch.sparse_coo and torch.equal(x[0].to_dense(), dense[0])
    assert x[-1, 1] == 3 and x[1, 0] == 0 and torch.equal(x.select(1, 2).to_dense(), dense[:, 2])
    assert torch.equal(torch.norm(x), torch.norm(dense)) and x.norm(1) == 6 and bool(x.any())
    assert torch.equal((x // 2).to_dense(), dense // 2) and not x.is_contiguous()
    assert torch.equal(x.H.to_dense(), dense.T)
    square = torch.tensor([[1.0, 2.0], [0.0, 3.0]])
    assert torch.equal(square.to_sparse(layout=layout).matrix_power(3).to_dense(), square.matrix_power(3))
    y = torch.zeros_like(x)
    assert y.copy_(x * 2) is y and torch.equal(y.to_dense(), dense * 2)
    for error, call in (
        (IndexError, lambda: x[2]),
        (IndexError, lambda: x[0, 0, 0]),
        (NotImplementedError, lambda: x[0:1]),
        (RuntimeError, lambda: dense.clone().copy_(x)),
        (NotImplementedError, lambda: x.norm(dim=0)),
        (NotImplementedError, lambda: square.to_sparse(layout=layout).matrix_power(0)),
    ):
        with pytest.raises(error):
            call()
