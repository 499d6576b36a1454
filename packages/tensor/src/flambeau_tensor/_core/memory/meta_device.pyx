# cython: language_level=3
"""What the lowest code has to know of device 'meta'."""

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
    """The owner of memory that there is not."""

    def __repr__(self):
        return "<meta>"


META_OWNER = MetaOwner()
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
