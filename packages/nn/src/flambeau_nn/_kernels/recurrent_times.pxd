"""A recurrent layer over all times, and the gradients of its weights; recurrent.pyx prepares the calls and
recurrent_times.pyx runs them."""
from flambeau_nn._kernels.packed_products cimport pack_t, packed_t
from flambeau_nn._kernels.recurrent_types cimport Step, step_t

cdef enum:
    LSTM = 4  # number of gates
    GRU = 3
    PLAIN = 1

ctypedef void (*sum_t)(Py_ssize_t outer, Py_ssize_t inner, Py_ssize_t n, const void* x, Py_ssize_t x_outer,
                       Py_ssize_t x_inner, void* out) noexcept nogil
ctypedef void (*add_t)(void* x, const void* y, Py_ssize_t n) noexcept nogil
ctypedef void (*outer_t)(Py_ssize_t outer, Py_ssize_t inner, Py_ssize_t n, const void* a, Py_ssize_t a_outer,
                         Py_ssize_t a_inner, const void* b, Py_ssize_t b_outer, Py_ssize_t b_inner, void* c,
                         Py_ssize_t width) noexcept nogil

cdef struct Loops:
    step_t forward[5]  # by number of gates
    step_t backward[5]
    sum_t sum_rows
    add_t add_to
    pack_t pack  # or NULL
    packed_t multiply_packed
    outer_t outer
    Py_ssize_t panel  # elements in a row of a packed panel

cdef struct Factor:  # a matrix (k, n) by which rows are multiplied at each time
    Py_ssize_t k, n
    const char* data
    Py_ssize_t row, column  # strides, unless it is packed
    bint packed

cdef struct Rows:  # rows of each time, with contiguous elements; strides in elements
    char* data  # or NULL
    Py_ssize_t time, row  # for packed sequences, rows are consecutive and `time` is unused

cdef struct Walk:  # over time, forward or backward
    Step step
    Loops* loops
    int gates, dtype
    bint reverse
    Py_ssize_t times, batch, rows, hidden, out, width, extra, item
    const Py_ssize_t* counts  # rows at each time, or NULL: `batch` at each
    Factor by_state, projection, by_input  # those that are not used have no data
    Rows input
    const char* start  # a row of biases
    const char* zeros  # a row
    char* output
    char* work
    char* state  # in backward, the one before the first step
    char* cells
    char* products
    char* wide  # the result of the step before the projection
    char* before  # for backward, from here on
    Rows grad_output
    char* grad_gates
    char* grad_products
    char* grad_state
    char* grad_cells
    char* whole
    char* grad_wide

cdef struct Slopes:  # gradients of weights and biases, by panels of the gates
    Loops* loops
    Py_ssize_t outer, inner, apart  # rows: number of times, rows at each time, stride between times
    Py_ssize_t width, size, out, item
    Rows input
    const char* before
    const char* grad_gates
    const char* grad_products
    char* w_ih
    char* w_hh
    char* b_ih  # or NULL
    char* b_hh

cdef struct Pieces:  # of the batch, each with its own sums
    const Walk* walk
    const Slopes* slopes  # of the first piece
    Py_ssize_t count, size
    char* sums  # `size` elements for each piece but the first: input weights, state weights, biases

cdef Loops* loops_of(int dtype) noexcept
cdef Py_ssize_t panels_of(const Slopes* s) noexcept nogil

# Tasks: rows of the batch for all times; panels of the gates; pieces of the batch for all gates.
cdef void walk_forward(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
cdef void walk_backward(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
cdef void sum_slopes(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
cdef void walk_and_sum(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
cdef void add_pieces(const Pieces* p) noexcept nogil
