"""Functions of layers as in C++, which are functions of ``torch`` itself.

They take arguments by position, reductions as numbers (0 none, 1 mean, 2 sum), and return values for backward.
"""

import flambeau_tensor as ft
from flambeau_nn import functional as F
from flambeau_nn._kernels.batch_norm import normalized_batch
from flambeau_nn.ops.activation import randomly_leaky
from flambeau_nn.ops.declaring import composite as _composite
from flambeau_nn.ops.loss import REDUCTIONS
from flambeau_nn.ops.normalization import row_moments
from flambeau_nn.ops.pooling import adaptive_max_pools, max_pools
from flambeau_tensor import Operator
from flambeau_tensor.extend import FUNCTION, Forward, find_operator
from flambeau_tensor.ops.reductions import vector_norm

_HALVES = ft.float16, ft.bfloat16


def composite(schema, doc):
    """Decorator: the function of ``torch`` itself."""
    return _composite(schema, doc, namespace="torch")


def _forward(schema, name, *order, channels=False, **fixed):
    """Declare the function of a schema by a function of torch.nn.functional. ``order`` lists the positions of its
    arguments in the schema; a pair is the name of an argument and its position; reductions are converted to words.
    With `channels`, the first argument must have a dimension 1."""
    function = getattr(F, name)
    places = [at for at in order if isinstance(at, int)]
    named = [at for at in order if not isinstance(at, int)]

    @composite(schema, f"`torch.nn.functional.{name}`" + (", in place." if "inplace" in fixed else "."))
    def run(*args):
        if channels:
            args[0].size(1)  # raises an IndexError
        # As in PyTorch, other numbers mean no reduction.
        words = {
            word: args[at] if word != "reduction" else REDUCTIONS[args[at]] if 0 <= args[at] <= 2 else "none"
            for word, at in named
        }
        return function(*[args[at] for at in places], **words, **fixed)


# --- activations and dropout ----------------------------------------------------------------------------------------


def _same(schema, target, first=0, **fixed):
    """Declare the function of a schema that is another operator under the same arguments."""
    Operator(
        schema,
        Forward(target, first, **fixed),
        namespace="torch",
        variants=FUNCTION,
        composite=True,
        doc=f"`torch.nn.functional.{target.name}`" + (", in place." if fixed else "."),
    )


_same("celu(Tensor self, Scalar alpha=1.0) -> Tensor", F.celu)
_same("celu_(Tensor(a!) self, Scalar alpha=1.0) -> Tensor(a!)", F.celu, inplace=True)
_same("selu(Tensor self) -> Tensor", F.selu)
_same("selu_(Tensor(a!) self) -> Tensor(a!)", F.selu, inplace=True)
_same("threshold_(Tensor(a!) self, Scalar threshold, Scalar value) -> Tensor(a!)", F.threshold, inplace=True)
_SLOPES = "Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None"


@composite(f"rrelu(Tensor self, {_SLOPES}) -> Tensor", "`torch.nn.functional.rrelu`.")
def rrelu(input, lower, upper, training, generator):
    return randomly_leaky(input, lower, upper, training, False, generator)


@composite(f"rrelu_(Tensor(a!) self, {_SLOPES}) -> Tensor(a!)", "`torch.nn.functional.rrelu`, in place.")
def rrelu_(input, lower, upper, training, generator):
    return randomly_leaky(input, lower, upper, training, True, generator)


def _dropout(name, drop):
    def checked(input, p, train, inplace):
        if not 0 <= p <= 1:
            raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
        return drop(input, p, train, inplace)

    @composite(f"{name}(Tensor input, float p, bool train) -> Tensor", f"`torch.nn.functional.{name}`.")
    def fresh(input, p, train):
        return checked(input, p, train, False)

    @composite(
        f"{name}_(Tensor(a!) self, float p, bool train) -> Tensor(a!)", f"`torch.nn.functional.{name}`, in place."
    )
    def inplace(input, p, train):
        return checked(input, p, train, True)


