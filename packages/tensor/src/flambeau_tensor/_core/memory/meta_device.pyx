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


cdef class Asked:
    """The owner of the zeros behind a tensor whose class answers in its place, and what the class is asked of itself.

    Args:
        layout: "strides" where it is asked for strides, "sizes" where for sizes, too, None where for neither.
        device: it is asked for the device.
        kind: it is asked for the layout, `torch.strided` or another one.
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
