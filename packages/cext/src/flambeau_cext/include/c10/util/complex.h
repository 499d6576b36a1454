/* Complex numbers are the standard library's. */
#pragma once

#include <complex>

namespace c10 {
template <class T> using complex = std::complex<T>;
}
