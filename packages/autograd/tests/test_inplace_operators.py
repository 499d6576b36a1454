"""Every in-place operator against the operator it is made from, and ``out=`` of compositions."""

import pytest

import flambeau_autograd.forward_ad as forward_ad
import flambeau_tensor as torch
from flambeau_autograd import func, grad, inference_mode, no_grad
from flambeau_tensor.extend import Forward
from samples.operators import operators_of

INTEGERS = {
    "gcd",
    "lcm",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bitwise_left_shift",
    "bitwise_right_shift",
    "bitwise_not",
}
UNKNOWN = {"igamma", "igammac"}  # nobody has their derivative by `self`
PAIRS = [
    op
    for op in operators_of("flambeau_autograd")
    if op.inplace is not None and op.name not in INTEGERS | UNKNOWN and not isinstance(op.implementation, Forward)
]  # those are signatures of others
I = torch.tensor([2, 0, 2])  # noqa: E741
MASK = torch.tensor([[True, False, True], [False, False, True], [True, True, False]])
PLACES = torch.tensor([[0, 0, 1], [1, 2, 2], [0, 0, 0]])
# What follows `self`; functions make a random tensor that is differentiated by, too.
ARGUMENTS = {
    "polygamma": (1,),
    "clamp": (0.3, 0.7),
    "logit": (),
    "addmm": 2,
    "addmv": (lambda r: r(3, 3), lambda r: r(3)),
    "baddbmm": 2,
    "addbmm": (lambda r: r(2, 3, 3), lambda r: r(2, 3, 3)),
    "addr": (lambda r: r(3), lambda r: r(3)),
    "index_put": ((I,), lambda r: r(3)),
    "masked_scatter": (MASK, lambda r: r(3, 3)),
    "masked_fill": (MASK, lambda r: r()),
    "index_add": (0, I, lambda r: r(3, 3)),
    "index_copy": (1, torch.tensor([2, 0]), lambda r: r(3, 2)),
    "index_fill": (0, I, lambda r: r()),
    "put": (torch.tensor([1, 5]), lambda r: r(2)),
    "scatter": (1, torch.tensor([[0], [2], [1]]), lambda r: r(3, 1)),
    "scatter_add": (0, PLACES, lambda r: r(3, 3)),
    "scatter_reduce": (0, PLACES, lambda r: r(3, 3), "sum"),
    "index_reduce": (0, I, lambda r: r(3, 3), "mean"),
    "renorm": (2, 0, 0.4),
    "mvlgamma": (1,),
    "cumsum": (0,),
    "cumprod": (1,),
    "ldexp": 1,
    "transpose": (0, 1),
    "swapaxes": (-1, 0),
    "t": (),
    "squeeze": (),
    "unsqueeze": (1,),
    "as_strided": ((2, 2), (1, 1), 3),
}
VIEWS = {"transpose", "swapaxes", "t", "squeeze", "unsqueeze", "as_strided"}  # what these change is how `self` is seen
SHAPES = {"baddbmm": (2, 3, 3), "addmv": (3,), "squeeze": (3, 1, 3), "swapaxes": (2, 1, 3)}
LOW = {"acosh": 1.2}


def draw(op, random):
    """`self` and the other arguments, of which the tensors that have gradients come as leaves."""
    low = LOW.get(op.name, 0.2)
    shape = SHAPES.get(op.name, (3, 3))

    def make(*shape):
        return random(*shape, low=low, high=low + 0.6)

    given = ARGUMENTS.get(op.name)
    if given is None:
        given = len([a for a in op.schema.arguments if not a.has_default]) - 1
    if isinstance(given, int):
        return make(*shape), [make(*shape) for _ in range(given)]
    return make(*shape), [a(make) if callable(a) else a for a in given]


@pytest.mark.parametrize("op", PAIRS, ids=lambda op: op.name)
def test_gradients(op, random):
    x, args = draw(op, random)
    leaves = [x] + [a for a in args if isinstance(a, torch.Tensor) and a.requires_grad]
    expected = op(x * 1, *args)
    y = x * 1
    view = y.view(-1)
    assert op.inplace(y, *args) is y and y.requires_grad
    assert torch.equal(y, expected.to(y.dtype))
    weights = random(*y.shape, requires_grad=False)
    found = grad((y * weights).sum(), leaves, retain_graph=True, allow_unused=True)
    if expected.requires_grad:
        wanted = grad((expected * weights).sum(), leaves, allow_unused=True)
    else:
        wanted = [torch.zeros_like(x)] + [None] * (len(leaves) - 1)
    for f, w in zip(found, wanted, strict=True):
        assert (f is None) == (w is None) and (f is None or torch.allclose(f, w, rtol=1e-12, atol=1e-12))
    if op.name in VIEWS:
        return
    (through_view,) = grad((view * weights.reshape(-1)).sum(), x)
    assert torch.allclose(through_view, wanted[0])


@pytest.mark.parametrize("op", PAIRS, ids=lambda op: op.name)
def test_leaves_may_not_be_written_to(op, random):
    x, args = draw(op, random)
    before = x.detach().clone()
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        op.inplace(x, *args)
    assert torch.equal(x, before)
    with no_grad():
        op.inplace(x, *args)
    assert x.requires_grad and x.is_leaf and x._version == 1


