# cython: language_level=3
"""Transactions: a declaration that fails or is interrupted leaves no changes behind.

`Declaring` is a context manager. While a thread is in its block, `put`, `drop` and `note` store functions that undo
each change before it is made; if the block raises, they run in reverse order.
"""
from _thread import get_ident

cdef object _ABSENT = object()
cdef dict _notes = {}  # thread -> [(function, arguments), ...]


cdef int note(function, tuple arguments) except -1:
    notes = _notes.get(get_ident())
    if notes is not None:
        (<list>notes).append((function, arguments))
    return 0


cdef int put(dict table, key, value) except -1:
    note(_restore, (table, key, table.get(key, _ABSENT)))
    table[key] = value
    return 0


cdef object drop(dict table, key):
    note(_restore, (table, key, table.get(key, _ABSENT)))
    return table.pop(key, None)


def _restore(dict table not None, key, value):
    if value is _ABSENT:
        table.pop(key, None)
    else:
        table[key] = value


cdef class Declaring:
    """Context manager that undoes all declarations in its block if it raises. Blocks nest.

    >>> with Declaring():
    ...     op = Operator("thrice(Tensor self) -> Tensor", lambda x: 3 * x, namespace="torch._ops", composite=True)
    ...     forget(op)
    """

    cdef Py_ssize_t start
    cdef bint outermost

    def __enter__(self):
        thread = get_ident()
        self.outermost = thread not in _notes
        if self.outermost:
            _notes[thread] = []
        self.start = len(<list>_notes[thread])
        return self

    def __exit__(self, error, *rest):
        notes = <list>_notes[get_ident()]
        if error is not None:
            _take_back(notes, self.start)
        if self.outermost:
            del _notes[get_ident()]


cdef int _take_back(list notes, Py_ssize_t start) except -1:
    interrupt = None
    while len(notes) > start:
        function, arguments = notes[len(notes) - 1]
        try:
            function(*arguments)
        except KeyboardInterrupt as e:  # undo this change first
            interrupt = e
            continue
        notes.pop()
    if interrupt is not None:
        raise interrupt
    return 0
