# cython: language_level=3
"""A step of an optimizer over all its parameters in one call, and ``zero_grad``.

Each optimizer is a loop of include/optim_loops.h and two functions that fill in its coefficients: from a parameter
group, and from the number of a parameter's step. Parameters that are dense float32 or float64 arrays are updated in
place; others (float16, bfloat16, unusual strides) use dense copies, float16 and bfloat16 in float32. Complex numbers
are pairs of real ones.
"""
from cpython.object cimport PyObject
from libc cimport math

from flambeau_tensor.abi cimport (
    TENSOR_ABI, T_DISPATCH, T_LAYERED, TensorInfo, ThreadFlags, copy_into, dtype_number, flags_of, is_tensor, set_grad,
    shape_of, tensor_info, thread_flags, trace_event, type_string,
)
from flambeau_tensor.compute cimport (
    COMPUTE_ABI, D_BFLOAT16, D_COMPLEX128, D_COMPLEX32, D_COMPLEX64, D_FLOAT16, D_FLOAT32, D_FLOAT64, Array, array_of,
    begin_write, dense, parallel_for, written,
)
from flambeau_tensor.grain cimport GIL_FREE, HEAVY_GRAIN

from flambeau_tensor.extend import hot
from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")

cdef extern from "Python.h":
    PyObject* PyDict_GetItemWithError(PyObject*, PyObject*) except? NULL

cdef struct Job:
    loop_t loop
    char* data[STATES + 2]
    int item
    const double* k
    int variant


