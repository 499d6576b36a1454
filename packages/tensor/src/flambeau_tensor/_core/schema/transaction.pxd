"""Changes of tables that are undone if the declaration that makes them fails."""

cdef int put(dict table, key, value) except -1  # table[key] = value
cdef object drop(dict table, key)  # returns the old value or None
cdef int note(function, tuple arguments) except -1  # `function(*arguments)` undoes the change that follows
