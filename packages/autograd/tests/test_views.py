"""Derivatives of views, of copies and of writing, in both modes."""

import pytest

import flambeau_tensor as torch
from flambeau_autograd import Function, func, grad, gradcheck, gradgradcheck, inference_mode, no_grad
from samples.derivatives import check_batches, check_derivatives


@pytest.mark.parametrize(
    "function",
    [
        torch.real,
        torch.imag,
        torch.view_as_real,
        lambda z: torch.view_as_complex(torch.view_as_real(z) * 2),
        lambda z: torch.complex(z.imag, z.real),
        torch.conj,
        lambda z: z.to(torch.complex128),
    ],
)
def test_parts_of_complex_numbers(function, random, check):
    check(function, random(3, complex=True))


def _set_parts(w, a):
    w.real = a
    w.imag = a * a
    return w


def _write(view, value=lambda w, a: a):
    def run(w, a):
        view(w).copy_(value(w, a))
        return w

    return run


def _before(view):
    """A view made before its base is written to."""

    def run(w, a):
        v = view(w)
        w.mul_(a)
        return v * a[0], w

    return run


def _pairs(a, w):
    """Complex numbers over real memory."""
    r = torch.stack([a, a * 2], -1)
    c = torch.view_as_complex(r)
    c[1:].mul_(w[1:])
    r[0].mul_(a[1])
    return c, r


@pytest.mark.parametrize(
    "function",
    [
        _set_parts,
        _write(torch.real),
        _write(torch.imag, lambda w, a: w.real.clone() * a),
        _write(lambda w: torch.view_as_real(w)[1:, 0], lambda w, a: a[1:].clone()),
        _write(lambda w: w[1:].imag, lambda w, a: a[:2] * 3),
        _write(lambda w: w.view(3, 1).t().real[0]),
        _write(lambda w: torch.view_as_real(w).view(-1)[1:4]),
        _write(lambda w: w.view(torch.float64)[::2]),
        _before(lambda w: w.imag),
        _before(lambda w: torch.view_as_real(w)[:, 1]),
        _before(lambda w: w[:2].real),
        lambda w, a: _pairs(a, w),
        lambda w, a: _set_parts(torch.zeros(3, dtype=w.dtype), a) * w,
    ],
)
def test_parts_of_complex_numbers_are_written_to(function, random, check):
    check(lambda w, a: function(w * (1 + 1j), a), random(3, complex=True), random(3))


def test_values_of_gradients_of_parts_that_were_written_to():
    """The values are PyTorch's."""
    w = torch.tensor([1 + 2j, 3 - 1j], dtype=torch.complex128, requires_grad=True)
    a = torch.tensor([2.0, 5.0], dtype=torch.float64, requires_grad=True)
    z = w * (1 + 1j)
    z.real = a
    ((z * z.conj()).real.sum() + (z * z).imag.sum()).backward()
    assert w.grad.tolist() == [10 + 10j, 14 + 14j] and a.grad.tolist() == [10.0, 14.0]


def test_bytes_seen_as_another_dtype(leaf):
    x = leaf(1.0, 2.0)
    y = x * 1
    bits = y.view(torch.int64)
    y.mul_(2)
    assert not bits.requires_grad and bits.grad_fn is None
    assert not (bits + 1).requires_grad
    w = leaf(1 + 2j, dtype=torch.complex128)
    (w.view(torch.float64) * torch.tensor([3.0, 5.0], dtype=torch.float64)).sum().backward()
    assert w.grad.tolist() == [3 + 5j]
    with pytest.raises(RuntimeError, match=r"view\(\): the bytes of torch.float64 numbers seen as torch.float32 ones"):
        x.view(torch.float32).sum().backward()


def test_writing_random_numbers_ends_tangents(random, check_tangents):
    check_tangents(lambda x: x + x.clone().uniform_() * 0, random(3))