cdef void _part(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Job* job = <Job*>context
    cdef Py_ssize_t offset = begin * job.item
    cdef char* at[STATES + 2]
    cdef int k
    for k in range(STATES + 2):
        at[k] = NULL if job.data[k] == NULL else job.data[k] + offset
    job.loop(at[0], at[1], at[2], at[3], at[4], end - begin, job.k, job.variant)


cdef class Rule:
    """The update rule of an optimizer: ``rule(optimizer)`` runs a step."""

    def __call__(self, optimizer not None):
        cdef list groups = optimizer.param_groups
        state = optimizer.state
        if not isinstance(state, dict):
            raise TypeError(f"{self.name}(): the optimizer's state must be a dict, not {type(state).__name__}")
        cdef dict group
        cdef Plan plan
        cdef ThreadFlags* thread = thread_flags()
        if thread.tracer != NULL or thread.modes != NULL:
            self._step_heard(optimizer, groups, state)
            return
        for item in groups:
            group = item if type(item) is dict else dict(item)
            plan.step = -1
            self.read(group, &plan)
            for p in <list?>group["params"]:
                self._update(optimizer, group, state, p, &plan)

    cdef int _step_heard(self, object optimizer, list groups, object state) except -1:
        """Make a step while modes observe operations, or a Tracer observes updates in memory."""
        cdef Py_ssize_t i
        cdef dict group
        cdef Plan plan
        cdef list updated = []
        for i in range(len(groups)):
            item = groups[i]
            group = item if type(item) is dict else dict(item)
            plan.step = -1
            self.read(group, &plan)
            for p in <list?>group["params"]:
                self._update_heard(optimizer, group, state, p, &plan, i, updated)
        if updated:
            from flambeau_nn.optim.steps import Step

            trace_event(("update", Step(self, optimizer, updated)))
        return 0

    cdef int _update(self, object optimizer, dict group, object state, object p, Plan* plan) except -1:
        cdef TensorInfo info
        cdef PyObject* mine
        cdef dict entries = None
        _check_parameter(p)
        tensor_info(<PyObject*>p, &info)
        if info.grad == NULL:
            return 0
        grad = <object>info.grad
        if (flags_of(<PyObject*>p) | flags_of(<PyObject*>grad)) & T_DISPATCH:
            return self._update_by_operations(optimizer, p, grad, group)
        if self.counted or plan.wanted[0]:
            mine = PyDict_GetItemWithError(<PyObject*>state, <PyObject*>p)
            if mine != NULL:
                entries = <dict?><object>mine
            if not entries or (not self.counted and entries.get(self.states[0]) is None):
                optimizer._new_state(p, group)
                entries = <dict?>state[p]
                if not self.counted:
                    self.count(plan, 1, entries)
            elif not self.counted:
                self.count(plan, 2, entries)
        return self.run(p, grad, entries, plan)

    cdef int _update_heard(self, object optimizer, dict group, object state, object p, Plan* plan, Py_ssize_t number,
                           list updated) except -1:
        cdef ThreadFlags* thread = thread_flags()
        cdef PyObject* tracer = thread.tracer
        cdef unsigned int dispatching = thread.dispatching
        cdef TensorInfo info
        _check_parameter(p)
        tensor_info(<PyObject*>p, &info)
        grad = None if info.grad == NULL else <object>info.grad
        if tracer != NULL:
            trace_event(("grad_read", p, grad))
        if grad is None:
            return 0
        if thread.modes != NULL or (flags_of(<PyObject*>p) | flags_of(<PyObject*>grad)) & T_DISPATCH:
            return self._update_by_operations(optimizer, p, grad, group)
        thread.tracer, thread.dispatching = NULL, 0
        try:
            self._update(optimizer, group, state, p, plan)
        finally:
            thread.tracer, thread.dispatching = tracer, dispatching
        updated.append((number, p, grad))
        return 0

    cdef int _update_by_operations(self, object optimizer, object p, object grad, dict group) except -1:
        from flambeau_nn.optim import _operations

        _operations.update_by_operations(optimizer, p, grad, group)
        return 0

    cdef int run(self, object p, object grad, dict entries, Plan* plan) except -1:
        cdef Array[STATES + 2] arrays  # the parameter, its gradient, its states
        cdef PyObject* originals[STATES + 2]
        cdef int dtype, k, bare = 0  # the number of meta tensors
        cdef list copies = None
        cdef Py_ssize_t n
        cdef Job job
        if (flags_of(<PyObject*>p) | flags_of(<PyObject*>grad)) & T_LAYERED:
            _refuse_layers(self.name, p, grad)
        dtype = self._computed_dtype(p)
        self._collect(p, grad, entries, plan, originals)
        array_of(<PyObject*>p, &arrays[0])
        n = arrays[0].numel
        for k in range(STATES + 2):
            arrays[k].data = NULL
            if originals[k] == NULL:
                continue
            if k != 1:
                begin_write(originals[k], self.name)
            array_of(originals[k], &arrays[k])
            if arrays[k].numel != n:
                what = "grad" if k == 1 else f"state '{self.states[k - 2]}'"
                raise RuntimeError(f"{self.name}(): {what} of shape {tuple(shape_of(originals[k]))} does not fit the "
                                   f"parameter of shape {tuple(shape_of(originals[0]))}")
            if arrays[k].data == NULL and n:
                bare += 1
            elif arrays[k].dtype != dtype or not arrays[k].contiguous:
                if copies is None:
                    copies = [None] * (STATES + 2)
                copies[k] = dense(originals[k], dtype, &arrays[k])
        if self.counted:
            self.count(plan, next_step(entries["step"]), entries)
        if bare:
            _write_nothing(self.name, originals, bare)
            return 0
        job.loop = self.loops[0 if dtype == D_FLOAT32 or dtype == D_COMPLEX64 else 1]
        job.item = 4 if dtype == D_FLOAT32 or dtype == D_COMPLEX64 else 8
        if dtype == D_COMPLEX64 or dtype == D_COMPLEX128:
            n *= 2
        for k in range(STATES + 2):
            job.data[k] = arrays[k].data
        job.k, job.variant = plan.k, plan.variant
        if n < GIL_FREE:
            job.loop(job.data[0], job.data[1], job.data[2], job.data[3], job.data[4], n, plan.k, plan.variant)
        else:
            _held = [<object>originals[k] for k in range(STATES + 2) if originals[k] != NULL]
            with nogil:
                parallel_for(n, HEAVY_GRAIN, _part, &job)
        for k in range(STATES + 2):
            if k == 1 or originals[k] == NULL:
                continue
            if copies is not None and copies[k] is not None:
                copy = copies[k]
                copy_into(originals[k], <PyObject*>copy)
            else:
                written(originals[k])
        return 0

    cdef int _computed_dtype(self, object p) except -1:
        """Return the dtype of the loop for a parameter."""
        cdef int dtype = dtype_number(<PyObject*>p)
        if dtype == D_FLOAT16 or dtype == D_BFLOAT16:
            return D_FLOAT32
        if dtype == D_COMPLEX32:
            return D_COMPLEX64
        if dtype < D_FLOAT16:
            raise RuntimeError(f"{self.name}(): parameters must be floating point or complex, got "
                               f"{type_string(dtype)}")
        return dtype

    cdef int _collect(self, object p, object grad, dict entries, Plan* plan, PyObject** found) except -1:
        """Collect the parameter, its gradient and the needed states from `entries`; NULL for the others."""
        cdef int k
        found[0], found[1] = <PyObject*>p, <PyObject*>grad
        for k in range(STATES):
            found[k + 2] = NULL
            if plan.wanted[k]:
                value = entries[self.states[k]]
                if not is_tensor(<PyObject*>value):
                    raise TypeError(f"{self.name}(): state '{self.states[k]}' must be a Tensor, not "
                                    f"{type(value).__name__}")
                found[k + 2] = <PyObject*>value
        return 0


cdef inline int _check_parameter(object p) except -1:
    if not is_tensor(<PyObject*>p):
        raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(p).__name__}")
    return 0


