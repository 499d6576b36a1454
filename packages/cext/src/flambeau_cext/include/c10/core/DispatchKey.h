/* The kinds of kernels that TORCH_LIBRARY_IMPL names. Those for the CPU, for autograd and for compositions are used. */
#pragma once

#include <cstdint>

namespace c10 {
enum class DispatchKey : uint8_t {
    Undefined, CPU, CUDA, HIP, XLA, MPS, XPU, Meta, PrivateUse1, SparseCPU, QuantizedCPU, BackendSelect, ADInplaceOrView,
    Autograd, AutogradCPU, AutogradCUDA, AutogradOther, AutogradMPS, AutogradXPU, Autocast, AutocastCPU, AutocastCUDA,
    Functionalize, Batched, FuncTorchBatched, CatchAll, CompositeImplicitAutograd, CompositeExplicitAutograd,
};
}