@pytest.mark.parametrize(
    "pieces",
    [
        lambda y: y.split(1),
        lambda y: y.split((1, 2)),
        lambda y: y.split_with_sizes((1, 2)),
        lambda y: y.chunk(3),
        lambda y: y.unbind(),
        lambda y: list(y),
        lambda y: [piece[:] for piece in y.split(1)],
    ],
)
def test_pieces_may_not_be_written_to(pieces, random):
    x = random(3, 4)
    made = pieces(x * 2)
    with pytest.raises(
        RuntimeError,
        match="is a view and is being modified inplace. This view is the output of a "
        "function that returns multiple views. Such functions do not allow the output views to be",
    ):
        made[0].mul_(2)
    y = x * 2
    made = pieces(y)
    y.mul_(2)
    assert "grad_fn=<Invalid>" in repr(made[0])
    with pytest.raises(RuntimeError, match="its base or another view of its base has been modified inplace. This view"):
        made[0] * 2
    plain = pieces(x.detach())[0]
    plain.mul_(2)  # nothing is recorded
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is being modified inplace with"):
        plain.mul_(x.sum())


@pytest.mark.parametrize("pieces", [lambda y: y.tensor_split(3), lambda y: y.vsplit(3)])
def test_other_pieces_may_be_written_to(pieces, random, check):
    def function(x):
        y = x * 2
        made = pieces(y)
        made[0].mul_(x[0])
        made[1].copy_(made[0].sum() * x[2, 0])
        return y, made[-1]

    x = random(3, 4)
    before = pieces(x * 2)
    check(function, x)
    assert len(before) >= 2


def test_views_made_in_inference_mode_say_so(random):
    x = random(3, 4)
    base = x * 1
    with inference_mode():
        view = base[0]
    with pytest.raises(
        RuntimeError,
        match="A view was created in inference mode and is being modified inplace in "
        "normal mode.*both inside the inference_mode block",
    ):
        view.mul_(2)
    base.mul_(2)
    assert "grad_fn=<Invalid>" in repr(view)
    with pytest.raises(RuntimeError, match="A view was created in inference mode and its base or another view of its"):
        view * 2


def test_the_gradient_of_a_window_on_elements_that_repeat_is_shared():
    """A gradient by elements that are several times in the input goes to each of them in parts, as in PyTorch 2.13."""
    x = torch.arange(6.0, requires_grad=True)
    for view, expected in (
        (x.as_strided((4, 3), (1, 1)).as_strided((6,), (1,)), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]),
        (x.as_strided((4, 3), (1, 1)).as_strided((2, 2), (2, 1), 1), [0.0, 0.0, 1.0, 2.0, 3.0, 0.0]),
        (x.unfold(0, 3, 1).as_strided((2, 2), (2, 1), 1), [0.0, 0.0, 1.0, 2.0, 3.0, 0.0]),
    ):
        weights = torch.arange(float(view.numel())).view(view.shape)
        assert grad((view * weights).sum(), x)[0].tolist() == expected


def test_pieces_made_without_recording_may_not(random):
    x = random(3, 4)
    with no_grad():
        pieces = (x * 1).split(1) + x.split(1)
    pieces[0].mul_(2)
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is being modified inplace"):
        pieces[-1].mul_(2)


def test_diagonals_and_writing_through_views():
    random = torch.Generator().manual_seed(3)

    def make(*shape):
        return torch.randn(shape, dtype=torch.float64, generator=random).requires_grad_()

    matrix, rows, column = make(2, 3), make(2), make(2, 1)
    for f, args in (
        (torch.diag, (rows,)),
        (torch.diag, (matrix,)),
        (torch.diag_embed, (matrix,)),
        (torch.trace, (matrix,)),
        (torch.diagonal_scatter, (matrix, rows)),
        (torch.select_copy, (matrix, 1, 0)),
        (lambda a, b: torch.select_scatter(a, b, 1, 0), (matrix, rows)),
        (lambda a, b: torch.slice_scatter(a, b, 1, 1, 2), (matrix, column)),
    ):
        tensors = tuple(a for a in args if isinstance(a, torch.Tensor))
        rest = args[len(tensors) :]
        assert gradcheck(
            lambda *t, f=f, rest=rest: f(*t, *rest), tensors, check_forward_ad=True, check_batched_grad=True
        )
        assert gradgradcheck(lambda *t, f=f, rest=rest: f(*t, *rest), tensors)
        many = [torch.stack([t.detach(), t.detach() * 2, -t.detach()]) for t in tensors]
        batched = func.vmap(lambda *t, f=f, rest=rest: f(*t, *rest))(*many)
        for i, each in enumerate(batched):
            assert torch.equal(each, f(*(t[i] for t in many), *rest))


