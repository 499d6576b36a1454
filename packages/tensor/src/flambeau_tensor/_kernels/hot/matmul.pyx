# cython: language_level=3
"""Products of small matrices without BLAS, for processors with fused multiply-add."""

cdef extern from "small_gemm.h" nogil:
    int FL_HAS_SMALL_GEMM
    void* fl_small_sgemm
    void* fl_small_dgemm

LOOPS = {}
if FL_HAS_SMALL_GEMM:
    LOOPS["small"] = {"float32": <size_t>fl_small_sgemm, "float64": <size_t>fl_small_dgemm}
