"""Sizes from which kernels release the GIL and split their work, here and in other packages.

The unit is an element that costs as much as an addition. Kernels whose elements cost more or less multiply or divide by
a factor.
"""

cdef enum:
    GIL_FREE = 20000  # elements from which the GIL is released; smaller work takes less time than releasing it
    GRAIN = 32768  # the minimum number of elements per thread
    HEAVY_GRAIN = 16384  # the same if an element costs some tens of instructions: gathering, windows, normalization
