# cython: language_level=3
"""Run a graph backward.

Nodes that have received a gradient wait in a heap; the one with the highest number runs next. Numbers are a
topological order, so all contributions have arrived by then, and no dependencies need to be counted. The engine does
not recurse.

Incoming gradients are stored in the node itself. Only one run at a time may use this space; a run that starts during
another one (in another thread, or in a backward that calls backward) has its own table.
"""
cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Realloc
from cpython.object cimport PyObject
from cpython.pythread cimport PyThread_get_thread_ident

from flambeau_tensor.abi cimport is_tensor, thread_flags

from flambeau_autograd._engine.graph.gradients cimport add_up, validate
from flambeau_autograd._engine.graph.node cimport NODE_LEAF, NODE_OP, Node, record_tracebacks, release_saved
from flambeau_autograd._engine.graph.node_hooks cimport as_tuple, post_hooks, pre_hooks, tensor_hooks
from flambeau_autograd._engine.graph.partial_gradients cimport add_to_part
from flambeau_autograd._engine.graph.queue cimport Queue, pop, push
from flambeau_autograd._engine.refs cimport *
from flambeau_autograd._engine.graph.rule cimport Rule

from sys import getswitchinterval as _getswitchinterval
from time import monotonic as _monotonic

cdef extern from "Python.h":
    int PyThreadState_SetAsyncExc(unsigned long thread, PyObject* kind)

cdef enum:
    INLINE_GRADS = 8
    MAX_DEPTH = 60  # nested runs in one thread

cdef long long _runs = 0
cdef Run _holder = None  # the run that stores gradients in the nodes
cdef bint _anomaly = False


def set_anomaly(tuple state not None):
    """Receive (whether anomaly mode is on, whether it checks for NaN)."""
    global _anomaly
    _anomaly = state[0]
    record_tracebacks(_anomaly)


def anomaly_address():
    """Return the address of a C int that is nonzero in anomaly mode."""
    return <size_t>&_anomaly


cdef class _Slots:
    """The gradients that wait for one node, in a run that may not store them in the node."""

    cdef PyObject** grads
    cdef int n
    cdef bint queued

    def __dealloc__(self):
        cdef int i
        for i in range(self.n):
            xdecref(self.grads[i])
        PyMem_Free(self.grads)


@cython.freelist(4)
cdef class Run:
    """One call of backward or grad."""

    cdef Queue queue
    cdef long long id
    cdef bint inside  # stores gradients in the nodes
    cdef bint keep_graph, selective, accumulate
    cdef bint ends  # no gradient flows through captured outputs
    cdef dict table, needed
    cdef dict captures  # node -> list of (output number, place in results)
    cdef list results
    cdef Node target  # the node of the only capture, if there is just one
    cdef int target_nr
    cdef object result
    cdef list callbacks
    cdef Run outer  # the run that was active when this one started, in any thread
    cdef unsigned long thread
    cdef int depth  # the number of runs of this thread that are active around this one
    cdef bint recording  # the grad mode to restore
    cdef PyObject* current  # the running node, borrowed

    def __dealloc__(self):
        PyMem_Free(self.queue.heap)


# --- arriving gradients ---------------------------------------------------------------------------------------------

cdef int _arrive(Run run, Node node, int output_nr, PyObject* gradient) except -1:
    """Add a gradient (a stolen reference, or NULL) to those of an output of ``node``, and queue the node."""
    cdef _Slots s
    cdef PyObject** place
    if run.inside:
        if not node.queued:
            node.queued = True
            push(&run.queue, node)
        place = &node.pending[output_nr]
    else:
        s = run.table.get(node)
        if s is None:
            s = _Slots.__new__(_Slots)
            s.grads = <PyObject**>PyMem_Calloc(node.noutputs, sizeof(PyObject*))
            s.n = node.noutputs
            run.table[node] = s
        if not s.queued:
            s.queued = True
            push(&run.queue, node)
        place = &s.grads[output_nr]
    if place[0] == NULL:
        place[0] = gradient
    elif gradient != NULL:
        add_up(place, gradient)
    return 0


