# cython: language_level=3
"""The parts of device 'meta' that the lowest code needs."""

cdef extern from * nogil:
    """
    #if defined(_MSC_VER)
    #define FL_THREAD __declspec(thread)
    #else
    #define FL_THREAD __thread
    #endif
    static FL_THREAD int fl_dry = 0;
    """
    int fl_dry


class MetaOwner:
    """The owner of storages without memory."""

    def __repr__(self):
        return "<meta>"


class ClassOwner:
    """The owner of storages for tensors whose class handles all calls."""

    def __repr__(self):
        return "<the class of the tensor>"


META_OWNER, CLASS_OWNER = MetaOwner(), ClassOwner()


dry_runs = 0


cdef object no_memory():
    return NotImplementedError("Cannot copy out of meta tensor; no data!")


cdef bint is_dry() noexcept nogil:
    return fl_dry != 0


cdef void begin_dry() noexcept:
    global dry_runs, fl_dry
    dry_runs += 1
    fl_dry += 1


cdef void end_dry() noexcept:
    global dry_runs, fl_dry
    dry_runs -= 1
    fl_dry -= 1
