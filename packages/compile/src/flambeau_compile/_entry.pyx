# cython: language_level=3
"""One compiled program: whether a call matches the traced one, where its memory is, and the result."""
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_XDECREF
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_New, PyTuple_SET_ITEM
from libc.stdlib cimport calloc, free

from flambeau_tensor.abi cimport (
    TENSOR_ABI, add_version, as_strided, copy_into, detach, empty, empty_strided, flags_of,
    is_tensor, offset_of, run_kernel, set_flags, set_grad, set_history,
    T_REQUIRES_GRAD,
)

from flambeau_nn.optim.steps cimport STEP_COEFFICIENTS, fill_step, step_is_valid, undo_step

from flambeau_compile._arguments cimport MOST_TENSORS, alike, firsts_of, matches_call, pattern_of
from flambeau_compile._geometry cimport (
    Geometry, append_geometry, gradient_of, has_shape, looks_like, may_write_again, memory_of, note_geometry,
    origin_of, set_geometry, shows_like, start_of,
)
from flambeau_compile._memory_guards cimport MemoryGuards
from flambeau_compile._numbers cimport Numbers, Reader
from flambeau_compile._results cimport Output, filled, of_classes
from flambeau_compile._spot cimport multiply_matrices

import flambeau_tensor as ft
from flambeau_tensor.abi import require
from flambeau_tensor.extend import rewrap
from flambeau_tensor.random import get_rng_state, set_rng_state

require(TENSOR_ABI, "flambeau-compile")

cdef dict _DTYPES = {dtype.id: dtype for dtype in vars(ft).values() if isinstance(dtype, ft.dtype)}

OTHER = object()  # the program that was tried does not apply to the call
BUSY = object()  # the program is already running, in another thread or an outer call


cdef inline PyObject* _owner(object o, PyObject** tensors) except NULL:
    """Return a tensor, or the argument with the given index."""
    return <PyObject*>o if is_tensor(<PyObject*>o) else tensors[<int>o]


cdef inline bint _fits(Entry entry, int number, PyObject* tensor, PyObject** tensors) noexcept:
    """Check that a tensor matches the geometry of an argument, and store it in `tensors`."""
    tensors[number] = tensor
    return tensor != NULL and is_tensor(tensor) and looks_like(&entry.args[number], tensor)


# --- one program ----------------------------------------------------------------------------------------------------

cdef object whole_of(Call* call):
    """Return the arguments as (args, kwargs)."""
    cdef Py_ssize_t i
    if call.whole == NULL:
        names = () if call.kwnames == NULL else <tuple>call.kwnames
        pair = (tuple([<object>call.args[i] for i in range(call.n)]),
                {names[i]: <object>call.args[call.n + i] for i in range(len(names))})
        Py_INCREF(pair)
        call.whole = <PyObject*>pair
    return <object>call.whole


