"""What transforms refuse, what they leave behind, and what tensors look like inside of them.

The expected types and texts are those of PyTorch 2.13 unless a comment says otherwise.
"""

import copy
import pickle
import threading

import numpy as np
import pytest
from flambeau_autograd._engine.levels.dual_level import outer_dual
from flambeau_autograd._engine.levels.level import levels

import flambeau_autograd.forward_ad as fwAD
import flambeau_tensor as torch
from flambeau_autograd import Function, inference_mode, no_grad
from flambeau_autograd import grad as autograd_grad
from flambeau_autograd.func import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap
from flambeau_autograd.graph import saved_tensors_hooks


@pytest.fixture(autouse=True)
def no_level_is_left():
    yield
    assert levels() == () and outer_dual() is None


@pytest.fixture
def x():
    return torch.tensor([1.0, 2.0, 3.0])


def along(f):
    return lambda x: jvp(f, (x,), (torch.ones_like(x),))


ALL = {
    "grad": grad,
    "grad_and_value": grad_and_value,
    "vmap": vmap,
    "jvp": along,
    "jacrev": jacrev,
    "jacfwd": jacfwd,
    "hessian": hessian,
    "vjp": lambda f: lambda x: vjp(f, x),
    "linearize": lambda f: lambda x: linearize(f, x),
}


# --- what leaves nothing behind -------------------------------------------------------------------------------------


@pytest.mark.parametrize("transform", ALL.values(), ids=ALL)
def test_errors_leave_no_level(transform, x):
    def fails(a):
        raise KeyError("from inside")

    with pytest.raises(KeyError, match="from inside"):
        transform(fails)(x)
    with pytest.raises(KeyError, match="from inside"):
        transform(transform(fails))(x.reshape(1, 3) if transform is vmap else x)
    assert grad(lambda a: a.sum())(x).tolist() == [1.0, 1.0, 1.0]


def test_levels_are_per_thread(x):
    seen = []

    def other():
        seen.append((levels(), grad(lambda a: (a * a).sum())(torch.ones(2)).tolist()))

    def f(a):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        return (a**3).sum()

    assert torch.allclose(grad(f)(x), 3 * x * x)
    vmap(f)(x.reshape(1, 3))
    assert seen == [((), [2.0, 2.0])] * 2


@pytest.mark.parametrize("transform", [grad, along], ids=["grad", "jvp"])
def test_tensors_that_escape_derivatives_are_values(transform, x):
    kept = []
    transform(lambda a: kept.extend([a, a * a]) or kept[1].sum())(x)
    for a, value in zip(kept, ([1.0, 2.0, 3.0], [1.0, 4.0, 9.0]), strict=True):
        assert not a.requires_grad and a.grad_fn is None and a.is_leaf and (a + 1 - 1).tolist() == value
        with pytest.raises(RuntimeError, match="does not require grad"):
            (2 * a).sum().backward()
        torch.add(x, a, out=torch.empty(3))
        a.mul_(2)
        leaf(a.requires_grad_()).backward()
        assert a.grad.tolist() == [1.0] * 3 and (a / 2).tolist() == value


WITHIN = {
    "no": lambda f: f(torch.ones(3)),
    "vjp": lambda f: vjp(f, torch.ones(3))[0],
    "vmap": lambda f: vmap(f)(torch.ones(2, 3))[1],
    "jvp": lambda f: along(f)(torch.ones(3))[0],
    "product": lambda f: vjp(f, torch.ones(3))[1](torch.ones(3))[0],
}


@pytest.mark.parametrize("within", WITHIN.values(), ids=WITHIN)
def test_what_escapes_keeps_the_history_from_outside(within, x):
    kept = []

    def f(a):
        kept.append(a.sin())
        return kept[0].sum()

    x.requires_grad_()
    grad(lambda a: grad(f)(a).sum())(x)
    within(lambda y: y * kept[0]).sum().backward()
    assert torch.allclose(x.grad, x.cos())


