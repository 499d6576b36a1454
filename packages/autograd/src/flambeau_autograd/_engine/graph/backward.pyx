# cython: language_level=3
"""``backward`` and ``grad``: check the arguments and run the engine."""
from cpython.object cimport PyObject

from flambeau_overrides import handle_torch_function
from flambeau_overrides.abi cimport active_modes_ptr, collect_vector, overridden, type_overrides

from flambeau_tensor.abi cimport (
    TensorInfo, T_COMPLEX, T_DISPATCH, T_REQUIRES_GRAD, dtype_of, flags_of, is_tensor, tensor_info, new_kernel,
    set_flags, shape_of, size_of, thread_flags,
)

from flambeau_autograd._engine.graph.edges cimport gradient_edge, requires_grad
from flambeau_autograd._engine.graph.engine cimport capture_one, execute, execute_one
from flambeau_autograd._engine.levels.level cimport refuse_backward
from flambeau_autograd._engine.graph.gradients cimport constant, zeros_of
from flambeau_autograd._engine.graph.node cimport T_META, OutputMeta, Node
from flambeau_autograd._engine.refs cimport *

from flambeau_tensor import preserve_format
from flambeau_tensor.extend import find_operator

cdef int* _modes = active_modes_ptr()
cdef PyObject* NONE = <PyObject*>None
cdef PyObject* TRUE = <PyObject*>(<object>True)


cdef object _no_history(Py_ssize_t i):
    return RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")


cdef tuple _root(object tensor, Py_ssize_t i):
    """Return the (node, output number) for the gradient of output `i`; raise an error if it has no history."""
    edge = _edge_of(tensor, i)
    if edge is None:
        raise _no_history(i)
    return edge


cdef tuple _edge_of(object tensor, Py_ssize_t i):
    """Return the (node, output number) for the gradient of output `i` or of an input (-1); None without history."""
    cdef int nr = 0
    cdef PyObject* node
    if not is_tensor(<PyObject*>tensor):
        if _is_edge(tensor):
            return tensor[0], tensor[1]
        if i < 0:
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(tensor).__name__}")
        raise TypeError(f"element {i} of tensors must be a Tensor or GradientEdge, but got {type(tensor).__name__}")
    node = gradient_edge(<PyObject*>tensor, &nr)
    return None if node == NULL else (owned(node), nr)


cdef bint _is_edge(object o):
    return isinstance(o, tuple) and len(o) >= 2 and isinstance(o[0], Node)


cdef object _initial(object tensor, object given, Py_ssize_t i, bint create_graph):
    """Return the initial gradient of an output: the given one, checked, or a one."""
    cdef TensorInfo f, g
    cdef OutputMeta* meta
    cdef int dtype, ndim, d
    cdef const Py_ssize_t* sizes
    cdef Py_ssize_t numel = 1
    cdef bint on_meta
    if is_tensor(<PyObject*>tensor):
        tensor_info(<PyObject*>tensor, &f)
        dtype, ndim, sizes, on_meta = f.dtype, f.ndim, f.sizes, f.flags & T_META
    elif _is_edge(tensor):
        meta = &(<Node>tensor[0]).metas[<int>tensor[1]]
        dtype, ndim, sizes, on_meta = meta.dtype, meta.ndim, meta.sizes, meta.on_meta
    else:
        raise TypeError(f"element {i} of tensors must be a Tensor or GradientEdge, but got {type(tensor).__name__}")
    if given is None and is_tensor(<PyObject*>tensor) and f.numel == 1 and dtype < T_COMPLEX and \
            _handled(<PyObject*>tensor):
        return _ones_like(tensor)
    if given is None:
        for d in range(ndim):
            numel *= sizes[d]
        if numel != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if dtype >= T_COMPLEX:
            raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got "
                               f"{dtype_of(dtype)!r}")
        return constant(dtype, ndim, sizes, on_meta, 1)
    if not is_tensor(<PyObject*>given):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(given).__name__}")
    tensor_info(<PyObject*>given, &g)
    shape, other = size_of(ndim, sizes), shape_of(<PyObject*>given)
    if shape != other:
        raise RuntimeError(f"Mismatch in shape: grad_output[{i}] has a shape of {other} and output[{i}] has a shape of "
                           f"{shape}.")
    if (dtype >= T_COMPLEX) != (g.dtype >= T_COMPLEX):
        raise RuntimeError("For complex Tensors, both grad_output and output are required to have the same dtype. "
                           f"Mismatch in dtype: grad_output[{i}] has a dtype of {dtype_of(g.dtype)!r} and output[{i}] "
                           f"has a dtype of {dtype_of(dtype)!r}.")
    return given if dtype == g.dtype else given.to(dtype_of(dtype))


