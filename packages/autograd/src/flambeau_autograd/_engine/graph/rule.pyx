# cython: language_level=3
"""Derivative rules: one line per operation; the parameter names of the formulas determine what is saved.

    derivative(mul, self=lambda grad, other: grad * conj(other), other=lambda grad, self: grad * conj(self))

A keyword is a differentiable argument of the operation; its formula computes the gradient of that argument. The
parameters of a formula name what it reads: ``grad`` (of the first output; ``grad1``, … of later ones; ``grads`` is a
tuple of all), any argument by its name in the schema, ``NAME_shape``, ``NAME_dtype`` and ``NAME_geometry`` (sizes,
strides, offset and whether it is complex) of a tensor argument (which then need not be kept alive), ``result``
(``result1``, …, or the name of a named output), ``needs`` (which gradients are needed, in the order of the
differentiable arguments). Nothing else is saved, and nothing that only unneeded gradients would read.

A key ``"self, weight"`` in a dict has one formula, which returns a tuple of gradients. The formula for a list of
tensors returns a sequence. Steps common to all formulas follow centrally: summing over broadcast dimensions,
converting the dtype, and dropping the imaginary part for a real input.
"""
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.object cimport PyObject, PyTypeObject

from flambeau_autograd._engine.graph.node cimport Node, make_type
from flambeau_autograd._engine.refs cimport *

from flambeau_autograd._engine.graph.formulas import vanishing
from flambeau_tensor.extend import Elementwise, declared_operators, find_operator

cdef enum:  # kinds of schema arguments
    K_TENSOR = 0
    K_TENSORS = 1


cdef class Rule:
    """A rule that computes the gradients of an operation's arguments from those of its results."""

    def __dealloc__(self):
        PyMem_Free(self.params)
        PyMem_Free(self.forward)

    def __repr__(self):
        return f"<derivative of {self.op!r} for {', '.join(self.argument_names)}>"


cdef tuple _meaning(schema, dict slots, str name):
    """Return (kind of item, slot or number of the result) for a formula's parameter, or None for an unknown name."""
    if name in slots:
        kind = schema.arguments[slots[name]].kind
        return SAVE_TENSOR if kind == K_TENSOR else SAVE_TENSORS if kind == K_TENSORS else SAVE_PLAIN, slots[name]
    if name.startswith("result") and (len(name) == 6 or name[6:].isdigit()):
        return SAVE_RESULT, int(name[6:] or 0)
    for i, returned in enumerate(schema.returns):
        if name == returned.name:
            return SAVE_RESULT, i
    for ending, of in (("_shape", SAVE_SHAPE), ("_dtype", SAVE_DTYPE), ("_geometry", SAVE_GEOMETRY)):
        if name.endswith(ending) and name[:len(name) - len(ending)] in slots:
            return of, slots[name[:len(name) - len(ending)]]
    return None


cdef PyTypeObject* make_node_type(Rule rule) except NULL:
    from flambeau_autograd._engine.graph.record import saved_attributes

    rule.node_type = make_type(rule.name, <PyTypeObject*>Node, saved_attributes(rule))
    return rule.node_type


cdef dict _types_by_name = {}


def node_name(op):
    """Return the name of an operator's node: ``log_softmax`` → ``LogSoftmaxBackward0``, ``log1p`` → ``Log1PBackward0``.

    The in-place variant has the same name. If PyTorch's C++ name includes the namespace, the node's name does, too:
    ``special.i1`` → ``SpecialI1Backward0``.
    """
    space = op.namespace.removeprefix("torch.")
    words = [space] if space in ("fft", "linalg", "special") else []
    return "".join([word.title() for word in words + op.name.split("_")]) + "Backward0"


def parameter_names(function):
    """Return the names of a formula's parameters."""
    code = getattr(function, "__code__", None)
    if code is not None:
        return code.co_varnames[:code.co_argcount]
    return tuple([a.name for a in function.schema.arguments])


