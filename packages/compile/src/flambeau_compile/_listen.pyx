"""Observe the Python functions that run in this thread, and the compiled functions that they call."""
cimport cython
from cpython.object cimport PyObject
from cpython.ref cimport Py_XDECREF, Py_XINCREF
from libc.stdint cimport uintptr_t

cdef extern from *:
    """
    #ifndef Py_BUILD_CORE
    #define Py_BUILD_CORE 1
    #endif
    #include "internal/pycore_frame.h"
    #include "internal/pycore_code.h"
    #undef Py_BUILD_CORE

    #if PY_VERSION_HEX < 0x030c0000
    #define FL_FUNCTION(f) ((PyObject *)(f)->f_func)
    #else
    #define FL_FUNCTION(f) ((f)->f_funcobj)
    #endif

    /* The function that a frame runs, borrowed, or NULL. */
    static PyObject *fl_function(PyFrameObject *frame) {
        PyObject *function = FL_FUNCTION(frame->f_frame);
        return function && PyFunction_Check(function) ? function : NULL;
    }

    /* The cell of local variable i, if the frame has created one; borrowed. */
    static PyObject *fl_own_cell(PyFrameObject *frame, PyCodeObject *code, int i) {
        if (!(_PyLocals_GetKind(code->co_localspluskinds, i) & CO_FAST_CELL)) return NULL;
        PyObject *value = frame->f_frame->localsplus[i];
        return value && PyCell_Check(value) ? value : NULL;
    }
    /* The first argument of a frame that calls `__init__`, or NULL; borrowed. */
    static PyObject *fl_initialized(PyFrameObject *frame, PyCodeObject *code) {
        if (code->co_argcount < 1 || PyUnicode_CompareWithASCIIString(code->co_name, "__init__") != 0) return NULL;
        PyObject *value = frame->f_frame->localsplus[0];
        return value && PyCell_Check(value) ? PyCell_GET(value) : value;
    }
    static int fl_variables(PyCodeObject *code) { return code->co_ncellvars ? code->co_nlocalsplus : 0; }
    static void *fl_definition(PyObject *f) { return PyCFunction_Check(f) ? ((PyCFunctionObject *)f)->m_ml : NULL; }
    static PyObject *fl_self(PyObject *f) { return PyCFunction_Check(f) ? ((PyCFunctionObject *)f)->m_self : NULL; }
    """
    ctypedef struct PyFrameObject:
        pass
    ctypedef struct PyCodeObject:
        pass
    PyObject* fl_function(PyFrameObject*)
    PyObject* fl_own_cell(PyFrameObject*, PyCodeObject*, int)
    PyObject* fl_initialized(PyFrameObject*, PyCodeObject*)
    int fl_variables(PyCodeObject*)
    void* fl_definition(PyObject*)
    PyObject* fl_self(PyObject*)

cdef extern from "Python.h":
    ctypedef int (*Py_tracefunc)(PyObject*, PyFrameObject*, int, PyObject*) except -1
    ctypedef struct PyThreadState:
        Py_tracefunc c_profilefunc
        PyObject* c_profileobj
    PyThreadState* PyThreadState_Get()
    void PyEval_SetProfile(Py_tracefunc, PyObject*)
    PyCodeObject* PyFrame_GetCode(PyFrameObject*)
    const int PyTrace_CALL, PyTrace_C_CALL


@cython.final
cdef class Listener:
    """Observes calls between `start` and `stop`. An existing profile function still receives them, too.

    Args:
        on_function: called with each Python function before it runs for the first time.
        on_builtin: called with each compiled function and the calling frame before its first call by each code object.
    """
    cdef readonly dict functions  # by id
    cdef readonly dict initialized  # objects whose `__init__` ran, by id
    cdef dict own_cells
    cdef set builtins
    cdef object on_function, on_builtin
    cdef Py_tracefunc before
    cdef PyObject* before_object
    cdef readonly bint replaced
    cdef readonly object error

    def __init__(self, on_function, on_builtin):
        self.functions, self.initialized, self.own_cells, self.builtins = {}, {}, {}, set()
        self.on_function, self.on_builtin = on_function, on_builtin

    def made(self, cell):
        """Whether a function that ran created a cell, so that it holds a local variable."""
        return id(cell) in self.own_cells

    def start(self):
        cdef PyThreadState* state = PyThreadState_Get()
        self.before, self.before_object = state.c_profilefunc, state.c_profileobj
        Py_XINCREF(self.before_object)
        PyEval_SetProfile(_profile, <PyObject*>self)

    def stop(self):
        cdef PyThreadState* state = PyThreadState_Get()
        if state.c_profilefunc == _profile and state.c_profileobj == <PyObject*>self:
            PyEval_SetProfile(self.before, self.before_object)
        else:
            self.replaced = True  # the observed code set another profile function, which is kept
        Py_XDECREF(self.before_object)
        self.before, self.before_object = NULL, NULL

    cdef int hear_function(self, PyFrameObject* frame) except -1:
        cdef PyObject* function = fl_function(frame)
        cdef PyObject* cell
        cdef PyCodeObject* code = PyFrame_GetCode(frame)
        cdef int i
        for i in range(fl_variables(code)):
            cell = fl_own_cell(frame, code, i)
            if cell != NULL:
                self.own_cells[<uintptr_t>cell] = <object>cell
        cell = fl_initialized(frame, code)
        if cell != NULL:
            self.initialized[<uintptr_t>cell] = <object>cell
        Py_XDECREF(<PyObject*>code)
        if function != NULL and <uintptr_t>function not in self.functions:
            self.functions[<uintptr_t>function] = <object>function
            self.on_function(<object>function)
        return 0

    cdef int hear_builtin(self, PyFrameObject* frame, PyObject* builtin) except -1:
        cdef void* definition = fl_definition(builtin)
        cdef PyObject* owner = fl_self(builtin)
        cdef PyCodeObject* code
        if definition == NULL:
            return 0
        code = PyFrame_GetCode(frame)
        heard = (<uintptr_t>definition, id(type(<object>owner)) if owner != NULL else 0, <uintptr_t>code)
        Py_XDECREF(<PyObject*>code)
        if heard not in self.builtins:
            self.builtins.add(heard)
            self.on_builtin(<object>builtin, <object><PyObject*>frame)
        return 0


cdef int _profile(PyObject* listener, PyFrameObject* frame, int what, PyObject* argument) except -1:
    cdef Listener self = <Listener>listener
    try:
        if what == PyTrace_CALL:
            self.hear_function(frame)
        elif what == PyTrace_C_CALL:
            self.hear_builtin(frame, argument)
    except BaseException as error:  # errors must not affect the function
        self.error = error
    if self.before != NULL:
        return self.before(self.before_object, frame, what, argument)
    return 0
