# cython: language_level=3
"""A limit of the recursion of compiled functions. Python only counts calls of its own functions, so without it a module
that contains itself, or a nested list that does, would overflow the stack."""

cdef extern from "Python.h":
    int Py_EnterRecursiveCall(const char*) except 1
    void Py_LeaveRecursiveCall()


def deeper(function, *args, **kwargs):
    """Call a function that may call itself.

    Raises:
        RecursionError: the calls are nested deeper than Python's limit.
    """
    Py_EnterRecursiveCall(" in a call")
    try:
        return function(*args, **kwargs)
    finally:
        Py_LeaveRecursiveCall()
