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


META_OWNER = MetaOwner()


cdef class Asked:
    """The owner of a storage for a tensor whose class answers queries in its place, with the queries that it answers.

    Args:
        layout: "strides" if the class computes the strides, "sizes" if it computes the sizes, too, None if neither.
        device: whether it computes the device.
        kind: whether it computes the layout, `torch.strided` or another one.
    """

    def __init__(self, layout, bint device, bint kind):
        self.layout, self.device, self.kind = layout, device, kind
        self.anything = layout is not None or device or kind

    def __repr__(self):
        return "<what the class answers for>"


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