cdef tuple _several(object x):
    """Return one or several tensors or edges, or the values of a dict of them, as a tuple."""
    if is_tensor(<PyObject*>x) or _is_edge(x):
        return (x,)
    if isinstance(x, tuple):
        return x
    if type_overrides((<PyObject*>x).ob_type):
        return (x,)
    return tuple(x.values() if isinstance(x, dict) else x)


cdef int _roots(tuple tensors, object gradients, list roots, list initial, bint create_graph) except -1:
    cdef Py_ssize_t i
    cdef tuple given
    if gradients is None:
        given = (None,) * len(tensors)
    else:
        given = _several(gradients)
        if len(given) != len(tensors):
            raise RuntimeError(f"got {len(tensors)} tensors and {len(given)} gradients")
    for i in range(len(tensors)):
        root = _edge_of(tensors[i], i)
        roots.append(root)
        if root is not None or given[i] is not None:
            initial.append(_initial(tensors[i], given[i], i, create_graph))
    for i in range(len(tensors)):
        if roots[i] is None:
            raise _no_history(i)
    return 0


cdef tuple _target(object t):
    """Return the (node, output number) that receives the gradient of an input; None if nothing can lead to it."""
    edge = _edge_of(t, -1)
    if edge is None and not requires_grad(<PyObject*>t):  # a view made without recording requires grad but has no edge
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return edge


cdef list _targets(tuple inputs, bint accumulate):
    cdef TensorInfo f
    if accumulate:
        for t in inputs:
            if is_tensor(<PyObject*>t):
                tensor_info(<PyObject*>t, &f)
                if f.grad_fn != NULL:
                    t.retain_grad()
    return [_target(t) for t in inputs]


cdef object _run_backward(tuple tensors, object gradients, object retain_graph, bint create_graph, object inputs):
    cdef list roots = [], initial = [], wanted = None
    cdef tuple several
    _roots(tensors, gradients, roots, initial, create_graph)
    if inputs is not None:
        several = _several(inputs)
        if not several:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
        wanted = _targets(several, True)
    execute(roots, initial, create_graph if retain_graph is None else retain_graph, create_graph, wanted, True)


cdef inline bint _handled(PyObject* tensor) noexcept:
    """Whether a `__torch_dispatch__` handler receives calls with this tensor."""
    return (flags_of(tensor) | thread_flags().dispatching) & T_DISPATCH != 0


cdef object _ones_like(tensor):
    return find_operator("torch.ones_like")(tensor, memory_format=preserve_format)


cdef object _backward_kernel(PyObject* op, PyObject** a):
    """Tensor.backward(gradient, retain_graph, create_graph, inputs)"""
    cdef TensorInfo f
    cdef int nr = 0
    cdef PyObject* node
    cdef bint create_graph = a[3] == TRUE
    refuse_backward()
    if a[1] == NONE and a[4] == NONE:  # the gradients of a scalar for all leaves
        tensor_info(a[0], &f)
        if f.numel == 1 and f.dtype < T_COMPLEX:
            node = gradient_edge(a[0], &nr)
            if node != NULL:
                execute_one(<Node>owned(node), nr,
                            _ones_like(<object>a[0]) if _handled(a[0]) else
                            constant(f.dtype, f.ndim, f.sizes, f.flags & T_META, 1),
                            create_graph if a[2] == NONE else a[2] == TRUE, create_graph)
                return None
    _run_backward((<object>a[0],), (<object>a[1],) if a[1] != NONE else None,
                  None if a[2] == NONE else <object>a[2], create_graph,
                  None if a[4] == NONE else <object>a[4])


