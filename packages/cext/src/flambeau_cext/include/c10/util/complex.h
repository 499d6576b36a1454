/* Complex numbers are those of the standard library. */
#pragma once

#include <complex>

namespace c10 {
template <class T> using complex = std::complex<T>;
template <class T> complex<T> polar(const T &r, const T &theta = T()) { return std::polar(r, theta); }
}