LATER = {
    "grad": lambda f: grad(lambda c: f(c).sum()),
    "vjp": lambda f: lambda c: vjp(f, c)[1](torch.ones(3))[0],
    "jvp": lambda f: lambda c: jvp(f, (c,), (torch.ones(3),))[1],
    "jacrev": lambda f: lambda c: jacrev(f)(c).sum(0),
    "vmap of grad": lambda f: lambda c: vmap(grad(lambda c: f(c).sum()))(c.expand(2, 3))[1],
    "grad of vmap": lambda f: lambda c: grad(lambda c: vmap(f)(c).sum())(c.expand(2, 3))[1],
}


@pytest.mark.parametrize("transform", LATER.values(), ids=LATER)
@pytest.mark.parametrize(
    "function",
    [lambda x: lambda c: vjp(torch.sin, x)[1](c)[0], lambda x: linearize(torch.sin, x)[1]],
    ids=["vjp", "linearize"],
)
def test_derivatives_of_what_outlives_its_transform(function, transform, x):
    """The level of the transform that comes later is not taken for that of the one before."""
    with no_grad():
        alone = function(x)
    for along_x in (function(x), alone):
        assert torch.allclose(transform(along_x)(torch.ones(3)), x.cos())
    assert torch.allclose(grad(lambda x: transform(function(x))(torch.ones(3)).sum())(x), -x.sin())


# --- what is refused ------------------------------------------------------------------------------------------------


def leaf(a):
    a.requires_grad_()
    return a.sum()


def fresh_leaf(a):
    return (a * torch.ones(3).requires_grad_()).sum()


def retained(a):
    b = a * 2
    b.retain_grad()
    return b.sum()


@pytest.mark.parametrize("transform", [grad, along, jacrev], ids=["grad", "jvp", "jacrev"])
@pytest.mark.parametrize(
    ("f", "what"), [(leaf, "requires_grad_"), (fresh_leaf, "requires_grad_"), (retained, "retain_grad")]
)
def test_recording_is_not_switched_inside(transform, f, what, x):
    with pytest.raises(RuntimeError, match=rf"attempting to call Tensor.{what}\(\)"):
        transform(f)(x)


@pytest.mark.parametrize("transform", [grad, vmap, along], ids=["grad", "vmap", "jvp"])
def test_backward_inside(transform):
    w = torch.ones(3, requires_grad=True)

    def f(a):
        y = (a * w).sum()
        y.backward()
        return y

    with pytest.raises(RuntimeError, match=r"backward\(\) called inside a functorch transform"):
        transform(f)(torch.ones(2, 3))
    assert w.grad is None


def test_gradients_inside_are_fine(x):
    def f(a):
        y = (a**3).sum()
        (g,) = autograd_grad(y, a, create_graph=True)
        return g.sum()

    assert torch.allclose(grad(f)(x), 6 * x)


@pytest.mark.parametrize("f", [lambda a: a.mul_(2).sum(), lambda a: a[0].mul_(2), lambda a: a.view(3, 1).exp_().sum()])
@pytest.mark.parametrize("transform", ["grad", "vjp", "jacrev", "linearize"])
def test_inputs_of_derivatives_are_not_overwritten(transform, f, x):
    for given, run in ((x, ALL[transform](f)), (torch.stack([x, x]), vmap(grad(f)))):
        before = given.clone()
        with pytest.raises(RuntimeError, match="leaf Variable that requires grad is being used in an in-place"):
            run(given)
        assert torch.equal(given, before)


