/* Operators called with StableIValues, and kernels that take them. */
#pragma once

#include <ATen/core/boxing/Values.h>
#include <torch/csrc/loading.h>
#include <torch/csrc/stable/stableivalue_conversions.h>

namespace torch {
namespace stable {
namespace detail {

inline at::detail::Object object_of(const StableIValue &v) {
    using at::detail::Object;
    if (v.kind() == StableIValue::DTYPE)
        return Object::checked(
            PyObject_CallFunction(at::detail::imported("flambeau_tensor.c_api", "abi_dtype").get(), "i", int(v.value().toInt())));
    if (v.kind() != StableIValue::PLAIN) {
        constexpr const char *formats[] = {"contiguous_format", "preserve_format", "channels_last", "channels_last_3d"};
        if (v.kind() == StableIValue::LAYOUT) return at::detail::imported("flambeau_tensor", "strided");
        return at::detail::imported("flambeau_tensor", formats[v.value().toInt()]);
    }
    return at::detail::object_of(v.value());
}
/* Call "ns::name" with the arguments in stack, which has room for the schema's arguments; the results replace them. */
inline void call_dispatcher(const char *name, const char *overload, StableIValue *stack) {
    using at::detail::Object;
    at::detail::Gil gil;
    std::string full = name;
    size_t colons = full.find("::");
    TORCH_CHECK(colons != std::string::npos, "torch_call_dispatcher: ", name, " has no namespace");
    Object space = at::detail::imported("flambeau_cext.ops", full.substr(0, colons).c_str());
    Object packet = Object::checked(PyObject_GetAttrString(space.get(), full.c_str() + colons + 2));
    Object op = Object::checked(PyObject_GetAttrString(packet.get(), *overload ? overload : "default"));
    Object schema = Object::checked(PyObject_GetAttrString(op.get(), "_schema"));
    Object arguments = Object::checked(PyObject_GetAttrString(schema.get(), "arguments"));
    Object args = Object::checked(PyList_New(0)), keywords = Object::checked(PyDict_New());
    for (Py_ssize_t i = 0, n = PyList_Size(arguments.get()); i < n; i++) {
        PyObject *argument = PyList_GetItem(arguments.get(), i);
        Object value = object_of(stack[i]);
        Object by_keyword = Object::checked(PyObject_GetAttrString(argument, "kwarg_only"));
        Object word = Object::checked(PyObject_GetAttrString(argument, "name"));
        if (by_keyword.get() == Py_True ? PyDict_SetItem(keywords.get(), word.get(), value.get())
                                        : PyList_Append(args.get(), value.get()))
            throw c10::Error::recorded();
    }
    Object tuple = Object::checked(PyList_AsTuple(args.get()));
    Object result = Object::checked(PyObject_Call(op.get(), tuple.get(), keywords.get()));
    Object returns = Object::checked(PyObject_GetAttrString(schema.get(), "returns"));
    Py_ssize_t count = PyList_Size(returns.get());
    if (count == 1) stack[0] = StableIValue(at::detail::ivalue_of(result.get()));
    else if (count > 1)
        for (const c10::IValue &v : at::detail::items_of(result.get())) *stack++ = StableIValue(v);
}

using BoxedFunction = void (*)(StableIValue *, uint64_t, uint64_t);

inline fl_value result_of(const StableIValue &v) {
    const c10::IValue &value = v.value();
    if (v.kind() == StableIValue::DTYPE) return at::detail::of_dtype(value.toScalarType());
    if (value.isTensor()) return at::detail::Typed<at::Tensor>::result(value.toTensor());
    if (value.isList()) { /* an empty list may be a list of any type */
        const c10::IValue items = at::detail::list_of_items(value.toListRef());
        if (items.isTensorList() || items.toList().empty())
            return at::detail::Typed<std::vector<at::Tensor>>::result(items.toTensorVector());
    }
    if (value.isNone()) return fl_none();
    if (value.isScalar()) return value.toScalar().value();
    return fl_of_object(at::detail::object_of(value));
}
/* Run a boxed function, which is the context, as a kernel of the C interface. */
inline int32_t run_stable(void *context, const fl_value *args, int32_t n, fl_value *results, int32_t nresults) {
    try {
        std::vector<StableIValue> stack(size_t(std::max(n, nresults)));
        for (int32_t i = 0; i < n; i++) stack[size_t(i)] = StableIValue(at::detail::ivalue_of(args[i]));
        reinterpret_cast<BoxedFunction>(context)(stack.data(), uint64_t(n), uint64_t(nresults));
        for (int32_t i = 0; i < nresults; i++) results[i] = result_of(stack[size_t(i)]);
        return nresults;
    } catch (...) {
        fl::record_exception();
        return -1;
    }
}

}  // namespace detail
}  // namespace stable
}  // namespace torch
