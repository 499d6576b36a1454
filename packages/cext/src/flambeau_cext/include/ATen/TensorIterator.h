/* at::TensorIterator: tensors that are iterated over elementwise, after broadcasting and, if requested, conversion to
 * one dtype. ATen/native/cpu/Loops.h runs a function over it. */
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <numeric>

namespace at {

class TensorIteratorConfig;

class TensorIterator {
  public:
    int ntensors() const { return int(tensors_.size()); }
    int noutputs() const { return noutputs_; }
    int ninputs() const { return ntensors() - noutputs_; }
    int ndim() const { return int(sizes_.size()); }
    IntArrayRef shape() const { return sizes_; }
    int64_t numel() const {
        return std::accumulate(sizes_.begin(), sizes_.end(), int64_t(1), std::multiplies<int64_t>());
    }
    const Tensor &tensor(int i) const { return tensors_.at(size_t(i)); }
    const Tensor &output(int i = 0) const { return tensor(i); }
    const Tensor &input(int i = 0) const { return tensor(noutputs_ + i); }
    /* The dtype of the function's arguments and results, before conversion to that of an output. */
    ScalarType dtype(int i = 0) const { return types_.at(size_t(i)); }
    ScalarType input_dtype(int i = 0) const { return dtype(noutputs_ + i); }
    ScalarType common_dtype() const { return common_; }
    Device device(int i = 0) const { return tensor(i).device(); }

    bool is_reduction() const { return reduces_; }

    static TensorIterator nullary_op(Tensor &out);
    static TensorIterator unary_op(Tensor &out, const Tensor &a);
    static TensorIterator binary_op(Tensor &out, const Tensor &a, const Tensor &b);
    /* Outputs have size 1 in each reduced dimension, and hold the initial values. */
    static TensorIterator reduce_op(Tensor &out, const Tensor &a);
    static TensorIterator reduce_op(Tensor &out1, Tensor &out2, const Tensor &a);

    /* Run loop(pointers, strides in bytes, number of elements) over all elements, in parts on several threads. Elements
     * of a part have constant strides; outputs come first. In a reduction, a part contains all elements that are reduced
     * to one element of each output, whose stride is 0. The second dimension of a two-dimensional loop has size 1. */
    template <class Loop> void for_each(Loop loop, int64_t grain = 32768) const {
        if (reduces_) return for_each_reduced(loop, grain);
        std::vector<Tensor> held;
        std::vector<char *> base;
        std::vector<int64_t> strides;
        for (size_t i = size_t(noutputs_); i < tensors_.size(); i++)
            held.push_back(tensors_[i].to(types_[i]).expand(sizes_).contiguous());
        for (size_t i = size_t(noutputs_); i-- > 0;) held.insert(held.begin(), place_for(i, held));
        for (size_t i = 0; i < held.size(); i++) {
            base.push_back(static_cast<char *>(i < size_t(noutputs_) ? held[i].mutable_data_ptr()
                                                                     : const_cast<void *>(held[i].const_data_ptr())));
            strides.push_back(int64_t(c10::elementSize(types_[i])));
        }
        parallel_for(0, numel(), grain, [&](int64_t begin, int64_t end) {
            std::vector<char *> pointers;
            for (size_t i = 0; i < base.size(); i++) pointers.push_back(base[i] + begin * strides[i]);
            run(loop, pointers, strides, end - begin);
        });
        write_back(held);
    }
    template <class Loop> void serial_for_each(Loop loop) const { for_each(loop, std::max<int64_t>(numel(), 1)); }

  private:
    friend class TensorIteratorConfig;

