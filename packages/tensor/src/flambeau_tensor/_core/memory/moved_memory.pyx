# cython: language_level=3
"""Memory that moves under the tensors that look into it. Nothing lists these, so the garbage collector has to: sharing
memory that moves is rare, and resizing has to be cheap where nobody shares."""
import gc

from flambeau_tensor._core.memory.storage cimport Storage, resize_storage
from flambeau_tensor._core.memory.tensor cimport Tensor

from flambeau_tensor._core.memory.storage import FROZEN_BEFORE


def resize_memory(Storage s not None, Py_ssize_t nbytes):
    """Change the size of a storage, whose memory may lie elsewhere then."""
    cdef char* before = s.data
    check_movable(s)
    resize_storage(s, nbytes)
    if s.data != before:
        tell_moved(s, <size_t>before)


def check_movable(Storage s not None):
    """Raise if tensors that look into it could not be told a new address."""
    if gc.get_freeze_count() > FROZEN_BEFORE:  # the garbage collector does not tell of these
        raise RuntimeError("Trying to resize storage that is not resizable")


cdef bint _lies_in(Storage t, Storage s):
    while t is not s:
        if not isinstance(t.owner, Storage):
            return False
        t = <Storage>t.owner
    return True


def tell_moved(Storage s not None, size_t before):
    """Tell every tensor that looks into a storage, or into one that borrows its memory, where that lies now."""
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
