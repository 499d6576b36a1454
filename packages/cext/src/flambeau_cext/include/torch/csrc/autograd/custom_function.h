/* Custom differentiable operations in C++: derive from torch::autograd::Function<T>, define forward and backward as
 * static functions, and call T::apply. The recorded node is an autograd.Function like Python's. */
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/util/Type.h>
#include <torch/types.h>

/* independent of the limited API version: flambeau needs Python 3.11, and this exists since 3.10 */
#ifndef METH_FASTCALL
#define METH_FASTCALL 0x0080
#endif

namespace torch {
namespace autograd {

using Variable = at::Tensor;
using variable_list = std::vector<Variable>;
using tensor_list = variable_list;

namespace detail {

using at::detail::called;
using at::detail::imported;
using at::detail::Object;

inline PyObject *new_object(const Variable &v) {
    return v.defined() ? fl_to_python(v.handle()) : (Py_INCREF(Py_None), Py_None);
}
inline Variable variable(PyObject *object) {
    if (object == Py_None) return Variable();
    fl_tensor handle = fl_from_python(object);
    if (!handle) {
        Object name = Object::checked(PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(object)), "__name__"));
        PyErr_Format(PyExc_TypeError, "expected a Tensor, got %U", name.get());
        throw c10::Error::recorded();
    }
    return Variable::borrow(handle);
}
inline Object tuple_of(const variable_list &list, size_t nones = 0) {
    Object tuple = Object::checked(PyTuple_New(Py_ssize_t(list.size() + nones)));
    for (size_t i = 0; i < list.size(); i++) PyTuple_SetItem(tuple.get(), Py_ssize_t(i), new_object(list[i]));
    for (size_t i = list.size(); i < list.size() + nones; i++) {
        Py_INCREF(Py_None);
        PyTuple_SetItem(tuple.get(), Py_ssize_t(i), Py_None);
    }
    return tuple;
}
inline variable_list list_of(PyObject *sequence) {
    Object tuple = Object::checked(PySequence_Tuple(sequence));
    variable_list list;
    for (Py_ssize_t i = 0, n = PyTuple_Size(tuple.get()); i < n; i++)
        list.push_back(variable(PyTuple_GetItem(tuple.get(), i)));
    return list;
}
}  // namespace detail

/* Whether any of them requires grad. */
inline bool any_variable_requires_grad(const variable_list &variables) {
    for (const Variable &v : variables)
        if (v.defined() && v.requires_grad()) return true;
    return false;
}

/* The state that forward and backward share. */
struct AutogradContext {
    AutogradContext() = default;
    AutogradContext(const AutogradContext &) = delete;

    std::unordered_map<std::string, at::IValue> saved_data;

    void save_for_backward(const variable_list &tensors) { call("save_for_backward", tensors); }
    void mark_dirty(const variable_list &inputs) { call("mark_dirty", inputs); }
    void mark_non_differentiable(const variable_list &outputs) { call("mark_non_differentiable", outputs); }
    void set_materialize_grads(bool value) {
        detail::Object::checked(PyObject_CallMethod(python_, "set_materialize_grads", "O", value ? Py_True : Py_False));
    }
    variable_list get_saved_variables() const {
        detail::Object saved = detail::Object::checked(PyObject_GetAttrString(python_, "saved_tensors"));
        return detail::list_of(saved.get());
    }
    /* Whether the tensor with this index among those passed to apply needs a gradient. */
    bool needs_input_grad(size_t number) const {
        detail::Object needs = detail::Object::checked(PyObject_GetAttrString(python_, "needs_input_grad"));
        for (size_t i = 0; i < is_variable_.size(); i++)
            if (is_variable_[i] && number-- == 0) return PyTuple_GetItem(needs.get(), Py_ssize_t(i)) == Py_True;
        return false;
    }

  private:
    template <class T> friend struct Function;
    void call(const char *method, const variable_list &tensors) const {
        detail::Object bound = detail::Object::checked(PyObject_GetAttrString(python_, method));
        detail::Object::checked(PyObject_CallObject(bound.get(), detail::tuple_of(tensors).get()));
    }
    PyObject *python_ = nullptr; /* the node, which owns this */
    std::vector<bool> is_variable_; /* for each argument of forward */
};