# --- which nodes lead to wanted inputs ------------------------------------------------------------------------------

cdef inline bint _is_marked(Run run, Node node) except -1:
    if run.inside:
        return node.mark == run.id
    return node in run.needed


cdef inline bint _needs(Run run, Node node) except -1:
    if run.inside:
        return node.mark == run.id and node.needed
    return run.needed.get(node, False)


cdef inline int _mark(Run run, Node node, bint needed) except -1:
    if run.inside:
        node.mark, node.needed = run.id, needed
    else:
        run.needed[node] = needed
    return 0


cdef inline bint _is_captured(Run run, Node node) except -1:
    return node is run.target or (run.captures is not None and node in run.captures)


cdef int _select(Run run, Node root, long long oldest) except -1:
    """Mark the nodes below a root that lead to a capture. Nodes older than all captures cannot."""
    cdef PyObject** stack = NULL
    cdef PyObject** more
    cdef Py_ssize_t n = 0, room = 0
    cdef Node node, following
    cdef int i
    cdef bint needed, ready
    if _is_marked(run, root):
        return 0
    try:
        while True:
            node = root if n == 0 else <Node>stack[n - 1]
            needed = _is_captured(run, node)
            ready = True
            if node.seq > oldest and not (run.ends and needed):
                for i in range(node.nedges):
                    if node.edges[i].node == NULL or (<Node>node.edges[i].node).seq < oldest:
                        continue
                    following = <Node>node.edges[i].node
                    if not _is_marked(run, following):
                        if n == room:
                            more = <PyObject**>PyMem_Realloc(stack, (2 * room + 64) * sizeof(PyObject*))
                            if more == NULL:
                                raise MemoryError()
                            stack, room = more, 2 * room + 64
                        stack[n] = node.edges[i].node
                        n += 1
                        ready = False
                    elif _needs(run, following):
                        needed = True
            if ready:
                _mark(run, node, needed)
                if n == 0:
                    return 0
                n -= 1
                while n and _is_marked(run, <Node>stack[n - 1]):
                    n -= 1
    finally:
        PyMem_Free(stack)


# --- the loop -------------------------------------------------------------------------------------------------------

cdef int _capture(Run run, Node node, PyObject** grads, list places) except -1:
    """Store the captured gradients of a node's outputs."""
    if node is run.target and grads[run.target_nr] != NULL:
        run.result = <object>grads[run.target_nr]
    if places is not None:
        for nr, position in places:
            if grads[<int>nr] != NULL:
                run.results[position] = <object>grads[<int>nr]
    return 0


cdef int _step(Run run, Node node) except -1:
    """Run one node on the gradients that have arrived for it, and send its results on."""
    cdef PyObject* inline_grads[INLINE_GRADS]
    cdef PyObject* inline_out[INLINE_GRADS]
    cdef PyObject** grads = inline_grads
    cdef PyObject** out = inline_out
    cdef PyObject** waiting
    cdef int i, n = node.noutputs, m = node.nedges
    cdef unsigned long long needs = 0
    cdef list places = None
    cdef bint execute = True
    cdef _Slots s = None
    if n > INLINE_GRADS or m > INLINE_GRADS:
        grads = <PyObject**>PyMem_Calloc(n + m, sizeof(PyObject*))
        if grads == NULL:
            raise MemoryError()
        out = grads + n
    if run.inside:
        node.queued = False
        waiting = node.pending
    else:
        s = run.table.pop(node)
        waiting = s.grads
    for i in range(n):
        grads[i] = waiting[i]
        waiting[i] = NULL
    for i in range(m):
        out[i] = NULL
    try:
        if node is run.target:
            execute = False
        elif run.captures is not None:
            places = run.captures.get(node)
            execute = places is None or run.accumulate
        for i in range(0 if run.ends and places is not None else m):
            if node.edges[i].node != NULL and (not run.selective or _needs(run, <Node>node.edges[i].node)):
                execute = True
                if i < 64:
                    needs |= <unsigned long long>1 << i
        if execute:  # as in PyTorch, if the node runs, the captured gradient is the one before its hooks
            _capture(run, node, grads, places)
        if node.extra is not None or node.kind == NODE_LEAF:
            tensor_hooks(node, grads)
        if not execute:
            _capture(run, node, grads, places)
        else:
            if node.extra is not None and node.extra.pre_hooks is not None:
                pre_hooks(node, grads)
            _execute(run, node, needs, grads, out)
    finally:
        for i in range(n):
            xdecref(grads[i])
        for i in range(m):
            xdecref(out[i])
        if grads != inline_grads:
            PyMem_Free(grads)
    return 0


