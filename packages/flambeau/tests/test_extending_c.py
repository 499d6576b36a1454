"""The note's last chapters: custom C and C++ extensions, from source to a differentiable function."""

import pytest

import flambeau as torch
from flambeau.utils.cpp_extension import load_inline

C = """
#include <flambeau/tensor.h>
fl_tensor scaled(fl_tensor x, double factor) {
    if (FL_CHECK(x, FL_FLOAT64, FL_ANY)) return NULL;
    fl_tensor y = fl_empty_like(x);
    if (!y) return NULL;
    const double *from = (const double *)fl_const_data(x);
    double *to = (double *)fl_data(y);
    for (int64_t i = 0; i < fl_numel(x); i++) to[i] = factor * from[i];
    return y;
}
"""


@pytest.mark.parametrize("language", ["c_sources", "cpp_sources"])
def test_a_kernel_behind_a_function(language):
    source = C if language == "c_sources" else 'extern "C" {' + C.replace("#include <flambeau/tensor.h>", "") + "}"
    module = load_inline(f"scaled_{language[:-8]}", **{language: source}, functions=["scaled"])

    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.factor = factor
            return module.scaled(x, factor)

        @staticmethod
        def backward(ctx, grad):
            return module.scaled(grad.contiguous(), ctx.factor), None

    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.double, requires_grad=True)
    assert Scaled.apply(x, 2.5).tolist() == [2.5, 5.0, 7.5]
    assert torch.autograd.gradcheck(lambda t: Scaled.apply(t, 2.5), x)
    with pytest.raises(RuntimeError, match="argument 'x': expected scalar type Double but found Long"):
        module.scaled(torch.ones(3, dtype=torch.int64), 2.0)
