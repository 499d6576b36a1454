# cython: language_level=3
"""Recurrent layers over time, for some rows of a batch, and gradients of weights, for some of the gates. See
recurrent.pyx."""
from libc.string cimport memcpy, memset

from flambeau_nn._kernels.packed_products cimport pack_t, packed_t
from flambeau_nn._kernels.recurrent_types cimport Step, step_t
from flambeau_tensor.compute cimport COMPUTE_ABI, D_FLOAT64, Product, multiply

from flambeau_tensor.compute import require as require_compute
from flambeau_tensor.extend import hot

require_compute(COMPUTE_ABI, "flambeau-nn")

cdef Loops[2] _loops  # float32, float64


def _take_loops():
    cdef Loops* loops
    for k, steps in enumerate((_hot["float32"], _hot["float64"])):
        loops = &_loops[k]
        for gates, name in ((LSTM, "lstm"), (GRU, "gru"), (PLAIN, "rnn")):
            loops.forward[gates] = <step_t><size_t>steps[name]
            loops.backward[gates] = <step_t><size_t>steps[name + "_backward"]
        loops.sum_rows = <sum_t><size_t>steps["sum_rows"]
        loops.add_to = <add_t><size_t>steps["add_to"]
        loops.pack = <pack_t><size_t>steps["pack"]
        loops.multiply_packed = <packed_t><size_t>steps["multiply_packed"]
        loops.outer = <outer_t><size_t>steps["outer"]
        loops.panel = steps["panel"]


_hot = hot("recurrent", "flambeau_nn._kernels").STEPS
_take_loops()


cdef Loops* loops_of(int dtype) noexcept:
    return &_loops[dtype == D_FLOAT64]


# --- over time: rows `begin` to `end` of the batch -------------------------------------------------------------------

cdef void _add_product(const Walk* w, const Factor* f, Py_ssize_t m, const char* a, char* c) noexcept nogil:
    """Compute c[m, n] += a[m, k] @ the factor."""
    cdef Product p
    if f.packed:
        w.loops.multiply_packed(m, f.n, f.k, a, f.k, f.data, NULL, c)
    elif f.n and f.k:
        p.dtype, p.add, p.m, p.n, p.k, p.a, p.b, p.c = w.dtype, True, m, f.n, f.k, a, f.data, c
        p.a_row, p.a_col, p.b_row, p.b_col, p.c_row = f.k, 1, f.row, f.column, f.n
        p.count, p.a_step, p.b_step, p.c_step = 1, 0, 0, 0
        with gil:
            multiply(&p)


cdef void _make_product(const Walk* w, const Factor* f, Py_ssize_t m, const char* a, char* c) noexcept nogil:
    if f.packed:
        w.loops.multiply_packed(m, f.n, f.k, a, f.k, f.data, w.zeros, c)
    else:
        memset(c, 0, m * f.n * w.item)
        _add_product(w, f, m, a, c)


cdef inline char* _rows_at(const Walk* w, const Rows* rows, Py_ssize_t t, Py_ssize_t begin,
                           Py_ssize_t row) noexcept nogil:
    """Return the address of row `begin` of the batch at time t, which is row number `row` overall."""
    return rows.data + (t * rows.time + begin * rows.row if w.counts == NULL else row * rows.row) * w.item


