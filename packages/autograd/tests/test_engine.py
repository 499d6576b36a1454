"""backward and grad: what they compute, what they raise, and in what order nodes run."""

import numpy as np
import pytest

import flambeau_autograd as autograd
import flambeau_tensor as torch
from flambeau_autograd import grad, no_grad
from flambeau_autograd.extend import grad_between


def test_backward_accumulates(leaf):
    x = leaf(1.0, 2.0)
    (x * x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
    first = x.grad
    (x * 3).sum().backward()
    assert x.grad is first  # in place, so that who holds it sees the sum
    assert x.grad.tolist() == [5.0, 7.0]


def test_a_given_gradient_stays_the_same_object(leaf):
    x = leaf(1.0, 2.0)
    mine = torch.tensor([5.0, 5.0], dtype=torch.float64)
    x.grad = mine
    (x * 2).sum().backward()
    assert x.grad is mine
    assert mine.tolist() == [7.0, 7.0]


def test_gradients_of_two_leaves_share_no_memory(leaf):
    a, b = leaf(1.0, 2.0), leaf(1.0, 2.0)
    (a.view(2) + b).sum().backward()
    a.grad.mul_(5)
    assert b.grad.tolist() == [1.0, 1.0]


def test_diamond(leaf):
    x = leaf(3.0)
    a = x * 2
    b = a * a + a * 5 + a
    b.sum().backward()
    assert x.grad.tolist() == [2 * (2 * 6.0 + 5 + 1)]


def test_random_graphs_against_numpy():
    """Products and sums of random earlier values; the reference carries the Jacobian along."""
    rng = np.random.RandomState(0)
    for _ in range(20):
        values = [rng.uniform(0.5, 1.5, 3) for _ in range(3)]
        leaves = [torch.from_numpy(v.copy()).requires_grad_() for v in values]
        tensors = list(leaves)
        slopes = [np.zeros((3, 3)) for _ in range(3)]  # slopes[i][k]: of value i by leaf k, element by element
        for k in range(3):
            slopes[k][k] = 1.0
        for _ in range(30):
            i, j = rng.randint(len(tensors), size=2)
            if rng.rand() < 0.5:
                tensors.append(tensors[i] + tensors[j])
                values.append(values[i] + values[j])
                slopes.append(slopes[i] + slopes[j])
            else:
                tensors.append(tensors[i] * tensors[j] * 0.5)
                values.append(values[i] * values[j] * 0.5)
                slopes.append((slopes[i] * values[j] + slopes[j] * values[i]) * 0.5)
        got = grad(tensors[-1].sum(), leaves, allow_unused=True)
        for k in range(3):
            expected = slopes[-1][k]
            assert np.allclose(np.zeros(3) if got[k] is None else got[k].numpy(), expected)


def test_grad_leaves_dot_grad_alone(leaf):
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    (gx,) = grad((x * w).sum(), x)
    assert gx.tolist() == [3.0, 4.0]
    assert x.grad is None and w.grad is None


def test_grad_of_inner_and_outer(leaf):
    x = leaf(1.0, 2.0)
    y = x * 2
    gy, gx = grad((y * y).sum(), [y, x])
    assert gy.tolist() == [4.0, 8.0]
    assert gx.tolist() == [8.0, 16.0]


def test_unused_inputs(leaf):
    x, other = leaf(1.0, 2.0), leaf(1.0)
    assert grad((x * 2).sum(), [x, other], allow_unused=True)[1] is None
    assert grad((x * 2).sum(), [x, other], materialize_grads=True)[1].tolist() == [0.0]
    with pytest.raises(RuntimeError, match="Tensor at index 1 appears to not have been used in the graph"):
        grad((x * 2).sum(), [x, other])
    with pytest.raises(ValueError, match="Expected allow_unused to be True or not passed"):
        grad((x * 2).sum(), [x, other], allow_unused=False, materialize_grads=True)


def test_a_view_made_without_recording_is_an_unused_input(leaf):
    x = leaf(1.0, 2.0)
    with no_grad():
        view = x[:1]
    assert view.requires_grad
    assert grad((view * x).sum(), view, allow_unused=True) == (None,)
    assert grad((view * x).sum(), [x, view], materialize_grads=True)[1].tolist() == [0.0]
    with pytest.raises(RuntimeError, match="Tensor at index 0 appears to not have been used in the graph"):
        grad((view * x).sum(), view)


def test_backward_inputs(leaf):
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    (x * w).sum().backward(inputs=[x])
    assert x.grad.tolist() == [3.0, 4.0] and w.grad is None
    y = x * w
    (y * y).sum().backward(inputs=y)
    assert y.grad.tolist() == [6.0, 16.0] and w.grad is None
    with pytest.raises(RuntimeError, match="cannot be empty"):
        (x * w).sum().backward(inputs=[])


def test_inputs_in_a_dict(leaf):
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    slopes = grad((x * w).sum(), {"x": x, "w": w})
    assert list(slopes) == ["x", "w"] and slopes["x"].tolist() == [3.0, 4.0] and slopes["w"].tolist() == [1.0, 2.0]
    (x * w).sum().backward(inputs={"x": x})
    assert x.grad.tolist() == [3.0, 4.0] and w.grad is None
    with pytest.raises(RuntimeError, match=r"`inputs` argument to `grad\(\)` cannot be empty"):
        grad((x * w).sum(), [])


def test_batches_of_gradients(leaf):
    x, z = leaf(1.0, 2.0), leaf(1.0)
    y, rows = x**3, torch.eye(2, dtype=torch.float64)
    assert grad(y, x, rows, retain_graph=True, is_grads_batched=True)[0].tolist() == [[3.0, 0.0], [0.0, 12.0]]
    found = grad(y, {"x": x, "z": z}, rows, retain_graph=True, is_grads_batched=True, allow_unused=True)
    assert found["x"].shape == (2, 2) and found["z"] is None
    with pytest.raises(RuntimeError, match="Tensor at index 1 appears to not have been used"):
        grad(y, [x, z], rows, retain_graph=True, is_grads_batched=True)
    with pytest.raises(
        RuntimeError, match=r"interpret the first dimension .* as the batch dimension.* of torch.Size\(\[2, 3\]\)"
    ):
        grad(y, x, torch.ones(2, 3, dtype=torch.float64), retain_graph=True, is_grads_batched=True)
    (both,) = grad([y, x.sum()], x, [rows, None], retain_graph=True, is_grads_batched=True)
    assert both.tolist() == [[4.0, 1.0], [1.0, 13.0]]
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        grad([y, y], x, [rows, None], retain_graph=True, is_grads_batched=True)
    grad(y, x, rows, is_grads_batched=True)
    with pytest.raises(RuntimeError, match="second time"):
        grad(y, x, rows, is_grads_batched=True)


def test_what_is_not_wanted_does_not_run(leaf):
    x, w = leaf(1.0), leaf(2.0)
    left, right = x * 2, w * 3
    ran = []
    right.grad_fn.register_hook(lambda *_: ran.append("right"))
    left.grad_fn.register_hook(lambda *_: ran.append("left"))
    grad((left * right).sum(), x)
    assert ran == ["left"]


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.ones(2, 3),
        lambda: torch.ones(3, 2).t(),
        lambda: torch.ones(2, 1, 3).permute(2, 1, 0),
        lambda: torch.ones(4, 3)[::2],
    ],
    ids=["as usual", "transposed", "permuted", "gapped"],
)
def test_gradients_lie_in_memory_as_their_leaf_does(make):
    """Where the leaf is dense; else as usual. Whatever the layout in which they arrive."""
    for use in (lambda x: x * 2, lambda x: (x.t() if x.ndim == 2 else x.permute(2, 0, 1)) * 2, lambda x: x.sum() * 2):
        x = make().requires_grad_()
        use(x).sum().backward()
        expected = x.stride() if x.is_contiguous() or x.stride()[0] == 1 else torch.ones(x.shape).stride()
        assert x.grad.stride() == expected and x.grad.tolist() == torch.full(x.shape, 2.0).tolist()


