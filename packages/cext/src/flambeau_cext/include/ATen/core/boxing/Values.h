/* C++ arguments and results as values of the C interface, and the types of a C++ function as a schema. */
#pragma once

#include <ATen/core/boxing/Objects.h>

#include <array>

namespace at {
namespace detail {

/* For each type T of operator arguments and results: its name in schemas; `from`, which holds an argument during the
 * call; `argument`, a value that the caller keeps; `result`, a value whose ownership passes on. */
template <class T, class = void> struct Typed { /* types that the C interface has only as Python objects */
    static std::string name() { return SchemaType<T>::name(); }
    static T from(const fl_value &v) { return ivalue_of(v).to<T>(); }
    static fl_value argument(const T &v) {
        static thread_local PyObject *last[8] = {}; /* of one call; the last ones outlive Python */
        static thread_local size_t next = 0;
        Gil gil;
        PyObject *&held = last[next++ % 8];
        const Object before(std::exchange(held, object_of(IValue(v))));
        return fl_of_object(held);
    }
    static fl_value result(const T &v) { return fl_of_object(object_of(IValue(v))); }
    static T take(fl_value &v) {
        T taken = from(v);
        Gil gil;
        fl_clear(&v);
        return taken;
    }
};

template <> struct Typed<Tensor> {
    static std::string name() { return "Tensor"; }
    static Tensor from(const fl_value &v) { return Tensor::borrow(v.kind == FL_VALUE_TENSOR ? v.as.tensor : nullptr); }
    static fl_value argument(const Tensor &t) { return t.defined() ? of_tensor(t) : fl_none(); }
    static fl_value result(Tensor t) { return fl_of_tensor(t.release()); }
    static Tensor take(fl_value &v) { return tensor_of(v); }
};

#define FL_NUMBER(T, schema, make, read)                                   \
    template <> struct Typed<T> {                                          \
        static std::string name() { return schema; }                       \
        static T from(const fl_value &v) { return Scalar::of(v).read; }    \
        static fl_value argument(T number) { return make(number); }        \
        static fl_value result(T number) { return make(number); }          \
        static T take(fl_value &v) { return from(v); }                     \
    }
FL_NUMBER(bool, "bool", fl_of_bool, toBool());
FL_NUMBER(int64_t, "int", fl_of_int, toLong());
FL_NUMBER(int, "int", fl_of_int, toInt());
FL_NUMBER(double, "float", fl_of_double, toDouble());
FL_NUMBER(float, "float", fl_of_double, toFloat());
#undef FL_NUMBER
template <> struct Typed<SymInt> {
    static std::string name() { return "SymInt"; }
    static SymInt from(const fl_value &v) { return Typed<int64_t>::from(v); }
    static fl_value argument(SymInt i) { return of_int(i.expect_int()); }
    static fl_value result(SymInt i) { return argument(i); }
    static SymInt take(fl_value &v) { return from(v); }
};

template <> struct Typed<Scalar> {
    static std::string name() { return "Scalar"; }
    static Scalar from(const fl_value &v) { return Scalar::of(v); }
    static fl_value argument(const Scalar &s) { return s.value(); }
    static fl_value result(const Scalar &s) { return s.value(); }
    static Scalar take(fl_value &v) { return from(v); }
};
template <> struct Typed<ScalarType> {
    static std::string name() { return "ScalarType"; }
    static ScalarType from(const fl_value &v) { return ScalarType(v.as.integer); }
    static fl_value argument(ScalarType type) { return of_dtype(type); }
    static fl_value result(ScalarType type) { return of_dtype(type); }
    static ScalarType take(fl_value &v) { return from(v); }
};
template <> struct Typed<Layout> {
    static std::string name() { return "Layout"; }
    static Layout from(const fl_value &) { return kStrided; }
    static fl_value argument(Layout) { return fl_default(); }
};
template <> struct Typed<MemoryFormat> {
    static std::string name() { return "MemoryFormat"; }
    static MemoryFormat from(const fl_value &) { return MemoryFormat::Contiguous; }
    static fl_value argument(MemoryFormat) { return fl_default(); }
};

template <> struct Typed<std::string> {
    static std::string name() { return "str"; }
    static std::string from(const fl_value &v) { return v.as.string; }
    static fl_value argument(const std::string &text) { return of_string(text); }
    static fl_value result(std::string text) { /* copied after the kernel returns */
        static thread_local std::string last;
        last = std::move(text);
        return of_string(last);
    }
    static std::string take(fl_value &v) {
        std::string text = v.as.string;
        Gil gil;
        fl_clear(&v);
        return text;
    }
};
template <> struct Typed<std::string_view> {
    static std::string name() { return "str"; }
    static std::string_view from(const fl_value &v) { return v.as.string; }
};

template <class T> constexpr const char *list_name() {
    return std::is_same_v<T, int64_t> ? "int[]" : std::is_same_v<T, double> ? "float[]" : "bool[]";
}
template <> struct Typed<IntArrayRef> {
    static std::string name() { return "int[]"; }
    static IntArrayRef from(const fl_value &v) { return {v.as.ints, size_t(v.count)}; }
    static fl_value argument(IntArrayRef list) { return of_ints(list); }
};
template <> struct Typed<SymIntArrayRef> {
    static std::string name() { return "SymInt[]"; }
    static SymIntArrayRef from(const fl_value &v) { return c10::fromIntArrayRefSlow(Typed<IntArrayRef>::from(v)); }
    static fl_value argument(SymIntArrayRef list) { return of_ints(c10::asIntArrayRefUnchecked(list)); }
};
template <> struct Typed<ArrayRef<double>> {
    static std::string name() { return "float[]"; }
    static ArrayRef<double> from(const fl_value &v) { return {v.as.doubles, size_t(v.count)}; }
    static fl_value argument(ArrayRef<double> list) { return of_doubles(list); }
};
template <> struct Typed<TensorList> {
    static_assert(sizeof(Tensor) == sizeof(fl_tensor), "a list of handles is a list of tensors");
    static std::string name() { return "Tensor[]"; }
    static TensorList from(const fl_value &v) {
        return {reinterpret_cast<const Tensor *>(v.as.tensors), size_t(v.count)};
    }
    static fl_value argument(TensorList list) { return of_tensors(list); }
};
template <class T>
struct Typed<std::vector<T>, std::enable_if_t<c10::detail::has_lists<T> && !std::is_same_v<T, Tensor>>> {
    static std::string name() { return list_name<T>(); }
    static std::vector<T> from(const fl_value &v) {
        if constexpr (std::is_same_v<T, double>) return std::vector<T>(v.as.doubles, v.as.doubles + v.count);
        else return std::vector<T>(v.as.ints, v.as.ints + v.count);
    }
    static fl_value argument(const std::vector<T> &list) {
        if constexpr (std::is_same_v<T, double>) {
            return of_doubles(list);
        } else if constexpr (std::is_same_v<T, bool>) {
            static thread_local std::vector<int64_t> last;
            last.assign(list.begin(), list.end());
            fl_value v = of_ints(last);
            v.kind = FL_VALUE_BOOLS;
            return v;
        } else {
            return of_ints(list);
        }
    }
    static fl_value result(std::vector<T> list) { /* copied after the kernel returns */
        static thread_local std::vector<T> last;
        last = std::move(list);
        return argument(last);
    }
    static std::vector<T> take(fl_value &v) {
        std::vector<T> list = from(v);
        Gil gil;
        fl_clear(&v);
        return list;
    }
};
template <> struct Typed<std::vector<Tensor>> {
    static std::string name() { return "Tensor[]"; }
    static std::vector<Tensor> from(const fl_value &v) { return Typed<TensorList>::from(v).vec(); }
    static fl_value argument(const std::vector<Tensor> &list) { return of_tensors(list); }
    static fl_value result(std::vector<Tensor> list) {
        fl_value v;
        if (fl_new_list(&v, int32_t(list.size()))) throw Error::recorded();
        for (size_t i = 0; i < list.size(); i++) const_cast<fl_tensor *>(v.as.tensors)[i] = list[i].release();
        return v;
    }
    static std::vector<Tensor> take(fl_value &v) { return tensors_of(v); }
};
template <> struct Typed<std::vector<optional<Tensor>>> {
    static std::string name() { return "Tensor?[]"; }
    static std::vector<optional<Tensor>> from(const fl_value &v) {
        std::vector<optional<Tensor>> list(size_t(v.count));
        for (size_t i = 0; i < list.size(); i++)
            if (v.as.tensors[i]) list[i] = Tensor::borrow(v.as.tensors[i]);
        return list;
    }
    static fl_value result(std::vector<optional<Tensor>> list) {
        std::vector<Tensor> tensors;
        for (auto &t : list) tensors.push_back(t.value_or(Tensor()));
        return Typed<std::vector<Tensor>>::result(std::move(tensors));
    }
};
/* Types whose lists have their own representation, and other types. */
template <class T> inline constexpr bool is_plain_list = c10::detail::has_lists<T> || std::is_same_v<T, optional<Tensor>>;
template <class T> struct Typed<c10::List<T>, std::enable_if_t<is_plain_list<T>>> {
    static std::string name() { return Typed<std::vector<T>>::name(); }
    static c10::List<T> from(const fl_value &v) { return c10::List<T>(Typed<std::vector<T>>::from(v)); }
    static fl_value result(const c10::List<T> &list) { return Typed<std::vector<T>>::result(list.vec()); }
};
template <size_t n> struct Typed<std::array<bool, n>> {
    static std::string name() { return "bool[]"; }
    static std::array<bool, n> from(const fl_value &v) {
        std::array<bool, n> flags{};
        for (size_t i = 0; i < n && i < size_t(v.count); i++) flags[i] = v.as.ints[i] != 0;
        return flags;
    }
};
template <class T> struct Typed<optional<T>> {
    static std::string name() { return Typed<T>::name() + "?"; }
    static optional<T> from(const fl_value &v) {
        if (v.kind == FL_VALUE_NONE) return nullopt;
        return Typed<T>::from(v);
    }
    static fl_value argument(const optional<T> &o) { return o ? Typed<T>::argument(*o) : fl_none(); }
    static fl_value result(optional<T> o) { return o ? Typed<T>::result(std::move(*o)) : fl_none(); }
    static optional<T> take(fl_value &v) {
        if (v.kind == FL_VALUE_NONE) return nullopt;
        return Typed<T>::take(v);
    }
};
template <> struct Typed<OptionalIntArrayRef> {
    static std::string name() { return "int[]?"; }
    static OptionalIntArrayRef from(const fl_value &v) {
        if (v.kind == FL_VALUE_NONE) return nullopt;
        return Typed<IntArrayRef>::from(v);
    }
    static fl_value argument(const OptionalIntArrayRef &list) { return of_ints_or_none(list); }
};

/* The result of a function. */
template <class R> struct Returned {
    static constexpr int count = 1;
    static std::string name() { return Typed<std::decay_t<R>>::name(); }
    static void put(const std::decay_t<R> &r, fl_value *results) { results[0] = Typed<std::decay_t<R>>::result(r); }
    static std::decay_t<R> take(fl_value *results) { return Typed<std::decay_t<R>>::take(results[0]); }
};
template <> struct Returned<void> {
    static constexpr int count = 0;
    static std::string name() { return "()"; }
};
template <class... R> struct Returned<std::tuple<R...>> {
    static constexpr int count = sizeof...(R);
    static std::string name() {
        std::string names;
        ((names += (names.empty() ? "" : ", ") + Typed<std::decay_t<R>>::name()), ...);
        return "(" + names + ")";
    }
    static void put(const std::tuple<R...> &r, fl_value *results) { put(r, results, std::index_sequence_for<R...>()); }
    static std::tuple<R...> take(fl_value *results) { return take(results, std::index_sequence_for<R...>()); }

  private:
    template <size_t... i> static void put(const std::tuple<R...> &r, fl_value *results, std::index_sequence<i...>) {
        ((results[i] = Typed<std::decay_t<R>>::result(std::get<i>(r))), ...);
    }
    template <size_t... i> static std::tuple<R...> take(fl_value *results, std::index_sequence<i...>) {
        return std::tuple<R...>{Typed<std::decay_t<R>>::take(results[i])...};
    }
};

/* "Tensor, float -> Tensor" */
template <class R, class... A> std::string types_of() {
    std::string names;
    ((names += (names.empty() ? "" : ", ") + Typed<std::decay_t<A>>::name()), ...);
    return names + " -> " + Returned<R>::name();
}

/* Call any callable with arguments from values; errors are recorded. */
template <class R, class... A, class F, size_t... i>
int32_t run_boxed(const F &f, const fl_value *args, fl_value *results, std::index_sequence<i...>) noexcept {
    try {
        std::tuple<std::decay_t<A>...> held{Typed<std::decay_t<A>>::from(args[i])...};
        if constexpr (std::is_void_v<R>) f(static_cast<A>(std::get<i>(held))...);
        else Returned<R>::put(f(static_cast<A>(std::get<i>(held))...), results);
        (void)held, (void)args, (void)results;
        return Returned<R>::count;
    } catch (...) {
        fl::record_exception();
        return -1;
    }
}

}  // namespace detail
}  // namespace at
