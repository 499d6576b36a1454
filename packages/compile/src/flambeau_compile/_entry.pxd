"""One compiled program, as the way into it uses it."""
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
    INFERENCE_STATE = 4  # in what `thread_word` says

cdef struct Call:  # arguments as they are handed over
    PyObject* const* args
    Py_ssize_t n
    PyObject* kwnames  # a tuple, or NULL
    PyObject* whole  # (args, kwargs), made when first needed, and owned; NULL: not yet
    PyObject* numbers  # the tensors of numbers that an entry reads, owned, or NULL

cdef struct Place:  # which address a buffer has
    int slot  # of `p`
    int source  # of an argument: which tensor; of what is captured: -1
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
    cdef readonly list given  # the tensors among the arguments of the traced call; None once there is a program
    cdef bytes same  # for each of them, where the same object stands first
    cdef readonly MemoryGuards guards
    cdef int nexplicit  # tensors among the arguments; gradients that are read come after them
    cdef readonly Numbers numbers  # of Python's that are read, as tensors right after the arguments; None: none are
    cdef int nnumbers
    cdef list read_grads, absent_grads  # whose gradients are read, and who must have none
    cdef list read_places  # Places whose tensors are read, before these
    cdef int nargs, ncaptured, nplaces, noutputs, nchecked
    cdef bint plain  # every positional argument is a tensor, and there are no others
    cdef Geometry* args
    cdef Geometry* captured
    cdef void** memory  # of what is captured
    cdef list tensors  # what is captured
    cdef Place* places
    cdef Geometry* outputs
    cdef Made* made  # how each output is
    cdef int nshared
    cdef int* shared  # pairs of arguments that look into one storage
    cdef list bases  # keeps the tensors from outside that outputs are views of
    cdef list classes  # for each output, the subclass of Tensor that it is, or None; None: all are plain
    cdef void** p
    cdef void** f
    cdef double* k
    cdef int npointers, nfixed, arena_slot
    cdef list adopted  # results of kernels that are buffers of a run
    cdef run_t function
    cdef object keep, arena
    cdef object result  # the structure to return
    cdef Checks checks  # of what was read in Python, or None
    cdef list counters, stored  # numbers to count up, and (Place, structure) to be set after each run
    cdef list updates, versions, grads, opaque
    cdef bint writes
    cdef public long hits  # calls that it served since somebody set this to 0
    cdef readonly bint busy  # at work, in this thread further out or in another one
    cdef public bint rewinds  # it may give up after it drew random numbers, which another run draws again
    cdef bint quiet  # Python sees nothing of a run but its result
    cdef bint simple  # and that is one fresh tensor
    cdef readonly dict about
    cdef public bint follows  # what is captured may have got other memory, hooks or requirements of gradients
    cdef list demands  # (tensor, whether it requires grad) for what the program itself does not read
    cdef dict histories  # number of an output: (node of a graph that is over, which of its outputs)
    cdef public object joint  # what puts a node into the graph around the program, or None
    cdef public bint eager  # there is no program: the function itself runs
    cdef object failure
    cdef list held  # tensors in Places, while a call runs

    cdef object _next(self, tensor)
    cdef bint gradients_fit(self, Call* call, PyObject** tensors) except -1
    cdef bint fits(self, Call* call, PyObject** tensors) except -1
    cdef bint holds(self, PyObject** tensors) except -1
    cdef bint _follow(self) noexcept
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
