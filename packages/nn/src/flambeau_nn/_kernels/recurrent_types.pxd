"""Types shared by the hot loops of recurrent layers and their callers: a batch of rows at one time step."""

cdef struct Step:  # all arrays have the dtype of the loop
    Py_ssize_t hidden  # elements in a row of the state
    int nonlinearity  # of a plain layer: 0 tanh, 1 relu
    void* gates  # rows of pre-activations, `hidden` elements per gate; the forward step applies the activation
    const void* products  # GRU: rows of the products with the state, like `gates`
    const void* bias  # GRU: added to the last third of `products`, or NULL
    # rows: for LSTM, the cells before the step and the tanh of the cells after it; for GRU, the last third of
    # `products` with the bias
    void* kept
    void* cells  # LSTM: rows, before and after the step
    const void* before  # GRU: rows of the state before the step
    void* state  # rows: the result of the step
    const void* grad_state  # backward: rows
    void* grad_cells  # backward: rows, for the cells after, then before the step
    void* grad_gates  # backward: rows of gradients of the pre-activations
    void* grad_products  # backward of the GRU: rows of gradients of `products`
    void* grad_before  # backward of the GRU: rows of gradients that reach the previous state without the products

ctypedef void (*step_t)(const Step* s, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
