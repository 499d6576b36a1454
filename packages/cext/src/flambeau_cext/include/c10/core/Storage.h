/* c10::Storage: the memory of a tensor. */
#pragma once

#include <ATen/Tensor.h>

namespace c10 {

class Storage {
  public:
    Storage() = default;
    explicit Storage(at::Tensor tensor) : tensor_(std::move(tensor)) {}

    explicit operator bool() const { return tensor_.defined(); }
    size_t nbytes() const { return size_t(fl_storage_nbytes(tensor_.handle())); }
    SymInt sym_nbytes() const { return nbytes(); }
    const void *data() const {
        return static_cast<const char *>(tensor_.const_data_ptr()) - tensor_.storage_offset() * tensor_.element_size();
    }
    void *mutable_data() const {
        return static_cast<char *>(tensor_.mutable_data_ptr()) - tensor_.storage_offset() * tensor_.element_size();
    }
    template <class T> const T *data() const { return static_cast<const T *>(data()); }
    Device device() const { return tensor_.device(); }
    DeviceType device_type() const { return device().type(); }
    bool is_alias_of(const Storage &other) const { return tensor_.is_alias_of(other.tensor_); }
    /* A tensor in this memory. */
    const at::Tensor &tensor() const { return tensor_; }

  private:
    at::Tensor tensor_;
};

}  // namespace c10

namespace at {
using c10::Storage;
inline Storage Tensor::storage() const { return (checked(), Storage(*this)); }
}  // namespace at
