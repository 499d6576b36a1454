/* The modules of torch::nn that extensions use; using the others is an error at compile time. */
#pragma once

#include <torch/nn/functional.h>
#include <torch/nn/init.h>
#include <torch/nn/module.h>

namespace torch {
namespace nn {

class IdentityImpl : public Cloneable<IdentityImpl> {
  public:
    void reset() override {}
    void pretty_print(std::ostream &out) const override { out << "torch::nn::Identity()"; }
    Tensor forward(const Tensor &x) { return x; }
};
TORCH_MODULE(Identity);

/* --- Modules with parameters --------------------------------------------------------------------------------------- */

class LinearImpl : public Cloneable<LinearImpl> {
  public:
    LinearImpl(int64_t in, int64_t out) : LinearImpl(LinearOptions(in, out)) {}
    explicit LinearImpl(const LinearOptions &given) : options(given) { LinearImpl::reset(); }
    void reset() override {
        weight = register_parameter("weight", torch::empty({options.out_features(), options.in_features()}));
        bias = register_parameter("bias", options.bias() ? torch::empty({options.out_features()}) : Tensor(),
                                  options.bias());
        reset_parameters();
    }
    void reset_parameters() {
        init::kaiming_uniform_(weight, std::sqrt(5.0));
        double bound = 1 / std::sqrt(double(options.in_features()));
        if (bias.defined()) init::uniform_(bias, -bound, bound);
    }
    void pretty_print(std::ostream &out) const override {
        out << "torch::nn::Linear(in_features=" << options.in_features() << ", out_features=" << options.out_features()
            << ", bias=" << (options.bias() ? "true" : "false") << ")";
    }
    Tensor forward(const Tensor &x) { return functional::linear(x, weight, bias); }

    LinearOptions options;
    Tensor weight, bias;
};
TORCH_MODULE(Linear);

class BilinearImpl : public Cloneable<BilinearImpl> {
  public:
    BilinearImpl(int64_t in1, int64_t in2, int64_t out) : BilinearImpl(BilinearOptions(in1, in2, out)) {}
    explicit BilinearImpl(const BilinearOptions &given) : options(given) { BilinearImpl::reset(); }
    void reset() override {
        double bound = 1 / std::sqrt(double(options.in1_features()));
        weight = register_parameter(
            "weight", torch::empty({options.out_features(), options.in1_features(), options.in2_features()}));
        bias = register_parameter("bias", options.bias() ? torch::empty(options.out_features()) : Tensor(),
                                  options.bias());
        init::uniform_(weight, -bound, bound);
        if (bias.defined()) init::uniform_(bias, -bound, bound);
    }
    void pretty_print(std::ostream &out) const override {
        out << "torch::nn::Bilinear(in1_features=" << options.in1_features() << ", in2_features="
            << options.in2_features() << ", out_features=" << options.out_features() << ")";
    }
    Tensor forward(const Tensor &x, const Tensor &y) { return functional::bilinear(x, y, weight, bias); }

    BilinearOptions options;
    Tensor weight, bias;
};
TORCH_MODULE(Bilinear);

class EmbeddingImpl : public Cloneable<EmbeddingImpl> {
  public:
    EmbeddingImpl(int64_t count, int64_t size) : EmbeddingImpl(EmbeddingOptions(count, size)) {}
    explicit EmbeddingImpl(const EmbeddingOptions &given) : options(given) { EmbeddingImpl::reset(); }
    void reset() override {
        weight = register_parameter("weight", torch::empty({options.num_embeddings(), options.embedding_dim()}));
        init::normal_(weight);
        NoGradGuard no_grad;
        if (options.padding_idx()) weight[*options.padding_idx()].fill_(0);
    }
    void pretty_print(std::ostream &out) const override {
        out << "torch::nn::Embedding(num_embeddings=" << options.num_embeddings()
            << ", embedding_dim=" << options.embedding_dim() << ")";
    }
    Tensor forward(const Tensor &indices) {
        return functional::embedding(indices, weight,
                                     functional::EmbeddingFuncOptions().padding_idx(options.padding_idx()));
    }

