"""Views by integers and slices, which other families use, too."""
from flambeau_tensor._core.memory.tensor cimport Tensor

# One step of indexing as a view. Calls an operator if autograd or a transform has to see it.
cdef Tensor selected(Tensor t, int dim, Py_ssize_t i)  # 0 <= i < size
cdef Tensor sliced(Tensor t, int dim, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t step)  # 0 <= start <= stop <= size
