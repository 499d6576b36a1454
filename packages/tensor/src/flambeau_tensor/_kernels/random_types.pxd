"""Types shared by generators and consumers of random numbers: hot/random.pyx and random.pyx."""
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

cdef enum:
    STATE_WORDS = 624

cdef struct Source:
    uint32_t[STATE_WORDS] state
    int next  # index of the next unused word; STATE_WORDS: generate new ones first
    double normal  # the second number of the last Box-Muller pair
    bint has_normal

cdef struct Params:
    double a  # low, mean, median, rate, p
    double b  # high, std, sigma
    uint64_t modulus  # of integers; 0: all 64 bits
    int64_t base  # of integers
    bint wide  # integers consume 64 bits each instead of 32
    int dtype  # the final dtype of the numbers, to which uniform numbers must not be rounded up to `high`

# Writes n numbers in the type of the draw.
ctypedef void (*draw_t)(Source*, const Params*, void* out, Py_ssize_t n) noexcept nogil
# Writes n zeros and ones, each with its own probability (float or double).
ctypedef void (*choose_t)(Source*, const void* probability, uint8_t* out, Py_ssize_t n) noexcept nogil
ctypedef void (*permute_t)(Source*, int64_t* out, Py_ssize_t n) noexcept nogil
