/* Values by name in a stream of bytes: OutputArchive writes them, InputArchive reads them. The format is that of
 * torch.save for a dictionary. */
#pragma once

#include <ATen/core/boxing/Objects.h>
#include <torch/types.h>

#include <fstream>
#include <istream>

namespace torch {
namespace serialize {
namespace detail {

/* What torch.save writes for a value. */
inline std::string saved(const c10::IValue &value) {
    using at::detail::Object;
    at::detail::Gil gil;
    Object file = Object::checked(PyObject_CallObject(at::detail::imported("io", "BytesIO").get(), nullptr));
    Object object(at::detail::object_of(value));
    Object::checked(PyObject_CallFunction(at::detail::imported("flambeau_tensor.serialization", "save").get(), "OO",
                                          object.get(), file.get()));
    Object bytes = Object::checked(PyObject_CallMethod(file.get(), "getvalue", nullptr));
    return {PyBytes_AsString(bytes.get()), size_t(PyBytes_Size(bytes.get()))};
}
/* The value that torch.load reads. */
inline c10::IValue loaded(const std::string &text) {
    using at::detail::Object;
    at::detail::Gil gil;
    Object bytes = Object::checked(PyBytes_FromStringAndSize(text.data(), Py_ssize_t(text.size())));
    Object file = Object::checked(PyObject_CallFunction(at::detail::imported("io", "BytesIO").get(), "O", bytes.get()));
    Object value = Object::checked(PyObject_CallFunction(
        at::detail::imported("flambeau_tensor.serialization", "load").get(), "O", file.get()));
    return at::detail::ivalue_of(value.get());
}

}  // namespace detail

class OutputArchive final {
  public:
    void write(const std::string &key, const c10::IValue &value) { values_.insert_or_assign(key, value); }
    void write(const std::string &key, const at::Tensor &value, bool is_buffer = false) {
        (void)is_buffer;
        values_.insert_or_assign(key, value);
    }
    /* Write another archive under a name. */
    void write(const std::string &key, OutputArchive &nested) { values_.insert_or_assign(key, nested.values_); }
    void save_to(std::ostream &stream) {
        const std::string bytes = detail::saved(values_);
        stream.write(bytes.data(), std::streamsize(bytes.size()));
    }
    void save_to(const std::string &filename) {
        std::ofstream stream(filename, std::ios::binary);
        TORCH_CHECK(stream, "cannot write to ", filename);
        save_to(stream);
    }

  private:
    c10::Dict<std::string, c10::IValue> values_;
};

class InputArchive final {
  public:
    void load_from(std::istream &stream, optional<at::Device> = nullopt) {
        std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
        const c10::IValue value = detail::loaded(text);
        TORCH_CHECK(value.isGenericDict(), "expected a file that torch::save wrote, which holds a dictionary");
        values_ = value.to<c10::Dict<std::string, c10::IValue>>();
    }
    void load_from(const std::string &filename, optional<at::Device> = nullopt) {
        std::ifstream stream(filename, std::ios::binary);
        TORCH_CHECK(stream, "cannot read ", filename);
        load_from(stream);
    }
    bool try_read(const std::string &key, c10::IValue &value) {
        if (!values_.contains(key)) return false;
        value = values_.at(key);
        return true;
    }
    bool try_read(const std::string &key, at::Tensor &value, bool is_buffer = false) {
        (void)is_buffer;
        if (!values_.contains(key) || !values_.at(key).isTensor()) return false;
        value = values_.at(key).toTensor();
        return true;
    }
    bool try_read(const std::string &key, InputArchive &nested) {
        if (!values_.contains(key) || !values_.at(key).isGenericDict()) return false;
        nested.values_ = values_.at(key).to<c10::Dict<std::string, c10::IValue>>();
        return true;
    }
    /* The same, but throws an error if there is no value of that name and kind. */
    template <class T> void read(const std::string &key, T &value) {
        TORCH_CHECK(try_read(key, value), "No such serialized value '", key, "'");
    }
    void read(const std::string &key, at::Tensor &value, bool is_buffer = false) {
        TORCH_CHECK(try_read(key, value, is_buffer), "No such serialized tensor '", key, "'");
    }
    std::vector<std::string> keys() {
        std::vector<std::string> names;
        for (const auto &entry : values_) names.push_back(entry.key());
        return names;
    }

  private:
    c10::Dict<std::string, c10::IValue> values_;
};

}  // namespace serialize
}  // namespace torch