    template <class Loop>
    static void run(Loop &loop, std::vector<char *> &pointers, const std::vector<int64_t> &strides, int64_t count) {
        if constexpr (std::is_invocable_v<Loop &, char **, const int64_t *, int64_t, int64_t>) {
            std::vector<int64_t> both(strides);
            both.resize(2 * strides.size());
            loop(pointers.data(), both.data(), count, 1);
        } else loop(pointers.data(), strides.data(), count);
    }
    void write_back(const std::vector<Tensor> &held) const {
        NoGradGuard no_grad;
        for (size_t i = 0; i < size_t(noutputs_); i++)
            if (!held[i].is_same(tensors_[i])) Tensor(tensors_[i]).copy_(held[i]);
    }
    template <class Loop> void for_each_reduced(Loop &loop, int64_t grain) const {
        std::vector<int64_t> order, reduced;
        int64_t outer = 1, inner = 1;
        for (int64_t d = 0; d < ndim(); d++) {
            bool kept = output().size(d) == sizes_[size_t(d)];
            (kept ? order : reduced).push_back(d);
            (kept ? outer : inner) *= sizes_[size_t(d)];
        }
        order.insert(order.end(), reduced.begin(), reduced.end());
        std::vector<Tensor> held;
        std::vector<char *> base;
        std::vector<int64_t> steps, strides;
        for (size_t i = 0; i < tensors_.size(); i++) {
            const bool written = i < size_t(noutputs_);
            Tensor t = tensors_[i].to(types_[i]);
            held.push_back(written ? t.contiguous() : t.expand(sizes_).permute(order).contiguous());
            if (written && tensors_[i].is_contiguous() && tensors_[i].scalar_type() == types_[i]) held[i] = tensors_[i];
            base.push_back(static_cast<char *>(written ? held[i].mutable_data_ptr()
                                                       : const_cast<void *>(held[i].const_data_ptr())));
            const int64_t size = int64_t(c10::elementSize(types_[i]));
            strides.push_back(written ? 0 : size);
            steps.push_back(written ? size : size * inner);
        }
        parallel_for(0, outer, std::max<int64_t>(1, grain / std::max<int64_t>(inner, 1)), [&](int64_t begin, int64_t end) {
            std::vector<char *> pointers(base.size());
            for (int64_t j = begin; j < end; j++) {
                for (size_t i = 0; i < base.size(); i++) pointers[i] = base[i] + j * steps[i];
                run(loop, pointers, strides, inner);
            }
        });
        write_back(held);
    }
    /* The output itself, unless it has another memory order or shares memory with an input that is read later. */
    Tensor place_for(size_t i, const std::vector<Tensor> &read) const {
        const Tensor &output = tensors_[i];
        bool fits = output.is_contiguous() && output.scalar_type() == types_[i];
        auto *begin = static_cast<const char *>(output.const_data_ptr()), *end = begin + output.nbytes();
        for (const Tensor &t : read) {
            auto *other = static_cast<const char *>(t.const_data_ptr());
            fits = fits && (other == begin || other >= end || other + t.nbytes() <= begin);
        }
        return fits ? output : empty(sizes_, types_[i]);
    }

    std::vector<Tensor> tensors_;
    std::vector<ScalarType> types_;
    std::vector<int64_t> sizes_;
    int noutputs_ = 0;
    bool reduces_ = false;
    ScalarType common_ = ScalarType::Undefined;
};

class TensorIteratorConfig {
  public:
    TensorIteratorConfig &add_output(const Tensor &t) {
        TORCH_INTERNAL_ASSERT(inputs_.empty(), "outputs are added before inputs");
        outputs_.push_back(t);
        return *this;
    }
    TensorIteratorConfig &add_input(const Tensor &t) {
        inputs_.push_back(t);
        return *this;
    }
    TensorIteratorConfig &add_owned_output(const Tensor &t) { return add_output(t); }
    TensorIteratorConfig &add_owned_input(const Tensor &t) { return add_input(t); }
    TensorIteratorConfig &add_borrowed_output(const Tensor &t) { return add_output(t); }
    TensorIteratorConfig &add_borrowed_input(const Tensor &t) { return add_input(t); }
    TensorIteratorConfig &add_const_input(const Tensor &t) { return add_input(t); }
    TensorIteratorConfig &add_owned_const_input(const Tensor &t) { return add_input(t); }
    TensorIteratorConfig &add_borrowed_const_input(const Tensor &t) { return add_input(t); }

#define FL_SETTING(name, field)                                   \
    TensorIteratorConfig &name(bool on) {                         \
        field = on;                                               \
        return *this;                                             \
    }
    FL_SETTING(check_all_same_dtype, same_dtype_)
    FL_SETTING(promote_inputs_to_common_dtype, promotes_)
    FL_SETTING(promote_integer_inputs_to_float, to_float_)
    FL_SETTING(cast_common_dtype_to_outputs, converts_)
    FL_SETTING(enforce_safe_casting_to_output, safely_)
    FL_SETTING(resize_outputs, resizes_)
    /* There is one kind of memory, and a number is valid on any device. */
    FL_SETTING(set_check_mem_overlap, ignored_)
    FL_SETTING(allow_cpu_scalars, ignored_)
    FL_SETTING(check_all_same_device, ignored_)
    FL_SETTING(enforce_linear_iteration, ignored_)
    FL_SETTING(is_reduction, reduces_)
#undef FL_SETTING
    TensorIteratorConfig &declare_static_dtype(ScalarType type) {
        static_dtype_ = type;
        return *this;
    }

