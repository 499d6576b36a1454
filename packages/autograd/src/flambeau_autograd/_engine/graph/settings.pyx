# cython: language_level=3
"""Settings that are in effect during a ``with`` block.

An interrupt may arrive at any call or line of Python. Each change here, and each restoration, is therefore a single
compiled step, and a block that was entered is always left.
"""
from flambeau_autograd._engine.levels.level cimport Level

from flambeau_autograd._engine.levels.dual_level import (
    enter_outer_dual, forward_enabled, leave_outer_dual, set_forward_enabled,
)


cdef class Setting:
    """A value that blocks change; ``changed``, if given, is a compiled function that receives each new value."""

    cdef readonly object value
    cdef object changed

    def __init__(self, value, changed=None):
        self.value, self.changed = value, changed

    cdef int set(self, object value) except -1:
        self.value = value
        if self.changed is not None:
            self.changed(value)
        return 0


cdef class Within:
    """A context and decorator in which a setting has another value."""

    cdef Setting setting
    cdef object value
    cdef list before  # the previous values, one for each time that the block was entered and not yet left

    def __init__(self, Setting setting not None, value):
        self.setting, self.value, self.before = setting, value, []

    def __enter__(self):
        self.before.append(self.setting.value)
        self.setting.set(self.value)

    def __exit__(self, *error):
        self.setting.set(self.before.pop())

    def __call__(self, function):
        from flambeau_autograd.grad_mode import decorate

        return decorate(self, function)

    def clone(self):
        return Within(self.setting, self.value)


cdef class Since(Within):
    """A context that changes a setting as soon as it is created."""

    def __init__(self, Setting setting not None, value):
        Within.__init__(self, setting, value)
        Within.__enter__(self)

    def __enter__(self):
        pass


cdef class Paused:
    """A context that ignores layers at some levels."""

    cdef list levels

    def __init__(self, levels):
        self.levels = list(levels)

    def __enter__(self):
        for each in self.levels:
            (<Level>each).paused += 1

    def __exit__(self, *error):
        for each in self.levels:
            (<Level>each).paused -= 1


cdef class OuterDual:
    """A context for forward mode outside all transforms."""

    def __enter__(self):
        enter_outer_dual()
        return 0

    def __exit__(self, *error):
        leave_outer_dual()


cdef class SinceForward:
    """A context that switches forward mode on or off as soon as it is created; its end restores the switch."""

    cdef bint before

    def __init__(self, mode):
        self.before = forward_enabled()
        set_forward_enabled(mode)

    def __enter__(self):
        pass

    def __exit__(self, *error):
        set_forward_enabled(self.before)