    EmbeddingOptions options;
    Tensor weight;
};
TORCH_MODULE(Embedding);

/* Common base of Conv and ConvTranspose: weights for groups of channels, and their initialization. */
template <size_t D, class Options, class Derived> class ConvNdImpl : public Cloneable<Derived> {
  public:
    ConvNdImpl(int64_t in, int64_t out, ExpandingArray<D> kernel) : ConvNdImpl(Options(in, out, kernel)) {}
    explicit ConvNdImpl(const Options &given) : options(given) { ConvNdImpl::reset(); }
    void reset() override {
        constexpr bool transposed = std::is_same_v<Options, ConvTransposeOptions<D>>;
        TORCH_CHECK(options.in_channels() % options.groups() == 0, "in_channels must be divisible by groups");
        TORCH_CHECK(options.out_channels() % options.groups() == 0, "out_channels must be divisible by groups");
        std::vector<int64_t> sizes{options.out_channels(), options.in_channels() / options.groups()};
        if (transposed) sizes = {options.in_channels(), options.out_channels() / options.groups()};
        sizes.insert(sizes.end(), options.kernel_size()->begin(), options.kernel_size()->end());
        weight = this->register_parameter("weight", torch::empty(sizes));
        bias = this->register_parameter("bias", options.bias() ? torch::empty({options.out_channels()}) : Tensor(),
                                        options.bias());
        init::kaiming_uniform_(weight, std::sqrt(5.0));
        double bound = 1 / std::sqrt(double(std::get<0>(init::_calculate_fan_in_and_fan_out(weight))));
        if (bias.defined()) init::uniform_(bias, -bound, bound);
    }
    void pretty_print(std::ostream &out) const override {
        out << "torch::nn::" << Derived::word << D << "d(" << options.in_channels() << ", " << options.out_channels()
            << ", kernel_size=" << at::IntArrayRef(options.kernel_size()) << ", stride="
            << at::IntArrayRef(options.stride()) << ")";
    }

    Options options;
    Tensor weight, bias;
};
/* Other padding modes pad before the convolution, which then pads no more. */
template <size_t D> std::vector<int64_t> padding_both_sides(const ExpandingArray<D> &padding) {
    std::vector<int64_t> both;
    for (size_t d = D; d-- > 0;) both.insert(both.end(), 2, (*padding)[d]);
    return both;
}

#define FL_CONVOLUTION(D)                                                                                              \
    class Conv##D##dImpl : public ConvNdImpl<D, ConvOptions<D>, Conv##D##dImpl> {                                      \
      public:                                                                                                          \
        static constexpr const char *word = "Conv";                                                                    \
        using ConvNdImpl::ConvNdImpl;                                                                                  \
        Tensor forward(const Tensor &x) {                                                                              \
            auto o = functional::ConvFuncOptions<D>().bias(bias).stride(options.stride()).padding(options.padding());  \
            o.dilation(options.dilation()).groups(options.groups());                                                   \
            if (options.padding_mode() == kZeros) return functional::conv##D##d(x, weight, o);                         \
            TORCH_CHECK(!options.padding().word, "padding by a word needs padding_mode torch::kZeros");                \
            auto wide = functional::PadFuncOptions(padding_both_sides<D>(options.padding().numbers));                  \
            return functional::conv##D##d(functional::pad(x, wide.mode(options.padding_mode())), weight, o.padding(0)); \
        }                                                                                                              \
    };                                                                                                                 \
    TORCH_MODULE(Conv##D##d);                                                                                          \
    class ConvTranspose##D##dImpl : public ConvNdImpl<D, ConvTransposeOptions<D>, ConvTranspose##D##dImpl> {           \
      public:                                                                                                          \
        static constexpr const char *word = "ConvTranspose";                                                           \
        using ConvNdImpl::ConvNdImpl;                                                                                  \
        Tensor forward(const Tensor &x) {                                                                              \
            return at::conv_transpose##D##d(x, weight, bias, options.stride(), options.padding(),                      \
                                            options.output_padding(), options.groups(), options.dilation());           \
        }                                                                                                              \
    };                                                                                                                 \
    TORCH_MODULE(ConvTranspose##D##d);
FL_CONVOLUTION(1)
FL_CONVOLUTION(2)
FL_CONVOLUTION(3)
#undef FL_CONVOLUTION

/* Common base of BatchNorm and InstanceNorm, which checks the number of dimensions including the batch. */
template <class Options, class Derived> class NormImplBase : public Cloneable<Derived> {
  public:
    explicit NormImplBase(int64_t features) : NormImplBase(Options(features)) {}
    explicit NormImplBase(const Options &given) : options(given) { NormImplBase::reset(); }
    void reset() override {
        int64_t n = options.num_features();
        weight = this->register_parameter("weight", options.affine() ? torch::ones({n}) : Tensor(), options.affine());
        bias = this->register_parameter("bias", options.affine() ? torch::zeros({n}) : Tensor(), options.affine());
        if (!options.track_running_stats()) return;
        running_mean = this->register_buffer("running_mean", torch::zeros({n}));
        running_var = this->register_buffer("running_var", torch::ones({n}));
        num_batches_tracked = this->register_buffer("num_batches_tracked", torch::zeros({}, torch::kLong));
    }
    void pretty_print(std::ostream &out) const override {
        out << "torch::nn::" << Derived::word << "(" << options.num_features() << ", eps=" << options.eps() << ")";
    }

    Options options;
    Tensor weight, bias, running_mean, running_var, num_batches_tracked;
};
#define FL_NORMALIZATION(D, most)                                                                                      \
    class BatchNorm##D##dImpl : public NormImplBase<BatchNormOptions, BatchNorm##D##dImpl> {                           \
      public:                                                                                                          \
        static constexpr const char *word = "BatchNorm" #D "d";                                                        \
        using NormImplBase::NormImplBase;                                                                              \
        Tensor forward(const Tensor &x) {                                                                              \
            TORCH_CHECK(x.dim() == most || (D == 1 && x.dim() == 2), "expected ", D == 1 ? "2D or " : "", most,        \
                        "D input (got ", x.dim(), "D input)");                                                         \
            const bool tracks = running_mean.defined(), batch = is_training() || !tracks;                              \
            double momentum = options.momentum().value_or(0.0);                                                        \
            if (is_training() && tracks) {                                                                             \
                num_batches_tracked.add_(1);                                                                           \
                if (!options.momentum()) momentum = 1.0 / double(num_batches_tracked.item<int64_t>());                 \
            }                                                                                                          \
            return at::batch_norm(x, weight, bias, running_mean, running_var, batch, momentum, options.eps(), false);  \
        }                                                                                                              \
    };                                                                                                                 \
    TORCH_MODULE(BatchNorm##D##d);                                                                                     \
    class InstanceNorm##D##dImpl : public NormImplBase<InstanceNormOptions, InstanceNorm##D##dImpl> {                  \
      public:                                                                                                          \
        static constexpr const char *word = "InstanceNorm" #D "d";                                                     \
        using NormImplBase::NormImplBase;                                                                              \
        Tensor forward(const Tensor &x) {                                                                              \
            return at::instance_norm(x, weight, bias, running_mean, running_var,                                       \
                                     is_training() || !options.track_running_stats(), options.momentum(),              \
                                     options.eps(), false);                                                            \
        }                                                                                                              \
    };                                                                                                                 \
    TORCH_MODULE(InstanceNorm##D##d);
FL_NORMALIZATION(1, 3)
FL_NORMALIZATION(2, 4)
FL_NORMALIZATION(3, 5)
#undef FL_NORMALIZATION

class LayerNormImpl : public Cloneable<LayerNormImpl> {
  public:
    LayerNormImpl(std::vector<int64_t> shape) : LayerNormImpl(LayerNormOptions(std::move(shape))) {}
    explicit LayerNormImpl(const LayerNormOptions &given) : options(given) { LayerNormImpl::reset(); }
    void reset() override {
        const bool affine = options.elementwise_affine();
        weight = register_parameter("weight", affine ? torch::ones(options.normalized_shape()) : Tensor(), affine);
        bias = register_parameter("bias", affine ? torch::zeros(options.normalized_shape()) : Tensor(), affine);
    }
    void pretty_print(std::ostream &out) const override {
        out << "torch::nn::LayerNorm(" << at::IntArrayRef(options.normalized_shape()) << ", eps=" << options.eps() << ")";
    }
    Tensor forward(const Tensor &x) {
        return at::layer_norm(x, options.normalized_shape(), weight, bias, options.eps());
    }

    LayerNormOptions options;
    Tensor weight, bias;
};
TORCH_MODULE(LayerNorm);

class GroupNormImpl : public Cloneable<GroupNormImpl> {
  public:
    GroupNormImpl(int64_t groups, int64_t channels) : GroupNormImpl(GroupNormOptions(groups, channels)) {}
    explicit GroupNormImpl(const GroupNormOptions &given) : options(given) { GroupNormImpl::reset(); }
    void reset() override {
        const bool affine = options.affine();
        weight = register_parameter("weight", affine ? torch::ones({options.num_channels()}) : Tensor(), affine);
        bias = register_parameter("bias", affine ? torch::zeros({options.num_channels()}) : Tensor(), affine);
    }
    void pretty_print(std::ostream &out) const override {
        out << "torch::nn::GroupNorm(" << options.num_groups() << ", " << options.num_channels() << ")";
    }
    Tensor forward(const Tensor &x) { return at::group_norm(x, options.num_groups(), weight, bias, options.eps()); }

    GroupNormOptions options;
    Tensor weight, bias;
};
TORCH_MODULE(GroupNorm);

class PReLUImpl : public Cloneable<PReLUImpl> {
  public:
    explicit PReLUImpl(const PReLUOptions &given = {}) : options(given) { PReLUImpl::reset(); }
    void reset() override {
        weight = register_parameter("weight", torch::full({options.num_parameters()}, options.init()));
    }
    void pretty_print(std::ostream &out) const override { out << "torch::nn::PReLU()"; }
    Tensor forward(const Tensor &x) { return at::prelu(x, weight); }

    PReLUOptions options;
    Tensor weight;
};
TORCH_MODULE(PReLU);

/* --- Modules that consist of a function and its options
 * ---------------------------------------------------------------- */

#define FL_MODULE(Name, Options, takes, result)                                                                        \
    class Name##Impl : public Cloneable<Name##Impl> {                                                                  \
      public:                                                                                                          \
        Name##Impl(const Options &given) : options(given) {}                                                           \
        void reset() override {}                                                                                       \
        void pretty_print(std::ostream &out) const override { out << "torch::nn::" #Name "()"; }                       \
        Tensor forward takes { return result; }                                                                        \
        Options options;                                                                                               \
    };                                                                                                                 \
    TORCH_MODULE(Name);
#define FL_FUNCTION(Name, Options, f) FL_MODULE(Name, Options, (const Tensor &x), functional::f(x, options))
/* Modules whose options all have defaults. */
#define FL_USUAL(Name, Options, takes, result)                                                                         \
    class Name##Impl : public Cloneable<Name##Impl> {                                                                  \
      public:                                                                                                          \
        explicit Name##Impl(const Options &given = {}) : options(given) {}                                             \
        void reset() override {}                                                                                       \
        void pretty_print(std::ostream &out) const override { out << "torch::nn::" #Name "()"; }                       \
        Tensor forward takes { return result; }                                                                        \
        Options options;                                                                                               \
    };                                                                                                                 \
    TORCH_MODULE(Name);
#define FL_ACTIVATION(Name, Options, f) FL_USUAL(Name, Options, (const Tensor &x), functional::f(x, options))
#define FL_LOSS(Name, f)                                                                                               \
    FL_USUAL(Name, Name##Options, (const Tensor &x, const Tensor &target), functional::f(x, target, options))

FL_ACTIVATION(ReLU, ReLUOptions, relu)
FL_ACTIVATION(ReLU6, ReLU6Options, relu6)
FL_ACTIVATION(SELU, SELUOptions, selu)
FL_ACTIVATION(LeakyReLU, LeakyReLUOptions, leaky_relu)
FL_ACTIVATION(ELU, ELUOptions, elu)
FL_ACTIVATION(CELU, CELUOptions, celu)
FL_ACTIVATION(GELU, GELUOptions, gelu)
FL_ACTIVATION(Hardtanh, HardtanhOptions, hardtanh)
FL_ACTIVATION(Softplus, SoftplusOptions, softplus)
FL_ACTIVATION(GLU, GLUOptions, glu)
FL_MODULE(Softmax, SoftmaxOptions, (const Tensor &x), functional::softmax(x, options.dim()))
FL_MODULE(LogSoftmax, SoftmaxOptions, (const Tensor &x), functional::log_softmax(x, options.dim()))
struct NoOptions {};
FL_USUAL(SiLU, NoOptions, (const Tensor &x), at::silu(x))
FL_USUAL(Mish, NoOptions, (const Tensor &x), at::mish(x))
FL_USUAL(Sigmoid, NoOptions, (const Tensor &x), at::sigmoid(x))
FL_USUAL(Tanh, NoOptions, (const Tensor &x), at::tanh(x))
FL_USUAL(LogSigmoid, NoOptions, (const Tensor &x), at::log_sigmoid(x))
FL_USUAL(Softsign, NoOptions, (const Tensor &x), functional::softsign(x))
FL_USUAL(Tanhshrink, NoOptions, (const Tensor &x), functional::tanhshrink(x))
FL_USUAL(Flatten, FlattenOptions, (const Tensor &x), x.flatten(options.start_dim(), options.end_dim()))
FL_FUNCTION(MaxPool1d, MaxPool1dOptions, max_pool1d)
FL_FUNCTION(MaxPool2d, MaxPool2dOptions, max_pool2d)
FL_FUNCTION(MaxPool3d, MaxPool3dOptions, max_pool3d)
FL_FUNCTION(AvgPool1d, AvgPool1dOptions, avg_pool1d)
FL_FUNCTION(AvgPool2d, AvgPool2dOptions, avg_pool2d)
FL_FUNCTION(AvgPool3d, AvgPool3dOptions, avg_pool3d)
FL_FUNCTION(AdaptiveAvgPool1d, AdaptiveAvgPool1dOptions, adaptive_avg_pool1d)
FL_FUNCTION(AdaptiveAvgPool2d, AdaptiveAvgPool2dOptions, adaptive_avg_pool2d)
FL_FUNCTION(AdaptiveAvgPool3d, AdaptiveAvgPool3dOptions, adaptive_avg_pool3d)
FL_FUNCTION(AdaptiveMaxPool1d, AdaptiveMaxPool1dOptions, adaptive_max_pool1d)
FL_FUNCTION(AdaptiveMaxPool2d, AdaptiveMaxPool2dOptions, adaptive_max_pool2d)
FL_FUNCTION(AdaptiveMaxPool3d, AdaptiveMaxPool3dOptions, adaptive_max_pool3d)
FL_FUNCTION(PixelShuffle, PixelShuffleOptions, pixel_shuffle)
FL_FUNCTION(Unfold, UnfoldOptions, unfold)
FL_FUNCTION(Fold, FoldOptions, fold)
#define FL_DROPOUT(Name, f)                                                                                            \
    FL_USUAL(Name, DropoutOptions, (const Tensor &x),                                                                  \
             functional::f(x, functional::DropoutFuncOptions().p(options.p()).training(is_training()).inplace(         \
                                  options.inplace())))
FL_DROPOUT(Dropout, dropout)
FL_DROPOUT(Dropout2d, dropout2d)
FL_DROPOUT(Dropout3d, dropout3d)
FL_DROPOUT(AlphaDropout, alpha_dropout)
FL_USUAL(Upsample, UpsampleOptions, (const Tensor &x),
         functional::interpolate(x, functional::InterpolateFuncOptions()
                                        .size(options.size())
                                        .scale_factor(options.scale_factor())
                                        .mode(options.mode())
                                        .align_corners(options.align_corners())))
FL_LOSS(MSELoss, mse_loss)
FL_LOSS(L1Loss, l1_loss)
FL_LOSS(KLDivLoss, kl_div)
FL_LOSS(SmoothL1Loss, smooth_l1_loss)
FL_LOSS(HuberLoss, huber_loss)
FL_LOSS(BCELoss, binary_cross_entropy)
FL_LOSS(BCEWithLogitsLoss, binary_cross_entropy_with_logits)
FL_LOSS(NLLLoss, nll_loss)
FL_LOSS(CrossEntropyLoss, cross_entropy)
FL_LOSS(CosineSimilarity, cosine_similarity)
#undef FL_DROPOUT
#undef FL_LOSS
#undef FL_ACTIVATION
#undef FL_USUAL
#undef FL_FUNCTION
#undef FL_MODULE

/* --- What is not built ----------------------------------------------------------------------------------------------- */

#define FL_NOT_BUILT(Name)                                                                                             \
    struct Name##Impl : Module {                                                                                       \
        template <class... A> explicit Name##Impl(A &&...) {                                                           \
            static_assert(sizeof...(A) > 999, "torch::nn::" #Name " is not built in flambeau's C++ headers: compute "  \
                                              "it with the functions of torch::, or in Python with torch.nn." #Name);  \
        }                                                                                                              \
    };                                                                                                                 \
    TORCH_MODULE(Name)
FL_NOT_BUILT(RNN);
FL_NOT_BUILT(LSTM);
FL_NOT_BUILT(GRU);
FL_NOT_BUILT(RNNCell);
FL_NOT_BUILT(LSTMCell);
FL_NOT_BUILT(GRUCell);
FL_NOT_BUILT(MultiheadAttention);
FL_NOT_BUILT(Transformer);
FL_NOT_BUILT(TransformerEncoder);
FL_NOT_BUILT(TransformerDecoder);
FL_NOT_BUILT(TransformerEncoderLayer);
FL_NOT_BUILT(TransformerDecoderLayer);
FL_NOT_BUILT(EmbeddingBag);
FL_NOT_BUILT(AdaptiveLogSoftmaxWithLoss);
FL_NOT_BUILT(CTCLoss);
#undef FL_NOT_BUILT

}  // namespace nn
}  // namespace torch
