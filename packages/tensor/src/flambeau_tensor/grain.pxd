"""From which sizes on kernels let go of the GIL and share their work, here and in other packages.

The unit is an element that costs what an addition does. Where one costs more, or what is counted costs less, kernels
say by what they divide or multiply.
"""

cdef enum:
    GIL_FREE = 20000  # elements from which the GIL is released: below, others would wait for less than this takes
    GRAIN = 32768  # elements that a thread should have at least
    HEAVY_GRAIN = 16384  # the same where each costs some tens of instructions: gathered, in windows, normalized
