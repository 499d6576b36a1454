/* Guards below which operators run their kernels instead of recording. */
#pragma once

#include <c10/core/DispatchKey.h>
#include <c10/core/GradMode.h>
#include <c10/util/Optional.h>

namespace at {
namespace detail {
/* How many guards are active in this thread; below them, operators run their kernels instead of recording. */
inline thread_local int below_autograd = 0;
/* Whether the thread recorded when the first of these guards was made. Functions still record then. */
inline thread_local int recorded_above = 0;
/* The kernels among which the next operator of a C++ library chooses. */
inline thread_local c10::optional<c10::DispatchKeySet> redispatched;
}  // namespace detail

class AutoDispatchBelowAutograd {
  public:
    AutoDispatchBelowAutograd() {
        if (detail::below_autograd++ == 0) detail::recorded_above = no_grad_.was();
    }
    AutoDispatchBelowAutograd(const AutoDispatchBelowAutograd &) = delete;
    ~AutoDispatchBelowAutograd() { detail::below_autograd--; }

  private:
    NoGradGuard no_grad_;
};
using AutoDispatchBelowADInplaceOrView = AutoDispatchBelowAutograd;
using AutoNonVariableTypeMode = AutoDispatchBelowAutograd;

}  // namespace at
