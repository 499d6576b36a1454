"""The names of PyTorch's layout and their targets here: a data module without imports, so that builds can read it.

`_layout` provides modules from it and ``flambeau`` the names of ``torch`` itself, and ``layout_stubs.py`` in the root
of the package writes the stubs for type checkers and editors.
"""

# The part of a dotted name after "torch." -> its module. Longer entries take precedence; the rest of a name is looked
# up below the module of its entry (nn.functional -> flambeau_nn.functional).
TABLE = {
    "autograd": "flambeau_autograd",
    "autograd.profiler": "flambeau.profiler.legacy",
    "autograd.forward_ad": "flambeau_autograd.forward_ad",
    "utils.checkpoint": "flambeau_autograd.checkpoint",
    "distributions": "flambeau_distributions",
    "distributions.utils": "flambeau_distributions.parameters",
    "nn": "flambeau_nn",
    "nn.modules.utils": "flambeau_nn.modules.sizes",
    "optim": "flambeau_nn.optim",
    "optim.adamw": "flambeau_nn.optim.adam",
    "optim._adafactor": "flambeau_nn.optim.adafactor",
    "optim._muon": "flambeau_nn.optim.muon",
    **dict.fromkeys(("optim.adamax", "optim.nadam", "optim.radam"), "flambeau_nn.optim.moments"),
    "overrides": "flambeau_overrides",
    "_overrides": "flambeau_overrides",
    "library": "flambeau_cext.library",
    "ops": "flambeau_cext.ops",
    "classes": "flambeau_cext.classes",
    "distributed": "flambeau_distributed",
    "distributed._tensor": "flambeau_distributed.tensor",
    "futures": "flambeau_distributed.futures",
    "multiprocessing": "flambeau_distributed.multiprocessing",
    "multiprocessing.reductions": "flambeau_distributed.reductions",
    "parallel": "flambeau_distributed.parallel",
    "utils.benchmark.utils": "flambeau.utils.benchmark",
    "utils.benchmark.utils.common": "flambeau.utils.benchmark.measurement",
    "utils._foreach_utils": "flambeau_nn.optim._foreach_utils",
    "utils._python_dispatch": "flambeau_cext.dispatch.python_dispatch",
    "utils.tensorboard.writer": "flambeau.utils.tensorboard",
    "utils.cpp_extension": "flambeau_cext",
    "utils.data": "flambeau_data",
    "utils.dlpack": "flambeau_tensor.dlpack",
    "utils.ffi": "flambeau_cext.ffi",
    "cext": "flambeau_cext",
    "random": "flambeau_tensor.random",
    "return_types": "flambeau_tensor.return_types",
    "linalg": "flambeau_tensor.linalg",
    "fx": "flambeau_fx",
    "masked": "flambeau_tensor.masked",
    "backends.opt_einsum": "flambeau_tensor.contraction_order",
    "fft": "flambeau_tensor.fft",
    "signal": "flambeau_tensor.signal",
    "special": "flambeau_tensor.special",
    "storage": "flambeau_tensor.storage",
    "functional": "flambeau_tensor.functional",
    "serialization": "flambeau_tensor.serialization",
    "_utils": "flambeau_tensor.serialization.rebuilding",
    "profiler.profiler": "flambeau.profiler",
}
# Modules that are files of this package.
OWN = {
    "_C",
    "__config__",
    "__future__",
    "_custom_ops",
    "_dynamo",
    "_functorch",
    "_guards",
    "_higher_order_ops",
    "_inductor",
    "_jit_internal",
    "_logging",
    "_ops",
    "_subclasses",
    "_tensor",
    "_tensor_str",
    "_vmap_internals",
    "accelerator",
    "ao",
    "amp",
    "backends",
    "compiler",
    "cpu",
    "cuda",
    "export",
    "func",
    "hub",
    "jit",
    "mps",
    "mtia",
    "nested",
    "onnx",
    "profiler",
    "quasirandom",
    "sparse",
    "testing",
    "torch_version",
    "types",
    "utils",
    "version",
    "viz",
    "xpu",
}
SUBMODULES = {name for name in TABLE if "." not in name} | OWN
MISSING = {"quantization"}
# Names of ``torch`` itself, and the modules that define them; a module is loaded when one of its names is first used.
NAMES = {
    "__version__": "flambeau.version",
    "vmap": "flambeau_autograd.func",
    "summary": "flambeau.model_summary",
    "compile": "flambeau.compiler",
    "Future": "flambeau_distributed.futures",
    "OutOfMemoryError": "flambeau.cuda",
    "ScriptFunction": "flambeau.jit",
    "ScriptModule": "flambeau.jit",
    "GradScaler": "flambeau.amp",
    **dict.fromkeys(("Event", "Stream", "get_device_module"), "flambeau.streams"),
    **dict.fromkeys(("_assert_async", "cond", "while_loop"), "flambeau.control_flow"),
    **dict.fromkeys(
        """
        _shape_as_tensor SymBool SymFloat SymInt sym_float sym_fresh_size sym_int sym_ite sym_max sym_min sym_not
        sym_sqrt sym_sum
        """.split(),
        "flambeau.symbolic",
    ),
    "DeviceObjType": "flambeau._C",
    "ScriptObject": "flambeau_cext.classes",
    "legacy_contiguous_format": "flambeau_tensor:contiguous_format",
    "set_vital": "flambeau._C",
    "Storage": "flambeau_tensor:FloatStorage",
    "StorageBase": "flambeau_tensor.storage",
    "_VF": "flambeau:torch",
    "spmm": "flambeau:mm",
    "_embedding_bag": "flambeau:embedding_bag",
    "_embedding_bag_forward_only": "flambeau:embedding_bag",
    "_grid_sampler_2d_cpu_fallback": "flambeau:grid_sampler_2d",
    **dict.fromkeys(
        ("_add_relu", "_add_relu_", "_log_softmax", "_masked_softmax", "_softmax"), "flambeau_nn.private_names"
    ),
    "Tag": "flambeau_cext.tags",
    "TensorType": "flambeau._C",
    "PyTorchFileReader": "flambeau_tensor.private_names",
    **dict.fromkeys(
        (
            *(f"_cast_{kind}" for kind in ("Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short")),
            "_has_compatible_shallow_copy_type",
        ),
        "flambeau_tensor.private_names",
    ),
    **dict.fromkeys(
        (
            "_convert_indices_from_coo_to_csr",
            "_convert_indices_from_csr_to_coo",
            "_validate_sparse_compressed_tensor_args",
            "_validate_sparse_coo_tensor_args",
            "dsmm",
            "hsmm",
            "sparse_compressed_tensor",
            "sparse_coo_tensor",
            "sparse_bsc_tensor",
            "sparse_bsr_tensor",
            "sparse_csc_tensor",
            "sparse_csr_tensor",
        ),
        "flambeau.sparse",
    ),
    "autocast": "flambeau.amp.autocast_mode",
    **dict.fromkeys(
        (
            "adaptive_avg_pool1d",
            "avg_pool1d",
            "bilinear",
            "cosine_similarity",
            "hardshrink",
            "pairwise_distance",
            "prelu",
            "threshold",
        ),
        "flambeau_nn.functional",
    ),
    **dict.fromkeys(
        (
            "get_autocast_cpu_dtype",
            "get_autocast_dtype",
            "get_autocast_gpu_dtype",
            "is_autocast_available",
            "is_autocast_cache_enabled",
            "is_autocast_cpu_enabled",
            "is_autocast_enabled",
            "set_autocast_dtype",
        ),
        "flambeau.amp.autocast_mode",
    ),
}
# Names of ``torch`` itself that ``flambeau_autograd`` has.
OF_AUTOGRAD = """
    enable_grad inference_mode is_anomaly_check_nan_enabled is_anomaly_enabled is_grad_enabled is_inference_mode_enabled
    no_grad set_grad_enabled
""".split()
# Functions of ``torch`` itself that ``flambeau_nn`` declares; it is imported when one of them is first used.
FUNCTIONS_OF_NN = frozenset(
    """
_native_batch_norm_legit _weight_norm adaptive_max_pool1d affine_grid_generator alpha_dropout alpha_dropout_ batch_norm
binary_cross_entropy_with_logits celu celu_ channel_shuffle conv1d conv2d conv3d conv_tbc conv_transpose1d
conv_transpose2d conv_transpose3d convolution cosine_embedding_loss ctc_loss dropout dropout_ embedding embedding_bag
embedding_renorm_ feature_alpha_dropout feature_alpha_dropout_ feature_dropout feature_dropout_ grid_sampler
grid_sampler_2d grid_sampler_3d group_norm gru gru_cell hinge_embedding_loss instance_norm kl_div layer_norm lstm
lstm_cell margin_ranking_loss max_pool1d max_pool1d_with_indices max_pool2d max_pool3d native_batch_norm
native_channel_shuffle native_dropout native_group_norm native_layer_norm norm_except_dim pixel_shuffle pixel_unshuffle
poisson_nll_loss rms_norm rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell rrelu rrelu_ selu selu_ threshold_
triplet_margin_loss
""".split()
)
