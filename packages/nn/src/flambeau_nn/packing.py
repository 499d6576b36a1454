"""The arguments that ``__torch_function__`` handlers receive from `torch.nn.functional`.

In PyTorch, these functions are Python code; see `flambeau_tensor.packing`.
"""

from flambeau_tensor.packing import apply

_REDUCED = "size_average=None reduce=None reduction='mean'"
_SOFTMAX = "input! * dim=None _stacklevel=3 dtype=None"
_POOL = "input! kernel_size * stride=None padding=0 dilation=1 ceil_mode=False return_indices=False"
_ADAPTIVE_MAX = "input! output_size * return_indices=False"
_DROPOUT = "input! * p=0.5 training=True inplace=False"
FUNCTIONAL = {
    "softmax": _SOFTMAX,
    "softmin": _SOFTMAX,
    "log_softmax": _SOFTMAX,
    "gumbel_softmax": "logits! * tau=1 hard=False eps=1e-10 dim=-1",
    "max_pool1d": _POOL,
    "max_pool2d": _POOL,
    "max_pool3d": _POOL,
    "lp_pool1d": "input! norm_type kernel_size * stride=None ceil_mode=False",
    "lp_pool2d": "input! norm_type kernel_size * stride=None ceil_mode=False",
    "lp_pool3d": "input! norm_type kernel_size * stride=None ceil_mode=False",
    "adaptive_max_pool1d": _ADAPTIVE_MAX,
    "adaptive_max_pool2d": _ADAPTIVE_MAX,
    "adaptive_max_pool3d": _ADAPTIVE_MAX,
    "adaptive_avg_pool2d": "input! output_size",
    "adaptive_avg_pool3d": "input! output_size",
    "dropout": _DROPOUT,
    "dropout1d": _DROPOUT,
    "dropout2d": _DROPOUT,
    "dropout3d": _DROPOUT,
    "alpha_dropout": "input! * p=0.5 training=False inplace=False",
    "feature_alpha_dropout": "input! * p=0.5 training=False inplace=False",
    "threshold": "input! threshold value * inplace=False",
    "relu": "input! * inplace=False",
    "relu6": "input! * inplace=False",
    "selu": "input! * inplace=False",
    "hardsigmoid": "input! * inplace=False",
    "silu": "input! * inplace=False",
    "mish": "input! * inplace=False",
    "hardswish": "input! * inplace=False",
    "glu": "input! * dim=-1",
    "hardtanh": "input! * min_val=-1.0 max_val=1.0 inplace=False",
    "elu": "input! * alpha=1.0 inplace=False",
    "celu": "input! * alpha=1.0 inplace=False",
    "leaky_relu": "input! * negative_slope=0.01 inplace=False",
    "rrelu": "input! * lower=0.125 upper=0.3333333333333333 training=False inplace=False",
    "tanhshrink": "input!",
    "softsign": "input!",
    "embedding": "input! weight! * padding_idx=None max_norm=None norm_type=2.0 scale_grad_by_freq=False sparse=False",
    "batch_norm": "input! running_mean! running_var! * weight!=None bias!=None training=False momentum=0.1 eps=1e-05",
    "instance_norm": "input! * running_mean!=None running_var!=None weight!=None bias!=None use_input_stats=True "
    "momentum=0.1 eps=1e-05",
    "layer_norm": "input! normalized_shape * weight!=None bias!=None eps=1e-05",
    "rms_norm": "input! normalized_shape * weight!=None eps=None",
    "group_norm": "input! num_groups * weight!=None bias!=None eps=1e-05",
    "local_response_norm": "input! size * alpha=0.0001 beta=0.75 k=1.0",
    "normalize": "input! * p=2.0 dim=1 eps=1e-12 out!=None",
    "pad": "input! pad * mode='constant' value=None",
    "nll_loss": "input! target! * weight!=None size_average=None ignore_index=-100 reduce=None reduction='mean'",
    "cross_entropy": "input! target! * weight!=None size_average=None ignore_index=-100 reduce=None reduction='mean' "
    "label_smoothing=0.0",
    "poisson_nll_loss": "input! target! * log_input=True full=False size_average=None eps=1e-08 reduce=None "
    "reduction='mean'",
    "gaussian_nll_loss": "input! target! var! * full=False eps=1e-06 reduction='mean'",
    "kl_div": f"input! target! * {_REDUCED} log_target=False",
    "binary_cross_entropy": f"input! target! * weight!=None {_REDUCED}",
    "binary_cross_entropy_with_logits": f"input! target! * weight!=None {_REDUCED} pos_weight!=None",
    "smooth_l1_loss": f"input! target! * {_REDUCED} beta=1.0",
    "huber_loss": "input! target! * reduction='mean' delta=1.0 weight!=None",
    "l1_loss": f"input! target! * {_REDUCED} [weight!=None]",
    "mse_loss": f"input! target! * {_REDUCED} weight!=None",
    "margin_ranking_loss": f"input1! input2! target! * margin=0 {_REDUCED}",
    "hinge_embedding_loss": f"input! target! * margin=1.0 {_REDUCED}",
    "soft_margin_loss": f"input! target! * {_REDUCED}",
    "cosine_embedding_loss": f"input1! input2! target! * margin=0 {_REDUCED}",
    "triplet_margin_loss": f"anchor! positive! negative! * margin=1.0 p=2 eps=1e-06 swap=False {_REDUCED}",
}

apply("torch.nn.functional", FUNCTIONAL)
