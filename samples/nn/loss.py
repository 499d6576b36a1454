"""Calls of losses."""

import flambeau_tensor as torch
from samples import Dtypes, call, each, real, whole

X, Y, G = real(2, 5), real(2, 5, low=0.1, high=0.9), real(2, 5)
CHANCES, SPREAD = real(2, 5, low=0.1, high=0.9), real(2, 5, low=0.5)
SCORES, CLASSES = real(5, 4), whole(5, high=4)
PLANES, PLANE_CLASSES = real(2, 4, 3), whole(2, 3, high=4)
SIGNS = each([[1, -1, 1, 1, -1]] * 2, [[-1, -1, 1, -1, 1]] * 2, [[1, 1, -1, -1, 1]] * 2)
SIDES = each([1, -1], [-1, -1], [1, 1])
# Given, not drawn: nothing is differentiated by them.
EACH_WEIGHTS = each([0.5, 1.5, 2.0, 0.7], [1.5, 0.2, 1.0, 0.9], [0.3, 0.5, 1.2, 1.7])
WEIGHT = torch.tensor([0.5, 1.5, 2.0, 0.7], dtype=torch.float64)
F, N = "nn.functional.", "_C._nn."
TABLE = {}
for _name, _pair in {
    "mse_loss": (X, Y),
    "l1_loss": (X, Y),
    "smooth_l1_loss": (X, Y),
    "huber_loss": (X, Y),
    "binary_cross_entropy": (CHANCES, Y),
    "binary_cross_entropy_with_logits": (X, Y),
}.items():
    for _reduction in ("mean", "sum", "none"):
        TABLE[f"{F}{_name}, {_reduction}"] = call(*_pair, reduction=_reduction, dtypes=Dtypes.FLOATS | Dtypes.UNASKED)
    TABLE[N + _name] = call(*_pair, "mean")
    TABLE[f"{N}{_name}, none"] = call(*_pair, "none")
    TABLE[f"{N}{_name}_backward"] = call(real(), *_pair, "mean")
    TABLE[f"{N}{_name}_backward, none"] = call(G, *_pair, "none")
for _reduction in ("mean", "sum", "none"):
    TABLE |= {
        f"{F}soft_margin_loss, {_reduction}": call(X, SIGNS, reduction=_reduction, dtypes=Dtypes.INEXACT),
        f"{F}poisson_nll_loss, {_reduction}": call(X, Y, reduction=_reduction, dtypes=Dtypes.NUMBERS),
        f"{F}poisson_nll_loss, full and {_reduction}": call(
            SPREAD, real(2, 5, low=1.5, high=4), False, True, reduction=_reduction, dtypes=Dtypes.REAL_NUMBERS
        ),
        f"{F}gaussian_nll_loss, {_reduction}": call(X, Y, SPREAD, reduction=_reduction),
        f"{F}hinge_embedding_loss, {_reduction}": call(
            X, SIGNS, reduction=_reduction, dtypes=Dtypes.FLOATS | Dtypes.UNASKED
        ),
        f"{F}margin_ranking_loss, {_reduction}": call(
            X, Y, SIGNS, 0.2, reduction=_reduction, dtypes=Dtypes.REAL_NUMBERS
        ),
        f"{F}cosine_embedding_loss, {_reduction}": call(X, Y, SIDES, 0.2, reduction=_reduction, dtypes=Dtypes.REALS),
        f"{F}triplet_margin_loss, {_reduction}": call(X, G, Y, reduction=_reduction, dtypes=Dtypes.NUMBERS),
        f"{F}kl_div, {_reduction}": call(X, CHANCES, reduction=_reduction),
        f"{F}mse_loss, of numbers and {_reduction}": call(real(), real(), reduction=_reduction),
        f"{F}mse_loss, weighed and {_reduction}": call(
            X, Y, reduction=_reduction, weight=SPREAD, dtypes=Dtypes.NUMBERS
        ),
        f"{F}smooth_l1_loss, beta and {_reduction}": call(X, Y, reduction=_reduction, beta=0.2),
        f"{F}huber_loss, delta and {_reduction}": call(X, Y, _reduction, 0.3),
        f"{F}binary_cross_entropy_with_logits, weighed and {_reduction}": call(
            X, Y, SPREAD, reduction=_reduction, pos_weight=real(5, low=0.5)
        ),
        f"{F}cross_entropy, {_reduction}": call(SCORES, CLASSES, reduction=_reduction),
        f"{F}cross_entropy, of one and {_reduction}": call(real(4), whole(high=4), reduction=_reduction),
        f"{F}cross_entropy, of planes and {_reduction}": call(PLANES, PLANE_CLASSES, reduction=_reduction),
        f"{F}cross_entropy, smoothed and {_reduction}": call(
            PLANES,
            PLANE_CLASSES,
            WEIGHT,
            ignore_index=1,
            reduction=_reduction,
            label_smoothing=0.1,
            dtypes=Dtypes.DOUBLE | Dtypes.UNASKED,
        ),
        f"{F}cross_entropy, of probabilities and {_reduction}": call(
            SCORES,
            real(5, 4, low=0.1, high=0.9),
            WEIGHT,
            reduction=_reduction,
            label_smoothing=0.2,
            dtypes=Dtypes.DOUBLE | Dtypes.UNASKED,
        ),
        f"{F}cross_entropy, weights that require grad and {_reduction}": call(
            SCORES,
            CLASSES,
            real(4, low=0.5),
            reduction=_reduction,
            label_smoothing=0.1,
            dtypes=Dtypes.DOUBLE | Dtypes.UNASKED,
        ),
        f"{F}cross_entropy, probabilities, weights that require grad and {_reduction}": call(
            SCORES,
            real(5, 4, low=0.1, high=0.9),
            real(4, low=0.5),
            reduction=_reduction,
            dtypes=Dtypes.DOUBLE | Dtypes.UNASKED,
        ),
        f"{F}cross_entropy, weights of examples and {_reduction}": call(
            SCORES, CLASSES, EACH_WEIGHTS, reduction=_reduction
        ),
        f"{F}nll_loss, {_reduction}": call(
            PLANES, PLANE_CLASSES, WEIGHT, ignore_index=2, reduction=_reduction, dtypes=Dtypes.DOUBLE | Dtypes.UNASKED
        ),
    }
TABLE |= {
    F + "kl_div, of logarithms": call(X, G, reduction="batchmean", log_target=True),
    F + "triplet_margin_loss, swapped": call(X, G, Y, 0.5, 3, swap=True, dtypes=Dtypes.NUMBERS),
    N + "nll": call(SCORES, CLASSES, WEIGHT, 2, "mean", dtypes=Dtypes.DOUBLE | Dtypes.UNASKED),
    N + "nll_backward": call(real(5), SCORES, CLASSES, None, -100, "none"),
    N + "cross_entropy": call(SCORES, CLASSES, None, -100, "mean", 0.1),
    N + "cross_entropy_backward": call(real(), SCORES, CLASSES, None, -100, "mean", 0.1),
    N + "cross_entropy_backward, none": call(real(5), SCORES, CLASSES, None, -100, "none", 0.0),
}