cdef void walk_forward(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef const Walk* w = <const Walk*>context
    cdef Step s = w.step
    cdef Py_ssize_t k, t, all, m, row, first = w.rows if w.reverse else 0, item = w.item
    cdef char* state = w.state + begin * w.out * item
    cdef char* given
    s.cells, s.before = w.cells + begin * w.hidden * item, state
    s.products = w.products + begin * w.width * item
    for k in range(w.times):
        t = w.times - 1 - k if w.reverse else k
        all = w.batch if w.counts == NULL else w.counts[t]
        if w.reverse:
            first -= all
        m, row = min(all, end) - begin, first + begin
        if not w.reverse:
            first += all
        if m <= 0:
            continue
        s.gates, s.kept = w.work + row * w.width * item, w.work + (w.rows * w.width + row * w.extra) * item
        given = w.output + row * w.out * item
        s.state = given if w.wide == NULL else w.wide + begin * w.hidden * item
        if w.by_input.data != NULL:
            w.loops.multiply_packed(m, w.width, w.by_input.k, _rows_at(w, &w.input, t, begin, row), w.input.row,
                                    w.by_input.data, w.start, <char*>s.gates)
        if w.gates == GRU:
            _make_product(w, &w.by_state, m, state, <char*>s.products)
        else:
            _add_product(w, &w.by_state, m, state, <char*>s.gates)
        w.loops.forward[w.gates](&s, 0, m)
        if w.wide != NULL:
            _make_product(w, &w.projection, m, <char*>s.state, given)
        memcpy(state, given, m * w.out * item)


cdef inline void _take_before(const Walk* w, Py_ssize_t begin, Py_ssize_t row, Py_ssize_t m, Py_ssize_t earlier,
                              Py_ssize_t kept) noexcept nogil:
    """Store the states before a step of m rows; the previous time produced `kept` of them, from row `earlier` on."""
    cdef Py_ssize_t size = w.out * w.item
    kept = min(max(kept, <Py_ssize_t>0), m)
    memcpy(w.before + row * size, w.output + earlier * size, kept * size)
    memcpy(w.before + (row + kept) * size, w.state + (begin + kept) * size, (m - kept) * size)


cdef void walk_backward(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef const Walk* w = <const Walk*>context
    cdef Step s = w.step
    cdef Py_ssize_t j, k, t, all, m, row, earlier, first = 0 if w.reverse else w.rows, item = w.item, n = w.hidden
    cdef const char* given
    cdef char* of_state = w.grad_state + begin * w.out * item
    s.grad_cells = w.grad_cells + begin * n * item
    for k in range(w.times):
        t = k if w.reverse else w.times - 1 - k
        all = w.batch if w.counts == NULL else w.counts[t]
        if not w.reverse:
            first -= all
        m, row = min(all, end) - begin, first + begin
        if w.reverse:
            first += all
        if m <= 0:
            continue
        if w.grad_output.data != NULL:
            given = _rows_at(w, &w.grad_output, t, begin, row)
            for j in range(m):
                w.loops.add_to(of_state + j * w.out * item, given + j * w.grad_output.row * item, w.out)
        s.gates, s.kept = w.work + row * w.width * item, w.work + (w.rows * w.width + row * w.extra) * item
        t = t + 1 if w.reverse else t - 1  # the previous time
        earlier = 0 if t < 0 or t == w.times else w.batch if w.counts == NULL else w.counts[t]
        _take_before(w, begin, row, m, (first if w.reverse else first - earlier) + begin, min(earlier, end) - begin)
        s.before = w.before + row * w.out * item
        s.grad_gates, s.grad_products = w.grad_gates + row * w.width * item, w.grad_products + row * w.width * item
        s.state, s.grad_state = NULL, of_state
        if w.wide != NULL:
            memcpy(w.whole + row * w.out * item, of_state, m * w.out * item)
            s.grad_state, s.state = w.grad_wide + begin * n * item, w.wide + row * n * item
            _make_product(w, &w.projection, m, of_state, <char*>s.grad_state)
        elif w.gates == GRU:
            s.grad_state, s.grad_before = w.whole + begin * n * item, of_state
            memcpy(<char*>s.grad_state, of_state, m * n * item)
        w.loops.backward[w.gates](&s, 0, m)
        if w.gates == GRU:
            _add_product(w, &w.by_state, m, <char*>s.grad_products, of_state)
        else:
            _make_product(w, &w.by_state, m, <char*>s.grad_products, of_state)


cdef Py_ssize_t panels_of(const Slopes* s) noexcept nogil:
    return (s.width + s.loops.panel - 1) // s.loops.panel


cdef void sum_slopes(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef const Slopes* s = <const Slopes*>context
    cdef Py_ssize_t k, at, m, time = s.apart * s.width
    for k in range(begin, end):
        at = k * s.loops.panel
        m = min(s.width - at, s.loops.panel)
        if s.size:
            s.loops.outer(s.outer, s.inner, s.size, s.input.data, s.input.time, s.input.row,
                          s.grad_gates + at * s.item, time, s.width, s.w_ih + at * s.size * s.item, m)
        if s.out:
            s.loops.outer(s.outer, s.inner, s.out, s.before, s.apart * s.out, s.out, s.grad_products + at * s.item,
                          time, s.width, s.w_hh + at * s.out * s.item, m)
        if s.b_ih != NULL:
            s.loops.sum_rows(s.outer, s.inner, m, s.grad_gates + at * s.item, time, s.width, s.b_ih + at * s.item)
            if s.grad_products == s.grad_gates:
                memcpy(s.b_hh + at * s.item, s.b_ih + at * s.item, m * s.item)
            else:
                s.loops.sum_rows(s.outer, s.inner, m, s.grad_products + at * s.item, time, s.width,
                                 s.b_hh + at * s.item)


cdef void _sums_of(const Pieces* p, Py_ssize_t k, Slopes* s) noexcept nogil:
    """Set the addresses of the sums of piece k."""
    if k:
        s.w_ih = p.sums + (k - 1) * p.size * s.item
        s.w_hh = s.w_ih + s.width * s.size * s.item
        if s.b_ih != NULL:
            s.b_ih = s.w_hh + s.width * s.out * s.item
            s.b_hh = s.b_ih + s.width * s.item


cdef void walk_and_sum(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef const Pieces* p = <const Pieces*>context
    cdef Slopes s
    cdef Py_ssize_t k, first, last
    for k in range(begin, end):
        s = p.slopes[0]
        first, last = p.walk.batch * k // p.count, p.walk.batch * (k + 1) // p.count
        walk_backward(<void*>p.walk, first, last)
        s.inner = last - first
        s.input.data += first * s.input.row * s.item
        s.before += first * s.out * s.item
        s.grad_gates += first * s.width * s.item
        s.grad_products += first * s.width * s.item
        _sums_of(p, k, &s)
        sum_slopes(&s, 0, panels_of(&s))


cdef void add_pieces(const Pieces* p) noexcept nogil:
    """Add the sums of the other pieces to those of the first, in the order of the batch."""
    cdef const Slopes* whole = p.slopes
    cdef Slopes s
    cdef Py_ssize_t k
    for k in range(1, p.count):
        s = whole[0]
        _sums_of(p, k, &s)
        whole.loops.add_to(whole.w_ih, s.w_ih, s.width * s.size)
        whole.loops.add_to(whole.w_hh, s.w_hh, s.width * s.out)
        if s.b_ih != NULL:
            whole.loops.add_to(whole.b_ih, s.b_ih, s.width)
            whole.loops.add_to(whole.b_hh, s.b_hh, s.width)