def test_several_roots(leaf):
    x = leaf(1.0, 2.0)
    y = x * 2
    autograd.backward([y, y * 3], [torch.ones(2, dtype=torch.float64), torch.tensor([1.0, 10.0], dtype=torch.float64)])
    assert x.grad.tolist() == [8.0, 62.0]


def test_root_that_is_a_leaf(leaf):
    x = leaf(1.0, 2.0)
    ones = torch.ones(2, dtype=torch.float64)
    x.backward(ones)
    assert x.grad.tolist() == [1.0, 1.0]
    assert grad(x, x, ones)[0].tolist() == [1.0, 1.0]


def test_retain_graph(leaf):
    x = leaf(1.0, 2.0)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [4.0, 8.0]
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()
    z = (x + 1).sum()  # nothing was saved, so nothing is missing
    z.backward()
    z.backward()


def test_higher_orders(leaf):
    x = leaf(1.0, 2.0)
    (g,) = grad((x**4).sum(), x, create_graph=True)
    (g2,) = grad(g.sum(), x, create_graph=True)
    (g3,) = grad(g2.sum(), x)
    assert np.allclose(g.detach().numpy(), 4 * x.detach().numpy() ** 3)
    assert np.allclose(g2.detach().numpy(), 12 * x.detach().numpy() ** 2)
    assert np.allclose(g3.numpy(), 24 * x.detach().numpy())


