/* The dispatch keys for TORCH_LIBRARY_IMPL. The keys of the CPU, of autograd and of compositions are used. */
#pragma once

#include <c10/core/Device.h>

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

}  // namespace c10
