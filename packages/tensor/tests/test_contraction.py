"""einsum, tensordot, inner, kron and chains of matrices against NumPy; PyTorch's errors."""

import io
import itertools

import numpy as np
import pytest
from flambeau_tensor._core.schema.registry import find_operator
from hypothesis import given, settings
from hypothesis import strategies as st

import flambeau_tensor as ft
from flambeau_tensor.ops.contraction import chain_matmul, einsum
from samples.values import check_values

multi_dot, linalg_cross, vecdot = (find_operator(f"torch.linalg.{n}") for n in ("multi_dot", "cross", "vecdot"))
rng = np.random.default_rng(0)


def values(*shape, dtype="float64"):
    return np.asarray(rng.integers(-4, 5, shape)).astype(dtype)


def same(result, expected):
    expected = np.asarray(expected)
    assert tuple(result.shape) == expected.shape
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-12)


def tensors(*arrays):
    return [ft.from_numpy(a) for a in arrays]


@pytest.mark.parametrize(
    "equation, shapes",
    [
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("ij,jk", [(2, 3), (3, 4)]),
        ("ij,jk->ki", [(2, 3), (3, 4)]),
        ("bij,bjk->bik", [(5, 2, 3), (5, 3, 4)]),
        ("i,i->", [(4,), (4,)]),
        ("i,j->ij", [(2,), (3,)]),
        ("ii->i", [(3, 3)]),
        ("ii->", [(3, 3)]),
        ("ii", [(3, 3)]),
        ("ij->ji", [(2, 3)]),
        ("ij->", [(2, 3)]),
        ("ij->j", [(2, 3)]),
        ("iij->j", [(2, 2, 3)]),
        ("iijj->ij", [(2, 2, 3, 3)]),
        ("ij,ij->ij", [(2, 3), (2, 3)]),
        ("ij,j->i", [(2, 3), (3,)]),
        ("...ij,...jk->...ik", [(2, 1, 3, 4), (5, 4, 2)]),
        ("...ij,jk", [(2, 3, 4), (4, 5)]),
        ("i...,i...->...", [(2, 3), (2, 1)]),
        ("...,...", [(2, 3), (3,)]),
        ("ij...->j...i", [(2, 3, 4)]),
        ("b...c,c->b...", [(2, 3, 4, 5), (5,)]),
        ("ab,bc,cd->ad", [(2, 3), (3, 4), (4, 5)]),
        ("a,ab,bc,c->", [(2,), (2, 3), (3, 4), (4,)]),
        ("ab,ab,ab->b", [(2, 3)] * 3),
        ("bhqd,bhkd->bhqk", [(2, 3, 4, 5), (2, 3, 6, 5)]),
        ("ij,kl->ijkl", [(2, 3), (4, 5)]),
        ("ij,kl->", [(2, 3), (4, 5)]),
        ("iK,Kj->ij", [(2, 3), (3, 4)]),
        ("aB,Ba", [(2, 3), (3, 2)]),
        ("ijk,ikl,ilm->ijm", [(2, 3, 4), (2, 4, 5), (2, 5, 6)]),
        ("ij,jk->ik", [(2, 0), (0, 4)]),
        ("ij,jk->ik", [(0, 3), (3, 4)]),
        ("i j , j k -> i k", [(2, 3), (3, 4)]),
        ("ii,ij->j", [(3, 3), (3, 2)]),
        ("ij,ik->jk", [(5, 2), (5, 3)]),
        (",ij->ij", [(), (2, 3)]),
        ("->", [()]),
    ],
)
def test_einsum_like_numpy(equation, shapes):
    arrays = [values(*s) for s in shapes]
    expected = np.einsum(equation, *arrays)
    same(einsum(equation, *tensors(*arrays)), expected)
    same(einsum(equation, tensors(*arrays)), expected)


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_einsum_of_any_subscripts(data):
    sizes = {c: data.draw(st.integers(0, 3)) for c in "abcd"}
    terms = data.draw(st.lists(st.text("abcd", max_size=3), min_size=1, max_size=4))
    letters = sorted(set("".join(terms)))
    output = "".join(data.draw(st.permutations(letters))[: data.draw(st.integers(0, len(letters)))])
    equation = ",".join(terms) + "->" + output
    arrays = [values(*(sizes[c] for c in term)) for term in terms]
    same(einsum(equation, *tensors(*arrays)), np.einsum(equation, *arrays))