    TensorIterator build() {
        TORCH_CHECK(!inputs_.empty() || (!outputs_.empty() && outputs_[0].defined()),
                    "TensorIterator needs an input, or an output that is defined");
        TensorIterator iter;
        std::vector<fl_value> values;
        iter.reduces_ = reduces_;
        const Tensor &first = inputs_.empty() ? outputs_[0] : inputs_[0];
        iter.sizes_ = first.sizes().vec();
        for (const Tensor &t : inputs_) {
            TORCH_CHECK(t.defined(), "Expected all inputs of TensorIterator to be defined");
            iter.sizes_ = broadcast(iter.sizes_, t.sizes());
            values.push_back(detail::of_tensor(t));
        }
        const bool promotes = promotes_ && !values.empty();
        fl_dtype type = promotes ? fl_result_type(values.data(), int32_t(values.size())) : fl_dtype(first.scalar_type());
        if (type < 0) throw Error::recorded();
        iter.common_ = ScalarType(type);
        if (to_float_ && isIntegralType(iter.common_, true)) iter.common_ = get_default_dtype_as_scalartype();
        for (Tensor &output : outputs_) {
            TORCH_CHECK(output.defined() || !reduces_, "TensorIterator expects reductions to have outputs that are defined");
            if (!output.defined()) output = laid_out(iter.sizes_, static_dtype_.value_or(iter.common_));
            if (reduces_) check_reduced(output, iter.sizes_);
            else if (output.sizes() != IntArrayRef(iter.sizes_)) {
                TORCH_CHECK(resizes_ && output.numel() == 0, "output with shape ", output.sizes(),
                            " doesn't match the broadcast shape ", IntArrayRef(iter.sizes_));
                output.resize_(iter.sizes_);
            }
            TORCH_CHECK(!safely_ || c10::canCast(iter.common_, output.scalar_type()), "result type ", iter.common_,
                        " can't be cast to the desired output type ", output.scalar_type());
            iter.types_.push_back(converts_ ? iter.common_ : output.scalar_type());
        }
        for (const Tensor &input : inputs_) iter.types_.push_back(promotes_ ? iter.common_ : input.scalar_type());
        for (size_t i = 0; same_dtype_ && !promotes_ && i < iter.types_.size(); i++)
            TORCH_CHECK(iter.types_[i] == iter.common_, "Found dtype ", iter.types_[i], " but expected ", iter.common_);
        iter.noutputs_ = int(outputs_.size());
        iter.tensors_ = outputs_;
        iter.tensors_.insert(iter.tensors_.end(), inputs_.begin(), inputs_.end());
        return iter;
    }

  private:
    static void check_reduced(const Tensor &output, IntArrayRef sizes) {
        bool fits = output.dim() == int64_t(sizes.size());
        for (int64_t d = 0; fits && d < output.dim(); d++) fits = output.size(d) == 1 || output.size(d) == sizes[size_t(d)];
        TORCH_CHECK(fits, "the output of a reduction of ", sizes, " needs 1 in the reduced dimensions and has shape ",
                    output.sizes());
    }
    /* A new output, whose dimensions have the order in memory of the first input with its sizes and without gaps. */
    Tensor laid_out(IntArrayRef sizes, ScalarType type) const {
        for (const Tensor &t : inputs_)
            if (t.sizes() == sizes && t.is_non_overlapping_and_dense()) return empty_like(t, TensorOptions(type));
        return empty(sizes, type);
    }
    static std::vector<int64_t> broadcast(IntArrayRef a, IntArrayRef b) {
        std::vector<int64_t> sizes(std::max(a.size(), b.size()));
        for (size_t i = 1; i <= sizes.size(); i++) {
            int64_t n = i <= a.size() ? a[a.size() - i] : 1, m = i <= b.size() ? b[b.size() - i] : 1;
            TORCH_CHECK(n == m || n == 1 || m == 1, "The size of tensor a (", n, ") must match the size of tensor b (", m,
                        ") at non-singleton dimension ", sizes.size() - i);
            sizes[sizes.size() - i] = n == 1 ? m : n;
        }
        return sizes;
    }

    std::vector<Tensor> outputs_, inputs_;
    bool same_dtype_ = true, promotes_ = false, to_float_ = false, converts_ = false, safely_ = false, resizes_ = true;
    bool reduces_ = false, ignored_ = false;
    optional<ScalarType> static_dtype_;
};

using TensorIteratorBase = TensorIterator;

inline TensorIterator TensorIterator::nullary_op(Tensor &out) {
    return TensorIteratorConfig().check_all_same_dtype(false).add_output(out).resize_outputs(false).build();
}
inline TensorIterator TensorIterator::unary_op(Tensor &out, const Tensor &a) {
    return TensorIteratorConfig().add_output(out).add_input(a).build();
}
inline TensorIterator TensorIterator::binary_op(Tensor &out, const Tensor &a, const Tensor &b) {
    auto config = TensorIteratorConfig().promote_inputs_to_common_dtype(true).cast_common_dtype_to_outputs(true);
    return config.enforce_safe_casting_to_output(true).add_output(out).add_input(a).add_input(b).build();
}
inline TensorIterator TensorIterator::reduce_op(Tensor &out, const Tensor &a) {
    auto config = TensorIteratorConfig().add_output(out).add_input(a).resize_outputs(false);
    return config.is_reduction(true).promote_inputs_to_common_dtype(true).check_all_same_dtype(false).build();
}
inline TensorIterator TensorIterator::reduce_op(Tensor &out1, Tensor &out2, const Tensor &a) {
    TORCH_CHECK(out1.sizes() == out2.sizes(), "reduce_op(): expected both outputs to have same sizes, but output1 has ",
                out1.sizes(), " and output2 has ", out2.sizes());
    auto config = TensorIteratorConfig().add_output(out1).add_output(out2).add_input(a).resize_outputs(false);
    return config.is_reduction(true).check_all_same_dtype(false).build();
}

}  // namespace at
