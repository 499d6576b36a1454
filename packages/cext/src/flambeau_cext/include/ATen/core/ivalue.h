/* A value of one of several types, as AutogradContext::saved_data keeps them. */
#pragma once

#include <ATen/ATen.h>

#include <variant>

namespace c10 {

class IValue {
  public:
    IValue() = default;
    IValue(nullopt_t) {}
    IValue(at::Tensor t) : value_(std::move(t)) {}
    IValue(bool b) : value_(b) {}
    IValue(int i) : value_(int64_t(i)) {}
    IValue(int64_t i) : value_(i) {}
    IValue(double d) : value_(d) {}
    IValue(float d) : value_(double(d)) {}
    IValue(ScalarType type) : value_(int64_t(type)) {}
    IValue(const Scalar &s) {
        if (s.isFloatingPoint()) value_ = s.toDouble();
        else if (s.isBoolean()) value_ = s.toBool();
        else if (s.isComplex()) value_ = s.toComplexDouble();
        else value_ = s.toLong();
    }
    IValue(c10::complex<double> z) : value_(z) {}
    IValue(std::string text) : value_(std::move(text)) {}
    IValue(const char *text) : value_(std::string(text)) {}
    IValue(std::vector<int64_t> list) : value_(std::move(list)) {}
    IValue(std::vector<double> list) : value_(std::move(list)) {}
    IValue(std::vector<bool> list) : value_(std::move(list)) {}
    IValue(std::vector<at::Tensor> list) : value_(std::move(list)) {}
    IValue(IntArrayRef list) : value_(list.vec()) {}
    IValue(at::TensorList list) : value_(list.vec()) {}
    template <class T> IValue(const optional<T> &v) {
        if (v) *this = IValue(*v);
    }

    bool isNone() const { return is<std::monostate>(); }
    bool isTensor() const { return is<at::Tensor>(); }
    bool isBool() const { return is<bool>(); }
    bool isInt() const { return is<int64_t>(); }
    bool isDouble() const { return is<double>(); }
    bool isComplexDouble() const { return is<c10::complex<double>>(); }
    bool isScalar() const { return isInt() || isDouble() || isBool() || isComplexDouble(); }
    bool isString() const { return is<std::string>(); }
    bool isIntList() const { return is<std::vector<int64_t>>(); }
    bool isDoubleList() const { return is<std::vector<double>>(); }
    bool isBoolList() const { return is<std::vector<bool>>(); }
    bool isTensorList() const { return is<std::vector<at::Tensor>>(); }

    const at::Tensor &toTensor() const { return get<at::Tensor>("Tensor"); }
    bool toBool() const { return get<bool>("Bool"); }
    int64_t toInt() const { return get<int64_t>("Int"); }
    double toDouble() const { return get<double>("Double"); }
    c10::complex<double> toComplexDouble() const { return get<c10::complex<double>>("ComplexDouble"); }
    ScalarType toScalarType() const { return ScalarType(toInt()); }
    Scalar toScalar() const {
        TORCH_CHECK(isScalar(), "IValue is not a Scalar");
        if (isInt()) return toInt();
        if (isBool()) return toBool();
        return isDouble() ? Scalar(toDouble()) : Scalar(toComplexDouble());
    }
    const std::string &toStringRef() const { return get<std::string>("String"); }
    std::string_view toStringView() const { return toStringRef(); }
    std::vector<int64_t> toIntVector() const { return get<std::vector<int64_t>>("IntList"); }
    std::vector<double> toDoubleVector() const { return get<std::vector<double>>("DoubleList"); }
    std::vector<at::Tensor> toTensorVector() const { return get<std::vector<at::Tensor>>("TensorList"); }
    std::vector<int64_t> toIntList() const { return toIntVector(); }
    std::vector<double> toDoubleList() const { return toDoubleVector(); }
    std::vector<bool> toBoolList() const { return get<std::vector<bool>>("BoolList"); }
    std::vector<at::Tensor> toTensorList() const { return toTensorVector(); }
    template <class T> optional<T> toOptional() const {
        if (isNone()) return nullopt;
        return to<T>();
    }
    template <class T> T to() const {
        if constexpr (std::is_same_v<T, Scalar>) return toScalar();
        else if constexpr (std::is_same_v<T, ScalarType>) return toScalarType();
        else return get<T>("value of the type asked for");
    }

  private:
    template <class T> bool is() const { return std::holds_alternative<T>(value_); }
    template <class T> const T &get(const char *name) const {
        TORCH_CHECK(is<T>(), "Expected IValue to be a ", name);
        return std::get<T>(value_);
    }
    std::variant<std::monostate, at::Tensor, bool, int64_t, double, c10::complex<double>, std::string,
                 std::vector<int64_t>, std::vector<double>, std::vector<bool>, std::vector<at::Tensor>>
        value_;
};

}  // namespace c10

namespace at {
using c10::IValue;
}
