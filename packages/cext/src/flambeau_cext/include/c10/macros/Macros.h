/* Macros that sources written for PyTorch put before declarations. Most expand to nothing here. */
#pragma once

#define C10_API
#define C10_EXPORT
#define C10_IMPORT
#define C10_HIDDEN
#define TORCH_API
#define TORCH_EXPORT
#define TORCH_PYTHON_API
#define TORCH_CUDA_CPP_API
#define TORCH_CUDA_CU_API
#define TORCH_HIP_API
#define TORCH_XPU_API
#define C10_CUDA_API
#define AT_API
#define C10_HOST_DEVICE
#define C10_HOST
#define C10_DEVICE
#define C10_RESTRICT __restrict
#define C10_UNUSED [[maybe_unused]]
#define C10_NODISCARD [[nodiscard]]
#define C10_NOINLINE __attribute__((noinline))
#define C10_ALWAYS_INLINE __attribute__((always_inline)) inline
#define C10_LIKELY(condition) (__builtin_expect(static_cast<bool>(condition), 1))
#define C10_UNLIKELY(condition) (__builtin_expect(static_cast<bool>(condition), 0))

#define C10_CONCATENATE_(a, b) a##b
#define C10_CONCATENATE(a, b) C10_CONCATENATE_(a, b)
#define C10_STRINGIZE_(text) #text
#define C10_STRINGIZE(text) C10_STRINGIZE_(text)
#define C10_ANONYMOUS_VARIABLE(prefix) C10_CONCATENATE(prefix, __COUNTER__)
#define C10_UID __COUNTER__
