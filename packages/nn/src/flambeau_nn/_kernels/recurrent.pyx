# cython: language_level=3
"""Layers that run over time: LSTM, GRU and plain ones, one direction of one layer a call.

The product with the inputs is made for all times at once; a step adds the product with the state and does all gates
of a row together (hot/recurrent.pyx). What backward needs of the forward run stands in one tensor, the workspace: the
activated gates of all rows, then the cells before each step (LSTM) or the state's share of the new one (GRU).

A sequence is rows: (time, batch, size), or packed, (rows, size), where `batch_sizes` says how many rows each time has,
never more than the time before. Each time the first rows of the batch take a step; the others keep their state, so it
is the final one in the end. float16 and bfloat16 are computed in float32.
"""
from cpython.object cimport PyObject
from libc.string cimport memcpy, memset

from flambeau_nn._kernels.recurrent_steps cimport Step, step_t
from flambeau_nn._kernels.sizes cimport GRAIN
from flambeau_tensor.abi cimport TENSOR_ABI, new_kernel, type_string
from flambeau_tensor.compute cimport (
    COMPUTE_ABI, D_BFLOAT16, D_FLOAT16, D_FLOAT32, D_FLOAT64, Array, Product, array_of, converted, dense, fresh,
    itemsize, multiply, parallel_for, shape_text,
)

from flambeau_tensor.extend import hot
from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")

cdef enum:
    LSTM = 4  # how many gates
    GRU = 3
    PLAIN = 1

ctypedef void (*fill_t)(void* out, const void* a, const void* b, Py_ssize_t nb, Py_ssize_t n,
                        Py_ssize_t rows) noexcept nogil
ctypedef void (*sum_t)(const void* x, void* out, Py_ssize_t rows, Py_ssize_t n) noexcept nogil
ctypedef void (*add_t)(void* x, const void* y, Py_ssize_t n) noexcept nogil

cdef struct Loops:
    step_t forward[5]  # by the number of gates
    step_t backward[5]
    fill_t fill_rows
    sum_t sum_rows
    add_t add_to

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


cdef inline bint _has(PyObject* slot) noexcept:
    return slot != NULL and slot != <PyObject*>None


