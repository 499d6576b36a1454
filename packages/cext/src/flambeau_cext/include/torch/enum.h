/* torch::kReflect, torch::kBilinear, torch::kSum, …: words for options of torch::nn. */
#pragma once

#include <string>

namespace torch {
namespace enumtype {

/* One of the words, with its Python form. */
class Word {
  public:
    template <class E, class = decltype(E::word)> Word(E) : text_(E::word) {}
    const char *text() const { return text_; }
    bool operator==(const Word &other) const { return std::string(text_) == other.text_; }

  private:
    const char *text_;
};

}  // namespace enumtype

#define FL_WORD(name, text)                                       \
    namespace enumtype {                                          \
    struct name {                                                 \
        static constexpr const char *word = text;                 \
    };                                                            \
    }                                                             \
    [[maybe_unused]] constexpr enumtype::name name {}

FL_WORD(kLinear, "linear");
FL_WORD(kConv1D, "conv1d");
FL_WORD(kConv2D, "conv2d");
FL_WORD(kConv3D, "conv3d");
FL_WORD(kConvTranspose1D, "conv_transpose1d");
FL_WORD(kConvTranspose2D, "conv_transpose2d");
FL_WORD(kConvTranspose3D, "conv_transpose3d");
FL_WORD(kSigmoid, "sigmoid");
FL_WORD(kTanh, "tanh");
FL_WORD(kReLU, "relu");
FL_WORD(kGELU, "gelu");
FL_WORD(kSiLU, "silu");
FL_WORD(kMish, "mish");
FL_WORD(kLeakyReLU, "leaky_relu");
FL_WORD(kFanIn, "fan_in");
FL_WORD(kFanOut, "fan_out");
FL_WORD(kConstant, "constant");
FL_WORD(kReflect, "reflect");
FL_WORD(kReplicate, "replicate");
FL_WORD(kCircular, "circular");
FL_WORD(kNearest, "nearest");
FL_WORD(kNearestExact, "nearest-exact");
FL_WORD(kBilinear, "bilinear");
FL_WORD(kBicubic, "bicubic");
FL_WORD(kTrilinear, "trilinear");
FL_WORD(kArea, "area");
FL_WORD(kSum, "sum");
FL_WORD(kMean, "mean");
FL_WORD(kMax, "max");
FL_WORD(kNone, "none");
FL_WORD(kBatchMean, "batchmean");
FL_WORD(kZeros, "zeros");
FL_WORD(kBorder, "border");
FL_WORD(kReflection, "reflection");
FL_WORD(kSame, "same");
FL_WORD(kValid, "valid");
#undef FL_WORD

}  // namespace torch