def test_inputs_of_vmap_and_jvp_are_overwritten(x):
    rows = torch.stack([x, x])
    vmap(lambda a: a.add_(1))(rows)
    assert rows.tolist() == [[2.0, 3.0, 4.0]] * 2
    value, tangent = jvp(lambda a: a.mul_(3), (x,), (torch.ones(3),))
    assert tangent.tolist() == [3.0] * 3 and x.tolist() == value.tolist() == [3.0, 6.0, 9.0]


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda x: grad(lambda a: a)(x), RuntimeError, "return a scalar Tensor, got tensor with 1 dims"),
        (lambda x: grad(lambda a: 1)(x), RuntimeError, "return a Tensor, got <class 'int'>"),
        (lambda x: grad(lambda a: a.sum(), has_aux=True)(x), RuntimeError, "should be a tuple"),
        (lambda x: grad(lambda a: a.sum())(2.0), ValueError, "must be Tensor, got <class 'float'>"),
        (lambda x: grad(lambda a: a.sum(), argnums=1)(x), RuntimeError, "argnum=1, but only 1 positional"),
        (lambda x: grad(lambda a: a.sum(), argnums=())(x), RuntimeError, "must be non-empty"),
        (lambda x: grad(lambda a: a.sum(), argnums="a")(x), RuntimeError, "must be int or Tuple"),
        (lambda x: grad(lambda a, b: a.sum(), argnums=(0, 0))(x, x), RuntimeError, "must be unique, got"),
        (lambda x: grad(lambda a: a.sum())(torch.ones(2, dtype=torch.int64)), RuntimeError, "floating point"),
        (lambda x: vjp(lambda a: (a, a), x)[1](x), RuntimeError, r"cotangents: \*, primal output: \(\*, \*\)"),
        (lambda x: vjp(lambda a: (a, None), x), RuntimeError, "unsupported type <class 'NoneType'>"),
        (lambda x: jvp(torch.sin, x, x), RuntimeError, "primals to be a tuple"),
        (lambda x: jvp(torch.sin, (x,), (x, x)), RuntimeError, "same python structure"),
        (lambda x: jvp(torch.sin, (), ()), RuntimeError, "at least one Tensor"),
        (lambda x: jvp(torch.sin, (x.long(),), (x.long(),)), ValueError, "floating point or complex"),
        (lambda x: jvp(torch.sin, (3,), (x,)), RuntimeError, "Expected primals to only contain Tensors"),
        (lambda x: jvp(torch.sin, (x,), (3.0,)), RuntimeError, "Expected tangents to only contain Tensors, got"),
        (lambda x: jvp(lambda x: None, (x,), (x,)), RuntimeError, "non-empty output .got output = None"),
        (lambda x: jvp(lambda a: 3, (x,), (x,)), RuntimeError, "only tensors, got unsupported type <class 'int'>"),
        (lambda x: vmap(torch.sin)(), ValueError, "no inputs"),
        (lambda x: vmap(torch.sin, in_dims=(None,))(x), ValueError, "at least one Tensor to vmap over"),
        (lambda x: vmap(torch.sin, in_dims="a")(x), ValueError, "expected `in_dims` to be int or"),
        (lambda x: vmap(torch.sin, in_dims=(0.5,))(x), ValueError, "in_dim=0.5"),
        (lambda x: vmap(lambda a, b: a, in_dims=(0, 0))(x, 3), ValueError, "cannot vmap over non-Tensor"),
        (lambda x: vmap(lambda d: d, in_dims=({"b": 0},))({"a": x}), ValueError, "not compatible with the structure"),
        (lambda x: vmap(lambda a: (a, a), out_dims=(0, 0, 0))(x), ValueError, "out_dims is not compatible"),
        (lambda x: vmap(lambda a: a, out_dims=None)(x), ValueError, "BatchedTensor when out_dim is None"),
        (lambda x: vmap(lambda a: a, out_dims=3)(x), IndexError, "Dimension out of range"),
        (lambda x: vmap(lambda a: None)(x), ValueError, "must only return Tensors, got type <class 'NoneType'>"),
        (lambda x: vmap(torch.sin, randomness="any")(x), RuntimeError, "Only allowed values for randomness"),
        (lambda x: vmap(torch.sin, chunk_size=0)(x), ValueError, "chunk_size should be None or greater than 0"),
        (lambda x: vmap(lambda a: torch.add(a, a, out=torch.empty(())))(x), RuntimeError, "out="),
    ],
)
def test_wrong_calls(call, error, match, x):
    with pytest.raises(error, match=match):
        call(x)


