"""The names of dispatch keys, which are PyTorch's ways of running an operator."""

_BACKENDS = "CPU CUDA HIP XLA MPS IPU XPU HPU VE Lazy MTIA MAIA PrivateUse1 PrivateUse2 PrivateUse3 Meta".split()
_NAMES = (
    "Undefined Dense FPGA Vulkan Metal Quantized CustomRNGKeyId MkldnnCPU Sparse SparseCsr NestedTensor BackendSelect "
    "Python Fake FuncTorchDynamicLayerBackMode Functionalize Named Conjugate Negative ZeroTensor ADInplaceOrView "
    "AutogradOther AutogradFunctionality AutogradNestedTensor Tracer AutocastCPU AutocastMTIA AutocastMAIA AutocastXPU "
    "AutocastIPU AutocastHPU AutocastXLA AutocastMPS AutocastCUDA AutocastPrivateUse1 FuncTorchBatched "
    "BatchedNestedTensor FuncTorchVmapMode Batched VmapMode FuncTorchGradWrapper DeferredInit PythonTLSSnapshot "
    "FuncTorchDynamicLayerFrontMode PreDispatch PythonDispatcher"
).split()
_KINDS = ("", "Quantized", "Sparse", "SparseCsr", "NestedTensor", "Autograd")
_ALIASES = (
    "Autograd CompositeImplicitAutograd FuncTorchBatchedDecomposition CompositeImplicitAutogradNestedTensor "
    "CompositeExplicitAutograd CompositeExplicitAutogradNonFunctional"
).split()
KEYS = [*_NAMES, *(f"{kind}{backend}" for kind in _KINDS for backend in _BACKENDS), *_ALIASES]
