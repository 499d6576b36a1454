#pragma once

#include <cstdint>
#include <ostream>

namespace c10 {

/* All tensors here are strided; the other layouts are names for comparisons. */
#define FL_FORALL_LAYOUTS(_) \
    _(Strided) _(Sparse) _(SparseCsr) _(Mkldnn) _(SparseCsc) _(SparseBsr) _(SparseBsc) _(Jagged)

enum class Layout : int8_t {
#define FL_MEMBER(name) name,
    FL_FORALL_LAYOUTS(FL_MEMBER)
#undef FL_MEMBER
    NumOptions
};
#define FL_CONSTANT(name) constexpr Layout k##name = Layout::name;
FL_FORALL_LAYOUTS(FL_CONSTANT)
#undef FL_CONSTANT

inline std::ostream &operator<<(std::ostream &out, Layout layout) {
#define FL_NAME(name) #name,
    constexpr const char *names[] = {FL_FORALL_LAYOUTS(FL_NAME)};
#undef FL_NAME
    return out << names[int(layout)];
}

}  // namespace c10
