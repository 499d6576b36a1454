/* Operators by name, called with C++ types: Dispatcher::singleton().findSchemaOrThrow("ns::op", "").typed<...>().call(...)
 */
#pragma once

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/boxing/Values.h>

namespace c10 {

template <class F> class TypedOperatorHandle;
template <class R, class... A> class TypedOperatorHandle<R(A...)> {
  public:
    explicit TypedOperatorHandle(fl_function function) : function_(function) {}
    R call(A... arguments) const {
        const fl_value args[] = {at::detail::Typed<std::decay_t<A>>::argument(arguments)..., fl_none()};
        constexpr int count = at::detail::Returned<R>::count;
        fl_value results[count + 1];
        at::detail::Gil gil;
        if (fl_call_function(function_, args, results, count) < 0) throw Error::recorded();
        if constexpr (std::is_reference_v<R>) {
            fl_clear(&results[0]);
            return std::get<0>(std::tie(arguments...)); /* a result by reference is the first argument */
        } else if constexpr (!std::is_void_v<R>) {
            return at::detail::Returned<R>::take(results);
        }
    }
    /* Call the kernel for these keys: below autograd if they contain none of its keys. */
    R redispatch(DispatchKeySet keys, A... arguments) const {
        struct Restored {
            optional<DispatchKeySet> outer;
            ~Restored() { at::detail::redispatched = outer; }
        } restored{std::exchange(at::detail::redispatched, keys)};
        optional<at::AutoDispatchBelowAutograd> below;
        if (!keys.has_any(autograd_dispatch_keyset)) below.emplace();
        return call(std::forward<A>(arguments)...);
    }

  private:
    fl_function function_;
};

class OperatorHandle {
  public:
    explicit OperatorHandle(fl_function function) : function_(function) {}
    template <class F> TypedOperatorHandle<F> typed() const { return TypedOperatorHandle<F>(function_); }

  private:
    fl_function function_;
};

class Dispatcher {
  public:
    static Dispatcher &singleton() {
        static Dispatcher only;
        return only;
    }
    OperatorHandle findSchemaOrThrow(const char *name, const char *overload) const {
        at::detail::Gil gil;
        std::string full = *overload ? str(name, ".", overload) : name;
        fl_function function = fl_find_function(full.c_str(), nullptr);
        if (!function) throw Error::recorded();
        return OperatorHandle(function);
    }
};

}  // namespace c10

namespace c10 {
namespace impl {
/* Calls below it do not reach kernels for these keys. Kernels for autocast run outside autocast in any case. */
class ExcludeDispatchKeyGuard {
  public:
    explicit ExcludeDispatchKeyGuard(DispatchKey key) {
        if (key == DispatchKey::Autograd || key == DispatchKey::AutogradCPU) below_.emplace();
    }

  private:
    optional<at::AutoDispatchBelowAutograd> below_;
};
}  // namespace impl
}  // namespace c10
