"""The functions that PyTorch makes not overridable, by namespace; `get_ignored_functions` filters existing ones."""

IGNORED = {
    "torch": """
        arange are_deterministic_algorithms_enabled as_strided as_tensor asarray bartlett_window blackman_window
        can_cast compile cond device dtype empty empty_permuted empty_strided enable_grad eye fill finfo
        from_file from_numpy frombuffer full get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype
        get_default_device get_default_dtype get_deterministic_debug_mode get_device_module
        get_float32_matmul_precision get_num_interop_threads get_num_threads get_rng_state hamming_window
        hann_window iinfo inference_mode initial_seed is_anomaly_check_nan_enabled is_anomaly_enabled
        is_autocast_cache_enabled is_autocast_cpu_enabled is_autocast_enabled
        is_deterministic_algorithms_warn_only_enabled is_grad_enabled is_inference_mode_enabled is_storage
        is_tensor is_warn_always_enabled kaiser_window layout linspace load logspace manual_seed memory_format
        no_grad normal ones promote_types rand rand_like randint randint_like randn randn_like randperm range
        result_type save scalar_tensor seed set_anomaly_enabled set_autocast_dtype set_default_device
        set_default_tensor_type set_deterministic_debug_mode set_float32_matmul_precision set_flush_denormal
        set_grad_enabled set_num_interop_threads set_num_threads set_printoptions set_rng_state set_warn_always
        sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor sym_fresh_size tensor
        tril_indices triu_indices typename use_deterministic_algorithms vander vmap zeros
        """,
    "torch.functional": "broadcast_shapes",
    "torch.nn.functional": "hardsigmoid hardswish sigmoid tanh upsample upsample_bilinear upsample_nearest",
    "torch.nn.init": """
        calculate_gain constant dirac eye kaiming_normal kaiming_uniform normal orthogonal sparse uniform
        xavier_normal xavier_uniform
        """,
    "torch.Tensor": """
        __class__ __delattr__ __delitem__ __dir__ __getattribute__ __hash__ __init__ __init_subclass__ __iter__
        __new__ __setattr__ __subclasshook__ __torch_dispatch__ __torch_function__ _make_subclass
        _make_wrapper_subclass _neg_view as_subclass new new_empty new_empty_strided new_full new_ones
        new_tensor new_zeros stride unflatten
        """,
    "torch.export": "export load register_dataclass save",
}