def test_create_graph_accumulates_out_of_place(leaf):
    x = leaf(1.0, 2.0)
    (x**3).sum().backward(create_graph=True)
    first = x.grad
    assert first.requires_grad
    (x**3).sum().backward(create_graph=True)
    assert x.grad is not first
    assert first.tolist() == [3.0, 12.0]


def test_broadcasting_is_undone(leaf):
    x = torch.ones(3, 1, dtype=torch.float64, requires_grad=True)
    w = leaf(1.0, 2.0, 3.0, 4.0)
    s = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    (x * w * s).sum().backward()
    assert x.grad.tolist() == [[20.0]] * 3
    assert w.grad.tolist() == [6.0] * 4
    assert s.grad.item() == 30.0


def test_dtypes_are_converted_back():
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    w = torch.ones(2, requires_grad=True)
    (x * w).float().sum().backward()
    assert x.grad.dtype is torch.float64 and w.grad.dtype is torch.float32


def test_complex_convention():
    z = torch.tensor([1 + 2j, -0.5j], requires_grad=True)
    (z * z.conj()).real.sum().backward()  # |z|², whose gradient is 2z
    assert np.allclose(z.grad.numpy(), 2 * z.detach().numpy())
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * 1j).abs().sum().backward()
    assert x.grad.dtype is torch.float32 and x.grad.tolist() == [1.0, 1.0]


def test_errors_name_what_was_expected(leaf):
    x = leaf(1.0, 2.0)
    y = x * 2
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        y.backward()
    with pytest.raises(RuntimeError, match=r"grad_output\[0\] has a shape of torch.Size\(\[3\]\) and output\[0\]"):
        y.backward(torch.ones(3, dtype=torch.float64))
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad and does not have a grad_fn"):
        torch.ones(1).backward()
    with pytest.raises(RuntimeError, match="One of the differentiated Tensors does not require grad"):
        grad(y.sum(), torch.ones(2))
    with pytest.raises(RuntimeError, match="got 1 tensors and 2 gradients"):
        autograd.backward([y], [y.detach(), y.detach()])
    with pytest.raises(TypeError, match="gradients can be either Tensors or None, but got int"):
        autograd.backward([y], [3])
    with pytest.raises(RuntimeError, match="but got int"):
        grad(y.sum(), [3])
    with pytest.raises(TypeError, match="'NoneType' object is not iterable"):
        grad(y.sum(), None)
    with pytest.raises(RuntimeError, match="only for real scalar outputs but got torch.complex64"):
        torch.tensor(1j, requires_grad=True).backward()
    with pytest.raises(RuntimeError, match="For complex Tensors, both grad_output and output"):
        y.backward(torch.ones(2, dtype=torch.complex64))
    with pytest.warns(FutureWarning, match="`grad_variables` is deprecated"):
        with pytest.raises(RuntimeError, match="arguments both passed"):
            autograd.backward(y, grad_tensors=y.detach(), grad_variables=y.detach())
    with pytest.raises(ValueError, match="vmap"):
        grad(y.sum(), x, is_grads_batched=True)
    assert x.grad is None and x.tolist() == [1.0, 2.0]