cdef class Entry:
    """A compiled program with its guards.

    Args:
        arguments: (args, kwargs) of the call that was traced.
        state: the `thread_word` at that time.
    """
    def __init__(self, arguments, unsigned long long state):
        cdef list found = []
        cdef int i
        self.pattern = pattern_of(arguments, found)
        self.given, self.state = found, state
        self.plain = not arguments[1] and all([is_tensor(<PyObject*>o) for o in arguments[0]])
        self.nargs = self.nexplicit = <int>len(found)
        self.same = firsts_of(found)
        self.guards = MemoryGuards()
        self.read_grads, self.absent_grads, self.read_places, self.empty_places = [], [], [], []
        self.counters, self.stored, self.held, self.demands, self.histories = [], [], [], [], None
        self.nnumbers, self.numbers = 0, None
        if self.nargs > MOST_TENSORS:
            raise ValueError(f"more than {MOST_TENSORS} tensors among the arguments")
        self.args = <Geometry*>calloc(self.nargs + 1, sizeof(Geometry))
        for i in range(self.nargs):
            note_geometry(&self.args[i], found[i])
        self.tensors, self.updates, self.versions, self.grads, self.opaque = [], [], [], [], []
        self.about = {}

    def __dealloc__(self):
        cdef int i
        for i in range(self.nargs if self.args != NULL else 0):
            free(self.args[i].sizes)
        for i in range(self.ncaptured if self.captured != NULL else 0):
            free(self.captured[i].sizes)
        for i in range(self.noutputs if self.outputs != NULL else 0):
            free(self.outputs[i].sizes)
        free(self.args)
        free(self.captured)
        free(self.outputs)
        free(self.memory)
        free(self.p)
        free(self.f)
        free(self.k)
        free(self.places)
        free(self.made)
        free(self.shared)

    def read_grad(self, owner, gradient):
        """Let the program read a tensor's gradient as an additional argument, and return the argument's index.

        If the gradient is None, the tensor must not have one. The owner is a tensor, or the index of an argument.
        """
        if gradient is None:
            self.absent_grads.append(owner)
            return None
        self.read_grads.append(owner)
        return self._next(gradient)

    def read_numbers(self, Numbers numbers not None, list tensors):
        """Let the program read numbers, as tensors in additional arguments; return the index of the first."""
        self.numbers, self.nnumbers = numbers, <int>len(tensors)
        for tensor in tensors:
            self._next(tensor)
        return self.nargs - self.nnumbers

    def read_place(self, place, tensor):
        """Let the program read the tensor in a Place as an additional argument; return the argument's index."""
        self.read_places.append(place)
        return self._next(tensor)

    cdef object _next(self, tensor):
        """Add a tensor that is read like an argument; return its index."""
        if self.nargs >= MOST_TENSORS:
            raise ValueError(f"more than {MOST_TENSORS} arguments, gradients, attributes and numbers")
        append_geometry(&self.args, self.nargs, tensor)
        self.nargs += 1
        return self.nargs - 1

    def pin(self, Py_ssize_t number, captured):
        """An argument shows memory of a captured tensor, and has to show the same in later calls, or to be it."""
        cdef PyObject* given = <PyObject*>(<list>self.given)[number]
        self.guards.pin(number, origin_of(&self.args[number], given), captured, given == <PyObject*>captured)

    def set_histories(self, histories):
        """Set the histories of outputs that require grad.

        A dict from output numbers to (node of a graph that has ended when the call returns, its output number), with
        None as the node of a leaf.
        """
        self.histories = histories

    def set_replays(self, list counters, list stored):
        """Set the side effects of each run in Python: Counters, and (Place, structure of the value to store)."""
        self.counters, self.stored = counters, stored

    cdef bint gradients_fit(self, Call* call, PyObject** tensors) except -1:
        """Whether numbers, gradients and attributes that the program reads match the traced ones."""
        cdef int i = self.nexplicit
        if self.numbers is not None:
            found = self.numbers.tensors(whole_of(call))
            if found is None:
                return False
            Py_INCREF(found)
            Py_XDECREF(call.numbers)  # of an entry that was tried before
            call.numbers = <PyObject*>found
            for tensor in <list>found:
                tensors[i] = <PyObject*>tensor
                i += 1
        if any([place.find(OTHER) is not None for place in self.empty_places]):
            return False
        if self.read_places:  # in the order of their indices
            self.held = [place.find(OTHER) for place in self.read_places]
            for tensor in self.held:
                if not _fits(self, i, <PyObject*>tensor, tensors):
                    return False
                i += 1
        for owner in self.read_grads:
            if not _fits(self, i, gradient_of(_owner(owner, tensors)), tensors):
                return False
            i += 1
        for owner in self.absent_grads:
            if gradient_of(_owner(owner, tensors)) != NULL:
                return False
        return True

    def set_program(self, size_t function, list functions, int npointers, int nfixed, Py_ssize_t arena,
                    int ncoefficients, keep):
        """Set the compiled function, the addresses that it receives, and its buffers.

        `npointers` buffers have pointers, `nfixed` of which have memory before the call; `arena` is the size of its own
        memory.
        """
        cdef int i
        self.function = <run_t>function
        self.f = <void**>calloc(len(functions) + 1, sizeof(void*))
        self.keep = [keep]
        for i, address in enumerate(functions):
            if isinstance(address, bytes):
                self.keep.append(address)
                self.f[i] = <void*><char*>(<bytes>address)
            elif address == "callback":
                self.f[i] = <void*>_call_back
            elif address == "multiply":
                self.f[i] = <void*>multiply_matrices
            else:
                self.f[i] = <void*><size_t>address
        self.npointers, self.nfixed, self.adopted = npointers, nfixed, []
        self.p = <void**>calloc(npointers + 1, sizeof(void*))
        self.arena_slot = npointers
        if arena:
            self.arena = bytearray(arena + 128)
            self.p[npointers] = <void*>(<size_t>((<size_t><char*>(<bytearray>self.arena) + 63) & ~<size_t>63))
        self.k = <double*>calloc(ncoefficients + 1, sizeof(double))

    def set_given(self, list places):
        """Set the sources of existing buffers as (slot, argument index or captured tensor, bytes, whether written)."""
        cdef int i, n = 0
        self.places = <Place*>calloc(len(places) + 1, sizeof(Place))
        self.nplaces = <int>len(places)
        captured = [source for _, source, _, _ in places if is_tensor(<PyObject*>source)]
        self.ncaptured = <int>len(captured)
        self.captured = <Geometry*>calloc(self.ncaptured + 1, sizeof(Geometry))
        self.memory = <void**>calloc(self.ncaptured + 1, sizeof(void*))
        for i, (slot, source, nbytes, written) in enumerate(places):
            self.places[i].slot, self.places[i].nbytes, self.places[i].written = slot, nbytes, written
            self.places[i].source = -1
            if written:
                self.writes = True
            if is_tensor(<PyObject*>source):
                self.tensors.append(source)
                note_geometry(&self.captured[n], source)
                self.memory[n] = self.p[<int>slot] = memory_of(<PyObject*>source)
                n += 1
                if written:
                    self.versions.append(source)
            else:
                self.places[i].source = source
                if written:
                    self.versions.append(<int>source)

    def set_shared(self, list pairs):
        """Set the pairs of arguments that share a storage."""
        cdef int i
        self.nshared = <int>len(pairs)
        self.shared = <int*>calloc(2 * self.nshared + 1, sizeof(int))
        for i, (first, second) in enumerate(pairs):
            self.shared[2 * i], self.shared[2 * i + 1] = first, second

    def set_result(self, structure, list outputs, list grads):
        """Set the result of a call.

        `structure` contains Outputs; `outputs` has the geometry of each output; `grads` are the gradients that it sets,
        as (owner, structure).
        """
        cdef int i
        self.result = structure
        self.noutputs = <int>len(outputs)
        self.outputs = <Geometry*>calloc(self.noutputs + 1, sizeof(Geometry))
        self.made = <Made*>calloc(self.noutputs + 1, sizeof(Made))
        self.bases = [output[5] for output in outputs]
        classes = [output[7] for output in outputs]
        self.classes = classes if any(classes) else None
        for i, (slot, dtype, sizes, strides, offset, base, apart, _) in enumerate(outputs):
            set_geometry(&self.outputs[i], dtype, sizes, strides, offset)
            self.made[i].slot, self.made[i].apart = slot, apart
            if base is None:
                self.made[i].how = FRESH
            elif is_tensor(<PyObject*>base):
                self.made[i].how, self.made[i].tensor = OF_TENSOR, <PyObject*>base
            elif base >= 0:
                self.made[i].how, self.made[i].number = OF_OUTPUT, base
            else:
                self.made[i].how, self.made[i].number = OF_ARGUMENT, -1 - base
        self.grads = grads
        for owner, found in grads:
            if isinstance(found, Output) and is_tensor(<PyObject*>owner):
                self.made[(<Output>found).number].owner = <PyObject*>owner

    def set_guards(self, checks, list updates):
        """Set the checks of values read in Python, and the optimizers' steps that fill in coefficients."""
        self.checks, self.updates, self.given = checks, updates, None
        self.quiet = not (updates or self.counters or self.stored or self.grads or self.versions or self.histories)
        self.simple = self.quiet and type(self.result) is Output and self.noutputs == 1 and \
            self.made[0].how == FRESH and self.classes is None

    def add_opaque(self, op, arguments, results, bint early):
        """Add a call of a kernel from the program; windows are Spots. `early`: nothing was written before it."""
        self.opaque.append((op, arguments, results, early))

    # --- calling ----------------------------------------------------------------------------------------------------

    cdef bint fits(self, Call* call, PyObject** tensors) except -1:
        """Whether the arguments of a call match those of the traced one."""
        cdef int i, n = 0
        if self.plain:
            if call.kwnames != NULL or call.n != self.nexplicit:
                return False
            for i in range(self.nexplicit):
                if not looks_like(&self.args[i], call.args[i]):
                    return False
                tensors[i] = call.args[i]
        else:
            if not matches_call(self.pattern, call.args, call.n, call.kwnames, tensors, &n):
                return False
            for i in range(self.nexplicit):
                if not looks_like(&self.args[i], tensors[i]):
                    return False
        if self.nexplicit > 1 and not alike(<const unsigned short*><char*>self.same, self.nexplicit, tensors):
            return False
        return self.nargs == self.nexplicit and not self.absent_grads and not self.empty_places and \
            self.numbers is None or self.gradients_fit(call, tensors)

    @property
    def infers(self):
        """Whether the program is for calls in inference mode."""
        return (self.state & INFERENCE_STATE) != 0

    def refuse(self, checks):
        """Mark that there is no program for such calls: the function itself runs while the checks hold."""
        self.eager, self.checks, self.given = True, checks, None

    def why(self):
        """Return why the program may not run any more, whatever the arguments, or None if it may."""
        cdef int i
        cdef PyObject* t
        for i in range(0 if self.follows else self.ncaptured):
            t = <PyObject*>(<list>self.tensors)[i]
            if not looks_like(&self.captured[i], t) or origin_of(&self.captured[i], t) != self.memory[i]:
                return f"a tensor of shape {tuple(self.tensors[i].shape)} that it read has other memory"
        if not self.guards.aliases_hold():
            return "a tensor that it read has other memory"
        if self.checks is not None and not self.checks.hold():
            return self.checks.why()
        for tensor, requires_grad in self.demands:
            if ((flags_of(<PyObject*>tensor) & T_REQUIRES_GRAD) != 0) != requires_grad:
                return f"whether a tensor of shape {tuple(tensor.shape)} requires grad was set"
        for step in self.updates:
            if not step.valid():
                return "an optimizer's parameters or options changed"
        return None

    def numbers_set(self):
        """Return (record, key) of numbers set since the program was built, if the record has no other changes."""
        if self.eager or self.checks is None or self.checks.hold():
            return []
        record = self.checks.failed_record()
        changes = [] if record is None or not hasattr(record, "container") else record.changes()
        if not all([type(now) in (int, float) and type(before) is type(now) for _, before, now in changes]):
            return []
        return [(record, key) for key, _, _ in changes]

    cdef bint holds(self, PyObject** tensors) except -1:
        cdef int i
        cdef PyObject* t
        for i in range(self.ncaptured):
            t = <PyObject*>(<list>self.tensors)[i]
            if not looks_like(&self.captured[i], t) or origin_of(&self.captured[i], t) != self.memory[i]:
                return False
        if self.checks is not None and not self.checks.hold():
            return False
        for tensor, requires_grad in self.demands:
            if ((flags_of(<PyObject*>tensor) & T_REQUIRES_GRAD) != 0) != requires_grad:
                return False
        for step in self.updates:
            if not step_is_valid(step):
                return False
        return not self.guards.some or self.guards.hold(tensors, self.args, self.nexplicit)

    cdef bint _follow(self, list tensors) noexcept:
        """Store the addresses of tensors for the captured ones; return False if one has another shape."""
        cdef int i, n = 0
        cdef PyObject* t
        for i in range(self.nplaces):
            if self.places[i].source < 0:
                t = <PyObject*>tensors[n]
                if not shows_like(&self.captured[n], t):
                    return False
                self.p[self.places[i].slot] = origin_of(&self.captured[n], t)
                n += 1
        return True

    def converted(self):
        """Return the captured tensors as a program that follows them reads them, with the dtypes that they had."""
        cdef int i
        found = []
        for i in range(self.ncaptured):
            tensor = (<list>self.tensors)[i]
            if tensor.dtype.id != self.captured[i].dtype:
                tensor = rewrap(tensor.detach().to(_DTYPES[self.captured[i].dtype]), type(tensor))
            found.append(tensor)
        return found

    def run_on(self, list given not None, list captured=None):
        """Run the program on tensors; return NotImplemented if it does not match them.

        Args:
            given: the arguments.
            captured: what a program that follows its captured tensors reads in their place, see `converted`.
        """
        cdef PyObject* tensors[MOST_TENSORS]
        cdef int i
        if len(given) != self.nargs:
            return NotImplemented
        for i in range(self.nargs):
            tensors[i] = <PyObject*>given[i]
            if not (shows_like if self.follows else looks_like)(&self.args[i], tensors[i]):
                return NotImplemented
        if captured is None:
            captured = self.tensors
        if not (self._follow(captured) and self.checks.hold() if self.follows else self.holds(tensors)):
            return NotImplemented
        result = self.run(tensors)
        return NotImplemented if result is OTHER or result is BUSY else result

    cdef bint _disjoint(self) noexcept:
        """Whether written buffers share no memory with arguments in other buffers."""
        cdef int i, j
        cdef char* a
        cdef char* b
        for i in range(self.nplaces):
            if self.places[i].source < 0:
                continue
            a = <char*>self.p[self.places[i].slot]
            for j in range(self.nplaces):
                if j == i or not (self.places[i].written or self.places[j].written):
                    continue
                b = <char*>self.p[self.places[j].slot]
                if a < b + self.places[j].nbytes and b < a + self.places[i].nbytes:
                    return False
        return True

    cdef bint locate(self, PyObject** tensors) noexcept:
        """Store the addresses of the arguments; return whether they overlap as in the traced call."""
        cdef int i, first, second
        cdef int source
        for i in range(self.nplaces):
            source = self.places[i].source
            if source >= 0:
                self.p[self.places[i].slot] = origin_of(&self.args[source], tensors[source])
        for i in range(self.nshared):
            first, second = self.shared[2 * i], self.shared[2 * i + 1]
            if origin_of(&self.args[first], tensors[first]) != origin_of(&self.args[second], tensors[second]):
                return False
        return not self.writes or self._disjoint()

    cdef object _output(self, int i, tuple outputs, PyObject** tensors):
        """The tensor of an output: fresh, a gradient that is written again, or a view."""
        cdef Made* made = &self.made[i]
        if made.how != FRESH:
            return self._view(i, outputs, tensors)
        if made.owner != NULL and may_write_again(made.owner, &self.outputs[i]):
            t = <object>gradient_of(made.owner)
            self.p[made.slot] = memory_of(<PyObject*>t)
        else:
            t = self.fresh(&self.outputs[i])
            self.p[made.slot] = start_of(<PyObject*>t)
        return t

    cdef object _view(self, int i, tuple outputs, PyObject** tensors):
        cdef Geometry* g = &self.outputs[i]
        cdef Made* made = &self.made[i]
        cdef Py_ssize_t offset = g.offset
        cdef PyObject* whole
        if made.how == OF_OUTPUT:
            whole = PyTuple_GET_ITEM(outputs, made.number)
        elif made.how == OF_ARGUMENT:
            whole = tensors[made.number]
            offset += offset_of(whole) - self.args[made.number].offset
        else:
            whole = made.tensor
        if made.apart:
            t = detach(whole)
            if offset == offset_of(<PyObject*>t) and has_shape(g, <PyObject*>t):
                return t
            return as_strided(<PyObject*>t, g.ndim, g.sizes, g.sizes + g.ndim, offset)
        return as_strided(whole, g.ndim, g.sizes, g.sizes + g.ndim, offset)

    cdef object fresh(self, const Geometry* g):
        """Create a tensor for an output."""
        cdef Py_ssize_t d
        if self.state & INFERENCE_STATE:  # results of operators have a flag in inference mode
            sizes = tuple([g.sizes[d] for d in range(g.ndim)])
            return ft.empty_strided(sizes, tuple([g.sizes[g.ndim + d] for d in range(g.ndim)]), dtype=_DTYPES[g.dtype])
        if g.dense:
            return empty(g.dtype, g.ndim, g.sizes)
        return empty_strided(g.dtype, g.ndim, g.sizes, g.sizes + g.ndim)

    cdef object run(self, PyObject** tensors):
        """Run the program on arguments; return its result, or OTHER."""
        cdef int i
        cdef tuple outputs
        if self.busy:
            return BUSY
        if not self.locate(tensors):
            return OTHER
        if self.simple:
            t = self._output(0, None, tensors)
            return t if self._execute() else OTHER
        if self.updates:
            i = 0
            for step in self.updates:
                fill_step(step, self.k + i)
                i += STEP_COEFFICIENTS * <int>len(step.parameters)
        outputs = PyTuple_New(self.noutputs)
        for i in range(self.noutputs):
            t = self._output(i, outputs, tensors)
            Py_INCREF(t)
            PyTuple_SET_ITEM(outputs, i, t)
        if not self._execute():
            return OTHER
        if self.classes is not None:
            outputs = of_classes(outputs, self.classes)
        result = filled(self.result, outputs, tensors)  # before gradients that it has are no longer those of tensors
        if not self.quiet:
            self._publish(outputs, tensors)
        return result

    cdef int _publish(self, tuple outputs, PyObject** tensors) except -1:
        """What Python sees of a run besides its result: histories, versions, gradients, attributes."""
        if self.histories is not None:
            for number, (node, output_nr) in self.histories.items():
                if node is None:
                    set_flags(<PyObject*>outputs[<int>number], T_REQUIRES_GRAD, 0)
                else:
                    set_history(<PyObject*>outputs[<int>number], <PyObject*>node, output_nr)
        for written in self.versions:
            add_version(<PyObject*>written if is_tensor(<PyObject*>written) else tensors[<int>written])
        if self.grads:
            gradients = [filled(found, outputs, tensors) for _, found in self.grads]
            for (owner, _), gradient in zip(self.grads, gradients):
                if type(owner) is Output:
                    parameter = <PyObject*>outputs[(<Output>owner).number]
                else:
                    parameter = _owner(owner, tensors)
                if gradient is None:
                    set_grad(parameter, NULL)
                elif gradient_of(parameter) == <PyObject*>gradient:
                    add_version(<PyObject*>gradient)
                else:
                    set_grad(parameter, <PyObject*>gradient)
        for counter in self.counters:
            counter.add()
        for place, found in self.stored:
            if isinstance(place, Reader):
                (<Reader>place).write(filled(found, outputs, tensors))
            else:
                place.set(filled(found, outputs, tensors))
        return 0

    cdef bint _execute(self) except -1:
        """Run the compiled function; return False if it gave up, without side effects."""
        random = get_rng_state() if self.rewinds else None
        self.busy = True
        code = self.function(self.p, self.f, self.k, <void*>self)
        self.busy = False
        if self.adopted:
            self.adopted = []
        if code == 0:
            return True
        for step in self.updates:
            undo_step(step)
        if self.failure is not None:  # raised by a kernel that the program called
            failure, self.failure = self.failure, None
            if not self.starts_again or not isinstance(failure, Exception):
                raise failure
        if random is not None:
            set_rng_state(random)
        return False

    cdef int run_opaque(self, int node) except -1:
        cdef PyObject* slots[32]
        cdef int i
        op, arguments, results, _ = self.opaque[node]
        values = [self._tensor(o) for o in arguments]
        for i in range(len(values)):
            slots[i] = <PyObject*>(<list>values)[i]
        result = run_kernel(<PyObject*>op, slots, 0)
        several = result if isinstance(result, (tuple, list)) else (result,)
        for target, value in zip(results, several):
            if target is None:
                continue
            if (<Spot>target).slot >= self.nfixed and self._adopt(<Spot>target, value):
                continue
            place = self._tensor(target)
            if tuple(value.shape) != tuple(place.shape):
                raise RuntimeError(f"{op.name}: a result of shape {tuple(value.shape)} instead of {tuple(place.shape)}")
            copy_into(<PyObject*>place, <PyObject*>value)
        return 0

    cdef bint _adopt(self, Spot spot, object value) except -1:
        """Use a kernel's result as a buffer of the program; copy it if its layout differs from the traced one."""
        if spot.slot == self.arena_slot:
            return False
        value = spot.laid_out(value)
        self.adopted.append(value)
        self.p[spot.slot] = origin_of(&spot.g, <PyObject*>value)
        return True

    cdef object _tensor(self, object o):
        if isinstance(o, Spot):
            s = <Spot>o
            return s.tensor(<char*>self.p[s.slot], self)
        if isinstance(o, tuple):
            return tuple([self._tensor(each) for each in o])
        return o


cdef int _call_back(void* context, int node) noexcept with gil:
    entry = <Entry>context
    try:
        (<Entry>entry).run_opaque(node)
        return 0
    except BaseException as error:
        (<Entry>entry).failure, (<Entry>entry).starts_again = error, (<Entry>entry).opaque[node][3]
        return -1