# --- recording switched off -----------------------------------------------------------------------------------------


def test_no_grad_outside_is_ignored(x):
    with no_grad():
        assert torch.allclose(grad(lambda a: grad(lambda b: (b**3).sum())(a).sum())(x), 6 * x)


def test_no_grad_inside_holds(x):
    def f(a):
        with no_grad():
            c = grad(lambda b: (b**2).sum())(a)
        return (a * c).sum()

    assert torch.allclose(grad(f)(x), 2 * x)
    assert torch.allclose(along(lambda a: f(a))(x)[1], (4 * x).sum())  # forward mode is not recording


def test_inference_mode(x):
    def f(a):
        return (a**2).sum()

    with inference_mode():
        made = torch.tensor([1.0, 2.0, 3.0])
        assert torch.allclose(grad(f)(made), 2 * x) and torch.allclose(vmap(grad(torch.sin))(made), x.cos())
        assert along(f)(made)[1].item() == 12.0


def test_saved_tensors_hooks_see_what_transforms_save(x):
    """PyTorch: RuntimeError: torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks."""
    seen = []

    def pack(t):
        seen.append(tuple(t.shape))
        return t.detach().clone()

    with saved_tensors_hooks(pack, lambda t: t):
        assert torch.allclose(grad(lambda a: (a**3).sum())(x), 3 * x * x)
    assert seen == [(3,)]


# --- vmap -----------------------------------------------------------------------------------------------------------


def test_trees_of_dimensions():
    def f(a, rest):
        return {"sum": a * rest[0] * rest[1]["z"], "z": (rest[1]["z"],)}

    a, shared, z = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0, 5.0]), torch.arange(6.0).reshape(3, 2)
    out = vmap(f, in_dims=(0, [None, {"z": 1}]), out_dims={"sum": 1, "z": (0,)})(a, [shared, {"z": z}])
    assert torch.equal(out["sum"], (a * z) * shared.reshape(3, 1)) and torch.equal(out["z"][0], z.T)


def test_dicts_belong_together_by_their_keys(x):
    def f(d):
        return {"product": d["a"] * d["b"], "first": d["a"]}

    primals = {"a": x, "b": 3 * x}
    along = {"b": torch.zeros_like(x), "a": torch.ones_like(x)}
    assert jvp(f, (primals,), (along,))[1]["product"].tolist() == (3 * x).tolist()
    assert linearize(f, primals)[1](along)["product"].tolist() == (3 * x).tolist()
    (gradient,) = vjp(f, primals)[1]({"first": torch.zeros_like(x), "product": torch.ones_like(x)})
    assert gradient["a"].tolist() == (3 * x).tolist()
    assert (
        vmap(lambda d: d["a"] * d["b"], in_dims=({"b": None, "a": 0},))({"a": x, "b": x[0]}).tolist()
        == (x * x[0]).tolist()
    )
    for other in ({"a": x, "c": x}, {"a": x}, [x, x]):
        with pytest.raises(RuntimeError, match="same python structure"):
            jvp(f, (primals,), (other,))
        with pytest.raises(RuntimeError, match="tangents of the form of the primals"):
            linearize(f, primals)[1](other)
        with pytest.raises(RuntimeError, match="Expected pytree structure of cotangents"):
            vjp(f, primals)[1](other)


def test_results_that_are_no_tensors(x):
    found = vmap(lambda a: (a, 3, "text"), out_dims=(0, None, None))(x)
    assert found[1:] == (3, "text") and torch.equal(found[0], x)


