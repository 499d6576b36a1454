"""Written by flambeau_tensor.stubs: the names that wait for each family of ``LAZY``."""

NAMES = {
    "linear_algebra": """
torch.Tensor.cholesky torch.Tensor.cholesky_inverse torch.Tensor.cholesky_solve torch.Tensor.det torch.Tensor.geqrf
torch.Tensor.inverse torch.Tensor.logdet torch.Tensor.lu torch.Tensor.lu_solve torch.Tensor.matrix_exp
torch.Tensor.matrix_power torch.Tensor.orgqr torch.Tensor.ormqr torch.Tensor.pinverse torch.Tensor.qr
torch.Tensor.slogdet torch.Tensor.svd torch.Tensor.triangular_solve torch._linalg_det torch._linalg_eigh
torch._linalg_slogdet torch._linalg_solve_ex torch._linalg_svd torch._ops._least_squares torch._ops._permutation
torch._ops._pinv torch.cholesky torch.cholesky_inverse torch.cholesky_solve torch.det torch.geqrf torch.inverse
torch.linalg.cholesky torch.linalg.cholesky_ex torch.linalg.cond torch.linalg.det torch.linalg.diagonal
torch.linalg.eig torch.linalg.eigh torch.linalg.eigvals torch.linalg.eigvalsh torch.linalg.householder_product
torch.linalg.inv torch.linalg.inv_ex torch.linalg.ldl_factor torch.linalg.ldl_factor_ex torch.linalg.ldl_solve
torch.linalg.lstsq torch.linalg.lu torch.linalg.lu_factor torch.linalg.lu_factor_ex torch.linalg.lu_solve
torch.linalg.matmul torch.linalg.matrix_exp torch.linalg.matrix_norm torch.linalg.matrix_power
torch.linalg.matrix_rank torch.linalg.norm torch.linalg.pinv torch.linalg.qr torch.linalg.slogdet torch.linalg.solve
torch.linalg.solve_ex torch.linalg.solve_triangular torch.linalg.svd torch.linalg.svdvals torch.linalg.tensorinv
torch.linalg.tensorsolve torch.linalg.vander torch.lobpcg torch.logdet torch.lu torch.lu_solve torch.lu_unpack
torch.matrix_exp torch.matrix_power torch.orgqr torch.ormqr torch.pca_lowrank torch.pinverse torch.qr torch.slogdet
torch.svd torch.svd_lowrank torch.triangular_solve torch.vander
""",
    "fft": """
torch._fft_c2c torch._fft_c2r torch._fft_r2c torch.fft.fft torch.fft.fft2 torch.fft.fftfreq torch.fft.fftn
torch.fft.fftshift torch.fft.hfft torch.fft.hfft2 torch.fft.hfftn torch.fft.ifft torch.fft.ifft2 torch.fft.ifftn
torch.fft.ifftshift torch.fft.ihfft torch.fft.ihfft2 torch.fft.ihfftn torch.fft.irfft torch.fft.irfft2
torch.fft.irfftn torch.fft.rfft torch.fft.rfft2 torch.fft.rfftfreq torch.fft.rfftn
""",
    "signal": """
torch.Tensor.istft torch.Tensor.stft torch._ops.bartlett_window torch._ops.blackman_window torch._ops.hamming_window
torch._ops.hann_window torch._ops.kaiser_window torch.bartlett_window torch.blackman_window torch.hamming_window
torch.hann_window torch.istft torch.kaiser_window torch.stft
""",
    "special": """
torch.Tensor.i0 torch.Tensor.i0_ torch.Tensor.igamma torch.Tensor.igamma_ torch.Tensor.igammac torch.Tensor.igammac_
torch.Tensor.mvlgamma torch.Tensor.mvlgamma_ torch.i0 torch.i0_ torch.igamma torch.igammac torch.mvlgamma
torch.special.airy_ai torch.special.bessel_j0 torch.special.bessel_j1 torch.special.bessel_y0
torch.special.bessel_y1 torch.special.chebyshev_polynomial_t torch.special.chebyshev_polynomial_u
torch.special.chebyshev_polynomial_v torch.special.chebyshev_polynomial_w torch.special.digamma torch.special.entr
torch.special.erf torch.special.erfc torch.special.erfcx torch.special.erfinv torch.special.exp2 torch.special.expit
torch.special.expm1 torch.special.gammainc torch.special.gammaincc torch.special.gammaln
torch.special.hermite_polynomial_h torch.special.hermite_polynomial_he torch.special.i0 torch.special.i0e
torch.special.i1 torch.special.i1e torch.special.laguerre_polynomial_l torch.special.legendre_polynomial_p
torch.special.log1p torch.special.log_ndtr torch.special.log_softmax torch.special.logit torch.special.logsumexp
torch.special.modified_bessel_i0 torch.special.modified_bessel_i1 torch.special.modified_bessel_k0
torch.special.modified_bessel_k1 torch.special.multigammaln torch.special.ndtr torch.special.ndtri
torch.special.polygamma torch.special.psi torch.special.round torch.special.scaled_modified_bessel_k0
torch.special.scaled_modified_bessel_k1 torch.special.shifted_chebyshev_polynomial_t
torch.special.shifted_chebyshev_polynomial_u torch.special.shifted_chebyshev_polynomial_v
torch.special.shifted_chebyshev_polynomial_w torch.special.sinc torch.special.softmax
torch.special.spherical_bessel_j0 torch.special.xlog1py torch.special.xlogy torch.special.zeta
""",
    "storages": """
torch.Tensor._typed_storage torch.Tensor.resize torch.Tensor.resize_ torch.Tensor.resize_as torch.Tensor.resize_as_
torch.Tensor.set_ torch.Tensor.share_memory_ torch.Tensor.storage torch.Tensor.storage_type torch.from_file
torch.resize_as_
""",
    "sampling": """
torch._dirichlet_grad torch._sample_dirichlet torch._standard_gamma torch._standard_gamma_grad torch.binomial
""",
    "calculus": """
torch.cumulative_trapezoid torch.gradient torch.trapezoid torch.trapz
""",
    "decompositions": """
torch._addmm_activation torch._chunk_cat torch._compute_linear_combination torch._safe_softmax
torch._softmax_backward_data torch._unsafe_masked_index torch._unsafe_masked_index_put_accumulate
torch.constant_pad_nd
""",
    "distances": """
torch._ops.cdist torch._ops.euclidean_dist torch.cdist torch.pdist
""",
    "lookup": """
torch.Tensor.hash_tensor torch.Tensor.nonzero_static torch.hash_tensor torch.isin torch.nonzero_static
torch.unravel_index
""",
    "segments": """
torch._segment_reduce torch.segment_reduce
""",
    "statistics": """
torch.Tensor.corrcoef torch.Tensor.cov torch.Tensor.histogram torch._ops.histogram_counts torch._ops.histogram_edges
torch.corrcoef torch.cov torch.histogram torch.histogramdd
""",
    "foreach": """
torch._foreach_abs torch._foreach_abs_ torch._foreach_acos torch._foreach_acos_ torch._foreach_add
torch._foreach_add_ torch._foreach_addcdiv torch._foreach_addcdiv_ torch._foreach_addcmul torch._foreach_addcmul_
torch._foreach_asin torch._foreach_asin_ torch._foreach_atan torch._foreach_atan_ torch._foreach_ceil
torch._foreach_ceil_ torch._foreach_clamp_max torch._foreach_clamp_max_ torch._foreach_clamp_min
torch._foreach_clamp_min_ torch._foreach_clone torch._foreach_copy_ torch._foreach_cos torch._foreach_cos_
torch._foreach_cosh torch._foreach_cosh_ torch._foreach_div torch._foreach_div_ torch._foreach_erf
torch._foreach_erf_ torch._foreach_erfc torch._foreach_erfc_ torch._foreach_exp torch._foreach_exp_
torch._foreach_expm1 torch._foreach_expm1_ torch._foreach_floor torch._foreach_floor_ torch._foreach_frac
torch._foreach_frac_ torch._foreach_lerp torch._foreach_lerp_ torch._foreach_lgamma torch._foreach_lgamma_
torch._foreach_log torch._foreach_log10 torch._foreach_log10_ torch._foreach_log1p torch._foreach_log1p_
torch._foreach_log2 torch._foreach_log2_ torch._foreach_log_ torch._foreach_max torch._foreach_maximum
torch._foreach_maximum_ torch._foreach_minimum torch._foreach_minimum_ torch._foreach_mm torch._foreach_mul
torch._foreach_mul_ torch._foreach_neg torch._foreach_neg_ torch._foreach_norm torch._foreach_pow
torch._foreach_pow_ torch._foreach_powsum torch._foreach_reciprocal torch._foreach_reciprocal_ torch._foreach_round
torch._foreach_round_ torch._foreach_rsqrt torch._foreach_rsqrt_ torch._foreach_sigmoid torch._foreach_sigmoid_
torch._foreach_sign torch._foreach_sign_ torch._foreach_sin torch._foreach_sin_ torch._foreach_sinh
torch._foreach_sinh_ torch._foreach_sqrt torch._foreach_sqrt_ torch._foreach_sub torch._foreach_sub_
torch._foreach_tan torch._foreach_tan_ torch._foreach_tanh torch._foreach_tanh_ torch._foreach_trunc
torch._foreach_trunc_ torch._foreach_zero_
""",
    "dimension_order": """
torch.Tensor.dim_order
""",
    "placement": """
torch.Tensor.is_distributed torch.Tensor.is_same_size torch.Tensor.pin_memory torch.is_distributed
torch.is_same_size
""",
    "random": """
torch.Tensor.bernoulli torch.Tensor.bernoulli_ torch.Tensor.cauchy_ torch.Tensor.exponential_
torch.Tensor.geometric_ torch.Tensor.log_normal_ torch.Tensor.multinomial torch.Tensor.normal_ torch.Tensor.random_
torch.Tensor.uniform_ torch._ops.bernoulli torch.bernoulli torch.multinomial torch.normal torch.poisson torch.rand
torch.rand_like torch.randint torch.randint_like torch.randn torch.randn_like torch.randperm
""",
    "rearranging": """
torch.Tensor.diag torch.Tensor.diag_embed torch.Tensor.diagflat torch.Tensor.flip torch.Tensor.fliplr
torch.Tensor.flipud torch.Tensor.repeat torch.Tensor.repeat_interleave torch.Tensor.roll torch.Tensor.rot90
torch.Tensor.tile torch.Tensor.trace torch.Tensor.tril torch.Tensor.tril_ torch.Tensor.triu torch.Tensor.triu_
torch._ops.repeated torch.diag torch.diag_embed torch.diagflat torch.flip torch.fliplr torch.flipud
torch.repeat_interleave torch.roll torch.rot90 torch.tile torch.trace torch.tril torch.tril_indices torch.triu
torch.triu_indices
""",
    "cumulative": """
torch.Tensor.cummax torch.Tensor.cummin torch.Tensor.cumprod torch.Tensor.cumprod_ torch.Tensor.cumsum
torch.Tensor.cumsum_ torch.Tensor.diff torch.Tensor.logcumsumexp torch._ops.logcumsumexp_shares torch.cummax
torch.cummin torch.cumprod torch.cumsum torch.diff torch.logcumsumexp
""",
    "sorting": """
torch.Tensor.argsort torch.Tensor.bincount torch.Tensor.histc torch.Tensor.kthvalue torch.Tensor.median
torch.Tensor.mode torch.Tensor.msort torch.Tensor.nanmedian torch.Tensor.nanquantile torch.Tensor.quantile
torch.Tensor.sort torch.Tensor.topk torch.Tensor.unique torch.Tensor.unique_consecutive torch._ops.unique
torch._ops.unique_consecutive torch._unique torch._unique2 torch.argsort torch.bincount torch.bucketize torch.histc
torch.kthvalue torch.median torch.mode torch.msort torch.nanmedian torch.nanquantile torch.quantile
torch.searchsorted torch.sort torch.topk torch.unique torch.unique_consecutive
""",
    "copies": """
torch.Tensor.narrow_copy torch.alias_copy torch.as_strided_copy torch.diagonal_copy torch.expand_copy
torch.narrow_copy torch.permute_copy torch.select_copy torch.slice_copy torch.split_copy torch.split_with_sizes_copy
torch.squeeze_copy torch.t_copy torch.transpose_copy torch.unbind_copy torch.unfold_copy torch.unsqueeze_copy
torch.view_as_complex_copy torch.view_as_real_copy torch.view_copy
""",
}