cdef int _execute(Run run, Node node, unsigned long long needs, PyObject** grads, PyObject** out) except -1:
    """Compute the gradients of a node's inputs and send them on."""
    if node.kind == NODE_OP and (<Rule>node.rule).nparts and needs and _add_to_part(run, node, grads[0]):
        if not run.keep_graph:
            release_saved(node)
        return 0
    node.apply(node, needs, grads, out)
    validate(node, out)
    if node.extra is not None and node.extra.post_hooks is not None:
        post_hooks(node, out, grads)
    if not run.keep_graph:
        release_saved(node)
    if _anomaly:
        from flambeau_autograd.anomaly_mode import check_nan

        check_nan(node, as_tuple(out, node.nedges))
    return _send(run, node, needs, out)


cdef bint _add_to_part(Run run, Node node, PyObject* gradient) except -1:
    """Add the gradient of a partial view to the waiting gradient of the whole; False if that is not possible."""
    cdef Node following = <Node>node.edges[0].node
    cdef PyObject* whole
    cdef _Slots s
    if gradient == NULL or _anomaly or (node.extra is not None and node.extra.post_hooks is not None):
        return False
    if run.inside:
        whole = following.pending[node.edges[0].output_nr]
    else:
        s = run.table.get(following)
        whole = s.grads[node.edges[0].output_nr] if s is not None else NULL
    return whole != NULL and add_to_part(node, gradient, whole)


cdef inline int _send(Run run, Node node, unsigned long long needs, PyObject** out) except -1:
    """Send the gradients that a node returned to those of its inputs that need them."""
    cdef PyObject* g
    cdef int i
    for i in range(node.nedges):
        if node.edges[i].node == NULL:
            continue
        if needs & (<unsigned long long>1 << i) if i < 64 else \
                not run.selective or _needs(run, <Node>node.edges[i].node):
            g = out[i]
            out[i] = NULL
            _arrive(run, <Node>node.edges[i].node, node.edges[i].output_nr, g)
    return 0


cdef int _clear(Run run) except -1:
    """Remove everything that belongs to this run from the nodes, after an error."""
    cdef PyObject* p
    cdef Node node
    cdef int i
    while run.queue.n:
        p = pop(&run.queue)
        node = <Node>p
        if run.inside:
            node.queued = False
            for i in range(node.noutputs):
                xdecref(node.pending[i])
                node.pending[i] = NULL
        decref(p)
    return 0


cdef Run _latest = None  # the most recent run that is still active


cdef Run _start(bint keep_graph, bint create_graph):
    global _runs, _holder, _latest
    cdef Run run = Run.__new__(Run), outer
    _runs += 1
    run.id = _runs
    run.keep_graph = keep_graph
    run.inside = _holder is None
    if run.inside:
        _holder = run
    else:
        run.table, run.needed = {}, {}
    if _latest is not None:
        outer = _current()
        run.depth = outer.depth + 1 if outer is not None else 0
    run.outer = _latest
    run.thread = PyThread_get_thread_ident()
    _latest = run
    run.recording = thread_flags().grad_enabled
    thread_flags().grad_enabled = create_graph
    return run


cdef int _stop(Run run) except -1:
    global _holder, _latest
    cdef Run r
    thread_flags().grad_enabled = run.recording
    if _holder is run:
        _holder = None
    if _latest is run:
        _latest = run.outer
    else:
        r = _latest
        while r is not None and r.outer is not run:
            r = r.outer
        if r is not None:
            r.outer = run.outer
    run.outer = None
    return 0


