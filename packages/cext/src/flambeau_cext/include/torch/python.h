/* Tensors as arguments and results of functions bound with pybind11, and C++ modules as Python modules. */
#pragma once

#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/nn/module.h>

namespace pybind11 {
namespace detail {

/* Converts to a Python class, because each extension has its own instance of this C++ class. */
template <class Value> struct type_caster<torch::OrderedDict<std::string, Value>> {
    static constexpr auto name = const_name("OrderedDict[str, ") + make_caster<Value>::name + const_name("]");
    static handle cast(const torch::OrderedDict<std::string, Value> &dict, return_value_policy, handle) {
        list pairs;
        for (const auto &item : dict) pairs.append(item.pair());
        return module_::import("flambeau_nn.cpp").attr("OrderedItems")(pairs).release();
    }
};

}  // namespace detail
}  // namespace pybind11

namespace torch {
namespace detail {

/* Bind the methods of torch::nn::Module for all bound subclasses, as a class "Module" local to the extension. */
template <class Module> void bind_module_base(pybind11::module_ place) {
    namespace py = pybind11;
    if (py::detail::get_local_type_info(typeid(Module))) return;
    auto to = [](Module &m, py::object what, bool non_blocking) {
        c10::ScalarType type;
        if (read_dtype(what.ptr(), type)) m.to(type, non_blocking);
        else m.to(what.cast<c10::Device>(), non_blocking);
    };
    auto to_both = [](Module &m, c10::Device device, c10::ScalarType type, bool non_blocking) {
        m.to(device, type, non_blocking);
    };
    auto named_modules = [](Module &m, py::object, std::string prefix, bool) { return m.named_modules(prefix); };
    py::class_<Module, std::shared_ptr<Module>>(place, "Module", py::module_local())
        .def("train", [](Module &m, bool mode) { m.train(mode); }, py::arg("mode") = true)
        .def("eval", &Module::eval)
        .def("clone", [](Module &m) { return m.clone(); })
        .def("parameters", &Module::parameters, py::arg("recurse") = true)
        .def("named_parameters", &Module::named_parameters, py::arg("recurse") = true)
        .def("buffers", &Module::buffers, py::arg("recurse") = true)
        .def("named_buffers", &Module::named_buffers, py::arg("recurse") = true)
        .def("modules", [](Module &m) { return m.modules(); })
        .def("named_modules", named_modules, py::arg("memo") = py::none(), py::arg("prefix") = "",
             py::arg("remove_duplicate") = true)
        .def("children", &Module::children)
        .def("named_children", &Module::named_children)
        .def("to", to, py::arg("dtype_or_device"), py::arg("non_blocking") = false)
        .def("to", to_both, py::arg("device"), py::arg("dtype"), py::arg("non_blocking") = false)
        .def("float", [](Module &m) { m.to(c10::kFloat); })
        .def("double", [](Module &m) { m.to(c10::kDouble); })
        .def("half", [](Module &m) { m.to(c10::kHalf); })
        .def("cpu", [](Module &m) { m.to(c10::Device(c10::kCPU)); })
        .def("cuda", [](Module &m) { m.to(c10::Device(c10::kCUDA)); })
        .def("zero_grad", [](Module &m) { m.zero_grad(); })
        .def("__str__", [](Module &m) { return m.name(); })
        .def("__repr__", [](Module &m) { return m.name(); })
        .def_property_readonly("training", &Module::is_training)
        .def_property_readonly("_parameters", [](Module &m) { return m.named_parameters(false); })
        .def_property_readonly("_buffers", [](Module &m) { return m.named_buffers(false); })
        .def_property_readonly("_modules", &Module::named_children);
}

template <class M, class = void> struct has_one_forward : std::false_type {};
template <class M> struct has_one_forward<M, std::void_t<decltype(&M::forward)>> : std::true_type {};

}  // namespace detail

namespace python {

template <class M> using PyModuleClass = pybind11::class_<M, torch::nn::Module, std::shared_ptr<M>>;

/* Bind a C++ module as a class of `place` with this name, a subclass of Python's nn.Module. Constructors and methods that
 * are defined on the returned class are available in Python. A `forward` that is not overloaded is already bound. */
template <class M, bool without_forward = false> PyModuleClass<M> bind_module(pybind11::module_ place, const char *name) {
    pybind11::module_ inner = place.def_submodule("cpp");
    detail::bind_module_base<torch::nn::Module>(inner);
    PyModuleClass<M> bound(inner, name);
    if constexpr (!without_forward && detail::has_one_forward<M>::value)
        bound.def("forward", &M::forward).def("__call__", &M::forward);
    auto wrapper_class = pybind11::module_::import("flambeau_nn.cpp").attr("wrapper_class");
    place.attr(name) = wrapper_class(bound, place.attr("__name__"));
    return bound;
}

}  // namespace python
}  // namespace torch
