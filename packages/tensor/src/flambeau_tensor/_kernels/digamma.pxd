"""The digamma function in double precision."""
from libc cimport math


cdef inline double digamma(double y) noexcept nogil:
    # Reflection below zero, recurrence up to 10, then the asymptotic series (Abramowitz and Stegun, 6.3.18).
    cdef double shift = 0, z
    if y == 0:
        return math.copysign(math.INFINITY, -y)
    if y < 0:
        if y == math.floor(y):
            return math.NAN
        shift = -math.M_PI / math.tan(math.M_PI * y)
        y = 1 - y
    while y < 10:
        shift -= 1 / y
        y += 1
    z = 1 / (y * y)
    return shift + math.log(y) - 0.5 / y - z * (1 / 12.0 - z * (1 / 120.0 - z * (1 / 252.0 - z * (
        1 / 240.0 - z * (1 / 132.0 - z * (691 / 32760.0 - z / 12))))))