cdef int _drive(Run run) except -1:
    """Run nodes until the queue is empty."""
    if run.depth < MAX_DEPTH:
        return _run(run)
    # Backward calls are nested too deeply: another thread has its own stack and recursion limit.
    from flambeau_autograd.threads import run_elsewhere

    run_elsewhere(run)
    return 0


def interrupt(unsigned long thread, kind):
    """Raise an exception of the class ``kind`` in a thread, at its next line of Python."""
    PyThreadState_SetAsyncExc(thread, <PyObject*>kind)


def drive_here(Run run not None):
    """Continue a run in this thread."""
    cdef unsigned long before = run.thread
    run.thread, run.depth = PyThread_get_thread_ident(), 0
    try:
        _run(run)
    finally:
        run.thread = before


cdef int _run(Run run) except -1:
    cdef PyObject* p = NULL
    cdef int count = 0
    cdef double turn = 0
    try:
        while run.queue.n:
            p = run.current = pop(&run.queue)
            _step(run, <Node>p)
            decref(p)
            p = NULL
            count += 1
            if count & 127 == 0:
                PyErr_CheckSignals()
                if _monotonic() > turn:
                    with nogil:  # lets other threads run
                        pass
                    # A thread that waits for the GIL requests it after an interval without a release, so frequent
                    # releases starve it: this thread takes the GIL again before the other one wakes up.
                    turn = _monotonic() + 2 * _getswitchinterval()
    except BaseException as error:
        if p != NULL:
            node = <object>p
            decref(p)
        _clear(run)
        if p != NULL:
            if _anomaly:
                from flambeau_autograd.anomaly_mode import explain

                explain(node)
            from flambeau_autograd.messages import name_forward_call

            name_forward_call(error, node)
        raise
    if run.callbacks is not None:
        for callback in run.callbacks:
            callback()
    return 0


cdef int execute_one(Node node, int output_nr, object gradient, bint keep_graph, bint create_graph) except -1:
    """Send one gradient through the graph to all leaves."""
    cdef Run run = _start(keep_graph, create_graph)
    try:
        incref(<PyObject*>gradient)
        _arrive(run, node, output_nr, <PyObject*>gradient)
        _drive(run)
    finally:
        _stop(run)
    return 0


cdef object capture_one(Node node, int output_nr, object gradient, bint keep_graph, bint create_graph, Node target,
                        int target_nr):
    """Send one gradient through the graph and return the gradient that arrives at one output of ``target``, or None."""
    cdef Run run = _start(keep_graph, create_graph)
    try:
        run.selective = True
        run.target, run.target_nr = target, target_nr
        _select(run, node, target.seq)
        if _needs(run, node):
            incref(<PyObject*>gradient)
            _arrive(run, node, output_nr, <PyObject*>gradient)
            _drive(run)
    finally:
        _stop(run)
    return run.result


cdef object execute(list roots, list gradients, bint keep_graph, bint create_graph, list wanted, bint accumulate,
                    bint ends=False):
    """Send gradients through the graph.

    ``roots``: pairs (node, output number); ``wanted``: such pairs whose gradients are returned, or None to
    accumulate into all leaves. With ``accumulate``, the nodes of wanted pairs run: leaves accumulate.
    With ``ends``, backward ends at wanted pairs: no gradients flow through them.
    """
    cdef Run run = _start(keep_graph, create_graph)
    cdef Node node
    cdef PyObject* p
    cdef int i
    cdef long long oldest = 0x7fffffffffffffff
    try:
        run.accumulate, run.ends = accumulate, ends
        if wanted is not None:
            run.selective = True
            run.captures = {}
            run.results = [None] * len(wanted)
            for i in range(len(wanted)):
                if wanted[i] is None:
                    continue
                node, nr = wanted[i]
                if node.seq < oldest:
                    oldest = node.seq
                places = run.captures.get(node)
                if places is None:
                    run.captures[node] = places = []
                (<list>places).append((nr, i))
            for node, _ in roots:
                _select(run, node, oldest)
        for i in range(len(roots)):
            node, nr = roots[i]
            if run.selective and not _needs(run, node):
                continue
            p = <PyObject*>gradients[i]
            incref(p)
            _arrive(run, node, nr, p)
        gradients.clear()
        _drive(run)
    finally:
        if run.queue.n:  # an error occurred before anything ran
            _clear(run)
        _stop(run)
    return run.results


