"""Writing to tensors and views while recording; version counters; what is forbidden."""

from contextlib import nullcontext

import numpy as np
import pytest

import flambeau_tensor as torch
from flambeau_autograd import grad, gradcheck, gradgradcheck, inference_mode, no_grad


def test_chain(leaf):
    x = leaf(1.0, 2.0)
    y = x * 1
    y.mul_(3)
    y.exp_()
    y.sum().backward()
    assert np.allclose(x.grad.numpy(), 3 * np.exp([3.0, 6.0]))


@pytest.mark.parametrize(
    "write",
    [
        lambda y, x: y[1:3].mul_(x[0] * 10),
        lambda y, x: y[::2].copy_(x[1:3] * x[3]),
        lambda y, x: y.view(2, 2)[0].mul_(3),
        lambda y, x: y.view(2, 2).t()[0].mul_(x[0]),
        lambda y, x: y.view(2, 2)[:, 1].exp_(),
        lambda y, x: y.__setitem__(slice(1, None), x[:3] * 2),
        lambda y, x: y.__setitem__(0, 5.0),
        lambda y, x: y[2:].zero_(),
        lambda y, x: y[2:].fill_(x.sum()),
        lambda y, x: y.unsqueeze(0).sin_(),
        lambda y, x: (y[:2].mul_(x[2]), y[1:].mul_(x[3]), y.add_(x)),
    ],
)
def test_views_against_finite_differences(write, leaf):
    def function(x):
        y = x * 1.5
        write(y, x)
        return y * y + x

    x = leaf(0.5, -1.0, 1.5, 0.75)
    assert gradcheck(function, (x,))
    assert gradgradcheck(function, (x,))


def test_second_derivative_of_a_write_to_a_view_without_keeping_the_graph(leaf):
    """The writing node runs twice: for what it wrote, and for the result that its formula reads."""
    x = leaf(0.5, 1.0)
    y = x * 1
    y[:1].exp_()
    (slope,) = grad(y.sum(), x, create_graph=True)
    slope.sum().backward()
    assert np.allclose(x.grad.numpy(), [np.exp(0.5), 0])


def test_view_follows_its_base(leaf):
    x = leaf(1.0, 2.0, 3.0)
    y = x * 1
    v = y[:2]
    y.mul_(2)
    assert v.grad_fn.name() == "AsStridedBackward0"
    (v * 3).sum().backward()
    assert x.grad.tolist() == [6.0, 6.0, 0.0]


def test_view_used_before_and_after(leaf):
    x = leaf(1.0, 2.0)
    y = x + 1
    v = y[0]
    before = v * 2
    y.add_(1)
    (before + v).sum().backward()
    assert x.grad.tolist() == [3.0, 0.0]


def test_base_that_comes_to_require_grad(leaf):
    base = torch.zeros(4, dtype=torch.float64)
    first, rest = base[0], base[1:]
    w = leaf(3.0)
    first.add_(w.sum())
    assert base.requires_grad and base.grad_fn.name() == "torch::autograd::CopySlices"
    assert repr(base).endswith("grad_fn=<CopySlices>)")
    assert rest.requires_grad and not rest.is_leaf
    rest.add_(w * 2)
    (base * torch.tensor([1.0, 1.0, 2.0, 3.0], dtype=torch.float64)).sum().backward()
    assert w.grad.tolist() == [1.0 + 2 * 6.0]


def test_as_strided_with_overlap():
    x = torch.arange(4.0, dtype=torch.float64).requires_grad_()
    weights = torch.arange(6.0, dtype=torch.float64).view(3, 2)
    (x.as_strided((3, 2), (1, 1)) * weights).sum().backward()
    assert x.grad.tolist() == [0.0, 1 + 2.0, 3 + 4.0, 5.0]


def test_leaves_are_protected(leaf):
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match="^a leaf Variable that requires grad is being used in an in-place"):
        x.add_(1)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad is being used in an in-place"):
        x[0].add_(1)
    assert x.tolist() == [1.0, 2.0] and x._version == 0
    with no_grad():
        x.add_(1)
        x[0].mul_(5)
    assert x.tolist() == [10.0, 3.0] and x._version == 2 and x.is_leaf


def test_view_of_a_leaf_that_an_optimizer_moves(leaf):
    x = leaf(1.0, 2.0)
    v = x[0]
    with no_grad():
        x.add_(1)
    (v * 2).backward()
    assert x.grad.tolist() == [2.0, 0.0]


@pytest.mark.parametrize(
    ("use", "producer"),
    [
        (lambda y: y * y, "which is output 0 of AddBackward0, is at version 1; expected version 0 instead"),
        (lambda y: y.exp(), None),
    ],
)
def test_changed_after_it_was_saved(leaf, use, producer):
    x = leaf(1.0, 2.0)
    y = x * 2
    z = use(y)
    if producer is None:
        z.add_(1)  # exp keeps its result
    else:
        y.add_(1)
    with pytest.raises(
        RuntimeError,
        match="modified by an inplace operation: "
        r"\[torch.DoubleTensor \[2\]\]" + (", " + producer if producer else ""),
    ):
        z.sum().backward()
    assert x.grad is None


def test_changed_through_another_view(leaf):
    x = leaf(1.0, 2.0)
    z = (x * x).sum()
    x.detach().mul_(3)
    with pytest.raises(RuntimeError, match=r"\[torch.DoubleTensor \[2\]\] is at version 1; expected version 0"):
        z.backward()


