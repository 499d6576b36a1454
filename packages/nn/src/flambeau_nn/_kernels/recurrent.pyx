# cython: language_level=3
"""Layers that run over time: LSTM, GRU and plain ones, one direction of one layer a call.

The product with the inputs is made for all times at once; a step adds the product with the state, whose weights are
packed once, and does all gates of a row together (hot/recurrent.pyx). Threads share the rows of a batch, each for all
times. Where there are few rows and many weights, products are BLAS's, which shares the columns. What backward needs of
the forward run stands in one tensor, the workspace: the activated gates of all rows, then the cells before each step
(LSTM) or the state's share of the new one (GRU).

A sequence is rows: (time, batch, size), or packed, (rows, size), where `batch_sizes` says how many rows each time has,
never more than the time before. Each time the first rows of the batch take a step; the others keep their state, so it
is the final one in the end. float16 and bfloat16 are computed in float32.
"""
from cpython.object cimport PyObject
from libc.string cimport memcpy, memset

from flambeau_nn._kernels.recurrent_steps cimport Step, step_t
from flambeau_tensor.abi cimport TENSOR_ABI, new_kernel, type_string
from flambeau_tensor.compute cimport (
    COMPUTE_ABI, D_BFLOAT16, D_FLOAT16, D_FLOAT32, D_FLOAT64, D_INT64, Array, Product, array_of, converted, dense,
    fresh, itemsize, multiply, num_threads, parallel_for, range_task, shape_text,
)
from flambeau_tensor.grain cimport HEAVY_GRAIN

from flambeau_tensor.extend import hot
from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")

cdef enum:
    LSTM = 4  # how many gates
    GRU = 3
    PLAIN = 1

cdef enum:
    FEW = 4  # rows for which packing the weights is not worth it
    SHARE = 8  # rows of a batch that a thread should have at least
    WIDE = 1 << 20  # multiplications of a step from which BLAS's threads are worth it

ctypedef void (*fill_t)(void* out, const void* a, const void* b, Py_ssize_t nb, Py_ssize_t n,
                        Py_ssize_t rows) noexcept nogil
ctypedef void (*sum_t)(const void* x, void* out, Py_ssize_t rows, Py_ssize_t n) noexcept nogil
ctypedef void (*add_t)(void* x, const void* y, Py_ssize_t n) noexcept nogil
# b[p, j] stands at b + p * row + j * column; packed, it has `packed_size` numbers
ctypedef void (*pack_t)(Py_ssize_t n, Py_ssize_t k, const void* b, Py_ssize_t row, Py_ssize_t column,
                        void* packed) noexcept nogil
ctypedef void (*packed_t)(Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, const void* a, const void* packed,
                          void* c) noexcept nogil

cdef struct Loops:
    step_t forward[5]  # by the number of gates
    step_t backward[5]
    fill_t fill_rows
    sum_t sum_rows
    add_t add_to
    pack_t pack  # or NULL
    packed_t multiply_packed
    Py_ssize_t panel  # numbers in a row of what is packed

cdef Loops[2] _loops  # float32, float64


def _take_loops():
    cdef Loops* loops
    for k, steps in enumerate((_hot["float32"], _hot["float64"])):
        loops = &_loops[k]
        for gates, name in ((LSTM, "lstm"), (GRU, "gru"), (PLAIN, "rnn")):
            loops.forward[gates] = <step_t><size_t>steps[name]
            loops.backward[gates] = <step_t><size_t>steps[name + "_backward"]
        loops.fill_rows = <fill_t><size_t>steps["fill_rows"]
        loops.sum_rows = <sum_t><size_t>steps["sum_rows"]
        loops.add_to = <add_t><size_t>steps["add_to"]
        loops.pack = <pack_t><size_t>steps["pack"]
        loops.multiply_packed = <packed_t><size_t>steps["multiply_packed"]
        loops.panel = steps["panel"]


_hot = hot("recurrent", "flambeau_nn._kernels").STEPS
_take_loops()

