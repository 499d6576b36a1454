"""A derivative rule, parsed once into the form that recording and backward need."""
from cpython.object cimport PyObject, PyTypeObject

from flambeau_autograd._engine.graph.node cimport Node, apply_t

cdef enum:
    MAX_DIFFERENTIABLE = 16
    MAX_ITEMS = 24
    MAX_PARAMS = 32
    MAX_PARTS = 4

cdef enum:  # Item.kind
    SAVE_TENSOR  # a tensor argument: the tensor, a number, or None
    SAVE_TENSORS  # a list of tensors: a tuple
    SAVE_PLAIN  # any other argument
    SAVE_SHAPE  # the sizes of a tensor argument, or of each tensor in a list
    SAVE_DTYPE
    SAVE_GEOMETRY
    SAVE_RESULT  # an output
    SAVE_COUNT  # the length of a list of tensors

cdef enum:
    TANGENT = -2  # Item.argument in formulas of forward mode: the tangent of an argument

cdef struct Item:  # a value that the formulas read
    int kind
    int index  # slot of the argument, or number of the output
    int argument  # the number of the differentiable argument, or -1; TANGENT
    unsigned int users  # the differentiable arguments whose formulas read it, as bits

cdef enum:  # Param.kind
    FROM_GRAD
    FROM_GRADS
    FROM_NEEDS
    FROM_ITEM

cdef struct Param:
    int kind
    int index

cdef struct Formula:
    PyObject* function  # owned by Rule.functions
    int nparams
    int params  # the first one, in Rule.params
    int result  # the differentiable argument whose gradient it computes, or -1: a tuple for several
    unsigned int results
    bint joint
    unsigned int grads  # the outputs whose gradients it reads, as bits; 0: all of them

cdef class Rule:
    cdef readonly object op
    cdef readonly str name  # of the node
    cdef readonly list functions
    cdef readonly list results  # of each function: the names of the arguments whose gradients it computes
    cdef readonly object linear, elementwise, jvp
    cdef readonly object composition  # called with all arguments in place of the kernel if the call is differentiated
    cdef PyTypeObject* node_type  # created at the first use
    cdef int nargs
    cdef int[MAX_DIFFERENTIABLE] slots
    cdef bint[MAX_DIFFERENTIABLE] is_list
    cdef bint varies  # the number of tensors that it takes or saves varies, since some are lists
    cdef int nitems
    cdef Item[MAX_ITEMS] items
    cdef int nformulas
    cdef Formula[MAX_DIFFERENTIABLE] formulas
    cdef Param* params
    cdef int nparams
    cdef unsigned int not_outputs  # outputs without gradient, as bits
    cdef bint saves_results
    cdef int nparts  # for a view of a part: the number of arguments that select the part; otherwise 0
    cdef int[MAX_PARTS] parts  # the items that store these arguments
    cdef readonly tuple argument_names
    cdef unsigned int linear_in  # the arguments in which it is jointly linear, as bits
    cdef unsigned int vanishing  # the arguments by which the derivative is zero, as bits
    cdef unsigned int numbers  # the arguments that may be a number, as bits
    cdef Item* forward  # the values that the parameters of `jvp` read
    cdef int nforward
    cdef bint forward_reads_results

cdef PyTypeObject* make_node_type(Rule rule) except NULL

cdef inline PyTypeObject* type_of(Rule rule) except NULL:
    return rule.node_type if rule.node_type != NULL else make_node_type(rule)

cdef Rule declared(op)