backward_kernel = new_kernel(_backward_kernel)


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None):
    """Add the gradients of ``tensors`` with respect to the leaves of their graph to the leaves' ``.grad``.

    Args:
        tensors: a tensor or a sequence of tensors to differentiate.
        grad_tensors: for each tensor, the vector of the vector-Jacobian product, in the tensor's shape; None is
            sufficient for tensors with one element.
        retain_graph: keep the saved tensors, so that the graph can run again. Default: the value of ``create_graph``.
        create_graph: record the computation of the gradients, for higher derivatives.
        inputs: accumulate for these tensors only; a tensor, a sequence of tensors, or a dict of them.

    Raises:
        RuntimeError: a tensor does not require grad, or has several elements and no gradient was given.

    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> torch.autograd.backward((x * x).sum())
    >>> x.grad
    tensor([2., 4.])
    """
    refuse_backward()
    if grad_variables is not None:
        import warnings

        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError("`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                               "`backward()`. Please only use `grad_tensors`.")
        grad_tensors = grad_variables
    cdef tuple outs = _several(tensors), ins = () if inputs is None else _several(inputs)
    if _is_overridden(backward, outs, ins):
        return handle_torch_function(backward, outs + ins, outs, grad_tensors=grad_tensors, retain_graph=retain_graph,
                                     create_graph=create_graph, inputs=None if inputs is None else ins)
    _run_backward(outs, grad_tensors, retain_graph, create_graph, inputs)


cdef bint _is_overridden(object function, tuple outs, tuple ins) except -1:
    cdef PyObject* asked[2]
    asked[0], asked[1] = <PyObject*>outs, <PyObject*>ins
    cdef list overriding = collect_vector(asked, 2)
    return (overriding is not None or _modes[0] != 0) and overridden(function, overriding)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True,
         allow_unused=None, is_grads_batched=False, materialize_grads=False):
    """Return the sum of gradients of ``outputs`` with respect to ``inputs``, without changing ``.grad``.

    Args:
        outputs: a tensor or a sequence of tensors.
        inputs: the tensors to differentiate with respect to: one, a sequence, or a dict of them.
        grad_outputs: for each output, the vector of the vector-Jacobian product, in the output's shape; None is
            sufficient for tensors with one element.
        retain_graph: keep the saved tensors, so that the graph can run again. Default: the value of ``create_graph``.
        create_graph: record the computation of the gradients, for higher derivatives.
        allow_unused: return None for inputs that the outputs do not depend on, instead of raising an error.
        is_grads_batched: the first dimension of ``grad_outputs`` is a batch dimension; compute one product per entry.
        materialize_grads: return zeros instead of None; implies ``allow_unused``.

    Returns:
        A tuple with a tensor for each input; a dict if ``inputs`` is one.

    Raises:
        RuntimeError: an output has no history, or several elements and no gradient; an input is unused and
            ``allow_unused`` is not set; the graph was freed; ``outputs`` and ``grad_outputs`` differ in length.

    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> torch.autograd.grad(x ** 2, x)
    (tensor(6.),)
    """
    cdef list roots = [], initial = [], results
    cdef tuple outs, ins, root, target
    cdef bint graph = create_graph
    cdef bint keep = graph if retain_graph is None else retain_graph
    cdef bint unused
    cdef Py_ssize_t i
    outs, ins = _several(outputs), _several(inputs)
    if _is_overridden(grad, outs, ins):
        found = handle_torch_function(
            grad, outs + ins, outs, ins, grad_outputs=grad_outputs, retain_graph=retain_graph,
            create_graph=create_graph, only_inputs=only_inputs,
            allow_unused=bool(materialize_grads) if allow_unused is None else allow_unused,
            is_grads_batched=is_grads_batched, materialize_grads=materialize_grads)
        return dict(zip(inputs, found)) if isinstance(inputs, dict) else found
    if materialize_grads:
        if allow_unused is not None and not allow_unused:
            raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
                             "allow_unused=False.")
        unused = True
    else:
        unused = allow_unused is not None and allow_unused
    if not only_inputs:
        import warnings

        warnings.warn("only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate "
                      "gradient for other parts of the graph, please use torch.autograd.backward.", FutureWarning,
                      stacklevel=2)
    if is_grads_batched:
        batches = _batched_grad(outs, ins, grad_outputs, keep, graph, unused, materialize_grads)
        return dict(zip(inputs, batches)) if isinstance(inputs, dict) else batches
    if not ins:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if len(outs) == 1 and len(ins) == 1 and grad_outputs is None:
        first = _initial(outs[0], None, 0, graph)
        root, target = _root(outs[0], 0), _target(ins[0])
        results = [None if target is None else
                   capture_one(root[0], root[1], first, keep, graph, target[0], target[1])]
    else:
        _roots(outs, grad_outputs, roots, initial, graph)
        results = execute(roots, initial, keep, graph, _targets(ins, False), False)
    for i in range(len(results)):
        if results[i] is None:
            if not unused:
                raise RuntimeError(f"The differentiated Tensor at index {i} appears to not have been used in the "
                                   "graph. Set allow_unused=True if this is the desired behavior.")
            if materialize_grads:
                results[i] = _zeros_for(ins[i], graph)
    return dict(zip(inputs, results)) if isinstance(inputs, dict) else tuple(results)


