/* Operators called with StableIValues, and kernels that take them. */
#pragma once

#include <torch/csrc/loading.h>
#include <torch/csrc/stable/stableivalue_conversions.h>

namespace torch {
namespace stable {
namespace detail {

/* Call "ns::name" with the arguments in stack, which has room for the schema's arguments; the results replace them. */
inline void call_dispatcher(const char *name, const char *overload, StableIValue *stack) {
    Gil gil;
    std::string full = name;
    size_t colons = full.find("::");
    TORCH_CHECK(colons != std::string::npos, "torch_call_dispatcher: ", name, " has no namespace");
    Object space = imported("flambeau_cext.ops", full.substr(0, colons).c_str());
    Object packet = Object::checked(PyObject_GetAttrString(space.get(), full.c_str() + colons + 2));
    Object op = Object::checked(PyObject_GetAttrString(packet.get(), *overload ? overload : "default"));
    Object schema = Object::checked(PyObject_GetAttrString(op.get(), "_schema"));
    Object arguments = Object::checked(PyObject_GetAttrString(schema.get(), "arguments"));
    Object args = Object::checked(PyList_New(0)), keywords = Object::checked(PyDict_New());
    for (Py_ssize_t i = 0, n = PyList_Size(arguments.get()); i < n; i++) {
        PyObject *argument = PyList_GetItem(arguments.get(), i);
        Object by_keyword = Object::checked(PyObject_GetAttrString(argument, "kwarg_only"));
        Object word = Object::checked(PyObject_GetAttrString(argument, "name"));
        if (by_keyword.get() == Py_True ? PyDict_SetItem(keywords.get(), word.get(), stack[i].get())
                                        : PyList_Append(args.get(), stack[i].get()))
            throw c10::Error::recorded();
    }
    Object tuple = Object::checked(PyList_AsTuple(args.get()));
    Object result = Object::checked(PyObject_Call(op.get(), tuple.get(), keywords.get()));
    Object returns = Object::checked(PyObject_GetAttrString(schema.get(), "returns"));
    Py_ssize_t count = PyList_Size(returns.get());
    if (count == 1) stack[0] = StableIValue(std::move(result));
    else if (count > 1) {
        Object items = Object::checked(PySequence_Tuple(result.get()));
        for (Py_ssize_t i = 0; i < count; i++) stack[i] = StableIValue(Object::shared(PyTuple_GetItem(items.get(), i)));
    }
}

using BoxedFunction = void (*)(StableIValue *, uint64_t, uint64_t);

/* The argument of a kernel as an object. */
inline Object argument_object(const fl_value &v) {
    const auto list = [&v](auto item) {
        Object items = Object::checked(PyList_New(v.count));
        for (int32_t i = 0; i < v.count; i++) PyList_SetItem(items.get(), i, item(i).release());
        return items;
    };
    switch (v.kind) {
    case FL_VALUE_TENSOR: return v.as.tensor ? Object::checked(static_cast<PyObject *>(fl_to_python(v.as.tensor))) : Object();
    case FL_VALUE_INT: return Object::checked(PyLong_FromLongLong(v.as.integer));
    case FL_VALUE_DOUBLE: return Object::checked(PyFloat_FromDouble(v.as.real));
    case FL_VALUE_BOOL: return Object::shared(v.as.integer ? Py_True : Py_False);
    case FL_VALUE_COMPLEX: return Object::checked(PyComplex_FromDoubles(v.as.re_im[0], v.as.re_im[1]));
    case FL_VALUE_DTYPE: return dtype_object(v.as.integer);
    case FL_VALUE_STRING: return Object::checked(PyUnicode_FromString(v.as.string));
    case FL_VALUE_INTS: return list([&](int32_t i) { return Object::checked(PyLong_FromLongLong(v.as.ints[i])); });
    case FL_VALUE_DOUBLES: return list([&](int32_t i) { return Object::checked(PyFloat_FromDouble(v.as.doubles[i])); });
    case FL_VALUE_BOOLS: return list([&](int32_t i) { return Object::shared(v.as.ints[i] ? Py_True : Py_False); });
    case FL_VALUE_TENSORS:
        return list([&](int32_t i) {
            return v.as.tensors[i] ? Object::checked(static_cast<PyObject *>(fl_to_python(v.as.tensors[i])))
                                   : Object::shared(Py_None);
        });
    case FL_VALUE_OBJECT: return Object::shared(static_cast<PyObject *>(v.as.object));
    default: return {};
    }
}
/* Whether it is a list of nothing but tensors; an empty list may be one of any type. */
inline bool has_only_tensors(PyObject *list) {
    for (Py_ssize_t i = 0; i < PyList_Size(list); i++)
        if (!fl_from_python(PyList_GetItem(list, i))) return false;
    return true;
}
inline fl_value result_of(const StableIValue &v) {
    PyObject *o = v.get();
    if (o == Py_None) return fl_none();
    if (fl_tensor tensor = fl_from_python(o)) return fl_of_tensor(fl_retain(tensor));
    if (PyBool_Check(o)) return fl_of_bool(o == Py_True);
    if (PyLong_Check(o)) return fl_of_int(PyLong_AsLongLong(o));
    if (PyFloat_Check(o)) return fl_of_double(PyFloat_AsDouble(o));
    if (PyList_Check(o) && has_only_tensors(o)) {
        fl_value list;
        const Py_ssize_t n = PyList_Size(o);
        if (fl_new_list(&list, int32_t(n))) throw c10::Error::recorded();
        for (Py_ssize_t i = 0; i < n; i++)
            const_cast<fl_tensor *>(list.as.tensors)[i] = fl_retain(fl_from_python(PyList_GetItem(o, i)));
        return list;
    }
    return fl_of_object(Object::shared(o).release());
}
/* Run a boxed function, which is the context, as a kernel of the C interface. */
inline int32_t run_stable(void *context, const fl_value *args, int32_t n, fl_value *results, int32_t nresults) {
    try {
        Gil gil;
        std::vector<StableIValue> stack(size_t(std::max(n, nresults)));
        for (int32_t i = 0; i < n; i++) stack[size_t(i)] = StableIValue(argument_object(args[i]));
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
