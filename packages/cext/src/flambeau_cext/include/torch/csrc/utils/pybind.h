/* Conversion of arguments and results of pybind11 functions: tensors and related types. */
#pragma once

#if !__has_include(<pybind11/pybind11.h>)
#error "torch/extension.h needs pybind11: pip install pybind11; torch/all.h does without it"
#endif
#include <ATen/core/Generator.h>
#include <torch/csrc/utils/objects.h>
#include <torch/library.h>

/* Headers that pybind11 uses come first, because the following code is compiled for size and without assertions: a
 * module consists mostly of pybind11's own code, and with -O3 that takes half of the build time. */
#include <frameobject.h>

#include <cassert>
#include <condition_variable>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <typeindex>
#include <unordered_set>
#include <valarray>
#include <variant>

#pragma push_macro("NDEBUG")
#undef NDEBUG
#if defined(__OPTIMIZE__)
#define NDEBUG 1
#endif
#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O1")
#endif
#include <pybind11/pybind11.h>
#include <pybind11/complex.h>
#include <pybind11/stl.h>
#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
#pragma pop_macro("NDEBUG")
#include <cassert> /* again: restores the behavior of assert according to NDEBUG */

namespace py = pybind11;

namespace pybind11 {
namespace detail {

template <> struct type_caster<at::Tensor> {
    PYBIND11_TYPE_CASTER(at::Tensor, const_name("torch.Tensor"));
    bool load(handle source, bool) {
        fl_tensor tensor = fl_from_python(source.ptr());
        if (tensor) value = at::Tensor::borrow(tensor);
        return tensor != nullptr; /* None is accepted by optional<Tensor> */
    }
    static handle cast(const at::Tensor &t, return_value_policy, handle) {
        return t.defined() ? handle(fl_to_python(t.handle())) : none().release();
    }
};

template <> struct type_caster<c10::Scalar> {
    PYBIND11_TYPE_CASTER(c10::Scalar, const_name("Number"));
    bool load(handle source, bool) {
        if (torch::detail::read_scalar(source.ptr(), value)) return true;
        if (PyErr_Occurred()) throw error_already_set();
        return false;
    }
    static handle cast(const c10::Scalar &s, return_value_policy, handle) { return torch::detail::make_scalar(s); }
};

template <> struct type_caster<c10::ScalarType> {
    PYBIND11_TYPE_CASTER(c10::ScalarType, const_name("torch.dtype"));
    bool load(handle source, bool) {
        if (torch::detail::read_dtype(source.ptr(), value)) return true;
        if (PyErr_Occurred()) throw error_already_set();
        return false;
    }
    static handle cast(c10::ScalarType type, return_value_policy, handle) { return torch::detail::make_dtype(type); }
};

/* The casters below call Python itself, since every use of pybind11's objects costs time to compile. */
template <> struct type_caster<c10::MemoryFormat> {
    PYBIND11_TYPE_CASTER(c10::MemoryFormat, const_name("torch.memory_format"));
    bool load(handle source, bool) {
        for (int i = 0; i < 4; i++) {
            value = formats[i];
            if (at::detail::imported("flambeau_tensor", names[i]).get() == source.ptr()) return true;
        }
        return false;
    }
    static handle cast(c10::MemoryFormat format, return_value_policy, handle) {
        int i = 0;
        while (formats[i] != format) i++;
        return at::detail::imported("flambeau_tensor", names[i]).release();
    }

  private:
    static constexpr c10::MemoryFormat formats[4] = {c10::MemoryFormat::Contiguous, c10::MemoryFormat::Preserve,
                                                     c10::MemoryFormat::ChannelsLast, c10::MemoryFormat::ChannelsLast3d};
    static constexpr const char *names[4] = {"contiguous_format", "preserve_format", "channels_last", "channels_last_3d"};
};

template <> struct type_caster<c10::Layout> {
    PYBIND11_TYPE_CASTER(c10::Layout, const_name("torch.layout"));
    bool load(handle source, bool) {
        for (int i = 0; i < int(c10::Layout::NumOptions); i++) {
            value = c10::Layout(i);
            if (at::detail::imported("flambeau_tensor", names[i]).get() == source.ptr()) return true;
        }
        return false;
    }
    static handle cast(c10::Layout layout, return_value_policy, handle) {
        return at::detail::imported("flambeau_tensor", names[int(layout)]).release();
    }

  private:
    static constexpr const char *names[] = {"strided", "sparse_coo", "sparse_csr", "_mkldnn", "sparse_csc", "sparse_bsr",
                                            "sparse_bsc", "jagged"};
};

template <> struct type_caster<c10::SymInt> {
    PYBIND11_TYPE_CASTER(c10::SymInt, const_name("Union[int, torch.SymInt]"));
    bool load(handle source, bool) {
        if (!PyIndex_Check(source.ptr())) return false;
        const at::detail::Object number = at::detail::Object::checked(PyNumber_Index(source.ptr()));
        value = int64_t(PyLong_AsLongLong(number.get()));
        if (PyErr_Occurred()) throw error_already_set();
        return true;
    }
    static handle cast(c10::SymInt i, return_value_policy, handle) { return PyLong_FromLongLong(i.expect_int()); }
};

template <> struct type_caster<at::Generator> {
    PYBIND11_TYPE_CASTER(at::Generator, const_name("torch.Generator"));
    bool load(handle source, bool) {
        if (PyObject_IsInstance(source.ptr(), at::detail::imported("flambeau_tensor", "Generator").get()) != 1) return false;
        value = at::Generator(source.ptr());
        return true;
    }
    static handle cast(const at::Generator &g, return_value_policy, handle) {
        return (g.defined() ? handle(g.object()) : handle(Py_None)).inc_ref();
    }
};

template <> struct type_caster<c10::Storage> {
    PYBIND11_TYPE_CASTER(c10::Storage, const_name("torch.StorageBase"));
    bool load(handle source, bool) {
        using at::detail::Object;
        if (PyObject_IsInstance(source.ptr(), at::detail::imported("flambeau_tensor", "UntypedStorage").get()) != 1)
            return false;
        const Object empty(fl_to_python(at::empty({0}, at::kByte).handle()));
        const Object tensor = Object::checked(PyObject_CallMethod(empty.get(), "set_", "O", source.ptr()));
        value = c10::Storage(at::Tensor::borrow(fl_from_python(tensor.get())));
        return true;
    }
    static handle cast(const c10::Storage &s, return_value_policy, handle) {
        const at::detail::Object tensor(fl_to_python(s.tensor().handle()));
        return at::detail::Object::checked(PyObject_CallMethod(tensor.get(), "untyped_storage", nullptr)).release();
    }
};

/* Lists: the caster keeps the elements during the call. */
template <class T> struct type_caster<c10::ArrayRef<T>> {
    PYBIND11_TYPE_CASTER(c10::ArrayRef<T>, const_name("Tuple[") + make_caster<T>::name + const_name(", ...]"));
    bool load(handle source, bool convert) {
        if constexpr (std::is_same_v<T, int64_t>) {
            if (PyLong_Check(source.ptr())) { /* an int is a list with one element */
                one_ = source.cast<int64_t>();
                value = c10::ArrayRef<T>(one_);
                return true;
            }
        }
        if (!list_.load(source, convert)) return false;
        value = cast_op<std::vector<T> &>(list_);
        return true;
    }
    static handle cast(c10::ArrayRef<T> list, return_value_policy policy, handle parent) {
        tuple result(list.size());
        for (size_t i = 0; i < list.size(); i++)
            result[i] = reinterpret_steal<object>(make_caster<T>::cast(list[i], policy, parent));
        return result.release();
    }

  private:
    make_caster<std::vector<T>> list_;
    T one_ = T();
};
template <> struct type_caster<c10::SymIntArrayRef> {
    PYBIND11_TYPE_CASTER(c10::SymIntArrayRef, const_name("List[int]"));
    bool load(handle source, bool convert) {
        if (!list_.load(source, convert)) return false;
        value = c10::fromIntArrayRefSlow(cast_op<std::vector<int64_t> &>(list_));
        return true;
    }
    static handle cast(c10::SymIntArrayRef list, return_value_policy policy, handle parent) {
        return make_caster<std::vector<int64_t>>::cast(c10::asIntArrayRefUnchecked(list).vec(), policy, parent);
    }

  private:
    make_caster<std::vector<int64_t>> list_;
};
template <> struct type_caster<c10::OptionalIntArrayRef> {
    PYBIND11_TYPE_CASTER(c10::OptionalIntArrayRef, const_name("Optional[List[int]]"));
    bool load(handle source, bool convert) {
        if (source.is_none()) return true;
        if (!list_.load(source, convert)) return false;
        value = cast_op<c10::IntArrayRef &>(list_);
        return true;
    }
    static handle cast(const c10::OptionalIntArrayRef &list, return_value_policy policy, handle parent) {
        return list ? make_caster<c10::IntArrayRef>::cast(*list, policy, parent) : none().release();
    }

  private:
    make_caster<c10::IntArrayRef> list_;
};

/* Accepts a torch.device or its text; returns a torch.device. */
template <> struct type_caster<c10::Device> {
    PYBIND11_TYPE_CASTER(c10::Device, const_name("torch.device"));
    type_caster() : value(c10::kCPU) {}
    bool load(handle source, bool) {
        if (source.is_none() || PyNumber_Check(source.ptr()) || fl_from_python(source.ptr())) return false;
        value = c10::Device(pybind11::str(source).cast<std::string>());
        return true;
    }
    static handle cast(const c10::Device &device, return_value_policy, handle) {
        return pybind11::module_::import("flambeau_tensor").attr("device")(device.str()).release();
    }
};

}  // namespace detail
}  // namespace pybind11