template <class T> struct Function {
    /* Run T::forward(ctx, arguments...) and record it; tensors in the arguments, also in lists, receive gradients. */
    template <class X = T, class... Arguments>
    static auto apply(Arguments &&...arguments)
        -> decltype(X::forward(static_cast<AutogradContext *>(nullptr), std::forward<Arguments>(arguments)...)) {
        using Result = decltype(X::forward(nullptr, std::forward<Arguments>(arguments)...));
        constexpr bool single = std::is_same_v<Result, Variable>;
        static_assert(single || std::is_same_v<Result, variable_list>, "forward returns Tensor or variable_list");
        at::detail::Gil gil;
        const int recording = fl_grad_mode(-1);
        const at::AutoGradMode mode(at::detail::below_autograd ? recording || at::detail::recorded_above : recording);
        std::vector<detail::Object> inputs;
        Call call;
        (collect(arguments, inputs, call.is_variable), ...);
        call.run = [&](AutogradContext *ctx) {
            auto result = X::forward(ctx, std::forward<Arguments>(arguments)...);
            if constexpr (single) return detail::Object(detail::new_object(result));
            else return detail::tuple_of(result);
        };
        inputs.push_back(detail::Object::checked(PyLong_FromVoidPtr(&call)));
        detail::Object outputs = detail::called(python_apply(), inputs);
        if (call.thrown) {
            PyErr_Clear();
            std::rethrow_exception(call.thrown);
        }
        if (!outputs.get()) throw c10::Error::recorded();
        if constexpr (single) return detail::variable(outputs.get());
        else return detail::list_of(outputs.get());
    }

  private:
    /* A call of forward that passes through Python; its address is the last argument there. */
    struct Call {
        std::function<detail::Object(AutogradContext *)> run;
        std::vector<bool> is_variable;
        std::exception_ptr thrown;
    };

    static void collect_one(const Variable &v, std::vector<detail::Object> &inputs, std::vector<bool> &is_variable) {
        is_variable.push_back(v.defined());
        inputs.emplace_back(detail::new_object(v));
    }
    template <class A>
    static void collect(const A &argument, std::vector<detail::Object> &inputs, std::vector<bool> &is_variable) {
        if constexpr (std::is_convertible_v<const A &, const Variable &>) {
            collect_one(argument, inputs, is_variable);
        } else if constexpr (std::is_same_v<A, optional<Variable>>) {
            collect_one(argument.value_or(Variable()), inputs, is_variable);
        } else if constexpr (std::is_convertible_v<const A &, at::TensorList>) {
            for (const Variable &v : at::TensorList(argument)) collect_one(v, inputs, is_variable);
        } else {
            collect_one(Variable(), inputs, is_variable);
        }
    }

    static PyObject *forward_from_python(PyObject *, PyObject *const *args, Py_ssize_t n) {
        Call *call = static_cast<Call *>(PyLong_AsVoidPtr(args[n - 1]));
        try {
            auto ctx = std::make_unique<AutogradContext>();
            AutogradContext *context = ctx.get();
            context->python_ = args[0];
            context->is_variable_ = call->is_variable;
            detail::Object owner = detail::Object::checked(PyCapsule_New(ctx.get(), nullptr, [](PyObject *capsule) {
                delete static_cast<AutogradContext *>(PyCapsule_GetPointer(capsule, nullptr));
            }));
            ctx.release();
            if (PyObject_SetAttrString(args[0], "_cpp_context", owner.get())) throw c10::Error::recorded();
            return call->run(context).release();
        } catch (...) {
            call->thrown = std::current_exception();
            PyErr_SetString(PyExc_RuntimeError, "forward threw");
            return nullptr;
        }
    }

    static PyObject *backward_from_python(PyObject *, PyObject *const *args, Py_ssize_t n) {
        try {
            detail::Object owner = detail::Object::checked(PyObject_GetAttrString(args[0], "_cpp_context"));
            auto *context = static_cast<AutogradContext *>(PyCapsule_GetPointer(owner.get(), nullptr));
            variable_list grads;
            for (Py_ssize_t i = 1; i < n; i++) grads.push_back(detail::variable(args[i]));
            variable_list result = T::backward(context, std::move(grads));
            size_t expected = context->is_variable_.size();
            while (result.size() > expected && !result.back().defined()) result.pop_back();
            TORCH_CHECK(result.size() == expected, "function ", name(), "Backward returned an incorrect number of "
                        "gradients (expected ", expected, ", got ", result.size(), ")");
            return detail::tuple_of(result, 1).release();
        } catch (...) {
            fl::record_exception();
            return nullptr;
        }
    }

    static std::string name() {
        std::string full = c10::demangle(typeid(T).name());
        return full.substr(full.rfind(':') + 1);
    }

    /* The apply method of the Python class for T, created at the first use. */
    static PyObject *python_apply() {
        static PyMethodDef methods[] = {
            {"forward", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(forward_from_python)), METH_FASTCALL,
             nullptr},
            {"backward", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(backward_from_python)),
             METH_FASTCALL, nullptr}};
        static PyObject *apply = nullptr;
        if (apply) return apply;
        detail::Object base = detail::imported("flambeau_autograd", "Function");
        detail::Object forward = detail::Object::checked(PyCFunction_New(&methods[0], nullptr));
        detail::Object backward = detail::Object::checked(PyCFunction_New(&methods[1], nullptr));
        detail::Object body = detail::Object::checked(
            Py_BuildValue("{s:O,s:O}", "forward", forward.get(), "backward", backward.get()));
        detail::Object made = detail::Object::checked(PyObject_CallFunction(
            reinterpret_cast<PyObject *>(&PyType_Type), "s(O)O", name().c_str(), base.get(), body.get()));
        apply = detail::Object::checked(PyObject_GetAttrString(made.get(), "apply")).release();
        return apply;
    }
};