@pytest.mark.parametrize("op", PAIRS, ids=lambda op: op.name)
def test_tangents(op, random):
    x, args = draw(op, random)
    with forward_ad.dual_level():

        def dual(t):
            return forward_ad.make_dual(t.detach(), torch.ones_like(t))

        args = [dual(a) if isinstance(a, torch.Tensor) and a.requires_grad else a for a in args]
        wanted = forward_ad.unpack_dual(op(dual(x), *args)).tangent
        y = dual(x).clone()
        op.inplace(y, *args)
        found = forward_ad.unpack_dual(y).tangent
        assert torch.allclose(found, torch.zeros_like(x) if wanted is None else wanted)


@pytest.mark.parametrize("op", [op for op in PAIRS if op.is_composite or not op.records], ids=lambda op: op.name)
def test_batches_and_transforms(op, random):
    x, args = draw(op, random)
    x, args = x.detach(), [a.detach() if isinstance(a, torch.Tensor) else a for a in args]

    def inplace(t):
        return op.inplace(t.clone(), *args)

    def plain(t):
        return op(t.clone(), *args).to(t.dtype)

    batch = torch.stack([x, x * 0.9])
    assert torch.equal(func.vmap(inplace)(batch), func.vmap(plain)(batch))
    assert torch.allclose(func.jacrev(inplace)(x), func.jacrev(plain)(x))
    assert torch.allclose(func.jacfwd(inplace)(x), func.jacfwd(plain)(x))
    per_example = func.vmap(func.grad(lambda t: inplace(t).sum()))(batch)
    assert torch.allclose(per_example, func.vmap(func.grad(lambda t: plain(t).sum()))(batch))


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda t: t.logit_(), "result type Float can't be cast to the desired output type Long"),
        (lambda t: t.ldexp_(torch.ones(2, 3)), "result type Float can't be cast"),
        (lambda t: t.double().ldexp_(torch.ones(2, 3)), r"output with shape \[3\] doesn't match the .* \[2, 3\]"),
    ],
)
def test_compositions_check_what_they_write_to(write, message):
    with pytest.raises(RuntimeError, match=message):
        write(torch.ones(3, dtype=torch.int64))


def test_a_base_that_is_seen_in_another_way(leaf):
    """Views from before stay where they are in memory, and follow later writes."""
    x = leaf(1.0, 2.0, 3.0, 4.0)
    y = (x * 1).view(2, 2).clone()
    row, storage = y[0], y.untyped_storage().data_ptr()
    y.retain_grad()
    assert y.t_() is y and y.untyped_storage().data_ptr() == storage and y._version == 1 and not y.is_contiguous()
    y.mul_(torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64))
    assert row.tolist() == [1.0, 6.0]
    (row.sum() + y[1, 1]).backward()
    assert x.grad.tolist() == [1.0, 3.0, 0.0, 4.0] and y.grad.tolist() == [[1.0, 3.0], [0.0, 4.0]]


def test_a_view_that_is_seen_in_another_way(leaf):
    x = leaf(1.0, 2.0, 3.0, 4.0)
    y = x * 1
    v = y[1:3]
    v.unsqueeze_(0).squeeze_(0).as_strided_((2,), (2,), 1)
    assert v.tolist() == [2.0, 4.0] and v._base is y and y.shape == (4,)
    v.mul_(x[0] * 3)
    y.sum().backward()
    assert x.grad.tolist() == [1 + 3 * 6.0, 3.0, 1.0, 3.0]


def test_what_is_seen_in_another_way_counts_as_changed(leaf):
    x = leaf(1.0, 2.0)
    y = (x * 2).view(1, 2).clone()
    z = y * y
    y.t_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()
    inference = inference_mode()(lambda: torch.zeros(2, 3))()
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
        inference.t_()


def test_diagonals_are_filled(leaf):
    x = leaf(*range(1, 9))
    y = (x * 1).view(4, 2).clone()
    y.fill_diagonal_(9.0, wrap=True)
    assert y.tolist() == [[9.0, 2.0], [3.0, 9.0], [5.0, 6.0], [9.0, 8.0]]
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0]
    cube = torch.zeros(2, 2, 2).fill_diagonal_(1.0)
    assert cube.nonzero().tolist() == [[0, 0, 0], [1, 1, 1]]
    assert torch.zeros(4, 2).fill_diagonal_(1.0).sum() == 2.0 and torch.zeros(2, 4).fill_diagonal_(1, True).sum() == 2.0
    with pytest.raises(RuntimeError, match="dimensions must be larger than 1"):
        torch.zeros(3).fill_diagonal_(1.0)
    with pytest.raises(RuntimeError, match="all dimensions of input must be of equal length"):
        torch.zeros(2, 2, 3).fill_diagonal_(1.0)


