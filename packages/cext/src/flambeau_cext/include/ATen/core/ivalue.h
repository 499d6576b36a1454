/* A value of one of several types, for AutogradContext::saved_data and for lists and dictionaries of mixed values:
 * numbers, strings, tensors, lists, dictionaries, tuples, and objects of custom classes. */
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/Dict.h>
#include <ATen/core/List.h>
#include <c10/util/intrusive_ptr.h>

namespace torch {
/* The base class of custom classes. */
class CustomClassHolder : public c10::intrusive_ptr_target {};
namespace jit {
using torch::CustomClassHolder;
}
}  // namespace torch

namespace c10 {

class IValue;

namespace ivalue {
/* The elements of a tuple. */
class Tuple : public intrusive_ptr_target {
  public:
    explicit Tuple(std::vector<IValue> elements);
    ~Tuple() override;
    static intrusive_ptr<Tuple> create(std::vector<IValue> elements);
    template <class... A> static intrusive_ptr<Tuple> create(A &&...parts);
    const std::vector<IValue> &elements() const { return elements_; }
    size_t size() const;

  private:
    std::vector<IValue> elements_;
};
}  // namespace ivalue

namespace detail {
/* The conversions between a type and IValue; ATen/core/ivalue_inl.h defines all of them. */
template <class T, class = void> struct InIValue;

/* An object of a custom class, with its type. */
struct Custom {
    intrusive_ptr<torch::CustomClassHolder> object;
    const char *type; /* the name of its typeid */
    bool operator==(const Custom &other) const { return object == other.object; }
};
}  // namespace detail

namespace impl {
using GenericList = List<IValue>;
using GenericDict = Dict<IValue, IValue>;
}  // namespace impl

namespace detail {
enum class Kind {
    None, Tensor, Bool, Int, Double, ComplexDouble, String, Device, IntList, DoubleList, BoolList, TensorList, GenericList,
    GenericDict, Tuple, Object
};
/* The contents of an IValue, which copies share. Written by hand, since a std::variant of as many types takes a tenth
 * of the time to compile all headers. */
struct Payload : intrusive_ptr_target {
    const Kind kind;
    explicit Payload(Kind k) : kind(k) {}
};
template <class T> struct PayloadOf final : Payload {
    const T value;
    PayloadOf(Kind k, T v) : Payload(k), value(std::move(v)) {}
};
template <class T> inline constexpr Kind kind_of = Kind::None;
#define FL_KIND(T, kind) template <> inline constexpr Kind kind_of<T> = Kind::kind;
FL_KIND(at::Tensor, Tensor)
FL_KIND(bool, Bool)
FL_KIND(int64_t, Int)
FL_KIND(double, Double)
FL_KIND(c10::complex<double>, ComplexDouble)
FL_KIND(std::string, String)
FL_KIND(c10::Device, Device)
FL_KIND(List<int64_t>, IntList)
FL_KIND(List<double>, DoubleList)
FL_KIND(List<bool>, BoolList)
FL_KIND(List<at::Tensor>, TensorList)
FL_KIND(impl::GenericList, GenericList)
FL_KIND(impl::GenericDict, GenericDict)
FL_KIND(intrusive_ptr<ivalue::Tuple>, Tuple)
FL_KIND(Custom, Object)
#undef FL_KIND
}  // namespace detail

class IValue {
  public:
    IValue() = default;
    IValue(nullopt_t) {}
    IValue(at::Tensor t) : payload_(held(std::move(t))) {}
    IValue(bool b) : payload_(held(b)) {}
    IValue(int32_t i) : payload_(held(int64_t(i))) {}
    IValue(int64_t i) : payload_(held(i)) {}
    IValue(SymInt i) : IValue(i.expect_int()) {}
    IValue(double d) : payload_(held(d)) {}
    IValue(float d) : payload_(held(double(d))) {}
    IValue(ScalarType type) : payload_(held(int64_t(type))) {}
    IValue(Device device) : payload_(held(device)) {}
    IValue(const Scalar &s);
    IValue(c10::complex<double> z) : payload_(held(z)) {}
    IValue(std::string text) : payload_(held(std::move(text))) {}
    IValue(const char *text) : payload_(held(std::string(text))) {}
    IValue(std::string_view text) : payload_(held(std::string(text))) {}
    IValue(List<int64_t> list) : payload_(held(std::move(list))) {}
    IValue(List<double> list) : payload_(held(std::move(list))) {}
    IValue(List<bool> list) : payload_(held(std::move(list))) {}
    IValue(List<at::Tensor> list) : payload_(held(std::move(list))) {}
    IValue(impl::GenericList list) : payload_(held(std::move(list))) {}
    IValue(impl::GenericDict dict) : payload_(held(std::move(dict))) {}
    IValue(intrusive_ptr<ivalue::Tuple> tuple) : payload_(held(std::move(tuple))) {}
    IValue(detail::Custom object) : payload_(held(std::move(object))) {}
    /* Other types built from these: vectors, maps, optionals, tuples, pointers to objects of custom classes. */
    template <class T, class = decltype(detail::InIValue<T>::make(std::declval<const T &>()))>
    IValue(const T &value) : IValue(detail::InIValue<T>::make(value)) {}

