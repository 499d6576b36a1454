"""The programs of PyTorch's note "Extending PyTorch", on autograd and nn, in every version that it printed them in."""

import pytest

import flambeau as torch
from flambeau import nn
from flambeau.autograd import Function, gradcheck, gradgradcheck


class LinearCombined(Function):
    """``forward`` takes ctx and saves (versions 1.5 to 1.13; still allowed in 2.1)."""

    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


class LinearSeparate(Function):
    """``forward`` computes, ``setup_context`` saves (version 2.1)."""

    @staticmethod
    def forward(input, weight, bias):
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight, bias)

    backward = LinearCombined.backward


def linear_wrapped(input, weight, bias=None):
    return LinearSeparate.apply(input, weight, bias)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


@pytest.mark.parametrize("linear", [LinearCombined.apply, LinearSeparate.apply, linear_wrapped])
def test_linear_matches_the_formula(linear):
    input = torch.randn(20, 20, dtype=torch.double, requires_grad=True)
    weight = torch.randn(30, 20, dtype=torch.double, requires_grad=True)
    bias = torch.randn(30, dtype=torch.double, requires_grad=True)
    out = linear(input, weight, bias)
    assert torch.allclose(out, input @ weight.t() + bias)
    out.sum().backward()
    assert torch.allclose(input.grad, weight.sum(0).expand_as(input))
    assert torch.allclose(weight.grad, input.sum(0).expand_as(weight))
    assert torch.allclose(bias.grad, torch.full((30,), 20.0, dtype=torch.double))


@pytest.mark.parametrize("linear", [LinearCombined.apply, linear_wrapped])
def test_gradcheck_prints_true(linear, capsys):
    input = (
        torch.randn(20, 20, dtype=torch.double, requires_grad=True),
        torch.randn(30, 20, dtype=torch.double, requires_grad=True),
    )
    test = gradcheck(linear, input, eps=1e-6, atol=1e-4)
    print(test)
    assert capsys.readouterr().out == "True\n"


def test_linear_can_be_differentiated_twice():
    input = torch.randn(3, 2, dtype=torch.double, requires_grad=True)
    weight = torch.randn(2, 2, dtype=torch.double, requires_grad=True)
    assert gradgradcheck(LinearCombined.apply, (input, weight))


class MulConstantCombined(Function):
    @staticmethod
    def forward(ctx, tensor, constant):
        ctx.constant = constant
        return tensor * constant

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.constant, None


class MulConstantSeparate(Function):
    @staticmethod
    def forward(tensor, constant):
        return tensor * constant

    @staticmethod
    def setup_context(ctx, inputs, output):
        tensor, constant = inputs
        ctx.constant = constant

    backward = MulConstantCombined.backward


class MulConstantUnmaterialized(Function):
    @staticmethod
    def forward(ctx, tensor, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = constant
        return tensor * constant

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None, None
        return grad_output * ctx.constant, None


class MulConstantUnmaterializedSeparate(Function):
    @staticmethod
    def forward(tensor, constant):
        return tensor * constant

    @staticmethod
    def setup_context(ctx, inputs, output):
        tensor, constant = inputs
        ctx.set_materialize_grads(False)
        ctx.constant = constant

    backward = MulConstantUnmaterialized.backward


@pytest.mark.parametrize(
    "function", [MulConstantCombined, MulConstantSeparate, MulConstantUnmaterialized, MulConstantUnmaterializedSeparate]
)
def test_mul_constant(function):
    x = torch.randn(3, dtype=torch.double, requires_grad=True)
    y = function.apply(x, 2.5)
    assert torch.equal(y, x * 2.5)
    y.sum().backward()
    assert x.grad.tolist() == [2.5, 2.5, 2.5]
    assert gradcheck(function.apply, (x, 4))


def test_unmaterialized_gradients_arrive_as_none():
    seen = []

    class Two(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, a, b):
            seen.append((a, b))
            return None if b is None else b * 2

    x = torch.ones(2, requires_grad=True)
    Two.apply(x)[1].sum().backward()
    assert seen[0][0] is None and seen[0][1].tolist() == [1.0, 1.0]
    assert x.grad.tolist() == [2.0, 2.0]


class MyCube(Function):
    @staticmethod
    def forward(x):
        dx = 3 * x**2
        result = x**3
        return result, dx

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        result, dx = output
        ctx.save_for_backward(x, dx)

    @staticmethod
    def backward(ctx, grad_output, grad_dx):
        x, dx = ctx.saved_tensors
        result = grad_output * dx + grad_dx * 6 * x
        return result


def my_cube(x):
    result, dx = MyCube.apply(x)
    return result


def test_an_intermediate_returned_as_an_output_differentiates_twice():
    x = torch.tensor([1.0, -2.0, 0.5], dtype=torch.double, requires_grad=True)
    (y,) = torch.autograd.grad(my_cube(x).sum(), x, create_graph=True)
    assert torch.allclose(y, 3 * x**2)
    (z,) = torch.autograd.grad(y.sum(), x)
    assert torch.allclose(z, 6 * x)
    assert gradcheck(my_cube, x) and gradgradcheck(my_cube, x)


class Linear(nn.Module):
    def __init__(self, input_features, output_features, bias=True):
        super().__init__()
        self.input_features = input_features
        self.output_features = output_features
        self.weight = nn.Parameter(torch.empty(output_features, input_features))
        if bias:
            self.bias = nn.Parameter(torch.empty(output_features))
        else:
            self.register_parameter("bias", None)
        nn.init.uniform_(self.weight, -0.1, 0.1)
        if self.bias is not None:
            nn.init.uniform_(self.bias, -0.1, 0.1)

    def forward(self, input):
        return LinearCombined.apply(input, self.weight, self.bias)

    def extra_repr(self):
        features = f"input_features={self.input_features}, output_features={self.output_features}"
        return f"{features}, bias={self.bias is not None}"


class LinearOldest(Linear):
    """Version 1.5: ``torch.Tensor(sizes)`` and writing through ``.data``."""

    def __init__(self, input_features, output_features, bias=True):
        super(Linear, self).__init__()
        self.input_features = input_features
        self.output_features = output_features
        self.weight = nn.Parameter(torch.Tensor(output_features, input_features))
        if bias:
            self.bias = nn.Parameter(torch.Tensor(output_features))
        else:
            self.register_parameter("bias", None)
        self.weight.data.uniform_(-0.1, 0.1)
        if bias is not None:
            self.bias.data.uniform_(-0.1, 0.1)


@pytest.mark.parametrize("cls", [Linear, LinearOldest])
def test_linear_module(cls):
    layer = cls(5, 3)
    assert repr(layer) == f"{cls.__name__}(input_features=5, output_features=3, bias=True)"
    assert [n for n, _ in layer.named_parameters()] == ["weight", "bias"]
    assert all(p.requires_grad and p.abs().max() <= 0.1 for p in layer.parameters())
    x = torch.randn(4, 5)
    assert torch.allclose(layer(x), x @ layer.weight.t() + layer.bias)
    layer(x).sum().backward()
    assert torch.allclose(layer.weight.grad, x.sum(0).expand(3, 5))
    assert layer.bias.grad.tolist() == [4.0] * 3


def test_linear_module_without_bias():
    layer = Linear(2, 2, bias=False)
    assert layer.bias is None and list(layer.state_dict()) == ["weight"]
    assert repr(layer) == "Linear(input_features=2, output_features=2, bias=False)"
