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
    _(BFloat16, c10::BFloat16, 15)    \
    _(UInt16, uint16_t, 27)           \
    _(UInt32, uint32_t, 28)           \
    _(UInt64, uint64_t, 29)

/* Types that tensors here never have or, like ComplexHalf, only store; sources refer to them. Name, bytes of an
 * element, number. */
#define FL_FORALL_NAMED(_) \
    _(ComplexHalf, 4, 8) _(QInt8, 1, 12) _(QUInt8, 1, 13) _(QInt32, 4, 14) _(QUInt4x2, 1, 16) _(QUInt2x4, 1, 17) \
    _(Bits1x8, 1, 18) _(Bits2x4, 1, 19) _(Bits4x2, 1, 20) _(Bits8, 1, 21) _(Bits16, 2, 22) _(Float8_e5m2, 1, 23) \
    _(Float8_e4m3fn, 1, 24) _(Float8_e5m2fnuz, 1, 25) _(Float8_e4m3fnuz, 1, 26) _(Float8_e8m0fnu, 1, 44) \
    _(Float4_e2m1fn_x2, 1, 45)

enum class ScalarType : int8_t {
#define FL_MEMBER(name, type, number) name = number,
    FL_FORALL_TYPES(FL_MEMBER)
    FL_FORALL_NAMED(FL_MEMBER)
#undef FL_MEMBER
    Undefined = -1,
};

#define FL_CONSTANT(name, type, number) constexpr ScalarType k##name = ScalarType::name;
FL_FORALL_TYPES(FL_CONSTANT)
FL_FORALL_NAMED(FL_CONSTANT)
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
/* The other one of C++'s two 64-bit integer types. */
template <> struct CppTypeToScalarType<std::conditional_t<std::is_same_v<int64_t, long>, long long, long>>
    : CppTypeToScalarType<int64_t> {};

constexpr const char *toString(ScalarType type) {
    switch (type) {
#define FL_CASE(name, cpp, number) \
    case ScalarType::name: return #name;
        FL_FORALL_TYPES(FL_CASE)
        FL_FORALL_NAMED(FL_CASE)
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
#define FL_CASE(name, size, number) \
    case ScalarType::name: return size;
        FL_FORALL_NAMED(FL_CASE)
#undef FL_CASE
    default: return 0;
    }
}

constexpr bool isFloat8Type(ScalarType t) {
    return (t >= kFloat8_e5m2 && t <= kFloat8_e4m3fnuz) || t == kFloat8_e8m0fnu;
}
constexpr bool isReducedFloatingType(ScalarType t) {
    return t == kHalf || t == kBFloat16 || isFloat8Type(t) || t == kFloat4_e2m1fn_x2;
}
constexpr bool isFloatingType(ScalarType t) { return t == kDouble || t == kFloat || isReducedFloatingType(t); }
constexpr bool isComplexType(ScalarType t) { return t == kComplexFloat || t == kComplexDouble || t == kComplexHalf; }
constexpr bool isBarebonesUnsignedType(ScalarType t) { return t == kUInt16 || t == kUInt32 || t == kUInt64; }
constexpr bool isIntegralType(ScalarType t, bool include_bool = false) {
    return (t >= kByte && t <= kLong) || isBarebonesUnsignedType(t) || (include_bool && t == kBool);
}
constexpr bool isQIntType(ScalarType t) { return (t >= kQInt8 && t <= kQInt32) || t == kQUInt4x2 || t == kQUInt2x4; }
constexpr bool isSignedType(ScalarType t) { return t != kByte && t != kBool && !isBarebonesUnsignedType(t); }
constexpr ScalarType toComplexType(ScalarType t) {
    return t == kHalf || t == kComplexHalf ? kComplexHalf : t == kDouble || t == kComplexDouble ? kComplexDouble : kComplexFloat;
}
constexpr ScalarType toRealValueType(ScalarType t) {
    return t == kComplexDouble ? kDouble : t == kComplexFloat ? kFloat : t == kComplexHalf ? kHalf : t;
}

/* Whether results of one type may be written to another without losing their kind of number. */
constexpr bool canCast(ScalarType from, ScalarType to) {
    if (isComplexType(from) && !isComplexType(to)) return false;
    if (isFloatingType(from) && isIntegralType(to, true)) return false;
    return from == kBool || to != kBool;
}
inline ScalarType promoteTypes(ScalarType a, ScalarType b) {
    fl_dtype type = fl_promote_types(fl_dtype(a), fl_dtype(b));
    if (type < 0) throw Error::recorded();
    return ScalarType(type);
}

/* The type of x.dtype(), which compares with and converts to element types. */
class TypeMeta {
  public:
    constexpr TypeMeta(ScalarType type = ScalarType::Undefined) : type_(type) {}
    template <class T> static constexpr TypeMeta Make() { return CppTypeToScalarType<T>::value; }
    static constexpr TypeMeta fromScalarType(ScalarType type) { return type; }
    constexpr ScalarType toScalarType() const { return type_; }
    constexpr explicit operator ScalarType() const { return type_; }
    constexpr size_t itemsize() const { return elementSize(type_); }
    /* The name of the C++ type, which messages show for x.dtype(). */
    constexpr const char *name() const {
        constexpr const char *names[] = {"unsigned char", "signed char", "short int", "int", "long int", "c10::Half",
                                         "float", "double", "c10::complex<c10::Half>", "c10::complex<float>",
                                         "c10::complex<double>", "bool", "", "", "", "c10::BFloat16"};
        constexpr const char *unsigned_names[] = {"short unsigned int", "unsigned int", "long unsigned int"};
        if (type_ == ScalarType::Undefined) return "nullptr (uninitialized)";
        if (isBarebonesUnsignedType(type_)) return unsigned_names[int(type_) - int(kUInt16)];
        return size_t(type_) < sizeof names / sizeof *names ? names[int(type_)] : toString(type_);
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