class Sub(torch.Tensor):
    pass


@pytest.mark.parametrize(
    "make",
    [torch.Tensor, Sub, lambda t: t.as_subclass(Sub), Sub(0).new],
    ids=["Tensor(a)", "Sub(a)", "as_subclass", "new"],
)
def test_another_object_over_a_tensor_is_a_view_of_its_base(make):
    a = torch.ones(2, 3)
    row, whole = make(a[0]), make(a)
    assert row._base is whole._base is a and row._is_view() and whole.data_ptr() == a.data_ptr()
    whole.add_(1)
    assert a.tolist() == [[2.0] * 3] * 2 and a._version == whole._version == row._version == 1
    x = torch.ones(2, requires_grad=True)
    y = x * 3
    make(y).mul_(2)  # a write to the view is in its base's history
    z = make(y)
    assert z.requires_grad and not z.is_leaf and type(z.grad_fn).__name__.endswith("Backward0")
    (z + y).sum().backward()
    assert x.grad.tolist() == [12.0, 12.0]
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        make(x).add_(1)


def test_data_by_name_and_devices_are_not_for_tensors():
    with pytest.raises(TypeError, match=r"new\(\): data must be a sequence \(got Tensor\)"):
        torch.Tensor(data=torch.ones(2))
    with pytest.raises(RuntimeError, match="Legacy tensor constructor of the form"):
        Sub(torch.ones(2), device="cpu")


TestDerivatives = check_derivatives("tensor.views")
TestBatches = check_batches("tensor.views")


def test_history_of_a_view_of_a_leaf_that_is_a_view():
    leaf = torch.tensor([1.0, 2.0]).reshape(2, 1).requires_grad_()
    turned = leaf.t()
    turned.detach().add_(1)  # the view's history is made anew from the base, which has none
    assert turned.requires_grad and turned.grad_fn.name() == "AsStridedBackward0"
    assert turned.requires_grad and not turned.is_leaf
    assert grad(turned.sum(), leaf, allow_unused=True) == (None,)


class _Viewed(Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return grad


def test_a_view_that_a_function_returned_without_recording_says_so():
    for write in (lambda v, b: v.add_(b), lambda v, b: v.copy_(b)):
        view = _Viewed.apply(torch.zeros(2))
        with pytest.raises(RuntimeError, match="in no_grad mode .* This view was created inside a custom Function"):
            write(view, torch.ones(2, requires_grad=True))
    assert _Viewed.apply(torch.zeros(2)).add_(1).tolist() == [1.0, 1.0]


@pytest.mark.parametrize(("mode", "name"), [(no_grad, "no_grad mode"), (inference_mode, "inference mode")])
def test_a_view_of_a_view_that_was_made_without_recording_says_so(mode, name):
    x = torch.zeros(2)
    with mode():
        leaf = x.view(2)
    view = leaf.requires_grad_().view(2)
    with pytest.raises(RuntimeError, match=f"Output 0 of View is a view of a view which was created in {name} and is"):
        view /= 2


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x.select(0, 0),
        lambda x: x.as_strided((4,), (1,)),
        lambda x: x.t()[1:],
        torch.view_as_complex,
        lambda x: torch.view_as_real(torch.view_as_complex(x)),
    ],
)
def test_the_same_view_of_another_base(f):
    x, other = torch.ones(2, 2), torch.full((2, 2), 3.0, requires_grad=True)
    view = f(x)
    again = view._view_func(other)
    assert torch.equal(again, f(other)) and again.stride() == view.stride()
    assert grad(again.abs().sum(), other)[0].shape == (2, 2)
    for base in (torch.zeros(3), torch.zeros(2, 2).t()):
        assert view._view_func(base) is None
    assert (
        view._view_func(torch.ones(2, 2, dtype=torch.float64)).dtype == f(torch.ones(2, 2, dtype=torch.float64)).dtype
    )
    assert x.clone()._view_func(x) is None


def test_a_view_whose_data_is_its_own_remains_one():
    h = torch.ones((), requires_grad=True)
    base = torch.ones(6)
    x = base.view(2, 3)
    column = x.select(1, 1)
    x.data = x.data
    column.mul_(h)
    assert not x.is_leaf and x._version == column._version == base._version == 1
    (g,) = grad(x.sum(), h)
    assert g.item() == 2