namespace torch {

namespace detail {
template <bool without_gil, class F, class R, class... A> auto wrapped(F function, R (*)(A...)) {
    return [f = std::move(function)](A... arguments) -> R {
        c10::detail::HeldWarnings warnings;
        auto call = [&]() -> R {
            [[maybe_unused]] std::conditional_t<without_gil, pybind11::gil_scoped_release, int> released;
            return f(std::forward<A>(arguments)...);
        };
        if constexpr (std::is_void_v<R>) {
            call();
            warnings.give();
        } else {
            R result = call();
            warnings.give();
            return std::forward<R>(result);
        }
    };
}
}  // namespace detail

/* For m.def("f", torch::wrap_pybind_function(f)): warnings are issued at the end of the function. Exceptions are
 * translated in any case. */
template <class F> auto wrap_pybind_function(F f) {
    return detail::wrapped<false>(std::move(f), (pybind11::detail::function_signature_t<F> *)nullptr);
}
/* The same, without the GIL during the call. */
template <class F> auto wrap_pybind_function_no_gil(F f) {
    return detail::wrapped<true>(std::move(f), (pybind11::detail::function_signature_t<F> *)nullptr);
}

namespace detail {
/* The first step of a module: 0, or -1 with the error. */
inline int start_module(const char *name) {
    if (failed_to_load(name)) return -1;
    pybind11::register_local_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (const fl::exception &e) {
            e.raise();
        }
    });
    return 0;
}
}  // namespace detail
}  // namespace torch

