"""Calls of losses with margins."""

from samples import Dtypes, call, each, real, whole

SCORES, CLASSES = real(3, 4), whole(3, high=4)
LABELS = each(
    [[0, 2, -1, -1], [1, -1, -1, -1], [3, 0, 1, -1]],
    [[1, 2, 3, -1], [0, -1, -1, -1], [2, 0, 1, -1]],
    [[3, 2, -1, 0], [2, -1, -1, -1], [0, -1, 1, -1]],
)
F = "nn.functional."
TABLE = {}
for _reduction in ("mean", "sum", "none"):
    TABLE |= {
        f"{F}multi_margin_loss, {_reduction}": call(SCORES, CLASSES, 2, 0.8, reduction=_reduction),
        f"{F}multilabel_margin_loss, {_reduction}": call(
            SCORES, LABELS, reduction=_reduction, dtypes=Dtypes.REAL_NUMBERS
        ),
        f"{F}multilabel_soft_margin_loss, {_reduction}": call(
            SCORES, whole(3, 4, high=2), real(4, low=0.5), reduction=_reduction
        ),
        f"{F}triplet_margin_with_distance_loss, {_reduction}": call(
            SCORES, real(3, 4), real(3, 4), swap=True, reduction=_reduction, dtypes=Dtypes.NUMBERS
        ),
        f"{F}linear_cross_entropy, {_reduction}": call(
            real(3, 5), real(4, 5), CLASSES, linear_bias=real(4), reduction=_reduction
        ),
    }
TABLE |= {
    "_C._nn.multi_margin": call(SCORES, CLASSES, None, 1, "none", 0.8),
    "_C._nn.multi_margin_backward": call(real(3), SCORES, CLASSES, None, 2, "none", 0.8),
    "_C._nn.multilabel_margin": call(SCORES, LABELS, "sum"),
    "_C._nn.multilabel_margin_backward": call(real(), SCORES, LABELS, "mean"),
}
