# cython: language_level=3
"""Matrix products without BLAS: small ones for processors with fused multiply-add, and blocked larger ones for
processors with AVX-512, or with AVX512_BF16 for bfloat16.
"""

cdef extern from "small_gemm.h" nogil:
    int FL_HAS_SMALL_GEMM
    void* fl_small_sgemm
    void* fl_small_dgemm

cdef extern from "blocked_gemm.h" nogil:
    int FL_HAS_BLOCKED
    void* fl_blocked_float
    void* fl_blocked_double

cdef extern from "brain_gemm.h" nogil:
    void* fl_brain_product()

LOOPS = {}
if FL_HAS_SMALL_GEMM:
    LOOPS["small"] = {"float32": <size_t>fl_small_sgemm, "float64": <size_t>fl_small_dgemm}
if FL_HAS_BLOCKED:
    LOOPS["blocked"] = {"float32": <size_t>fl_blocked_float, "float64": <size_t>fl_blocked_double}
if fl_brain_product() != NULL:
    LOOPS["blocked"]["bfloat16"] = <size_t>fl_brain_product()
