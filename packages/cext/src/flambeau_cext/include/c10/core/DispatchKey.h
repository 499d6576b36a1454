/* The dispatch keys for TORCH_LIBRARY_IMPL. Those of the CPU, of tensors without elements, of autograd, of autocast, of
 * compositions and of functions that select a device are used. */
#pragma once

#include <c10/core/Device.h>

#include <initializer_list>

namespace c10 {

enum class DispatchKey : uint8_t {
    Undefined, Dense, CPU, CUDA, HIP, XLA, MPS, XPU, HPU, MTIA, IPU, VE, Lazy, MAIA, FPGA, Meta, PrivateUse1, PrivateUse2,
    PrivateUse3, MkldnnCPU, SparseCPU, SparseCUDA, SparseCsrCPU, SparseCsrCUDA, NestedTensorCPU, NestedTensorCUDA,
    QuantizedCPU, QuantizedCUDA, BackendSelect, Python, Named, Conjugate, Negative, ZeroTensor, ADInplaceOrView, Autograd,
    AutogradOther, AutogradFunctionality, AutogradCPU, AutogradCUDA, AutogradHIP, AutogradXLA, AutogradMPS, AutogradXPU,
    AutogradHPU, AutogradMeta, AutogradLazy, AutogradPrivateUse1, AutogradNestedTensor, Tracer, Autocast, AutocastCPU,
    AutocastCUDA, AutocastMPS, AutocastXPU, AutocastPrivateUse1, Functionalize, Batched, VmapMode, FuncTorchBatched,
    CatchAll, CompositeImplicitAutograd, CompositeExplicitAutograd, CompositeExplicitAutogradNonFunctional,
};

inline DispatchKey dispatch_key_of(DeviceType type) {
    switch (type) {
    case kCPU: return DispatchKey::CPU;
    case kMeta: return DispatchKey::Meta;
    default: return DispatchKey::CUDA; /* a device that does not exist here */
    }
}

/* A set of dispatch keys: which kernel redispatch(set, ...) calls. */
class DispatchKeySet {
  public:
    enum Full { FULL };
    enum FullAfter { FULL_AFTER };
    constexpr DispatchKeySet() = default;
    constexpr DispatchKeySet(DispatchKey key) : words_{word(key, 0), word(key, 1)} {}
    constexpr DispatchKeySet(Full) : words_{~uint64_t(0), ~uint64_t(0)} {}
    /* The keys after this one in the order of calls: autocast, autograd, the selection of devices, devices. */
    constexpr DispatchKeySet(FullAfter, DispatchKey key) {
        for (uint8_t k = 1; k < uint8_t(key); k++) *this = add(DispatchKey(k));
    }
    DispatchKeySet(std::initializer_list<DispatchKey> keys) {
        for (DispatchKey key : keys) *this = add(key);
    }
    constexpr bool has(DispatchKey key) const { return (words_[0] & word(key, 0)) || (words_[1] & word(key, 1)); }
    constexpr bool has_any(DispatchKeySet o) const { return (words_[0] & o.words_[0]) || (words_[1] & o.words_[1]); }
    constexpr bool empty() const { return !words_[0] && !words_[1]; }
    constexpr DispatchKeySet add(DispatchKey key) const { return *this | DispatchKeySet(key); }
    constexpr DispatchKeySet remove(DispatchKey key) const { return *this - DispatchKeySet(key); }
    constexpr DispatchKeySet operator|(DispatchKeySet o) const { return {words_[0] | o.words_[0], words_[1] | o.words_[1]}; }
    constexpr DispatchKeySet operator&(DispatchKeySet o) const { return {words_[0] & o.words_[0], words_[1] & o.words_[1]}; }
    constexpr DispatchKeySet operator-(DispatchKeySet o) const { return {words_[0] & ~o.words_[0], words_[1] & ~o.words_[1]}; }
    constexpr bool operator==(DispatchKeySet o) const { return words_[0] == o.words_[0] && words_[1] == o.words_[1]; }
    constexpr bool operator!=(DispatchKeySet o) const { return !(*this == o); }

  private:
    constexpr DispatchKeySet(uint64_t low, uint64_t high) : words_{low, high} {}
    static constexpr uint64_t word(DispatchKey key, int i) {
        return key != DispatchKey::Undefined && int(key) / 64 == i ? uint64_t(1) << (int(key) % 64) : 0;
    }
    uint64_t words_[2] = {0, 0};
};
constexpr DispatchKeySet autograd_dispatch_keyset = DispatchKeySet(DispatchKey::Autograd)
    .add(DispatchKey::AutogradCPU).add(DispatchKey::AutogradOther).add(DispatchKey::AutogradFunctionality);
constexpr DispatchKeySet after_autograd_keyset(DispatchKeySet::FULL_AFTER, DispatchKey::Autograd);

}  // namespace c10
