# cython: language_level=3
"""Moving the memory of a storage while tensors point into it.

No list of these tensors exists, so the garbage collector finds them: shared memory rarely moves, and resizing memory
that is not shared has to be cheap."""
import gc

from flambeau_tensor._core.memory.storage cimport Storage, resize_storage
from flambeau_tensor._core.memory.tensor cimport Tensor

from flambeau_tensor._core.memory.storage import FROZEN_BEFORE


def resize_memory(Storage s not None, Py_ssize_t nbytes):
    """Change the size of a storage, which may move its memory."""
    cdef char* before = s.data
    check_movable(s)
    resize_storage(s, nbytes)
    if s.data != before:
        tell_moved(s, <size_t>before)


def check_movable(Storage s not None):
    """Raise if a new address could not be passed to all tensors that use the storage."""
    if gc.get_freeze_count() > FROZEN_BEFORE:  # the garbage collector does not list frozen objects
        raise RuntimeError("Trying to resize storage that is not resizable")


cdef bint _lies_in(Storage t, Storage s):
    while t is not s:
        if not isinstance(t.owner, Storage):
            return False
        t = <Storage>t.owner
    return True


def tell_moved(Storage s not None, size_t before):
    """Update the addresses in all tensors that use a storage, or one that borrows its memory, after it has moved."""
    cdef Py_ssize_t step = s.data - <char*>before
    cdef Storage t
    told = {id(s)}
    for o in gc.get_objects():
        if isinstance(o, Tensor) and _lies_in((<Tensor>o).storage, s):
            t = (<Tensor>o).storage
            while id(t) not in told:
                told.add(id(t))
                t.data += step
                t = <Storage>t.owner
            (<Tensor>o).data += step