def test_sizes_of_one_broadcast():
    a, b = values(2, 1), values(3, 4)
    same(einsum("ij,jk->ik", *tensors(a, b)), np.einsum("ij,jk->ik", np.broadcast_to(a, (2, 3)), b))
    same(einsum("ij,jk->ijk", *tensors(a, b)), np.einsum("ij,jk->ijk", np.broadcast_to(a, (2, 3)), b))
    same(einsum("bij,bjk->bik", *tensors(values(1, 2, 3) * 0 + 2, values(4, 3, 2) * 0 + 1)), np.full((4, 2, 2), 6.0))


def test_einsum_with_numbers_for_subscripts():
    a, b = values(2, 3), values(3, 4)
    same(einsum(*itertools.chain(*zip(tensors(a, b), ([0, 1], [1, 2]), strict=True))), a @ b)
    same(einsum(ft.from_numpy(a), [0, 1], ft.from_numpy(b), [1, 2], [2, 0]), (a @ b).T)
    same(einsum(ft.from_numpy(a), [Ellipsis, 5], [5, Ellipsis]), a.T)


@pytest.mark.parametrize(
    "shape_a, shape_b, dims",
    [
        ((2, 3), (3, 4), 1),
        ((2, 3, 4), (3, 4, 5), 2),
        ((2, 3), (4, 5), 0),
        ((2, 3, 4), (4, 3, 2), ([0, 1, 2], [2, 1, 0])),
        ((2, 3, 4), (5, 3), ([1], [1])),
        ((2, 3, 4), (5, 3), ([-2], [-1])),
        ((2, 0), (0, 3), 1),
        ((3,), (3,), 1),
    ],
)
def test_tensordot(shape_a, shape_b, dims):
    a, b = values(*shape_a), values(*shape_b)
    same(ft.tensordot(*tensors(a, b), dims), np.tensordot(a, b, dims))
    same(ft.tensordot(*tensors(a, b), dims=dims), np.tensordot(a, b, dims))


def test_inner_and_kron():
    for sa, sb in (((3,), (3,)), ((2, 3), (4, 3)), ((2, 3), (3,)), ((), (2, 3)), ((2, 1, 3), (4, 3))):
        a, b = values(*sa), values(*sb)
        same(ft.inner(*tensors(a, b)), np.inner(a, b))
    for sa, sb in (((2,), (3,)), ((2, 3), (4, 5)), ((2,), (2, 3)), ((), (2, 3)), ((2, 3, 4), (2, 2))):
        a, b = values(*sa), values(*sb)
        same(ft.kron(*tensors(a, b)), np.kron(a, b))


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(1, 9), min_size=3, max_size=7), st.booleans(), st.booleans())
def test_chains(sizes, row, column):
    arrays = [values(m, n) for m, n in itertools.pairwise(sizes)]
    same(chain_matmul(*tensors(*arrays)), np.linalg.multi_dot(arrays))
    if row:
        arrays[0] = arrays[0][0]
    if column:
        arrays[-1] = arrays[-1][..., 0]
    if arrays[-1].ndim:
        same(multi_dot(tensors(*arrays)), np.linalg.multi_dot(arrays))


@pytest.mark.parametrize("wide", [(1,), (2,), (1, 3), (2, 4), (0, 2)])
def test_chains_are_multiplied_in_the_cheapest_order(wide):
    sizes = [10**6 if i in wide else 1 for i in range(6)]  # in any other order, the product exceeds memory
    result = multi_dot([ft.ones(m, n, dtype=ft.float64) for m, n in itertools.pairwise(sizes)])
    inner = sizes[1:-1]
    assert result.shape == (sizes[0], sizes[-1])
    assert result[0, 0].item() == 10.0 ** (6 * inner.count(10**6))


def test_cross_and_vecdot():
    a, b = values(4, 3), values(4, 3)
    same(linalg_cross(*tensors(a, b)), np.cross(a, b))
    same(ft.cross(*tensors(a, b)), np.cross(a, b))
    same(ft.cross(*tensors(a.T.copy(), b.T.copy()), dim=0), np.cross(a, b).T)
    same(vecdot(*tensors(a, b)), (a * b).sum(-1))
    z = values(2, 3) + 1j * values(2, 3)
    same(vecdot(*tensors(z, z), dim=0), (z.conj() * z).sum(0))


