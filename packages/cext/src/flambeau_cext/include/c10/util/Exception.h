/* Errors: c10::Error and derived classes, and the checks that throw them. In Python they are RuntimeErrors, or the
 * errors in their names. */
#pragma once

#include <c10/macros/Macros.h>
#include <flambeau/exception.hpp>
#include <flambeau/tensor.h>

#include <cctype>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace c10 {

/* The parts, concatenated. */
template <class... Parts> std::string str(const Parts &...parts) {
    std::ostringstream stream;
    (stream << ... << parts);
    return stream.str();
}
inline std::string str() { return {}; }
inline std::string str(const char *only) { return only; }
inline std::string str(const std::string &only) { return only; }

namespace detail {
/* A message with Python's names of types: torch.DoubleTensor for CPUDoubleType. */
[[gnu::cold]] inline std::string in_python_words(std::string message) {
    for (size_t at = 0; (at = message.find("CPU", at)) != std::string::npos; at += 3) {
        size_t end = at + 3;
        while (end < message.size() && std::isalnum(static_cast<unsigned char>(message[end]))) end++;
        if (end < at + 8 || message.compare(end - 4, 4, "Type") != 0) continue;
        message = message.substr(0, at) + "torch." + message.substr(at + 3, end - at - 7) + "Tensor" + message.substr(end);
    }
    return message;
}

/* A Python exception that was taken, and is recorded again when it leaves the extension. */
struct Taken {
    fl_exception exception;
    explicit Taken(fl_exception e) : exception(e) {}
    Taken(const Taken &) = delete;
    ~Taken() { fl_error_drop(exception); }
};
}  // namespace detail

struct SourceLocation {
    const char *function, *file;
    uint32_t line;
};

class Error : public fl::exception {
  public:
    explicit Error(std::string message, fl_status code = FL_RUNTIME_ERROR) : message_(std::move(message)), code_(code) {}
    Error(SourceLocation, std::string message) : Error(std::move(message)) {}

    /* Take the error that the library recorded. */
    [[gnu::cold]] static Error recorded() {
        fl_exception taken = fl_error_take();
        std::string message(512, '\0');
        fl_status code = fl_exception_read(taken, &message[0], int64_t(message.size()));
        while (std::strlen(message.c_str()) + 1 == message.size()) { /* it may be truncated */
            message.resize(2 * message.size());
            fl_exception_read(taken, &message[0], int64_t(message.size()));
        }
        Error e(taken ? message.c_str() : "an error that was not recorded", code);
        e.taken_ = std::make_shared<detail::Taken>(taken);
        return e;
    }

    const char *what() const noexcept override { return message_.c_str(); }
    const char *what_without_backtrace() const noexcept { return what(); }
    const std::string &msg() const { return message_; }
    fl_status code() const noexcept { return code_; }

    [[gnu::cold]] void raise() const noexcept override {
        if (taken_ && taken_->exception) {
            fl_error_put(std::exchange(taken_->exception, nullptr));
        } else {
            fl_error(code_, detail::in_python_words(message_).c_str());
        }
    }

  private:
    std::string message_;
    fl_status code_;
    std::shared_ptr<detail::Taken> taken_;
};

template <fl_status kind> class ErrorOf : public Error {
  public:
    explicit ErrorOf(std::string message) : Error(std::move(message), kind) {}
    ErrorOf(SourceLocation, std::string message) : Error(std::move(message), kind) {}
};
using IndexError = ErrorOf<FL_INDEX_ERROR>;
using ValueError = ErrorOf<FL_VALUE_ERROR>;
using TypeError = ErrorOf<FL_TYPE_ERROR>;
using NotImplementedError = ErrorOf<FL_NOT_IMPLEMENTED_ERROR>;
using EnforceFiniteError = Error;
using OutOfMemoryError = Error;
/* torch.linalg.LinAlgError in Python. */
class LinAlgError : public Error {
  public:
    explicit LinAlgError(std::string message) : Error(std::move(message)) {}
    void raise() const noexcept override;
};

namespace detail {
[[noreturn, gnu::cold]] inline void failed_check(fl_status code, const char *condition, const char *file, int line,
                                      const std::string &message) {
    std::string text = message;
    if (text.empty()) text = str("Expected ", condition, " to be true, but got false. (", file, ":", line, ")");
    switch (code) { /* sources catch errors by their types */
    case FL_INDEX_ERROR: throw IndexError(std::move(text));
    case FL_VALUE_ERROR: throw ValueError(std::move(text));
    case FL_TYPE_ERROR: throw TypeError(std::move(text));
    case FL_NOT_IMPLEMENTED_ERROR: throw NotImplementedError(std::move(text));
    default: throw Error(std::move(text), code);
    }
}
[[noreturn, gnu::cold]] inline void failed_assert(const char *condition, const char *file, int line, const std::string &message) {
    throw Error(str(condition, " INTERNAL ASSERT FAILED at \"", file, "\":", line, ". ", message));
}

/* Collects the message of a check that failed, and throws it when the statement ends. */
class FailedCheck {
  public:
    FailedCheck() = default;
    FailedCheck(const FailedCheck &) = delete;
    ~FailedCheck() noexcept(false) { throw Error(text_.str()); }
    std::ostream &stream() { return text_; }

