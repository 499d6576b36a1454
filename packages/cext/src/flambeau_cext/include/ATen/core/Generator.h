/* at::Generator: a generator of random numbers, which is an object of Python. */
#pragma once

#include <ATen/core/boxing/Values.h>

#include <mutex>

namespace at {

class Generator {
  public:
    Generator() = default;
    /* The object of class torch.Generator, of which the caller keeps a reference. */
    explicit Generator(PyObject *object) : object_(detail::Object::shared(object)) {}
    Generator(const Generator &other) : object_(copied(other)) {}
    Generator(Generator &&) = default;
    Generator &operator=(Generator other) noexcept {
        object_ = std::move(other.object_);
        return *this;
    }
    ~Generator() {
        if (!defined()) return;
        detail::Gil gil;
        object_ = detail::Object();
    }

    bool defined() const { return object_.get() != nullptr; }
    bool operator==(const Generator &other) const { return object_.get() == other.object_.get(); }
    bool operator!=(const Generator &other) const { return !(*this == other); }
    Device device() const { return kCPU; }
    uint64_t current_seed() const { return called("initial_seed", "()"); }
    uint64_t seed() { return called("seed", "()"); }
    void set_current_seed(uint64_t seed) { called("manual_seed", "(K)", static_cast<unsigned long long>(seed)); }
    Tensor get_state() const { return Tensor::borrow(fl_from_python(method("get_state", "()").get())); }
    void set_state(const Tensor &state) {
        detail::Gil gil;
        method("set_state", "(O)", detail::Object(fl_to_python(state.handle())).get());
    }
    /* The GIL protects generators; sources that lock them lock this, too. */
    std::mutex &mutex() const {
        static std::mutex all;
        return all;
    }
    PyObject *object() const { return object_.get(); }

  private:
    static detail::Object copied(const Generator &other) {
        if (!other.defined()) return {};
        detail::Gil gil;
        return detail::Object::shared(other.object_.get());
    }
    template <class... A> detail::Object method(const char *name, const char *format, A... arguments) const {
        TORCH_CHECK(defined(), "an undefined Generator was used");
        return detail::Object::checked(PyObject_CallMethod(object_.get(), name, format, arguments...));
    }
    template <class... A> uint64_t called(const char *name, const char *format, A... arguments) const {
        detail::Gil gil;
        const detail::Object result = method(name, format, arguments...);
        return PyLong_Check(result.get()) ? PyLong_AsUnsignedLongLongMask(result.get()) : 0;
    }

    detail::Object object_;
};

namespace detail {
inline Generator generator_named(const char *name) {
    Gil gil;
    return Generator(imported("flambeau_tensor", name).get());
}
/* The generator that functions use that are given none. */
inline const Generator &getDefaultCPUGenerator() {
    static const Generator *const held = new Generator(generator_named("default_generator")); /* outlives Python */
    return *held;
}
inline Generator createCPUGenerator(uint64_t seed = 67280421310721u) {
    Gil gil;
    const Object made = Object::checked(PyObject_CallNoArgs(imported("flambeau_tensor", "Generator").get()));
    Generator generator(made.get());
    generator.set_current_seed(seed);
    return generator;
}

template <> struct Typed<Generator> {
    static std::string name() { return "Generator"; }
    static Generator from(const fl_value &v) {
        return v.kind == FL_VALUE_OBJECT ? Generator(static_cast<PyObject *>(v.as.object)) : Generator();
    }
    static fl_value argument(const Generator &g) { return g.defined() ? fl_of_object(g.object()) : fl_none(); }
    static fl_value result(const Generator &g) {
        if (!g.defined()) return fl_none();
        Gil gil;
        return fl_of_object(Object::shared(g.object()).release());
    }
};
}  // namespace detail

}  // namespace at
