/* Conversion between IValues and Python objects: lists of mixed values, dictionaries, tuples and custom classes; and
 * the names of their types in schemas. */
#pragma once

#include <ATen/core/boxing/Object.h>
#include <ATen/core/ivalue.h>

namespace at {
namespace detail {

/* --- Objects of custom classes: a capsule in the Python object holds the C++ object
 * ---------------------------------- */

inline Object capsule_of(const c10::detail::Custom &custom) {
    using Pointer = c10::intrusive_ptr<torch::CustomClassHolder>;
    auto pointer = std::make_unique<Pointer>(custom.object);
    Object capsule = Object::checked(PyCapsule_New(pointer.get(), custom.type, [](PyObject *capsule) {
        delete static_cast<Pointer *>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
    }));
    pointer.release();
    return capsule;
}
/* The object in a capsule. */
inline IValue custom_of(PyObject *capsule) {
    const char *type = PyCapsule_GetName(capsule);
    auto *pointer = static_cast<c10::intrusive_ptr<torch::CustomClassHolder> *>(PyCapsule_GetPointer(capsule, type));
    if (!pointer) throw Error::recorded();
    return IValue(c10::detail::Custom{*pointer, type});
}

}  // namespace detail
inline void Tensor::set_data(const Tensor &other) const {
    detail::Gil gil;
    const detail::Object self(fl_to_python(handle())), data(fl_to_python(other.handle()));
    if (PyObject_SetAttrString(self.get(), "data", data.get())) throw Error::recorded();
}
inline void manual_seed(uint64_t seed) {
    detail::Gil gil;
    const detail::Object set = detail::imported("flambeau_tensor", "manual_seed");
    detail::Object::checked(PyObject_CallFunction(set.get(), "K", static_cast<unsigned long long>(seed)));
}
namespace detail {

/* --- Values to objects ----------------------------------------------------------------------------------------------- */

inline PyObject *object_of(const IValue &v); /* a new reference; throws */

inline PyObject *list_object(const std::vector<IValue> &items) {
    Object list = Object::checked(PyList_New(Py_ssize_t(items.size())));
    for (size_t i = 0; i < items.size(); i++) PyList_SetItem(list.get(), Py_ssize_t(i), object_of(items[i]));
    return list.release();
}
inline PyObject *object_of(const IValue &v) {
    Gil gil;
    Object made;
    if (v.isNone() || (v.isTensor() && !v.toTensor().defined())) made = Object::shared(Py_None);
    else if (v.isTensor()) made = fl_to_python(v.toTensor().handle());
    else if (v.isBool()) made = PyBool_FromLong(v.toBool());
    else if (v.isInt()) made = PyLong_FromLongLong(v.toInt());
    else if (v.isDouble()) made = PyFloat_FromDouble(v.toDouble());
    else if (v.isComplexDouble()) made = PyComplex_FromDoubles(v.toComplexDouble().real(), v.toComplexDouble().imag());
    else if (v.isString()) made = PyUnicode_FromStringAndSize(v.toStringRef().data(), Py_ssize_t(v.toStringRef().size()));
    else if (v.isList()) made = list_object(v.toListRef());
    else if (v.isTuple()) made = PyList_AsTuple(Object(list_object(v.toTupleRef().elements())).get());
    else if (v.isDevice()) made = PyObject_CallFunction(imported("flambeau_tensor", "device").get(), "s", v.toDevice().str().c_str());
    else if (v.isGenericDict()) {
        made = Object::checked(PyDict_New());
        for (const auto &entry : v.toGenericDict()) {
            Object key(object_of(entry.key())), value(object_of(entry.value()));
            if (PyDict_SetItem(made.get(), key.get(), value.get())) throw Error::recorded();
        }
    } else {
        Object capsule = capsule_of(v.custom());
        made = PyObject_CallFunction(imported("flambeau_cext.classes", "_wrapped").get(), "sO", v.custom().type,
                                     capsule.get());
    }
    return Object::checked(made.release()).release();
}

/* --- Objects to values ----------------------------------------------------------------------------------------------- */

inline IValue ivalue_of(PyObject *object); /* throws a TypeError if the object cannot be an IValue */

inline std::vector<IValue> items_of(PyObject *sequence) {
    Object tuple = Object::checked(PySequence_Tuple(sequence));
    std::vector<IValue> items;
    for (Py_ssize_t i = 0; i < PyTuple_Size(tuple.get()); i++) items.push_back(ivalue_of(PyTuple_GetItem(tuple.get(), i)));
    return items;
}
/* A list of the items' common type. */
inline IValue list_of_items(const std::vector<IValue> &items) {
    auto all = [&](bool (IValue::*is)() const) {
        for (const IValue &item : items)
            if (!(item.*is)()) return false;
        return !items.empty();
    };
    IValue mixed = c10::impl::GenericList(items);
    if (all(&IValue::isTensor)) return mixed.toTensorList();
    if (all(&IValue::isInt)) return mixed.toIntList();
    if (all(&IValue::isDouble)) return mixed.toDoubleList();
    if (all(&IValue::isBool)) return mixed.toBoolList();
    return mixed;
}
inline IValue ivalue_of(PyObject *o) {
    Gil gil;
    if (o == Py_None) return IValue();
    if (fl_tensor tensor = fl_from_python(o)) return Tensor::borrow(tensor);
    if (PyBool_Check(o)) return o == Py_True;
    if (PyLong_Check(o)) {
        long long i = PyLong_AsLongLong(o);
        if (i == -1 && PyErr_Occurred()) throw Error::recorded();
        return int64_t(i);
    }
    if (PyFloat_Check(o)) return PyFloat_AsDouble(o);
    if (PyComplex_Check(o)) return c10::complex<double>(PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o));
    if (PyUnicode_Check(o)) {
        Object bytes = Object::checked(PyUnicode_AsUTF8String(o));
        return std::string(PyBytes_AsString(bytes.get()), size_t(PyBytes_Size(bytes.get())));
    }
    if (PyTuple_Check(o)) return c10::ivalue::Tuple::create(items_of(o));
    if (PyList_Check(o)) return list_of_items(items_of(o));
    if (PyDict_Check(o)) {
        c10::impl::GenericDict dict;
        PyObject *key, *value;
        Py_ssize_t place = 0;
        while (PyDict_Next(o, &place, &key, &value)) dict.insert(ivalue_of(key), ivalue_of(value));
        return dict;
    }
    std::string type = name_of_type(o);
    if (type == "device") {
        Object text = Object::checked(PyObject_Str(o));
        return Device(ivalue_of(text.get()).toStringRef());
    }
    Object capsule(PyObject_GetAttrString(o, "_capsule"));
    if (capsule.get() && PyCapsule_CheckExact(capsule.get())) return custom_of(capsule.get());
    PyErr_Clear();
    Object number = Object::checked(
        PyObject_CallFunctionObjArgs(imported("flambeau_tensor.c_api", "abi_number").get(), o, nullptr)); /* of a dtype */
    if (number.get() != Py_None) return ivalue_of(number.get());
    if (PyIndex_Check(o)) return ivalue_of(Object::checked(PyNumber_Index(o)).get());
    TORCH_CHECK_TYPE(false, "a ", type, " is nothing that a C++ operator takes");
}
/* From a value of the C interface. */
inline IValue ivalue_of(const fl_value &v) {
    switch (v.kind) {
    case FL_VALUE_NONE: return IValue();
    case FL_VALUE_TENSOR: return Tensor::borrow(v.as.tensor);
    case FL_VALUE_OBJECT: return ivalue_of(static_cast<PyObject *>(v.as.object));
    case FL_VALUE_STRING: return std::string(v.as.string);
    case FL_VALUE_DTYPE: return v.as.integer;
    case FL_VALUE_INTS: return IntArrayRef(v.as.ints, size_t(v.count));
    case FL_VALUE_DOUBLES: return ArrayRef<double>(v.as.doubles, size_t(v.count));
    case FL_VALUE_BOOLS: return std::vector<bool>(v.as.ints, v.as.ints + v.count);
    case FL_VALUE_TENSORS: {
        std::vector<Tensor> list;
        for (int32_t i = 0; i < v.count; i++) list.push_back(Tensor::borrow(v.as.tensors[i]));
        return list;
    }
    default: return Scalar::of(v);
    }
}

/* --- Names of types in schemas --------------------------------------------------------------------------------------- */

template <class T, class> struct Typed;

template <class T> struct SchemaType {
    static_assert(sizeof(T) == 0, "operators do not take or return this type");
};
template <> struct SchemaType<IValue> {
    static std::string name() { return "Any"; }
};
template <> struct SchemaType<Device> {
    static std::string name() { return "Device"; }
};
template <> struct SchemaType<c10::complex<double>> {
    static std::string name() { return "Scalar"; }
};
template <class T> struct SchemaType<c10::List<T>> {
    static std::string name() { return Typed<T, void>::name() + "[]"; }
};
template <class T> struct SchemaType<std::vector<T>> : SchemaType<c10::List<T>> {};
template <class T> struct SchemaType<ArrayRef<T>> : SchemaType<c10::List<T>> {};
template <class T, size_t n> struct SchemaType<std::array<T, n>> : SchemaType<c10::List<T>> {};
template <class K, class V> struct SchemaType<c10::Dict<K, V>> {
    static std::string name() { return "Dict(" + Typed<K, void>::name() + ", " + Typed<V, void>::name() + ")"; }
};
template <> struct SchemaType<c10::impl::GenericDict> {
    static std::string name() { return "Dict(Any, Any)"; }
};
template <class K, class V> struct SchemaType<std::unordered_map<K, V>> : SchemaType<c10::Dict<K, V>> {};
template <class K, class V> struct SchemaType<std::map<K, V>> : SchemaType<c10::Dict<K, V>> {};
template <class... T> struct SchemaType<std::tuple<T...>> {
    static std::string name() {
        std::string names;
        ((names += (names.empty() ? "" : ", ") + Typed<T, void>::name()), ...);
        return "(" + names + ")";
    }
};
template <class T, class U> struct SchemaType<std::pair<T, U>> : SchemaType<std::tuple<T, U>> {};
/* By the name under which the class was registered, here or by another library. */
template <class T> struct SchemaType<c10::intrusive_ptr<T>> {
    static std::string name() {
        Gil gil;
        Object name = Object::checked(
            PyObject_CallFunction(imported("flambeau_cext.classes", "_name_of").get(), "s", typeid(T).name()));
        return ivalue_of(name.get()).toStringRef();
    }
};


/* --- C++ functions as Python functions with positional arguments ------------------------------------------------------ */

using ObjectFunction = std::function<IValue(const std::vector<IValue> &)>;

inline PyObject *run_object_function(PyObject *capsule, PyObject *arguments) {
    auto *function = static_cast<ObjectFunction *>(PyCapsule_GetPointer(capsule, nullptr));
    try {
        return object_of((*function)(items_of(arguments)));
    } catch (...) {
        fl::record_exception();
        return nullptr;
    }
}
inline Object python_function(ObjectFunction function) {
    static PyMethodDef definition = {"method", run_object_function, METH_VARARGS, nullptr};
    auto owned = std::make_unique<ObjectFunction>(std::move(function));
    Object capsule = Object::checked(PyCapsule_New(owned.get(), nullptr, [](PyObject *capsule) {
        delete static_cast<ObjectFunction *>(PyCapsule_GetPointer(capsule, nullptr));
    }));
    owned.release();
    return Object::checked(PyCFunction_New(&definition, capsule.get()));
}

/* Register a hook; the result is its key in the tensor's `_backward_hooks`. */
inline unsigned add_hook(const Tensor &tensor, ObjectFunction hook) {
    Gil gil;
    const Object self(fl_to_python(tensor.handle())), function = python_function(std::move(hook));
    const Object handle = Object::checked(PyObject_CallMethod(self.get(), "register_hook", "O", function.get()));
    const Object id = Object::checked(PyObject_GetAttrString(handle.get(), "id"));
    return unsigned(PyLong_AsUnsignedLong(id.get()));
}

}  // namespace detail

}  // namespace at