  private:
    std::ostringstream text_;
};
/* Turns a stream into a statement; its operator has lower precedence than <<. */
struct LogVoidify {
    void operator&(std::ostream &) {}
};

/* While the object exists, warnings of its thread are delayed until the end of the function that Python called, so that
 * a warning that is an error does not interrupt the function. It must be created and destroyed with the GIL held. */
class HeldWarnings {
  public:
    HeldWarnings() : outer_(std::exchange(innermost(), this)) {}
    HeldWarnings(const HeldWarnings &) = delete;
    /* If an error leaves the function, it takes precedence over a warning that is an error. */
    ~HeldWarnings() {
        innermost() = outer_;
        if (texts_.empty()) return;
        fl_exception error = fl_error_take();
        for (const std::string &text : texts_)
            if (fl_warn(text.c_str())) fl_error_clear();
        fl_error_put(error);
    }
    /* Issue the warnings after the function. */
    void give() {
        std::vector<std::string> texts = std::exchange(texts_, {});
        for (const std::string &text : texts)
            if (fl_warn(text.c_str())) throw Error::recorded();
    }
    void add(std::string text) { texts_.push_back(std::move(text)); }

    static HeldWarnings *&innermost() {
        static thread_local HeldWarnings *holder = nullptr;
        return holder;
    }

  private:
    HeldWarnings *outer_;
    std::vector<std::string> texts_;
};

[[gnu::cold]] inline void warn(const std::string &message) {
#ifdef FLAMBEAU_WARNINGS_TO_STDERR /* set by load_inline with with_pytorch_error_handling=False */
    std::fprintf(stderr, "Warning: %s\n", message.c_str());
#else
    std::string text = in_python_words(message);
    if (HeldWarnings::innermost()) return HeldWarnings::innermost()->add(std::move(text));
    int32_t state = fl_gil_ensure();
    std::optional<Error> raised;
    if (fl_warn(text.c_str())) raised = Error::recorded();
    fl_gil_drop(state);
    if (raised) throw *raised;
#endif
}
}  // namespace detail

}  // namespace c10

/* Not in do ... while (false), because sources omit the semicolon. */
#define FL_CHECK_CODE(code, condition, ...)                                                                            \
    if (C10_UNLIKELY(!(condition))) {                                                                                  \
        ::c10::detail::failed_check(code, #condition, __FILE__, __LINE__, ::c10::str(__VA_ARGS__));           \
    }

#define TORCH_CHECK(condition, ...) FL_CHECK_CODE(FL_RUNTIME_ERROR, condition, ##__VA_ARGS__)
#define TORCH_CHECK_INDEX(condition, ...) FL_CHECK_CODE(FL_INDEX_ERROR, condition, ##__VA_ARGS__)
#define TORCH_CHECK_VALUE(condition, ...) FL_CHECK_CODE(FL_VALUE_ERROR, condition, ##__VA_ARGS__)
#define TORCH_CHECK_TYPE(condition, ...) FL_CHECK_CODE(FL_TYPE_ERROR, condition, ##__VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(condition, ...) FL_CHECK_CODE(FL_NOT_IMPLEMENTED_ERROR, condition, ##__VA_ARGS__)
#define TORCH_CHECK_WITH(error, condition, ...)                                                                        \
    if (C10_UNLIKELY(!(condition))) {                                                                                  \
        throw ::c10::error(::c10::str(__VA_ARGS__));                                                          \
    }
#define TORCH_INTERNAL_ASSERT(condition, ...)                                                                          \
    if (C10_UNLIKELY(!(condition))) {                                                                                  \
        ::c10::detail::failed_assert(#condition, __FILE__, __LINE__, ::c10::str(__VA_ARGS__));                \
    }
#ifdef NDEBUG
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) \
    while (false) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#else
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#endif
#define TORCH_CHECK_LINALG(condition, ...) TORCH_CHECK_WITH(LinAlgError, condition, ##__VA_ARGS__)
#define FL_CHECK_OP(op, a, b)                                                                                          \
    C10_LIKELY((a)op(b)) ? (void)0                                                                                     \
                         : ::c10::detail::LogVoidify() & ::c10::detail::FailedCheck().stream()                         \
                               << "Check failed: " #a " " #op " " #b " (" << (a) << " vs. " << (b) << "). "
#define TORCH_CHECK_EQ(a, b) FL_CHECK_OP(==, a, b)
#define TORCH_CHECK_NE(a, b) FL_CHECK_OP(!=, a, b)
#define TORCH_CHECK_LT(a, b) FL_CHECK_OP(<, a, b)
#define TORCH_CHECK_LE(a, b) FL_CHECK_OP(<=, a, b)
#define TORCH_CHECK_GT(a, b) FL_CHECK_OP(>, a, b)
#define TORCH_CHECK_GE(a, b) FL_CHECK_OP(>=, a, b)
#define TORCH_WARN(...) ::c10::detail::warn(::c10::str(__VA_ARGS__))
#define TORCH_WARN_ONCE(...)                                                                                           \
    do {                                                                                                               \
        static const bool C10_UNUSED warned = (TORCH_WARN(__VA_ARGS__), true);                                         \
    } while (false)
#define C10_THROW_ERROR(type, message) throw ::c10::type(message)
#define AT_ERROR(...) throw ::c10::Error(::c10::str(__VA_ARGS__))
#define AT_ASSERT(...) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#define AT_ASSERTM(condition, ...) TORCH_INTERNAL_ASSERT(condition, ##__VA_ARGS__)
#define AT_WARN(...) TORCH_WARN(__VA_ARGS__)
