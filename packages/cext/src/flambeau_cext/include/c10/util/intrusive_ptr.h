/* Objects with a reference count: c10::make_intrusive<T>(...) creates one, c10::intrusive_ptr<T> holds it. */
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

namespace c10 {

template <class T> class intrusive_ptr;

class intrusive_ptr_target {
  public:
    intrusive_ptr_target() = default;
    /* A copy is a new object with a reference count of zero. */
    intrusive_ptr_target(const intrusive_ptr_target &) {}
    intrusive_ptr_target &operator=(const intrusive_ptr_target &) { return *this; }
    virtual ~intrusive_ptr_target() = default;

  private:
    template <class T> friend class intrusive_ptr;
    mutable std::atomic<size_t> holders_{0};
};

template <class T> class intrusive_ptr final {
  public:
    using element_type = T;
    intrusive_ptr() = default;
    intrusive_ptr(std::nullptr_t) {}
    /* For an object created by new that is held by no pointer, or only by pointers of this type. */
    explicit intrusive_ptr(T *object) : object_(object) { hold(); }
    intrusive_ptr(const intrusive_ptr &other) : object_(other.object_) { hold(); }
    intrusive_ptr(intrusive_ptr &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    template <class U, class = std::enable_if_t<std::is_convertible_v<U *, T *>>>
    intrusive_ptr(const intrusive_ptr<U> &other) : object_(other.get()) {
        hold();
    }
    intrusive_ptr &operator=(intrusive_ptr other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~intrusive_ptr() {
        if (object_ && target()->holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete object_;
    }

    template <class... A> static intrusive_ptr make(A &&...arguments) {
        return intrusive_ptr(new T(std::forward<A>(arguments)...));
    }
    /* Take ownership of, or share, a pointer returned by release(). */
    static intrusive_ptr reclaim(T *object) {
        intrusive_ptr p;
        p.object_ = object;
        return p;
    }
    static intrusive_ptr reclaim_copy(T *object) { return intrusive_ptr(object); }
    static intrusive_ptr unsafe_reclaim_from_nonowning(T *object) { return intrusive_ptr(object); }
    T *release() { return std::exchange(object_, nullptr); }
    void reset() { *this = intrusive_ptr(); }
    void swap(intrusive_ptr &other) noexcept { std::swap(object_, other.object_); }

    T *get() const noexcept { return object_; }
    T &operator*() const noexcept { return *object_; }
    T *operator->() const noexcept { return object_; }
    explicit operator bool() const noexcept { return object_ != nullptr; }
    bool defined() const noexcept { return object_ != nullptr; }
    size_t use_count() const noexcept { return object_ ? target()->holders_.load() : 0; }
    bool unique() const noexcept { return use_count() == 1; }

    template <class U> bool operator==(const intrusive_ptr<U> &other) const { return object_ == other.get(); }
    template <class U> bool operator!=(const intrusive_ptr<U> &other) const { return object_ != other.get(); }
    template <class U> bool operator<(const intrusive_ptr<U> &other) const { return object_ < other.get(); }

  private:
    const intrusive_ptr_target *target() const { return object_; }
    void hold() {
        if (object_) target()->holders_.fetch_add(1, std::memory_order_relaxed);
    }
    T *object_ = nullptr;
};

template <class T, class... A> intrusive_ptr<T> make_intrusive(A &&...arguments) {
    return intrusive_ptr<T>::make(std::forward<A>(arguments)...);
}
template <class T, class U> intrusive_ptr<T> static_intrusive_pointer_cast(const intrusive_ptr<U> &p) {
    return intrusive_ptr<T>(static_cast<T *>(p.get()));
}
template <class T, class U> intrusive_ptr<T> dynamic_intrusive_pointer_cast(const intrusive_ptr<U> &p) {
    return intrusive_ptr<T>(dynamic_cast<T *>(p.get()));
}

}  // namespace c10

namespace std {
template <class T> struct hash<c10::intrusive_ptr<T>> {
    size_t operator()(const c10::intrusive_ptr<T> &p) const { return hash<T *>()(p.get()); }
};
}  // namespace std
