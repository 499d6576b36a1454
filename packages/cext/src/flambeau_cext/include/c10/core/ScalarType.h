/* Element types, with PyTorch's numbers and names. */
#pragma once

#include <c10/util/Exception.h>
#include <c10/util/Half.h>
#include <c10/util/complex.h>

namespace c10 {

/* name in ScalarType, C++ type, number */
#define FL_FORALL_TYPES(_)            \
    _(Byte, uint8_t, 0)               \
    _(Char, int8_t, 1)                \
    _(Short, int16_t, 2)              \
    _(Int, int32_t, 3)                \
    _(Long, int64_t, 4)               \
    _(Half, c10::Half, 5)             \
    _(Float, float, 6)                \
    _(Double, double, 7)              \
    _(ComplexFloat, c10::complex<float>, 9)   \
    _(ComplexDouble, c10::complex<double>, 10) \
    _(Bool, bool, 11)                 \
    _(BFloat16, c10::BFloat16, 15)

enum class ScalarType : int8_t {
#define FL_MEMBER(name, type, number) name = number,
    FL_FORALL_TYPES(FL_MEMBER)
#undef FL_MEMBER
    ComplexHalf = 8,
    Undefined = -1,
};

#define FL_CONSTANT(name, type, number) constexpr ScalarType k##name = ScalarType::name;
FL_FORALL_TYPES(FL_CONSTANT)
#undef FL_CONSTANT

template <class T> struct CppTypeToScalarType;
namespace impl {
template <ScalarType type> struct ScalarTypeToCPPType;
template <ScalarType type> using ScalarTypeToCPPTypeT = typename ScalarTypeToCPPType<type>::type;
}  // namespace impl
#define FL_MAP(name, cpp, number)                                                                 \
    template <> struct CppTypeToScalarType<cpp> {                                                 \
        static constexpr ScalarType value = ScalarType::name;                                     \
    };                                                                                            \
    template <> struct impl::ScalarTypeToCPPType<ScalarType::name> {                              \
        using type = cpp;                                                                         \
    };
FL_FORALL_TYPES(FL_MAP)
#undef FL_MAP
/* The other of the two 64-bit integers that C++ has. */
template <> struct CppTypeToScalarType<std::conditional_t<std::is_same_v<int64_t, long>, long long, long>>
    : CppTypeToScalarType<int64_t> {};

constexpr const char *toString(ScalarType type) {
    switch (type) {
#define FL_CASE(name, cpp, number) \
    case ScalarType::name: return #name;
        FL_FORALL_TYPES(FL_CASE)
#undef FL_CASE
    default: return "Undefined";
    }
}
inline std::ostream &operator<<(std::ostream &out, ScalarType type) { return out << toString(type); }

constexpr size_t elementSize(ScalarType type) {
    switch (type) {
#define FL_CASE(name, cpp, number) \
    case ScalarType::name: return sizeof(cpp);
        FL_FORALL_TYPES(FL_CASE)
#undef FL_CASE
    default: return 0;
    }
}

constexpr bool isFloatingType(ScalarType t) { return t == kDouble || t == kFloat || t == kHalf || t == kBFloat16; }
constexpr bool isReducedFloatingType(ScalarType t) { return t == kHalf || t == kBFloat16; }
constexpr bool isComplexType(ScalarType t) { return t == kComplexFloat || t == kComplexDouble; }
constexpr bool isIntegralType(ScalarType t, bool include_bool = false) {
    return (t >= kByte && t <= kLong) || (include_bool && t == kBool);
}
constexpr bool isSignedType(ScalarType t) { return t != kByte && t != kBool; }
constexpr ScalarType toComplexType(ScalarType t) { return t == kDouble || t == kComplexDouble ? kComplexDouble : kComplexFloat; }
constexpr ScalarType toRealValueType(ScalarType t) { return t == kComplexDouble ? kDouble : t == kComplexFloat ? kFloat : t; }

inline ScalarType promoteTypes(ScalarType a, ScalarType b) {
    fl_dtype type = fl_promote_types(fl_dtype(a), fl_dtype(b));
    if (type < 0) throw Error::recorded();
    return ScalarType(type);
}

/* What x.dtype() is: compared with and converted to element types. */
class TypeMeta {
  public:
    constexpr TypeMeta(ScalarType type = ScalarType::Undefined) : type_(type) {}
    template <class T> static constexpr TypeMeta Make() { return CppTypeToScalarType<T>::value; }
    static constexpr TypeMeta fromScalarType(ScalarType type) { return type; }
    constexpr ScalarType toScalarType() const { return type_; }
    constexpr explicit operator ScalarType() const { return type_; }
    constexpr size_t itemsize() const { return elementSize(type_); }
    /* Of the type in C++, which is how messages show x.dtype(). */
    constexpr const char *name() const {
        constexpr const char *names[] = {"unsigned char", "signed char", "short int", "int", "long int", "c10::Half",
                                         "float", "double", "c10::complex<c10::Half>", "c10::complex<float>",
                                         "c10::complex<double>", "bool", "", "", "", "c10::BFloat16"};
        return type_ == ScalarType::Undefined ? "nullptr (uninitialized)" : names[int(type_)];
    }
    template <class T> constexpr bool Match() const { return type_ == CppTypeToScalarType<T>::value; }
    friend constexpr bool operator==(TypeMeta a, TypeMeta b) { return a.type_ == b.type_; }
    friend constexpr bool operator!=(TypeMeta a, TypeMeta b) { return a.type_ != b.type_; }
    friend constexpr bool operator==(TypeMeta a, ScalarType b) { return a.type_ == b; }
    friend constexpr bool operator!=(TypeMeta a, ScalarType b) { return a.type_ != b; }
    friend constexpr bool operator==(ScalarType a, TypeMeta b) { return a == b.type_; }
    friend constexpr bool operator!=(ScalarType a, TypeMeta b) { return a != b.type_; }
    friend std::ostream &operator<<(std::ostream &out, TypeMeta t) { return out << t.name(); }

  private:
    ScalarType type_;
};
constexpr ScalarType typeMetaToScalarType(TypeMeta type) { return type.toScalarType(); }
constexpr TypeMeta scalarTypeToTypeMeta(ScalarType type) { return type; }

inline ScalarType get_default_dtype_as_scalartype() { return ScalarType(fl_default_dtype()); }
inline TypeMeta get_default_dtype() { return get_default_dtype_as_scalartype(); }

}  // namespace c10

namespace caffe2 {
using c10::TypeMeta;
}
