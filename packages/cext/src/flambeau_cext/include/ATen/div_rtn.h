/* Quotients of integers, rounded down. */
#pragma once

template <class T> T div_rtn(T x, T y) {
    T q = x / y, r = x % y;
    return r != 0 && ((r < 0) != (y < 0)) ? q - 1 : q;
}
