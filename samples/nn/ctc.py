"""Calls of the loss of alignments. Their examples have lengths in common."""

import flambeau_tensor as torch
from samples import Dtypes, call, each, real

LOGS = real(4, 2, 3, low=-2, high=-0.5)
TARGETS = each([[1, 2], [2, 1]], [[2, 1], [1, 1]], [[1, 1], [2, 2]])
F, N = "nn.functional.", "_C._nn."


def loss(*rest):
    """A call on what sums to 1, as derivatives take it to do."""
    return call(
        LOGS,
        TARGETS,
        via=lambda op, x, y: op(x.log_softmax(2), y, *rest),
        dtypes=Dtypes.DOUBLE | Dtypes.SINGLE,
        second=False,
    )


TABLE = {
    F + "ctc_loss": loss([4, 3], [2, 1]),
    F + "ctc_loss, sum": loss([4, 3], [2, 1], 0, "sum"),
    F + "ctc_loss, lengths in tensors": loss(torch.tensor([4, 3]), torch.tensor([2, 1])),
    N + "ctc_loss": loss([4, 3], [2, 1], 0, False),
    N + "ctc_loss_backward": call(
        real(2), LOGS, TARGETS, [4, 3], [2, 1], 0, False, dtypes=Dtypes.DOUBLE | Dtypes.SINGLE, derivative=False
    ),
}
