"""Copying, converting and filling elements."""
from flambeau_tensor._core.memory.tensor cimport Tensor

cdef int copy_elements(Tensor dst, Tensor src) except -1  # broadcast, converting
cdef int fill_elements(Tensor dst, object number) except -1
cdef Tensor to_dtype(Tensor t, int dtype)  # t itself when it has that dtype
cdef Tensor contiguous(Tensor t, int dtype)  # the elements in order, as `dtype`; t itself when it is so
cdef Tensor copy_of(Tensor t)  # fresh, same layout where dense
# Fresh results into what was given as `out`.
cdef object write_out(str func, object out, object result, bint composite=*)
cdef object write_inplace(str func, Tensor self, Tensor result, bint composite=*)
cdef object become_view(Tensor self, Tensor view)
