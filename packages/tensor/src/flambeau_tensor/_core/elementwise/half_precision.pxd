"""Conversion of float16 and bfloat16, which are stored as bit patterns."""
from libc.stdint cimport uint16_t

cdef extern from "halves.h" nogil:
    float bf16_to_float "fl_bf16_to_float"(uint16_t h)
    float half_to_float "fl_half_to_float"(uint16_t h)
    uint16_t float_to_bf16 "fl_float_to_bf16"(float f)
    uint16_t float_to_half "fl_float_to_half"(float f)
