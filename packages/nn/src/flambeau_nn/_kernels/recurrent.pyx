# cython: language_level=3
"""Layers that run over time: LSTM, GRU and plain RNN; a call computes one direction of one layer.

A step multiplies its inputs and the state by weights that are packed once, and computes all gates of a row together
(hot/recurrent.pyx). Threads share the rows of a batch; each computes its rows for all times. In backward, each thread
sums the contributions of its rows to the gradients of the weights while they are in its cache, and the sums are added
in the order of the batch. With many weights, and for packed sequences, threads share panels of the gradients instead.
With few rows and many weights, BLAS computes the products and splits them by columns; products of the inputs with many
weights are computed for all times at once. The forward run stores the values that backward needs in one tensor, the
workspace: the activated gates of all rows, then the cells before each step and the tanh of the cells after it (LSTM)
or the state's contribution to the new gate (GRU).

A sequence consists of rows: (time, batch, size), or packed, (rows, size), where `batch_sizes` has the number of rows at
each time, which never increases. At each time the first rows of the batch take a step; the others keep their state, so
in the end it is their final state. float16 and bfloat16 are computed in float32.
"""
from cpython.object cimport PyObject
from libc.string cimport memcpy, memset

from flambeau_nn._kernels.compute_dtype cimport computed
from flambeau_nn._kernels.recurrent_types cimport Step
from flambeau_nn._kernels.recurrent_times cimport (
    GRU, LSTM, PLAIN, Factor, Loops, Pieces, Rows, Slopes, Walk, add_pieces, loops_of, panels_of, sum_slopes,
    walk_and_sum, walk_backward, walk_forward,
)
from flambeau_tensor.abi cimport TENSOR_ABI, new_kernel, type_string
from flambeau_tensor.compute cimport (
    COMPUTE_ABI, D_FLOAT16, D_FLOAT64, D_INT64, Array, Product, array_of, converted, dense, fresh, itemsize,
    multiply, num_threads, parallel_for, range_task, shape_text,
)
from flambeau_tensor.grain cimport HEAVY_GRAIN

from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")

cdef enum:
    FEW = 4  # number of rows below which packing the weights does not pay
    SHARE = 8  # minimum number of rows of a batch per thread
    WIDE = 1 << 20  # multiplications per step from which BLAS's threads pay
    NEAR = 1 << 16  # input weights that stay in the cache between steps
    MANY = 16  # batch rows from which reading proportionally more weights at each step pays
    NARROW = 1 << 15  # number of weights up to which BLAS's overhead for their gradient exceeds its gain

cdef struct Given:  # the arguments, borrowed; NULL if the operator lacks one
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


cdef inline bint _has(PyObject* slot) noexcept:
    return slot != NULL and slot != <PyObject*>None


