"""One compiled program, as its entry point uses it."""
from cpython.object cimport PyObject

from flambeau_compile._arguments cimport Pattern
from flambeau_compile._geometry cimport Geometry
from flambeau_compile._memory_guards cimport MemoryGuards
from flambeau_compile._numbers cimport Numbers
from flambeau_compile._spot cimport Spot
from flambeau_compile._watch cimport Checks

cdef extern from *:
    """
    typedef int (*fl_run_t)(void* const*, void* const*, const double*, void*);
    """
    ctypedef int (*run_t "fl_run_t")(void** p, void** f, const double* k, void* context)

cdef enum:
    INFERENCE_STATE = 4  # bit of `thread_word`

cdef struct Call:  # the arguments of a vectorcall
    PyObject* const* args
    Py_ssize_t n
    PyObject* kwnames  # a tuple, or NULL
    PyObject* whole  # owned: (args, kwargs), created at the first use; NULL: not yet
    PyObject* numbers  # owned: the tensors of numbers that an entry reads, or NULL

cdef struct Place:  # the source of a buffer's address
    int slot  # of `p`
    int source  # the index of an argument's tensor; -1 for captured tensors
    Py_ssize_t nbytes
    bint written

cdef enum:  # how an output is made
    FRESH, OF_OUTPUT, OF_ARGUMENT, OF_TENSOR  # in memory of its own, or as a view

cdef struct Made:  # an output
    int how
    int number  # of the output or argument that it is a view of
    PyObject* tensor  # that it is a view of, from outside
    bint apart  # whether it is no view for autograd
    PyObject* owner  # of an output that becomes a gradient, the tensor whose it is
    int slot  # of `p`

cdef object whole_of(Call* call)  # the arguments as (args, kwargs)

cdef class Entry:
    cdef Pattern pattern
    cdef readonly unsigned long long state
    cdef readonly list given  # the tensors among the arguments of the traced call; None when there is a program
    cdef bytes same  # for each of them, the first index of the same object
    cdef readonly MemoryGuards guards
    cdef int nexplicit  # tensors among the arguments; gradients that the program reads follow them
    # Python numbers that the program reads, as tensors after the arguments; None if there are none
    cdef readonly Numbers numbers
    cdef int nnumbers
    cdef list read_grads, absent_grads  # owners of gradients that are read, and tensors that must not have a gradient
    cdef list read_places  # Places of tensors that are read, before the gradients
    cdef readonly list empty_places  # Places that have to contain None before a call, which stores tensors there
    cdef int nargs, ncaptured, nplaces, noutputs, nchecked
    cdef bint plain  # all arguments are tensors, passed by position
    cdef Geometry* args
    cdef Geometry* captured
    cdef void** memory  # of captured tensors
    cdef list tensors  # captured tensors
    cdef Place* places
    cdef Geometry* outputs
    cdef Made* made  # how each output is
    cdef int nshared
    cdef int* shared  # pairs of arguments that share a storage
    cdef list bases  # keeps the tensors from outside that outputs are views of
    cdef list classes  # for each output, the subclass of Tensor that it is, or None; None: all are plain
    cdef void** p
    cdef void** f
    cdef double* k
    cdef int npointers, nfixed, arena_slot
    cdef list adopted  # kernel results that are buffers of a run
    cdef run_t function
    cdef object keep, arena
    cdef object result  # the structure to return
    cdef Checks checks  # of values read in Python, or None
    cdef list counters, stored  # counters to increment, and (Place, structure) to set after each run
    cdef list updates, versions, grads, opaque
    cdef bint writes
    cdef public long hits  # calls that it served since this was set to 0
    cdef readonly bint busy  # running, in an outer call of this thread or in another thread
    cdef public bint rewinds  # it may give up after it drew random numbers, which another run draws again
    cdef bint quiet  # a run has no effect in Python but its result
    cdef bint simple  # and that is one new tensor
    cdef readonly dict about
    cdef public bint follows  # whether captured tensors may have new memory, hooks or requires_grad
    cdef readonly list demands  # (tensor, required requires_grad) for tensors that the program itself does not read
    cdef dict histories  # output number -> (node of a graph that has ended, its output number)
    cdef public object joint  # records the program as a node of the graph, or None
    cdef public bint eager  # there is no program: the function itself runs
    cdef object failure
    cdef bint starts_again  # whether the call may run again in Python after it
    cdef list held  # tensors from Places, during a call

    cdef object _next(self, tensor)
    cdef bint gradients_fit(self, Call* call, PyObject** tensors) except -1
    cdef bint fits(self, Call* call, PyObject** tensors) except -1
    cdef bint holds(self, PyObject** tensors) except -1
    cdef bint _follow(self, list tensors) noexcept
    cdef bint _disjoint(self) noexcept
    cdef bint locate(self, PyObject** tensors) noexcept
    cdef object _output(self, int i, tuple outputs, PyObject** tensors)
    cdef object _view(self, int i, tuple outputs, PyObject** tensors)
    cdef object fresh(self, const Geometry* g)
    cdef object run(self, PyObject** tensors)
    cdef int _publish(self, tuple outputs, PyObject** tensors) except -1
    cdef bint _execute(self) except -1
    cdef int run_opaque(self, int node) except -1
    cdef bint _adopt(self, Spot spot, object value) except -1
    cdef object _tensor(self, object o)
