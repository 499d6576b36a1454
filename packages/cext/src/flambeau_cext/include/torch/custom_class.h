/* C++ classes in Python: torch::class_<Stack>("ns", "Stack").def(torch::init<int64_t>()).def("push", &Stack::push)
 * creates torch.classes.ns.Stack, for a class derived from torch::CustomClassHolder. Operators accept and return
 * c10::intrusive_ptr<Stack>. */
#pragma once

#include <ATen/core/boxing/Objects.h>
#include <torch/csrc/loading.h>

namespace torch {

using c10::intrusive_ptr;
using c10::make_intrusive;

/* A parameter's name and optional default: torch::arg("size") = 3. */
class arg {
  public:
    explicit arg(std::string name) : name_(std::move(name)) {}
    template <class T> arg &operator=(const T &value) {
        value_ = c10::IValue(value);
        return *this;
    }
    static c10::IValue none() { return c10::IValue(); }
    const std::string &name() const { return name_; }
    const c10::optional<c10::IValue> &value() const { return value_; }

  private:
    std::string name_;
    c10::optional<c10::IValue> value_;
};

namespace detail {

using at::detail::ObjectFunction;
using at::detail::python_function;

/* The type that holds an argument: data that it points to lives as long as the call. */
template <class T> struct HeldValue { using type = T; };
template <class T> struct HeldValue<c10::ArrayRef<T>> { using type = std::vector<T>; };
template <> struct HeldValue<std::string_view> { using type = std::string; };

template <class R, class... A, class F, size_t... i>
c10::IValue call_with(const F &f, const std::vector<c10::IValue> &values, std::index_sequence<i...>) {
    TORCH_CHECK_TYPE(values.size() == sizeof...(A), "expected ", sizeof...(A), " arguments, got ", values.size());
    std::tuple<typename HeldValue<std::decay_t<A>>::type...> held{
        values[i].template to<typename HeldValue<std::decay_t<A>>::type>()...};
    (void)held;
    if constexpr (std::is_void_v<R>) return f(static_cast<A>(std::get<i>(held))...), c10::IValue();
    else return c10::IValue(std::decay_t<R>(f(static_cast<A>(std::get<i>(held))...)));
}
/* The signature of a callable; methods of T take the object first. */
template <class T, class F> struct Signature : Signature<T, decltype(&F::operator())> {};
template <class T, class R, class... A> struct Signature<T, R (*)(A...)> {
    template <class F> static ObjectFunction of(F f) {
        return [f](const std::vector<c10::IValue> &values) {
            return call_with<R, A...>(f, values, std::index_sequence_for<A...>());
        };
    }
};
template <class T, class R, class F, class... A> struct Signature<T, R (F::*)(A...) const> : Signature<T, R (*)(A...)> {};
template <class T, class R, class F, class... A> struct Signature<T, R (F::*)(A...)> : Signature<T, R (*)(A...)> {};

template <class T, class F> ObjectFunction object_function(F f) { return Signature<T, F>::of(std::move(f)); }
template <class T, class C, class R, class... A> ObjectFunction object_function(R (C::*method)(A...)) {
    return Signature<T, R (*)(const intrusive_ptr<T> &, A...)>::of(
        [method](const intrusive_ptr<T> &self, A... arguments) -> R {
            return ((*self).*method)(static_cast<A &&>(arguments)...);
        });
}
template <class T, class C, class R, class... A> ObjectFunction object_function(R (C::*method)(A...) const) {
    return Signature<T, R (*)(const intrusive_ptr<T> &, A...)>::of(
        [method](const intrusive_ptr<T> &self, A... arguments) -> R {
            return ((*self).*method)(static_cast<A &&>(arguments)...);
        });
}

/* The constructor signature of a class. */
template <class... A> struct Constructor {};
template <class F> struct Factory {
    F f;
};

}  // namespace detail

template <class... A> detail::Constructor<A...> init() { return {}; }
template <class F> detail::Factory<std::decay_t<F>> init(F &&f) { return {std::forward<F>(f)}; }

template <class T> class class_ {
    static_assert(std::is_base_of_v<CustomClassHolder, T>,
                  "torch::class_<T> requires T to inherit from CustomClassHolder");

  public:
    class_(const std::string &space, const std::string &name, const std::string &doc = "") {
        detail::while_loading([&] {
            class_ref_ = Object::checked(PyObject_CallFunction(function("_define").get(), "ssss", space.c_str(),
                                                               name.c_str(), typeid(T).name(), doc.c_str()))
                             .release(); /* classes exist until the process ends */
        });
    }
    template <class... A>
    class_ &def(detail::Constructor<A...>, std::string doc = "", std::initializer_list<arg> arguments = {}) {
        auto make = [](A... given) { return make_intrusive<T>(std::forward<A>(given)...); };
        return add("_define_constructor", "__init__", detail::Signature<T, intrusive_ptr<T> (*)(A...)>::of(make), doc, arguments);
    }
    template <class F>
    class_ &def(detail::Factory<F> factory, std::string doc = "", std::initializer_list<arg> arguments = {}) {
        return add("_define_constructor", "__init__", detail::object_function<T>(factory.f), doc, arguments);
    }
    /* A method, or a function whose first parameter is intrusive_ptr<T>. */
    template <class F>
    class_ &def(const std::string &name, F f, std::string doc = "", std::initializer_list<arg> arguments = {}) {
        return add("_define_method", name, detail::object_function<T>(f), doc, arguments);
    }
    template <class F> class_ &def_static(const std::string &name, F f, std::string doc = "") {
        return add("_define_static", name, detail::object_function<T>(f), doc, {});
    }
    template <class G> class_ &def_property(const std::string &name, G getter, std::string doc = "") {
        return add("_define_getter", name, detail::object_function<T>(getter), doc, {});
    }
    template <class G, class S, class = std::enable_if_t<!std::is_convertible_v<S, std::string>>>
    class_ &def_property(const std::string &name, G getter, S setter, std::string doc = "") {
        def_property(name, getter, doc);
        return add("_define_setter", name, detail::object_function<T>(setter), doc, {});
    }
    template <class Field> class_ &def_readonly(const std::string &name, Field T::*field) {
        return def_property(name, [field](const intrusive_ptr<T> &self) { return (*self).*field; });
    }
    template <class Field> class_ &def_readwrite(const std::string &name, Field T::*field) {
        return def_property(name, [field](const intrusive_ptr<T> &self) { return (*self).*field; },
                            [field](const intrusive_ptr<T> &self, Field value) { (*self).*field = std::move(value); });
    }
    /* Pickling: one function that returns the state of an object, and one that restores an object from it. */
    template <class Get, class Set> class_ &def_pickle(Get get, Set set) {
        add("_define_method", "__getstate__", detail::object_function<T>(get), "", {});
        return add("_define_static", "_of_state", detail::object_function<T>(set), "", {});
    }

  private:
    using Object = at::detail::Object;
    static Object function(const char *name) { return at::detail::imported("flambeau_cext.classes", name); }
    class_ &add(const char *how, const std::string &name, detail::ObjectFunction f, const std::string &doc,
                std::initializer_list<arg> arguments) {
        detail::while_loading([&] {
            c10::List<std::tuple<std::string, bool, c10::IValue>> named;
            for (const arg &a : arguments)
                named.push_back({a.name(), a.value().has_value(), a.value().value_or(c10::IValue())});
            Object list(at::detail::object_of(c10::IValue(named))), call = detail::python_function(std::move(f));
            Object::checked(PyObject_CallFunction(function(how).get(), "OsOsO", class_ref_, name.c_str(), call.get(),
                                                  doc.c_str(), list.get()));
        });
        return *this;
    }
    PyObject *class_ref_ = nullptr;
};

/* An object as a value of its class. */
template <class T, class... A> c10::IValue make_custom_class(A &&...arguments) {
    return c10::IValue(make_intrusive<T>(std::forward<A>(arguments)...));
}

namespace jit {
using torch::class_;
}

}  // namespace torch
