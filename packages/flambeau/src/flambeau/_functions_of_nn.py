"""Written by flambeau.stubs: functions of ``torch`` itself that ``flambeau_nn`` declares, which is imported when one
of them is first used."""

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