namespace torch {
namespace autograd {

/* A node of the graph, which is an object of Python. */
class Node {
  public:
    explicit Node(at::detail::Object object) : object_(std::move(object)) {}
    Node(const Node &) = delete;
    ~Node() {
        at::detail::Gil gil;
        object_ = at::detail::Object();
    }
    std::string name() const {
        at::detail::Gil gil;
        return at::detail::ivalue_of(at::detail::Object::checked(PyObject_CallMethod(object_.get(), "name", nullptr)).get())
            .toStringRef();
    }
    PyObject *object() const { return object_.get(); }

  private:
    at::detail::Object object_;
};

}  // namespace autograd
}  // namespace torch

namespace at {

template <class Hook> unsigned Tensor::register_hook(Hook &&hook) const {
    return detail::add_hook(*this, [hook = std::decay_t<Hook>(std::forward<Hook>(hook))](
                                       const std::vector<IValue> &arguments) mutable -> IValue {
        Tensor grad = arguments[0].isNone() ? Tensor() : arguments[0].toTensor();
        if constexpr (std::is_void_v<std::invoke_result_t<Hook &, Tensor>>) {
            hook(std::move(grad));
            return {};
        } else {
            Tensor result = hook(std::move(grad));
            return result.defined() ? IValue(result) : IValue();
        }
    });
}
inline uint32_t Tensor::output_nr() const {
    detail::Gil gil;
    const detail::Object self(fl_to_python(handle()));
    return uint32_t(PyLong_AsUnsignedLong(detail::Object::checked(PyObject_GetAttrString(self.get(), "output_nr")).get()));
}
inline std::shared_ptr<torch::autograd::Node> Tensor::grad_fn() const {
    detail::Gil gil;
    const detail::Object self(fl_to_python(handle()));
    detail::Object node = detail::Object::checked(PyObject_GetAttrString(self.get(), "grad_fn"));
    return node.get() == Py_None ? nullptr : std::make_shared<torch::autograd::Node>(std::move(node));
}
inline void Tensor::remove_hook(unsigned position) const {
    detail::Gil gil;
    const detail::Object self(fl_to_python(handle()));
    const detail::Object hooks = detail::Object::checked(PyObject_GetAttrString(self.get(), "_backward_hooks"));
    const detail::Object key(PyLong_FromUnsignedLong(position));
    if (hooks.get() == Py_None || PyObject_DelItem(hooks.get(), key.get())) {
        PyErr_Clear();
        TORCH_CHECK_INDEX(false, "Invalid index, no hook at position ", position);
    }
}

}  // namespace at

namespace c10 {
inline void LinAlgError::raise() const noexcept {
    at::detail::Gil gil;
    try {
        PyErr_SetString(at::detail::imported("flambeau_tensor.linalg", "LinAlgError").get(), what());
    } catch (const Error &error) {
        error.raise();
    }
}
}  // namespace c10
