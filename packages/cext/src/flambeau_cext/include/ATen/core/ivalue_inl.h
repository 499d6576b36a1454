/* The types in IValues, and their conversions. */
#pragma once

#include <ATen/core/ivalue.h>

#include <map>
#include <typeinfo>

namespace c10 {

/* --- Tuples -------------------------------------------------------------------------------------------------------- */

namespace ivalue {
inline Tuple::Tuple(std::vector<IValue> elements) : elements_(std::move(elements)) {}
inline Tuple::~Tuple() = default;
inline intrusive_ptr<Tuple> Tuple::create(std::vector<IValue> elements) {
    return make_intrusive<Tuple>(std::move(elements));
}
template <class... A> intrusive_ptr<Tuple> Tuple::create(A &&...parts) {
    return make_intrusive<Tuple>(std::vector<IValue>{IValue(std::forward<A>(parts))...});
}
inline size_t Tuple::size() const { return elements_.size(); }
}  // namespace ivalue

/* --- Types and IValues --------------------------------------------------------------------------------------------- */

namespace detail {

/* The conversions of a type T whose IValue method has the given name. */
#define FL_IVALUE(T, method)                                  \
    template <> struct InIValue<T> {                          \
        static T of(const IValue &v) { return v.method(); }   \
    };
FL_IVALUE(at::Tensor, toTensor)
FL_IVALUE(bool, toBool)
FL_IVALUE(int64_t, toInt)
FL_IVALUE(SymInt, toSymInt)
FL_IVALUE(c10::complex<double>, toComplexDouble)
FL_IVALUE(Scalar, toScalar)
FL_IVALUE(ScalarType, toScalarType)
FL_IVALUE(Device, toDevice)
FL_IVALUE(std::string, toStringRef)
FL_IVALUE(std::string_view, toStringView)
FL_IVALUE(List<int64_t>, toIntList)
FL_IVALUE(List<double>, toDoubleList)
FL_IVALUE(List<bool>, toBoolList)
FL_IVALUE(List<at::Tensor>, toTensorList)
FL_IVALUE(impl::GenericList, toList)
FL_IVALUE(impl::GenericDict, toGenericDict)
FL_IVALUE(intrusive_ptr<ivalue::Tuple>, toTuple)
#undef FL_IVALUE
template <> struct InIValue<IValue> {
    static const IValue &of(const IValue &v) { return v; }
};
template <> struct InIValue<int32_t> {
    static int32_t of(const IValue &v) { return int32_t(v.toInt()); }
};
template <> struct InIValue<double> {
    static double of(const IValue &v) { return v.isInt() ? double(v.toInt()) : v.toDouble(); }
};
template <> struct InIValue<float> {
    static float of(const IValue &v) { return float(v.to<double>()); }
};

/* The four types whose lists have their own representation; other lists are lists of IValues. */
template <class T> inline constexpr bool has_lists = std::is_same_v<T, int64_t> || std::is_same_v<T, double> ||
                                                     std::is_same_v<T, bool> || std::is_same_v<T, at::Tensor>;
template <class T> struct InIValue<List<T>, std::enable_if_t<!has_lists<T> && !std::is_same_v<T, IValue>>> {
    static IValue make(const List<T> &list) {
        impl::GenericList mixed;
        for (const T &item : list) mixed.push_back(IValue(item));
        return mixed;
    }
    static List<T> of(const IValue &v) {
        List<T> list;
        for (const IValue &item : v.toList()) list.push_back(item.to<T>());
        return list;
    }
};
template <class T> struct InIValue<std::vector<T>> {
    static IValue make(const std::vector<T> &items) { return List<T>(items); }
    static std::vector<T> of(const IValue &v) { return InIValue<List<T>>::of(v).vec(); }
};
template <class T> struct InIValue<ArrayRef<T>> {
    static IValue make(ArrayRef<T> items) { return List<T>(items); }
};
template <class T, size_t n> struct InIValue<std::array<T, n>> {
    static IValue make(const std::array<T, n> &items) { return List<T>(std::vector<T>(items.begin(), items.end())); }
};
template <class T> struct InIValue<optional<T>> {
    static IValue make(const optional<T> &v) { return v ? IValue(*v) : IValue(); }
    static optional<T> of(const IValue &v) { return v.toOptional<T>(); }
};
template <class K, class V>
struct InIValue<Dict<K, V>, std::enable_if_t<!(std::is_same_v<K, IValue> && std::is_same_v<V, IValue>)>> {
    static IValue make(const Dict<K, V> &dict) {
        impl::GenericDict mixed;
        for (const auto &entry : dict) mixed.insert(IValue(entry.key()), IValue(entry.value()));
        return mixed;
    }
    static Dict<K, V> of(const IValue &v) {
        Dict<K, V> dict;
        for (const auto &entry : v.toGenericDict()) dict.insert(entry.key().to<K>(), entry.value().to<V>());
        return dict;
    }
};
template <class Map> struct InMap {
    static IValue make(const Map &map) {
        impl::GenericDict mixed;
        for (const auto &pair : map) mixed.insert(IValue(pair.first), IValue(pair.second));
        return mixed;
    }
    static Map of(const IValue &v) {
        Map map;
        for (const auto &entry : v.toGenericDict())
            map.emplace(entry.key().to<typename Map::key_type>(), entry.value().to<typename Map::mapped_type>());
        return map;
    }
};
template <class K, class V> struct InIValue<std::unordered_map<K, V>> : InMap<std::unordered_map<K, V>> {};
template <class K, class V> struct InIValue<std::map<K, V>> : InMap<std::map<K, V>> {};
template <class... T> struct InIValue<std::tuple<T...>> {
    static IValue make(const std::tuple<T...> &tuple) {
        return std::apply([](const T &...parts) { return IValue(ivalue::Tuple::create(parts...)); }, tuple);
    }
    static std::tuple<T...> of(const IValue &v) { return of(v.toTupleRef().elements(), std::index_sequence_for<T...>()); }

  private:
    template <size_t... i> static std::tuple<T...> of(const std::vector<IValue> &parts, std::index_sequence<i...>) {
        TORCH_CHECK(parts.size() == sizeof...(T), "Expected a tuple of ", sizeof...(T), " elements, got ", parts.size());
        return std::tuple<T...>{parts[i].to<T>()...};
    }
};
template <class T, class U> struct InIValue<std::pair<T, U>> {
    static IValue make(const std::pair<T, U> &pair) { return ivalue::Tuple::create(pair.first, pair.second); }
    static std::pair<T, U> of(const IValue &v) {
        auto [first, second] = InIValue<std::tuple<T, U>>::of(v);
        return {std::move(first), std::move(second)};
    }
};
template <class T>
struct InIValue<intrusive_ptr<T>, std::enable_if_t<std::is_base_of_v<torch::CustomClassHolder, T>>> {
    static IValue make(const intrusive_ptr<T> &object) {
        if (!object) return IValue();
        return IValue(Custom{intrusive_ptr<torch::CustomClassHolder>(object), typeid(T).name()});
    }
    static intrusive_ptr<T> of(const IValue &v) { return v.toCustomClass<T>(); }
};

}  // namespace detail

/* --- IValue -------------------------------------------------------------------------------------------------------- */

inline IValue::IValue(const Scalar &s) {
    if (s.isFloatingPoint()) payload_ = held(s.toDouble());
    else if (s.isBoolean()) payload_ = held(s.toBool());
    else if (s.isComplex()) payload_ = held(s.toComplexDouble());
    else payload_ = held(s.toLong());
}
inline Scalar IValue::toScalar() const {
    TORCH_CHECK(isScalar(), "IValue is not a Scalar");
    if (isInt()) return toInt();
    if (isBool()) return toBool();
    return isDouble() ? Scalar(toDouble()) : Scalar(toComplexDouble());
}
inline const char *IValue::tagKind() const {
    constexpr const char *names[] = {"None", "Tensor", "Bool", "Int", "Double", "ComplexDouble", "String", "Device",
                                     "IntList", "DoubleList", "BoolList", "TensorList", "GenericList", "GenericDict",
                                     "Tuple", "Object"};
    return names[int(kind())];
}
inline void IValue::is_no(const char *name) const {
    TORCH_CHECK(false, "Expected IValue to be a ", name, ", but it is a ", tagKind());
}
inline impl::GenericList IValue::toList() const {
    impl::GenericList mixed;
    auto fill = [&](const auto &list) {
        for (const auto &item : list) mixed.push_back(IValue(item));
    };
    if (isIntList()) fill(get<List<int64_t>>("List"));
    else if (isDoubleList()) fill(get<List<double>>("List"));
    else if (isBoolList()) fill(get<List<bool>>("List").vec());
    else if (isTensorList()) fill(get<List<at::Tensor>>("List"));
    else if (isTuple()) fill(toTupleRef().elements());
    else return get<impl::GenericList>("GenericList");
    return mixed;
}
template <class T> intrusive_ptr<T> IValue::toCustomClass() const {
    const detail::Custom &held = custom();
    TORCH_CHECK(std::string_view(held.type) == typeid(T).name(), "Tried to convert an IValue of type ", held.type,
                     " to custom class type ", typeid(T).name());
    return intrusive_ptr<T>(static_cast<T *>(held.object.get()));
}
inline bool IValue::equals(const IValue &other) const {
    if (isTensor() && other.isTensor()) return toTensor().is_same(other.toTensor());
    if (kind() != other.kind()) return false;
    if (isIntList() || isDoubleList() || isBoolList() || isTensorList() || is<impl::GenericList>()) {
        auto a = toListRef(), b = other.toListRef();
        return a == b;
    }
    if (isTuple()) return toTupleRef().elements() == other.toTupleRef().elements();
    if (isGenericDict()) {
        auto a = toGenericDict(), b = other.toGenericDict();
        if (a.size() != b.size()) return false;
        for (const auto &entry : a)
            if (!b.contains(entry.key()) || !(b.at(entry.key()) == entry.value())) return false;
        return true;
    }
    return isNone() || (isBool() && toBool() == other.toBool()) || (isInt() && toInt() == other.toInt()) ||
           (isDouble() && toDouble() == other.toDouble()) || (isString() && toStringRef() == other.toStringRef()) ||
           (isComplexDouble() && toComplexDouble() == other.toComplexDouble()) ||
           (isDevice() && toDevice() == other.toDevice()) || (isCustomClass() && custom() == other.custom());
}
inline std::ostream &operator<<(std::ostream &out, const IValue &v) {
    if (v.isTensor()) return out << v.toTensor();
    if (v.isScalar()) return out << v.toScalar();
    if (v.isString()) return out << v.toStringRef();
    if (v.isDevice()) return out << v.toDevice();
    if (v.isNone()) return out << "None";
    auto listed = [&](const std::vector<IValue> &items, char open, char close) -> std::ostream & {
        out << open;
        for (size_t i = 0; i < items.size(); i++) out << (i ? ", " : "") << items[i];
        return out << close;
    };
    if (v.isList()) return listed(v.toListRef(), '[', ']');
    if (v.isTuple()) return listed(v.toTupleRef().elements(), '(', ')');
    return out << '<' << v.tagKind() << '>';
}

namespace impl {
template <class T> List<T> toTypedList(const GenericList &list) { return IValue(list).to<List<T>>(); }
template <class K, class V> Dict<K, V> toTypedDict(const GenericDict &dict) { return IValue(dict).to<Dict<K, V>>(); }
template <class K, class V> GenericDict toGenericDict(const Dict<K, V> &dict) { return IValue(dict).toGenericDict(); }
template <class T> GenericList toList(const List<T> &list) { return IValue(list).toList(); }
}  // namespace impl

}  // namespace c10
