"""Memory that is read while it is written, or written twice: accepted or rejected as in PyTorch, by one mechanism."""

import pytest
from flambeau_tensor._core.schema.registry import operators

import flambeau_tensor as ft

REFUSED = "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single"
TWICE = "unsupported operation: more than one element of the written-to tensor refers to a single memory location"


def memory():
    return ft.arange(13.0) / 4


@pytest.mark.parametrize(
    "write",
    [
        lambda t, x, i: t.index_add_(0, i, x),
        lambda t, x, i: t.index_copy_(0, i, x),
        lambda t, x, i: t.put_(i, x),
        lambda t, x, i: t.scatter_(0, i, x),
        lambda t, x, i: t.scatter_add_(0, i, x),
        lambda t, x, i: t.index_put_((i,), x),
        lambda t, x, i: t.scatter_reduce_(0, i, x, "amax"),
        lambda t, x, i: t.__setitem__(i, x),
    ],
)
def test_what_is_scattered_lies_apart(write):
    i = ft.tensor([4, 3, 2, 1, 0])
    for shift in range(5):
        base = memory()
        before = base.tolist()
        for source in (base[shift : shift + 5], base[:5]):
            with pytest.raises(RuntimeError, match=REFUSED):
                write(base[:5], source, i)
        assert base.tolist() == before
    base = memory()
    write(base[:5], base[5:10], i)
    assert base[5:].tolist() == memory()[5:].tolist()
    with pytest.raises(RuntimeError, match=REFUSED):
        write(i, i.clone() * 0 + 1, i)
    apart = memory()[:5]
    write(apart, memory()[:5], i)
    assert apart.isfinite().all()


def test_one_value_may_be_written_twice():
    for shape in ((5,), (3, 5)):
        t = ft.zeros(shape[:-1] + (1,)).expand(shape)
        assert t.fill_(2).tolist() == ft.full(shape, 2.0).tolist() and t.zero_().sum() == 0
        with pytest.warns(UserWarning, match="deprecated"):
            assert t.index_fill_(-1, ft.tensor([0]), 3.0).min() == 3
        with pytest.warns(UserWarning, match="deprecated"):
            assert t.masked_fill_(ft.tensor([False, True, False, False, True]), 4.0).min() == 4
        writes = (ft.Tensor.exp_, ft.Tensor.uniform_, lambda t, s=shape: t.copy_(ft.ones(s)), lambda t: t.add_(1))
        for write in writes:
            with pytest.raises(RuntimeError, match=TWICE):
                write(t)


def test_slices_are_not_assigned_from_themselves_shifted():
    x = memory()
    with pytest.raises(RuntimeError, match=REFUSED):
        x[1:] = x[:-1]
    x[::2][:6] = x[1::2]  # no memory is shared
    x[:] = x
    assert x[:4].tolist() == [0.25, 0.25, 0.75, 0.75]


def _calls():
    for name, op in sorted(operators().items()):
        if name.startswith("torch.") and any(a.name == "out" for a in op.schema.arguments):
            yield name, op


@pytest.mark.parametrize("op", [pytest.param(op, id=name) for name, op in _calls()])
def test_a_result_is_right_or_refused(op):
    """Writing to memory that the operands share gives the same numbers as writing to other memory, or an error."""
    tensors = [a for a in op.schema.arguments if a.type == "Tensor" and a.name != "out" and not a.has_default]
    results = []
    for shift in (None, 0, 1, 3):
        x = memory()[:9].reshape(3, 3)
        whole = ft.arange(40.0) * 0
        whole[:9] = x.reshape(-1)
        x = whole[:9].view(3, 3)
        ft.manual_seed(1)
        try:
            expected = op(*[x] * len(tensors))
        except Exception:
            return  # needs other arguments, too
        if not isinstance(expected, ft.Tensor) or expected.numel() > 9 or expected.dtype is not x.dtype:
            return
        expected = expected.clone()
        out = expected * 0 if shift is None else whole[shift : shift + expected.numel()].view(tuple(expected.shape))
        ft.manual_seed(1)
        try:
            got = op(*[x] * len(tensors), out=out)
        except RuntimeError as e:
            assert "unsupported operation" in str(e)
            continue
        results.append(shift)
        assert got.reshape(-1).tolist() == pytest.approx(expected.reshape(-1).tolist(), nan_ok=True)
    assert None in results


def test_inputs_are_refused_that_out_overlaps():
    base = memory()
    x, out = base[:5], base[1:6]
    for call in (
        lambda: ft.logcumsumexp(x, 0, out=out),
        lambda: ft.where(x > 0, x, x, out=out),
        lambda: ft.masked_select(x, ft.tensor([True] * 5), out=out),
        lambda: ft.take(x, ft.arange(5), out=out),
        lambda: ft.index_select(x, 0, ft.arange(5), out=out),
        lambda: ft.gather(x, 0, ft.arange(5), out=out),
        lambda: ft.cat((x[:2], x[2:]), out=out),
        lambda: ft.exp(x, out=out),
        lambda: ft.cumsum(x, 0, out=out),
        lambda: ft.cumprod(x, 0, out=out),
        lambda: ft.sort(x, out=(out, ft.empty(5, dtype=ft.int64))),
    ):
        before = base.tolist()
        with pytest.raises(RuntimeError, match=REFUSED):
            call()
        assert base.tolist() == before
    assert ft.cumsum(x, 0, out=x).tolist() == [0, 0.25, 0.75, 1.5, 2.5]


@pytest.mark.parametrize(
    "name, example, write",
    [
        ("index_fill_", "[mask] = scalar", lambda t, i, m: t.index_fill_(0, i, 2.0)),
        ("masked_fill_", "[mask] = scalar", lambda t, i, m: t.masked_fill_(m, 2.0)),
        ("index_put_", "[indices] = tensor", lambda t, i, m: t.index_put_((i,), ft.full((2, 3), 2.0))),
        ("index_put_", "[indices] = tensor", lambda t, i, m: t.__setitem__(i, 2.0)),
        ("index_put_", "[indices] = tensor", lambda t, i, m: t.__setitem__(m, 2.0)),
    ],
)
def test_what_still_writes_to_expanded_tensors_warns(name, example, write):
    """As in PyTorch; other functions raise an error."""
    i, m = ft.tensor([0, 1]), ft.ones(2, 3, dtype=ft.bool)
    t = ft.ones(1, 3).expand(2, 3)
    with pytest.warns(UserWarning) as caught:
        write(t, i, m)
    assert t.tolist() == [[2.0] * 3] * 2
    assert [str(w.message) for w in caught] == [
        f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor before performing this operation. "
        f"This also applies to advanced indexing e.g. tensor{example}"
    ]
    write(ft.ones(2, 3), i, m)