/* Return the gradients of outputs with respect to inputs; an undefined tensor if there is none and allow_unused is
 * set. */
inline variable_list grad(const variable_list &outputs, const variable_list &inputs,
                          const variable_list &grad_outputs = {}, optional<bool> retain_graph = nullopt,
                          bool create_graph = false, bool allow_unused = false) {
    at::detail::Gil gil;
    detail::Object function = detail::imported("flambeau_autograd", "grad");
    detail::Object args = detail::Object::checked(
        Py_BuildValue("NN", detail::tuple_of(outputs).release(), detail::tuple_of(inputs).release()));
    detail::Object keywords = detail::Object::checked(Py_BuildValue(
        "{s:N,s:O,s:O,s:O}", "grad_outputs",
        grad_outputs.empty() ? (Py_INCREF(Py_None), Py_None) : detail::tuple_of(grad_outputs).release(), "retain_graph",
        !retain_graph ? Py_None : *retain_graph ? Py_True : Py_False, "create_graph", create_graph ? Py_True : Py_False,
        "allow_unused", allow_unused ? Py_True : Py_False));
    return detail::list_of(detail::Object::checked(PyObject_Call(function.get(), args.get(), keywords.get())).get());
}

/* Add the gradients of tensors to the grad of the leaves of their graph. */
inline void backward(const variable_list &tensors, const variable_list &grad_tensors = {},
                     optional<bool> retain_graph = nullopt, bool create_graph = false) {
    at::detail::Gil gil;
    detail::Object function = detail::imported("flambeau_autograd", "backward");
    detail::Object args = detail::Object::checked(Py_BuildValue(
        "NNOO", detail::tuple_of(tensors).release(),
        grad_tensors.empty() ? (Py_INCREF(Py_None), Py_None) : detail::tuple_of(grad_tensors).release(),
        !retain_graph ? Py_None : *retain_graph ? Py_True : Py_False, create_graph ? Py_True : Py_False));
    detail::Object::checked(PyObject_CallObject(function.get(), args.get()));
}

}  // namespace autograd
}  // namespace torch