def _drop_features(input, p, train, inplace):
    from flambeau_nn.ops.dropout import _drop

    return _drop(input, p, train, inplace, channels=True)


for _name, _function in (
    ("dropout", F.dropout),
    ("alpha_dropout", F.alpha_dropout),
    ("feature_alpha_dropout", F.feature_alpha_dropout),
    ("feature_dropout", _drop_features),
):
    _dropout(_name, _function)


@composite(
    "native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)",
    "Dropout, unless `train` is False, and a mask of the elements that were kept.",
)
def native_dropout(input, p, train):
    if not input.numel():
        return input, ft.empty_like(input)  # a mask of the input's dtype
    if train is False:
        return input.clone(), ft.ones_like(input, dtype=ft.bool)
    kept = ft.empty_like(input, dtype=ft.bool, requires_grad=False).bernoulli_(1 - p)
    return (input * kept).mul_(0.0 if p == 1 else 1 / (1 - p)), kept


# --- pooling --------------------------------------------------------------------------------------------------------

for _n in (1, 2, 3):
    _windows = (
        f"(Tensor self, int[{_n}] kernel_size, int[{_n}] stride=[], int[{_n}] padding=0, "
        f"int[{_n}] dilation=1, bool ceil_mode=False)"
    )
    _same(f"max_pool{_n}d{_windows} -> Tensor", max_pools[_n], 1)
_same(
    "max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, "
    "int[1] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
    max_pools[1],
)
_same("adaptive_max_pool1d(Tensor self, int[1] output_size) -> (Tensor, Tensor)", adaptive_max_pools[1])


# --- normalization --------------------------------------------------------------------------------------------------

_AFFINE = "Tensor? weight=None, Tensor? bias=None, float eps=1e-05"
_STATISTICS = "Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var"
_forward(
    f"layer_norm(Tensor input, int[] normalized_shape, {_AFFINE}, bool cudnn_enable=True) -> Tensor",
    "layer_norm",
    0,
    1,
    2,
    3,
    4,
)


def _check_groups(number):
    if number == 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {number}")


@composite(
    f"group_norm(Tensor input, int num_groups, {_AFFINE}, bool cudnn_enabled=True) -> Tensor",
    "`torch.nn.functional.group_norm`, which divides by the number of groups before it checks it.",
)
def group_norm(input, num_groups, weight, bias, eps, cudnn_enabled):
    input.size(1)  # raises an IndexError
    _check_groups(num_groups)
    return F.group_norm(input, num_groups, weight, bias, eps)


_forward(
    "rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor",
    "rms_norm",
    0,
    1,
    2,
    3,
)
_forward(
    f"batch_norm(Tensor input, {_STATISTICS}, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor",
    "batch_norm",
    0,
    3,
    4,
    1,
    2,
    5,
    6,
    7,
)
_forward(
    f"instance_norm(Tensor input, {_STATISTICS}, bool use_input_stats, float momentum, float eps, "
    "bool cudnn_enabled) -> Tensor",
    "instance_norm",
    0,
    3,
    4,
    1,
    2,
    5,
    6,
    7,
    channels=True,
)


def _kept(input, *parameters):
    """Return the dtype of statistics: the input's, but float32 for a half type with float32 parameters."""
    dtype = input.dtype
    mixed = dtype in _HALVES and any([p is not None and p.dtype is ft.float32 for p in parameters])
    return ft.float32 if mixed else dtype


def _moments(x, dims, eps, dtype, keepdim):
    return tuple([t if t.dtype is dtype else t.to(dtype) for t in row_moments(x, dims, eps, keepdim)])


@composite(
    "native_layer_norm(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> "
    "(Tensor, Tensor, Tensor)",
    "layer_norm, and the mean and 1 / deviation of each row.",
)
def native_layer_norm(input, normalized_shape, weight, bias, eps):
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    out = F.layer_norm(input, shape, weight, bias, eps)
    return out, *_moments(input.detach(), len(shape), eps, _kept(input, weight, bias), True)