cdef int _write_nothing(str name, PyObject** tensors, int bare) except -1:
    """Check a step of a parameter on 'meta', whose gradient and states are on 'meta', too."""
    cdef int k, there = 0
    for k in range(STATES + 2):
        there += tensors[k] != NULL
    if bare != there:
        raise RuntimeError(f"{name}(): Expected all tensors to be on the same device, but found at least two devices, "
                           "cpu and meta!")
    for k in range(STATES + 2):
        if k != 1 and tensors[k] != NULL:
            written(tensors[k])
    return 0


cdef int _refuse_layers(str name, object p, object grad) except -1:
    """Raise an error for batched tensors and tensors with tangents, because the loops below access memory directly."""
    from flambeau_tensor.extend import check_read

    check_read(p, name)
    check_read(grad, name)
    return 0


cdef double single(object value, str name) except? -1e300:
    """Return the number in a state that is a one-element tensor."""
    cdef Array a
    if not is_tensor(<PyObject*>value):
        raise TypeError(f"state '{name}' must be a Tensor, not {type(value).__name__}")
    array_of(<PyObject*>value, &a)
    if a.numel == 1 and a.data != NULL and a.dtype == D_FLOAT32:
        return (<float*>a.data)[0]
    if a.numel == 1 and a.data != NULL and a.dtype == D_FLOAT64:
        return (<double*>a.data)[0]
    return value.item()


cdef double set_single(object value, str name, double number) except? -1e300:
    """Write a number to a one-element tensor; return the stored value, rounded to its dtype."""
    cdef Array a
    array_of(<PyObject*>value, &a)
    if a.numel != 1 or a.data == NULL or (a.dtype != D_FLOAT32 and a.dtype != D_FLOAT64):
        value.fill_(number)
        return value.item()
    begin_write(<PyObject*>value, name)
    if a.dtype == D_FLOAT32:
        number = (<float*>a.data)[0] = <float>number
    else:
        (<double*>a.data)[0] = number
    written(<PyObject*>value)
    return number


cdef double next_step(object step) except -1:
    """Increment the tensor `step`."""
    cdef Array a
    cdef double value
    if not is_tensor(<PyObject*>step):
        raise RuntimeError("`state_steps` argument must contain a list of singleton tensors: state 'step' is "
                           f"{type(step).__name__}")
    array_of(<PyObject*>step, &a)
    if a.numel != 1 or (a.dtype != D_FLOAT32 and a.dtype != D_FLOAT64):
        raise RuntimeError("`state_steps` argument must contain a list of singleton tensors: state 'step' must be one "
                           f"Float or Double, got {type_string(a.dtype)} of shape {tuple(shape_of(<PyObject*>step))}")
    if a.data == NULL:
        step.item()  # raises: there is no value to increment
    begin_write(<PyObject*>step, "step")
    if a.dtype == D_FLOAT32:
        value = (<float*>a.data)[0] = (<float*>a.data)[0] + 1
    else:
        value = (<double*>a.data)[0] = (<double*>a.data)[0] + 1
    written(<PyObject*>step)
    return value


# --- coefficients ---------------------------------------------------------------------------------------------------

cdef inline double _number(dict group, str name) except? -1e300:
    value = group[name]
    if type(value) is float:
        return <double>value
    return single(value, name) if is_tensor(<PyObject*>value) else <double>value


cdef inline int _common(dict group, Plan* plan) except -1:
    plan.lr = _number(group, "lr")
    plan.k[0] = -1 if group["maximize"] else 1
    plan.k[1] = _number(group, "weight_decay")
    plan.variant = plan.k[1] != 0
    return 0


