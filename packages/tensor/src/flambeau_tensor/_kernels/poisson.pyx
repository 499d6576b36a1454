"""Samples of the Poisson distribution, with a rate for each element."""
from cpython.object cimport PyObject

from flambeau_tensor._core.elementwise.copying cimport copy_elements
from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, dtype_object
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.memory.tensor cimport Tensor, empty
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.random_types cimport Params, draw_t
from flambeau_tensor._kernels.generator cimport Generator, generator_of

from flambeau_tensor._core.elementwise.dtype import type_name
from flambeau_tensor._core.elementwise.cpu_levels import hot

cdef draw_t DRAW = <draw_t><size_t>hot("random").LOOPS["poisson"]["float64"]


cdef object _poisson(Operator op, PyObject** a):
    """self, generator"""
    cdef Tensor rates = <Tensor>a[0], result = empty(rates.dtype, rates.ndim, rates.sizes), drawn
    cdef Generator g = generator_of(op.name, <object>a[1])
    cdef Params p
    cdef double* numbers
    cdef Py_ssize_t i
    if CATEGORY[rates.dtype] != CAT_FLOAT:
        raise NotImplementedError(f"\"poisson_cpu\" not implemented for '{type_name(dtype_object(rates.dtype))}'")
    drawn = empty(FLOAT64, rates.ndim, rates.sizes)
    copy_elements(drawn, rates)
    numbers = <double*>drawn.data
    for i in range(drawn.numel):
        if not numbers[i] >= 0:
            raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    with g.lock.mutex:
        with nogil:
            for i in range(drawn.numel):
                p.a = numbers[i]
                DRAW(&g.source, &p, &numbers[i], 1)
    copy_elements(result, drawn)
    return result


poisson = make_kernel(_poisson)