cdef struct Given:  # the arguments, borrowed; NULL: the operator has none
    PyObject* input
    PyObject* batch_sizes
    PyObject* h0
    PyObject* c0
    PyObject* w_ih
    PyObject* w_hh
    PyObject* b_ih
    PyObject* b_hh
    PyObject* w_hr
    PyObject* mode
    PyObject* reverse


cdef struct Factor:  # a matrix (k, n) that rows are multiplied by, at each time
    Py_ssize_t k, n
    const char* data
    Py_ssize_t row, column  # steps; unless it is packed
    bint packed

cdef struct Walk:  # over time, forward or backward
    Step step
    Loops* loops
    int gates, dtype
    bint reverse
    Py_ssize_t times, batch, rows, hidden, out, width, extra, item
    const Py_ssize_t* counts  # rows of each time, or NULL: `batch` of each
    Factor by_state, projection  # the latter without data where there is none
    char* output
    char* work
    char* state
    char* cells
    char* products
    char* wide  # what the step gives before the projection
    char* before  # backward, from here on
    char* grad_output  # or NULL
    char* grad_gates
    char* grad_products
    char* grad_state
    char* grad_cells
    char* whole
    char* grad_wide


cdef inline bint _has(PyObject* slot) noexcept:
    return slot != NULL and slot != <PyObject*>None