cdef class _Reader:
    """Parses one declaration; its error messages name the operation and the argument."""

    cdef object op, schema
    cdef dict slots, returns
    cdef Rule rule
    cdef dict item_numbers

    cdef object error(self, str what):
        return ImportError(f"derivative of {self.op.__torch_name__}: {what}")

    cdef int slot(self, str name) except -1:
        if name not in self.slots:
            raise self.error(f"no argument named '{name}' in {self.schema.text}")
        return self.slots[name]

    cdef int item(self, int kind, int index, unsigned int users) except -1:
        """Return the number of the item (kind, index), created at the first request."""
        cdef int k
        cdef Item* it
        key = kind, index
        if key in self.item_numbers:
            k = self.item_numbers[key]
        else:
            k = self.rule.nitems
            if k == MAX_ITEMS:
                raise self.error(f"more than {MAX_ITEMS} things to save")
            self.rule.nitems += 1
            self.item_numbers[key] = k
            it = &self.rule.items[k]
            it.kind, it.index, it.users, it.argument = kind, index, 0, -1
            if kind == SAVE_TENSORS:
                self.rule.varies = True  # the saved slots depend on the list's length
            if kind != SAVE_RESULT:
                for i in range(self.rule.nargs):
                    if self.rule.slots[i] == index:
                        it.argument = i
            else:
                self.rule.saves_results = True
        self.rule.items[k].users |= users
        return k

    cdef int param(self, Param* p, str name, Formula* f) except -1:
        """Parse the parameter ``name`` of a formula."""
        p.kind = FROM_ITEM
        if name == "grads":
            p.kind = FROM_GRADS
            f.grads = 0
        elif name == "needs":
            p.kind = FROM_NEEDS
        elif name not in self.slots and name.startswith("grad") and (len(name) == 4 or name[4:].isdigit()):
            p.kind, p.index = FROM_GRAD, int(name[4:] or 0)
            f.grads |= 1 << p.index
        else:
            kind, index = self.meaning(name, "grad, grads, needs")
            p.index = self.item(kind, index, f.results)
        return 0

    cdef tuple meaning(self, str name, str others):
        found = _meaning(self.schema, self.slots, name)
        if found is None:
            raise self.error(f"the formula's parameter '{name}' is neither an argument of {self.schema.text} nor one "
                             f"of {others}, result, NAME_shape, NAME_dtype, NAME_geometry")
        return found

    cdef object parameters(self, function):
        """Return the parameter names of a formula: a Python function, or an operator that computes gradients."""
        if not hasattr(function, "__code__"):
            schema = getattr(function, "schema", None)
            if schema is None:
                raise self.error(f"a formula is a Python function or an operator, not {function!r}")
            if [a for a in schema.arguments if a.kwarg_only]:
                raise self.error(f"an operator that computes gradients gets its arguments by position: {schema}")
        return parameter_names(function)

    cdef Rule read(self, dict formulas, dict options):
        cdef Rule rule = Rule.__new__(Rule)
        self.rule = rule
        self.schema = self.op.schema
        self.slots = {a.name: i for i, a in enumerate(self.schema.arguments)}
        self.returns = {r.name: i for i, r in enumerate(self.schema.returns) if r.name}
        self.item_numbers = {}
        rule.op = self.op
        rule.name = options.get("name") or node_name(self.op)
        self.read_forward_mode(options)
        rule.functions = list(formulas.values())
        rule.results = [tuple([name.strip() for name in key.split(",")]) for key in formulas]
        groups = [[self.slot(name.strip()) for name in key.split(",")] for key in formulas]
        # Differentiable arguments, and therefore edges, are in the order of the schema.
        order = sorted([s for group in groups for s in group])
        self.read_arguments(order)
        self.read_linear()
        self.read_formulas(groups, order)
        if options.get("part"):
            for slot in range(1, len(self.slots)):
                rule.parts[rule.nparts] = self.item(SAVE_PLAIN, slot, 1)
                rule.nparts += 1
        for name in options.get("not_differentiable") or ():
            if isinstance(name, str):
                if name not in self.returns:
                    raise self.error(f"no result named '{name}'")
                name = self.returns[name]
            rule.not_outputs |= 1 << <int>name
        return rule

    cdef int read_forward_mode(self, dict options) except -1:
        cdef Rule rule = self.rule
        rule.linear, rule.elementwise, rule.jvp = options.get("linear"), options.get("elementwise"), options.get("jvp")
        rule.composition = options.get("composition")
        if rule.elementwise is None and rule.linear is None and rule.jvp is None and rule.composition is None:
            rule.elementwise = isinstance(self.op.implementation, Elementwise)
        if rule.jvp is not None:
            names = self.parameters(rule.jvp)
            rule.forward = <Item*>PyMem_Calloc(len(names) + 1, sizeof(Item))
            if rule.forward == NULL:
                raise MemoryError()
            if len(names) > MAX_PARAMS:
                raise self.error(f"a formula has more than {MAX_PARAMS} parameters")
            for name in names:
                self.read_parameter(&rule.forward[rule.nforward], name)
                rule.nforward += 1
        return 0

    cdef int read_parameter(self, Item* it, str name) except -1:
        """Parse a parameter of a forward-mode formula."""
        of = name[:len(name) - 2]
        if name.endswith("_t") and of in self.slots:
            it.index, it.argument = self.slots[of], TANGENT
            return 0
        kind, index = self.meaning(name, "NAME_t")
        it.kind, it.index, it.argument = kind, index, -1
        if it.kind == SAVE_RESULT:
            self.rule.forward_reads_results = True
        return 0

    cdef int read_linear(self) except -1:
        """Note the arguments in which the operation is linear, and those by which its derivative is zero."""
        cdef Rule rule = self.rule
        cdef int k
        numbers = self.op.numbers
        names = rule.linear.split() if isinstance(rule.linear, str) and rule.linear != "each" else rule.argument_names
        for k in range(rule.nargs):
            if rule.argument_names[k] in names:
                rule.linear_in |= <unsigned int>1 << k
            if rule.argument_names[k] in numbers:
                rule.numbers |= <unsigned int>1 << k
            for group, function in zip(rule.results, rule.functions, strict=True):
                if function is vanishing and rule.argument_names[k] in group:
                    rule.vanishing |= <unsigned int>1 << k
        return 0

    cdef int read_arguments(self, list order) except -1:
        """Note the differentiable arguments, given their slots."""
        cdef Rule rule = self.rule
        cdef int i
        if len(set(order)) != len(order):
            raise self.error("an argument has two formulas")
        if len(order) > MAX_DIFFERENTIABLE:
            raise self.error(f"more than {MAX_DIFFERENTIABLE} differentiable arguments")
        rule.nargs = len(order)
        for i, s in enumerate(order):
            a = self.schema.arguments[s]
            if a.kind != K_TENSOR and a.kind != K_TENSORS:
                raise self.error(f"argument '{a.name}' is no tensor")
            rule.slots[i] = s
            rule.is_list[i] = a.kind == K_TENSORS
            if rule.is_list[i]:
                rule.varies = True
        for i in range(rule.nargs):
            if rule.is_list[i]:
                self.item(SAVE_COUNT, rule.slots[i], 0xFFFFFFFF)
        rule.argument_names = tuple([self.schema.arguments[s].name for s in order])
        return 0

    cdef int read_formulas(self, list groups, list order) except -1:
        """Note the formulas and their parameters; each computes the gradients of a group of arguments."""
        cdef Rule rule = self.rule
        cdef Formula* f
        cdef int k, total = 0
        parameters = [self.parameters(function) for function in rule.functions]
        for names in parameters:
            total += len(names)
        rule.params = <Param*>PyMem_Calloc(total + 1, sizeof(Param))
        if rule.params == NULL:
            raise MemoryError()
        for group, function, names in zip(groups, rule.functions, parameters, strict=True):
            f = &rule.formulas[rule.nformulas]
            rule.nformulas += 1
            f.function = <PyObject*>function
            f.joint = len(group) > 1
            f.result = order.index(group[0])
            if f.joint and sorted(group) != group:
                raise self.error("a joint formula names arguments in the order of the schema")
            f.results = 0
            for s in group:
                f.results |= 1 << order.index(s)
            f.params, f.nparams = rule.nparams, <int>len(names)
            if f.nparams > MAX_PARAMS:
                raise self.error(f"a formula has more than {MAX_PARAMS} parameters")
            uses_grads = False
            for k in range(f.nparams):
                self.param(&rule.params[rule.nparams], names[k], f)
                if rule.params[rule.nparams].kind == FROM_GRADS:
                    uses_grads = True
                rule.nparams += 1
            if uses_grads:
                f.grads = 0
        return 0


