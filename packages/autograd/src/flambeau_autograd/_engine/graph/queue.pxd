"""The nodes of a run that have a gradient, as a heap: the one with the highest number comes next."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.graph.node cimport Node

cdef struct Waiting:
    long long seq
    PyObject* node  # owned

cdef struct Queue:
    Waiting* heap  # to be freed by the owner
    int n, room

cdef int push(Queue* queue, Node node) except -1
cdef PyObject* pop(Queue* queue) noexcept  # hands its reference over