cdef int _read_sgd(dict group, Plan* plan) except -1:
    _common(group, plan)
    plan.k[2] = plan.lr
    plan.k[3] = _number(group, "momentum")
    plan.taken = 1 - _number(group, "dampening")
    plan.k[5] = 1 if group["nesterov"] else 0
    plan.wanted[0], plan.wanted[1], plan.wanted[2] = plan.k[3] != 0, False, False
    if plan.wanted[0]:
        plan.variant |= 6 if plan.k[5] else 2
    return 0


cdef int _count_sgd(Plan* plan, double step, dict entries) except -1:
    plan.k[4] = 1 if step == 1 else plan.taken  # the buffer starts as the first gradient
    return 0


cdef int _moments(dict group, Plan* plan) except -1:
    """Read the options of Adam-like optimizers: means of gradients and of their squares, either kind of decay."""
    betas = group["betas"]
    _common(group, plan)
    plan.k[2] = 1
    if group["decoupled_weight_decay"]:
        plan.k[2] = 1 - plan.lr * plan.k[1]
        plan.k[1] = plan.variant = 0
    plan.beta[0], plan.beta[1] = betas[0], betas[1]
    plan.k[3], plan.k[4] = plan.beta[0], 1 - plan.beta[0]
    plan.k[5], plan.k[6] = plan.beta[1], 1 - plan.beta[1]
    plan.k[7] = _number(group, "eps")
    plan.wanted[0], plan.wanted[1], plan.wanted[2] = True, True, False
    return 0


cdef int _read_adam(dict group, Plan* plan) except -1:
    _moments(group, plan)
    plan.wanted[2] = bool(group["amsgrad"])
    if plan.wanted[2]:
        plan.variant |= 2
    return 0


cdef int _count_adam(Plan* plan, double step, dict entries) except -1:
    if step != plan.step:
        plan.k[8] = plan.lr / (1 - math.pow(plan.beta[0], step))
        plan.k[9] = 1 / math.sqrt(1 - math.pow(plan.beta[1], step))
        plan.step = step
    return 0


cdef int _read_rmsprop(dict group, Plan* plan) except -1:
    _common(group, plan)
    plan.k[2] = plan.lr
    plan.k[3] = _number(group, "alpha")
    plan.k[4] = 1 - plan.k[3]
    plan.k[5] = _number(group, "eps")
    plan.k[6] = _number(group, "momentum")
    plan.wanted[0], plan.wanted[1], plan.wanted[2] = True, plan.k[6] > 0, bool(group["centered"])
    plan.variant |= (2 if plan.wanted[1] else 0) | (4 if plan.wanted[2] else 0)
    return 0


cdef int _count_nothing(Plan* plan, double step, dict entries) except -1:
    return 0


cdef int _read_adagrad(dict group, Plan* plan) except -1:
    _common(group, plan)
    plan.taken = _number(group, "lr_decay")
    plan.k[3] = _number(group, "eps")
    plan.wanted[0], plan.wanted[1], plan.wanted[2] = True, False, False
    return 0


cdef int _count_adagrad(Plan* plan, double step, dict entries) except -1:
    plan.k[2] = plan.lr / (1 + (step - 1) * plan.taken)
    return 0


cdef int _read_adadelta(dict group, Plan* plan) except -1:
    _common(group, plan)
    plan.k[2] = plan.lr
    plan.k[3] = _number(group, "rho")
    plan.k[4] = 1 - plan.k[3]
    plan.k[5] = _number(group, "eps")
    plan.wanted[0], plan.wanted[1], plan.wanted[2] = True, True, False
    return 0


cdef int _read_adamax(dict group, Plan* plan) except -1:
    betas = group["betas"]
    _common(group, plan)
    plan.beta[0], plan.beta[1] = betas[0], betas[1]
    plan.k[3], plan.k[4] = plan.beta[0], 1 - plan.beta[0]
    plan.k[5] = plan.beta[1]
    plan.k[6] = _number(group, "eps")
    plan.wanted[0], plan.wanted[1], plan.wanted[2] = True, True, False
    return 0


cdef int _count_adamax(Plan* plan, double step, dict entries) except -1:
    plan.k[2] = plan.lr / (1 - math.pow(plan.beta[0], step))
    return 0


cdef int _read_nadam(dict group, Plan* plan) except -1:
    _moments(group, plan)
    plan.taken = _number(group, "momentum_decay")
    return 0


