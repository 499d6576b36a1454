"""Derivatives of the loss of connectionist temporal classification."""

from flambeau_autograd.derivatives import derivative
from flambeau_nn.ops import ctc as ops


def _twice(grad):
    raise NotImplementedError(
        "the derivative for '_ctc_loss_backward' is not implemented: ctc_loss is differentiated once"
    )


derivative(
    ops.each_ctc_loss,
    log_probs=lambda grad, log_probs, targets, input_lengths, target_lengths, blank, zero_infinity: (
        ops.ctc_loss_backward(grad, log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)
    ),
)
derivative(
    ops.ctc_loss_backward,
    linear="grad_output",
    log_probs=_twice,
    grad_output=lambda grad, grad_output, log_probs, targets, input_lengths, target_lengths, blank, zero_infinity: (
        grad
        * ops.ctc_loss_backward(
            grad_output.new_ones(grad_output.shape),
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            blank,
            zero_infinity,
        )
    ).sum((0, 2)),
)
