"""A heap of the nodes of a run that have received a gradient; the one with the highest number runs next."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.graph.node cimport Node

cdef struct Waiting:
    long long seq
    PyObject* node  # owned

cdef struct Queue:
    Waiting* heap  # the owner frees it
    int n, room

cdef int push(Queue* queue, Node node) except -1
cdef PyObject* pop(Queue* queue) noexcept  # returns a new reference
