"""The loss of connectionist temporal classification (Graves et al., 2006)."""

import flambeau_tensor as ft
from flambeau_nn._kernels import ctc as kernels
from flambeau_nn.ops import INTERNAL
from flambeau_nn.ops.declaring import composite
from flambeau_nn.ops.loss import checked_reduction, reduced
from flambeau_tensor import Operator, Tensor
from flambeau_tensor.extend import FUNCTION
from flambeau_tensor.packing import apply

_ARGUMENTS = "Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank"
each_ctc_loss = Operator(
    f"ctc_loss({_ARGUMENTS}, bool zero_infinity) -> Tensor",
    kernels.ctc_loss,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="The loss of each example, infinite where there is no alignment.",
)
ctc_loss_backward = Operator(
    f"ctc_loss_backward(Tensor grad_output, {_ARGUMENTS}, bool zero_infinity) -> Tensor",
    kernels.ctc_loss_backward,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="The gradient by the scores behind `log_probs`, whose softmax these are: to log_softmax it is the same.",
)


def _lengths(given, name):
    if isinstance(given, Tensor):
        if given.is_floating_point() or given.is_complex():
            raise RuntimeError(f"{name} must be integral")
        given = given.tolist()
    return (given,) if isinstance(given, int) else tuple(given)


def _ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity):
    reduction = checked_reduction(None, None, reduction)
    input_lengths, target_lengths = _lengths(input_lengths, "input_lengths"), _lengths(target_lengths, "target_lengths")
    if log_probs.ndim == 0:
        log_probs.size(1)  # raises an IndexError
    single = log_probs.ndim == 2
    if single:
        log_probs = log_probs.unsqueeze(1)
        targets = targets.unsqueeze(0) if targets.ndim == 1 else targets
    loss = each_ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)
    if zero_infinity:
        loss = ft.where(loss == float("inf"), 0.0, loss)
    if reduction == "mean":
        return (loss / loss.new_tensor(target_lengths).clamp_min(1)).mean()
    return reduced(loss[0] if single else loss, reduction)


_OPTIONS = "int blank=0, str reduction='mean', bool zero_infinity=False"
for _overload, _lengths_are in (("", "int[]"), (".Tensor", "Tensor")):
    _schema = (
        f"ctc_loss{_overload}(Tensor log_probs, Tensor targets, {_lengths_are} input_lengths, {_lengths_are} "
        f"target_lengths, {_OPTIONS})"
    )
    composite(
        _schema,
        """
-log of the probability of `targets` (N, S), or one after another, summed over all alignments with `log_probs`
(T, N, C) or (T, C), the logarithms of probabilities. 'mean' divides each loss by the length of its target. With
`zero_infinity` targets that are too long count as 0.
""",
        aten=_schema.replace("ctc_loss(", "ctc_loss.IntList("),
    )(_ctc_loss)
_LENGTHS = "input_lengths! target_lengths!"
apply(
    "torch.nn.functional",
    {"ctc_loss": f"log_probs! targets! {_LENGTHS} * blank=0 reduction='mean' zero_infinity=False"},
)