def test_keyword_arguments_are_shared(x):
    assert vmap(lambda a, *, k: a * k)(x, k=x).shape == (3, 3)


def test_chunks(x):
    calls = []
    assert torch.equal(vmap(lambda a: calls.append(1) or a * 2, chunk_size=2)(x), x * 2) and len(calls) == 2
    torch.manual_seed(0)
    for randomness, distinct in (("different", 5), ("same", 1)):
        drawn = vmap(lambda a: a + torch.rand(()), chunk_size=2, randomness=randomness)(torch.zeros(5))
        assert len(set(drawn.tolist())) == distinct


@pytest.mark.parametrize(
    "f",
    [
        torch.sin,
        lambda a: a @ a,
        lambda a: a.sum(),
        lambda a: torch.stack([a, a]),
        lambda a: a.sort()[0],
        grad(lambda a: (a**3).sum()),
        lambda a: a.norm(),
        lambda a: torch.searchsorted(a, a),
    ],
)
def test_no_examples(f):
    one = f(torch.ones(3))
    found = vmap(f)(torch.ones(0, 3))
    assert found.shape == (0, *one.shape) and found.dtype is one.dtype


def test_examples_that_escape(x):
    kept = []
    vmap(lambda a: kept.append(a) or a)(x)
    for use in (
        lambda a: a + 1,
        lambda a: a.add_(1),
        lambda a: a.shape,
        lambda a: a.detach(),
        lambda a: a.sum().item(),
        lambda a: torch.ones(()).copy_(a),
        lambda a: torch.stack([x[0], a]),
        copy.deepcopy,
        pickle.dumps,
        *(lambda a, t=t: t(lambda y: (y * a).sum())(x) for t in ALL.values()),
    ):
        with pytest.raises(RuntimeError, match="after the vmap that made it had returned"):
            use(kept[0])
    assert repr(kept[0]).startswith("BatchedTensor(lvl=1, bdim=0, value=\n    tensor([1., 2., 3.])")


READS = {
    "numpy": lambda a: a.numpy(),
    "asarray": np.asarray,
    "from_dlpack": np.from_dlpack,
    "memoryview": memoryview,
    "tolist": lambda a: a.tolist(),
    "pickle": pickle.dumps,
    "copy": copy.copy,
    "data_ptr": lambda a: a.data_ptr(),
    "tensor": torch.tensor,
    "untyped_storage": lambda a: a.untyped_storage(),
    "item": lambda a: a.sum().item(),
    "equal": lambda a: torch.equal(a, a),
    "bool": lambda a: bool(a[0] > 0),
    "data": lambda a: setattr(torch.zeros(3), "data", a),
}


@pytest.mark.filterwarnings("ignore:To copy construct")
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_an_example_is_never_handed_out(read, x):
    with pytest.raises(RuntimeError, match="vmap"):
        vmap(lambda a: read(a) and a)(torch.stack([x, x]))
    with pytest.raises(RuntimeError, match="vmap|inside functorch transform"):  # deeper down, too
        vmap(lambda a: along(lambda b: read(b) and b)(a)[0])(torch.stack([x, x]))


def test_a_deep_copy_copies_all_examples(x):
    """PyTorch: NotImplementedError: Cannot access storage of BatchedTensorImpl."""
    rows = torch.stack([x, x])
    found = vmap(lambda a: copy.deepcopy(a).mul_(2))(rows)
    assert torch.equal(found, rows * 2) and rows[0].tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("read", ["numpy", "asarray", "from_dlpack", "memoryview", "pickle"])
def test_a_tangent_is_not_lost_in_silence(read, x):
    with pytest.raises(RuntimeError, match="has a tangent, which would be lost"):
        along(lambda a: READS[read](a) and a)(x)
    assert np.asarray(along(lambda a: a * torch.from_numpy(a.detach().numpy()))(x)[1]).tolist() == [1.0, 2.0, 3.0]


# --- what tensors look like -----------------------------------------------------------------------------------------


