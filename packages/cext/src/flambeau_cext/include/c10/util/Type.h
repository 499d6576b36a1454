/* Names of types as in source code. */
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <string>
#include <typeinfo>

namespace c10 {

inline std::string demangle(const char *name) {
    int status = 0;
    char *written = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    std::string text = written ? written : name;
    std::free(written);
    return text;
}

}  // namespace c10