def grad_between(tuple outputs not None, tuple inputs not None, tuple grad_outputs not None, bint create_graph=False):
    """Like `grad`, but only for the part of a graph between inputs and outputs: no gradient flows through an input to
    another one. The graph is kept; unused inputs get None."""
    cdef list roots = [], initial = []
    _roots(outputs, grad_outputs, roots, initial, create_graph)
    return tuple(execute(roots, initial, True, create_graph, _targets(inputs, False), False, True))


cdef object _batched_grad(tuple outs, tuple ins, object gradients, bint keep, bint graph, bint unused,
                          bint materialize):
    """Compute a vector-Jacobian product for each entry of the first dimension of the gradients."""
    from flambeau_autograd.func import vmap

    cdef Py_ssize_t i
    cdef list used = []  # whether the outputs depend on each input
    cdef tuple given = (None,) * len(outs) if gradients is None else _several(gradients)

    def product(seeds):
        found = grad(outs, ins, seeds, retain_graph=keep, create_graph=graph, allow_unused=unused,
                     materialize_grads=materialize)
        used[:] = [g is not None for g in found]
        return tuple([g for g in found if g is not None])

    for i in range(min(len(outs), len(given))):
        if given[i] is None:
            _initial(outs[i], None, i, graph)  # raises if a gradient cannot be created
        elif given[i].shape[1:] != outs[i].shape:
            raise RuntimeError("If `is_grads_batched=True`, we interpret the first dimension of each grad_output as "
                               "the batch dimension, and the others as those of the output: grad_output"
                               f"[{i}] has a shape of {given[i].shape} and output[{i}] one of {outs[i].shape}.")
    batches = iter(vmap(product, in_dims=(tuple([None if g is None else 0 for g in given]),))(given))
    return tuple([next(batches) if u else None for u in used])


cdef object _zeros_for(object t, bint graph):
    """Return zeros as the gradient of an unused input; they require grad if the graph is recorded."""
    if not is_tensor(<PyObject*>t):
        zeros = zeros_of(&(<Node>t[0]).metas[<int>t[1]])
    else:
        zeros = find_operator("torch.zeros_like")(t)
    if graph:
        set_flags(<PyObject*>zeros, T_REQUIRES_GRAD, 0)
    return zeros