cdef class _Layer:
    """A layer's operands, dense and of the dtype to compute in."""
    cdef int gates, dtype, original, ndim
    cdef bint reverse
    cdef Py_ssize_t rows, times, batch, size, hidden, out, item
    cdef Py_ssize_t* counts  # rows of each time, or NULL: `batch` of each
    cdef Array x, h, c, w_ih, w_hh, b_ih, b_hh, w_hr
    cdef Py_ssize_t[3] shape  # of the output
    cdef list held
    cdef Loops* loops
    cdef Step step

    cdef char* operand(self, PyObject* t, Array* a, str name, Py_ssize_t first, Py_ssize_t second=-1) except? NULL:
        """`t` of the sizes (first, second) or (first,); without data where there is none."""
        a.data = NULL
        if not _has(t):
            return NULL
        array_of(t, a)
        if a.dtype != self.original:
            raise RuntimeError(f"expected {name} to have the dtype of input, {type_string(self.original)}, but got "
                               f"{type_string(a.dtype)}")
        if a.ndim != (1 if second < 0 else 2) or a.sizes[0] != first or (second >= 0 and a.sizes[1] != second):
            wanted = f"[{first}]" if second < 0 else f"[{first}, {second}]"
            raise RuntimeError(f"expected {name} to be of size {wanted}, but got {shape_text(a.ndim, a.sizes)}")
        self.held.append(dense(t, self.dtype, a))
        return a.data

    cdef int read(self, const Given* g) except -1:
        cdef Array a, counts
        cdef Py_ssize_t total = 0, last
        array_of(g.input, &a)
        if a.dtype < D_FLOAT16 or a.dtype > D_FLOAT64:
            raise NotImplementedError(f"recurrent layers are not implemented for '{type_string(a.dtype)}'")
        self.original, self.held, self.ndim = a.dtype, [], a.ndim
        self.dtype = D_FLOAT32 if a.dtype == D_FLOAT16 or a.dtype == D_BFLOAT16 else a.dtype
        self.item = itemsize(self.dtype)
        self.loops = &_loops[self.dtype == D_FLOAT64]
        self.reverse = <object>g.reverse
        self.counts = NULL
        if _has(g.batch_sizes):
            sizes = list(<object>g.batch_sizes)
            self.times = len(sizes)
            self.batch = last = sizes[0] if sizes else 0
            self.held.append(fresh(D_INT64, 1, &self.times, &counts))
            self.counts = <Py_ssize_t*>counts.data
            for t, size in enumerate(sizes):
                if not 0 < size <= last:
                    raise RuntimeError("batch_sizes must be positive and never rise")
                self.counts[<Py_ssize_t>t] = last = size
                total += last
            if a.ndim != 2 or a.sizes[0] != total:
                raise RuntimeError(f"expected packed input of size [{total}, *], but got {shape_text(a.ndim, a.sizes)}")
        elif a.ndim != 3:
            raise RuntimeError(f"input must have 3 dimensions, got {a.ndim}")
        else:
            self.times, self.batch = a.sizes[0], a.sizes[1]
        self.size = a.sizes[a.ndim - 1]
        self.rows = a.numel // self.size if self.size else self.times * self.batch
        self.held.append(dense(g.input, self.dtype, &self.x))
        array_of(g.w_hh, &a)
        if a.ndim != 2 or a.sizes[0] % self.gates:
            raise RuntimeError(f"expected w_hh to have {self.gates} rows for each hidden number, but got size "
                               f"{shape_text(a.ndim, a.sizes)}")
        self.hidden, self.out = a.sizes[0] // self.gates, a.sizes[1]
        if not _has(g.w_hr) and self.out != self.hidden:
            raise RuntimeError(f"expected w_hh to be of size [{self.gates * self.hidden}, {self.hidden}], but got "
                               f"{shape_text(a.ndim, a.sizes)}")
        self.operand(g.w_ih, &self.w_ih, "w_ih", self.gates * self.hidden, self.size)
        self.operand(g.w_hh, &self.w_hh, "w_hh", self.gates * self.hidden, self.out)
        self.operand(g.b_ih, &self.b_ih, "b_ih", self.gates * self.hidden)
        self.operand(g.b_hh, &self.b_hh, "b_hh", self.gates * self.hidden)
        self.operand(g.w_hr, &self.w_hr, "w_hr", self.out, self.hidden)
        self.operand(g.h0, &self.h, "hx", self.batch, self.out)
        self.operand(g.c0, &self.c, "cx", self.batch, self.hidden)
        if (self.b_ih.data == NULL) != (self.b_hh.data == NULL):
            raise RuntimeError("b_ih and b_hh are given both or neither")
        if self.counts == NULL:
            self.shape[0], self.shape[1], self.shape[2] = self.times, self.batch, self.out
        else:
            self.shape[0], self.shape[1] = self.rows, self.out
        memset(&self.step, 0, sizeof(Step))
        self.step.hidden = self.hidden
        if g.mode != NULL:
            self.step.nonlinearity = <object>g.mode == "RNN_RELU"
        return 0

    cdef Py_ssize_t size_at(self, Py_ssize_t t) noexcept:
        return self.batch if self.counts == NULL else self.counts[t]

    cdef int product(self, bint add, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, const char* a, bint a_across,
                     const char* b, bint b_across, char* c) except -1:
        """c[m, n] = a @ b, or c += a @ b; `across`: the operand is stored transposed."""
        cdef Product p
        p.dtype, p.add, p.m, p.n, p.k, p.a, p.b, p.c = self.dtype, add, m, n, k, a, b, c
        p.a_row, p.a_col = 1 if a_across else k, m if a_across else 1
        p.b_row, p.b_col = 1 if b_across else n, k if b_across else 1
        p.c_row, p.count, p.a_step, p.b_step, p.c_step = n, 1, 0, 0, 0
        if m and n and k:
            return multiply(&p)
        if not add:
            memset(c, 0, m * n * self.item)
        return 0

    cdef int factor(self, Factor* f, const Array* weight, Py_ssize_t k, Py_ssize_t n, bint across) except -1:
        """The weight (k, n), or (n, k) `across`, as what rows are multiplied by."""
        cdef Array a
        cdef Py_ssize_t columns
        f.k, f.n, f.data, f.row, f.column = k, n, weight.data, 1 if across else n, k if across else 1
        f.packed = self.loops.pack != NULL and self.rows >= FEW and \
            (self.batch >= SHARE * num_threads() or self.batch * k * n < WIDE)
        if f.packed:
            columns = (n + self.loops.panel - 1) // self.loops.panel * self.loops.panel
            self.held.append(self.buffer(k, columns, &a))
            self.loops.pack(n, k, weight.data, f.row, f.column, a.data)
            f.data = a.data
        return 0

    cdef int begin(self, Walk* w, char* output, char* work, bint across) except -1:
        """What both ways have in common; backward goes by the weights as they are, forward `across`."""
        memset(w, 0, sizeof(Walk))
        w.step, w.loops, w.gates, w.dtype, w.reverse = self.step, self.loops, self.gates, self.dtype, self.reverse
        w.times, w.batch, w.rows, w.hidden, w.out = self.times, self.batch, self.rows, self.hidden, self.out
        w.width, w.extra, w.item = self.gates * self.hidden, 0 if self.gates == PLAIN else self.hidden, self.item
        w.counts, w.output, w.work = self.counts, output, work
        self.factor(&w.by_state, &self.w_hh, w.out if across else w.width, w.width if across else w.out, across)
        if self.w_hr.data != NULL:
            self.factor(&w.projection, &self.w_hr, w.hidden if across else w.out, w.out if across else w.hidden,
                        across)
        return 0

    cdef int walk(self, Walk* w, range_task task) except -1:
        """All times, on the pool where that is worth it."""
        cdef Py_ssize_t work = self.rows * w.width * (self.out + 16)
        if not w.by_state.packed or work < 16 * HEAVY_GRAIN:
            task(w, 0, self.batch)
        else:
            with nogil:
                parallel_for(self.batch, max(<Py_ssize_t>SHARE, self.batch * 16 * HEAVY_GRAIN // work), task, w)
        return 0

    cdef object buffer(self, Py_ssize_t rows, Py_ssize_t columns, Array* a):
        cdef Py_ssize_t[2] sizes
        sizes[0], sizes[1] = rows, columns
        return fresh(self.dtype, 2, sizes, a)

    cdef tuple forward(self):
        """(output, final state, final cells or None, workspace)"""
        cdef Py_ssize_t n = self.hidden, width = self.gates * n, extra = 0 if self.gates == PLAIN else n
        cdef Py_ssize_t[1] flat
        cdef Array out, state, cells, work, products, wide
        cdef Walk w
        cells.data = NULL
        output = fresh(self.dtype, 3 if self.counts == NULL else 2, self.shape, &out)
        final = self.buffer(self.batch, self.out, &state)
        memcpy(state.data, self.h.data, state.numel * self.item)
        final_cells = None
        if self.gates == LSTM:
            final_cells = self.buffer(self.batch, n, &cells)
            memcpy(cells.data, self.c.data, cells.numel * self.item)
        flat[0] = self.rows * (width + extra)
        workspace = fresh(self.dtype, 1, flat, &work)
        if self.b_ih.data != NULL and self.rows:  # of the GRU, the last third of b_hh is added in the step
            self.loops.fill_rows(work.data, self.b_ih.data, self.b_hh.data, 2 * n if self.gates == GRU else width,
                                 width, self.rows)
        self.product(self.b_ih.data != NULL, self.rows, width, self.size, self.x.data, False, self.w_ih.data, True,
                     work.data)
        self.begin(&w, out.data, work.data, True)
        w.state, w.cells = state.data, cells.data
        if self.gates == GRU:
            self.held.append(self.buffer(self.batch, width, &products))
            w.products = products.data
            if self.b_hh.data != NULL:
                w.step.bias = self.b_hh.data + 2 * n * self.item
        if self.w_hr.data != NULL:
            self.held.append(self.buffer(self.batch, n, &wide))
            w.wide = wide.data
        self.walk(&w, _walk_forward)
        return (converted(output, self.original), converted(final, self.original),
                None if final_cells is None else converted(final_cells, self.original), workspace)

    cdef tuple backward(self, PyObject* grad_output, PyObject* grad_h, PyObject* grad_c, PyObject* output,
                        PyObject* workspace, bint of_input):
        """The gradients of (input, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr); None of what is not there or asked for."""
        cdef Py_ssize_t n = self.hidden, width = self.gates * n, extra = 0 if self.gates == PLAIN else n
        cdef Py_ssize_t k, m, first
        cdef Array go, out, work, before, state, dg, dp, dh, dc, whole, wide, dwide, result, sums
        cdef Walk w
        cdef bint projected = self.w_hr.data != NULL
        array_of(workspace, &work)
        array_of(output, &out)
        if work.numel != self.rows * (width + extra) or work.dtype != self.dtype or not work.contiguous or \
                out.numel != self.rows * self.out:
            raise RuntimeError("the workspace and the output are not those of these operands")
        self.held.append(dense(output, self.dtype, &out))
        go.data = NULL
        if _has(grad_output):
            self.held.append(dense(grad_output, self.dtype, &go))
            if go.numel != out.numel:
                raise RuntimeError(f"expected a gradient of {out.numel} elements, got {go.numel}")
        # The states before each step, by walking along them again.
        self.held.append(self.buffer(self.rows, self.out, &before))
        self.held.append(self.buffer(self.batch, self.out, &state))
        memcpy(state.data, self.h.data, state.numel * self.item)
        first = self.rows if self.reverse else 0
        for k in range(self.times):
            m = self.size_at(self.times - 1 - k if self.reverse else k)
            if self.reverse:
                first -= m
            memcpy(before.data + first * self.out * self.item, state.data, m * self.out * self.item)
            memcpy(state.data, out.data + first * self.out * self.item, m * self.out * self.item)
            if not self.reverse:
                first += m
        self.held.append(self.buffer(self.rows, width, &dg))
        dp = dg
        if self.gates == GRU:
            self.held.append(self.buffer(self.rows, width, &dp))
        of_h = self.start(grad_h, self.out, &dh)
        self.begin(&w, out.data, work.data, False)
        w.before, w.grad_output, w.grad_gates, w.grad_products, w.grad_state = before.data, go.data, dg.data, dp.data, \
            dh.data
        of_c = None
        if self.gates == LSTM:
            of_c = self.start(grad_c, n, &dc)
            w.grad_cells = dc.data
        if projected:
            self.held.append(self.buffer(self.rows, self.out, &whole))  # gradients by the states
            self.held.append(self.buffer(self.rows, n, &wide))  # states before the projection
            self.held.append(self.buffer(self.batch, n, &dwide))
            w.wide, w.grad_wide = wide.data, dwide.data
        else:
            self.held.append(self.buffer(self.batch, n, &whole))
        w.whole = whole.data
        self.walk(&w, _walk_backward)
        of_x = None
        if of_input:
            of_x = fresh(self.dtype, self.ndim, self.x.sizes, &result)
            self.product(False, self.rows, self.size, width, dg.data, False, self.w_ih.data, False, result.data)
        of_w_ih = self.buffer(width, self.size, &result)
        self.product(False, width, self.size, self.rows, dg.data, True, self.x.data, False, result.data)
        of_w_hh = self.buffer(width, self.out, &result)
        self.product(False, width, self.out, self.rows, dp.data, True, before.data, False, result.data)
        of_b_ih = of_b_hh = of_w_hr = None
        if self.b_ih.data != NULL:
            of_b_ih = self.summed(&dg, width, &sums)
            if self.gates == GRU:
                of_b_hh = self.summed(&dp, width, &result)
            else:
                of_b_hh = fresh(self.dtype, 1, &width, &result)
                memcpy(result.data, sums.data, width * self.item)
        if projected:
            of_w_hr = self.buffer(self.out, n, &result)
            self.product(False, self.out, n, self.rows, whole.data, True, wide.data, False, result.data)
        grads = of_x, of_h, of_c, of_w_ih, of_w_hh, of_b_ih, of_b_hh, of_w_hr
        if self.original == self.dtype:
            return grads
        return tuple([None if g is None else converted(g, self.original) for g in grads])

    cdef object start(self, PyObject* grad, Py_ssize_t columns, Array* a):
        """A copy of the gradient of a final state, or zeros."""
        cdef Array given
        t = self.buffer(self.batch, columns, a)
        if _has(grad):
            _kept = dense(grad, self.dtype, &given)
            if given.numel != a.numel:
                raise RuntimeError(f"expected a gradient of {a.numel} elements, got {given.numel}")
            memcpy(a.data, given.data, a.numel * self.item)
        else:
            memset(a.data, 0, a.numel * self.item)
        return t

    cdef object summed(self, Array* x, Py_ssize_t n, Array* out):
        t = fresh(self.dtype, 1, &n, out)
        self.loops.sum_rows(x.data, out.data, self.rows, n)
        return t


# --- over time: rows `begin` to `end` of the batch -------------------------------------------------------------------

cdef void _add_product(const Walk* w, const Factor* f, Py_ssize_t m, const char* a, char* c) noexcept nogil:
    """c[m, n] += a[m, k] @ the factor."""
    cdef Product p
    if f.packed:
        w.loops.multiply_packed(m, f.n, f.k, a, f.data, c)
    elif f.n and f.k:
        p.dtype, p.add, p.m, p.n, p.k, p.a, p.b, p.c = w.dtype, True, m, f.n, f.k, a, f.data, c
        p.a_row, p.a_col, p.b_row, p.b_col, p.c_row = f.k, 1, f.row, f.column, f.n
        p.count, p.a_step, p.b_step, p.c_step = 1, 0, 0, 0
        with gil:
            multiply(&p)


cdef void _make_product(const Walk* w, const Factor* f, Py_ssize_t m, const char* a, char* c) noexcept nogil:
    memset(c, 0, m * f.n * w.item)
    _add_product(w, f, m, a, c)


cdef void _walk_forward(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
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
        if w.gates == GRU:
            _make_product(w, &w.by_state, m, state, <char*>s.products)
        else:
            _add_product(w, &w.by_state, m, state, <char*>s.gates)
        w.loops.forward[w.gates](&s, 0, m)
        if w.wide != NULL:
            _make_product(w, &w.projection, m, <char*>s.state, given)
        memcpy(state, given, m * w.out * item)


cdef void _walk_backward(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef const Walk* w = <const Walk*>context
    cdef Step s = w.step
    cdef Py_ssize_t k, t, all, m, row, first = 0 if w.reverse else w.rows, item = w.item, n = w.hidden
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
        if w.grad_output != NULL:
            w.loops.add_to(of_state, w.grad_output + row * w.out * item, m * w.out)
        s.gates, s.kept = w.work + row * w.width * item, w.work + (w.rows * w.width + row * w.extra) * item
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


# --- the kernels -----------------------------------------------------------------------------------------------------

cdef _Layer _lstm_of(PyObject** a):
    cdef Given g
    cdef _Layer layer = _Layer.__new__(_Layer)
    layer.gates = LSTM
    g.input, g.batch_sizes, g.h0, g.c0, g.w_ih, g.w_hh = a[0], a[1], a[2], a[3], a[4], a[5]
    g.b_ih, g.b_hh, g.w_hr, g.mode, g.reverse = a[6], a[7], a[8], NULL, a[9]
    layer.read(&g)
    return layer


cdef _Layer _rnn_of(PyObject** a):
    cdef Given g
    cdef _Layer layer = _Layer.__new__(_Layer)
    mode = <object>a[7]
    if mode not in ("GRU", "RNN_TANH", "RNN_RELU"):
        raise RuntimeError(f"Unknown mode: {mode}")
    layer.gates = GRU if mode == "GRU" else PLAIN
    g.input, g.batch_sizes, g.h0, g.c0, g.w_ih, g.w_hh = a[0], a[1], a[2], NULL, a[3], a[4]
    g.b_ih, g.b_hh, g.w_hr, g.mode, g.reverse = a[5], a[6], NULL, a[7], a[8]
    layer.read(&g)
    return layer


cdef object _lstm_layer(PyObject* op, PyObject** a):
    return _lstm_of(a).forward()


cdef object _lstm_layer_backward(PyObject* op, PyObject** a):
    return _lstm_of(a + 5).backward(a[0], a[1], a[2], a[3], a[4], <object>a[15])


cdef object _rnn_layer(PyObject* op, PyObject** a):
    output, final, _, workspace = _rnn_of(a).forward()
    return output, final, workspace


cdef object _rnn_layer_backward(PyObject* op, PyObject** a):
    x, h, _, w_ih, w_hh, b_ih, b_hh, _ = _rnn_of(a + 4).backward(a[0], a[1], NULL, a[2], a[3], <object>a[13])
    return x, h, w_ih, w_hh, b_ih, b_hh


lstm_layer = new_kernel(_lstm_layer)
lstm_layer_backward = new_kernel(_lstm_layer_backward)
rnn_layer = new_kernel(_rnn_layer)
rnn_layer_backward = new_kernel(_rnn_layer_backward)
