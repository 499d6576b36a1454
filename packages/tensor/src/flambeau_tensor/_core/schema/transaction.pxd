"""Changes of tables that are taken back where what makes them fails."""

cdef int put(dict table, key, value) except -1  # table[key] = value
cdef object drop(dict table, key)  # what stood there, or None
cdef int note(function, tuple arguments) except -1  # `function(*arguments)` takes back a change that comes next
