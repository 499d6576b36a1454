# cython: language_level=3
"""A heap of the nodes of a run that have received a gradient; the one with the highest number runs next."""
from cpython.mem cimport PyMem_Realloc
from cpython.object cimport PyObject

from flambeau_autograd._engine.graph.node cimport Node
from flambeau_autograd._engine.refs cimport incref


cdef int push(Queue* queue, Node node) except -1:
    cdef int i = queue.n, parent
    cdef Waiting* heap
    cdef long long seq = node.seq
    if queue.n == queue.room:
        heap = <Waiting*>PyMem_Realloc(queue.heap, (2 * queue.room + 16) * sizeof(Waiting))
        if heap == NULL:
            raise MemoryError()
        queue.heap, queue.room = heap, 2 * queue.room + 16
    heap = queue.heap
    queue.n += 1
    while i > 0:
        parent = (i - 1) >> 1
        if heap[parent].seq >= seq:
            break
        heap[i] = heap[parent]
        i = parent
    heap[i].seq, heap[i].node = seq, <PyObject*>node
    incref(<PyObject*>node)
    return 0


cdef PyObject* pop(Queue* queue) noexcept:
    cdef Waiting* heap = queue.heap
    cdef PyObject* top = heap[0].node
    cdef Waiting last
    cdef int i = 0, child
    queue.n -= 1
    last = heap[queue.n]
    while True:
        child = 2 * i + 1
        if child >= queue.n:
            break
        if child + 1 < queue.n and heap[child + 1].seq > heap[child].seq:
            child += 1
        if heap[child].seq <= last.seq:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = last
    return top
