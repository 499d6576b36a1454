"""Copying, converting and filling elements."""
from flambeau_tensor._core.memory.tensor cimport Tensor

cdef int copy_elements(Tensor dst, Tensor src) except -1  # broadcasts and converts
cdef int fill_elements(Tensor dst, object number) except -1
cdef Tensor to_dtype(Tensor t, int dtype)  # t itself if it has the dtype
cdef Tensor contiguous(Tensor t, int dtype)  # contiguous and of the dtype; t itself if it is so
cdef Tensor copy_of(Tensor t)  # a new tensor, with the same layout if dense
# Copy new results into `out` or `self`.
cdef int check_out_dtype(str func, object out, object result) except -1
cdef object write_out(str func, object out, object result, bint composite=*)
cdef object write_inplace(str func, Tensor self, Tensor result, bint composite=*)
cdef object become_view(Tensor self, Tensor view)