def test_printing(x):
    shown = []

    def show(a):
        shown.append(repr(a))
        return a

    vmap(vmap(show))(torch.ones(2, 3))
    grad(lambda a: show(a).sum())(x)
    jvp(show, (x,), (x,))
    vmap(grad(lambda a: show(a).sum()))(torch.ones(2, 3))
    grad(lambda a: vmap(show)(a).sum())(x)
    rows = f"tensor([[1., 1., 1.],\n{' ' * 16}[1., 1., 1.]])"
    assert shown == [
        f"BatchedTensor(lvl=2, bdim=0, value=\n    BatchedTensor(lvl=1, bdim=0, value=\n        {rows}\n    )\n)",
        "GradTrackingTensor(lvl=1, value=\n    tensor([1., 2., 3.])\n)",
        "GradTrackingTensor(lvl=1, value=\n    tensor([1., 2., 3.])\n)",
        f"GradTrackingTensor(lvl=2, value=\n    BatchedTensor(lvl=1, bdim=0, value=\n        {rows}\n    )\n)",
        "BatchedTensor(lvl=2, bdim=0, value=\n    GradTrackingTensor(lvl=1, value=\n        tensor([1., 2., 3.])\n"
        "    )\n)",
    ]
    with fwAD.dual_level():
        dual = fwAD.make_dual(x, torch.ones(3))
        assert repr(dual * 2) == "tensor([2., 4., 6.], tangent=tensor([2., 2., 2.]))"


# --- beyond PyTorch -------------------------------------------------------------------------------------------------


class Squared(Function):
    """In the combined style, without jvp or vmap."""

    generate_vmap_rule = True

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * g * x


def test_combined_style_functions(x):
    """PyTorch: RuntimeError: In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev,
    ...), it must override the setup_context staticmethod."""
    assert torch.allclose(grad(lambda a: Squared.apply(a).sum())(x), 2 * x)
    assert torch.allclose(vmap(grad(Squared.apply))(x), 2 * x)


def test_a_missing_jvp_follows_from_backward(x):
    """PyTorch: NotImplementedError: You must implement the jvp function for custom autograd.Function to use it with
    forward mode AD."""
    assert torch.allclose(along(Squared.apply)(x)[1], 2 * x)
    assert torch.allclose(jacfwd(Squared.apply)(x), 2 * x * torch.eye(3))


class Doubled(Function):
    """Writes to its input."""

    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, g):
        return 2 * g


def test_a_missing_jvp_of_a_function_that_writes(x):
    value, tangent = along(lambda a: Doubled.apply(a.clone()))(x)
    assert value.tolist() == [2.0, 4.0, 6.0] and tangent.tolist() == [2.0] * 3
    with fwAD.dual_level():
        dual = fwAD.make_dual(x.clone(), torch.ones(3))
        out = Doubled.apply(dual)
        assert out is dual and fwAD.unpack_dual(out).primal.tolist() == [2.0, 4.0, 6.0]
        assert fwAD.unpack_dual(dual).tangent.tolist() == [2.0] * 3


def test_one_example_at_a_time_calls_numpy(x):
    """PyTorch's vmap has no `fallback`; .numpy() and .item() raise RuntimeError there."""
    with pytest.warns(UserWarning, match="once for each example"):
        found = vmap(lambda a: torch.from_numpy(np.sort(a.numpy())), fallback="loop")(torch.stack([x, -x]))
    assert found.tolist() == [[1.0, 2.0, 3.0], [-3.0, -2.0, -1.0]]


def test_captured_tensors_are_written_to(x):
    """PyTorch: RuntimeError: During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call
    in-place operation (aten::add_.Tensor) that would mutate a captured Tensor."""
    total = torch.zeros(3)
    assert torch.allclose(grad(lambda a: (total.add_(a) * a).sum())(x), 2 * x)
    assert total.detach().tolist() == [1.0, 2.0, 3.0]
