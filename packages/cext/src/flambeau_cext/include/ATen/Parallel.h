/* Loops on the library's threads. The body receives ranges and runs without the GIL; its exceptions propagate out of
 * the loop. */
#pragma once

#include <c10/util/Exception.h>

#include <atomic>
#include <mutex>
#include <vector>

namespace at {

namespace internal {
constexpr int64_t GRAIN_SIZE = 32768;
}

inline int get_num_threads() { return fl_num_threads(); }
inline bool in_parallel_region() { return fl_in_parallel() != 0; }
inline void init_num_threads() {}
inline int64_t divup(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Call f(begin, end) for parts of [begin, end) with at least grain_size elements. */
template <class F> void parallel_for(int64_t begin, int64_t end, int64_t grain_size, const F &f) {
    TORCH_CHECK(grain_size >= 0, "parallel_for: grain_size must not be negative");
    if (begin >= end) return;
    struct Loop {
        const F &f;
        int64_t begin;
        std::exception_ptr first;
        std::mutex lock;
    } loop{f, begin, nullptr, {}};
    auto body = [](int64_t from, int64_t to, void *context) {
        Loop &loop = *static_cast<Loop *>(context);
        try {
            loop.f(loop.begin + from, loop.begin + to);
        } catch (...) {
            std::lock_guard<std::mutex> guard(loop.lock);
            if (!loop.first) loop.first = std::current_exception();
        }
    };
    int status = fl_parallel_for(end - begin, grain_size > 0 ? grain_size : 1, body, &loop);
    if (loop.first) std::rethrow_exception(loop.first);
    if (status) throw c10::Error::recorded();
}

/* Combine the results of f(begin, end, identity) for parts of the range. */
template <class T, class F, class Combine>
T parallel_reduce(int64_t begin, int64_t end, int64_t grain_size, const T identity, const F &f, const Combine &combine) {
    if (begin >= end) return identity;
    if (grain_size < 1) grain_size = 1;
    int64_t parts = std::min<int64_t>(get_num_threads(), divup(end - begin, grain_size)), size = divup(end - begin, parts);
    std::vector<T> results(size_t(parts), identity);
    parallel_for(0, parts, 1, [&](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; i++)
            if (begin + i * size < end)
                results[size_t(i)] = f(begin + i * size, std::min(end, begin + (i + 1) * size), identity);
    });
    T total = identity;
    for (const T &result : results) total = combine(total, result);
    return total;
}

}  // namespace at
