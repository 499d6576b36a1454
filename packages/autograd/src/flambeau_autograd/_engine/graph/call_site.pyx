# cython: language_level=3
"""Record which line of the user's program created a node, so that errors in backward can name it.

A node keeps the code object that made the call and the number of the instruction in it, both read from the frame.
Lines and source are looked up only when an error is reported.
"""
from cpython.object cimport PyObject

from flambeau_autograd._engine.refs cimport decref, incref

import os
import sys

cdef str _SEPARATOR = os.sep

cdef extern from * nogil:
    """
    /* The interpreter's frames, innermost first. Creating a frame object takes as long as a small operation, so if
       the layout is known (3.11, 3.12), the internal frames are read directly. */
    #if PY_VERSION_HEX < 0x030D0000
    #ifndef Py_BUILD_CORE
    #define Py_BUILD_CORE 1
    #endif
    #include "internal/pycore_frame.h"
    typedef _PyInterpreterFrame *fl_frame;
    static inline fl_frame fl_shown(fl_frame f) {
    #if PY_VERSION_HEX >= 0x030C0000
        while (f && f->owner == FRAME_OWNED_BY_CSTACK) f = f->previous;
    #endif
        return f;
    }
    static inline fl_frame fl_innermost(void) { return fl_shown(PyThreadState_Get()->cframe->current_frame); }
    static inline fl_frame fl_outer(fl_frame f) { return fl_shown(f->previous); }
    static inline PyObject *fl_code(fl_frame f) { return (PyObject *)f->f_code; }
    static inline int fl_instruction(fl_frame f) { return _PyInterpreterFrame_LASTI(f) * (int)sizeof(_Py_CODEUNIT); }
    #else
    typedef PyFrameObject *fl_frame;
    static inline PyObject *fl_code(fl_frame f) {
        PyObject *code = (PyObject *)PyFrame_GetCode(f);
        Py_DECREF(code);  /* the frame holds it */
        return code;
    }
    static inline fl_frame fl_innermost(void) { return PyEval_GetFrame(); }
    static inline fl_frame fl_outer(fl_frame f) {
        fl_frame outer = PyFrame_GetBack(f);
        Py_XDECREF(outer);  /* the frame is running, so the thread holds a reference */
        return outer;
    }
    static inline int fl_instruction(fl_frame f) { return PyFrame_GetLasti(f); }
    #endif
    """
    ctypedef void* frame "fl_frame"
    frame fl_innermost()
    frame fl_outer(frame)
    PyObject* fl_code(frame)
    int fl_instruction(frame)

cdef enum:
    SEEN = 128  # size of the cache of code objects

cdef struct Seen:
    PyObject* code  # owned
    bint ours

cdef Seen[SEEN] _seen


cdef bint _is_ours(PyObject* code) noexcept:
    cdef Seen* s = &_seen[(<size_t>code >> 6) % SEEN]
    if s.code != code:
        s.ours = _lies_in_our_packages(<object>code)
        incref(code)
        old = s.code
        s.code = code
        if old != NULL:
            decref(old)
    return s.ours


cdef tuple _PACKAGES = tuple([f"flambeau{part}" for part in ("", "_tensor", "_autograd", "_nn", "_overrides", "_cext")])


cdef bint _lies_in_our_packages(object code) noexcept:
    # Nothing here runs Python code: an interrupt would be raised in it and lost, since this function cannot raise.
    cdef str path = code.co_filename
    for name in _PACKAGES:
        file = getattr(sys.modules.get(name), "__file__", None)
        if type(file) is str and path.startswith((<str>file)[:(<str>file).rfind(_SEPARATOR) + 1]):
            return True
    return False


cdef bint _noting = True


def note_call_sites(bint on):
    """Set whether new nodes record their call site; return the previous value."""
    global _noting
    was = _noting
    _noting = on
    return was


cdef void note_call_site(PyObject** code, int* instruction) noexcept:
    cdef frame f = fl_innermost() if _noting else NULL
    cdef frame outer
    code[0] = NULL
    if f == NULL:
        return
    while _is_ours(fl_code(f)):
        outer = fl_outer(f)
        if outer == NULL:
            break
        f = outer
    code[0], instruction[0] = fl_code(f), fl_instruction(f)
    incref(code[0])