@composite(
    "native_group_norm(Tensor input, Tensor? weight, Tensor? bias, int N, int C, int HxW, int group, float eps)"
    " -> (Tensor, Tensor, Tensor)",
    "group_norm, and the mean and 1 / deviation of each group.",
)
def native_group_norm(input, weight, bias, N, C, HxW, group, eps):
    _check_groups(group)
    out = F.group_norm(input, group, weight, bias, eps)
    rows = input.reshape((N, group, C // group * HxW))
    return out, *_moments(rows, 1, eps, _kept(input, weight, bias), False)


def _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    input.size(1)  # raises an IndexError
    out, mean, variance = normalized_batch(input, running_mean, running_var, weight, bias, training, momentum, eps)
    dtype = _kept(input, weight, bias, running_mean, running_var)
    if not training or mean is None:
        return out, input.new_empty((0,), dtype=dtype), input.new_empty((0,), dtype=dtype)
    return out, mean.detach().to(dtype), (variance.detach() + eps).rsqrt().to(dtype)


_MOVES = "bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)"
composite(
    f"native_batch_norm(Tensor input, {_STATISTICS}, {_MOVES}",
    "batch_norm, and the mean and 1 / deviation of each channel while training.",
)(_batch_norm)
composite(
    f"_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, "
    f"Tensor(b!) running_var, {_MOVES}",
    "native_batch_norm.",
)(_batch_norm)


@composite(
    f"_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, {_MOVES}",
    "native_batch_norm without running statistics.",
)
def _of_batch(input, weight, bias, training, momentum, eps):
    return _batch_norm(input, weight, bias, None, None, training, momentum, eps)


@composite(
    "norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor",
    "The norm of each slice of a dimension, in a shape that broadcasts; with -1, the norm of all elements.",
)
def norm_except_dim(v, pow, dim):
    if dim == -1:
        return vector_norm(v, pow)
    v.size(dim)  # raises for a dimension that does not exist
    if v.ndim == 1:  # no dimension remains, and an empty list would mean all
        return vector_norm(v.unsqueeze(1), pow, (1,))
    return vector_norm(v, pow, tuple([d for d in range(v.ndim) if d != dim % v.ndim]), keepdim=True)


@composite(
    "_weight_norm(Tensor v, Tensor g, int dim=0) -> Tensor", "The tensor with the direction of `v` and the norms `g`."
)
def _weight_norm(v, g, dim):
    return v * (g / norm_except_dim(v, 2, dim))


# --- embeddings -----------------------------------------------------------------------------------------------------


@composite(
    "embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=False, "
    "bool sparse=False) -> Tensor",
    "`torch.nn.functional.embedding`; -1 for no padding.",
)
def embedding(weight, indices, padding_idx, scale_grad_by_freq, sparse):
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    padding = padding_idx if 0 <= padding_idx < weight.shape[0] else None
    return F.embedding(indices, weight, padding, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)


@composite(
    "embedding_renorm_(Tensor(a!) self, Tensor indices, float max_norm, float norm_type) -> Tensor(a!)",
    "Scale the rows at `indices` to norms of at most `max_norm`.",
)
def embedding_renorm_(weight, indices, max_norm, norm_type):
    from flambeau_autograd import no_grad

    with no_grad():
        F.embedding(indices, weight, max_norm=max_norm, norm_type=norm_type)
    return weight


_BAGS = "Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq"
_MODES = "sum", "mean", "max"


def _embedding_bag(
    weight,
    indices,
    offsets,
    scale_grad_by_freq,
    mode,
    sparse,
    per_sample_weights,
    include_last_offset,
    padding_idx=None,
):
    try:
        out = F.embedding_bag(
            indices,
            weight,
            offsets,
            None,
            2.0,
            scale_grad_by_freq,
            _MODES[mode],
            sparse,
            per_sample_weights,
            include_last_offset,
            padding_idx,
        )
    except ValueError as e:
        raise RuntimeError(str(e).replace("has to be 1D", "has to be a 1D")) from None
    bags = ft.zeros_like(offsets)
    if mode == 0:
        return out, offsets.new_empty((0,)), bags, ft.zeros_like(offsets)
    places = ft.arange(indices.numel(), dtype=offsets.dtype)
    bag = find_operator("torch.searchsorted")(offsets.contiguous(), places, right=True) - 1
    counts = ft.ones_like(bag) if padding_idx is None else (indices != padding_idx % weight.shape[0]).to(bag.dtype)
    bags = bags.index_add(0, bag, counts.to(bags.dtype))
    return out, bag.to(offsets.dtype), bags, bags if mode == 1 else _maxima(weight, indices, bag, counts, out)


def _maxima(weight, indices, bag, counts, out):
    """Return the row from which each maximum of a bag comes, the first one of equal ones."""
    rows = weight.detach()[indices]
    bag = bag.clamp(max=max(out.shape[0] - 1, 0))
    hits = (rows == out.detach()[bag]) & (counts > 0).unsqueeze(1)
    none = indices.numel()
    place = ft.where(hits, ft.arange(none).unsqueeze(1), none)
    first = ft.full(tuple(out.shape), none).scatter_reduce(0, bag.unsqueeze(1).expand_as(place), place, "amin")
    return ft.cat([indices, indices.new_zeros(1)])[first]


composite(
    f"embedding_bag({_BAGS}=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, "
    "bool include_last_offset=False) -> (Tensor, Tensor, Tensor, Tensor)",
    "`torch.nn.functional.embedding_bag` (mode 0 sum, 1 mean, 2 max), the bag of each index, how many indices "
    "each bag has, and where maxima are from.",
)(_embedding_bag)
composite(
    f"embedding_bag.padding_idx({_BAGS}, int mode, bool sparse, Tensor? per_sample_weights, "
    "bool include_last_offset, int? padding_idx) -> (Tensor, Tensor, Tensor, Tensor)",
    "The same with an index that does not count.",
)(_embedding_bag)


# --- losses ---------------------------------------------------------------------------------------------------------

# The schemas declare a mean as the default reduction, and torch.ops.aten uses it. PyTorch's functions read the default
# as 0, none.

_forward(
    "binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, "
    "int reduction=0) -> Tensor",
    "binary_cross_entropy_with_logits",
    0,
    1,
    2,
    ("pos_weight", 3),
    ("reduction", 4),
)
_forward(
    "cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=0) -> Tensor",
    "cosine_embedding_loss",
    0,
    1,
    2,
    3,
    ("reduction", 4),
)
_forward(
    "hinge_embedding_loss(Tensor self, Tensor target, float margin=1.0, int reduction=0) -> Tensor",
    "hinge_embedding_loss",
    0,
    1,
    2,
    ("reduction", 3),
)
_forward(
    "kl_div(Tensor self, Tensor target, int reduction=0, *, bool log_target=False) -> Tensor",
    "kl_div",
    0,
    1,
    ("reduction", 2),
    ("log_target", 3),
)
_forward(
    "margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=0) -> Tensor",
    "margin_ranking_loss",
    0,
    1,
    2,
    3,
    ("reduction", 4),
)
_forward(
    "poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor",
    "poisson_nll_loss",
    0,
    1,
    2,
    3,
    ("eps", 4),
    ("reduction", 5),
)
_forward(
    "triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2.0, "
    "float eps=1e-06, bool swap=False, int reduction=0) -> Tensor",
    "triplet_margin_loss",
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    ("reduction", 7),
)
for _lengths, _overload in (("int[]", "IntList"), ("Tensor", "Tensor")):
    _forward(
        f"ctc_loss.{_overload}(Tensor log_probs, Tensor targets, {_lengths} input_lengths, "
        f"{_lengths} target_lengths, int blank=0, int reduction=0, bool zero_infinity=False) -> Tensor",
        "ctc_loss",
        0,
        1,
        2,
        3,
        4,
        ("reduction", 5),
        ("zero_infinity", 6),
    )
