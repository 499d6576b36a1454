"""Calls of layers and losses as PyTorch's own operators have them."""

import flambeau_tensor as torch
from samples import Dtypes, call, each, real, whole
from samples.nn.ctc import loss

X, Y = real(2, 5), real(2, 5, low=0.1, high=0.9)
ROWS, IMAGES, SPACES = real(2, 3, 6), real(1, 2, 6, 6), real(1, 2, 4, 4, 4)
SIGNS = each([[1, -1, 1, 1, -1]] * 2, [[-1, -1, 1, -1, 1]] * 2, [[1, 1, -1, -1, 1]] * 2)
AFFINE = real(3), real(3)
MOVED = real(3), real(3, low=0.5)
OFFSETS = torch.tensor([0, 2])

TABLE = {
    "celu": call(X, 1.5),
    "celu_": call(X, 1.5),
    "selu": call(X),
    "selu_": call(X),
    "threshold_": call(X, 1, 2, dtypes=Dtypes.REAL_NUMBERS),
    "rrelu": call(X),
    "rrelu_": call(X),
    "dropout": call(X, 0.4, False, dtypes=Dtypes.ALL),
    "dropout_": call(X, 0.4, False, dtypes=Dtypes.ALL),
    "alpha_dropout": call(X, 0.4, False, dtypes=Dtypes.ALL),
    "alpha_dropout_": call(X, 0.4, False, dtypes=Dtypes.ALL),
    "feature_alpha_dropout": call(ROWS, 0.4, False, dtypes=Dtypes.ALL),
    "feature_alpha_dropout_": call(ROWS, 0.4, False, dtypes=Dtypes.ALL),
    "feature_dropout": call(ROWS, 0.4, False, dtypes=Dtypes.ALL),
    "feature_dropout_": call(ROWS, 0.4, False, dtypes=Dtypes.ALL),
    "native_dropout": call(X, 0.4, False, dtypes=Dtypes.ALL),
    "max_pool1d": call(ROWS, 2, dtypes=Dtypes.REAL_NUMBERS),
    "max_pool2d": call(IMAGES, 2, dtypes=Dtypes.REAL_NUMBERS),
    "max_pool3d": call(SPACES, 2, dtypes=Dtypes.REAL_NUMBERS),
    "max_pool1d_with_indices": call(ROWS, 2, dtypes=Dtypes.REAL_NUMBERS),
    "adaptive_max_pool1d": call(ROWS, 2),
    "layer_norm": call(ROWS, (6,), real(6), real(6)),
    "group_norm": call(real(2, 4, 3), 2, real(4), real(4)),
    "rms_norm": call(ROWS, (6,), real(6), dtypes=Dtypes.INEXACT),
    "batch_norm": call(real(4, 3), *AFFINE, None, None, True, 0.1, 1e-5, True, dtypes=Dtypes.INEXACT),
    "instance_norm": call(ROWS, *AFFINE, None, None, True, 0.1, 1e-5, True),
    "native_layer_norm": call(ROWS, real(6), real(6), via=lambda op, x, w, b: op(x, (6,), w, b, 1e-5)[0]),
    "native_group_norm": call(real(2, 4, 3), real(4), real(4), 2, 4, 3, 2, 1e-5),
    "native_batch_norm": call(
        real(4, 3), *AFFINE, via=lambda op, *a: op(*a, None, None, True, 0.1, 1e-5)[0], dtypes=Dtypes.INEXACT
    ),
    "_native_batch_norm_legit.no_stats": call(
        real(4, 3), *AFFINE, via=lambda op, *a: op(*a, True, 0.1, 1e-5)[0], dtypes=Dtypes.INEXACT
    ),
    "_native_batch_norm_legit": call(real(4, 3), *AFFINE, *MOVED, False, 0.1, 1e-5, dtypes=Dtypes.NUMBERS),
    "norm_except_dim": call(real(3, 4), 2, 0, dtypes=Dtypes.INEXACT),
    "_weight_norm": call(real(3, 4), real(3, 1), dtypes=Dtypes.INEXACT),
    "embedding": call(real(4, 3), whole(2, high=4), dtypes=Dtypes.ALL),
    "embedding_renorm_": call(
        real(4, 3), whole(2, high=4), 1.0, 2.0, derivative=False, loop=False, dtypes=Dtypes.INEXACT
    ),
    "embedding_bag": call(real(4, 3), whole(5, high=4), OFFSETS, dtypes=Dtypes.ALL),
    "embedding_bag.padding_idx": call(
        real(4, 3), whole(5, high=4), OFFSETS, False, 1, False, None, False, 1, dtypes=Dtypes.REALS
    ),
    "binary_cross_entropy_with_logits": call(X, Y, None, None, 1),
    "cosine_embedding_loss": call(X, Y, each([1, -1], [-1, -1], [1, 1]), 0.2, 1, dtypes=Dtypes.REALS),
    "hinge_embedding_loss": call(X, SIGNS, 1.0, 2, dtypes=Dtypes.REAL_NUMBERS),
    "kl_div": call(X, Y, 1),
    "margin_ranking_loss": call(X, Y, SIGNS, 0.2, 1, dtypes=Dtypes.REAL_NUMBERS),
    "poisson_nll_loss": call(X, Y, True, False, 1e-8, 1, dtypes=Dtypes.NUMBERS),
    "triplet_margin_loss": call(X, real(2, 5), Y, dtypes=Dtypes.NUMBERS),
    "ctc_loss": loss([4, 3], [2, 1], 0, 1),
    "ctc_loss.Tensor": loss(torch.tensor([4, 3]), torch.tensor([2, 1]), 0, 1),
}
