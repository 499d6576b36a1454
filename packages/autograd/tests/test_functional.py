"""torch.autograd.functional: against NumPy and finite differences, in strict mode, and differentiated again."""

import numpy as np
import pytest

import flambeau_autograd as autograd
import flambeau_tensor as torch
from flambeau_autograd import grad
from flambeau_autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp


def mixed(x, y):
    """Two results of other sizes than the inputs."""
    return x.unsqueeze(1) * y.exp(), (x * x).sum()


def scalar(x, y):
    return (x**3).sum() * y.prod() + (y**2).sum()


def by_differences(function, *arrays, eps=1e-6):
    """The Jacobian of NumPy results by NumPy inputs: for each result, for each input."""

    def run(values):
        out = function(*[torch.from_numpy(v) for v in values])
        return [o.numpy().copy() for o in (out if isinstance(out, tuple) else (out,))]

    blocks = [[np.zeros((*o.shape, *a.shape)) for a in arrays] for o in run(arrays)]
    for k, a in enumerate(arrays):
        for place in np.ndindex(a.shape):
            ends = []
            for sign in (1, -1):
                moved = [v.copy() for v in arrays]
                moved[k][place] += sign * eps
                ends.append(run(moved))
            for block, above, below in zip(blocks, *ends, strict=True):
                block[k][(..., *place)] = (above - below) / (2 * eps)
    return blocks


@pytest.fixture
def point(random):
    return random(3, low=0.5), random(2, low=0.5)


@pytest.fixture
def plain(point):
    return tuple(t.detach() for t in point)


def arrays(tensors):
    return [t.detach().numpy() for t in tensors]


def test_jacobian(plain):
    blocks = jacobian(mixed, plain)
    expected = by_differences(mixed, *arrays(plain))
    assert [[tuple(b.shape) for b in row] for row in blocks] == [[(3, 2, 3), (3, 2, 2)], [(3,), (2,)]]
    for row, wanted in zip(blocks, expected, strict=True):
        for block, w in zip(row, wanted, strict=True):
            assert np.allclose(block.numpy(), w, atol=1e-7) and not block.requires_grad
    assert plain[0].grad is None


def test_forms_of_jacobians(plain):
    x, y = plain
    single = jacobian(torch.sin, x)
    assert isinstance(single, torch.Tensor) and np.allclose(single.numpy(), np.diag(np.cos(x.numpy())))
    assert [type(b) for b in jacobian(lambda x, y: x * y.sum(), (x, y))] == [torch.Tensor] * 2
    ((row,),) = (jacobian(lambda x: (x * 2,), (x,)),)
    assert isinstance(row, tuple) and row[0].shape == (3, 3)
    assert jacobian(lambda x: x * 2, torch.zeros(0)).shape == (0, 0)


def test_products_agree_with_the_jacobian(plain, random):
    x, y = plain
    matrix = [[b.numpy() for b in row] for row in jacobian(mixed, plain)]
    u = random(3, 2, requires_grad=False), random(requires_grad=False)
    value, product = vjp(mixed, plain, u)
    assert [v.tolist() for v in value] == [v.tolist() for v in mixed(x, y)]
    for k in range(2):
        expected = np.tensordot(u[0].numpy(), matrix[0][k], 2) + u[1].item() * matrix[1][k]
        assert np.allclose(product[k].numpy(), expected)
    v = random(3, requires_grad=False), random(2, requires_grad=False)
    value, product = jvp(mixed, plain, v)
    for i in range(2):
        expected = sum(np.tensordot(matrix[i][k], v[k].numpy(), 1) for k in range(2))
        assert np.allclose(product[i].numpy(), expected)
    assert not any(t.requires_grad for t in (*value, *product))


def test_hessian_and_products_with_it(plain, random):
    blocks = hessian(scalar, plain)
    expected = by_differences(lambda x, y: jacobian(scalar, (x, y)), *arrays(plain))
    for row, wanted in zip(blocks, expected, strict=True):
        for block, w in zip(row, wanted, strict=True):
            assert np.allclose(block.numpy(), w, atol=1e-6)
    v = random(3, requires_grad=False), random(2, requires_grad=False)
    for product in (vhp, hvp):
        value, got = product(scalar, plain, v)
        assert value.item() == pytest.approx(scalar(*plain).item())
        for i in range(2):
            assert np.allclose(got[i].numpy(), sum(blocks[i][k].numpy() @ v[k].numpy() for k in range(2)))
    single = hessian(lambda x: (x**3).sum(), plain[0])
    assert np.allclose(single.numpy(), np.diag(6 * plain[0].numpy()))


