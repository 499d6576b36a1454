"""Losses, normalization, pooling and padding under ``vmap``, and their gradients, against a loop over the examples."""

import itertools

import numpy as np
import pytest

import flambeau_tensor as torch
from flambeau_autograd.batching.table import looped as looped_rule
from flambeau_autograd.batching.table import rule_of
from flambeau_autograd.func import grad, jvp, vmap
from flambeau_nn import functional as F
from flambeau_nn.ops import INTERNAL, NAMESPACE
from flambeau_tensor.extend import operators

REDUCTIONS = ("mean", "sum", "none")
RNG = np.random.default_rng(4)


def floats(*shape):
    return RNG.uniform(0.1, 0.9, (3, *shape))


def classes(*shape):
    return RNG.integers(0, 4, (3, *shape))


PAIR = [floats(2, 5), floats(2, 5)]
SCORES, DEEP = [floats(5, 4), classes(5)], [floats(2, 4, 3), classes(2, 3)]
WEIGHT = torch.tensor([0.5, 1.5, 2.0, 0.7], dtype=torch.float64)
CASES = {}
for _r in REDUCTIONS:
    for _f in (
        F.mse_loss,
        F.l1_loss,
        F.smooth_l1_loss,
        F.huber_loss,
        F.binary_cross_entropy,
        F.binary_cross_entropy_with_logits,
        F.soft_margin_loss,
        F.poisson_nll_loss,
    ):
        CASES[f"{_f.name} {_r}"] = (lambda x, y, f=_f, r=_r: f(x, y, reduction=r)), PAIR
    CASES[f"mse_loss of numbers {_r}"] = (lambda x, y, r=_r: F.mse_loss(x, y, reduction=r)), [floats(), floats()]
    CASES[f"kl_div {_r}"] = (lambda x, y, r=_r: F.kl_div(x, y, reduction="batchmean" if r == "mean" else r)), PAIR
    CASES |= {
        f"smooth_l1_loss with beta {_r}": (lambda x, y, r=_r: F.smooth_l1_loss(x, y, reduction=r, beta=0.2), PAIR),
        f"huber_loss with delta {_r}": (lambda x, y, r=_r: F.huber_loss(x, y, r, 0.3), PAIR),
        f"mse_loss with weights {_r}": (
            lambda x, y, w, r=_r: F.mse_loss(x, y, reduction=r, weight=w),
            [*PAIR, floats(2, 5)],
        ),
        f"weighted logits {_r}": (
            lambda x, y, w, r=_r: F.binary_cross_entropy_with_logits(x, y, w, reduction=r, pos_weight=w),
            [*PAIR, floats(2, 5)],
        ),
        f"cross_entropy {_r}": (lambda x, y, r=_r: F.cross_entropy(x, y, reduction=r), SCORES),
        f"cross_entropy of one {_r}": (lambda x, y, r=_r: F.cross_entropy(x, y, reduction=r), [floats(4), classes()]),
        f"cross_entropy of planes {_r}": (lambda x, y, r=_r: F.cross_entropy(x, y, reduction=r), DEEP),
        f"cross_entropy with weights {_r}": (
            lambda x, y, r=_r: F.cross_entropy(x, y, WEIGHT, ignore_index=1, reduction=r, label_smoothing=0.1),
            DEEP,
        ),
        f"cross_entropy of probabilities {_r}": (
            lambda x, y, r=_r: F.cross_entropy(x, y, WEIGHT, reduction=r, label_smoothing=0.2),
            [floats(5, 4), floats(5, 4)],
        ),
        f"cross_entropy, weights of examples {_r}": (
            lambda x, y, w, r=_r: F.cross_entropy(x, y, w, reduction=r),
            [*SCORES, floats(4)],
        ),
        f"nll_loss {_r}": (lambda x, y, r=_r: F.nll_loss(x, y, WEIGHT, ignore_index=2, reduction=r), DEEP),
    }
