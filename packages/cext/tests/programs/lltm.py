"""The cell of lltm.cpp as an autograd Function."""


def differentiable(function, cell):
    """What ``apply`` calls: a subclass of ``function``, a library's ``autograd.Function``, over the extension."""

    class LLTM(function):
        @staticmethod
        def forward(ctx, input, weights, bias, old_h, old_cell):
            outputs = cell.forward(input, weights, bias, old_h, old_cell)
            new_h, new_cell = outputs[:2]
            ctx.save_for_backward(*outputs[1:], weights)
            return new_h, new_cell

        @staticmethod
        def backward(ctx, grad_h, grad_cell):
            outputs = cell.backward(grad_h.contiguous(), grad_cell.contiguous(), *ctx.saved_tensors)
            d_old_h, d_input, d_weights, d_bias, d_old_cell, d_gates = outputs
            return d_input, d_weights, d_bias, d_old_h, d_old_cell

    return LLTM