def derivative(op, formulas=None, /, *, linear=None, elementwise=None, jvp=None, not_differentiable=(), name=None,
               composition=None, part=False, **by_name):
    """Declare the derivative of an operation.

    Args:
        op: the Operator, or its qualified name such as ``"torch.add"``.
        formulas: a dict of formulas by argument name, for keys that cannot be keywords (``"self, weight"``).
        by_name: the same as keywords.
        linear: forward mode. True: the operation is jointly linear in all differentiable arguments, so the tangent is
            the operation applied to the tangents, with zeros for arguments that have none (including numbers). ``"a
            b"``: the same for the named arguments; the others keep their values. ``"each"``: it is linear in each
            argument while the others keep their values (products), so the tangent is a sum over the arguments: the
            operation with one argument replaced by its tangent. A sum of a product and another term (``addmm``) is
            neither and needs ``jvp``.
        elementwise: forward mode: each element of the result depends only on the elements at the same position, and
            each formula multiplies the gradient by a factor. The tangent is then the sum of the formulas applied to
            tangents (conjugated before and after, since formulas contain conjugate derivatives; the real part for a
            real result). The default is the property of the operator's kernel, if no other forward-mode option is
            given; pass False if a formula is not a product.
        jvp: forward mode: a formula for the tangent. Its parameters are ``NAME_t`` for tangents (None if there is none)
            and everything that reverse formulas may read; for several results it returns the tangent of the first, or a
            tuple. Without any of these options, the formulas are transposed, which is correct but slower.
        not_differentiable: results that never have gradients, by name or number; results of integer or bool dtype
            never have any.
        name: the name of the node, if it is not derived from the operation.
        composition: instead of formulas, a function of all arguments that computes the same by other operations. It
            replaces the kernel if the call is differentiated; for operators that compute gradients of others.
        part: the operation is a view of a part of its first argument and repeats no element. If a gradient of that
            argument is already waiting, the new one is added to its part, instead of a sum of two whole tensors.
    Raises:
        ImportError: a name is not in the operation's schema; the message names the operation and the error.

    >>> from flambeau_tensor import sinh, cosh
    >>> derivative(sinh, self=lambda grad, self: grad * cosh(self))
    <derivative of <operator torch.sinh> for self>
    """
    cdef _Reader reader = _Reader.__new__(_Reader)
    if isinstance(op, str):
        op = find_operator(op)
    reader.op = op
    by_argument = {**(formulas or {}), **by_name}
    if composition is not None:
        by_argument = {", ".join(_tensors(op)): _never}
    if not by_argument:
        raise ImportError(f"derivative of {op.__torch_name__}: no formula; what never has gradients is declared with "
                          "differentiable=False")
    rule = reader.read(by_argument, {"linear": linear, "elementwise": elementwise, "jvp": jvp, "name": name,
                                     "not_differentiable": not_differentiable, "composition": composition,
                                     "part": part})
    op.derivative = rule
    if op.inplace is not None:
        op.inplace.derivative = rule
    return rule