def test_the_vector_may_be_left_out_for_one_element():
    x = torch.tensor(2.0, dtype=torch.float64)
    assert vjp(lambda x: x**3, x)[1].item() == 12.0
    assert jvp(lambda x: x**3, x)[1].item() == 12.0
    assert vhp(lambda x: x**3, x)[1].item() == hvp(lambda x: x**3, x)[1].item() == 12.0


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: jacobian(lambda x: x**3, x, create_graph=True).sum(),
        lambda x: vjp(lambda x: x**3, x, torch.ones(2, dtype=torch.float64), create_graph=True)[1].sum(),
        lambda x: jvp(lambda x: x**3, x, torch.ones(2, dtype=torch.float64), create_graph=True)[1].sum(),
    ],
    ids=["jacobian", "vjp", "jvp"],
)
def test_differentiated_again(leaf, compute):
    x = leaf(1.0, 2.0)
    assert grad(compute(x), x)[0].tolist() == [6.0, 12.0]


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: hessian(lambda x: (x**3).sum(), x, create_graph=True).sum(),
        lambda x: vhp(lambda x: (x**3).sum(), x, torch.ones(2, dtype=torch.float64), create_graph=True)[1].sum(),
        lambda x: hvp(lambda x: (x**3).sum(), x, torch.ones(2, dtype=torch.float64), create_graph=True)[1].sum(),
    ],
    ids=["hessian", "vhp", "hvp"],
)
def test_hessians_differentiated_again(leaf, compute):
    assert grad(compute(x := leaf(1.0, 2.0)), x)[0].tolist() == [6.0, 6.0]


def test_recorded_whatever_the_mode(leaf):
    x = leaf(1.0, 2.0)
    with autograd.no_grad():
        assert jacobian(torch.exp, x).tolist() == np.diag(x.exp().numpy()).tolist()
        assert hessian(lambda x: (x**3).sum(), x, create_graph=True).requires_grad


def test_what_the_function_captures_is_no_input(leaf):
    x = leaf(1.0, 2.0)
    assert jacobian(lambda y: x * y, x).tolist() == [[1.0, 0.0], [0.0, 2.0]]


def test_complex():
    z = torch.tensor([1 + 2j], dtype=torch.complex128)
    assert jacobian(lambda z: (z * z.conj()).real, z).tolist() == [[2 + 4j]]


def linear(x):
    return (2 * x).sum()


STRICT = [
    (
        vjp,
        lambda x, y: (x * 2).sum(),
        {},
        "The output of the user-provided function is independent of input 1. This is not allowed in strict mode.",
    ),
    (jvp, lambda x, y: (x * 2).sum(), {}, "independent of input 1"),
    (
        jvp,
        lambda x, y: x.detach().sum() + y.detach().sum(),
        {},
        "Output 0 of the user-provided function does not require gradients",
    ),
    (
        vjp,
        lambda x, y: x.sum() + y.sum(),
        {"create_graph": True},
        "The jacobian of the user-provided function is "
        "independent of input 0. This is not allowed in strict mode when create_graph=True.",
    ),
    (
        vhp,
        lambda x, y: x.sum() + y.sum(),
        {},
        "found that the jacobian of the user-provided function with respect to input 0 is independent",
    ),
    (
        vhp,
        lambda x, y: (x**2).sum() + (x * y[0]).sum(),
        {"create_graph": True},
        "The hessian of the user-provided function is independent of input",
    ),
    (hvp, lambda x, y: (x**2).sum() + y.sum(), {}, "independent of"),
    (jacobian, lambda x, y: x * 2, {}, "Output 0 of the user-provided function is independent of input 1"),
    (hessian, lambda x, y: (x**2).sum() + y.sum(), {}, "with respect to input 1 is independent"),
]