def test_powers_in_double_precision(leaf):
    x = leaf(2.0, 3.0)
    (x * 1).float_power_(2).sum().backward()
    assert x.grad.tolist() == [4.0, 6.0]
    for t, exponent, needed in (
        (torch.ones(2), 2, "float64"),
        (torch.ones(2, dtype=torch.int64), 2, "float64"),
        (torch.ones(2, dtype=torch.float64), 1j, "complex128"),
    ):
        with pytest.raises(RuntimeError, match=f"the operation's result requires dtype torch.{needed}"):
            t.float_power_(exponent)


S = torch.tensor([[0], [1], [2]])
OUT = {
    "ldexp": lambda x, o: torch.ldexp(x, x, out=o()),
    "clamp": lambda x, o: torch.clamp(x, 0.1, 0.9, out=o()),
    "float_power": lambda x, o: torch.float_power(x, 2, out=o()),
    "polygamma": lambda x, o: torch.polygamma(1, x, out=o()),
    "logit": lambda x, o: torch.logit(x, out=o()),
    "nan_to_num": lambda x, o: torch.nan_to_num(x, out=o()),
    "matmul": lambda x, o: torch.matmul(x, x, out=o()),
    "outer": lambda x, o: torch.outer(x[0], x[1], out=o()),
    "addr": lambda x, o: torch.addr(x, x[0], x[1], out=o()),
    "nanmean": lambda x, o: torch.nanmean(x, 0, out=o()),
    "max": lambda x, o: torch.max(x, 0, out=(o(), o(int))),
    "min": lambda x, o: torch.min(x, 0, out=(o(), o(int))),
    "aminmax": lambda x, o: torch.aminmax(x, dim=0, out=(o(), o())),
    "var": lambda x, o: torch.var(x, 0, out=o()),
    "std": lambda x, o: torch.std(x, 0, out=o()),
    "norm": lambda x, o: torch.norm(x, 2, 0, out=o()),
    "hstack": lambda x, o: torch.hstack((x, x), out=o()),
    "vstack": lambda x, o: torch.vstack((x, x), out=o()),
    "dstack": lambda x, o: torch.dstack((x, x), out=o()),
    "column_stack": lambda x, o: torch.column_stack((x, x), out=o()),
    "take_along_dim": lambda x, o: torch.take_along_dim(x, S, 1, out=o()),
    "tensordot": lambda x, o: torch.tensordot(x, x, 1, out=o()),
    "inner": lambda x, o: torch.inner(x, x, out=o()),
    "kron": lambda x, o: torch.kron(x, x, out=o()),
    "cross": lambda x, o: torch.cross(x, x, 1, out=o()),
    "diff": lambda x, o: torch.diff(x, out=o()),
    "msort": lambda x, o: torch.msort(x, out=o()),
    "median": lambda x, o: torch.median(x, 0, out=(o(), o(int))),
    "nanmedian": lambda x, o: torch.nanmedian(x, 0, out=(o(), o(int))),
    "quantile": lambda x, o: torch.quantile(x, 0.5, 0, out=o()),
    "nanquantile": lambda x, o: torch.nanquantile(x, 0.5, 0, out=o()),
}


@pytest.mark.parametrize("name", OUT)
def test_out_of_compositions(name, random):
    x = random(3, 3, low=0.2, high=0.8)
    made = []

    def out(dtype=torch.float64):
        made.append(torch.zeros(0, dtype=torch.int64 if dtype is int else dtype))
        return made[-1]

    with pytest.raises(RuntimeError, match=r"don't support automatic differentiation"):
        OUT[name](x, out)
    assert all(t.numel() == 0 for t in made)
    OUT[name](x.detach(), out)
    with no_grad():
        OUT[name](x, out)
    assert not any(t.requires_grad for t in made) and all(t.numel() for t in made[len(made) // 3 :])


def test_signatures_of_one_operator():
    x = torch.ones(3, 1, requires_grad=True)
    index = torch.tensor([[0]])
    for change in (
        lambda t: t.clamp_(0, 0.5),
        lambda t: t.clamp_(torch.zeros(3, 1), torch.full((3, 1), 0.5)),
        lambda t: t.clip_(max=0.5),
    ):
        y = x * 1
        assert change(y) is y and torch.equal(y, torch.full((3, 1), 0.5))
        assert torch.equal(grad(y.sum(), x)[0], torch.zeros(3, 1))
    for change in (
        lambda t: t.scatter_(0, index, 4.0),
        lambda t: t.scatter_(0, index, value=4.0),
        lambda t: t.scatter_(0, index, torch.tensor([[4.0]])),
    ):
        y = x * 1
        change(y).sum().backward()
        assert x.grad.tolist() == [[0], [1], [1]]
        x.grad = None
    y = x * 1
    y.scatter_(0, index, torch.tensor([[3.0]]), reduce="add").sum().backward()
    assert y.tolist() == [[4], [1], [1]] and x.grad.tolist() == [[1], [1], [1]]
    for change in (lambda t: t.squeeze_(), lambda t: t.squeeze_(1), lambda t: t.squeeze_((1,))):
        y = x * 1
        assert change(y).shape == (3,) and y.grad_fn is not None
    assert func.vmap(lambda t: t.clone().clamp_(0, 0.5))(torch.ones(2, 3)).tolist() == [[0.5] * 3] * 2