cdef int _count_nadam(Plan* plan, double step, dict entries) except -1:
    cdef double now = plan.beta[0] * (1 - 0.5 * math.pow(0.96, step * plan.taken))
    cdef double then = plan.beta[0] * (1 - 0.5 * math.pow(0.96, (step + 1) * plan.taken))
    product = entries["mu_product"]
    cdef double so_far = set_single(product, "mu_product", single(product, "mu_product") * now)
    plan.k[8] = plan.lr * (1 - now) / (1 - so_far)
    plan.k[9] = plan.lr * then / (1 - so_far * then)
    plan.k[10] = 1 / math.sqrt(1 - math.pow(plan.beta[1], step))
    return 0


cdef int _count_radam(Plan* plan, double step, dict entries) except -1:
    cdef double power = math.pow(plan.beta[1], step), most = 2 / (1 - plan.beta[1]) - 1
    cdef double length = most - 2 * step * power / (1 - power)  # of the simple moving average with this variance
    plan.k[8] = plan.lr / (1 - math.pow(plan.beta[0], step))
    plan.k[9] = length > 5
    if length > 5:
        plan.k[8] *= math.sqrt((1 - power) * (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length))
    return 0


cdef int _read_rprop(dict group, Plan* plan) except -1:
    plan.k[0], plan.variant = -1 if group["maximize"] else 1, 0
    plan.k[1], plan.k[2] = group["etas"]
    plan.k[3], plan.k[4] = group["step_sizes"]
    plan.wanted[0], plan.wanted[1], plan.wanted[2] = True, True, False
    return 0


cdef int _read_asgd(dict group, Plan* plan) except -1:
    _common(group, plan)
    plan.taken = _number(group, "lambd")
    plan.more[0], plan.more[1] = _number(group, "alpha"), _number(group, "t0")
    plan.wanted[0], plan.wanted[1], plan.wanted[2] = True, False, False
    return 0


cdef int _count_asgd(Plan* plan, double step, dict entries) except -1:
    eta, mu = entries["eta"], entries["mu"]  # the rate, and the weight of the new parameters in their mean
    plan.k[3], plan.k[4] = single(eta, "eta"), single(mu, "mu")
    plan.k[2] = 1 - plan.taken * plan.k[3]
    set_single(eta, "eta", plan.lr / math.pow(1 + plan.taken * plan.lr * step, plan.more[0]))
    set_single(mu, "mu", 1 / max(1.0, step - plan.more[1]))
    return 0


cdef Rule _rule(str name, str key, read_t read, count_t count, tuple states, bint counted, tuple singles=()):
    cdef Rule rule = Rule.__new__(Rule)
    loops = hot("optim", "flambeau_nn._kernels").LOOPS[key]
    rule.loops[0] = <loop_t><size_t>loops["float32"]
    rule.loops[1] = <loop_t><size_t>loops["float64"]
    rule.key = key
    rule.name, rule.read, rule.count, rule.states, rule.counted = name, read, count, states, counted
    rule.singles = singles
    return rule


sgd = _rule("SGD.step", "sgd", _read_sgd, _count_sgd, ("momentum_buffer",), False)
adam = _rule("Adam.step", "adam", _read_adam, _count_adam, ("exp_avg", "exp_avg_sq", "max_exp_avg_sq"), True)
rmsprop = _rule("RMSprop.step", "rmsprop", _read_rmsprop, _count_nothing,
                ("square_avg", "momentum_buffer", "grad_avg"), True)
adadelta = _rule("Adadelta.step", "adadelta", _read_adadelta, _count_nothing, ("square_avg", "acc_delta"), True)
adamax = _rule("Adamax.step", "adamax", _read_adamax, _count_adamax, ("exp_avg", "exp_inf"), True)
nadam = _rule("NAdam.step", "nadam", _read_nadam, _count_nadam, ("exp_avg", "exp_avg_sq"), True, ("mu_product",))
radam = _rule("RAdam.step", "radam", _moments, _count_radam, ("exp_avg", "exp_avg_sq"), True)
rprop = _rule("Rprop.step", "rprop", _read_rprop, _count_nothing, ("prev", "step_size"), True)
asgd = _rule("ASGD.step", "asgd", _read_asgd, _count_asgd, ("ax",), True, ("eta", "mu"))
adagrad = _rule("Adagrad.step", "adagrad", _read_adagrad, _count_adagrad, ("sum",), True)


def clear_grads(list groups not None):
    """Set the gradients of all parameters of all groups to None."""
    cdef bint heard = thread_flags().tracer != NULL
    for group in groups:
        for p in <list?>group["params"]:
            if is_tensor(<PyObject*>p):
                set_grad(<PyObject*>p, NULL)
                if heard:
                    trace_event(("grad_set", p, None))
