"""Written by flambeau_nn.stubs: the names that wait for each family of ``LAZY``."""

NAMES = {
    "unpooling": """
torch._C._nn.fractional_pool torch.nn.functional.fractional_max_pool2d
torch.nn.functional.fractional_max_pool2d_with_indices torch.nn.functional.fractional_max_pool3d
torch.nn.functional.fractional_max_pool3d_with_indices torch.nn.functional.max_unpool1d
torch.nn.functional.max_unpool2d torch.nn.functional.max_unpool3d
""",
    "resampling": """
torch._C._nn.col2im torch._C._nn.im2col torch._C._nn.resample torch._C._nn.resample_backward torch._C._nn.sample
torch._C._nn.sample_backward torch.affine_grid_generator torch.channel_shuffle torch.grid_sampler
torch.grid_sampler_2d torch.grid_sampler_3d torch.native_channel_shuffle torch.nn.functional.affine_grid
torch.nn.functional.fold torch.nn.functional.grid_sample torch.nn.functional.interpolate torch.nn.functional.unfold
torch.nn.functional.upsample torch.nn.functional.upsample_bilinear torch.nn.functional.upsample_nearest
torch.pixel_shuffle torch.pixel_unshuffle
""",
    "recurrent": """
torch._C._nn.lstm_layer torch._C._nn.lstm_layer_backward torch._C._nn.rnn_layer torch._C._nn.rnn_layer_backward
torch.gru torch.gru_cell torch.lstm torch.lstm_cell torch.rnn_relu torch.rnn_relu_cell torch.rnn_tanh
torch.rnn_tanh_cell
""",
    "attention": """
torch._C._nn.attention torch._C._nn.attention_backward torch.nn.functional.scaled_dot_product_attention
""",
    "bags": """
torch._C._nn.embedding_bags torch._C._nn.embedding_bags_backward torch.nn.functional.embedding_bag
""",
    "ctc": """
torch._C._nn.ctc_loss torch._C._nn.ctc_loss_backward torch.nn.functional.ctc_loss
""",
    "margins": """
torch._C._nn.multi_margin torch._C._nn.multi_margin_backward torch._C._nn.multilabel_margin
torch._C._nn.multilabel_margin_backward torch.nn.functional.linear_cross_entropy
torch.nn.functional.multi_margin_loss torch.nn.functional.multilabel_margin_loss
torch.nn.functional.multilabel_soft_margin_loss torch.nn.functional.triplet_margin_with_distance_loss
""",
    "native": """
torch._native_batch_norm_legit torch._weight_norm torch.adaptive_max_pool1d torch.alpha_dropout torch.alpha_dropout_
torch.batch_norm torch.binary_cross_entropy_with_logits torch.celu torch.celu_ torch.cosine_embedding_loss
torch.ctc_loss torch.dropout torch.dropout_ torch.embedding torch.embedding_bag torch.embedding_renorm_
torch.feature_alpha_dropout torch.feature_alpha_dropout_ torch.feature_dropout torch.feature_dropout_
torch.group_norm torch.hinge_embedding_loss torch.instance_norm torch.kl_div torch.layer_norm
torch.margin_ranking_loss torch.max_pool1d torch.max_pool1d_with_indices torch.max_pool2d torch.max_pool3d
torch.native_batch_norm torch.native_dropout torch.native_group_norm torch.native_layer_norm torch.norm_except_dim
torch.poisson_nll_loss torch.rms_norm torch.rrelu torch.rrelu_ torch.selu torch.selu_ torch.threshold_
torch.triplet_margin_loss
""",
}
