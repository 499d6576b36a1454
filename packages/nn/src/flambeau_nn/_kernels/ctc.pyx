# cython: language_level=3
"""Connectionist temporal classification (Graves et al., 2006): the sum over all alignments, forward and backward in
time.

The states are a blank, the first label, a blank, …: 2 S + 1 states for S labels. All computations are in double.
"""
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject
from libc.math cimport INFINITY, exp, log1p
from libc.stdint cimport int64_t

from flambeau_tensor.abi cimport TENSOR_ABI, new_kernel, type_string
from flambeau_tensor.compute cimport (
    COMPUTE_ABI, D_FLOAT32, D_FLOAT64, D_INT32, D_INT64, Array, array_of, converted, dense, fresh, shape_text,
)

from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")


cdef inline double _add(double a, double b) noexcept nogil:
    """Return log(exp(a) + exp(b))."""
    if a == -INFINITY:
        return b
    if b == -INFINITY:
        return a
    return a + log1p(exp(b - a)) if a > b else b + log1p(exp(a - b))


cdef inline int64_t _label(const int64_t* labels, Py_ssize_t s, int64_t blank) noexcept nogil:
    return labels[s // 2] if s & 1 else blank


cdef inline bint _skips(const int64_t* labels, Py_ssize_t s) noexcept nogil:
    """Whether state s may follow s - 2: it is a label different from the previous one."""
    return s & 1 and s > 1 and labels[s // 2] != labels[s // 2 - 1]


cdef void _forward(const double* x, Py_ssize_t step, const int64_t* labels, Py_ssize_t states, Py_ssize_t times,
                   int64_t blank, double* alpha) noexcept nogil:
    """alpha[t, s]: the sum over the paths that are in state s at time t; `step` is the stride between times of x."""
    cdef Py_ssize_t t, s
    cdef double total
    for s in range(states):
        alpha[s] = x[_label(labels, s, blank)] if s < 2 else -INFINITY
    for t in range(1, times):
        for s in range(states):
            total = alpha[(t - 1) * states + s]
            if s > 0:
                total = _add(total, alpha[(t - 1) * states + s - 1])
            if _skips(labels, s):
                total = _add(total, alpha[(t - 1) * states + s - 2])
            alpha[t * states + s] = total + x[t * step + _label(labels, s, blank)]


cdef void _gradient(const double* x, Py_ssize_t step, Py_ssize_t classes, const int64_t* labels, Py_ssize_t states,
                    Py_ssize_t times, int64_t blank, const double* alpha, double* beta, double nll, double factor,
                    double* out) noexcept nogil:
    """out[t, c] = factor (exp(x) - the share of paths that emit class c at time t); two rows of beta are work space."""
    cdef Py_ssize_t t, s, c
    cdef double total
    cdef double* now
    cdef double* later
    for t in range(times - 1, -1, -1):
        now, later = beta + (t & 1) * states, beta + (1 - (t & 1)) * states
        for s in range(states):
            if t == times - 1:
                total = 0 if s >= states - 2 else -INFINITY
            else:
                total = later[s]
                if s + 1 < states:
                    total = _add(total, later[s + 1])
                if s + 2 < states and _skips(labels, s + 2):
                    total = _add(total, later[s + 2])
            now[s] = total + x[t * step + _label(labels, s, blank)]
        for c in range(classes):
            out[t * step + c] = -INFINITY
        for s in range(states):
            c = _label(labels, s, blank)
            out[t * step + c] = _add(out[t * step + c], alpha[t * states + s] + now[s])
        for c in range(classes):
            total = x[t * step + c]
            out[t * step + c] = factor * (exp(total) - exp(out[t * step + c] + nll - total))


cdef class _Batch:
    cdef Array x, labels
    cdef Py_ssize_t times, batch, classes, longest
    cdef int64_t blank
    cdef int original
    cdef list lengths, sizes, starts
    cdef object kept_x, kept_labels

    cdef int read(self, PyObject* log_probs, PyObject* targets, PyObject* input_lengths, PyObject* target_lengths,
                  PyObject* blank) except -1:
        cdef Array a
        cdef Py_ssize_t k, total
        where = "(while checking arguments for ctc_loss_allocate_outputs)"
        array_of(log_probs, &a)
        if a.dtype != D_FLOAT32 and a.dtype != D_FLOAT64:
            raise NotImplementedError(f'"ctc_loss_cpu" not implemented for \'{type_string(a.dtype)}\'')
        if a.ndim != 3:
            raise RuntimeError(f"ctc_loss: expected log_probs of three dimensions, got {shape_text(a.ndim, a.sizes)}")
        self.original = a.dtype
        self.times, self.batch, self.classes = a.sizes[0], a.sizes[1], a.sizes[2]
        self.kept_x = dense(log_probs, D_FLOAT64, &self.x)
        array_of(targets, &a)
        if a.dtype != D_INT64 and a.dtype != D_INT32:
            raise RuntimeError("Expected tensor for argument #2 'targets' to have one of the following scalar types: "
                               f"Long, Int; but got {type_string(a.dtype)} instead (while checking arguments for "
                               "ctc_loss_allocate_outputs)")
        self.kept_labels = dense(targets, D_INT64, &self.labels)
        self.blank = <object>blank
        self.lengths, self.sizes, self.starts = list(<object>input_lengths), list(<object>target_lengths), []
        if not 0 <= self.blank < self.classes:
            raise RuntimeError("blank must be in label range")
        for name, lengths in (("input", self.lengths), ("target", self.sizes)):
            if len(lengths) != self.batch:
                raise RuntimeError(f"{name}_lengths must be of size batch_size")
            for length in lengths:
                if length < 0:
                    raise RuntimeError(f"Expected {name}_lengths to have value at least 0, but got value {length} "
                                       f"{where}")
        self.longest, total = max(self.sizes, default=0), sum(self.sizes)
        for length in self.lengths:
            if length > self.times:
                raise RuntimeError(f"Expected input_lengths to have value at most {self.times}, but got value {length} "
                                   f"{where}")
        if a.ndim == 1:
            if a.sizes[0] != total:
                raise RuntimeError(f"Expected tensor to have size {total} at dimension 0, but got size {a.sizes[0]} "
                                   f"for argument #2 'targets' {where}")
            at = 0
            for length in self.sizes:
                self.starts.append(at)
                at += length
        elif a.ndim == 2 and a.sizes[0] == self.batch:
            if a.sizes[1] < self.longest:
                raise RuntimeError(f"Expected tensor to have size at least {self.longest} at dimension 1, but got size "
                                   f"{a.sizes[1]} for argument #2 'targets' {where}")
            for k in range(self.batch):
                self.starts.append(k * a.sizes[1])
        else:
            raise RuntimeError(f"ctc_loss: expected targets of the size of a batch of {self.batch}, got "
                               f"{shape_text(a.ndim, a.sizes)}")
        for start, length in zip(self.starts, self.sizes):
            for k in range(length):
                label = (<const int64_t*>self.labels.data)[<Py_ssize_t>start + k]
                if not 0 <= label < self.classes:
                    raise RuntimeError(f"ctc_loss: the target {label} is out of range of {self.classes} classes")
        return 0

    cdef const int64_t* of(self, Py_ssize_t k) except NULL:
        return <const int64_t*>self.labels.data + <Py_ssize_t>self.starts[k]

    cdef double loss(self, Py_ssize_t k, double* alpha) except? -1:
        cdef Py_ssize_t times = self.lengths[k], states = 2 * self.sizes[k] + 1
        cdef const double* end
        cdef double total
        if times == 0:
            return 0 if states == 1 else INFINITY
        _forward(<const double*>self.x.data + k * self.classes, self.batch * self.classes, self.of(k), states, times,
                 self.blank, alpha)
        end = alpha + times * states
        total = (end - 1)[0]
        return -(_add(total, (end - 2)[0]) if states > 1 else total)

    cdef double* work(self) except NULL:
        """Allocate alpha of one example and two rows of beta."""
        cdef double* room = <double*>PyMem_Malloc((self.times + 2) * (2 * self.longest + 1) * sizeof(double))
        if room == NULL:
            raise MemoryError()
        return room


cdef object _ctc_loss(PyObject* op, PyObject** a):
    cdef _Batch b = _Batch.__new__(_Batch)
    cdef Array out
    cdef Py_ssize_t[1] sizes
    cdef Py_ssize_t k
    cdef double* alpha
    b.read(a[0], a[1], a[2], a[3], a[4])
    sizes[0] = b.batch
    result = fresh(D_FLOAT64, 1, sizes, &out)
    alpha = b.work()
    try:
        for k in range(b.batch):
            (<double*>out.data)[k] = b.loss(k, alpha)
    finally:
        PyMem_Free(alpha)
    return converted(result, b.original)


cdef object _ctc_loss_backward(PyObject* op, PyObject** a):
    """(grad_output, log_probs, targets, input_lengths, target_lengths, blank, zero_infinity); one grad per example."""
    cdef _Batch b = _Batch.__new__(_Batch)
    cdef Array g, out
    cdef Py_ssize_t k, t, c, times, states
    cdef double* alpha
    cdef double* gradient
    cdef double loss
    b.read(a[1], a[2], a[3], a[4], a[5])
    cdef bint zero_infinity = <object>a[6]
    _kept = dense(a[0], D_FLOAT64, &g)
    if g.numel != b.batch:
        raise RuntimeError(f"ctc_loss_backward: expected {b.batch} gradients, got {g.numel}")
    result = fresh(D_FLOAT64, 3, b.x.sizes, &out)
    alpha = b.work()
    try:
        for k in range(b.batch):
            gradient = <double*>out.data + k * b.classes
            times, states = b.lengths[k], 2 * b.sizes[k] + 1
            loss = b.loss(k, alpha)
            if loss == INFINITY and zero_infinity:
                times = 0
            if times:
                _gradient(<const double*>b.x.data + k * b.classes, b.batch * b.classes, b.classes, b.of(k), states,
                          times, b.blank, alpha, alpha + b.times * (2 * b.longest + 1), loss,
                          (<const double*>g.data)[k], gradient)
            for t in range(times, b.times):
                for c in range(b.classes):
                    gradient[t * b.batch * b.classes + c] = 0
    finally:
        PyMem_Free(alpha)
    return converted(result, b.original)


ctc_loss = new_kernel(_ctc_loss)
ctc_loss_backward = new_kernel(_ctc_loss_backward)