_IMAGES = [floats(2, 3, 6, 6)]
_ROWS = [floats(2, 3, 6)]
CASES |= {
    "layer_norm": (lambda x: F.layer_norm(x, (3, 6)), _ROWS),
    "layer_norm with weights": (lambda x, w, b: F.layer_norm(x, (6,), w, b), [*_ROWS, floats(6), floats(6)]),
    "layer_norm of a vector": (lambda x, w: F.layer_norm(x, (6,), w), [floats(6), floats(6)]),
    "group_norm": (lambda x, w, b: F.group_norm(x, 2, w, b), [floats(2, 4, 3), floats(4), floats(4)]),
    "rms_norm": (lambda x, w: F.rms_norm(x, (6,), w), [*_ROWS, floats(6)]),
    "batch_norm": (lambda x, w, b: F.batch_norm(x, None, None, w, b, True), [floats(4, 3), floats(3), floats(3)]),
    "batch_norm by running ones": (lambda x, m, v: F.batch_norm(x, m, v), [floats(4, 3), floats(3), floats(3)]),
    "instance_norm": (lambda x: F.instance_norm(x), _ROWS),
    "local_response_norm": (lambda x: F.local_response_norm(x, 2), _ROWS),
    "normalize": (lambda x: F.normalize(x), _ROWS),
    "pad": (lambda x: F.pad(x, (1, 2, 0, 1), value=0.5), _ROWS),
    "pad, negative": (lambda x: F.pad(x, (-1, 2)), _ROWS),
    "pad, reflected": (lambda x: F.pad(x, (1, 2), "reflect"), _ROWS),
    "avg_pool1d": (lambda x: F.avg_pool1d(x, 2, 2, 1), _ROWS),
    "avg_pool1d without samples": (lambda x: F.avg_pool1d(x, 2), [floats(3, 6)]),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 3, 2, 1, True, False), _IMAGES),
    "avg_pool3d": (lambda x: F.avg_pool3d(x, 2, divisor_override=3), [floats(1, 2, 4, 4, 4)]),
    "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, (2, None)), _IMAGES),
    "max_pool1d": (lambda x: F.max_pool1d(x, 2), _ROWS),
    "max_pool2d": (lambda x: F.max_pool2d(x, 3, 2, 1), _IMAGES),
    "max_pool2d without samples": (lambda x: F.max_pool2d(x, 2), [floats(3, 6, 6)]),
    "max_pool2d with indices": (lambda x: F.max_pool2d(x, 2, return_indices=True)[1], _IMAGES),
    "adaptive_max_pool1d": (lambda x: F.adaptive_max_pool1d(x, 2), _ROWS),
    "lp_pool2d": (lambda x: F.lp_pool2d(x, 2, 2), _IMAGES),
    "cosine_similarity": (F.cosine_similarity, PAIR),
    "triplet_margin_loss": (F.triplet_margin_loss, [floats(2, 5), floats(2, 5), floats(2, 5)]),
    "gaussian_nll_loss": (F.gaussian_nll_loss, [floats(2, 5), floats(2, 5), floats(2, 5)]),
    "prelu": (F.prelu, [RNG.standard_normal((3, 2, 5)), floats(5)]),
    "glu": (F.glu, [floats(2, 4)]),
}


def tensors(arrays):
    return [torch.from_numpy(np.array(a)) for a in arrays]


def looped(function, stacked, batched):
    rows = [function(*[a[i] if b else a[0] for a, b in zip(stacked, batched, strict=True)]) for i in range(3)]
    return tuple(map(torch.stack, zip(*rows, strict=True))) if isinstance(rows[0], tuple) else torch.stack(rows)


def same(found, expected):
    for a, b in zip(*((r if isinstance(r, tuple) else (r,)) for r in (found, expected)), strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_vmap_is_a_loop(name):
    function, arrays = CASES[name]
    stacked = tensors(arrays)
    for batched in itertools.product([True, False], repeat=len(stacked)):
        if not any(batched):
            continue
        for place in (0, -1):
            given = [a.movedim(0, place) if b else a[0] for a, b in zip(stacked, batched, strict=True)]
            found = vmap(function, tuple(place if b else None for b in batched))(*given)
            same(found, looped(function, stacked, batched))


@pytest.mark.parametrize("name", [n for n in CASES if "indices" not in n])
def test_derivatives_of_examples(name):
    """Gradients for each example, gradients through ``vmap``, tangents for each example."""
    function, arrays = CASES[name]
    stacked = tensors(arrays)
    where = tuple(i for i, a in enumerate(stacked) if a.is_floating_point())

    def total(*args):
        out = function(*args)
        return (out * out).sum()

    of = grad(total, argnums=where)
    expected = looped(of, stacked, [True] * len(stacked))
    same(vmap(of)(*stacked), expected)
    same(grad(lambda *args: vmap(total)(*args).sum(), argnums=where)(*stacked), expected)

    def along(*args):
        def of_floats(*given):
            full = list(args)
            for i, g in zip(where, given, strict=True):
                full[i] = g
            return total(*full)

        chosen = tuple(args[i] for i in where)
        return jvp(of_floats, chosen, tuple(a.sin() for a in chosen))[1]

    slopes = looped(along, stacked, [True] * len(stacked))
    same(vmap(along)(*stacked), slopes)
    products = sum(
        (g * stacked[i].sin()).flatten(1).sum(1) if g.ndim > 1 else g * stacked[i].sin()
        for i, g in zip(where, expected, strict=True)
    )
    np.testing.assert_allclose(slopes.numpy(), products.numpy(), rtol=1e-8, atol=1e-12)


# Their examples run one after the other: attention is a composition under transforms, whose parts have rules; layers
# and losses over time have lengths and weights that may differ between examples.
LOOPED = {
    f"{INTERNAL}.{name}{end}"
    for name in ("attention", "ctc_loss", "lstm_layer", "rnn_layer")
    for end in ("", "_backward")
}


def test_every_operator_has_a_rule():
    vmap(torch.sin)(torch.ones(2))  # loads the rules of families that are declared by now
    left = {
        name
        for name, op in operators().items()
        if name.startswith((INTERNAL, NAMESPACE)) and not op.is_composite and rule_of(op) is looped_rule
    }
    assert left == LOOPED


def test_errors_are_those_of_one_example():
    with pytest.raises(RuntimeError, match="no more than twice the number of dimensions"):
        vmap(lambda x: F.pad(x, (1, 1, 1, 1)))(torch.ones(3, 4))
    with pytest.raises(IndexError, match="Target 7 is out of bounds"):
        vmap(F.cross_entropy)(torch.ones(2, 3, 4), torch.full((2, 3), 7))
    with pytest.raises(ValueError, match="not a valid value for reduction"):
        vmap(lambda x: F.mse_loss(x, x, reduction="all"))(torch.ones(2, 3))