cdef class _Layer:
    """A layer's operands, dense and of the dtype to compute in."""
    cdef int gates, dtype, original, ndim
    cdef bint reverse
    cdef Py_ssize_t rows, times, batch, size, hidden, out, item
    cdef list sizes  # rows of each time, or None: `batch` of each
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
        cdef Array a
        cdef Py_ssize_t total = 0, last
        array_of(g.input, &a)
        if a.dtype < D_FLOAT16 or a.dtype > D_FLOAT64:
            raise NotImplementedError(f"recurrent layers are not implemented for '{type_string(a.dtype)}'")
        self.original, self.held, self.ndim = a.dtype, [], a.ndim
        self.dtype = D_FLOAT32 if a.dtype == D_FLOAT16 or a.dtype == D_BFLOAT16 else a.dtype
        self.item = itemsize(self.dtype)
        self.loops = &_loops[self.dtype == D_FLOAT64]
        self.reverse = <object>g.reverse
        self.sizes = None
        if _has(g.batch_sizes):
            self.sizes = list(<object>g.batch_sizes)
            self.times = len(self.sizes)
            self.batch = last = self.sizes[0] if self.sizes else 0
            for size in self.sizes:
                if not 0 < size <= last:
                    raise RuntimeError("batch_sizes must be positive and never rise")
                last = size
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
        if self.sizes is None:
            self.shape[0], self.shape[1], self.shape[2] = self.times, self.batch, self.out
        else:
            self.shape[0], self.shape[1] = self.rows, self.out
        memset(&self.step, 0, sizeof(Step))
        self.step.hidden = self.hidden
        if g.mode != NULL:
            self.step.nonlinearity = <object>g.mode == "RNN_RELU"
        return 0

    cdef Py_ssize_t size_at(self, Py_ssize_t t) except -1:
        return self.batch if self.sizes is None else self.sizes[t]

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

    cdef int run(self, step_t loop, Py_ssize_t rows) except -1:
        cdef _Task task
        if rows * self.hidden * self.gates < 4 * GRAIN:
            loop(&self.step, 0, rows)
        else:
            task.step, task.loop = &self.step, loop
            with nogil:
                parallel_for(rows, max(<Py_ssize_t>1, GRAIN // max(self.hidden * self.gates, <Py_ssize_t>1)), _share,
                             &task)
        return 0

    cdef object buffer(self, Py_ssize_t rows, Py_ssize_t columns, Array* a):
        cdef Py_ssize_t[2] sizes
        sizes[0], sizes[1] = rows, columns
        return fresh(self.dtype, 2, sizes, a)

    cdef tuple forward(self):
        """(output, final state, final cells or None, workspace)"""
        cdef Py_ssize_t n = self.hidden, width = self.gates * n, extra = 0 if self.gates == PLAIN else n
        cdef Py_ssize_t t, k, m, first
        cdef Py_ssize_t[1] flat
        cdef Array out, state, cells, work, products, wide
        cdef Step* s = &self.step
        cdef char* given
        output = fresh(self.dtype, 2 if self.sizes is not None else 3, self.shape, &out)
        final = self.buffer(self.batch, self.out, &state)
        memcpy(state.data, self.h.data, state.numel * self.item)
        final_cells = None
        if self.gates == LSTM:
            final_cells = self.buffer(self.batch, n, &cells)
            memcpy(cells.data, self.c.data, cells.numel * self.item)
            s.cells = cells.data
        flat[0] = self.rows * (width + extra)
        workspace = fresh(self.dtype, 1, flat, &work)
        if self.b_ih.data != NULL and self.rows:  # of the GRU, the last third of b_hh is added in the step
            self.loops.fill_rows(work.data, self.b_ih.data, self.b_hh.data, 2 * n if self.gates == GRU else width,
                                 width, self.rows)
        self.product(self.b_ih.data != NULL, self.rows, width, self.size, self.x.data, False, self.w_ih.data, True,
                     work.data)
        if self.gates == GRU:
            self.held.append(self.buffer(self.batch, width, &products))
            s.products, s.bias = products.data, NULL
            if self.b_hh.data != NULL:
                s.bias = self.b_hh.data + 2 * n * self.item
        if self.w_hr.data != NULL:
            self.held.append(self.buffer(self.batch, n, &wide))
        first = self.rows if self.reverse else 0
        for k in range(self.times):
            t = self.times - 1 - k if self.reverse else k
            m = self.size_at(t)
            if self.reverse:
                first -= m
            s.gates = work.data + first * width * self.item
            s.kept = work.data + (self.rows * width + first * extra) * self.item
            given = out.data + first * self.out * self.item
            s.before = state.data
            s.state = wide.data if self.w_hr.data != NULL else given
            self.product(self.gates != GRU, m, width, self.out, state.data, False, self.w_hh.data, True,
                         products.data if self.gates == GRU else <char*>s.gates)
            self.run(self.loops.forward[self.gates], m)
            if self.w_hr.data != NULL:
                self.product(False, m, self.out, n, wide.data, False, self.w_hr.data, True, given)
            memcpy(state.data, given, m * self.out * self.item)
            if not self.reverse:
                first += m
        return (converted(output, self.original), converted(final, self.original),
                None if final_cells is None else converted(final_cells, self.original), workspace)

    cdef tuple backward(self, PyObject* grad_output, PyObject* grad_h, PyObject* grad_c, PyObject* output,
                        PyObject* workspace, bint of_input):
        """The gradients of (input, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr); None of what is not there or asked for."""
        cdef Py_ssize_t n = self.hidden, width = self.gates * n, extra = 0 if self.gates == PLAIN else n
        cdef Py_ssize_t t, k, m, first
        cdef Array go, out, work, before, state, dg, dp, dh, dc, whole, wide, dwide, result
        cdef Step* s = &self.step
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
        of_c = None
        if self.gates == LSTM:
            of_c = self.start(grad_c, n, &dc)
            s.grad_cells = dc.data
        if projected:
            self.held.append(self.buffer(self.rows, self.out, &whole))  # gradients by the states
            self.held.append(self.buffer(self.rows, n, &wide))  # states before the projection
            self.held.append(self.buffer(self.batch, n, &dwide))
        else:
            self.held.append(self.buffer(self.batch, n, &whole))
        for k in range(self.times):  # `first` ends where the first walk ended
            t = k if self.reverse else self.times - 1 - k
            m = self.size_at(t)
            if not self.reverse:
                first -= m
            if go.data != NULL:
                self.loops.add_to(dh.data, go.data + first * self.out * self.item, m * self.out)
            s.gates = work.data + first * width * self.item
            s.kept = work.data + (self.rows * width + first * extra) * self.item
            s.before = before.data + first * self.out * self.item
            s.grad_gates = dg.data + first * width * self.item
            s.grad_products = dp.data + first * width * self.item
            s.state = NULL
            if projected:
                memcpy(whole.data + first * self.out * self.item, dh.data, m * self.out * self.item)
                self.product(False, m, n, self.out, dh.data, False, self.w_hr.data, False, dwide.data)
                s.grad_state, s.state = dwide.data, wide.data + first * n * self.item
            elif self.gates == GRU:
                memcpy(whole.data, dh.data, m * n * self.item)
                s.grad_state, s.grad_before = whole.data, dh.data
            else:
                s.grad_state = dh.data
            self.run(self.loops.backward[self.gates], m)
            self.product(self.gates == GRU, m, self.out, width, <char*>s.grad_products, False, self.w_hh.data, False,
                         dh.data)
            if self.reverse:
                first += m
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
            of_b_ih = self.summed(&dg, width)
            of_b_hh = self.summed(&dp, width)
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

    cdef object summed(self, Array* x, Py_ssize_t n):
        cdef Array out
        cdef Py_ssize_t[1] sizes
        sizes[0] = n
        t = fresh(self.dtype, 1, sizes, &out)
        self.loops.sum_rows(x.data, out.data, self.rows, n)
        return t


cdef struct _Task:
    Step* step
    step_t loop


cdef void _share(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef _Task* task = <_Task*>context
    task.loop(task.step, begin, end)


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