@pytest.mark.parametrize(
    ("what", "function", "options", "message"), STRICT, ids=[f"{s[0].__name__} {i}" for i, s in enumerate(STRICT)]
)
def test_strict(plain, what, function, options, message):
    v = () if what in (jacobian, hessian, vjp) else (tuple(torch.ones_like(t) for t in plain),)
    with pytest.raises(RuntimeError, match=message):
        what(function, plain, *v, strict=True, **options)
    what(function, plain, *v, **options)  # zeros


def test_wrong_arguments(plain):
    x, y = plain
    for what in (vjp, jvp, vhp, hvp, jacobian, hessian):
        with pytest.raises(TypeError, match=rf"The inputs given to {what.__name__} must be either a Tensor or a tuple"):
            what(torch.sin, [x])
    for what in (vjp, jvp, jacobian):
        with pytest.raises(
            TypeError,
            match=rf"outputs of the user-provided function given to {what.__name__} .* "
            r"at index 1 has type <class 'int'>",
        ):
            what(lambda x: (x, 3), x, *(() if what is jacobian else (x,)))
    with pytest.raises(RuntimeError, match="v can only be None if the user-provided function returns a single Tensor"):
        vjp(torch.sin, x)
    for what in (jvp, vhp, hvp):
        with pytest.raises(RuntimeError, match="v can only be None if the input to the user-provided function is a"):
            what(lambda x: x.sum(), x)
        with pytest.raises(
            RuntimeError,
            match=r"Entry 0 in v has invalid size: should be torch.Size\(\[3\]\) but got "
            r"torch.Size\(\[2\]\)",
        ):
            what(scalar, (x, y), (y, y))
        with pytest.raises(RuntimeError, match="v is a tuple of invalid length: should be 2 but got 1"):
            what(scalar, (x, y), x)
        with pytest.raises(RuntimeError, match="The given v should contain a single Tensor"):
            what(lambda x: x.sum(), x, (x, x))
    for what in (vhp, hvp):
        with pytest.raises(RuntimeError, match=f"The function given to {what.__name__} should return a single Tensor"):
            what(lambda x: (x.sum(),), x, x)
        with pytest.raises(RuntimeError, match="should contain a single element"):
            what(lambda x: x * 2, x, x)
    with pytest.raises(AssertionError, match='Expected strategy to be either "forward-mode" or "reverse-mode"'):
        jacobian(torch.sin, x, strategy="sideways")
    with pytest.raises(AssertionError, match="Expected strategy"):
        hessian(linear, x, outer_jacobian_strategy="sideways")
    with pytest.raises(RuntimeError, match="`strict=True` and `vectorized=True` are not supported together"):
        jacobian(torch.sin, x, strict=True, vectorize=True)
    with pytest.raises(RuntimeError, match='`strict=True` and `strategy="forward-mode"` are not supported'):
        jacobian(torch.sin, x, strict=True, strategy="forward-mode")
    with pytest.raises(NotImplementedError, match='`create_graph=True` and `strategy="forward-mode"` are not'):
        jacobian(torch.sin, x, create_graph=True, strategy="forward-mode")
    with pytest.raises(NotImplementedError, match="only implemented for `vectorize=True`"):
        jacobian(torch.sin, x, strategy="forward-mode")


@pytest.mark.parametrize("options", [{"vectorize": True}, {"vectorize": True, "strategy": "forward-mode"}])
def test_all_at_once(plain, options):
    for got, expected in zip(jacobian(mixed, plain, **options), jacobian(mixed, plain), strict=True):
        for block, wanted in zip(got, expected, strict=True):
            assert block.shape == wanted.shape and torch.allclose(block, wanted)
    x, y = plain
    assert torch.allclose(jacobian(torch.sin, x, **options), jacobian(torch.sin, x))
    assert jacobian(lambda x, y: x * 2, plain, **options)[1].tolist() == [[0.0] * 2] * 3  # independent of the second
    strategy = {"outer_jacobian_strategy": options.get("strategy", "reverse-mode")}
    for got, expected in zip(hessian(scalar, plain, vectorize=True, **strategy), hessian(scalar, plain), strict=True):
        for block, wanted in zip(got, expected, strict=True):
            assert block.shape == wanted.shape and torch.allclose(block, wanted)


def test_all_at_once_and_differentiated_again(leaf):
    x = leaf(1.0, 2.0)
    matrix = jacobian(lambda x: x**3, x, create_graph=True, vectorize=True)
    assert grad(matrix.sum(), x)[0].tolist() == [6.0, 12.0]