cdef class _Layer:
    """The operands of a layer, dense and in the dtype to compute in."""
    cdef int gates, dtype, original, ndim
    cdef bint reverse
    cdef Py_ssize_t rows, times, batch, size, hidden, out, item
    cdef Py_ssize_t* counts  # rows at each time, or NULL: `batch` at each
    cdef Array h, c, w_ih, w_hh, b_ih, b_hh, w_hr
    cdef PyObject* given  # the input
    cdef Rows x
    cdef Py_ssize_t[3] shape  # of the output
    cdef list held
    cdef Loops* loops
    cdef Step step

    cdef char* operand(self, PyObject* t, Array* a, str name, Py_ssize_t first, Py_ssize_t second=-1) except? NULL:
        """Read `t`, which must have sizes (first, second) or (first,); data stays NULL if it is absent."""
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
        self.dtype = computed(a.dtype)
        self.item = itemsize(self.dtype)
        self.loops = loops_of(self.dtype)
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
        self.given = g.input
        self.rows_of(g.input, &self.x)
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

    cdef int rows_of(self, PyObject* t, Rows* rows, bint as_is=True) except -1:
        """Describe the rows of `t`, in place if their elements are contiguous, otherwise in a copy."""
        cdef Array a
        array_of(t, &a)
        if not as_is or a.dtype != self.dtype or a.ndim != 3 or a.strides[2] != 1:
            self.held.append(dense(t, self.dtype, &a))
        rows.data = a.data
        rows.time, rows.row = a.strides[0], a.strides[a.ndim - 2]
        return 0

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
        """Prepare the weight (k, n), or (n, k) if `across`, as a factor for rows."""
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

    cdef Py_ssize_t extra(self) noexcept:
        """Return how many elements a row of the workspace has besides the gates."""
        return self.hidden * (2 if self.gates == LSTM else 1 if self.gates == GRU else 0)

    cdef char* starts(self, Walk* w) except NULL:
        """Allocate a row of zeros and a row for the biases, and return the latter."""
        cdef Array a
        cdef Py_ssize_t n = max(w.width, w.out, self.size, <Py_ssize_t>1)
        self.held.append(self.buffer(2, n, &a))
        memset(a.data, 0, 2 * n * self.item)
        w.zeros = a.data
        w.start = a.data + n * self.item
        return a.data + n * self.item

    cdef int begin(self, Walk* w, char* output, char* work, bint across) except -1:
        """Set the fields common to both passes; backward uses the weights as they are, forward `across`."""
        cdef char* biases
        memset(w, 0, sizeof(Walk))
        w.step, w.loops, w.gates, w.dtype, w.reverse = self.step, self.loops, self.gates, self.dtype, self.reverse
        w.times, w.batch, w.rows, w.hidden, w.out = self.times, self.batch, self.rows, self.hidden, self.out
        w.width, w.extra, w.item = self.gates * self.hidden, self.extra(), self.item
        w.counts, w.output, w.work = self.counts, output, work
        self.factor(&w.by_state, &self.w_hh, w.out if across else w.width, w.width if across else w.out, across)
        if self.w_hr.data != NULL:
            self.factor(&w.projection, &self.w_hr, w.hidden if across else w.out, w.out if across else w.hidden,
                        across)
        biases = self.starts(w)
        if across and self.b_ih.data != NULL:  # GRU: the step adds the last third of b_hh
            memcpy(biases, self.b_ih.data, w.width * w.item)
            self.loops.add_to(biases, self.b_hh.data, 2 * w.hidden if w.gates == GRU else w.width)
        return 0

    cdef int walk(self, Walk* w, range_task task) except -1:
        """Run all times, on the thread pool if that pays."""
        cdef Py_ssize_t share = self.share(w)
        if share >= self.batch:
            task(w, 0, self.batch)
        else:
            with nogil:
                parallel_for(self.batch, share, task, w)
        return 0

    cdef Py_ssize_t share(self, const Walk* w) noexcept:
        """Return the minimum number of batch rows per thread."""
        cdef Py_ssize_t work = self.rows * w.width * (self.out + 16)
        if not w.by_state.packed or work < 16 * HEAVY_GRAIN:
            return self.batch
        return max(<Py_ssize_t>SHARE, self.batch * 16 * HEAVY_GRAIN // work)

    cdef object buffer(self, Py_ssize_t rows, Py_ssize_t columns, Array* a):
        cdef Py_ssize_t[2] sizes
        sizes[0], sizes[1] = rows, columns
        return fresh(self.dtype, 2, sizes, a)

    cdef tuple forward(self):
        """Return (output, final state, final cells or None, workspace)."""
        cdef Py_ssize_t k, n = self.hidden, width = self.gates * n, extra = self.extra()
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
        self.begin(&w, out.data, work.data, True)
        w.state, w.cells = state.data, cells.data
        if w.by_state.packed and self.size * width <= NEAR * min(max(self.batch // MANY, <Py_ssize_t>1), <Py_ssize_t>4):
            self.factor(&w.by_input, &self.w_ih, self.size, width, True)
            w.input = self.x
        else:
            self.rows_of(self.given, &self.x, False)
            for k in range(self.rows):
                memcpy(work.data + k * width * self.item, w.start, width * self.item)
            self.product(True, self.rows, width, self.size, self.x.data, False, self.w_ih.data, True, work.data)
        if self.gates == GRU:
            self.held.append(self.buffer(self.batch, width, &products))
            w.products = products.data
            if self.b_hh.data != NULL:
                w.step.bias = self.b_hh.data + 2 * n * self.item
        if self.w_hr.data != NULL:
            self.held.append(self.buffer(self.batch, n, &wide))
            w.wide = wide.data
        self.walk(&w, walk_forward)
        return (converted(output, self.original), converted(final, self.original),
                None if final_cells is None else converted(final_cells, self.original), workspace)

    cdef tuple backward(self, PyObject* grad_output, PyObject* grad_h, PyObject* grad_c, PyObject* output,
                        PyObject* workspace, bint of_input):
        """Return the gradients of (input, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr); None for absent or unneeded ones."""
        cdef Py_ssize_t n = self.hidden, width = self.gates * n, extra = self.extra()
        cdef Py_ssize_t flat
        cdef Array out, work, before, state, dg, dp, dh, dc, whole, wide, dwide, result, of_bias
        cdef Walk w
        cdef Slopes slopes
        cdef bint projected = self.w_hr.data != NULL
        array_of(workspace, &work)
        array_of(output, &out)
        if work.numel != self.rows * (width + extra) or work.dtype != self.dtype or not work.contiguous or \
                out.numel != self.rows * self.out:
            raise RuntimeError("the workspace and the output are not those of these operands")
        self.held.append(dense(output, self.dtype, &out))
        self.held.append(self.buffer(self.rows, self.out, &before))  # the states before each step
        flat = self.rows * width + self.loops.panel
        self.held.append(fresh(self.dtype, 1, &flat, &dg))
        dp = dg
        if self.gates == GRU:
            self.held.append(fresh(self.dtype, 1, &flat, &dp))
        of_h = self.start(grad_h, self.out, &dh)
        self.begin(&w, out.data, work.data, False)
        w.state, w.before = self.h.data, before.data
        w.grad_gates, w.grad_products, w.grad_state = dg.data, dp.data, dh.data
        if _has(grad_output):
            array_of(grad_output, &result)
            if result.numel != out.numel:
                raise RuntimeError(f"expected a gradient of {out.numel} elements, got {result.numel}")
            self.rows_of(grad_output, &w.grad_output)
        of_c = None
        if self.gates == LSTM:
            of_c = self.start(grad_c, n, &dc)
            w.grad_cells = dc.data
        if projected:
            self.held.append(self.buffer(self.rows, self.out, &whole))  # gradients of the states
            self.held.append(self.buffer(self.rows, n, &wide))  # states before the projection
            self.held.append(self.buffer(self.batch, n, &dwide))
            w.wide, w.grad_wide = wide.data, dwide.data
        else:
            self.held.append(self.buffer(self.batch, n, &whole))
        w.whole = whole.data
        of_w_ih, of_w_hh = self.buffer(width, self.size, &result), self.buffer(width, self.out, &state)
        of_b_ih = of_b_hh = of_w_hr = of_x = None
        slopes.w_ih, slopes.w_hh, slopes.b_ih, slopes.b_hh = result.data, state.data, NULL, NULL
        if self.b_ih.data != NULL:
            of_b_ih = fresh(self.dtype, 1, &width, &of_bias)
            slopes.b_ih = of_bias.data
            of_b_hh = fresh(self.dtype, 1, &width, &of_bias)
            slopes.b_hh = of_bias.data
        slopes.before, slopes.grad_gates, slopes.grad_products = before.data, dg.data, dp.data
        self.back(&w, &slopes)
        if of_input:
            array_of(self.given, &of_bias)
            of_x = fresh(self.dtype, self.ndim, of_bias.sizes, &result)
            self.product(False, self.rows, self.size, width, dg.data, False, self.w_ih.data, False, result.data)
        if projected:
            of_w_hr = self.buffer(self.out, n, &result)
            self.product(False, self.out, n, self.rows, whole.data, True, wide.data, False, result.data)
        grads = of_x, of_h, of_c, of_w_ih, of_w_hh, of_b_ih, of_b_hh, of_w_hr
        if self.original == self.dtype:
            return grads
        return tuple([None if g is None else converted(g, self.original) for g in grads])

    cdef object start(self, PyObject* grad, Py_ssize_t columns, Array* a):
        """Return a copy of the gradient of a final state, or zeros."""
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

    cdef int back(self, Walk* w, Slopes* s) except -1:
        """Run backward over time, and compute the gradients of weights and biases."""
        cdef Py_ssize_t width = w.width
        cdef bint narrow = w.by_state.packed and width * (self.size + self.out) <= NARROW
        cdef Pieces pieces
        cdef Array sums
        s.loops, s.input, s.item, s.width = self.loops, self.x, self.item, width
        s.size, s.out = self.size if narrow else 0, self.out if narrow else 0
        s.outer, s.inner, s.apart = 1, self.rows, 0
        pieces.count = 1
        if self.counts == NULL:
            s.outer, s.inner, s.apart = self.times, self.batch, self.batch
            if narrow:
                pieces.count = min(<Py_ssize_t>num_threads(), self.batch // self.share(w))
        if pieces.count > 1:
            pieces.walk, pieces.slopes, pieces.size = w, s, width * (self.size + self.out + 2)
            self.held.append(self.buffer(pieces.count - 1, pieces.size, &sums))
            pieces.sums = sums.data
            with nogil:
                parallel_for(pieces.count, 1, walk_and_sum, &pieces)
                add_pieces(&pieces)
            return 0
        self.walk(w, walk_backward)
        if not narrow:
            self.rows_of(self.given, &self.x, False)
            self.product(False, width, self.size, self.rows, s.grad_gates, True, self.x.data, False, s.w_ih)
            self.product(False, width, self.out, self.rows, s.grad_products, True, s.before, False, s.w_hh)
        if self.rows * width * (self.size + self.out) < 16 * HEAVY_GRAIN:
            sum_slopes(s, 0, panels_of(s))
        else:
            with nogil:
                parallel_for(panels_of(s), 1, sum_slopes, s)
        return 0


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