cdef Run _current():
    """Return the innermost run of this thread, or None."""
    cdef unsigned long me = PyThread_get_thread_ident()
    cdef Run run = _latest
    while run is not None and run.thread != me:
        run = run.outer
    return run


cdef bint keeps_graph() noexcept:
    cdef Run run = _current()
    return run is None or run.keep_graph


def current_run():
    """Return the number of this thread's active run, or None."""
    cdef Run run = _current()
    return run.id if run is not None else None


def running_node():
    """Return the node that this thread's run is executing, or None."""
    cdef Run run = _current()
    return <object>run.current if run is not None and run.current != NULL else None


def returns_gradients():
    """Whether this thread's run returns gradients, as ``grad`` does, instead of accumulating them."""
    cdef Run run = _current()
    return run is not None and run.selective and not run.accumulate


def runs_to_all_leaves():
    """Whether this thread's active run, if any, computes the gradients of all leaves."""
    cdef Run run = _current()
    return run is None or not run.selective


def queue_callback(callback):
    """Call ``callback()`` when the current backward pass has finished."""
    cdef Run run = _current()
    if run is None:
        raise RuntimeError("Final callbacks can only be installed during backward pass.")
    if run.callbacks is None:
        run.callbacks = []
    run.callbacks.append(callback)


def run_node(Node node not None, tuple grads):
    """Run one node alone and return the gradients of its inputs."""
    cdef PyObject** buffer
    cdef int i, m = node.nedges, n = node.noutputs
    cdef unsigned long long needs = 0
    if len(grads) != n:
        raise TypeError(f"{node.name()} expected {n} arguments, got {len(grads)} instead")
    for i in range(n):
        if grads[i] is not None and not is_tensor(<PyObject*>grads[i]):
            raise TypeError(f"{node.name()}: argument {i} is not a Variable, but {type(grads[i]).__name__}")
    buffer = <PyObject**>PyMem_Calloc(n + m + 1, sizeof(PyObject*))
    if buffer == NULL:
        raise MemoryError()
    try:
        for i in range(n):
            if grads[i] is not None:
                buffer[i] = <PyObject*>grads[i]
        for i in range(m):
            if node.edges[i].node != NULL and i < 64:
                needs |= <unsigned long long>1 << i
        node.apply(node, needs, buffer, buffer + n)
        validate(node, buffer + n)
        result = as_tuple(buffer + n, m)
    finally:
        for i in range(m):
            xdecref(buffer[n + i])
        PyMem_Free(buffer)
    return result if m != 1 else result[0]


def will_run(list nodes not None):
    """Return for each of ``nodes`` whether this thread's run is executing it or will execute it."""
    cdef Node node
    cdef long long oldest = 0x7fffffffffffffff
    for node in nodes:
        if node.seq < oldest:
            oldest = node.seq
    seen = _ahead(oldest)
    return [node in seen for node in nodes]


def run_order():
    """Return the nodes that this thread's run is executing or will execute, in this order."""
    return sorted(_ahead(0), key=_sequence, reverse=True)


def _sequence(Node node):
    return node.seq


cdef set _ahead(long long oldest):
    """Return the nodes, not older than a number, that this thread's run is executing or will execute."""
    cdef Run run = _current()
    cdef Node node
    cdef int i
    cdef list stack = []
    cdef set seen = set()
    if run is None:
        raise RuntimeError("the nodes of a run should only be asked for during the backward pass")
    if run.current != NULL:
        stack.append(<object>run.current)
    for i in range(run.queue.n):
        stack.append(<object>run.queue.heap[i].node)
    while stack:
        node = stack.pop()
        if node in seen or node.seq < oldest or (run.selective and not _needs(run, node)):
            continue
        seen.add(node)
        for i in range(node.nedges):
            if node.edges[i].node != NULL:
                stack.append(<object>node.edges[i].node)
    return seen
