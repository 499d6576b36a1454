"""What makers and users of random numbers share: hot/random.pyx makes numbers, random.pyx puts them into tensors."""
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

cdef enum:
    STATE_WORDS = 624

cdef struct Source:
    uint32_t[STATE_WORDS] state
    int next  # index of the word to use next; STATE_WORDS: make new ones first
    double normal  # the second number of the last Box-Muller pair
    bint has_normal

cdef struct Params:
    double a  # low, mean, median, rate, p
    double b  # high, std, sigma
    uint64_t modulus  # of integers; 0: all 64 bits
    int64_t base  # of integers
    bint wide  # integers from 64 bits each, not 32
    int dtype  # what the numbers become; uniform ones must not round up to `high` in it

# Writes n numbers of the type that the draw makes.
ctypedef void (*draw_t)(Source*, const Params*, void* out, Py_ssize_t n) noexcept nogil
# Writes n zeros and ones, each one with its own probability (float or double).
ctypedef void (*choose_t)(Source*, const void* probability, uint8_t* out, Py_ssize_t n) noexcept nogil
ctypedef void (*permute_t)(Source*, int64_t* out, Py_ssize_t n) noexcept nogil
