"""Filling tensors with random numbers. Each function checks its arguments and increments the tensor's version."""
from libc.stdint cimport int64_t

from flambeau_tensor._core.call.operator cimport Operator
from flambeau_tensor._core.memory.tensor cimport Tensor
from flambeau_tensor._kernels.generator cimport Generator

cdef int uniform_(Tensor t, double low, double high, Generator g) except -1
cdef int normal_(Tensor t, double mean, double std, Generator g) except -1
cdef int log_normal_(Tensor t, double mean, double std, Generator g) except -1
cdef int exponential_(Tensor t, double rate, Generator g) except -1
cdef int geometric_(Tensor t, double probability, Generator g) except -1
cdef int cauchy_(Tensor t, double median, double sigma, Generator g) except -1
cdef int bernoulli_(Tensor t, double probability, Generator g) except -1
cdef int bernoulli_each_(Tensor t, Tensor probability, Generator g) except -1
cdef int random_all_(Tensor t, Generator g) except -1
cdef int random_range_(Tensor t, int64_t low, int64_t high, Generator g) except -1
cdef int random_from_(Tensor t, int64_t low, Generator g) except -1
cdef int randperm_(Tensor t, Generator g) except -1

cdef Tensor dense_like(Tensor t)  # uninitialized and dense, with the same order of dimensions in memory
cdef int64_t integer_argument(Operator op, str name, int position, object value) except? -1
cdef Tensor resized(Operator op, object out, int ndim, const Py_ssize_t* sizes)  # the tensor of `out`, resized