def ones(*shape, dtype="float32"):
    return ft.ones(shape, dtype=getattr(ft, dtype))


# Texts as PyTorch 2.13 words them.
@pytest.mark.parametrize(
    "call, error, text",
    [
        (
            lambda: einsum("ij,jk", ones(2, 3), ones(4, 5)),
            RuntimeError,
            "einsum(): subscript j has size 4 for operand 1 which does not broadcast with previously seen size 3",
        ),
        (
            lambda: einsum("ij,jk->il", ones(2, 3), ones(3, 5)),
            RuntimeError,
            "einsum(): output subscript l does not appear in the equation for any input operand",
        ),
        (
            lambda: einsum("ij,jk->ii", ones(2, 3), ones(3, 5)),
            RuntimeError,
            "einsum(): output subscript i appears more than once in the output",
        ),
        (
            lambda: einsum("ijk", ones(2, 3)),
            RuntimeError,
            "einsum(): the number of subscripts in the equation (3) does not "
            "match "
            "the number of dimensions (2) for operand 0 and no ellipsis was given",
        ),
        (
            lambda: einsum("i1", ones(2, 3)),
            RuntimeError,
            "einsum(): invalid subscript given at index 1 in the equation string, subscripts must be in [a-zA-Z]",
        ),
        (
            lambda: einsum("ij->ij->ij", ones(2, 3)),
            RuntimeError,
            "einsum(): invalid subscript given at index 6 in the equation string, subscripts must be in [a-zA-Z]",
        ),
        (
            lambda: einsum("ij,jk", ones(2, 3)),
            RuntimeError,
            "einsum(): fewer operands were provided than specified in the equation",
        ),
        (
            lambda: einsum("ij", ones(2, 3), ones(3, 4)),
            RuntimeError,
            "einsum(): more operands were provided than specified in the equation",
        ),
        (
            lambda: einsum("ii", ones(2, 3)),
            RuntimeError,
            "einsum(): subscript i is repeated for operand 0 but the sizes don't match, 3 != 2",
        ),
        (
            lambda: einsum("i.j", ones(2, 3)),
            RuntimeError,
            "einsum(): found '.' for operand 0 that is not part of any ellipsis",
        ),
        (lambda: einsum("ij"), ValueError, "einsum(): must specify the equation string and at least one operand"),
        (
            lambda: ft.tensordot(ones(2, 3), ones(4, 5), 1),
            RuntimeError,
            "contracted dimensions need to match, but first has size 3 in dim -1 and second has size 4 in dim 0",
        ),
        (
            lambda: ft.tensordot(ones(2, 3), ones(3, 5), ([1], [0, 1])),
            RuntimeError,
            "both dimension lists should have same length",
        ),
        (
            lambda: ft.tensordot(ones(2, 3), ones(3, 5, dtype="float64"), 1),
            RuntimeError,
            "both inputs should have same dtype",
        ),
        (
            lambda: ft.inner(ones(2, 3), ones(4, 5)),
            RuntimeError,
            "inner() the last dimension must match on both input tensors but got shapes [2, 3] and [4, 5]",
        ),
        (lambda: multi_dot([ones(3)]), RuntimeError, "multi_dot(): expected at least 2 tensors but got 1"),
        (
            lambda: multi_dot([ones(3, 2), ones(3, 4)]),
            RuntimeError,
            "multi_dot(): tensors 0 and 1 with shapes [3, 2] and [3, 4] cannot be multiplied",
        ),
        (lambda: ft.cross(ones(2), ones(2)), RuntimeError, "no dimension of size 3 in input"),
        (
            lambda: linalg_cross(ones(2, 3), ones(3)),
            RuntimeError,
            "linalg.cross: inputs must have the same number of dimensions.",
        ),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


def test_tensordot_broadcasts_sizes_of_1():
    a, b = ft.arange(2.0).reshape(1, 1, 2) + 1, ft.arange(6.0).reshape(3, 1, 2)
    expected = np.tensordot(a.numpy(), b.numpy().sum(0, keepdims=True), ([0, 2], [0, 2])).tolist()
    assert ft.tensordot(a, b, ([0, 2], [0, 2])).tolist() == expected
    assert ft.tensordot(b, a, ([0, 2], [0, 2])).tolist() == expected
    assert ft.tensordot(b.byte(), a.byte(), ([0, 2], [0, 2])).dtype is ft.uint8


@pytest.mark.parametrize(
    "equation, shapes",
    [
        ("ij,jk,kl,lm->im", [(2, 9), (9, 3), (3, 8), (8, 4)]),
        ("...i,ij,...j->...", [(7, 1, 3), (3, 4), (5, 4)]),
        ("ab,bc,cd,de,ea->", [(2, 3), (3, 4), (4, 5), (5, 6), (6, 2)]),
        ("ii,ij,j", [(3, 3), (3, 4), (4,)]),
        ("i,j,k", [(2,), (3,), (0,)]),
    ],
)
def test_the_order_of_products_does_not_matter(equation, shapes, monkeypatch):
    from flambeau_tensor import contraction_order

    operands = [np.random.default_rng(i).standard_normal(shape) for i, shape in enumerate(shapes)]
    expected = np.einsum(equation, *operands)
    assert contraction_order.is_available() and contraction_order.enabled and contraction_order.strategy == "auto"
    for enabled, strategy in ((True, "auto"), (True, "optimal"), (True, None), (False, "greedy")):
        monkeypatch.setattr(contraction_order, "enabled", enabled)
        monkeypatch.setattr(contraction_order, "strategy", strategy)
        np.testing.assert_allclose(ft.einsum(equation, *map(ft.tensor, operands)), expected, rtol=1e-12, atol=1e-12)


def test_the_order_is_the_best_one():
    from flambeau_tensor import contraction_order

    sizes = dict(zip(range(5), (2, 90, 3, 80, 4), strict=True))
    terms = [[0, 1], [1, 2], [2, 3], [3, 4]]
    assert sorted(map(sorted, contraction_order.pairs(terms, [0, 4], sizes)[:2])) == [[0, 1], [0, 1]]


TestSamples = check_values("tensor.contraction")


def test_einsum_of_whole_numbers_sums_where_there_is_more_than_one():
    def kind(equation, *shapes):
        return ft.einsum(equation, *(ones(*shape).to(ft.uint8) for shape in shapes)).dtype

    assert kind("bij,bjk->b", (2, 1, 2), (2, 2, 1)) is ft.uint8
    assert kind("i,j->", (1,), (1,)) is ft.uint8
    assert kind("i,j->", (1,), (3,)) is ft.int64
    assert kind("bij,bjk->b", (2, 3, 2), (2, 2, 1)) is ft.int64  # a sum over one factor
    assert kind("bij->b", (2, 1, 1)) is ft.int64  # a sum according to its equation


@pytest.mark.parametrize("enabled", [True, False])
def test_einsum_of_many_operands_takes_a_moment(enabled, monkeypatch):
    monkeypatch.setattr("flambeau_tensor.contraction_order.enabled", enabled)
    half = ft.full((2, 2), 0.5)
    equation = ",".join(["ij", "jk"] * 200)
    assert einsum(equation + "->k", *[half] * 400).shape == (2,)
    chain = ",".join(chr(97 + i) + chr(98 + i) for i in range(24))
    result = einsum(f"{chain}->a{chr(97 + 24)}", *[half] * 24)
    np.testing.assert_allclose(result.numpy(), 0.5)


def test_einsum_reads_subscripts_until_one_is_wrong():
    x = ft.ones(2, 2)
    with pytest.raises(ValueError, match="within range"):
        einsum(x, itertools.chain([0, 1], itertools.repeat(77)), x, [0, 1])
    with pytest.raises(ValueError, match="within range"):
        einsum(x, range(2**62), x, [0, 1])
    with pytest.raises(RuntimeError, match="more than 1024 subscripts"):
        einsum(x, itertools.repeat(2))
    for equation in (io.BytesIO(), [x], 3, None):
        with pytest.raises(TypeError, match="argument 'equation' .* must be str"):
            einsum(equation, itertools.repeat(2))