    bool isNone() const { return kind() == detail::Kind::None; }
    bool isTensor() const { return is<at::Tensor>(); }
    bool isBool() const { return is<bool>(); }
    bool isInt() const { return is<int64_t>(); }
    bool isSymInt() const { return isInt(); } /* sizes are always numbers here, not symbols */
    bool isDouble() const { return is<double>(); }
    bool isComplexDouble() const { return is<c10::complex<double>>(); }
    bool isScalar() const { return isInt() || isDouble() || isBool() || isComplexDouble(); }
    bool isString() const { return is<std::string>(); }
    bool isDevice() const { return is<Device>(); }
    bool isIntList() const { return is<List<int64_t>>(); }
    bool isSymIntList() const { return isIntList(); }
    bool isDoubleList() const { return is<List<double>>(); }
    bool isBoolList() const { return is<List<bool>>(); }
    bool isTensorList() const { return is<List<at::Tensor>>(); }
    bool isList() const { return is<impl::GenericList>() || isIntList() || isDoubleList() || isBoolList() || isTensorList(); }
    bool isGenericDict() const { return is<impl::GenericDict>(); }
    bool isTuple() const { return is<intrusive_ptr<ivalue::Tuple>>(); }
    bool isCustomClass() const { return is<detail::Custom>(); }
    bool isObject() const { return isCustomClass(); }
    bool isModule() const { return false; }
    /* The name of the type for messages. */
    const char *tagKind() const;

    /* The element itself, for code that reads an element of a list. */
    const IValue &get() const { return *this; }

    const at::Tensor &toTensor() const { return get<at::Tensor>("Tensor"); }
    bool toBool() const { return get<bool>("Bool"); }
    int64_t toInt() const { return get<int64_t>("Int"); }
    SymInt toSymInt() const { return toInt(); }
    double toDouble() const { return get<double>("Double"); }
    c10::complex<double> toComplexDouble() const { return get<c10::complex<double>>("ComplexDouble"); }
    ScalarType toScalarType() const { return ScalarType(toInt()); }
    Scalar toScalar() const;
    /* Arguments that are devices may be given by their names. */
    Device toDevice() const { return isString() ? Device(toStringRef()) : get<Device>("Device"); }
    const std::string &toStringRef() const { return get<std::string>("String"); }
    std::string_view toStringView() const { return toStringRef(); }
    List<int64_t> toIntList() const { return list_of<int64_t>("IntList"); }
    List<double> toDoubleList() const { return list_of<double>("DoubleList"); }
    List<bool> toBoolList() const { return list_of<bool>("BoolList"); }
    List<at::Tensor> toTensorList() const { return list_of<at::Tensor>("TensorList"); }
    impl::GenericList toList() const;
    std::vector<int64_t> toIntVector() const { return toIntList().vec(); }
    std::vector<SymInt> toSymIntVector() const { return c10::fromIntArrayRefSlow(toIntVector()).vec(); }
    std::vector<int64_t> toDimVector() const { return toIntVector(); }
    std::vector<double> toDoubleVector() const { return toDoubleList().vec(); }
    std::vector<at::Tensor> toTensorVector() const { return toTensorList().vec(); }
    std::vector<IValue> toListRef() const { return toList().vec(); }
    impl::GenericDict toGenericDict() const { return get<impl::GenericDict>("GenericDict"); }
    intrusive_ptr<ivalue::Tuple> toTuple() const { return get<intrusive_ptr<ivalue::Tuple>>("Tuple"); }
    const ivalue::Tuple &toTupleRef() const { return *get<intrusive_ptr<ivalue::Tuple>>("Tuple"); }
    const detail::Custom &custom() const { return get<detail::Custom>("Object of a custom class"); }
    template <class T> intrusive_ptr<T> toCustomClass() const;
    template <class T> optional<T> toOptional() const {
        if (isNone()) return nullopt;
        return to<T>();
    }
    template <class T> T to() const { return detail::InIValue<T>::of(*this); }

    bool is(const IValue &other) const { return equals(other); }
    friend bool operator==(const IValue &a, const IValue &b) { return a.equals(b); }
    friend bool operator!=(const IValue &a, const IValue &b) { return !a.equals(b); }

  private:
    friend struct std::hash<IValue>;
    template <class T> static intrusive_ptr<detail::Payload> held(T value) {
        static_assert(detail::kind_of<T> != detail::Kind::None);
        return intrusive_ptr<detail::Payload>(new detail::PayloadOf<T>(detail::kind_of<T>, std::move(value)));
    }
    detail::Kind kind() const { return payload_ ? payload_->kind : detail::Kind::None; }
    template <class T> bool is() const { return kind() == detail::kind_of<T>; }
    template <class T> const T &get(const char *name) const {
        if (C10_UNLIKELY(!is<T>())) is_no(name);
        return static_cast<const detail::PayloadOf<T> *>(payload_.get())->value;
    }
    [[noreturn, gnu::cold]] void is_no(const char *name) const;
    /* Other lists, and tuples, are converted, like Python's. */
    template <class T> List<T> list_of(const char *name) const {
        if (is<List<T>>() || !(isList() || isTuple())) return get<List<T>>(name);
        List<T> list;
        for (const IValue &item : toListRef()) list.push_back(item.to<T>());
        return list;
    }
    bool equals(const IValue &other) const;

    intrusive_ptr<detail::Payload> payload_;
};

}  // namespace c10

namespace std {
/* For types that may be keys: numbers and strings. */
template <> struct hash<c10::IValue> {
    size_t operator()(const c10::IValue &v) const {
        if (v.isString()) return hash<string>()(v.toStringRef());
        if (v.isInt()) return hash<int64_t>()(v.toInt());
        if (v.isDouble()) return hash<double>()(v.toDouble());
        if (v.isBool()) return hash<bool>()(v.toBool());
        if (v.isTensor()) return hash<const void *>()(v.toTensor().handle());
        TORCH_CHECK_TYPE(false, "a ", v.tagKind(), " cannot be the key of a dictionary");
    }
};
}  // namespace std

#include <ATen/core/ivalue_inl.h>

namespace at {
using c10::IValue;
}
