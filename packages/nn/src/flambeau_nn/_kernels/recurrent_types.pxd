"""What the hot loops of recurrent layers and their callers share: a batch of rows at one step of time."""

cdef struct Step:  # all of the dtype of the loop
    Py_ssize_t hidden  # numbers in a row of the state
    int nonlinearity  # of a plain layer: 0 tanh, 1 relu
    void* gates  # rows of pre-activations, `hidden` numbers a gate; activated by the forward step
    const void* products  # GRU: rows of the state's products, like `gates`
    const void* bias  # GRU: what is added to the last third of `products`, or NULL
    # rows: of the LSTM the cells before the step and tanh of those after it, of the GRU the last third of `products`
    # with the bias
    void* kept
    void* cells  # LSTM: rows, before and after the step
    const void* before  # GRU: rows of the state before the step
    void* state  # rows: what the step gives
    const void* grad_state  # backward: rows
    void* grad_cells  # backward: rows, after and before the step
    void* grad_gates  # backward: rows of gradients by the pre-activations
    void* grad_products  # backward of the GRU: rows of gradients by `products`
    void* grad_before  # backward of the GRU: rows of what reaches the state before the step past the products

ctypedef void (*step_t)(const Step* s, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
