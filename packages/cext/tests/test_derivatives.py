"""Gradients of functions in C: `backward=`, and the warning where nobody gave any."""

import pytest

import flambeau_cext as cext
import flambeau_tensor as torch
from flambeau_cext import ops

SOURCE = r"""
static fl_tensor each(fl_tensor a, fl_tensor b, double s, int how) {
    if (FL_CHECK(a, FL_FLOAT64, -1) || (b && FL_CHECK(b, FL_FLOAT64, -1))) return NULL;
    fl_tensor y = fl_empty_like(a);
    if (!y) return NULL;
    const double *x = fl_const_data(a), *z = b ? fl_const_data(b) : NULL;
    double *to = fl_data(y);
    for (int64_t i = 0; i < fl_numel(a); i++)
        to[i] = how == 0 ? s * x[i] * x[i] : how == 1 ? 2 * s * x[i] * z[i] : x[i] * z[i];
    return y;
}
fl_tensor square(fl_tensor x, double s) { return each(x, NULL, s, 0); }
fl_tensor square_backward(fl_tensor x, fl_tensor grad, double s) { return each(x, grad, s, 1); }
fl_tensor product(fl_tensor a, fl_tensor b) { return each(a, b, 0, 2); }
fl_tensor product_a(fl_tensor grad, fl_tensor b) { return each(grad, b, 0, 2); }
fl_tensor product_b(fl_tensor grad, fl_tensor a) { return each(grad, a, 0, 2); }
int64_t rows(fl_tensor x) { return fl_size(x, 0); }
"""


def with_grad(*shape):
    return torch.randn(*shape, dtype=torch.float64).requires_grad_()


def test_from_source_to_gradcheck():
    autograd = pytest.importorskip("flambeau_autograd")
    m = cext.load_inline(
        "derived",
        c_sources=SOURCE,
        functions=["rows"],
        backward={"square": "square_backward", "product": {"a": "product_a", "b": "product_b"}},
    )
    x, y = with_grad(3, 2), with_grad(3, 2)
    assert torch.equal(m.square(x, s=3.0), 3 * x * x)
    assert autograd.gradcheck(lambda x: m.square(x, 2.5), (x,))
    assert autograd.gradcheck(m.product, (x, y))
    m.product(x, y.detach()).sum().backward()
    assert torch.equal(x.grad, y.detach())
    assert str(ops.derived.square.default._schema) == "derived::square(Tensor x, float s) -> Tensor"
    assert m.rows(x.detach()) == 3


def test_differentiating_twice():
    autograd = pytest.importorskip("flambeau_autograd")
    source = SOURCE.replace("fl_tensor x, fl_tensor grad, double s) { return each(x, grad,",
                            "fl_tensor x, fl_tensor grad_y, double s) { return each(x, grad_y,")  # fmt: skip
    with pytest.raises(ValueError, match="'grad_y' of square_backward is none of grad, result, s, x"):
        cext.load_inline("wrongly_named", c_sources=source, backward={"square": "square_backward"})
    m = cext.load_inline("once", c_sources=SOURCE, backward={"square": "square_backward"})
    x = with_grad(3)
    (gradient,) = autograd.grad((m.square(x, 1.0) + x**3).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="through once::square_backward but no autograd formula was registered"):
        autograd.grad(gradient.sum(), x)
    more = r"""
    fl_tensor twice_x(fl_tensor grad, fl_tensor grad_grad, double s) { return each(grad, grad_grad, s, 1); }
    fl_tensor twice_grad(fl_tensor x, fl_tensor grad_grad, double s) { return each(x, grad_grad, s, 1); }
    """
    backward = {"square": "square_backward", "square_backward": {"x": "twice_x", "grad": "twice_grad"}}
    m = cext.load_inline("twice", c_sources=SOURCE + more, backward=backward)
    assert autograd.gradgradcheck(lambda x: m.square(x, 2.0), (x,))


@pytest.mark.parametrize(
    ("backward", "error", "message"),
    [
        ({"product": "product_a"}, ValueError, "product has 2 tensor parameters"),
        ({"square": "none_such"}, ValueError, "none_such"),
        ({"square": {"s": "square_backward"}}, ValueError, "'s' is none of"),
        ({"square": 3}, TypeError, "backward"),
    ],
)
def test_mistakes_are_named(backward, error, message):
    with pytest.raises(error, match=message):
        cext.load_inline("mistaken", c_sources=SOURCE, backward=backward)


def test_transforms():
    pytest.importorskip("flambeau_autograd")
    from flambeau_autograd import func

    m = cext.load_inline("transformed", c_sources=SOURCE, backward={"square": "square_backward"})
    x = torch.arange(6.0, dtype=torch.float64).reshape(3, 2)

    def loss(x):
        return m.square(x, 1.5).sum()

    assert torch.equal(func.vmap(func.grad(loss))(x), 3 * x)
    assert torch.equal(func.jacrev(lambda x: m.square(x, 1.5))(x[0]), torch.diag(3 * x[0]))
    for twice in (func.jacfwd(loss), func.hessian(loss)):
        with pytest.raises(RuntimeError, match="no autograd formula was registered"):
            twice(x[0])


def test_a_result_without_history_is_told_once():
    pytest.importorskip("flambeau_autograd")
    m = cext.load_inline("untold", c_sources=SOURCE, functions=["square", "rows", "product"])
    x = with_grad(3)
    assert m.rows(x) == 3
    from flambeau_autograd import no_grad

    with no_grad():
        m.square(x, 1.0)
    with pytest.warns(UserWarning, match=r"square\(\) got a tensor that requires grad.*register_autograd.*Function"):
        m.square(x, 1.0)
    assert torch.equal(m.square(x, 1.0), x.detach() * x.detach())
    m.product(x.detach(), x.detach())
    with pytest.raises(UserWarning, match=r"product\(\) got"):
        m.product(x, x)