cdef list _tensors(op):
    return [a.name for a in op.schema.arguments if a.kind == K_TENSOR or a.kind == K_TENSORS]


def _never(grads):
    raise AssertionError("a composition is differentiated in the operations that it is made of")


cdef Rule declared(op):
    """Return the rule of an operator that has none yet.

    This is a custom operator's rule, as an extension declared it with operators that compute the gradients, or else a
    rule that raises an error when gradients are requested.
    """
    if op.gradients is not None:
        return derivative(op, op.gradients)
    if _overwrites(op):
        zeros_like = find_operator("torch.zeros_like")
        return derivative(op, {op.schema.arguments[0].name: lambda grad: zeros_like(grad)},
                          jvp=lambda result: zeros_like(result))
    tensors = _tensors(op)
    if not op.namespace.startswith("torch.ops.") or not tensors:
        raise NotImplementedError(f"the derivative for '{op.name}' is not implemented.")
    name = f"{op.namespace.removeprefix('torch.ops.')}::{op.name}"

    def missing(grads):
        raise NotImplementedError(f"backward through {name}, which has no derivative: declare it with "
                                  "library.register_autograd, or in C with fl_set_backward")

    return derivative(op, {", ".join(tensors): missing})


cdef bint _overwrites(op):
    """Whether the operator writes values without gradients (``x.eq_(y)``): those of its first argument end there."""
    return op.functional is not None and not op.functional.records


def declare_overwriting():
    """Declare the rule of operators that overwrite a tensor with values without gradients."""
    for op in declared_operators().values():
        if op.records and op.derivative is None and _overwrites(op):
            declared(op)


def missing_derivatives(namespace=None):
    """Return the differentiable operators (of one namespace and those below it) that have no rule.

    Custom operators, which are below ``torch.ops``, are included only if their namespace is requested.
    """
    return [op for op in declared_operators().values()
            if op.records and op.derivative is None and not _overwrites(op) and _within(op.namespace, namespace)]


cdef bint _within(str space, namespace):
    if namespace is not None and not f"{space}.".startswith(f"{namespace}."):
        return False
    return not space.startswith("torch.ops.") or (namespace is not None and namespace.startswith("torch.ops"))


def check_complete(namespace=None):
    """Raise ImportError if a differentiable operator (of one namespace and those below it) has no rule, naming all.

    >>> torch.autograd.check_complete()
    """
    missing = missing_derivatives(namespace)
    if missing:
        names = ", ".join(sorted({f"{(op.functional or op).__torch_name__} ({op.declared_at})" for op in missing}))
        raise ImportError(f"these operators are differentiable and have no derivative: {names}. Add a line for each to "
                          "the file of its family in flambeau_autograd/derivatives, or declare it with "
                          "differentiable=False.")