def test_what_was_not_needed_may_change(leaf):
    x = leaf(1.0, 2.0)
    y = x * 2
    z = y + 1
    y.add_(1)
    z.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_data_is_out_of_sight(leaf):
    x = leaf(1.0, 2.0)
    y = x * x
    x.data.mul_(3)
    assert x.tolist() == [3.0, 6.0] and x._version == 0
    y.sum().backward()
    assert x.grad.tolist() == [6.0, 12.0]
    x.data = torch.tensor([5.0, 6.0], dtype=torch.float64)
    x.grad = None
    (x * x).sum().backward()
    assert x.grad.tolist() == [10.0, 12.0]


def test_views_made_without_recording(leaf):
    y = leaf(1.0, 2.0) * 2
    with no_grad():
        v = y[0]
    assert v.requires_grad and v.is_leaf
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is being modified inplace"):
        v.mul_(2)
    y.mul_(2)
    with pytest.raises(RuntimeError, match="its base or another view of its base has been modified inplace"):
        v.grad_fn  # noqa: B018
    with no_grad():
        plain = torch.zeros(4)[:2]
    with pytest.raises(RuntimeError, match="created in no_grad mode"):
        plain.mul_(leaf(1.0))
    plain.mul_(2)


def test_inference_tensors(leaf):
    with inference_mode():
        a = torch.ones(2, dtype=torch.float64)
        b = a * 2
        a.add_(1)
    assert a.is_inference() and b.is_inference() and not (a + 1).is_inference()
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode is not allowed"):
        a.add_(1)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        leaf(1.0, 2.0) * a
    with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor"):
        a.requires_grad_()
    x = leaf(1.0, 2.0)
    (x + a).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]
    assert a.tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    "write",
    [
        lambda x, i: torch.add(x, x, out=i),
        lambda x, i: torch.matmul(torch.eye(2), x, out=i),
        lambda x, i: torch.cat([x[:1], x[1:]], out=i),
        lambda x, i: torch.ldexp(x, x, out=i),
        lambda x, i: torch.sort(x, out=(i, torch.empty(0, dtype=torch.int64)))[0],
        lambda x, i: torch.max(x, x, out=i),
        *(
            lambda x, i, f=f: f(x.expand(2, 2), 1, out=[i, torch.empty(0, dtype=torch.int64)])[0]
            for f in (torch.max, torch.min, torch.median, torch.nanmedian, torch.kthvalue)
        ),
        lambda x, i: torch.aminmax(x.expand(2, 2), dim=1, out=(torch.empty(0), i))[1],
    ],
)
def test_out_may_not_be_an_inference_tensor(write):
    x = torch.ones(2)
    with inference_mode():
        given = torch.zeros(2)
    for context in (no_grad(), nullcontext()):
        with context, pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
            write(x, given)
    assert given.tolist() == [0.0, 0.0]
    with inference_mode():
        assert write(x, given) is given


def test_detach(leaf):
    x = leaf(1.0, 2.0)
    d = x.detach()
    assert not d.requires_grad and d.data_ptr() == x.data_ptr() and d.is_leaf
    y = x * 2
    assert y.detach_() is y and y.grad_fn is None and not y.requires_grad
    with pytest.raises(RuntimeError, match="Can't detach views in-place"):
        (x * 2)[0].detach_()


def test_out_does_not_record(leaf):
    out = torch.empty(2, dtype=torch.float64)
    with pytest.raises(RuntimeError, match=r"add\(\): functions with out=... arguments don't support automatic"):
        torch.add(leaf(1.0, 2.0), 1, out=out)
    with no_grad():
        torch.add(leaf(1.0, 2.0), 1, out=out)
    assert out.tolist() == [2.0, 3.0]
    for several in ((leaf(1.0), torch.empty(1, dtype=torch.int64)), [leaf(1.0), torch.empty(1, dtype=torch.int64)]):
        for function in (torch.sort, torch.max, torch.median):
            with pytest.raises(RuntimeError, match=r"\(\): functions with out=... arguments don't support automatic"):
                function(torch.ones(1, dtype=torch.float64), 0, out=several)


def test_write_of_what_is_recorded_to_a_view_of_what_is_not(leaf):
    """The formula for the part that was overwritten is not wanted, and nothing was kept for it."""
    base, w = torch.ones(4, dtype=torch.float64), leaf(2.0, 3.0)
    base[1:3].mul_(w)
    base[2:].mul_(w[0])
    base.sum().backward()
    assert w.grad.tolist() == [5.0, 2.0]


def test_a_leaf_that_is_a_view():
    """As with PyTorch: its base does not require grad, but views of it may not be written to either."""
    base = torch.arange(4.0)
    leaf = base[:3].requires_grad_()
    for view in (leaf, leaf[1:], leaf.view(3)):
        with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
            view.zero_()
    base.mul_(2)
    assert leaf.is_leaf and leaf.tolist() == [0.0, 2.0, 4.0]


@pytest.mark.parametrize(
    "cut", [lambda t: t.unsafe_split(1), lambda t: t.unsafe_split_with_sizes((1, 1)), lambda t: t.unsafe_chunk(2)]
)
def test_unsafe_pieces_count_their_own_writes(cut):
    a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    whole = a * 1
    first, second = cut(whole)
    first.mul_(second)
    assert (first._version, second._version) == (1, 0) and whole[0].tolist() == [[3.0, 8.0]][0]
    first.sum().backward()
    assert a.grad.tolist() == [[3.0, 4.0], [1.0, 2.0]]