def test_an_error_leaves_the_graph_usable(leaf):
    x = leaf(1.0, 2.0)
    y = x * 2
    z = (y * y).sum() + (x * 3).sum()
    handle = y.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        z.backward(retain_graph=True)
    assert autograd.is_grad_enabled()
    handle.remove()
    x.grad = None
    z.backward()
    assert x.grad.tolist() == [8 * 1.0 + 3, 8 * 2.0 + 3]


def test_backward_inside_backward(leaf):
    class Inner(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            with autograd.enable_grad():
                d = x.detach().requires_grad_()
                (d * d).backward(g)
            return d.grad

    x = leaf(1.0, 2.0)
    (Inner.apply(x * 2) + x).sum().backward()
    assert x.grad.tolist() == [9.0, 17.0]


def test_numbers_are_a_topological_order(leaf):
    x = leaf(1.0)
    y = x * 2
    z = y.exp() + y

    def walk(node):
        for following, _ in node.next_functions:
            if following is not None:
                assert following._sequence_nr() < node._sequence_nr()
                walk(following)

    walk(z.grad_fn)


def test_many_outputs_of_one_node():
    x = torch.arange(20.0).requires_grad_()
    parts = x.unbind(0)
    sum(p * i for i, p in enumerate(parts)).backward()
    assert x.grad.tolist() == list(range(20))


def test_node_as_a_function(leaf):
    y = leaf(1.0, 2.0) * torch.tensor([3.0, 4.0], dtype=torch.float64)
    assert [g if g is None else g.tolist() for g in y.grad_fn(torch.ones(2, dtype=torch.float64))] == [[3.0, 4.0], None]


def test_backward_in_backward_of_any_depth(leaf):
    """In other threads, where one has no stack left, as if they were this one."""

    class Deep(autograd.Function):
        @staticmethod
        def forward(ctx, x, n):
            ctx.n = n
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            depths.append((ctx.n, autograd.is_grad_enabled()))
            if ctx.n == 0:
                if fails:
                    raise ValueError("deep down")
                return g, None
            with autograd.enable_grad():
                y = torch.zeros(1, dtype=g.dtype, requires_grad=True)
                Deep.apply(y, ctx.n - 1).sum().backward()
            return g + y.grad, None

    fails, depths, x = False, [], leaf(1.0)
    Deep.apply(x, 2000).sum().backward()
    assert x.grad.tolist() == [2001.0] and depths == [(n, False) for n in range(2000, -1, -1)]
    fails = True
    with pytest.raises(ValueError, match="deep down"):
        Deep.apply(x, 300).sum().backward()
    fails = False
    Deep.apply(x, 3).sum().backward()
    assert x.grad.tolist() == [2005.0] and autograd.is_grad_enabled()


def test_zeros_for_inputs_that_nothing_depends_on_can_be_differentiated_by(leaf):
    x, y = leaf(1.0, 2.0), torch.ones(2, 3, dtype=torch.float64).t().requires_grad_()
    z = (x * x).sum()
    by_x, by_y = autograd.grad(z, [x, y], materialize_grads=True, create_graph=True)
    assert by_y.requires_grad and by_y.is_leaf and by_y.stride() == (1, 3) and not by_y.any()
    again = autograd.grad(by_x.sum() + by_y.sum(), [x, y], materialize_grads=True)
    assert [t.tolist() for t in again] == [[2.0, 2.0], [[0.0, 0.0]] * 3]
    assert not autograd.grad(x.sum(), y, materialize_grads=True)[0].requires_grad


def test_gradients_between_tensors_that_depend_on_each_other(leaf):
    x = leaf(2.0, 3.0)
    y = x * x
    z = y * x
    assert [g.tolist() for g in grad_between((z.sum(),), (y, x), (torch.ones((), dtype=z.dtype),))] == [
        [2.0, 3.0],
        [4.0, 9.0],
    ]
    first, second = y.unbind()
    found = grad_between((first * second * x[0],), (first, second, x), (torch.ones((), dtype=z.dtype),))
    assert [g.tolist() for g in found] == [18.0, 8.0, [36.0, 0.0]]
    assert grad_between((y.sum(),), (z,), (torch.ones((), dtype=z.dtype),)) == (None,)
    (by_y,) = grad_between(((z * y).sum(),), (y,), (torch.ones((), dtype=z.dtype),), create_graph=True)
    assert by_y.requires_grad and by_y.tolist() == (2 * y * x).tolist()
