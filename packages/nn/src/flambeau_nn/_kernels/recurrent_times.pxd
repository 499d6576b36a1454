"""A recurrent layer over all times, and the gradients of its weights: what recurrent.pyx sets up and
recurrent_times.pyx runs."""
from flambeau_nn._kernels.packed_products cimport pack_t, packed_t
from flambeau_nn._kernels.recurrent_types cimport Step, step_t

cdef enum:
    LSTM = 4  # how many gates
    GRU = 3
    PLAIN = 1

ctypedef void (*sum_t)(Py_ssize_t outer, Py_ssize_t inner, Py_ssize_t n, const void* x, Py_ssize_t x_outer,
                       Py_ssize_t x_inner, void* out) noexcept nogil
ctypedef void (*add_t)(void* x, const void* y, Py_ssize_t n) noexcept nogil
ctypedef void (*outer_t)(Py_ssize_t outer, Py_ssize_t inner, Py_ssize_t n, const void* a, Py_ssize_t a_outer,
                         Py_ssize_t a_inner, const void* b, Py_ssize_t b_outer, Py_ssize_t b_inner, void* c,
                         Py_ssize_t width) noexcept nogil

cdef struct Loops:
    step_t forward[5]  # by the number of gates
    step_t backward[5]
    sum_t sum_rows
    add_t add_to
    pack_t pack  # or NULL
    packed_t multiply_packed
    outer_t outer
    Py_ssize_t panel  # numbers in a row of what is packed

cdef struct Factor:  # a matrix (k, n) that rows are multiplied by, at each time
    Py_ssize_t k, n
    const char* data
    Py_ssize_t row, column  # steps; unless it is packed
    bint packed

cdef struct Rows:  # of each time, whose numbers are adjacent; steps in numbers
    char* data  # or NULL
    Py_ssize_t time, row  # where rows are packed, one follows the other and `time` means nothing

cdef struct Walk:  # over time, forward or backward
    Step step
    Loops* loops
    int gates, dtype
    bint reverse
    Py_ssize_t times, batch, rows, hidden, out, width, extra, item
    const Py_ssize_t* counts  # rows of each time, or NULL: `batch` of each
    Factor by_state, projection, by_input  # the others without data where they are not used
    Rows input
    const char* start  # a row of biases
    const char* zeros  # a row
    char* output
    char* work
    char* state  # in backward the one before the first step
    char* cells
    char* products
    char* wide  # what the step gives before the projection
    char* before  # backward, from here on
    Rows grad_output
    char* grad_gates
    char* grad_products
    char* grad_state
    char* grad_cells
    char* whole
    char* grad_wide

cdef struct Slopes:  # gradients of weights and biases, by panels of the gates
    Loops* loops
    Py_ssize_t outer, inner, apart  # rows: times, those of each time, and steps from one time to the next
    Py_ssize_t width, size, out, item
    Rows input
    const char* before
    const char* grad_gates
    const char* grad_products
    char* w_ih
    char* w_hh
    char* b_ih  # or NULL
    char* b_hh

cdef struct Pieces:  # of the batch, each with sums of its own
    const Walk* walk
    const Slopes* slopes  # of the first piece
    Py_ssize_t count, size
    char* sums  # `size` numbers for each of the others: weights of the inputs, of the state, and biases

cdef Loops* loops_of(int dtype) noexcept
cdef Py_ssize_t panels_of(const Slopes* s) noexcept nogil

# Tasks: rows of the batch, each for all times; panels of the gates; pieces of the batch, both for each.
cdef void walk_forward(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
cdef void walk_backward(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
cdef void sum_slopes(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
cdef void walk_and_sum(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
cdef void add_pieces(const Pieces* p) noexcept nogil
