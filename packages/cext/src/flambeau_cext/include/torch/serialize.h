/* torch::save and torch::load: tensors, lists of them, values, modules and optimizers in files and streams. */
#pragma once

#include <torch/nn/module.h>
#include <torch/serialize/archive.h>

namespace torch {
namespace serialize {
namespace detail {

inline void put(OutputArchive &archive, const at::Tensor &tensor) { archive.write("0", tensor); }
inline void put(OutputArchive &archive, const std::vector<at::Tensor> &tensors) {
    for (size_t i = 0; i < tensors.size(); i++) archive.write(std::to_string(i), tensors[i]);
}
inline void put(OutputArchive &archive, const nn::Module &module) { module.save(archive); }
template <class M> void put(OutputArchive &archive, const std::shared_ptr<M> &module) { put(archive, *module); }
template <class M> void put(OutputArchive &archive, const nn::ModuleHolder<M> &module) { put(archive, *module); }

inline void get(InputArchive &archive, at::Tensor &tensor) { archive.read("0", tensor); }
inline void get(InputArchive &archive, std::vector<at::Tensor> &tensors) {
    at::Tensor tensor;
    for (size_t i = 0; archive.try_read(std::to_string(i), tensor); i++) tensors.push_back(tensor);
}
inline void get(InputArchive &archive, nn::Module &module) { module.load(archive); }
template <class M> void get(InputArchive &archive, const std::shared_ptr<M> &module) { get(archive, *module); }
template <class M> void get(InputArchive &archive, const nn::ModuleHolder<M> &module) { get(archive, *module); }

}  // namespace detail
}  // namespace serialize

/* Save a tensor, a list of tensors or a module to the file of this name, or to a stream. */
template <class T, class Target> void save(const T &value, Target &&target) {
    serialize::OutputArchive archive;
    serialize::detail::put(archive, value);
    archive.save_to(std::forward<Target>(target));
}
/* Load what `save` saved: into a tensor, into a list of tensors, which grows, or into the parameters of a module. */
template <class T, class Source> void load(T &value, Source &&source) {
    serialize::InputArchive archive;
    archive.load_from(std::forward<Source>(source));
    serialize::detail::get(archive, value);
}

/* The bytes that torch.save writes for a value, and the value in such bytes. */
inline std::vector<char> pickle_save(const at::IValue &value) {
    const std::string bytes = serialize::detail::saved(value);
    return {bytes.begin(), bytes.end()};
}
inline at::IValue pickle_load(const std::vector<char> &data) {
    return serialize::detail::loaded(std::string(data.begin(), data.end()));
}

}  // namespace torch