/* Like pybind11's, after importing the library's table: if that fails, the import fails with the reason. */
#undef PYBIND11_MODULE
#define PYBIND11_MODULE(name, variable, ...)                                                                           \
    static void PYBIND11_CONCAT(flambeau_init_, name)(::pybind11::module_ &);                                          \
    PYBIND11_PLUGIN_IMPL(name) {                                                                                       \
        PYBIND11_CHECK_PYTHON_VERSION                                                                                  \
        try {                                                                                                          \
            PYBIND11_ENSURE_INTERNALS_READY                                                                            \
            if (::torch::detail::start_module(PYBIND11_TOSTRING(name))) return nullptr;                                \
            static ::pybind11::module_::module_def definition;                                                         \
            auto module = ::pybind11::module_::create_extension_module(PYBIND11_TOSTRING(name), nullptr, &definition); \
            PYBIND11_CONCAT(flambeau_init_, name)(module);                                                             \
            return module.release().ptr();                                                                             \
        }                                                                                                              \
        PYBIND11_CATCH_INIT_EXCEPTIONS                                                                                 \
        return nullptr;                                                                                                \
    }                                                                                                                  \
    static void PYBIND11_CONCAT(flambeau_init_, name)([[maybe_unused]] ::pybind11::module_ & variable)
