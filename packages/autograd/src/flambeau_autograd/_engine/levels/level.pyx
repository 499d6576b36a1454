# cython: language_level=3
"""Levels: the active transforms of a thread, nested in each other.

``with`` enters a level. A level defines how it processes calls of operators (``process``) and of custom Functions
(``process_function``) if it is the innermost level of the arguments: ``BatchLevel`` for ``vmap``, ``DualLevel`` for
forward mode, ``TapeLevel`` for reverse mode, ``OwnLevel`` for levels written in Python. ``layers.pyx`` describes the
state of a tensor at a level.
"""
from cpython.object cimport PyObject
from cpython.pythread cimport PyThread_get_thread_ident

cdef enum:
    MAX_DEPTH = 62

cdef dict _stacks = {}  # thread -> its levels, outermost first


class VmapUnsupportedError(RuntimeError):
    """An operation that cannot run on a batch, but can run on one example after the other."""


cdef class Level:
    """One active transform of one thread."""

    kind = "none"

    def __enter__(self):
        cdef list stack = _stacks.setdefault(PyThread_get_thread_ident(), [])
        if len(stack) == MAX_DEPTH:
            raise RuntimeError(f"more than {MAX_DEPTH} transforms inside each other")
        self.depth, self.alive = <int>len(stack) + 1, True
        stack.append(self)
        try:
            self.begin()
        except BaseException:
            self.alive = False
            stack.pop()
            if not stack:
                _stacks.pop(PyThread_get_thread_ident(), None)
            raise
        return self

    def __exit__(self, *error):
        """Leave this level and all levels inside it that were not left, for example because of an interrupt."""
        cdef Level last
        stack = _stacks.get(PyThread_get_thread_ident())
        if stack is None or self not in stack:
            return
        raised = None
        while self.alive:
            last = stack.pop()
            last.alive = False
            try:
                last.end()
            except BaseException as e:  # an interrupt
                raised = e
        if not stack:
            _stacks.pop(PyThread_get_thread_ident(), None)
        if raised is not None:
            raise raised

    def __repr__(self):
        return f"<{self.kind} level {self.depth}{'' if self.alive else ', left'}>"

    cdef int begin(self) except -1:
        return 0

    cdef int end(self) except -1:
        return 0

    cdef object process(self, PyObject* op, PyObject** slots, int batch_depth):
        raise NotImplementedError

    cdef object refusal(self, str text):
        return NotImplementedError(text)

    def process_function(self, cls, args, kwargs, int batch_depth):
        """Run ``cls.apply(*args, **kwargs)``; this is the innermost level of the arguments."""
        raise NotImplementedError


def levels():
    """Return the levels of this thread, outermost first."""
    return tuple(_stacks.get(PyThread_get_thread_ident(), ()))


def take_over(given):
    """Set this thread's levels to those of another thread."""
    if given:
        _stacks[PyThread_get_thread_ident()] = list(given)
    else:
        _stacks.pop(PyThread_get_thread_ident(), None)


cdef bint inside() noexcept:
    if not _stacks:
        return False
    found = _stacks.get(PyThread_get_thread_ident())
    return bool(found) and not (<Level>(<list>found)[len(<list>found) - 1]).internal


cdef int refuse_inside(str what) except -1:
    if inside():
        also = "(or perhaps using torch.autograd.functional.* APIs) " if what == "requires_grad_" else ""
        raise RuntimeError(
            f"You are attempting to call Tensor.{what}() {also}inside of "
            "a function being transformed by a functorch transform. This is unsupported, please attempt to use the "
            "functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call "
            f"{what}() outside of a function being transformed instead.")
    return 0


cdef int refuse_backward() except -1:
    if inside():
        raise RuntimeError("backward() called inside a functorch transform. This is not supported, please use "
                           "functorch.grad or functorch.vjp instead or call backward() outside of functorch "
                           "transforms.")
    return 0
